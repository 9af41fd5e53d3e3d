/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings: memory, set up, start, stop. */
#include "../../common/control.h"
#include "../../common/ring.h"
#include "enetc_aim.h"

#include <rte_malloc.h>

/* A ring's last accesses to memory are over, and what it had to send is sent: 10 ms. */
#define DRAIN_TRIES 1000
#define DRAIN_POLL_US 10
/* After a receive ring is off: Linux waits 1 us for all of them, net_enetc not at all. */
#define RX_DRAIN_US 10

static const struct ring_limits ring_limits = {ENETC_RING_MIN, ENETC_RING_MAX, ENETC_RING_STEP};

/* ---- receive ---- */

/* mbuf flags: only what the queue was asked for. */
static void
rxq_flags_set(struct enetc_rxq *rxq)
{
	uint64_t flags = 0;

	if (rxq->offloads & RTE_ETH_RX_OFFLOAD_VLAN_STRIP)
		flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
	if (rxq->offloads & RTE_ETH_RX_OFFLOAD_RSS_HASH)
		flags |= RTE_MBUF_F_RX_RSS_HASH;
	if (rxq->offloads & RTE_ETH_RX_OFFLOAD_IPV4_CKSUM)
		flags |= RTE_MBUF_F_RX_IP_CKSUM_MASK;
	if (rxq->offloads & (RTE_ETH_RX_OFFLOAD_UDP_CKSUM | RTE_ETH_RX_OFFLOAD_TCP_CKSUM))
		flags |= RTE_MBUF_F_RX_L4_CKSUM_MASK;
	rxq->flags = flags;
}

static void
rxq_free(struct enetc_rxq *rxq)
{
	rte_memzone_free(rxq->mz);
	rte_free(rxq->sw_ring);
	rte_free(rxq);
}

/* Mbufs that the ring still owns; places in `hold` were delivered already. */
static void
rxq_empty(struct enetc_rxq *rxq)
{
	uint16_t at = rxq->next;

	for (uint16_t i = rxq->hold; i < rxq->size; i++) {
		if (rxq->sw_ring[at] != NULL)
			rte_pktmbuf_free_seg(rxq->sw_ring[at]);
		if (++at == rxq->size)
			at = 0;
	}
	memset(rxq->sw_ring, 0, rxq->size * sizeof(rxq->sw_ring[0]));
	rte_pktmbuf_free(rxq->first_seg);
	rxq->first_seg = rxq->last_seg = NULL;
	rxq->next = rxq->hold = 0;
	memset(rxq->ring, 0, rxq->size * sizeof(rxq->ring[0]));
}

static int
rxq_conf_check(const struct rte_eth_dev *dev, uint16_t q, uint16_t nb_desc,
	       const struct rte_eth_rxconf *conf, const struct rte_mempool *pool, uint32_t room)
{
	if (!ring_size_ok(dev, "Rx", q, nb_desc, &ring_limits))
		return -EINVAL;
	if (room < RTE_ETHER_MIN_LEN) {
		AIM_LOG(ERR,
			"%s: Rx queue %u: pool %s has %u bytes of data room in an mbuf: create it "
			"with at least %u",
			dev->data->name, q, pool->name, room,
			RTE_ETHER_MIN_LEN + RTE_PKTMBUF_HEADROOM);
		return -EINVAL;
	}
	if (conf->rx_free_thresh >= nb_desc) {
		AIM_LOG(ERR, "%s: Rx queue %u: rx_free_thresh %u must be below the %u descriptors",
			dev->data->name, q, conf->rx_free_thresh, nb_desc);
		return -EINVAL;
	}
	return 0;
}

int
enetc_rxq_setup(struct rte_eth_dev *dev, uint16_t q, uint16_t nb_desc, unsigned int socket,
		const struct rte_eth_rxconf *conf, struct rte_mempool *pool)
{
	uint32_t room = RTE_ALIGN_FLOOR(rte_pktmbuf_data_room_size(pool) - RTE_PKTMBUF_HEADROOM,
					ENETC_RX_BUF_STEP);
	struct rte_mbuf like = {.data_off = RTE_PKTMBUF_HEADROOM, .nb_segs = 1};
	struct enetc_port *port = enetc_port(dev);
	struct enetc_rxq *rxq;
	int rc = rxq_conf_check(dev, q, nb_desc, conf, pool, room);

	if (rc != 0)
		return rc;
	enetc_rxq_release(dev, q);
	rxq = rte_zmalloc_socket("aim_rxq", sizeof(*rxq), RTE_CACHE_LINE_SIZE, socket);
	if (rxq == NULL)
		return -ENOMEM;
	rxq->mz = rte_eth_dma_zone_reserve(dev, "aim_rx_ring", q, nb_desc * sizeof(rxq->ring[0]),
					   ENETC_RING_ALIGN, socket);
	rxq->sw_ring = rte_zmalloc_socket("aim_rx_sw",
					  (nb_desc + ENETC_RX_SW_PAD) * sizeof(rxq->sw_ring[0]),
					  RTE_CACHE_LINE_SIZE, socket);
	if (rxq->mz == NULL || rxq->sw_ring == NULL) {
		ring_no_memory(dev, "Rx", q, nb_desc, socket);
		rxq_free(rxq);
		return -ENOMEM;
	}
	rxq->ring = rxq->mz->addr;
	memset(rxq->ring, 0, nb_desc * sizeof(rxq->ring[0]));
	rxq->port = port;
	rxq->pool = pool;
	rxq->queue_id = q;
	rxq->size = nb_desc;
	rxq->free_thresh = conf->rx_free_thresh != 0
			       ? conf->rx_free_thresh
			       : (uint16_t)RTE_MIN(ENETC_RX_FREE_THRESH, nb_desc / 4);
	rxq->deferred_start = conf->rx_deferred_start != 0;
	rxq->offloads = conf->offloads | dev->data->dev_conf.rxmode.offloads;
	rxq->crc_len = rxq->offloads & RTE_ETH_RX_OFFLOAD_KEEP_CRC ? RTE_ETHER_CRC_LEN : 0;
	rxq->buf_size = (uint16_t)RTE_MIN(room, ENETC_BUFFER_MAX & ~(ENETC_RX_BUF_STEP - 1));
	rxq->tail = port->hw.bar.base + ENETC_AT(RBCIR, q);
	rxq_flags_set(rxq);

	like.port = dev->data->port_id;
	rte_mbuf_refcnt_set(&like, 1);
	rxq->rearm = compat_mbuf_rearm_value(&like);
	enetc_stats_rxq_reset(port, q);
	dev->data->rx_queues[q] = rxq;
	return 0;
}

void
enetc_rxq_release(struct rte_eth_dev *dev, uint16_t q)
{
	struct enetc_rxq *rxq = dev->data->rx_queues[q];

	if (rxq == NULL)
		return;
	control_rxq_remove(dev, q);
	rxq_empty(rxq);
	rxq_free(rxq);
}

/* Buffers for every descriptor. */
static int
rxq_fill(struct enetc_rxq *rxq)
{
	if (rte_mempool_get_bulk(rxq->pool, (void **)rxq->sw_ring, rxq->size) != 0) {
		AIM_LOG(ERR, "%s: Rx queue %u: pool %s cannot fill %u descriptors: make it larger",
			rxq->port->data->name, rxq->queue_id, rxq->pool->name, rxq->size);
		memset(rxq->sw_ring, 0, rxq->size * sizeof(rxq->sw_ring[0]));
		return -ENOMEM;
	}
	for (uint16_t i = 0; i < rxq->size; i++) {
		compat_mbuf_rearm(rxq->sw_ring[i], rxq->rearm);
		rxq->ring[i].read.addr = rte_cpu_to_le_64(
		    rte_mbuf_data_iova_default(rxq->sw_ring[i]));
		rxq->ring[i].read.reserved = 0;
	}
	return 0;
}

static uint32_t
rxq_mode(const struct enetc_rxq *rxq)
{
	return rxq->offloads & RTE_ETH_RX_OFFLOAD_VLAN_STRIP ? ENETC_RBMR_VTE : 0;
}

void
enetc_rxq_vlan_strip(struct enetc_rxq *rxq, bool on)
{
	const struct mmio *bar = &rxq->port->hw.bar;
	uint32_t mode;

	if (on)
		rxq->offloads |= RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	else
		rxq->offloads &= ~(uint64_t)RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	rxq_flags_set(rxq);
	mode = mmio_read(bar, ENETC_AT(RBMR, rxq->queue_id)) & ~ENETC_RBMR_VTE;
	mmio_write(bar, ENETC_AT(RBMR, rxq->queue_id), mode | rxq_mode(rxq));
}

int
enetc_rxq_start(struct rte_eth_dev *dev, uint16_t q)
{
	struct enetc_rxq *rxq = dev->data->rx_queues[q];
	const struct mmio *bar = &rxq->port->hw.bar;
	int rc;

	rxq_empty(rxq);
	rc = rxq_fill(rxq);
	if (rc != 0)
		return rc;
	mmio_write(bar, ENETC_AT(RBBAR0, q), (uint32_t)rxq->mz->iova);
	mmio_write(bar, ENETC_AT(RBBAR1, q), (uint32_t)(rxq->mz->iova >> 32));
	mmio_write(bar, ENETC_AT(RBLENR, q), rxq->size);
	mmio_write(bar, ENETC_AT(RBBSR, q), rxq->buf_size);
	mmio_write(bar, ENETC_AT(RBPIR, q), 0);
	/* descriptors first: hardware fetches the first eight when the ring goes on (FreeBSD) */
	mmio_write(bar, ENETC_AT(RBCIR, q), rxq->size - 1u);
	mmio_write(bar, ENETC_AT(RBMR, q), ENETC_BMR_EN | rxq_mode(rxq));
	dev->data->rx_queue_state[q] = RTE_ETH_QUEUE_STATE_STARTED;
	return 0;
}

int
enetc_rxq_stop(struct rte_eth_dev *dev, uint16_t q)
{
	struct enetc_rxq *rxq = dev->data->rx_queues[q];

	dev->data->rx_queue_state[q] = RTE_ETH_QUEUE_STATE_STOPPED;
	mmio_write(&rxq->port->hw.bar, ENETC_AT(RBMR, q), 0);
	(void)mmio_read(&rxq->port->hw.bar, ENETC_AT(RBMR, q)); /* it has landed */
	rte_delay_us(RX_DRAIN_US);
	rxq_empty(rxq);
	return 0;
}

void
enetc_rxq_info(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_rxq_info *info)
{
	const struct enetc_rxq *rxq = dev->data->rx_queues[q];

	info->mp = rxq->pool;
	info->scattered_rx = dev->data->scattered_rx;
	info->nb_desc = rxq->size;
	info->rx_buf_size = rxq->buf_size;
	info->conf.rx_free_thresh = rxq->free_thresh;
	info->conf.rx_drop_en = 1; /* a frame without a descriptor is dropped, always */
	info->conf.rx_deferred_start = rxq->deferred_start;
	info->conf.offloads = rxq->offloads;
}

/* ---- transmit ---- */

static void
txq_free(struct enetc_txq *txq)
{
	rte_memzone_free(txq->mz);
	rte_free(txq->sw_ring);
	rte_free(txq);
}

/* Free what was not sent or not cleaned. */
static void
txq_empty(struct enetc_txq *txq)
{
	while (txq->clean != txq->next) {
		if (txq->sw_ring[txq->clean] != NULL)
			rte_pktmbuf_free_seg(txq->sw_ring[txq->clean]);
		if (++txq->clean == txq->size)
			txq->clean = 0;
	}
	memset(txq->sw_ring, 0, txq->size * sizeof(txq->sw_ring[0]));
	memset(txq->ring, 0, txq->size * sizeof(txq->ring[0]));
	txq->free = txq->size - 1; /* equal indices mean empty: one place stays unused */
}

int
enetc_txq_setup(struct rte_eth_dev *dev, uint16_t q, uint16_t nb_desc, unsigned int socket,
		const struct rte_eth_txconf *conf)
{
	struct enetc_port *port = enetc_port(dev);
	struct enetc_txq *txq;
	uint16_t free_thresh = conf->tx_free_thresh != 0
				   ? conf->tx_free_thresh
				   : (uint16_t)RTE_MIN(ENETC_TX_FREE_THRESH, nb_desc / 4);

	if (!ring_size_ok(dev, "Tx", q, nb_desc, &ring_limits))
		return -EINVAL;
	if (free_thresh >= nb_desc) {
		AIM_LOG(ERR, "%s: Tx queue %u: tx_free_thresh %u must be below the %u descriptors",
			dev->data->name, q, free_thresh, nb_desc);
		return -EINVAL;
	}
	enetc_txq_release(dev, q);
	txq = rte_zmalloc_socket("aim_txq", sizeof(*txq), RTE_CACHE_LINE_SIZE, socket);
	if (txq == NULL)
		return -ENOMEM;
	txq->mz = rte_eth_dma_zone_reserve(dev, "aim_tx_ring", q, nb_desc * sizeof(txq->ring[0]),
					   ENETC_RING_ALIGN, socket);
	txq->sw_ring = rte_zmalloc_socket("aim_tx_sw", nb_desc * sizeof(txq->sw_ring[0]),
					  RTE_CACHE_LINE_SIZE, socket);
	if (txq->mz == NULL || txq->sw_ring == NULL) {
		ring_no_memory(dev, "Tx", q, nb_desc, socket);
		txq_free(txq);
		return -ENOMEM;
	}
	txq->ring = txq->mz->addr;
	txq->port = port;
	txq->queue_id = q;
	txq->size = nb_desc;
	txq->free_thresh = free_thresh;
	txq->deferred_start = conf->tx_deferred_start != 0;
	txq->offloads = conf->offloads | dev->data->dev_conf.txmode.offloads;
	txq->fast_free = (txq->offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0;
	txq->tail = port->hw.bar.base + ENETC_AT(TBPIR, q);
	txq->head = port->hw.bar.base + ENETC_AT(TBCIR, q);
	txq_empty(txq);
	enetc_stats_txq_reset(port, q);
	dev->data->tx_queues[q] = txq;
	return 0;
}

void
enetc_txq_release(struct rte_eth_dev *dev, uint16_t q)
{
	struct enetc_txq *txq = dev->data->tx_queues[q];

	if (txq == NULL)
		return;
	txq_empty(txq);
	txq_free(txq);
	dev->data->tx_queues[q] = NULL;
}

/*
 * Where the ring goes on. A ring whose indices were set back hangs (FreeBSD; Linux goes on, too),
 * so they stay, unless the ring is shorter now than where they stand.
 */
static uint16_t
txq_index(const struct enetc_txq *txq)
{
	const struct mmio *bar = &txq->port->hw.bar;
	uint32_t head = mmio_read(bar, ENETC_AT(TBCIR, txq->queue_id)) & ENETC_TBCIR_IDX;

	if (head >= txq->size) {
		AIM_INIT_LOG(NOTICE,
			     "%s: Tx queue %u is shorter than before: its index is set back",
			     txq->port->data->name, txq->queue_id);
		head = 0;
		mmio_write(bar, ENETC_AT(TBCIR, txq->queue_id), 0);
	}
	if (mmio_read(bar, ENETC_AT(TBPIR, txq->queue_id)) != head)
		mmio_write(bar, ENETC_AT(TBPIR, txq->queue_id), head);
	return (uint16_t)head;
}

int
enetc_txq_start(struct rte_eth_dev *dev, uint16_t q)
{
	struct enetc_txq *txq = dev->data->tx_queues[q];
	const struct mmio *bar = &txq->port->hw.bar;

	txq_empty(txq);
	mmio_write(bar, ENETC_AT(TBBAR0, q), (uint32_t)txq->mz->iova);
	mmio_write(bar, ENETC_AT(TBBAR1, q), (uint32_t)(txq->mz->iova >> 32));
	mmio_write(bar, ENETC_AT(TBLENR, q), txq->size);
	txq->next = txq->clean = txq_index(txq);
	mmio_write(bar, ENETC_AT(TBMR, q), ENETC_BMR_EN | ENETC_TBMR_VIH);
	dev->data->tx_queue_state[q] = RTE_ETH_QUEUE_STATE_STARTED;
	return 0;
}

int
enetc_txq_stop(struct rte_eth_dev *dev, uint16_t q)
{
	struct enetc_txq *txq = dev->data->tx_queues[q];
	const struct enetc_hw *hw = &txq->port->hw;

	dev->data->tx_queue_state[q] = RTE_ETH_QUEUE_STATE_STOPPED;
	if (enetc_hw_present(hw)) {
		/* let it send what it has */
		if (mmio_wait(&hw->bar, ENETC_AT(TBCIR, q), ENETC_TBCIR_IDX, txq->next, DRAIN_TRIES,
			      DRAIN_POLL_US) != 0)
			AIM_INIT_LOG(DEBUG, "%s: Tx queue %u stops with packets unsent",
				     dev->data->name, q);
		mmio_write(&hw->bar, ENETC_AT(TBMR, q), 0);
		if (mmio_wait(&hw->bar, ENETC_AT(TBSR, q), ENETC_TBSR_BUSY, 0, DRAIN_TRIES,
			      DRAIN_POLL_US) != 0)
			AIM_LOG(ERR, "%s: Tx queue %u does not stop: the device does not answer",
				dev->data->name, q);
	}
	txq_empty(txq);
	return 0;
}

void
enetc_txq_info(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_txq_info *info)
{
	const struct enetc_txq *txq = dev->data->tx_queues[q];

	info->nb_desc = txq->size;
	info->conf.tx_free_thresh = txq->free_thresh;
	info->conf.tx_deferred_start = txq->deferred_start;
	info->conf.offloads = txq->offloads;
}

/* ---- all of a port ---- */

/* More than one mbuf a frame: asked for, or needed by the MTU. */
static void
scatter_decide(struct rte_eth_dev *dev)
{
	uint32_t frame = dev->data->mtu + RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN + 2 * RTE_VLAN_HLEN;

	dev->data->scattered_rx = (dev->data->dev_conf.rxmode.offloads &
				   RTE_ETH_RX_OFFLOAD_SCATTER) != 0;
	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++) {
		const struct enetc_rxq *rxq = dev->data->rx_queues[q];

		if (frame > rxq->buf_size || rxq->offloads & RTE_ETH_RX_OFFLOAD_SCATTER)
			dev->data->scattered_rx = 1;
	}
}

int
enetc_queues_start(struct rte_eth_dev *dev)
{
	int rc = 0;

	scatter_decide(dev);
	enetc_rx_select(dev);
	enetc_tx_select(dev);
	for (uint16_t q = 0; q < dev->data->nb_tx_queues; q++) {
		const struct enetc_txq *txq = dev->data->tx_queues[q];

		if (!txq->deferred_start)
			enetc_txq_start(dev, q);
	}
	for (uint16_t q = 0; rc == 0 && q < dev->data->nb_rx_queues; q++) {
		const struct enetc_rxq *rxq = dev->data->rx_queues[q];

		if (!rxq->deferred_start)
			rc = enetc_rxq_start(dev, q);
	}
	if (rc != 0)
		enetc_queues_stop(dev);
	return rc;
}

void
enetc_queues_stop(struct rte_eth_dev *dev)
{
	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++)
		if (dev->data->rx_queue_state[q] == RTE_ETH_QUEUE_STATE_STARTED)
			enetc_rxq_stop(dev, q);
	for (uint16_t q = 0; q < dev->data->nb_tx_queues; q++)
		if (dev->data->tx_queue_state[q] == RTE_ETH_QUEUE_STATE_STARTED)
			enetc_txq_stop(dev, q);
}
