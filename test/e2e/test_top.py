# SPDX-License-Identifier: BSD-3-Clause
"""aim-top beside an application that sleeps."""

import json
import os
import pty
import select
import subprocess
import time

import pytest
from lab import apps, machine
from lab.bench import until

pytestmark = pytest.mark.ours
TOP = machine.BUILD / "app" / "aim-top" / "aim-top"


@pytest.fixture
def app(driver, memory):
    nics = [apps.softpci(i, driver=driver, aim="off", wire="gen:pps=2000;size=64;count=0;flows=64") for i in range(2)]
    with apps.App(str(machine.BUILD / "examples/rx-intr/rx-intr"), ["-l", "0", *memory, *nics], (),
                  (machine.PLUGINS,)) as app:
        until(lambda: apps.nic_stats(app, 0)["tx_frames"] > 100)
        for queue in ("0,0", "0,1", "1,0", "1,1"):
            until(lambda: app.telemetry.ask(f"/aim/queue,{queue}")["wakes"] > 0)  # pylint: disable=cell-var-from-loop
        yield app
        assert app.stop() == 0


def once(app):
    done = subprocess.run([TOP, "--file-prefix", app.prefix, "--once", "--json"], text=True, capture_output=True,
                          check=True)
    return json.loads(done.stdout)


def test_once_gives_every_queue_as_telemetry_does(app):
    rows = once(app)
    assert [(r["port"], r["queue"]) for r in rows] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    for row in rows:
        now = app.telemetry.ask(f"/aim/queue,{row['port']},{row['queue']}")
        assert row.keys() - {"port", "queue"} == now.keys()
        assert row["aim"] == "off" and 0 < row["wakes"] <= now["wakes"]


class Terminal:
    """aim-top in a terminal of 140 columns."""

    def __init__(self, app):
        self.text = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", COLUMNS="140", LINES="24")
            os.execv(TOP, [str(TOP), "--file-prefix", app.prefix, "--interval", "200"])

    def until(self, what, timeout=10):
        deadline = time.monotonic() + timeout
        while not what():
            assert time.monotonic() < deadline, self.text[-2000:]
            if select.select([self.fd], [], [], 0.1)[0]:
                self.text += os.read(self.fd, 65536).decode(errors="replace")

    def key(self, key):
        os.write(self.fd, key)

    def end(self):
        """Its exit status, what it still draws read away."""
        try:
            while os.read(self.fd, 65536):
                pass
        except OSError:
            pass
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_the_view_shows_queues_and_changes_a_policy(app):
    top = Terminal(app)
    top.until(lambda: "packets/s" in top.text and "4 queues" in top.text and "off" in top.text)
    before = once(app)
    top.key(b"p")
    top.until(lambda: "takes it at its next sleep" in top.text)
    until(lambda: once(app)[0]["aim"] != before[0]["aim"])
    assert [r["aim"] for r in once(app)[1:]] == ["off"] * 3
    top.key(b"s")
    top.until(lambda: "wakes   up/down" in top.text or "by wakes" in top.text or top.text.count("wakes") > 2)
    top.key(b"q")
    assert top.end() == 0


@pytest.mark.parametrize("args, status", [(["--file-prefix", "nobody"], 1), (["--once"], 2), (["--interval", "5"], 2),
                                          (["x"], 2), (["--bogus"], 2)])
def test_bad_input_is_one_line_or_the_usage(args, status):
    done = subprocess.run([TOP, *args], text=True, capture_output=True, check=False)
    assert done.returncode == status and done.stderr and not done.stdout
