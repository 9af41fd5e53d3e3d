# SPDX-License-Identifier: BSD-3-Clause
"""Linux's ixgbe: rings, queues, and interrupts as the throttle says."""

import threading
import time

import pytest

import frames
import linux


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
                time.sleep(1)
            used = [q for q in port.queues(port.gained(before), "rx") if q > 0]
            assert len(used) == count
    finally:
        port.run(f"ethtool -L {{}} combined {linux.CPUS}", check=False)


@pytest.mark.check("interrupt rate")
def test_interrupts_keep_to_the_throttle(port):
    """One flow of 4000 packets a second: interrupts never above the rule, and fewer the longer it is."""
    seconds, rates = 2.0, {}
    stop = threading.Event()
    wire = port.nic.wire()
    frame = frames.udp(port.nic, 60)

    def flow():
        due = time.monotonic()
        while not stop.is_set():
            for _ in range(4):
                wire.send(frame)
            due += 0.001
            time.sleep(max(0.0, due - time.monotonic()))

    thread = threading.Thread(target=flow)
    try:
        thread.start()
        for usecs in (250, 500, 1000):
            port.run(f"ethtool -C {{}} rx-usecs {usecs}")
            # counted and timed in the guest, where the interrupts are
            out = port.run("a=$(cat /proc/uptime); grep {}-TxRx /proc/interrupts; sleep " + str(seconds)
                           + "; grep {}-TxRx /proc/interrupts; echo $a; cat /proc/uptime")
            lines = out.splitlines()
            counts = [sum(int(f) for f in line.split()[1:1 + linux.CPUS]) for line in lines[:-2]]
            half = len(counts) // 2
            busiest = max(b - a for a, b in zip(counts[:half], counts[half:]))
            rates[usecs] = busiest / (float(lines[-1].split()[0]) - float(lines[-2].split()[0]))
    finally:
        stop.set()
        thread.join()
        wire.close()
        port.run("ethtool -C {} rx-usecs 1")
    for usecs, rate in rates.items():
        assert 0 < rate <= 1.05 * 1e6 / usecs, rates
    assert rates[250] > rates[500] > rates[1000], rates
