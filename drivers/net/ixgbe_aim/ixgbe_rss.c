/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive-side scaling: the hash, its key, and the table from hash to queue.
 * 82599 datasheet 7.1.2.8; the X550 has 512 entries of 6 bits, the others 128
 * of 4. Key, functions and table are kept in the port: a reset clears them.
 */
#include <string.h>

#include <rte_ethdev.h>

#include "ixgbe_aim.h"

#define RSS_KEY_LEN 40u

/* The verification key of the Toeplitz hash (Microsoft, "Verifying the RSS Hash Calculation"). */
static const uint8_t ixgbe_rss_key_default[RSS_KEY_LEN] = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

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
	const uint8_t *e = &port->reta[quad * 4];
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
		const uint8_t *k = &port->rss_key[i * 4];

		mmio_write(&port->hw.bar, IXGBE_AT(RSSRK, i),
			   (uint32_t)k[0] | (uint32_t)k[1] << 8 | (uint32_t)k[2] << 16 |
			       (uint32_t)k[3] << 24);
	}
	for (i = 0; i < RTE_DIM(ixgbe_rss_functions); i++)
		if (port->rss_hf & ixgbe_rss_functions[i].hf)
			mrqc |= ixgbe_rss_functions[i].mrqc;
	if (mrqc != 0)
		mrqc |= IXGBE_MRQC_RSSEN;
	mmio_write(&port->hw.bar, IXGBE_MRQC, mrqc);
}

static int
ixgbe_rss_conf_check(const struct rte_eth_rss_conf *conf)
{
	if (conf->rss_key != NULL && conf->rss_key_len != RSS_KEY_LEN) {
		AIM_LOG(ERR, "RSS key of %u bytes: the hardware takes %u", conf->rss_key_len,
			RSS_KEY_LEN);
		return -EINVAL;
	}
	if (conf->rss_hf & ~IXGBE_RSS_HF) {
		AIM_LOG(ERR,
			"RSS hash functions 0x%" PRIx64
			" are not in hardware: ask within 0x%" PRIx64,
			conf->rss_hf & ~IXGBE_RSS_HF, (uint64_t)IXGBE_RSS_HF);
		return -EINVAL;
	}
	return 0;
}

int
ixgbe_rss_configure(struct rte_eth_dev *dev)
{
	const struct rte_eth_conf *conf = &dev->data->dev_conf;
	struct ixgbe_port *port = ixgbe_port(dev);
	uint16_t queues = RTE_MIN(dev->data->nb_rx_queues, ixgbe_rss_queues(port));
	uint16_t size = ixgbe_rss_reta_size(port), i;
	bool rss = conf->rxmode.mq_mode & RTE_ETH_MQ_RX_RSS_FLAG;

	if (!port->rss_conf_set) {
		const struct rte_eth_rss_conf *rc = &conf->rx_adv_conf.rss_conf;
		int ret = rss ? ixgbe_rss_conf_check(rc) : 0;

		if (ret != 0)
			return ret;
		port->rss_hf = rss ? rc->rss_hf : 0;
		memcpy(port->rss_key,
		       rss && rc->rss_key != NULL ? rc->rss_key : ixgbe_rss_key_default,
		       RSS_KEY_LEN);
		port->rss_conf_set = true;
	}
	if (!port->reta_set) {
		for (i = 0; i < size; i++)
			port->reta[i] = (uint8_t)(queues != 0 ? i % queues : 0);
		port->reta_set = true;
	}
	for (i = 0; i < size / 4; i++)
		ixgbe_rss_reta_write(port, i);
	ixgbe_rss_hash_write(port);
	return 0;
}

int
ixgbe_rss_hash_update(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	int ret = ixgbe_rss_conf_check(conf);

	if (ret != 0)
		return ret;
	if (!(dev->data->dev_conf.rxmode.mq_mode & RTE_ETH_MQ_RX_RSS_FLAG) && conf->rss_hf != 0) {
		AIM_LOG(ERR, "RSS is off: configure the port with mq_mode RTE_ETH_MQ_RX_RSS first");
		return -EINVAL;
	}
	/* 7.1.2.8: MRQC.RSSEN may change only after a software reset, before receive is on. */
	if (port->started && (conf->rss_hf != 0) != (port->rss_hf != 0)) {
		AIM_LOG(ERR,
			"%s: RSS cannot be switched %s while the port runs: stop the port and "
			"configure it",
			port->data->name, conf->rss_hf != 0 ? "on" : "off");
		return -EINVAL;
	}
	port->rss_hf = conf->rss_hf;
	if (conf->rss_key != NULL)
		memcpy(port->rss_key, conf->rss_key, RSS_KEY_LEN);
	else if (!port->rss_conf_set)
		memcpy(port->rss_key, ixgbe_rss_key_default, RSS_KEY_LEN);
	port->rss_conf_set = true;
	ixgbe_rss_hash_write(port);
	return 0;
}

int
ixgbe_rss_hash_conf_get(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf)
{
	const struct ixgbe_port *port = ixgbe_port(dev);

	conf->rss_hf = port->rss_hf;
	if (conf->rss_key != NULL && conf->rss_key_len >= RSS_KEY_LEN)
		memcpy(conf->rss_key, port->rss_key, RSS_KEY_LEN);
	conf->rss_key_len = RSS_KEY_LEN;
	return 0;
}

static int
ixgbe_rss_reta_size_check(const struct ixgbe_port *port, uint16_t size)
{
	if (size == ixgbe_rss_reta_size(port))
		return 0;
	AIM_LOG(ERR, "RETA of %u entries: the hardware has %u", size, ixgbe_rss_reta_size(port));
	return -EINVAL;
}

int
ixgbe_rss_reta_update(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *conf, uint16_t size)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	uint16_t queues = RTE_MIN(dev->data->nb_rx_queues, ixgbe_rss_queues(port));
	uint16_t i;
	int ret = ixgbe_rss_reta_size_check(port, size);

	if (ret != 0)
		return ret;
	/* All entries are looked at before the first is written: all or nothing. */
	for (i = 0; i < size; i++) {
		const struct rte_eth_rss_reta_entry64 *g = &conf[i / RTE_ETH_RETA_GROUP_SIZE];
		uint16_t e = i % RTE_ETH_RETA_GROUP_SIZE;

		if ((g->mask & RTE_BIT64(e)) && g->reta[e] >= queues) {
			AIM_LOG(ERR, "RETA entry %u: queue %u; give one of the %u queues from 0", i,
				g->reta[e], queues);
			return -EINVAL;
		}
	}
	for (i = 0; i < size; i++) {
		const struct rte_eth_rss_reta_entry64 *g = &conf[i / RTE_ETH_RETA_GROUP_SIZE];
		uint16_t e = i % RTE_ETH_RETA_GROUP_SIZE;

		if (g->mask & RTE_BIT64(e))
			port->reta[i] = (uint8_t)g->reta[e];
	}
	port->reta_set = true;
	for (i = 0; i < size / 4; i++)
		ixgbe_rss_reta_write(port, i);
	return 0;
}

int
ixgbe_rss_reta_query(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *conf, uint16_t size)
{
	const struct ixgbe_port *port = ixgbe_port(dev);
	int ret = ixgbe_rss_reta_size_check(port, size);
	uint16_t i;

	for (i = 0; ret == 0 && i < size; i++) {
		struct rte_eth_rss_reta_entry64 *g = &conf[i / RTE_ETH_RETA_GROUP_SIZE];
		uint16_t e = i % RTE_ETH_RETA_GROUP_SIZE;

		if (g->mask & RTE_BIT64(e))
			g->reta[e] = port->reta[i];
	}
	return ret;
}
