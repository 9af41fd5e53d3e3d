/* SPDX-License-Identifier: BSD-3-Clause */
#include "follow.h"

#include <math.h>

#include "arrivals.h"
#include "optimum.h"

#define US INT64_C(1000000) /* ps */

/* Rates between sparse and dense have no throttle that all would agree on: any fits. */
#define SPARSE_PPS 20000.0
#define DENSE_PPS 500000.0

void
follow_init(struct follow *f, const struct scenario *s, uint32_t cap_ns)
{
	*f = (struct follow){
	    .s = s, .best_max_us = cap_ns * 1e-3, .rate = s->rate_pps, .fits = true};
}

/* Start of the phase at now, and its end. */
static int64_t
phase_start(const struct scenario *s, int64_t now_ps, int64_t *end)
{
	int64_t on = s->on_us * US, cycle = on + s->off_us * US;
	int64_t start = now_ps / cycle * cycle;

	*end = start + (now_ps - start < on ? on : cycle);
	return now_ps - start < on ? start : start + on;
}

static void
worst(struct follow *f, int64_t ps)
{
	if (ps > f->worst_ps)
		f->worst_ps = ps;
}

static bool
fits(const struct follow *f, double us)
{
	double best = sqrt(2 * OPTIMUM_K_NS * 1e3 / f->rate);

	if (f->rate <= SPARSE_PPS)
		return us == 0;
	if (best > f->best_max_us)
		best = f->best_max_us;
	return f->rate < DENSE_PPS || (us >= best / 2 && us <= best * 2);
}

/* Bring the phase to that of now. A phase in which the host never slept is passed over: who polls
 * needs no throttle. */
static void
phase_enter(struct follow *f, int64_t now_ps)
{
	int64_t end, start = phase_start(f->s, now_ps, &end);
	double rate = arrivals_rate(f->s, now_ps);

	if (start == f->phase_ps)
		return;
	if (arrivals_rate(f->s, f->phase_ps) > 0) {
		phase_start(f->s, f->phase_ps, &end);
		f->traffic_ps += end - f->phase_ps;
	}
	f->phase_ps = start;
	if (rate == 0 || rate == f->rate)
		return;
	if (!f->fits)
		worst(f, f->traffic_ps);
	f->rate = rate;
	f->fits = false;
	f->traffic_ps = 0;
}

void
follow_look(struct follow *f, int64_t interval_ps, int64_t now_ps)
{
	phase_enter(f, now_ps);
	if (f->fits || arrivals_rate(f->s, now_ps) == 0 || !fits(f, (double)interval_ps * 1e-6))
		return;
	f->fits = true;
	worst(f, f->traffic_ps + now_ps - f->phase_ps);
}

int64_t
follow_end(struct follow *f, int64_t now_ps)
{
	phase_enter(f, now_ps - 1);
	if (!f->fits)
		worst(f, f->traffic_ps +
			     (arrivals_rate(f->s, now_ps - 1) > 0 ? now_ps - f->phase_ps : 0));
	return f->worst_ps;
}
