# SPDX-License-Identifier: BSD-3-Clause
"""DPDK applications under test, unmodified: l3fwd-power and testpmd, on software NICs."""

import itertools
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import threading
import time

from .families import DRIVERS, family_of
from .machine import BUILD, PLUGINS, SOFTPCI, TOP
from .telemetry import Telemetry, runtime_folder

L3FWD_POWER_SOURCE = pathlib.Path(
    os.environ.get("L3FWD_POWER_SOURCE", "/usr/share/dpdk/examples/l3fwd-power"))
_counter = itertools.count()


def l3fwd_power_build():
    """Build the example from the distribution's source, as it is; returns the program."""
    target = BUILD / "apps" / "l3fwd-power"
    program = target / "build" / "l3fwd-power-shared"
    if program.exists():
        return program
    if not (L3FWD_POWER_SOURCE / "main.c").exists():
        raise RuntimeError(f"no source of l3fwd-power in {L3FWD_POWER_SOURCE}: install dpdk-doc, "
                           "or set L3FWD_POWER_SOURCE")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(L3FWD_POWER_SOURCE, target)
    done = subprocess.run(["make", "-C", target, "shared"], text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"l3fwd-power does not build: {done.stderr.strip()}")
    return program


def testpmd_build():
    """testpmd with option --rxq-intr, from the distribution's source and our patches; returns the program."""
    done = subprocess.run([TOP / "devtools" / "testpmd-build"], text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or done.stdout.strip())
    return BUILD / "apps" / "testpmd" / "dpdk-testpmd"


def softpci(index, **keys):
    """
    --vdev of a software NIC; unknown keys reach the hosted driver as its devargs. Without a model it is
    the first that the driver knows.
    """
    if "nic" not in keys and keys.get("driver") in DRIVERS:
        keys["nic"] = family_of(keys["driver"]).models[0]
    return f"--vdev=softpci{index}," + ",".join(f"{k}={v}" for k, v in keys.items())


class Here:
    """This machine as the place where applications run: on software NICs in the process."""

    plugins = (PLUGINS,)
    patience = 1  # that many times longer an answer may take
    eal = ("--no-pci", "-d", str(SOFTPCI))

    @staticmethod
    def l3fwd_power():
        return l3fwd_power_build()

    @staticmethod
    def start(command, env):
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, bufsize=1,
                                errors="replace", env={**os.environ, **env})

    @staticmethod
    def telemetry(prefix):
        return Telemetry(prefix)

    @staticmethod
    def forget(prefix):
        # EAL leaves the folder of its sockets
        shutil.rmtree(runtime_folder(prefix), ignore_errors=True)


HERE = Here()


class App:
    """
    A DPDK process with its output collected and its telemetry at hand. `prefix` is that of a primary
    process, to be a secondary one beside it.
    """

    def __init__(self, program, eal, app, plugins=None, env=None, wrap=(), place=HERE, prefix=None):
        self.prefix = prefix or f"aim{os.getpid()}_{next(_counter)}"
        self.place, self.owner = place, prefix is None
        command = [*wrap, str(program), f"--file-prefix={self.prefix}", *eal]
        for plugin in place.plugins if plugins is None else plugins:
            command += ["-d", str(plugin)]
        command += [*place.eal, "--", *app]
        self.command = command
        self.process = place.start(command, env or {})
        self.lines = []
        self._fresh = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._telemetry = None

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            self._fresh.put(line)
        self._fresh.put(None)

    @property
    def output(self):
        return "\n".join(self.lines)

    @property
    def pid(self):
        return self.process.pid

    def cpu_s(self, threads="*"):
        """CPU time of its threads, s; of one when its id is given. Of threads that ended there is none."""
        total = 0.0
        for task in pathlib.Path(f"/proc/{self.pid}/task").glob(str(threads)):
            try:
                fields = (task / "stat").read_text().rsplit(")", 1)[1].split()
                ticks = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
                fine = task / "schedstat"  # ns, where the kernel keeps it
                total += int(fine.read_text().split()[0]) / 1e9 if fine.exists() else ticks
            except FileNotFoundError:
                pass
        return total

    @property
    def telemetry(self):
        if self._telemetry is None:
            self._telemetry = self.place.telemetry(self.prefix)
        return self._telemetry

    def wait_for(self, pattern, timeout=60.0):
        """Until a line matches; the match. Raises with the last output when it does not come."""
        deadline = time.monotonic() + timeout * self.place.patience
        while True:
            try:
                line = self._fresh.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                line = None
            if line is None:
                raise RuntimeError(self._why(pattern))
            match = re.search(pattern, line)
            if match:
                return match

    def _why(self, pattern):
        """Why the application did not get where it should: the plugin's or driver's own line, if any."""
        for line in self.lines:
            if re.search(r"softpci: .*(:|cannot)|^aim: .*: ", line):
                return line.strip()
        tail = "\n".join(self.lines[-15:])
        return f"'{pattern}' did not come from {self.command[0]}:\n{tail}"

    def stop(self, timeout=60.0):
        """Ask it to end, as Ctrl-C does; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(timeout)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise RuntimeError(f"{self.command[0]} did not end within {timeout:.0f} s") from None
        return self._ended()

    def _ended(self):
        """The process is gone: collect what it left; its exit status."""
        self._reader.join(5)
        if self._telemetry is not None:
            self._telemetry.close()
            self._telemetry = None
        if self.owner:
            self.place.forget(self.prefix)
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._ended()


def nic_stats(app, index):
    """Counters of a software NIC, with sums that are asked for often."""
    s = app.telemetry.ask(f"/softpci/stats,{index}")
    # dropped though the port was up and running
    s["rx_dropped"] = s["rx_drop_full"] + s["rx_drop_no_desc"] + s["rx_drop_dma"]
    # time of the application's threads that is the software NIC's: its work, and the signals
    s["nic_ns"] = s["trap_ns"] + (s["trap_reads"] + s["trap_writes"]) * s["empty_trap_ns"]
    return s


class L3fwdPower(App):
    """l3fwd-power --interrupt-only: on each core a queue of each port."""

    def __init__(self, nics, memory, *cores, plugins=None, place=HERE):
        config = ",".join(f"({port},{queue},{core})" for port in range(len(nics))
                          for queue, core in enumerate(cores))
        super().__init__(place.l3fwd_power(),
                         ["-l", ",".join(map(str, cores)), *memory, *nics],
                         ["-p", hex((1 << len(nics)) - 1), "-P", f"--config={config}",
                          "--interrupt-only"], plugins, place=place)
        try:
            self.wait_for("entering main interrupt loop", 60)
        except BaseException:  # a signal, too
            self.__exit__()
            raise

    def mac(self, port):
        return self.telemetry.ask(f"/ethdev/info,{port}")["mac_addr"]


class RxIntr(App):
    """examples/rx-intr; it runs from the start on."""

    def __init__(self, nics, memory, args=()):
        super().__init__(str(BUILD / "examples/rx-intr/rx-intr"), ["-l", "0", *memory, *nics], args)


class Testpmd(App):
    """
    Interactive testpmd. Its stdout is line-buffered by stdbuf: the prompt and the echo of what was
    typed go past stdio, so that with a full buffer a command's echo would come before the output
    of the commands ahead of it.
    """

    PROMPT = "testpmd> "
    REFUSED = r"^(Command not found|Bad arguments|Ambiguous command|Incomplete command)"
    # what a command answers that was understood, and not done
    NOT_DONE = r"^(Not all ports were started|Please stop|Packet forwarding (already|not) started)"

    def __init__(self, nics, memory, args=(), core_list="0,1", plugins=None, eal=(), place=HERE,
                 prefix=None, program="dpdk-testpmd"):
        super().__init__(program, ["-l", core_list, *memory, *nics, *eal],
                         ["-i", "--no-mlockall", "--total-num-mbufs=16384", *args], plugins,
                         wrap=("stdbuf", "-oL"), place=place, prefix=prefix)
        self._mark = 0
        try:
            self.command_sync(60)
        except BaseException:
            self.__exit__()
            raise

    def _type(self, text):
        try:
            self.process.stdin.write(text + "\n")
            self.process.stdin.flush()
        except OSError:
            raise RuntimeError(f"testpmd is gone, before '{text}':\n" +
                               "\n".join(self.lines[-15:])) from None

    def command_sync(self, timeout=60.0):
        """
        Until all that was typed before is done: an unknown word is typed, whose echo, and the refusal
        of it, come after that.
        """
        self._mark += 1
        word = f"mark{self._mark}"
        self._type(word)
        self.wait_for(word + r"\b", timeout)
        self.wait_for(self.REFUSED, timeout)

    def do(self, command, timeout=60.0, refused=False):
        """
        Run a command; what it printed, and what other threads printed meanwhile. A command that
        testpmd does not know, or does not do, raises, unless that is what the test expects.
        """
        start = len(self.lines)
        self._type(command)
        self.command_sync(timeout)
        out = self.lines[start:]
        last = next(i for i, line in enumerate(out) if line.rstrip().endswith(f"mark{self._mark}"))
        out = out[:last]
        if out and out[0].rstrip().endswith(command):
            out = out[1:]
        if not refused and any(
                re.search(f"{self.REFUSED}|{self.NOT_DONE}", line) for line in out):
            raise RuntimeError(f"testpmd refuses '{command}': " + "\n".join(out))
        return "\n".join(out)

    def quit(self, timeout=60.0):
        """As a user ends it; its exit status."""
        self._type("quit")
        try:
            self.process.wait(timeout * self.place.patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise RuntimeError(f"testpmd did not quit within {timeout:.0f} s:\n" +
                               "\n".join(self.lines[-15:])) from None
        return self._ended()
