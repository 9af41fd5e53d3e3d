/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No datasheet is public; what is done, and in which order, is what Linux's and FreeBSD's drivers
 * and net_enetc agree on. A function has no reset of its own but that of PCI (FLR), which vfio-pci
 * does when it opens the device; so everything that matters is written at each start.
 */
#include "enetc_hw.h"

#include <errno.h>
#include <string.h>

#include "../../common/log.h"
#include "enetc_ids.h"

const struct enetc_kind enetc_kinds[] = {
    /* no port is on for every station interface, and no bit of speed reads as all ones */
    {ENETC_VENDOR_FREESCALE, ENETC_DEV_ID_LS1028A_PF, .port = true, .alive = ENETC_PMR},
    {ENETC_VENDOR_FREESCALE, ENETC_DEV_ID_LS1028A_VF, .port = false, .alive = ENETC_SIMR},
};

void
enetc_hw_kind_set(struct enetc_hw *hw, uint16_t vendor, uint16_t device)
{
	unsigned int last = sizeof(enetc_kinds) / sizeof(enetc_kinds[0]) - 1;

	for (hw->kind = 0; hw->kind < last; hw->kind++)
		if (enetc_kind(hw)->vendor == vendor && enetc_kind(hw)->device == device)
			return;
}

bool
enetc_hw_present(const struct enetc_hw *hw)
{
	return mmio_read(&hw->bar, enetc_kind(hw)->alive) != UINT32_MAX;
}

static uint8_t
rings_min(uint8_t rx, uint8_t tx)
{
	uint8_t n = rx < tx ? rx : tx;

	return n < ENETC_SI_RINGS ? n : ENETC_SI_RINGS;
}

/* The port's rings, of which the PF takes as many as its interface has. */
static void
port_rings_take(struct enetc_hw *hw)
{
	uint32_t capr = enetc_port_read(hw, ENETC_PCAPR0), cfg;

	hw->rings = rings_min((uint8_t)(capr >> ENETC_PCAPR0_RXBDR_SHIFT),
			      (uint8_t)(capr >> ENETC_PCAPR0_TXBDR_SHIFT));
	cfg = enetc_port_read(hw, ENETC_AT(PSICFGR0, 0));
	cfg &= ~(ENETC_PSICFGR0_TXBDR | 0xFFu << ENETC_PSICFGR0_RXBDR_SHIFT |
		 0xFFu << ENETC_PSICFGR0_SIVC_SHIFT);
	cfg |= (uint32_t)hw->rings << ENETC_PSICFGR0_RXBDR_SHIFT | hw->rings;
	cfg |= (ENETC_VLAN_TYPE_C | ENETC_VLAN_TYPE_S) << ENETC_PSICFGR0_SIVC_SHIFT;
	enetc_port_write(hw, ENETC_AT(PSICFGR0, 0), cfg);
}

int
enetc_hw_identify(struct enetc_hw *hw)
{
	uint64_t addr = enetc_hw_address_get(hw);
	uint32_t capr;

	for (unsigned int i = 0; i < 6; i++)
		hw->perm_addr[i] = (uint8_t)(addr >> (i * 8));
	if (enetc_kind(hw)->port) {
		port_rings_take(hw);
	} else {
		capr = mmio_read(&hw->bar, ENETC_SICAPR0);
		hw->rings = rings_min((uint8_t)(capr >> ENETC_SICAPR0_RXBDR_SHIFT),
				      (uint8_t)(capr & ENETC_SICAPR0_TXBDR));
	}
	if (hw->rings != 0)
		return 0;
	AIM_LOG(ERR, "%s: the function has no rings: %s", hw->name,
		enetc_kind(hw)->port ? "is it one of an ENETC?"
				     : "load the driver of its physical function first");
	return -EIO;
}

static void
port_init(const struct enetc_hw *hw)
{
	enetc_port_write(hw, ENETC_PM0_RX_FIFO, ENETC_PM0_RX_FIFO_RESET);
	enetc_port_write(hw, ENETC_PVCLCTR, ENETC_VLAN_TYPE_C | ENETC_VLAN_TYPE_S);
	enetc_port_write(hw, ENETC_PSIVLANFMR, ENETC_PSIVLANFMR_VS);
	enetc_port_write(hw, ENETC_AT(PTCMSDUR, 0), ENETC_FRAME_MAX);
	enetc_port_write(hw, ENETC_PTXMBAR, 2 * ENETC_FRAME_MAX);
	/* RGMII follows its PHY's speed; XGMII, of the port to the switch, needs no more */
	if (enetc_port_read(hw, ENETC_PM0_IF_MODE) & ENETC_PM0_IFM_RG) {
		enetc_port_write(hw, ENETC_PM0_IF_MODE, ENETC_PM0_IFM_RGAUTO);
		enetc_port_write(hw, ENETC_PM1_IF_MODE, ENETC_PM0_IFM_RGAUTO);
	}
	if (enetc_port_read(hw, ENETC_AT(G_EPFBLPR, 1)) == ENETC_G_EPFBLPR_XGMII) {
		enetc_port_write(hw, ENETC_PM0_IF_MODE, ENETC_PM0_IFM_XGMII);
		enetc_port_write(hw, ENETC_PM1_IF_MODE, ENETC_PM0_IFM_XGMII);
	}
}

void
enetc_hw_init(struct enetc_hw *hw)
{
	const struct mmio *bar = &hw->bar;

	mmio_write(bar, ENETC_SICAR0, ENETC_SICAR_COHERENT);
	mmio_write(bar, ENETC_SICAR1, ENETC_SICAR_MSI);
	mmio_write(bar, ENETC_SICAR2, ENETC_SICAR_COHERENT);
	for (unsigned int q = 0; q < hw->rings; q++) {
		mmio_write(bar, ENETC_AT(RBIER, q), 0);
		mmio_write(bar, ENETC_AT(TBIER, q), 0);
	}
	if (enetc_kind(hw)->port)
		port_init(hw);
	enetc_cmd_start(hw);
}

void
enetc_hw_mac_set(const struct enetc_hw *hw, bool on)
{
	uint32_t cfg = enetc_port_read(hw, ENETC_PM0_CMD_CFG);

	cfg &= ~(ENETC_PM0_CMD_RX_EN | ENETC_PM0_CMD_TX_EN);
	/* PROMISC: the MAC passes every address, the port's filters choose */
	cfg |= ENETC_PM0_CMD_TXP | ENETC_PM0_CMD_PROMISC | ENETC_PM0_CMD_PHY_TX_EN;
	if (on)
		cfg |= ENETC_PM0_CMD_RX_EN | ENETC_PM0_CMD_TX_EN;
	enetc_port_write(hw, ENETC_PM0_CMD_CFG, cfg);
}

void
enetc_hw_port_set(const struct enetc_hw *hw, bool on)
{
	uint32_t pmr;

	if (!enetc_kind(hw)->port) /* a virtual function's is always on, for what is its part */
		return;
	pmr = enetc_port_read(hw, ENETC_PMR);
	pmr = on ? pmr | ENETC_PMR_SI_EN(0) : pmr & ~ENETC_PMR_SI_EN(0);
	enetc_port_write(hw, ENETC_PMR, pmr);
	enetc_hw_mac_set(hw, on);
}

void
enetc_hw_stop(const struct enetc_hw *hw)
{
	if (!enetc_hw_present(hw))
		return;
	enetc_hw_port_set(hw, false);
	mmio_write(&hw->bar, ENETC_SIMR, 0);
}

uint64_t
enetc_hw_address_get(const struct enetc_hw *hw)
{
	uint32_t low = mmio_read(&hw->bar, ENETC_SIPMAR0);

	return (uint64_t)(mmio_read(&hw->bar, ENETC_SIPMAR1) & 0xFFFF) << 32 | low;
}

int
enetc_hw_address_set(struct enetc_hw *hw, const uint8_t addr[6])
{
	uint64_t bits = enetc_hw_address_bits(addr);

	if (!enetc_kind(hw)->port)
		return enetc_vf_address_set(hw, addr);
	enetc_port_write(hw, ENETC_AT(PSIPMAR0, 0), (uint32_t)bits);
	enetc_port_write(hw, ENETC_AT(PSIPMAR1, 0), (uint32_t)(bits >> 32));
	return 0;
}

void
enetc_hw_frame_set(const struct enetc_hw *hw, uint32_t bytes)
{
	if (!enetc_kind(hw)->port)
		return;
	enetc_port_write(hw, ENETC_PM0_MAXFRM,
			 bytes | (uint32_t)ENETC_FRAME_MAX << ENETC_PM0_MAXFRM_TX_SHIFT);
}

unsigned int
enetc_hw_hash(uint64_t bits)
{
	unsigned int hash = 0;

	for (; bits != 0; bits >>= 6)
		hash ^= (unsigned int)(bits & 0x3F);
	return hash;
}

uint64_t
enetc_hw_address_bits(const uint8_t addr[6])
{
	uint64_t bits = 0;

	for (unsigned int i = 0; i < 6; i++)
		bits |= (uint64_t)addr[i] << (8 * i);
	return bits;
}

/* The first silicon has the low words of these two filters exchanged: Linux, FreeBSD. */
void
enetc_hw_unicast_hash_set(const struct enetc_hw *hw, uint64_t bits)
{
	uint32_t low = hw->revision == ENETC_REVISION_1 ? ENETC_AT(PSIMMHFR0, 0)
							: ENETC_AT(PSIUMHFR0, 0);

	mmio_write(&hw->bar, low, (uint32_t)bits);
	enetc_port_write(hw, ENETC_AT(PSIUMHFR1, 0), (uint32_t)(bits >> 32));
}

void
enetc_hw_multicast_hash_set(const struct enetc_hw *hw, uint64_t bits)
{
	uint32_t low = hw->revision == ENETC_REVISION_1 ? ENETC_AT(PSIUMHFR0, 0)
							: ENETC_AT(PSIMMHFR0, 0);

	mmio_write(&hw->bar, low, (uint32_t)bits);
	enetc_port_write(hw, ENETC_AT(PSIMMHFR1, 0), (uint32_t)(bits >> 32));
}

void
enetc_hw_vlan_hash_set(const struct enetc_hw *hw, uint64_t bits)
{
	enetc_port_write(hw, ENETC_AT(PSIVHFR0, 0), (uint32_t)bits);
	enetc_port_write(hw, ENETC_AT(PSIVHFR1, 0), (uint32_t)(bits >> 32));
}
