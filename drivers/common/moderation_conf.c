/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings of a queue's moderation and the link's speed, and how they change while it runs: another
 * thread leaves them beside the queue, the queue's own thread takes them at its next arm.
 */
#include "moderation.h"

#include <errno.h>
#include <string.h>

#include "log.h"

void
moderation_conf_default(struct moderation_conf *conf, uint32_t hw_max_ns)
{
	memset(conf, 0, sizeof(*conf));
	conf->policy = aim_policy_at(0);
	conf->max_ns = hw_max_ns;
}

/* Settings hold from here on: in the queue's own thread, or before it starts. The lock is held. */
static int
conf_take(struct moderation *m, const struct moderation_conf *conf)
{
	m->conf = *conf;
	m->limits.min_ns = conf->min_ns;
	m->limits.max_ns = conf->max_ns;
	m->limits.sink_packets = conf->sink_packets;
	m->drop_stale = m->can_drop && aim_policy_drops_stale(conf->policy);
	aim_reset(&m->state, conf->policy);
	return aim_limits_settle(&m->limits);
}

int
moderation_start(struct moderation *m, const struct moderation_conf *conf, uint32_t ring,
		 uint32_t link_mbps)
{
	int rc;

	rte_spinlock_lock(&m->lock);
	m->packets = m->burst = 0;
	m->bytes = 0;
	m->poll_tsc = m->arm_tsc = m->wake_tsc = 0;
	m->phase = MODERATION_BUSY;
	m->idle_mark = 0;
	m->idle_polls = 0;
	m->can_drop = true;
	m->interval_ns = 0;
	m->limits = (struct aim_limits){
	    .link_mbps = link_mbps,
	    .ring_packets = ring,
	    .wake_ns = AIM_WAKE_NS,
	    .by_count = m->counts,
	};
	m->link_mbps = link_mbps;
	rc = conf_take(m, m->own ? &m->next : conf);
	m->pending = m->changed = false;
	rte_spinlock_unlock(&m->lock);
	return rc;
}

void
moderation_counts(struct moderation *m)
{
	m->counts = true;
}

uint32_t
moderation_packets(const struct moderation *m, uint32_t interval_ns, uint32_t most)
{
	uint32_t packets = RTE_MIN(aim_limits_packets(&m->limits), most);
	uint32_t wanted = aim_threshold(&m->state);

	if (interval_ns == 0 && !aim_policy_adapts(m->conf.policy))
		return 1;
	return wanted != 0 ? RTE_MIN(packets, wanted) : packets;
}

void
moderation_no_drop(struct moderation *m)
{
	m->can_drop = m->drop_stale = false;
}

int
moderation_conf_check(const struct moderation_conf *conf, uint32_t hw_max_ns, const char *who)
{
	bool fixed = conf->policy == aim_policy_find("fixed");
	uint32_t n;

	if (conf->max_ns == 0 || conf->max_ns > hw_max_ns) {
		AIM_LOG(ERR, "%s: longest interval %u ns: give 1 to %u", who, conf->max_ns,
			hw_max_ns);
		return -EINVAL;
	}
	if (conf->min_ns > conf->max_ns) {
		AIM_LOG(ERR, "%s: shortest interval %u ns is above the longest, %u ns: swap them",
			who, conf->min_ns, conf->max_ns);
		return -EINVAL;
	}
	if (fixed &&
	    (conf->config.fixed_ns < conf->min_ns || conf->config.fixed_ns > conf->max_ns)) {
		AIM_LOG(ERR, "%s: interval %u ns: give %u to %u, or other bounds", who,
			conf->config.fixed_ns, conf->min_ns, conf->max_ns);
		return -EINVAL;
	}
	if (conf->policy != aim_policy_find("dim-profile"))
		return 0;
	for (n = 0; n < AIM_PROFILES; n++) {
		if (conf->config.profile_ns[n] <= hw_max_ns &&
		    (n == 0 || conf->config.profile_ns[n] > conf->config.profile_ns[n - 1]))
			continue;
		AIM_LOG(ERR,
			"%s: profile of policy dim-profile: give %u rising intervals, 0 to %u ns",
			who, AIM_PROFILES, hw_max_ns);
		return -EINVAL;
	}
	return 0;
}

/* What a ring cannot bear of policy fixed is cut off: whoever asked for it shall know. */
void
moderation_tell_cut(const struct moderation_conf *conf, const struct aim_limits *limits,
		    const char *port, uint16_t queue)
{
	if (conf->policy == aim_policy_find("fixed") && conf->config.fixed_ns > limits->cap_ns)
		AIM_LOG(
		    WARNING,
		    "%s: queue %u: an interval of %u ns is longer than its ring can bear at line "
		    "rate, %u ns: that holds; make the ring larger",
		    port, queue, conf->config.fixed_ns, limits->cap_ns);
}

bool
moderation_bears(struct moderation *m, const struct moderation_conf *conf, const char *port,
		 uint16_t queue)
{
	struct aim_limits limits;

	rte_spinlock_lock(&m->lock);
	limits = m->limits;
	limits.link_mbps = m->link_mbps;
	rte_spinlock_unlock(&m->lock);
	limits.min_ns = conf->min_ns;
	limits.max_ns = conf->max_ns;
	limits.sink_packets = conf->sink_packets;
	if (limits.ring_packets == 0) /* it never started */
		return true;
	if (aim_limits_settle(&limits) == 0) {
		moderation_tell_cut(conf, &limits, port, queue);
		return true;
	}
	AIM_LOG(
	    ERR,
	    "%s: queue %u: its ring cannot bear an interval of %u ns at line rate: shorten it, or "
	    "make the ring larger",
	    port, queue, conf->min_ns);
	return false;
}

void
moderation_change(struct moderation *m, const struct moderation_conf *conf)
{
	rte_spinlock_lock(&m->lock);
	m->next = *conf;
	m->own = m->changed = true;
	__atomic_store_n(&m->pending, true, __ATOMIC_RELEASE);
	rte_spinlock_unlock(&m->lock);
}

void
moderation_change_take(struct moderation *m)
{
	if (!rte_spinlock_trylock(&m->lock))
		return;
	m->limits.link_mbps = m->link_mbps;
	/* -ERANGE was reported at start or refused; cap_ns is set all the same */
	if (m->changed)
		(void)conf_take(m, &m->next);
	else
		(void)aim_limits_settle(&m->limits);
	m->pending = m->changed = false;
	rte_spinlock_unlock(&m->lock);
}

void
moderation_conf_get(struct moderation *m, struct moderation_conf *conf)
{
	rte_spinlock_lock(&m->lock);
	*conf = m->own ? m->next : m->conf;
	rte_spinlock_unlock(&m->lock);
}

void
moderation_link(struct moderation *m, uint32_t link_mbps)
{
	rte_spinlock_lock(&m->lock);
	m->link_mbps = link_mbps;
	__atomic_store_n(&m->pending, true, __ATOMIC_RELEASE);
	rte_spinlock_unlock(&m->lock);
}
