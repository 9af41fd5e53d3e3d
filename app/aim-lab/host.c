/* SPDX-License-Identifier: BSD-3-Clause */
#include "host.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrivals.h"

#define NS 1000		   /* ps */
#define HW_MAX_NS 1046528u /* 82599's EITR: 511 * 2.048 us */
#define REFILL_PACKETS 32u /* descriptors that a driver gives back in groups */

/* What must hold on this NIC and host whatever our policies say. */
static void
host_limits(const struct scenario *s, struct aim_limits *limits)
{
	*limits = (struct aim_limits){
	    .max_ns = HW_MAX_NS,
	    .link_mbps = s->link_mbps,
	    .ring_packets = s->ring > REFILL_PACKETS ? s->ring - REFILL_PACKETS : 1,
	    .sink_packets = s->sink_packets,
	    .wake_ns = AIM_WAKE_NS,
	};
	(void)aim_limits_settle(limits);
}

int
host_open(struct host *h, const struct scenario *s, const struct lab_policy *policy,
	  double skew_ppm, host_done *done, void *load)
{
	bool guard = s->guard || aim_policy_drops_stale(policy->policy);

	memset(h, 0, sizeof(*h));
	h->s = s;
	h->policy = policy;
	h->done = done;
	h->load = load;
	h->clock = 1 + skew_ppm * 1e-6;
	h->random = s->seed + (uint64_t)(skew_ppm * 1000);
	h->stall_ps = s->stall_every_us != 0 ? 0 : INFINITY;
	h->next_ps = INT64_MAX;
	h->irq_ps = -INT64_C(1000000000000);
	h->queues = calloc(s->queues, sizeof(*h->queues));
	if (h->queues == NULL)
		return -ENOMEM;
	for (uint32_t q = 0; q < s->queues; q++) {
		struct host_queue *hq = &h->queues[q];

		hq->ring = calloc(s->ring, sizeof(*hq->ring));
		if (hq->ring == NULL)
			return -ENOMEM;
		host_limits(s, &hq->limits);
		if (!guard) { /* as in its own driver, which knows no bound */
			hq->limits.cap_ns = HW_MAX_NS;
			hq->limits.sink_ns_per_byte = UINT32_MAX;
		}
		aim_reset(&hq->state, policy->policy);
	}
	host_measure(h);
	return 0;
}

void
host_close(struct host *h)
{
	for (uint32_t q = 0; h->queues != NULL && q < h->s->queues; q++)
		free(h->queues[q].ring);
	free(h->queues);
	h->queues = NULL;
}

void
host_measure(struct host *h)
{
	memset(&h->counts, 0, sizeof(h->counts));
	h->counts.interval_min_ps = h->counts.interval_max_ps = h->interval_ps;
}

/* Armed with a cause: when does the throttle let it through? */
static void
irq_schedule(struct host *h, int64_t cause_ps)
{
	int64_t throttle = h->irq_ps + (int64_t)((double)h->interval_ps * h->clock);

	h->next_ps = cause_ps > throttle ? cause_ps : throttle;
}

void
host_receive(struct host *h, uint32_t queue, int64_t ps, uint32_t bytes, int64_t data)
{
	struct host_queue *q = &h->queues[queue];
	uint32_t at;

	if (q->count + REFILL_PACKETS >= h->s->ring) {
		h->counts.lost_ring++;
		return;
	}
	at = q->head + q->count++;
	if (at >= h->s->ring)
		at -= h->s->ring;
	q->ring[at] = (struct host_packet){.ps = ps, .data = data, .bytes = bytes};
	h->cause = true;
	if (h->phase == HOST_ASLEEP && h->next_ps == INT64_MAX)
		irq_schedule(h, ps);
}

/* The host has other work, too: what a wake must wait for it. */
static int64_t
stall(struct host *h, int64_t now)
{
	if ((double)now < h->stall_ps)
		return 0;
	h->stall_ps = (double)now + arrivals_exponential(&h->random) * h->s->stall_every_us * 1e6;
	return h->s->stall_us * INT64_C(1000000);
}

/* The CPU works from now on for so long; what lies behind the end of the run is none of it. */
static void
busy(struct host *h, int64_t now, int64_t ps)
{
	int64_t left = h->s->time_ms * INT64_C(1000000000) - now;

	h->counts.busy_ps += left > ps ? ps : left > 0 ? left : 0;
}

static void
irq(struct host *h)
{
	int64_t now = h->next_ps;

	h->counts.irqs++;
	h->irq_ps = now;
	h->cause = false;
	for (uint32_t i = 0; i < h->s->queues; i++) {
		const struct host_queue *q = &h->queues[i];

		for (uint32_t k = 0, at = q->head; k < q->count; k++) {
			h->counts.hold_ps += (double)(now - q->ring[at].ps);
			at = at + 1 == h->s->ring ? 0 : at + 1;
		}
	}
	busy(h, now, (int64_t)h->s->irq_ns * NS);
	h->phase = HOST_POLLING;
	h->empty = h->got = 0;
	h->next_ps = now + (int64_t)h->s->wake_ns * NS + stall(h, now);
}

/* One queue's share of a wake is over: the engine decides for the next sleep. */
static void
queue_arm(struct host *h, struct host_queue *q, int64_t now)
{
	struct aim_sample sample = {
	    .packets = q->packets < AIM_PACKETS_MAX ? q->packets : AIM_PACKETS_MAX,
	    .bytes = q->bytes < UINT32_MAX ? (uint32_t)q->bytes : UINT32_MAX,
	    .burst = q->burst,
	    .poll_ns = q->packets != 0 ? h->s->epoch_ns + (uint64_t)(q->poll_ps / NS) : 0,
	};
	uint32_t ns = aim_step(h->policy->policy, &h->policy->config, &q->state, &sample,
			       &q->limits, h->s->epoch_ns + (uint64_t)(now / NS));

	q->packets = q->burst = 0;
	q->bytes = 0;
	if (ns == q->interval_ns)
		return;
	q->interval_ns = ns;
	if (now >= h->s->settle_ms * INT64_C(1000000000))
		h->counts.writes++;
	h->interval_ps = scenario_register_ps(h->s, ns);
	if (h->interval_ps < h->counts.interval_min_ps)
		h->counts.interval_min_ps = h->interval_ps;
	if (h->interval_ps > h->counts.interval_max_ps)
		h->counts.interval_max_ps = h->interval_ps;
}

/* One burst of one queue; after all were empty in a row, the arm. */
static void
poll(struct host *h)
{
	struct host_queue *q = &h->queues[h->queue];
	struct host_packet burst[256];
	int64_t now = h->next_ps, done;
	uint32_t n = q->count < h->s->burst ? q->count : h->s->burst;

	if (n == 0) {
		h->queue = h->queue + 1 == h->s->queues ? 0 : h->queue + 1;
		if (++h->empty == h->s->queues) {
			busy(h, now, (int64_t)h->s->arm_ns * NS);
			h->next_ps = now + (int64_t)h->s->arm_ns * NS;
			h->phase = HOST_ARMING;
		}
		return;
	}
	h->empty = 0;
	if (q->packets == 0) {
		q->burst = n;
		q->poll_ps = now;
	}
	for (uint32_t i = 0; i < n; i++) {
		burst[i] = q->ring[q->head];
		q->head = q->head + 1 == h->s->ring ? 0 : q->head + 1;
		q->bytes += burst[i].bytes;
		h->counts.bytes += burst[i].bytes;
	}
	q->count -= n;
	q->packets += n;
	h->got += n;
	h->counts.packets += n;
	done = now + (int64_t)n * h->s->packet_ns * NS;
	busy(h, now, done - now);
	h->next_ps = done;
	h->done(h->load, burst, n, done);
}

static void
arm(struct host *h)
{
	int64_t now = h->next_ps;
	bool waiting = false;

	if (h->got == 0)
		h->counts.spurious++;
	if (h->s->sink_packets != 0 && h->got > h->s->sink_packets)
		h->counts.lost_sink += h->got - h->s->sink_packets;
	for (uint32_t i = 0; i < h->s->queues; i++) {
		queue_arm(h, &h->queues[i], now);
		waiting |= h->queues[i].count != 0;
	}
	h->phase = HOST_ASLEEP;
	h->next_ps = INT64_MAX;
	h->armed_ps = now;
	if (waiting || (h->cause && h->s->stale_causes))
		irq_schedule(h, now);
}

void
host_run(struct host *h)
{
	if (h->phase == HOST_ASLEEP)
		irq(h);
	else if (h->phase == HOST_POLLING)
		poll(h);
	else
		arm(h);
}

void
host_result(const struct host *h, double seconds, const struct histogram *latency, struct result *r)
{
	const struct host_counts *c = &h->counts;
	uint32_t settled_ms = h->s->settle_ms > h->s->warmup_ms ? h->s->settle_ms : h->s->warmup_ms;

	r->pps = (double)(c->packets - c->lost_sink) / seconds;
	r->mbps = (double)c->bytes * 8e-6 / seconds;
	r->irqs = (double)c->irqs / seconds;
	r->packets_irq = c->irqs != 0 ? (double)c->packets / (double)c->irqs : 0;
	r->spurious = (double)c->spurious / seconds;
	r->writes = (double)c->writes / ((h->s->time_ms - settled_ms) * 1e-3);
	r->cpu = (double)c->busy_ps * 1e-12 / seconds * 100;
	r->lost_ring = (double)c->lost_ring;
	r->lost_sink = (double)c->lost_sink;
	r->mean_us = histogram_mean(latency) / 1000;
	r->p50_us = histogram_quantile(latency, 0.5) / 1000;
	r->p99_us = histogram_quantile(latency, 0.99) / 1000;
	r->p999_us = histogram_quantile(latency, 0.999) / 1000;
	r->interval_min_us = (double)c->interval_min_ps * 1e-6;
	r->interval_max_us = (double)c->interval_max_ps * 1e-6;
}
