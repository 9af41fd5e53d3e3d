# SPDX-License-Identifier: BSD-3-Clause
"""
DPDK of Debian 12 in a guest: its applications, unmodified, on ports of vfio-pci behind the virtual
IOMMU, with our driver, loaded by -d, or with the stock one.
"""

import json
import re
import shlex

import frames
import guest as guests
import nics
import remote
from lab import apps, machine
from lab.bench import MODELS, Bench, until
from lab.telemetry import runtime_folder
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

OURS, STOCK = "net_ixgbe_aim", "net_ixgbe"
HUGEPAGES = 256  # of 2 MB
CPUS = 2
SLOT = 16  # of the first NIC: QEMU puts other devices in front
MEMORY = ("-m", "256", "--iova-mode=va")
LIBRARIES = "/usr/lib/x86_64-linux-gnu/dpdk/pmds-23.0"
NEEDED = "bus_pci|bus_vdev|mempool_ring|net_ixgbe"


class Telemetry:
    """As lab.telemetry has it, of an application in the guest."""

    def __init__(self, guest, prefix):
        self.guest, self.path = guest, runtime_folder(prefix) + "/dpdk_telemetry.v2"

    def ask(self, command):
        return json.loads(self.guest.call("ask", self.path, command))[command.split(",")[0]]

    def close(self):
        pass


class Place:
    """Where applications run (see lab.apps.Here): the guest."""

    eal = ()
    patience = 4

    def __init__(self, guest, driver):
        self.guest = guest
        self.plugins = ["/plugins"] if driver == OURS else []

    @staticmethod
    def l3fwd_power():
        return "/apps/" + apps.l3fwd_power_build().name

    def start(self, command, env):
        words = [f"{k}={v}" for k, v in {"LD_LIBRARY_PATH": "/drivers", **env}.items()] + [str(c) for c in command]
        return remote.Process(self.guest, "exec env " + shlex.join(words))

    def telemetry(self, prefix):
        return Telemetry(self.guest, prefix)

    def forget(self, prefix):
        if self.guest.alive:
            self.guest.run(f"rm -rf {runtime_folder(prefix)} /dev/hugepages/{prefix}map_*")


class Machine:
    """The guest with two NICs of each model; made anew when it is gone. One application at a time."""

    def __init__(self, folder):
        self.folder = folder
        self.guest = None
        self.pairs = {}  # model -> its two NICs
        self.app = None
        self.running = None  # what self.app is

    @property
    def nics(self):
        return [n for pair in self.pairs.values() for n in pair]

    def ready(self):
        if self.guest is not None and self.guest.alive and all(n.alive for n in self.nics):
            return
        self.close()
        self.folder.mkdir(exist_ok=True)
        program = apps.l3fwd_power_build()
        try:
            for slot, model in enumerate(MODELS, SLOT):
                self.pairs[model] = [nics.Nic(model, s, self.folder) for s in (slot, slot + len(MODELS))]
            self.guest = guests.Guest("debian12", self.folder, [n.device for n in self.nics],
                                      {"plugins": machine.PLUGINS, "apps": program.parent},
                                      memory="2G", cpus=CPUS, hugepages=HUGEPAGES, reboots=True)
            self.prepare()
        except BaseException:
            self.close()
            raise

    def prepare(self):
        """After each boot."""
        for tag in ("plugins", "apps"):
            self.guest.run(f"mkdir -p /{tag} && busybox mount -t 9p -o "
                           f"trans=virtio,version=9p2000.L,ro,cache=loose {tag} /{tag}")
        # EAL loads whatever lies there, 190 libraries: in their place a folder with links to a few
        self.guest.run(f"mkdir -m 755 /drivers /few && busybox mount --bind {LIBRARIES} /drivers && "
                       f"ln -s $(ls /drivers/*.so.23.0 | grep -E '{NEEDED}') /few && "
                       f"busybox mount --bind /few {LIBRARIES} && modprobe vfio-pci")
        self.guest.run("; ".join(
            f"echo vfio-pci >/sys/bus/pci/devices/{n.bdf}/driver_override; "
            f"echo {n.bdf} >/sys/bus/pci/drivers_probe" for n in self.nics))
        self.guest.run(" && ".join(f"[ -e /sys/bus/pci/devices/{n.bdf}/driver ]" for n in self.nics))

    def run(self, what, start):
        """The application that is `what`, from start() unless it runs already."""
        if self.running != what or self.app.process.poll() is not None or not self.guest.alive:
            self.end()
            self.ready()
            self.app = start()
            self.running = what
        return self.app

    def end(self):
        """No application."""
        if self.app is not None:
            self.app.__exit__()
        self.app = self.running = None

    def close(self):
        self.end()
        if self.guest is not None:
            self.guest.close()
        self.guest = None
        for nic in self.nics:
            nic.close()
        self.pairs = {}


class GuestBench(Bench):
    """
    Two NICs of a model in the guest: frames are sent at the wire of port 0, what port 1 sends is taken
    at its wire. testpmd runs on from test to test, for its start takes longer than most of them: what a
    test set is put back. Where that cannot be, or the test failed, the next one has a fresh testpmd.
    """

    HARMLESS = r"(start|stop|show|clear|set (fwd|verbose|link-up|link-down)|port (start|stop) (all|\d)$)"
    # what a command set, and the one that puts it back; the port's address is {mac}
    UNDO = ((r"set promisc (\d) \w+", r"set promisc \1 on"),
            (r"set allmulti (\d) \w+", r"set allmulti \1 off"),
            (r"set flow_ctrl (rx|tx) \w+ (\d)", r"set flow_ctrl \1 off \2"),
            (r"mac_addr (?:add|remove) 0 (\S+)", r"mac_addr remove 0 \1"),
            (r"mac_addr set 0 \S+", r"mac_addr set 0 {mac}"),
            (r"mcast_addr (?:add|remove) 0 (\S+)", r"mcast_addr remove 0 \1"),
            (r"rx_vlan (?:add|rm) (\d+) 0", r"rx_vlan rm \1 0"),
            (r"vlan set stripq \w+ (\d,\d)", r"vlan set stripq off \1"),
            (r"vlan set (strip|filter) \w+ (\d)", r"vlan set \1 off \2"))
    # the same with the ports stopped
    UNDO_STOPPED = ((r"csum set (\w+) \w+ (\d)", r"csum set \1 sw \2"),
                    (r"tx_vlan set (\d) \d+", r"tx_vlan reset \1"),
                    (r"tso set \d+ (\d)", r"tso set 0 \1"))

    def __init__(self, machine, driver, model, args=(), mtu=1500):
        assert mtu <= 9500  # the wire takes what the longest test needs
        self.machine, self.changed, self.undo = machine, False, {}
        machine.ready()
        self.pair = machine.pairs[model]
        for nic in self.pair:
            nic.link(True)
        self.pmd = machine.run((driver, model, args), lambda: testpmd(machine, driver, self.pair, args))
        for index in (0, 1):
            self.wait(lambda i=index: self.pmd.telemetry.ask(f"/ethdev/link_status,{i}")["status"] == "UP")
        self.wire, self.out = (nic.wire() for nic in self.pair)
        self.pmd.do("set verbose 0")
        self.pmd.do("clear port stats all")
        self.pmd.do("clear port xstats all")
        for nic in self.pair:
            nic.control("reset-stats")

    def do(self, *commands):
        for command in commands:
            if not re.match(self.HARMLESS, command):
                self.note(command)
        return super().do(*commands)

    def note(self, command):
        """What puts it back; in a dict, for once is enough."""
        for stopped, undos in ((False, self.UNDO), (True, self.UNDO_STOPPED)):
            for pattern, back in undos:
                match = re.fullmatch(pattern, command)
                if match:
                    self.undo[match.expand(back).format(mac=self.pair[0].mac)] = stopped
                    return
        self.changed = True

    def put_back(self):
        self.pmd.do("stop", refused=True)
        for command in (c for c, stopped in self.undo.items() if not stopped):
            self.pmd.do(command)
        if any(self.undo.values()):
            self.pmd.do("port stop all")
            for command in (c for c, stopped in self.undo.items() if stopped):
                self.pmd.do(command)
            self.pmd.do("port start all")

    @staticmethod
    def wait(what, timeout=20.0):
        until(what, timeout)

    def nic(self, index=0):
        return self.pair[index].control("stats")

    def end(self):
        self.pmd.do("stop", refused=True)
        count = self.nic(1)["tx_frames"]
        got = frames.collect(self.out, count, lambda frame: True)
        assert len(got) == count
        return [Ether(frame) for frame in got]

    def close(self, passed):
        """testpmd stays if it is as it was, or can be again."""
        self.wire.close()
        self.out.close()
        if passed and not self.changed:
            self.put_back()
        else:
            self.machine.end()


def l3fwd_power(machine, driver, model):
    """l3fwd-power asleep on the two NICs of a model, links up; the one that runs, if it does."""
    machine.ready()
    pair = machine.pairs[model]
    app = machine.run(("l3fwd-power", driver, model), lambda: apps.L3fwdPower(
        [f"--allow={n.bdf}" for n in pair], MEMORY, 1, place=Place(machine.guest, driver)))
    until(lambda: all(app.telemetry.ask(f"/ethdev/link_status,{i}")["status"] == "UP" for i in (0, 1)), 20)
    return app


def routed(nic):
    """A frame to the first of a pair that l3fwd-power sends on by the second."""
    return bytes(Ether(dst=nic.mac, src=nic.host_mac) / IP(src="1.1.1.2", dst="2.1.1.7")
                 / UDP(sport=5, dport=6) / bytes(30))


def kernel_count(guest, nic, vector=r"[1-9]\d*"):
    """Messages of the NIC's queue vectors so far: vector 0 is for everything else."""
    rows = re.findall(rf"^\s*\d+:((?:\s+\d+)+)\s.*vfio-msix\[{vector}\]\({nic.bdf}\)",
                      guest.run("cat /proc/interrupts"), re.M)
    return sum(int(n) for row in rows for n in row.split())


def testpmd(machine, driver, ports, args=(), memory=MEMORY, **keys):
    return apps.Testpmd([x for nic in ports for x in ("-a", nic.bdf)], memory, args,
                        place=Place(machine.guest, driver), **keys)
