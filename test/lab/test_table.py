# SPDX-License-Identifier: BSD-3-Clause
"""aim-lab table: published figures beside ours, and the exit status that CI sees."""

import json
import shutil

import pytest

HEAD = "title = A table\nsource = nobody\n"
ROW = "rate | ./r.scenario | off | - | time_ms=50 | pps | {} | {} | {}\n"
SCENARIO = "arrivals = constant\nrate_pps = 1e5\ntime_ms = 100\n"


@pytest.fixture
def table(lab):
    lab.file("r.scenario", SCENARIO)

    def run(text, *args, status=0):
        lab.file("t.table", HEAD + text)
        done = lab.run("table", "./t.table", "--json", *args)
        assert (done.returncode, done.stderr) == (status, b"")
        return json.loads(done.stdout)["t"]
    return run


def test_every_table_that_comes_with_it_holds(lab):
    lab.ok("table", "all")


def test_a_row_within_its_tolerance_is_ok(table):
    row, = table(ROW.format(1.01e5, 2, "predicted"))["rows"]
    assert row["verdict"] == "ok" and row["kind"] == "predicted"
    assert row["published"] == 101000 and row["deviation"] == pytest.approx(-0.99, abs=0.05)


def test_a_row_that_misses_fails_the_table(table):
    shown = table(ROW.format(1e5, 2, "predicted") + ROW.format(2e5, 2, "fitted"), status=1)
    assert [r["verdict"] for r in shown["rows"]] == ["ok", "MISS"]
    assert any("1 of 2 rows" in note for note in shown["notes"])


def test_an_open_row_is_shown_only(table):
    row, = table(ROW.format(2e5, 2, "open"))["rows"]
    assert row["verdict"] == "shown" and row["tolerance"] is None


def test_rows_name_slices(table):
    text = "second {0} | ./r.scenario | off | - | slice_us=20000 | slice[{0}].pps | 1e5 | 5 | predicted\n"
    shown = table("".join(text.format(k) for k in range(5)))
    assert [r["verdict"] for r in shown["rows"]] == ["ok"] * 5


def test_an_expected_nothing_must_be_nothing(table):
    text = "loss | ./r.scenario | off | - | - | {} | 0 | 0 | predicted\n"
    assert table(text.format("lost_ring"))["rows"][0]["verdict"] == "ok"
    assert table(text.format("irqs"), status=1)["rows"][0]["verdict"] == "MISS"


@pytest.mark.parametrize("row, line", [
    ("a | nothing | off | - | - | pps | 1 | 1 | open", "t.table:3: no scenario 'nothing'"),
    ("a | ./r.scenario | off | - | ring=1 | pps | 1 | 1 | open", "t.table:3: ring = 1; allowed: 64"),
    ("a | ./r.scenario | off | - | ring | pps | 1 | 1 | open", "t.table:3: 'ring'; allowed: key=value"),
    ("a | ./r.scenario | off | - | warmup_ms=100 | pps | 1 | 1 | open", "t.table:3: warmup_ms = 100"),
    ("a | ./r.scenario | on | - | - | pps | 1 | 1 | open", "t.table:3: no policy 'on'"),
    ("a | ./r.scenario | off | - | - | pps | 1 | 1", "t.table:3: not 9 fields"),
    ("a | ./r.scenario | off | - | slice_us=20000 | slice[5].pps | 1 | 1 | open",
     "t.table:3: slice[5].pps; allowed: slice[0] to slice[4], as the run has 5"),
    ("a | ./r.scenario | off | - | slice_us=20000 | slice[2-5].pps | 1 | 1 | open", "t.table:3: slice[2-5].pps; allowed"),
    ("a | ./r.scenario | off | - | slice_us=200000 | slice[0].pps | 1 | 1 | open", "t.table:3: slice[0].pps; allowed: no"),
    ("a | loop | off | - | - | cost | 1 | 1 | open", "t.table:3: cost: a run of loop has no such figure; allowed: slice[N], pps, "),
    ("a | tx-ring | off | - | - | p99_us | 1 | 1 | open", "t.table:3: p99_us: a run of tx-ring has no such figure"),
    ("a | tcp-rr | off | - | - | cpu | 1 | 1 | open", "t.table:3: cpu: a run of tcp-rr has no such figure"),
    ("a | ./r.scenario | off | - | - | follow_ms | 1 | 1 | open", "t.table:3: follow_ms: a run of ./r.scenario has no"),
    ("a | enetc-2cpu | off | - | show_tx=yes | p50_us | 1 | 1 | open", "t.table:3: p50_us: a run of enetc-2cpu has no"),
])
def test_a_broken_row_names_its_line(lab, row, line):
    lab.file("r.scenario", SCENARIO)
    lab.file("t.table", HEAD + row + "\n")
    assert line in lab.refused("table", "./t.table", "--output", "out")


@pytest.mark.skipif(shutil.which("gnuplot") is None, reason="no gnuplot")
def test_a_series_is_drawn_beside_the_published(lab, table):
    row = "second | ./r.scenario | off | - | slice_us=20000 | slice[1].pps | 1e5 | 5 | predicted\n"
    table(row, "--plot", "a.svg")
    assert b"published" in lab.files()["a.svg"]
    lab.file("t.table", HEAD + ROW.format(1e5, 2, "open"))
    assert "has no series" in lab.refused("table", "./t.table", "--plot", "b.svg")
