/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An Rx queue, as far as it is the same in every PMD: the ring of 16-byte descriptors, its mbufs,
 * its moderation. A PMD's own queue begins with it. What bursts do with it: rxq_burst.h.
 *
 * A descriptor is given to hardware as an address and a zero; hardware writes back 16 bytes whose
 * second half says when it is done.
 */
#ifndef AIM_COMMON_RXQ_H
#define AIM_COMMON_RXQ_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/compat.h"
#include "moderation.h"
#include "ring.h"

#define RXQ_FREE_THRESH 32 /* default: descriptors are given back by so many */
#define RXQ_SW_PAD 4	   /* entries behind the end of sw_ring that may be read */

/* The first lines are what bursts touch. */
struct rxq {
	struct ring_desc *ring;	   /* written by hardware: read through rxq_burst.h only */
	struct rte_mbuf **sw_ring; /* mbuf of each descriptor */
	uint64_t rearm;		   /* data_off, refcnt, nb_segs, port of a fresh mbuf */
	uint64_t flags;		   /* the PMD's: what of a write-back reaches the mbuf */
	uint16_t next;		   /* next descriptor to look at */
	uint16_t hold;		   /* descriptors without a buffer, behind `next` */
	uint16_t unposted;    /* descriptors with a new buffer that the tail does not cover yet */
	uint16_t size;	      /* descriptors */
	uint16_t free_thresh; /* give back when so many are held */
	uint16_t crc_len;     /* bytes of FCS at the end of a frame: 0 or 4 */
	uint16_t buf_size;    /* bytes of data room that hardware may fill */
	uint16_t queue_id;
	volatile void *tail; /* the register that gives descriptors */
	struct rte_mempool *pool;
	struct rte_mbuf *first_seg; /* scattered: packet under way */
	struct rte_mbuf *last_seg;
	uint64_t bad_length; /* frames dropped: damaged, or a length that the buffer cannot hold */

	struct moderation mod;

	/* set up */
	struct rte_eth_dev_data *data;
	const struct rte_memzone *mz;
	uint64_t offloads;
	uint64_t bad_length_base; /* bad_length when statistics were reset */
	bool deferred_start;
};

/*
 * Memory for a queue of nb_desc descriptors, `bytes` long, and all of it that is no PMD's own; the
 * ring is empty and all zero. buf_size: bytes of a buffer that hardware may fill. NULL: -ENOMEM or
 * -EINVAL in *rc, after a log line.
 */
struct rxq *rxq_alloc(struct rte_eth_dev *dev, uint16_t q, uint16_t nb_desc, unsigned int socket,
		      const struct rte_eth_rxconf *conf, struct rte_mempool *pool, size_t bytes,
		      uint16_t buf_size, int *rc);
/* The smallest buffer of a pool, bytes: see RXQ_SEGS_MAX. */
#define RXQ_BUF_MIN 1024u

/* Its place in the port is empty afterwards; NULL there: nothing to do. */
void rxq_release(struct rte_eth_dev *dev, uint16_t q);
/* Free the mbufs that the ring still owns, and bring it to its start. */
void rxq_empty(struct rxq *rxq);
/* A buffer for every descriptor of an empty ring. -ENOMEM after a log line. */
int rxq_fill(struct rxq *rxq);
/* rte_eth_rx_queue_info_get(); rx_drop_en is the PMD's. */
void rxq_info(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_rxq_info *info);
/* Does any queue need more than one mbuf for the longest frame, or was asked to? To scattered_rx.
 */
void rxqs_scatter_decide(struct rte_eth_dev *dev);
/* -EINVAL, after a log line, when a running port cannot receive frames of an MTU. */
int rxqs_mtu_check(const struct rte_eth_dev *dev, uint16_t mtu);

/* Frames dropped for a bad length since the reset of statistics, and that reset. */
static inline uint64_t
rxq_bad_length(const struct rxq *rxq)
{
	return rxq->bad_length - rxq->bad_length_base;
}

static inline void
rxq_stats_reset(struct rxq *rxq)
{
	moderation_stats_reset(&rxq->mod);
	rxq->bad_length_base = rxq->bad_length;
}

/* The moderation of an Rx queue below nb_rx_queues; NULL: not set up. */
struct moderation *rxq_moderation(struct rte_eth_dev *dev, uint16_t q);
/* The link's speed changed: bounds of every queue follow. */
void rxqs_link(struct rte_eth_dev *dev);

#endif /* AIM_COMMON_RXQ_H */
