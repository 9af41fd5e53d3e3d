# SPDX-License-Identifier: BSD-3-Clause
"""aim-lab is built without DPDK; who asks for the drivers is told what they need."""

import os
import pathlib
import shutil
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def meson(tmp_path):
    """Setup in a folder of its own, on a machine whose pkg-config knows no DPDK."""
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin" / "pkg-config"
    fake.write_text('#!/bin/sh\ncase "$*" in *libdpdk*) exit 1 ;; esac\n'
                    f'exec {shutil.which("pkg-config")} "$@"\n')
    fake.chmod(0o755)

    def setup(*args):
        return subprocess.run(["meson", "setup", tmp_path / "build", TOP, *args], text=True, check=False,
                              env={**os.environ, "PATH": f"{fake.parent}:{os.environ['PATH']}"},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return setup


def test_aim_lab_is_built_without_dpdk(meson, tmp_path):
    done = meson("-Dtests=false")
    assert done.returncode == 0, done.stdout
    assert "drivers: left out: no libdpdk" in done.stdout and "devtools/setup" in done.stdout
    program = "app/aim-lab/aim-lab"
    subprocess.run(["ninja", "-C", tmp_path / "build", program], check=True, stdout=subprocess.DEVNULL)
    shown = subprocess.run([tmp_path / "build" / program, "--version"], check=True, stdout=subprocess.PIPE)
    assert shown.stdout.startswith(b"aim-lab ")


def test_drivers_that_are_asked_for_are_not_left_out_in_silence(meson):
    done = meson("-Ddrivers=enabled")
    assert done.returncode != 0
    assert "-Ddrivers=enabled: no libdpdk of 22.11 or newer: run devtools/setup" in done.stdout
