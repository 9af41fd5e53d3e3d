# SPDX-License-Identifier: BSD-3-Clause
"""
Drivers that nobody here wrote, on our NIC models: virtual machines under QEMU's software emulation
whose NICs are served by vfu-nic.
    devtools/test --vm                 all of it; builds the lab first (test/vm/lab build)
    devtools/test --vm -k ethtool      some of it
    devtools/test --vm --write-table   all of it, and the table of results in the guide anew
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e"), str(HERE.parents[1] / "devtools")]
pytest.register_assert_rewrite("test_port", "test_offload", "test_queues")
import dpdk  # noqa: E402
import guest as guests  # noqa: E402
import linux  # noqa: E402
import nics  # noqa: E402
import table  # noqa: E402
from lab.bench import MODELS  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--write-table", action="store_true", help="write the guide's table of results")


def pytest_configure(config):
    for marker in ("check(name): the row of the table that a test belongs to", "ours: of our driver only",
                   "every_model: on each model of NIC", "sfp: of a NIC with a module in a cage"):
        config.addinivalue_line("markers", marker)
    config.pluginmanager.register(table.Recorder(config))


def run_folder():
    """A folder for sockets and logs; those of runs that were killed go away."""
    base = pathlib.Path(tempfile.gettempdir())
    for old in base.glob("aimvm-*-*"):
        if not pathlib.Path(f"/proc/{old.name.split('-')[1]}").exists():
            shutil.rmtree(old, ignore_errors=True)
    return pathlib.Path(tempfile.mkdtemp(prefix=f"aimvm-{os.getpid()}-", dir=base))


@pytest.fixture(scope="session")
def lab():
    """The folder of this run; the lab is built. A machine that cannot build it skips, and says why."""
    done = subprocess.run([HERE / "lab", "build"], text=True, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        pytest.skip(f"no virtual machines here: {done.stderr.strip().splitlines()[-1]}")
    folder = run_folder()
    yield folder
    if not os.environ.get("VM_KEEP"):  # logs of the run
        shutil.rmtree(folder, ignore_errors=True)


class Witness:
    """The guest with Linux's ixgbe and one NIC of each model; made anew when it is gone."""

    def __init__(self, folder):
        self.folder = folder
        self.guest = None
        self.nics = {}
        self.unknown = {}  # offset that a model did not know -> models

    def note_unknown(self):
        for nic in self.nics.values():
            if nic.alive:
                for use in nic.report()["unknown"]:
                    self.unknown.setdefault(int(use["offset"], 16), set()).add(nic.model)

    def ready(self):
        """Up, with every NIC: as far as an earlier test left it so."""
        if self.guest is not None and self.guest.alive and all(n.alive for n in self.nics.values()):
            return
        self.close()
        try:
            for slot, model in enumerate(linux.MODELS, 5):
                self.nics[model] = nics.Nic(model, slot, self.folder)
            self.guest = guests.Guest("debian13", self.folder, [n.device for n in self.nics.values()],
                                      cpus=linux.CPUS)
            linux.load(self.guest, self.nics.values())
        except BaseException:
            self.close()
            raise

    def close(self):
        if self.guest is not None:
            self.note_unknown()
            self.guest.close()
            self.guest = None
        for nic in self.nics.values():
            nic.close()
        self.nics = {}


@pytest.fixture(scope="session")
def witness(lab):
    w = Witness(lab)
    yield w
    w.close()


def pytest_generate_tests(metafunc):
    """
    Driver and model of a test that runs on DPDK. A row of the table is filled for every model; the
    other tests take turns.
    """
    if "driver" not in metafunc.fixturenames:
        return
    of = metafunc.definition.get_closest_marker
    drivers = [dpdk.OURS] if of("ours") else [dpdk.OURS, dpdk.STOCK]
    if "model" not in metafunc.fixturenames:
        metafunc.parametrize("driver", drivers, scope="session")
        return
    if of("sfp"):
        models = MODELS[:1]
    elif of("check") or of("every_model"):
        models = MODELS
    else:
        models = [MODELS[zlib.crc32(metafunc.function.__name__.encode()) % len(MODELS)]]
    metafunc.parametrize("driver, model", [(d, m) for d in drivers for m in models], scope="session")


def debian_12():
    """The plugin is built against this machine's DPDK; the guest has that of Debian 12."""
    release = pathlib.Path("/etc/os-release").read_text()
    return re.search(r"^ID=debian$", release, re.M) and re.search(r'^VERSION_ID="?12"?$', release, re.M)


@pytest.fixture(scope="session")
def dpdk_machine(lab):
    if not debian_12():
        pytest.skip("the guest has Debian 12's DPDK, and the plugin is built against another")
    m = dpdk.Machine(lab / "dpdk")
    yield m
    m.close()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.failed:
        item.failed = True


@pytest.fixture
def bench(request, dpdk_machine, driver, model):
    """A function that makes a bench, as in test/e2e: one a test."""
    made = []

    def make(**kwargs):
        made.append(dpdk.GuestBench(dpdk_machine, driver, model, **kwargs))
        return made[-1]

    yield make
    for b in made:
        b.close(passed=not getattr(request.node, "failed", False))


@pytest.fixture(params=linux.MODELS)
def port(request, witness):
    """A port of Linux's ixgbe, up, as a fresh driver would have it."""
    witness.ready()
    p = linux.Port(witness.guest, witness.nics[request.param])
    p.fresh()
    return p
