# SPDX-License-Identifier: BSD-3-Clause
"""Traffic between two test hosts with the standard tools, each bounded in time."""

import json
import random
import re
import subprocess
import tempfile
import time

UDP_RATES = [1000, 5000]  # packets/s
UDP_BYTES = 200
_pin = []


def pin(core):
    """Run the tools on this core."""
    _pin[:] = ["taskset", "-c", str(core)]


def settle(a, b, timeout=10.0):
    """Until a ping comes through."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            a.cmd("ping", "-c", "1", "-W", "1", b.ip)
            return
        except RuntimeError:
            if time.monotonic() > deadline:
                raise RuntimeError(f"no ping from {a.name} to {b.name} within {timeout:.0f} s") from None


def idle(seconds):
    time.sleep(seconds)
    return {}


def ping(a, b, count=100, interval=0.01):
    out = a.cmd(*_pin, "ping", "-q", "-i", str(interval), "-c", str(count), b.ip)
    sent, got = map(int, re.search(r"(\d+) packets transmitted, (\d+) received", out).groups())
    rtt = re.search(r"= [\d.]+/([\d.]+)/", out)
    return {"sent": sent, "received": got, "mean_us": float(rtt.group(1)) * 1000 if rtt else None}


class _Server:
    """A server in a host for the time of a test."""

    def __init__(self, host, *command, ready=0.3):
        self.process = host.popen(*_pin, *command, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        time.sleep(ready)

    def __enter__(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"{' '.join(self.process.args)} ended at once")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(5)


def _percentiles(out):
    """What sockperf measured, us."""
    def percentile(p):
        return float(re.search(rf"percentile {p}\s*=\s*([\d.]+)", out).group(1))

    return {"p50_us": percentile("50.000"), "p90_us": percentile("90.000"),
            "p99_us": percentile("99.000"),
            "round_trips": int(re.search(r"SentMessages=(\d+)", out).group(1))}


def request_response(a, b, seconds):
    """TCP round trips of 64 bytes, one at a time: sockperf ping-pong."""
    with _Server(b, "sockperf", "server", "--tcp", "-i", b.ip, "-p", "11111"):
        out = a.cmd(*_pin, "sockperf", "ping-pong", "--tcp", "-i", b.ip, "-p", "11111", "-m", "64",
                    "-t", str(seconds), "--full-rtt", "--pps", "max", timeout=seconds + 20)

    return _percentiles(out)


def requests(a, b, rate, seconds):
    """TCP requests of 64 bytes at random times (Poisson), each answered: sockperf playback."""
    chance, t, lines = random.Random(1), 0.0, []
    while t < seconds:
        t += 2e-5 + chance.expovariate(rate)  # sockperf wants times that differ
        lines.append(f"{t:.6f}, 64\n")
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file, \
            _Server(b, "sockperf", "server", "--tcp", "-i", b.ip, "-p", "11111"):
        file.writelines(lines)
        file.flush()
        out = a.cmd(*_pin, "sockperf", "playback", "--tcp", "-i", b.ip, "-p", "11111", "--full-rtt",
                    "--reply-every", "1", "--data-file", file.name, timeout=seconds + 30)
    return _percentiles(out)


def _iperf(a, b, seconds, *args):
    with _Server(b, "iperf3", "-s", "-1", "-B", b.ip):
        out = a.cmd(*_pin, "iperf3", "-c", b.ip, "-t", str(seconds), "-J", *args,
                    timeout=seconds + 20)
    return json.loads(out)["end"]


def bulk(a, b, seconds):
    """One TCP stream as fast as it goes: iperf3."""
    end = _iperf(a, b, seconds)
    return {"mbps": end["sum_received"]["bits_per_second"] / 1e6,
            "retransmits": end["sum_sent"].get("retransmits")}


def udp(a, b, pps, seconds):
    """UDP at a constant rate: iperf3 -u."""
    end = _iperf(a, b, seconds, "-u", "-b", str(pps * UDP_BYTES * 8), "-l", str(UDP_BYTES))["sum"]
    return {"sent": end["packets"], "lost": end["lost_packets"], "jitter_ms": end["jitter_ms"]}

