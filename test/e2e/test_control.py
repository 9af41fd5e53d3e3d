# SPDX-License-Identifier: BSD-3-Clause
"""Moderation read and changed over telemetry, while real hosts talk through l3fwd-power."""

import pytest
from lab.bench import until
from lab import apps, hosts, machine, traffic

pytestmark = pytest.mark.ours


@pytest.fixture
def app(driver, memory):
    """l3fwd-power on two ports, and its two hosts."""
    core, other = machine.cores()
    traffic.pin(other)
    with hosts.two_hosts() as (a, b):
        nics = [apps.softpci(i, driver=driver, wire=f"tap:{h.tap}@{h.name}", aim="off")
                for i, h in enumerate((a, b))]
        with apps.L3fwdPower(nics, memory, core) as app:
            for port, host in enumerate((a, b)):
                host.configure(app.mac(port))
            traffic.settle(a, b)
            app.hosts = (a, b)
            yield app
            assert app.stop() == 0


def test_ports_and_policies_are_listed(app):
    assert app.telemetry.ask("/aim/list") == {"0": 1, "1": 1}
    assert {"aim", "off", "fixed", "dim", "ixgbe"} <= set(app.telemetry.ask("/aim/policies"))


def test_a_policy_is_changed_while_packets_flow(app, family):
    fifty = 49152 if family.name == "ixgbe" else 50000  # ns in the register
    a, b = app.hosts
    for settings, name, interval in (("aim=fixed,itr_us=50", "fixed", fifty), ("aim=off", "off", 0),
                                     ("aim=aim,itr_max_us=20", "aim", None)):
        assert app.telemetry.ask(f"/aim/set,0,all,{settings}") == {"aim": name}
        ping = traffic.ping(a, b, 50, 0.01)
        assert ping["received"] == 50
        queue = app.telemetry.ask("/aim/queue,0,0")
        assert queue["aim"] == name
        if interval is not None:
            assert queue["itr_interval_ns"] == interval
    assert app.telemetry.ask("/aim/queue,1,0")["aim"] == "off"


def test_counts_are_those_of_xstats_and_histograms_add_up(app):
    a, b = app.hosts
    assert traffic.ping(a, b, 20, 0.05)["received"] == 20

    def settled():
        """The port sleeps, so that nothing moves between the two looks."""
        queue = app.telemetry.ask("/aim/queue,0,0")
        x = app.telemetry.ask("/ethdev/xstats,0")
        return all(x[f"rx_q0_{key}"] == queue[key] for key in
                   ("wakes", "spurious_wakes", "arms", "asleep_ns", "ring_high_water")) and queue

    found = []
    until(lambda: found.append(settled()) or found[-1])
    queue = found[-1]
    assert queue["wakes"] >= 20 and queue["ring_high_water"] >= 1 and queue["asleep_ns"] > 0
    assert sum(queue["burst_log2_ns"]) == queue["wakes"]
    assert sum(queue["sleep_log2_ns"]) in (queue["arms"], queue["arms"] - 1)


@pytest.mark.parametrize("command", [
    "/aim/set,0,all,aim=fast", "/aim/set,0,all,itr_us=5000", "/aim/set,0,all", "/aim/set,0",
    "/aim/set,7,all,aim=off", "/aim/set,0,3,aim=off", "/aim/set,0,all,yield=1", "/aim/set,x,0,aim=off",
    pytest.param("/aim/set,0,0,itr_min_us=900", marks=pytest.mark.needs("ring bound")), "/aim/queue,0",
    "/aim/queue,0,1", "/aim/queue,0,0,0", "/aim/queue,-1,0",
    "/aim/queue,9,0", "/aim/queue,99999,0",
])
def test_what_cannot_be_is_refused(app, command):
    before = app.telemetry.ask("/aim/queue,0,0")["aim"]
    assert app.telemetry.ask(command) is None
    assert app.telemetry.ask("/aim/queue,0,0")["aim"] == before
