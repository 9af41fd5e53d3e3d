/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Policy `i40e`: Linux's i40e driver since 2018 (figures: i40e_update_itr() and
 * i40e_update_enable_itr() of drivers/net/ethernet/intel/i40e).
 *
 * Akin to `ixgbe-2017`, but: each direction has a register of its own, and one of them at most is
 * written with an arm, a falling Rx first, then a falling or the further rising Tx, then a rising
 * Rx. The three arms after a write count for nothing, since a write may make the NIC interrupt
 * early. A vector always has both directions, so Tx is looked at when nothing is sent, too: its
 * latency flag is what lets Rx have its own. By packets since the last look:
 *
 *   Rx 1 to 3   below 9000 bytes and Tx has the flag: half of the table's value, flag set
 *   to 55       2 us more than the target, flag kept
 *   56 to 112   the lesser of the two registers
 *   113 to 256  half of that
 *   from 257    the table's value, by the mean size of a packet and the link's speed
 *
 * within 2 and 126 us. More than 32 packets take Tx's flag; Tx at 126 us without the flag and fewer
 * than 4 packets gets it back when Rx is at 126 us, too. What was not looked at for two jiffies
 * starts anew with the flag, Rx at 2 us, Tx at 126 us. A jiffy is a millisecond here (HZ=1000).
 *
 * Comparisons are of values with the flag in bit 15, as in the driver. The register counts 2 us.
 */
#include "policy.h"

#define FLAG_LATENCY 0x8000u
#define US_MASK 0x1FFEu
#define MIN_US 2u
#define MAX_US 126u
#define STEP_US 2u
#define START_US 50u
#define NS_PER_JIFFY 1000000u
#define COUNTDOWN 3u

static void
i40e_reset(struct aim_state *state)
{
	state->u.i40e.rx_target = state->u.i40e.rx_current = START_US;
	state->u.i40e.tx_target = state->u.i40e.tx_current = START_US;
}

/* The table, by bytes a packet; its unit depends on the link's speed. */
static uint32_t
size_value(uint32_t size)
{
	if (size <= 60)
		return 4096;
	if (size <= 380)
		return size * 40 + 1696;
	if (size <= 1084)
		return size * 15 + 11452;
	if (size <= 1980)
		return size * 5 + 22420;
	return 32256;
}

/* log2 of the table's units in two microseconds */
static uint32_t
unit_shift(uint32_t mbps)
{
	switch (mbps) {
	case 40000:
		return 11;
	case 25000:
	case 20000:
		return 10;
	case 1000:
	case 100:
		return 6;
	default:
		return 9;
	}
}

static uint32_t
bounded(uint32_t itr)
{
	return (itr & US_MASK) > MAX_US ? (itr & FLAG_LATENCY) + MAX_US : itr;
}

static uint32_t
sized(uint32_t flag, uint32_t packets, uint32_t bytes, uint32_t mbps)
{
	uint32_t value = size_value(bytes / packets) >> (flag != 0);
	uint32_t shift = unit_shift(mbps);

	return bounded(flag + ((value + (1u << shift) - 1) >> shift) * STEP_US);
}

/* What both directions do from `target` on, when nothing special applies. */
static uint16_t
target_next(const struct aim_state *state, uint32_t target, uint32_t packets, uint32_t bytes,
	    uint32_t mbps)
{
	uint32_t itr;

	if (packets < 56)
		return (uint16_t)bounded(target + STEP_US);
	if (packets > 256)
		return (uint16_t)sized(0, packets, bytes, mbps);
	itr = aim_min(state->u.i40e.tx_current, state->u.i40e.rx_current) & US_MASK;
	if (packets > 112) {
		itr = itr / 2 & US_MASK;
		itr = itr > MIN_US ? itr : MIN_US;
	}
	return (uint16_t)itr;
}

static uint16_t
tx_next(const struct aim_state *state, uint32_t packets, uint32_t bytes, uint32_t mbps)
{
	uint32_t target = state->u.i40e.tx_target;

	if (packets < 4 && target == MAX_US && (state->u.i40e.rx_target & US_MASK) == MAX_US)
		return MAX_US | FLAG_LATENCY;
	if (packets > 32)
		target &= ~FLAG_LATENCY;
	return target_next(state, target, packets, bytes, mbps);
}

static uint16_t
rx_next(const struct aim_state *state, uint32_t packets, uint32_t bytes, uint32_t mbps)
{
	if (packets != 0 && packets < 4 && bytes < 9000 &&
	    (state->u.i40e.tx_target & FLAG_LATENCY) != 0)
		return (uint16_t)sized(FLAG_LATENCY, packets, bytes, mbps);
	return target_next(state, state->u.i40e.rx_target, packets, bytes, mbps);
}

/* Which register is written with this arm. */
static void
write_one(struct aim_state *state)
{
	int rx_rise = state->u.i40e.rx_target - state->u.i40e.rx_current;
	int tx_rise = state->u.i40e.tx_target - state->u.i40e.tx_current;

	if (rx_rise >= 0 && (tx_rise < 0 || rx_rise < tx_rise)) {
		state->u.i40e.tx_current = state->u.i40e.tx_target;
	} else if (rx_rise != 0) {
		state->u.i40e.rx_current = state->u.i40e.rx_target;
	} else {
		if (state->u.i40e.countdown != 0)
			state->u.i40e.countdown--;
		return;
	}
	state->u.i40e.countdown = COUNTDOWN;
}

static uint32_t
i40e_step(const struct aim_policy *policy, const struct aim_config *config, struct aim_state *state,
	  const struct aim_sample *sample, const struct aim_limits *limits, uint64_t now_ns)
{
	uint64_t ms = now_ns / NS_PER_JIFFY;

	(void)policy, (void)config;
	if (state->last_arm_ns == 0 || ms - state->u.i40e.ms > 1) {
		state->u.i40e.tx_target = MAX_US | FLAG_LATENCY;
		state->u.i40e.rx_target = MIN_US | FLAG_LATENCY;
	} else if (state->u.i40e.countdown == 0) {
		state->u.i40e.tx_target = tx_next(state, sample->tx_packets, sample->tx_bytes,
						  limits->link_mbps);
		state->u.i40e.rx_target = rx_next(state, sample->packets, sample->bytes,
						  limits->link_mbps);
	}
	state->u.i40e.ms = ms;
	write_one(state);
	return aim_decide(state, limits, limits->cap_ns,
			  (state->u.i40e.rx_current & US_MASK) * 1000, now_ns);
}

const struct aim_policy aim_policy_i40e = {
    .name = "i40e", .adapts = true, .reset = i40e_reset, .step = i40e_step};
