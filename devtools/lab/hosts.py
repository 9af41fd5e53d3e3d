# SPDX-License-Identifier: BSD-3-Clause
"""Hosts for tests: network namespaces with a TAP each, whose other end is a software NIC."""

import contextlib
import os
import subprocess


def run(*command, check=True, **kwargs):
    """A command; its output on failure becomes the exception's text."""
    done = subprocess.run(command, text=True, capture_output=True, check=False, **kwargs)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


class Host:
    """A namespace with one address; `tap` appears there when a software NIC opens it."""

    def __init__(self, name, tap, mac, address, gateway, routes):
        self.name, self.tap, self.mac = name, tap, mac
        self.address, self.gateway, self.routes = address, gateway, routes
        self.ip = address.split("/")[0]

    def create(self):
        try:
            run("ip", "netns", "add", self.name)
        except RuntimeError as e:
            raise RuntimeError(f"{e}: network namespaces need root (CAP_SYS_ADMIN)") from None
        self.cmd("ip", "link", "set", "lo", "up")
        # Quiet: nothing on the wire that the test did not send.
        for key in ("all", "default"):
            self.cmd("sh", "-c", f"echo 1 >/proc/sys/net/ipv6/conf/{key}/disable_ipv6", check=False)

    def configure(self, gateway_mac):
        """After the TAP is there: address, route, and the gateway's MAC (l3fwd answers no ARP)."""
        # the queue in which frames wait for the NIC: long enough for TCP's whole window
        self.cmd("ip", "link", "set", self.tap, "address", self.mac, "txqueuelen", "10000")
        self.cmd("ip", "addr", "add", self.address, "dev", self.tap)
        self.cmd("ip", "link", "set", self.tap, "up")
        self.cmd("ip", "neigh", "add", self.gateway, "lladdr", gateway_mac, "dev", self.tap,
                 "nud", "permanent")
        for route in self.routes:
            self.cmd("ip", "route", "add", route, "via", self.gateway)

    def cmd(self, *command, **kwargs):
        return run("ip", "netns", "exec", self.name, *command, **kwargs)

    def popen(self, *command, **kwargs):
        return subprocess.Popen(["ip", "netns", "exec", self.name, *command], **kwargs)

    def delete(self):
        run("ip", "netns", "del", self.name, check=False)


@contextlib.contextmanager
def two_hosts():
    """Two hosts on the networks of l3fwd-power's own routes: 1.1.1.0/24 at port 0, 2.1.1.0/24 at port 1."""
    tag = os.getpid()
    hosts = [
        Host(f"aim{tag}a", "aim0", "02:00:00:00:00:00", "1.1.1.2/24", "1.1.1.1", ["2.1.1.0/24"]),
        Host(f"aim{tag}b", "aim1", "02:00:00:00:00:01", "2.1.1.2/24", "2.1.1.1", ["1.1.1.0/24"]),
    ]
    try:
        for host in hosts:
            host.create()
        yield hosts
    finally:
        for host in hosts:
            host.delete()
