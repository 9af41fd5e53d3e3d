/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring of commands, by which tables are filled; one command at a time, of a control thread. */
#include "enetc_hw.h"

#include <errno.h>
#include <string.h>

#include "../../common/log.h"

/* Linux waits 1 ms for a command. */
#define CMD_TRIES 1000
#define CMD_POLL_US 1

void
enetc_cmd_start(struct enetc_hw *hw)
{
	const struct mmio *bar = &hw->bar;

	mmio_write(bar, ENETC_SICBDRMR, 0);
	mmio_write(bar, ENETC_SICBDRBAR0, (uint32_t)hw->cmd_ring.iova);
	mmio_write(bar, ENETC_SICBDRBAR1, (uint32_t)(hw->cmd_ring.iova >> 32));
	mmio_write(bar, ENETC_SICBDRLENR, ENETC_CMD_RING);
	mmio_write(bar, ENETC_SICBDRPIR, 0);
	mmio_write(bar, ENETC_SICBDRCIR, 0);
	mmio_write(bar, ENETC_SICBDRMR, ENETC_SICBDRMR_EN);
	hw->cmd_next = 0;
}

void
enetc_cmd_stop(struct enetc_hw *hw)
{
	mmio_write(&hw->bar, ENETC_SICBDRMR, 0);
}

static int
cmd_send(struct enetc_hw *hw, const union enetc_cmd_desc *cmd)
{
	union enetc_cmd_desc *place = (union enetc_cmd_desc *)hw->cmd_ring.addr + hw->cmd_next;
	uint8_t status;
	int rc;

	memcpy(place, cmd, sizeof(*place));
	hw->cmd_next = (uint16_t)((hw->cmd_next + 1) % ENETC_CMD_RING);
	mmio_write(&hw->bar, ENETC_SICBDRPIR, hw->cmd_next);
	rc = mmio_wait(&hw->bar, ENETC_SICBDRCIR, 0xFFFF, hw->cmd_next, CMD_TRIES, CMD_POLL_US);
	if (rc != 0) {
		AIM_LOG(
		    ERR,
		    "%s: a command of class %u is not answered: the device hangs, reset the port",
		    hw->name, cmd->cls);
		return rc;
	}
	status = __atomic_load_n(&place->status, __ATOMIC_ACQUIRE) & ENETC_CMD_STATUS;
	if (status == 0)
		return 0;
	AIM_LOG(ERR, "%s: the device refuses a command of class %u: status %u", hw->name, cmd->cls,
		status);
	return -EIO;
}

int
enetc_cmd_mac_set(struct enetc_hw *hw, uint16_t i, const uint8_t *addr)
{
	union enetc_cmd_desc cmd = {
	    .index = rte_cpu_to_le_16(i), .cls = ENETC_CMD_CLS_MAC, .status = ENETC_CMD_SHORT};

	if (addr != NULL) {
		uint64_t bits = enetc_hw_address_bits(addr);

		cmd.addr[0] = rte_cpu_to_le_32((uint32_t)bits);
		cmd.addr[1] = rte_cpu_to_le_32((uint32_t)(bits >> 32));
		cmd.opt[0] = rte_cpu_to_le_32(ENETC_CMD_MAC_EN);
		cmd.opt[3] = rte_cpu_to_le_32(1); /* station interface 0 */
	}
	return cmd_send(hw, &cmd);
}

int
enetc_cmd_rss_set(struct enetc_hw *hw, const uint8_t table[ENETC_RSS_ENTRIES])
{
	union enetc_cmd_desc cmd = {.cls = ENETC_CMD_CLS_RSS,
				    .cmd = ENETC_CMD_RSS_WRITE,
				    .length = rte_cpu_to_le_16(ENETC_RSS_ENTRIES)};

	memcpy(hw->cmd_data.addr, table, ENETC_RSS_ENTRIES);
	cmd.addr[0] = rte_cpu_to_le_32((uint32_t)hw->cmd_data.iova);
	cmd.addr[1] = rte_cpu_to_le_32((uint32_t)(hw->cmd_data.iova >> 32));
	return cmd_send(hw, &cmd);
}
