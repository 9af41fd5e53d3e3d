/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"

#include "../../drivers/net/ixgbe_aim/ixgbe_regs.h"

static const char *const nics[] = {"82599", "82599-kx4", "x540", "x550", NULL};

/* CTRL, queue 0's ring, the receive unit, causes and masks. */
static bool
matters(uint32_t offset)
{
	return offset == IXGBE_CTRL || offset == IXGBE_RXCTRL || offset == IXGBE_AT(RXDCTL, 0) ||
	       offset == IXGBE_AT(RDT, 0) || (offset >= IXGBE_EICR && offset < IXGBE_AT(EITR, 0)) ||
	       (offset >= IXGBE_EIMS && offset < IXGBE_AT(IVAR, 0)) ||
	       (offset >= IXGBE_AT(EIMS_EX, 0) && offset <= IXGBE_AT(EIAM_EX, 1));
}

const struct rig_family rig_family = {
    .driver = "net_ixgbe_aim",
    .nic = "82599",
    .quick_nic = "82599-kx4", /* no module to read at each start */
    .matters = matters,
    .shared_throttle = true,
    .unit_nic = "x540",
    .nics = nics,
    .mbps = 10000,
    .wide_nic = "x550",
    .wide_queues = 64,
    .wide_vectors = 63,
    .arm_writes = 1,
    .disarm_writes = 1,
    .throttle_from_message = true,
    .max_ns = 511 * 2048,
    .ring_bound = true,
    .fixed_100us_ns = 48 * 2048,
    .fifo = true,
    .stale_wakes = true,
};
