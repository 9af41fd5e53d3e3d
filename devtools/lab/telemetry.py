# SPDX-License-Identifier: BSD-3-Clause
"""DPDK telemetry, version 2: a question and its JSON answer over a SOCK_SEQPACKET socket."""

import json
import os
import socket
import time


def runtime_folder(file_prefix):
    """Where EAL keeps the sockets of a process."""
    base = os.environ.get("XDG_RUNTIME_DIR", "/tmp") if os.geteuid() else "/var/run"
    return os.path.join(base, "dpdk", file_prefix)


class Telemetry:
    """One connection to a running DPDK application."""

    def __init__(self, file_prefix, timeout=20.0):
        path = os.path.join(runtime_folder(file_prefix), "dpdk_telemetry.v2")
        deadline = time.monotonic() + timeout
        while True:
            self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self.sock.settimeout(5)
            try:
                self.sock.connect(path)
                break
            except OSError:
                self.sock.close()
                if time.monotonic() > deadline:
                    raise TimeoutError(f"no telemetry at {path} within {timeout:.0f} s") from None
                time.sleep(0.05)
        hello = json.loads(self.sock.recv(1 << 10))
        self.size = hello["max_output_len"]

    def ask(self, command):
        """The answer to e.g. '/ethdev/xstats,0', without its outer key."""
        self.sock.send(command.encode())
        answer = json.loads(self.sock.recv(self.size + 1))
        return answer[command.split(",")[0]]

    def close(self):
        self.sock.close()
