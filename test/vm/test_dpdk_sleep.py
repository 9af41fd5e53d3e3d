# SPDX-License-Identifier: BSD-3-Clause
"""l3fwd-power asleep in the guest: its wakes are MSI-X messages that the guest's kernel counts too."""

import re
import time

import dpdk
import frames
import pytest
from lab import apps
from lab.bench import until
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

FRAMES = 20


def kernel_count(guest, nic):
    """Messages of the NIC's queue vectors so far: vector 0 is for everything else."""
    rows = re.findall(rf"^\s*\d+:((?:\s+\d+)+)\s.*vfio-msix\[[1-9]\d*\]\({nic.bdf}\)",
                      guest.run("cat /proc/interrupts"), re.M)
    return sum(int(n) for row in rows for n in row.split())


@pytest.mark.check("Rx interrupts")
def test_every_wake_is_a_message_that_the_kernel_counted(dpdk_machine, driver, model):
    m = dpdk_machine
    m.end()
    m.ready()
    pair = m.pairs[model]
    nic = pair[0]
    app = m.run(("l3fwd-power", driver, model), lambda: apps.L3fwdPower(
        [f"--allow={n.bdf}" for n in pair], dpdk.MEMORY, 1, place=dpdk.Place(m.guest, driver)))
    until(lambda: all(app.telemetry.ask(f"/ethdev/link_status,{i}")["status"] == "UP" for i in (0, 1)), 20)

    def counts():
        own = app.telemetry.ask("/ethdev/xstats,0").get("rx_q0_wakes", 0)
        return kernel_count(m.guest, nic), nic.control("stats")["rx_msix"], own

    time.sleep(1)  # what start left behind is over
    before = counts()
    time.sleep(1)
    assert counts() == before  # nothing while nothing arrives
    frame = bytes(Ether(dst=nic.mac, src=nic.host_mac) / IP(src="1.1.1.2", dst="2.1.1.7")
                  / UDP(sport=5, dport=6) / bytes(30))
    with nic.wire() as wire, pair[1].wire() as out:
        for _ in range(FRAMES):
            frames.send(wire, [frame])
            assert len(frames.collect(out, 1, lambda f: f[12:14] == b"\x08\x00")) == 1
            time.sleep(0.02)  # it sleeps again
    time.sleep(0.5)
    kernel, model_sent, own = (b - a for a, b in zip(before, counts()))
    assert kernel == model_sent >= FRAMES
    if driver == dpdk.OURS:  # not rx_q0_sleeps: it counts the time-outs of rte_epoll_wait() too
        assert abs(own - kernel) <= 1
    m.end()
