# SPDX-License-Identifier: BSD-3-Clause
"""
How often a NIC interrupts, against the rule of the datasheet's section 7.3.2: never sooner than EITR's
interval after the message before, and as soon as that with a frame at hand. Rates are those of the
NIC's own time, which runs so much slower here that the emulated guest keeps up with every interval.
"""

import contextlib
import threading
import time

import pytest

UNIT_NS = 2048  # of EITR at 10 and 1 Gb/s, section 8.2.3.5.11
SECONDS = 1.5  # of a measurement


@contextlib.contextmanager
def flow(nic, frame, gap):
    """`frame` arrives every `gap` s."""
    over = threading.Event()

    def send():
        due = time.monotonic()
        while not over.is_set():
            wire.send(frame)
            due = max(due + gap, time.monotonic() - gap)
            time.sleep(max(0.0, due - time.monotonic()))

    with nic.wire() as wire:
        thread = threading.Thread(target=send)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def measure(nic, frame, gap):
    """Messages of the busiest vector, and frames, by second of the NIC's time."""
    with flow(nic, frame, gap):
        time.sleep(0.1)
        a = nic.control("stats")
        time.sleep(SECONDS)
        b = nic.control("stats")
    seconds = (b["clock_ns"] - a["clock_ns"]) / 1e9
    messages = max(after - before for before, after in zip(a["msix"], b["msix"]))
    return messages / seconds, (b["rx_wire"] - a["rx_wire"]) / seconds


def counts(nic, kernel):
    """Queue messages so far: as the kernel counted them, and as the NIC did."""
    while True:
        before = nic.control("stats")["rx_msix"]
        seen = kernel()
        if nic.control("stats")["rx_msix"] == before:
            return seen, before
        time.sleep(0.05)


def check(nic, kernel, frame, interval_ns, wall):
    """
    With frames closer than the interval there is a message an interval, with frames farther apart one for
    each; and the guest's kernel got what the NIC sent, but for messages that the emulator made one of while
    the host was busy. kernel() is its count, wall the time of the host, in
    s, that an interval lasts: the guest goes back to sleep between two frames.
    """
    nic.control(f"slow {max(1, round(wall * 1e9 / interval_ns))}")
    try:
        before = counts(nic, kernel)
        for _ in range(3):  # on a busy host the guest may be late for some; never is a message early
            dense, _ = measure(nic, frame, wall * 0.4)
            if dense >= 0.95e9 / interval_ns:
                break
        time.sleep(0.1)
        sparse, arrivals = measure(nic, frame, wall * 2.5)
        time.sleep(0.1)
        after = counts(nic, kernel)
    finally:
        nic.control("slow 1")
    rates = f"{interval_ns} ns: {dense:.0f}/s of {1e9 / interval_ns:.0f}/s, {sparse:.0f}/s for {arrivals:.0f}/s"
    print(rates)
    seen, sent = after[0] - before[0], after[1] - before[1]
    assert 0.95 * sent <= seen <= sent, (seen, sent, rates)
    assert dense == pytest.approx(1e9 / interval_ns, rel=0.05), rates
    assert sparse == pytest.approx(arrivals, rel=0.05), rates
