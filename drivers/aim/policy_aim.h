/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of policy `aim` share. The law as a whole: policy_aim.c. Which interval:
 * policy_aim_bands.c. Whether any: policy_aim_judge.c.
 */
#ifndef AIM_POLICY_AIM_H
#define AIM_POLICY_AIM_H

#include <string.h>

#include "policy.h"

#define RATE_MAX 100000000u /* packets/s; more is a clock that jumped */

/* Windows of a rest before a first trial, and before one of TRIAL_LONG_NS or more. */
#define REST_WINDOWS 4u
#define REST_WINDOWS_LONG 7u
/* Trials: the first; and from here on, doubled while they pass. */
#define TRIAL_MIN_NS 2000000u
#define TRIAL_LONG_NS 16000000u
/* Slow windows in a row that end a trial, at first. */
#define SLOW_WINDOWS_MIN 4u
/* Rests after a trial that did harm, at first. */
#define FREEZE_MIN_NS 64000000u
/* A cycle longer than so many mean ones of a rest is no part of the load, and never one above: */
#define PAUSE_CYCLES 16u
#define PAUSE_MAX_NS 262144u
#define PAUSE_MORE_NS 43008u /* and the longest interval */
/* Pauses shorter than that for two thirds of the time, so long: this is how the load is now. */
#define PAUSES_NS 1000000u
/* The mean with pauses looks back so far, and a pause counts so much at most. */
#define MEAN_NS 16000000u
#define MEAN_PAUSE_NS 8000000u
#define SPARSE_NS 40000u /* a packet: 25,000 packets/s */
#define SPARSE_OVER_NS 4000000u

/* Phases: interval 0; the same with single delays; the interval of the band. */
enum { REST, KNOCK, TRIAL };

/*
 * What follows a full window is done in stages, one an arm, so that no arm pays for all of it. A
 * stage returns the next. In a rest or a trial:
 *   GATHER -> COUNT [-> WOKE] -> WEIGH [-> GROUP] [-> SUM -> ...] -> CHOOSE
 * where ... is JUDGE -> WORTH for a rest, HARM -> SPREAD -> JUDGE for a trial,
 * with knocks
 *   GATHER -> COUNT -> CHOOSE -> DELAYED -> HEARD -> VERDICT
 * and FREEZE -> CHOOSE from wherever harm is sure.
 */
enum {
	GATHER,
	COUNT,
	WOKE,
	WEIGH,
	GROUP,
	SUM,
	HARM,
	SPREAD,
	JUDGE,
	WORTH,
	FREEZE,
	CHOOSE,
	DELAYED,
	HEARD,
	VERDICT,
	GO_ON /* as without a verdict */
};

/*
 * What the rest that runs has to tell of a trial that failed: nothing; whether the freeze that
 * began is as long as it should be; whether there shall be one; whether the sources sleep.
 */
enum { NO_DOUBT, VERIFY, SUSPECT, ASLEEP };

static inline uint32_t
distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* The first of a phase, at the same interval or another. */
static inline void
phase_begin(struct aim_law *a, uint8_t kind)
{
	a->phase = (struct aim_phase){.kind = kind};
}

/* Is a trial one of the first, short ones? */
static inline bool
trial_is_first(const struct aim_law *a)
{
	return a->trial_ns < TRIAL_LONG_NS;
}

/* Few packets, pauses included? Then none shall wait, however close to each other some are. */
static inline bool
aim_is_sparse(const struct aim_law *a)
{
	return a->window_paused && a->mean_ns > SPARSE_OVER_NS &&
	       a->mean_packets < a->mean_ns / SPARSE_NS;
}

/* policy_aim_bands.c */

/** The band of the smoothed rate follows a window of this rate. */
void aim_band_follow(struct aim_law *a, const struct aim_limits *limits, uint32_t rate);

/** The interval of a phase: the band's, the longest for a knock, or the next usable below; ns. */
uint32_t aim_band_ns(const struct aim_law *a, const struct aim_limits *limits, uint8_t kind);

/** Would a trial pay, when a rest has so many wakes a second? */
bool aim_band_pays(const struct aim_law *a, const struct aim_limits *limits, uint32_t wakes);

/* policy_aim_judge.c */

/** Knocks showed a loop at this packet rate. @return the next stage */
uint8_t aim_judge_knocks(struct aim_law *a, uint32_t rate);

/** A window of a trial, and one that is slow. @return the next stage, or GO_ON */
uint8_t aim_judge_window(struct aim_law *a);
uint8_t aim_judge_slow(struct aim_law *a);

/** The sources woke while a rest was to tell of a trial. @return true: the trial goes on */
bool aim_judge_woke(struct aim_law *a);

/** The phase is over and summed up. @return the next stage */
uint8_t aim_judge_harm(struct aim_law *a);
uint8_t aim_judge_spread(struct aim_law *a);
uint8_t aim_judge_trial(struct aim_law *a);
uint8_t aim_judge_rest(struct aim_law *a);

/** A trial is due: is it worth it? @return the next stage */
uint8_t aim_judge_worth(struct aim_law *a, const struct aim_limits *limits);

/** Harm is sure: a long rest begins. */
void aim_freeze(struct aim_law *a);

#endif /* AIM_POLICY_AIM_H */
