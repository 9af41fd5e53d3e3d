/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive: hot. Two functions for two kinds of queue, chosen at start.
 *
 * A descriptor is read in this order: the eight bytes with the status once; if R is set, an
 * acquire; then the other eight. Given back are only whole groups of descriptors behind `next`, so
 * software never looks at a descriptor that hardware has not been given since.
 */
#include "../../common/ring.h"
#include "enetc_aim.h"

#include <rte_prefetch.h>

/* The second half of a write-back, as one load. */
#define LENGTH(hi) ((uint16_t)(hi))
#define VLAN(hi) ((uint16_t)((hi) >> 16))
#define STATUS(hi) ((uint32_t)((hi) >> 32))
/* and the first */
#define PARSE(lo) ((uint32_t)(uint16_t)((lo) >> 16))
#define RSS(lo) ((uint32_t)((lo) >> 32))

/* How far ahead the mbuf's first line is fetched. */
#define RX_PREFETCH 4
static_assert(RX_PREFETCH <= ENETC_RX_SW_PAD, "the look ahead stays in sw_ring");
/* Segments of the longest frame in buffers of 1 KB and a little; a device that never ends a frame
 * fills no chain longer than this.
 */
#define RX_SEGS_MAX 16

static_assert(offsetof(union enetc_rx_desc, wb.parse) == 2, "parse summary");
static_assert(offsetof(union enetc_rx_desc, wb.rss) == 4, "hash ends the first half");
static_assert(offsetof(union enetc_rx_desc, wb.length) == 8, "length leads the second half");
static_assert(offsetof(union enetc_rx_desc, wb.vlan) == 10, "VLAN tag follows");
static_assert(offsetof(union enetc_rx_desc, wb.status) == 12, "status ends it");

/* Half a descriptor, little-endian, read while hardware may write it. */
static inline uint64_t
desc_half(const union enetc_rx_desc *d, unsigned int half)
{
	return rte_le_to_cpu_64(__atomic_load_n((const uint64_t *)d + half, __ATOMIC_RELAXED));
}

static inline bool
desc_done(const union enetc_rx_desc *d)
{
	return (STATUS(desc_half(d, 1)) & ENETC_RXD_R) != 0;
}

/*
 * By the parse summary: bits 6:0, and its error bit as bit 7. Packet type in the low half, mbuf
 * flags of the checksums in the high half. An error is of the last layer that is named; without one
 * the layers above it are right.
 */
#define PARSE_INDEX(parse) (((parse)&0x7F) | ((parse) >> 8 & 0x80))
#define IS_V4(i) (((i)&ENETC_RXD_PARSE_L3) == ENETC_RXD_PARSE_IPV4)
#define IS_IP(i) (IS_V4(i) || ((i)&ENETC_RXD_PARSE_L3) == ENETC_RXD_PARSE_IPV6)
#define L4_OF(i) ((i)&ENETC_RXD_PARSE_L4)
#define L4_PTYPE(i) \
	(L4_OF(i) == ENETC_RXD_PARSE_TCP    ? RTE_PTYPE_L4_TCP \
	 : L4_OF(i) == ENETC_RXD_PARSE_UDP  ? RTE_PTYPE_L4_UDP \
	 : L4_OF(i) == ENETC_RXD_PARSE_SCTP ? RTE_PTYPE_L4_SCTP \
	 : L4_OF(i) == ENETC_RXD_PARSE_ICMP ? RTE_PTYPE_L4_ICMP \
					    : 0)
#define L4_SUM(i) \
	(L4_OF(i) == ENETC_RXD_PARSE_TCP || L4_OF(i) == ENETC_RXD_PARSE_UDP || \
	 L4_OF(i) == ENETC_RXD_PARSE_SCTP)
#define PTYPE(i) \
	(RTE_PTYPE_L2_ETHER | \
	 (IS_IP(i) ? (IS_V4(i) ? RTE_PTYPE_L3_IPV4 : RTE_PTYPE_L3_IPV6) | L4_PTYPE(i) : 0))
#define IP_FLAGS(i) \
	(!IS_V4(i)			    ? 0 \
	 : ((i)&0x80) != 0 && L4_OF(i) == 0 ? RTE_MBUF_F_RX_IP_CKSUM_BAD \
					    : RTE_MBUF_F_RX_IP_CKSUM_GOOD)
#define L4_FLAGS(i) \
	(!IS_IP(i) || !L4_SUM(i) ? 0 \
	 : ((i)&0x80) != 0	 ? RTE_MBUF_F_RX_L4_CKSUM_BAD \
				 : RTE_MBUF_F_RX_L4_CKSUM_GOOD)
#define E1(i) (PTYPE(i) | (uint64_t)(IP_FLAGS(i) | L4_FLAGS(i)) << 32)
#define E4(i) E1(i), E1((i) + 1), E1((i) + 2), E1((i) + 3)
#define E16(i) E4(i), E4((i) + 4), E4((i) + 8), E4((i) + 12)
#define E64(i) E16(i), E16((i) + 16), E16((i) + 32), E16((i) + 48)
static const uint64_t parse_table[256] = {E64(0), E64(64), E64(128), E64(192)};

static_assert(RTE_MBUF_F_RX_RSS_HASH == ENETC_RXD_RSSV >> 7, "moved by a shift");
static_assert(RTE_MBUF_F_RX_VLAN == ENETC_RXD_VLAN >> 9, "likewise");
static_assert(RTE_MBUF_F_RX_VLAN_STRIPPED == RTE_MBUF_F_RX_VLAN << 6, "likewise");

static inline uint64_t
status_flags(uint32_t status)
{
	uint64_t vlan = status >> 9 & RTE_MBUF_F_RX_VLAN;

	return (status >> 7 & RTE_MBUF_F_RX_RSS_HASH) | vlan | vlan << 6;
}

/* What the first descriptor of a packet (or the only one) says. */
static inline void
rx_fill(const struct enetc_rxq *rxq, struct rte_mbuf *m, uint64_t lo, uint64_t hi)
{
	uint64_t parsed = parse_table[PARSE_INDEX(PARSE(lo))];

	m->ol_flags = (parsed >> 32 | status_flags(STATUS(hi))) & rxq->flags;
	m->packet_type = (uint32_t)parsed;
	m->vlan_tci = VLAN(hi);
	m->hash.rss = RSS(lo);
}

/* Damaged, or in pieces though a buffer holds any frame, or a length that none can have. */
static inline bool
rx_bad(const struct enetc_rxq *rxq, uint64_t hi, uint16_t len)
{
	return (STATUS(hi) & (ENETC_RXD_ERROR | ENETC_RXD_F)) != ENETC_RXD_F ||
	       (uint16_t)(len - 1) >= rxq->buf_size;
}

static inline void
desc_give(union enetc_rx_desc *d, const struct rte_mbuf *m)
{
	d->read.addr = rte_cpu_to_le_64(rte_mbuf_data_iova_default(m));
	d->read.reserved = 0; /* clears R */
}

/*
 * Give back `hold` descriptors, a few at a time: with a short pool as many as there are buffers
 * for. What is left is tried again with the next burst.
 */
static void
rx_refill(struct enetc_rxq *rxq)
{
	uint32_t posted = UINT32_MAX;

	while (rxq->hold != 0) {
		uint16_t first = rxq->next >= rxq->hold
				     ? (uint16_t)(rxq->next - rxq->hold)
				     : (uint16_t)(rxq->next + rxq->size - rxq->hold);
		uint16_t n = RTE_MIN(RTE_MIN(rxq->hold, (uint16_t)(rxq->size - first)),
				     (uint16_t)ENETC_RX_FREE_THRESH);
		struct rte_mbuf **m = &rxq->sw_ring[first];
		union enetc_rx_desc *d = &rxq->ring[first];
		uint64_t rearm = rxq->rearm;

		if (unlikely(rte_mempool_get_bulk(rxq->pool, (void **)m, n) != 0)) {
			rxq->port->data->rx_mbuf_alloc_failed++;
			break;
		}
		for (uint16_t i = 0; i < n; i++) {
			compat_mbuf_rearm(m[i], rearm);
			desc_give(&d[i], m[i]);
		}
		rxq->hold = (uint16_t)(rxq->hold - n);
		/* hardware stops before the index, and equal indices mean none: the last waits */
		posted = (uint32_t)first + n - 1;
	}
	if (likely(posted != UINT32_MAX))
		mmio_tail(rxq->tail, posted);
}

/* A run ended early: if the descriptor there is done and bad, drop its frame and count it. */
static __rte_noinline void
rx_discard(struct enetc_rxq *rxq)
{
	uint64_t hi = desc_half(&rxq->ring[rxq->next], 1);

	if (rxq->hold == rxq->size || !(STATUS(hi) & ENETC_RXD_R) ||
	    !rx_bad(rxq, hi, (uint16_t)(LENGTH(hi) - rxq->crc_len)))
		return;
	rte_pktmbuf_free_seg(rxq->sw_ring[rxq->next]);
	/* of a frame in pieces the last one counts */
	rxq->bad_length += (STATUS(hi) & ENETC_RXD_F) != 0;
	rxq->hold++;
	if (++rxq->next == rxq->size)
		rxq->next = 0;
}

/* Packets of one descriptor each, from ring place `first`, at most n, not beyond the ring's end. */
static inline uint16_t
rx_run(struct enetc_rxq *rxq, struct rte_mbuf **pkts, uint16_t first, uint16_t n, uint32_t *bytes)
{
	const union enetc_rx_desc *d = &rxq->ring[first];
	struct rte_mbuf **sw = &rxq->sw_ring[first];
	uint32_t sum = 0;
	uint16_t i;

	for (i = 0; i < n; i++) {
		uint64_t hi = desc_half(&d[i], 1);
		struct rte_mbuf *m;
		uint16_t len;

		if (!(STATUS(hi) & ENETC_RXD_R))
			break;
		rte_atomic_thread_fence(__ATOMIC_ACQUIRE);
		m = sw[i];
		len = (uint16_t)(LENGTH(hi) - rxq->crc_len);
		if (unlikely(rx_bad(rxq, hi, len)))
			break;
		rte_prefetch0(sw[i + RX_PREFETCH]);
		rx_fill(rxq, m, desc_half(&d[i], 0), hi);
		m->data_len = len;
		m->pkt_len = len;
		sum += len;
		pkts[i] = m;
	}
	*bytes += sum;
	return i;
}

/* The end of every burst. */
static inline uint16_t
rx_end(struct enetc_rxq *rxq, uint16_t got, uint32_t bytes)
{
	enum moderation_todo todo;

	if (rxq->hold >= rxq->free_thresh)
		rx_refill(rxq);
	rxq->packets += got;
	rxq->bytes += bytes;
	todo = moderation_burst(&rxq->mod, got, bytes);
	if (unlikely(todo != MODERATION_NOTHING))
		enetc_irq_rxq_attend(rxq, todo, got);
	return got;
}

uint16_t
enetc_rx_burst(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	struct enetc_rxq *rxq = queue;
	uint16_t first = rxq->next;
	uint32_t bytes = 0;
	uint16_t run, got;

	n = RTE_MIN(n, (uint16_t)(rxq->size - rxq->hold));
	run = RTE_MIN(n, (uint16_t)(rxq->size - first));
	got = rx_run(rxq, pkts, first, run, &bytes);
	first = (uint16_t)(first + got);
	if (first == rxq->size) {
		first = rx_run(rxq, pkts + got, 0, (uint16_t)(n - got), &bytes);
		got = (uint16_t)(got + first);
	}
	rxq->next = first;
	rxq->hold = (uint16_t)(rxq->hold + got);
	if (got < n) {
		if (unlikely(desc_done(&rxq->ring[first])))
			rx_discard(rxq);
		else
			rxq->taken = false;
	}
	return rx_end(rxq, got, bytes);
}

/* The frame is complete: cut the FCS, which may lie across two segments. */
static inline void
scatter_end(struct enetc_rxq *rxq, struct rte_mbuf *first, struct rte_mbuf *last, uint16_t len)
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

uint16_t
enetc_rx_burst_scatter(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	struct enetc_rxq *rxq = queue;
	struct rte_mbuf *first = rxq->first_seg, *last = rxq->last_seg;
	uint16_t avail = (uint16_t)(rxq->size - rxq->hold);
	uint16_t next = rxq->next;
	uint32_t bytes = 0;
	uint16_t got = 0, taken = 0;

	while (got < n && taken < avail) {
		const union enetc_rx_desc *d = &rxq->ring[next];
		uint64_t hi = desc_half(d, 1);
		struct rte_mbuf *m;
		uint16_t len;

		if (!(STATUS(hi) & ENETC_RXD_R)) {
			rxq->taken = false;
			break;
		}
		rte_atomic_thread_fence(__ATOMIC_ACQUIRE);
		m = rxq->sw_ring[next];
		taken++;
		if (++next == rxq->size)
			next = 0;
		len = RTE_MIN(LENGTH(hi), rxq->buf_size);
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
		if (!(STATUS(hi) & ENETC_RXD_F) && first->nb_segs < RX_SEGS_MAX)
			continue;
		if (unlikely((STATUS(hi) & ENETC_RXD_ERROR) != 0)) {
			rxq->bad_length++;
			last->next = NULL;
			rte_pktmbuf_free(first);
			first = NULL;
			continue;
		}
		rx_fill(rxq, first, desc_half(d, 0), hi);
		scatter_end(rxq, first, last, len);
		bytes += first->pkt_len;
		pkts[got++] = first;
		first = NULL;
	}
	rxq->first_seg = first;
	rxq->last_seg = last;
	rxq->next = next;
	rxq->hold = (uint16_t)(rxq->hold + taken);
	return rx_end(rxq, got, bytes);
}

static bool
rx_done_at(const void *queue, uint32_t ahead)
{
	const struct enetc_rxq *rxq = queue;
	uint32_t at = rxq->next + ahead;

	return desc_done(&rxq->ring[at < rxq->size ? at : at - rxq->size]);
}

uint16_t
enetc_rxq_backlog(const struct enetc_rxq *rxq)
{
	return ring_backlog(rxq, (uint32_t)rxq->size - rxq->hold, rx_done_at);
}

bool
enetc_rxq_pending(const struct enetc_rxq *rxq)
{
	return rxq->hold < rxq->size && desc_done(&rxq->ring[rxq->next]);
}

bool
enetc_rxq_starved(struct enetc_rxq *rxq)
{
	if (likely(rxq->hold < rxq->free_thresh))
		return false;
	rx_refill(rxq);
	return rxq->hold >= rxq->size - 1;
}

compat_rxq_count_t
enetc_rxq_count(void *queue)
{
	return enetc_rxq_backlog(queue);
}

int
enetc_rxq_desc_status(void *queue, uint16_t offset)
{
	const struct enetc_rxq *rxq = queue;

	if (offset >= rxq->size)
		return -EINVAL;
	if (offset >= rxq->size - rxq->hold)
		return RTE_ETH_RX_DESC_UNAVAIL;
	return rx_done_at(rxq, offset) ? RTE_ETH_RX_DESC_DONE : RTE_ETH_RX_DESC_AVAIL;
}

void
enetc_rx_select(struct rte_eth_dev *dev)
{
	dev->rx_pkt_burst = dev->data->scattered_rx ? enetc_rx_burst_scatter : enetc_rx_burst;
}

int
enetc_rx_burst_mode(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_burst_mode *mode)
{
	RTE_SET_USED(q);
	snprintf(mode->info, sizeof(mode->info), "%s",
		 dev->rx_pkt_burst == enetc_rx_burst ? "Scalar Bulk Alloc" : "Scalar Scattered");
	return 0;
}

const uint32_t *
enetc_rx_ptypes(struct rte_eth_dev *dev, size_t *n)
{
	static const uint32_t ptypes[] = {
	    RTE_PTYPE_L2_ETHER, RTE_PTYPE_L3_IPV4, RTE_PTYPE_L3_IPV6, RTE_PTYPE_L4_TCP,
	    RTE_PTYPE_L4_UDP,	RTE_PTYPE_L4_SCTP, RTE_PTYPE_L4_ICMP, RTE_PTYPE_UNKNOWN,
	};

	RTE_SET_USED(dev);
	*n = RTE_DIM(ptypes) - 1; /* the end mark is for callers before 24.03 */
	return ptypes;
}
