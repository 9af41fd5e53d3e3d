# SPDX-License-Identifier: BSD-3-Clause
"""The commands of aim-lab that the README shows, as it shows them, in a folder of their own."""

import pathlib
import re
import shlex
import shutil
import struct

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
README = (TOP / "README.md").read_text()
PROGRAM = "build/app/aim-lab/aim-lab"
COMMANDS = [shlex.split(line, comments=True)[1:]
            for line in re.findall(rf"^    ({PROGRAM} .*)$", README, re.MULTILINE)]
PLOTS = [args[args.index("--plot") + 1] for args in COMMANDS if "--plot" in args]


def capture():
    """A packet every 2 us, 64 bytes each."""
    data = struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1)
    for i in range(2000):
        data += struct.pack("<IIII", 0, i * 2000, 60, 60) + bytes(60)
    return data


def test_the_readme_shows_each_command():
    assert {args[0] for args in COMMANDS} == {"run", "table", "advise", "matrix"}


def test_each_plot_of_aim_lab_is_shown_and_has_its_command():
    assert PLOTS
    for name in PLOTS:
        assert f"]({name})" in README
        assert (TOP / name).stat().st_size < 60000
    shown = set(re.findall(r"!\[[^]]*\]\(([^)]*)\)", README))
    assert shown == {*PLOTS, "doc/demo.svg"}


# the whole matrix takes minutes, and devtools/test runs it
@pytest.mark.parametrize("args", [a for a in COMMANDS if a[0] != "matrix"], ids=" ".join)
def test_a_command_of_the_readme_runs(lab, args):
    if "--plot" in args and shutil.which("gnuplot") is None:
        pytest.skip("no gnuplot")
    (lab.folder / "doc").mkdir()
    lab.file("my.pcap", capture())
    assert lab.ok(*args)
    for name in (n for n in PLOTS if n in args):
        assert (lab.folder / name).read_text().rstrip().endswith("</svg>")


def test_the_published_cases_of_the_readme_are_those_of_the_tables(lab):
    """Each figure of the README's short table, as published and as ours, to the digits shown."""
    text = lab.ok("table", "all", "--csv")
    numbers = [float(n) for n in re.findall(r"(?<=,)-?\d+\.?\d*(?=,)", text)]
    rows = re.findall(r"^\|[^|]*\|[^|]*\|([^|]*)\|([^|]*)\| (?:predicted|fitted|open) \|$", README,
                      re.MULTILINE)
    assert len(rows) >= 8
    for shown in (n for row in rows for cell in row for n in re.findall(r"\d[\d,]*(?:\.\d+)?", cell)):
        value, digits = float(shown.rstrip(",").replace(",", "")), len(shown.partition(".")[2])
        scale = 1000 if "." in shown else 1  # Gb/s here, Mb/s there
        assert any(abs(n / scale - value) <= 0.5001 * 10 ** -digits for n in numbers), shown
