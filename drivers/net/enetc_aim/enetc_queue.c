/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings: memory, set up, start, stop. */
#include "enetc_aim.h"

/* A ring's last accesses to memory are over, and what it had to send is sent: 10 ms. */
#define DRAIN_TRIES 1000
#define DRAIN_POLL_US 10
/* After a receive ring is off: Linux waits 1 us for all of them, net_enetc not at all. */
#define RX_DRAIN_US 10

static const struct ring_limits ring_limits = {ENETC_RING_MIN, ENETC_RING_MAX, ENETC_RING_STEP};

/* ---- receive ---- */

/* mbuf flags: only what the queue was asked for. */
static void
rxq_flags_set(struct rxq *rxq)
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

int
enetc_rxq_setup(struct rte_eth_dev *dev, uint16_t q, uint16_t nb_desc, unsigned int socket,
		const struct rte_eth_rxconf *conf, struct rte_mempool *pool)
{
	uint32_t room = RTE_ALIGN_FLOOR(rte_pktmbuf_data_room_size(pool) - RTE_PKTMBUF_HEADROOM,
					ENETC_RX_BUF_STEP);
	struct enetc_port *port = enetc_port(dev);
	struct enetc_rxq *rxq;
	int rc;

	if (!ring_size_ok(dev, "Rx", q, nb_desc, &ring_limits))
		return -EINVAL;
	if (room < RXQ_BUF_MIN) {
		AIM_LOG(ERR,
			"%s: Rx queue %u: pool %s has %u bytes of data room in an mbuf: create it "
			"with at least %u",
			dev->data->name, q, pool->name, room, RXQ_BUF_MIN + RTE_PKTMBUF_HEADROOM);
		return -EINVAL;
	}
	room = RTE_MIN(room, ENETC_BUFFER_MAX & ~(ENETC_RX_BUF_STEP - 1));
	rxq = (struct enetc_rxq *)rxq_alloc(dev, q, nb_desc, socket, conf, pool, sizeof(*rxq),
					    (uint16_t)room, &rc);
	if (rxq == NULL)
		return rc;
	rxq->port = port;
	rxq->rx.tail = port->hw.bar.base + ENETC_AT(RBCIR, q);
	rxq_flags_set(&rxq->rx);
	enetc_stats_rxq_reset(port, q);
	dev->data->rx_queues[q] = rxq;
	return 0;
}

static uint32_t
rxq_mode(const struct rxq *rxq)
{
	return rxq->offloads & RTE_ETH_RX_OFFLOAD_VLAN_STRIP ? ENETC_RBMR_VTE : 0;
}

void
enetc_rxq_vlan_strip(struct enetc_rxq *rxq, bool on)
{
	const struct mmio *bar = &rxq->port->hw.bar;
	uint32_t rbmr = ENETC_AT(RBMR, rxq->rx.queue_id);

	if (on)
		rxq->rx.offloads |= RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	else
		rxq->rx.offloads &= ~(uint64_t)RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	rxq_flags_set(&rxq->rx);
	mmio_write(bar, rbmr, (mmio_read(bar, rbmr) & ~ENETC_RBMR_VTE) | rxq_mode(&rxq->rx));
}

int
enetc_rxq_start(struct rte_eth_dev *dev, uint16_t q)
{
	struct rxq *rxq = dev->data->rx_queues[q];
	const struct mmio *bar = &enetc_port(dev)->hw.bar;
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
	const struct mmio *bar = &enetc_port(dev)->hw.bar;
	struct rxq *rxq = dev->data->rx_queues[q];

	dev->data->rx_queue_state[q] = RTE_ETH_QUEUE_STATE_STOPPED;
	vectors_queue_stop(dev, rxq);
	mmio_write(bar, ENETC_AT(RBMR, q), 0);
	(void)mmio_read(bar, ENETC_AT(RBMR, q)); /* it has landed */
	rte_delay_us(RX_DRAIN_US);
	rxq_empty(rxq);
	return 0;
}

void
enetc_rxq_info(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_rxq_info *info)
{
	rxq_info(dev, q, info);
	info->conf.rx_drop_en = 1; /* a frame without a descriptor is dropped, always */
}

/* ---- transmit ---- */

int
enetc_txq_setup(struct rte_eth_dev *dev, uint16_t q, uint16_t nb_desc, unsigned int socket,
		const struct rte_eth_txconf *conf)
{
	uint16_t free_thresh = txq_free_thresh(conf, nb_desc);
	struct enetc_port *port = enetc_port(dev);
	struct enetc_txq *txq;

	if (!ring_size_ok(dev, "Tx", q, nb_desc, &ring_limits))
		return -EINVAL;
	if (free_thresh >= nb_desc) {
		AIM_LOG(ERR, "%s: Tx queue %u: tx_free_thresh %u must be below the %u descriptors",
			dev->data->name, q, free_thresh, nb_desc);
		return -EINVAL;
	}
	txq = (struct enetc_txq *)txq_alloc(dev, q, nb_desc, socket, conf, sizeof(*txq));
	if (txq == NULL)
		return -ENOMEM;
	txq->tx.tail = port->hw.bar.base + ENETC_AT(TBPIR, q);
	txq->head = port->hw.bar.base + ENETC_AT(TBCIR, q);
	enetc_stats_txq_reset(port, q);
	dev->data->tx_queues[q] = txq;
	return 0;
}

/*
 * Where the ring goes on. A ring whose indices were set back hangs (FreeBSD; Linux goes on, too),
 * so they stay, unless the ring is shorter now than where they stand.
 */
static uint16_t
txq_index(const struct rte_eth_dev *dev, const struct txq *txq)
{
	const struct mmio *bar = &enetc_port(dev)->hw.bar;
	uint16_t q = txq->queue_id;
	uint32_t head = mmio_read(bar, ENETC_AT(TBCIR, q)) & ENETC_TBCIR_IDX;

	if (head >= txq->size) {
		AIM_INIT_LOG(NOTICE,
			     "%s: Tx queue %u is shorter than before: its index is set back",
			     dev->data->name, q);
		head = 0;
		mmio_write(bar, ENETC_AT(TBCIR, q), 0);
	}
	if (mmio_read(bar, ENETC_AT(TBPIR, q)) != head)
		mmio_write(bar, ENETC_AT(TBPIR, q), head);
	return (uint16_t)head;
}

int
enetc_txq_start(struct rte_eth_dev *dev, uint16_t q)
{
	struct txq *txq = dev->data->tx_queues[q];
	const struct mmio *bar = &enetc_port(dev)->hw.bar;

	txq_empty(txq);
	mmio_write(bar, ENETC_AT(TBBAR0, q), (uint32_t)txq->mz->iova);
	mmio_write(bar, ENETC_AT(TBBAR1, q), (uint32_t)(txq->mz->iova >> 32));
	mmio_write(bar, ENETC_AT(TBLENR, q), txq->size);
	txq->next = txq->clean = txq_index(dev, txq);
	mmio_write(bar, ENETC_AT(TBMR, q), ENETC_BMR_EN | ENETC_TBMR_VIH);
	dev->data->tx_queue_state[q] = RTE_ETH_QUEUE_STATE_STARTED;
	return 0;
}

int
enetc_txq_stop(struct rte_eth_dev *dev, uint16_t q)
{
	struct txq *txq = dev->data->tx_queues[q];
	const struct enetc_hw *hw = &enetc_port(dev)->hw;

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

/* ---- all of a port ---- */

int
enetc_queues_start(struct rte_eth_dev *dev)
{
	int rc = 0;

	rxqs_scatter_decide(dev);
	enetc_rx_select(dev);
	enetc_tx_select(dev);
	for (uint16_t q = 0; q < dev->data->nb_tx_queues; q++) {
		const struct txq *txq = dev->data->tx_queues[q];

		if (!txq->deferred_start)
			enetc_txq_start(dev, q);
	}
	for (uint16_t q = 0; rc == 0 && q < dev->data->nb_rx_queues; q++) {
		const struct rxq *rxq = dev->data->rx_queues[q];

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
