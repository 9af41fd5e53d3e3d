/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * A run in slices of simulated time, for plots and second-by-second tables.
 */
#ifndef LAB_SERIES_H
#define LAB_SERIES_H

#include "result.h"
#include "scenario.h"

struct series {
	struct result *r;
	size_t n; /* slices wanted */
	int64_t slice_ps, end_ps;
	uint64_t packets, irqs; /* at the end of the last slice */
};

/** Number of slices of a run. */
size_t series_slices(const struct scenario *s);

/** Slices over the whole run, written to r. @return 0 or -ENOMEM */
int series_init(struct series *t, const struct scenario *s, struct result *r);

void series_close(struct series *t, int64_t now_ps, uint64_t packets, uint64_t irqs,
		  int64_t interval_ps);

/** Time is now_ps: counts since the start of the run, throttle as it is. Cheap. */
static inline void
series_tick(struct series *t, int64_t now_ps, uint64_t packets, uint64_t irqs, int64_t interval_ps)
{
	if (now_ps >= t->end_ps)
		series_close(t, now_ps, packets, irqs, interval_ps);
}

#endif /* LAB_SERIES_H */
