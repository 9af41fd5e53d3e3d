# SPDX-License-Identifier: BSD-3-Clause
"""
The agent in a guest: runs what the host sends. A request is one line of JSON on the virtio-serial
port 'agent': {"id", "command" (for sh), "timeout" (s)}, or, where the start of a program would take
too long, {"id", "call" (a function of traffic.py), "arguments", "timeout"}; the answer is {"id",
"status", "output"}. Requests run side by side. A command that takes too long is killed with all that it
started: status 124, as timeout(1) has it.

{"id", "spawn" (a command)} begins a program that the host talks to: its output comes as {"id", "text"},
its end as an answer; {"feed": id, "text"} is for its standard input, {"signal": id, "number"} for all
of its processes.
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


children = {}  # id -> what was spawned


def spawn(request):
    """Begin a program that lives on."""
    child = subprocess.Popen(["/bin/sh", "-c", request["spawn"]], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    children[request["id"]] = child


def follow(number, send):
    """What a program says, to its end."""
    child = children[number]
    while data := child.stdout.read1(65536):
        send({"id": number, "text": data.decode(errors="replace")})
    return {"id": number, "status": child.wait(), "output": ""}


def steer(request):
    """Input, or a signal, for a program that may have ended."""
    child = children.get(request.get("feed") or request.get("signal"))
    try:
        if child is None:
            return
        if "feed" in request:
            child.stdin.write(request["text"].encode())
            child.stdin.flush()
        else:
            os.killpg(child.pid, request["number"])
    except OSError:
        pass


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
            elif "spawn" in request:
                send(follow(request["id"], send))
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
        for request in map(json.loads, lines):
            if "spawn" in request:
                spawn(request)
            if "id" in request:
                threading.Thread(target=serve, args=(request,), daemon=True).start()
            else:  # in the order in which they came
                steer(request)


main()
