/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Policies `dim`, `dim-cqe`, `dim-ice`, `dim-profile` and `enetc`: Linux's generic dynamic
 * interrupt moderation (figures: lib/dim/net_dim.c and dim.c, include/linux/dim.h) with the
 * profiles of its users.
 *
 * A walk over the five settings of a profile. Every 64 interrupts the rates of bytes, packets and
 * interrupts are compared with those before, in this order; a difference above 10 % decides, and
 * fewer interrupts are better. As long as a step made it better the walk goes on, else it turns.
 * It parks where it turned back to, or at an end, and leaves when the rates change; after ten
 * steps without parking it is tired, and rests for ten looks.
 *
 * `dim` and `dim-cqe`: receive profiles of the library, for timers that start with the first event
 * and with each event. They name a packet threshold.
 * `dim-ice`: Linux's ice driver (drivers/net/ethernet/intel/ice). Has no packet threshold; a second
 * limiter keeps the vector at 4 us and more; a measurement older than a second starts anew.
 * `dim-profile`: the user's own five settings, the threshold of `dim`.
 * `enetc`: Linux's enetc driver (drivers/net/ethernet/freescale/enetc). The profile of `dim`, but
 * it begins at its first setting with a timer of one cycle; an interrupt without a packet counts
 * and is not looked at; the interrupt handler writes what was chosen before it, so a choice holds
 * one arm later. The timer counts 2.5 ns (400 MHz); whole microseconds fit. The threshold is half
 * the ring, 256 at most.
 */
#include "policy.h"

enum { EQE, CQE, ICE, PROFILE, ENETC };
enum { ON_TOP, TIRED, RIGHT, LEFT }; /* aim_state's tune */

#define EVENTS 64u /* interrupts of a measurement */
#define TIRED_STEPS (2u * AIM_PROFILES)
#define SIGNIFICANT 11u /* whole percent: above 10 */
#define START_IX 1u
#define ICE_STALE_NS 1000000000u
#define ICE_LIMITER_NS 4000u
#define ENETC_CYCLE_NS 3u /* 2.5, such that the driver's rounding down yields the cycle */
#define ENETC_THRESHOLD 256u

struct setting {
	uint16_t us, packets;
};

static const struct setting profiles[][AIM_PROFILES] = {
    [EQE] = {{1, 256}, {8, 256}, {64, 256}, {128, 256}, {256, 256}},
    [CQE] = {{2, 256}, {8, 128}, {16, 64}, {32, 64}, {64, 64}},
    [ICE] = {{2, 0}, {8, 0}, {16, 0}, {62, 0}, {126, 0}},
    [PROFILE] = {{0, 256}, {0, 256}, {0, 256}, {0, 256}, {0, 256}}, /* intervals: aim_config */
    [ENETC] = {{1, 256}, {8, 256}, {64, 256}, {128, 256}, {256, 256}},
};

static void
dim_reset(struct aim_state *state)
{
	state->u.dim.ix = START_IX;
}

/* More than 10 % between a rate and the one it is compared with. */
static bool
differs(uint32_t now, uint32_t before)
{
	uint64_t by = now > before ? now - before : before - now;

	return by * 100 >= (uint64_t)before * SIGNIFICANT;
}

/* 1: better than before, -1: worse, 0: the same. */
static int
compare(const uint32_t *now, const uint32_t *before)
{
	for (int i = 0; i < 2; i++) { /* bytes, packets */
		if (before[i] == 0)
			return now[i] != 0;
		if (differs(now[i], before[i]))
			return now[i] > before[i] ? 1 : -1;
	}
	if (before[2] == 0 || !differs(now[2], before[2]))
		return 0;
	return now[2] < before[2] ? 1 : -1;
}

static void
park(struct aim_state *state, uint8_t where)
{
	state->u.dim.right = state->u.dim.left = 0;
	state->u.dim.tune = where;
	if (where == ON_TOP)
		state->u.dim.tired = 0;
}

/* One step in the direction of the walk; parks at an end, or when tired. */
static void
step(struct aim_state *state)
{
	if (state->u.dim.tired == TIRED_STEPS) {
		park(state, TIRED);
		return;
	}
	if (state->u.dim.tune == RIGHT) {
		if (state->u.dim.ix == AIM_PROFILES - 1) {
			park(state, ON_TOP);
			return;
		}
		state->u.dim.ix++;
		state->u.dim.right++;
	} else {
		if (state->u.dim.ix == 0) {
			park(state, ON_TOP);
			return;
		}
		state->u.dim.ix--;
		state->u.dim.left++;
	}
	state->u.dim.tired++;
}

/* Leave the place where the walk is parked. */
static void
leave(struct aim_state *state)
{
	state->u.dim.tune = state->u.dim.ix != 0 ? LEFT : RIGHT;
	step(state);
}

static void
walk(struct aim_state *state, const uint32_t *now)
{
	int better = compare(now, state->u.dim.prev);

	if (state->u.dim.tune != RIGHT && state->u.dim.tune != LEFT) {
		if (state->u.dim.tune == ON_TOP ? better != 0 : --state->u.dim.tired == 0)
			leave(state);
		return;
	}
	if (better != 1) {
		if (state->u.dim.tune == RIGHT) {
			state->u.dim.tune = LEFT;
			state->u.dim.left = 0;
		} else {
			state->u.dim.tune = RIGHT;
			state->u.dim.right = 0;
		}
	}
	/* One step back after several steps to here: this was the top. */
	if (state->u.dim.tune == RIGHT ? state->u.dim.left > 1 && state->u.dim.right == 1
				       : state->u.dim.right > 1 && state->u.dim.left == 1)
		park(state, ON_TOP);
	else
		step(state);
}

/* A count of a measurement a millisecond, rounded up. */
static uint32_t
per_ms(uint64_t count, uint64_t us)
{
	uint64_t rate = (count * 1000 + us - 1) / us;

	return rate < UINT32_MAX ? (uint32_t)rate : UINT32_MAX;
}

static void
measure_from(struct aim_state *state, uint64_t now_ns)
{
	state->u.dim.start_ns = now_ns;
	state->u.dim.bytes = 0;
	state->u.dim.packets = 0;
	state->u.dim.events = 0;
	state->u.dim.measuring = true;
}

/* An interrupt's work is done: perhaps a measurement is complete. True: the setting is another. */
static bool
look(struct aim_state *state, uint64_t now_ns)
{
	uint64_t us = (now_ns - state->u.dim.start_ns) / 1000;
	uint8_t ix = state->u.dim.ix, tune = state->u.dim.tune;

	if (!state->u.dim.measuring) {
		measure_from(state, now_ns);
		return false;
	}
	if (state->u.dim.events < EVENTS || us == 0)
		return false;

	const uint32_t now[] = {per_ms(state->u.dim.bytes, us), per_ms(state->u.dim.packets, us),
				per_ms(EVENTS, us)};

	walk(state, now);
	if (tune != ON_TOP || state->u.dim.tune != ON_TOP)
		for (int i = 0; i < 3; i++)
			state->u.dim.prev[i] = now[i];
	if (state->u.dim.ix != ix) {
		state->u.dim.measuring = false; /* anew from the next interrupt on */
		return true;
	}
	measure_from(state, now_ns);
	return false;
}

static uint32_t
dim_step(const struct aim_policy *policy, const struct aim_config *config, struct aim_state *state,
	 const struct aim_sample *sample, const struct aim_limits *limits, uint64_t now_ns)
{
	const struct setting *setting;
	uint32_t ns;

	state->u.dim.events++;
	state->u.dim.packets += sample->packets;
	state->u.dim.bytes += sample->bytes;
	if (policy->variant == ICE && now_ns - state->u.dim.start_ns >= ICE_STALE_NS)
		state->u.dim.measuring = false;
	(void)look(state, now_ns);
	setting = &profiles[policy->variant][state->u.dim.ix];
	ns = setting->us * 1000u;
	if (policy->variant == PROFILE)
		ns = config->profile_ns[state->u.dim.ix];
	if (policy->variant == ICE && ns < ICE_LIMITER_NS)
		ns = ICE_LIMITER_NS;
	state->threshold = setting->packets;
	return aim_decide(state, limits, limits->cap_ns, ns, now_ns);
}

static uint32_t
enetc_step(const struct aim_policy *policy, const struct aim_config *config,
	   struct aim_state *state, const struct aim_sample *sample,
	   const struct aim_limits *limits, uint64_t now_ns)
{
	uint8_t cached = state->u.dim.cached; /* what the interrupt before this arm wrote */
	uint32_t ns = cached != 0 ? profiles[ENETC][cached - 1].us * 1000u : ENETC_CYCLE_NS;

	(void)policy, (void)config;
	state->u.dim.events++;
	state->u.dim.packets += sample->packets;
	state->u.dim.bytes += sample->bytes;
	if (sample->packets != 0 && look(state, now_ns))
		state->u.dim.cached = state->u.dim.ix + 1;
	state->threshold = limits->ring_packets != 0
			       ? aim_min(ENETC_THRESHOLD, limits->ring_packets / 2)
			       : ENETC_THRESHOLD;
	return aim_decide(state, limits, limits->cap_ns, ns, now_ns);
}

const struct aim_policy aim_policy_dim = {
    .name = "dim", .adapts = true, .variant = EQE, .reset = dim_reset, .step = dim_step};
const struct aim_policy aim_policy_dim_cqe = {
    .name = "dim-cqe", .adapts = true, .variant = CQE, .reset = dim_reset, .step = dim_step};
const struct aim_policy aim_policy_dim_ice = {
    .name = "dim-ice", .adapts = true, .variant = ICE, .reset = dim_reset, .step = dim_step};
const struct aim_policy aim_policy_dim_profile = {.name = "dim-profile",
						  .adapts = true,
						  .variant = PROFILE,
						  .reset = dim_reset,
						  .step = dim_step};
const struct aim_policy aim_policy_enetc = {
    .name = "enetc", .adapts = true, .variant = ENETC, .step = enetc_step};
