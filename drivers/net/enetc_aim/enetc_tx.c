/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transmit: hot. One function for queues without offloads and segments, one for everything.
 *
 * Hardware tells what it sent by TBCIR alone, a register; so it is read when descriptors run short,
 * not with every burst.
 */
#include "enetc_aim.h"

#define WORK_FLAGS RTE_MBUF_F_TX_VLAN
#define TX_OFFLOAD_NOTSUP \
	(RTE_MBUF_F_TX_OFFLOAD_MASK ^ \
	 (RTE_MBUF_F_TX_VLAN | RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IPV6))
#define FRAME_MAX (ENETC_FRAME_MAX - RTE_ETHER_CRC_LEN)

static inline union enetc_tx_desc *
desc_at(const struct enetc_txq *txq, uint16_t at)
{
	return (union enetc_tx_desc *)txq->tx.ring + at;
}

static inline void
desc_write(union enetc_tx_desc *d, uint64_t addr, uint16_t buf_len, uint16_t frm_len,
	   uint32_t flags)
{
	d->read.addr = rte_cpu_to_le_64(addr);
	d->read.buf_len = rte_cpu_to_le_16(buf_len);
	d->read.frm_len = rte_cpu_to_le_16(frm_len);
	d->read.flags = rte_cpu_to_le_32(flags);
}

/* The next descriptor that hardware has not sent; one that cannot be is not believed. */
static inline uint16_t
head_read(const struct enetc_txq *txq)
{
	uint32_t head = rte_le_to_cpu_32(rte_read32(txq->head)) & ENETC_TBCIR_IDX;
	uint16_t ahead, used;

	if (unlikely(head >= txq->tx.size))
		return txq->tx.clean;
	ahead = (uint16_t)(head >= txq->tx.clean ? head - txq->tx.clean
						 : head + txq->tx.size - txq->tx.clean);
	used = (uint16_t)(txq->tx.size - 1 - txq->tx.free);
	return likely(ahead <= used) ? (uint16_t)head : txq->tx.clean;
}

/* Free what hardware has sent. all_mbufs: every place holds an mbuf (no extensions). */
static inline uint16_t
tx_clean(struct enetc_txq *txq, bool all_mbufs)
{
	uint16_t end = head_read(txq);

	if (end == txq->tx.clean)
		return 0;
	return txq_free_until(&txq->tx, end == 0 ? txq->tx.size : end, all_mbufs);
}

/* n packets to consecutive places from `at`, not beyond the ring's end; their bytes. */
static inline uint32_t
simple_run(struct enetc_txq *txq, uint16_t at, struct rte_mbuf **pkts, uint16_t n)
{
	union enetc_tx_desc *d = desc_at(txq, at);
	struct rte_mbuf **sw = &txq->tx.sw_ring[at];
	uint32_t bytes = 0;

	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *m = pkts[i];
		uint16_t len = m->data_len;

		sw[i] = m;
		desc_write(&d[i], rte_mbuf_data_iova(m), len, len, ENETC_TXD_F);
		bytes += len;
	}
	return bytes;
}

uint16_t
enetc_tx_burst_simple(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	struct enetc_txq *txq = queue;
	uint16_t at, run;

	if (txq->tx.free < txq->tx.free_thresh || txq->tx.free < n)
		tx_clean(txq, true);
	n = RTE_MIN(n, txq->tx.free);
	if (unlikely(n == 0))
		return 0;
	txq->tx.free = (uint16_t)(txq->tx.free - n);
	at = txq->tx.next;
	run = RTE_MIN(n, (uint16_t)(txq->tx.size - at));
	txq->bytes += simple_run(txq, at, pkts, run);
	at = (uint16_t)(at + run);
	if (at == txq->tx.size) {
		at = (uint16_t)(n - run);
		txq->bytes += simple_run(txq, 0, pkts + run, at);
	}
	txq->tx.next = at;
	txq->packets += n;
	mmio_tail(txq->tx.tail, at);
	return n;
}

uint16_t
enetc_tx_burst(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	struct enetc_txq *txq = queue;
	uint64_t bytes = 0;
	uint16_t sent;

	if (txq->tx.free < txq->tx.free_thresh)
		tx_clean(txq, false);
	for (sent = 0; sent < n; sent++) {
		struct rte_mbuf *m = pkts[sent];
		bool tag = (m->ol_flags & WORK_FLAGS) != 0;
		uint16_t need = (uint16_t)(m->nb_segs + tag), at = txq->tx.next, place;
		uint16_t frm_len = (uint16_t)m->pkt_len;
		uint32_t flags = tag ? ENETC_TXD_EX : 0;

		if (unlikely(txq->tx.free < need) && (tx_clean(txq, false), txq->tx.free < need))
			break;
		txq->tx.free = (uint16_t)(txq->tx.free - need);
		bytes += m->pkt_len;
		for (;;) {
			struct rte_mbuf *seg_next = m->next;

			place = at;
			txq->tx.sw_ring[at] = m;
			desc_write(desc_at(txq, at), rte_mbuf_data_iova(m), m->data_len, frm_len,
				   flags);
			at = txq_place_after(&txq->tx, at);
			if (unlikely(flags == ENETC_TXD_EX)) {
				union enetc_tx_desc *d = desc_at(txq, at);

				place = at;
				txq->tx.sw_ring[at] = NULL;
				d->ext.timestamp = 0;
				d->ext.tpid = 0;
				d->ext.vid = rte_cpu_to_le_16(m->vlan_tci);
				d->ext.reserved = 0;
				d->ext.flags = rte_cpu_to_le_32(ENETC_TXD_EXT_VLAN);
				at = txq_place_after(&txq->tx, at);
			}
			if (seg_next == NULL)
				break;
			m = seg_next;
			frm_len = 0;
			flags = 0;
		}
		desc_at(txq, place)->read.flags |= rte_cpu_to_le_32(ENETC_TXD_F);
		txq->tx.next = at;
	}
	if (likely(sent != 0)) {
		txq->packets += sent;
		txq->bytes += bytes;
		mmio_tail(txq->tx.tail, txq->tx.next);
	}
	return sent;
}

uint16_t
enetc_tx_prepare(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	const struct enetc_txq *txq = queue;

	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *m = pkts[i];

		if (m->nb_segs > ENETC_TX_MAX_SEGS || m->nb_segs + 2 > txq->tx.size ||
		    m->data_len == 0 || m->pkt_len > FRAME_MAX) {
			rte_errno = EINVAL;
			return i;
		}
		if (m->ol_flags & TX_OFFLOAD_NOTSUP) {
			rte_errno = ENOTSUP;
			return i;
		}
	}
	return n;
}

int
enetc_txq_desc_status(void *queue, uint16_t offset)
{
	const struct enetc_txq *txq = queue;
	uint16_t used = (uint16_t)(txq->tx.size - 1 - txq->tx.free), head, sent;

	if (offset >= txq->tx.size)
		return -EINVAL;
	/* offset 0 is the next descriptor to be written; the oldest lies `used` places before it */
	if (offset < txq->tx.size - used)
		return RTE_ETH_TX_DESC_DONE;
	head = head_read(txq);
	sent = (uint16_t)(head >= txq->tx.clean ? head - txq->tx.clean
						: head + txq->tx.size - txq->tx.clean);
	return offset - (txq->tx.size - used) < sent ? RTE_ETH_TX_DESC_DONE : RTE_ETH_TX_DESC_FULL;
}

int
enetc_txq_done_cleanup(void *queue, uint32_t free_cnt)
{
	RTE_SET_USED(free_cnt); /* all that can be is freed by one look */
	return tx_clean(queue, false);
}

void
enetc_tx_select(struct rte_eth_dev *dev)
{
	dev->tx_pkt_burst = txqs_simple(dev) ? enetc_tx_burst_simple : enetc_tx_burst;
	dev->tx_pkt_prepare = enetc_tx_prepare;
}

int
enetc_tx_burst_mode(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_burst_mode *mode)
{
	RTE_SET_USED(q);
	snprintf(mode->info, sizeof(mode->info), "%s",
		 dev->tx_pkt_burst == enetc_tx_burst_simple ? "Scalar Simple" : "Scalar Full");
	return 0;
}
