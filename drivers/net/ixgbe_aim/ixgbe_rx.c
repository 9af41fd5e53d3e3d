/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive: hot. Three functions for three kinds of queue, chosen at start; the loops of two of
 * them: rxq_burst.h, which reads a descriptor in the order that section 7.1.6.2 allows.
 */
#include "../../common/rxq_burst.h"
#include "ixgbe_aim.h"

/* The second half of a write-back, as one load. */
#define STATUS(hi) ((uint32_t)(hi))
#define VLAN(hi) ((uint16_t)((hi) >> 48))

static_assert(offsetof(union ixgbe_rx_desc, wb.status_error) == 8, "status leads the second half");
static_assert(offsetof(union ixgbe_rx_desc, wb.length) == 12, "length follows");
static_assert(offsetof(union ixgbe_rx_desc, wb.vlan) == 14, "VLAN tag ends it");

static const struct rxq_format format = {
    .done = IXGBE_RXD_STAT_DD,
    .last = IXGBE_RXD_STAT_EOP,
    .length = 32,
};

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
rx_fill(const struct rxq *rxq, struct rte_mbuf *m, uint64_t lo, uint64_t hi)
{
	m->ol_flags = rx_flags((uint32_t)(hi & rxq->flags), (uint32_t)lo,
			       (uint32_t)(rxq->flags >> 32));
	m->packet_type = ptype_table[PTYPE_INDEX((uint32_t)lo)];
	m->vlan_tci = VLAN(hi);
	m->hash.rss = (uint32_t)(lo >> 32);
}

/* The end of every burst. */
static inline uint16_t
rx_end(struct ixgbe_rxq *rxq, uint16_t got, uint32_t bytes)
{
	enum moderation_todo todo = moderation_burst(&rxq->rx.mod, got, bytes);

	if (unlikely(todo != MODERATION_NOTHING))
		ixgbe_irq_rxq_attend(rxq, todo, got);
	return got;
}

uint16_t
ixgbe_rx_burst_bulk(void *rxq, struct rte_mbuf **pkts, uint16_t n)
{
	uint32_t bytes = 0;

	n = rxq_bulk(rxq, pkts, n, &bytes, &format, rx_fill);
	return rx_end(rxq, n, bytes);
}

uint16_t
ixgbe_rx_burst_scatter(void *rxq, struct rte_mbuf **pkts, uint16_t n)
{
	uint32_t bytes = 0;

	n = rxq_scatter(rxq, pkts, n, &bytes, &format, rx_fill);
	return rx_end(rxq, n, bytes);
}

/*
 * One by one: a packet is delivered only when another buffer took its place,
 * so a descriptor is never without one. For queues whose free_thresh is too
 * small for the bulk function to pay.
 */
uint16_t
ixgbe_rx_burst(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	struct rxq *rxq = queue;
	uint16_t next = rxq->next;
	uint32_t bytes = 0;
	uint16_t got = 0;

	for (uint16_t looked = 0; looked < n; looked++) {
		struct ring_desc *d = &rxq->ring[next];
		uint64_t hi = rxq_half(d, 1);
		struct rte_mbuf *m, *fresh;
		uint16_t len;

		if ((hi & format.done) == 0)
			break;
		rte_atomic_thread_fence(__ATOMIC_ACQUIRE);
		fresh = rte_mbuf_raw_alloc(rxq->pool);
		if (unlikely(fresh == NULL)) {
			rxq->data->rx_mbuf_alloc_failed++;
			break;
		}
		m = rxq->sw_ring[next];
		len = (uint16_t)(rxq_length(&format, hi) - rxq->crc_len);
		if (likely(!rxq_bad(rxq, &format, hi, len))) {
			rx_fill(rxq, m, rxq_half(d, 0), hi);
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
		rxq_give(d, fresh);
		rxq->unposted++;
		if (++next == rxq->size)
			next = 0;
	}
	rxq->next = next;
	if (rxq->unposted >= rxq->free_thresh) {
		rxq->unposted = 0;
		mmio_tail(rxq->tail, next == 0 ? rxq->size - 1u : next - 1u);
	}
	return rx_end(queue, got, bytes);
}

uint16_t
ixgbe_rxq_backlog(const struct ixgbe_rxq *rxq)
{
	return rxq_backlog(&rxq->rx, &format);
}

bool
ixgbe_rxq_pending(struct ixgbe_rxq *rxq)
{
	return rxq_starved(&rxq->rx) || rxq_done_at(&rxq->rx, &format, 0);
}

compat_rxq_count_t
ixgbe_rxq_count(void *queue)
{
	return rxq_backlog(queue, &format);
}

int
ixgbe_rxq_desc_status(void *queue, uint16_t offset)
{
	return rxq_desc_status(queue, &format, offset);
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
		const struct rxq *rxq = dev->data->rx_queues[q];

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
