# SPDX-License-Identifier: BSD-3-Clause
"""
Second processes beside a testpmd on our ports: one that tries to sleep, dpdk-proc-info, dpdk-pdump. In a guest,
because a NIC of test/softpci lives in the memory of one process.
"""

import base64
import errno
import io
import json
import pathlib
import re
import shlex

import dpdk
import frames
import pytest
from lab import apps
from lab.bench import until
from scapy.utils import RawPcapReader

pytestmark = [pytest.mark.ours, pytest.mark.on("82599")]
# what dpdk-pdump writes files with; the primary has to know it, too
PCAP = ("-d", "/drivers/librte_net_pcap.so.23.0")
# Processes know the operations of a memory pool by number, in the order in which they loaded them. testpmd
# begins with DPAA's, for which it is linked; without them dpdk-pdump's pools would be DPAA's there.
SAME_POOLS = {"LD_PRELOAD": "librte_mempool_dpaa.so.23"}
HERE = pathlib.Path(__file__).resolve().parent


class Primary:
    """testpmd with two queues a port, asleep nowhere, and what runs beside it."""

    def __init__(self, m, driver, model):
        self.m, (self.nic, self.other) = m, m.pairs[model]
        self.pmd = m.app = dpdk.testpmd(m, driver, (self.nic, self.other), ("--rxq=2", "--txq=2", "--rss-udp"),
                                       eal=PCAP)
        for index in (0, 1):
            until(lambda i=index: self.pmd.telemetry.ask(f"/ethdev/link_status,{i}")["status"] == "UP", 20)
        self.pmd.do("set fwd io")
        self.pmd.do("start")

    def eal(self):
        return ["--no-telemetry", "-a", self.nic.bdf, "-a", self.other.bdf]

    def beside(self, program, *args):
        """The output of a program that ends by itself."""
        command = (*program, f"--file-prefix={self.pmd.prefix}", "-d", "/plugins", *self.eal(), *args)
        return self.m.guest.run(f"LD_LIBRARY_PATH=/drivers {shlex.join(command)} 2>&1", 120)

    def forwards(self, count=50):
        """It goes on as if nothing had been; the frames."""
        sent = [frames.udp(self.nic, sport=1000 + n) for n in range(count)]
        with self.nic.wire() as wire, self.other.wire() as out:
            frames.send(wire, sent)
            got = frames.collect(out, count, lambda f: f[12:14] == b"\x08\x00")
        assert sorted(got) == sorted(sent)
        return sorted(sent)


@pytest.fixture
def primary(dpdk_machine, driver, model):
    dpdk_machine.end()
    dpdk_machine.ready()
    made = Primary(dpdk_machine, driver, model)
    yield made
    dpdk_machine.end()


def test_a_secondary_that_arms_is_refused_and_the_primary_goes_on(primary):
    before = primary.nic.control("stats")
    script = (HERE / "guest/secondary.py").read_text()
    out = primary.beside(("/usr/bin/python3", "-c", script), "-l", "0")
    result = json.loads(re.search(r"^result: (.*)$", out, re.M).group(1))
    assert result["add"] < 0 and result["descriptor"] < 0
    assert result["enable"] == [-errno.ENOTSUP] * 3 and result["disable"] == -errno.ENOTSUP
    assert result["statistics"] == 0
    assert len(re.findall(r"aim: .*secondary process has no Rx interrupts", out)) == 1
    assert primary.nic.control("stats")["rx_msix"] == before["rx_msix"]
    primary.forwards()


def test_proc_info_shows_ports_and_counters(primary):
    primary.forwards()
    out = primary.beside(("dpdk-proc-info",), "--", "--xstats", "-p", "0x3")
    assert re.search(r"^rx_good_packets: 50$", out, re.M)
    assert re.search(r"^rx_q1_wakes: \d+$", out, re.M)
    out = primary.beside(("dpdk-proc-info",), "--", "--show-port", "-p", "0x3")
    assert primary.nic.mac in out.lower()
    primary.forwards()


def capture_of(guest, path):
    """Frames of a capture in the guest."""
    return [frame for frame, _ in RawPcapReader(io.BytesIO(base64.b64decode(guest.run(f"base64 {path}"))))]


def test_pdump_captures_both_directions(primary, driver):
    guest = primary.m.guest
    pdump = apps.App("dpdk-pdump", [*primary.eal(), *PCAP],
                     ["--pdump", "port=0,queue=*,rx-dev=/tmp/rx.pcap", "--pdump", "port=1,queue=*,tx-dev=/tmp/tx.pcap"],
                     place=dpdk.Place(guest, driver), prefix=primary.pmd.prefix, wrap=("stdbuf", "-oL"), env=SAME_POOLS)
    with pdump:
        pdump.wait_for(r"capture for", 60)
        sent = primary.forwards()
        # it takes what it captured from a ring, in its own time
        until(lambda: int(guest.run("stat -c %s /tmp/tx.pcap")) > 0 and sorted(capture_of(guest, "/tmp/tx.pcap")) == sent, 20)
        assert pdump.stop(60) == 0, pdump.output
    assert sorted(capture_of(guest, "/tmp/rx.pcap")) == sorted(capture_of(guest, "/tmp/tx.pcap")) == sent
    primary.forwards()
