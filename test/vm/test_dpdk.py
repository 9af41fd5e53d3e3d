# SPDX-License-Identifier: BSD-3-Clause
"""
DPDK in a guest, on real PCI, VFIO, IOMMU and MSI-X: stock net_ixgbe as a witness for the models, and
our driver, loaded with -d into the distribution's testpmd.
"""

import pathlib
import re

import pytest

import frames
import guest as guests
import nics

OURS, STOCK = "net_ixgbe_aim", "net_ixgbe"
MODELS = ["82599", "82599-kx4", "x540", "x550"]
PLUGINS = nics.TOP / "build" / "drivers"
HUGEPAGES = 256  # of 2 MB
FRAMES = 200


def debian_12():
    """The plugin is built against this machine's DPDK; the guest has that of Debian 12."""
    release = pathlib.Path("/etc/os-release").read_text()
    return re.search(r'^ID=debian$', release, re.M) and re.search(r'^VERSION_ID="?12"?$', release, re.M)


@pytest.fixture(scope="module")
def machine(lab):
    folder = lab / "dpdk"
    folder.mkdir()
    made = []
    guest = None
    try:
        for slot, model in enumerate(MODELS, 5):
            made.append(nics.Nic(model, slot, folder))
        guest = guests.Guest("debian12", folder, [n.device for n in made], {"plugins": PLUGINS},
                             memory="2G", hugepages=HUGEPAGES)
        guest.run("mkdir -p /plugins && busybox mount -t 9p -o trans=virtio,version=9p2000.L,ro "
                  "plugins /plugins")
        guest.run("modprobe vfio-pci")
        for nic in made:
            device = f"/sys/bus/pci/devices/{nic.bdf}"
            guest.run(f"echo vfio-pci >{device}/driver_override && "
                      f"echo {nic.bdf} >/sys/bus/pci/drivers_probe && [ -e {device}/driver ]")
        yield guest, {n.model: n for n in made}
    finally:
        if guest is not None:
            guest.close()
        for nic in made:
            nic.close()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("driver", [OURS, STOCK])
def test_testpmd_sends_back_what_came(machine, driver, model):
    guest, nic = machine[0], machine[1][model]
    if driver == OURS and not debian_12():
        pytest.skip("the plugin is not built against Debian 12's DPDK")
    plugin = "-d /plugins " if driver == OURS else ""
    guest.run("rm -f /tmp/ready /tmp/go && mkfifo /tmp/go")
    run = guest.start(
        "(echo 'show port info 0'; echo 'set fwd macswap'; echo start; touch /tmp/ready; cat /tmp/go; "
        "echo stop; echo 'show port stats 0'; echo 'show port xstats 0'; echo quit) | "
        f"dpdk-testpmd -l 0,1 {plugin}-a {nic.bdf} -- -i --rxq=1 --txq=1 --total-num-mbufs=4096", 120)
    guest.until("[ -e /tmp/ready ]")
    with nic.wire() as wire:
        # frames before forwarding runs are lost: one by one until the first comes back
        mine = bytes.fromhex(nic.mac.replace(":", ""))

        def back(frame):
            return frame[6:12] == mine

        for _ in range(60):
            wire.send(frames.udp(nic, 100))
            if frames.collect(wire, 1, back, timeout=1):
                break
        frames.collect(wire, 1000, back, timeout=2)
        frames.send(wire, [frames.udp(nic, 60 + n % 1400, sport=n + 1) for n in range(FRAMES)])
        got = frames.collect(wire, FRAMES, back, timeout=20)
    guest.run("echo end >/tmp/go")
    out = guest.wait(run)
    assert len(got) == FRAMES, out
    assert sorted(map(len, got)) == sorted(60 + n % 1400 for n in range(FRAMES))
    assert re.search(rf"Driver name: {driver}\s", out), out
    assert re.search(r"Link status: up", out), out
    assert int(re.search(r"RX-packets: (\d+)", out).group(1)) >= FRAMES + 1
    assert re.search(r"RX-missed: 0\s", out) and re.search(r"TX-errors: 0\s", out), out
