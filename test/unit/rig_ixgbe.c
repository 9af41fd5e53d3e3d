/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"

static const char *const nics[] = {"82599", "82599-kx4", "x540", "x550", NULL};

const struct rig_family rig_family = {
    .driver = "net_ixgbe_aim",
    .nic = "82599",
    .nics = nics,
    .mbps = 10000,
    .wide_nic = "x550",
    .wide_queues = 64,
    .wide_vectors = 63,
    .arm_writes = 1,
    .disarm_writes = 1,
    .throttle_from_message = true,
    .fixed_100us_ns = 48 * 2048,
    .fifo = true,
    .stale_wakes = true,
};
