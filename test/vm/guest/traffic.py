# SPDX-License-Identifier: BSD-3-Clause
"""In a guest: functions that the agent calls in a thread of its own, by their names."""

import contextlib
import hashlib
import json
import mmap
import os
import random
import socket
import threading


TIMEOUT = 60  # s without a byte


def send(ip, count, size, cpu=None):
    """`count` datagrams of `size` bytes to port 9, from a socket each; all on one CPU if asked."""
    if cpu is not None:
        os.sched_setaffinity(0, {cpu})  # of this thread
    for n in range(count):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.sendto(n.to_bytes(4, "big") * (size // 4), (ip, 9))


def exchange(connection, length, mine, theirs):
    """Send random(mine) while random(theirs) is taken; an error if other bytes come."""
    data = random.Random(mine).randbytes(length)
    sender = threading.Thread(target=connection.sendall, args=(data,))
    sender.start()
    seen, left = hashlib.sha256(), length
    while left:
        part = connection.recv(1 << 18)
        if not part:
            raise ValueError(f"the peer closed {left} bytes too early")
        seen.update(part)
        left -= len(part)
    sender.join()
    if seen.digest() != hashlib.sha256(random.Random(theirs).randbytes(length)).digest():
        raise ValueError("the bytes that came are not those that were sent")


def serve(port, length):
    """One TCP connection: sends `length` bytes of random(1), takes as many that must be random(2)."""
    with socket.create_server(("", port)) as listener:
        listener.settimeout(TIMEOUT)
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(TIMEOUT)
            exchange(connection, length, 1, 2)


@contextlib.contextmanager
def registers(bdf):
    """BAR 0 of a PCI function; each access has 32 bits."""
    with open(f"/sys/bus/pci/devices/{bdf}/resource0", "r+b", buffering=0) as f:
        with mmap.mmap(f.fileno(), os.fstat(f.fileno()).st_size) as bar, memoryview(bar) as view:
            with view.cast("I") as words:
                yield words


def peek(bdf, offset):
    with registers(bdf) as words:
        return str(words[offset // 4])


def poke(bdf, offset, value):
    with registers(bdf) as words:
        words[offset // 4] = value


def ask(path, command):
    """The answer of a DPDK application's telemetry, whose socket is at `path`; JSON."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
        s.settimeout(10)
        s.connect(path)
        size = json.loads(s.recv(1024))["max_output_len"]
        s.send(command.encode())
        return s.recv(size + 1).decode()
