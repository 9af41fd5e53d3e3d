/* SPDX-License-Identifier: BSD-3-Clause */
/* Receive-side scaling: section 7.1.2.8; X550 has 512 entries of 6 bits (X550 datasheet, 7.1.2). */
#include "ixgbe_model.h"

#include <string.h>

static unsigned int
redirect(struct ixgbe *dev, uint32_t hash)
{
	uint32_t entry = hash & (dev->gen == GEN_X550 ? 0x1FF : 0x7F);
	uint32_t reg = entry < 128 ? nic_reg(dev->nic, IXGBE_AT(RETA, entry / 4))
				   : nic_reg(dev->nic, IXGBE_AT(ERETA, (entry - 128) / 4));

	return reg >> (entry % 4 * 8) & (dev->gen == GEN_X550 ? 0x3F : 0xF);
}

unsigned int
ixgbe_rss(struct ixgbe *dev, const uint8_t *frame, const struct parsed *p, uint32_t *hash,
	  unsigned int *type)
{
	uint32_t mrqc = nic_reg(dev->nic, IXGBE_MRQC);
	bool ports = !p->fragment && (p->proto == 6 || p->proto == 17);
	uint8_t input[36], key[40];
	size_t n = 0, i;

	*hash = 0;
	*type = IXGBE_RXD_RSSTYPE_NONE;
	if ((mrqc & IXGBE_MRQC_MRQE) != IXGBE_MRQC_RSSEN)
		return 0;
	/* The most specific type that is enabled, else addresses only, else queue 0 (7.1.2.8.1). */
	if (p->ipv4) {
		memcpy(input, frame + p->l3 + 12, 8);
		n = 8;
		if (ports && p->proto == 6 && mrqc & IXGBE_MRQC_TCPIPV4)
			*type = IXGBE_RXD_RSSTYPE_TCPIPV4;
		else if (ports && p->proto == 17 && mrqc & IXGBE_MRQC_UDPIPV4)
			*type = IXGBE_RXD_RSSTYPE_UDPIPV4;
		else if (mrqc & IXGBE_MRQC_IPV4)
			*type = IXGBE_RXD_RSSTYPE_IPV4;
	} else if (p->ipv6) {
		memcpy(input, frame + p->l3 + 8, 32);
		n = 32;
		if (ports && p->proto == 6 && mrqc & IXGBE_MRQC_TCPIPV6)
			*type = IXGBE_RXD_RSSTYPE_TCPIPV6;
		else if (ports && p->proto == 17 && mrqc & IXGBE_MRQC_UDPIPV6)
			*type = IXGBE_RXD_RSSTYPE_UDPIPV6;
		else if (mrqc & IXGBE_MRQC_IPV6)
			*type = IXGBE_RXD_RSSTYPE_IPV6;
	}
	if (*type == IXGBE_RXD_RSSTYPE_NONE)
		return 0;
	if (*type != IXGBE_RXD_RSSTYPE_IPV4 && *type != IXGBE_RXD_RSSTYPE_IPV6) {
		memcpy(input + n, frame + p->l4, 4);
		n += 4;
	}
	for (i = 0; i < IXGBE_RSSRK_COUNT; i++) {
		uint32_t word = nic_reg(dev->nic, IXGBE_AT(RSSRK, i));

		/* Byte 0 of the key is the low byte of register 0 (8.2.3.7.14). */
		key[i * 4] = (uint8_t)word;
		key[i * 4 + 1] = (uint8_t)(word >> 8);
		key[i * 4 + 2] = (uint8_t)(word >> 16);
		key[i * 4 + 3] = (uint8_t)(word >> 24);
	}
	*hash = nic_toeplitz(key, input, n);
	return redirect(dev, *hash);
}
