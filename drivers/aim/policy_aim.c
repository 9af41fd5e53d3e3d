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
#define CYCLE_MAX_NS 2000000u /* longer pauses say nothing more */
#define GATE_SLACK_NS 2000u   /* a wake this close behind the interval was held by the timer */
#define EWMA_SHIFT 4	      /* weight of a new value: 1/16 */
#define STEP_PACKETS 384u     /* packets seen on a rung before the next step up */
#define LONE_WAKES 6u	      /* gated wakes with one packet that end the throttle */
#define SPARSE_WAKES 16u      /* sparse wakes in a row that end it */
#define TRIAL_KEEP_64THS 59u  /* a step up that leaves less of the packet rate is undone: 92 % */
#define FREEZE_WINDOWS 16u    /* of STEP_PACKETS, after a step that was undone; doubles each time */
#define FREEZE_WINDOWS_MAX 4096u
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
    {UINT32_MAX, UINT32_MAX, 0, UINT32_MAX, 0}, /* never entered: the end */
};

/* A time that matters: longer ones say nothing more. */
static inline uint32_t
bounded(uint64_t ns)
{
	return ns < CYCLE_MAX_NS ? (uint32_t)ns : CYCLE_MAX_NS;
}

/* Take a value into a mean; the new mean. */
static inline uint32_t
mean_add(uint32_t *mean, uint32_t value)
{
	return *mean += (uint32_t)((int32_t)(value - *mean) >> EWMA_SHIFT);
}

/* May the interval ns be used: ring and hardware, and the application's buffer when frames go on
 * being as long as now? A buffer bears sink_packets of them at line rate. */
static inline bool
bearable(uint32_t ns, const struct aim_sample *s, const struct aim_limits *limits)
{
	return ns <= limits->cap_ns &&
	       (uint64_t)ns * s->packets <= (uint64_t)limits->sink_ns_per_byte *
						(s->bytes + (uint64_t)WIRE_OVERHEAD * s->packets);
}

static void
aim_policy_reset(struct aim_state *state)
{
	state->u.aim.cycle_ns = 50000; /* a slow start: nothing is dense yet */
	state->u.aim.polling_ns = 1000;
	state->u.aim.freeze_len = FREEZE_WINDOWS;
}

/*
 * A window of STEP_PACKETS has passed: judge the last step up, then perhaps take the next.
 * True: the rung is a new one that fits l.
 */
static inline bool
ladder_climb(struct aim_state *state, const struct aim_sample *s, const struct aim_limits *limits,
	     uint64_t l, bool busy)
{
	const struct rung *up = &ladder[state->u.aim.rung + 1];
	uint32_t trial = state->u.aim.trial_rate;
	bool enter = ((l >= up->enter_min && l <= up->enter_max) ||
		      (busy && up->ns <= FREE_GAP_NS)) &&
		     bearable(up->ns, s, limits);
	uint32_t seen = 0;

	if (trial != 0 || enter)
		seen = (uint32_t)((uint64_t)state->u.aim.window_packets * 1000000000u /
				  (state->u.aim.window_ns | 1));
	state->u.aim.window_packets = 0;
	state->u.aim.window_ns = 0;
	state->u.aim.trial_rate = 0;
	if (seen < trial) { /* fewer packets than TRIAL_KEEP_64THS of before: not worth it */
		state->u.aim.rung--;
		state->u.aim.freeze = state->u.aim.freeze_len;
		if (state->u.aim.freeze_len < FREEZE_WINDOWS_MAX)
			state->u.aim.freeze_len *= 2;
		return false;
	}
	if (!enter)
		return false;
	if (state->u.aim.freeze != 0) {
		state->u.aim.freeze--;
		return false;
	}
	state->u.aim.trial_rate = seen / 64 * TRIAL_KEEP_64THS;
	state->u.aim.rung++;
	return true;
}

/*
 * Down while the rung does not fit l: to the bottom when nothing is left to throttle, else two
 * rungs at most; the next wake is at most 65 us away.
 */
static inline void
ladder_fall(struct aim_state *state, const struct aim_sample *s, const struct aim_limits *limits,
	    uint64_t l, bool busy)
{
	if (l < ladder[1].keep_min && !busy) {
		state->u.aim.rung = 0;
		state->u.aim.trial_rate = 0;
		return;
	}
	for (int i = 0; i < 2 && state->u.aim.rung > 0; i++) {
		const struct rung *r = &ladder[state->u.aim.rung];

		if (((l >= r->keep_min && l <= r->keep_max) || (busy && r->ns <= FREE_GAP_NS)) &&
		    bearable(r->ns, s, limits))
			break;
		state->u.aim.rung--;
		state->u.aim.trial_rate = 0;
	}
}

static uint32_t
aim_policy_step(const struct aim_policy *policy, const struct aim_config *config,
		struct aim_state *state, const struct aim_sample *s,
		const struct aim_limits *limits, uint64_t now_ns)
{
	uint32_t packets = s->packets;
	uint32_t cycle, extra, polled, mean_cycle;
	bool gated, sparse, busy;
	uint64_t since, l;

	(void)policy, (void)config;
	/* The first arm, and a wake without a packet, tell nothing. */
	if (packets == 0 || state->last_arm_ns == 0)
		return aim_decide(state, limits, limits->cap_ns, state->interval_ns, now_ns);

	cycle = bounded(now_ns - state->last_arm_ns);
	since = s->poll_ns - state->u.aim.last_poll_ns;
	state->u.aim.last_poll_ns = s->poll_ns;
	gated = since <= state->interval_ns + GATE_SLACK_NS;
	sparse = !gated && s->poll_ns - state->last_arm_ns >= FREE_GAP_NS;

	if (packets != 1 && !sparse) {
		state->u.aim.lone = state->u.aim.quiet = 0;
	} else {
		/* One packet again and again, each held by the timer: someone waits for us. */
		state->u.aim.lone = packets == 1 && gated ? state->u.aim.lone + 1 : 0;
		state->u.aim.quiet = sparse ? state->u.aim.quiet + 1 : 0;
		if (state->u.aim.lone >= LONE_WAKES || state->u.aim.quiet >= SPARSE_WAKES)
			state->u.aim.extra = state->u.aim.lone = state->u.aim.quiet = 0;
	}

	extra = polled = 0;
	if (!sparse) {
		extra = (packets - 1) << 8;
		polled = (packets - aim_min(s->burst, packets)) << 8;
	}
	extra = mean_add(&state->u.aim.extra, extra);
	polled = mean_add(&state->u.aim.polled, polled);
	mean_cycle = mean_add(&state->u.aim.cycle_ns, cycle);
	busy = mean_cycle < FREE_GAP_NS * 95 / 100;

	/* l = min(extra / cycle, 1.25 polled / polling) with one division; | 32: not by 0 */
	uint32_t polling = mean_add(&state->u.aim.polling_ns, bounded(now_ns - s->poll_ns)) | 32;

	polled += polled / 4;
	if ((uint64_t)extra * polling > (uint64_t)polled * mean_cycle) {
		extra = polled;
		mean_cycle = polling;
	}
	l = (uint64_t)extra * (1000000000u / 256) / (mean_cycle | 32);

	state->u.aim.window_packets += packets;
	state->u.aim.window_ns += cycle;
	if (state->u.aim.window_packets < STEP_PACKETS || !ladder_climb(state, s, limits, l, busy))
		ladder_fall(state, s, limits, l, busy);
	return aim_decide(state, limits, limits->cap_ns, ladder[state->u.aim.rung].ns, now_ns);
}

const struct aim_policy aim_policy_aim = {
    .name = "aim",
    .adapts = true,
    .drops_stale = true,
    .reset = aim_policy_reset,
    .step = aim_policy_step,
};
