/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Policy `aim`, our own: an interval is on trial for ever.
 *
 * Two questions are kept apart.
 *
 * Which interval? An interrupt costs K packet-microseconds (the work of a wake, weighed against
 * packets that wait). For packets that come at rate l, K/x + l*x/2 is least at x = sqrt(2K/l);
 * below the rate where that meets kappa*l, latency goes first and x = kappa*l. Both are one table
 * of rates, bands[]. The rate does not depend on x when the load is open, so nothing can hunt.
 *
 * Any interval at all? A peer that waits for us sends less when we wait, and then the rule above is
 * wrong whatever the rate. No look at arrivals tells that reliably, an experiment does: the queue
 * alternates between rests (x = 0) and trials (x from the table) and compares the packet rates. A
 * trial that costs packets, or saves no interrupts, is followed by a long rest, twice as long each
 * time; one that costs nothing is followed by a longer trial. So a wrong guess costs little, and
 * a right one is paid for with a rest now and then. Before a first trial the queue knocks: single
 * interrupts are delayed, which shows a tight loop to us and little to a peer that tunes itself.
 *
 * Bound on loss: aim_limits (ring), and usable() for the sink. Why each number is what it is, what
 * was tried and what is not reached: doc/guides/howto/moderation.rst.
 */
#include "policy_aim_bands.h"

#include <string.h>

/* A window is the unit of measurement; it ends at the arm that fills it. */
#define WINDOW_PACKETS 128u
#define WINDOW_NS 300000u
/* Windows of a rest before a first trial, and before one of TRIAL_LONG_NS or more. */
#define REST_WINDOWS 4u
#define REST_WINDOWS_LONG 7u
/* So many windows in a row at less than a third of the fastest are no sleep any more. */
#define SLOW_WINDOWS 256u
/* Trials: the first; then from here on, doubled while the doubt is small, ... */
#define TRIAL_MIN_NS 2000000u
#define TRIAL_LONG_NS 16000000u
#define TRIAL_DOUBT_NS 256000000u /* ... or up to here while it is not */
#define TRIAL_MAX_NS 1024000000u
/* Harm, in 1/4096, above which there is doubt, and above which trials do not grow at all. */
#define TRIAL_DOUBT 20
#define TRIAL_HOLD 36
#define HARM_MAX (1 << 20)  /* less than this is another load altogether */
#define ROUNDS_MAX 8	    /* trials in a row that count apart */
#define TRIAL_HOLD_ROUNDS 7 /* not for ever: it was not enough to be sure */
/* Knocks before a first trial: wakes and time between two; how many must do no harm; how many, and
 * of how many packets, convict; how many are enough if neither is clear. */
#define KNOCK_WAKES 64u
#define KNOCK_NS 1000000u
#define KNOCKS_MIN 2u
#define KNOCKS_SURE 5u
#define KNOCKS_SURE_PACKETS 32u
#define KNOCKS_MAX 12u
/* Rests after a trial that did harm. */
#define FREEZE_MIN_NS 64000000u
#define FREEZE_SURE_NS 256000000u /* when the harm was obvious, or knocks did it */
#define FREEZE_MAX_NS 2048000000u
/* A cycle longer than so many mean ones of a rest is no part of the load, and never one above: */
#define PAUSE_CYCLES 16u
#define PAUSE_MAX_NS 262144u

static inline uint32_t
per_second(uint64_t n, uint64_t ns)
{
	uint64_t rate = n * 1000000000u / (ns | 1);

	return rate < RATE_MAX ? (uint32_t)rate : RATE_MAX;
}

/* Phases: interval 0; the same with single delays; the interval of the band. */
enum { REST, KNOCK, TRIAL };

/*
 * What follows a full window is done in stages, one an arm, so that no arm pays for all of it. A
 * stage returns the next. In a rest or a trial:
 *   GATHER -> COUNT -> WEIGH [-> GROUP] [-> SUM -> JUDGE] -> CHOOSE
 * with knocks
 *   GATHER -> COUNT -> CHOOSE -> DELAYED -> HEARD -> VERDICT
 * and FREEZE -> CHOOSE from wherever harm is seen.
 */
enum { GATHER, COUNT, WEIGH, GROUP, SUM, JUDGE, FREEZE, CHOOSE, DELAYED, HEARD, VERDICT };

static inline uint32_t
distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
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
}

static void
phase_begin(struct aim_state *state, uint8_t kind)
{
	state->u.aim.phase = (struct aim_phase){.kind = kind};
}

/* A trial or knocks at the packet rate `rate` did harm. */
static uint8_t
harm_seen(struct aim_state *state, uint32_t rate, bool obvious)
{
	state->u.aim.trial_rate = rate;
	state->u.aim.rung = 0;
	if (obvious && state->u.aim.freeze_ns < FREEZE_SURE_NS)
		state->u.aim.freeze_ns = FREEZE_SURE_NS;
	return FREEZE;
}

/* A long rest begins. */
static uint8_t
stage_freeze(struct aim_state *state, uint64_t now_ns)
{
	uint32_t ns = state->u.aim.freeze_ns;

	/* three to five quarters of it, by the clock's low bits: two peers must not keep step */
	state->u.aim.frozen_ns = ns / 4 * 3 + ns / 512 * (uint32_t)(now_ns >> 6 & 255);
	state->u.aim.frozen_rate = state->u.aim.rest_rate;
	if (ns < FREEZE_MAX_NS)
		state->u.aim.freeze_ns = ns * 2;
	state->u.aim.trial_ns = TRIAL_MIN_NS;
	state->u.aim.verify = true;
	state->u.aim.base_rate = 0;
	state->u.aim.rounds = 0;
	phase_begin(state, REST);
	return CHOOSE;
}

/* A rest has gone on for long enough: remember it, and try an interval if one is worth it. */
static void
rest_end(struct aim_state *state)
{
	uint32_t rate = state->u.aim.phase_rate, wakes = state->u.aim.phase_wakes;

	if (state->u.aim.verify) {
		state->u.aim.verify = false;
		/* Fewer packets without the interval, too: it was not the interval, or not alone.
		 * An eighth of the freeze, for a peer that tries as we do. */
		if (rate < state->u.aim.rest_rate / 2 + state->u.aim.trial_rate / 2)
			state->u.aim.frozen_ns = aim_min(state->u.aim.frozen_ns,
							 state->u.aim.freeze_ns / 8);
	}
	if (state->u.aim.frozen_ns != 0)
		return;
	state->u.aim.rest_rate = rate;
	state->u.aim.rest_wakes = wakes;
	if (state->u.aim.trial_ns < TRIAL_LONG_NS)
		state->u.aim.base_rate = rate;
	state->u.aim.pause_ns = PAUSE_MAX_NS;
	if (wakes > PAUSE_CYCLES * (1000000000u / PAUSE_MAX_NS))
		state->u.aim.pause_ns = aim_min(
		    PAUSE_CYCLES * (1000000000u / wakes) + ladder[RUNGS - 1], PAUSE_MAX_NS);
	if (wakes <= bands[state->u.aim.band].wakes) {
		phase_begin(state, REST);
		state->u.aim.phase.windows = 1; /* nothing changes, nothing to settle */
	} else {
		phase_begin(state, state->u.aim.trial_ns < TRIAL_LONG_NS ? KNOCK : TRIAL);
	}
}

/*
 * A trial is over: did it cost packets? Harm is the mean over the rounds of the share that was
 * missing, in 1/4096; spread its mean deviation.
 */
static void
trial_harm(struct aim_state *state)
{
	static const uint8_t weight[ROUNDS_MAX + 1] = {0, 1, 2, 2, 3, 3, 3, 3, 3}; /* a shift */
	uint32_t k = state->u.aim.rounds, rest = state->u.aim.rest_rate | 1;
	int64_t missing = ((int64_t)rest - state->u.aim.phase_rate) * 4096 / rest;
	int32_t share = missing > -HARM_MAX ? (int32_t)missing : -HARM_MAX;
	int32_t off = share - state->u.aim.harm;

	if (k == 0) {
		state->u.aim.harm = share;
		state->u.aim.spread = 0;
		return;
	}
	state->u.aim.harm += off >> weight[k];
	state->u.aim.spread += ((off < 0 ? -off : off) - state->u.aim.spread) >> 2;
}

/* The verdict on a trial. */
static uint8_t
trial_end(struct aim_state *state)
{
	/* How many spreads, in quarters, are no chance: the more rounds, the fewer. */
	static const uint8_t sure[ROUNDS_MAX + 1] = {15, 11, 9, 7, 6, 5, 5, 4, 3};
	bool first = state->u.aim.trial_ns < TRIAL_LONG_NS;
	uint32_t k = state->u.aim.rounds, rest = state->u.aim.rest_rate | 1;
	uint32_t rate = state->u.aim.phase_rate, base = state->u.aim.base_rate;
	/* mean deviation of a rest's mean, from the noise of its windows or of such means */
	uint32_t noise = first ? state->u.aim.noise / 2 : state->u.aim.group_noise / 4 * 3;
	/* with as many packets more as chance may have taken: four standard deviations or more */
	uint32_t less = rate + (first ? noise / 2 * 7 : state->u.aim.group_noise * 4) + rest / 200;
	uint64_t spread_64 = noise * UINT64_C(4096) / rest;
	int32_t spread = spread_64 < HARM_MAX ? (int32_t)spread_64 : HARM_MAX;

	spread >>= k >> 2; /* many rounds tell themselves how far they differ */
	if (k == 0)
		state->u.aim.spread = spread;
	if (spread < state->u.aim.spread)
		spread = state->u.aim.spread;
	if (k < ROUNDS_MAX)
		state->u.aim.rounds++;
	if (state->u.aim.harm > 12 + spread * sure[k] / 4 || less < rest ||
	    /* less than before the first trial: a peer may have followed us into the harm */
	    (less < base && rate > base / 2) ||
	    state->u.aim.phase_wakes > state->u.aim.rest_wakes / 4 * 3)
		return harm_seen(state, rate, false);
	if (first) {
		state->u.aim.trial_ns = TRIAL_LONG_NS;
		state->u.aim.group_noise = state->u.aim.noise / 3;
		state->u.aim.rounds = 0;
	} else if ((state->u.aim.harm <= TRIAL_HOLD || k >= TRIAL_HOLD_ROUNDS) &&
		   state->u.aim.trial_ns <
		       (state->u.aim.harm <= TRIAL_DOUBT ? TRIAL_MAX_NS : TRIAL_DOUBT_NS)) {
		state->u.aim.trial_ns *= 2;
	} else if (state->u.aim.harm <= TRIAL_DOUBT) {
		state->u.aim.freeze_ns = FREEZE_MIN_NS;
	}
	phase_begin(state, REST);
	return CHOOSE;
}

/* How much does the mean of REST_WINDOWS_LONG windows move when nothing is changed? Windows know
 * only a bound: in a closed loop one makes up for the other. */
static void
group_end(struct aim_state *state)
{
	uint32_t rate = per_second(state->u.aim.phase.group_packets, state->u.aim.phase.group_ns);

	state->u.aim.phase.group_packets = state->u.aim.phase.group_ns = 0;
	if (state->u.aim.phase.groups++ > 0)
		mean_add(&state->u.aim.group_noise, distance(rate, state->u.aim.group_rate), 3);
	state->u.aim.group_rate = rate;
}

/* Are there windows enough, or has the trial lasted long enough, for a verdict? */
static bool
phase_over(const struct aim_state *state)
{
	if (state->u.aim.phase.kind == TRIAL)
		return state->u.aim.phase.windows > REST_WINDOWS &&
		       state->u.aim.phase.ns >= state->u.aim.trial_ns;
	return state->u.aim.phase.windows >
	       (state->u.aim.trial_ns < TRIAL_LONG_NS && !state->u.aim.verify ? REST_WINDOWS
									      : REST_WINDOWS_LONG);
}

static bool
window_full(const struct aim_state *state)
{
	const struct aim_window *w = &state->u.aim.window;

	if (state->u.aim.phase.kind == KNOCK)
		return w->wakes >= KNOCK_WAKES && w->ns >= KNOCK_NS;
	return w->packets >= WINDOW_PACKETS || w->ns >= WINDOW_NS;
}

/* When the window is full: its rate, and the band that follows from it. */
static uint8_t
stage_gather(struct aim_state *state)
{
	struct aim_window *w = &state->u.aim.window;

	if (!window_full(state))
		return GATHER;
	w->rate = per_second(w->packets, w->ns);
	band_follow(state, w->rate);
	state->u.aim.closed = *w;
	memset(w, 0, sizeof(*w));
	return COUNT;
}

static uint8_t
stage_count(struct aim_state *state)
{
	const struct aim_window *w = &state->u.aim.closed;

	if (state->u.aim.phase.kind == KNOCK) { /* what knocks are compared with */
		state->u.aim.phase.windows++;
		state->u.aim.phase.sum_packets += w->packets;
		state->u.aim.phase.sum_ns += w->ns;
		return CHOOSE;
	}
	if (state->u.aim.phase.windows > 0 && w->rate > 3 * state->u.aim.phase.high) {
		/* the sources have woken up: what was before says nothing */
		phase_begin(state, state->u.aim.phase.kind);
		state->u.aim.phase.windows = 1;
	}
	if (3 * w->rate < state->u.aim.phase.high) { /* they sleep, or this is how they are now */
		if (++state->u.aim.phase.slow < SLOW_WINDOWS)
			return CHOOSE;
		if (state->u.aim.phase.kind == TRIAL)
			return harm_seen(state, w->rate, false);
		phase_begin(state, REST);
		return CHOOSE;
	}
	state->u.aim.phase.slow = 0;
	if (w->rate > state->u.aim.phase.high)
		state->u.aim.phase.high = w->rate;
	if (state->u.aim.phase.windows++ == 0) /* settles */
		return CHOOSE;
	state->u.aim.phase.sum_packets += w->packets;
	state->u.aim.phase.sum_ns += w->ns;
	state->u.aim.phase.sum_wakes += w->wakes;
	state->u.aim.phase.ns += w->ns;
	return WEIGH;
}

/* How much do windows differ, and does this one show that the trial does obvious harm? */
static uint8_t
stage_weigh(struct aim_state *state)
{
	const struct aim_window *w = &state->u.aim.closed;
	uint32_t windows = state->u.aim.phase.windows;

	if (windows > 2)
		mean_add(&state->u.aim.noise, distance(w->rate, state->u.aim.last_rate), 4);
	if (state->u.aim.noise == 0) /* until it is known, as of Poisson arrivals */
		state->u.aim.noise = w->rate / 32 * 3;
	state->u.aim.last_rate = w->rate;
	if (state->u.aim.phase.kind == TRIAL) {
		state->u.aim.phase.group_packets += w->packets;
		state->u.aim.phase.group_ns += w->ns;
		if (w->rate + 4 * state->u.aim.noise + state->u.aim.rest_rate / 8 >=
		    state->u.aim.rest_rate)
			state->u.aim.phase.bad = 0;
		else if (++state->u.aim.phase.bad >= (windows <= REST_WINDOWS + 1 ? 2 : 4))
			/* at the start two are enough, later the load may have changed by itself */
			return harm_seen(state, w->rate,
					 windows <= REST_WINDOWS + 1 &&
					     state->u.aim.trial_ns < TRIAL_LONG_NS);
		if (windows % REST_WINDOWS_LONG == 1)
			return GROUP;
	}
	return phase_over(state) ? SUM : CHOOSE;
}

static uint8_t
stage_group(struct aim_state *state)
{
	group_end(state);
	return phase_over(state) ? SUM : CHOOSE;
}

/* The phase is over: what it came to. */
static uint8_t
stage_sum(struct aim_state *state)
{
	state->u.aim.phase_rate = per_second(state->u.aim.phase.sum_packets,
					     state->u.aim.phase.sum_ns);
	state->u.aim.phase_wakes = per_second(state->u.aim.phase.sum_wakes,
					      state->u.aim.phase.sum_ns);
	if (state->u.aim.phase.kind == TRIAL)
		trial_harm(state);
	return JUDGE;
}

static uint8_t
stage_judge(struct aim_state *state)
{
	if (state->u.aim.phase.kind == TRIAL)
		return trial_end(state);
	rest_end(state);
	return state->u.aim.phase.kind == KNOCK ? GATHER : CHOOSE;
}

/* The interval of the phase: that of the band, the longest for a knock, or the next usable below.
 */
static uint8_t
rung_of_phase(const struct aim_state *state, const struct aim_limits *limits)
{
	uint32_t rung = bands[state->u.aim.band].rung;

	if (state->u.aim.phase.kind == REST)
		return 0;
	if (state->u.aim.phase.kind == KNOCK && rung != 0)
		rung = RUNGS - 1;
	while (rung > 0 && !usable(&state->u.aim.closed, limits, ladder[rung]))
		rung--;
	return (uint8_t)rung;
}

/* The interval of the phase; and time passes for a freeze. */
static uint8_t
stage_choose(struct aim_state *state, const struct aim_limits *limits)
{
	const struct aim_window *w = &state->u.aim.closed;

	state->u.aim.rung = rung_of_phase(state, limits);
	/* a load four times as large is another one: no reason to stay frozen */
	if (state->u.aim.frozen_ns > w->ns && w->rate / 4 < state->u.aim.frozen_rate)
		state->u.aim.frozen_ns -= w->ns;
	else
		state->u.aim.frozen_ns = 0;
	if (state->u.aim.phase.kind != KNOCK)
		return GATHER;
	if (state->u.aim.rung != 0)
		return DELAYED;
	phase_begin(state, REST);
	return GATHER;
}

/* The cycle that ends is a knock; it enters the window, alone, when the next one is known. */
static uint8_t
stage_delayed(struct aim_state *state, const struct aim_sample *s, const struct aim_limits *limits,
	      uint64_t cycle, uint64_t now_ns)
{
	/* when there was nothing to wait for, for long, the delay did no harm */
	if (s->poll_ns - (now_ns - cycle) >= 2 * state->interval_ns + limits->wake_ns)
		state->u.aim.last_packets = state->u.aim.last_bytes = state->u.aim.last_ns = 0;
	state->u.aim.rung = 0;
	memset(&state->u.aim.window, 0, sizeof(state->u.aim.window));
	return HEARD;
}

/* The knock is known, if it counts. */
static uint8_t
stage_heard(struct aim_state *state)
{
	struct aim_window *w = &state->u.aim.window;

	state->u.aim.phase.knocks += w->ns != 0;
	state->u.aim.phase.knock_packets += w->packets;
	state->u.aim.phase.knock_ns += w->ns;
	memset(w, 0, sizeof(*w));
	return VERDICT;
}

/*
 * Knocks enough? They should have found what came in as much time between them. In a tight loop a
 * knock finds as many packets as the peer may send unanswered, not as many as its time would bring,
 * and so few delays hardly cost anything.
 */
static uint8_t
stage_verdict(struct aim_state *state)
{
	/* both in packets times ns */
	uint64_t expected = state->u.aim.phase.sum_packets * state->u.aim.phase.knock_ns;
	uint64_t found = state->u.aim.phase.knock_packets * state->u.aim.phase.sum_ns;

	if (found >= expected - expected / 8) {
		if (state->u.aim.phase.windows < KNOCKS_MIN)
			return GATHER;
		phase_begin(state, TRIAL);
		return CHOOSE;
	}
	if (state->u.aim.phase.windows < KNOCKS_MAX &&
	    (state->u.aim.phase.knocks < KNOCKS_SURE || found > expected - expected / 4 ||
	     expected < KNOCKS_SURE_PACKETS * state->u.aim.phase.sum_ns))
		return GATHER;
	return harm_seen(
	    state, per_second(state->u.aim.phase.knock_packets, state->u.aim.phase.knock_ns), true);
}

/* A pause: the sources slept, and the cycle before it was their last breath. */
static void
pause_seen(struct aim_state *state)
{
	if (state->u.aim.paused > 0) { /* a cycle between two at most: nothing is dense here */
		state->u.aim.rate = 0;
		state->u.aim.band = state->u.aim.rung = 0;
		memset(&state->u.aim.window, 0, sizeof(state->u.aim.window));
		if (state->u.aim.phase.kind == KNOCK || state->u.aim.stage == JUDGE) {
			phase_begin(state, REST);
			state->u.aim.stage = GATHER;
		}
	}
	state->u.aim.paused = 2;
	state->u.aim.last_packets = state->u.aim.last_bytes = state->u.aim.last_ns = 0;
}

static uint32_t
aim_policy_step(const struct aim_policy *policy, const struct aim_config *config,
		struct aim_state *state, const struct aim_sample *s,
		const struct aim_limits *limits, uint64_t now_ns)
{
	struct aim_window *w = &state->u.aim.window;
	uint64_t cycle = now_ns - state->u.aim.since_ns;

	(void)policy, (void)config;
	w->wakes++;
	if (s->packets == 0)
		goto decided;
	state->u.aim.since_ns = now_ns;
	if (cycle > state->u.aim.pause_ns) {
		pause_seen(state);
		goto decided;
	}
	if (state->u.aim.paused > 0)
		state->u.aim.paused--;
	/* one cycle late, see pause_seen() */
	w->packets += state->u.aim.last_packets;
	w->bytes += state->u.aim.last_bytes;
	w->ns += state->u.aim.last_ns;
	state->u.aim.last_packets = s->packets;
	state->u.aim.last_bytes = s->bytes;
	state->u.aim.last_ns = (uint32_t)cycle;
	switch (state->u.aim.stage) {
	case GATHER:
		state->u.aim.stage = stage_gather(state);
		break;
	case COUNT:
		state->u.aim.stage = stage_count(state);
		break;
	case WEIGH:
		state->u.aim.stage = stage_weigh(state);
		break;
	case GROUP:
		state->u.aim.stage = stage_group(state);
		break;
	case SUM:
		state->u.aim.stage = stage_sum(state);
		break;
	case JUDGE:
		state->u.aim.stage = stage_judge(state);
		break;
	case FREEZE:
		state->u.aim.stage = stage_freeze(state, now_ns);
		break;
	case CHOOSE:
		state->u.aim.stage = stage_choose(state, limits);
		break;
	case DELAYED:
		state->u.aim.stage = stage_delayed(state, s, limits, cycle, now_ns);
		break;
	case HEARD:
		state->u.aim.stage = stage_heard(state);
		break;
	case VERDICT:
		state->u.aim.stage = stage_verdict(state);
		break;
	}
decided:
	return aim_decide(state, limits, limits->cap_ns, ladder[state->u.aim.rung], now_ns);
}

const struct aim_policy aim_policy_aim = {
    .name = "aim",
    .adapts = true,
    .drops_stale = true,
    .reset = aim_policy_reset,
    .step = aim_policy_step,
};
