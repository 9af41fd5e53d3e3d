/* SPDX-License-Identifier: BSD-3-Clause */
#include "series.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t
slice_length_us(const struct scenario *s)
{
	return s->slice_us != 0 ? s->slice_us : (s->time_ms * 1000 + 99) / 100;
}

size_t
series_slices(const struct scenario *s)
{
	return s->time_ms * UINT64_C(1000) / slice_length_us(s);
}

int
series_init(struct series *t, const struct scenario *s, struct result *r)
{
	*t = (struct series){.r = r, .slice_ps = slice_length_us(s) * INT64_C(1000000)};
	t->n = series_slices(s);
	t->end_ps = t->slice_ps;
	r->slices = calloc(t->n + 1, sizeof(*r->slices));
	return r->slices != NULL ? 0 : -ENOMEM;
}

void
series_close(struct series *t, int64_t now_ps, uint64_t packets, uint64_t irqs, int64_t interval_ps)
{
	/* several slices may have passed without an event; the counts belong to the first */
	for (; now_ps >= t->end_ps && t->r->slices_n < t->n; t->end_ps += t->slice_ps) {
		double seconds = (double)t->slice_ps * 1e-12;

		t->r->slices[t->r->slices_n++] = (struct result_slice){
		    .end_s = (double)t->end_ps * 1e-12,
		    .pps = (double)(packets - t->packets) / seconds,
		    .irqs = (double)(irqs - t->irqs) / seconds,
		    .interval_us = (double)interval_ps * 1e-6,
		};
		t->packets = packets;
		t->irqs = irqs;
	}
	if (t->r->slices_n == t->n)
		t->end_ps = INT64_MAX;
}
