# SPDX-License-Identifier: BSD-3-Clause
"""aim-lab advise: captures of every form, and what is no capture."""

import json
import pathlib
import random
import struct

import pytest
from scapy.all import IP, UDP, Ether, PcapNgWriter, Raw, wrpcap


def packets(n, rate, size=100, start=1700000000.0):
    chance = random.Random(1)
    for _ in range(n):
        start += chance.expovariate(rate)
        packet = Ether() / IP() / UDP() / Raw(bytes(size))
        packet.time = start
        yield packet


@pytest.fixture
def capture(lab):
    def make(n=2000, rate=2e5, name="a.pcap", **keys):
        wrpcap(str(lab.folder / name), list(packets(n, rate)), **keys)
        return name
    return make


def pcap(*times, magic=0xa1b2c3d4, link=1, length=60):
    """A capture by hand: times as (seconds, fraction)."""
    text = struct.pack("<IHHiIII", magic, 2, 4, 0, 0, 65535, link)
    for s, fraction in times:
        text += struct.pack("<IIII", s, fraction, length, length) + bytes(length)
    return text


def advise(lab, *args):
    return json.loads(lab.ok("advise", *args, "--json"))


def test_policies_and_fixed_settings_by_cost(lab, capture):
    shown = advise(lab, capture())
    costs = [r["cost"] for r in shown["figures"]["rows"]]
    assert costs == sorted(costs) and costs[0] > 0.5
    names = {r["policy"] for r in shown["figures"]["rows"]}
    assert {"aim", "off", "ixgbe", "fixed:10", "fixed:50", "fixed:250"} <= names
    assert len(names) == len(costs)


def test_the_advice_can_be_given_to_the_driver(lab, capture):
    shown = advise(lab, capture())
    advice, = shown["advice"]["rows"]
    assert advice["devargs"].startswith("aim=")
    if advice["policy"].startswith("fixed:"):
        assert advice["devargs"] == "aim=fixed,itr_us=" + advice["policy"].split(":")[1]
    best = shown["figures"]["rows"][0]
    assert advice["policy"] in (best["policy"], "aim")
    text = lab.ok("advise", "a.pcap")
    assert f"advice: policy {advice['policy']}, devargs {advice['devargs']}: it costs " in text
    assert "link speed taken as 10000 Mb/s" in text and "fixed setting" in text


def test_sparse_traffic_is_not_held(lab, capture):
    rows = {r["policy"]: r for r in advise(lab, capture(n=300, rate=2000))["figures"]["rows"]}
    assert rows["aim"]["p99_us"] == rows["off"]["p99_us"]


def test_the_link_speed_is_the_users(lab, capture):
    shown = advise(lab, capture(), "--param", "link_mbps=1000")
    assert "link speed taken as 1000 Mb/s" in shown["figures"]["notes"][0]
    line = lab.refused("advise", "a.pcap", "--param", "link_mbps=100")
    assert "more than link_mbps = 100; set the speed of your link" in line


@pytest.mark.parametrize("key", ["kind=loop", "arrivals=poisson", "file=b.pcap", "rate_pps=1e6", " rate_pps = 1",
                                 "off_pps=1", "on_us=5", "off_us=5", "batch=4", "frame=128", "link_down_ms=1"])
def test_what_the_capture_says_cannot_be_set(lab, capture, key):
    line = lab.refused("advise", capture(n=10), "--param", "ring=128", "--param", key)
    assert line.startswith(f"--param {key}: what arrives, and when, is the capture's to say; allowed: keys other than ")
    assert key.partition("=")[0].strip() in line.partition("allowed")[2]


def test_a_cost_below_one_is_explained(lab, capture):
    notes = advise(lab, capture())["figures"]["notes"]
    assert any("below 1: packets that arrive while the application polls need no interrupt" in n for n in notes)
    assert not any("least that is possible" in n for n in notes)


def test_fixed_settings_run_beside_the_policies_that_are_named(lab, capture):
    names = {r["policy"] for r in advise(lab, capture(), "--policy", "off")["figures"]["rows"]}
    assert names >= {"off", "fixed:5", "fixed:250"} and "aim" not in names
    assert "fixed\nsettings run beside them all the same" in lab.ok("advise", "--help")


def test_times_beyond_2038_are_no_negative_ones(lab):
    """The seconds of pcap have 32 bits and no sign."""
    lab.file("y2038.pcap", pcap((0x7fffffff, 999_900), (0x80000000, 0), (0x80000000, 100)))
    lab.file("y2023.pcap", pcap((0x64000000, 999_900), (0x64000001, 0), (0x64000001, 100)))
    assert advise(lab, "y2038.pcap") == advise(lab, "y2023.pcap")


def test_pcap_pcapng_and_nanoseconds_give_the_same(lab, capture):
    first = advise(lab, capture(nano=True))["figures"]["rows"]
    with PcapNgWriter(str(lab.folder / "a.pcapng")) as writer:
        writer.write(list(packets(2000, 2e5)))
    second = advise(lab, "a.pcapng")["figures"]["rows"]
    rates = [{r["policy"]: r["pps"] for r in rows}["off"] for rows in (first, second)]
    assert rates[0] == pytest.approx(rates[1], rel=0.01)


def test_nanoseconds_are_kept(lab):
    """Two packets 500 ns apart, in a file that counts nanoseconds."""
    lab.file("ns.pcap", pcap((1, 0), (1, 500), (1, 100_000_000), magic=0xa1b23c4d))
    lab.file("us.pcap", pcap((1, 0), (1, 500), (1, 100_000)))
    figures = [{r["policy"]: r for r in advise(lab, name, "--param", "stale_causes=no")["figures"]["rows"]}["off"]
               for name in ("ns.pcap", "us.pcap")]
    assert figures[0]["packets_irq"] > 1.2 and figures[1]["packets_irq"] == 1


def test_a_scenario_replays_a_capture_beside_it(lab, capture):
    capture()
    (lab.folder / "sub").mkdir()
    (lab.folder / "a.pcap").rename(lab.folder / "sub" / "a.pcap")
    (lab.folder / "sub" / "replay.scenario").write_text("arrivals = pcap\nfile = a.pcap\n")
    assert "replay" in lab.ok("run", "sub/replay.scenario", "--policy", "aim")


def test_a_plot_names_no_file(lab, capture):
    lab.ok("advise", capture(name="secret-host.pcap"), "--plot", "a.svg")
    assert b"secret" not in lab.files()["a.svg"]


@pytest.mark.parametrize("content, line", [
    (b"", "bad.pcap: no pcap or pcapng file: "),
    (b"this is text\n" * 10, "bad.pcap: no pcap or pcapng file: "),
    (pcap(), "bad.pcap: no packet; allowed: 2 packets or more"),
    (pcap((1, 0)), "bad.pcap: 1 packet only; allowed: 2 packets or more"),
    (pcap((1, 0), (1, 5))[:-7], "bad.pcap: broken behind packet 1: "),
    (pcap((1, 0), (1, 5), (1, 4)), "bad.pcap: packet 3 is earlier than the one before it; sort the file with "
                                   "reordercap"),
    (pcap((2, 0), (1, 5)), "bad.pcap: packet 2 is earlier"),
    (pcap((1, 0), (1, 0)), "bad.pcap: all packets have the same time"),
    (pcap((1, 0), (1, 2_000_000)), "bad.pcap: packet 2 has no valid time"),
    (pcap((0, 0), (10_000_000, 0)), "bad.pcap: packet 2 comes more than 100 days behind the first"),
    (pcap((1, 0), (1, 5), link=105), "bad.pcap: link type IEEE802_11 (105); allowed: Ethernet"),
])
def test_what_is_no_good_capture_is_refused(lab, content, line):
    lab.file("bad.pcap", content)
    assert line in lab.refused("advise", "bad.pcap", "--output", "out", "--plot", "out.svg")


def test_a_capture_of_any_damage_ends_well(lab, capture):
    """Bytes changed here and there: refused in one line, or taken."""
    whole = (lab.folder / capture(n=50)).read_bytes()
    chance = random.Random(2)
    for _ in range(40):
        damaged = bytearray(whole[:chance.randrange(len(whole))])
        for _ in range(min(3, len(damaged))):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        lab.file("a.pcap", bytes(damaged))
        done = lab.run("run", str(pathlib.Path(lab.file("x.scenario", "arrivals = pcap\nfile = a.pcap\n"
                                                       "time_ms = 5\n"))), "--policy", "aim")
        assert done.returncode in (0, 2)
        assert done.returncode == 0 or done.stderr.count(b"\n") == 1
