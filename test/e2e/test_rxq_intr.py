# SPDX-License-Identifier: BSD-3-Clause
"""testpmd --rxq-intr (app/test-pmd): its forwarding cores sleep, in all forwarding modes, with any driver."""

import os
import re
import socket
import time

import pytest
from conftest import SoftBench
from lab import apps, hosts
from lab.bench import until
from scapy.all import ICMP, IP, UDP, Ether, Raw

# Of the rest, ieee1588 is left out of distributions' builds, and shared_rxq is for devices with shared queues:
# on any other an unpatched testpmd, too, dies of the first packet
RECEIVING = ["io", "mac", "macswap", "rxonly", "csum", "icmpecho", "noisy", "5tswap"]
SENDING = ["txonly", "flowgen"]
ETHER = Ether(dst="ff:ff:ff:ff:ff:ff", src="02:00:00:00:01:00")
FRAMES = [bytes(ETHER / IP(src="10.0.0.1", dst="10.0.0.2", id=i) / (UDP(sport=1000 + i, dport=9) if i % 2 else ICMP()) /
                Raw(bytes(20))) for i in range(8)]

sleeps = pytest.mark.needs("Rx interrupt", "several queues")


@pytest.fixture(scope="session")
def program():
    try:
        return apps.testpmd_build()
    except RuntimeError as e:
        if "cannot be had" in str(e) or "no apt-get" in str(e) or "no Debian package" in str(e):
            pytest.skip(f"no source of testpmd: {e}")
        raise


@pytest.fixture(scope="module")
def sleeper(driver, family, memory, tmp_path_factory, program):
    """A testpmd for all tests, with two queues. Without a time-out: only with ours is no wake lost."""
    mode = "wait" if driver == family.ours else "tick"
    with SoftBench(driver, memory, tmp_path_factory.mktemp("rxq"), family.models[0], program=program,
                   args=[f"--rxq-intr={mode}", "--rxq=2", "--txq=2"]) as bench:
        yield bench
        assert bench.pmd.quit() == 0


@pytest.fixture(autouse=True)
def stopped(request):
    """A test that failed leaves the next one a testpmd that does not forward."""
    yield
    if "sleeper" in request.fixturenames:
        request.getfixturevalue("sleeper").pmd.do("stop", refused=True)


def queues(pmd):
    """{(port, queue): {count: value}} of 'show fwd stats'"""
    out = pmd.do("show fwd stats all")
    return {(int(p), int(q)): {k: int(v) for k, v in re.findall(r"(\w+) (\d+)", counts)}
            for p, q, counts in re.findall(r"Port (\d+) queue (\d+): (sleeps .*)", out)}


def total(pmd, key, port=0):
    return sum(c[key] for (p, _), c in queues(pmd).items() if p == port)


def cpu_share(app, seconds=1.0):
    before, start = app.cpu_s(), time.monotonic()
    time.sleep(seconds)
    return (app.cpu_s() - before) / (time.monotonic() - start)


@sleeps
@pytest.mark.parametrize("mode", RECEIVING)
def test_a_core_sleeps_wakes_and_loses_nothing(sleeper, mode):
    pmd = sleeper.pmd
    sleeper.do(f"set fwd {mode}", "clear port stats all", "clear fwd stats all", "start")
    until(lambda: total(pmd, "sleeps") > 0)
    assert cpu_share(pmd) < 0.5  # one that polls takes all of a core
    for n, frame in enumerate(FRAMES, 1):  # each finds it asleep, or nearly
        sleeper.wire.send(frame)
        until(lambda: sleeper.stats()["ipackets"] == n)  # pylint: disable=cell-var-from-loop
        time.sleep(0.03)
    counts = queues(pmd)
    assert set(counts) == {(port, q) for port in range(2) for q in range(2)}
    assert sum(c["wakes"] for c in counts.values()) > 0
    assert all(c["refused"] == 0 for c in counts.values())
    assert re.search(rf"RX-packets: {len(FRAMES)} ", sleeper.do("stop"))  # out of its sleep


@sleeps
@pytest.mark.parametrize("mode", SENDING)
def test_a_core_that_sends_by_itself_does_not_sleep(sleeper, mode):
    sleeper.do(f"set fwd {mode}", "clear port stats all", "clear fwd stats all", "start")
    until(lambda: sleeper.stats()["opackets"] > 10000)
    assert total(sleeper.pmd, "sleeps") == 0
    sleeper.do("stop")


@sleeps
def test_it_sleeps_after_a_first_burst(sleeper):
    sleeper.do("set fwd io", "clear fwd stats all", "start tx_first")
    until(lambda: total(sleeper.pmd, "sleeps") > 0)
    sleeper.do("stop")


@sleeps
def test_counts_can_be_cleared_while_it_sleeps(sleeper):
    pmd = sleeper.pmd

    def woken_often():
        sleeper.wire.send(FRAMES[0])
        return total(pmd, "sleeps") > 50

    sleeper.do("set fwd io", "start")
    until(woken_often)
    before = total(pmd, "sleeps")
    sleeper.do("clear fwd stats all")
    assert total(pmd, "sleeps") < before  # with mode tick it has gone on counting
    sleeper.do("stop")


@sleeps
def test_a_port_restarts_between_two_runs(sleeper):
    for _ in range(3):
        sleeper.do("start")
        until(lambda: total(sleeper.pmd, "sleeps") > 0)
        sleeper.do("stop", "port stop all", "port start all")


@pytest.mark.once
def test_another_driver_whose_descriptor_is_its_own(memory, program):
    name = f"aimr{os.getpid() % 10000}"
    # softpci has no part in it
    with apps.Testpmd([f"--vdev=net_tap0,iface={name}"], memory, ["--rxq-intr", "--port-topology=loop"],
                      program=program) as pmd:
        hosts.run("ip", "link", "set", name, "up")
        pmd.do("set fwd rxonly")
        pmd.do("start")
        until(lambda: total(pmd, "sleeps") > 0)
        assert cpu_share(pmd) < 0.5
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as wire:
            wire.bind((name, 0))
            before = total(pmd, "wakes")
            # net_tap's burst waits for a signal that may come behind the wake: the next frame then wakes
            until(lambda: wire.send(FRAMES[0]) and total(pmd, "wakes") > before)
        pmd.do("stop")
        assert pmd.quit() == 0


@pytest.mark.once
def test_a_driver_without_interrupts_is_polled(memory, program):
    with apps.Testpmd(["--vdev=net_null0"], memory, ["--rxq-intr", "--port-topology=loop", "--forward-mode=rxonly"],
                      program=program) as pmd:
        pmd.do("start")
        # a forwarding core says so, and until then its line may fall into an answer
        until(lambda: "port 0 queue 0 has no Rx interrupt" in pmd.output)
        until(lambda: pmd.telemetry.ask("/ethdev/stats,0")["ipackets"] > 1000)
        pmd.do("stop")
        assert pmd.quit() == 0


@pytest.mark.once
def test_an_unknown_mode_is_refused(memory, program):
    with pytest.raises(RuntimeError, match="rxq-intr must be wait or tick"):
        apps.Testpmd(["--vdev=net_null0"], memory, ["--rxq-intr=deep"], program=program)
