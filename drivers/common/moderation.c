/* SPDX-License-Identifier: BSD-3-Clause */
/* Between the receive functions and the engine: the clock, the sample, the counts. */
#include "moderation.h"

#include <rte_common.h>

#include "ticks.h"
#include "trace.h"

static uint64_t scale; /* of the TSC */

void
moderation_clock_init(void)
{
	scale = ticks_scale(rte_get_tsc_hz());
}

static inline uint64_t
tsc_to_ns(uint64_t tsc)
{
	return ticks_to_ns(tsc, scale);
}

void
moderation_stats_get(const struct moderation *m, struct moderation_stats *stats)
{
	const uint64_t *now = (const uint64_t *)&m->stats, *base = (const uint64_t *)&m->base;
	uint64_t *out = (uint64_t *)stats;

	for (size_t i = 0; i < sizeof(*stats) / sizeof(*out); i++)
		out[i] = now[i] - base[i];
}

void
moderation_stats_reset(struct moderation *m)
{
	m->base = m->stats;
	m->high_water = 0;
}

/*
 * Stale causes. A packet that arrives while its queue's interrupt is masked leaves its cause
 * pending; the application polls the packet, goes to sleep, and the cause wakes it for nothing.
 * So once a queue has been found empty many times in a row, its pending cause is dropped. The
 * driver's drop ends with a register read: its completion says that the drop has reached the
 * device, and pushes every write-back of before into memory. So a packet whose cause the drop took
 * is seen by the look at the ring at arm, and no wake is lost. An application that arms at the
 * first empty bursts never gets here.
 */
#define IDLE_POLLS 250

/* The bucket of a time. */
static inline uint32_t
bucket(uint64_t ns)
{
	uint32_t i = 63 - (uint32_t)__builtin_clzll(ns | 1);

	return RTE_MIN(i, MODERATION_BUCKETS - 1);
}

/* The sleep that began at the last arm is over. */
static void
sleep_over(struct moderation *m, uint64_t tsc)
{
	uint64_t ns = tsc_to_ns(tsc) - tsc_to_ns(m->arm_tsc);

	m->arm_tsc = 0;
	m->stats.asleep_ns += ns;
	m->stats.sleep[bucket(ns)]++;
	m->wake_tsc = tsc;
	aim_trace_wake(m, ns);
}

void
moderation_wake(struct moderation *m)
{
	if (m->arm_tsc != 0)
		sleep_over(m, rte_rdtsc());
}

void
moderation_backlog(struct moderation *m, uint32_t descriptors)
{
	if (descriptors > m->high_water)
		m->high_water = descriptors;
}

enum moderation_todo
moderation_burst_rare(struct moderation *m, uint16_t n)
{
	uint8_t phase = m->phase;
	uint64_t now;

	if (n != 0) {
		m->phase = MODERATION_BUSY;
		if (phase == MODERATION_CLEAN)
			return MODERATION_NOTHING;
		now = rte_rdtsc();
		if (m->arm_tsc != 0)
			sleep_over(m, now);
		if (m->wake_tsc != 0)
			m->stats.burst[bucket(tsc_to_ns(now) - tsc_to_ns(m->wake_tsc))]++;
		m->wake_tsc = 0;
		m->burst = n;
		m->poll_tsc = now;
		if (phase != MODERATION_ARMED)
			return MODERATION_NOTHING;
		m->stats.wakes++;
		aim_trace_burst(m, n);
		return MODERATION_MEASURE;
	}
	if (phase == MODERATION_ARMED) {
		if (m->arm_tsc != 0)
			sleep_over(m, rte_rdtsc());
		m->wake_tsc = 0;
		m->stats.spurious++;
		aim_trace_burst(m, 0);
		m->phase = MODERATION_EMPTY;
	} else if (phase == MODERATION_BUSY && m->drop_stale) {
		if (m->idle_mark != m->packets) { /* packets came since the last empty burst */
			m->idle_mark = m->packets;
			m->idle_polls = 0;
		}
		if (++m->idle_polls != IDLE_POLLS)
			return MODERATION_NOTHING;
		m->phase = MODERATION_CLEAN;
		m->stats.stale_drops++;
		return MODERATION_DROP_CAUSE;
	}
	return MODERATION_NOTHING;
}

uint32_t
moderation_arm(struct moderation *m)
{
	struct aim_sample sample = {
	    .packets = (uint32_t)RTE_MIN(m->packets, (uint64_t)AIM_PACKETS_MAX),
	    .bytes = (uint32_t)RTE_MIN(m->bytes, (uint64_t)UINT32_MAX),
	    .burst = m->burst,
	    .poll_ns = m->poll_tsc != 0 ? tsc_to_ns(m->poll_tsc) : 0,
	};
	uint64_t now = rte_rdtsc();
	uint32_t interval_ns;

	if (unlikely(__atomic_load_n(&m->pending, __ATOMIC_ACQUIRE)))
		moderation_change_take(m);
	if (unlikely(m->arm_tsc != 0)) /* armed twice in a row */
		sleep_over(m, now);

	/* of more packets than count, keep the mean length */
	if (unlikely(m->packets > AIM_PACKETS_MAX))
		sample.bytes = (uint32_t)(m->bytes / m->packets * AIM_PACKETS_MAX);
	m->stats.arms++;
	m->stats.packets += m->packets;
	m->packets = m->burst = 0;
	m->bytes = 0;
	m->poll_tsc = 0;
	m->phase = MODERATION_ARMED;
	m->idle_mark = 0;
	m->idle_polls = 0;
	m->arm_tsc = now;
	m->wake_tsc = 0;
	interval_ns = aim_step(m->conf.policy, &m->conf.config, &m->state, &sample, &m->limits,
			       tsc_to_ns(now));
	aim_trace_arm(m, sample.packets, sample.burst, interval_ns);
	return interval_ns;
}
