# SPDX-License-Identifier: BSD-3-Clause
"""Linux's ixgbe: rings, queues, and the throttle."""

import time

import pytest
from scapy.layers.l2 import Ether

import frames
import linux
import throttle


@pytest.mark.turns
@pytest.mark.check("ring resize")
@pytest.mark.parametrize("rx, tx", [(64, 64), (4096, 4096), (8192, 128), (512, 512)])
def test_ring_resize(port, rx, tx):
    port.run(f"ethtool -G {{}} rx {rx} tx {tx}")
    port.link_up()
    port.ping(count=2)


@pytest.mark.check("queue count")
def test_queue_count(port):
    try:
        port.run("ethtool -X {} default")
        for count in [1, 3, 2, linux.CPUS]:
            port.run(f"ethtool -L {{}} combined {count}")
            port.link_up()
            assert len(port.queues(port.stats(), "rx")) >= count
            before = port.stats()
            with port.nic.wire() as wire:
                frames.send(wire, [frames.tcp(port.nic, s) for s in range(3000, 3100)])
                time.sleep(0.4)
            used = [q for q in port.queues(port.gained(before), "rx") if q > 0]
            assert len(used) == count
    finally:
        port.run(f"ethtool -L {{}} combined {linux.CPUS}", check=False)


@pytest.mark.check("interrupt rate")
def test_messages_keep_to_the_throttle(port):
    """The models share the throttle: one has the whole sweep."""
    stray = bytes(Ether(dst=port.nic.mac, src=port.nic.host_mac, type=0x88B5) / bytes(50))  # no answer
    try:
        for usecs in (10, 50, 250, 1000) if port.nic.model == "82599" else (50,):
            port.run(f"ethtool -C {{}} rx-usecs {usecs}")
            held = usecs * 4 // 8 * throttle.UNIT_NS  # units of 2 us, as the driver takes it
            throttle.check(port.nic, lambda: sum(port.interrupts()), stray, held, wall=0.006)
    finally:
        port.run("ethtool -C {} rx-usecs 1")
