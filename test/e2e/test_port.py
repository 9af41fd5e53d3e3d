# SPDX-License-Identifier: BSD-3-Clause
"""Port life, link, statistics, filters: stock testpmd on a software NIC."""

import re

import pytest
from scapy.all import IP, UDP, Dot1Q, Ether, Raw

UNKNOWN = "02:aa:aa:aa:aa:aa"


# A frame that fills several buffers is sent as it is: for that a port must be configured.
MULTI_SEGMENT = "--tx-offloads=0x8000"


def frames(n, dst="ff:ff:ff:ff:ff:ff", size=60):
    return [Ether(dst=dst, src="02:00:00:00:01:00") / IP(src="10.0.0.1", dst="10.0.0.2", id=i) /
            UDP(sport=1000 + i % 64, dport=9) / Raw(bytes(max(0, size - 42))) for i in range(n)]


@pytest.mark.every_model
@pytest.mark.check("probe")
def test_probe_shows_driver_link_and_address(bench, driver, family):
    b = bench()
    info = b.do("show port info 0")
    assert f"Driver name: {driver}" in info
    assert re.search(r"Link status: up", info)
    assert f"Link speed: {family.mbps // 1000} Gbps" in info
    assert re.search(r"MAC address: (?!00:00:00:00:00:00)", info)
    b.end()


@pytest.mark.every_model
@pytest.mark.check("statistics")
def test_every_frame_is_forwarded_unchanged(bench):
    b = bench()
    b.do("set fwd io", "start")
    sent = [f for size in (60, 61, 127, 128, 512, 1400, 1514) for f in frames(40, size=size)]
    b.send(*sent)
    b.received(len(sent))
    b.wait(lambda: b.stats(1)["opackets"] == len(sent))
    b.do("stop")
    assert [bytes(f) for f in b.end()] == [bytes(f) for f in sent]


def bins(x, direction):
    """Frames by size: up to so many bytes with FCS. The last bins differ between families."""
    names = {"64": 64, "65_to_127": 127, "128_to_255": 255, "256_to_511": 511, "512_to_1023": 1023}
    sizes = {limit: x[f"{direction}_size_{name}_packets"] for name, limit in names.items()}
    sizes["more"] = sum(v for k, v in x.items() if re.match(f"{direction}_size_1(024|523)_to_.*", k))
    return sizes


@pytest.mark.every_model
@pytest.mark.needs("counters")
@pytest.mark.check("statistics")
def test_every_frame_is_counted(bench):
    b = bench()
    b.do("set fwd io", "start")
    sent = [f for size in (60, 61, 127, 128, 512, 1400, 1514) for f in frames(40, size=size)]
    b.send(*sent)
    b.received(len(sent))
    b.wait(lambda: b.stats(1)["opackets"] == len(sent))
    stats, x = b.stats(), b.xstats()
    length = sum(len(bytes(f)) for f in sent)
    assert stats["imissed"] == 0 and stats["ierrors"] == 0
    assert stats["ibytes"] in (length, length + 4 * len(sent))  # drivers differ on counting the FCS
    assert x["rx_broadcast_packets"] == len(sent)
    # sizes with FCS: 64, 65..127: 61, 128..255: 127 and 128, 512..1023: 512, above: 1400 and 1514
    expected = {64: 40, 127: 40, 255: 80, 511: 0, 1023: 40, "more": 80}
    assert bins(x, "rx") == expected and bins(b.xstats(1), "tx") == expected
    b.end()


@pytest.mark.needs("counters")
@pytest.mark.check("statistics")
def test_clear_resets_statistics(bench):
    b = bench()
    b.do("set fwd io", "start")
    b.send(*frames(10))
    b.received(10)
    b.do("clear port stats all", "clear port xstats all")
    assert b.stats()["ipackets"] == 0 and b.xstats()["rx_broadcast_packets"] == 0
    b.send(*frames(3))
    b.received(3)
    b.end()


def test_stop_and_start_ten_times_keeps_forwarding(bench):
    b = bench()
    total = 0
    for _ in range(10):
        b.do("port stop all", "port start all", "set fwd io", "start")
        b.send(*frames(20))
        total += 20
        b.wait(lambda: b.nic(1)["tx_frames"] >= total)
        b.do("stop")
    assert len(b.end()) == total


@pytest.mark.needs("unicast filter")
@pytest.mark.check("promiscuous")
def test_promiscuous_and_unicast_filter(bench):
    b = bench()
    b.do("set fwd rxonly", "start", "set promisc 0 off", "set allmulti 0 off")
    mac = re.search(r"MAC address: (\S+)", b.do("show port info 0")).group(1)
    b.send(*frames(5, dst=UNKNOWN), *frames(7, dst=mac), *frames(2, dst="01:00:5e:00:00:05"))
    b.received(7)
    b.do(f"mac_addr add 0 {UNKNOWN}")
    b.send(*frames(5, dst=UNKNOWN))
    b.received(12)
    b.do(f"mac_addr remove 0 {UNKNOWN}")
    b.send(*frames(5, dst=UNKNOWN), *frames(1, dst=mac))
    b.received(13)
    b.do("set promisc 0 on")
    b.send(*frames(5, dst=UNKNOWN))
    b.received(18)
    b.end()


@pytest.mark.needs("multicast filter")
@pytest.mark.check("multicast")
def test_all_multicast_and_multicast_list(bench):
    b = bench()
    b.do("set fwd rxonly", "start", "set promisc 0 off", "set allmulti 0 on")
    b.send(*frames(4, dst="01:00:5e:00:00:05"))
    b.received(4)
    b.do("set allmulti 0 off", "mcast_addr add 0 01:00:5e:00:00:07")
    b.send(*frames(4, dst="01:00:5e:00:00:05"), *frames(3, dst="01:00:5e:00:00:07"))
    b.received(7)
    b.end()


@pytest.mark.needs("unicast filter")
@pytest.mark.check("MAC change")
def test_changing_the_address_moves_the_filter(bench):
    b = bench()
    b.do("set fwd rxonly", "start", "set promisc 0 off", f"mac_addr set 0 {UNKNOWN}")
    b.send(*frames(4, dst=UNKNOWN))
    b.received(4)
    b.end()


@pytest.mark.needs("VLAN")
@pytest.mark.check("VLAN filter")
def test_vlan_filter_takes_only_listed_ids(bench):
    b = bench()
    b.do("set fwd rxonly", "start", "vlan set filter on 0", "rx_vlan add 100 0")
    tagged = [Ether(dst="ff:ff:ff:ff:ff:ff") / Dot1Q(vlan=v) / IP() / UDP() / Raw(bytes(20))
              for v in (100, 101, 100, 4000)]
    b.send(*tagged)
    b.received(2)
    b.do("rx_vlan rm 100 0")
    b.send(*tagged)
    b.send(*frames(1))
    b.received(3)
    b.end()


@pytest.mark.needs("link off")
@pytest.mark.every_model
@pytest.mark.check("link up and down")
def test_link_goes_down_and_up_on_request(bench, driver, model):
    if model == "82599-kx4":
        pytest.skip("both drivers take down lasers and copper PHYs, no backplane")
    if driver == "net_ixgbe" and model.startswith("x5"):
        pytest.skip("net_ixgbe leaves a copper PHY to the firmware, where there is one")
    b = bench()
    assert "Link status: up" in b.do("show port info 0")
    b.do("set link-down port 0")
    b.wait(lambda: "Link status: down" in b.do("show port info 0"))
    b.do("set link-up port 0")
    b.wait(lambda: "Link status: up" in b.do("show port info 0"))
    b.do("set fwd io", "start")
    b.send(*frames(3))
    b.received(3)
    b.end()


@pytest.mark.needs("flow control")
def test_flow_control_is_set_and_shown(bench):
    b = bench()
    b.do("set flow_ctrl rx on 0", "set flow_ctrl tx on 0")
    shown = b.do("show port 0 flow_ctrl")
    assert re.search(r"Rx pause: on", shown) and re.search(r"Tx pause: on", shown)
    b.do("set flow_ctrl rx off 0", "set flow_ctrl tx off 0")
    shown = b.do("show port 0 flow_ctrl")
    assert re.search(r"Rx pause: off", shown) and re.search(r"Tx pause: off", shown)
    b.end()


@pytest.mark.needs("queue stop")
def test_a_stopped_queue_receives_nothing_and_a_restarted_one_does(bench):
    b = bench()
    b.do("set fwd rxonly", "start")
    b.send(*frames(3))
    b.received(3)
    b.do("stop", "port 0 rxq 0 stop")
    arrived = b.nic()["rx_wire"]
    b.send(*frames(5))
    b.wait(lambda: b.nic()["rx_wire"] == arrived + 5)
    assert b.nic()["rx_frames"] == 3
    b.do("port 0 rxq 0 start", "start")
    b.send(*frames(4))
    b.wait(lambda: b.nic()["rx_frames"] == 7)
    b.end()


@pytest.mark.needs("descriptor status")
def test_descriptor_status_follows_the_ring(bench):
    b = bench()
    assert "AVAILABLE" in b.do("show port 0 rxq 0 desc 0 status")
    b.send(*frames(1))  # nobody polls
    b.wait(lambda: "DONE" in b.do("show port 0 rxq 0 desc 0 status"))
    assert "DONE" in b.do("show port 0 txq 0 desc 0 status")
    b.end()


@pytest.mark.needs("cage")
@pytest.mark.sfp
def test_eeprom_and_module_eeprom_are_read(bench):
    b = bench()
    words = b.do("show port 0 eeprom")
    assert "Finish -- Port: 0 EEPROM length" in words
    assert re.search(r"Finish -- Port: 0 MODULE EEPROM length: (256|512) bytes",
                     b.do("show port 0 module_eeprom"))
    b.end()


def test_detach_frees_the_port_and_attach_is_not_needed_to_quit(bench):
    b = bench()
    b.do("port stop 0", "port close 0")
    out = b.do("device detach " + re.search(r"([0-9a-f]{4}:[0-9a-f:.]+)", b.do("show device info all")).group(1))
    assert "removed" in out or "detached" in out or "Done" in out
    b.end()


@pytest.mark.needs("jumbo")
@pytest.mark.check("jumbo frames")
def test_jumbo_frames_arrive_whole(bench):
    b = bench(mtu=9500, args=("--max-pkt-len=9018", MULTI_SEGMENT))
    b.do("set fwd io", "start")
    sent = [f for size in (1514, 2000, 2048, 2049, 4096, 8999) for f in frames(3, size=size)]
    b.send(*sent)
    b.received(len(sent))
    b.wait(lambda: b.nic(1)["tx_frames"] == len(sent))
    assert [bytes(f) for f in b.end()] == [bytes(f) for f in sent]


@pytest.mark.needs("jumbo")
def test_mtu_change_admits_longer_frames(bench):
    b = bench(mtu=9500, args=(MULTI_SEGMENT,))
    b.do("set fwd io", "start")
    short, long = frames(2, size=1000), frames(3, size=3000)
    b.send(*long[:2], *short)
    b.received(2)
    b.wait(lambda: b.nic(1)["tx_frames"] == 2)
    b.do("stop", "port stop all", "port config mtu 0 4000", "port config mtu 1 4000",
         "port start all", "start")
    b.send(*long)
    b.wait(lambda: b.nic(1)["tx_frames"] == 5)
    assert [bytes(f) for f in b.end()] == [bytes(f) for f in short + long]


@pytest.mark.needs("reset")
def test_reset_of_a_stopped_port_lets_it_start_again(bench):
    # net_ixgbe takes 3 s for it, and for each stop after: it resets an MDIO PHY that is not there
    b = bench()
    b.do("port stop 0", "port reset 0", "port start 0", "set fwd io", "start")
    b.send(*frames(5))
    b.received(5)
    b.end()


@pytest.mark.needs("queue counter map")
def test_queue_counters_can_be_mapped(bench):
    b = bench()
    b.do("set stat_qmap rx 0 0 5", "set fwd rxonly", "start")
    b.send(*frames(4))
    b.received(4)
    counts = b.stats()["q_ipackets"]
    assert counts[5] == 4 and counts[0] == 0
    b.end()


@pytest.mark.needs("speed")
@pytest.mark.every_model
def test_speed_capabilities_are_shown(bench, model, family):
    b = bench()
    speeds = family.speeds[model]
    shown = re.search(r"Device speed capability:(.*)", b.do("show device info all")).group(1)
    assert set(speeds) <= set(re.findall(r"\d+ [GM]bps", shown))
    b.end()


@pytest.mark.needs("NVM")
def test_firmware_version_is_shown(bench):
    b = bench()
    assert re.search(r"Firmware-version: 0x[0-9a-f]{8}", b.do("show port info 0"))
    b.end()


@pytest.mark.ours  # net_ixgbe names no burst mode: it lacks rx_burst_mode_get and tx_burst_mode_get
def test_burst_mode_is_shown(bench):
    b = bench()
    assert re.search(r"Burst mode: \S+", b.do("show rxq info 0 0"))
    assert re.search(r"Burst mode: \S+", b.do("show txq info 0 0"))
    b.end()
