# SPDX-License-Identifier: BSD-3-Clause
"""
The agent in a guest: runs what the host sends. A request is one line of JSON on the virtio-serial
port 'agent': {"id", "command" (for sh), "timeout" (s)}, or, where the start of a program would take
too long, {"id", "call" (a function of traffic.py), "arguments", "timeout"}; the answer is {"id",
"status", "output"}. Requests run side by side. A command that takes too long is killed with all that it started: status
124, as timeout(1) has it.
"""

import json
import os
import pathlib
import signal
import subprocess
import threading

import traffic

LIMIT = 1 << 20  # bytes of output that are sent back: the last ones


def port():
    for name in pathlib.Path("/sys/class/virtio-ports").glob("*/name"):
        if name.read_text().strip() == "agent":
            return open(f"/dev/{name.parent.name}", "r+b", buffering=0)
    raise SystemExit("agent: no virtio-serial port 'agent'")


def run(request):
    child = subprocess.Popen(["/bin/sh", "-c", request["command"]], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, _ = child.communicate(timeout=request["timeout"])
        status = child.returncode
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        output, _ = child.communicate()
        status = 124
    return {"id": request["id"], "status": status,
            "output": output[-LIMIT:].decode(errors="replace")}


def main():
    channel = port()
    lock = threading.Lock()

    def send(answer):
        data = json.dumps(answer).encode() + b"\n"
        with lock:
            while data:
                data = data[channel.write(data):]

    def serve(request):
        try:
            if "call" in request:
                output = getattr(traffic, request["call"])(*request["arguments"])
                send({"id": request["id"], "status": 0, "output": output or ""})
            else:
                send(run(request))
        except Exception as e:  # the host must learn of it
            send({"id": request["id"], "status": 126, "output": f"agent: {e}"})

    send({"id": 0, "status": 0, "output": "ready"})
    waiting = b""
    while True:
        data = channel.read(65536)
        if not data:  # the host's end is not open (yet)
            threading.Event().wait(0.1)
            continue
        *lines, waiting = (waiting + data).split(b"\n")
        for line in lines:
            threading.Thread(target=serve, args=(json.loads(line),), daemon=True).start()


main()
