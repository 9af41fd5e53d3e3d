/* SPDX-License-Identifier: BSD-3-Clause */
/* TCP segmentation: section 7.2.4. */
#include "ixgbe_model.h"

#include <string.h>

/* The TCP flags that a segment keeps: 8.2.3.9.3 (first and middle), 8.2.3.9.4 (last). */
static uint8_t
flag_mask(const struct nic *nic, bool first, bool last)
{
	if (last)
		return (uint8_t)nic_reg(nic, IXGBE_DTXTCPFLGH);
	return (uint8_t)(nic_reg(nic, IXGBE_DTXTCPFLGL) >> (first ? 0 : 16));
}

static void
put16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static uint32_t
get32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

bool
ixgbe_tso(struct ixgbe *dev, unsigned int queue, const union ixgbe_tx_desc *ctx, uint8_t *packet,
	  uint32_t len)
{
	const struct tx_ring *ring = &dev->tx[queue];
	uint32_t l3 = ctx->ctx.vlan_macip_lens >> IXGBE_TXC_MACLEN_SHIFT & 0x7F;
	uint32_t l4 = l3 + (ctx->ctx.vlan_macip_lens & 0x1FF);
	uint32_t l4len = ctx->ctx.mss_l4len_idx >> IXGBE_TXC_L4LEN_SHIFT & 0xFF;
	uint32_t mss = ctx->ctx.mss_l4len_idx >> IXGBE_TXC_MSS_SHIFT;
	uint32_t head = l4 + l4len, payload, done = 0, seq, n = 0;
	bool ipv4 = (ctx->ctx.type_tucmd & IXGBE_TXC_TUCMD_IPV4) != 0;
	uint16_t id = 0;
	uint8_t flags;

	if ((ctx->ctx.type_tucmd & IXGBE_TXC_TUCMD_L4T) != IXGBE_TXC_TUCMD_L4T_TCP || mss == 0 ||
	    l3 < 14 || l4 < l3 + (ipv4 ? 20 : 40) || l4len < 20 || head >= len ||
	    head + mss > NIC_FRAME_MAX - 64 || ring->olinfo >> IXGBE_TXD_PAYLEN_SHIFT != len - head)
		return false;
	payload = len - head;
	seq = get32(packet + l4 + 4);
	flags = packet[l4 + 13];
	if (ipv4)
		id = (uint16_t)(packet[l3 + 4] << 8 | packet[l3 + 5]);
	while (done < payload) {
		uint32_t part = payload - done < mss ? payload - done : mss;
		bool last = done + part == payload;
		uint8_t *frame = dev->tx_frame;

		memcpy(frame, packet, head);
		memcpy(frame + head, packet + head + done, part);
		if (ipv4) {
			put16(frame + l3 + 2, head - l3 + part);
			put16(frame + l3 + 4, id + n);
		} else {
			put16(frame + l3 + 4, head - l3 - 40 + part);
		}
		put16(frame + l4 + 4, (seq + done) >> 16);
		put16(frame + l4 + 6, (seq + done) & 0xFFFF);
		if (payload > mss)
			frame[l4 + 13] = flags & flag_mask(dev->nic, n == 0, last);
		/* The pseudo header of software had no length: 7.2.4.5. */
		if (!ixgbe_tx_checksums(ctx, ring->olinfo, frame, head + part, l4len + part))
			return false;
		ixgbe_tx_wire(dev, queue, ctx, ring->cmd, frame, head + part);
		done += part;
		n++;
	}
	return true;
}
