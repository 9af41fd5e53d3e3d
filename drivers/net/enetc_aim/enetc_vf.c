/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of a virtual function to the driver of its physical one. Linux's fsl-enetc, whose format
 * this is, answers one of them: another primary address. Neither it nor FreeBSD's driver tells a
 * virtual function of its link, or lets it ask for filters.
 */
#include "enetc_hw.h"

#include <errno.h>
#include <string.h>

#include <rte_byteorder.h>

#include "../../common/log.h"

/* Linux waits 100 times for one to two milliseconds. */
#define ANSWER_TRIES 200
#define ANSWER_POLL_US 1000

static_assert(sizeof(struct enetc_msg_mac) <= ENETC_MSG_SIZE, "a message has room");

/* Send what hw->msg holds; the answer's code. */
static int
message_send(struct enetc_hw *hw, uint32_t *code)
{
	const struct mmio *bar = &hw->bar;
	uint32_t status;

	mmio_write(bar, ENETC_VSIMSGSNDAR1, (uint32_t)(hw->msg.iova >> 32));
	mmio_write(bar, ENETC_VSIMSGSNDAR0, (uint32_t)hw->msg.iova | ENETC_MSG_SIZE / 32);
	if (mmio_wait(bar, ENETC_VSIMSGSR, ENETC_VSIMSGSR_MB, 0, ANSWER_TRIES, ANSWER_POLL_US) !=
	    0) {
		AIM_LOG(ERR,
			"%s: the physical function does not answer: is its port driven by a "
			"driver that has virtual functions?",
			hw->name);
		return -ETIMEDOUT;
	}
	status = mmio_read(bar, ENETC_VSIMSGSR);
	if (status & ENETC_VSIMSGSR_MS) {
		AIM_LOG(ERR, "%s: the message could not be delivered: status 0x%x", hw->name,
			status);
		return -EIO;
	}
	*code = status >> ENETC_VSIMSGSR_MC_SHIFT;
	return 0;
}

int
enetc_vf_address_set(struct enetc_hw *hw, const uint8_t addr[6])
{
	struct enetc_msg_mac *msg = hw->msg.addr;
	uint64_t bits = enetc_hw_address_bits(addr);
	uint32_t code = 0;
	int rc;

	if (enetc_hw_address_get(hw) == bits)
		return 0;
	memset(msg, 0, ENETC_MSG_SIZE);
	msg->type = rte_cpu_to_le_16(ENETC_MSG_MAC);
	msg->id = rte_cpu_to_le_16(ENETC_MSG_ADD);
	memcpy(msg->addr, addr, sizeof(msg->addr));
	rc = message_send(hw, &code);
	if (rc != 0)
		return rc;
	/* Linux says OK, too, where it keeps the address that its user gave */
	if (code == ENETC_MSG_OK && enetc_hw_address_get(hw) == bits)
		return 0;
	AIM_LOG(
	    ERR,
	    "%s: the physical function keeps the address: change it there ('ip link set DEV vf N "
	    "mac ADDRESS')",
	    hw->name);
	return -EPERM;
}
