/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /aim/... on DPDK's telemetry socket: what rte_pmd_aim.h gives, for people and scripts.
 *   /aim/policies             names
 *   /aim/list                 ports of this plugin, with the number of their Rx queues
 *   /aim/queue,PORT,QUEUE     settings, live interval, counts, histograms
 *   /aim/set,PORT,QUEUE,k=v,... settings, as in devargs; QUEUE may be 'all'
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_telemetry.h>

#include "compat/compat.h"
#include "devargs.h"
#include "rte_pmd_aim.h"

#define US 1000u /* ns */

/* A decimal number at *at, which goes behind it and the comma that follows. */
static bool
number_take(const char **at, uint16_t *out)
{
	char *end;
	unsigned long v;

	if (*at == NULL || (*at)[0] < '0' || (*at)[0] > '9')
		return false;
	v = strtoul(*at, &end, 10);
	if (v >= UINT16_MAX || (*end != '\0' && *end != ','))
		return false;
	*out = (uint16_t)v;
	*at = *end == ',' ? end + 1 : end;
	return true;
}

static int
policies(const char *cmd, const char *params, struct rte_tel_data *d)
{
	const char *name;

	(void)cmd, (void)params;
	rte_tel_data_start_array(d, RTE_TEL_STRING_VAL);
	for (unsigned int i = 0; (name = rte_pmd_aim_policy_name(i)) != NULL; i++)
		rte_tel_data_add_array_string(d, name);
	return 0;
}

static int
list(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct rte_pmd_aim_conf conf;
	uint16_t port;

	(void)cmd, (void)params;
	rte_tel_data_start_dict(d);
	RTE_ETH_FOREACH_DEV (port) {
		char id[8];

		if (rte_pmd_aim_conf_get(port, RTE_PMD_AIM_QUEUE_ALL, &conf) != 0)
			continue;
		snprintf(id, sizeof(id), "%u", port);
		rte_tel_data_add_dict_int(d, id, rte_eth_devices[port].data->nb_rx_queues);
	}
	return 0;
}

static void
histogram_add(struct rte_tel_data *d, const char *name, const uint64_t *counts)
{
	struct rte_tel_data *array = rte_tel_data_alloc();

	if (array == NULL)
		return;
	rte_tel_data_start_array(array, COMPAT_TEL_UINT_VAL);
	for (unsigned int i = 0; i < RTE_PMD_AIM_BUCKETS; i++)
		compat_tel_add_array_uint(array, counts[i]);
	rte_tel_data_add_dict_container(d, name, array, 0);
}

static int
queue(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct rte_pmd_aim_stats stats;
	struct rte_pmd_aim_conf conf;
	uint16_t port, q;
	int rc;

	(void)cmd;
	if (!number_take(&params, &port) || !number_take(&params, &q) || *params != '\0')
		return -EINVAL;
	rc = rte_pmd_aim_conf_get(port, q, &conf);
	if (rc == 0)
		rc = rte_pmd_aim_stats_get(port, q, &stats);
	if (rc != 0)
		return rc;
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_string(d, DEVARGS_AIM, conf.policy);
	compat_tel_add_dict_uint(d, DEVARGS_ITR, conf.itr_ns / US);
	compat_tel_add_dict_uint(d, DEVARGS_ITR_MIN, conf.itr_min_ns / US);
	compat_tel_add_dict_uint(d, DEVARGS_ITR_MAX, conf.itr_max_ns / US);
	compat_tel_add_dict_uint(d, DEVARGS_SINK, conf.sink_packets);
	compat_tel_add_dict_uint(d, "itr_interval_ns", stats.itr_ns);
	compat_tel_add_dict_uint(d, "sleeps", stats.wakes + stats.spurious_wakes);
	compat_tel_add_dict_uint(d, "wakes", stats.wakes);
	compat_tel_add_dict_uint(d, "spurious_wakes", stats.spurious_wakes);
	compat_tel_add_dict_uint(d, "packets", stats.packets);
	compat_tel_add_dict_uint(d, "packets_per_wake",
				 stats.wakes != 0 ? stats.packets / stats.wakes : 0);
	compat_tel_add_dict_uint(d, "itr_writes", stats.itr_writes);
	compat_tel_add_dict_uint(d, "soft_raises", stats.soft_raises);
	compat_tel_add_dict_uint(d, "stale_drops", stats.stale_drops);
	compat_tel_add_dict_uint(d, "arms", stats.arms);
	compat_tel_add_dict_uint(d, "asleep_ns", stats.asleep_ns);
	compat_tel_add_dict_uint(d, "ring_high_water", stats.ring_high_water);
	histogram_add(d, "sleep_log2_ns", stats.sleep);
	histogram_add(d, "burst_log2_ns", stats.burst);
	return 0;
}

/* The words of devargs, over what holds now. A bound that is not given keeps its value. */
static int
set(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct moderation_conf mod = {0};
	struct rte_pmd_aim_conf conf;
	uint16_t port, q;
	int rc;

	(void)cmd;
	if (!number_take(&params, &port))
		return -EINVAL;
	if (strncmp(params, "all,", 4) == 0) {
		q = RTE_PMD_AIM_QUEUE_ALL;
		params += 4;
	} else if (!number_take(&params, &q)) {
		return -EINVAL;
	}
	rc = rte_pmd_aim_conf_get(port, q, &conf);
	if (rc != 0)
		return rc;
	mod.policy = aim_policy_find(conf.policy);
	mod.config.fixed_ns = conf.itr_ns;
	memcpy(mod.config.profile_ns, conf.itr_profile_ns, sizeof(conf.itr_profile_ns));
	mod.min_ns = conf.itr_min_ns;
	mod.max_ns = conf.itr_max_ns;
	mod.sink_packets = conf.sink_packets;
	rc = *params != '\0' ? devargs_parse(params, &mod, NULL, 0) : -EINVAL;
	if (rc != 0)
		return rc;
	snprintf(conf.policy, sizeof(conf.policy), "%s", aim_policy_name(mod.policy));
	conf.itr_ns = mod.config.fixed_ns;
	memcpy(conf.itr_profile_ns, mod.config.profile_ns, sizeof(conf.itr_profile_ns));
	conf.itr_min_ns = mod.min_ns;
	conf.itr_max_ns = mod.max_ns;
	conf.sink_packets = mod.sink_packets;
	rc = rte_pmd_aim_conf_set(port, q, &conf);
	if (rc != 0)
		return rc;
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_string(d, DEVARGS_AIM, conf.policy);
	return 0;
}

RTE_INIT(aim_telemetry)
{
	rte_telemetry_register_cmd("/aim/policies", policies, "Moderation policies");
	rte_telemetry_register_cmd(
	    "/aim/list", list, "Ports of the net_*_aim drivers, and how many Rx queues each has");
	rte_telemetry_register_cmd(
	    "/aim/queue", queue,
	    "Moderation of an Rx queue: settings, counts, histograms. Parameters: port, queue");
	rte_telemetry_register_cmd(
	    "/aim/set", set,
	    "Change settings. Parameters: port, queue or 'all', key=value,... "
	    "as in devargs");
}
