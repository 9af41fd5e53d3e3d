/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Policies `ixgbe-2017`, Linux's ixgbe driver since 2017 (figures: ixgbe_update_itr() and
 * ixgbe_set_itr() of drivers/net/ethernet/intel/ixgbe, with the correction of 2019 that keeps the
 * table below 128 us), and `ixgbe-2026`, what a series posted in 2026 makes of it.
 *
 * Each direction keeps a value of its own: microseconds in the low 7 bits, and in bit 7 whether the
 * traffic is sensitive to latency. The lesser of the two values, flag included, is taken, so that
 * a direction in bulk comes before one that is sensitive. By packets since the last look:
 *
 *   none        2 us more than now, flag kept
 *   1 to 3      below 9000 bytes: half of the table's value, flag set
 *   to 47       2 us more than now
 *   48 to 95    as now
 *   96 to 255   half of now, 10 us at least
 *   from 256    the table's value, by the mean size of a packet
 *
 * with 126 us the most. 2026: 84 us the most, except that the table is not held to that; Rx with 1
 * to 23 packets and less than 12112 bytes aims at eight times the bytes, flag set, and falls by 2
 * us at a time; below 48 packets the flag is kept, below 8 set.
 *
 * A direction that was not looked at for two jiffies starts anew with 10 us and the flag. A jiffy
 * is a millisecond here (HZ=1000). A vector that never sent has no Tx ring: its value stays at the
 * start. The register drops fractions of 2.048 us of a quarter-microsecond count, so that 126 us
 * are 129.024 us in the end, 84 us are 86.016 us.
 */
#include "policy.h"

enum { AS_OF_2017, AS_OF_2026 };

#define FLAG_LATENCY 0x80u
#define MIN_US 10u
#define STEP_US 2u
#define NS_PER_JIFFY 1000000u
#define START_ITR 200u /* 1/4 us */
#define ITR_REG_MASK 0xFF8u
#define ITR_UNIT_NS 2048u

static const uint32_t max_us[] = {[AS_OF_2017] = 126, [AS_OF_2026] = 84};

/* What a look at one direction sees. */
struct look {
	uint32_t packets, bytes;
	uint32_t now_us; /* in force */
	uint8_t variant;
	bool rx;
	bool slow_unit; /* links on which the table counts in quarters of its unit */
};

static void
ixgbe2017_reset(struct aim_state *state)
{
	state->u.ixgbe2017.itr = START_ITR;
	state->u.ixgbe2017.rx = state->u.ixgbe2017.tx = 126 | FLAG_LATENCY;
}

/* The table: 1/256 us at 10 Gb/s, by bytes a packet. */
static uint32_t
size_value(uint32_t size)
{
	if (size <= 60)
		return 5120;
	if (size <= 316)
		return size * 40 + 2720;
	if (size <= 1084)
		return size * 15 + 11452;
	if (size < 1968)
		return size * 5 + 22420;
	return 32256;
}

/* A value of the table in microseconds, steps of 2 us, rounded up. */
static uint32_t
speed_us(uint32_t value, bool slow_unit)
{
	if (slow_unit)
		return (aim_min(value, 8064) + 127) / 128 * STEP_US;
	return (value + 511) / 512 * STEP_US;
}

static uint32_t
more_us(const struct look *l)
{
	return aim_min(l->now_us + STEP_US, max_us[l->variant]);
}

/* Few packets: the whole answer, or 0 when there are too many. */
static uint32_t
few_2017(const struct look *l, uint8_t old)
{
	if (l->packets == 0)
		return more_us(l) + (old & FLAG_LATENCY);
	if (l->packets < 4 && l->bytes < 9000)
		return FLAG_LATENCY +
		       speed_us(size_value(l->bytes / l->packets) >> 1, l->slow_unit);
	return l->packets < 48 ? more_us(l) : 0;
}

static uint32_t
few_2026(const struct look *l, uint8_t old)
{
	if (l->rx && l->packets != 0 && l->packets < 24 && l->bytes < 12112) {
		uint32_t value = (l->bytes + l->packets * 24) * 2;
		uint32_t us;

		value = value < 2560 ? 2560 : aim_min(value, 12800);
		us = FLAG_LATENCY + speed_us(value, l->slow_unit);
		return us < old && us < old - STEP_US ? old - STEP_US : us;
	}
	if (l->packets < 48)
		return more_us(l) + (l->packets < 8 ? FLAG_LATENCY : old & FLAG_LATENCY);
	return 0;
}

/* The next value of a direction. */
static uint8_t
value_next(const struct look *l, uint8_t old)
{
	uint32_t few = l->variant == AS_OF_2026 ? few_2026(l, old) : few_2017(l, old);

	if (few != 0)
		return (uint8_t)few;
	if (l->packets < 96)
		return (uint8_t)l->now_us;
	if (l->packets < 256)
		return (uint8_t)(l->now_us / 2 > MIN_US ? l->now_us / 2 : MIN_US);
	return (uint8_t)speed_us(size_value(l->bytes / l->packets), l->slow_unit);
}

static uint32_t
ixgbe2017_step(const struct aim_policy *policy, const struct aim_config *config,
	       struct aim_state *state, const struct aim_sample *sample,
	       const struct aim_limits *limits, uint64_t now_ns)
{
	uint64_t ms = now_ns / NS_PER_JIFFY;
	bool stale = state->last_arm_ns == 0 || ms - state->u.ixgbe2017.ms > 1;
	uint8_t tx = MIN_US | FLAG_LATENCY, rx = tx;
	uint32_t mbps = limits->link_mbps;
	uint32_t itr;

	(void)config;
	if (sample->tx_packets != 0)
		state->u.ixgbe2017.has_tx = true;
	if (!stale) {
		struct look look = {.packets = sample->tx_packets,
				    .bytes = sample->tx_bytes,
				    .now_us = state->u.ixgbe2017.itr >> 2,
				    .variant = policy->variant,
				    .slow_unit = mbps == 2500 || mbps == 1000 || mbps == 10};

		tx = value_next(&look, state->u.ixgbe2017.tx);
		look.packets = sample->packets;
		look.bytes = sample->bytes;
		look.rx = true;
		rx = value_next(&look, state->u.ixgbe2017.rx);
	}
	if (state->u.ixgbe2017.has_tx)
		state->u.ixgbe2017.tx = tx;
	state->u.ixgbe2017.rx = rx;
	state->u.ixgbe2017.ms = ms;
	itr = (aim_min(rx, state->u.ixgbe2017.tx) & ~FLAG_LATENCY) << 2;
	state->u.ixgbe2017.itr = itr;
	return aim_decide(state, limits, limits->cap_ns, (itr & ITR_REG_MASK) / 8 * ITR_UNIT_NS,
			  now_ns);
}

const struct aim_policy aim_policy_ixgbe_2017 = {.name = "ixgbe-2017",
						 .adapts = true,
						 .variant = AS_OF_2017,
						 .reset = ixgbe2017_reset,
						 .step = ixgbe2017_step};
const struct aim_policy aim_policy_ixgbe_2026 = {.name = "ixgbe-2026",
						 .adapts = true,
						 .variant = AS_OF_2026,
						 .reset = ixgbe2017_reset,
						 .step = ixgbe2017_step};
