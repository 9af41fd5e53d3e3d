/* SPDX-License-Identifier: BSD-3-Clause */
/* Between the receive functions and the engine: the clock, the sample, the counts. */
#include "moderation.h"

#include <string.h>

/* Room in the ring for the time from interrupt to first burst: the slow tail of an eventfd wake
 * on an idle core that has to leave a shallow sleep state. */
#define WAKE_NS 20000u

__extension__ typedef unsigned __int128 uint128_t;

static uint64_t ns_per_tsc; /* ns << 32 a cycle */

void
moderation_clock_init(void)
{
	ns_per_tsc = (uint64_t)((((uint128_t)1000000000 << 32)) / rte_get_tsc_hz());
}

static inline uint64_t
tsc_to_ns(uint64_t tsc)
{
	return (uint64_t)(((uint128_t)tsc * ns_per_tsc) >> 32);
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
	    .wake_ns = WAKE_NS,
	};
	m->packets = m->bytes = m->burst = 0;
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
 * So once a queue has been found empty many times in a row, its pending cause is dropped. Lost
 * wakes are impossible: a packet whose cause the drop may have taken arrived before the write
 * reached the device, so its descriptor is seen by the look at the ring at arm, provided the write
 * has landed by then. Posted writes land within a microsecond or two; an arm within DROP_LAND_NS
 * raises the interrupt itself. An application that arms at the first empty burst never gets here.
 */
#define IDLE_POLLS 250
#define DROP_LAND_NS 20000u

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
		m->drop_tsc = rte_rdtsc();
		m->stats.stale_drops++;
		return true;
	}
	return false;
}

uint32_t
moderation_arm(struct moderation *m)
{
	const struct aim_sample sample = {
	    .packets = RTE_MIN(m->packets, AIM_PACKETS_MAX),
	    .bytes = m->bytes,
	    .burst = m->burst,
	    .poll_ns = m->poll_tsc != 0 ? tsc_to_ns(m->poll_tsc) : 0,
	};

	uint64_t now = rte_rdtsc();

	m->must_raise = m->phase == MODERATION_CLEAN && tsc_to_ns(now - m->drop_tsc) < DROP_LAND_NS;
	m->stats.arms++;
	m->stats.packets += m->packets;
	m->packets = m->bytes = m->burst = 0;
	m->poll_tsc = 0;
	m->phase = MODERATION_ARMED;
	m->idle_mark = 0;
	m->idle_polls = 0;
	return aim_step(m->conf.policy, &m->conf.config, &m->state, &sample, &m->limits,
			tsc_to_ns(now));
}
