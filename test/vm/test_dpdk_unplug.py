# SPDX-License-Identifier: BSD-3-Clause
"""A NIC that goes without a word while the guest's driver runs it."""

import dpdk
import frames
import pytest
from lab.bench import until


@pytest.mark.ours  # net_ixgbe has no removal event
@pytest.mark.on("x550")
@pytest.mark.check("surprise removal")
def test_server_that_dies_is_a_surprise_removal(dpdk_machine, driver, model):
    m = dpdk_machine
    m.end()
    m.ready()
    gone, left = m.pairs[model]
    pmd = m.app = dpdk.testpmd(m, driver, (gone, left))
    try:
        pmd.do("set fwd rxonly")
        pmd.do("start")
        gone.server.kill()
        gone.server.wait()
        pmd.wait_for(r"Port 0: device removal event", 20)
        # the other one goes on
        before = pmd.telemetry.ask("/ethdev/stats,1")["ipackets"]
        with left.wire() as wire:
            frames.send(wire, [frames.udp(left, sport=n) for n in range(1, 11)])
            until(lambda: pmd.telemetry.ask("/ethdev/stats,1")["ipackets"] == before + 10, 20)
        # letting go of the dead one is for test/e2e: here the kernel waits a minute for an answer to its
        # reset, and then QEMU gives up, for it cannot tell the server to unmap memory
        assert left.bdf in pmd.do("show device info all")
        assert m.guest.alive
    finally:
        m.close()  # of no more use: the next test has another
