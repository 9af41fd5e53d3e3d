# SPDX-License-Identifier: BSD-3-Clause
"""Replay a capture through two ports of l3fwd-power and account for every frame."""

import os
import time

from . import apps, machine

PAGES = 192


def run(path):
    """0 when every frame is accounted for."""
    if not os.access(path, os.R_OK):
        raise RuntimeError(f"{path}: no such capture, or no permission to read it")
    if any(c in path for c in ",;"):
        raise RuntimeError(f"{path}: rename the file, a path with ',' or ';' cannot be given to EAL")
    path = os.path.abspath(path)
    core, _ = machine.cores()
    out = machine.BUILD / "demo"
    out.mkdir(parents=True, exist_ok=True)
    outs = [out / "port0.pcap", out / "port1.pcap"]
    nics = [
        apps.softpci(0, nic="82599", driver="net_ixgbe_aim",
                     wire=f"pcap:in={path};out={outs[0]};speed=asap"),
        apps.softpci(1, nic="82599", driver="net_ixgbe_aim", wire=f"pcap:out={outs[1]}"),
    ]
    with machine.hugepages(PAGES) as memory, apps.L3fwdPower(nics, memory, core) as app:
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
    rows = [
        ("frames in the capture", read),
        ("received by port 0", received),
        ("refused by the MAC (address, length, FCS)", filtered),
        ("dropped by the NIC", dropped),
        ("sent by port 0, port 1", f"{sent[0]}, {sent[1]}"),
        (f"written to {outs[0].name}, {outs[1].name}", f"{written[0]}, {written[1]}"),
        ("freed by l3fwd-power (not IP, or a bad header)", received - sum(sent)),
    ]
    for name, value in rows:
        print(f"{name:48} {value}")
    accounted = read == received + filtered + dropped and sent == written
    print("every frame is accounted for" if accounted else "FRAMES ARE MISSING", "-", f"files in {out}")
    return 0 if accounted and dropped == 0 else 1
