/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rings: memory, set up, start, stop. Sections 4.6.7 (receive) and 4.6.8
 * (transmit) of the datasheet give the order of the steps.
 */
#include "ixgbe_aim.h"

#include <rte_malloc.h>

/* A ring's enable bit follows within this time: 10 ms (the datasheet gives no figure). */
#define ENABLE_TRIES 1000
#define ENABLE_POLL_US 10
/* After a receive ring is off, its last accesses to memory: section 4.6.7.1.2. */
#define RX_DRAIN_US 100

#define TX_PACKET_BUFFER_KB 160u
#define TX_PB_THRESH_KB \
	(TX_PACKET_BUFFER_KB - 10u) /* room for one jumbo frame: section 8.2.3.9.16 */

static const struct ring_limits ring_limits = {IXGBE_RING_MIN, IXGBE_RING_MAX, IXGBE_RING_STEP};

/*
 * A ring's enable bit, in its RXDCTL or TXDCTL, goes to 0. Of a device that is gone none is on.
 * -ETIMEDOUT: it does not, and the device may still use the buffers: they stay with the ring until
 * it is started or released, behind a reset.
 */
static int
ring_off(const struct rte_eth_dev *dev, const char *direction, uint16_t q, uint32_t control,
	 uint32_t enable)
{
	const struct ixgbe_hw *hw = &ixgbe_port(dev)->hw;

	if (!ixgbe_hw_present(hw))
		return 0;
	mmio_clear(&hw->bar, control, enable);
	if (mmio_wait(&hw->bar, control, enable, 0, ENABLE_TRIES, ENABLE_POLL_US) == 0)
		return 0;
	AIM_LOG(ERR, "%s: %s queue %u does not stop: the device does not answer, reset the port",
		dev->data->name, direction, q);
	return -ETIMEDOUT;
}

/* ---- receive ---- */

/* Status bits that become mbuf flags: only what the queue was asked for. */
static void
rxq_flags_set(struct ixgbe_rxq *rxq)
{
	uint32_t mask = 0;

	if (rxq->rx.offloads & RTE_ETH_RX_OFFLOAD_VLAN_STRIP)
		mask |= IXGBE_RXD_STAT_VP;
	if (rxq->rx.offloads & RTE_ETH_RX_OFFLOAD_IPV4_CKSUM)
		mask |= IXGBE_RXD_STAT_IPCS | IXGBE_RXD_ERR_IPE;
	if (rxq->rx.offloads & (RTE_ETH_RX_OFFLOAD_UDP_CKSUM | RTE_ETH_RX_OFFLOAD_TCP_CKSUM))
		mask |= IXGBE_RXD_STAT_L4CS | IXGBE_RXD_ERR_TCPE;
	rxq->rx.flags = mask;
	if (rxq->port->hw.mac == IXGBE_MAC_82599)
		rxq->rx.flags |= IXGBE_RXQ_UDP_ZERO;
}

int
ixgbe_rxq_setup(struct rte_eth_dev *dev, uint16_t q, uint16_t nb_desc, unsigned int socket,
		const struct rte_eth_rxconf *conf, struct rte_mempool *pool)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	uint32_t room = rte_pktmbuf_data_room_size(pool) - RTE_PKTMBUF_HEADROOM;
	struct ixgbe_rxq *rxq;
	int rc;

	if (!ring_size_ok(dev, "Rx", q, nb_desc, &ring_limits))
		return -EINVAL;
	if (room < 1 << IXGBE_SRRCTL_BSIZEPKT_SHIFT) {
		AIM_LOG(
		    ERR,
		    "%s: Rx queue %u: pool %s has %u bytes of data room in an mbuf; hardware fills "
		    "units of 1024: create the pool with at least %u",
		    dev->data->name, q, pool->name, room, 1024 + RTE_PKTMBUF_HEADROOM);
		return -EINVAL;
	}
	room = RTE_MIN(RTE_ALIGN_FLOOR(room, 1u << IXGBE_SRRCTL_BSIZEPKT_SHIFT),
		       16u << IXGBE_SRRCTL_BSIZEPKT_SHIFT);
	rxq = (struct ixgbe_rxq *)rxq_alloc(dev, q, nb_desc, socket, conf, pool, sizeof(*rxq),
					    (uint16_t)room, &rc);
	if (rxq == NULL)
		return rc;
	rxq->port = port;
	rxq->drop_en = conf->rx_drop_en != 0;
	rxq->rx.tail = port->hw.bar.base + IXGBE_RXQ_REG(RDT, q);
	rxq_flags_set(rxq);
	dev->data->rx_queues[q] = rxq;
	return 0;
}

/* Base, length and kind of a receive ring; it stays off. */
static void
rxq_program(struct ixgbe_rxq *rxq)
{
	const struct mmio *bar = &rxq->port->hw.bar;
	uint16_t q = rxq->rx.queue_id;
	uint32_t srrctl;

	mmio_write(bar, IXGBE_RXQ_REG(RDBAL, q), (uint32_t)rxq->rx.mz->iova);
	mmio_write(bar, IXGBE_RXQ_REG(RDBAH, q), (uint32_t)(rxq->rx.mz->iova >> 32));
	mmio_write(bar, IXGBE_RXQ_REG(RDLEN, q), rxq->rx.size * (uint32_t)sizeof(struct ring_desc));
	mmio_write(bar, IXGBE_RXQ_REG(RDH, q), 0);
	mmio_write(bar, IXGBE_RXQ_REG(RDT, q), 0);

	srrctl = IXGBE_SRRCTL_DESCTYPE_ADV_ONEBUF |
		 rxq->rx.buf_size >> IXGBE_SRRCTL_BSIZEPKT_SHIFT |
		 (256u << IXGBE_SRRCTL_BSIZEHDR_SHIFT & IXGBE_SRRCTL_BSIZEHDR);
	if (rxq->drop_en)
		srrctl |= IXGBE_SRRCTL_DROP_EN;
	mmio_write(bar, IXGBE_RXQ_REG(SRRCTL, q), srrctl);
}

void
ixgbe_rxq_vlan_strip(struct ixgbe_rxq *rxq, bool on)
{
	const struct mmio *bar = &rxq->port->hw.bar;

	if (on)
		rxq->rx.offloads |= RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	else
		rxq->rx.offloads &= ~(uint64_t)RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	rxq_flags_set(rxq);
	if (on)
		mmio_set(bar, IXGBE_RXQ_REG(RXDCTL, rxq->rx.queue_id), IXGBE_RXDCTL_VME);
	else
		mmio_clear(bar, IXGBE_RXQ_REG(RXDCTL, rxq->rx.queue_id), IXGBE_RXDCTL_VME);
}

int
ixgbe_rxq_start(struct rte_eth_dev *dev, uint16_t q)
{
	struct ixgbe_rxq *rxq = dev->data->rx_queues[q];
	const struct mmio *bar = &rxq->port->hw.bar;
	uint32_t rxdctl = IXGBE_RXDCTL_ENABLE;
	int rc;

	rxq_empty(&rxq->rx);
	rc = rxq_fill(&rxq->rx);
	if (rc != 0)
		return rc;
	rxq_program(rxq);
	if (rxq->rx.offloads & RTE_ETH_RX_OFFLOAD_VLAN_STRIP)
		rxdctl |= IXGBE_RXDCTL_VME;
	mmio_write(bar, IXGBE_RXQ_REG(RXDCTL, q), rxdctl);
	rc = mmio_wait(bar, IXGBE_RXQ_REG(RXDCTL, q), IXGBE_RXDCTL_ENABLE, IXGBE_RXDCTL_ENABLE,
		       ENABLE_TRIES, ENABLE_POLL_US);
	if (rc != 0) {
		AIM_LOG(
		    ERR,
		    "%s: Rx queue %u does not start: the device does not answer, reset the port",
		    dev->data->name, q);
		rxq_empty(&rxq->rx);
		return rc;
	}
	/* descriptors only after the ring is on: section 4.6.7.1 */
	mmio_write(bar, IXGBE_RXQ_REG(RDT, q), rxq->rx.size - 1u);
	dev->data->rx_queue_state[q] = RTE_ETH_QUEUE_STATE_STARTED;
	return 0;
}

int
ixgbe_rxq_stop(struct rte_eth_dev *dev, uint16_t q)
{
	struct ixgbe_rxq *rxq = dev->data->rx_queues[q];
	int rc;

	dev->data->rx_queue_state[q] = RTE_ETH_QUEUE_STATE_STOPPED;
	vectors_queue_stop(dev, &rxq->rx);
	rc = ring_off(dev, "Rx", q, IXGBE_RXQ_REG(RXDCTL, q), IXGBE_RXDCTL_ENABLE);
	if (rc != 0)
		return rc;
	rte_delay_us(RX_DRAIN_US);
	rxq_empty(&rxq->rx);
	return 0;
}

void
ixgbe_rxq_info(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_rxq_info *info)
{
	const struct ixgbe_rxq *rxq = dev->data->rx_queues[q];

	rxq_info(dev, q, info);
	info->conf.rx_drop_en = rxq->drop_en;
}

/* ---- transmit ---- */

/* Free what was not sent or not cleaned, and bring the ring to its start. */
static void
txq_start_anew(struct ixgbe_txq *txq)
{
	txq_empty(&txq->tx);
	/* no packet has these flags: hardware knows no context */
	memset(txq->ctx, 0xFF, sizeof(txq->ctx));
	txq->ctx_last = 0;
	txq->tx.next = txq->tx.clean = 0;
	txq->rs_head = txq->rs_tail = txq->since_rs = 0;
}

static int
txq_conf_check(const struct rte_eth_dev *dev, uint16_t q, uint16_t n,
	       const struct rte_eth_txconf *conf, uint16_t rs, uint16_t fr)
{
	const char *why = NULL;

	if (rs == 0 || fr == 0 || rs + fr > n)
		why =
		    "tx_rs_thresh and tx_free_thresh must be above 0 and together at most the ring";
	else if (rs > 1 && conf->tx_thresh.wthresh != 0)
		why = "tx_thresh.wthresh must be 0 when tx_rs_thresh is above 1";
	else if (conf->tx_thresh.pthresh > 127 || conf->tx_thresh.hthresh > 127 ||
		 conf->tx_thresh.wthresh > 127)
		why = "tx_thresh values have 7 bits: 0 to 127";
	if (why == NULL)
		return 0;
	AIM_LOG(ERR, "%s: Tx queue %u of %u descriptors, rs %u, free %u: %s", dev->data->name, q, n,
		rs, fr, why);
	return -EINVAL;
}

int
ixgbe_txq_setup(struct rte_eth_dev *dev, uint16_t q, uint16_t nb_desc, unsigned int socket,
		const struct rte_eth_txconf *conf)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	uint16_t rs = conf->tx_rs_thresh;
	struct ixgbe_txq *txq;

	if (!ring_size_ok(dev, "Tx", q, nb_desc, &ring_limits))
		return -EINVAL;
	if (rs == 0) /* what waits for a write-back is not free */
		rs = RTE_MIN(IXGBE_TX_RS_THRESH, nb_desc / 4);
	if (txq_conf_check(dev, q, nb_desc, conf, rs, txq_free_thresh(conf, nb_desc)) != 0)
		return -EINVAL;
	txq = (struct ixgbe_txq *)txq_alloc(dev, q, nb_desc, socket, conf, sizeof(*txq));
	if (txq == NULL)
		return -ENOMEM;
	dev->data->tx_queues[q] = txq;
	txq->rs_mask = (uint16_t)(rte_align32pow2(nb_desc / rs + 2u + IXGBE_TX_MAX_SEGS) - 1);
	txq->rs_ring = rte_zmalloc_socket(
	    "aim_tx_rs", (txq->rs_mask + 1u) * sizeof(txq->rs_ring[0]), 0, (int)socket);
	txq->tx.more = txq->rs_ring;
	if (txq->rs_ring == NULL) {
		ring_no_memory(dev, "Tx", q, nb_desc, socket);
		txq_release(dev, q);
		return -ENOMEM;
	}
	txq->rs_thresh = rs;
	txq->pthresh = conf->tx_thresh.pthresh;
	txq->hthresh = conf->tx_thresh.hthresh;
	txq->wthresh = conf->tx_thresh.wthresh;
	txq->tx.tail = port->hw.bar.base + IXGBE_AT(TDT, q);
	txq_start_anew(txq);
	return 0;
}

int
ixgbe_txq_start(struct rte_eth_dev *dev, uint16_t q)
{
	struct ixgbe_txq *txq = dev->data->tx_queues[q];
	const struct mmio *bar = &ixgbe_port(dev)->hw.bar;
	int rc;

	txq_start_anew(txq);
	mmio_write(bar, IXGBE_AT(TDBAL, q), (uint32_t)txq->tx.mz->iova);
	mmio_write(bar, IXGBE_AT(TDBAH, q), (uint32_t)(txq->tx.mz->iova >> 32));
	mmio_write(bar, IXGBE_AT(TDLEN, q), txq->tx.size * (uint32_t)sizeof(struct ring_desc));
	mmio_write(bar, IXGBE_AT(TDWBAL, q), 0); /* write-back into descriptors, not of the head */
	mmio_write(bar, IXGBE_AT(TDH, q), 0);
	mmio_write(bar, IXGBE_AT(TDT, q), 0);
	mmio_write(bar, IXGBE_AT(TXDCTL, q),
		   IXGBE_TXDCTL_ENABLE | (uint32_t)txq->pthresh << IXGBE_TXDCTL_PTHRESH_SHIFT |
		       (uint32_t)txq->hthresh << IXGBE_TXDCTL_HTHRESH_SHIFT |
		       (uint32_t)txq->wthresh << IXGBE_TXDCTL_WTHRESH_SHIFT);
	rc = mmio_wait(bar, IXGBE_AT(TXDCTL, q), IXGBE_TXDCTL_ENABLE, IXGBE_TXDCTL_ENABLE,
		       ENABLE_TRIES, ENABLE_POLL_US);
	if (rc != 0) {
		AIM_LOG(
		    ERR,
		    "%s: Tx queue %u does not start: the device does not answer, reset the port",
		    dev->data->name, q);
		return rc;
	}
	dev->data->tx_queue_state[q] = RTE_ETH_QUEUE_STATE_STARTED;
	return 0;
}

int
ixgbe_txq_stop(struct rte_eth_dev *dev, uint16_t q)
{
	struct ixgbe_txq *txq = dev->data->tx_queues[q];
	const struct ixgbe_hw *hw = &ixgbe_port(dev)->hw;
	int rc;

	dev->data->tx_queue_state[q] = RTE_ETH_QUEUE_STATE_STOPPED;
	/* let it send what it has: head reaches tail */
	if (ixgbe_hw_present(hw) && mmio_wait(&hw->bar, IXGBE_AT(TDH, q), UINT16_MAX, txq->tx.next,
					      ENABLE_TRIES, ENABLE_POLL_US) != 0)
		AIM_INIT_LOG(DEBUG, "%s: Tx queue %u stops with packets unsent", dev->data->name,
			     q);
	rc = ring_off(dev, "Tx", q, IXGBE_AT(TXDCTL, q), IXGBE_TXDCTL_ENABLE);
	if (rc == 0)
		txq_start_anew(txq);
	return rc;
}

void
ixgbe_txq_info(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_txq_info *info)
{
	const struct ixgbe_txq *txq = dev->data->tx_queues[q];

	txq_info(dev, q, info);
	info->conf.tx_thresh.pthresh = txq->pthresh;
	info->conf.tx_thresh.hthresh = txq->hthresh;
	info->conf.tx_thresh.wthresh = txq->wthresh;
	info->conf.tx_rs_thresh = txq->rs_thresh;
}

/* ---- the port ---- */

/* Section 4.6.7: the receive unit, before its rings. */
static void
rx_unit_setup(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	const struct mmio *bar = &port->hw.bar;
	bool keep_crc = (dev->data->dev_conf.rxmode.offloads & RTE_ETH_RX_OFFLOAD_KEEP_CRC) != 0;

	mmio_clear(bar, IXGBE_RXCTRL, IXGBE_RXCTRL_RXEN);

	/* both strip the FCS or neither: sections 8.2.3.22.8 and 8.2.3.8.8 */
	if (keep_crc) {
		mmio_clear(bar, IXGBE_HLREG0, IXGBE_HLREG0_RXCRCSTRP);
		mmio_clear(bar, IXGBE_RDRXCTL, IXGBE_RDRXCTL_CRC_STRIP);
	} else {
		mmio_set(bar, IXGBE_HLREG0, IXGBE_HLREG0_RXCRCSTRP);
		mmio_set(bar, IXGBE_RDRXCTL, IXGBE_RDRXCTL_CRC_STRIP);
	}
	mmio_clear(bar, IXGBE_RDRXCTL, IXGBE_RDRXCTL_RSCFRSTSIZE); /* no RSC: section 4.6.7 */
	mmio_set(bar, IXGBE_RFCTL, IXGBE_RFCTL_RSC_DIS);
	/* the RSS hash takes the place of the fragment checksum in the descriptor */
	mmio_write(bar, IXGBE_RXCSUM, IXGBE_RXCSUM_PCSD | IXGBE_RXCSUM_IPPCSE);

	rxqs_scatter_decide(dev);
}

/* Section 4.6.8: the transmit unit, before its rings. */
static void
tx_unit_setup(struct rte_eth_dev *dev)
{
	const struct mmio *bar = &ixgbe_port(dev)->hw.bar;

	mmio_set(bar, IXGBE_HLREG0, IXGBE_HLREG0_TXCRCEN | IXGBE_HLREG0_TXPADEN);
	/* MTQC may change only while the arbiter rests: section 8.2.3.9.15 */
	mmio_set(bar, IXGBE_RTTDCS, IXGBE_RTTDCS_ARBDIS);
	mmio_write(bar, IXGBE_MTQC, IXGBE_MTQC_64Q_1PB);
	mmio_write(bar, IXGBE_AT(TXPBSIZE, 0), TX_PACKET_BUFFER_KB << IXGBE_TXPBSIZE_SHIFT);
	mmio_write(bar, IXGBE_AT(TXPBTHRESH, 0), TX_PB_THRESH_KB);
	for (uint32_t i = 1; i < IXGBE_TXPBSIZE_COUNT; i++) {
		mmio_write(bar, IXGBE_AT(TXPBSIZE, i), 0);
		mmio_write(bar, IXGBE_AT(TXPBTHRESH, i), 0);
	}
	mmio_clear(bar, IXGBE_RTTDCS, IXGBE_RTTDCS_ARBDIS);
	mmio_set(bar, IXGBE_DMATXCTL, IXGBE_DMATXCTL_TE);
}

int
ixgbe_queues_start(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	int rc;

	tx_unit_setup(dev);
	rx_unit_setup(dev);
	ixgbe_rx_select(dev);
	ixgbe_tx_select(dev);
	for (uint16_t q = 0; q < dev->data->nb_tx_queues; q++) {
		const struct txq *txq = dev->data->tx_queues[q];

		rc = txq->deferred_start ? 0 : ixgbe_txq_start(dev, q);
		if (rc != 0)
			goto fail;
	}
	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++) {
		const struct rxq *rxq = dev->data->rx_queues[q];

		rc = rxq->deferred_start ? 0 : ixgbe_rxq_start(dev, q);
		if (rc != 0)
			goto fail;
	}
	/* the unit last, its data path at rest meanwhile: section 4.6.7 */
	rc = ixgbe_hw_rx_path_off(&port->hw);
	if (rc != 0)
		goto fail;
	mmio_set(&port->hw.bar, IXGBE_RXCTRL, IXGBE_RXCTRL_RXEN);
	ixgbe_hw_rx_path_on(&port->hw);
	return 0;
fail:
	ixgbe_queues_stop(dev);
	return rc;
}

void
ixgbe_queues_stop(struct rte_eth_dev *dev)
{
	const struct mmio *bar = &ixgbe_port(dev)->hw.bar;

	mmio_clear(bar, IXGBE_RXCTRL, IXGBE_RXCTRL_RXEN);
	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++)
		if (dev->data->rx_queues[q] != NULL &&
		    dev->data->rx_queue_state[q] == RTE_ETH_QUEUE_STATE_STARTED)
			ixgbe_rxq_stop(dev, q);
	for (uint16_t q = 0; q < dev->data->nb_tx_queues; q++)
		if (dev->data->tx_queues[q] != NULL &&
		    dev->data->tx_queue_state[q] == RTE_ETH_QUEUE_STATE_STARTED)
			ixgbe_txq_stop(dev, q);
	mmio_clear(bar, IXGBE_DMATXCTL, IXGBE_DMATXCTL_TE);
}
