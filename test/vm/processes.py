# SPDX-License-Identifier: BSD-3-Clause
"""
Processes that never outlive this one, also when it is killed: the kernel sends them SIGKILL. What
they own (namespaces, TAP interfaces, sockets) goes with them, so that nothing is left to clean up.
"""

import ctypes
import os
import signal
import subprocess

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def start(*command, **kwargs):
    """Popen whose child dies with this process. To be called in the main thread only: the kernel
    takes the end of the thread that forked for the end of the parent."""
    parent = os.getpid()

    def follow():
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before
            os._exit(1)

    # out of the terminal's group: Ctrl-C is for pytest, which then ends these in order
    return subprocess.Popen([str(c) for c in command], preexec_fn=follow, process_group=0, **kwargs)


def end(process, timeout=5.0):
    """SIGTERM, then SIGKILL; the exit status."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return process.returncode


class Namespace:
    """A network namespace without a name: there as long as a process holds it."""

    def __init__(self):
        self.holder = start("unshare", "--net", "sh", "-c", "echo ready; exec sleep infinity",
                            stdout=subprocess.PIPE, text=True)
        if self.holder.stdout.readline() != "ready\n":
            raise RuntimeError("no network namespace: the tests need root (CAP_SYS_ADMIN)")
        self.run("ip", "link", "set", "lo", "up")
        for key in ("all", "default"):
            self.run("sh", "-c", f"echo 1 >/proc/sys/net/ipv6/conf/{key}/disable_ipv6", check=False)

    def enter(self, *command):
        """The command that runs `command` in here."""
        return ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net", *map(str, command)]

    def run(self, *command, check=True, timeout=60, **kwargs):
        """A command in here; its output."""
        done = subprocess.run(self.enter(*command), text=True, capture_output=True, timeout=timeout,
                              check=False, **kwargs)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: {(done.stderr or done.stdout).strip()}")
        return done.stdout

    def start(self, *command, **kwargs):
        return start(*self.enter(*command), **kwargs)

    def close(self):
        end(self.holder)
