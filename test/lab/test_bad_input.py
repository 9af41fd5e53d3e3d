# SPDX-License-Identifier: BSD-3-Clause
"""What cannot be run: one line that says what is allowed, status 2, and nothing left behind."""

import os
import struct

import pytest

RUN = ("run", "open-500k")


@pytest.mark.parametrize("args, line", [
    ((), "no command; allowed"),
    (("fly",), "no command 'fly'; allowed: list, run, "),
    (("list", "much"), "'much' is too much; allowed: aim-lab list"),
    (("run",), "run of no scenario, which 'aim-lab list' lists; allowed: aim-lab run SCENARIO... [option]..."),
    (("table",), "table of no table, which 'aim-lab list' lists; allowed: aim-lab table NAME...|all"),
    (("advise",), "advise of no capture; allowed: aim-lab advise FILE.pcap"),
    (("run", "--help=3"), "--help=3; allowed: --help, which takes no value"),
    (("--help=3",), "no command '--help=3'; allowed: "),
    (("table", "all", "all"), "'all' among 2 names; allowed: all alone, or tables by name"),
    (("table", "udp", "all"), "'all' among 2 names; allowed: all alone"),
    (("run", "nothing"), "no scenario 'nothing' in "),
    (("run", "nothing.scenario"), "nothing.scenario: cannot be read: "),
    (("run", "../nothing"), "../nothing: cannot be read: "),
    (("run", "."), ".: cannot be read: "),
    (("run", ""), "no scenario ''"),
    ((*RUN, "--fast"), "run has no option --fast; allowed: see aim-lab run --help"),
    ((*RUN, "--json=1"), "--json=1; allowed: --json, which takes no value"),
    ((*RUN, "--json", "--csv"), "--json and --csv; allowed: one of them"),
    ((*RUN, "--policy"), "--policy has no value; allowed: --policy P"),
    ((*RUN, "--policy", "best"), "no policy 'best'; allowed: aim, "),
    ((*RUN, "--policy", "fixed"), "policy 'fixed'; allowed: fixed:US with US 0 to 1048"),
    ((*RUN, "--policy", "fixed:2000"), "policy 'fixed:2000'; allowed: fixed:US with US 0 to 1048"),
    ((*RUN, "--policy", "off:1"), "policy 'off:1'; allowed: off, which takes no argument"),
    ((*RUN, "--param", "ring"), "--param ring; allowed: --param KEY=VALUE"),
    ((*RUN, "--param", "ring=1"), "--param ring = 1; allowed: 64 to 32768"),
    ((*RUN, "--param", "rin=64"), "--param no key 'rin' (ring?)"),
    ((*RUN, "--param", "ring=64", "--param", " ring = 64"), "--param ring is given twice"),
    ((*RUN, "--param", "warmup_ms=3600000"), "open-500k: warmup_ms = 3600000; allowed: less than"),
    ((*RUN, "--param", "rate_pps=1e8"), "open-500k: rate_pps = 100000000 is above the line rate"),
    ((*RUN, "--jobs", "0"), "--jobs 0; allowed: 1 to 64"),
    ((*RUN, "--jobs", "many"), "--jobs many; allowed: 1 to 64"),
    ((*RUN, "--plot", "a.pdf"), "--plot a.pdf; allowed: a file that ends with .svg or .png"),
    ((*RUN, "--plot", "a.svg", "--plot", "a.svg"), "--plot is given twice"),
    ((*RUN, "--output", "no/folder"), "no/folder: cannot be written: "),
    (("table", "nothing"), "no table 'nothing' in "),
    (("table", "all", "--policy", "aim"), "table has no option --policy"),
    (("list", "--data", "no/folder"), "no/folder/scenarios: cannot be read: "),
])
def test_what_is_unknown_or_out_of_range_is_refused(lab, args, line):
    assert line in lab.refused(*args)


@pytest.mark.parametrize("text, line", [
    (b"seed = 1\nring = 10\n", "bad.scenario:2: ring = 10; allowed: 64 to 32768"),
    (b"seed = 1\n\nrin = 10\n", "bad.scenario:3: no key 'rin' (ring?)"),
    (b"seed\n", "bad.scenario:1: 'seed' is no 'key = value'"),
    (b"seed = 1\nseed = 2\n", "bad.scenario:2: seed is given twice"),
    (b"seed =\n", "bad.scenario:1: seed has no value; allowed: 0 to 4294967295"),
    (b"seed = 1\0\n", "bad.scenario:1: byte 9 is NUL"),
    (b"\x7fELF\x02\x01\x01", "bad.scenario:1: byte 1 is 0x7f"),
    (b"\x80\n", "bad.scenario:1: byte 1 is 0x80"),
    (b"x" * 100000, "bad.scenario:1: the line is longer than 511 bytes"),
    (b"warmup_ms = 200\n", "bad.scenario:1: warmup_ms = 200; allowed: less than time_ms = 200"),
    (b"", "bad.scenario: no key in it; allowed: one 'key = value' line or more"),
    (b"arrivals = pcap\nfile = none.pcap\n", "./none.pcap: cannot be read"),
    (b"kind = loop\npeer = me\n", "bad.scenario:2: peer: no policy 'me'; allowed: "),
])
def test_a_broken_scenario_names_its_line(lab, text, line):
    lab.file("bad.scenario", text)
    said = lab.refused("run", "./bad.scenario", "--output", "out", "--plot", "out.svg")
    assert line in said


def test_an_endless_file_ends(lab):
    assert "NUL" in lab.refused("run", "/dev/zero")
    assert "/dev/urandom" in lab.refused("run", "/dev/urandom")


def test_a_broken_scenario_among_ours_is_named_by_list(lab):
    (lab.folder / "scenarios").mkdir()
    (lab.folder / "tables").mkdir()
    (lab.folder / "matrix").mkdir()
    (lab.folder / "scenarios" / "a.scenario").write_text("ring = 1\n")
    assert "scenarios/a.scenario:1: ring = 1; allowed" in lab.refused("list", "--data", ".")
    (lab.folder / "scenarios" / "a.scenario").write_text("ring = 128\n")
    assert "a" in lab.ok("list", env={**os.environ, "AIM_LAB_DATA": "."})


def test_a_full_disk_is_said(lab):
    with open("/dev/full", "w") as full:
        done = lab.run("list", stdout=full)
    assert done.returncode == 1
    assert done.stderr.startswith(b"aim-lab: standard output: cannot be written: ")


@pytest.mark.parametrize("args, line", [
    (("run", "./a.scenario", "--output", "a.svg", "--plot", "./a.svg"), "--output a.svg and --plot ./a.svg are one file"),
    (("run", "./a.scenario", "--output", "link.svg", "--plot", "new.svg"), "--output link.svg and --plot new.svg are one"),
    (("run", "./a.scenario", "--output", "a.scenario"), "--output a.scenario is a file that this run reads; allowed: ano"),
    (("run", "./a.scenario", "--output", "link"), "--output link is a file that this run reads"),
    (("run", "./replay.scenario", "--output", "a.pcap"), "--output a.pcap is a file that this run reads"),
    (("run", "./a.scenario", "--param", "file=a.pcap", "--output", "a.pcap"), "--output a.pcap is a file"),
    (("advise", "a.pcap", "--output", "a.pcap"), "--output a.pcap is a file that this run reads"),
    (("table", "./a.table", "--output", "./a.table"), "--output ./a.table is a file"),
    (("table", "./a.table", "--output", "a.scenario"), "--output a.scenario is a file"),
    (("matrix", "./a.matrix", "--output", "a.matrix"), "--output a.matrix is a file"),
    (("matrix", "./a.matrix", "--write-known", "a.matrix"), "--write-known a.matrix is a file"),
    (("matrix", "./a.matrix", "--output", "a.scenario"), "--output a.scenario is a file"),
    (("matrix", "./a.matrix", "--output", "a.known"), "--output a.known is a file"),
    (("matrix", "./a.matrix", "--output", "new", "--write-known", "./new"), "--output new and --write-known ./new are one"),
    (("matrix", "./a.matrix", "--output", "a.known", "--write-known", "a.known"), "--output a.known and --write-known"),
    (("list", "--data", "data", "--output", "data/scenarios/b.scenario"), "b.scenario is a file that this run reads"),
])
def test_an_output_takes_the_place_of_no_other_file_of_the_run(lab, args, line):
    lab.file("a.scenario", "time_ms = 5\n")
    lab.file("replay.scenario", "arrivals = pcap\nfile = a.pcap\n")
    lab.file("a.pcap", struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1) +
             b"".join(struct.pack("<IIII", 1, us, 60, 60) + bytes(60) for us in (0, 5)))
    lab.file("a.table", "title = T\nsource = S\na | ./a.scenario | off | - | - | pps | 1 | 1 | open\n")
    lab.file("a.matrix", "title = M\ng | ./a.scenario | - | -\n")
    lab.file("a.known", "")
    for folder in ("scenarios", "tables", "matrix"):
        (lab.folder / "data" / folder).mkdir(parents=True)
    lab.file("data/scenarios/b.scenario", "time_ms = 5\n")
    (lab.folder / "link").symlink_to("a.scenario")
    (lab.folder / "link.svg").symlink_to("new.svg")
    assert line in lab.refused(*args)


def test_a_list_of_known_misses_is_made_anew_in_its_place(lab):
    lab.file("a.scenario", "time_ms = 5\n")
    lab.file("a.matrix", "title = M\ng | ./a.scenario | - | range\n")
    lab.file("a.known", "")
    lab.ok("matrix", "./a.matrix", "--write-known", "a.known", "--policy", "aim")
    assert lab.files()["a.known"] != b""


@pytest.mark.parametrize("args", [("list",), RUN, ("--help",), ("list", "--help"), ("--version",)])
def test_a_closed_standard_output_is_said_as_a_full_one(lab, args):
    done = lab.run(*args, stdout=None, preexec_fn=lambda: os.close(1))
    assert done.returncode == 1
    assert done.stderr == b"aim-lab: standard output: cannot be written: Bad file descriptor\n"


def test_a_file_is_written_beside_closed_streams(lab):
    done = lab.run("list", "--output", "out", stdout=None, preexec_fn=lambda: os.closerange(0, 3))
    assert done.returncode == 0 and b"open-500k" in lab.files()["out"]


def test_without_gnuplot_nothing_is_drawn_or_written(lab):
    line = lab.refused(*RUN, "--plot", "a.svg", "--output", "out", env={"PATH": str(lab.folder)})
    assert "gnuplot-nox" in line


def test_a_gnuplot_that_fails_leaves_no_file(lab):
    (lab.folder / "bin").mkdir()
    gnuplot = lab.folder / "bin" / "gnuplot"
    gnuplot.write_text("#!/bin/sh\necho partial\necho 'line 3: it is broken' >&2\nexit 1\n")
    gnuplot.chmod(0o755)
    line = lab.refused(*RUN, "--plot", "a.svg", "--output", "out", status=1,
                       env={"PATH": f"{gnuplot.parent}:/usr/bin:/bin"})
    assert line == "gnuplot: line 3: it is broken"


@pytest.mark.parametrize("command", ["list", "run", "table", "advise"])
def test_each_command_has_help(lab, command):
    assert lab.ok(command, "--help").startswith(f"usage: aim-lab {command}")
    assert lab.ok("--help").startswith("usage: aim-lab COMMAND")
    assert lab.ok("--version").startswith("aim-lab ")
