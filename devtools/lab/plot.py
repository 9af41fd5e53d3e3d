# SPDX-License-Identifier: BSD-3-Clause
"""The demo's plot, by gnuplot: SVG and PNG."""

import subprocess

SCRIPT = """
set terminal {terminal} size 1000,640 {font}
set output '{output}'
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.85 border -1
set boxwidth 0.9
set grid ytics lc rgb '#dddddd'
set border 3
set tics nomirror
set key top left
set yrange [0:*]
set multiplot layout 2,2 title 'Two hosts through l3fwd-power on software {nic} NICs: medians of {rounds} rounds'
set title 'TCP request and answer, requests at random times: round trip, us'
plot '{data}' using 2:xtic(1) title 'p50' lc rgb '#1b6ca8', '' using 3 title 'p90' lc rgb '#9ecae1'
unset key
set title 'Bulk TCP, Mb/s'
plot '{data}' using 4:xtic(1) notitle lc rgb '#2a9d5c'
set title 'Interrupts a second under bulk TCP'
plot '{data}' using 5:xtic(1) notitle lc rgb '#c8553d'
set title 'CPU of the forwarder under bulk TCP, % (software NIC apart)'
plot '{data}' using 6:xtic(1) notitle lc rgb '#6a4c93'
"""


def compare(results, median, out, nic):
    """demo.svg and demo.png in the folder `out`."""
    keys = [("rr", "p50_us"), ("rr", "p90_us"), ("bulk", "mbps"), ("bulk", "interrupts_per_s"),
            ("bulk", "forwarder_cpu_percent")]
    data = out / "demo.dat"
    data.write_text("".join(
        f"{policy} " + " ".join(f"{median(rounds, *key):.3f}" for key in keys) + "\n"
        for policy, rounds in results.items()))
    rounds = len(next(iter(results.values())))
    for terminal, name, font in (("svg", "demo.svg", "font 'sans,13' background rgb 'white'"),
                                 ("pngcairo", "demo.png", "font 'sans,11'")):
        script = SCRIPT.format(terminal=terminal, output=out / name, data=data, rounds=rounds, font=font, nic=nic)
        done = subprocess.run(["gnuplot"], input=script, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"gnuplot: {done.stderr.strip()}")
