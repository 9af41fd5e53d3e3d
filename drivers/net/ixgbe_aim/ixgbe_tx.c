/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transmit: hot. One function for queues without offloads and segments, one
 * for everything; both share the ring, the cleaning and the tail.
 *
 * Hardware writes back only descriptors with RS, one for every rs_thresh
 * (section 7.2.3.5.1, deferred write-back). Their places stand in rs_ring, in
 * order: cleaning looks at the oldest, and when it is done frees everything
 * up to it.
 */
#include "ixgbe_aim.h"

#include <rte_net.h>

/* What a context descriptor depends on. */
#define CTX_FLAGS \
	(RTE_MBUF_F_TX_VLAN | RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_L4_MASK | \
	 RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IPV6)
/* Flags that ask for something; the rest of CTX_FLAGS only describe. */
#define WORK_FLAGS \
	(RTE_MBUF_F_TX_VLAN | RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_L4_MASK | \
	 RTE_MBUF_F_TX_TCP_SEG)
#define TX_OFFLOAD_NOTSUP (RTE_MBUF_F_TX_OFFLOAD_MASK ^ CTX_FLAGS)

#define DATA_CMD (IXGBE_TXD_DTYP_DATA | IXGBE_TXD_CMD_IFCS | IXGBE_TXD_CMD_DEXT)

static inline union ixgbe_tx_desc *
desc_at(const struct ixgbe_txq *txq, uint16_t at)
{
	return (union ixgbe_tx_desc *)txq->tx.ring + at;
}

static inline bool
desc_done(const union ixgbe_tx_desc *d)
{
	return (rte_le_to_cpu_32(__atomic_load_n(&d->wb.status, __ATOMIC_ACQUIRE)) &
		IXGBE_TXD_STAT_DD) != 0;
}

static inline void
desc_data(union ixgbe_tx_desc *d, uint64_t addr, uint32_t cmd_len, uint32_t olinfo)
{
	d->read.addr = rte_cpu_to_le_64(addr);
	d->read.cmd_type_len = rte_cpu_to_le_32(cmd_len);
	d->read.olinfo_status = rte_cpu_to_le_32(olinfo);
}

/* The descriptor at `at` asks for a write-back. */
static inline void
rs_set(struct ixgbe_txq *txq, uint16_t at)
{
	desc_at(txq, at)->read.cmd_type_len |= rte_cpu_to_le_32(IXGBE_TXD_CMD_RS);
	txq->rs_ring[txq->rs_tail] = at;
	txq->rs_tail = (txq->rs_tail + 1) & txq->rs_mask;
	txq->since_rs = 0;
}

static inline void
tail_write(struct ixgbe_txq *txq)
{
	mmio_tail(txq->tx.tail, txq->tx.next);
}

/*
 * Free up to the oldest descriptor that carries RS, if it is done.
 * all_mbufs: every place holds an mbuf (no contexts).
 * Returns the number of descriptors that became free.
 */
static inline uint16_t
tx_clean(struct ixgbe_txq *txq, bool all_mbufs)
{
	uint16_t end;

	if (txq->rs_head == txq->rs_tail || !desc_done(desc_at(txq, txq->rs_ring[txq->rs_head])))
		return 0;
	end = (uint16_t)(txq->rs_ring[txq->rs_head] + 1);
	txq->rs_head = (txq->rs_head + 1) & txq->rs_mask;
	return txq_free_until(&txq->tx, end, all_mbufs);
}

/* n packets to consecutive places from `at`, not beyond the ring's end. */
static inline void
simple_run(struct ixgbe_txq *txq, uint16_t at, struct rte_mbuf **pkts, uint16_t n)
{
	union ixgbe_tx_desc *d = desc_at(txq, at);
	struct rte_mbuf **sw = &txq->tx.sw_ring[at];

	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *m = pkts[i];
		uint32_t len = m->data_len;

		sw[i] = m;
		desc_data(&d[i], rte_mbuf_data_iova(m), len | DATA_CMD | IXGBE_TXD_CMD_EOP,
			  len << IXGBE_TXD_PAYLEN_SHIFT);
	}
}

uint16_t
ixgbe_tx_burst_simple(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	struct ixgbe_txq *txq = queue;
	uint16_t left;

	if (txq->tx.free < txq->tx.free_thresh || txq->tx.free < n)
		while (tx_clean(txq, true) != 0 && txq->tx.free < n)
			;
	n = RTE_MIN(n, txq->tx.free);
	if (unlikely(n == 0))
		return 0;
	txq->tx.free = (uint16_t)(txq->tx.free - n);

	/* pieces that end at the ring's end or where a write-back is due */
	for (left = n; left != 0;) {
		uint16_t at = txq->tx.next;
		uint16_t due = (uint16_t)(txq->rs_thresh - txq->since_rs);
		uint16_t k = RTE_MIN(RTE_MIN(left, due), (uint16_t)(txq->tx.size - at));

		simple_run(txq, at, pkts, k);
		pkts += k;
		left = (uint16_t)(left - k);
		txq->since_rs = (uint16_t)(txq->since_rs + k);
		at = (uint16_t)(at + k);
		if (k == due)
			rs_set(txq, (uint16_t)(at - 1));
		txq->tx.next = at == txq->tx.size ? 0 : at;
	}
	tail_write(txq);
	return n;
}

/* Context descriptor and data bits for the offloads of m: section 7.2.3.2.3. */
static void
ctx_make(struct ixgbe_tx_ctx *ctx, union ixgbe_tx_desc *d, const struct rte_mbuf *m, uint8_t slot)
{
	uint64_t flags = m->ol_flags;
	uint32_t macip = (uint32_t)m->l2_len << IXGBE_TXC_MACLEN_SHIFT | m->l3_len;
	uint32_t tucmd = IXGBE_TXD_DTYP_CTX | IXGBE_TXD_CMD_DEXT;
	uint32_t mss = (uint32_t)slot << IXGBE_TXD_IDX_SHIFT;
	uint32_t l4_len = 0;

	ctx->cmd = 0;
	ctx->olinfo = IXGBE_TXD_CC | (uint32_t)slot << IXGBE_TXD_IDX_SHIFT;
	if (flags & RTE_MBUF_F_TX_VLAN) {
		macip |= (uint32_t)m->vlan_tci << IXGBE_TXC_VLAN_SHIFT;
		ctx->cmd |= IXGBE_TXD_CMD_VLE;
	}
	if (flags & RTE_MBUF_F_TX_IP_CKSUM) {
		tucmd |= IXGBE_TXC_TUCMD_IPV4;
		ctx->olinfo |= IXGBE_TXD_POPTS_IXSM;
	}
	if (flags & RTE_MBUF_F_TX_TCP_SEG) {
		tucmd |= IXGBE_TXC_TUCMD_L4T_TCP;
		if (flags & RTE_MBUF_F_TX_IPV4)
			tucmd |= IXGBE_TXC_TUCMD_IPV4;
		l4_len = m->l4_len;
		mss |= (uint32_t)m->tso_segsz << IXGBE_TXC_MSS_SHIFT;
		ctx->cmd |= IXGBE_TXD_CMD_TSE;
		ctx->olinfo |= IXGBE_TXD_POPTS_TXSM;
	} else {
		switch (flags & RTE_MBUF_F_TX_L4_MASK) {
		case RTE_MBUF_F_TX_UDP_CKSUM:
			tucmd |= IXGBE_TXC_TUCMD_L4T_UDP;
			l4_len = 8; /* headers without options: the lengths that hardware expects */
			ctx->olinfo |= IXGBE_TXD_POPTS_TXSM;
			break;
		case RTE_MBUF_F_TX_TCP_CKSUM:
			tucmd |= IXGBE_TXC_TUCMD_L4T_TCP;
			l4_len = 20;
			ctx->olinfo |= IXGBE_TXD_POPTS_TXSM;
			break;
		case RTE_MBUF_F_TX_SCTP_CKSUM:
			tucmd |= IXGBE_TXC_TUCMD_L4T_SCTP;
			l4_len = 12;
			ctx->olinfo |= IXGBE_TXD_POPTS_TXSM;
			break;
		default:
			break;
		}
	}
	mss |= l4_len << IXGBE_TXC_L4LEN_SHIFT;
	d->ctx.vlan_macip_lens = rte_cpu_to_le_32(macip);
	d->ctx.fcoef_ipsec_sa = 0;
	d->ctx.type_tucmd = rte_cpu_to_le_32(tucmd);
	d->ctx.mss_l4len_idx = rte_cpu_to_le_32(mss);
}

/* The lengths that matter to a context, and the VLAN tag, in one word: 7 + 9 + 8 + 16 bits and 16.
 */
#define LENS_MASK ((UINT64_C(1) << 40) - 1)
static_assert(RTE_MBUF_L2_LEN_BITS + RTE_MBUF_L3_LEN_BITS + RTE_MBUF_L4_LEN_BITS +
		      RTE_MBUF_TSO_SEGSZ_BITS ==
		  40,
	      "tx_offload begins with l2_len, l3_len, l4_len, tso_segsz");

static_assert(RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN, "where these bits of tx_offload lie");

static inline uint64_t
ctx_lens(const struct rte_mbuf *m)
{
	return (m->tx_offload & LENS_MASK) | (uint64_t)m->vlan_tci << 40;
}

/* Is one of the two contexts in hardware the right one? Then it becomes the last used. */
static inline bool
ctx_find(struct ixgbe_txq *txq, uint64_t flags, uint64_t lens)
{
	const struct ixgbe_tx_ctx *ctx = &txq->ctx[txq->ctx_last];

	if (likely(ctx->flags == flags && ctx->lens == lens))
		return true;
	ctx = &txq->ctx[txq->ctx_last ^ 1];
	if (ctx->flags != flags || ctx->lens != lens)
		return false;
	txq->ctx_last ^= 1;
	return true;
}

/* Room for n descriptors, cleaning as long as that helps. */
static inline bool
room_make(struct ixgbe_txq *txq, uint16_t n)
{
	while (unlikely(txq->tx.free < n))
		if (tx_clean(txq, false) == 0)
			return false;
	return true;
}

uint16_t
ixgbe_tx_burst(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	struct ixgbe_txq *txq = queue;
	uint16_t sent;

	if (txq->tx.free < txq->tx.free_thresh)
		tx_clean(txq, false);

	for (sent = 0; sent < n; sent++) {
		struct rte_mbuf *m = pkts[sent];
		uint64_t flags = m->ol_flags;
		uint32_t paylen = m->pkt_len;
		uint16_t need = m->nb_segs, at = txq->tx.next;
		uint32_t cmd = DATA_CMD, olinfo = 0;
		bool fresh = false;

		if ((flags & WORK_FLAGS) != 0) {
			uint64_t lens = ctx_lens(m);

			flags &= CTX_FLAGS;
			fresh = !ctx_find(txq, flags, lens);
			need += fresh;
			if (unlikely(!room_make(txq, need)))
				break;
			if (fresh) {
				struct ixgbe_tx_ctx *ctx = &txq->ctx[txq->ctx_last ^= 1];

				ctx->flags = flags;
				ctx->lens = lens;
				ctx_make(ctx, desc_at(txq, at), m, txq->ctx_last);
				txq->tx.sw_ring[at] = NULL;
				at = txq_place_after(&txq->tx, at);
			}
			cmd |= txq->ctx[txq->ctx_last].cmd;
			olinfo = txq->ctx[txq->ctx_last].olinfo;
			if (flags & RTE_MBUF_F_TX_TCP_SEG)
				paylen -= (uint32_t)m->l2_len + m->l3_len + m->l4_len;
		} else if (unlikely(!room_make(txq, need))) {
			break;
		}
		txq->tx.free = (uint16_t)(txq->tx.free - need);
		txq->since_rs = (uint16_t)(txq->since_rs + need);
		olinfo |= paylen << IXGBE_TXD_PAYLEN_SHIFT;

		for (;;) {
			union ixgbe_tx_desc *d = desc_at(txq, at);
			struct rte_mbuf *seg_next = m->next;
			uint32_t eop = seg_next == NULL ? IXGBE_TXD_CMD_EOP : 0;

			txq->tx.sw_ring[at] = m;
			desc_data(d, rte_mbuf_data_iova(m), cmd | m->data_len | eop, olinfo);
			if (seg_next == NULL)
				break;
			m = seg_next;
			at = txq_place_after(&txq->tx, at);
		}
		/*
		 * RS stands on the last descriptor of a packet only: section 7.2.3.2.4. Also when
		 * the ring grows full: what no RS follows is never cleaned, and the next packet
		 * may need it all.
		 */
		if (txq->since_rs >= txq->rs_thresh || unlikely(txq->tx.free < IXGBE_TX_MAX_SEGS))
			rs_set(txq, at);
		txq->tx.next = txq_place_after(&txq->tx, at);
	}
	if (likely(sent != 0))
		tail_write(txq);
	return sent;
}

uint16_t
ixgbe_tx_prepare(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	const struct ixgbe_txq *txq = queue;

	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *m = pkts[i];
		uint64_t flags = m->ol_flags;

		if (m->nb_segs > IXGBE_TX_PACKET_BUFS || m->nb_segs + 2 > txq->tx.size ||
		    m->data_len == 0 ||
		    (!(flags & RTE_MBUF_F_TX_TCP_SEG) && m->pkt_len > IXGBE_TX_MAX_LEN) ||
		    ((flags & RTE_MBUF_F_TX_TCP_SEG) && m->tso_segsz == 0)) {
			rte_errno = EINVAL;
			return i;
		}
		if (flags & TX_OFFLOAD_NOTSUP) {
			rte_errno = ENOTSUP;
			return i;
		}
		int rc = rte_net_intel_cksum_prepare(pkts[i]);

		if (rc != 0) {
			rte_errno = -rc;
			return i;
		}
	}
	return n;
}

int
ixgbe_txq_desc_status(void *queue, uint16_t offset)
{
	const struct ixgbe_txq *txq = queue;
	uint16_t used = (uint16_t)(txq->tx.size - 1 - txq->tx.free);
	uint16_t at, i = txq->rs_head;
	uint32_t place;

	if (offset >= txq->tx.size)
		return -EINVAL;
	/* offset 0 is the next descriptor to be written; the last written lie at the ring's other
	 * side */
	if (offset < txq->tx.size - used)
		return RTE_ETH_TX_DESC_DONE;
	place = (uint32_t)txq->tx.next + offset;
	at = (uint16_t)(place >= txq->tx.size ? place - txq->tx.size : place);
	/* done when an RS at or behind it is done */
	for (; i != txq->rs_tail; i = (uint16_t)((i + 1) & txq->rs_mask)) {
		uint16_t rs = txq->rs_ring[i];
		uint16_t rs_age = (uint16_t)((rs + txq->tx.size - txq->tx.clean) % txq->tx.size);
		uint16_t at_age = (uint16_t)((at + txq->tx.size - txq->tx.clean) % txq->tx.size);

		if (rs_age >= at_age)
			return desc_done(desc_at(txq, rs)) ? RTE_ETH_TX_DESC_DONE
							   : RTE_ETH_TX_DESC_FULL;
	}
	return RTE_ETH_TX_DESC_FULL;
}

int
ixgbe_txq_done_cleanup(void *queue, uint32_t free_cnt)
{
	struct ixgbe_txq *txq = queue;
	uint32_t freed = 0;
	uint16_t n;

	while ((free_cnt == 0 || freed < free_cnt) && (n = tx_clean(txq, false)) != 0)
		freed += n;
	return (int)freed;
}

void
ixgbe_tx_select(struct rte_eth_dev *dev)
{
	dev->tx_pkt_burst = txqs_simple(dev) ? ixgbe_tx_burst_simple : ixgbe_tx_burst;
	dev->tx_pkt_prepare = ixgbe_tx_prepare;
}

int
ixgbe_tx_burst_mode(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_burst_mode *mode)
{
	RTE_SET_USED(q);
	snprintf(mode->info, sizeof(mode->info), "%s",
		 dev->tx_pkt_burst == ixgbe_tx_burst_simple ? "Scalar Simple" : "Scalar Full");
	return 0;
}
