/* SPDX-License-Identifier: BSD-3-Clause */
/* Between the receive functions and the engine: the clock, the sample, the counts. */
#include "moderation.h"

#include <string.h>

#include <rte_common.h>

static uint64_t ns_per_tsc; /* ns << 32 a cycle; below 2^32 from 1 GHz up, 2^36 at 62.5 MHz */

void
moderation_clock_init(void)
{
	ns_per_tsc = (UINT64_C(1000000000) << 32) / rte_get_tsc_hz();
}

/* tsc * ns_per_tsc >> 32, without a product of more than 64 bits */
static inline uint64_t
tsc_to_ns(uint64_t tsc)
{
	return (tsc >> 32) * ns_per_tsc + ((tsc & UINT32_MAX) * ns_per_tsc >> 32);
}

void
moderation_conf_default(struct moderation_conf *conf, uint32_t hw_max_ns)
{
	memset(conf, 0, sizeof(*conf));
	conf->policy = aim_policy_at(0);
	conf->max_ns = hw_max_ns;
}

int
moderation_start(struct moderation *m, const struct moderation_conf *conf, uint32_t ring,
		 uint32_t link_mbps)
{
	m->conf = *conf;
	m->limits = (struct aim_limits){
	    .min_ns = conf->min_ns,
	    .max_ns = conf->max_ns,
	    .link_mbps = link_mbps,
	    .ring_packets = ring,
	    .sink_packets = conf->sink_packets,
	    .wake_ns = AIM_WAKE_NS,
	};
	m->packets = m->burst = 0;
	m->bytes = 0;
	m->poll_tsc = 0;
	m->phase = MODERATION_BUSY;
	m->idle_mark = 0;
	m->idle_polls = 0;
	m->drop_stale = aim_policy_drops_stale(conf->policy);
	m->interval_ns = 0;
	aim_reset(&m->state, conf->policy);
	return aim_limits_settle(&m->limits);
}

void
moderation_link(struct moderation *m, uint32_t link_mbps)
{
	m->limits.link_mbps = link_mbps;
	(void)aim_limits_settle(
	    &m->limits); /* -ERANGE was reported at start; cap_ns is set all the same */
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

bool
moderation_burst_rare(struct moderation *m, uint16_t n)
{
	uint8_t phase = m->phase;

	if (n != 0) {
		if (phase == MODERATION_ARMED)
			m->stats.wakes++;
		if (phase != MODERATION_CLEAN) {
			m->burst = n;
			m->poll_tsc = rte_rdtsc();
		}
		m->phase = MODERATION_BUSY;
		return false;
	}
	if (phase == MODERATION_ARMED) {
		m->stats.spurious++;
		m->phase = MODERATION_EMPTY;
	} else if (phase == MODERATION_BUSY && m->drop_stale) {
		if (m->idle_mark != m->packets) { /* packets came since the last empty burst */
			m->idle_mark = m->packets;
			m->idle_polls = 0;
		}
		if (++m->idle_polls != IDLE_POLLS)
			return false;
		m->phase = MODERATION_CLEAN;
		m->stats.stale_drops++;
		return true;
	}
	return false;
}

uint32_t
moderation_arm(struct moderation *m)
{
	struct aim_sample sample = {
	    .packets = RTE_MIN(m->packets, AIM_PACKETS_MAX),
	    .bytes = (uint32_t)RTE_MIN(m->bytes, (uint64_t)UINT32_MAX),
	    .burst = m->burst,
	    .poll_ns = m->poll_tsc != 0 ? tsc_to_ns(m->poll_tsc) : 0,
	};

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
	return aim_step(m->conf.policy, &m->conf.config, &m->state, &sample, &m->limits,
			tsc_to_ns(rte_rdtsc()));
}
