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
 * interrupts are delayed, which shows a tight loop to us and nothing to a peer that tunes itself.
 *
 * Bound on loss: aim_limits (ring) and the sink rule below. Why each number is what it is, what was
 * tried and what is not reached: doc/guides/howto/moderation.rst.
 */
#include "policy.h"

#include <string.h>

/* A window is the unit of measurement; it ends at the arm that fills it. */
#define WINDOW_PACKETS 128u
#define WINDOW_NS 300000u
/* Windows of a rest before a first trial, and before one of TRIAL_LONG_NS or more. */
#define REST_WINDOWS 4u
#define REST_WINDOWS_LONG 7u
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
/* Knocks before a first trial: wakes between two; how many must do no harm, how many convict, and
 * how many are enough if neither is clear. */
#define KNOCK_WAKES 64u
#define KNOCKS_MIN 2u
#define KNOCKS_SURE 5u
#define KNOCKS_MAX 12u
/* Rests after a trial that did harm. */
#define FREEZE_MIN_NS 64000000u
#define FREEZE_SURE_NS 256000000u /* when the harm was obvious, or knocks did it */
#define FREEZE_MAX_NS 2048000000u
/* A cycle longer than so many mean ones of a rest is no part of the load, and never one above: */
#define PAUSE_CYCLES 16u
#define PAUSE_MAX_NS 262144u
#define RATE_MAX 100000000u /* packets/s; more is a clock that jumped */
#define WIRE_OVERHEAD 24u   /* bytes around a frame: preamble 8, gap 12, FCS 4 */

/* Multiples of 2.048 us, so that no family rounds one away. */
static const uint32_t ladder[] = {0, 8192, 12288, 16384, 22528, 32768, 45056};

/*
 * Bands of packet rates. K = 500 packet-us and kappa = 90 us^2 meet at 500,000 packets/s. A trial
 * is worth it when resting costs a tenth more than the interval would: wakes > 1.1 (1/x + l*x/2K).
 */
struct band {
	uint32_t from; /* packets/s */
	uint32_t rung;
	uint32_t wakes; /* a second, from which on a trial is worth it */
};
#define WAKES(ns) ((uint32_t)(2.2e9 / (ns))) /* at the optimum both terms are the same */
static const struct band bands[] = {
    {0, 0, UINT32_MAX},		{115000, 2, 106000},	    {160000, 3, 79000},
    {215000, 4, 62000},		{305000, 5, 50000},	    {430000, 6, WAKES(45056)},
    {680000, 5, WAKES(32768)},	{1350000, 4, WAKES(22528)}, {2700000, 3, WAKES(16384)},
    {6000000, 2, WAKES(12288)}, {10000000, 1, WAKES(8192)}, {RATE_MAX * 2, 0, UINT32_MAX},
};

static inline uint32_t
per_second(uint64_t n, uint64_t ns)
{
	uint64_t rate = n * 1000000000u / (ns | 1);

	return rate < RATE_MAX ? (uint32_t)rate : RATE_MAX;
}

/* May the interval ns be used: ring and hardware, and the application's buffer when frames go on
 * being as long as in this window? A buffer bears sink_packets of them at line rate. */
static inline bool
bearable(const struct aim_window *w, const struct aim_limits *limits, uint32_t ns)
{
	return ns <= limits->cap_ns &&
	       (uint64_t)ns * w->packets <=
		   limits->sink_ns_per_byte * (w->bytes + (uint64_t)WIRE_OVERHEAD * w->packets);
}

enum { REST, KNOCK, TRIAL };

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
phase_begin(struct aim_state *state, uint8_t phase)
{
	state->u.aim.phase = phase;
	state->u.aim.windows = 0;
	state->u.aim.phase_ns = 0;
	state->u.aim.sum_packets = state->u.aim.sum_ns = state->u.aim.sum_wakes = 0;
	state->u.aim.high = 0;
	state->u.aim.bad = 0;
	state->u.aim.group_packets = state->u.aim.group_ns = state->u.aim.groups = 0;
}

/* A long rest after a trial at the packet rate `rate` that did harm. */
static void
freeze(struct aim_state *state, uint32_t rate, uint64_t now_ns)
{
	uint32_t ns = state->u.aim.freeze_ns;

	/* three to five quarters of it, by the clock's low bits: two peers must not keep step */
	state->u.aim.frozen_ns = ns / 4 * 3 + ns / 512 * (uint32_t)(now_ns >> 6 & 255);
	state->u.aim.frozen_rate = state->u.aim.rest_rate;
	if (ns < FREEZE_MAX_NS)
		state->u.aim.freeze_ns = ns * 2;
	state->u.aim.trial_rate = rate;
	state->u.aim.trial_ns = TRIAL_MIN_NS;
	state->u.aim.verify = true;
	state->u.aim.base_rate = 0;
	state->u.aim.rounds = 0;
	phase_begin(state, REST);
}

/* The band of the smoothed rate, with an eighth of dead band on each side. */
static void
band_follow(struct aim_state *state, uint32_t rate)
{
	/* Where to begin after a jump, by the highest bit of the rate: 65536/s is bit 16. */
	static const uint8_t start[] = {0, 1, 3, 5, 6, 7, 8, 9};
	uint32_t old = state->u.aim.rate, i = state->u.aim.band;

	if (rate / 3 > old || rate < old / 3) { /* another load, not noise */
		int bit = 31 - __builtin_clz(rate | 1) - 16;

		i = bit < 0 ? 0 : start[bit < 7 ? bit : 7];
	} else {
		rate = old - old / 8 + rate / 8;
	}
	state->u.aim.rate = rate;
	while (rate >= bands[i + 1].from + bands[i + 1].from / 8)
		i++;
	while (rate < bands[i].from - bands[i].from / 8)
		i--;
	state->u.aim.band = (uint8_t)i;
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
	if (state->u.aim.base_rate == 0)
		state->u.aim.base_rate = rate;
	state->u.aim.pause_ns = PAUSE_MAX_NS;
	if (wakes > PAUSE_CYCLES * (1000000000u / PAUSE_MAX_NS))
		state->u.aim.pause_ns = aim_min(PAUSE_CYCLES * (1000000000u / wakes) + ladder[6],
						PAUSE_MAX_NS);
	if (wakes <= bands[state->u.aim.band].wakes) {
		phase_begin(state, REST);
		state->u.aim.windows = 1; /* nothing changes, nothing to settle */
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
static void
trial_end(struct aim_state *state, uint64_t now_ns)
{
	/* How many spreads, in quarters, are no chance: the more rounds, the fewer. */
	static const uint8_t sure[ROUNDS_MAX + 1] = {15, 11, 9, 7, 6, 5, 5, 4, 3};
	bool first = state->u.aim.trial_ns < TRIAL_LONG_NS;
	uint32_t k = state->u.aim.rounds, rest = state->u.aim.rest_rate | 1;
	uint32_t rate = state->u.aim.phase_rate, base = state->u.aim.base_rate;
	/* mean deviation of a rest's mean, from the noise of its windows or of such means */
	uint32_t noise = first ? state->u.aim.noise / 2 : state->u.aim.group_noise / 4 * 3;
	/* with as many packets more as chance may have taken: four standard deviations */
	uint32_t less = rate + (first ? noise / 2 * 7 : state->u.aim.group_noise * 4) + rest / 200;
	uint64_t spread_64 = noise * UINT64_C(4096) / rest;
	int32_t spread = spread_64 < HARM_MAX ? (int32_t)spread_64 : HARM_MAX;

	if (state->u.aim.spread < spread)
		state->u.aim.spread = spread;
	if (k < ROUNDS_MAX)
		state->u.aim.rounds++;
	if (state->u.aim.harm > 12 + state->u.aim.spread * sure[k] / 4 || less < rest ||
	    /* less than before the first trial: a peer may have followed us into the harm */
	    (less < base && rate > base / 2) ||
	    state->u.aim.phase_wakes > state->u.aim.rest_wakes / 4 * 3) {
		freeze(state, rate, now_ns);
		return;
	}
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
}

/* How much does the mean of REST_WINDOWS_LONG windows move when nothing is changed? Windows know
 * only a bound: in a closed loop one makes up for the other. */
static void
group_end(struct aim_state *state)
{
	uint32_t rate = per_second(state->u.aim.group_packets, state->u.aim.group_ns);

	state->u.aim.group_packets = state->u.aim.group_ns = 0;
	if (state->u.aim.groups++ > 0)
		mean_add(&state->u.aim.group_noise, distance(rate, state->u.aim.group_rate), 3);
	state->u.aim.group_rate = rate;
}

/* A window of the phase, after the first, which settles. True: its trial did obvious harm. */
static bool
window_count(struct aim_state *state, const struct aim_window *w)
{
	state->u.aim.sum_packets += w->packets;
	state->u.aim.sum_ns += w->ns;
	state->u.aim.sum_wakes += w->wakes;
	if (state->u.aim.windows > 1)
		mean_add(&state->u.aim.noise, distance(w->rate, state->u.aim.last_rate), 4);
	if (state->u.aim.noise == 0)
		state->u.aim.noise = w->rate / 32 *
				     3; /* until it is known, as of Poisson arrivals */
	state->u.aim.last_rate = w->rate;
	if (state->u.aim.phase != TRIAL)
		return false;
	state->u.aim.group_packets += w->packets;
	state->u.aim.group_ns += w->ns;
	if (w->rate + 4 * state->u.aim.noise + state->u.aim.rest_rate / 8 < state->u.aim.rest_rate)
		state->u.aim.bad++;
	else
		state->u.aim.bad = 0;
	/* at the start two are enough, later the load may have changed by itself */
	return state->u.aim.bad >= (state->u.aim.windows <= REST_WINDOWS ? 2 : 4);
}

/* Are there windows enough, or has the trial lasted long enough, for a verdict? */
static bool
phase_over(const struct aim_state *state)
{
	if (state->u.aim.phase == TRIAL)
		return state->u.aim.windows > REST_WINDOWS &&
		       state->u.aim.phase_ns >= state->u.aim.trial_ns;
	return state->u.aim.windows > (state->u.aim.trial_ns < TRIAL_LONG_NS && !state->u.aim.verify
					   ? REST_WINDOWS
					   : REST_WINDOWS_LONG);
}

/*
 * What follows a full window is done in stages, one an arm, so that no arm pays for all of it.
 * A stage returns the next.
 */
enum { GATHER, COUNT, GROUP, SUM, JUDGE, CHOOSE, KNOCKS };

/* The window is full: its rate, and the band that follows from it. */
static uint8_t
stage_gather(struct aim_state *state)
{
	struct aim_window *w = &state->u.aim.window;

	if (w->packets < WINDOW_PACKETS && w->ns < WINDOW_NS)
		return GATHER;
	w->rate = per_second(w->packets, w->ns);
	band_follow(state, w->rate);
	state->u.aim.closed = *w;
	memset(w, 0, sizeof(*w));
	return COUNT;
}

static uint8_t
stage_count(struct aim_state *state, uint64_t now_ns)
{
	const struct aim_window *w = &state->u.aim.closed;
	bool bad = false;

	if (state->u.aim.windows > 0 && w->rate / 3 > state->u.aim.high) {
		/* the sources have woken up: what was before says nothing */
		phase_begin(state, state->u.aim.phase);
		state->u.aim.windows = 1;
	}
	state->u.aim.phase_ns += w->ns;
	if (w->rate < state->u.aim.high / 3) /* they sleep */
		return CHOOSE;
	if (state->u.aim.windows > 0)
		bad = window_count(state, w);
	state->u.aim.windows++;
	if (w->rate > state->u.aim.high)
		state->u.aim.high = w->rate;
	if (!bad && state->u.aim.phase == TRIAL && state->u.aim.windows > 1 &&
	    state->u.aim.windows % REST_WINDOWS_LONG == 1)
		return GROUP;
	if (!bad)
		return phase_over(state) ? SUM : CHOOSE;
	if (state->u.aim.windows <= REST_WINDOWS + 1 && state->u.aim.freeze_ns < FREEZE_SURE_NS)
		state->u.aim.freeze_ns = FREEZE_SURE_NS;
	freeze(state, w->rate, now_ns);
	return CHOOSE;
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
	state->u.aim.phase_rate = per_second(state->u.aim.sum_packets, state->u.aim.sum_ns);
	state->u.aim.phase_wakes = per_second(state->u.aim.sum_wakes, state->u.aim.sum_ns);
	if (state->u.aim.phase == TRIAL)
		trial_harm(state);
	return JUDGE;
}

static uint8_t
stage_judge(struct aim_state *state, uint64_t now_ns)
{
	if (state->u.aim.phase == TRIAL)
		trial_end(state, now_ns);
	else
		rest_end(state);
	return CHOOSE;
}

/* The rung of the band, or the highest below it that can be borne. */
static uint8_t
rung_of_band(const struct aim_state *state, const struct aim_limits *limits)
{
	uint32_t rung = bands[state->u.aim.band].rung;

	while (rung > 0 && !bearable(&state->u.aim.closed, limits, ladder[rung]))
		rung--;
	return (uint8_t)rung;
}

/* The interval of the phase; and time passes for a freeze. */
static uint8_t
stage_choose(struct aim_state *state, const struct aim_limits *limits)
{
	const struct aim_window *w = &state->u.aim.closed;

	state->u.aim.rung = state->u.aim.phase == TRIAL ? rung_of_band(state, limits) : 0;
	/* a load four times as large is another one: no reason to stay frozen */
	if (state->u.aim.frozen_ns > w->ns && w->rate / 4 < state->u.aim.frozen_rate)
		state->u.aim.frozen_ns -= w->ns;
	else
		state->u.aim.frozen_ns = 0;
	return state->u.aim.phase == KNOCK ? KNOCKS : GATHER;
}

/* Knocks enough? They should have found what the rest's rate brings in their time. */
static void
knock_judge(struct aim_state *state, uint64_t now_ns)
{
	/* both in packets times 1e9/2^30, for want of a division */
	uint64_t expected = (uint64_t)state->u.aim.rest_rate * state->u.aim.sum_ns >> 30;
	uint64_t found = state->u.aim.sum_packets - (state->u.aim.sum_packets * 9 >> 7);
	uint32_t k = state->u.aim.windows;

	if (found >= expected - expected / 8) {
		if (k >= KNOCKS_MIN)
			phase_begin(state, TRIAL);
	} else if (k >= KNOCKS_MAX || (k >= KNOCKS_SURE && found < expected - expected / 4)) {
		if (state->u.aim.freeze_ns < FREEZE_SURE_NS)
			state->u.aim.freeze_ns = FREEZE_SURE_NS;
		freeze(state, per_second(state->u.aim.sum_packets, state->u.aim.sum_ns), now_ns);
	}
}

/*
 * Between knocks all is as in a rest. A knock is one cycle at the interval that would be tried; in
 * a tight loop it finds as many packets as the peer may send unanswered, not as many as its time
 * would bring. So few delays cost hardly anything, and a peer that tunes itself does not notice.
 */
static uint8_t
stage_knocks(struct aim_state *state, const struct aim_sample *s, const struct aim_limits *limits,
	     uint64_t cycle, uint64_t now_ns)
{
	if (state->u.aim.rung != 0) { /* this cycle was one; it counts when the next is known */
		/* when there was nothing to wait for, for long, it did no harm */
		if (s->poll_ns - (now_ns - cycle) < 2 * ladder[state->u.aim.rung]) {
			state->u.aim.group_packets = s->packets;
			state->u.aim.group_ns = (uint32_t)cycle;
		}
		state->u.aim.rung = 0;
		state->u.aim.windows++;
	} else if (++state->u.aim.sum_wakes == 1) {
		state->u.aim.sum_packets += state->u.aim.group_packets;
		state->u.aim.sum_ns += state->u.aim.group_ns;
		state->u.aim.group_packets = state->u.aim.group_ns = 0;
	} else if (state->u.aim.sum_wakes == 2) {
		knock_judge(state, now_ns);
	} else if (state->u.aim.sum_wakes >= KNOCK_WAKES) {
		state->u.aim.sum_wakes = 0;
		state->u.aim.rung = rung_of_band(state, limits);
		if (state->u.aim.rung == 0)
			phase_begin(state, REST);
	}
	if (state->u.aim.phase == KNOCK)
		return KNOCKS;
	memset(&state->u.aim.window, 0, sizeof(state->u.aim.window));
	return CHOOSE;
}

/* A pause: the sources slept, and the cycle before it was their last breath. */
static void
pause_seen(struct aim_state *state)
{
	if (state->u.aim.paused > 0) { /* a cycle between two at most: nothing is dense here */
		state->u.aim.rate = 0;
		state->u.aim.band = state->u.aim.rung = 0;
		state->u.aim.stage = GATHER;
		memset(&state->u.aim.window, 0, sizeof(state->u.aim.window));
		if (state->u.aim.phase == KNOCK)
			phase_begin(state, REST);
	}
	state->u.aim.paused = 2;
	state->u.aim.last_packets = state->u.aim.last_bytes = state->u.aim.last_ns = 0;
	if (state->u.aim.phase == KNOCK)
		state->u.aim.group_packets = state->u.aim.group_ns = 0;
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
		state->u.aim.stage = stage_count(state, now_ns);
		break;
	case GROUP:
		state->u.aim.stage = stage_group(state);
		break;
	case SUM:
		state->u.aim.stage = stage_sum(state);
		break;
	case JUDGE:
		state->u.aim.stage = stage_judge(state, now_ns);
		break;
	case CHOOSE:
		state->u.aim.stage = stage_choose(state, limits);
		break;
	default:
		state->u.aim.stage = stage_knocks(state, s, limits, cycle, now_ns);
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
