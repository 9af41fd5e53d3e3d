# SPDX-License-Identifier: BSD-3-Clause
"""Real hosts through an unmodified l3fwd-power that sleeps on Rx interrupts."""

import pytest
from lab import apps, hosts, machine, traffic

POLICIES = [{"aim": "off"}, {"aim": "fixed", "itr_us": 500}, {"aim": "aim"},
            *({"aim": name} for name in ("e1000", "igb", "ixgbe", "ixgbe-2017", "i40e", "dim"))]


@pytest.fixture
def router(driver, family, memory):
    """(l3fwd-power, host, host) for the driver under test."""
    core, other = machine.cores()
    traffic.pin(other)
    with hosts.two_hosts() as (a, b):
        def start(nic=family.models[0], **devargs):
            nics = [apps.softpci(i, nic=nic, driver=driver, wire=f"tap:{h.tap}@{h.name}", **devargs)
                    for i, h in enumerate((a, b))]
            app = apps.L3fwdPower(nics, memory, core)
            running.append(app)
            for port, host in enumerate((a, b)):
                host.configure(app.mac(port))
            traffic.settle(a, b)
            return app, a, b

        running = []
        yield start
        for app in running:
            app.__exit__()


pytestmark = pytest.mark.needs("Rx interrupt")


def dropped(app):
    return sum(apps.nic_stats(app, i)["rx_dropped"] for i in range(2))


@pytest.mark.check("l3fwd-power, TCP and UDP")
def test_ping_tcp_and_udp_pass_and_lose_nothing(router):
    app, a, b = router()
    ping = traffic.ping(a, b, 100, 0.01)
    assert ping["received"] == ping["sent"] == 100
    assert traffic.bulk(a, b, 2)["mbps"] > 1
    udp = traffic.udp(a, b, 1000, 1)
    assert udp["lost"] == 0 and udp["sent"] >= 900
    assert dropped(app) == 0
    assert app.stop() == 0


@pytest.mark.check("Rx interrupts")
def test_a_sleeping_port_wakes_for_a_single_packet(router):
    app, a, b = router()
    before = apps.nic_stats(app, 0)["rx_msix"]
    ping = traffic.ping(a, b, 10, 0.2)  # far apart: it sleeps between them
    assert ping["received"] == 10
    assert apps.nic_stats(app, 0)["rx_msix"] - before >= 10
    assert app.stop() == 0


@pytest.mark.ours
@pytest.mark.parametrize("devargs", POLICIES, ids=lambda d: d["aim"])
def test_every_policy_forwards(router, family, devargs):
    app, a, b = router(**devargs)
    assert traffic.ping(a, b, 50, 0.01)["received"] == 50
    assert traffic.request_response(a, b, 1)["round_trips"] > 100
    assert traffic.bulk(a, b, 1)["mbps"] > 1
    x = app.telemetry.ask("/ethdev/xstats,0")
    assert x["rx_q0_wakes"] > 20  # of 50 pings; on a busy machine it polls through some
    if devargs["aim"] == "fixed":
        unit = 2048 if family.name == "ixgbe" else 1
        assert x["rx_q0_itr_interval_ns"] == 500000 // unit * unit
    if devargs["aim"] == "off":
        assert x["rx_q0_itr_interval_ns"] == 0 and x["rx_q0_itr_writes"] == 0
    assert dropped(app) == 0
    assert app.stop() == 0
