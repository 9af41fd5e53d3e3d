/* SPDX-License-Identifier: BSD-3-Clause */
#include "rxq.h"

#include <ethdev_driver.h>
#include <rte_malloc.h>

#include "control.h"
#include "log.h"

static void
rxq_free(struct rxq *rxq)
{
	rte_memzone_free(rxq->mz);
	rte_free(rxq->sw_ring);
	rte_free(rxq);
}

void
rxq_empty(struct rxq *rxq)
{
	uint16_t at = rxq->next;

	/* places in `hold` were delivered already */
	for (uint16_t i = rxq->hold; i < rxq->size; i++) {
		if (rxq->sw_ring[at] != NULL)
			rte_pktmbuf_free_seg(rxq->sw_ring[at]);
		if (++at == rxq->size)
			at = 0;
	}
	memset(rxq->sw_ring, 0, rxq->size * sizeof(rxq->sw_ring[0]));
	rte_pktmbuf_free(rxq->first_seg);
	rxq->first_seg = rxq->last_seg = NULL;
	rxq->next = rxq->hold = rxq->unposted = 0;
	memset(rxq->ring, 0, rxq->size * sizeof(rxq->ring[0]));
}

struct rxq *
rxq_alloc(struct rte_eth_dev *dev, uint16_t q, uint16_t nb_desc, unsigned int socket,
	  const struct rte_eth_rxconf *conf, struct rte_mempool *pool, size_t bytes,
	  uint16_t buf_size, int *rc)
{
	struct rte_mbuf like = {.data_off = RTE_PKTMBUF_HEADROOM, .nb_segs = 1};
	struct rxq *rxq;

	*rc = -EINVAL;
	if (conf->rx_free_thresh >= nb_desc) {
		AIM_LOG(ERR, "%s: Rx queue %u: rx_free_thresh %u must be below the %u descriptors",
			dev->data->name, q, conf->rx_free_thresh, nb_desc);
		return NULL;
	}
	rxq_release(dev, q);
	*rc = -ENOMEM;
	rxq = rte_zmalloc_socket("aim_rxq", bytes, RTE_CACHE_LINE_SIZE, socket);
	if (rxq == NULL) {
		ring_no_memory(dev, "Rx", q, nb_desc, socket);
		return NULL;
	}
	rxq->mz = rte_eth_dma_zone_reserve(dev, "aim_rx_ring", q, nb_desc * sizeof(rxq->ring[0]),
					   RING_ALIGN, (int)socket);
	rxq->sw_ring = rte_zmalloc_socket("aim_rx_sw",
					  (nb_desc + RXQ_SW_PAD) * sizeof(rxq->sw_ring[0]),
					  RTE_CACHE_LINE_SIZE, (int)socket);
	if (rxq->mz == NULL || rxq->sw_ring == NULL) {
		ring_no_memory(dev, "Rx", q, nb_desc, socket);
		rxq_free(rxq);
		return NULL;
	}
	rxq->ring = rxq->mz->addr;
	memset(rxq->ring, 0, nb_desc * sizeof(rxq->ring[0]));
	rxq->data = dev->data;
	rxq->pool = pool;
	rxq->queue_id = q;
	rxq->size = nb_desc;
	rxq->free_thresh = conf->rx_free_thresh != 0
			       ? conf->rx_free_thresh
			       : (uint16_t)RTE_MIN(RXQ_FREE_THRESH, nb_desc / 4);
	rxq->deferred_start = conf->rx_deferred_start != 0;
	rxq->offloads = conf->offloads | dev->data->dev_conf.rxmode.offloads;
	rxq->crc_len = rxq->offloads & RTE_ETH_RX_OFFLOAD_KEEP_CRC ? RTE_ETHER_CRC_LEN : 0;
	rxq->buf_size = buf_size;

	like.port = dev->data->port_id;
	rte_mbuf_refcnt_set(&like, 1);
	rxq->rearm = compat_mbuf_rearm_value(&like);
	*rc = 0;
	return rxq;
}

void
rxq_release(struct rte_eth_dev *dev, uint16_t q)
{
	struct rxq *rxq = dev->data->rx_queues[q];

	if (rxq == NULL)
		return;
	control_rxq_remove(dev, q);
	rxq_empty(rxq);
	rxq_free(rxq);
}

int
rxq_fill(struct rxq *rxq)
{
	if (rte_mempool_get_bulk(rxq->pool, (void **)rxq->sw_ring, rxq->size) != 0) {
		AIM_LOG(ERR, "%s: Rx queue %u: pool %s cannot fill %u descriptors: make it larger",
			rxq->data->name, rxq->queue_id, rxq->pool->name, rxq->size);
		memset(rxq->sw_ring, 0, rxq->size * sizeof(rxq->sw_ring[0]));
		return -ENOMEM;
	}
	for (uint16_t i = 0; i < rxq->size; i++) {
		compat_mbuf_rearm(rxq->sw_ring[i], rxq->rearm);
		rxq->ring[i].half[0] = rte_cpu_to_le_64(
		    rte_mbuf_data_iova_default(rxq->sw_ring[i]));
		rxq->ring[i].half[1] = 0;
	}
	return 0;
}

void
rxq_info(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_rxq_info *info)
{
	const struct rxq *rxq = dev->data->rx_queues[q];

	info->mp = rxq->pool;
	info->scattered_rx = dev->data->scattered_rx;
	info->nb_desc = rxq->size;
	info->rx_buf_size = rxq->buf_size;
	info->conf.rx_free_thresh = rxq->free_thresh;
	info->conf.rx_deferred_start = rxq->deferred_start;
	info->conf.offloads = rxq->offloads;
}

/* The longest frame of an MTU, with FCS and two VLAN tags. */
static uint32_t
frame_of(uint16_t mtu)
{
	return mtu + RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN + 2 * RTE_VLAN_HLEN;
}

void
rxqs_scatter_decide(struct rte_eth_dev *dev)
{
	dev->data->scattered_rx = (dev->data->dev_conf.rxmode.offloads &
				   RTE_ETH_RX_OFFLOAD_SCATTER) != 0;
	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++) {
		const struct rxq *rxq = dev->data->rx_queues[q];

		if (frame_of(dev->data->mtu) > rxq->buf_size ||
		    rxq->offloads & RTE_ETH_RX_OFFLOAD_SCATTER)
			dev->data->scattered_rx = 1;
	}
}

int
rxqs_mtu_check(const struct rte_eth_dev *dev, uint16_t mtu)
{
	/* the receive function was chosen at start */
	if (!dev->data->dev_started || dev->data->scattered_rx)
		return 0;
	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++) {
		const struct rxq *rxq = dev->data->rx_queues[q];

		if (frame_of(mtu) <= rxq->buf_size)
			continue;
		AIM_LOG(
		    ERR,
		    "%s: MTU %u needs several mbufs a packet, the port was started without: stop "
		    "it first, or start it with RTE_ETH_RX_OFFLOAD_SCATTER",
		    dev->data->name, mtu);
		return -EINVAL;
	}
	return 0;
}

struct moderation *
rxq_moderation(struct rte_eth_dev *dev, uint16_t q)
{
	struct rxq *rxq = dev->data->rx_queues[q];

	return rxq == NULL ? NULL : &rxq->mod;
}

void
rxqs_link(struct rte_eth_dev *dev)
{
	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++) {
		struct moderation *m = rxq_moderation(dev, q);

		if (m != NULL)
			moderation_link(m, dev->data->dev_link.link_speed);
	}
}
