# SPDX-License-Identifier: BSD-3-Clause
"""Queues and rings of a port: all are used, and they change while frames arrive."""

import re
import threading
import time

import pytest
from scapy.all import IP, TCP, Ether, Raw

PAIRS = 4
ARGS = (f"--rxq={PAIRS}", f"--txq={PAIRS}", "--rss-ip")


def flows(n):
    return [bytes(Ether(dst="ff:ff:ff:ff:ff:ff", src="02:00:00:00:01:00") /
                  IP(src=f"10.0.{i // 200}.{1 + i % 200}", dst="10.9.9.9", id=i) /
                  TCP(sport=1000, dport=80) / Raw(bytes(20))) for i in range(n)]


def forwarded(b):
    """What came by each queue of port 0 and left by the same one of port 1, as testpmd counted."""
    rows = re.findall(r"RX Port= ?0/Queue= ?(\d+) -> TX Port= ?1/Queue= ?(\d+).*\n\s*RX-packets: (\d+)\s+"
                      r"TX-packets: (\d+)", b.do("show fwd stats all"))
    assert all(rx == tx and came == left for rx, tx, came, left in rows)
    return [int(row[2]) for row in rows]


@pytest.mark.needs("several queues")
@pytest.mark.check("traffic on every queue")
def test_every_queue_receives_and_sends(bench):
    b = bench(args=ARGS)
    b.do("set fwd io", "start")
    sent = flows(200)
    b.send(*sent)
    b.received(200)
    b.wait(lambda: b.nic(1)["tx_frames"] == 200)
    streams = forwarded(b)
    assert len(streams) == PAIRS and min(streams) > 0 and sum(streams) == 200
    assert sorted(map(bytes, b.end())) == sorted(sent)


@pytest.mark.needs("several queues")
@pytest.mark.check("queue count")
def test_queues_can_be_more_and_fewer(bench):
    b = bench(args=("--rss-ip",))
    total = 0
    for count in (3, 1, 4):
        b.do("port stop all", f"port config all rxq {count}", f"port config all txq {count}",
             "port start all", "set fwd io", "clear fwd stats all", "start")
        b.send(*flows(100))
        total += 100
        b.wait(lambda: b.nic(1)["tx_frames"] == total)
        streams = forwarded(b) if count > 1 else [100]  # testpmd shows no streams where there is one
        assert len(streams) == count and min(streams) > 0 and sum(streams) == 100
        b.do("stop")
    b.end()


@pytest.mark.needs("ring change")
@pytest.mark.check("ring resize")
def test_rings_can_be_short_and_long(bench):
    b = bench()
    total = 0
    for rx, tx in ((64, 64), (4096, 4096), (64, 1024)):
        b.do("port stop all", f"port config all rxd {rx}", f"port config all txd {tx}",
             "port start all", "set fwd io", "start")
        for _ in range(5):  # no more at once than the shortest ring takes
            b.send(*flows(20))
            total += 20
            b.wait(lambda: b.nic(1)["tx_frames"] == total)
        b.do("stop")
    b.end()


def settled(b):
    """Nothing more comes out of port 1."""
    before = b.nic(1)["tx_frames"]
    time.sleep(0.2)
    return b.nic(1)["tx_frames"] == before


@pytest.mark.needs("reset")
@pytest.mark.check("reset under traffic")
def test_stop_start_and_reset_under_traffic(bench):
    """Frames arrive all the time; after it all, each one that is sent is forwarded."""
    b = bench()
    over = threading.Event()
    frame = flows(1)[0]

    def flood():
        while not over.wait(0.001):
            b.wire.send(frame)

    thread = threading.Thread(target=flood)
    thread.start()
    try:
        for commands in ([], ["port reset 0"], []):
            b.do("set fwd io", "start")
            before = b.nic(1)["tx_frames"]
            b.wait(lambda: b.nic(1)["tx_frames"] > before + 10)
            b.do("stop", "port stop 0", *commands, "port start 0")
    finally:
        over.set()
        thread.join()
    b.do("set fwd io", "start")
    b.wait(lambda: settled(b))
    before = b.nic(1)["tx_frames"]
    b.send(*flows(50))
    b.wait(lambda: b.nic(1)["tx_frames"] == before + 50)
    b.end()
