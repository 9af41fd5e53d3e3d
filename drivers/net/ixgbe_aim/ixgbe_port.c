/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port's life between probe and close: what it can do, its configuration,
 * start and stop. The order of a start is that of 82599 datasheet 4.6.3.
 */
#include <rte_ethdev.h>

#include "../../common/port.h"
#include "../../common/removal.h"
#include "ixgbe_aim.h"

#define FRAME_MAX 9728u
#define FRAME_OVERHEAD (RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN)

uint64_t
ixgbe_rx_offload_capa(const struct ixgbe_port *port)
{
	RTE_SET_USED(port);
	return RTE_ETH_RX_OFFLOAD_VLAN_STRIP | RTE_ETH_RX_OFFLOAD_VLAN_FILTER |
	       RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_UDP_CKSUM |
	       RTE_ETH_RX_OFFLOAD_TCP_CKSUM | RTE_ETH_RX_OFFLOAD_KEEP_CRC |
	       RTE_ETH_RX_OFFLOAD_SCATTER | RTE_ETH_RX_OFFLOAD_RSS_HASH;
}

uint64_t
ixgbe_tx_offload_capa(const struct ixgbe_port *port)
{
	RTE_SET_USED(port);
	return RTE_ETH_TX_OFFLOAD_VLAN_INSERT | RTE_ETH_TX_OFFLOAD_IPV4_CKSUM |
	       RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM |
	       RTE_ETH_TX_OFFLOAD_SCTP_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_TSO |
	       RTE_ETH_TX_OFFLOAD_MULTI_SEGS | RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
}

int
ixgbe_port_info(struct rte_eth_dev *dev, struct rte_eth_dev_info *info)
{
	const struct ixgbe_port *port = ixgbe_port(dev);

	info->max_rx_queues = IXGBE_PORT_QUEUES;
	info->max_tx_queues = IXGBE_PORT_QUEUES;
	info->min_rx_bufsize = RXQ_BUF_MIN; /* SRRCTL.BSIZEPKT counts KB */
	info->max_rx_pktlen = FRAME_MAX;
	info->min_mtu = RTE_ETHER_MIN_MTU;
	info->max_mtu = FRAME_MAX - FRAME_OVERHEAD;
	info->max_mac_addrs = IXGBE_PORT_MACS;
	info->max_vfs = 0;
	info->max_vmdq_pools = 0;

	info->rx_queue_offload_capa = RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	info->rx_offload_capa = ixgbe_rx_offload_capa(port);
	info->tx_queue_offload_capa = 0;
	info->tx_offload_capa = ixgbe_tx_offload_capa(port);
	info->dev_capa &= ~(uint64_t)RTE_ETH_DEV_CAPA_FLOW_RULE_KEEP;

	info->reta_size = ixgbe_rss_reta_size(port);
	info->hash_key_size = RSS_KEY_LEN;
	info->flow_type_rss_offloads = IXGBE_RSS_HF;
	info->speed_capa = ixgbe_link_speed_capa(port);

	info->rx_desc_lim.nb_max = IXGBE_RING_MAX;
	info->rx_desc_lim.nb_min = IXGBE_RING_MIN;
	info->rx_desc_lim.nb_align = IXGBE_RING_STEP;
	info->tx_desc_lim = info->rx_desc_lim;
	info->tx_desc_lim.nb_seg_max = IXGBE_TX_PACKET_BUFS;
	info->tx_desc_lim.nb_mtu_seg_max = IXGBE_TX_PACKET_BUFS;

	info->default_rxconf.rx_free_thresh = 0; /* chosen to fit the ring, see ixgbe_rxq_setup() */
	info->default_rxconf.rx_drop_en = 0;
	/* 0: chosen to fit the ring, see ixgbe_txq_setup() */
	info->default_txconf.tx_free_thresh = 0;
	info->default_txconf.tx_rs_thresh = 0;
	/* 7.2.3: fetch ahead by 32 descriptors; write-back by RS alone. */
	info->default_txconf.tx_thresh.pthresh = 32;

	info->default_rxportconf.burst_size = 32;
	info->default_rxportconf.nb_queues = 1;
	info->default_rxportconf.ring_size = 512;
	info->default_txportconf.burst_size = 32;
	info->default_txportconf.nb_queues = 1;
	info->default_txportconf.ring_size = 512;
	info->switch_info.domain_id = RTE_ETH_DEV_SWITCH_DOMAIN_ID_INVALID;
	return 0;
}

/* ---- Configure ---- */

int
ixgbe_port_configure(struct rte_eth_dev *dev)
{
	struct rte_eth_conf *conf = &dev->data->dev_conf;
	struct ixgbe_port *port = ixgbe_port(dev);
	uint16_t rss_queues = ixgbe_rss_queues(port);
	int ret = port_conf_check(dev);

	if (ret != 0)
		return ret;
	if (conf->rxmode.mq_mode == RTE_ETH_MQ_RX_RSS) {
		if (dev->data->nb_rx_queues > rss_queues)
			AIM_LOG(WARNING,
				"%s: RSS reaches the first %u of %u Rx queues only, the hardware's "
				"table holds no more",
				port->data->name, rss_queues, dev->data->nb_rx_queues);
		conf->rxmode.offloads |= RTE_ETH_RX_OFFLOAD_RSS_HASH;
	}
	rss_forget(&port->rss);
	return ixgbe_link_speeds_check(port, conf->link_speeds);
}

/* ---- Start and stop ---- */

int
ixgbe_port_start(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	int ret;

	ret = port_queues_check(dev);
	if (ret != 0)
		return ret;
	if (!ixgbe_hw_present(&port->hw)) {
		AIM_LOG(ERR, "%s: the device is gone: close the port", dev->data->name);
		return -EIO;
	}
	__atomic_store_n(&port->removed, false, __ATOMIC_RELAXED);
	ixgbe_link_stop(dev);
	ret = ixgbe_hw_reset(&port->hw);
	if (ret == 0)
		ret = ixgbe_hw_init(&port->hw);
	if (ret != 0)
		return ret;
	ixgbe_hw_driver_loaded(&port->hw, true);
	ixgbe_filter_restore(dev);
	ret = ixgbe_rss_configure(dev);
	if (ret != 0)
		goto fail_hw;
	ixgbe_stats_start(dev);
	ret = ixgbe_flow_ctrl_start(dev);
	if (ret != 0)
		goto fail_hw;
	ret = ixgbe_irq_start(dev);
	if (ret != 0)
		goto fail_hw;
	ret = ixgbe_queues_start(dev);
	if (ret != 0)
		goto fail_irq;
	ret = ixgbe_link_start(dev);
	if (ret != 0)
		goto fail_queues;
	ixgbe_link_started_set(port, true);
	/* A change that came before the causes were unmasked is not told of again. */
	ixgbe_link_update(dev, 0);
	ixgbe_irq_misc_enable(port);
	removal_start(dev);
	return 0;

fail_queues:
	if (port->hw.media == IXGBE_MEDIA_FIBER)
		ixgbe_phy_power(&port->hw, false);
	ixgbe_queues_stop(dev);
fail_irq:
	ixgbe_irq_stop(dev);
fail_hw:
	ixgbe_hw_stop(&port->hw);
	return ret;
}

int
ixgbe_port_stop(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);

	if (!port->started)
		return 0;
	ixgbe_link_started_set(port, false);
	ixgbe_irq_misc_disable(port);
	removal_stop(dev);
	ixgbe_link_stop(dev);
	ixgbe_irq_stop(dev);
	ixgbe_queues_stop(dev);
	ixgbe_stats_stop(dev);
	/* Laser off: the partner shall see that nobody listens. Backplanes cannot. */
	if (port->hw.media == IXGBE_MEDIA_FIBER)
		ixgbe_phy_power(&port->hw, false);
	ixgbe_hw_stop(&port->hw);
	ixgbe_link_update(dev, 0);
	return 0;
}
