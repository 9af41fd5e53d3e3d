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

#include <stdbool.h>
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
	uint64_t stale_drops; /* causes dropped because their packets had been polled */
};

/* What a queue is doing, as its bursts and arms tell. */
enum moderation_phase {
	MODERATION_BUSY,  /* packets came with the last burst but few */
	MODERATION_CLEAN, /* polled empty for a while; the cause of those packets was dropped */
	MODERATION_ARMED, /* armed, not polled since */
	MODERATION_EMPTY, /* armed, polled since, nothing came yet */
};

struct moderation {
	/* since the last arm; the receive function adds */
	uint32_t packets;
	uint32_t burst;
	uint64_t bytes;
	uint8_t phase;	    /* enum moderation_phase */
	uint8_t idle_polls; /* empty bursts in a row */
	uint32_t idle_mark; /* `packets` when they began */
	bool drop_stale;    /* the driver can, and the policy wants it */
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

/*
 * A burst that was empty, or that came after an arm: the rare share of moderation_burst().
 * True: the driver shall drop the queue's pending cause now; see moderation.c.
 */
bool moderation_burst_rare(struct moderation *m, uint16_t n);

/* The decision at arm: the interval in ns for the sleep that begins. */
uint32_t moderation_arm(struct moderation *m);

/* Add a burst; the hot path's share. True: as moderation_burst_rare(). */
static inline bool
moderation_burst(struct moderation *m, uint16_t n, uint32_t bytes)
{
	m->packets += n;
	m->bytes += bytes;
	if (unlikely(n == 0 || m->phase != MODERATION_BUSY))
		return moderation_burst_rare(m, n);
	return false;
}

#endif /* AIM_COMMON_MODERATION_H */
