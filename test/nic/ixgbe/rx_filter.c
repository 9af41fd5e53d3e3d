/* SPDX-License-Identifier: BSD-3-Clause */
/* Which frames are ours, and which queue filters choose: sections 7.1.1 and 7.1.2. */
#include "ixgbe_model.h"

#include <string.h>

static bool
unicast_match(struct ixgbe *dev, const uint8_t *frame)
{
	uint32_t low = (uint32_t)frame[0] | (uint32_t)frame[1] << 8 | (uint32_t)frame[2] << 16 |
		       (uint32_t)frame[3] << 24;
	uint32_t high = (uint32_t)frame[4] | (uint32_t)frame[5] << 8;
	unsigned int w;

	for (w = 0; w < 4; w++) {
		uint32_t left = dev->rar_valid[w];

		while (left != 0) {
			unsigned int i = w * 32 + (unsigned int)__builtin_ctz(left);

			left &= left - 1;
			if (nic_reg(dev->nic, IXGBE_AT(RAL, i)) == low &&
			    (nic_reg(dev->nic, IXGBE_AT(RAH, i)) & 0xFFFF) == high)
				return true;
		}
	}
	return false;
}

/* 7.1.1.1.2: twelve bits of the address, which ones says MCSTCTRL.MO. */
static bool
multicast_match(struct ixgbe *dev, const uint8_t *frame)
{
	static const unsigned int shift[4] = {4, 3, 2, 0};
	uint32_t ctrl = nic_reg(dev->nic, IXGBE_MCSTCTRL);
	uint32_t high = (uint32_t)frame[4] | (uint32_t)frame[5] << 8;
	uint32_t bit = high >> shift[ctrl & IXGBE_MCSTCTRL_MO] & 0xFFF;

	if (!(ctrl & IXGBE_MCSTCTRL_MFE))
		return false;
	return (nic_reg(dev->nic, IXGBE_AT(MTA, bit / 32)) >> (bit % 32) & 1) != 0;
}

bool
ixgbe_rx_filter(struct ixgbe *dev, const uint8_t *frame, const struct parsed *p)
{
	static const uint8_t broadcast[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
	uint32_t fctrl = nic_reg(dev->nic, IXGBE_FCTRL);
	uint32_t vlnctrl = nic_reg(dev->nic, IXGBE_VLNCTRL);
	bool ours;

	if (memcmp(frame, broadcast, 6) == 0)
		ours = (fctrl & IXGBE_FCTRL_BAM) != 0;
	else if (frame[0] & 1)
		ours = fctrl & IXGBE_FCTRL_MPE || unicast_match(dev, frame) ||
		       multicast_match(dev, frame);
	else
		ours = fctrl & IXGBE_FCTRL_UPE || unicast_match(dev, frame);
	if (!ours)
		return false;
	if (p->has_vlan && vlnctrl & IXGBE_VLNCTRL_VFE) {
		uint32_t id = p->vlan & 0xFFF;

		return (nic_reg(dev->nic, IXGBE_AT(VFTA, id / 32)) >> (id % 32) & 1) != 0;
	}
	return true;
}

/* 8.2.3.7.19 (FTQF): what is not compared has a 1 in bits 25 to 29. */
#define FTQF_PROTOCOL 0x3u /* 0 TCP, 1 UDP, 2 SCTP, 3 other */
#define FTQF_PRIORITY(f) ((f) >> 2 & 7u)
#define FTQF_MASK_SRC IXGBE_BIT(25)
#define FTQF_MASK_DST IXGBE_BIT(26)
#define FTQF_MASK_SPORT IXGBE_BIT(27)
#define FTQF_MASK_DPORT IXGBE_BIT(28)
#define FTQF_MASK_PROTO IXGBE_BIT(29)
#define FTQF_ENABLE IXGBE_BIT(31)
#define L34T_QUEUE(r) ((r) >> 21 & 0x7Fu)
#define ETQF_ENABLE IXGBE_BIT(31)
#define ETQS_ENABLE IXGBE_BIT(31)
#define ETQS_QUEUE(r) ((r) >> 16 & 0x7Fu)
#define SYNQF_ENABLE IXGBE_BIT(0)
#define SYNQF_QUEUE(r) ((r) >> 1 & 0x7Fu)
#define SYNQF_HIGH IXGBE_BIT(31)

static bool
tuple_match(struct ixgbe *dev, unsigned int i, const uint8_t *frame, const struct parsed *p,
	    uint32_t ftqf)
{
	uint32_t src, dst, ports, want;

	memcpy(&src, frame + p->l3 + 12, 4);
	memcpy(&dst, frame + p->l3 + 16, 4);
	if (!(ftqf & FTQF_MASK_SRC) && nic_reg(dev->nic, IXGBE_AT(SAQF, i)) != src)
		return false;
	if (!(ftqf & FTQF_MASK_DST) && nic_reg(dev->nic, IXGBE_AT(DAQF, i)) != dst)
		return false;
	if (!(ftqf & FTQF_MASK_PROTO)) {
		uint32_t kind = p->proto == 6 ? 0 : p->proto == 17 ? 1 : p->proto == 132 ? 2 : 3;

		if (kind != (ftqf & FTQF_PROTOCOL))
			return false;
	}
	if ((ftqf & FTQF_MASK_SPORT) && (ftqf & FTQF_MASK_DPORT))
		return true;
	if (p->proto == 0)
		return false;
	want = nic_reg(dev->nic, IXGBE_AT(SDPQF, i)); /* both in network order */
	memcpy(&ports, frame + p->l4, 4);
	if (!(ftqf & FTQF_MASK_SPORT) && (want & 0xFFFF) != (ports & 0xFFFF))
		return false;
	return ftqf & FTQF_MASK_DPORT || want >> 16 == ports >> 16;
}

/* The order of filters: 7.1.2 (L2 ethertype, SYN when high, 5-tuple, SYN). */
int
ixgbe_rx_steer(struct ixgbe *dev, const uint8_t *frame, const struct parsed *p)
{
	uint32_t syn = nic_reg(dev->nic, IXGBE_SYNQF);
	bool is_syn = syn & SYNQF_ENABLE && p->proto == 6 && frame[p->l4 + 13] & 0x02;
	int queue = -1;
	unsigned int i, best = 0;

	for (i = 0; i < IXGBE_ETQF_COUNT; i++) {
		uint32_t etqf = nic_reg(dev->nic, IXGBE_AT(ETQF, i));
		uint32_t etqs = nic_reg(dev->nic, IXGBE_AT(ETQS, i));

		if (etqf & ETQF_ENABLE && (etqf & 0xFFFF) == p->ethertype && etqs & ETQS_ENABLE)
			return (int)ETQS_QUEUE(etqs);
	}
	if (is_syn && syn & SYNQF_HIGH)
		return (int)SYNQF_QUEUE(syn);
	for (i = 0; p->ipv4 && i < IXGBE_FTQF_COUNT; i++) {
		uint32_t ftqf = nic_reg(dev->nic, IXGBE_AT(FTQF, i));

		if (!(ftqf & FTQF_ENABLE) || (queue >= 0 && FTQF_PRIORITY(ftqf) <= best))
			continue;
		if (!tuple_match(dev, i, frame, p, ftqf))
			continue;
		best = FTQF_PRIORITY(ftqf);
		queue = (int)L34T_QUEUE(nic_reg(dev->nic, IXGBE_AT(L34T_IMIR, i)));
	}
	if (queue < 0 && is_syn)
		return (int)SYNQF_QUEUE(syn);
	return queue;
}
