# SPDX-License-Identifier: BSD-3-Clause
"""A port of Linux's ixgbe in the guest, and what the tests ask of it."""

import re
import time

MODELS = ["82599", "82599-kx4", "x540", "x550"]
CPUS = 4  # as many queues has a port at most
RELOADS = {"82599": 50, "82599-kx4": 5, "x540": 5, "x550": 5}
DRIVER = "/sys/bus/pci/drivers/ixgbe"


def load(guest, nics):
    """Load the driver; every NIC must get a port."""
    guest.run("modprobe ixgbe async_probe=1", timeout=120)
    for nic in nics:
        nic.ifname = guest.until(f"ls /sys/bus/pci/devices/{nic.bdf}/net", 60).strip()


class Reloads:
    """
    The driver lets go of a NIC of each model and takes it again, while other tests run: that takes two
    seconds and more a time, most of them waiting.
    """

    def __init__(self, guest, nics):
        self.guest, self.nics = guest, nics
        command = ("n=0; for i in $(seq {times}); do echo {bdf} >{driver}/unbind && echo {bdf} >{driver}/bind && "
                   "[ -d /sys/bus/pci/devices/{bdf}/net ] && n=$((n + 1)); done; echo $n")
        self._started = {n.model: guest.start(command.format(times=RELOADS[n.model], bdf=n.bdf, driver=DRIVER), 600)
                         for n in nics}
        self._done = {}

    def done(self, model):
        """How often it went well, once all is over."""
        if model not in self._done:
            self._done[model] = int(self.guest.wait(self._started[model]).split()[-1])
        return self._done[model]


class Port:
    def __init__(self, guest, nic):
        self.guest, self.nic = guest, nic
        self.name = nic.ifname

    def run(self, command, timeout=60, check=True):
        """A command in the guest; {} is the port's name."""
        return self.guest.run(command.replace("{}", self.name), timeout, check)

    def fresh(self):
        """Default settings, link up, address set: whatever a test before left."""
        self.nic.link(True)
        out = self.guest.run(
            f"d=/sys/bus/pci/devices/{self.nic.bdf}; [ -e $d/net ] || echo {self.nic.bdf} >{DRIVER}/bind; "
            "name=$(ls $d/net); ip link set $name promisc off allmulticast off mtu 1500 "
            f"address {self.nic.mac}; ip addr replace {self.nic.guest_ip}/24 dev $name; "
            "ip link set $name up; echo $name", timeout=90)
        self.name = self.nic.ifname = out.split()[-1]
        self.link_up()

    def link_up(self, timeout=20):
        """Wait for it; the host's address is known again, no ARP is needed."""
        self.guest.until(f"[ $(cat /sys/class/net/{self.name}/carrier) = 1 ] && ip neigh replace "
                         f"{self.nic.host_ip} lladdr {self.nic.host_mac} dev {self.name}", timeout)

    def ping(self, size=56, count=3):
        """From the guest to the host: frames in both directions, answered."""
        self.run(f"ping -c {count} -i 0.02 -W 5 -w 20 -M do -s {size} {self.nic.host_ip}")

    def stats(self):
        """ethtool -S as a dict."""
        out = self.run("ethtool -S {}")
        return {k: int(v) for k, v in re.findall(r"^\s*([\w-]+): (\d+)$", out, re.M)}

    def gained(self, before, settle=0.0):
        """What the counters gained since `before`."""
        time.sleep(settle)
        after = self.stats()
        return {k: after[k] - v for k, v in before.items() if k in after}

    def queues(self, gained, direction):
        """Packets by queue of what gained() gave."""
        return [gained[f"{direction}_queue_{q}_packets"] for q in range(CPUS)]

    def interrupts(self):
        """Interrupts of the port's queue vectors so far, by vector."""
        out = self.run("grep '{}-TxRx' /proc/interrupts")
        rows = [line.split() for line in out.splitlines()]
        return [sum(int(f) for f in row[1:1 + CPUS]) for row in rows]

    def features(self):
        """ethtool -k as a dict of booleans."""
        out = self.run("ethtool -k {}")
        return {k: v == "on" for k, v in re.findall(r"^\s*([\w-]+): (on|off)", out, re.M)}

    def offload(self, feature, on):
        self.run(f"ethtool -K {{}} {feature} {'on' if on else 'off'}")
