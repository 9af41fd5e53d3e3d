/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transmit. Software fills from TBPIR on; hardware sends up to there and moves TBCIR when a whole
 * frame is done (FreeBSD says so). What no driver may do, a length that does not agree with the
 * buffers or a frame without end, is dropped and counted.
 */
#include "enetc_model.h"

#include <string.h>

struct packet {
	uint32_t descs;
	uint32_t len;
	bool bad, tag, asked;
	uint16_t vid, tpid;
};

static bool
transmitting(const struct nic *nic)
{
	return enetc_si_on(nic) && (port_reg(nic, ENETC_PM0_CMD_CFG) & ENETC_PM0_CMD_TX_EN) != 0;
}

/* The frame that begins at the ring's index, gathered; descs 0: its end is not there yet. */
static void
gather(struct enetc *dev, const struct ring *ring, const union enetc_tx_desc *descs, uint32_t tail,
       struct packet *pkt)
{
	uint32_t at = ring->index, frm_len = descs[at].read.frm_len, n = 0;
	bool extension = false;

	memset(pkt, 0, sizeof(*pkt));
	while (at != tail) {
		union enetc_tx_desc d = descs[at];

		n++;
		at = at + 1 < ring->size ? at + 1 : 0;
		if (extension) {
			pkt->tag = (d.ext.flags & ENETC_TXD_EXT_VLAN) != 0;
			pkt->vid = d.ext.vid;
			pkt->tpid = d.ext.tpid;
		} else {
			const void *data = nic_dma_read(dev->nic, d.read.addr, d.read.buf_len);

			if (data == NULL || pkt->len + d.read.buf_len > ENETC_TX_PACKET - 64) {
				pkt->bad = true;
				dev->nic->stats.tx_drop_dma++;
			} else if (!pkt->bad) {
				memcpy(dev->tx_packet + pkt->len, data, d.read.buf_len);
				pkt->len += d.read.buf_len;
			}
			pkt->asked |= (d.read.flags & ENETC_TXD_FI) != 0;
		}
		extension = !extension && n == 1 && d.read.flags & ENETC_TXD_EX;
		if (d.read.flags & ENETC_TXD_F) {
			pkt->descs = n;
			break;
		}
	}
	if (!pkt->bad &&
	    (pkt->len != frm_len || pkt->len < 14 || pkt->descs > ENETC_TX_MAX_DESCS)) {
		pkt->bad = true;
		dev->nic->stats.tx_drop_bad++;
	}
}

static void
send_frame(struct enetc *dev, unsigned int q, const struct packet *pkt)
{
	struct nic *nic = dev->nic;
	uint8_t *frame = dev->tx_packet;
	uint32_t len = pkt->len, cfg = port_reg(nic, ENETC_PM0_CMD_CFG);
	bool tag = pkt->tag && nic_reg(nic, ENETC_AT(TBMR, q)) & ENETC_TBMR_VIH;
	uint16_t type;

	if (tag) {
		type = pkt->tpid == 0 ? 0x8100 : 0x88A8;
		memmove(frame + 16, frame + 12, len - 12);
		frame[12] = (uint8_t)(type >> 8);
		frame[13] = (uint8_t)type;
		frame[14] = (uint8_t)(pkt->vid >> 8);
		frame[15] = (uint8_t)pkt->vid;
		len += 4;
	}
	if (len < NIC_FRAME_MIN && cfg & ENETC_PM0_CMD_TXP) {
		memset(frame + len, 0, NIC_FRAME_MIN - len);
		len = NIC_FRAME_MIN;
	}
	if (len + 4 > port_reg(nic, ENETC_PTCMSDUR)) {
		port_reg_add64(nic, ENETC_PM0_TERR, 1);
		nic->stats.tx_drop_bad++;
		return;
	}
	enetc_stat_tx(nic, frame, len, tag || enetc_rx_tagged(nic, frame, len, &type));
	if (cfg & ENETC_PM0_CMD_XGLP && !dev->looping) {
		nic->stats.tx_frames++;
		nic->stats.tx_bytes += len;
		nic->stats.rx_wire++;
		dev->looping = true;
		enetc_rx_frame(nic, frame, len, 0);
		dev->looping = false;
		return;
	}
	nic_transmit(nic, frame, len);
}

static void
process_ring(struct enetc *dev, unsigned int q)
{
	struct ring *ring = &dev->tx[q];
	uint32_t tail = __atomic_load_n(&dev->nic->bar[ENETC_AT(TBPIR, q) / 4], __ATOMIC_ACQUIRE);
	union enetc_tx_desc *descs;
	struct packet pkt;

	if (!ring->on || tail >= ring->size || tail == ring->index || !transmitting(dev->nic))
		return;
	descs = nic_dma(dev->nic, ring->base, ring->size * sizeof(*descs));
	if (descs == NULL) {
		/* A ring in the void: the queue stands still. */
		dev->nic->stats.tx_drop_dma++;
		return;
	}
	while (ring->index != tail) {
		gather(dev, ring, descs, tail, &pkt);
		if (pkt.descs == 0)
			break;
		if (!pkt.bad)
			send_frame(dev, q, &pkt);
		ring->index = (ring->index + pkt.descs) % ring->size;
		nic_reg_set(dev->nic, ENETC_AT(TBCIR, q), ring->index);
		enetc_intr_frame(dev, &ring->intr, pkt.asked);
	}
}

void
enetc_tx_all(struct enetc *dev)
{
	unsigned int q;

	for (q = 0; q < RINGS; q++)
		process_ring(dev, q);
}

void
enetc_tx_poll(struct enetc *dev)
{
	unsigned int q;

	for (q = 0; q < RINGS; q++)
		enetc_ring_switch(dev, &dev->tx[q], true, q);
	enetc_tx_all(dev);
}

static void
tbmr_write(struct nic *nic, uint32_t offset, unsigned int q, uint32_t value)
{
	nic_reg_set(nic, offset, value);
	enetc_ring_switch(enetc_of(nic), &enetc_of(nic)->tx[q], true, q);
	process_ring(enetc_of(nic), q);
}

static void
tbpir_write(struct nic *nic, uint32_t offset, unsigned int q, uint32_t value)
{
	nic_reg_set(nic, offset, value & 0xFFFF);
	process_ring(enetc_of(nic), q);
}

/* Hardware's while the ring is on. */
static void
tbcir_write(struct nic *nic, uint32_t offset, unsigned int q, uint32_t value)
{
	if (!enetc_of(nic)->tx[q].on)
		nic_reg_set(nic, offset, value & 0xFFFF);
}

const struct reg_special enetc_tx_regs[] = {
    {ENETC_TBMR, NULL, tbmr_write},
    {ENETC_TBPIR, NULL, tbpir_write},
    {ENETC_TBCIR, NULL, tbcir_write},
    {0, NULL, NULL},
};
