# SPDX-License-Identifier: BSD-3-Clause
"""A testpmd with two ports on a bench: frames are sent to port 0, and what port 1 sends is kept."""

import time

from .families import FAMILIES

MODELS = FAMILIES["ixgbe"].models


def until(what, timeout=30.0):
    """Until what() is true."""
    deadline = time.monotonic() + timeout
    while not what():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


class Bench:
    """
    What tests do with it, wherever testpmd and the NICs are. A place gives `pmd`, a lab.apps.Testpmd,
    `wire`, a raw socket at port 0, nic(index), counters of the NIC of a port, and end().
    """

    pmd = None
    wire = None
    sent = 0
    wait = staticmethod(until)

    def do(self, *commands):
        """Commands of testpmd, one after the other; what the last one printed."""
        out = ""
        for command in commands:
            out = self.pmd.do(command)
        return out

    def send(self, *frames):
        for frame in frames:
            self.wire.send(bytes(frame))
        self.sent += len(frames)

    def stats(self, port=0):
        return self.pmd.telemetry.ask(f"/ethdev/stats,{port}")

    def xstats(self, port=0):
        return self.pmd.telemetry.ask(f"/ethdev/xstats,{port}")

    def nic(self, index=0):
        raise NotImplementedError

    def received(self, n):
        """Of all frames sent up to now port 0 has received n, and no more."""
        self.wait(lambda: self.nic()["rx_wire"] >= self.sent)
        self.wait(lambda: self.stats()["ipackets"] >= n)
        assert self.stats()["ipackets"] == n

    def end(self):
        """No forwarding any more; the frames that port 1 sent."""
        raise NotImplementedError
