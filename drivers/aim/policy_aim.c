/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Policy `aim`, our own: an interval is on trial for ever.
 *
 * Two questions are kept apart.
 *
 * Which interval? An interrupt costs K packet-microseconds (the work of a wake, weighed against
 * packets that wait). For packets that come at rate l, K/x + l*x/2 is least at x = sqrt(2K/l);
 * below the rate where that meets kappa*l, latency goes first and x = kappa*l. Both are one table
 * of rates: policy_aim_bands.c. The rate does not depend on x when the load is open, so nothing can
 * hunt.
 *
 * Any interval at all? A peer that waits for us sends less when we wait, and then the rule above is
 * wrong whatever the rate. No look at arrivals tells that reliably, an experiment does: the queue
 * alternates between rests (x = 0) and trials (x from the table) and compares the packet rates:
 * policy_aim_judge.c. A trial that costs packets, or saves no interrupts, is followed by a long
 * rest, twice as long each time; one that costs nothing is followed by a longer trial. So a wrong
 * guess costs little, and a right one is paid for with a rest now and then. Before a first trial
 * the queue knocks: single interrupts are delayed, which shows a tight loop to us and little to a
 * peer that tunes itself.
 *
 * This file measures: cycles make windows, windows make phases.
 *
 * Bound on loss: aim_limits (ring), and usable() for the sink. Why each number is what it is, what
 * was tried and what is not reached: doc/guides/howto/moderation.rst.
 */
#include "policy_aim.h"

/* A window is the unit of measurement; it ends at the arm that fills it. */
#define WINDOW_PACKETS 128u
#define WINDOW_NS 300000u
/* Slow windows in a row that begin a rest again. */
#define SLOW_WINDOWS 256u
/* Knocks before a first trial: wakes and time between two; how many must do no harm; how many, and
 * of how many packets, convict; how many are enough if neither is clear. */
#define KNOCK_WAKES 64u
#define KNOCK_NS 850000u
#define KNOCKS_MIN 2u
#define KNOCKS_SURE 5u
#define KNOCKS_SURE_PACKETS 32u
#define KNOCKS_MAX 12u

static inline uint32_t
per_second(uint64_t n, uint64_t ns)
{
	uint64_t rate = n * 1000000000u / (ns | 1);

	return rate < RATE_MAX ? (uint32_t)rate : RATE_MAX;
}

/* Take a value into a mean with the weight 2^-shift. */
static inline void
mean_add(uint32_t *mean, uint32_t value, int shift)
{
	*mean += (uint32_t)((int32_t)(value - *mean) >> shift);
}

static void
aim_policy_reset(struct aim_state *state)
{
	state->u.aim.trial_ns = TRIAL_MIN_NS;
	state->u.aim.freeze_ns = FREEZE_MIN_NS;
	state->u.aim.pause_ns = PAUSE_MAX_NS;
	state->u.aim.slow_max = SLOW_WINDOWS_MIN;
}

/* How much does the mean of REST_WINDOWS_LONG windows move when nothing is changed? Windows know
 * only a bound: in a closed loop one makes up for the other. */
static void
group_end(struct aim_law *a)
{
	uint32_t rate = per_second(a->phase.group_packets, a->phase.group_ns);

	a->phase.group_packets = a->phase.group_ns = 0;
	if (a->phase.groups++ > 0)
		mean_add(&a->group_noise, distance(rate, a->group_rate), 3);
	a->group_rate = rate;
}

/* Are there windows enough, or has the trial lasted long enough, for a verdict? */
static bool
phase_over(const struct aim_law *a)
{
	if (a->phase.kind == TRIAL)
		return a->phase.windows > REST_WINDOWS && a->phase.ns >= a->trial_ns;
	if (a->doubt == SUSPECT) /* a false alarm costs more than a long look */
		return a->phase.windows > 2 * REST_WINDOWS_LONG;
	return a->phase.windows >
	       (trial_is_first(a) && a->doubt == NO_DOUBT ? REST_WINDOWS : REST_WINDOWS_LONG);
}

static bool
window_full(const struct aim_law *a)
{
	const struct aim_window *w = &a->window;

	if (a->phase.kind == KNOCK)
		return w->wakes >= KNOCK_WAKES && w->ns >= KNOCK_NS;
	return w->packets >= WINDOW_PACKETS || w->ns >= WINDOW_NS;
}

/* The mean with pauses, over some ms. */
static inline void
mean_follow(struct aim_law *a)
{
	if (a->mean_ns > MEAN_NS) {
		a->mean_packets /= 2;
		a->mean_ns /= 2;
	}
	a->window_paused = a->paused_ns != 0;
	a->mean_packets += a->paused_packets + a->closed.packets;
	a->mean_ns += a->paused_ns + a->closed.ns;
	a->paused_packets = a->paused_ns = 0;
}

/* When the window is full: its rate. */
static uint8_t
stage_gather(struct aim_law *a, const struct aim_limits *limits)
{
	struct aim_window *w = &a->window;

	if (!window_full(a))
		return GATHER;
	w->rate = per_second(w->packets, w->ns);
	aim_band_follow(a, limits, w->rate);
	a->closed = *w;
	memset(w, 0, sizeof(*w));
	return COUNT;
}

/* The window is one of the phase's. */
static uint8_t
window_add(struct aim_law *a)
{
	const struct aim_window *w = &a->closed;

	a->phase.slow = 0;
	if (w->rate > a->phase.high)
		a->phase.high = w->rate;
	if (a->phase.windows++ == 0) /* settles */
		return CHOOSE;
	a->phase.sum_packets += w->packets;
	a->phase.sum_ns += w->ns;
	a->phase.sum_wakes += w->wakes;
	a->phase.ns += w->ns;
	return WEIGH;
}

static uint8_t
stage_count(struct aim_law *a)
{
	const struct aim_window *w = &a->closed;

	mean_follow(a);
	if (a->phase.kind == KNOCK) { /* what knocks are compared with */
		a->phase.windows++;
		a->phase.sum_packets += w->packets;
		a->phase.sum_ns += w->ns;
		return CHOOSE;
	}
	if (a->phase.kind == TRIAL && a->band != 0 &&
	    aim_is_sparse(a)) { /* bursts as short as that need no interval */
		phase_begin(a, REST);
		return CHOOSE;
	}
	if (a->phase.high > 0 && w->rate > 3 * a->phase.high)
		return WOKE;
	if (3 * w->rate < a->phase.high || (a->phase.kind == TRIAL && 3 * w->rate < a->rest_rate)) {
		/* they sleep, or this is how they are now */
		if (a->phase.kind == TRIAL)
			return aim_judge_slow(a);
		if (++a->phase.slow >= SLOW_WINDOWS)
			phase_begin(a, REST);
		return CHOOSE;
	}
	return window_add(a);
}

/* The sources have woken up: what was before says nothing. */
static uint8_t
stage_woke(struct aim_law *a)
{
	if (aim_judge_woke(a))
		return CHOOSE;
	phase_begin(a, a->phase.kind);
	a->phase.windows = 1;
	return window_add(a);
}

/* How much do windows differ, and does this one show that the trial does obvious harm? */
static uint8_t
stage_weigh(struct aim_law *a)
{
	const struct aim_window *w = &a->closed;
	uint8_t next;

	if (a->noise == 0) /* until it is known, as of Poisson arrivals */
		a->noise = w->rate / 32 * 3 + 1;
	if (a->phase.windows > 2)
		mean_add(&a->noise, distance(w->rate, a->last_rate), 4);
	a->last_rate = w->rate;
	if (a->phase.kind != TRIAL)
		return phase_over(a) ? SUM : CHOOSE;
	a->phase.group_packets += w->packets;
	a->phase.group_ns += w->ns;
	next = aim_judge_window(a);
	if (next != GO_ON)
		return next;
	if (a->phase.windows % REST_WINDOWS_LONG == 1)
		return GROUP;
	return phase_over(a) ? SUM : CHOOSE;
}

static uint8_t
stage_group(struct aim_law *a)
{
	group_end(a);
	return phase_over(a) ? SUM : CHOOSE;
}

/* The phase is over: what it came to. */
static uint8_t
stage_sum(struct aim_law *a)
{
	a->phase_rate = per_second(a->phase.sum_packets, a->phase.sum_ns);
	a->phase_wakes = per_second(a->phase.sum_wakes, a->phase.sum_ns);
	return a->phase.kind == TRIAL ? HARM : JUDGE;
}

/* The interval of the phase; and time passes for a freeze. */
static uint8_t
stage_choose(struct aim_law *a, const struct aim_limits *limits)
{
	a->ns = aim_band_ns(a, limits, a->phase.kind);
	a->frozen_ns -= aim_min(a->frozen_ns, a->closed.ns);
	if (a->phase.kind != KNOCK)
		return GATHER;
	if (a->ns != 0)
		return DELAYED;
	phase_begin(a, REST);
	return GATHER;
}

/* The cycle that ends is a knock; it enters the window, alone, when the next one is known. */
static uint8_t
stage_delayed(struct aim_law *a, const struct aim_sample *s, const struct aim_limits *limits,
	      uint32_t interval_ns, uint64_t cycle)
{
	/* when there was nothing to wait for, for long, the delay did no harm */
	if ((s->poll_ns >> limits->time_shift) - (a->since_ns - cycle) >=
	    (2 * interval_ns + limits->wake_ns) >> limits->time_shift)
		a->last_packets = a->last_bytes = a->last_ns = 0;
	a->ns = 0;
	memset(&a->window, 0, sizeof(a->window));
	return HEARD;
}

/* The knock is known, if it counts. */
static uint8_t
stage_heard(struct aim_law *a)
{
	struct aim_window *w = &a->window;

	a->phase.knocks += w->ns != 0;
	a->phase.knock_packets += w->packets;
	a->phase.knock_ns += w->ns;
	memset(w, 0, sizeof(*w));
	return VERDICT;
}

/*
 * Knocks enough? They should have found what came in as much time between them. In a tight loop a
 * knock finds as many packets as the peer may send unanswered, not as many as its time would bring,
 * and so few delays hardly cost anything.
 */
static uint8_t
stage_verdict(struct aim_law *a)
{
	/* both in packets times ns */
	uint64_t expected = a->phase.sum_packets * a->phase.knock_ns;
	uint64_t found = a->phase.knock_packets * a->phase.sum_ns;

	if (found >= expected - expected / 8) {
		if (a->phase.windows < KNOCKS_MIN)
			return GATHER;
		phase_begin(a, TRIAL);
		return CHOOSE;
	}
	if (a->phase.windows < KNOCKS_MAX &&
	    (a->phase.knocks < KNOCKS_SURE || found > expected - expected / 4 ||
	     expected < KNOCKS_SURE_PACKETS * a->phase.sum_ns))
		return GATHER;
	return aim_judge_knocks(a, per_second(a->phase.knock_packets, a->phase.knock_ns));
}

/* What was measured last says nothing: rest, and measure anew. */
static void
start_over(struct aim_law *a)
{
	a->ns = 0;
	a->stage = GATHER;
	memset(&a->window, 0, sizeof(a->window));
	phase_begin(a, REST);
}

/* A pause: the sources slept, and the cycle before it was their last breath. */
static void
pause_seen(struct aim_law *a, uint64_t cycle)
{
	uint32_t most = aim_min(MEAN_PAUSE_NS, MEAN_NS - aim_min(a->paused_ns, MEAN_NS));

	a->paused_packets += a->last_packets;
	a->paused_ns += cycle < most ? (uint32_t)cycle : most;
	if (cycle < PAUSE_MAX_NS) {
		a->pauses_ns += (uint32_t)cycle / 2;
		if (a->pauses_ns > PAUSES_NS) { /* this is how the load is now */
			a->pauses_ns = 0;
			a->pause_ns = PAUSE_MAX_NS;
			start_over(a);
		}
	}
	if (a->paused > 0) { /* a cycle between two at most: nothing is dense here */
		a->rate = 0;
		a->band = a->ns = 0;
		a->paused_packets += a->window.packets;
		memset(&a->window, 0, sizeof(a->window));
		if (a->phase.kind == KNOCK || a->stage == JUDGE || a->stage == WORTH)
			start_over(a);
	}
	a->paused = 2;
	a->last_packets = a->last_bytes = a->last_ns = 0;
}

static uint32_t
aim_policy_step(const struct aim_policy *policy, const struct aim_config *config,
		struct aim_state *state, const struct aim_sample *s,
		const struct aim_limits *limits, uint64_t now_ns)
{
	struct aim_law *a = &state->u.aim;
	struct aim_window *w = &a->window;
	uint64_t now = now_ns >> limits->time_shift, cycle = now - a->since_ns;

	(void)policy, (void)config;
	w->wakes++;
	if (s->packets == 0) {
		if (a->stage == DELAYED) /* one delay is a knock, two are none */
			a->ns = 0;
		goto decided;
	}
	a->since_ns = now;
	if (cycle > a->pause_ns) {
		pause_seen(a, cycle);
		goto decided;
	}
	if (a->paused > 0)
		a->paused--;
	a->pauses_ns -= aim_min(a->pauses_ns, (uint32_t)cycle);
	/* one cycle late, see pause_seen() */
	w->packets += a->last_packets;
	w->bytes += a->last_bytes;
	w->ns += a->last_ns;
	a->last_packets = s->packets;
	a->last_bytes = s->bytes;
	a->last_ns = (uint32_t)cycle;
	switch (a->stage) {
	case GATHER:
		a->stage = stage_gather(a, limits);
		break;
	case COUNT:
		a->stage = stage_count(a);
		break;
	case WOKE:
		a->stage = stage_woke(a);
		break;
	case WEIGH:
		a->stage = stage_weigh(a);
		break;
	case GROUP:
		a->stage = stage_group(a);
		break;
	case SUM:
		a->stage = stage_sum(a);
		break;
	case HARM:
		a->stage = aim_judge_harm(a);
		break;
	case SPREAD:
		a->stage = aim_judge_spread(a);
		break;
	case JUDGE:
		a->stage = a->phase.kind == TRIAL ? aim_judge_trial(a) : aim_judge_rest(a);
		break;
	case WORTH:
		a->stage = aim_judge_worth(a, limits);
		break;
	case FREEZE:
		aim_freeze(a);
		a->stage = CHOOSE;
		break;
	case CHOOSE:
		a->stage = stage_choose(a, limits);
		break;
	case DELAYED:
		a->stage = stage_delayed(a, s, limits, state->interval_ns, cycle);
		break;
	case HEARD:
		a->stage = stage_heard(a);
		break;
	case VERDICT:
		a->stage = stage_verdict(a);
		break;
	}
decided:
	return aim_decide(state, limits, limits->cap_ns, a->ns << limits->time_shift, now_ns);
}

const struct aim_policy aim_policy_aim = {
    .name = "aim",
    .adapts = true,
    .drops_stale = true,
    .reset = aim_policy_reset,
    .step = aim_policy_step,
};
