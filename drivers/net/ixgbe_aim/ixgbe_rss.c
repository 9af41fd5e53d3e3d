/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive-side scaling: the hash, its key, and the table from hash to queue.
 * 82599 datasheet 7.1.2.8; the X550 has 512 entries of 6 bits, the others 128
 * of 4. Key, functions and table are kept in the port: a reset clears them.
 */
#include <string.h>

#include <rte_ethdev.h>

#include "ixgbe_aim.h"

/* MRQC, section 8.2.3.7.12: a bit for each kind of packet that is hashed. */
static const struct {
	uint64_t hf;
	uint32_t mrqc;
} ixgbe_rss_functions[] = {
    {RTE_ETH_RSS_IPV4, IXGBE_MRQC_IPV4},
    {RTE_ETH_RSS_NONFRAG_IPV4_TCP, IXGBE_MRQC_TCPIPV4},
    {RTE_ETH_RSS_NONFRAG_IPV4_UDP, IXGBE_MRQC_UDPIPV4},
    {RTE_ETH_RSS_IPV6, IXGBE_MRQC_IPV6},
    {RTE_ETH_RSS_NONFRAG_IPV6_TCP, IXGBE_MRQC_TCPIPV6},
    {RTE_ETH_RSS_NONFRAG_IPV6_UDP, IXGBE_MRQC_UDPIPV6},
    {RTE_ETH_RSS_IPV6_EX, IXGBE_MRQC_IPV6_EX},
    {RTE_ETH_RSS_IPV6_TCP_EX, IXGBE_MRQC_TCPIPV6_EX},
    {RTE_ETH_RSS_IPV6_UDP_EX, IXGBE_MRQC_UDPIPV6_EX},
};

uint16_t
ixgbe_rss_reta_size(const struct ixgbe_port *port)
{
	return port->hw.mac == IXGBE_MAC_X550 ? 512 : 128;
}

uint16_t
ixgbe_rss_queues(const struct ixgbe_port *port)
{
	return port->hw.mac == IXGBE_MAC_X550 ? IXGBE_RSS_QUEUES_X550 : IXGBE_RSS_QUEUES_82599;
}

/* Four entries a register. */
static void
ixgbe_rss_reta_write(struct ixgbe_port *port, uint16_t quad)
{
	const uint8_t *e = &port->rss.reta[quad * 4];
	uint32_t value = (uint32_t)e[0] | (uint32_t)e[1] << 8 | (uint32_t)e[2] << 16 |
			 (uint32_t)e[3] << 24;

	if (quad < IXGBE_RETA_COUNT)
		mmio_write(&port->hw.bar, IXGBE_AT(RETA, quad), value);
	else
		mmio_write(&port->hw.bar, IXGBE_AT(ERETA, quad - IXGBE_RETA_COUNT), value);
}

/* Key first, then the functions: no packet is hashed with half a key. */
static void
ixgbe_rss_hash_write(struct ixgbe_port *port)
{
	uint32_t mrqc = 0;
	unsigned int i;

	for (i = 0; i < IXGBE_RSSRK_COUNT; i++) {
		const uint8_t *k = &port->rss.key[i * 4];

		mmio_write(&port->hw.bar, IXGBE_AT(RSSRK, i),
			   (uint32_t)k[0] | (uint32_t)k[1] << 8 | (uint32_t)k[2] << 16 |
			       (uint32_t)k[3] << 24);
	}
	for (i = 0; i < RTE_DIM(ixgbe_rss_functions); i++)
		if (port->rss.hf & ixgbe_rss_functions[i].hf)
			mrqc |= ixgbe_rss_functions[i].mrqc;
	if (mrqc != 0)
		mrqc |= IXGBE_MRQC_RSSEN;
	mmio_write(&port->hw.bar, IXGBE_MRQC, mrqc);
}

/* 7.1.2.8: MRQC.RSSEN may change only after a software reset, before receive is on. */
static struct rss_limits
ixgbe_rss_limits(const struct rte_eth_dev *dev)
{
	const struct ixgbe_port *port = ixgbe_port(dev);

	return (struct rss_limits){
	    .hf = IXGBE_RSS_HF,
	    .reta_size = ixgbe_rss_reta_size(port),
	    .queues = RTE_MIN(dev->data->nb_rx_queues, ixgbe_rss_queues(port)),
	};
}

int
ixgbe_rss_configure(struct rte_eth_dev *dev)
{
	struct rss_limits limits = ixgbe_rss_limits(dev);
	struct ixgbe_port *port = ixgbe_port(dev);
	int ret = rss_settle(&port->rss, &limits, &dev->data->dev_conf);

	if (ret != 0)
		return ret;
	for (uint16_t i = 0; i < limits.reta_size / 4; i++)
		ixgbe_rss_reta_write(port, i);
	ixgbe_rss_hash_write(port);
	return 0;
}

int
ixgbe_rss_hash_update(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf)
{
	struct rss_limits limits = ixgbe_rss_limits(dev);
	struct ixgbe_port *port = ixgbe_port(dev);
	int ret = rss_update(&port->rss, &limits, dev->data, port->started, conf);

	if (ret == 0)
		ixgbe_rss_hash_write(port);
	return ret;
}

int
ixgbe_rss_hash_conf_get(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf)
{
	rss_conf_get(&ixgbe_port(dev)->rss, conf);
	return 0;
}

int
ixgbe_rss_reta_update(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *conf, uint16_t size)
{
	struct rss_limits limits = ixgbe_rss_limits(dev);
	struct ixgbe_port *port = ixgbe_port(dev);
	int ret = rss_reta_update(&port->rss, &limits, conf, size);

	for (uint16_t i = 0; ret == 0 && i < size / 4; i++)
		ixgbe_rss_reta_write(port, i);
	return ret;
}

int
ixgbe_rss_reta_query(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *conf, uint16_t size)
{
	struct rss_limits limits = ixgbe_rss_limits(dev);

	return rss_reta_query(&ixgbe_port(dev)->rss, &limits, conf, size);
}
