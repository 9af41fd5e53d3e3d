/* SPDX-License-Identifier: BSD-3-Clause */
#include "port.h"

#include <errno.h>

#include <ethdev_driver.h>

#include "log.h"

int
port_conf_check(const struct rte_eth_dev *dev)
{
	const struct rte_eth_conf *conf = &dev->data->dev_conf;

	if (conf->rxmode.mq_mode != RTE_ETH_MQ_RX_NONE &&
	    conf->rxmode.mq_mode != RTE_ETH_MQ_RX_RSS) {
		AIM_LOG(ERR,
			"%s: rxmode.mq_mode 0x%x: this driver does RTE_ETH_MQ_RX_NONE and "
			"RTE_ETH_MQ_RX_RSS, neither DCB nor VMDq",
			dev->data->name, conf->rxmode.mq_mode);
		return -ENOTSUP;
	}
	if (conf->txmode.mq_mode != RTE_ETH_MQ_TX_NONE) {
		AIM_LOG(ERR, "%s: txmode.mq_mode 0x%x: this driver does RTE_ETH_MQ_TX_NONE only",
			dev->data->name, conf->txmode.mq_mode);
		return -ENOTSUP;
	}
	if (conf->lpbk_mode != 0) {
		AIM_LOG(ERR, "%s: lpbk_mode %u: this driver has no loopback, give 0",
			dev->data->name, conf->lpbk_mode);
		return -ENOTSUP;
	}
	if (conf->dcb_capability_en != 0) {
		AIM_LOG(ERR, "%s: dcb_capability_en: this driver does no DCB, give 0",
			dev->data->name);
		return -ENOTSUP;
	}
	return 0;
}

static int
queue_missing(const struct rte_eth_dev *dev, const char *direction, uint16_t q)
{
	AIM_LOG(ERR,
		"%s: %s queue %u is not set up: call rte_eth_%s_queue_setup() before the start",
		dev->data->name, direction, q, direction);
	return -EINVAL;
}

int
port_queues_check(const struct rte_eth_dev *dev)
{
	uint16_t q;

	for (q = 0; q < dev->data->nb_rx_queues; q++)
		if (dev->data->rx_queues[q] == NULL)
			return queue_missing(dev, "rx", q);
	for (q = 0; q < dev->data->nb_tx_queues; q++)
		if (dev->data->tx_queues[q] == NULL)
			return queue_missing(dev, "tx", q);
	return 0;
}
