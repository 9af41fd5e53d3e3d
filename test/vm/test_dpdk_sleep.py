# SPDX-License-Identifier: BSD-3-Clause
"""l3fwd-power asleep in the guest: its wakes are MSI-X messages that the guest's kernel counts too."""

import time

import dpdk
import frames
import pytest
import throttle
from lab.bench import until

FRAMES = 20
EITR_1 = 0x824
EIMS = 0x880
QUEUE_VECTOR = 1 << 1  # of l3fwd-power's one queue


@pytest.mark.few
@pytest.mark.check("Rx interrupts")
def test_every_wake_is_a_message_that_the_kernel_counted(dpdk_machine, driver, model):
    m = dpdk_machine
    app = dpdk.l3fwd_power(m, driver, model)
    nic, other = m.pairs[model]

    def counts():
        own = app.telemetry.ask("/ethdev/xstats,0").get("rx_q0_wakes", 0)
        return dpdk.kernel_count(m.guest, nic), nic.control("stats")["rx_msix"], own

    time.sleep(1)  # what start left behind is over
    before = counts()
    time.sleep(1)
    assert counts() == before  # nothing while nothing arrives
    with nic.wire() as wire, other.wire() as out:
        for _ in range(FRAMES):
            until(lambda: int(m.guest.call("peek", nic.bdf, EIMS)) & QUEUE_VECTOR, 10)  # it sleeps again
            frames.send(wire, [dpdk.routed(nic)])
            assert len(frames.collect(out, 1, lambda f: f[12:14] == b"\x08\x00")) == 1
    time.sleep(0.5)
    kernel, model_sent, own = (b - a for a, b in zip(before, counts()))
    assert kernel == model_sent >= FRAMES
    if driver == dpdk.OURS:  # not rx_q0_sleeps: it counts the time-outs of rte_epoll_wait() too
        assert abs(own - kernel) <= 1


def interval_set(m, app, driver, nic, usecs):
    """EITR of port 0's queue; what it holds, in ns. The stock driver leaves it alone, and we write it."""
    units = usecs * 1000 // throttle.UNIT_NS
    if driver == dpdk.STOCK:
        m.guest.call("poke", nic.bdf, EITR_1, units << 3)
        return units * throttle.UNIT_NS
    app.telemetry.ask(f"/aim/set,0,all,aim=fixed,itr_us={usecs}")
    with nic.wire() as wire:
        frames.send(wire, [dpdk.routed(nic)])  # its next arm writes it
    time.sleep(0.2)
    held = app.telemetry.ask("/ethdev/xstats,0")["rx_q0_itr_interval_ns"]
    assert held == units * throttle.UNIT_NS
    return held


@pytest.mark.few
@pytest.mark.check("interrupt rate")
def test_messages_keep_to_the_throttle(dpdk_machine, driver, model):
    """The models share the throttle: one has the whole sweep."""
    m = dpdk_machine
    app = dpdk.l3fwd_power(m, driver, model)
    nic = m.pairs[model][0]
    for usecs in (20, 60, 500) if model == "82599" else (40,):
        held = interval_set(m, app, driver, nic, usecs)
        # l3fwd-power polls 300 times in vain before it sleeps
        throttle.check(nic, lambda: dpdk.kernel_count(m.guest, nic), dpdk.routed(nic), held, wall=0.015)
