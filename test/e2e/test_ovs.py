# SPDX-License-Identifier: BSD-3-Clause
"""Open vSwitch, unmodified, with two ports in a bridge: real hosts talk through it."""

import re
import time

import pytest
from lab import apps, hosts, machine, ovs, traffic
from lab.bench import until

pytestmark = pytest.mark.skipif(ovs.missing() is not None, reason=str(ovs.missing()))
PORTS = ("p0", "p1")


class Bridge(ovs.Ovs):
    """A switch between two hosts of one network."""

    def __init__(self, driver, model, memory, pair):
        core, other = machine.cores()
        traffic.pin(other)
        super().__init__([apps.softpci(i, nic=model, driver=driver, wire=f"tap:{h.tap}@{h.name}")
                          for i, h in enumerate(pair)], memory, core, other)
        self.a, self.b = pair
        try:
            self.names = [self.telemetry.ask(f"/ethdev/info,{i}")["name"] for i in range(2)]
            for port, name in zip(PORTS, self.names):
                self.add(port, name)
            for host in pair:
                host.cmd("ip", "link", "set", host.tap, "address", host.mac, "txqueuelen", "10000", "mtu", "9000")
                host.cmd("ip", "addr", "add", host.address, "dev", host.tap)
                host.cmd("ip", "link", "set", host.tap, "mtu", "1500", "up")
            traffic.settle(*pair)
        except BaseException:
            self.__exit__()
            raise

    def pings(self):
        """All of twenty come through."""
        traffic.settle(self.a, self.b)
        return traffic.ping(self.a, self.b, 20, 0.01)["received"] == 20

    def log_says(self, pattern):
        return re.search(pattern, self.log.read_text()) is not None


@pytest.fixture(scope="module")
def bridge(driver, family, memory):
    """One for all tests."""
    with hosts.two_hosts() as pair:
        for host, end in zip(pair, "12"):
            host.address, host.ip = f"10.7.0.{end}/24", f"10.7.0.{end}"
        with Bridge(driver, family.models[0], memory, pair) as made:
            yield made
            assert made.end() == 0


def test_ping_tcp_and_udp_cross_the_bridge_and_lose_nothing(bridge):
    a, b = bridge.a, bridge.b
    ping = traffic.ping(a, b, 100, 0.01)
    assert ping["received"] == ping["sent"] == 100
    assert traffic.bulk(a, b, 1)["mbps"] > 1
    udp = traffic.udp(a, b, 1000, 1)
    assert udp["lost"] == 0 and udp["sent"] >= 900
    assert sum(apps.nic_stats(bridge, i)["rx_dropped"] for i in range(2)) == 0


@pytest.mark.needs("counters")
def test_the_switch_sees_driver_link_and_counters(bridge, driver):
    for port in PORTS:
        assert f"driver_name={driver}," in bridge.get(port, "status")
        until(lambda: bridge.get(port, "link_state") == "up")  # pylint: disable=cell-var-from-loop
    before = int(bridge.get("p0", "statistics:rx_packets"))
    assert bridge.pings()
    until(lambda: int(bridge.get("p0", "statistics:rx_packets")) >= before + 20)


@pytest.mark.ours
def test_queues_are_added_and_taken_away_while_it_switches(bridge):
    for queues in (4, 1):
        for port in PORTS:
            bridge.vsctl("set", "Interface", port, f"options:n_rxq={queues}")
        for i in range(2):
            until(lambda: bridge.telemetry.ask(f"/ethdev/info,{i}")["nb_rx_queues"] == queues)  # pylint: disable=cell-var-from-loop
        assert bridge.pings()


@pytest.mark.ours
def test_long_frames_cross_after_a_change_of_the_mtu(bridge):
    try:
        for port, host in zip(PORTS, (bridge.a, bridge.b)):
            host.cmd("ip", "link", "set", host.tap, "mtu", "9000")
            bridge.vsctl("set", "Interface", port, "mtu_request=9000")
            until(lambda: bridge.get(port, "mtu") == "9000")  # pylint: disable=cell-var-from-loop
        traffic.settle(bridge.a, bridge.b)
        bridge.a.cmd("ping", "-q", "-M", "do", "-s", "8900", "-i", "0.05", "-c", "10", "-W", "1", bridge.b.ip)
    finally:
        for port, host in zip(PORTS, (bridge.a, bridge.b)):
            bridge.vsctl("set", "Interface", port, "mtu_request=1500")
            host.cmd("ip", "link", "set", host.tap, "mtu", "1500")
    assert bridge.pings()


@pytest.mark.ours
def test_a_port_is_taken_out_and_put_back(bridge):
    for port, name in zip(PORTS, bridge.names):
        bridge.vsctl("del-port", "br0", port)
        bridge.add(port, name)
        assert bridge.pings()


@pytest.mark.ours
def test_a_switch_that_sleeps_by_time_takes_what_came_meanwhile(bridge):
    """OVS has no Rx interrupts: with pmd-maxsleep its core naps, up to so many us, while little comes."""
    def busy(seconds=1.0):
        start = cpu_s(bridge.switch.pid), time.monotonic()
        time.sleep(seconds)
        return (cpu_s(bridge.switch.pid) - start[0]) / (time.monotonic() - start[1])

    bridge.vsctl("set", "Open_vSwitch", ".", "other_config:pmd-maxsleep=500")
    try:
        until(lambda: busy() < 0.5)  # one that polls takes all of a core
        assert bridge.pings()
        assert traffic.bulk(bridge.a, bridge.b, 1)["mbps"] > 1
        assert sum(apps.nic_stats(bridge, i)["rx_dropped"] for i in range(2)) == 0
    finally:
        bridge.vsctl("remove", "Open_vSwitch", ".", "other_config", "pmd-maxsleep")


def cpu_s(pid):
    fields = open(f"/proc/{pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100
