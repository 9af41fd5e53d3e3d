# SPDX-License-Identifier: BSD-3-Clause
"""Instruction counts of marked pieces of a program: CALLGRIND_ZERO_STATS ... CALLGRIND_DUMP_STATS_AT(name)."""

import collections
import glob
import pathlib
import re
import subprocess
import sys
import tempfile


def count(*command):
    """{name: [instructions of each piece of that name, in order]}"""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            # the software NIC's signal handler needs exact registers at every instruction
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
             "--vex-iropt-register-updates=allregs-at-each-insn", "--vex-guest-max-insns=1",
             *map(str, command)],
            text=True, capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{command[0]}: {(done.stdout + done.stderr)[-800:]}")
        pieces = collections.defaultdict(list)
        for path in sorted(glob.glob(f"{folder}/out.*"), key=lambda p: int(p.rsplit(".", 1)[1])):
            text = pathlib.Path(path).read_text(errors="replace")
            name = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.M)
            total = re.search(r"^(?:totals|summary): (\d+)", text, re.M)
            if name and total:
                pieces[name.group(1)].append(int(total.group(1)))
        return pieces
