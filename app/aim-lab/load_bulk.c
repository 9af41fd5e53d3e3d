/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One TCP stream at line rate into a NIC whose rings have a timer and a packet threshold each, as
 * NXP's ENETC: full frames come back to back, and one ACK goes out for every `ack_frames` of them.
 *
 * A ring's timer starts with the first packet (or Tx completion) that is there after the arm; the
 * interrupt comes when it is over, or before that when as many wait as the threshold says (ENETC
 * registers RBICR0/1 and TBICR0/1; 2.5 ns a cycle at 400 MHz, itr_unit_ps). Policy `off` is the
 * interrupt for each packet, threshold 1. The driver's thresholds: 256 on Rx, 128 on Tx, half the
 * ring at most (ENETC_RXIC_PKTTHR and ENETC_TXIC_PKTTHR of drivers/net/ethernet/freescale/enetc).
 *
 * Rx and Tx are moderated apart: the policy is that of Rx, `peer` that of the Tx completions. They
 * share a vector, and so an interrupt serves both, or have a CPU each (tx_cpu). A poll cleans the
 * Tx completions first, then at most `budget` frames; a poll that takes fewer is the last one. Its
 * ACKs leave when it ends, as what GRO collected goes up then. Both rings' policies see every
 * arm of their vector, one without packets, too: the driver counts interrupts of a vector, and
 * looks at a ring only when it had work.
 *
 * The NIC's times are the line's. The CPU's (wake_ns, packet_ns, clean_ns, arm_ns) and tx_done_ns
 * are the scenario's, which says what is fitted. TCP itself is not modelled: the sender never
 * slows down, and what the ring cannot hold is lost.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "arrivals.h"
#include "histogram.h"
#include "load_internal.h"
#include "series.h"

#define NS INT64_C(1000) /* ps */
#define NEVER INT64_MAX
#define RX_THRESHOLD 256u
#define TX_THRESHOLD 128u
#define ACK_BYTES 66u /* with timestamps */

/* One ring's moderation. */
struct bulk_ring {
	const struct lab_policy *policy;
	struct aim_state state;
	struct aim_limits limits;
	uint32_t threshold_max;
	uint32_t threshold;
	uint32_t interval_ns;
	int64_t interval_ps;
	int64_t interval_min_ps, interval_max_ps;
	uint64_t writes;
};

/* A vector and the CPU that it interrupts. */
struct bulk_vector {
	int64_t arm_ps;
	int64_t busy_ps;
	uint64_t irqs;
	uint64_t packets; /* frames; of a Tx vector completions */
};

struct bulk {
	const struct scenario *s;
	struct bulk_ring rx, tx;
	struct bulk_vector vector[2]; /* Rx and all else; the Tx completions' with tx_cpu */
	int64_t frame_ps;	      /* one on the wire */
	int64_t first_ps;	      /* arrival of the next frame to be taken */
	uint32_t unanswered;	      /* frames */
	int64_t *completion;	      /* of ACKs, s->ring of them */
	uint32_t head, count;
	int64_t sent_ps; /* the port is busy until then */
	int64_t from_ps, end_ps;
	uint64_t lost;
	struct histogram latency;
};

static void
bulk_decide(const struct bulk *b, struct bulk_ring *ring, uint32_t packets, uint32_t size,
	    int64_t poll_ps, int64_t now_ps)
{
	uint32_t n = packets < AIM_PACKETS_MAX ? packets : AIM_PACKETS_MAX;
	struct aim_sample sample = {
	    .packets = n,
	    .bytes = n * size,
	    .burst = n,
	    .poll_ns = n != 0 ? b->s->epoch_ns + (uint64_t)(poll_ps / NS) : 0,
	};
	uint32_t ns = aim_step(ring->policy->policy, &ring->policy->config, &ring->state, &sample,
			       &ring->limits, b->s->epoch_ns + (uint64_t)(now_ps / NS));
	uint32_t threshold = aim_threshold(&ring->state);

	if (threshold == 0 || threshold > ring->threshold_max)
		threshold = ring->threshold_max;
	ring->threshold = ns != 0 ? threshold : 1;
	if (ns == ring->interval_ns)
		return;
	ring->interval_ns = ns;
	ring->writes++;
	ring->interval_ps = scenario_register_ps(b->s, ns);
	if (ring->interval_ps < ring->interval_min_ps)
		ring->interval_min_ps = ring->interval_ps;
	if (ring->interval_ps > ring->interval_max_ps)
		ring->interval_max_ps = ring->interval_ps;
}

/* When a ring interrupts that was armed at arm: first and n-th (the threshold's) event's times. */
static int64_t
bulk_fires(const struct bulk_ring *ring, int64_t arm, int64_t first, int64_t nth)
{
	int64_t timer;

	if (first == NEVER)
		return NEVER;
	timer = (first > arm ? first : arm) + ring->interval_ps;
	if (nth < arm)
		nth = arm;
	return nth < timer ? nth : timer;
}

static int64_t
bulk_tx_time(const struct bulk *b, uint32_t i)
{
	return i < b->count ? b->completion[(b->head + i) % b->s->ring] : NEVER;
}

static int64_t
bulk_due(const struct bulk *b, int v)
{
	int64_t arm = b->vector[v].arm_ps, due = NEVER;

	if (v == 0)
		due = bulk_fires(&b->rx, arm, b->first_ps,
				 b->first_ps + (b->rx.threshold - 1) * b->frame_ps);
	if ((v == 1) == b->s->tx_cpu) {
		int64_t tx = bulk_fires(&b->tx, arm, bulk_tx_time(b, 0),
					bulk_tx_time(b, b->tx.threshold - 1));

		due = tx < due ? tx : due;
	}
	return due;
}

/* Completions that are there are cleaned. @return their number */
static uint32_t
bulk_clean(struct bulk *b, int64_t *now)
{
	uint32_t n = 0;

	while (b->count != 0 && bulk_tx_time(b, 0) <= *now) {
		b->head = (b->head + 1) % b->s->ring;
		b->count--;
		n++;
		*now += b->s->clean_ns * NS;
	}
	return n;
}

/* Frames that are there are taken, a budget of them at most. @return their number */
static uint32_t
bulk_take(struct bulk *b, int64_t *now)
{
	int64_t waiting = (*now - b->first_ps) / b->frame_ps + 1;
	uint32_t n = 0;

	if (*now >= b->first_ps && waiting > (int64_t)b->s->ring) {
		b->lost += (uint64_t)(waiting - b->s->ring);
		b->first_ps += (waiting - b->s->ring) * b->frame_ps;
	}
	while (n < b->s->budget && b->first_ps <= *now) {
		*now += b->s->packet_ns * NS;
		if (b->first_ps >= b->from_ps)
			histogram_add(&b->latency, (*now - b->first_ps) / NS);
		b->first_ps += b->frame_ps;
		n++;
	}
	return n;
}

/* The ACKs of a poll. What finds the Tx ring full is left out; later ones say it, too. */
static void
bulk_answer(struct bulk *b, uint32_t frames, int64_t now)
{
	b->unanswered += frames;
	for (; b->unanswered >= b->s->ack_frames; b->unanswered -= b->s->ack_frames) {
		if (b->count == b->s->ring)
			continue;
		if (b->sent_ps < now)
			b->sent_ps = now;
		b->sent_ps += arrivals_wire_ps(ACK_BYTES, b->s->link_mbps);
		b->completion[(b->head + b->count++) % b->s->ring] = b->sent_ps +
								     b->s->tx_done_ns * NS;
	}
}

static void
bulk_irq(struct bulk *b, int v, int64_t due)
{
	bool has_tx = (v == 1) == b->s->tx_cpu;
	int64_t poll = due + b->s->wake_ns * NS, now = poll;
	uint32_t completions = 0, frames = 0, polled;

	do {
		polled = 0;
		if (has_tx)
			completions += bulk_clean(b, &now);
		if (v == 0) {
			polled = bulk_take(b, &now);
			bulk_answer(b, polled, now);
			frames += polled;
		}
	} while (polled == b->s->budget && now < b->end_ps); /* one that is overloaded never ends */
	now += b->s->arm_ns * NS;
	b->vector[v].arm_ps = now;
	b->vector[v].busy_ps += (now < b->end_ps ? now : b->end_ps) - due;
	b->vector[v].irqs++;
	b->vector[v].packets += v == 0 ? frames : completions;
	if (v == 0)
		bulk_decide(b, &b->rx, frames, b->s->frame, poll, now);
	if (has_tx)
		bulk_decide(b, &b->tx, completions, ACK_BYTES, poll, now);
}

static void
bulk_measure(struct bulk *b)
{
	struct bulk_ring *rings[] = {&b->rx, &b->tx};

	for (int i = 0; i < 2; i++) {
		b->vector[i].irqs = b->vector[i].packets = 0;
		b->vector[i].busy_ps = 0;
		rings[i]->writes = 0;
		rings[i]->interval_min_ps = rings[i]->interval_max_ps = rings[i]->interval_ps;
	}
	b->lost = 0;
}

static void
bulk_result(const struct bulk *b, double seconds, struct result *r)
{
	const struct bulk_vector *v = &b->vector[b->s->show_tx];
	const struct bulk_ring *ring = b->s->show_tx ? &b->tx : &b->rx;

	r->pps = (double)v->packets / seconds;
	r->mbps = r->pps * (b->s->show_tx ? ACK_BYTES : b->s->frame) * 8e-6;
	r->irqs = (double)v->irqs / seconds;
	r->packets_irq = v->irqs != 0 ? (double)v->packets / (double)v->irqs : 0;
	r->writes = (double)ring->writes / seconds;
	r->cpu = (double)v->busy_ps * 1e-12 / seconds * 100;
	r->interval_min_us = (double)ring->interval_min_ps * 1e-6;
	r->interval_max_us = (double)ring->interval_max_ps * 1e-6;
	if (b->s->show_tx)
		return;
	r->lost_ring = (double)b->lost;
	r->mean_us = histogram_mean(&b->latency) / 1000;
	r->p50_us = histogram_quantile(&b->latency, 0.5) / 1000;
	r->p99_us = histogram_quantile(&b->latency, 0.99) / 1000;
	r->p999_us = histogram_quantile(&b->latency, 0.999) / 1000;
}

static void
bulk_ring_open(const struct bulk *b, struct bulk_ring *ring, const struct lab_policy *policy,
	       uint32_t threshold)
{
	ring->policy = policy;
	ring->limits = load_limits(b->s);
	ring->limits.ring_packets = b->s->ring; /* for policies whose threshold it bounds */
	ring->threshold_max = threshold < b->s->ring / 2 ? threshold : b->s->ring / 2;
	aim_reset(&ring->state, policy->policy);
	bulk_decide(b, ring, 0, 0, 0, 1000 * NS); /* the driver's start */
}

static int
bulk_simulate(struct bulk *b, struct result *r)
{
	const struct scenario *s = b->s;
	const struct bulk_vector *shown = &b->vector[s->show_tx];
	const struct bulk_ring *ring = s->show_tx ? &b->tx : &b->rx;
	int64_t end = b->end_ps;
	uint64_t packets_before = 0, irqs_before = 0;
	bool measuring = false;
	struct series series;
	int rc = series_init(&series, s, r);

	if (rc != 0)
		return rc;
	for (;;) {
		int64_t due[2] = {bulk_due(b, 0), s->tx_cpu ? bulk_due(b, 1) : NEVER};
		int v = due[1] < due[0];

		if (due[v] >= end)
			break;
		if (!measuring && due[v] >= b->from_ps) {
			packets_before = shown->packets;
			irqs_before = shown->irqs;
			bulk_measure(b);
			measuring = true;
		}
		series_tick(&series, due[v], packets_before + shown->packets,
			    irqs_before + shown->irqs, ring->interval_ps);
		bulk_irq(b, v, due[v]);
	}
	series_tick(&series, end, packets_before + shown->packets, irqs_before + shown->irqs,
		    ring->interval_ps);
	/* a poll of the warm-up that never ended: all of the run is measured */
	bulk_result(b, (double)(end - (measuring ? b->from_ps : 0)) * 1e-12, r);
	return 0;
}

int
load_bulk_run(const struct scenario *s, const struct lab_policy *p, const struct lab_policy *peer,
	      struct result *r, char error[LAB_ERROR_MAX])
{
	struct bulk *b = calloc(1, sizeof(*b));
	int rc = -ENOMEM;

	if (b != NULL) {
		b->s = s;
		b->frame_ps = arrivals_wire_ps(s->frame, s->link_mbps);
		b->first_ps = b->frame_ps;
		b->from_ps = s->warmup_ms * INT64_C(1000000000);
		b->end_ps = s->time_ms * INT64_C(1000000000);
		bulk_ring_open(b, &b->rx, p, RX_THRESHOLD);
		bulk_ring_open(b, &b->tx, peer, TX_THRESHOLD);
		b->completion = calloc(s->ring, sizeof(*b->completion));
		if (b->completion != NULL)
			rc = bulk_simulate(b, r);
		free(b->completion);
		free(b);
	}
	if (rc != 0)
		snprintf(error, LAB_ERROR_MAX, "out of memory");
	return rc;
}
