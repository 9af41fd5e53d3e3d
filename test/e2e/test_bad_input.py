# SPDX-License-Identifier: BSD-3-Clause
"""
What cannot work is refused: one line of the driver or the software NIC that says what to do, an exit
status or a negative errno, and nothing left behind.
"""

import os
import pathlib
import re
import shutil
import struct
import subprocess

import pytest
from lab import apps, hosts, machine, telemetry
from lab.bench import until
from scapy.all import IP, UDP, Ether, Raw, wrpcap

pytestmark = [pytest.mark.ours, pytest.mark.once]

TAP = f"aimbad{os.getpid() % 10000}"


def softpci(index=0, **keys):
    return apps.softpci(index, **{"driver": "net_ixgbe_aim", "wire": f"tap:{TAP}", **keys})


def left_behind():
    """What a process could leave: its TAP; network namespaces."""
    return [TAP] * os.path.exists(f"/sys/class/net/{TAP}") + hosts.run("ip", "netns", "list").split("\n")


def refused(memory, nic, line):
    """l3fwd-power cannot start on this NIC, and the line says why; its output."""
    prefix = f"aimbad{os.getpid()}"
    before = left_behind()
    try:
        # a program that cannot do without the port; bounded, and killed with its time
        done = subprocess.run(
            [apps.l3fwd_power_build(), "--no-pci", f"--file-prefix={prefix}", "-l", "1", *memory,
             "-d", machine.PLUGINS, "-d", machine.SOFTPCI, nic,
             "--", "-p", "0x1", "--config=(0,0,1)", "--interrupt-only"],
            text=True, capture_output=True, timeout=30, check=False)
    finally:
        shutil.rmtree(telemetry.runtime_folder(prefix), ignore_errors=True)
    out = done.stdout + done.stderr
    assert done.returncode == 1, out  # an error; a signal were negative
    assert len(re.findall(line, out, re.M)) == 1, out
    # ours say it once: at most one line of the driver, and one of the software NIC
    assert len(re.findall(r"^aim: ", out, re.M)) <= 1, out
    assert len(re.findall(r"^softpci: ", out, re.M)) <= 1, out
    assert left_behind() == before
    return out


@pytest.mark.parametrize("devargs, line", [
    ({"interrupts": 1}, r"devarg interrupts=1: unknown key; the driver knows aim=.* nvm_check"),
    ({"aim": "nonesuch"}, r"devarg aim=nonesuch: no such policy; there are: aim, off, fixed, e1000, "),
    ({"itr_us": 2000}, r"devarg itr_us=2000: give a number from 0 to 1000"),
    ({"aim": "off", "itr_us": 100}, r"devarg itr_us goes with aim=fixed only, not with off: leave one of them out"),
    ({"aim": "fixed"}, r"devarg aim=fixed needs itr_us="),
    ({"aim": "dim-profile"}, r"devarg aim=dim-profile needs itr_profile="),
    ({"itr_profile": "1:8:64:64:256"}, r"devarg itr_profile=1:8:64:64:256: give five numbers from 0 to 1000, each above"),
    ({"aim": "dim", "itr_profile": "1:8:64:128:256"}, r"devarg itr_profile goes with aim=dim-profile only, not with dim: "),
    ({"itr_min_us": 200, "itr_max_us": 100}, r"devarg itr_min_us=200 is above itr_max_us=100: swap them"),
    ({"sink_packets": -1}, r"devarg sink_packets=-1: give a number from 0 to 1048576"),
    ({"yield": 2}, r"devarg yield=2: give a number from 0 to 1"),
    ({"nvm_check": "no"}, r"devarg nvm_check=no: give a number from 0 to 1"),
], ids=lambda p: ",".join(f"{k}={v}" for k, v in p.items()) if isinstance(p, dict) else "")
def test_a_devarg_that_cannot_be_is_refused(memory, devargs, line):
    out = refused(memory, softpci(**devargs), "^aim: " + line)
    assert "failed to probe the device: -22 (Invalid argument)" in out


@pytest.mark.parametrize("fault, errno, line", [
    ("nvm", -5, r"wrong NVM checksum: reprogram the NVM, or give the devarg nvm_check=0"),
    ("dead", -5, r"the device does not answer: is its memory space enabled\?"),
    ("reset", -110, r"reset does not complete \(CTRL 0x[0-9a-f]+\): power the slot off and on"),
])
@pytest.mark.parametrize("nic", ["82599", "x550"])
def test_a_broken_device_is_refused(memory, nic, fault, errno, line):
    out = refused(memory, softpci(nic=nic, fault=fault), f"^aim: .*{line}")
    assert f"failed to probe the device: {errno} " in out


def test_a_device_without_an_address_is_refused(memory):
    refused(memory, softpci(mac="00:00:00:00:00:00"),
            r"^aim: .*no valid MAC address in the NVM: program one, or give the devarg nvm_check=0")


def port_info(memory, **keys):
    with apps.Testpmd([apps.softpci(0, driver="net_ixgbe_aim", wire="null", **keys)], memory) as pmd:
        info = pmd.do("show port info 0")
        assert pmd.quit() == 0
    return info, pmd.output


def test_nvm_check_0_takes_a_device_with_a_wrong_checksum(memory):
    info, output = port_info(memory, fault="nvm", nvm_check=0)
    assert "Driver name: net_ixgbe_aim" in info and "Link status: up" in info
    assert len(re.findall(r"wrong NVM checksum, used all the same", output)) == 1


def test_nvm_check_0_gives_a_device_without_an_address_a_random_one(memory):
    info, _ = port_info(memory, mac="00:00:00:00:00:00", nvm_check=0)
    address = re.search(r"MAC address: (\S+)", info).group(1)
    assert int(address[:2], 16) & 3 == 2  # locally administered, not a group's


@pytest.mark.parametrize("keys, line", [
    ({"nic": "82580"}, r"no NIC model '82580': have 82599, "),
    ({"driver": "net_nonesuch"}, r"no PCI driver 'net_nonesuch': load its library with -d"),
    ({"driver": "net_e1000_em"}, r"net_e1000_em does not take 8086:10fb"),
    ({"wire": "tap:aimbad0@nonesuch"}, r"wire tap:aimbad0@nonesuch: no such network namespace: make it with 'ip netns add'"),
    ({"wire": "string:x"}, r"no wire 'string': have null, loop, tap:"),
    ({"wire": "pcap:in=/nonesuch.pcap"}, r"wire pcap: /nonesuch.pcap: No such file or directory; in= is a pcap file"),
    ({"wire": "pcap:in=/etc/passwd"}, r"wire pcap: /etc/passwd: unknown file format; in= is a pcap file"),
    ({"wire": "pcap:out=/nonesuch/out.pcap"}, r"wire pcap: /nonesuch/out.pcap: No such file or directory"),
    ({"fault": "fire"}, r"bad value 'fire' of fault"),
], ids=lambda p: ",".join(f"{k}={v}" for k, v in p.items()) if isinstance(p, dict) else "")
def test_a_software_nic_that_cannot_be_is_refused(memory, keys, line):
    refused(memory, softpci(**keys), "^softpci: softpci0: " + line)


def test_a_capture_cut_in_its_header_is_refused(memory, tmp_path):
    path = tmp_path / "cut.pcap"
    path.write_bytes(struct.pack("<IHH", 0xA1B2C3D4, 2, 4))
    refused(memory, softpci(wire=f"pcap:in={path}"),
            r"^softpci: softpci0: wire pcap: .*cut.pcap: truncated dump file.*; in= is a pcap file")


def test_a_capture_cut_in_a_frame_is_played_up_to_there(memory, tmp_path):
    """Where a file ends is seen when it is read, and a capture whose writer was killed is of use."""
    path = tmp_path / "cut.pcap"
    wrpcap(str(path), [Ether(dst="ff:ff:ff:ff:ff:ff") / IP() / UDP() / Raw(bytes(100))] * 10)
    path.write_bytes(path.read_bytes()[:-30])
    with apps.Testpmd([softpci(wire=f"pcap:in={path}")], memory, ["--forward-mode=rxonly"]) as pmd:
        pmd.do("start")
        until(lambda: pmd.telemetry.ask("/ethdev/stats,0")["ipackets"] == 9)
        line = r"wire pcap: .*cut.pcap: truncated dump file.*; the 9 frames before it were played"
        assert len(re.findall(line, pmd.output)) == 1
        assert pmd.quit() == 0


def test_a_refused_nic_leaves_nothing_in_a_running_application(memory):
    def files():
        return len(os.listdir(f"/proc/{pmd.pid}/fd")), len(os.listdir(f"/proc/{pmd.pid}/task"))

    def attach(index, **keys):
        return pmd.do(f"port attach {softpci(index, **keys).removeprefix('--vdev=')}")

    good = apps.softpci(0, driver="net_ixgbe_aim", wire="null")
    with apps.Testpmd([good], memory) as pmd:
        attach(3, **{"yield": 2})
        pmd.telemetry.ask("/softpci/list")  # a connection is a descriptor and a thread, too
        before = files()
        for keys in ({"yield": 2}, {"fault": "nvm"}, {"fault": "dead"}, {"nic": "none"}):
            out = attach(3, **keys)
            assert "attach" in out and "is attached" not in out
            assert not pathlib.Path(f"/sys/class/net/{TAP}").exists()
            assert list(pmd.telemetry.ask("/softpci/list")) == ["0"]
            assert files() == before
        assert "is attached" in attach(3, wire="null")
        assert pmd.quit() == 0
