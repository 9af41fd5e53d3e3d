/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet generator on one CPU that sends as fast as its Tx ring lets it, while an interrupt with
 * a throttle cleans the ring: when the throttle is longer than a ring lasts, it is the throttle
 * that sets the packet rate.
 *
 * The generator (Linux's pktgen) sends until fewer than `need` descriptors are free, and goes on
 * when the interrupt's poll left `resume` free. The NIC sends at line rate and writes a descriptor
 * back `latency_ns` after its frame is out. A descriptor that is written back is a cause; the
 * interrupt comes when the throttle allows it, counted from the last one (82598 datasheet 3.5.4),
 * and takes the CPU from the generator. Its poll cleans at most `budget` descriptors at a time
 * until none is done, and then the engine decides on what was cleaned, as Linux's drivers do.
 *
 * From the driver: need is MAX_SKB_FRAGS + 4 = 21 and resume twice that (DESC_NEEDED and
 * TX_WAKE_THRESHOLD in drivers/net/ethernet/intel/ixgbe/ixgbe.h), budget 256
 * (IXGBE_DEFAULT_TX_WORK), one descriptor of the ring stays empty (IXGBE_DESC_UNUSED). From the
 * line: 67.2 ns for a frame of 60 bytes, its FCS, preamble and gap. packet_ns, clean_ns and irq_ns,
 * what the CPU needs, and latency_ns are the scenario's, which says what is fitted. Cache misses
 * are not modelled: to clean 900 descriptors at a time costs no more each than to clean 60.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "arrivals.h"
#include "load_internal.h"
#include "series.h"

#define NS INT64_C(1000) /* ps */

struct txring {
	const struct scenario *s;
	const struct lab_policy *policy;
	struct aim_state state;
	struct aim_limits limits;

	int64_t now_ps;
	int64_t *done; /* when each descriptor of the ring is written back */
	uint32_t head, used;
	int64_t wire_ps; /* the NIC is busy until then */
	bool stopped;

	int64_t irq_ps, interval_ps;
	uint32_t interval_ns;

	uint64_t sent, irqs, writes;
	int64_t idle_ps;
	int64_t interval_min_ps, interval_max_ps;
};

static void
txring_measure(struct txring *t)
{
	t->sent = t->irqs = t->writes = 0;
	t->idle_ps = 0;
	t->interval_min_ps = t->interval_max_ps = t->interval_ps;
}

/* The poll is complete: the engine decides. */
static void
txring_arm(struct txring *t, uint32_t cleaned)
{
	struct aim_sample sample = {
	    .tx_packets = cleaned < AIM_PACKETS_MAX ? cleaned : AIM_PACKETS_MAX,
	    .tx_bytes = cleaned * t->s->frame,
	};
	uint32_t ns = aim_step(t->policy->policy, &t->policy->config, &t->state, &sample,
			       &t->limits, t->s->epoch_ns + (uint64_t)(t->now_ps / NS));

	if (ns == t->interval_ns)
		return;
	t->interval_ns = ns;
	t->writes++;
	t->interval_ps = scenario_register_ps(t->s, ns);
	if (t->interval_ps < t->interval_min_ps)
		t->interval_min_ps = t->interval_ps;
	if (t->interval_ps > t->interval_max_ps)
		t->interval_max_ps = t->interval_ps;
}

static bool
txring_written_back(const struct txring *t)
{
	return t->used != 0 && t->done[t->head] <= t->now_ps;
}

static void
txring_irq(struct txring *t)
{
	uint32_t cleaned = 0, polled;

	t->irqs++;
	t->irq_ps = t->now_ps;
	t->now_ps += t->s->irq_ns * NS;
	do {
		for (polled = 0; polled < t->s->budget && txring_written_back(t); polled++) {
			t->head = t->head + 1 == t->s->ring ? 0 : t->head + 1;
			t->used--;
			t->now_ps += t->s->clean_ns * NS;
		}
		cleaned += polled;
	} while (polled == t->s->budget);
	if (t->s->ring - 1 - t->used >= t->s->resume)
		t->stopped = false;
	txring_arm(t, cleaned);
}

static void
txring_send(struct txring *t)
{
	uint32_t at = t->head + t->used;

	t->now_ps += t->s->packet_ns * NS;
	if (t->wire_ps < t->now_ps)
		t->wire_ps = t->now_ps;
	t->wire_ps += arrivals_wire_ps(t->s->frame, t->s->link_mbps);
	t->done[at < t->s->ring ? at : at - t->s->ring] = t->wire_ps + t->s->latency_ns * NS;
	t->used++;
	t->sent++;
	t->stopped = t->s->ring - 1 - t->used < t->s->need;
}

/* The ring is full: nothing to do until the interrupt comes. */
static void
txring_wait(struct txring *t)
{
	int64_t until = t->irq_ps + t->interval_ps;

	if (t->used != 0 && t->done[t->head] > until)
		until = t->done[t->head];
	t->idle_ps += until - t->now_ps;
	t->now_ps = until;
}

static void
txring_result(const struct txring *t, int64_t measured_ps, struct result *r)
{
	double seconds = (double)measured_ps * 1e-12;

	r->pps = (double)t->sent / seconds;
	r->mbps = r->pps * t->s->frame * 8e-6;
	r->irqs = (double)t->irqs / seconds;
	r->packets_irq = t->irqs != 0 ? (double)t->sent / (double)t->irqs : 0;
	r->writes = (double)t->writes / seconds;
	r->cpu = 100 - (double)t->idle_ps * 1e-12 / seconds * 100;
	r->interval_min_us = (double)t->interval_min_ps * 1e-6;
	r->interval_max_us = (double)t->interval_max_ps * 1e-6;
}

static int
txring_simulate(struct txring *t, struct result *r)
{
	const struct scenario *s = t->s;
	int64_t end = s->time_ms * INT64_C(1000000000), from = s->warmup_ms * INT64_C(1000000000);
	uint64_t sent_before = 0, irqs_before = 0;
	struct series series;
	int rc = series_init(&series, s, r);

	if (rc != 0)
		return rc;
	txring_arm(t, 0); /* the driver's start */
	txring_measure(t);
	while (t->now_ps < end) {
		if (from != 0 && t->now_ps >= from) {
			sent_before = t->sent;
			irqs_before = t->irqs;
			txring_measure(t);
			end += t->now_ps - from; /* a measured time of just so much */
			from = 0;
		}
		series_tick(&series, t->now_ps, sent_before + t->sent, irqs_before + t->irqs,
			    t->interval_ps);
		if (txring_written_back(t) && t->now_ps >= t->irq_ps + t->interval_ps)
			txring_irq(t);
		else if (t->stopped)
			txring_wait(t);
		else
			txring_send(t);
	}
	series_tick(&series, end, sent_before + t->sent, irqs_before + t->irqs, t->interval_ps);
	txring_result(t, t->now_ps - end + (s->time_ms - s->warmup_ms) * INT64_C(1000000000), r);
	return 0;
}

int
load_txring_run(const struct scenario *s, const struct lab_policy *p, struct result *r,
		char error[LAB_ERROR_MAX])
{
	struct txring t = {.s = s, .policy = p, .limits = load_limits(s), .now_ps = NS};
	int rc = -ENOMEM;

	aim_reset(&t.state, p->policy);
	t.done = calloc(s->ring, sizeof(*t.done));
	if (t.done != NULL)
		rc = txring_simulate(&t, r);
	free(t.done);
	if (rc != 0)
		snprintf(error, LAB_ERROR_MAX, "out of memory");
	return rc;
}
