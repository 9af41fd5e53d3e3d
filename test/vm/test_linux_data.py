# SPDX-License-Identifier: BSD-3-Clause
"""Linux's ixgbe: frames in both directions, and what the NIC does to them on the way."""

import random
import re
import sys
import threading
import time

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

import frames
import linux

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parent / "guest"))
from traffic import exchange  # noqa: E402


def from_guest(nic, vlan=None):
    """Takes the guest's datagrams for port 9, with this tag or without one."""
    mac = bytes.fromhex(nic.mac.replace(":", ""))
    tag = b"" if vlan is None else b"\x81\x00" + vlan.to_bytes(2, "big")

    def match(frame):
        rest = frame[12 + len(tag):]
        return (frame[6:12] == mac and frame[12:12 + len(tag)] == tag and rest[:2] == b"\x08\x00"
                and rest[11] == 17 and rest[24:26] == b"\x00\x09")

    return match


@pytest.fixture
def wire(port):
    with port.nic.wire() as w:
        yield w


def arrived(port, before, wanted):
    """The driver's packets reach `wanted` and stay there."""
    for _ in range(40):
        gained = port.gained(before, 0.1)
        if gained["rx_packets"] >= wanted:
            break
    gained = port.gained(before, 0.2)
    assert gained["rx_packets"] == wanted
    return gained


@pytest.mark.few
@pytest.mark.check("traffic on every queue")
def test_every_queue_receives_and_sends(port, wire):
    before = port.stats()
    frames.send(wire, [frames.tcp(port.nic, sport) for sport in range(1000, 1400)])
    assert min(port.queues(arrived(port, before, 400), "rx")) > 0
    before = port.stats()
    for cpu in range(linux.CPUS):  # the driver gives each CPU a queue to send on
        port.guest.call("send", port.nic.host_ip, 50, 100, cpu)
    assert len(frames.collect(wire, 200, from_guest(port.nic))) == 200
    assert min(port.queues(port.gained(before), "tx")) >= 50


@pytest.mark.check("RSS spread")
def test_rss_chooses_the_queue_of_the_hash(port, wire):
    out = port.run("ethtool -x {}")
    key = bytes.fromhex(re.search(r"^((?:[0-9a-f]{2}:)+[0-9a-f]{2})$", out, re.M).group(1).replace(":", ""))
    table = [int(q) for row in re.findall(r"^\s+\d+:(.*)$", out, re.M) for q in row.split()]
    sports = random.Random(port.nic.slot).sample(range(1024, 65000), 300)
    expected = [0] * linux.CPUS
    for sport in sports:
        # src and dst as the receiver sees them
        value = frames.tcp_hash(key, port.nic.host_ip, port.nic.guest_ip, sport, 9)
        expected[table[value % len(table)]] += 1
    before = port.stats()
    frames.send(wire, [frames.tcp(port.nic, s) for s in sports])
    assert port.queues(arrived(port, before, 300), "rx") == expected


@pytest.mark.check("VLAN insert and strip")
@pytest.mark.parametrize("by_nic", [True, False])
def test_vlan(port, wire, by_nic):
    """With the offloads on the NIC handles the tag, with them off the kernel."""
    tagged = from_guest(port.nic, vlan=7)
    port.offload("rxvlan", by_nic)
    port.offload("txvlan", by_nic)
    try:
        port.run("ip link add link {} name {}.7 type vlan id 7 && ip addr add 10.7.0.1/24 dev {}.7 && "
                 "ip link set {}.7 up && "
                 f"ip neigh replace 10.7.0.2 lladdr {port.nic.host_mac} dev {{}}.7")
        port.link_up()
        frames.send(wire, [frames.udp(port.nic, 80, vlan=7, sport=s) for s in range(10, 20)])
        port.guest.until(f"[ $(cat /sys/class/net/{port.name}.7/statistics/rx_packets) = 10 ]")
        port.guest.call("send", "10.7.0.2", 10, 80)
        assert len(frames.collect(wire, 10, tagged)) == 10
    finally:
        port.run("ip link del {}.7", check=False)
        port.offload("rxvlan", True)
        port.offload("txvlan", True)


@pytest.mark.check("VLAN filter")
def test_vlan_filter(port, wire):
    strange = [frames.udp(port.nic, vlan=9, sport=s) for s in range(100, 120)]
    port.offload("rx-vlan-filter", True)
    port.link_up()
    before = port.stats()
    frames.send(wire, strange + [frames.udp(port.nic)])
    arrived(port, before, 1)
    port.offload("rx-vlan-filter", False)
    try:
        port.link_up()
        before = port.stats()
        frames.send(wire, strange)
        arrived(port, before, 20)
    finally:
        port.offload("rx-vlan-filter", True)


@pytest.mark.check("Rx checksum")
def test_rx_checksum(port, wire):
    before = port.stats()
    good = [frames.tcp(port.nic, s) for s in range(2000, 2030)]
    bad_tcp = [frames.tcp(port.nic, s, chksum=0x1234) for s in range(2100, 2110)]
    bad_ip = [frames.udp(port.nic, 100, sport=s, chksum=0x1234) for s in range(2200, 2205)]
    frames.send(wire, good + bad_tcp + bad_ip)
    gained = arrived(port, before, 45)
    assert gained["rx_csum_offload_errors"] == 15


@pytest.mark.check("Tx checksum")
@pytest.mark.parametrize("by_nic", [True, False])
def test_tx_checksum(port, wire, by_nic):
    port.offload("tx", by_nic)
    try:
        port.link_up()
        port.guest.call("send", port.nic.host_ip, 20, 204)
        sent = frames.collect(wire, 20, from_guest(port.nic))
        assert len(sent) == 20
        for frame in sent:
            packet = Ether(frame)
            ip, udp = packet[IP].chksum, packet[UDP].chksum
            del packet[IP].chksum, packet[UDP].chksum
            again = Ether(bytes(packet))
            assert (ip, udp) == (again[IP].chksum, again[UDP].chksum)
    finally:
        port.offload("tx", True)


def transfer(port, length):
    """TCP in both directions at once, compared by content."""
    tcp_port = 5000 + port.nic.slot
    served = port.guest.start_call("serve", tcp_port, length)
    port.guest.until(f"ss -Hltn sport = :{tcp_port} | grep -q .")
    with port.nic.host.socket() as s:
        s.settimeout(60)
        s.connect((port.nic.guest_ip, tcp_port))
        exchange(s, length, 2, 1)
    port.guest.wait(served)


@pytest.mark.few
@pytest.mark.check("TCP by content")
def test_tcp_both_ways(port):
    transfer(port, 8 << 20)
    assert "Tx Unit Hang" not in port.run("dmesg")


@pytest.mark.check("TSO")
@pytest.mark.parametrize("by_nic", [True, False])
def test_tso(port, wire, by_nic):
    """Whoever cuts the segments, none is longer than a frame and the bytes are right."""
    port.offload("tso", by_nic)
    longest = []

    def watch():
        mac = bytes.fromhex(port.nic.mac.replace(":", ""))
        sent = frames.collect(wire, 500, lambda f: f[6:12] == mac, timeout=30)
        longest.append(max(len(f) for f in sent))

    try:
        watcher = threading.Thread(target=watch)
        watcher.start()
        transfer(port, 2 << 20)
        watcher.join()
        assert longest == [1514]
    finally:
        port.offload("tso", True)


@pytest.mark.check("jumbo frames")
def test_jumbo(port):
    port.run("ip link set {} mtu 9000")
    port.link_up()
    port.ping(8972)
    port.ping(4000)


@pytest.mark.check("promiscuous")
def test_promiscuous(port, wire):
    foreign = [frames.udp(port.nic, dst="02:00:00:00:99:99", sport=s) for s in range(100, 110)]
    before = port.stats()
    frames.send(wire, foreign + [frames.udp(port.nic)])
    arrived(port, before, 1)
    port.run("ip link set {} promisc on")
    before = port.stats()
    frames.send(wire, foreign)
    arrived(port, before, 10)


@pytest.mark.check("multicast")
def test_multicast(port, wire):
    def group(last):
        return [frames.udp(port.nic, dst=f"01:00:5e:00:01:{last:02x}", sport=s) for s in range(100, 110)]

    port.run("ip maddr add 01:00:5e:00:01:05 dev {}")
    try:
        before = port.stats()
        frames.send(wire, group(5) + group(6))
        gained = arrived(port, before, 10)
        assert gained["multicast"] == 10
        port.run("ip link set {} allmulticast on")
        before = port.stats()
        frames.send(wire, group(5) + group(6))
        arrived(port, before, 20)
    finally:
        port.run("ip maddr del 01:00:5e:00:01:05 dev {}")


@pytest.mark.check("MAC change")
def test_mac_change(port, wire):
    port.run("ip link set {} address 02:00:00:00:77:01")
    try:
        port.link_up()
        before = port.stats()
        frames.send(wire, [frames.udp(port.nic, dst="02:00:00:00:77:01", sport=s) for s in range(10, 20)])
        frames.send(wire, [frames.udp(port.nic, sport=s) for s in range(10, 30)])  # to the old one
        arrived(port, before, 10)
    finally:
        port.run(f"ip link set {{}} address {port.nic.mac}")


@pytest.mark.check("statistics")
def test_statistics(port, wire):
    start = port.stats()
    sizes = [60, 64, 65, 127, 128, 255, 256, 511, 512, 1023, 1024, 1514] * 5
    frames.send(wire, [frames.udp(port.nic, n, sport=s) for s, n in enumerate(sizes, 100)])
    frames.send(wire, [frames.udp(port.nic, 100, dst="ff:ff:ff:ff:ff:ff")] * 7)
    rx = arrived(port, start, 67)
    assert rx["rx_bytes"] == sum(sizes) + 700
    port.guest.call("send", port.nic.host_ip, 40, 400)
    sent = frames.collect(wire, 40, from_guest(port.nic))
    assert len(sent) == 40
    all_of_it = port.gained(start, 0.3)
    assert all_of_it["rx_packets"] == all_of_it["rx_pkts_nic"] == 67
    assert all_of_it["rx_bytes_nic"] == sum(sizes) + 700 + 4 * 67  # with the CRC
    assert all_of_it["broadcast"] == 7
    assert all_of_it["tx_packets"] == all_of_it["tx_pkts_nic"] >= 40
    assert all_of_it["tx_bytes_nic"] == all_of_it["tx_bytes"] + 4 * all_of_it["tx_packets"]
    assert {k: v for k, v in all_of_it.items() if v and re.search("error|missed|dropped", k)} == {}
