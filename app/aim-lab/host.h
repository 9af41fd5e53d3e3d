/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * A host in Rx interrupt mode: queues of a NIC on one vector with its throttle, and the
 * application that sleeps, wakes, polls until the queues are empty and arms them again. Each arm
 * runs the engine, as the drivers do.
 *
 * The NIC's rule (82598 datasheet 3.5.4): the throttle counts from the assertion of an interrupt;
 * a cause that comes when it has expired interrupts at once.
 */
#ifndef LAB_HOST_H
#define LAB_HOST_H

#include "histogram.h"
#include "load.h"

struct host_packet {
	int64_t ps;   /* in memory */
	int64_t data; /* the load's own */
	uint32_t bytes;
};

struct host_queue {
	struct host_packet *ring; /* s->ring of them */
	uint32_t head, count;
	/* since the last arm */
	uint32_t packets, burst;
	uint64_t bytes;
	int64_t poll_ps;
	struct aim_state state;
	struct aim_limits limits;
	uint32_t interval_ns; /* as this queue wrote it last */
};

/** What a host counted since host_measure(). */
struct host_counts {
	uint64_t packets, bytes, irqs, spurious, writes, lost_ring, lost_sink;
	double hold_ps;	 /* packets' waiting for an interrupt */
	int64_t busy_ps; /* CPU */
	int64_t interval_min_ps, interval_max_ps;
};

/** A burst was processed: packets, the time when the last is done, the load's own pointer. */
typedef void host_done(void *load, const struct host_packet *packets, uint32_t n, int64_t done_ps);

struct host {
	const struct scenario *s;
	const struct lab_policy *policy;
	struct host_queue *queues;
	host_done *done;
	void *load;
	double clock; /* 1 + skew */

	enum { HOST_ASLEEP, HOST_POLLING, HOST_ARMING } phase;
	int64_t next_ps; /* of what host_run() does next; INT64_MAX: a packet must come first */
	int64_t irq_ps;	 /* last assertion */
	bool cause;	 /* a packet came since */
	int64_t interval_ps;
	int64_t armed_ps;
	uint32_t queue; /* being polled */
	uint32_t empty; /* queues found empty in a row */
	uint32_t got;	/* packets of this wake */
	uint64_t random;
	double stall_ps; /* when the next stall is due */
	struct host_counts counts;
};

/** @return 0 or -ENOMEM; then host_close() whatever happens. */
int host_open(struct host *h, const struct scenario *s, const struct lab_policy *policy,
	      double skew_ppm, host_done *done, void *load);
void host_close(struct host *h);

/** A packet is in memory at ps, not before any earlier one nor before what host_run() did. */
void host_receive(struct host *h, uint32_t queue, int64_t ps, uint32_t bytes, int64_t data);

/** Do what is due at h->next_ps. */
void host_run(struct host *h);

/** Counts begin now. */
void host_measure(struct host *h);

/** Fill the figures that a host knows, of a measured time in seconds. */
void host_result(const struct host *h, double seconds, const struct histogram *latency,
		 struct result *r);

#endif /* LAB_HOST_H */
