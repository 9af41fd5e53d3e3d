/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stream of large UDP messages at line rate, each many fragments, into a socket buffer that a
 * process on another CPU empties: an interrupt that brings more than the buffer holds loses
 * messages, whatever the CPUs could do.
 *
 * The host is host.c's, throttle and engine included. The last fragment of a message that came
 * whole puts it into the socket buffer, as long as what is accounted there is below rcvbuf (Linux
 * checks before it adds: sock_queue_rcv_skb(); net.core.rmem_default is 212992); each fragment is
 * accounted with truesize bytes (2994 in the published case). The reader sleeps when there is
 * nothing to read, takes reader_ns to wake, and read_ns a message; its memory is free after that.
 *
 * Parameter-free: fragments of 1480 bytes of IP payload (45 in a message of 65507), their times on
 * the wire, two messages in the buffer. reader_ns, read_ns and the host's times are the scenario's,
 * which says what is fitted. pps and mbps are what the reader got; lost_sink counts the fragments
 * of messages that the socket buffer refused.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "arrivals.h"
#include "host.h"
#include "load_internal.h"
#include "series.h"

#define NS INT64_C(1000) /* ps */
#define FRAGMENT 1480u	 /* IP payload of a full frame */
#define UDP_HEADER 8u
#define HEADERS 34u /* Ethernet and IP */

struct udp {
	const struct scenario *s;
	uint32_t fragments;  /* of a message */
	uint32_t last_bytes; /* frame of the last */
	uint32_t whole;	     /* fragments of the message that is coming */
	int64_t *buffer;     /* of each message there: when the reader is through with it */
	uint32_t head, count, room;
	int64_t reader_ps; /* it sleeps, or will, from then on */
	struct histogram latency;
	int64_t from_ps;
	bool measuring;
	uint64_t read, refused;
};

/* A message is whole at now: into the socket buffer. arrived: its last fragment in memory. */
static void
udp_deliver(struct udp *u, int64_t now, int64_t arrived)
{
	uint64_t cost = (uint64_t)u->fragments * u->s->truesize;
	int64_t start;
	uint32_t at;

	while (u->count != 0 && u->buffer[u->head] <= now) {
		u->head = u->head + 1 == u->room ? 0 : u->head + 1;
		u->count--;
	}
	if (u->count * cost >= u->s->rcvbuf) {
		u->refused++;
		return;
	}
	start = u->reader_ps > now ? u->reader_ps : now + u->s->reader_ns * NS;
	u->reader_ps = start + u->s->read_ns * NS;
	at = u->head + u->count++;
	u->buffer[at < u->room ? at : at - u->room] = u->reader_ps;
	u->read++;
	if (arrived >= u->from_ps)
		histogram_add(&u->latency, (u->reader_ps - arrived) / NS);
}

/* data of a packet: which fragment of its message, from 0 */
static void
udp_done(void *load, const struct host_packet *packets, uint32_t n, int64_t done_ps)
{
	struct udp *u = load;

	for (uint32_t i = 0; i < n; i++) {
		int64_t now = done_ps - (n - 1 - i) * (u->s->packet_ns * NS);

		if (packets[i].data == 0)
			u->whole = 0;
		if (packets[i].data == (int64_t)u->whole)
			u->whole++;
		if (packets[i].data == (int64_t)u->fragments - 1 && u->whole == u->fragments)
			udp_deliver(u, now, packets[i].ps);
	}
}

static void
udp_measure(struct udp *u, struct host *h, struct host_counts *before)
{
	*before = h->counts;
	host_measure(h);
	u->read = u->refused = 0;
	u->measuring = true;
}

static void
udp_result(const struct udp *u, const struct host *h, double seconds, struct result *r)
{
	host_result(h, seconds, &u->latency, r);
	r->pps = (double)u->read * u->fragments / seconds;
	r->mbps = (double)u->read * u->s->message * 8e-6 / seconds;
	r->lost_sink = (double)u->refused * u->fragments;
}

static int
udp_simulate(struct udp *u, struct host *h, struct result *r)
{
	const struct scenario *s = u->s;
	int64_t end = s->time_ms * INT64_C(1000000000);
	int64_t full_ps = arrivals_wire_ps(HEADERS + FRAGMENT, s->link_mbps);
	int64_t last_ps = arrivals_wire_ps(u->last_bytes, s->link_mbps);
	struct host_counts before = {0};
	uint32_t fragment = 0;
	struct series series;
	int64_t next = u->fragments == 1 ? last_ps : full_ps;
	int rc = series_init(&series, s, r);

	if (rc != 0)
		return rc;
	for (;;) {
		int64_t now = next <= h->next_ps ? next : h->next_ps;

		if (now >= end)
			break;
		if (!u->measuring && now >= u->from_ps)
			udp_measure(u, h, &before);
		series_tick(&series, now, before.packets + h->counts.packets,
			    before.irqs + h->counts.irqs, h->interval_ps);
		if (now != next) {
			host_run(h);
			continue;
		}
		host_receive(h, 0, next,
			     fragment + 1 == u->fragments ? u->last_bytes : HEADERS + FRAGMENT,
			     fragment);
		fragment = fragment + 1 == u->fragments ? 0 : fragment + 1;
		next += fragment + 1 == u->fragments ? last_ps : full_ps;
	}
	series_tick(&series, end, before.packets + h->counts.packets, before.irqs + h->counts.irqs,
		    h->interval_ps);
	udp_result(u, h, (double)(end - u->from_ps) * 1e-12, r);
	return 0;
}

int
load_udp_run(const struct scenario *s, const struct lab_policy *p, struct result *r,
	     char error[LAB_ERROR_MAX])
{
	struct udp *u = calloc(1, sizeof(*u));
	struct host host = {0};
	int rc = -ENOMEM;

	if (u != NULL) {
		u->s = s;
		u->fragments = (s->message + UDP_HEADER + FRAGMENT - 1) / FRAGMENT;
		u->last_bytes = HEADERS + s->message + UDP_HEADER - (u->fragments - 1) * FRAGMENT;
		u->room = (uint32_t)(s->rcvbuf / ((uint64_t)u->fragments * s->truesize)) + 2;
		u->from_ps = s->warmup_ms * INT64_C(1000000000);
		u->buffer = calloc(u->room, sizeof(*u->buffer));
		if (u->buffer != NULL)
			rc = host_open(&host, s, p, 0, udp_done, u);
		if (rc == 0)
			rc = udp_simulate(u, &host, r);
		host_close(&host);
		free(u->buffer);
		free(u);
	}
	if (rc != 0)
		snprintf(error, LAB_ERROR_MAX, "out of memory");
	return rc;
}
