/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive: hot. Three functions for three kinds of queue, chosen at start.
 *
 * A descriptor is read in the order that section 7.1.6.2 allows: the eight
 * bytes with the status once; if DD is set, an acquire; then the other eight.
 * Given back are only whole groups of descriptors behind `next`, so software
 * never looks at a descriptor that hardware has not been given since.
 */
#include "../../common/ring.h"
#include "ixgbe_aim.h"

#include <rte_prefetch.h>

/* The second half of a write-back, as one load. */
#define STATUS(hi) ((uint32_t)(hi))
#define LENGTH(hi) ((uint16_t)((hi) >> 32))
#define VLAN(hi) ((uint16_t)((hi) >> 48))

/* How far ahead the mbuf's first line is fetched. */
#define RX_PREFETCH 4
static_assert(RX_PREFETCH <= IXGBE_RX_SW_PAD, "the look ahead stays in sw_ring");
/* Segments of the longest frame in the smallest buffers, 16 KB in 1 KB; a device that never says
 * end-of-packet fills no chain longer than this. */
#define RX_SEGS_MAX 16

static_assert(offsetof(union ixgbe_rx_desc, wb.status_error) == 8, "status leads the second half");
static_assert(offsetof(union ixgbe_rx_desc, wb.length) == 12, "length follows");
static_assert(offsetof(union ixgbe_rx_desc, wb.vlan) == 14, "VLAN tag ends it");

/* Half a descriptor, little-endian, read while hardware may write it. */
static inline uint64_t
desc_half(const union ixgbe_rx_desc *d, unsigned int half)
{
	return rte_le_to_cpu_64(__atomic_load_n((const uint64_t *)d + half, __ATOMIC_RELAXED));
}

static inline bool
desc_done(const union ixgbe_rx_desc *d)
{
	return (desc_half(d, 1) & IXGBE_RXD_STAT_DD) != 0;
}

/*
 * Packet type of a descriptor (section 7.1.6.2, packet type) by its bits 0-6
 * and, as bit 7, the "L2 packet" bit, with which bits 0-6 mean something else.
 */
#define PTYPE_INDEX(info) (((info) >> 4 & 0x7F) | ((info) >> 8 & 0x80))
#define L3(bits) \
	(((bits)&IXGBE_RXD_PTYPE_IPV4) \
	     ? (((bits)&IXGBE_RXD_PTYPE_IPV4_EXT) ? RTE_PTYPE_L3_IPV4_EXT : RTE_PTYPE_L3_IPV4) \
	 : ((bits)&IXGBE_RXD_PTYPE_IPV4_EXT) ? RTE_PTYPE_L3_IPV4_EXT \
	 : ((bits)&IXGBE_RXD_PTYPE_IPV6) \
	     ? (((bits)&IXGBE_RXD_PTYPE_IPV6_EXT) ? RTE_PTYPE_L3_IPV6_EXT : RTE_PTYPE_L3_IPV6) \
	 : ((bits)&IXGBE_RXD_PTYPE_IPV6_EXT) ? RTE_PTYPE_L3_IPV6_EXT \
					     : 0)
#define L4(bits) \
	(((bits)&IXGBE_RXD_PTYPE_TCP)	 ? RTE_PTYPE_L4_TCP \
	 : ((bits)&IXGBE_RXD_PTYPE_UDP)	 ? RTE_PTYPE_L4_UDP \
	 : ((bits)&IXGBE_RXD_PTYPE_SCTP) ? RTE_PTYPE_L4_SCTP \
					 : 0)
#define P1(bits) (RTE_PTYPE_L2_ETHER | L3(bits) | (L3(bits) ? L4(bits) : 0))
#define P4(bits) P1(bits), P1((bits) + 1), P1((bits) + 2), P1((bits) + 3)
#define P16(bits) P4(bits), P4((bits) + 4), P4((bits) + 8), P4((bits) + 12)
static const uint32_t ptype_table[256] = {
    P16(0x00), P16(0x10), P16(0x20),
    P16(0x30), P16(0x40), P16(0x50),
    P16(0x60), P16(0x70), [0x80 ... 0xFF] = RTE_PTYPE_L2_ETHER};

/*
 * mbuf flags by status bits 3 (VP), 5 (L4CS), 6 (IPCS), error bits 30 (TCPE), 31 (IPE) as bits 0,
 * 1, and as bit 4 "UDP on an 82599": that device calls a UDP checksum of zero, which means none, an
 * error (specification update; the same exception in Linux's and DPDK's drivers).
 */
#define FLAGS_STATUS (IXGBE_RXD_STAT_VP | IXGBE_RXD_STAT_L4CS | IXGBE_RXD_STAT_IPCS)
#define FLAGS_UDP_ZERO 0x10
#define FLAGS_INDEX(status, udp) (((status)&FLAGS_STATUS) | (status) >> 30 | (udp))
#define F1(i) \
	((((i)&IXGBE_RXD_STAT_VP) ? RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED : 0) | \
	 (((i)&IXGBE_RXD_STAT_L4CS) ? (!((i)&1)		    ? RTE_MBUF_F_RX_L4_CKSUM_GOOD \
				       : (i)&FLAGS_UDP_ZERO ? RTE_MBUF_F_RX_L4_CKSUM_UNKNOWN \
							    : RTE_MBUF_F_RX_L4_CKSUM_BAD) \
				    : 0) | \
	 (((i)&IXGBE_RXD_STAT_IPCS) \
	      ? (((i)&2) ? RTE_MBUF_F_RX_IP_CKSUM_BAD : RTE_MBUF_F_RX_IP_CKSUM_GOOD) \
	      : 0))
#define F4(i) F1(i), F1((i) + 1), F1((i) + 2), F1((i) + 3)
#define F16(i) F4(i), F4((i) + 4), F4((i) + 8), F4((i) + 12)
static const uint16_t flags_table[128] = {F16(0x00), F16(0x10), F16(0x20), F16(0x30),
					  F16(0x40), F16(0x50), F16(0x60), F16(0x70)};
static_assert(RTE_MBUF_F_RX_RSS_HASH == 2, "the sum below makes the flag from the RSS type");

static inline uint64_t
rx_flags(uint32_t status, uint32_t info, uint32_t udp_zero)
{
	/* the UDP bit of the packet type falls on FLAGS_UDP_ZERO */
	uint32_t udp = info >> 5 & udp_zero;

	/* any RSS type but 0: a carry out of the low four bits */
	return flags_table[FLAGS_INDEX(status, udp)] |
	       (((info & IXGBE_RXD_INFO_RSSTYPE) + 15) >> 3 & RTE_MBUF_F_RX_RSS_HASH);
}

static_assert(IXGBE_RXD_PTYPE_UDP << IXGBE_RXD_INFO_PTYPE_SHIFT >> 5 == FLAGS_UDP_ZERO,
	      "where rx_flags() finds the UDP bit");

/* What the first descriptor of a packet (or the only one) says. */
static inline void
rx_fill(const struct ixgbe_rxq *rxq, struct rte_mbuf *m, uint64_t lo, uint64_t hi)
{
	m->ol_flags = rx_flags(STATUS(hi) & rxq->status_mask, (uint32_t)lo, rxq->udp_zero);
	m->packet_type = ptype_table[PTYPE_INDEX((uint32_t)lo)];
	m->vlan_tci = VLAN(hi);
	m->hash.rss = (uint32_t)(lo >> 32);
}

/* Bytes of a frame of one descriptor. */
static inline uint16_t
rx_length(const struct ixgbe_rxq *rxq, uint64_t hi)
{
	return (uint16_t)(LENGTH(hi) - rxq->crc_len);
}

/* A device that claims no byte at all, or more than the buffer holds, is not believed. */
static inline bool
rx_length_bad(const struct ixgbe_rxq *rxq, uint16_t len)
{
	return (uint16_t)(len - 1) >= rxq->buf_size;
}

static inline void
desc_give(union ixgbe_rx_desc *d, const struct rte_mbuf *m)
{
	d->read.hdr_addr = 0; /* clears DD */
	d->read.pkt_addr = rte_cpu_to_le_64(rte_mbuf_data_iova_default(m));
}

/*
 * Give back `hold` descriptors, a few at a time: with a short pool as many as there are buffers
 * for. What is left is tried again with the next burst.
 */
static void
rx_refill(struct ixgbe_rxq *rxq)
{
	uint32_t posted = UINT32_MAX;

	while (rxq->hold != 0) {
		uint16_t first = rxq->next >= rxq->hold
				     ? (uint16_t)(rxq->next - rxq->hold)
				     : (uint16_t)(rxq->next + rxq->size - rxq->hold);
		uint16_t n = RTE_MIN(RTE_MIN(rxq->hold, (uint16_t)(rxq->size - first)),
				     (uint16_t)IXGBE_RX_FREE_THRESH);
		struct rte_mbuf **m = &rxq->sw_ring[first];
		union ixgbe_rx_desc *d = &rxq->ring[first];
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
		/* hardware stops before the tail: the last of a run waits for the next one */
		posted = (uint32_t)first + n - 1;
	}
	if (likely(posted != UINT32_MAX))
		mmio_tail(rxq->tail, posted);
}

/*
 * A run ended early: if the descriptor there is done and bad, drop its frame.
 * Its buffer is freed with the next refill's place, as if it had been delivered.
 */
static __rte_noinline void
rx_discard(struct ixgbe_rxq *rxq)
{
	uint64_t hi = desc_half(&rxq->ring[rxq->next], 1);

	if (rxq->hold == rxq->size || !(hi & IXGBE_RXD_STAT_DD) ||
	    !rx_length_bad(rxq, rx_length(rxq, hi)))
		return;
	rte_pktmbuf_free_seg(rxq->sw_ring[rxq->next]);
	rxq->bad_length++;
	rxq->hold++;
	if (++rxq->next == rxq->size)
		rxq->next = 0;
}

/* Packets of one descriptor each, from ring place `first`, at most n, not beyond the ring's end. */
static inline uint16_t
rx_run(struct ixgbe_rxq *rxq, struct rte_mbuf **pkts, uint16_t first, uint16_t n, uint32_t *bytes)
{
	const union ixgbe_rx_desc *d = &rxq->ring[first];
	struct rte_mbuf **sw = &rxq->sw_ring[first];
	uint32_t sum = 0;
	uint16_t i;

	for (i = 0; i < n; i++) {
		uint64_t hi = desc_half(&d[i], 1);
		struct rte_mbuf *m;
		uint16_t len;

		if (!(hi & IXGBE_RXD_STAT_DD))
			break;
		rte_atomic_thread_fence(__ATOMIC_ACQUIRE);
		m = sw[i];
		len = rx_length(rxq, hi);
		if (unlikely(rx_length_bad(rxq, len)))
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

uint16_t
ixgbe_rx_burst_bulk(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	struct ixgbe_rxq *rxq = queue;
	uint16_t first = rxq->next;
	uint32_t bytes = 0;
	enum moderation_todo todo;
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
	if (got < n && unlikely(desc_done(&rxq->ring[first])))
		rx_discard(rxq);
	if (rxq->hold >= rxq->free_thresh)
		rx_refill(rxq);
	todo = moderation_burst(&rxq->mod, got, bytes);
	if (unlikely(todo != MODERATION_NOTHING))
		ixgbe_irq_rxq_attend(rxq, todo, got);
	return got;
}

/*
 * One by one: a packet is delivered only when another buffer took its place,
 * so a descriptor is never without one. For queues whose free_thresh is too
 * small for the bulk function to pay.
 */
uint16_t
ixgbe_rx_burst(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	struct ixgbe_rxq *rxq = queue;
	uint16_t next = rxq->next;
	uint32_t bytes = 0;
	enum moderation_todo todo;
	uint16_t got = 0;

	for (uint16_t looked = 0; looked < n; looked++) {
		union ixgbe_rx_desc *d = &rxq->ring[next];
		uint64_t hi = desc_half(d, 1);
		struct rte_mbuf *m, *fresh;
		uint16_t len;

		if (!(hi & IXGBE_RXD_STAT_DD))
			break;
		rte_atomic_thread_fence(__ATOMIC_ACQUIRE);
		fresh = rte_mbuf_raw_alloc(rxq->pool);
		if (unlikely(fresh == NULL)) {
			rxq->port->data->rx_mbuf_alloc_failed++;
			break;
		}
		m = rxq->sw_ring[next];
		len = rx_length(rxq, hi);
		if (likely(!rx_length_bad(rxq, len))) {
			rx_fill(rxq, m, desc_half(d, 0), hi);
			m->data_len = len;
			m->pkt_len = len;
			bytes += len;
			pkts[got++] = m;
		} else {
			rte_pktmbuf_free_seg(m);
			rxq->bad_length++;
		}
		rxq->sw_ring[next] = fresh;
		compat_mbuf_rearm(fresh, rxq->rearm);
		desc_give(d, fresh);
		rxq->unposted++;
		if (++next == rxq->size)
			next = 0;
	}
	rxq->next = next;
	if (rxq->unposted >= rxq->free_thresh) {
		rxq->unposted = 0;
		mmio_tail(rxq->tail, next == 0 ? rxq->size - 1u : next - 1u);
	}
	todo = moderation_burst(&rxq->mod, got, bytes);
	if (unlikely(todo != MODERATION_NOTHING))
		ixgbe_irq_rxq_attend(rxq, todo, got);
	return got;
}

/* The frame is complete: cut the FCS, which may lie across two segments. */
static inline void
scatter_end(struct ixgbe_rxq *rxq, struct rte_mbuf *first, struct rte_mbuf *last, uint16_t len)
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
ixgbe_rx_burst_scatter(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	struct ixgbe_rxq *rxq = queue;
	struct rte_mbuf *first = rxq->first_seg, *last = rxq->last_seg;
	uint16_t avail = (uint16_t)(rxq->size - rxq->hold);
	uint16_t next = rxq->next;
	uint32_t bytes = 0;
	enum moderation_todo todo;
	uint16_t got = 0, taken = 0;

	while (got < n && taken < avail) {
		const union ixgbe_rx_desc *d = &rxq->ring[next];
		uint64_t hi = desc_half(d, 1);
		struct rte_mbuf *m;
		uint16_t len;

		if (!(hi & IXGBE_RXD_STAT_DD))
			break;
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
		if (!(STATUS(hi) & IXGBE_RXD_STAT_EOP) && first->nb_segs < RX_SEGS_MAX)
			continue;
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
	if (rxq->hold >= rxq->free_thresh)
		rx_refill(rxq);
	todo = moderation_burst(&rxq->mod, got, bytes);
	if (unlikely(todo != MODERATION_NOTHING))
		ixgbe_irq_rxq_attend(rxq, todo, got);
	return got;
}

static bool
rx_done_at(const void *queue, uint32_t ahead)
{
	const struct ixgbe_rxq *rxq = queue;
	uint32_t at = rxq->next + ahead;

	return desc_done(&rxq->ring[at < rxq->size ? at : at - rxq->size]);
}

uint16_t
ixgbe_rxq_backlog(const struct ixgbe_rxq *rxq)
{
	return ring_backlog(rxq, (uint32_t)rxq->size - rxq->hold - rxq->unposted, rx_done_at);
}

bool
ixgbe_rxq_pending(struct ixgbe_rxq *rxq)
{
	/* With an empty pool the ring may run dry, and then nothing would ever wake: try again. */
	if (unlikely(rxq->hold >= rxq->free_thresh)) {
		rx_refill(rxq);
		if (rxq->hold >= rxq->size - 1)
			return true;
	}
	return desc_done(&rxq->ring[rxq->next]);
}

compat_rxq_count_t
ixgbe_rxq_count(void *queue)
{
	return ixgbe_rxq_backlog(queue);
}

int
ixgbe_rxq_desc_status(void *queue, uint16_t offset)
{
	const struct ixgbe_rxq *rxq = queue;
	uint32_t at;

	if (offset >= rxq->size)
		return -EINVAL;
	if (offset >= rxq->size - rxq->hold - rxq->unposted)
		return RTE_ETH_RX_DESC_UNAVAIL;
	at = (uint32_t)rxq->next + offset;
	if (at >= rxq->size)
		at -= rxq->size;
	return desc_done(&rxq->ring[at]) ? RTE_ETH_RX_DESC_DONE : RTE_ETH_RX_DESC_AVAIL;
}

/* The receive functions, in the order of preference, with the names that burst mode shows. */
static const struct {
	eth_rx_burst_t burst;
	const char *name;
} rx_modes[] = {
    {ixgbe_rx_burst_scatter, "Scalar Scattered"},
    {ixgbe_rx_burst_bulk, "Scalar Bulk Alloc"},
    {ixgbe_rx_burst, "Scalar"},
};

void
ixgbe_rx_select(struct rte_eth_dev *dev)
{
	bool bulk = true;

	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++) {
		const struct ixgbe_rxq *rxq = dev->data->rx_queues[q];

		if (rxq->free_thresh < IXGBE_RX_BULK_MIN)
			bulk = false;
	}
	dev->rx_pkt_burst = dev->data->scattered_rx ? ixgbe_rx_burst_scatter
			    : bulk		    ? ixgbe_rx_burst_bulk
						    : ixgbe_rx_burst;
}

int
ixgbe_rx_burst_mode(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_burst_mode *mode)
{
	RTE_SET_USED(q);
	for (size_t i = 0; i < RTE_DIM(rx_modes); i++) {
		if (dev->rx_pkt_burst == rx_modes[i].burst) {
			snprintf(mode->info, sizeof(mode->info), "%s", rx_modes[i].name);
			return 0;
		}
	}
	return -EINVAL;
}

const uint32_t *
ixgbe_rx_ptypes(struct rte_eth_dev *dev, size_t *n)
{
	static const uint32_t ptypes[] = {
	    RTE_PTYPE_L2_ETHER, RTE_PTYPE_L3_IPV4,     RTE_PTYPE_L3_IPV4_EXT,
	    RTE_PTYPE_L3_IPV6,	RTE_PTYPE_L3_IPV6_EXT, RTE_PTYPE_L4_SCTP,
	    RTE_PTYPE_L4_TCP,	RTE_PTYPE_L4_UDP,      RTE_PTYPE_UNKNOWN,
	};

	RTE_SET_USED(dev);
	*n = RTE_DIM(ptypes) - 1; /* the end mark is for callers before 24.03 */
	return ptypes;
}
