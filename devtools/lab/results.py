# SPDX-License-Identifier: BSD-3-Clause
"""What a run of pytest found, by witness, check and model; test/vm/table.py makes the guide's table of it."""

import json
import pathlib

import pytest

WORDS = {"passed": "pass", "failed": "FAIL", "skipped": "n.a."}
BETTER = ["n.a.", "pass", "FAIL"]  # several tests may belong to a cell: the worst of them counts


class Recorder:
    """A plugin of pytest; `place` gives (witness, model) of a test with these parameters, or None."""

    def __init__(self, config, place):
        self.file = config.getoption("--results")
        self._place = place
        self.checks = []  # in the order of the tests
        self.cells = {}  # witness -> check -> model -> word

    @classmethod
    def register(cls, config, place):
        config.addinivalue_line("markers", "check(name): the row of the table in doc/guides/howto/witnesses.rst")
        config.pluginmanager.register(cls(config, place))

    def place(self, item):
        """(witness, check, model) of a test that fills a cell."""
        mark = item.get_closest_marker("check")
        of = mark and self._place(item.callspec.params if hasattr(item, "callspec") else {})
        return of and (of[0], mark.args[0], of[1])

    def pytest_collection_modifyitems(self, items):
        for item in items:
            place = self.place(item)
            if place is not None and place[1] not in self.checks:
                self.checks.append(place[1])

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item):
        report = (yield).get_result()
        place = self.place(item)
        if place is None or not (report.when == "call" or (report.when == "setup" and report.outcome != "passed")):
            return
        witness, check, model = place
        row = self.cells.setdefault(witness, {}).setdefault(check, {})
        row[model] = max(row.get(model, "n.a."), WORDS[report.outcome], key=BETTER.index)

    def pytest_sessionfinish(self):
        if self.file:
            pathlib.Path(self.file).write_text(json.dumps({"checks": self.checks, "cells": self.cells}))


def add_option(parser):
    parser.addoption("--results", help="a file for the results, which test/vm/table.py makes the guide's table of")
