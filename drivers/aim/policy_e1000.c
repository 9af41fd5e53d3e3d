/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Policies `e1000`, `e1000-conservative` and `e1000-simplified`: Linux's e1000 and e1000e with
 * InterruptThrottleRate 1, 3 and 4 (figures: e1000_update_itr(), e1000_set_itr() and the watchdog
 * task in drivers/net/ethernet/intel/e1000e/netdev.c and e1000/e1000_main.c).
 *
 * 1 and 3: packets and bytes since the last look put each direction into one of three classes; the
 * class of more throttle wins and names a rate. The rate rises by a quarter of the new one at a
 * time and falls at once. 3 has no lowest-latency class. Links slower than 1000 Mb/s get 4000/s;
 * the family has none that is faster, and one is taken for 1000.
 *
 * 4: every two seconds, by the share of the lesser direction in the traffic: 8000/s when all of it
 * goes one way, 2000/s when both ways are equal. 8000/s until the first two seconds are over.
 *
 * The register counts 256 ns, rounded down. A driver with MSI-X (82574) writes it an interrupt
 * later; this is the one that writes at once.
 */
#include "policy.h"

enum { DYNAMIC, CONSERVATIVE, SIMPLIFIED };
enum { LOWEST_LATENCY, LOW_LATENCY, BULK };

static const uint32_t rates[] = {[LOWEST_LATENCY] = 70000, [LOW_LATENCY] = 20000, [BULK] = 4000};

#define START_RATE 20000u
#define SLOW_LINK_RATE 4000u
#define SLOW_LINK_MBPS 1000u
#define WATCHDOG_NS 2000000000u
#define ITR_UNIT_NS 256u

/* Interval of a rate, as the register holds it. */
static uint32_t
rate_ns(uint32_t rate)
{
	return 1000000000u / (rate * ITR_UNIT_NS) * ITR_UNIT_NS;
}

/* bytes / packets > limit, in integers. */
static bool
longer_than(uint32_t bytes, uint32_t packets, uint32_t limit)
{
	return bytes >= (limit + 1ull) * packets;
}

static uint8_t
class_next(uint8_t class, uint32_t packets, uint32_t bytes)
{
	if (packets == 0)
		return class;
	switch (class) {
	case LOWEST_LATENCY:
		if (longer_than(bytes, packets, 8000))
			return BULK;
		return packets < 5 && bytes > 512 ? LOW_LATENCY : LOWEST_LATENCY;
	case LOW_LATENCY:
		if (bytes > 10000) {
			if (longer_than(bytes, packets, 1200) || packets < 10)
				return BULK;
			return packets > 35 ? LOWEST_LATENCY : LOW_LATENCY;
		}
		if (longer_than(bytes, packets, 2000))
			return BULK;
		return packets <= 2 && bytes < 512 ? LOWEST_LATENCY : LOW_LATENCY;
	default:
		if (bytes > 25000)
			return packets > 35 ? LOW_LATENCY : BULK;
		return bytes < 6000 ? LOW_LATENCY : BULK;
	}
}

static void
e1000_reset(struct aim_state *state)
{
	state->u.e1000.rate = START_RATE;
}

static uint32_t
e1000_step(const struct aim_policy *policy, const struct aim_config *config,
	   struct aim_state *state, const struct aim_sample *sample,
	   const struct aim_limits *limits, uint64_t now_ns)
{
	uint8_t lowest = policy->variant == CONSERVATIVE ? LOW_LATENCY : LOWEST_LATENCY;
	uint32_t old = state->u.e1000.rate;
	uint32_t rate = SLOW_LINK_RATE;
	uint8_t tx, rx;

	(void)config;
	if (limits->link_mbps == 0 || limits->link_mbps >= SLOW_LINK_MBPS) {
		tx = class_next(state->u.e1000.tx_class, sample->tx_packets, sample->tx_bytes);
		rx = class_next(state->u.e1000.rx_class, sample->packets, sample->bytes);
		state->u.e1000.tx_class = tx = tx > lowest ? tx : lowest;
		state->u.e1000.rx_class = rx = rx > lowest ? rx : lowest;
		rate = rates[rx > tx ? rx : tx];
	}
	if (rate > old)
		rate = aim_min(old + rate / 4, rate);
	state->u.e1000.rate = rate;
	return aim_decide(state, limits, limits->cap_ns, rate_ns(rate), now_ns);
}

static void
e1000_simplified_reset(struct aim_state *state)
{
	state->u.e1000.rate = 8000;
}

static uint32_t
e1000_simplified_step(const struct aim_policy *policy, const struct aim_config *config,
		      struct aim_state *state, const struct aim_sample *sample,
		      const struct aim_limits *limits, uint64_t now_ns)
{
	uint64_t *bytes = state->u.e1000.bytes;

	(void)policy, (void)config;
	if (state->last_arm_ns == 0)
		state->u.e1000.since_ns = now_ns;
	bytes[0] += sample->bytes;
	bytes[1] += sample->tx_bytes;
	if (now_ns - state->u.e1000.since_ns >= WATCHDOG_NS) {
		uint64_t all = (bytes[0] + bytes[1]) / 10000;
		uint64_t more = bytes[0] > bytes[1] ? bytes[0] - bytes[1] : bytes[1] - bytes[0];

		state->u.e1000.rate = all != 0 ? (uint32_t)(more / 10000 * 6000 / all) + 2000
					       : 8000;
		state->u.e1000.since_ns = now_ns;
		bytes[0] = bytes[1] = 0;
	}
	return aim_decide(state, limits, limits->cap_ns, rate_ns(state->u.e1000.rate), now_ns);
}

const struct aim_policy aim_policy_e1000 = {
    .name = "e1000", .adapts = true, .variant = DYNAMIC, .reset = e1000_reset, .step = e1000_step};
const struct aim_policy aim_policy_e1000_conservative = {.name = "e1000-conservative",
							 .adapts = true,
							 .variant = CONSERVATIVE,
							 .reset = e1000_reset,
							 .step = e1000_step};
const struct aim_policy aim_policy_e1000_simplified = {.name = "e1000-simplified",
						       .adapts = true,
						       .variant = SIMPLIFIED,
						       .reset = e1000_simplified_reset,
						       .step = e1000_simplified_step};
