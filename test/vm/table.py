#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
The guide's table of witnesses and checks, from the results of a run (pytest test/vm --results FILE):
    table.py --check FILE...   does the guide say what these found? Exit status 1 if not
    table.py --write FILE...   the guide says so from now on
"""

import json
import pathlib
import sys

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "doc/guides/howto/witnesses.rst"
BEGIN, END = ".. results: begin", ".. results: end"
MODELS = ["82599", "82599-kx4", "x540", "x550"]
WITNESSES = {"ixgbe": "Linux's ixgbe (Debian 13)", "net_ixgbe": "DPDK's net_ixgbe (22.11, Debian 12)",
             "net_ixgbe_aim": "Our net_ixgbe_aim, on the same"}
WORDS = {"passed": "pass", "failed": "FAIL", "skipped": "n.a."}
NOT_RUN = "--"


class Recorder:
    """A plugin of pytest that collects results by witness, check and model."""

    def __init__(self, config):
        self.file = config.getoption("--results")
        self.checks = []  # in the order of the tests
        self.cells = {}  # witness -> check -> model -> word

    @staticmethod
    def place(item):
        """(witness, check, model) of a test that fills a cell."""
        mark = item.get_closest_marker("check")
        params = getattr(item, "callspec", None) and item.callspec.params
        if mark is None or not params:
            return None
        if "port" in params:
            return "ixgbe", mark.args[0], params["port"]
        return (params["driver"], mark.args[0], params["model"]) if "model" in params else None

    def pytest_collection_modifyitems(self, items):
        for item in items:
            place = self.place(item)
            if place is not None and place[1] not in self.checks:
                self.checks.append(place[1])

    def note(self, item, report):
        place = self.place(item)
        if place is None or not (report.when == "call" or (report.when == "setup" and report.outcome != "passed")):
            return
        witness, check, model = place
        row = self.cells.setdefault(witness, {}).setdefault(check, {})
        # several tests may belong to a cell: the worst of them counts
        order = ["n.a.", "pass", "FAIL"]
        row[model] = max(row.get(model, "n.a."), WORDS[report.outcome], key=order.index)

    def pytest_sessionfinish(self):
        if self.file:
            pathlib.Path(self.file).write_text(json.dumps({"checks": self.checks, "cells": self.cells}))


def merge(files):
    checks, cells = [], {}
    for file in files:
        part = json.loads(pathlib.Path(file).read_text())
        checks += [c for c in part["checks"] if c not in checks]
        for witness, rows in part["cells"].items():
            for check, row in rows.items():
                cells.setdefault(witness, {}).setdefault(check, {}).update(row)
    return checks, cells


def columns(rows):
    widths = [max(len(r[c]) for r in rows) for c in range(len(rows[0]))]
    rule = "  ".join("=" * w for w in widths)
    text = ["  ".join(v.ljust(w) for v, w in zip(r, widths)).rstrip() for r in rows]
    return [rule, text[0], rule, *text[1:], rule]


def lines(checks, cells):
    out = []
    for witness, title in WITNESSES.items():
        of = cells.get(witness, {})
        rows = [[check, *(of[check].get(m, NOT_RUN) for m in MODELS)] for check in checks if check in of]
        if rows:
            out += ["", title, "~" * len(title), "", *columns([["check", *MODELS], *rows])]
    return out


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("--check", "--write"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    text = GUIDE.read_text()
    head, rest = text.split(BEGIN)
    fresh = head + BEGIN + "\n" + "\n".join(lines(*merge(sys.argv[2:]))) + "\n\n" + END + rest.split(END)[1]
    if fresh == text:
        return 0
    if sys.argv[1] == "--write":
        GUIDE.write_text(fresh)
        return 0
    print(f"table: {GUIDE.name} does not say what this run found: devtools/test --vm --write-table", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
