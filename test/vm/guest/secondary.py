#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
A secondary DPDK process that tries to sleep on queue 0 of port 0, by nothing but DPDK's libraries: arguments
are EAL's. Prints what the calls returned, as JSON, in a line that begins with 'result: '.
"""

import ctypes
import json
import sys

PER_THREAD, ADD = -1, 1
eal, ethdev = (ctypes.CDLL(f"librte_{name}.so.23", ctypes.RTLD_GLOBAL) for name in ("eal", "ethdev"))
arguments = [b"secondary", *(a.encode() for a in sys.argv[1:]), b"--proc-type=secondary"]
if eal.rte_eal_init(len(arguments), (ctypes.c_char_p * len(arguments))(*arguments)) < 0:
    sys.exit("no EAL")
packets = (ctypes.c_uint8 * 4096)()
print("result: " + json.dumps({
    "add": ethdev.rte_eth_dev_rx_intr_ctl_q(0, 0, PER_THREAD, ADD, None),
    "descriptor": ethdev.rte_eth_dev_rx_intr_ctl_q_get_fd(0, 0),
    "enable": [ethdev.rte_eth_dev_rx_intr_enable(0, 0) for _ in range(3)],
    "disable": ethdev.rte_eth_dev_rx_intr_disable(0, 0),
    "statistics": ethdev.rte_eth_stats_get(0, ctypes.byref(packets)),
}), flush=True)
eal.rte_eal_cleanup()
