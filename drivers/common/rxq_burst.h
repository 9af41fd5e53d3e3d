/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive: hot. The loops that every PMD's receive functions are made of; what differs between
 * families are the constants of struct rxq_format and a function that fills an mbuf, both of which
 * the compiler folds in.
 *
 * A descriptor is read in this order: the half with the status once; if it is done, an acquire;
 * then the other half. Given back are only whole groups of descriptors behind `next`, so software
 * never looks at a descriptor that hardware has not been given since.
 */
#ifndef AIM_COMMON_RXQ_BURST_H
#define AIM_COMMON_RXQ_BURST_H

#include <ethdev_driver.h>
#include <rte_prefetch.h>

#include "mmio.h"
#include "rxq.h"

/* How far ahead the mbuf's first line is fetched. */
#define RXQ_PREFETCH 4
static_assert(RXQ_PREFETCH <= RXQ_SW_PAD, "the look ahead stays in sw_ring");
/* Segments of the longest frame, 16 KB, in the smallest buffers, RXQ_BUF_MIN; what a device that
 * never ends a frame puts into more than these is dropped and counted. */
#define RXQ_SEGS_MAX 16

/* Where a family has what in the second half of a write-back. */
struct rxq_format {
	uint64_t done;
	uint64_t last;	     /* descriptor of a frame */
	uint64_t error;	     /* the frame is damaged; its last descriptor says so */
	uint64_t whole;	     /* bits that a frame of one descriptor has all, else it is none */
	unsigned int length; /* the lowest of the length's 16 bits */
};

/* What the first descriptor of a packet (or the only one) says, to m. */
typedef void rxq_fill_mbuf(const struct rxq *rxq, struct rte_mbuf *m, uint64_t lo, uint64_t hi);

/* Half a descriptor, little-endian, read while hardware may write it. */
static inline uint64_t
rxq_half(const struct ring_desc *d, unsigned int half)
{
	return rte_le_to_cpu_64(__atomic_load_n(&d->half[half], __ATOMIC_RELAXED));
}

static inline uint16_t
rxq_length(const struct rxq_format *f, uint64_t hi)
{
	return (uint16_t)(hi >> f->length);
}

/* Damaged, or in pieces though a buffer holds any frame, or a length that none can have. */
static inline bool
rxq_bad(const struct rxq *rxq, const struct rxq_format *f, uint64_t hi, uint16_t len)
{
	return (hi & (f->error | f->whole)) != f->whole || (uint16_t)(len - 1) >= rxq->buf_size;
}

static inline void
rxq_give(struct ring_desc *d, const struct rte_mbuf *m)
{
	d->half[1] = 0; /* no longer done */
	d->half[0] = rte_cpu_to_le_64(rte_mbuf_data_iova_default(m));
}

/*
 * Give back `hold` descriptors, a few at a time: with a short pool as many as there are buffers
 * for. What is left is tried again with the next burst.
 */
static inline void
rxq_refill(struct rxq *rxq)
{
	uint32_t posted = UINT32_MAX;

	while (rxq->hold != 0) {
		uint16_t first = rxq->next >= rxq->hold
				     ? (uint16_t)(rxq->next - rxq->hold)
				     : (uint16_t)(rxq->next + rxq->size - rxq->hold);
		uint16_t n = RTE_MIN(RTE_MIN(rxq->hold, (uint16_t)(rxq->size - first)),
				     (uint16_t)RXQ_FREE_THRESH);
		struct rte_mbuf **m = &rxq->sw_ring[first];
		struct ring_desc *d = &rxq->ring[first];
		uint64_t rearm = rxq->rearm;

		if (unlikely(rte_mempool_get_bulk(rxq->pool, (void **)m, n) != 0)) {
			rxq->data->rx_mbuf_alloc_failed++;
			break;
		}
		for (uint16_t i = 0; i < n; i++) {
			compat_mbuf_rearm(m[i], rearm);
			rxq_give(&d[i], m[i]);
		}
		rxq->hold = (uint16_t)(rxq->hold - n);
		/* hardware stops before the tail: the last of a run waits for the next one */
		posted = (uint32_t)first + n - 1;
	}
	if (likely(posted != UINT32_MAX))
		mmio_tail(rxq->tail, posted);
}

/* A run ended early: if the descriptor there is done, it is bad: drop its frame and count it, of a
 * frame in pieces the last. */
static inline void
rxq_discard(struct rxq *rxq, const struct rxq_format *f)
{
	uint64_t hi = rxq_half(&rxq->ring[rxq->next], 1);

	if (rxq->hold == rxq->size || likely((hi & f->done) == 0))
		return;
	/* it came after the run */
	if (!rxq_bad(rxq, f, hi, (uint16_t)(rxq_length(f, hi) - rxq->crc_len)))
		return;
	rte_pktmbuf_free_seg(rxq->sw_ring[rxq->next]);
	rxq->bad_length += (hi & f->whole) == f->whole;
	rxq->hold++;
	if (++rxq->next == rxq->size)
		rxq->next = 0;
}

/* Packets of one descriptor each, from ring place `first`, at most n, not beyond the ring's end. */
static __rte_always_inline uint16_t
rxq_run(struct rxq *rxq, struct rte_mbuf **pkts, uint16_t first, uint16_t n, uint32_t *bytes,
	const struct rxq_format *f, rxq_fill_mbuf *fill)
{
	const struct ring_desc *d = &rxq->ring[first];
	struct rte_mbuf **sw = &rxq->sw_ring[first];
	uint32_t sum = 0;
	uint16_t i;

	for (i = 0; i < n; i++) {
		uint64_t hi = rxq_half(&d[i], 1);
		struct rte_mbuf *m;
		uint16_t len;

		if ((hi & f->done) == 0)
			break;
		rte_atomic_thread_fence(__ATOMIC_ACQUIRE);
		m = sw[i];
		len = (uint16_t)(rxq_length(f, hi) - rxq->crc_len);
		if (unlikely(rxq_bad(rxq, f, hi, len)))
			break;
		rte_prefetch0(sw[i + RXQ_PREFETCH]);
		fill(rxq, m, rxq_half(&d[i], 0), hi);
		m->data_len = len;
		m->pkt_len = len;
		sum += len;
		pkts[i] = m;
	}
	*bytes += sum;
	return i;
}

/* Frames of one descriptor, buffers back in bulk. */
static __rte_always_inline uint16_t
rxq_bulk(struct rxq *rxq, struct rte_mbuf **pkts, uint16_t n, uint32_t *bytes,
	 const struct rxq_format *f, rxq_fill_mbuf *fill)
{
	uint16_t first = rxq->next;
	uint16_t run, got;

	n = RTE_MIN(n, (uint16_t)(rxq->size - rxq->hold));
	run = RTE_MIN(n, (uint16_t)(rxq->size - first));
	got = rxq_run(rxq, pkts, first, run, bytes, f, fill);
	first = (uint16_t)(first + got);
	if (first == rxq->size) {
		first = rxq_run(rxq, pkts + got, 0, (uint16_t)(n - got), bytes, f, fill);
		got = (uint16_t)(got + first);
	}
	rxq->next = first;
	rxq->hold = (uint16_t)(rxq->hold + got);
	if (got < n)
		rxq_discard(rxq, f);
	if (rxq->hold >= rxq->free_thresh)
		rxq_refill(rxq);
	return got;
}

/* The frame is complete: cut the FCS, which may lie across two segments. */
static inline void
rxq_frame_end(const struct rxq *rxq, struct rte_mbuf *first, struct rte_mbuf *last, uint16_t len)
{
	uint16_t crc = rxq->crc_len;
	struct rte_mbuf *m;

	last->next = NULL;
	if (likely(crc == 0))
		return;
	first->pkt_len -= RTE_MIN(first->pkt_len, (uint32_t)crc);
	if (likely(len > crc)) {
		last->data_len = (uint16_t)(len - crc);
		return;
	}
	/* the last segment holds nothing but FCS, and perhaps the one before it ends with some */
	if (first == last) {
		first->data_len = 0;
		first->pkt_len = 0;
		return;
	}
	for (m = first; m->next != last;)
		m = m->next;
	m->data_len = (uint16_t)(m->data_len - RTE_MIN(m->data_len, (uint16_t)(crc - len)));
	m->next = NULL;
	first->nb_segs--;
	rte_pktmbuf_free_seg(last);
}

/* Frames of several descriptors. */
static __rte_always_inline uint16_t
rxq_scatter(struct rxq *rxq, struct rte_mbuf **pkts, uint16_t n, uint32_t *bytes,
	    const struct rxq_format *f, rxq_fill_mbuf *fill)
{
	struct rte_mbuf *first = rxq->first_seg, *last = rxq->last_seg;
	uint16_t avail = (uint16_t)(rxq->size - rxq->hold);
	uint16_t next = rxq->next;
	uint16_t got = 0, taken = 0;

	while (got < n && taken < avail) {
		const struct ring_desc *d = &rxq->ring[next];
		uint64_t hi = rxq_half(d, 1);
		struct rte_mbuf *m;
		uint16_t len;

		if ((hi & f->done) == 0)
			break;
		rte_atomic_thread_fence(__ATOMIC_ACQUIRE);
		m = rxq->sw_ring[next];
		taken++;
		if (++next == rxq->size)
			next = 0;
		len = RTE_MIN(rxq_length(f, hi), rxq->buf_size);
		m->data_len = len;
		if (first == NULL) {
			first = m;
			m->pkt_len = len;
		} else {
			first->pkt_len += len;
			first->nb_segs++;
			last->next = m;
		}
		last = m;
		if ((hi & f->last) == 0 && first->nb_segs < RXQ_SEGS_MAX)
			continue;
		if (unlikely((hi & f->error) != 0 || (hi & f->last) == 0)) {
			rxq->bad_length++;
			last->next = NULL;
			rte_pktmbuf_free(first);
			first = NULL;
			continue;
		}
		fill(rxq, first, rxq_half(d, 0), hi);
		rxq_frame_end(rxq, first, last, len);
		*bytes += first->pkt_len;
		pkts[got++] = first;
		first = NULL;
	}
	rxq->first_seg = first;
	rxq->last_seg = last;
	rxq->next = next;
	rxq->hold = (uint16_t)(rxq->hold + taken);
	if (rxq->hold >= rxq->free_thresh)
		rxq_refill(rxq);
	return got;
}

/* The descriptor `ahead` of the next one is done. */
static inline bool
rxq_done_at(const struct rxq *rxq, const struct rxq_format *f, uint32_t ahead)
{
	uint32_t at = rxq->next + ahead;

	return (rxq_half(&rxq->ring[at < rxq->size ? at : at - rxq->size], 1) & f->done) != 0;
}

/*
 * How many descriptors are done. Hardware works in order: look at 1, 2, 4, ... and halve the rest.
 * The queue's own thread.
 */
static inline uint16_t
rxq_backlog(const struct rxq *rxq, const struct rxq_format *f)
{
	uint32_t avail = (uint32_t)rxq->size - rxq->hold - rxq->unposted, yes = 0, no = 1;

	while (no <= avail && rxq_done_at(rxq, f, no - 1)) {
		yes = no;
		no *= 2;
	}
	no = RTE_MIN(no, avail + 1);
	while (no - yes > 1) {
		uint32_t half = yes + (no - yes) / 2;

		if (rxq_done_at(rxq, f, half - 1))
			yes = half;
		else
			no = half;
	}
	return (uint16_t)yes;
}

/* True when the ring is empty for want of buffers: nothing would ever come. Tries again first. */
static inline bool
rxq_starved(struct rxq *rxq)
{
	if (likely(rxq->hold < rxq->free_thresh))
		return false;
	rxq_refill(rxq);
	return rxq->hold >= rxq->size - 1;
}

/* rte_eth_rx_descriptor_status() */
static inline int
rxq_desc_status(const struct rxq *rxq, const struct rxq_format *f, uint16_t offset)
{
	if (offset >= rxq->size)
		return -EINVAL;
	if (offset >= rxq->size - rxq->hold - rxq->unposted)
		return RTE_ETH_RX_DESC_UNAVAIL;
	return rxq_done_at(rxq, f, offset) ? RTE_ETH_RX_DESC_DONE : RTE_ETH_RX_DESC_AVAIL;
}

#endif /* AIM_COMMON_RXQ_BURST_H */
