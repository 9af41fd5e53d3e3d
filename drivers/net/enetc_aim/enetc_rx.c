/* SPDX-License-Identifier: BSD-3-Clause */
/* Receive: hot. Two functions for two kinds of queue, chosen at start; their loops: rxq_burst.h. */
#include "../../common/rxq_burst.h"
#include "enetc_aim.h"

/* The second half of a write-back, as one load. */
#define VLAN(hi) ((uint16_t)((hi) >> 16))
#define STATUS(hi) ((uint32_t)((hi) >> 32))
/* and the first */
#define PARSE(lo) ((uint32_t)(uint16_t)((lo) >> 16))
#define RSS(lo) ((uint32_t)((lo) >> 32))

static_assert(offsetof(union enetc_rx_desc, wb.parse) == 2, "parse summary");
static_assert(offsetof(union enetc_rx_desc, wb.rss) == 4, "hash ends the first half");
static_assert(offsetof(union enetc_rx_desc, wb.length) == 8, "length leads the second half");
static_assert(offsetof(union enetc_rx_desc, wb.vlan) == 10, "VLAN tag follows");
static_assert(offsetof(union enetc_rx_desc, wb.status) == 12, "status ends it");

static const struct rxq_format format = {
    .done = (uint64_t)ENETC_RXD_R << 32,
    .last = (uint64_t)ENETC_RXD_F << 32,
    .error = (uint64_t)ENETC_RXD_ERROR << 32,
    .whole = (uint64_t)ENETC_RXD_F << 32,
    .length = 0,
};

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
rx_fill(const struct rxq *rxq, struct rte_mbuf *m, uint64_t lo, uint64_t hi)
{
	uint64_t parsed = parse_table[PARSE_INDEX(PARSE(lo))];

	m->ol_flags = (parsed >> 32 | status_flags(STATUS(hi))) & rxq->flags;
	m->packet_type = (uint32_t)parsed;
	m->vlan_tci = VLAN(hi);
	m->hash.rss = RSS(lo);
}

/* The end of every burst. */
static inline uint16_t
rx_end(struct enetc_rxq *rxq, uint16_t got, uint32_t bytes)
{
	enum moderation_todo todo = moderation_burst(&rxq->rx.mod, got, bytes);

	rxq->packets += got;
	rxq->bytes += bytes;
	if (unlikely(todo != MODERATION_NOTHING))
		enetc_irq_rxq_attend(rxq, todo, got);
	return got;
}

uint16_t
enetc_rx_burst(void *rxq, struct rte_mbuf **pkts, uint16_t n)
{
	uint32_t bytes = 0;

	n = rxq_bulk(rxq, pkts, n, &bytes, &format, rx_fill);
	return rx_end(rxq, n, bytes);
}

uint16_t
enetc_rx_burst_scatter(void *rxq, struct rte_mbuf **pkts, uint16_t n)
{
	uint32_t bytes = 0;

	n = rxq_scatter(rxq, pkts, n, &bytes, &format, rx_fill);
	return rx_end(rxq, n, bytes);
}

uint16_t
enetc_rxq_backlog(const struct enetc_rxq *rxq)
{
	return rxq_backlog(&rxq->rx, &format);
}

bool
enetc_rxq_pending(const struct enetc_rxq *rxq)
{
	return rxq->rx.hold < rxq->rx.size && rxq_done_at(&rxq->rx, &format, 0);
}

bool
enetc_rxq_starved(struct enetc_rxq *rxq)
{
	return rxq_starved(&rxq->rx);
}

compat_rxq_count_t
enetc_rxq_count(void *queue)
{
	return rxq_backlog(queue, &format);
}

int
enetc_rxq_desc_status(void *queue, uint16_t offset)
{
	return rxq_desc_status(queue, &format, offset);
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
