# SPDX-License-Identifier: BSD-3-Clause
"""A NIC goes away: taken out in order, and pulled out without a word, while traffic runs."""

import re
import time

import pytest
from lab import apps
from lab.bench import until
from scapy.all import IP, UDP, Ether, Raw


def frames(n):
    return [Ether(dst="ff:ff:ff:ff:ff:ff", src="02:00:00:00:01:00") / IP(id=i) / UDP() / Raw(bytes(30))
            for i in range(n)]


def test_a_port_is_detached_while_another_forwards(bench, driver):
    b = bench()
    b.do("port attach " + apps.softpci(2, driver=driver, wire="null").removeprefix("--vdev="))
    name = b.pmd.telemetry.ask("/softpci/list")["2"]
    b.do("port start 2", "set portlist 0,1", "set fwd io", "start")
    b.send(*frames(50))
    b.do("port stop 2", "port close 2")
    assert re.search(r"Device .*is detached", b.do(f"device detach {name}"))
    b.send(*frames(50))
    b.wait(lambda: b.nic(1)["tx_frames"] == 100)
    assert name not in b.do("show device info all")
    assert len(b.end()) == 100


def test_a_port_is_attached_again_after_it_was_detached(bench, driver):
    b = bench()
    for _ in range(3):
        attached = b.do("port attach " + apps.softpci(2, driver=driver, wire="null").removeprefix("--vdev="))
        port = re.search(r"Port (\d+) is attached", attached).group(1)
        b.do(f"port start {port}", f"port stop {port}", f"port close {port}")
        assert "is detached" in b.do("device detach softpci2")
    b.end()


def let_go(pmd, index):
    """Pull a NIC out, and wait until testpmd has heard of it and forwards again, by itself, without it."""
    assert pmd.telemetry.ask(f"/softpci/remove,{index}")["removed"]
    # no command meanwhile: its lists change in another thread
    until(lambda: f"Port {index} is closed" in pmd.output)
    until(lambda: pmd.output.count("packet forwarding - ports=") >= 2)
    time.sleep(0.3)  # from that line to the cores' start


@pytest.mark.check("surprise removal")
@pytest.mark.needs("removal")
@pytest.mark.every_model
def test_a_nic_pulled_out_while_it_receives_gives_no_more_frames(memory, driver, model, family):
    nics = [apps.softpci(0, nic=model, driver=driver, wire="gen:pps=20000;size=64"),
            apps.softpci(1, nic=model, driver=driver, wire="null")]
    with apps.Testpmd(nics, memory, ["--forward-mode=io"]) as pmd:
        pmd.do("start")
        until(lambda: apps.nic_stats(pmd, 1)["tx_frames"] > 1000)
        if driver == family.ours:
            let_go(pmd, 0)
        else:  # no event: testpmd goes on with it
            assert pmd.telemetry.ask("/softpci/remove,0")["removed"]
            pmd.do("show port info 0")
            time.sleep(0.2)  # what it had written to memory before
        before = apps.nic_stats(pmd, 1)["tx_frames"]
        time.sleep(0.2)
        assert apps.nic_stats(pmd, 1)["tx_frames"] == before
        pmd.do("stop")
        assert pmd.quit(40) == 0


@pytest.mark.check("surprise removal")
@pytest.mark.needs("removal")
def test_a_nic_pulled_out_while_it_sends_ends_no_application(memory, driver, family):
    nics = [apps.softpci(0, driver=driver, wire="gen:pps=20000;size=64"),
            apps.softpci(1, driver=driver, wire="null")]
    with apps.Testpmd(nics, memory, ["--forward-mode=io"]) as pmd:
        pmd.do("start")
        if driver == family.ours:
            let_go(pmd, 1)
        else:
            pmd.telemetry.ask("/softpci/remove,1")
            time.sleep(0.5)  # its ring is full by now
        pmd.do("stop")
        assert pmd.quit(40) == 0


@pytest.mark.parametrize("how", ["unplug", "remove"])
def test_testpmd_lets_go_of_a_port_whose_nic_is_gone(memory, driver, how, family):
    if driver != family.ours:
        pytest.skip("the stock driver has no removal event")
    nics = [apps.softpci(0, driver=driver, wire="gen:pps=2000;size=64"),
            apps.softpci(1, driver=driver, wire="null"),
            apps.softpci(2, driver=driver, wire="gen:pps=2000;size=64"),
            apps.softpci(3, driver=driver, wire="null")]
    with apps.Testpmd(nics, memory, ["--forward-mode=io"]) as pmd:
        pmd.do("start")
        until(lambda: apps.nic_stats(pmd, 1)["tx_frames"] > 100)
        name = pmd.telemetry.ask("/softpci/list")["0"]
        assert pmd.telemetry.ask(f"/softpci/{how},0")["removed"]
        until(lambda: name not in pmd.do("show device info all"))
        # it goes on with the others, in pairs of its choice
        before = apps.nic_stats(pmd, 2)["rx_frames"]
        until(lambda: apps.nic_stats(pmd, 2)["rx_frames"] > before + 100)
        assert "RX-packets: 0 " not in re.search(r"for port 2(.*?)for port 3", pmd.do("show fwd stats all"), re.S)[1]
        pmd.do("stop")
        assert pmd.quit(40) == 0
