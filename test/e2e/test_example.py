# SPDX-License-Identifier: BSD-3-Clause
"""examples/rx-intr: sleeps on two queues of two ports, loses nothing, ends when told to."""

import time

import pytest
from lab import apps
from lab.bench import until

GEN = "gen:pps={pps};size=64;count={count};flows=256"


def nics(driver, **wire):
    return [apps.softpci(i, driver=driver, wire=GEN.format(**wire)) for i in range(2)]


# with the stock driver a packet now and then is seen only when the next one comes
@pytest.mark.ours
def test_every_packet_comes_back_on_every_queue(driver, memory):
    with apps.RxIntr(nics(driver, pps=2000, count=1000), memory) as app:
        until(lambda: all(apps.nic_stats(app, i)["tx_frames"] == 1000 for i in range(2)))
        x = app.telemetry.ask("/ethdev/xstats,0")
        assert x["rx_q0_packets"] > 0 and x["rx_q1_packets"] > 0
        assert app.stop() == 0


@pytest.mark.needs("Rx interrupt")
def test_it_sleeps_when_nothing_comes_and_ends_out_of_its_sleep(driver, memory):
    with apps.RxIntr(nics(driver, pps=1000, count=10), memory) as app:
        until(lambda: all(apps.nic_stats(app, i)["rx_frames"] == 10 for i in range(2)))
        time.sleep(0.2)
        before = app.cpu_s()
        time.sleep(2)
        assert app.cpu_s() - before <= 0.1  # a loop that polls takes two seconds
        assert app.stop() == 0


@pytest.mark.ours
def test_it_sets_a_policy_and_prints_what_the_queues_did(driver, memory):
    with apps.RxIntr(nics(driver, pps=1000, count=100), memory, ["0=off", "1=dim"]) as app:
        until(lambda: all(apps.nic_stats(app, i)["tx_frames"] == 100 for i in range(2)))
        assert app.telemetry.ask("/aim/queue,0,1")["aim"] == "off"
        assert app.telemetry.ask("/aim/queue,1,0")["aim"] == "dim"
        assert app.stop() == 0
        assert app.output.count(" wakes, ") == 4


@pytest.mark.ours
@pytest.mark.parametrize("policy", ["0=fast", "7=off", "0", "="])
def test_a_policy_that_is_none_is_refused(driver, memory, policy):
    with apps.RxIntr(nics(driver, pps=1, count=1), memory, [policy]) as app:
        app.wait_for("PORT=POLICY: ")
        assert app.process.wait(10) != 0


@pytest.mark.ours
@pytest.mark.parametrize("how", ["unplug", "remove"])
def test_it_does_not_sleep_on_a_nic_that_is_gone(driver, memory, how):
    with apps.RxIntr(nics(driver, pps=500, count=0), memory) as app:
        until(lambda: apps.nic_stats(app, 0)["tx_frames"] > 10)
        app.telemetry.ask(f"/softpci/{how},0")
        if how == "unplug":
            assert app.process.wait(20) == 0
        else:  # the other goes on; nobody told, and nobody asked for the event
            before = apps.nic_stats(app, 1)["tx_frames"]
            until(lambda: apps.nic_stats(app, 1)["tx_frames"] > before + 100)
            assert app.stop() == 0


@pytest.mark.ours
def test_arms_wakes_and_bursts_are_traced(driver, memory, tmp_path):
    with apps.RxIntr([*nics(driver, pps=500, count=200), "--trace=pmd.net.aim.*", f"--trace-dir={tmp_path}"], memory) as app:
        until(lambda: all(apps.nic_stats(app, i)["tx_frames"] == 200 for i in range(2)))
        assert app.stop() == 0
    metadata = next(tmp_path.rglob("metadata")).read_text()
    for point in ("arm", "wake", "burst"):
        assert f'name = "pmd.net.aim.{point}"' in metadata
    # 200 packets a port, few of them a wake: three records each
    assert sum(f.stat().st_size for f in tmp_path.rglob("channel*")) > 400
