/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Policy `igb`: Linux's igb driver with several queues and InterruptThrottleRate 3, its default
 * (figures: drivers/net/ethernet/intel/igb, igb_update_ring_itr() and igb_write_itr()).
 *
 * The mean frame, the longer of the two directions' and 24 bytes for the wire, is the interval:
 * half of it in 1/4 us, a third from 301 to 1199 bytes, never less than 196 (49 us). Neither rate
 * nor load count. Links slower than 1000 Mb/s get 4000/s; one that is faster is taken for 1000, as
 * Intel's own release does (the kernel's gives 2500 Mb/s 4000/s, too).
 *
 * The interrupt handler writes what the poll before it chose, so a choice holds one arm later. The
 * register drops fractions of a microsecond. With one queue the driver uses the classes of e1000,
 * with 56, 196 and 980 quarter-microseconds; that is not this policy.
 */
#include "policy.h"

#define START_ITR 648u	   /* 1/4 us: 162 us */
#define SLOW_LINK_ITR 980u /* 4000/s */
#define MIN_ITR 196u	   /* 20,000/s */
#define SLOW_LINK_MBPS 1000u
#define WIRE_OVERHEAD 24u
#define MAX_SIZE 3000u
#define ITR_REG_MASK 0x7FFCu

static void
igb_reset(struct aim_state *state)
{
	state->u.igb.itr = START_ITR;
}

/* Bytes a packet; 0: none came. */
static uint32_t
mean_size(uint32_t packets, uint32_t bytes)
{
	return packets != 0 ? bytes / packets : 0;
}

static uint32_t
igb_step(const struct aim_policy *policy, const struct aim_config *config, struct aim_state *state,
	 const struct aim_sample *sample, const struct aim_limits *limits, uint64_t now_ns)
{
	uint32_t reg = state->u.igb.itr & ITR_REG_MASK; /* chosen at the arm before */

	(void)policy, (void)config;
	if (limits->link_mbps != 0 && limits->link_mbps < SLOW_LINK_MBPS) {
		state->u.igb.itr = SLOW_LINK_ITR;
	} else {
		uint32_t rx = mean_size(sample->packets, sample->bytes);
		uint32_t tx = mean_size(sample->tx_packets, sample->tx_bytes);
		uint32_t size = rx > tx ? rx : tx;

		if (size != 0) {
			size = aim_min(size, MAX_SIZE - WIRE_OVERHEAD) + WIRE_OVERHEAD;
			size = size > 300 && size < 1200 ? size / 3 : size / 2;
			state->u.igb.itr = size > MIN_ITR ? size : MIN_ITR;
		}
	}
	return aim_decide(state, limits, limits->cap_ns, reg / 4 * 1000, now_ns);
}

const struct aim_policy aim_policy_igb = {
    .name = "igb", .adapts = true, .reset = igb_reset, .step = igb_step};
