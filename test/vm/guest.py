# SPDX-License-Identifier: BSD-3-Clause
"""A guest under QEMU's software emulation, and commands in it."""

import itertools
import json
import os
import pathlib
import queue
import socket
import subprocess
import threading

import processes

HERE = pathlib.Path(__file__).resolve().parent
BOOT_TIMEOUT = 240  # s: 10 to 20 on an idle machine
GRACE = 15  # s more than a command's own limit until the guest counts as hung


class GuestError(RuntimeError):
    """The guest is gone or hangs; the text ends with the last lines of its console."""


class CommandError(RuntimeError):
    """A command in the guest failed."""


def root(name):
    """The folder of a root that test/vm/lab built."""
    done = subprocess.run([HERE / "lab", "path", name], text=True, capture_output=True, check=True)
    return pathlib.Path(done.stdout.strip())


def emulator():
    """
    QEMU of Debian 13 on any distribution, without a chroot: its own loader finds its own libraries.
    """
    base = root("qemu")
    libraries = base / "usr/lib/x86_64-linux-gnu"
    return [base / "lib64/ld-linux-x86-64.so.2", "--library-path", libraries,
            base / "usr/bin/qemu-system-x86_64",
            "-L", base / "usr/share/qemu", "-L", base / "usr/share/seabios"]


class Guest:
    """
    A virtual machine of a Debian root, read-only below, with the agent. `devices` are QEMU's
    -device arguments as dicts; `folders` are shared into the guest by tag. A guest that `reboots` comes
    back, also from a panic; the others end.
    """

    def __init__(self, name, run_folder, devices=(), folders=None, memory="1G", cpus=2, hugepages=0,
                 reboots=False):
        self.console = run_folder / f"{name}-console.log"
        self._ids = itertools.count(1)
        self._answers = {}
        self._lock = threading.Lock()
        self._ready = queue.Queue()
        base = root(name)
        ours, theirs = socket.socketpair()
        append = ("console=ttyS0 quiet panic=-1 no_timer_check mitigations=off intel_iommu=on iommu=pt "
                  f"net.ifnames=0 iomem=relaxed hugepages={hugepages}")
        command = [
            *emulator(), "-machine", "q35,kernel-irqchip=split", "-accel", "tcg,thread=multi",
            "-cpu", "Haswell-v4,-pcid,-tsc-deadline,-invpcid,-spec-ctrl", "-smp", str(cpus), "-m", memory,
            # shared: the NICs are other processes that read and write the guest's memory
            "-object", f"memory-backend-memfd,id=ram,size={memory},share=on", "-numa", "node,memdev=ram",
            "-device", "intel-iommu,intremap=on,caching-mode=on",
            "-nodefaults", "-no-user-config", "-display", "none",
            *([] if reboots else ["-no-reboot"]),
            "-kernel", base / "boot/vmlinuz", "-initrd", base / "boot/initramfs", "-append", append,
            "-chardev", f"file,id=console,path={self.console}", "-serial", "chardev:console",
            "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=agent,fd={theirs.fileno()}",
            "-device", "virtserialport,chardev=agent,name=agent"]
        for tag, folder in {"root": base, "lab": HERE / "guest", **(folders or {})}.items():
            command += ["-virtfs", f"local,path={folder},mount_tag={tag},security_model=none,"
                        "readonly=on,multidevs=remap"]
        for device in devices:
            command += ["-device", json.dumps(device)]
        self._log = open(run_folder / f"{name}-qemu.log", "w+")
        self.process = processes.start(*command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                                       stdout=self._log, stderr=self._log)
        theirs.close()
        self._channel = ours
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self._take(self._ready, BOOT_TIMEOUT, "boot")
        except BaseException:
            self.close()
            raise

    def _read(self):
        waiting = b""
        while True:
            try:
                data = self._channel.recv(65536)
            except OSError:
                data = b""
            if not data:
                break
            *lines, waiting = (waiting + data).split(b"\n")
            for line in lines:
                answer = json.loads(line)
                with self._lock:
                    # what a program says is not yet its end
                    take = self._answers.get if "text" in answer else self._answers.pop
                    box = take(answer["id"], None) if answer["id"] else self._ready
                if box is not None:
                    box.put(answer)
        with self._lock:
            boxes = list(self._answers.values())
            self._answers = None
        for box in [self._ready, *boxes]:
            box.put(None)

    def _take(self, box, timeout, what):
        try:
            answer = box.get(timeout=timeout)
        except queue.Empty:
            raise GuestError(f"the guest hangs: no end of '{what}' in {timeout:.0f} s\n"
                             + self.tail()) from None
        if answer is None:
            raise GuestError(f"the guest is gone in '{what}'\n" + self.tail())
        return answer

    def tail(self, lines=60):
        """The last of QEMU's words and of the guest's console."""
        self._log.flush()
        said = pathlib.Path(self._log.name).read_text(errors="replace").splitlines()[-5:]
        console = self.console.read_text(errors="replace") if self.console.exists() else ""
        return "\n".join(said + ["-- console:"] + console.splitlines()[-lines:])

    @property
    def alive(self):
        return self.process.poll() is None and self._answers is not None

    def tell(self, what="", box=None, **request):
        """Send a request; with a box for what is answered, its number."""
        with self._lock:
            if self._answers is None:
                raise GuestError(f"the guest is gone before '{what}'\n" + self.tail())
            if box is not None:
                request["id"] = next(self._ids)
                self._answers[request["id"]] = box
            self._channel.sendall(json.dumps(request).encode() + b"\n")
        return request.get("id")

    def spawn(self, command, box):
        """Begin a program that lives on; see remote.Process."""
        return self.tell(command, box, spawn=command)

    def _send(self, what, timeout, **request):
        box = queue.Queue()
        self.tell(what, box, timeout=timeout, **request)
        return what, timeout, box

    def start(self, command, timeout=60):
        """Begin a command; what to give to wait()."""
        return self._send(command, timeout, command=command)

    def start_call(self, function, *arguments, timeout=90):
        """Begin a function of guest/traffic.py; what to give to wait()."""
        return self._send(function, timeout, call=function, arguments=arguments)

    def wait(self, started, check=True):
        """The output of a command; with check=False (status, output)."""
        command, timeout, box = started
        answer = self._take(box, timeout + GRACE, command)
        status, output = answer["status"], answer["output"]
        if not check:
            return status, output
        if status == 124:
            raise CommandError(f"'{command}' took more than {timeout} s in the guest:\n{output}")
        if status != 0:
            raise CommandError(f"'{command}' failed in the guest with {status}:\n{output}")
        return output

    def run(self, command, timeout=60, check=True):
        return self.wait(self.start(command, timeout), check)

    def call(self, function, *arguments, timeout=90):
        return self.wait(self.start_call(function, *arguments, timeout=timeout))

    def until(self, command, timeout=30):
        """Until a command succeeds; what it said then."""
        loop = (f"n={timeout * 10}; until o=$({command}); do n=$((n - 1)); [ $n -gt 0 ] || "
                "{ echo \"$o\"; exit 1; }; sleep 0.1; done; echo \"$o\"")
        status, output = self.run(loop, timeout * 3, check=False)
        if status != 0:
            raise CommandError(f"'{command}' did not come true in {timeout} s:\n{output}\n"
                               + self.run("dmesg | tail -n 15"))
        return output

    def reboot(self):
        """As by the reset button: nothing is told to end."""
        self.start("echo b >/proc/sysrq-trigger")
        self._take(self._ready, BOOT_TIMEOUT, "reboot")
        with self._lock:
            boxes = list(self._answers.values())
            self._answers.clear()
        for box in boxes:  # what ran is gone
            box.put(None)

    def close(self):
        processes.end(self.process)
        self._channel.close()
        self._reader.join(5)
        self._log.close()
