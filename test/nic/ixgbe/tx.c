/* SPDX-License-Identifier: BSD-3-Clause */
/* Transmit: sections 7.2.1 (flow), 7.2.3 (descriptors), 7.2.5 (checksums), 4.6.8 (enabling). */
#include "ixgbe_model.h"

#include <string.h>

#define TXCTX_MACLEN(c) ((c)->ctx.vlan_macip_lens >> IXGBE_TXC_MACLEN_SHIFT & 0x7Fu)
#define TXCTX_IPLEN(c) ((c)->ctx.vlan_macip_lens & 0x1FFu)
#define TXCTX_VLAN(c) ((uint16_t)((c)->ctx.vlan_macip_lens >> IXGBE_TXC_VLAN_SHIFT))
#define PAYLEN(olinfo) ((olinfo) >> IXGBE_TXD_PAYLEN_SHIFT)
#define TDWBAL_HEAD_WB_EN 0x1u

void
ixgbe_tx_reset(struct ixgbe *dev)
{
	memset(dev->tx, 0, sizeof(dev->tx));
	memset(dev->tx_on, 0, sizeof(dev->tx_on));
	nic_reg_set(dev->nic, IXGBE_DMATXCTL, 0x8100u << IXGBE_DMATXCTL_VT_SHIFT);
	nic_reg_set(dev->nic, IXGBE_TXPBSIZE, 160u << IXGBE_TXPBSIZE_SHIFT);
	nic_reg_set(dev->nic, IXGBE_DTXMXSZRQ, 0x10);
	/* Segments lose FIN and PSH but for the last, CWR but for the first. */
	nic_reg_set(dev->nic, IXGBE_DTXTCPFLGL, 0x0F760FF6);
	nic_reg_set(dev->nic, IXGBE_DTXTCPFLGH, 0x00000F7F);
}

static bool
transmitting(const struct ixgbe *dev)
{
	return (nic_reg(dev->nic, IXGBE_DMATXCTL) & IXGBE_DMATXCTL_TE) != 0 &&
	       (nic_reg(dev->nic, IXGBE_SECTXCTRL) & IXGBE_SECTXCTRL_TX_DIS) == 0 &&
	       (nic_reg(dev->nic, IXGBE_CTRL) & IXGBE_CTRL_GIO_DIS) == 0;
}

/*
 * The hardware adds to what software left in the checksum field (the pseudo header's sum) and
 * knows no more: a driver that leaves something wrong sends it. l4_extra is the length that the
 * pseudo header of a cut packet lacks.
 */
bool
ixgbe_tx_checksums(const union ixgbe_tx_desc *ctx, uint32_t olinfo, uint8_t *frame, uint32_t len,
		   uint32_t l4_extra)
{
	uint32_t l3 = TXCTX_MACLEN(ctx), l4 = l3 + TXCTX_IPLEN(ctx), at;
	uint16_t sum;

	if (olinfo & IXGBE_TXD_POPTS_IXSM && ctx->ctx.type_tucmd & IXGBE_TXC_TUCMD_IPV4) {
		if (l4 > len || l4 < l3 + 20)
			return false;
		sum = (uint16_t)~nic_sum_fold(nic_sum(frame + l3, l4 - l3, 0));
		frame[l3 + 10] = (uint8_t)(sum >> 8);
		frame[l3 + 11] = (uint8_t)sum;
	}
	if (!(olinfo & IXGBE_TXD_POPTS_TXSM))
		return true;
	if (l4 > len)
		return false;
	switch (ctx->ctx.type_tucmd & IXGBE_TXC_TUCMD_L4T) {
	case IXGBE_TXC_TUCMD_L4T_SCTP: {
		uint32_t crc;

		if (len - l4 < 12)
			return false;
		memset(frame + l4 + 8, 0, 4);
		crc = nic_crc32(frame + l4, len - l4, true);
		memcpy(frame + l4 + 8, &crc, 4);
		return true;
	}
	case IXGBE_TXC_TUCMD_L4T_TCP:
		at = l4 + 16;
		break;
	default:
		at = l4 + 6;
		break;
	}
	if (at + 2 > len)
		return false;
	sum = (uint16_t)~nic_sum_fold(nic_sum(frame + l4, len - l4, l4_extra));
	/* A UDP checksum of zero would say that there is none: RFC 768. */
	if (sum == 0 && at == l4 + 6)
		sum = 0xFFFF;
	frame[at] = (uint8_t)(sum >> 8);
	frame[at + 1] = (uint8_t)sum;
	return true;
}

/* The last steps of any frame; there is room for a tag and padding behind it. */
void
ixgbe_tx_wire(struct ixgbe *dev, unsigned int queue, const union ixgbe_tx_desc *ctx, uint32_t cmd,
	      uint8_t *frame, uint32_t len)
{
	struct nic *nic = dev->nic;
	uint32_t hlreg0 = nic_reg(nic, IXGBE_HLREG0);

	if (cmd & IXGBE_TXD_CMD_VLE) {
		uint16_t type = (uint16_t)(nic_reg(nic, IXGBE_DMATXCTL) >> IXGBE_DMATXCTL_VT_SHIFT);
		uint16_t tag = TXCTX_VLAN(ctx);

		memmove(frame + 16, frame + 12, len - 12);
		frame[12] = (uint8_t)(type >> 8);
		frame[13] = (uint8_t)type;
		frame[14] = (uint8_t)(tag >> 8);
		frame[15] = (uint8_t)tag;
		len += 4;
	}
	if (len < NIC_FRAME_MIN && hlreg0 & IXGBE_HLREG0_TXPADEN) {
		memset(frame + len, 0, NIC_FRAME_MIN - len);
		len = NIC_FRAME_MIN;
	}
	ixgbe_stat_tx(dev, queue, frame, len);
	if (hlreg0 & IXGBE_HLREG0_LPBK) {
		nic->stats.tx_frames++;
		nic->stats.tx_bytes += len;
		nic->stats.rx_wire++;
		ixgbe_rx_frame(nic, frame, len, 0);
		return;
	}
	nic_transmit(nic, frame, len);
}

static void
send_packet(struct ixgbe *dev, unsigned int queue)
{
	struct nic *nic = dev->nic;
	struct tx_ring *ring = &dev->tx[queue];
	const union ixgbe_tx_desc *ctx = &ring->ctx[ring->olinfo >> IXGBE_TXD_IDX_SHIFT & 1];
	uint32_t len = ring->fill;

	if (ring->cmd & IXGBE_TXD_CMD_TSE) {
		if (!ixgbe_tso(dev, queue, ctx, dev->tx_packet, len))
			nic->stats.tx_drop_bad++;
		return;
	}
	if (len < 14 || len > IXGBE_TX_MAX_LEN || ring->segs > IXGBE_TX_MAX_SEGS ||
	    PAYLEN(ring->olinfo) != len) {
		nic->stats.tx_drop_bad++;
		return;
	}
	if (!ixgbe_tx_checksums(ctx, ring->olinfo, dev->tx_packet, len, 0)) {
		nic->stats.tx_drop_bad++;
		return;
	}
	ixgbe_tx_wire(dev, queue, ctx, ring->cmd, dev->tx_packet, len);
}

/* A packet is gathered and sent within one look at the ring: the one buffer is free again. */
static void
data_descriptor(struct ixgbe *dev, unsigned int queue, const union ixgbe_tx_desc *desc)
{
	struct tx_ring *ring = &dev->tx[queue];
	uint32_t cmd = desc->read.cmd_type_len;
	uint32_t len = cmd & IXGBE_TXD_DTALEN;

	if (ring->segs++ == 0) {
		ring->cmd = cmd;
		ring->olinfo = desc->read.olinfo_status;
	}
	if (!ring->bad) {
		const void *data = nic_dma_read(dev->nic, desc->read.addr, len);

		if (data == NULL || ring->fill + len > TX_PACKET_MAX - 64) {
			ring->bad = true;
			dev->nic->stats.tx_drop_dma++;
		} else {
			memcpy(dev->tx_packet + ring->fill, data, len);
			ring->fill += len;
		}
	}
	if (!(cmd & IXGBE_TXD_CMD_EOP))
		return;
	if (!ring->bad)
		send_packet(dev, queue);
	ring->segs = ring->fill = 0;
	ring->bad = false;
}

static void
report_status(struct ixgbe *dev, unsigned int queue, union ixgbe_tx_desc *desc)
{
	uint32_t wb = nic_reg(dev->nic, IXGBE_AT(TDWBAL, queue));

	/* 7.2.3.5.2: head write-back takes the place of DD. */
	if (wb & TDWBAL_HEAD_WB_EN) {
		uint64_t addr = (uint64_t)nic_reg(dev->nic, IXGBE_AT(TDWBAH, queue)) << 32 |
				(wb & ~3u);
		uint32_t *head = nic_dma(dev->nic, addr, sizeof(*head));

		if (head != NULL)
			__atomic_store_n(head, dev->tx[queue].head, __ATOMIC_RELEASE);
	} else {
		__atomic_store_n(&desc->wb.status, IXGBE_TXD_STAT_DD, __ATOMIC_RELEASE);
	}
	ixgbe_intr_queue(dev, queue, true);
}

/* How far the packet that starts at a descriptor goes; 0: its end is not there yet. */
static uint32_t
packet_descriptors(const struct tx_ring *ring, const union ixgbe_tx_desc *descs, uint32_t tail)
{
	uint32_t n = 0, d = ring->head;

	while (d != tail) {
		uint32_t cmd = descs[d].read.cmd_type_len;

		n++;
		if ((cmd & IXGBE_TXD_DTYP) == IXGBE_TXD_DTYP_CTX || cmd & IXGBE_TXD_CMD_EOP)
			return n;
		d = d + 1 < ring->size ? d + 1 : 0;
	}
	return 0;
}

static void
process_ring(struct ixgbe *dev, unsigned int queue)
{
	struct tx_ring *ring = &dev->tx[queue];
	union ixgbe_tx_desc *descs;
	uint32_t tail = __atomic_load_n(&dev->nic->bar[IXGBE_AT(TDT, queue) / 4], __ATOMIC_ACQUIRE);

	if (!ring->on || tail >= ring->size || tail == ring->head || !transmitting(dev))
		return;
	descs = nic_dma(dev->nic, ring->base, (size_t)ring->size * sizeof(*descs));
	if (descs == NULL) {
		/* A ring in the void: what it holds is lost, and the queue stands still. */
		dev->nic->stats.tx_drop_dma++;
		return;
	}
	while (ring->head != tail) {
		uint32_t n = packet_descriptors(ring, descs, tail);

		if (n == 0)
			break;
		while (n-- > 0) {
			union ixgbe_tx_desc *desc = &descs[ring->head];
			union ixgbe_tx_desc copy;

			memcpy(&copy, desc, sizeof(copy));
			ring->head = ring->head + 1 < ring->size ? ring->head + 1 : 0;
			if ((copy.read.cmd_type_len & IXGBE_TXD_DTYP) == IXGBE_TXD_DTYP_CTX)
				ring->ctx[copy.ctx.mss_l4len_idx >> IXGBE_TXD_IDX_SHIFT & 1] = copy;
			else
				data_descriptor(dev, queue, &copy);
			nic_reg_set(dev->nic, IXGBE_AT(TDH, queue), ring->head);
			if (copy.read.cmd_type_len & IXGBE_TXD_CMD_RS)
				report_status(dev, queue, desc);
		}
	}
}

static void
ring_switch(struct ixgbe *dev, unsigned int queue, bool on)
{
	struct tx_ring *ring = &dev->tx[queue];
	uint64_t bit = UINT64_C(1) << (queue % 64);

	if (on == ring->on)
		return;
	memset(ring, 0, sizeof(*ring));
	ring->on = on;
	if (!on) {
		dev->tx_on[queue / 64] &= ~bit;
		return;
	}
	ring->base = (uint64_t)nic_reg(dev->nic, IXGBE_AT(TDBAH, queue)) << 32 |
		     (nic_reg(dev->nic, IXGBE_AT(TDBAL, queue)) & ~(IXGBE_RING_ALIGN - 1));
	ring->size = (nic_reg(dev->nic, IXGBE_AT(TDLEN, queue)) & 0xFFF80u) / 16;
	ring->head = nic_reg(dev->nic, IXGBE_AT(TDH, queue));
	if (ring->head >= ring->size)
		ring->head = 0;
	dev->tx_on[queue / 64] |= bit;
}

void
ixgbe_tx_poll(struct ixgbe *dev)
{
	unsigned int q;

	for (q = 0; q < TX_RINGS; q++) {
		ring_switch(dev, q,
			    (nic_reg(dev->nic, IXGBE_AT(TXDCTL, q)) & IXGBE_TXDCTL_ENABLE) != 0);
		if (dev->tx[q].on)
			process_ring(dev, q);
	}
}

/* Whatever opens the transmitter: what already waits in the rings goes out. */
static void
process_all(struct ixgbe *dev)
{
	unsigned int q;

	for (q = 0; q < TX_RINGS; q++)
		if (dev->tx[q].on)
			process_ring(dev, q);
}

static void
txdctl_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	struct ixgbe *dev = ixgbe_of(nic);

	/* SWFLSH clears itself (8.2.3.9.10). */
	nic_reg_set(nic, offset, value & ~IXGBE_TXDCTL_SWFLSH);
	ring_switch(dev, index, (value & IXGBE_TXDCTL_ENABLE) != 0);
	process_ring(dev, index);
}

static void
tdt_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	nic_reg_set(nic, offset, value & 0xFFFF);
	process_ring(ixgbe_of(nic), index);
}

static void
tdh_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	if (!ixgbe_of(nic)->tx[index].on)
		nic_reg_set(nic, offset, value & 0xFFFF);
}

static void
dmatxctl_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	(void)index;
	nic_reg_set(nic, offset, value);
	process_all(ixgbe_of(nic));
}

static void
sectxctrl_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	(void)index;
	nic_reg_set(nic, offset, value);
	nic_reg_set(nic, IXGBE_SECTXSTAT, value & IXGBE_SECTXCTRL_TX_DIS ? IXGBE_SECTXSTAT_RDY : 0);
	process_all(ixgbe_of(nic));
}

const struct reg_special ixgbe_tx_regs[] = {
    {IXGBE_TXDCTL, NULL, txdctl_write},
    {IXGBE_TDT, NULL, tdt_write},
    {IXGBE_TDH, NULL, tdh_write},
    {IXGBE_DMATXCTL, NULL, dmatxctl_write},
    {IXGBE_SECTXCTRL, NULL, sectxctrl_write},
    {0, NULL, NULL},
};
