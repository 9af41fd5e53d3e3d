# SPDX-License-Identifier: BSD-3-Clause
"""Our driver in the guest: rebinding, a reboot, a second process, several queues asleep."""

import re
import time

import dpdk
import frames
import pytest
from lab import apps
from lab.bench import until
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

pytestmark = pytest.mark.on("82599")
SYS = "/sys/bus/pci"


@pytest.fixture
def m(dpdk_machine):
    dpdk_machine.end()
    dpdk_machine.ready()
    yield dpdk_machine
    dpdk_machine.end()


def flow(nic, n, src="1.1.1.2", dst="2.1.1.7"):
    """Frame n, each of another flow, that l3fwd-power routes."""
    return bytes(Ether(dst=nic.mac, src=nic.host_mac) / IP(src=src, dst=dst, id=n)
                 / UDP(sport=1000 + n, dport=80) / bytes(20))


def forwards(m, driver, model, count=20):
    """testpmd starts on both NICs, forwards, and quits."""
    nic, other = m.pairs[model]
    pmd = dpdk.testpmd(m, driver, (nic, other))
    try:
        until(lambda: all(pmd.telemetry.ask(f"/ethdev/link_status,{i}")["status"] == "UP" for i in (0, 1)), 20)
        pmd.do("set fwd io")
        pmd.do("start")
        with nic.wire() as wire, other.wire() as out:
            frames.send(wire, [flow(nic, n) for n in range(count)])
            assert len(frames.collect(out, count, lambda f: f[12:14] == b"\x08\x00")) == count
        assert pmd.quit() == 0
    finally:
        pmd.__exit__()


@pytest.mark.check("bind and unbind")
def test_bound_ten_times_and_after_the_kernels_driver_it_works(m, driver, model):
    nics = m.pairs[model]
    again = (f"echo {{bdf}} >{SYS}/drivers/vfio-pci/unbind && echo {{bdf}} >{SYS}/drivers_probe && "
             f"[ -e {SYS}/drivers/vfio-pci/{{bdf}} ]")
    for nic in nics:
        m.guest.run("for i in 1 2 3 4 5 6 7 8 9 10; do " + again.format(bdf=nic.bdf) + " || exit 1; done", 120)
    forwards(m, driver, model)
    # the kernel's ixgbe has it, up and running, and lets go of it
    m.guest.run("modprobe ixgbe", timeout=120)
    try:
        for nic in nics:
            m.guest.run(f"echo ixgbe >{SYS}/devices/{nic.bdf}/driver_override; "
                        f"echo {nic.bdf} >{SYS}/drivers/vfio-pci/unbind; echo {nic.bdf} >{SYS}/drivers_probe")
            name = m.guest.until(f"ls {SYS}/devices/{nic.bdf}/net").strip()
            m.guest.run(f"ip link set {name} up")
            m.guest.until(f"[ $(cat /sys/class/net/{name}/carrier) = 1 ]")
    finally:
        for nic in nics:
            m.guest.run(f"echo vfio-pci >{SYS}/devices/{nic.bdf}/driver_override; "
                        f"echo {nic.bdf} >{SYS}/devices/{nic.bdf}/driver/unbind; "
                        f"echo {nic.bdf} >{SYS}/drivers_probe", timeout=120)
    forwards(m, driver, model)


@pytest.mark.check("reboot")
def test_reset_button_while_it_runs(m, driver, model):
    """The device is never told; the next kernel and the next process find it as it was left."""
    nic, other = m.pairs[model]
    m.app = dpdk.testpmd(m, driver, (nic, other))
    m.app.do("set fwd io")
    m.app.do("start")
    with nic.wire() as wire, other.wire() as out:
        frames.send(wire, [flow(nic, n) for n in range(20)])
        assert len(frames.collect(out, 20, lambda f: f[12:14] == b"\x08\x00")) == 20
        m.guest.reboot()
        frames.send(wire, [flow(nic, n) for n in range(20)])  # to nobody
    m.end()
    m.prepare()
    forwards(m, driver, model)


@pytest.mark.check("secondary process")
def test_second_process_polls_its_queue_and_sees_the_counters(m, driver, model):
    nic, other = m.pairs[model]
    shared = ("--rxq=2", "--txq=2", "--num-procs=2", "--rss-ip", "--rss-udp")
    first = m.app = dpdk.testpmd(m, driver, (nic, other), (*shared, "--proc-id=0"))
    second = dpdk.testpmd(m, driver, (nic, other), (*shared, "--proc-id=1"), ("--proc-type=secondary",),
                          prefix=first.prefix)
    with second:
        for pmd in (first, second):
            pmd.do("set fwd io")
            pmd.do("start")
        with nic.wire() as wire, other.wire() as out:
            frames.send(wire, [flow(nic, n) for n in range(100)])
            got = frames.collect(out, 100, lambda f: f[12:14] == b"\x08\x00")
        assert sorted(got) == sorted(flow(nic, n) for n in range(100))
        # all arrived, so each process took what its queue had (net_ixgbe counts both queues as the first)
        shares = first.telemetry.ask("/ethdev/xstats,0")
        assert driver == dpdk.STOCK or min(shares[f"rx_q{q}_packets"] for q in (0, 1)) > 0, shares
        assert re.search(r"RX-packets: 100\s", second.do("show port stats 0"))
        assert "Link status: up" in second.do("show port info 0")
        # the stock tool that looks at another process's ports
        words = " ".join([f"-d {p}" for p in second.place.plugins])
        out = m.guest.run(f"LD_LIBRARY_PATH=/drivers dpdk-proc-info --file-prefix={first.prefix} {words} "
                          f"-a {nic.bdf} -a {other.bdf} -- -p 0x3 --xstats")
        assert re.search(r"^rx_good_packets: 100$", out, re.M), out
        assert second.quit() == 0
    # the first goes on, with the whole of its own
    before = other.control("stats")["tx_frames"]
    with nic.wire() as wire:
        frames.send(wire, [flow(nic, n) for n in range(100)])
        until(lambda: other.control("stats")["tx_frames"] > before)
    assert first.quit() == 0


@pytest.mark.check("several queues asleep")
def test_two_ports_with_two_queues_each_sleep_on_two_cores(m, driver, model):
    """Frames both ways, far apart: each queue wakes by its own vector, as often as the kernel says."""
    nic, other = m.pairs[model]
    m.app = apps.L3fwdPower([f"--allow={n.bdf}" for n in (nic, other)], dpdk.MEMORY, 0, 1,
                            place=dpdk.Place(m.guest, driver))
    until(lambda: all(m.app.telemetry.ask(f"/ethdev/link_status,{i}")["status"] == "UP" for i in (0, 1)), 20)
    time.sleep(1)

    def counts():
        return [(dpdk.kernel_count(m.guest, n, vector), n.control("stats")["msix"][vector])
                for n in (nic, other) for vector in (1, 2)]

    before = counts()
    with nic.wire() as a, other.wire() as b:
        for n in range(24):
            for wire, out, frame in ((a, b, flow(nic, n)), (b, a, flow(other, n, "2.1.1.7", "1.1.1.2"))):
                frames.send(wire, [frame])
                assert len(frames.collect(out, 1, lambda f: f[12:14] == b"\x08\x00")) == 1
                time.sleep(0.03)  # it sleeps again
    time.sleep(0.5)
    gained = [(k1 - k0, n1 - n0) for (k0, n0), (k1, n1) in zip(before, counts())]
    assert all(kernel == sent > 0 for kernel, sent in gained), gained
    for port in (gained[:2], gained[2:]):
        assert sum(kernel for kernel, _ in port) >= 24, gained


@pytest.mark.check("MSI and INTx")
@pytest.mark.parametrize("mode", ["msi", "legacy"])
def test_link_change_is_heard_by_another_kind_of_interrupt(m, driver, model, mode):
    nic, other = m.pairs[model]
    pmd = m.app = dpdk.testpmd(m, driver, (nic, other), memory=(*dpdk.MEMORY, f"--vfio-intr={mode}"))
    until(lambda: pmd.telemetry.ask("/ethdev/link_status,0")["status"] == "UP", 20)
    start = len(pmd.lines)
    try:
        for up in (False, True):
            nic.link(up)
            until(lambda u=up: sum("Port 0: link state change event" in line for line in pmd.lines[start:])
                  > u, 20)
            assert pmd.telemetry.ask("/ethdev/link_status,0")["status"] == ("UP" if up else "DOWN")
        sort = {"msi": "MSI", "legacy": "(IO-APIC|IR-IO-APIC)"}[mode]
        assert re.search(rf"{sort}.*vfio-(msi|intx)\[?\d*\]?\({nic.bdf}\)", m.guest.run("cat /proc/interrupts"))
    finally:
        nic.link(True)
    assert pmd.quit() == 0
