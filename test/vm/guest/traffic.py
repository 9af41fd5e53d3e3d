# SPDX-License-Identifier: BSD-3-Clause
"""
Traffic in a guest.
    traffic.py send IP COUNT SIZE     COUNT UDP datagrams of SIZE bytes, from a socket each
    traffic.py serve PORT LENGTH      one TCP connection: sends LENGTH bytes of random(1), and takes
                                      LENGTH bytes that must be random(2)
"""

import hashlib
import random
import socket
import sys
import threading


def send(ip, count, size):
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
            raise SystemExit(f"the peer closed {left} bytes too early")
        seen.update(part)
        left -= len(part)
    sender.join()
    if seen.digest() != hashlib.sha256(random.Random(theirs).randbytes(length)).digest():
        raise SystemExit("the bytes that came are not those that were sent")


def serve(port, length):
    with socket.create_server(("", port)) as listener:
        connection, _ = listener.accept()
        with connection:
            exchange(connection, length, 1, 2)


if __name__ == "__main__":
    if sys.argv[1] == "send":
        send(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        serve(int(sys.argv[2]), int(sys.argv[3]))
