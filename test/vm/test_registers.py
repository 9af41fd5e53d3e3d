# SPDX-License-Identifier: BSD-3-Clause
"""After the other tests: which registers the witness used that the models do not know."""

import pathlib

import pytest

LIST = pathlib.Path(__file__).resolve().parent / "unknown-registers.txt"


def listed():
    """Offsets of the list, with their names."""
    names = {}
    for line in LIST.read_text().splitlines():
        if line and not line.startswith("#"):
            first, last, step, name, reason = line.split(None, 4)
            assert reason, f"{name}: no reason"
            for offset in range(int(first, 16), int(last, 16) + 1, int(step, 0)):
                names[offset] = name
    return names


@pytest.mark.few
def test_unknown_registers_are_listed(witness):
    witness.ready()
    witness.note_unknown()
    known = listed()
    fresh = {f"0x{o:05x}": sorted(m) for o, m in sorted(witness.unknown.items()) if o not in known}
    told = "\n".join(f"{offset} on {', '.join(models)}" for offset, models in fresh.items())
    assert not told, f"model, or list in {LIST.name} with the reason why it does no harm:\n{told}"
