#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare moderation policies on real traffic, or replay a capture; started by devtools/demo."""

import argparse
import json
import pathlib
import signal
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lab import apps, hosts, machine, plot, replay, traffic  # noqa: E402
from lab.families import FAMILIES  # noqa: E402

# name in the tables: devargs of our drivers
POLICIES = {
    "off": {"aim": "off"},
    "fixed": {"aim": "fixed", "itr_us": 500},
    "ixgbe": {"aim": "ixgbe"},
    "enetc": {"aim": "enetc"},
    "aim": {"aim": "aim"},
}
REQUESTS = 1500  # a second, at random times
PAGES = 192  # of 2 MB: l3fwd-power's pool and rings


class Sample:
    """Counters of the forwarder at one moment."""

    def __init__(self, app):
        self.time = time.monotonic()
        self.cpu = app.cpu_s(app.pid)
        self.nic = [apps.nic_stats(app, i) for i in range(2)]
        self.driver = [app.telemetry.ask(f"/ethdev/xstats,{i}") for i in range(2)]

    def since(self, old):
        """Rates between two samples; CPU in percent of one core."""
        t = self.time - old.time

        def driver(key):
            return sum(new[key] - was[key] for new, was in zip(self.driver, old.driver))

        def nic(key):
            return sum(new[key] - was[key] for new, was in zip(self.nic, old.nic))

        nic_cpu = nic("nic_ns") / 1e9
        wakes = driver("rx_q0_wakes")
        return {
            "seconds": t,
            "interrupts_per_s": nic("rx_msix") / t,
            "wakes_per_s": wakes / t,
            "packets_per_wake": driver("rx_good_packets") / wakes if wakes else 0.0,
            "itr_writes_per_s": driver("rx_q0_itr_writes") / t,
            "forwarder_cpu_percent": max(0.0, 100 * (self.cpu - old.cpu - nic_cpu) / t),
            "nic_cpu_percent": 100 * nic_cpu / t,
            "nic_dropped": nic("rx_dropped"),
        }


def phase(app, work, *args):
    """Run one kind of traffic between two samples; its own results and the rates."""
    before = Sample(app)
    result = work(*args)
    after = Sample(app)
    return {**result, **after.since(before)}


def measure(family, policy, memory, core, a, b):
    """Start l3fwd-power under a policy, send every kind of traffic, stop it."""
    nics = [apps.softpci(i, driver=family.ours, wire=f"tap:{h.tap}@{h.name}", **POLICIES[policy])
            for i, h in enumerate((a, b))]
    with apps.L3fwdPower(nics, memory, core) as app:
        for port, host in enumerate((a, b)):
            host.configure(app.mac(port))
        traffic.settle(a, b)
        result = {
            "idle": phase(app, traffic.idle, 1),
            "ping": phase(app, traffic.ping, a, b, 50),
            "rr": phase(app, traffic.requests, a, b, REQUESTS, 2.5),
            "bulk": phase(app, traffic.bulk, a, b, 2),
        }
        for pps in traffic.UDP_RATES:
            result[f"udp_{pps}"] = phase(app, traffic.udp, a, b, pps, 1)
        app.stop()
    return result


def median(rounds, kind, key):
    values = [r[kind][key] for r in rounds if r[kind].get(key) is not None]
    return statistics.median(values) if values else float("nan")


COLUMNS = [  # heading, unit, phase, key, format
    ("RTT p50", "us", "rr", "p50_us", "{:.1f}"),
    ("RTT p90", "us", "rr", "p90_us", "{:.1f}"),
    ("RTT p99", "us", "rr", "p99_us", "{:.1f}"),
    ("RR irq", "1/s", "rr", "interrupts_per_s", "{:.0f}"),
    ("bulk TCP", "Mb/s", "bulk", "mbps", "{:.0f}"),
    ("bulk irq", "1/s", "bulk", "interrupts_per_s", "{:.0f}"),
    ("bulk wakes", "1/s", "bulk", "wakes_per_s", "{:.0f}"),
    ("pkts/wake", "bulk", "bulk", "packets_per_wake", "{:.1f}"),
    ("bulk CPU", "%", "bulk", "forwarder_cpu_percent", "{:.1f}"),
    ("NIC in app", "% bulk", "bulk", "nic_cpu_percent", "{:.1f}"),
    ("RR CPU", "%", "rr", "forwarder_cpu_percent", "{:.1f}"),
    ("idle CPU", "%", "idle", "forwarder_cpu_percent", "{:.2f}"),
    ("lost", "NIC", "all", "nic_dropped", "{:.0f}"),
]


def table(results):
    """The medians of all rounds, one row a policy."""
    rows = [["policy"] + [c[0] for c in COLUMNS], [""] + [c[1] for c in COLUMNS]]
    for policy, rounds in results.items():
        row = [policy]
        for _, _, kind, key, form in COLUMNS:
            if kind == "all":
                value = sum(p[key] for r in rounds for p in r.values())
            else:
                value = median(rounds, kind, key)
            row.append(form.format(value))
        rows.append(row)
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(c.rjust(w) if i else c.ljust(w)
                               for i, (c, w) in enumerate(zip(r, widths))) for r in rows)


def spread(results):
    """How far apart the rounds of one policy lie: what differs by less is noise."""
    lines = ["lowest and highest of the rounds:"]
    for policy, rounds in results.items():
        parts = []
        for heading, unit, kind, key, form in COLUMNS:
            if heading in ("RTT p50", "RTT p90", "RR irq", "bulk irq"):
                values = [r[kind][key] for r in rounds]
                parts.append(f"{heading} {form.format(min(values))} to {form.format(max(values))} {unit}")
        lines.append(f"{policy:7} " + ", ".join(parts))
    return "\n".join(lines)


def compare(args):
    core, other = machine.cores()
    traffic.pin(other)
    out = machine.BUILD / "demo"
    out.mkdir(parents=True, exist_ok=True)
    family = FAMILIES[args.nic]
    results = {p: [] for p in args.policies}
    total = args.rounds * len(args.policies)
    begin = time.monotonic()
    apps.l3fwd_power_build()
    with machine.hugepages(PAGES) as memory:
        if "--no-huge" in memory:
            print("demo: no hugepages to be had here; going on without (slower, for all policies alike)")
        for number in range(args.rounds):
            # interleaved, and each round begins with another policy
            order = args.policies[number % len(args.policies):] + args.policies[:number % len(args.policies)]
            for policy in order:
                done = sum(len(r) for r in results.values())
                print(f"[{done + 1:2}/{total}] round {number + 1}, policy {policy:6} "
                      f"({time.monotonic() - begin:.0f} s)", end=" ", flush=True)
                with hosts.two_hosts() as (a, b):
                    r = measure(family, policy, memory, core, a, b)
                results[policy].append(r)
                print(f"RTT p50 {r['rr']['p50_us']:.1f} us, bulk {r['bulk']['mbps']:.0f} Mb/s, "
                      f"{r['bulk']['interrupts_per_s']:.0f} irq/s")
    text = table(results) + "\n\n" + spread(results)
    print("\nMedians of", args.rounds, "rounds; two hosts, TCP and UDP through l3fwd-power "
          "--interrupt-only on one core.\nRTT: TCP requests of 64 bytes at random times,", REQUESTS,
          "a second, each answered.\n")
    print(text)
    print("\nCPU is the forwarder's core without the time that the software NIC itself spent in "
          "its thread\n(column 'NIC in app'): no policy gains or loses by that.")
    (out / "table.txt").write_text(text + "\n")
    report = {"policies": {p: POLICIES[p] for p in args.policies}, "rounds": results}
    for path in filter(None, (out / "demo.json", args.json)):
        pathlib.Path(path).write_text(json.dumps(report, indent=1) + "\n")
    plot.compare(results, median, out, family.models[0])
    print(f"\nplot: {out}/demo.svg and {out}/demo.png; every figure: {args.json or out / 'demo.json'}")
    lost = sum(p["nic_dropped"] for rs in results.values() for r in rs for p in r.values())
    return 1 if lost else 0


def policies(text):
    names = text.split(",")
    for name in names:
        if name not in POLICIES:
            raise argparse.ArgumentTypeError(f"no policy '{name}'; there are {', '.join(POLICIES)}")
    return names


def positive(text):
    if not text.isdigit() or not 1 <= int(text) <= 100:
        raise argparse.ArgumentTypeError("a number from 1 to 100")
    return int(text)


def main():
    parser = argparse.ArgumentParser(prog="devtools/demo", description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write every figure there")
    parser.add_argument("--rounds", type=positive, default=5, help="rounds of all policies (5)")
    parser.add_argument("--nic", choices=FAMILIES, default="ixgbe", help="family of software NICs (ixgbe: 82599)")
    parser.add_argument("--policies", type=policies,
                        help="comma-separated, from " + ", ".join(POLICIES) +
                             " (without that of the other family's Linux driver)")
    parser.add_argument("--pcap", metavar="FILE", help="replay this capture instead")
    args = parser.parse_args()
    args.policies = args.policies or [p for p in POLICIES if p == args.nic or p not in FAMILIES]
    # an interrupted demo leaves nothing behind either
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        if args.json:  # an unwritable path is found before five minutes have passed
            with open(args.json, "a", encoding="ascii"):
                pass
        sys.exit(compare(args) if args.pcap is None else replay.run(args.pcap, args.json, FAMILIES[args.nic]))
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as e:
        print(f"demo: {e.filename or ''}: {e.strerror or e}", file=sys.stderr)
        sys.exit(1)
    except RuntimeError as e:
        print(f"demo: {e}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
