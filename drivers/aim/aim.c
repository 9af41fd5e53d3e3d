/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine's frame: limits, reset, step. */
#include "policy.h"

#include <errno.h>
#include <string.h>

/* Bits on the wire of the smallest frame: 64 bytes, 8 of preamble, 12 of gap. */
#define SMALLEST_FRAME_BITS 672u
/* Hosts of such links are slower, too: policy aim's rates are a quarter there, its intervals four
 * times as long, and so 20,000 packets/s are still sparse. */
#define SLOW_LINK_MBPS 1000u
#define SLOW_LINK_SHIFT 2u
/* ns a byte that bind nothing: above AIM_INTERVAL_MAX_NS for a frame of one byte. */
#define SINK_NONE (1u << 24)
/* Descriptors that a ring keeps back: hardware stops short of the tail, software refills in groups.
 */
#define RING_RESERVE 32u

/* Time that line-rate traffic of the smallest frames needs for n packets, ns. */
static uint32_t
flood_ns(uint32_t packets, uint32_t link_mbps)
{
	uint64_t ns = (uint64_t)packets * SMALLEST_FRAME_BITS * 1000 / link_mbps;

	return ns > AIM_INTERVAL_MAX_NS ? AIM_INTERVAL_MAX_NS : (uint32_t)ns;
}

int
aim_limits_settle(struct aim_limits *limits)
{
	uint32_t mbps = limits->link_mbps != 0 ? limits->link_mbps : 10000;
	uint32_t cap = limits->max_ns;

	if (limits->max_ns == 0 || limits->max_ns > AIM_INTERVAL_MAX_NS ||
	    limits->min_ns > limits->max_ns)
		return -EINVAL;
	if (limits->ring_packets != 0 && !limits->by_count) {
		uint32_t room = limits->ring_packets > RING_RESERVE
				    ? flood_ns(limits->ring_packets - RING_RESERVE, mbps)
				    : 0;

		cap = aim_min(cap, room > limits->wake_ns ? room - limits->wake_ns : 0);
	}
	limits->time_shift = mbps <= SLOW_LINK_MBPS ? SLOW_LINK_SHIFT : 0;
	limits->sink_ns_per_byte = SINK_NONE;
	if (limits->sink_packets != 0 && !limits->by_count)
		limits->sink_ns_per_byte = aim_min(
		    (uint32_t)(aim_min(limits->sink_packets, 1u << 20) * 8000ull / mbps),
		    SINK_NONE);
	limits->cap_ns = cap;
	if (cap < limits->min_ns) {
		limits->cap_ns = limits->min_ns;
		return -ERANGE;
	}
	return 0;
}

uint32_t
aim_limits_packets(const struct aim_limits *limits)
{
	uint32_t mbps = limits->link_mbps != 0 ? limits->link_mbps : 10000;
	uint32_t most = AIM_PACKETS_MAX;

	if (limits->ring_packets != 0) {
		/* of the smallest frames, rounded up */
		uint32_t flood = (uint32_t)((uint64_t)limits->wake_ns * mbps /
					    (SMALLEST_FRAME_BITS * 1000u)) +
				 1 + RING_RESERVE;

		most = limits->ring_packets > flood ? limits->ring_packets - flood : 1;
		most = aim_min(most, AIM_PACKETS_MAX);
	}
	if (limits->sink_packets != 0)
		most = aim_min(most, limits->sink_packets);
	return most;
}

void
aim_reset(struct aim_state *state, const struct aim_policy *policy)
{
	memset(state, 0, sizeof(*state));
	if (policy->reset != NULL)
		policy->reset(state);
}

uint32_t
aim_step(const struct aim_policy *policy, const struct aim_config *config, struct aim_state *state,
	 const struct aim_sample *sample, const struct aim_limits *limits, uint64_t now_ns)
{
	return policy->step(policy, config, state, sample, limits, now_ns);
}
