/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Closed loop: two hosts and `window` requests between them. The client sends the next request
 * when an answer is processed; the server answers when a request is processed. What a burst
 * gives leaves when the burst is over.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "arrivals.h"
#include "host.h"
#include "load_internal.h"
#include "series.h"

/* One direction of the wire: packets on the way, in order. */
struct wire {
	struct host_packet *way;
	uint32_t head, count, room;
	int64_t free_ps; /* the sender's port */
	int64_t last_ps; /* the last packet's arrival */
};

struct loop_side {
	struct host host;
	struct wire *out;
	struct loop_load *load;
	bool client;
};

struct loop_load {
	const struct scenario *s;
	struct loop_side side[2]; /* client, server */
	struct wire wire[2];	  /* towards the client, towards the server */
	struct histogram latency;
	uint64_t random;
	int64_t from_ps;
};

static void
wire_send(struct loop_load *l, struct wire *w, int64_t ps, int64_t data)
{
	uint32_t at = w->head + w->count++;
	int64_t way = l->s->half_ns * INT64_C(1000), arrival;

	if (ps < w->free_ps)
		ps = w->free_ps;
	w->free_ps = ps + arrivals_wire_ps(l->s->frame, l->s->link_mbps);
	if (l->s->jitter_ns != 0)
		way += (int64_t)(arrivals_random(&l->random) % (l->s->jitter_ns * UINT64_C(1000)));
	arrival = w->free_ps + way;
	if (arrival < w->last_ps)
		arrival = w->last_ps;
	w->last_ps = arrival;
	w->way[at < w->room ? at : at - w->room] = (struct host_packet){.ps = arrival,
									.data = data};
}

static int64_t
wire_next(const struct wire *w)
{
	return w->count != 0 ? w->way[w->head].ps : INT64_MAX;
}

static void
loop_done(void *load, const struct host_packet *packets, uint32_t n, int64_t done_ps)
{
	struct loop_side *side = load;
	struct loop_load *l = side->load;

	for (uint32_t i = 0; i < n; i++) {
		if (side->client && packets[i].data >= l->from_ps)
			histogram_add(&l->latency, (done_ps - packets[i].data) / 1000);
		/* data: when the request was made */
		wire_send(l, side->out, done_ps, side->client ? done_ps : packets[i].data);
	}
}

static int
loop_open(struct loop_load *l, const struct lab_policy *client, const struct lab_policy *server)
{
	const struct scenario *s = l->s;

	for (int i = 0; i < 2; i++) {
		struct wire *w = &l->wire[i];
		int rc;

		w->room = s->window;
		w->way = calloc(w->room, sizeof(*w->way));
		if (w->way == NULL)
			return -ENOMEM;
		l->side[i].load = l;
		l->side[i].client = i == 0;
		l->side[i].out = &l->wire[1 - i];
		rc = host_open(&l->side[i].host, s, i == 0 ? client : server,
			       i == 0 ? 0 : s->skew_ppm, loop_done, &l->side[i]);
		if (rc != 0)
			return rc;
	}
	for (uint32_t i = 0; i < s->window; i++) /* 200 ns apart, as a sender starts them */
		wire_send(l, &l->wire[1], (1000 + 200 * (int64_t)i) * 1000,
			  (1000 + 200 * (int64_t)i) * 1000);
	return 0;
}

/* Do what comes first: a packet's arrival or a host's step. */
static void
loop_step(struct loop_load *l)
{
	int64_t arrival[2] = {wire_next(&l->wire[0]), wire_next(&l->wire[1])};
	int i = arrival[1] < arrival[0];
	int k = l->side[1].host.next_ps < l->side[0].host.next_ps;
	struct wire *w = &l->wire[i];

	if (arrival[i] <= l->side[k].host.next_ps) {
		struct host_packet p = w->way[w->head];

		w->head = w->head + 1 == w->room ? 0 : w->head + 1;
		w->count--;
		host_receive(&l->side[i].host, 0, p.ps, l->s->frame, p.data);
	} else {
		host_run(&l->side[k].host);
	}
}

static int64_t
loop_now(const struct loop_load *l)
{
	int64_t now = INT64_MAX;

	for (int i = 0; i < 2; i++) {
		if (wire_next(&l->wire[i]) < now)
			now = wire_next(&l->wire[i]);
		if (l->side[i].host.next_ps < now)
			now = l->side[i].host.next_ps;
	}
	return now;
}

static int
loop_simulate(struct loop_load *l, struct result *r)
{
	const struct scenario *s = l->s;
	struct host *client = &l->side[0].host;
	int64_t end = s->time_ms * INT64_C(1000000000), now;
	struct host_counts before = {0};
	bool measuring = l->from_ps == 0;
	struct series series;
	int rc = series_init(&series, s, r);

	if (rc != 0)
		return rc;
	while ((now = loop_now(l)) < end) {
		if (!measuring && now >= l->from_ps) {
			before = client->counts;
			host_measure(client);
			host_measure(&l->side[1].host);
			measuring = true;
		}
		series_tick(&series, now, before.packets + client->counts.packets,
			    before.irqs + client->counts.irqs, client->interval_ps);
		loop_step(l);
	}
	series_tick(&series, end, before.packets + client->counts.packets,
		    before.irqs + client->counts.irqs, client->interval_ps);
	host_result(client, (double)(end - l->from_ps) * 1e-12, &l->latency, r);
	return 0;
}

int
load_loop_run(const struct scenario *s, const struct lab_policy *p, const struct lab_policy *peer,
	      struct result *r, char error[LAB_ERROR_MAX])
{
	struct loop_load *l = calloc(1, sizeof(*l));
	int rc = -ENOMEM;

	if (l != NULL) {
		l->s = s;
		l->random = s->seed;
		l->from_ps = s->warmup_ms * INT64_C(1000000000);
		rc = loop_open(l, p, peer);
		if (rc == 0)
			rc = loop_simulate(l, r);
		for (int i = 0; i < 2; i++) {
			host_close(&l->side[i].host);
			free(l->wire[i].way);
		}
		free(l);
	}
	if (rc != 0)
		snprintf(error, LAB_ERROR_MAX, "out of memory");
	return rc;
}
