/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Policy `ixgbe`: what Linux's ixgbe driver did until 2017, with the bulk
 * class at 12,000 interrupts/s (figures: drivers/net/ethernet/intel/ixgbe,
 * ixgbe_update_itr() and ixgbe_set_itr(); moderation of the receive side).
 *
 * The mean byte rate of the last interval picks one of three classes, and the
 * setting moves a tenth of the way to the class's target in the harmonic
 * sense. Kept as it is: the integer division stops short of the target when
 * it rises (336 is approached to 326), and the register drops fractions of
 * 2.048 us.
 */
#include "policy.h"

enum { LOWEST_LATENCY, LOW_LATENCY, BULK };

/* Targets in units of 1/4 us: 100,000, 20,000 and 12,000 interrupts/s. */
static const uint32_t target[] = {[LOWEST_LATENCY] = 40, [LOW_LATENCY] = 200, [BULK] = 336};

#define ITR_REG_MASK 0xFF8u
#define ITR_UNIT_NS 2048u

static void
ixgbe_reset(struct aim_state *state)
{
	state->u.ixgbe.itr = target[LOW_LATENCY];
	state->u.ixgbe.class = LOW_LATENCY;
}

static uint32_t
ixgbe_step(const struct aim_policy *policy, const struct aim_config *config,
	   struct aim_state *state, const struct aim_sample *sample,
	   const struct aim_limits *limits, uint64_t now_ns)
{
	uint32_t itr = state->u.ixgbe.itr;
	uint32_t us = itr >> 2;

	(void)policy, (void)config;
	if (sample->packets != 0 && us != 0) {
		uint32_t bytes_per_us = sample->bytes / us;
		uint8_t class = state->u.ixgbe.class;

		/* thresholds in bytes/us: 10 and 20 */
		if (class == LOWEST_LATENCY)
			class = bytes_per_us > 10 ? LOW_LATENCY : LOWEST_LATENCY;
		else if (class == LOW_LATENCY)
			class = bytes_per_us > 20    ? BULK
				: bytes_per_us <= 10 ? LOWEST_LATENCY
						     : LOW_LATENCY;
		else
			class = bytes_per_us <= 20 ? LOW_LATENCY : BULK;
		state->u.ixgbe.class = class;
		if (itr != target[class]) {
			itr = 10 * target[class] * itr / (9 * target[class] + itr);
			state->u.ixgbe.itr = itr;
		}
	}
	return aim_decide(state, limits, limits->cap_ns, (itr & ITR_REG_MASK) / 8 * ITR_UNIT_NS,
			  now_ns);
}

const struct aim_policy aim_policy_ixgbe = {
    .name = "ixgbe", .adapts = true, .reset = ixgbe_reset, .step = ixgbe_step};
