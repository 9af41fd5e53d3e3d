# SPDX-License-Identifier: BSD-3-Clause
"""The families of NICs: which drivers run on which models, and what a driver or its hardware lacks."""

# What a test may need beyond frames in and out; the reason stands for who reads why a test was skipped.
LACKS = {
    "net_enetc": {
        "counters": "counts frames as bytes, and has no xstats",
        "unicast filter": "has no mac_addr_add and no mac_addr_set",
        "multicast filter": "has no set_mc_addr_list",
        "VLAN": "has no VLAN offload",
        "several queues": "has one Rx queue",
        "ring change": "a ring set up anew begins where hardware does not",
        "jumbo": "has neither scattered Rx nor multi-segment Tx",
        "link off": "has no dev_set_link_down",
        "queue stop": "frees a stopped queue's state",
        "descriptor status": "has no rx_descriptor_status",
        "reset": "has no dev_reset",
        "speed": "names no speeds",
        "removal": "waits for ever for an index that a register of all ones cannot be",
        "Rx interrupt": "has no rx_queue_intr_enable",
        "register dump": "has no get_reg",
    },
    "net_enetc_aim": {},
}
# and what no driver can, because the hardware does not
HARDWARE = {
    "ixgbe": {},
    "enetc": {
        "Tx checksum": "LS1028A computes none",
        "TSO": "LS1028A has none",
        "tag protocol": "802.1Q and 802.1ad are both tags, always",
        "flow control": "not set by this driver",
        "NVM": "there is none",
        "cage": "there is none",
        "queue counter map": "the queues count themselves",
        "ring bound": "it counts packets, so no interval is too long for a ring",
    },
}


class Family:
    def __init__(self, name, models, speeds, mbps):
        self.name, self.models, self.speeds, self.mbps = name, models, speeds, mbps
        self.ours, self.stock = f"net_{name}_aim", f"net_{name}"

    def lacks(self, driver):
        """{feature: why}"""
        return {**{k: f"{self.name}: {v}" for k, v in HARDWARE[self.name].items()},
                **{k: f"{driver} {v}" for k, v in LACKS.get(driver, {}).items()}}


FAMILIES = {f.name: f for f in (
    Family("ixgbe", ["82599", "82599-kx4", "x540", "x550"], {
        "82599": ["10 Gbps"], "82599-kx4": ["10 Gbps"],
        "x540": ["100 Mbps", "1 Gbps", "10 Gbps"], "x550": ["100 Mbps", "1 Gbps", "10 Gbps"]}, 10000),
    Family("enetc", ["enetc", "enetc-rev1"], {
        "enetc": ["10 Mbps", "100 Mbps", "1 Gbps"], "enetc-rev1": ["10 Mbps", "100 Mbps", "1 Gbps"]}, 1000),
)}

DRIVERS = {d for f in FAMILIES.values() for d in (f.ours, f.stock)}


def family_of(driver):
    for family in FAMILIES.values():
        if driver in (family.ours, family.stock):
            return family
    raise ValueError(f"no family of NICs has a driver {driver}: have " +
                     ", ".join(f"{f.ours}, {f.stock}" for f in FAMILIES.values()))
