/* SPDX-License-Identifier: BSD-3-Clause */
#include "arrivals.h"

#include <math.h>

#define PS 1e12 /* a second */

uint64_t
arrivals_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

/*
 * -ln(u), u uniform in (0, 1]. Not by libm: its last bit differs between processors, and runs
 * must repeat to the last digit. ln m = 2 artanh((m-1)/(m+1)), m in [1/2, 1).
 */
double
arrivals_exponential(uint64_t *state)
{
	int e;
	double u = (double)((arrivals_random(state) >> 11) + 1) * 0x1p-53;
	double m = frexp(u, &e), s, s2, sum = 0;

	if (m < 0.70710678118654752) {
		m *= 2;
		e--;
	}
	s = (m - 1) / (m + 1);
	s2 = s * s;
	for (int i = 15; i >= 1; i -= 2)
		sum = sum * s2 + 1.0 / i;
	return -(2 * s * sum + e * 0.69314718055994531);
}

void
arrivals_init(struct arrivals *a, const struct scenario *s, const struct arrivals_trace *trace)
{
	*a = (struct arrivals){.s = s, .trace = trace, .random = s->seed, .on = true};
	a->phase_end_ps = s->on_us != 0 ? s->on_us * 1e6 : INFINITY;
}

static bool
link_is_down(const struct scenario *s, int64_t ps)
{
	int64_t middle = s->time_ms * INT64_C(500000000);
	int64_t half = s->link_down_ms * INT64_C(500000000);

	return ps >= middle - half && ps < middle + half;
}

static int64_t
trace_next(struct arrivals *a, uint32_t *bytes)
{
	const struct arrivals_trace *t = a->trace;
	int64_t ps;

	if (a->trace_i == t->n) { /* again, one mean gap behind the last packet */
		a->trace_start_ps += t->ps[t->n - 1] + t->ps[t->n - 1] / (int64_t)(t->n - 1) + 1;
		a->trace_i = 0;
	}
	ps = a->trace_start_ps + t->ps[a->trace_i];
	*bytes = t->bytes[a->trace_i++];
	return ps;
}

/* Time of the process's next event, a batch. */
static void
process_next(struct arrivals *a)
{
	const struct scenario *s = a->s;

	for (;;) {
		double rate = (a->on ? s->rate_pps : s->off_pps) / s->batch;
		double gap = s->arrivals == ARRIVALS_POISSON ? arrivals_exponential(&a->random) : 1;
		double next = rate > 0 ? a->next_ps + gap * PS / rate : INFINITY;

		if (next < a->phase_end_ps) {
			a->next_ps = next;
			return;
		}
		if (isinf(a->phase_end_ps)) { /* nothing more will come */
			a->next_ps = INFINITY;
			return;
		}
		a->next_ps = a->phase_end_ps; /* the next phase draws anew */
		a->on = !a->on;
		a->phase_end_ps += (a->on ? s->on_us : s->off_us) * 1e6;
	}
}

int64_t
arrivals_next(struct arrivals *a, uint32_t *bytes)
{
	const struct scenario *s = a->s;
	int64_t ps;

	do {
		if (a->trace != NULL) {
			ps = trace_next(a, bytes);
		} else {
			*bytes = s->frame;
			if (a->batch_left == 0) {
				process_next(a);
				a->batch_left = s->batch;
			}
			if (!(a->next_ps < 9e18))
				return INT64_MAX;
			a->batch_left--;
			ps = (int64_t)a->next_ps;
		}
		if (ps < a->wire_ps)
			ps = a->wire_ps;
		a->wire_ps = ps + arrivals_wire_ps(*bytes, s->link_mbps);
	} while (link_is_down(s, a->wire_ps));
	return a->wire_ps;
}

double
arrivals_rate(const struct scenario *s, int64_t ps)
{
	uint64_t us = (uint64_t)ps / 1000000;

	if (s->on_us == 0 || us % (s->on_us + s->off_us) < s->on_us)
		return s->rate_pps;
	return s->off_pps;
}
