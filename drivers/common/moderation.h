/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an Rx queue keeps for its moderation, the same in every PMD: the
 * engine's state, what the queue saw since it armed, and the counts that
 * xstats show.
 *
 * Threads: written by the thread that polls and arms the queue; other
 * threads read the counts without a lock and may see a value one event old.
 */
#ifndef AIM_COMMON_MODERATION_H
#define AIM_COMMON_MODERATION_H

#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>

#include "../aim/aim.h"

/* How a queue moderates: from devargs, and changed at run time. */
struct moderation_conf {
	const struct aim_policy *policy;
	struct aim_config config;
	uint32_t min_ns; /* user's bounds, ns */
	uint32_t max_ns;
	uint32_t sink_packets; /* 0: not declared */
};

/* Counts since the last reset of statistics. */
struct moderation_stats {
	uint64_t arms;	      /* calls of rx_queue_intr_enable */
	uint64_t wakes;	      /* first bursts after an arm that found packets */
	uint64_t spurious;    /* first bursts after an arm that found none */
	uint64_t packets;     /* received in interrupt mode */
	uint64_t reg_writes;  /* writes of the throttle register */
	uint64_t soft_raises; /* interrupts raised by software: a done descriptor at arm */
};

/* Where a queue is between its arm and the burst that brings packets. */
enum moderation_armed {
	MODERATION_POLLING, /* packets came, or never armed */
	MODERATION_EMPTY,   /* polled since the arm, nothing yet */
	MODERATION_ARMED,   /* armed, not polled since */
};

struct moderation {
	/* since the last arm; the receive function adds */
	uint32_t packets;
	uint32_t bytes;
	uint32_t burst;
	uint8_t armed; /* enum moderation_armed */
	uint64_t poll_tsc;

	struct aim_state state;
	struct aim_limits limits;
	struct moderation_conf conf;
	struct moderation_stats stats;
	uint32_t interval_ns; /* what the register holds */
};

/* Once a process, before the first queue starts: calibrate TSC against ns. */
void moderation_clock_init(void);

/* What a queue uses when nobody said anything: policy aim, the hardware's whole range. */
void moderation_conf_default(struct moderation_conf *conf, uint32_t hw_max_ns);

/*
 * A queue starts: take conf, bring the engine to its start. Counts are kept.
 * Returns what aim_limits_settle() returns: -ERANGE says that the user's
 * itr_min_us is longer than the ring of `ring` descriptors can bear.
 */
int moderation_start(struct moderation *m, const struct moderation_conf *conf, uint32_t ring,
		     uint32_t link_mbps);

/* The link changed: bounds follow its speed. */
void moderation_link(struct moderation *m, uint32_t link_mbps);

/* Called by the receive function for the bursts between an arm and the first packet. */
void moderation_first_poll(struct moderation *m, uint16_t n);

/* The decision at arm: the interval in ns for the sleep that begins. */
uint32_t moderation_arm(struct moderation *m);

/* Add a burst; the hot path's share. */
static inline void
moderation_burst(struct moderation *m, uint16_t n, uint32_t bytes)
{
	m->packets += n;
	m->bytes += bytes;
	if (unlikely(m->armed != MODERATION_POLLING))
		moderation_first_poll(m, n);
}

#endif /* AIM_COMMON_MODERATION_H */
