/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Request and response, one at a time, between two hosts whose NICs have one throttle for all
 * causes, as Intel's 8254x: a request makes two causes at each host, the frame that came and, a
 * moment later, the completion of the one that was sent. The second keeps the throttle's timer
 * running when nothing else does, so that both timers tick like two combs, and the rate depends on
 * how they lie to each other: a packet that comes just before a tick goes through at once, one that
 * comes just after it waits for the next.
 *
 * An interrupt comes when a cause is pending and the throttle has passed since the last one; it
 * serves all causes that are there, sends the answer (or the next request), and runs the engine on
 * what it served, both directions, which e1000 writes to its register at once.
 *
 * From the driver: the engine's policies and their start; from the datasheet (8254x software
 * developer's manual, ITR): the register's unit of 256 ns, itr_unit_ps. The scenario says which of
 * half_ns, open_extra_ns, skew_ppm and phase_ns are fitted. Bytes of a frame decide nothing as long
 * as they are below 512.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "histogram.h"
#include "load_internal.h"
#include "series.h"

#define NS INT64_C(1000) /* ps */
#define NEVER INT64_MAX
#define START_NS 1000u /* the engine's clock at the start; never 0 */

struct rr_host {
	const struct lab_policy *policy;
	struct aim_state state;
	struct aim_limits limits;
	double clock; /* 1 + skew */
	int64_t irq_ps, interval_ps;
	uint32_t interval_ns;
	int64_t rx_ps; /* the frame is in memory; NEVER: none on the way */
	int64_t tx_ps; /* the first completion that is not served; NEVER: none */
	uint32_t tx_n;
	uint64_t irqs, writes;
	int64_t interval_min_ps, interval_max_ps;
};

struct rr {
	const struct scenario *s;
	struct rr_host host[2]; /* client, server */
	int64_t request_ps;
	uint64_t transactions;
	struct histogram latency;
};

static void
rr_measure(struct rr *l)
{
	for (int i = 0; i < 2; i++) {
		struct rr_host *h = &l->host[i];

		h->irqs = h->writes = 0;
		h->interval_min_ps = h->interval_max_ps = h->interval_ps;
	}
	l->transactions = 0;
	l->latency = (struct histogram){0};
}

static void
rr_decide(const struct rr *l, struct rr_host *h, const struct aim_sample *sample, int64_t now_ps)
{
	uint32_t ns = aim_step(h->policy->policy, &h->policy->config, &h->state, sample, &h->limits,
			       l->s->epoch_ns + START_NS + (uint64_t)(now_ps / NS));

	if (ns == h->interval_ns)
		return;
	h->interval_ns = ns;
	h->writes++;
	h->interval_ps = scenario_register_ps(l->s, ns);
	if (h->interval_ps < h->interval_min_ps)
		h->interval_min_ps = h->interval_ps;
	if (h->interval_ps > h->interval_max_ps)
		h->interval_max_ps = h->interval_ps;
}

/* When a host's next interrupt comes. */
static int64_t
rr_due(const struct rr_host *h)
{
	int64_t cause = h->rx_ps < h->tx_ps ? h->rx_ps : h->tx_ps;
	int64_t throttle = h->irq_ps + (int64_t)((double)h->interval_ps * h->clock);

	return cause > throttle ? cause : throttle;
}

static void
rr_send(struct rr *l, int from, int64_t now_ps)
{
	struct rr_host *h = &l->host[from];
	uint32_t way = l->s->half_ns + (h->interval_ps == 0 ? l->s->open_extra_ns : 0);

	l->host[1 - from].rx_ps = now_ps + way * NS;
	if (h->tx_n++ == 0)
		h->tx_ps = now_ps + l->s->tx_done_ns * NS;
}

static void
rr_irq(struct rr *l, int i, int64_t now_ps)
{
	struct rr_host *h = &l->host[i];
	struct aim_sample sample = {0};
	bool received = h->rx_ps <= now_ps;

	h->irqs++;
	h->irq_ps = now_ps;
	if (received) {
		sample.packets = sample.burst = 1;
		sample.bytes = l->s->frame;
		sample.poll_ns = l->s->epoch_ns + START_NS + (uint64_t)(now_ps / NS);
		h->rx_ps = NEVER;
	}
	if (h->tx_ps <= now_ps) {
		sample.tx_packets = h->tx_n;
		sample.tx_bytes = h->tx_n * l->s->frame;
		h->tx_ps = NEVER;
		h->tx_n = 0;
	}
	if (received) {
		if (i == 0) {
			l->transactions++;
			histogram_add(&l->latency, (now_ps - l->request_ps) / NS);
			l->request_ps = now_ps;
		}
		rr_send(l, i, now_ps);
	}
	rr_decide(l, h, &sample, now_ps);
}

static void
rr_open(struct rr *l, const struct lab_policy *client, const struct lab_policy *server)
{
	for (int i = 0; i < 2; i++) {
		struct rr_host *h = &l->host[i];

		h->policy = i == 0 ? client : server;
		h->limits = load_limits(l->s);
		h->clock = 1 + (i == 0 ? 0 : l->s->skew_ppm * 1e-6);
		h->rx_ps = h->tx_ps = NEVER;
		aim_reset(&h->state, h->policy->policy);
		rr_decide(l, h, &(struct aim_sample){0}, 0); /* the driver's start */
		h->irq_ps = i == 0 ? 0 : l->s->phase_ns * NS - h->interval_ps;
	}
	rr_send(l, 0, 0);
}

static int
rr_simulate(struct rr *l, struct result *r)
{
	const struct scenario *s = l->s;
	struct rr_host *client = &l->host[0];
	int64_t end = s->time_ms * INT64_C(1000000000), from = s->warmup_ms * INT64_C(1000000000);
	uint64_t transactions_before = 0, irqs_before = 0;
	bool measuring = false;
	struct series series;
	int rc = series_init(&series, s, r);

	if (rc != 0)
		return rc;
	for (;;) {
		int64_t due[2] = {rr_due(&l->host[0]), rr_due(&l->host[1])};
		int i = due[1] < due[0];

		if (due[i] >= end)
			break;
		if (!measuring && due[i] >= from) {
			transactions_before = l->transactions;
			irqs_before = client->irqs;
			rr_measure(l);
			measuring = true;
		}
		series_tick(&series, due[i], transactions_before + l->transactions,
			    irqs_before + client->irqs, client->interval_ps);
		rr_irq(l, i, due[i]);
	}
	series_tick(&series, end, transactions_before + l->transactions, irqs_before + client->irqs,
		    client->interval_ps);
	return 0;
}

static void
rr_result(const struct rr *l, struct result *r)
{
	const struct rr_host *h = &l->host[0];
	double seconds = (l->s->time_ms - l->s->warmup_ms) * 1e-3;

	r->pps = (double)l->transactions / seconds;
	r->mbps = r->pps * l->s->frame * 8e-6;
	r->irqs = (double)h->irqs / seconds;
	r->packets_irq = h->irqs != 0 ? (double)l->transactions / (double)h->irqs : 0;
	r->writes = (double)h->writes / seconds;
	r->mean_us = histogram_mean(&l->latency) / 1000;
	r->p50_us = histogram_quantile(&l->latency, 0.5) / 1000;
	r->p99_us = histogram_quantile(&l->latency, 0.99) / 1000;
	r->p999_us = histogram_quantile(&l->latency, 0.999) / 1000;
	r->interval_min_us = (double)h->interval_min_ps * 1e-6;
	r->interval_max_us = (double)h->interval_max_ps * 1e-6;
}

int
load_rr_run(const struct scenario *s, const struct lab_policy *p, const struct lab_policy *peer,
	    struct result *r, char error[LAB_ERROR_MAX])
{
	struct rr *l = calloc(1, sizeof(*l));
	int rc = -ENOMEM;

	if (l != NULL) {
		l->s = s;
		rr_open(l, p, peer);
		rc = rr_simulate(l, r);
		if (rc == 0)
			rr_result(l, r);
		free(l);
	}
	if (rc != 0)
		snprintf(error, LAB_ERROR_MAX, "out of memory");
	return rc;
}
