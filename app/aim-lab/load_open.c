/* SPDX-License-Identifier: BSD-3-Clause */
/* Open load: packets arrive whatever the host does. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "arrivals.h"
#include "follow.h"
#include "host.h"
#include "load_internal.h"
#include "optimum.h"
#include "pcap.h"
#include "series.h"

struct open_load {
	const struct scenario *s;
	struct histogram latency;
	int64_t from_ps; /* warm-up ends */
};

static void
open_done(void *load, const struct host_packet *packets, uint32_t n, int64_t done_ps)
{
	struct open_load *o = load;
	int64_t each = o->s->packet_ns * INT64_C(1000);

	for (uint32_t i = 0; i < n; i++)
		if (packets[i].ps >= o->from_ps)
			histogram_add(&o->latency,
				      (done_ps - (n - 1 - i) * each - packets[i].ps) / 1000);
}

static int
open_simulate(struct open_load *o, struct host *h, const struct arrivals_trace *trace,
	      struct optimum *optimum, struct result *r)
{
	const struct scenario *s = o->s;
	int64_t end = s->time_ms * INT64_C(1000000000), next;
	struct host_counts before = {0}; /* of the warm-up, for the series */
	struct follow follow;
	struct arrivals arrivals;
	struct series series;
	uint32_t bytes = 0, queue = 0;
	bool measuring = o->from_ps == 0;
	int rc = series_init(&series, s, r);

	if (rc != 0)
		return rc;
	follow_init(&follow, s, h->queues[0].limits.cap_ns);
	arrivals_init(&arrivals, s, trace);
	next = arrivals_next(&arrivals, &bytes);
	for (;;) {
		int64_t now = next <= h->next_ps ? next : h->next_ps;

		if (now >= end)
			break;
		if (!measuring && now >= o->from_ps) {
			before = h->counts;
			host_measure(h);
			measuring = true;
		}
		series_tick(&series, now, before.packets + h->counts.packets,
			    before.irqs + h->counts.irqs, h->interval_ps);
		if (now == next) {
			if (measuring && (rc = optimum_add(optimum, (double)next * 1e-3)) != 0)
				return rc;
			host_receive(h, queue, next, bytes, 0);
			queue = queue + 1 == s->queues ? 0 : queue + 1;
			next = arrivals_next(&arrivals, &bytes);
		} else {
			host_run(h);
			if (s->on_us != 0 && h->phase == HOST_ASLEEP)
				follow_look(&follow, h->interval_ps, now);
		}
	}
	series_tick(&series, end, before.packets + h->counts.packets, before.irqs + h->counts.irqs,
		    h->interval_ps);
	host_result(h, (double)(end - o->from_ps) * 1e-12, &o->latency, r);
	if (s->on_us != 0)
		r->follow_ms = (double)follow_end(&follow, end) * 1e-9;
	if (optimum_cost(optimum) > 0)
		r->cost = ((double)h->counts.irqs * OPTIMUM_K_NS + h->counts.hold_ps * 1e-3) /
			  optimum_cost(optimum);
	return 0;
}

int
load_open_run(const struct scenario *s, const struct lab_policy *p, struct result *r,
	      char error[LAB_ERROR_MAX])
{
	struct open_load *o = calloc(1, sizeof(*o));
	struct arrivals_trace trace = {0};
	struct optimum optimum;
	struct host host = {0};
	int rc = -ENOMEM;

	optimum_init(&optimum, OPTIMUM_K_NS);
	if (o == NULL)
		goto out;
	o->s = s;
	o->from_ps = s->warmup_ms * INT64_C(1000000000);
	if (s->arrivals == ARRIVALS_PCAP) {
		rc = arrivals_pcap_read(s->file, &trace, error);
		if (rc != 0)
			goto out_said;
	}
	rc = host_open(&host, s, p, 0, open_done, o);
	if (rc == 0)
		rc = open_simulate(o, &host, trace.n != 0 ? &trace : NULL, &optimum, r);
out:
	if (rc != 0)
		snprintf(error, LAB_ERROR_MAX, "out of memory");
out_said:
	host_close(&host);
	optimum_free(&optimum);
	arrivals_pcap_free(&trace);
	free(o);
	return rc;
}
