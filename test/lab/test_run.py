# SPDX-License-Identifier: BSD-3-Clause
"""aim-lab list and run: what they print, the same each time, in each form."""

import csv
import io
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import time

import pytest

STEP = """title = Bursts, and calm between them
rate_pps = 1e6
off_pps = 1e4
on_us = 2000
off_us = 2000
time_ms = 20
slice_us = 1000
"""


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_list_names_what_run_takes(lab):
    shown = json.loads(lab.ok("list", "--json"))
    assert set(shown) == {"scenarios", "tables", "matrices", "policies", "keys", "figures"}
    names = [s["name"] for s in shown["scenarios"]["rows"]]
    assert "open-500k" in names and names == sorted(names)
    assert all(s["about"] and s["group"] for s in shown["scenarios"]["rows"])
    assert {"aim", "off", "fixed"} <= {p["name"] for p in shown["policies"]["rows"]}
    ranges = {k["name"]: k["allowed"] for k in shown["keys"]["rows"]}
    assert ranges["ring"] == "64 to 32768"
    assert lab.ok("list", "--csv").count("what,name,") == 1


def test_every_scenario_that_comes_with_it_is_taken(lab):
    """Read, checked and begun; one millisecond of each."""
    names = [r["name"] for r in rows(lab.ok("list", "--csv")) if r["what"] == "scenario"]
    for name in names:
        lab.ok("run", name, "--policy", "aim", "--param", "time_ms=2", "--param", "warmup_ms=0",
               "--param", "link_down_ms=0", "--param", "settle_ms=0")


def test_all_policies_run_unless_some_are_named(lab):
    every = [r["policy"] for r in rows(lab.ok("run", "open-500k", "--param", "time_ms=30", "--csv"))]
    assert {"aim", "off", "fixed:50", "ixgbe"} <= set(every) and len(set(every)) == len(every)
    some = rows(lab.ok("run", "open-500k", "--policy", "off", "--policy=fixed:20", "--csv"))
    assert [r["policy"] for r in some] == ["off", "fixed:20"]


def test_text_csv_and_json_say_the_same(lab):
    args = ("run", "open-500k", "--policy", "off", "--policy", "fixed:50")
    from_csv = rows(lab.ok(*args, "--csv"))
    from_json = json.loads(lab.ok(*args, "--json"))["figures"]
    text = lab.ok(*args)
    assert from_json["units"]["irqs"] == "1/s"
    for a, b in zip(from_csv, from_json["rows"]):
        for name, value in a.items():
            assert b[name] == (None if value == "" else value if isinstance(b[name], str) else float(value))
            assert value in text


def test_the_same_bytes_each_time(lab):
    """However many at a time, in any locale, with another seed only where there is chance."""
    lab.file("step.scenario", STEP)
    args = ("run", "open-500k", "./step.scenario", "--param", "time_ms=20", "--param", "warmup_ms=5")
    first = lab.ok(*args)
    assert lab.ok(*args, "--jobs", 1) == first
    assert lab.ok(*args, "--jobs=7") == first
    assert lab.ok(*args, env={**os.environ, "LC_ALL": "de_DE.UTF-8"}) == first
    assert lab.ok(*args, "--param", "seed=2") != first


def test_a_file_is_run_and_params_change_it(lab):
    lab.file("mine.scenario", "rate_pps = 1e5\narrivals = constant\ntime_ms = 100\n")
    one, = rows(lab.ok("run", "mine.scenario", "--policy", "off", "--csv"))
    assert one["scenario"] == "mine" and float(one["pps"]) == pytest.approx(1e5, rel=0.01)
    one, = rows(lab.ok("run", "./mine.scenario", "--policy", "off", "--csv", "--param", "rate_pps = 2e5"))
    assert float(one["pps"]) == pytest.approx(2e5, rel=0.01)


def test_the_series_has_its_slices(lab):
    lab.file("step.scenario", STEP)
    slices = rows(lab.ok("run", "step.scenario", "--policy", "aim", "--series", "--csv"))
    assert [float(s["end_s"]) for s in slices] == pytest.approx([k / 1000 for k in range(1, 21)])
    assert float(slices[0]["pps"]) > 10 * float(slices[3]["pps"])


def test_output_goes_to_a_file(lab):
    text = lab.ok("run", "open-500k", "--policy", "off")
    assert lab.ok("run", "open-500k", "--policy", "off", "--output", "out.txt") == ""
    assert lab.files() == {"out.txt": text.encode()}
    lab.ok("list", "--json", "--output", "out.txt")  # over an old one
    json.loads(lab.files()["out.txt"])


def test_a_stopped_run_leaves_no_file(lab):
    run = subprocess.Popen([lab.program, "run", "open-500k", "--param", "time_ms=3600000", "--output", "out"],
                           cwd=lab.folder, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 10
    while not lab.files() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert list(lab.files()) and "out" not in lab.files()
    run.send_signal(signal.SIGTERM)
    assert run.wait(10) == -signal.SIGTERM
    assert not lab.files()


def test_a_terminal_sees_the_progress_of_a_long_run(lab):
    ours, theirs = pty.openpty()
    args = [lab.program, "run", "open-500k", "--jobs", "1", "--param", "time_ms=30000"]
    run = subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    seen = b""
    while True:
        try:
            seen += os.read(ours, 4096)
        except OSError:
            break
    os.close(ours)
    assert run.wait(60) == 0
    assert re.search(rb"\rrun \[[#.]{40}\] \d+/\d+", seen), seen
    assert seen.endswith(b"\r\x1b[K")


needs_gnuplot = pytest.mark.skipif(shutil.which("gnuplot") is None, reason="no gnuplot")


@needs_gnuplot
def test_plots_are_whole_and_the_same_each_time(lab):
    lab.file("step.scenario", STEP)
    for args in (("run", "open-500k"), ("run", "open-500k", "step.scenario"),
                 ("run", "step.scenario", "--series", "--policy", "aim", "--policy", "off")):
        for end in ("svg", "png"):
            lab.ok(*args, "--param", "time_ms=20", "--param", "warmup_ms=0", "--plot", f"a.{end}")
        again = lab.files()["a.svg"]
        lab.ok(*args, "--param", "time_ms=20", "--param", "warmup_ms=0", "--plot", "a.svg")
        files = lab.files()
        assert files["a.svg"] == again
        assert files["a.svg"].rstrip().endswith(b"</svg>") and b"aim" in files["a.svg"]
        assert str(lab.folder).encode() not in files["a.svg"]
        assert files["a.png"].startswith(b"\x89PNG") and b"IEND" in files["a.png"]
        assert set(files) == {"a.svg", "a.png", "step.scenario"}


@pytest.mark.parametrize("scenario, params", [
    ("dense", ("rate_pps=14e6", "packet_ns=200", "time_ms=1", "warmup_ms=0", "settle_ms=0")),
    ("enetc-1cpu", ("packet_ns=20000",)),
    ("udp-bare", ("packet_ns=20000",)),
])
def test_a_run_that_is_overloaded_takes_no_more_than_its_cpu(lab, scenario, params):
    """What the last burst does behind the end of the run is none of it."""
    set_ = [a for p in params for a in ("--param", p)]
    shown = json.loads(lab.ok("run", scenario, "--policy", "off", "--policy", "aim", *set_, "--json"))
    for row in shown["figures"]["rows"]:
        assert 90 < row["cpu"] <= 100


def test_a_throttle_spares_a_small_core(lab):
    """A core for which an interrupt costs 20 us and a frame 3: full frames at 1 Gb/s keep it in interrupts."""
    out = rows(lab.ok("run", "enetc-1cpu", "--param", "wake_ns=20000", "--param", "packet_ns=3000", "--csv",
                      *(word for policy in ("off", "fixed:64", "enetc") for word in ("--policy", policy))))
    figures = {row["policy"]: row for row in out}
    free = figures.pop("off")
    assert float(free["cpu"]) > 75
    for row in figures.values():
        assert float(row["cpu"]) < 45 and float(row["irqs"]) < float(free["irqs"]) / 3, row
        assert float(row["mbps"]) > 0.999 * float(free["mbps"]) and float(row["lost_ring"]) == 0, row
