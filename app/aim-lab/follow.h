/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * How long the throttle needs to fit a new rate of a load that alternates between two: time of
 * traffic since the change, so silence does not count, and what was before it still holds behind
 * it.
 */
#ifndef LAB_FOLLOW_H
#define LAB_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "scenario.h"

struct follow {
	const struct scenario *s;
	double best_max_us; /* what the limits allow */
	double rate;	    /* the last that was not silence */
	bool fits;
	int64_t phase_ps;   /* start of the phase that the last look fell into */
	int64_t traffic_ps; /* since the change of rate, in the phases before that */
	int64_t worst_ps;
};

/** The throttle of the run's start counts as fitting; cap_ns is the longest that is allowed. */
void follow_init(struct follow *f, const struct scenario *s, uint32_t cap_ns);

/** The host went to sleep at now_ps with this throttle. */
void follow_look(struct follow *f, int64_t interval_ps, int64_t now_ps);

/** The run is over. @return the longest time that a change needed, ps */
int64_t follow_end(struct follow *f, int64_t now_ps);

#endif /* LAB_FOLLOW_H */
