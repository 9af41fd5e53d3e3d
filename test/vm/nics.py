# SPDX-License-Identifier: BSD-3-Clause
"""Software NICs for a guest: a vfio-user server each, with a network namespace at its wire."""

import ctypes
import json
import os
import pathlib
import re
import socket
import subprocess
import time

import processes

TOP = pathlib.Path(__file__).resolve().parents[2]
SERVER = pathlib.Path(os.environ.get("VFU_NIC", TOP / "build" / "test" / "vfu" / "vfu-nic"))
TAP = "wire"
CLONE_NEWNET = 0x40000000
SOL_PACKET, PACKET_AUXDATA = 263, 8
_libc = ctypes.CDLL(None, use_errno=True)


class Host(processes.Namespace):
    """A host at the far end of a wire: a namespace with the interface `wire`."""

    def socket(self, *args):
        """A socket of this process that lives in here. Main thread only."""
        home = os.open("/proc/self/ns/net", os.O_RDONLY)
        here = os.open(f"/proc/{self.holder.pid}/ns/net", os.O_RDONLY)
        try:
            if _libc.setns(here, CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")
            try:
                return socket.socket(*args)
            finally:
                if _libc.setns(home, CLONE_NEWNET) != 0:
                    raise OSError(ctypes.get_errno(), "setns back")
        finally:
            os.close(home)
            os.close(here)


class Nic:
    """A software NIC of a model at PCI slot `slot` of the guest: wire, host, addresses."""

    def __init__(self, model, slot, run_folder):
        self.model, self.slot = model, slot
        self.mac = f"02:00:00:00:00:{slot:02x}"
        self.guest_ip, self.host_ip = f"10.0.{slot}.1", f"10.0.{slot}.2"
        self.bdf = f"0000:00:{slot:02x}.0"
        self.ifname = None  # in the guest; known once its driver is there
        self._path = run_folder / f"nic{slot}.sock"
        self._path.unlink(missing_ok=True)  # of a server that was killed
        self._control = run_folder / f"nic{slot}.control"
        self._log = open(run_folder / f"nic{slot}.log", "w")
        if not SERVER.exists():
            raise RuntimeError(f"no {SERVER}: run ninja -C build")
        self.host = Host()
        try:
            self.server = self.host.start(
                SERVER, "--socket", self._path, "--model", model, "--mac", self.mac,
                "--wire", f"tap:{TAP}", "--control", self._control,
                stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
            self._wait_for(self._path)
            self.host.run("ip", "link", "set", TAP, "mtu", "9000", "txqueuelen", "10000", "up")
            self.host.run("ip", "addr", "add", f"{self.host_ip}/24", "dev", TAP)
            # the host says nothing that a test did not ask for: no ARP, no ICMP of a closed port
            self.host.run("ip", "link", "set", TAP, "arp", "off")
            self.host.run("ip", "neigh", "add", self.guest_ip, "lladdr", self.mac, "dev", TAP)
            self._sink = self.host.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self._sink.bind(("", 9))
            out = self.host.run("ip", "-o", "link", "show", TAP)
            self.host_mac = re.search(r"link/ether (\S+)", out).group(1)
        except BaseException:
            self.close()
            raise

    def _wait_for(self, path, timeout=20):
        deadline = time.monotonic() + timeout
        while not path.exists():
            if self.server.poll() is not None or time.monotonic() > deadline:
                self._log.flush()
                said = pathlib.Path(self._log.name).read_text().strip().splitlines()[-5:]
                raise RuntimeError(f"vfu-nic does not serve {self.model}: " + " / ".join(said))
            time.sleep(0.02)

    @property
    def device(self):
        """QEMU's -device."""
        return {"driver": "vfio-user-pci", "addr": f"{self.slot:02x}.0",
                "socket": {"type": "unix", "path": str(self._path)}}

    @property
    def alive(self):
        return self.server.poll() is None

    def control(self, command):
        """A line to the server's control socket; its answer."""
        with socket.socket(socket.AF_UNIX) as s, s.makefile("r") as answer:
            s.settimeout(10)
            s.connect(str(self._control))
            s.sendall(command.encode() + b"\n")
            said = json.loads(answer.readline())
        if "error" in said:
            raise RuntimeError(f"vfu-nic: '{command}': {said['error']}")
        return said

    def link(self, up, mbps=10000):
        self.control(f"link up {mbps}" if up else "link down")

    def report(self):
        """What the server counted up to now, with the registers that were used."""
        return self.control("report")["devices"][0]

    def wire(self):
        """A raw socket at the wire: what it sends arrives at the NIC, what the NIC sends arrives here."""
        s = self.host.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        s.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        s.bind((TAP, 0))
        return s

    def close(self):
        if hasattr(self, "server"):
            processes.end(self.server)
        if hasattr(self, "_sink"):
            self._sink.close()
        self.host.close()
        self._log.close()
