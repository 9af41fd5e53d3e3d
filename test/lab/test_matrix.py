# SPDX-License-Identifier: BSD-3-Clause
"""aim-lab matrix: every policy in every scenario, and the exit status that CI sees."""

import csv
import io
import json
import random
import shutil

import pytest

HEAD = "title = A matrix\n"
SPARSE = "group = sparse\nrate_pps = 1000\ntime_ms = 200\n"
LOOP = "group = loop\nkind = loop\nwindow = 4\ntime_ms = 50\nsettle_ms = 20\n"


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def matrix(lab):
    lab.file("calm.scenario", SPARSE)
    lab.file("pair.scenario", LOOP)

    def run(text, *args, status=0):
        lab.file("m.matrix", HEAD + text)
        done = lab.run("matrix", "./m.matrix", "--json", *args)
        assert (done.returncode, done.stderr) == (status, b"")
        return json.loads(done.stdout)
    return run


def test_the_quick_matrix_holds(lab):
    """All of it: every group, every policy, and aim misses nothing."""
    shown = json.loads(lab.ok("matrix", "quick", "--json"))
    assert set(shown) == {"figures", "summary", "acceptance", "misses"}
    figures = shown["figures"]["rows"]
    policies = {r["name"] for r in rows(lab.ok("list", "--csv")) if r["what"] == "policy"}
    assert {r["policy"].split(":")[0] for r in figures} == policies - {"dim-profile"}
    cells = {(r["group"], r["scenario"], r["cell"]) for r in figures}
    assert len(cells) * (len(policies) - 1) == len(figures)
    assert {r["group"] for r in figures} == {"loop", "sparse", "middle", "dense", "flood", "sink", "shared",
                                             "link", "clock"}
    assert shown["misses"]["rows"] == []
    assert all(r["missed"] == 0 and r["cells"] > 0 for r in shown["acceptance"]["rows"])
    assert all(r["verdict"] == ("ok" if r["policy"] == "aim" else "") for r in figures)


def test_the_full_matrix_is_well_formed(lab):
    """Read, expanded and begun; a millisecond of each cell under one policy that decides nothing."""
    short = [a for k in ("time_ms=2", "warmup_ms=0", "settle_ms=0", "link_down_ms=0", "slice_us=0")
             for a in ("--param", k)]
    shown = json.loads(lab.ok("matrix", "--policy", "fixed:50", *short, "--json"))
    figures = shown["figures"]["rows"]
    assert len(figures) > 900 and all(r["policy"] == "fixed:50" for r in figures)
    groups = {r["group"] for r in figures}
    assert {"loop", "sparse", "middle", "dense", "bursts", "steps", "acks", "follow", "flood", "sink", "shared", "link",
            "clock", "published", "slow"} == groups


def test_csv_json_and_text_say_the_same(lab):
    args = ("matrix", "quick", "--group", "sparse")
    from_csv = rows(lab.ok(*args, "--csv"))
    shown = json.loads(lab.ok(*args, "--json"))
    text = lab.ok(*args)
    assert len(from_csv) == len(shown["figures"]["rows"]) > 0
    for a, b in zip(from_csv, shown["figures"]["rows"]):
        for name, value in a.items():
            assert b[name] == (value if isinstance(b[name], str) else None if value == "" else float(value))
    for line in shown["summary"]["rows"]:
        mine = [r for r in shown["figures"]["rows"] if r["policy"] == line["policy"]]
        assert line["cells"] == len(mine)
        assert line["rate_worst"] == pytest.approx(min(r["rate_off"] for r in mine), abs=1e-3)
        assert line["p99_worst"] == pytest.approx(max(r["p99_off"] for r in mine), abs=1e-2)
        assert line["cost_worst"] == pytest.approx(max(r["cost"] for r in mine), abs=1e-2)
        assert f"sparse  {line['policy']} " in text
    assert "0 missed" in text and "misses" not in text


def test_the_same_bytes_each_time(lab, matrix):
    matrix("g | ./pair.scenario | window=1,4; peer=same,off | -\ng | ./calm.scenario | - | sparse, range\n")
    for form in ("--json", "--csv", "--output=/dev/stdout"):
        first = lab.ok("matrix", "./m.matrix", form, "--jobs", 1)
        assert lab.ok("matrix", "./m.matrix", form, "--jobs", 5) == first
        assert lab.ok("matrix", "./m.matrix", form) == first


def test_figures_are_those_of_run(lab, matrix):
    """A cell is the scenario with its keys, nothing else."""
    cell = next(r for r in matrix("g | ./pair.scenario | window=2,4; peer=igb | -\n")["figures"]["rows"]
                if r["policy"] == "ixgbe" and "window=4" in r["cell"])
    run, = json.loads(lab.ok("run", "./pair.scenario", "--policy", "ixgbe", "--param", "peer=igb", "--json"))[
        "figures"]["rows"]
    off, = json.loads(lab.ok("run", "./pair.scenario", "--policy", "off", "--param", "peer=igb", "--json"))[
        "figures"]["rows"]
    assert all(cell[k] == run[k] for k in ("pps", "irqs", "writes", "p50_us", "p99_us", "cpu"))
    assert cell["rate_off"] == pytest.approx(run["pps"] / off["pps"], abs=1e-4)


def test_a_miss_fails_the_matrix_and_is_named(lab):
    """A cell without a packet shows nothing: a miss, whatever the law. The file is written all the same."""
    lab.file("none.scenario", "rate_pps = 0.01\narrivals = constant\ntime_ms = 2\n")
    lab.file("m.matrix", HEAD + "g | ./none.scenario | frame=60,1514 | sparse, range\n")
    done = lab.run("matrix", "./m.matrix", "--output", "out.txt")
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
    text = lab.files()["out.txt"].decode()
    assert "Where it misses" in text and "p50 0.00 us" in text and "frame=1514" in text
    assert "2 cells" in text and "4 checks, 2 missed" in text
    figures = rows(lab.run("matrix", "./m.matrix", "--csv").stdout.decode())
    assert next(r for r in figures if r["policy"] == "aim")["verdict"].startswith("sparse: p50")
    # without aim there is nothing to miss
    shown = json.loads(lab.ok("matrix", "./m.matrix", "--policy", "off", "--policy", "igb", "--json"))
    assert "acceptance" not in shown and len(shown["figures"]["rows"]) == 4


def test_groups_policies_and_params_choose(lab, matrix):
    text = "g | ./calm.scenario | frame=60,128 | -\nh | ./pair.scenario | policy=others | -\n"
    shown = matrix(text, "--group", "h")["figures"]["rows"]
    assert {r["group"] for r in shown} == {"h"} and "aim" not in {r["policy"] for r in shown}
    shown = matrix(text, "--policy", "aim", "--param", "frame=1514")["figures"]["rows"]
    assert [(r["policy"], r["cell"]) for r in shown] == [("aim", "")]
    assert shown[0]["mbps"] == pytest.approx(shown[0]["pps"] * 1514 * 8e-6, abs=0.1)


def test_a_capture_is_replayed(lab, matrix):
    """Arrivals of a pcap file, which a scenario beside it names."""
    scapy = pytest.importorskip("scapy.all")
    draw = random.Random(1)
    packets, now = [], 1.6e9
    for _ in range(2000):
        now += draw.expovariate(1000)
        packet = scapy.Ether() / scapy.Raw(bytes(86))
        packet.time = now
        packets.append(packet)
    scapy.wrpcap(str(lab.folder / "mine.pcap"), packets)
    lab.file("mine.scenario", "arrivals = pcap\nfile = mine.pcap\ntime_ms = 2000\n")
    shown = matrix("pcap | ./mine.scenario | ring=128,1024 | sparse, safe, range\n")
    figures = shown["figures"]["rows"]
    assert {r["policy"] for r in figures} >= {"aim", "off", "dim"}
    assert all(r["pps"] == pytest.approx(1000, rel=0.1) for r in figures)
    assert [r["missed"] for r in shown["acceptance"]["rows"]] == [0, 0, 0]
    lab.file("mine.pcap", b"no capture")
    assert "mine.pcap" in lab.refused("matrix", "./m.matrix")


@pytest.mark.parametrize("row, line", [
    ("g | nothing | - | -", "m.matrix:2: no scenario 'nothing'"),
    ("g | ./none.scenario | - | -", "m.matrix:2: ./none.scenario: cannot be read"),
    ("g | ./calm.scenario | ring=1 | -", "m.matrix:2: ring = 1; allowed: 64 to 32768"),
    ("g | ./calm.scenario | rings=128 | -", "m.matrix:2: no key 'rings' (ring?)"),
    ("g | ./calm.scenario | ring=128, | -", "m.matrix:2: ring has no value"),
    ("g | ./calm.scenario | warmup_ms=200 | -", "m.matrix:2: calm: warmup_ms = 200; allowed: less than time_ms"),
    ("g | ./calm.scenario | settle_ms=200 | -", "m.matrix:2: calm: settle_ms = 200; allowed: less than time_ms"),
    ("g | ./calm.scenario | peer=nobody | -", "m.matrix:2: no policy 'nobody'"),
    ("g | ./calm.scenario | - | fast", "m.matrix:2: no rule 'fast'; allowed: -, loop"),
    ("g | ./calm.scenario | -", "m.matrix:2: not 4 fields; allowed: group | scenario |"),
    ("g | ./broken.scenario | - | -", "m.matrix:2: ./broken.scenario:2: ring = many; allowed: 64"),
    ("\x01", "m.matrix:2: byte 1 is 0x01"),
    ("", "m.matrix: not whole; allowed: a title, and a row or more"),
])
def test_a_broken_matrix_names_its_line(lab, row, line):
    lab.file("calm.scenario", SPARSE)
    lab.file("broken.scenario", "# mine\nring = many\n")
    lab.file("m.matrix", HEAD + row + "\n")
    assert line in lab.refused("matrix", "./m.matrix", "--output", "out")


def test_bad_arguments_are_named(lab):
    assert "no matrix 'nothing'" in lab.refused("matrix", "nothing")
    assert "no group 'fast' in matrix quick; allowed: loop, sparse" in lab.refused("matrix", "quick",
                                                                                  "--group", "fast")
    assert "no policy 'best'" in lab.refused("matrix", "quick", "--policy", "best")
    assert "quick.matrix:" in lab.refused("matrix", "quick", "--param", "ring=1")
    assert "'quick' is too much" in lab.refused("matrix", "full", "quick")
    assert "1 to 64" in lab.refused("matrix", "--jobs", "0")
    lab.file("m.matrix", b"\xff\xfe")
    assert "m.matrix:1: byte 1 is 0xff" in lab.refused("matrix", "./m.matrix")


@pytest.mark.skipif(shutil.which("gnuplot") is None, reason="no gnuplot")
def test_the_heat_map_has_a_row_a_scenario(lab, matrix):
    text = "g | ./calm.scenario | frame=60,128 | -\nh | ./pair.scenario | peer=each | -\nh | ./pair.scenario | - | -\n"
    matrix(text, "--plot", "a.svg")
    first = lab.files()["a.svg"]
    matrix(text, "--plot", "a.svg")
    assert lab.files()["a.svg"] == first
    assert first.count(b"calm") == 1 and first.count(b"pair") == 1 and b"ixgbe-2026" in first
    matrix(text, "--plot", "a.png")
    assert lab.files()["a.png"].startswith(b"\x89PNG")
