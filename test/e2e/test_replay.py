# SPDX-License-Identifier: BSD-3-Clause
"""devtools/demo --pcap: a capture through two ports of l3fwd-power, every frame accounted for."""

import re

import pytest
from lab import replay
from scapy.all import ARP, IP, TCP, UDP, Ether, Raw, wrpcap

pytestmark = [pytest.mark.ours, pytest.mark.once]


def ether():
    return Ether(dst="02:00:00:00:00:01", src="02:00:00:00:01:00")


def capture(path):
    """3000 frames of six kinds; how many l3fwd-power sends out of port 0 and of port 1."""
    to_0 = ether() / IP(src="2.1.1.2", dst="1.1.1.7") / TCP(sport=5, dport=6) / Raw(bytes(10))
    to_1 = ether() / IP(src="1.1.1.2", dst="2.1.1.7") / UDP(sport=5, dport=6) / Raw(bytes(100))
    longest = ether() / IP(src="1.1.1.2", dst="2.1.1.8") / UDP(sport=5, dport=6) / Raw(bytes(1514 - 42))
    bad_ttl = ether() / IP(src="1.1.1.2", dst="2.1.1.9", ttl=0) / UDP(sport=5, dport=6) / Raw(bytes(30))
    arp = ether() / ARP(pdst="1.1.1.1")
    bad_header = ether() / IP(src="1.1.1.2", dst="2.1.1.9", ihl=4, len=16) / Raw(bytes(30))
    assert len(longest) == 1514
    wrpcap(str(path), [to_0, to_1, longest, bad_ttl, arp, bad_header] * 500)
    return 500, 1500  # l3fwd-power lowers a TTL without a look at it


def test_a_replayed_capture_is_accounted_for_frame_by_frame(tmp_path, capsys):
    path = tmp_path / "mixed.pcap"
    sent = capture(path)
    assert replay.run(str(path)) == 0
    out = capsys.readouterr().out
    print(out)
    assert "every frame is accounted for" in out
    for row in (r"frames in the capture +3000", r"received by port 0 +3000", r"dropped by the NIC +0",
                rf"sent by port 0, port 1 +{sent[0]}, {sent[1]}",
                rf"written to port0.pcap, port1.pcap +{sent[0]}, {sent[1]}",
                r"freed by l3fwd-power .* +1000"):
        assert re.search(rf"^{row}$", out, re.M)


def test_a_missing_capture_is_an_error_that_names_it(tmp_path):
    with pytest.raises(RuntimeError, match="nonesuch.pcap': no such capture"):
        replay.run(str(tmp_path / "nonesuch.pcap"))
