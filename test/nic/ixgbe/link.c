/* SPDX-License-Identifier: BSD-3-Clause */
/* CTRL and STATUS (8.2.3.1), link set-up and state (8.2.3.22), link change interrupt. */
#include "ixgbe_model.h"

#define LINKS_LINK_STATUS IXGBE_BIT(7) /* has been up since the last read */

void
ixgbe_link_reset(struct ixgbe *dev)
{
	struct nic *nic = dev->nic;

	switch (dev->gen) {
	case GEN_82599_SFP:
		nic_reg_set(nic, IXGBE_AUTOC, IXGBE_AUTOC_LMS_10G_SERIAL);
		nic_reg_set(nic, IXGBE_AUTOC2, IXGBE_AUTOC2_10G_SERIAL_SFI);
		break;
	case GEN_82599_BACKPLANE:
		nic_reg_set(nic, IXGBE_AUTOC,
			    IXGBE_AUTOC_LMS_KX4_KX_KR | IXGBE_AUTOC_KX4_SUPP | IXGBE_AUTOC_KX_SUPP);
		break;
	default:
		break; /* copper: the PHY negotiates */
	}
}

void
ixgbe_link_changed(struct nic *nic)
{
	ixgbe_intr_cause(ixgbe_of(nic), IXGBE_EICR_LSC);
}

static uint32_t
links_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	uint32_t value = 0;

	(void)offset;
	(void)index;
	if (!nic_has_link(nic))
		return 0;
	value = IXGBE_LINKS_UP | LINKS_LINK_STATUS | IXGBE_LINKS_KX_AN_COMP;
	switch (nic->link_mbps) {
	case 100:
		return value | IXGBE_LINKS_SPEED_100M;
	case 1000:
		return value | IXGBE_LINKS_SPEED_1G;
	default:
		return value | IXGBE_LINKS_SPEED_10G;
	}
}

/* The state of the negotiation is never 0, "not enabled". */
static uint32_t
anlp1_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	(void)nic;
	(void)offset;
	(void)index;
	return IXGBE_BIT(16);
}

static void
autoc_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	(void)index;
	nic_reg_set(nic, offset, value & ~IXGBE_AUTOC_RESTART_AN);
}

/* The input pins: SDP2 says that a module is in the cage. */
static uint32_t
esdp_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	uint32_t value = nic_reg(nic, offset);

	(void)index;
	if (ixgbe_of(nic)->gen == GEN_82599_SFP)
		value |= IXGBE_ESDP_SDP2;
	return value;
}

/* 5.2.5.3.2: bus mastering stops with what is under way, which here is nothing. */
static uint32_t
status_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	(void)offset;
	(void)index;
	return nic_reg(nic, IXGBE_CTRL) & IXGBE_CTRL_GIO_DIS ? 0 : IXGBE_STATUS_GIO;
}

static void
ctrl_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	(void)index;
	if (value & (IXGBE_CTRL_RST | IXGBE_CTRL_LNK_RST)) {
		ixgbe_reset(ixgbe_of(nic));
		if (nic->fault != NIC_FAULT_RESET)
			return; /* done: the bits are clear again */
	}
	nic_reg_set(nic, offset, value);
}

const struct reg_special ixgbe_link_regs[] = {
    {IXGBE_CTRL, NULL, ctrl_write},
    {IXGBE_STATUS, status_read, NULL},
    {IXGBE_LINKS, links_read, NULL},
    {IXGBE_ANLP1, anlp1_read, NULL},
    {IXGBE_AUTOC, NULL, autoc_write},
    {IXGBE_ESDP, esdp_read, NULL},
    {0, NULL, NULL},
};
