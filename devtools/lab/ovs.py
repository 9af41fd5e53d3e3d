# SPDX-License-Identifier: BSD-3-Clause
"""Open vSwitch with DPDK, as the distribution has it, on software NICs: its own database, no system service."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from .apps import HERE
from .hosts import run
from .telemetry import Telemetry, runtime_folder

PROGRAM = pathlib.Path("/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk")
SCHEMA = pathlib.Path("/usr/share/openvswitch/vswitch.ovsschema")


def missing():
    """Why it cannot run here; None: it can."""
    if PROGRAM.exists() and SCHEMA.exists() and shutil.which("ovsdb-server"):
        return None
    return "no Open vSwitch with DPDK: apt-get install openvswitch-switch-dpdk"


class Ovs:
    """A switch with one bridge, br0. `nics` are EAL's options for them; `core` polls, `other` does the rest."""

    def __init__(self, nics, memory, core, other):
        self.prefix = f"aim{os.getpid()}_ovs"
        # names of sockets are short
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="aimovs", dir="/run"))
        self.env = {**os.environ, **{f"OVS_{k}DIR": str(self.folder) for k in ("RUN", "DB", "LOG", "SYSCONF")}}
        self.socket = f"unix:{self.folder}/db.sock"
        self.log = self.folder / "vswitchd.log"
        self.processes = []
        self._telemetry = None
        eal = [*memory, f"--file-prefix={self.prefix}", *nics, *HERE.eal]
        for plugin in HERE.plugins:
            eal += ["-d", str(plugin)]
        if "--no-huge" in memory:
            eal.append("--legacy-mem")  # else OVS adds --in-memory, which EAL refuses beside --no-huge
        try:
            run("ovsdb-tool", "create", str(self.folder / "conf.db"), str(SCHEMA), env=self.env)
            self._start("ovsdb-server", str(self.folder / "conf.db"), f"--remote=p{self.socket}")
            self.vsctl("--no-wait", "--", "init", "--", "set", "Open_vSwitch", ".",
                       "other_config:dpdk-init=true", f"other_config:pmd-cpu-mask={1 << core:#x}",
                       f"other_config:dpdk-lcore-mask={1 << other:#x}",
                       f'other_config:dpdk-extra="{" ".join(eal)}"')
            self.switch = self._start(str(PROGRAM), self.socket)
            self.vsctl("add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=netdev")
        except BaseException:
            self.__exit__()
            raise

    def _start(self, program, *args):
        name = pathlib.Path(program).name
        with open(self.log if program == str(PROGRAM) else self.folder / f"{name}.log", "wb") as log:
            self.processes.append(subprocess.Popen(
                [program, *args, "--no-chdir", f"--unixctl={self.folder}/{name}.ctl"], env=self.env,
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT))
        return self.processes[-1]

    def vsctl(self, *args):
        """A change of the database, and until the switch has made it; what it printed."""
        return run("ovs-vsctl", "--retry", f"--db={self.socket}", "--timeout=30", *args, env=self.env).strip()

    def appctl(self, *args):
        return run("ovs-appctl", f"--target={self.folder}/{PROGRAM.name}.ctl", "--timeout=30", *args, env=self.env)

    def add(self, port, pci, **options):
        """A port of a NIC, by its PCI address."""
        self.vsctl("add-port", "br0", port, "--", "set", "Interface", port, "type=dpdk",
                   f'options:dpdk-devargs="{pci}"', *(f"options:{k}={v}" for k, v in options.items()))

    def get(self, port, column):
        return self.vsctl("get", "Interface", port, column).strip('"')

    @property
    def telemetry(self):
        if self._telemetry is None:
            self._telemetry = Telemetry(self.prefix)
        return self._telemetry

    def end(self):
        """The ports are closed, and it is gone; its exit status."""
        self.appctl("exit", "--cleanup")
        return self.switch.wait(20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.kill()
                process.wait()
        if self._telemetry is not None:
            self._telemetry.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(runtime_folder(self.prefix), ignore_errors=True)
