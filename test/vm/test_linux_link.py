# SPDX-License-Identifier: BSD-3-Clause
"""Linux's ixgbe: probe, link, reload, reset."""

import re
import threading

import pytest

import frames
import linux

RELOADS = {"82599": 50, "82599-kx4": 5, "x540": 5, "x550": 5}  # of a second and more each


@pytest.mark.check("probe")
def test_probe(port):
    assert port.run("cat /sys/class/net/{}/address").strip() == port.nic.mac
    log = port.run(f"dmesg | grep {port.nic.bdf}")
    assert "Intel(R) 10 Gigabit Network Connection" in log
    assert "rror" not in log, log
    kind = {"82599": "FIBRE", "82599-kx4": "(None|Other|FIBRE)"}.get(port.nic.model, "Twisted Pair")
    assert re.search(f"Port: {kind}", port.run("ethtool {}"))


@pytest.mark.check("link up and down")
def test_link(port):
    def carrier(value):
        port.guest.until(f"[ $(cat /sys/class/net/{port.name}/carrier) = {value} ]", 20)

    port.nic.link(False)
    carrier(0)
    port.nic.link(True)
    carrier(1)
    assert port.run("cat /sys/class/net/{}/speed").strip() == "10000"
    port.ping()


@pytest.mark.check("link up and down")
def test_link_of_1_gigabit(port):
    port.nic.link(False)
    port.nic.link(True, 1000)
    port.guest.until(f"[ $(cat /sys/class/net/{port.name}/speed) = 1000 ]", 20)
    port.ping()


@pytest.mark.check("reset under traffic")
def test_reset_under_traffic(port):
    stop = threading.Event()
    wire = port.nic.wire()

    def flood():
        n = 0
        while not stop.wait(0.001):
            n += 1
            wire.send(frames.udp(port.nic, 200, sport=n % 50000 + 1))

    thread = threading.Thread(target=flood)
    thread.start()
    try:
        for _ in range(3):
            port.run("ip link set {} down; ip link set {} up")
            port.link_up()
        for size in (2000, 1500):  # the driver starts anew for another frame size
            port.run(f"ip link set {{}} mtu {size}")
            port.link_up()
    finally:
        stop.set()
        thread.join()
        wire.close()
    port.ping()
    assert "Tx Unit Hang" not in port.run("dmesg")


@pytest.mark.check("reload")
def test_reload(port, reloaded):
    assert reloaded[port.nic.model] == RELOADS[port.nic.model]
    port.ping()


@pytest.fixture(scope="module")
def reloaded(witness):
    """Reloads by model; all ports at once, since a reload is mostly waiting."""
    witness.ready()
    command = ("n=0; for i in $(seq {times}); do echo {bdf} >{driver}/unbind && "
               "echo {bdf} >{driver}/bind && [ -d /sys/bus/pci/devices/{bdf}/net ] && n=$((n+1)); done; "
               "echo $n")
    started = {n.model: witness.guest.start(
        command.format(times=RELOADS[n.model], bdf=n.bdf, driver=linux.DRIVER), timeout=500)
        for n in witness.nics.values()}
    return {model: int(witness.guest.wait(s).split()[-1]) for model, s in started.items()}
