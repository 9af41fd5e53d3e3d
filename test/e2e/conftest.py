# SPDX-License-Identifier: BSD-3-Clause
"""
The end-to-end suite runs an unmodified testpmd or l3fwd-power on software NICs; the driver under
test is a parameter, so that the stock driver witnesses for the model:
    pytest test/e2e --driver net_ixgbe_aim    (ours, the default)
    pytest test/e2e --driver net_ixgbe        (stock)
"""

import os
import pathlib
import socket
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "devtools"))
from lab import apps, hosts, machine  # noqa: E402
from scapy.all import rdpcap  # noqa: E402

OURS = "net_ixgbe_aim"
NICS = ["82599", "82599-kx4", "x540", "x550"]


def pytest_addoption(parser):
    parser.addoption("--driver", default=OURS, help="PCI driver under test")


def pytest_configure(config):
    config.addinivalue_line("markers", "ours: what only our drivers have")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--driver") == OURS:
        return
    items[:] = [i for i in items if i.get_closest_marker("ours") is None]


@pytest.fixture(scope="session")
def driver(request):
    return request.config.getoption("--driver")


@pytest.fixture(scope="session")
def memory():
    with machine.hugepages(320) as options:
        yield options


def until(what, timeout=5.0):
    """Until what() is true."""
    deadline = time.monotonic() + timeout
    while not what():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


class Bench:
    """testpmd with port 0 at a TAP, whose frames we send, and port 1 writing a capture."""

    def __init__(self, driver, memory, folder, nic="82599", args=(), mtu=1500, **keys):
        self.out = folder / "out.pcap"
        self.sent = 0
        self.tap = f"aimt{os.getpid() % 10000}"
        nics = [apps.softpci(0, nic=nic, driver=driver, wire=f"tap:{self.tap}", **keys),
                apps.softpci(1, nic=nic, driver=driver, wire=f"pcap:out={self.out}", **keys)]
        self.pmd = apps.Testpmd(nics, memory, args)
        try:
            quiet = f"/proc/sys/net/ipv6/conf/{self.tap}/disable_ipv6"
            if os.path.exists(quiet):
                pathlib.Path(quiet).write_text("1")
            hosts.run("ip", "link", "set", self.tap, "mtu", str(mtu), "up")
            self.wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
            self.wire.bind((self.tap, 0))
        except BaseException:
            self.pmd.__exit__()
            raise

    def do(self, *commands):
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
        return apps.nic_stats(self.pmd, index)

    wait = staticmethod(until)

    def received(self, n):
        """Of all frames sent up to now port 0 has received n, and no more."""
        self.wait(lambda: self.nic()["rx_wire"] >= self.sent)
        self.wait(lambda: self.stats()["ipackets"] >= n)
        assert self.stats()["ipackets"] == n

    def end(self):
        """Stop and quit; the frames that port 1 sent."""
        assert self.pmd.quit() == 0, self.pmd.output[-2000:]
        return list(rdpcap(str(self.out))) if self.out.exists() and self.out.stat().st_size > 24 else []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.wire.close()
        self.pmd.__exit__()


@pytest.fixture
def bench(driver, memory, tmp_path):
    """A function that makes a Bench; every one is ended with the test."""
    made = []

    def make(**kwargs):
        made.append(Bench(driver, memory, tmp_path, **kwargs))
        return made[-1]

    yield make
    for b in made:
        b.__exit__()
