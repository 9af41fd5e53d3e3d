/* SPDX-License-Identifier: BSD-3-Clause */
/* The public functions, over the ports that PMDs of this process have added. */
#include "rte_pmd_aim.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <rte_spinlock.h>

#include "compat/compat.h"
#include "control.h"
#include "log.h"
#include "rxq.h"

static_assert(RTE_PMD_AIM_PROFILES == AIM_PROFILES, "profiles");
static_assert(RTE_PMD_AIM_BUCKETS == MODERATION_BUCKETS, "buckets");

static rte_spinlock_t lock = RTE_SPINLOCK_INITIALIZER;
static struct {
	struct rte_eth_dev *dev;
	const struct control_ops *ops;
} ports[RTE_MAX_ETHPORTS];

void
control_port_add(struct rte_eth_dev *dev, const struct control_ops *ops)
{
	rte_spinlock_lock(&lock);
	ports[dev->data->port_id].dev = dev;
	ports[dev->data->port_id].ops = ops;
	rte_spinlock_unlock(&lock);
}

void
control_port_remove(struct rte_eth_dev *dev)
{
	rte_spinlock_lock(&lock);
	if (ports[dev->data->port_id].dev == dev)
		ports[dev->data->port_id].dev = NULL;
	rte_spinlock_unlock(&lock);
}

void
control_rxq_remove(struct rte_eth_dev *dev, uint16_t q)
{
	rte_spinlock_lock(&lock);
	dev->data->rx_queues[q] = NULL;
	rte_spinlock_unlock(&lock);
}

/* Is the port ours, and does it have that queue? The lock is held. */
static int
port_check(uint16_t port_id, uint16_t queue_id)
{
	struct rte_eth_dev *dev;

	if (!rte_eth_dev_is_valid_port(port_id))
		return -ENODEV;
	dev = ports[port_id].dev;
	if (dev == NULL)
		return -ENOTSUP;
	if (queue_id == RTE_PMD_AIM_QUEUE_ALL)
		return 0;
	if (queue_id >= dev->data->nb_rx_queues || rxq_moderation(dev, queue_id) == NULL)
		return -EINVAL;
	return 0;
}

static void
conf_out(struct rte_pmd_aim_conf *out, const struct moderation_conf *in)
{
	memset(out, 0, sizeof(*out));
	snprintf(out->policy, sizeof(out->policy), "%s", aim_policy_name(in->policy));
	out->itr_ns = in->config.fixed_ns;
	out->itr_min_ns = in->min_ns;
	out->itr_max_ns = in->max_ns;
	memcpy(out->itr_profile_ns, in->config.profile_ns, sizeof(out->itr_profile_ns));
	out->sink_packets = in->sink_packets;
}

static int
conf_in(struct moderation_conf *out, const struct rte_pmd_aim_conf *in, const char *who)
{
	char name[RTE_PMD_AIM_POLICY_LEN];

	snprintf(name, sizeof(name), "%.*s", (int)sizeof(in->policy) - 1, in->policy);
	memset(out, 0, sizeof(*out));
	out->policy = aim_policy_find(name);
	if (out->policy == NULL) {
		AIM_LOG(ERR, "%s: no policy '%s': see rte_pmd_aim_policy_name()", who, name);
		return -EINVAL;
	}
	out->config.fixed_ns = in->itr_ns;
	out->min_ns = in->itr_min_ns;
	out->max_ns = in->itr_max_ns;
	memcpy(out->config.profile_ns, in->itr_profile_ns, sizeof(out->config.profile_ns));
	out->sink_packets = in->sink_packets;
	return 0;
}

const char *
rte_pmd_aim_policy_name(unsigned int i)
{
	const struct aim_policy *policy = aim_policy_at(i);

	return policy == NULL ? NULL : aim_policy_name(policy);
}

int
rte_pmd_aim_conf_get(uint16_t port_id, uint16_t queue_id, struct rte_pmd_aim_conf *conf)
{
	struct moderation_conf mod;
	int rc;

	rte_spinlock_lock(&lock);
	rc = port_check(port_id, queue_id);
	if (rc == 0) {
		struct rte_eth_dev *dev = ports[port_id].dev;
		const struct control_ops *ops = ports[port_id].ops;

		if (queue_id == RTE_PMD_AIM_QUEUE_ALL)
			mod = *ops->conf(dev);
		else
			moderation_conf_get(rxq_moderation(dev, queue_id), &mod);
		conf_out(conf, &mod);
	}
	rte_spinlock_unlock(&lock);
	return rc;
}

/* The port's queues from first to last take conf; all or none. The lock is held. */
static int
queues_set(struct rte_eth_dev *dev, uint16_t first, uint16_t last,
	   const struct moderation_conf *conf)
{
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t q = first; q <= last; q++) {
			struct moderation *m = rxq_moderation(dev, (uint16_t)q);

			if (m == NULL)
				continue;
			if (pass == 1)
				moderation_change(m, conf);
			else if (!moderation_bears(m, conf, dev->data->name, (uint16_t)q))
				return -ERANGE;
		}
	}
	return 0;
}

int
rte_pmd_aim_conf_set(uint16_t port_id, uint16_t queue_id, const struct rte_pmd_aim_conf *conf)
{
	struct moderation_conf mod;
	int rc;

	rte_spinlock_lock(&lock);
	rc = port_check(port_id, queue_id);
	if (rc == 0) {
		struct rte_eth_dev *dev = ports[port_id].dev;
		const struct control_ops *ops = ports[port_id].ops;
		bool all = queue_id == RTE_PMD_AIM_QUEUE_ALL;
		uint16_t queues = dev->data->nb_rx_queues;

		rc = conf_in(&mod, conf, dev->data->name);
		if (rc == 0)
			rc = moderation_conf_check(&mod, ops->max_ns, dev->data->name);
		if (rc == 0 && (!all || queues != 0))
			rc = queues_set(dev, all ? 0 : queue_id,
					all ? (uint16_t)(queues - 1) : queue_id, &mod);
		if (rc == 0 && all)
			*ops->conf(dev) = mod;
	}
	rte_spinlock_unlock(&lock);
	return rc;
}

int
rte_pmd_aim_stats_get(uint16_t port_id, uint16_t queue_id, struct rte_pmd_aim_stats *stats)
{
	struct moderation_stats now;
	int rc;

	rte_spinlock_lock(&lock);
	rc = queue_id == RTE_PMD_AIM_QUEUE_ALL ? -EINVAL : port_check(port_id, queue_id);
	if (rc == 0) {
		struct rte_eth_dev *dev = ports[port_id].dev;
		const struct moderation *m = rxq_moderation(dev, queue_id);

		moderation_stats_get(m, &now);
		*stats = (struct rte_pmd_aim_stats){
		    .arms = now.arms,
		    .wakes = now.wakes,
		    .spurious_wakes = now.spurious,
		    .packets = now.packets,
		    .itr_writes = now.reg_writes,
		    .soft_raises = now.soft_raises,
		    .stale_drops = now.stale_drops,
		    .asleep_ns = now.asleep_ns,
		    .ring_high_water = m->high_water,
		    .itr_ns = ports[port_id].ops->interval_ns(dev, queue_id),
		};
		memcpy(stats->sleep, now.sleep, sizeof(stats->sleep));
		memcpy(stats->burst, now.burst, sizeof(stats->burst));
	}
	rte_spinlock_unlock(&lock);
	return rc;
}
