/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Policy `aim`: does an interval do harm? A trial is compared with the rest before it, and when
 * that looks like harm, with the rest behind it, too: a load that moved by itself stays where it
 * is, and how far it moved is remembered as its swing, which is no harm from then on.
 */
#include "policy_aim.h"

/* So many windows in a row at less than a third of a rest's rate are no sleep any more. */
#define SLOW_WINDOWS_MAX 256u
/* Trials are doubled while the doubt is small ... */
#define TRIAL_DOUBT_NS 256000000u /* ... or up to here while it is not */
#define TRIAL_MAX_NS 1024000000u
/* Harm, in 1/4096, above which there is doubt, and above which trials do not grow at all. */
#define TRIAL_DOUBT 20
#define TRIAL_HOLD 36
#define HARM_MAX (1 << 20)  /* less than this is another load altogether */
#define ROUNDS_MAX 8	    /* trials in a row that count apart */
#define TRIAL_HOLD_ROUNDS 7 /* not for ever: it was not enough to be sure */
/* Rests after a trial that did harm. */
#define FREEZE_SURE_NS 256000000u /* when the harm was obvious, or knocks did it */
#define FREEZE_MAX_NS 2048000000u

/* A mean of a phase or group moves by chance, or the load by itself: so much is no harm. */
static uint32_t
no_harm(const struct aim_law *a, uint32_t chance)
{
	uint32_t swing = a->swing + a->swing / 4;

	return swing > chance ? swing : chance;
}

/* Harm is sure: a long rest begins. */
void
aim_freeze(struct aim_law *a)
{
	uint32_t ns = a->freeze_ns;

	/* three to five quarters of it, by the clock's low bits: two peers must not keep step */
	a->frozen_ns = ns / 4 * 3 + ns / 512 * (uint32_t)(a->since_ns >> 6 & 255);
	a->frozen_rate = a->rest_rate;
	if (ns < FREEZE_MAX_NS)
		a->freeze_ns = ns * 2;
	a->trial_ns = TRIAL_MIN_NS;
	a->base_rate = 0;
	a->rounds = 0;
	phase_begin(a, REST);
}

static uint8_t
freeze(struct aim_law *a, uint32_t rate, uint8_t doubt, bool obvious)
{
	a->trial_rate = rate;
	a->ns = 0;
	a->doubt = doubt;
	if (obvious && a->freeze_ns < FREEZE_SURE_NS)
		a->freeze_ns = FREEZE_SURE_NS;
	return FREEZE;
}

/* The trial is over, and the rest that begins tells why. */
static uint8_t
suspect(struct aim_law *a, uint32_t rate, uint8_t doubt)
{
	a->trial_rate = rate;
	a->ns = 0;
	a->doubt = doubt;
	memset(&a->window, 0, sizeof(a->window)); /* nothing of the trial in it */
	a->last_packets = a->last_bytes = a->last_ns = 0;
	phase_begin(a, REST);
	return CHOOSE;
}

uint8_t
aim_judge_knocks(struct aim_law *a, uint32_t rate)
{
	return freeze(a, rate, VERIFY, true);
}

uint8_t
aim_judge_window(struct aim_law *a)
{
	const struct aim_window *w = &a->closed;
	bool start = a->phase.windows <= REST_WINDOWS + 1;

	if (w->rate + no_harm(a, 4 * a->noise + a->rest_rate / 8) >= a->rest_rate) {
		a->phase.bad = 0;
		return GO_ON;
	}
	/* at the start two are enough, later the load may have changed by itself */
	if (++a->phase.bad < (start ? 2 : 4))
		return GO_ON;
	if (trial_is_first(a))
		return freeze(a, w->rate, VERIFY, start);
	return suspect(a, w->rate, SUSPECT);
}

uint8_t
aim_judge_slow(struct aim_law *a)
{
	/* Harm shows from the start; so many windows to twice as many, by the rest's low bits:
	 * sources wake in step with us otherwise. */
	uint32_t random = a->rest_rate & (a->slow_max - 1);
	uint32_t most = a->phase.windows <= REST_WINDOWS + 1 ? a->slow_max + random
							     : SLOW_WINDOWS_MAX;
	bool waking = a->closed.rate > 2 * a->slow_rate;

	a->slow_rate = a->closed.rate;
	return ++a->phase.slow < most || waking ? CHOOSE : suspect(a, a->closed.rate, ASLEEP);
}

/*
 * A trial is over: did it cost packets? Harm is the mean over the rounds of the share that was
 * missing, in 1/4096; spread its mean deviation.
 */
uint8_t
aim_judge_harm(struct aim_law *a)
{
	static const uint8_t weight[ROUNDS_MAX + 1] = {0, 1, 2, 2, 3, 3, 3, 3, 3}; /* a shift */
	uint32_t rest = a->rest_rate | 1;
	int64_t missing = ((int64_t)rest - a->phase_rate) * 4096 / rest;
	int32_t share = missing > -HARM_MAX ? (int32_t)missing : -HARM_MAX;
	int32_t off = share - a->harm;

	if (a->phase_wakes > a->rest_wakes / 4 * 3) /* no gain */
		return freeze(a, a->phase_rate, NO_DOUBT, false);
	if (a->rounds == 0) {
		a->harm = share;
		a->spread = 0;
		return SPREAD;
	}
	a->harm += off >> weight[a->rounds];
	a->spread += ((off < 0 ? -off : off) - a->spread) >> 2;
	return SPREAD;
}

/* Mean deviation of a rest's mean, from the noise of its windows or of such means. */
static uint32_t
rest_noise(const struct aim_law *a)
{
	return trial_is_first(a) ? a->noise / 2 : a->group_noise / 4 * 3;
}

/* How far rounds differ by chance: at least as far as noise and swing say. */
uint8_t
aim_judge_spread(struct aim_law *a)
{
	uint32_t rest = a->rest_rate | 1, noise = rest_noise(a);
	uint64_t spread_64 = (noise > a->swing / 2 ? noise : a->swing / 2) * UINT64_C(4096) / rest;
	int32_t spread = spread_64 < HARM_MAX ? (int32_t)spread_64 : HARM_MAX;

	if (a->rounds == 0)
		a->spread = spread;
	/* many rounds tell themselves how far they differ */
	a->chance = a->spread > spread >> (a->rounds >> 2) ? a->spread : spread >> (a->rounds >> 2);
	/* with as many packets more as chance may have taken: four standard deviations or more */
	a->less_rate = a->phase_rate + rest / 200 +
		       no_harm(a, trial_is_first(a) ? rest_noise(a) / 2 * 7 : a->group_noise * 4);
	return JUDGE;
}

/* It passed: the next one is longer, while there is little doubt. */
static uint8_t
trial_passed(struct aim_law *a, uint32_t k)
{
	if (trial_is_first(a)) {
		a->trial_ns = TRIAL_LONG_NS;
		a->group_noise = a->noise / 3;
		a->rounds = 0;
	} else if ((a->harm <= TRIAL_HOLD || k >= TRIAL_HOLD_ROUNDS) &&
		   a->trial_ns < (a->harm <= TRIAL_DOUBT ? TRIAL_MAX_NS : TRIAL_DOUBT_NS)) {
		a->trial_ns *= 2;
	} else if (a->harm <= TRIAL_DOUBT) {
		a->freeze_ns = FREEZE_MIN_NS;
	}
	a->swing -= a->swing / 16;
	a->slept = 0;
	phase_begin(a, REST);
	return CHOOSE;
}

uint8_t
aim_judge_trial(struct aim_law *a)
{
	/* How many spreads, in quarters, are no chance: the more rounds, the fewer. */
	static const uint8_t sure[ROUNDS_MAX + 1] = {15, 11, 9, 7, 6, 5, 5, 4, 3};
	uint32_t k = a->rounds, rate = a->phase_rate, base = a->base_rate, less = a->less_rate;

	if (k < ROUNDS_MAX)
		a->rounds++;
	if (a->harm <= 12 + a->chance * sure[k] / 4 && less >= a->rest_rate &&
	    /* less than before the first trial: a peer may have followed us into the harm */
	    (less >= base || rate <= base / 2))
		return trial_passed(a, k);
	if (trial_is_first(a))
		return freeze(a, rate, VERIFY, false);
	return suspect(a, a->phase.groups > 0 ? a->group_rate : rate, SUSPECT);
}

/* The load was seen to move by itself while a trial ran. */
static void
load_moved(struct aim_law *a)
{
	uint32_t swing = distance(a->rest_rate, a->phase_rate);

	if (a->swing < swing)
		a->swing = swing;
	if (a->base_rate > a->phase_rate)
		a->base_rate = a->phase_rate;
	if (a->trial_ns > TRIAL_LONG_NS)
		a->trial_ns /= 2;
	a->frozen_ns = a->freeze_ns / 8;
	if (a->freeze_ns < FREEZE_MAX_NS)
		a->freeze_ns *= 2;
}

/* Slow windows were sleep: the trial goes on, and they may take longer next time. */
static bool
asleep(struct aim_law *a)
{
	a->slept = 0;
	if (a->slow_max == SLOW_WINDOWS_MAX)
		return false; /* this is how they are now */
	a->slow_max *= 2;
	phase_begin(a, TRIAL);
	return true;
}

bool
aim_judge_woke(struct aim_law *a)
{
	uint8_t doubt = a->doubt;

	if (doubt == SUSPECT)
		phase_begin(a, TRIAL);
	else if (doubt != ASLEEP || !asleep(a))
		return false;
	a->doubt = NO_DOUBT;
	return true;
}

/* What this rest tells of the trial before it. @return true: it begins the phase that follows */
static bool
rest_tells(struct aim_law *a)
{
	/* nearer to the trial than to the rest before it: it was not the interval, or not alone */
	bool stays = a->phase_rate < a->rest_rate / 2 + a->trial_rate / 2;
	uint8_t doubt = a->doubt;

	a->doubt = NO_DOUBT;
	if (doubt == VERIFY && stays) /* an eighth, for a peer that tries as we do */
		a->frozen_ns = aim_min(a->frozen_ns, a->freeze_ns / 8);
	if (doubt == SUSPECT && stays)
		load_moved(a);
	if (doubt == ASLEEP && stays)
		return asleep(a);
	if (doubt == VERIFY || stays)
		return false;
	if (doubt == ASLEEP) {
		if (++a->slept < 2) /* may be chance: sources that woke just as we rested */
			return false;
		a->slept = 0;
		if (a->freeze_ns < FREEZE_SURE_NS)
			a->freeze_ns = FREEZE_SURE_NS;
	}
	aim_freeze(a);
	return true;
}

/* A rest has gone on for long enough: remember it, unless it is none yet. */
uint8_t
aim_judge_rest(struct aim_law *a)
{
	uint32_t rate = a->phase_rate, wakes = a->phase_wakes;

	if (a->doubt != NO_DOUBT && rest_tells(a))
		return CHOOSE;
	/* a load four times as large is another one: no reason to stay frozen */
	if (a->frozen_ns != 0 && rate / 4 < a->frozen_rate)
		return CHOOSE;
	a->frozen_ns = 0;
	a->rest_rate = rate;
	a->rest_wakes = wakes;
	if (trial_is_first(a))
		a->base_rate = rate;
	a->pause_ns = PAUSE_MAX_NS;
	if (wakes > PAUSE_CYCLES * (1000000000u / PAUSE_MAX_NS))
		a->pause_ns = aim_min(PAUSE_CYCLES * (1000000000u / wakes) + PAUSE_MORE_NS,
				      PAUSE_MAX_NS);
	return WORTH;
}

uint8_t
aim_judge_worth(struct aim_law *a, const struct aim_limits *limits)
{
	if (!aim_band_pays(a, limits, a->rest_wakes) || aim_is_sparse(a)) {
		phase_begin(a, REST);
		a->phase.windows = 1; /* nothing changes, nothing to settle */
		return CHOOSE;
	}
	phase_begin(a, trial_is_first(a) ? KNOCK : TRIAL);
	return a->phase.kind == KNOCK ? GATHER : CHOOSE;
}
