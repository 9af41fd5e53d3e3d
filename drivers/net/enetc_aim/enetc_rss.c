/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive-side scaling: key in registers of the port, table by a command, which takes all entries
 * at once. What is hashed cannot be chosen, so RSS is on or off. The key of a virtual function is
 * the port's, which it can neither see nor set.
 */
#include "enetc_aim.h"

static struct rss_limits
rss_limits(const struct rte_eth_dev *dev)
{
	return (struct rss_limits){
	    .hf = ENETC_RSS_HF,
	    .reta_size = ENETC_RSS_ENTRIES,
	    .queues = dev->data->nb_rx_queues,
	};
}

/* Key first, then the switch: no packet is hashed with half a key. */
static void
hash_write(struct enetc_port *port)
{
	const struct mmio *bar = &port->hw.bar;

	if (port->rss.hf != 0)
		port->rss.hf = ENETC_RSS_HF;
	for (unsigned int i = 0; enetc_kind(&port->hw)->port && i < ENETC_PRSSK_COUNT; i++) {
		const uint8_t *k = &port->rss.key[i * 4];

		enetc_port_write(&port->hw, ENETC_AT(PRSSK, i),
				 (uint32_t)k[0] | (uint32_t)k[1] << 8 | (uint32_t)k[2] << 16 |
				     (uint32_t)k[3] << 24);
	}
	mmio_write(bar, ENETC_SIMR, ENETC_SIMR_EN | (port->rss.hf != 0 ? ENETC_SIMR_RSSE : 0));
}

static int
key_check(const struct enetc_port *port, const struct rte_eth_rss_conf *conf)
{
	return conf->rss_key != NULL && enetc_port_lacks(port, "an RSS key") ? -ENOTSUP : 0;
}

int
enetc_rss_configure(struct rte_eth_dev *dev)
{
	struct rss_limits limits = rss_limits(dev);
	struct enetc_port *port = enetc_port(dev);
	int rc = rss_settle(&port->rss, &limits, &dev->data->dev_conf);

	if (rc == 0)
		rc = key_check(port, &dev->data->dev_conf.rx_adv_conf.rss_conf);
	if (rc != 0)
		return rc;
	/* groups of rings, of one ring each: Linux, FreeBSD */
	mmio_write(&port->hw.bar, ENETC_SIRBGCR, limits.queues);
	rc = enetc_cmd_rss_set(&port->hw, port->rss.reta);
	if (rc == 0)
		hash_write(port);
	return rc;
}

int
enetc_rss_hash_update(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf)
{
	struct rss_limits limits = rss_limits(dev);
	struct enetc_port *port = enetc_port(dev);
	int rc = key_check(port, conf);

	if (rc == 0)
		rc = rss_update(&port->rss, &limits, dev->data, port->started, conf);
	if (rc == 0 && port->started)
		hash_write(port);
	return rc;
}

int
enetc_rss_hash_conf_get(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf)
{
	const struct enetc_port *port = enetc_port(dev);

	if (!enetc_kind(&port->hw)->port)
		conf->rss_key_len = 0; /* no room for a key that is not known */
	rss_conf_get(&port->rss, conf);
	if (!enetc_kind(&port->hw)->port)
		conf->rss_key_len = 0;
	return 0;
}

int
enetc_rss_reta_update(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *conf, uint16_t size)
{
	struct rss_limits limits = rss_limits(dev);
	struct enetc_port *port = enetc_port(dev);
	int rc = rss_reta_update(&port->rss, &limits, conf, size);

	if (rc == 0 && port->started)
		rc = enetc_cmd_rss_set(&port->hw, port->rss.reta);
	return rc;
}

int
enetc_rss_reta_query(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *conf, uint16_t size)
{
	struct rss_limits limits = rss_limits(dev);

	return rss_reta_query(&enetc_port(dev)->rss, &limits, conf, size);
}
