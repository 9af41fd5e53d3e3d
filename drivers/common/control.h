/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What rte_pmd_aim.h and telemetry need of a PMD to reach its queues. A PMD adds each port at probe
 * and removes it at close; its functions are called under a lock that control_port_remove() takes,
 * so a port that is removed is not in use.
 */
#ifndef AIM_COMMON_CONTROL_H
#define AIM_COMMON_CONTROL_H

#include <stdint.h>

#include "moderation.h"

struct rte_eth_dev;

struct control_ops {
	/* what queues begin with */
	struct moderation_conf *(*conf)(struct rte_eth_dev *dev);
	/* its interval in the register, ns */
	uint32_t (*interval_ns)(struct rte_eth_dev *dev, uint16_t q);
	uint32_t max_ns; /* the hardware's longest interval */
};

void control_port_add(struct rte_eth_dev *dev, const struct control_ops *ops);
void control_port_remove(struct rte_eth_dev *dev);
/* Rx queue q is to be freed: empties its place, dev->data->rx_queues[q]. */
void control_rxq_remove(struct rte_eth_dev *dev, uint16_t q);

#endif /* AIM_COMMON_CONTROL_H */
