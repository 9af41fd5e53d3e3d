# SPDX-License-Identifier: BSD-3-Clause
"""Frames on the wire: made, counted, and the queue that Toeplitz's hash chooses for them."""

import ipaddress
import logging
import select
import struct
import time

logging.getLogger("scapy").setLevel(logging.ERROR)
from scapy.layers.inet import IP, TCP, UDP  # noqa: E402
from scapy.layers.l2 import Dot1Q, Ether  # noqa: E402

TP_STATUS_VLAN_VALID = 0x10


def udp(nic, size=60, dst=None, sport=1000, vlan=None, **ip):
    """A datagram of the host to the guest, `size` bytes without CRC."""
    head = Ether(src=nic.host_mac, dst=dst or nic.mac)
    if vlan is not None:
        head /= Dot1Q(vlan=vlan)
    frame = bytes(head / IP(src=nic.host_ip, dst=nic.guest_ip, **ip) / UDP(sport=sport, dport=9))
    return bytes(head / IP(src=nic.host_ip, dst=nic.guest_ip, **ip) / UDP(sport=sport, dport=9)
                 / bytes(max(0, size - len(frame))))


def tcp(nic, sport, dport=9, **fields):
    """A segment that belongs to no connection."""
    return bytes(Ether(src=nic.host_mac, dst=nic.mac) / IP(src=nic.host_ip, dst=nic.guest_ip)
                 / TCP(sport=sport, dport=dport, flags="A", **fields) / bytes(20))


def send(wire, frames, pace=0.0):
    """All frames, `pace` s apart; the guest is slow, so now and then it gets time."""
    for n, frame in enumerate(frames):
        wire.send(frame)
        if pace:
            time.sleep(pace)
        elif n % 64 == 63:
            time.sleep(0.02)


def receive(wire):
    """A frame as it was on the wire: the kernel takes the VLAN tag out and tells it beside."""
    frame, ancillary, _, _ = wire.recvmsg(20000, 64)
    for _, _, data in ancillary:
        status, tag, ethertype = struct.unpack("=I12xHH", data[:20])
        if status & TP_STATUS_VLAN_VALID:
            return frame[:12] + struct.pack(">HH", ethertype, tag) + frame[12:]
    return frame


def collect(wire, wanted, match, timeout=10):
    """Frames from the NIC that match() takes, until there are `wanted`, or time is over."""
    got, deadline = [], time.monotonic() + timeout
    while len(got) < wanted:
        ready, _, _ = select.select([wire], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            break
        frame = receive(wire)
        if match(frame):
            got.append(frame)
    return got


def toeplitz(key, data):
    """The hash of Microsoft's RSS, as its definition has it."""
    window = int.from_bytes(key, "big")
    bits = len(key) * 8
    result = 0
    for i in range(len(data) * 8):
        if data[i // 8] & 0x80 >> i % 8:
            result ^= window >> (bits - 32 - i) & 0xFFFFFFFF
    return result


def tcp_hash(key, src, dst, sport, dport):
    return toeplitz(key, ipaddress.ip_address(src).packed + ipaddress.ip_address(dst).packed
                    + sport.to_bytes(2, "big") + dport.to_bytes(2, "big"))
