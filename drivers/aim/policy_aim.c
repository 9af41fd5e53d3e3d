/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Policy `aim`, our own.
 *
 * An interrupt costs K packet-microseconds (the work of a wake, weighed
 * against packets that wait). With packets arriving at rate l, the cost of
 * interval x is K/x + l*x/2, least at x = sqrt(2K/l). Two things spoil that
 * rule in practice, and the law guards against each:
 *
 * - Packets that come one at a time need no throttle at all. So x is also
 *   held below kappa*l, where l counts only packets beyond the first of a wake.
 * - A request/response peer waits for us: throttling makes its packets arrive
 *   in bunches and looks like load. So l is the lesser of what arrived a cycle
 *   and of what arrived *while we polled*, which our own timer cannot create;
 *   and a step up that lowers the packet rate is taken back and not tried
 *   again for a while, twice as long each time.
 *
 * x moves on a ladder: down at once, up one rung for every 384 packets, with
 * a dead band of 12 % each side. The register therefore changes rarely.
 *
 * Bound on loss: aim_limits (ring) and the sink rule below. Evidence and
 * limits of the law: doc/guides/howto/moderation.rst.
 */
#include "policy.h"

/* Wakes/s below which throttling is not worth any delay. */
#define FREE_WAKES 100000u
#define FREE_GAP_NS (1000000000u / FREE_WAKES)
#define CYCLE_MAX_NS 2000000u  /* longer pauses say nothing more */
#define GATE_SLACK_NS 2000u    /* a wake this close behind the interval was held by the timer */
#define EWMA_SHIFT 4	       /* weight of a new value: 1/16 */
#define STEP_PACKETS 384u      /* packets seen on a rung before the next step up */
#define LONE_WAKES 6u	       /* gated wakes with one packet that end the throttle */
#define SPARSE_WAKES 16u       /* sparse wakes in a row that end it */
#define TRIAL_KEEP_PERCENT 92u /* a step up that leaves less of the packet rate is undone */
#define FREEZE_WAKES 512u
#define FREEZE_WAKES_MAX 65536u
#define RUNG_NONE 0xFFu
#define WIRE_OVERHEAD 24u /* bytes around a frame: preamble 8, gap 12, FCS 4 */

/*
 * A rung: interval, and the range of l (packets/s) in which it may be entered
 * (interval 12 % above) and may be kept (12 % below). With kappa = 900 us^2
 * x <= 0.9 ns * l; with K = 500 packet-us x^2 * l <= 10^15 ns^2/s.
 */
struct rung {
	uint32_t ns;
	uint32_t enter_min, enter_max, keep_min, keep_max;
};
#define KAPPA_NS_PER_PPS 0.9
#define TWO_K_NS2 1e15
#define MIN_RATE(ns) ((uint32_t)((ns) / KAPPA_NS_PER_PPS))
#define MAX_RATE(ns) ((uint32_t)(TWO_K_NS2 / ((double)(ns) * (ns))))
#define RUNG(ns) \
	{ \
		(ns), MIN_RATE((ns)*1.12), MAX_RATE((ns)*1.12), MIN_RATE((ns)*0.88), \
		    MAX_RATE((ns)*0.88) \
	}

static const struct rung ladder[] = {
    {0, 0, UINT32_MAX, 0, UINT32_MAX},
    RUNG(6144), /* multiples of 2.048 us, so that no family rounds a rung away */
    RUNG(8192),
    RUNG(12288),
    RUNG(16384),
    RUNG(22528),
    RUNG(32768),
    RUNG(45056),
    RUNG(65536),
};
#define TOP_RUNG (sizeof(ladder) / sizeof(ladder[0]) - 1)

static inline void
mean_add(uint32_t *mean, uint32_t value)
{
	*mean += (int32_t)(value - *mean) >> EWMA_SHIFT;
}

/* packets (1/256) in ns, as packets/s */
static inline uint32_t
rate(uint32_t packets256, uint32_t ns, uint32_t ns_min)
{
	uint64_t r = (uint64_t)packets256 * (1000000000u / 256) / (ns > ns_min ? ns : ns_min);

	return r > UINT32_MAX ? UINT32_MAX : (uint32_t)r;
}

/* Longest interval that the application's buffer bears when frames go on being as long as now. */
static inline uint32_t
sink_ns(const struct aim_sample *s, const struct aim_limits *limits)
{
	uint64_t bits;

	if (limits->sink_packets == 0 || s->packets == 0)
		return UINT32_MAX;
	bits = (uint64_t)limits->sink_packets * (s->bytes / s->packets + WIRE_OVERHEAD) * 8;
	return (uint32_t)(bits * 1000 / (limits->link_mbps != 0 ? limits->link_mbps : 10000));
}

static void
aim_policy_reset(struct aim_state *state)
{
	state->u.aim.cycle_ns = 50000; /* a slow start: nothing is dense yet */
	state->u.aim.polling_ns = 1000;
	state->u.aim.ceiling = RUNG_NONE;
	state->u.aim.freeze_len = FREEZE_WAKES;
}

/* A window of STEP_PACKETS has passed: judge the last step up, then perhaps take the next. */
static void
ladder_climb(struct aim_state *state, uint32_t l, uint32_t bound, bool busy)
{
	uint32_t seen = (uint32_t)((uint64_t)state->u.aim.window_packets * 1000000000u /
				   (state->u.aim.window_ns + 1));
	uint8_t up = (uint8_t)(state->u.aim.rung + 1);

	state->u.aim.window_packets = 0;
	state->u.aim.window_ns = 0;
	if (state->u.aim.trial_rate != 0 && state->u.aim.rung >= state->u.aim.trial_rung &&
	    seen < (uint64_t)state->u.aim.trial_rate * TRIAL_KEEP_PERCENT / 100) {
		state->u.aim.rung = state->u.aim.ceiling = (uint8_t)(state->u.aim.trial_rung - 1);
		state->u.aim.freeze = state->u.aim.freeze_len;
		if (state->u.aim.freeze_len < FREEZE_WAKES_MAX)
			state->u.aim.freeze_len *= 2;
		state->u.aim.trial_rate = 0;
		return;
	}
	state->u.aim.trial_rate = 0;
	if (up > TOP_RUNG || up > state->u.aim.ceiling || ladder[up].ns > bound)
		return;
	if ((l >= ladder[up].enter_min && l <= ladder[up].enter_max) ||
	    (busy && ladder[up].ns <= FREE_GAP_NS)) {
		state->u.aim.trial_rate = seen;
		state->u.aim.trial_rung = up;
		state->u.aim.rung = up;
	}
}

static uint32_t
aim_policy_step(const struct aim_config *config, struct aim_state *state,
		const struct aim_sample *s, const struct aim_limits *limits, uint64_t now_ns)
{
	uint32_t cycle, l, polled, bound;
	bool gated, sparse, busy;
	uint64_t gap;

	(void)config;
	/* The first arm, and a wake without a packet, tell nothing. */
	if (s->packets == 0 || state->last_arm_ns == 0)
		return state->interval_ns;

	cycle = now_ns - state->last_arm_ns < CYCLE_MAX_NS ? (uint32_t)(now_ns - state->last_arm_ns)
							   : CYCLE_MAX_NS;
	gap = s->poll_ns - state->last_arm_ns;
	gated = s->poll_ns - state->u.aim.last_poll_ns <= state->interval_ns + GATE_SLACK_NS;
	sparse = !gated && gap >= FREE_GAP_NS;
	state->u.aim.last_poll_ns = s->poll_ns;

	/* One packet again and again, each held by the timer: someone waits for us. */
	state->u.aim.lone = s->packets == 1 && gated ? state->u.aim.lone + 1 : 0;
	state->u.aim.quiet = sparse ? state->u.aim.quiet + 1 : 0;
	if (state->u.aim.lone >= LONE_WAKES || state->u.aim.quiet >= SPARSE_WAKES) {
		state->u.aim.extra = 0;
		state->u.aim.lone = 0;
		state->u.aim.quiet = 0;
	}

	mean_add(&state->u.aim.extra, sparse ? 0 : (s->packets - 1) << 8);
	mean_add(&state->u.aim.polled,
		 sparse ? 0 : (s->packets - aim_min(s->burst, s->packets)) << 8);
	mean_add(&state->u.aim.cycle_ns, cycle);
	mean_add(&state->u.aim.polling_ns, now_ns - s->poll_ns < CYCLE_MAX_NS
					       ? (uint32_t)(now_ns - s->poll_ns)
					       : CYCLE_MAX_NS);

	l = rate(state->u.aim.extra, state->u.aim.cycle_ns, 500);
	polled = rate(state->u.aim.polled + state->u.aim.polled / 4, state->u.aim.polling_ns, 50);
	l = aim_min(l, polled);
	bound = aim_min(limits->cap_ns, sink_ns(s, limits));
	busy = state->u.aim.cycle_ns < FREE_GAP_NS * 95 / 100;

	if (state->u.aim.freeze != 0 && --state->u.aim.freeze == 0)
		state->u.aim.ceiling = RUNG_NONE;
	state->u.aim.window_packets += s->packets;
	state->u.aim.window_ns += cycle;
	if (state->u.aim.window_packets >= STEP_PACKETS)
		ladder_climb(state, l, bound, busy);

	while (state->u.aim.rung > 0) {
		const struct rung *r = &ladder[state->u.aim.rung];

		if (r->ns <= bound &&
		    ((l >= r->keep_min && l <= r->keep_max) || (busy && r->ns <= FREE_GAP_NS)))
			break;
		state->u.aim.rung--;
		state->u.aim.trial_rate = 0;
	}
	return ladder[state->u.aim.rung].ns;
}

const struct aim_policy aim_policy_aim = {
    .name = "aim",
    .adapts = true,
    .drops_stale = true,
    .reset = aim_policy_reset,
    .step = aim_policy_step,
};
