# SPDX-License-Identifier: BSD-3-Clause
"""What the hardware computes: packet types, checksums, VLAN tags, RSS, TSO."""

import re

import pytest
from scapy.all import IP, SCTP, TCP, UDP, Dot1Q, Ether, IPv6, Raw, SCTPChunkData, raw

BROADCAST = "ff:ff:ff:ff:ff:ff"


def ether():
    return Ether(dst=BROADCAST, src="02:00:00:00:01:00")


def rx_report(b, *frames):
    """What rxonly prints for each frame."""
    def printed():
        return re.findall(r"src=.*?(?=\n\s*src=|\Z)", "\n".join(b.pmd.lines[start:]), re.S)

    b.do("set fwd rxonly", "set verbose 1", "start")
    start = len(b.pmd.lines)
    b.send(*frames)
    # not until they are counted: hardware counts a frame before testpmd has it
    b.wait(lambda: len(printed()) >= len(frames))
    b.do("stop")
    assert len(printed()) == len(frames)
    return printed()


def corrupt(frame, layer):
    """The frame with a wrong checksum in the layer."""
    f = frame.copy()
    f[layer].chksum = 0x1234
    return f


def test_packet_types_are_told(bench):
    b = bench()
    reports = rx_report(b, ether() / IP() / TCP() / Raw(b"x" * 20), ether() / IP() / UDP() / Raw(b"x" * 20),
                        ether() / IPv6() / TCP() / Raw(b"x" * 20), ether() / IPv6() / UDP() / Raw(b"x" * 20))
    for report, l3, l4 in zip(reports, ["IPV4", "IPV4", "IPV6", "IPV6"], ["TCP", "UDP", "TCP", "UDP"]):
        assert f"hw ptype: L2_ETHER L3_{l3} L4_{l4}" in report
    b.end()


@pytest.mark.check("Rx checksum")
def test_bad_checksums_are_flagged_and_good_ones_too(bench):
    b = bench(args=("--enable-rx-cksum",))
    tcp = Ether(raw(ether() / IP() / TCP() / Raw(b"x" * 30)))
    udp = Ether(raw(ether() / IP() / UDP() / Raw(b"x" * 30)))
    reports = rx_report(b, tcp, corrupt(tcp, TCP), corrupt(tcp, IP), udp)
    assert "RX_IP_CKSUM_GOOD" in reports[0] and "RX_L4_CKSUM_GOOD" in reports[0]
    assert "RX_L4_CKSUM_BAD" in reports[1] and "RX_IP_CKSUM_GOOD" in reports[1]
    assert "RX_IP_CKSUM_BAD" in reports[2]
    assert "RX_L4_CKSUM_GOOD" in reports[3]
    b.end()


@pytest.mark.needs("VLAN")
@pytest.mark.check("VLAN insert and strip")
def test_vlan_strip_moves_the_tag_into_the_mbuf(bench):
    b = bench()
    b.do("vlan set strip on 0")
    report = rx_report(b, ether() / Dot1Q(vlan=321, prio=3) / IP() / UDP() / Raw(b"x" * 30))[0]
    assert "RX_VLAN_STRIPPED" in report and f"VLAN tci=0x{3 << 13 | 321:x}" in report
    b.do("vlan set strip off 0")
    report = rx_report(b, ether() / Dot1Q(vlan=321) / IP() / UDP() / Raw(b"x" * 30))[0]
    assert "RX_VLAN_STRIPPED" not in report
    b.end()


@pytest.mark.needs("VLAN")
@pytest.mark.check("VLAN insert and strip")
def test_vlan_insert_adds_the_tag(bench):
    b = bench()
    b.do("port stop 1", "tx_vlan set 1 77", "port start 1", "set fwd mac", "start")
    b.send(*[ether() / IP() / UDP() / Raw(b"x" * 40)] * 3)
    b.wait(lambda: b.nic(1)["tx_frames"] == 3)
    out = b.end()
    assert len(out) == 3
    for frame in out:
        assert frame[Dot1Q].vlan == 77 and frame[UDP].len == 48


@pytest.mark.needs("Tx checksum")
@pytest.mark.parametrize("l4", [TCP, UDP])
@pytest.mark.check("Tx checksum")
def test_tx_checksums_are_inserted(bench, l4):
    b = bench()
    name = "tcp" if l4 is TCP else "udp"
    b.do("port stop all", "csum set ip hw 1", f"csum set {name} hw 1", "port start all",
         "set fwd csum", "start")
    sent = [Ether(raw(ether() / IP(dst="10.1.2.3") / l4(sport=5, dport=6) / Raw(b"payload" * n)))
            for n in (1, 3, 50, 200)]
    sent += [Ether(raw(ether() / IPv6(dst="fc00::1") / l4(sport=5, dport=6) / Raw(b"odd" * n)))
             for n in (1, 7, 333)]
    b.send(*sent)
    b.wait(lambda: b.nic(1)["tx_frames"] == len(sent))
    out = b.end()
    assert len(out) == len(sent)
    for frame, original in zip(out, sent):
        again = frame.copy()
        if IP in again:
            del again[IP].chksum
        del again[l4].chksum
        assert raw(Ether(raw(again))) == raw(frame)
        assert frame[Raw].load == original[Raw].load  # short ones are padded behind it


@pytest.mark.needs("TSO")
@pytest.mark.check("TSO")
def test_tso_cuts_a_long_segment(bench):
    b = bench(mtu=9500, args=("--max-pkt-len=9018",))
    b.do("port stop all", "csum set ip hw 1", "csum set tcp hw 1", "tso set 1000 1",
         "port start all", "set fwd csum", "start")
    payload = bytes(i * 7 & 0xFF for i in range(4500))
    b.send(Ether(raw(ether() / IP(dst="10.1.2.3", id=100) / TCP(sport=5, dport=6, seq=5000, flags="PA") /
                     Raw(payload))))
    b.wait(lambda: b.nic(1)["tx_frames"] == 5)
    out = b.end()
    assert [len(f[TCP].payload) for f in out] == [1000, 1000, 1000, 1000, 500]
    assert b"".join(bytes(f[TCP].payload) for f in out) == payload
    assert [f[TCP].seq for f in out] == [5000, 6000, 7000, 8000, 9000]
    assert [f[IP].id for f in out] == [100, 101, 102, 103, 104]
    assert [str(f[TCP].flags) for f in out] == ["A", "A", "A", "A", "PA"]
    for frame in out:
        again = frame.copy()
        del again[IP].chksum, again[TCP].chksum
        assert raw(Ether(raw(again))) == raw(frame)


KEY = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")


def toeplitz(key, data):
    """The RSS hash as Microsoft defines it."""
    k, n, h = int.from_bytes(key, "big"), len(key) * 8, 0
    for i in range(len(data) * 8):
        if data[i // 8] >> (7 - i % 8) & 1:
            h ^= k >> (n - 32 - i) & 0xFFFFFFFF
    return h


def flow(i):
    return ether() / IP(src=f"10.0.{i // 200}.{1 + i % 200}", dst="10.9.9.9") / TCP(sport=1000 + i, dport=80) / \
        Raw(b"x" * 20)


@pytest.mark.needs("several queues")
@pytest.mark.check("RSS spread")
def test_rss_hash_is_toeplitz_and_spreads(bench):
    b = bench(args=("--rxq=4", "--txq=4", "--rss-ip"))
    b.do("port config all rss tcp", f"port config 0 rss-hash-key ipv4-tcp {KEY.hex()}")
    frames = [flow(i) for i in range(128)]
    reports = rx_report(b, *frames)
    queues = set()
    by_sport = {}
    for report in reports:
        queues.add(int(re.search(r"Receive queue=0x([0-9a-f]+)", report).group(1), 16))
        by_sport[len(by_sport)] = int(re.search(r"RSS hash=0x([0-9a-f]+)", report).group(1), 16)
    import socket
    expected = {toeplitz(KEY, socket.inet_aton(f[IP].src) + socket.inet_aton(f[IP].dst) +
                         f[TCP].sport.to_bytes(2, "big") + f[TCP].dport.to_bytes(2, "big")) for f in frames}
    assert set(by_sport.values()) == expected
    assert queues == {0, 1, 2, 3}
    b.end()


@pytest.mark.needs("several queues")
def test_redirection_table_sends_all_to_one_queue(bench):
    b = bench(args=("--rxq=4", "--txq=4", "--rss-ip"))
    size = int(re.search(r"Redirection table size: (\d+)", b.do("show port info 0")).group(1))
    for start in range(0, size, 8):  # a word of testpmd's commands holds 127 characters
        b.do("port config 0 rss reta " + ",".join(f"({i},2)" for i in range(start, start + 8)))
    reports = rx_report(b, *[flow(i) for i in range(64)])
    assert {re.search(r"Receive queue=0x([0-9a-f]+)", r).group(1) for r in reports} == {"2"}
    b.end()


@pytest.mark.needs("VLAN")
def test_strip_can_be_set_for_one_queue(bench):
    b = bench()
    b.do("vlan set stripq on 0,0")
    report = rx_report(b, ether() / Dot1Q(vlan=9) / IP() / UDP() / Raw(b"x" * 30))[0]
    assert "RX_VLAN_STRIPPED" in report and "VLAN tci=0x9" in report
    b.end()


@pytest.mark.needs("VLAN", "tag protocol")
def test_another_tag_protocol_can_be_set(bench):
    b = bench()
    b.do("vlan set outer tpid 0x88a8 0", "vlan set strip on 0")  # with one tag, that is the outer one
    tagged = ether() / Dot1Q(vlan=5) / IP() / UDP() / Raw(b"x" * 30)
    other = bytearray(raw(tagged))
    other[12:14] = b"\x88\xa8"
    reports = rx_report(b, tagged, other)
    assert "RX_VLAN_STRIPPED" not in reports[0] and "RX_VLAN_STRIPPED" in reports[1]
    b.end()


@pytest.mark.needs("Tx checksum")
def test_sctp_checksum_is_inserted(bench):
    b = bench()
    b.do("port stop all", "csum set ip hw 1", "csum set sctp hw 1", "port start all", "set fwd csum", "start")
    good = Ether(raw(ether() / IP(dst="10.1.2.3") / SCTP(sport=5, dport=6) / SCTPChunkData(data=b"y" * 40)))
    b.send(corrupt(good, SCTP))
    b.wait(lambda: b.nic(1)["tx_frames"] == 1)
    assert b.end()[0][SCTP].chksum == good[SCTP].chksum


def test_a_frame_with_its_crc_kept_is_forwarded_without_it(bench):
    b = bench(args=("--disable-crc-strip",))
    b.do("set fwd io", "start")
    sent = [ether() / IP() / UDP() / Raw(b"x" * n) for n in (30, 1000)]
    b.send(*sent)
    b.wait(lambda: b.nic(1)["tx_frames"] == 2)
    assert b.nic(0)["rx_bytes"] == sum(len(f) + 4 for f in sent)
    assert [raw(f) for f in b.end()] == [raw(f) for f in sent]
