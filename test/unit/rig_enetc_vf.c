/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"

#include "../../drivers/net/enetc_aim/enetc_regs.h"

static const char *const nics[] = {"enetc-vf", NULL};

/* Station interface on and off, and all of queue 0's receive ring. */
static bool
matters(uint32_t offset)
{
	return offset == ENETC_SIMR ||
	       (offset >= ENETC_AT(RBMR, 0) && offset <= ENETC_AT(RBICR1, 0));
}

const struct rig_family rig_family = {
    .driver = "net_enetc_aim_vf",
    .nic = "enetc-vf",
    .quick_nic = "enetc-vf",
    .matters = matters,
    .nics = nics,
    .mbps = 1000,
    .no_port = true,
    .wide_nic = "enetc-vf",
    .wide_queues = ENETC_VF_RINGS,
    .wide_vectors = ENETC_VF_RINGS,
    .arm_reads = 1,
    .arm_writes = 2,
    .disarm_writes = 1,
    .max_ns = 1048576,
    .fixed_100us_ns = 100000,
};
