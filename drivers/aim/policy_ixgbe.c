/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Policies `ixgbe` and `ixgbe-8k`: what Linux's ixgbe driver did until 2017, with the bulk class at
 * 12,000 and, in the older ones, at 8000 interrupts/s (figures: drivers/net/ethernet/intel/ixgbe,
 * ixgbe_update_itr() and ixgbe_set_itr()).
 *
 * The mean byte rate of the last interval puts each direction into one of three classes, the class
 * of more throttle wins, and the setting moves a tenth of the way to the class's target in the
 * harmonic sense. Kept as it is: the integer division stops short of the target when it rises (336
 * is approached to 326, 500 to 490), and the register drops fractions of 2.048 us.
 */
#include "policy.h"

enum { BULK_12K, BULK_8K };
enum { LOWEST_LATENCY, LOW_LATENCY, BULK };

/* Targets in units of 1/4 us: 100,000, 20,000 and 12,000 or 8000 interrupts/s. */
static const uint32_t targets[][3] = {
    [BULK_12K] = {[LOWEST_LATENCY] = 40, [LOW_LATENCY] = 200, [BULK] = 336},
    [BULK_8K] = {[LOWEST_LATENCY] = 40, [LOW_LATENCY] = 200, [BULK] = 500},
};

#define START_ITR 200u
#define ITR_REG_MASK 0xFF8u
#define ITR_UNIT_NS 2048u

static void
ixgbe_reset(struct aim_state *state)
{
	state->u.ixgbe.itr = START_ITR;
	state->u.ixgbe.rx_class = LOW_LATENCY;
	state->u.ixgbe.tx_class = LOWEST_LATENCY; /* as long as nothing is sent, Rx alone decides */
}

/* The next class of a direction: thresholds in bytes/us, 10 and 20. */
static uint8_t
class_next(uint8_t class, uint32_t packets, uint32_t bytes, uint32_t us)
{
	uint32_t bytes_per_us;

	if (packets == 0 || us == 0)
		return class;
	bytes_per_us = bytes / us;
	switch (class) {
	case LOWEST_LATENCY:
		return bytes_per_us > 10 ? LOW_LATENCY : LOWEST_LATENCY;
	case LOW_LATENCY:
		return bytes_per_us > 20 ? BULK : bytes_per_us <= 10 ? LOWEST_LATENCY : LOW_LATENCY;
	default:
		return bytes_per_us <= 20 ? LOW_LATENCY : BULK;
	}
}

static uint32_t
ixgbe_step(const struct aim_policy *policy, const struct aim_config *config,
	   struct aim_state *state, const struct aim_sample *sample,
	   const struct aim_limits *limits, uint64_t now_ns)
{
	uint32_t itr = state->u.ixgbe.itr;
	uint8_t tx = class_next(state->u.ixgbe.tx_class, sample->tx_packets, sample->tx_bytes,
				itr >> 2);
	uint8_t rx = class_next(state->u.ixgbe.rx_class, sample->packets, sample->bytes, itr >> 2);

	(void)config;
	state->u.ixgbe.tx_class = tx;
	state->u.ixgbe.rx_class = rx;
	if (sample->packets != 0 || sample->tx_packets != 0) {
		uint32_t target = targets[policy->variant][rx > tx ? rx : tx];

		if (itr != target)
			itr = 10 * target * itr / (9 * target + itr);
		state->u.ixgbe.itr = itr;
	}
	return aim_decide(state, limits, limits->cap_ns, (itr & ITR_REG_MASK) / 8 * ITR_UNIT_NS,
			  now_ns);
}

const struct aim_policy aim_policy_ixgbe = {
    .name = "ixgbe", .adapts = true, .variant = BULK_12K, .reset = ixgbe_reset, .step = ixgbe_step};
const struct aim_policy aim_policy_ixgbe_8k = {.name = "ixgbe-8k",
					       .adapts = true,
					       .variant = BULK_8K,
					       .reset = ixgbe_reset,
					       .step = ixgbe_step};
