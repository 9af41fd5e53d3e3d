/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"

static const char *const nics[] = {"enetc", "enetc-rev1", NULL};

const struct rig_family rig_family = {
    .driver = "net_enetc_aim",
    .nic = "enetc",
    .nics = nics,
    .mbps = 1000,
    .wide_nic = "enetc",
    .wide_queues = 8,
    .wide_vectors = 8,
    .arm_reads = 1,
    .arm_writes = 1,
    .disarm_reads = 1,
    .disarm_writes = 1,
    .fixed_100us_ns = 100000,
};
