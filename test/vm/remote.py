# SPDX-License-Identifier: BSD-3-Clause
"""A program in a guest that the host talks to."""

import queue
import signal
import subprocess
import threading

GONE = -1000  # no signal's number: status of a program whose guest is gone


class Input:
    """Its standard input."""

    def __init__(self, process):
        self.process = process

    def write(self, text):
        if self.process.poll() is not None:
            raise BrokenPipeError
        self.process.guest.tell(feed=self.process.number, text=text)

    def flush(self):
        pass


class Process:
    """As much of subprocess.Popen as is needed to talk to it; poll() tells what was read of its end."""

    def __init__(self, guest, command):
        self.guest, self.args = guest, command
        self.box = queue.Queue()
        self.number = guest.spawn(command, self.box)
        self.pid = self.number  # the agent's name for it
        self.returncode = None
        self.stdin = Input(self)
        self._ended = threading.Event()

    @property
    def stdout(self):
        """Its lines, to the end."""
        waiting = ""
        while True:
            answer = self.box.get()
            if answer is None or "status" in answer:
                break
            *lines, waiting = (waiting + answer["text"]).split("\n")
            yield from (line + "\n" for line in lines)
        if waiting:
            yield waiting
        self.returncode = GONE if answer is None else answer["status"]
        if self.returncode == 126:  # the agent could not start it
            yield answer["output"] + "\n"
        self._ended.set()

    def poll(self):
        return self.returncode

    def wait(self, timeout=None):
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired(self.args, timeout)
        return self.returncode

    def send_signal(self, number):
        self.guest.tell(signal=self.number, number=int(number))

    def kill(self):
        self.send_signal(signal.SIGKILL)
