# SPDX-License-Identifier: BSD-3-Clause
"""Replay a capture through two ports of l3fwd-power and account for every frame."""

import json
import os
import pathlib
import struct
import time

from . import apps, machine
from .families import FAMILIES

PAGES = 192


def _forwarded(path):
    """Frames of a classic capture that l3fwd-power forwards: IPv4 with a header that RFC 1812 lets
    through. None when the file is of another kind."""
    with open(path, "rb") as file:
        magic = file.read(24)[:4]
        order = {b"\xd4\xc3\xb2\xa1": "<", b"\x4d\x3c\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">",
                 b"\xa1\xb2\x3c\x4d": ">"}.get(magic)
        if order is None:
            return None
        count = 0
        while len(head := file.read(16)) == 16:
            length, wire = struct.unpack(order + "II", head[8:])
            frame = file.read(length)
            if len(frame) < length:
                break
            ip = frame[14:34]
            if wire < 14 or length < 34 or frame[12:14] != b"\x08\x00":
                continue
            header = frame[14:14 + 4 * (ip[0] & 15)]
            total = sum(struct.unpack(f">{len(header) // 2}H", header[:len(header) & ~1]))
            while total >> 16:
                total = (total & 0xFFFF) + (total >> 16)
            count += ip[0] >> 4 == 4 and len(header) >= 20 and total == 0xFFFF and \
                struct.unpack(">H", ip[2:4])[0] >= 20
        return count


def run(path, json_path=None, family=FAMILIES["ixgbe"]):
    """0 when every frame is accounted for."""
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        raise RuntimeError(f"'{path}': no such capture file, or no permission to read it")
    if any(c in path for c in ",;"):
        raise RuntimeError(f"{path}: rename the file, a path with ',' or ';' cannot be given to EAL")
    path = os.path.abspath(path)
    core, _ = machine.cores()
    out = machine.BUILD / "demo"
    out.mkdir(parents=True, exist_ok=True)
    outs = [out / "port0.pcap", out / "port1.pcap"]
    nics = [
        apps.softpci(0, driver=family.ours,
                     wire=f"pcap:in={path};out={outs[0]};speed=asap;hold=1"),
        apps.softpci(1, driver=family.ours, wire=f"pcap:out={outs[1]}"),
    ]
    with machine.hugepages(PAGES) as memory, apps.L3fwdPower(nics, memory, core) as app:
        # only now: the application has switched promiscuous mode on
        app.telemetry.ask("/softpci/go,0")
        quiet, last = 0, None
        while quiet < 5:  # half a second without a change, after the last frame was read
            time.sleep(0.1)
            nic = [apps.nic_stats(app, i) for i in range(2)]
            state = [(n["rx_frames"], n["tx_frames"]) for n in nic]
            done = nic[0]["wire_in_done"] and state == last
            quiet = quiet + 1 if done else 0
            last = state
        stats = [app.telemetry.ask(f"/ethdev/stats,{i}") for i in range(2)]
        app.stop()
    read = nic[0]["wire_frames_read"]
    received = stats[0]["ipackets"]
    sent = [s["opackets"] for s in stats]
    written = [n["wire_frames_written"] for n in nic]
    filtered = nic[0]["rx_filtered"]
    dropped = nic[0]["rx_dropped"]
    refused = nic[0]["wire_frames_refused"]
    rows = [
        ("frames in the capture", read),
        ("of a length that no wire carries", refused),
        ("received by port 0", received),
        ("refused by the MAC (address, length, FCS)", filtered),
        ("dropped by the NIC", dropped),
        ("sent by port 0, port 1", f"{sent[0]}, {sent[1]}"),
        (f"written to {outs[0].name}, {outs[1].name}", f"{written[0]}, {written[1]}"),
        ("freed by l3fwd-power (not IP, or a bad header)", received - sum(sent)),
    ]
    # what should have been sent is counted from the capture itself; frames that the MAC refused may
    # have been among them
    expected = _forwarded(path)
    accounted = read == received + filtered + dropped + refused and sent == written and \
        (expected is None or expected - filtered - refused <= sum(sent) <= expected)
    if expected is not None:
        rows.insert(1, ("of these to be forwarded, by their headers", expected))
    for name, value in rows:
        print(f"{name:48} {value}")
    for line in app.lines:
        if "wire pcap" in line:
            print(line.strip())
    if json_path:
        pathlib.Path(json_path).write_text(
            json.dumps({**{name: value for name, value in rows}, "accounted": accounted}, indent=1) + "\n",
            encoding="utf-8")
    print("every frame is accounted for" if accounted else "FRAMES ARE MISSING", "-", f"files in {out}")
    return 0 if accounted and dropped == 0 else 1
