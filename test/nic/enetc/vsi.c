/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A virtual function's other side: the port and the driver of its physical function, which no test
 * sees. Both do what Linux's fsl-enetc does: the port is set up once, and of the messages of a
 * virtual function the one is answered that asks for another primary address.
 */
#include "enetc_model.h"

#include <string.h>

#define MESSAGE_MAX 1024u

void
enetc_vsi_reset(struct enetc *dev)
{
	struct nic *nic = dev->nic;
	uint32_t types = ENETC_VLAN_TYPE_C | ENETC_VLAN_TYPE_S, i;

	port_reg_set(nic, ENETC_AT(PSICFGR0, dev->si),
		     ENETC_VF_RINGS << ENETC_PSICFGR0_RXBDR_SHIFT | ENETC_VF_RINGS |
			 types << ENETC_PSICFGR0_SIVC_SHIFT | ENETC_PSICFGR0_VTE |
			 ENETC_PSICFGR0_SIVIE);
	port_reg_set(nic, ENETC_PVCLCTR, types);
	port_reg_set(nic, ENETC_PSIVLANFMR, ENETC_PSIVLANFMR_VS);
	port_reg_set(nic, ENETC_PSIPVMR, port_reg(nic, ENETC_PSIPVMR) | ENETC_PSIPVMR_VP(dev->si));
	/* Linux takes random bytes */
	for (i = 0; i < ENETC_PRSSK_COUNT; i++)
		port_reg_set(nic, ENETC_AT(PRSSK, i), 0x9E3779B9u * (i + 1));
	port_reg_set(nic, ENETC_PM0_CMD_CFG,
		     ENETC_PM0_CMD_TX_EN | ENETC_PM0_CMD_RX_EN | ENETC_PM0_CMD_PROMISC |
			 ENETC_PM0_CMD_TXP | ENETC_PM0_CMD_PHY_TX_EN);
	port_reg_set(nic, ENETC_PMR, ENETC_PMR_SI_EN(0) | ENETC_PMR_SI_EN(1) | ENETC_PMR_SI_EN(2));
}

/* What Linux's PF answers: the status of the command, success for one that it does not know. */
static uint32_t
pf_answer(struct enetc *dev, const struct enetc_msg_mac *msg)
{
	struct nic *nic = dev->nic;
	const uint8_t *a = msg->addr;

	if (msg->type != ENETC_MSG_MAC)
		return ENETC_MSG_OK;
	if (msg->id != ENETC_MSG_ADD)
		return ENETC_MSG_FAIL;
	if (dev->address_kept)
		return ENETC_MSG_OK; /* so Linux where its user has set one */
	port_reg_set(nic, ENETC_AT(PSIPMAR0, dev->si),
		     (uint32_t)a[0] | (uint32_t)a[1] << 8 | (uint32_t)a[2] << 16 |
			 (uint32_t)a[3] << 24);
	port_reg_set(nic, ENETC_AT(PSIPMAR1, dev->si), (uint32_t)a[4] | (uint32_t)a[5] << 8);
	return ENETC_MSG_OK;
}

/* The write that sends. The PF is quick: the message is answered before the next access. */
static void
vsimsgsndar0_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	uint32_t size = (value & ENETC_VSIMSGSNDAR0_SIZE) * 32;
	uint64_t addr = (uint64_t)nic_reg(nic, ENETC_VSIMSGSNDAR1) << 32 |
			(value & ~ENETC_VSIMSGSNDAR0_SIZE);
	struct enetc_msg_mac msg = {0};
	const void *data;

	(void)index;
	nic_reg_set(nic, offset, value);
	if (nic->fault == NIC_FAULT_RESET) { /* nobody answers */
		nic_reg_set(nic, ENETC_VSIMSGSR, ENETC_VSIMSGSR_MB);
		return;
	}
	if (size == 0)
		size = MESSAGE_MAX;
	data = nic_dma_read(nic, addr, size);
	if (data == NULL) {
		nic_reg_set(nic, ENETC_VSIMSGSR, ENETC_VSIMSGSR_MS);
		return;
	}
	memcpy(&msg, data, size < sizeof(msg) ? size : sizeof(msg));
	nic_reg_set(nic, ENETC_VSIMSGSR, pf_answer(enetc_of(nic), &msg) << ENETC_VSIMSGSR_MC_SHIFT);
}

const struct reg_special enetc_vsi_regs[] = {
    {ENETC_VSIMSGSNDAR0, NULL, vsimsgsndar0_write},
    {0, NULL, NULL},
};
