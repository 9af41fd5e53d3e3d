#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
The guide's table of witnesses and checks, from the results of a run (pytest test/vm --results FILE, or test/e2e):
    table.py --check FILE...   does the guide say what these found? Exit status 1 if not
    table.py --write FILE...   the guide says so from now on
"""

import json
import pathlib
import sys

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "doc/guides/howto/witnesses.rst"
BEGIN, END = ".. results: begin", ".. results: end"
IXGBE = ["82599", "82599-kx4", "x540", "x550"]
ENETC = ["enetc", "enetc-rev1"]
# who ran, by the name in the results: title and models
WITNESSES = {
    "ixgbe": ("Linux's ixgbe (Debian 13)", IXGBE),
    "net_ixgbe": ("DPDK's net_ixgbe (22.11, Debian 12)", IXGBE),
    "net_ixgbe_aim": ("Our net_ixgbe_aim, on the same", IXGBE),
    "net_ixgbe in-process": ("DPDK's net_ixgbe, in-process", IXGBE),
    "net_ixgbe_aim in-process": ("Our net_ixgbe_aim, in-process", IXGBE),
    "net_enetc in-process": ("DPDK's net_enetc, in-process", ENETC),
    "net_enetc_aim in-process": ("Our net_enetc_aim, in-process", ENETC),
}
NOT_RUN = "--"


def merge(files):
    checks, cells = [], {}
    for file in files:
        part = json.loads(pathlib.Path(file).read_text())
        checks += [c for c in part["checks"] if c not in checks]
        for witness, rows in part["cells"].items():
            for check, row in rows.items():
                cells.setdefault(witness, {}).setdefault(check, {}).update(row)
    return checks, cells


def columns(rows):
    widths = [max(len(r[c]) for r in rows) for c in range(len(rows[0]))]
    rule = "  ".join("=" * w for w in widths)
    text = ["  ".join(v.ljust(w) for v, w in zip(r, widths)).rstrip() for r in rows]
    return [rule, text[0], rule, *text[1:], rule]


def sections(text):
    """{title: lines} of the tables that the guide has."""
    titles = {title for title, _ in WITNESSES.values()}
    found, title = {}, None
    for line in text.splitlines():
        title = line if line in titles else title
        if title is not None:
            found.setdefault(title, []).append(line)
    return {t: "\n".join(rows).strip() for t, rows in found.items()}


def section(title, models, checks, of):
    rows = [[check, *(of[check].get(m, NOT_RUN) for m in models)] for check in checks if check in of]
    return "\n".join([title, "~" * len(title), "", *columns([["check", *models], *rows])])


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("--check", "--write"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    text = GUIDE.read_text()
    head, rest = text.split(BEGIN)
    old, tail = rest.split(END)
    known = sections(old)
    checks, cells = merge(sys.argv[2:])
    for witness, of in cells.items():  # the others stay as they are
        title, models = WITNESSES[witness]
        known[title] = section(title, models, checks, of)
    tables = [known[title] for title, _ in WITNESSES.values() if title in known]
    fresh = "\n\n".join([head + BEGIN, *tables, END]) + tail
    if fresh == text:
        return 0
    if sys.argv[1] == "--write":
        GUIDE.write_text(fresh)
        return 0
    print(f"table: {GUIDE.name} does not say what this run found: see {pathlib.Path(__file__).name} --help", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
