/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xstats, the same in every PMD: the port's rows, which the driver gives, and behind them for each
 * Rx queue what its moderation did.
 */
#ifndef AIM_COMMON_XSTATS_H
#define AIM_COMMON_XSTATS_H

#include <stdint.h>

#include <rte_ethdev.h>

#include "moderation.h"

/* What a PMD gives. */
struct xstats_ops {
	unsigned int port_rows;
	void (*port_name)(unsigned int i, char *name, size_t size);
	/* Take the lock of the statistics and collect what the hardware counted; then let go. */
	void (*begin)(struct rte_eth_dev *dev);
	void (*end)(struct rte_eth_dev *dev);
	uint64_t (*port_value)(struct rte_eth_dev *dev, unsigned int i);
	/* Of an Rx queue that is set up: what the register holds. */
	uint32_t (*interval_ns)(struct rte_eth_dev *dev, uint16_t q);
};

/* As the ethdev API says. */
int xstats_get(struct rte_eth_dev *dev, const struct xstats_ops *ops, struct rte_eth_xstat *xstats,
	       unsigned int n);
int xstats_get_by_id(struct rte_eth_dev *dev, const struct xstats_ops *ops, const uint64_t *ids,
		     uint64_t *values, unsigned int n);
int xstats_get_names(struct rte_eth_dev *dev, const struct xstats_ops *ops,
		     struct rte_eth_xstat_name *names, unsigned int n);
int xstats_get_names_by_id(struct rte_eth_dev *dev, const struct xstats_ops *ops,
			   const uint64_t *ids, struct rte_eth_xstat_name *names, unsigned int n);

#endif /* AIM_COMMON_XSTATS_H */
