# SPDX-License-Identifier: BSD-3-Clause
"""dpdk-pmdinfo.py, as installed, reads the built plugin."""

import json
import re
import shutil
import subprocess

import pytest
from lab import machine

pytestmark = [pytest.mark.ours, pytest.mark.once]

GUIDE = machine.TOP / "doc" / "guides" / "nics" / "ixgbe_aim.rst"


@pytest.fixture(scope="module")
def info():
    # the distribution's python3: another may lack pyelftools
    out = subprocess.run(["/usr/bin/python3", shutil.which("dpdk-pmdinfo.py"),
                          str(machine.PLUGINS / "librte_net_ixgbe_aim.so")],
                         text=True, capture_output=True, check=True, timeout=60).stdout
    drivers = json.loads(out)
    assert len(drivers) == 1
    return drivers[0]


def test_pmdinfo_shows_the_name_and_the_kernel_modules(info):
    assert info["name"] == "net_ixgbe_aim"
    assert "vfio-pci" in info["kmod"]


def test_pmdinfo_shows_every_devarg_of_the_guide(info):
    devargs = GUIDE.read_text().split("\nDevargs\n")[1].split("\nStatistics\n")[0]
    documented = re.findall(r"^``([a-z_]+)``", devargs, re.M)
    assert "aim" in documented
    assert [p.split("=")[0] for p in info["params"].split()] == documented


def test_pmdinfo_shows_every_device_of_the_guide(info):
    devices = GUIDE.read_text().split("\nDevices\n")[1].split("\nBind the device")[0]
    documented = set(re.findall(r"\b(1[05][0-9a-f]{2})\b", devices))
    assert "10fb" in documented
    assert {i["device"] for i in info["pci_ids"]} == documented
    assert {i["vendor"] for i in info["pci_ids"]} == {"8086"}
