/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A Tx queue, as far as it is the same in every PMD: the ring of 16-byte descriptors and its mbufs.
 * A PMD's own queue begins with it.
 */
#ifndef AIM_COMMON_TXQ_H
#define AIM_COMMON_TXQ_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ethdev.h>

#include "ring.h"

#define TXQ_FREE_THRESH 32 /* default: mbufs are freed when fewer descriptors are free */

struct txq {
	void *ring;		   /* struct ring_desc, as the PMD calls them */
	struct rte_mbuf **sw_ring; /* mbuf of each descriptor; NULL: one that carries none */
	volatile void *tail;	   /* the register that gives descriptors */
	uint16_t next;		   /* next descriptor to write */
	uint16_t free;		   /* descriptors that may be written */
	uint16_t size;
	uint16_t clean;	      /* oldest descriptor whose mbuf is not freed */
	uint16_t free_thresh; /* clean when fewer are free */
	uint16_t queue_id;
	bool fast_free; /* RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE */

	/* set up */
	bool deferred_start;
	const struct rte_memzone *mz;
	void *more; /* the PMD's, rte_malloc()ed; freed with the queue */
	uint64_t offloads;
};

/* Memory for a queue, `bytes` long; the ring is empty and all zero. NULL, after a log line: none.
 */
struct txq *txq_alloc(struct rte_eth_dev *dev, uint16_t q, uint16_t nb_desc, unsigned int socket,
		      const struct rte_eth_txconf *conf, size_t bytes);
/* The default that fits a ring, where the application names none. */
uint16_t txq_free_thresh(const struct rte_eth_txconf *conf, uint16_t nb_desc);
/* Its place in the port is empty afterwards; NULL there: nothing to do. */
void txq_release(struct rte_eth_dev *dev, uint16_t q);
/* Free what was not sent or not cleaned; `next` and `clean` stay, equal. */
void txq_empty(struct txq *txq);
/* rte_eth_tx_queue_info_get(), but for the thresholds that not every family has. */
void txq_info(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_txq_info *info);
/* True when no queue was asked for an offload but fast free: the simple function will do. */
bool txqs_simple(const struct rte_eth_dev *dev);

static inline uint16_t
txq_place_after(const struct txq *txq, uint16_t at)
{
	return ++at == txq->size ? 0 : at;
}

/* Free the mbufs of n consecutive places. all_mbufs: every place holds one. */
static inline void
txq_run_free(const struct txq *txq, uint16_t first, uint16_t n, bool all_mbufs)
{
	struct rte_mbuf **m = &txq->sw_ring[first];

	/* fast free: the application promised one pool and no second reference */
	if (all_mbufs && txq->fast_free)
		rte_mempool_put_bulk(m[0]->pool, (void **)m, n);
	else
		ring_mbufs_free(m, n);
}

/* Hardware has sent all before `end`, 1 to size: free it. How many descriptors became free. */
static inline uint16_t
txq_free_until(struct txq *txq, uint16_t end, bool all_mbufs)
{
	uint16_t first = txq->clean, n = 0;

	if (end <= first) { /* beyond the ring's end */
		n = (uint16_t)(txq->size - first);
		txq_run_free(txq, first, n, all_mbufs);
		first = 0;
	}
	if (end != first)
		txq_run_free(txq, first, (uint16_t)(end - first), all_mbufs);
	n = (uint16_t)(n + end - first);
	txq->clean = end == txq->size ? 0 : end;
	txq->free = (uint16_t)(txq->free + n);
	return n;
}

#endif /* AIM_COMMON_TXQ_H */
