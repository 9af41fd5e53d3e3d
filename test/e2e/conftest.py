# SPDX-License-Identifier: BSD-3-Clause
"""
The end-to-end suite runs an unmodified testpmd or l3fwd-power on software NICs; the driver under
test is a parameter, so that the stock driver witnesses for the model:
    pytest test/e2e --driver net_ixgbe_aim    (ours, the default)
    pytest test/e2e --driver net_ixgbe        (stock)
and net_enetc_aim, net_enetc on the ENETC.
"""

import os
import pathlib
import socket
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "devtools"))
from lab import apps, hosts, machine, results  # noqa: E402
from lab.bench import Bench  # noqa: E402
from lab.families import FAMILIES, family_of  # noqa: E402
from scapy.all import rdpcap  # noqa: E402

OURS = FAMILIES["ixgbe"].ours


def pytest_addoption(parser):
    parser.addoption("--driver", default=OURS, help="PCI driver under test")
    results.add_option(parser)


def pytest_configure(config):
    config.addinivalue_line("markers", "ours: what only our drivers have")
    config.addinivalue_line("markers", "every_model: on each model of NIC, not on the 82599 only")
    config.addinivalue_line("markers", "needs(feature...): see lab/families.py, which says who lacks it")
    config.addinivalue_line("markers", "once: knows no driver under test: with our ixgbe driver only")
    config.addinivalue_line("markers", "sfp: of a NIC with a module in a cage, as the 82599's is")
    driver = config.getoption("--driver")
    first = family_of(driver).models[0]
    results.Recorder.register(config, lambda params: (f"{driver} in-process", params.get("model", first)))


def pytest_generate_tests(metafunc):
    """The model of NIC that a bench has."""
    if "model" in metafunc.fixturenames:
        every = metafunc.definition.get_closest_marker("every_model")
        models = family_of(metafunc.config.getoption("--driver")).models
        metafunc.parametrize("model", models if every else models[:1])


def pytest_collection_modifyitems(config, items):
    driver = config.getoption("--driver")
    family = family_of(driver)
    lacks = family.lacks(driver)
    if driver != family.ours:
        items[:] = [i for i in items if i.get_closest_marker("ours") is None]
    if driver != OURS:
        items[:] = [i for i in items if i.get_closest_marker("once") is None]
    for item in items:
        for marker in item.iter_markers("needs"):
            for feature in marker.args:
                if feature in lacks:
                    item.add_marker(pytest.mark.skip(reason=lacks[feature]))


@pytest.fixture(scope="session")
def driver(request):
    return request.config.getoption("--driver")


@pytest.fixture(scope="session")
def family(driver):
    return family_of(driver)


@pytest.fixture(scope="session")
def memory():
    with machine.hugepages(320) as options:
        yield options


class SoftBench(Bench):
    """Port 0 at a TAP, whose frames we send, and port 1 writing a capture."""

    def __init__(self, driver, memory, folder, model, args=(), mtu=1500, program="dpdk-testpmd", **keys):
        self.out = folder / "out.pcap"
        self.tap = f"aimt{os.getpid() % 10000}"
        nics = [apps.softpci(0, nic=model, driver=driver, wire=f"tap:{self.tap}", **keys),
                apps.softpci(1, nic=model, driver=driver, wire=f"pcap:out={self.out}", **keys)]
        self.pmd = apps.Testpmd(nics, memory, args, program=program)
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

    def nic(self, index=0):
        return apps.nic_stats(self.pmd, index)

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
def bench(driver, memory, tmp_path, model):
    """A function that makes a Bench; every one is ended with the test."""
    made = []

    def make(**kwargs):
        made.append(SoftBench(driver, memory, tmp_path, model, **kwargs))
        return made[-1]

    yield make
    for b in made:
        b.__exit__()
