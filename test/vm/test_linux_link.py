# SPDX-License-Identifier: BSD-3-Clause
"""Linux's ixgbe: probe, link, reload, reset."""

import re
import threading

import pytest

import frames
import linux


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
def test_reload(port, witness):
    """A NIC of its own is reloaded from the start of the run on; see linux.Reloads."""
    assert witness.reloads.done(port.nic.model) == linux.RELOADS[port.nic.model]
    port.ping()


@pytest.mark.check("INTx")
def test_without_messages_it_interrupts_by_its_pin(port):
    """One vector for all; only so does the driver's self-test look at interrupts."""
    def again(msi):
        port.run(f"echo {port.nic.bdf} >{linux.DRIVER}/unbind; echo {msi} >/sys/bus/pci/devices/{port.nic.bdf}/msi_bus; "
                 f"echo {port.nic.bdf} >{linux.DRIVER}/bind", timeout=90)
        port.fresh()

    again(0)
    try:
        assert "Legacy" in port.run(f"dmesg | grep {port.nic.bdf} | grep -i interrupts | tail -n 1; "
                                    f"grep -E 'IO-APIC.*{port.name}$' /proc/interrupts && echo Legacy")
        port.ping()
        status, out = port.run("ethtool -t {} offline", timeout=120, check=False)
        results = {k: int(v) for k, v in re.findall(r"^(\w+) test\s+\([\w/]+\)\s+(\d+)$", out, re.M)}
        assert len(results) == 5 and set(results.values()) == {0}, (out, port.run("dmesg | tail"))
        port.link_up()
        port.ping()
    finally:
        again(1)
    port.ping()
