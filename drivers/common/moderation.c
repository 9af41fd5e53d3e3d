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
	m->armed = MODERATION_POLLING;
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

void
moderation_first_poll(struct moderation *m, uint16_t n)
{
	if (n == 0) {
		if (m->armed == MODERATION_ARMED)
			m->stats.spurious++;
		m->armed = MODERATION_EMPTY;
		return;
	}
	if (m->armed == MODERATION_ARMED)
		m->stats.wakes++;
	m->armed = MODERATION_POLLING;
	m->burst = n;
	m->poll_tsc = rte_rdtsc();
}

uint32_t
moderation_arm(struct moderation *m)
{
	const struct aim_sample sample = {
	    .packets = m->packets,
	    .bytes = m->bytes,
	    .burst = m->burst,
	    .poll_ns = m->poll_tsc != 0 ? tsc_to_ns(m->poll_tsc) : 0,
	};

	m->stats.arms++;
	m->stats.packets += m->packets;
	m->packets = m->bytes = m->burst = 0;
	m->poll_tsc = 0;
	m->armed = MODERATION_ARMED;
	return aim_step(m->conf.policy, &m->conf.config, &m->state, &sample, &m->limits,
			tsc_to_ns(rte_rdtsc()));
}
