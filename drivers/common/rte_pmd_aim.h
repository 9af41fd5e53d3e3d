/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Read and change the interrupt moderation of the net_*_aim drivers while they run.
 *
 * Threads: every function may be called from any thread, at any time between the probe of a port
 * and its close. A queue takes new settings at its next rte_eth_dev_rx_intr_enable(); nothing is
 * locked on the application's Rx path.
 *
 * The functions are in librte_common_aim, which the drivers of this plugin need, too.
 */
#ifndef RTE_PMD_AIM_H
#define RTE_PMD_AIM_H

#include <stdint.h>

#include <rte_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** In place of a queue: the port, and all its queues. */
#define RTE_PMD_AIM_QUEUE_ALL UINT16_MAX

/** Longest name of a policy, with the final 0. */
#define RTE_PMD_AIM_POLICY_LEN 24

/** Intervals of policy dim-profile. */
#define RTE_PMD_AIM_PROFILES 5

/** Buckets of a histogram of times: bucket i counts 2^i ns up to 2^(i+1) ns, the last all above. */
#define RTE_PMD_AIM_BUCKETS 32

/** How a queue moderates. Times in ns, 0 to the hardware's longest interval (1 ms and more). */
struct rte_pmd_aim_conf {
	char policy[RTE_PMD_AIM_POLICY_LEN]; /**< "aim", "off", "fixed", "dim", ... */
	uint32_t itr_ns;		     /**< interval of policy fixed; others ignore it */
	uint32_t itr_min_ns;		     /**< the policy chooses no shorter interval */
	uint32_t itr_max_ns;		     /**< nor a longer one; 1 to the hardware's longest */
	uint32_t itr_profile_ns[RTE_PMD_AIM_PROFILES]; /**< of policy dim-profile, rising */
	uint32_t sink_packets; /**< what the application can take at once; 0: not declared */
};

/** What a queue did since its statistics were reset (rte_eth_xstats_reset()). */
struct rte_pmd_aim_stats {
	uint64_t arms;		  /**< calls of rte_eth_dev_rx_intr_enable() */
	uint64_t wakes;		  /**< first bursts after an arm that found packets */
	uint64_t spurious_wakes;  /**< first bursts after an arm that found none */
	uint64_t packets;	  /**< received in interrupt mode, as of the last arm */
	uint64_t itr_writes;	  /**< writes of the throttle register */
	uint64_t soft_raises;	  /**< interrupts that the driver raised: a packet was there */
	uint64_t stale_drops;	  /**< pending causes dropped: their packets had been polled */
	uint64_t asleep_ns;	  /**< from arm to disable or, without one, to the next burst */
	uint32_t ring_high_water; /**< descriptors that waited, the most at a wake */
	uint32_t itr_ns;	  /**< interval in the throttle register now, read back */
	uint64_t sleep[RTE_PMD_AIM_BUCKETS]; /**< sleeps by their length */
	uint64_t burst[RTE_PMD_AIM_BUCKETS]; /**< from the end of a sleep to its first packets */
};

/**
 * Name of the i-th policy.
 *
 * @param i from 0
 * @return NULL behind the last one
 */
__rte_experimental const char *rte_pmd_aim_policy_name(unsigned int i);

/**
 * Settings that hold, or will from the queue's next arm on.
 *
 * @param port_id a port
 * @param queue_id an Rx queue of it, or RTE_PMD_AIM_QUEUE_ALL for what queues begin with
 * @param conf where they go
 * @return 0; -ENODEV: no such port; -ENOTSUP: not a port of this plugin, or not of this process;
 *   -EINVAL: no such queue, or not set up
 */
__rte_experimental int rte_pmd_aim_conf_get(uint16_t port_id, uint16_t queue_id,
					    struct rte_pmd_aim_conf *conf);

/**
 * Other settings.
 *
 * A queue keeps its own until it is set up anew. RTE_PMD_AIM_QUEUE_ALL sets all queues that are set
 * up, and what later ones begin with; when one of them cannot take it, none does.
 *
 * @param port_id a port
 * @param queue_id an Rx queue of it, or RTE_PMD_AIM_QUEUE_ALL
 * @param conf the settings, all of them
 * @return 0; -ENODEV, -ENOTSUP as above; -EINVAL: no such queue, no such policy, a value out of its
 *   range or values that exclude each other; -ERANGE: the queue's ring cannot bear itr_min_ns at
 * line rate. A log line says which. Nothing changes then.
 */
__rte_experimental int rte_pmd_aim_conf_set(uint16_t port_id, uint16_t queue_id,
					    const struct rte_pmd_aim_conf *conf);

/**
 * Statistics of a queue.
 *
 * @param port_id a port
 * @param queue_id an Rx queue of it
 * @param stats where they go; counts may be one event old
 * @return 0; negative errno as of rte_pmd_aim_conf_get()
 */
__rte_experimental int rte_pmd_aim_stats_get(uint16_t port_id, uint16_t queue_id,
					     struct rte_pmd_aim_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* RTE_PMD_AIM_H */
