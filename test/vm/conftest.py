# SPDX-License-Identifier: BSD-3-Clause
"""
Drivers that nobody here wrote, on our NIC models: virtual machines under QEMU's software emulation
whose NICs are served by vfu-nic.
    devtools/test --vm                 all of it; builds the lab first (test/vm/lab build)
    devtools/test --vm -k ethtool      some of it
    devtools/test --vm --write-table   all of it, and the table of results in the guide anew (table.py)
"""

import inspect
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
from lab import results  # noqa: E402
from lab.bench import MODELS  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--models", help="Linux's driver: on these models of NIC only, with commas between")
    parser.addoption("--driver", help="DPDK: with this driver only")
    results.add_option(parser)


def pytest_configure(config):
    for marker in ("ours: of our driver only",
                   "every_model: on each model of NIC", "sfp: of a NIC with a module in a cage",
                   "on(model): on this model only",
                   "turns: with all parameters on the 82599; the other models take turns",
                   "few: one of the few that CI has time for"):
        config.addinivalue_line("markers", marker)
    results.Recorder.register(config, lambda params: ("ixgbe", params["port"]) if "port" in params else
                              (params["driver"], params["model"]) if "model" in params else None)


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
    """The guest with Linux's ixgbe and two NICs of each model; made anew when it is gone."""

    def __init__(self, folder, models):
        self.folder, self.models = folder, models
        self.guest = None
        self.nics = {}
        self.spare = []  # one more of each model, for Reloads
        self.reloads = None
        self.unknown = {}  # offset that a model did not know -> models

    def note_unknown(self):
        for nic in [*self.nics.values(), *self.spare]:
            if nic.alive:
                for use in nic.report()["unknown"]:
                    self.unknown.setdefault(int(use["offset"], 16), set()).add(nic.model)

    def ready(self):
        """Up, with every NIC: as far as an earlier test left it so."""
        if self.guest is not None and self.guest.alive and all(n.alive for n in self.nics.values()):
            return
        self.close()
        try:
            for slot, model in enumerate(self.models, 5):
                self.nics[model] = nics.Nic(model, slot, self.folder)
            self.spare = [nics.Nic(model, slot, self.folder) for slot, model in enumerate(self.models, 9)]
            every = [*self.nics.values(), *self.spare]
            self.guest = guests.Guest("debian13", self.folder, [n.device for n in every], cpus=linux.CPUS)
            linux.load(self.guest, every)
        except BaseException:
            self.close()
            raise

    def close(self):
        if self.guest is not None:
            self.note_unknown()
            self.guest.close()
            self.guest = None
        for nic in [*self.nics.values(), *self.spare]:
            nic.close()
        self.nics, self.spare, self.reloads = {}, [], None

    def reload(self):
        """Begin to, if it was not begun in this guest."""
        if self.reloads is None:
            self.reloads = linux.Reloads(self.guest, self.spare)


@pytest.fixture(scope="session")
def witness(lab, request):
    w = Witness(lab, linux_models(request.config))
    yield w
    w.close()


def linux_models(config):
    wanted = config.getoption("--models")
    return [m for m in linux.MODELS if wanted is None or m in wanted.split(",")]


def start_of(item):
    """
    Sorts the tests on DPDK by what must run for them: an application takes longer to start than most of
    them. What the test says to its bench tells which testpmd it wants. The test that breaks the guest is last.
    """
    params = item.callspec.params
    wanted = re.search(r"\bbench\((?!.*\bdef\b)(.*)\)", inspect.getsource(item.function).split(":\n", 1)[1])
    return ("unplug" in item.path.name, params["driver"], MODELS.index(params.get("model", MODELS[0])),
            item.path.name, wanted.group(1) if wanted else "")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    on_dpdk = [i for i in items if "driver" in i.fixturenames]
    others = take_turns(i for i in items if i not in on_dpdk)
    # --driver leaves none for tests of the other driver only
    on_dpdk = [i for i in on_dpdk if i.callspec.params.get("driver") in (dpdk.OURS, dpdk.STOCK)]
    items[:] = sorted(on_dpdk, key=start_of) + others


def take_turns(items):
    """Of a test that takes turns, parameter set n belongs to the 82599 and to one other model."""
    seen, left = {}, []
    for item in items:
        if item.get_closest_marker("turns"):
            model = item.callspec.params["port"]
            n = seen[item.function, model] = seen.get((item.function, model), -1) + 1
            if model != "82599" and n % 3 != linux.MODELS.index(model) - 1:
                continue
        left.append(item)
    return left


def pytest_generate_tests(metafunc):
    """
    The model of a test on Linux's driver; driver and model of a test that runs on DPDK. A row of the
    table is filled for both drivers and every model; the other tests are for our driver, and take turns.
    """
    if "port" in metafunc.fixturenames:
        metafunc.parametrize("port", linux_models(metafunc.config), indirect=True)
    if "driver" not in metafunc.fixturenames:
        return
    of = metafunc.definition.get_closest_marker
    drivers = [dpdk.OURS] if of("ours") or not of("check") else [dpdk.OURS, dpdk.STOCK]
    only = metafunc.config.getoption("--driver")
    drivers = [d for d in drivers if only is None or d == only]
    if "model" not in metafunc.fixturenames:
        metafunc.parametrize("driver", drivers, scope="session")
        return
    if of("on"):
        models = [of("on").args[0]]
    elif of("sfp"):
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


@pytest.fixture
def port(request, witness):
    """A port of Linux's ixgbe, up, as a fresh driver would have it."""
    witness.ready()
    if any("test_reload" in item.name for item in request.session.items):
        witness.reload()
    p = linux.Port(witness.guest, witness.nics[request.param])
    p.fresh()
    return p
