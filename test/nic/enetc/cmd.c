/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ring of commands: exact MAC addresses and the RSS table, in the formats of Linux's driver.
 * What is not known is answered with an error, as is data that lies where the device may not go.
 */
#include "enetc_model.h"

#include <string.h>

#define STATUS_INVALID 1u

static uint8_t
mac_entry(struct enetc *dev, const union enetc_cmd_desc *cmd)
{
	unsigned int i;

	/* the table is the port's */
	if (dev->si != 0 || !(cmd->status & ENETC_CMD_SHORT) || cmd->cmd != 0 ||
	    cmd->index >= ENETC_MAC_ENTRIES)
		return STATUS_INVALID;
	dev->mac[cmd->index].on = (cmd->opt[0] & ENETC_CMD_MAC_EN) != 0;
	dev->mac[cmd->index].si_map = cmd->opt[3];
	for (i = 0; i < 6; i++)
		dev->mac[cmd->index].addr[i] = (uint8_t)(cmd->addr[i / 4] >> (i % 4 * 8));
	return 0;
}

static uint8_t
rss_table(struct enetc *dev, const union enetc_cmd_desc *cmd)
{
	uint64_t addr = (uint64_t)cmd->addr[1] << 32 | cmd->addr[0];
	void *data;

	if (cmd->status & ENETC_CMD_SHORT || cmd->length != ENETC_RSS_ENTRIES ||
	    addr % ENETC_CMD_DATA_ALIGN != 0)
		return STATUS_INVALID;
	data = nic_dma(dev->nic, addr, ENETC_RSS_ENTRIES);
	if (data == NULL)
		return STATUS_INVALID;
	if (cmd->cmd == ENETC_CMD_RSS_WRITE)
		memcpy(dev->rss, data, ENETC_RSS_ENTRIES);
	else if (cmd->cmd == ENETC_CMD_RSS_READ)
		memcpy(data, dev->rss, ENETC_RSS_ENTRIES);
	else
		return STATUS_INVALID;
	return 0;
}

static void
sicbdrpir_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	struct enetc *dev = enetc_of(nic);
	uint32_t size = nic_reg(nic, ENETC_SICBDRLENR), at = nic_reg(nic, ENETC_SICBDRCIR);
	uint64_t base = (uint64_t)nic_reg(nic, ENETC_SICBDRBAR1) << 32 |
			nic_reg(nic, ENETC_SICBDRBAR0);
	union enetc_cmd_desc *descs;

	(void)index;
	nic_reg_set(nic, offset, value);
	if (!(nic_reg(nic, ENETC_SICBDRMR) & ENETC_SICBDRMR_EN) || value >= size || at >= size ||
	    nic->fault == NIC_FAULT_RESET)
		return;
	descs = nic_dma(nic, base, size * sizeof(*descs));
	if (descs == NULL)
		return;
	while (at != value) {
		union enetc_cmd_desc cmd = descs[at];
		uint8_t status = STATUS_INVALID;

		if (cmd.cls == ENETC_CMD_CLS_MAC)
			status = mac_entry(dev, &cmd);
		else if (cmd.cls == ENETC_CMD_CLS_RSS)
			status = rss_table(dev, &cmd);
		descs[at].status = (uint8_t)((cmd.status & ~ENETC_CMD_STATUS) | status);
		at = at + 1 < size ? at + 1 : 0;
	}
	__atomic_thread_fence(__ATOMIC_RELEASE);
	nic_reg_set(nic, ENETC_SICBDRCIR, at);
}

const struct reg_special enetc_cmd_regs[] = {
    {ENETC_SICBDRPIR, NULL, sicbdrpir_write},
    {0, NULL, NULL},
};
