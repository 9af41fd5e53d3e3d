# SPDX-License-Identifier: BSD-3-Clause
"""
Which driver gets a NIC that both know, when nobody names one: testpmd is linked with net_ixgbe, so
that the stock driver is registered before any plugin is loaded.
"""

import re
import shutil
import subprocess

import pytest
from lab import apps, machine

pytestmark = [pytest.mark.ours, pytest.mark.once]


def driver_of_port(memory, plugins, **devargs):
    with apps.Testpmd([apps.softpci(0, wire="null", **devargs)], memory, plugins=plugins) as pmd:
        info = pmd.do("show port info 0")
        assert pmd.quit() == 0
    return re.search(r"Driver name: (\S+)", info).group(1)


def plugin_with(name, option):
    """The folder of a plugin that was built with an option of meson's, in a build folder of that name."""
    folder = machine.BUILD / name
    if not (folder / "build.ninja").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(["meson", "setup", folder, machine.TOP, option, "-Dtests=false", "-Dapps=false"],
                       check=True, capture_output=True, text=True, timeout=120)
    subprocess.run(["ninja", "-C", folder], check=True, capture_output=True, text=True, timeout=300)
    return folder / "drivers"


@pytest.fixture(scope="session")
def plugin_without_step():
    return plugin_with("order", "-Dstep_in_front=false")


@pytest.fixture(scope="session")
def plugin_with_stock_names():
    return plugin_with("names", "-Dstock_names=true")


def test_the_loaded_plugin_steps_in_front_of_the_stock_driver(memory):
    assert driver_of_port(memory, [machine.PLUGINS]) == "net_ixgbe_aim"


def test_yield_gives_a_nic_to_the_stock_driver(memory):
    assert driver_of_port(memory, [machine.PLUGINS], **{"yield": 1}) == "net_ixgbe"


def test_without_the_plugin_the_stock_driver_has_the_nic(memory):
    assert driver_of_port(memory, []) == "net_ixgbe"


def test_a_plugin_built_without_step_in_front_leaves_the_order_alone(memory, plugin_without_step):
    assert driver_of_port(memory, [plugin_without_step]) == "net_ixgbe"


def test_a_plugin_built_without_step_in_front_drives_what_it_is_named_for(memory, plugin_without_step):
    assert driver_of_port(memory, [plugin_without_step], driver="net_ixgbe_aim") == "net_ixgbe_aim"


@pytest.mark.parametrize("nic, name", [("82599", "net_ixgbe"), ("enetc", "net_enetc")])
def test_a_plugin_with_stock_names_has_the_nic_under_the_stock_name(memory, plugin_with_stock_names, nic, name):
    with apps.Testpmd([apps.softpci(0, nic=nic, wire="loop", aim="fixed", itr_us=50)], memory,
                      plugins=[plugin_with_stock_names]) as pmd:
        assert f"Driver name: {name}\n" in re.sub(r" *\n", "\n", pmd.do("show port info 0") + "\n")
        # and it is ours: the stock driver knows neither
        assert pmd.telemetry.ask("/aim/queue,0,0")["aim"] == "fixed"
        assert "rx_q0_itr_interval_ns" in pmd.telemetry.ask("/ethdev/xstats,0")
        assert pmd.quit() == 0


@pytest.mark.parametrize("yields", [0, 1], ids=["ours", "stock"])
def test_functions_that_go_by_the_stock_name_leave_our_port_alone(memory, yields):
    """
    testpmd branches on names by way of rte_pmd_ixgbe.h: the functions take any port whose driver is called
    net_ixgbe for theirs. Ours is not, by default.
    """
    with apps.Testpmd([apps.softpci(0, wire="loop", **{"yield": yields})], memory, plugins=[machine.PLUGINS]) as pmd:
        for command in ("set all queues drop 0 on", "set tx loopback 0 on"):
            before = apps.nic_stats(pmd, 0)["trap_writes"]
            out = pmd.do(command)
            taken = apps.nic_stats(pmd, 0)["trap_writes"] != before
            assert taken == bool(yields) and ("not implemented" in out) != taken, out
        assert pmd.quit() == 0
