# SPDX-License-Identifier: BSD-3-Clause
"""Instruction counts of marked pieces of a program: CALLGRIND_ZERO_STATS ... CALLGRIND_DUMP_STATS_AT(name)."""

import collections
import glob
import pathlib
import re
import subprocess
import sys
import tempfile


def of_objects(text, objects):
    """Instructions of a dump that lie in objects (libraries, programs) whose path matches."""
    total, counts, inclusive = 0, False, False
    for line in text.splitlines():
        if line.startswith("ob="):
            counts = re.search(objects, line) is not None
        elif line.startswith("calls="):
            inclusive = True  # of the next line: what the called one took
        elif line[:1].isdigit():
            total += 0 if inclusive or not counts else int(line.split()[1])
            inclusive = False
    return total


def count(*command, objects=None):
    """{name: [instructions of each piece of that name, in order]}; `objects`: of those alone, see above"""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            # the software NIC's signal handler needs exact registers at every instruction
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
             "--compress-strings=no", "--compress-pos=no",
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
                pieces[name.group(1)].append(of_objects(text, objects) if objects else int(total.group(1)))
        return pieces
