# SPDX-License-Identifier: BSD-3-Clause
"""The guide's table of witnesses and checks, from the results of a run."""

import pathlib

import pytest

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "doc/guides/howto/witnesses.rst"
BEGIN, END = ".. results: begin", ".. results: end"
WORDS = {"passed": "pass", "failed": "FAIL", "skipped": "n.a."}


class Recorder:
    """Collects results by check and model; a whole run writes the table, or compares it."""

    def __init__(self, config):
        self.config = config
        self.results = {}  # check -> {model: word}
        self.models = []
        self.complete = True

    def pytest_deselected(self, items):
        self.complete = False

    def pytest_collection_modifyitems(self, items):
        for item in items:
            if "port" in getattr(item, "fixturenames", ()):
                model = item.callspec.params["port"]
                if model not in self.models:
                    self.models.append(model)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        mark = item.get_closest_marker("check")
        if mark is None or "port" not in item.fixturenames:
            return
        if call.when == "call" or (call.when == "setup" and report.outcome != "passed"):
            row = self.results.setdefault(mark.args[0], {})
            model = item.callspec.params["port"]
            word = WORDS[report.outcome]
            # several tests may belong to a row: the worst of them counts
            order = ["n.a.", "pass", "FAIL"]
            row[model] = max(row.get(model, "n.a."), word, key=order.index)

    def lines(self):
        rows = [["check", *self.models]]
        rows += [[check, *(row.get(m, "n.a.") for m in self.models)] for check, row in self.results.items()]
        widths = [max(len(r[c]) for r in rows) for c in range(len(rows[0]))]
        rule = "  ".join("=" * w for w in widths)
        text = ["  ".join(v.ljust(w) for v, w in zip(r, widths)).rstrip() for r in rows]
        return [rule, text[0], rule, *text[1:], rule]

    def pytest_sessionfinish(self, session):
        if not self.results or not self.complete or len(session.config.args) > 1:
            return
        text = GUIDE.read_text()
        head, rest = text.split(BEGIN)
        tail = rest.split(END)[1]
        fresh = head + BEGIN + "\n\n" + "\n".join(self.lines()) + "\n\n" + END + tail
        if session.config.getoption("--write-table"):
            GUIDE.write_text(fresh)
        elif fresh != text:
            self.stale = True
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        if getattr(self, "stale", False):
            terminalreporter.line(f"FAILED {GUIDE.name} does not say what this run found: "
                                  "devtools/test --vm --write-table")
