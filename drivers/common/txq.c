/* SPDX-License-Identifier: BSD-3-Clause */
#include "txq.h"

#include <ethdev_driver.h>
#include <rte_malloc.h>

static void
txq_free(struct txq *txq)
{
	rte_memzone_free(txq->mz);
	rte_free(txq->sw_ring);
	rte_free(txq->more);
	rte_free(txq);
}

void
txq_empty(struct txq *txq)
{
	while (txq->clean != txq->next) {
		if (txq->sw_ring[txq->clean] != NULL)
			rte_pktmbuf_free_seg(txq->sw_ring[txq->clean]);
		txq->clean = txq_place_after(txq, txq->clean);
	}
	memset(txq->sw_ring, 0, txq->size * sizeof(txq->sw_ring[0]));
	memset(txq->ring, 0, txq->size * sizeof(struct ring_desc));
	txq->free = txq->size - 1; /* equal indices mean empty: one place stays unused */
}

uint16_t
txq_free_thresh(const struct rte_eth_txconf *conf, uint16_t nb_desc)
{
	return conf->tx_free_thresh != 0 ? conf->tx_free_thresh
					 : (uint16_t)RTE_MIN(TXQ_FREE_THRESH, nb_desc / 4);
}

struct txq *
txq_alloc(struct rte_eth_dev *dev, uint16_t q, uint16_t nb_desc, unsigned int socket,
	  const struct rte_eth_txconf *conf, size_t bytes)
{
	struct txq *txq;

	txq_release(dev, q);
	txq = rte_zmalloc_socket("aim_txq", bytes, RTE_CACHE_LINE_SIZE, (int)socket);
	if (txq == NULL) {
		ring_no_memory(dev, "Tx", q, nb_desc, socket);
		return NULL;
	}
	txq->mz = rte_eth_dma_zone_reserve(
	    dev, "aim_tx_ring", q, nb_desc * sizeof(struct ring_desc), RING_ALIGN, (int)socket);
	txq->sw_ring = rte_zmalloc_socket("aim_tx_sw", nb_desc * sizeof(txq->sw_ring[0]),
					  RTE_CACHE_LINE_SIZE, (int)socket);
	if (txq->mz == NULL || txq->sw_ring == NULL) {
		ring_no_memory(dev, "Tx", q, nb_desc, socket);
		txq_free(txq);
		return NULL;
	}
	txq->ring = txq->mz->addr;
	txq->queue_id = q;
	txq->size = nb_desc;
	txq->free_thresh = txq_free_thresh(conf, nb_desc);
	txq->deferred_start = conf->tx_deferred_start != 0;
	txq->offloads = conf->offloads | dev->data->dev_conf.txmode.offloads;
	txq->fast_free = (txq->offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0;
	txq_empty(txq);
	return txq;
}

void
txq_release(struct rte_eth_dev *dev, uint16_t q)
{
	struct txq *txq = dev->data->tx_queues[q];

	if (txq == NULL)
		return;
	txq_empty(txq);
	txq_free(txq);
	dev->data->tx_queues[q] = NULL;
}

void
txq_info(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_txq_info *info)
{
	const struct txq *txq = dev->data->tx_queues[q];

	info->nb_desc = txq->size;
	info->conf.tx_free_thresh = txq->free_thresh;
	info->conf.tx_deferred_start = txq->deferred_start;
	info->conf.offloads = txq->offloads;
}

bool
txqs_simple(const struct rte_eth_dev *dev)
{
	for (uint16_t q = 0; q < dev->data->nb_tx_queues; q++) {
		const struct txq *txq = dev->data->tx_queues[q];

		if ((txq->offloads & ~(uint64_t)RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0)
			return false;
	}
	return true;
}
