/* SPDX-License-Identifier: BSD-3-Clause */
/* What every PMD checks of a port before it configures or starts it; each logs what it refuses. */
#ifndef AIM_COMMON_PORT_H
#define AIM_COMMON_PORT_H

struct rte_eth_dev;

/* Modes that none of these drivers has: DCB, VMDq, loopback. 0 or -ENOTSUP. */
int port_conf_check(const struct rte_eth_dev *dev);
/* Every queue of the configuration is set up: 0 or -EINVAL. */
int port_queues_check(const struct rte_eth_dev *dev);

#endif /* AIM_COMMON_PORT_H */
