/* SPDX-License-Identifier: BSD-3-Clause */
/* A port's life between probe and close: what it can do, its configuration, start and stop. */
#include <rte_ethdev.h>

#include "../../common/port.h"
#include "../../common/removal.h"
#include "enetc_aim.h"

#define FRAME_OVERHEAD (RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN + 2 * RTE_VLAN_HLEN)

int
enetc_port_info(struct rte_eth_dev *dev, struct rte_eth_dev_info *info)
{
	const struct enetc_port *port = enetc_port(dev);

	info->max_rx_queues = port->hw.rings;
	info->max_tx_queues = port->hw.rings;
	info->min_rx_bufsize = RXQ_BUF_MIN;
	info->max_rx_pktlen = ENETC_FRAME_MAX;
	info->min_mtu = RTE_ETHER_MIN_MTU;
	info->max_mtu = ENETC_FRAME_MAX - FRAME_OVERHEAD;
	info->max_mac_addrs = ENETC_PORT_MACS;
	info->rx_queue_offload_capa = RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	info->rx_offload_capa = RTE_ETH_RX_OFFLOAD_VLAN_STRIP | RTE_ETH_RX_OFFLOAD_VLAN_FILTER |
				RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_UDP_CKSUM |
				RTE_ETH_RX_OFFLOAD_TCP_CKSUM | RTE_ETH_RX_OFFLOAD_KEEP_CRC |
				RTE_ETH_RX_OFFLOAD_SCATTER | RTE_ETH_RX_OFFLOAD_RSS_HASH;
	if (!enetc_kind(&port->hw)->port) {
		/* whether the port checks sums and strips CRCs is not known, filters are not ours
		 */
		info->rx_offload_capa = RTE_ETH_RX_OFFLOAD_VLAN_STRIP | RTE_ETH_RX_OFFLOAD_SCATTER |
					RTE_ETH_RX_OFFLOAD_RSS_HASH;
		info->max_mac_addrs = 1;
	}
	info->tx_offload_capa = RTE_ETH_TX_OFFLOAD_VLAN_INSERT | RTE_ETH_TX_OFFLOAD_MULTI_SEGS |
				RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	info->dev_capa &= ~(uint64_t)RTE_ETH_DEV_CAPA_FLOW_RULE_KEEP;
	info->reta_size = ENETC_RSS_ENTRIES;
	info->hash_key_size = enetc_kind(&port->hw)->port ? RSS_KEY_LEN : 0;
	info->flow_type_rss_offloads = ENETC_RSS_HF;
	if (enetc_kind(&port->hw)->port)
		info->speed_capa = RTE_ETH_LINK_SPEED_10M | RTE_ETH_LINK_SPEED_100M |
				   RTE_ETH_LINK_SPEED_1G;

	info->rx_desc_lim.nb_max = ENETC_RING_MAX;
	info->rx_desc_lim.nb_min = ENETC_RING_MIN;
	info->rx_desc_lim.nb_align = ENETC_RING_STEP;
	info->tx_desc_lim = info->rx_desc_lim;
	info->tx_desc_lim.nb_seg_max = ENETC_TX_MAX_SEGS;
	info->tx_desc_lim.nb_mtu_seg_max = ENETC_TX_MAX_SEGS;
	info->default_rxconf.rx_drop_en = 1;
	info->default_rxportconf.burst_size = 32;
	info->default_rxportconf.nb_queues = 1;
	info->default_rxportconf.ring_size = 512;
	info->default_txportconf = info->default_rxportconf;
	info->switch_info.domain_id = RTE_ETH_DEV_SWITCH_DOMAIN_ID_INVALID;
	return 0;
}

int
enetc_port_configure(struct rte_eth_dev *dev)
{
	struct rte_eth_conf *conf = &dev->data->dev_conf;
	int rc = port_conf_check(dev);

	if (rc != 0)
		return rc;
	if (conf->link_speeds & RTE_ETH_LINK_SPEED_FIXED) {
		AIM_LOG(ERR, "%s: a fixed speed cannot be set: the PHY is not ours, give 0",
			dev->data->name);
		return -ENOTSUP;
	}
	if (conf->rxmode.mq_mode == RTE_ETH_MQ_RX_RSS)
		conf->rxmode.offloads |= RTE_ETH_RX_OFFLOAD_RSS_HASH;
	rss_forget(&enetc_port(dev)->rss);
	return 0;
}

int
enetc_port_start(struct rte_eth_dev *dev)
{
	struct enetc_port *port = enetc_port(dev);
	int rc = port_queues_check(dev);

	if (rc != 0)
		return rc;
	if (!enetc_hw_present(&port->hw)) {
		AIM_LOG(ERR, "%s: the device is gone: close the port", dev->data->name);
		return -EIO;
	}
	__atomic_store_n(&port->removed, false, __ATOMIC_RELAXED);
	enetc_hw_init(&port->hw);
	rc = enetc_filter_restore(dev);
	if (rc == 0)
		rc = enetc_rss_configure(dev);
	if (rc == 0)
		rc = enetc_irq_start(dev);
	if (rc != 0)
		goto fail;
	rc = enetc_queues_start(dev);
	if (rc != 0) {
		enetc_irq_stop(dev);
		goto fail;
	}
	enetc_link_start(dev);
	removal_start(dev);
	return 0;

fail:
	enetc_hw_stop(&port->hw);
	return rc;
}

int
enetc_port_stop(struct rte_eth_dev *dev)
{
	struct enetc_port *port = enetc_port(dev);

	if (!port->started)
		return 0;
	removal_stop(dev);
	enetc_link_stop(dev);
	enetc_irq_stop(dev);
	enetc_queues_stop(dev);
	if (enetc_hw_present(&port->hw))
		enetc_cmd_stop(&port->hw);
	enetc_hw_stop(&port->hw);
	enetc_link_update(dev, 0);
	return 0;
}
