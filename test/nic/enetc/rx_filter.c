/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which frames come to the function's station interface: primary and exact addresses, hash filters,
 * promiscuous modes, VLANs. Broadcasts always do. The hashes are those by which Linux and FreeBSD
 * fill the filters: bit i is the parity of the address' (or the VLAN id's) bits i, i + 6, i + 12,
 * ...
 */
#include "enetc_model.h"

#include <string.h>

static unsigned int
fold(uint64_t bits)
{
	unsigned int hash = 0;

	for (; bits != 0; bits >>= 6)
		hash ^= (unsigned int)(bits & 0x3F);
	return hash;
}

static bool
hash_has(const struct nic *nic, uint32_t low, uint32_t high, unsigned int hash)
{
	return port_reg(nic, hash < 32 ? low : high) >> (hash % 32) & 1;
}

static uint64_t
address(const uint8_t *p)
{
	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
	       (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40;
}

static bool
exact(const struct enetc *dev, const uint8_t *dst)
{
	unsigned int i;

	for (i = 0; i < ENETC_MAC_ENTRIES; i++)
		if (dev->mac[i].on && dev->mac[i].si_map >> dev->si & 1 &&
		    memcmp(dev->mac[i].addr, dst, 6) == 0)
			return true;
	return false;
}

/* The first silicon has the first words of the two hash filters exchanged. */
static bool
address_passes(struct enetc *dev, const uint8_t *dst)
{
	const struct nic *nic = dev->nic;
	uint32_t mode = port_reg(nic, ENETC_PSIPMR);
	bool swapped = nic->model->revision == 1;
	uint64_t addr = address(dst);
	uint32_t low;

	if (nic_is_broadcast(dst))
		return true;
	if (dst[0] & 1) {
		low = swapped ? ENETC_AT(PSIUMHFR0, dev->si) : ENETC_AT(PSIMMHFR0, dev->si);
		return mode & ENETC_PSIPMR_MP(dev->si) || exact(dev, dst) ||
		       hash_has(nic, low, ENETC_AT(PSIMMHFR1, dev->si), fold(addr));
	}
	low = swapped ? ENETC_AT(PSIMMHFR0, dev->si) : ENETC_AT(PSIUMHFR0, dev->si);
	return mode & ENETC_PSIPMR_UP(dev->si) || exact(dev, dst) ||
	       addr == ((uint64_t)(port_reg(nic, ENETC_AT(PSIPMAR1, dev->si)) & 0xFFFF) << 32 |
			port_reg(nic, ENETC_AT(PSIPMAR0, dev->si))) ||
	       hash_has(nic, low, ENETC_AT(PSIUMHFR1, dev->si), fold(addr));
}

bool
enetc_rx_tagged(const struct nic *nic, const uint8_t *frame, uint32_t len, uint16_t *type)
{
	uint32_t types = port_reg(nic, ENETC_PVCLCTR) & ENETC_PVCLCTR_OVTPIDL;

	*type = (uint16_t)(frame[12] << 8 | frame[13]);
	if (len < 18)
		return false;
	return (*type == 0x8100 && types & ENETC_VLAN_TYPE_C) ||
	       (*type == 0x88A8 && types & ENETC_VLAN_TYPE_S);
}

static bool
vlan_passes(const struct nic *nic, const struct parsed *p)
{
	unsigned int si = enetc_of(nic)->si;
	uint32_t mode = port_reg(nic, ENETC_PSIPVMR);

	if (!p->has_vlan)
		return (mode & ENETC_PSIPVMR_VUTA(si)) != 0;
	return mode & ENETC_PSIPVMR_VP(si) ||
	       hash_has(nic, ENETC_AT(PSIVHFR0, si), ENETC_AT(PSIVHFR1, si), fold(p->vlan & 0xFFF));
}

bool
enetc_rx_filter(struct enetc *dev, const uint8_t *frame, const struct parsed *p)
{
	struct nic *nic = dev->nic;
	bool multicast = (frame[0] & 1) != 0, broadcast = nic_is_broadcast(frame);

	if (!address_passes(dev, frame)) {
		port_reg_add(nic, multicast ? ENETC_MFDMF : ENETC_UFDMF, 1);
		return false;
	}
	if (!vlan_passes(nic, p)) {
		port_reg_add(nic,
			     broadcast	 ? ENETC_PBFDVFR
			     : multicast ? ENETC_PMFDVFR
					 : ENETC_PUFDVFR,
			     1);
		return false;
	}
	return true;
}
