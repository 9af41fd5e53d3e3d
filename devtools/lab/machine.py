# SPDX-License-Identifier: BSD-3-Clause
"""What the machine gives: cores, hugepages; and the folders of this checkout."""

import contextlib
import os
import pathlib

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("AIM_BUILD", TOP / "build"))
PLUGINS = BUILD / "drivers"
SOFTPCI = BUILD / "test" / "softpci" / "librte_softpci.so"

HUGE = pathlib.Path("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages")


def cores():
    """(core for the forwarder, core for everything else)."""
    mine = sorted(os.sched_getaffinity(0))
    return mine[-1], mine[0]


@contextlib.contextmanager
def hugepages(count):
    """Reserve 2 MB pages and give them back; yields EAL's memory options."""
    plain = ["--no-huge", "-m", "1024", "--iova-mode=va"]
    try:
        before = int(HUGE.read_text())
        HUGE.write_text(str(before + count))
        got = int(HUGE.read_text()) - before
    except OSError:
        before, got = None, 0
    try:
        if got == count:
            yield ["--in-memory", "--iova-mode=va"]
        else:
            yield plain
    finally:
        if before is not None and got != 0:
            # what others reserved meanwhile stays theirs
            HUGE.write_text(str(max(0, int(HUGE.read_text()) - got)))
