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
#include <rte_spinlock.h>

#include "../aim/aim.h"

/* How a queue moderates: from devargs, and changed at run time. */
struct moderation_conf {
	const struct aim_policy *policy;
	struct aim_config config;
	uint32_t min_ns; /* user's bounds, ns */
	uint32_t max_ns;
	uint32_t sink_packets; /* 0: not declared */
};

/* Powers of two that a histogram of times has: bucket i counts 2^i ns up to 2^(i+1) ns, the last
 * one all from 2 s up. */
#define MODERATION_BUCKETS 32u

/* Counts since the last reset of statistics: words of 64 bits, see moderation_stats_get(). */
struct moderation_stats {
	uint64_t arms;	      /* calls of rx_queue_intr_enable */
	uint64_t wakes;	      /* first bursts after an arm that found packets */
	uint64_t spurious;    /* first bursts after an arm that found none */
	uint64_t packets;     /* received in interrupt mode */
	uint64_t reg_writes;  /* writes of the throttle register */
	uint64_t soft_raises; /* interrupts raised by software: a done descriptor at arm */
	uint64_t stale_drops; /* causes dropped because their packets had been polled */
	uint64_t asleep_ns;   /* from arm to disable or, without one, to the next burst */
	uint64_t sleep[MODERATION_BUCKETS]; /* these times */
	uint64_t burst[MODERATION_BUCKETS]; /* from there to the first burst with packets */
};

/* What a burst asks the driver to do; see moderation_burst(). */
enum moderation_todo {
	MODERATION_NOTHING,
	MODERATION_DROP_CAUSE, /* drop the queue's pending cause: see moderation.c */
	MODERATION_MEASURE,    /* moderation_backlog() with what waits, this burst included */
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
	uint64_t packets;
	uint64_t bytes;
	uint32_t burst;
	uint8_t phase;	    /* enum moderation_phase */
	uint8_t idle_polls; /* empty bursts in a row */
	uint64_t idle_mark; /* `packets` when they began */
	bool drop_stale;    /* the driver can, and the policy wants it */
	bool can_drop;	    /* the driver can; after moderation_start() it may say no */
	bool counts;	    /* the hardware has a packet threshold */
	uint64_t poll_tsc;
	uint64_t arm_tsc;  /* 0: that sleep is counted */
	uint64_t wake_tsc; /* end of the sleep; 0: none, or counted */

	struct aim_state state;
	struct aim_limits limits;
	struct moderation_conf conf;
	struct moderation_stats stats;
	struct moderation_stats base; /* where they stood when they were reset */
	uint32_t high_water;  /* descriptors that waited, the most at a wake since the reset */
	uint32_t interval_ns; /* what the register holds */

	uint8_t vector; /* MSI-X vector of the queue, 0: none; see vectors.h */
	int armed_by;	/* thread of the last arm, see gettid(2) */
	bool refused;	/* an arm that cannot be was logged */

	/* a change from another thread; the queue's own takes it at its next arm */
	rte_spinlock_t lock;
	struct moderation_conf next;
	uint32_t link_mbps;
	bool pending; /* something of this is to be taken */
	bool changed; /* that is next, too */
	bool own;     /* the queue has settings of its own: next */
};

/* Once a process, before the first queue starts: calibrate TSC against ns. */
void moderation_clock_init(void);

/* What a queue uses when nobody said anything: policy aim, the hardware's whole range. */
void moderation_conf_default(struct moderation_conf *conf, uint32_t hw_max_ns);

/* Before moderation_start(): the hardware has a packet threshold; see moderation_packets(). */
void moderation_counts(struct moderation *m);

/*
 * A queue starts: take conf, bring the engine to its start. Counts are kept.
 * Returns what aim_limits_settle() returns: -ERANGE says that the user's
 * itr_min_us is longer than the ring of `ring` descriptors can bear.
 */
int moderation_start(struct moderation *m, const struct moderation_conf *conf, uint32_t ring,
		     uint32_t link_mbps);

/* After moderation_start(): this queue's cause cannot be dropped. */
void moderation_no_drop(struct moderation *m);

/*
 * Check settings against each other and against the hardware's range, hw_max_ns. -EINVAL after a
 * log line that begins with `who`.
 */
int moderation_conf_check(const struct moderation_conf *conf, uint32_t hw_max_ns, const char *who);

/*
 * Can the ring of a port's queue bear conf's shortest interval? If not, and if it cuts off what
 * policy fixed asks for, a log line says so. One that never started says yes. Any thread.
 */
bool moderation_bears(struct moderation *m, const struct moderation_conf *conf, const char *port,
		      uint16_t queue);

/* The log line of the cut, for a queue that started. */
void moderation_tell_cut(const struct moderation_conf *conf, const struct aim_limits *limits,
			 const char *port, uint16_t queue);

/*
 * Other settings for a queue, from any thread: they hold from its next arm on, and from its next
 * start, until the queue is set up anew.
 */
void moderation_change(struct moderation *m, const struct moderation_conf *conf);

/* The queue's thread takes the change, unless one is being written: then at the next arm. */
void moderation_change_take(struct moderation *m);

/* The settings that hold, or will from the next arm on. Any thread. */
void moderation_conf_get(struct moderation *m, struct moderation_conf *conf);

/* Counts since the reset; any thread. */
void moderation_stats_get(const struct moderation *m, struct moderation_stats *stats);
void moderation_stats_reset(struct moderation *m);

/* The link changed: bounds follow its speed from the queue's next arm on. Any thread. */
void moderation_link(struct moderation *m, uint32_t link_mbps);

/* A burst that was empty, or that came after an arm: the rare share of moderation_burst(). */
enum moderation_todo moderation_burst_rare(struct moderation *m, uint16_t n);

/* So many descriptors were done when the queue's first burst after a sleep began. */
void moderation_backlog(struct moderation *m, uint32_t descriptors);

/* The queue's interrupt is disabled: the sleep is over. */
void moderation_wake(struct moderation *m);

/* Armed, and neither disabled nor polled since: a thread may sleep on it. Any thread. */
static inline bool
moderation_asleep(const struct moderation *m)
{
	return __atomic_load_n(&m->arm_tsc, __ATOMIC_RELAXED) != 0;
}

/* The decision at arm: the interval in ns for the sleep that begins. */
uint32_t moderation_arm(struct moderation *m);

/*
 * For hardware that counts packets: interrupt when so many wait, 1 to `most`, or after interval_ns,
 * which moderation_arm() gave. Without moderation it is each packet.
 */
uint32_t moderation_packets(const struct moderation *m, uint32_t interval_ns, uint32_t most);

/* Add a burst; the hot path's share. */
static inline enum moderation_todo
moderation_burst(struct moderation *m, uint16_t n, uint32_t bytes)
{
	m->packets += n;
	m->bytes += bytes;
	if (unlikely(n == 0 || m->phase != MODERATION_BUSY))
		return moderation_burst_rare(m, n);
	return MODERATION_NOTHING;
}

#endif /* AIM_COMMON_MODERATION_H */
