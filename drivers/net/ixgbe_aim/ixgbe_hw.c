/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MAC: what it is, reset, the tables that a reset leaves undefined, and
 * the semaphores that software shares with firmware and the other port.
 * Sections are those of the 82599 datasheet; X540 and X550 differ where said.
 */
#include <stddef.h>
#include <string.h>

#include <rte_common.h>
#include <rte_cycles.h>

#include "../../common/log.h"
#include "ixgbe_hw.h"

#define MS 1000u /* microseconds */

/* After a reset the PHY and the NVM's auto-load need rest: 82599 10 ms (4.2.1.6), more is needed
 * when the link was up; X540 100 ms.
 */
#define RESET_SETTLE_82599_US (50 * MS)
#define RESET_SETTLE_X540_US (100 * MS)

static const struct {
	uint16_t device_id;
	uint8_t mac;
	uint8_t media;
} ixgbe_hw_types[] = {
    {IXGBE_DEV_ID_82599_KX4, IXGBE_MAC_82599, IXGBE_MEDIA_BACKPLANE},
    {IXGBE_DEV_ID_82599_COMBO_BACKPLANE, IXGBE_MAC_82599, IXGBE_MEDIA_BACKPLANE},
    {IXGBE_DEV_ID_82599_CX4, IXGBE_MAC_82599, IXGBE_MEDIA_BACKPLANE},
    {IXGBE_DEV_ID_82599_SFP, IXGBE_MAC_82599, IXGBE_MEDIA_FIBER},
    {IXGBE_DEV_ID_82599_XAUI_LOM, IXGBE_MAC_82599, IXGBE_MEDIA_BACKPLANE},
    {IXGBE_DEV_ID_82599_SFP_EM, IXGBE_MAC_82599, IXGBE_MEDIA_FIBER},
    {IXGBE_DEV_ID_82599_KX4_MEZZ, IXGBE_MAC_82599, IXGBE_MEDIA_BACKPLANE},
    {IXGBE_DEV_ID_82599_KR, IXGBE_MAC_82599, IXGBE_MEDIA_BACKPLANE},
    {IXGBE_DEV_ID_82599_SFP_FCOE, IXGBE_MAC_82599, IXGBE_MEDIA_FIBER},
    {IXGBE_DEV_ID_82599_BACKPLANE_FCOE, IXGBE_MAC_82599, IXGBE_MEDIA_BACKPLANE},
    {IXGBE_DEV_ID_82599_SFP_SF_QP, IXGBE_MAC_82599, IXGBE_MEDIA_FIBER},
    {IXGBE_DEV_ID_82599_SFP_SF2, IXGBE_MAC_82599, IXGBE_MEDIA_FIBER},
    {IXGBE_DEV_ID_82599EN_SFP, IXGBE_MAC_82599, IXGBE_MEDIA_FIBER},
    {IXGBE_DEV_ID_82599_QSFP_SF_QP, IXGBE_MAC_82599, IXGBE_MEDIA_FIBER},
    {IXGBE_DEV_ID_X540T, IXGBE_MAC_X540, IXGBE_MEDIA_COPPER},
    {IXGBE_DEV_ID_X540T1, IXGBE_MAC_X540, IXGBE_MEDIA_COPPER},
    {IXGBE_DEV_ID_X550T, IXGBE_MAC_X550, IXGBE_MEDIA_COPPER},
    {IXGBE_DEV_ID_X550T1, IXGBE_MAC_X550, IXGBE_MEDIA_COPPER},
};

int
ixgbe_hw_identify(struct ixgbe_hw *hw, uint16_t device_id)
{
	size_t i;

	for (i = 0; i < RTE_DIM(ixgbe_hw_types); i++) {
		if (ixgbe_hw_types[i].device_id != device_id)
			continue;
		hw->device_id = device_id;
		hw->mac = (enum ixgbe_mac_type)ixgbe_hw_types[i].mac;
		hw->media = (enum ixgbe_media)ixgbe_hw_types[i].media;
		hw->sfp = IXGBE_SFP_UNKNOWN;
		return 0;
	}
	return -ENODEV;
}

bool
ixgbe_hw_present(const struct ixgbe_hw *hw)
{
	/* A function that left the bus reads as ones; STATUS has bits that are always 0. */
	return mmio_read(&hw->bar, IXGBE_STATUS) != UINT32_MAX;
}

static void
ixgbe_hw_flush(const struct ixgbe_hw *hw)
{
	mmio_read(&hw->bar, IXGBE_STATUS);
}

/* ---- Semaphores: 10.5.4; X540 and X550: SW_FW_SYNC alone ---- */

#define SEM_POLL_US 50u
#define SEM_POLL_TRIES \
	2000u /* 100 ms, ten times the longest hold of SWSM that firmware promises \
	       */
#define SEM_TAKE_TRIES 200u
#define SEM_TAKE_US (5 * MS) /* 1 s in all, after which firmware counts as hung */

/* The lock around SW_FW_SYNC. */
static int
ixgbe_hw_sem_lock(struct ixgbe_hw *hw)
{
	int ret;

	/* SMBI is set by the read that finds it clear. */
	ret = mmio_wait(&hw->bar, IXGBE_SWSM, IXGBE_SWSM_SMBI, 0, SEM_POLL_TRIES, SEM_POLL_US);
	if (ret != 0) {
		/* Whoever held it is gone (10.5.4): free it, and try once more. */
		AIM_INIT_LOG(NOTICE, "%s: SWSM.SMBI was left set by another driver: cleared",
			     hw->name);
		mmio_clear(&hw->bar, IXGBE_SWSM, IXGBE_SWSM_SMBI | IXGBE_SWSM_SWESMBI);
		ret = mmio_wait(&hw->bar, IXGBE_SWSM, IXGBE_SWSM_SMBI, 0, 2, SEM_POLL_US);
		if (ret != 0)
			return ret;
	}
	if (hw->mac == IXGBE_MAC_82599) {
		unsigned int i;

		/* SWESMBI can be set only while firmware does not hold its own bit. */
		for (i = 0; i < SEM_POLL_TRIES; i++) {
			mmio_set(&hw->bar, IXGBE_SWSM, IXGBE_SWSM_SWESMBI);
			if (mmio_read(&hw->bar, IXGBE_SWSM) & IXGBE_SWSM_SWESMBI)
				return 0;
			rte_delay_us(SEM_POLL_US);
		}
		ret = -ETIMEDOUT;
	} else {
		/* X540, X550: REGSMP is set by the read that finds it clear. */
		ret = mmio_wait(&hw->bar, IXGBE_SW_FW_SYNC, IXGBE_SWFW_REGSMP, 0, SEM_POLL_TRIES,
				SEM_POLL_US);
	}
	if (ret != 0)
		mmio_clear(&hw->bar, IXGBE_SWSM, IXGBE_SWSM_SMBI);
	return ret;
}

static void
ixgbe_hw_sem_unlock(struct ixgbe_hw *hw)
{
	if (hw->mac != IXGBE_MAC_82599)
		mmio_clear(&hw->bar, IXGBE_SW_FW_SYNC, IXGBE_SWFW_REGSMP);
	mmio_clear(&hw->bar, IXGBE_SWSM, IXGBE_SWSM_SMBI | IXGBE_SWSM_SWESMBI);
	ixgbe_hw_flush(hw);
}

/* Bits of SW_FW_SYNC that tell that somebody else has what mask names. */
static uint32_t
ixgbe_hw_sem_busy(const struct ixgbe_hw *hw, uint32_t mask)
{
	uint32_t paired = mask &
			  (IXGBE_SWFW_EEP | IXGBE_SWFW_PHY0 | IXGBE_SWFW_PHY1 | IXGBE_SWFW_MAC_CSR);
	uint32_t busy = mask | paired << IXGBE_SWFW_FW_SHIFT;

	/* X540 on: the hardware's own use of the flash blocks the NVM as well. */
	if (hw->mac != IXGBE_MAC_82599 && (mask & IXGBE_SWFW_EEP))
		busy |= IXGBE_SWFW_FLASH;
	return busy;
}

int
ixgbe_hw_sem_take(struct ixgbe_hw *hw, uint32_t mask)
{
	uint32_t busy = ixgbe_hw_sem_busy(hw, mask);
	uint32_t sync = 0;
	unsigned int i;
	int ret;

	for (i = 0; i < SEM_TAKE_TRIES; i++) {
		ret = ixgbe_hw_sem_lock(hw);
		if (ret != 0)
			goto fail;
		sync = mmio_read(&hw->bar, IXGBE_SW_FW_SYNC);
		/* Firmware or hardware that has kept a bit for a second is taken for hung, and is
		 * overruled; another driver is not.
		 */
		if (!(sync & busy) || (i == SEM_TAKE_TRIES - 1 && !(sync & mask))) {
			mmio_write(&hw->bar, IXGBE_SW_FW_SYNC, sync | mask);
			ixgbe_hw_sem_unlock(hw);
			return 0;
		}
		ixgbe_hw_sem_unlock(hw);
		rte_delay_us_sleep(SEM_TAKE_US);
	}
	ret = -ETIMEDOUT;
fail:
	AIM_LOG(
	    ERR,
	    "%s: semaphore 0x%x not granted (SW_FW_SYNC 0x%08x): another driver holds the device; "
	    "unbind it, or reset the device",
	    hw->name, mask, sync);
	return ret;
}

void
ixgbe_hw_sem_give(struct ixgbe_hw *hw, uint32_t mask)
{
	/* Without the lock the bits must go all the same: a bit that stays blocks firmware. */
	bool locked = ixgbe_hw_sem_lock(hw) == 0;

	mmio_clear(&hw->bar, IXGBE_SW_FW_SYNC, mask);
	if (locked)
		ixgbe_hw_sem_unlock(hw);
}

void
ixgbe_hw_driver_loaded(struct ixgbe_hw *hw, bool loaded)
{
	if (loaded)
		mmio_set(&hw->bar, IXGBE_CTRL_EXT, IXGBE_CTRL_EXT_DRV_LOAD);
	else
		mmio_clear(&hw->bar, IXGBE_CTRL_EXT, IXGBE_CTRL_EXT_DRV_LOAD);
}

bool
ixgbe_hw_link_vetoed(struct ixgbe_hw *hw)
{
	uint32_t mmngc = mmio_read(&hw->bar, IXGBE_MMNGC);
	/* ones: gone from the bus */
	bool veto = mmngc != UINT32_MAX && (mmngc & IXGBE_MMNGC_MNG_VETO);

	if (veto && !hw->veto_told)
		AIM_LOG(INFO,
			"%s: management firmware uses the link (MMNGC.MNG_VETO): it is neither "
			"taken down nor negotiated anew",
			hw->name);
	hw->veto_told = veto;
	return veto;
}

/* ---- Stop and reset ---- */

static void
ixgbe_hw_irq_mask(struct ixgbe_hw *hw)
{
	mmio_write(&hw->bar, IXGBE_EIMC, 0x7FFFFFFFu);
	mmio_write(&hw->bar, IXGBE_AT(EIMC_EX, 0), UINT32_MAX);
	mmio_write(&hw->bar, IXGBE_AT(EIMC_EX, 1), UINT32_MAX);
	mmio_read(&hw->bar, IXGBE_EICR);
}

/* 5.2.5.3.2: no new requests to the host. 1: requests stay outstanding, a second reset is due. */
static int
ixgbe_hw_master_disable(struct ixgbe_hw *hw)
{
	mmio_set(&hw->bar, IXGBE_CTRL, IXGBE_CTRL_GIO_DIS);
	if (mmio_wait(&hw->bar, IXGBE_STATUS, IXGBE_STATUS_GIO, 0, 800, 100) == 0)
		return 0;
	AIM_INIT_LOG(NOTICE, "%s: STATUS.GIO stays set after master disable: resetting twice",
		     hw->name);
	return 1;
}

int
ixgbe_hw_stop(struct ixgbe_hw *hw)
{
	uint32_t i;

	if (!ixgbe_hw_present(hw))
		return 0; /* nothing is left that could write to memory */
	/* 4.6.7.1: the unit first, so that no ring sees a packet while it goes. */
	mmio_clear(&hw->bar, IXGBE_RXCTRL, IXGBE_RXCTRL_RXEN);
	ixgbe_hw_irq_mask(hw);
	for (i = 0; i < IXGBE_MAX_QUEUES; i++) {
		mmio_write(&hw->bar, IXGBE_AT(TXDCTL, i), IXGBE_TXDCTL_SWFLSH);
		if (i < IXGBE_RXDCTL_COUNT)
			mmio_clear(&hw->bar, IXGBE_AT(RXDCTL, i), IXGBE_RXDCTL_ENABLE);
		else
			mmio_clear(&hw->bar, IXGBE_AT(RXDCTL_HI, i - IXGBE_RXDCTL_COUNT),
				   IXGBE_RXDCTL_ENABLE);
	}
	ixgbe_hw_flush(hw);
	rte_delay_us_sleep(2 * MS);
	return ixgbe_hw_master_disable(hw);
}

/* One pass of CTRL.RST: 4.2.1.6, 8.2.3.1.1. */
static int
ixgbe_hw_reset_once(struct ixgbe_hw *hw)
{
	uint32_t phy = hw->lan_id == 0 ? IXGBE_SWFW_PHY0 : IXGBE_SWFW_PHY1;
	uint32_t bits = IXGBE_CTRL_RST;
	int ret;

	if (hw->mac == IXGBE_MAC_82599) {
		/* 4.6.3.2 asks for the link reset as well; there is no PHY that firmware uses. */
		bits |= IXGBE_CTRL_LNK_RST;
	} else {
		/* X540, X550: firmware must not be amid a PHY access. */
		ret = ixgbe_hw_sem_take(hw, phy);
		if (ret != 0)
			return ret;
	}
	mmio_set(&hw->bar, IXGBE_CTRL, bits);
	ixgbe_hw_flush(hw);
	if (hw->mac != IXGBE_MAC_82599)
		ixgbe_hw_sem_give(hw, phy);
	ret = mmio_wait(&hw->bar, IXGBE_CTRL, bits, 0, 1000, 1);
	rte_delay_us_sleep(hw->mac == IXGBE_MAC_82599 ? RESET_SETTLE_82599_US
						      : RESET_SETTLE_X540_US);
	return ret;
}

static void
ixgbe_hw_mac_addr_read(struct ixgbe_hw *hw)
{
	uint32_t lo = mmio_read(&hw->bar, IXGBE_AT(RAL, 0));
	uint32_t hi = mmio_read(&hw->bar, IXGBE_AT(RAH, 0));
	int i;

	for (i = 0; i < 4; i++)
		hw->perm_addr[i] = (uint8_t)(lo >> (8 * i));
	for (i = 0; i < 2; i++)
		hw->perm_addr[4 + i] = (uint8_t)(hi >> (8 * i));
}

/* AUTOC is remembered as the NVM set it: what the board can do is read from it later. */
static void
ixgbe_hw_autoc_save(struct ixgbe_hw *hw)
{
	if (hw->autoc_saved)
		return;
	hw->autoc = mmio_read(&hw->bar, IXGBE_AUTOC);
	hw->autoc2 = mmio_read(&hw->bar, IXGBE_AUTOC2);
	hw->autoc_saved = true;
}

int
ixgbe_hw_reset(struct ixgbe_hw *hw)
{
	bool again;
	int ret;

	hw->lan_id = (mmio_read(&hw->bar, IXGBE_STATUS) & IXGBE_STATUS_LAN_ID) >>
		     IXGBE_STATUS_LAN_ID_SHIFT;

	/* 4.6.3: interrupts off, DMA at rest, then the reset. */
	ixgbe_hw_irq_mask(hw);
	again = ixgbe_hw_stop(hw) != 0;
	ret = ixgbe_hw_reset_once(hw);
	if (ret == 0 && again)
		ret = ixgbe_hw_reset_once(hw);
	if (ret != 0) {
		AIM_LOG(
		    ERR,
		    "%s: reset does not complete (CTRL 0x%08x): power the slot off and on, or see "
		    "whether another driver uses the device",
		    hw->name, mmio_read(&hw->bar, IXGBE_CTRL));
		return ret;
	}
	/* A reset unmasks nothing, but what happened while it ran may stand in EICR. */
	ixgbe_hw_irq_mask(hw);

	/* 4.6.3: the NVM must have been read, and the DMA unit be ready. */
	ret = mmio_wait(&hw->bar, IXGBE_EEC, IXGBE_EEC_ARD, IXGBE_EEC_ARD, 100, 10 * MS);
	if (ret != 0) {
		AIM_LOG(ERR,
			"%s: NVM auto-read does not complete (EEC 0x%08x): is the NVM programmed?",
			hw->name, mmio_read(&hw->bar, IXGBE_EEC));
		return ret;
	}
	ret = mmio_wait(&hw->bar, IXGBE_RDRXCTL, IXGBE_RDRXCTL_DMAIDONE, IXGBE_RDRXCTL_DMAIDONE,
			1000, MS);
	if (ret != 0) {
		AIM_LOG(ERR, "%s: DMA unit does not come up (RDRXCTL 0x%08x): reset the device",
			hw->name, mmio_read(&hw->bar, IXGBE_RDRXCTL));
		return ret;
	}
	ixgbe_hw_autoc_save(hw);
	if (!hw->perm_addr_read) {
		ixgbe_hw_mac_addr_read(hw);
		hw->perm_addr_read = true;
	}
	return 0;
}

/* Every statistics register clears when it is read; 64-bit pairs when the high half is. */
static void
ixgbe_hw_stats_clear(struct ixgbe_hw *hw)
{
	static const struct {
		uint32_t offset;
		uint32_t count;
		uint32_t stride;
		bool clears;
	} rows[] = {
#define ROW_RW false
#define ROW_RC true
#define STATS_ROW(name, offset, count, stride, mode) {offset, count, stride, ROW_##mode},
	    IXGBE_REGS_STATS(STATS_ROW)
#undef STATS_ROW
#undef ROW_RC
#undef ROW_RW
	};
	uint32_t i, j;

	for (i = 0; i < RTE_DIM(rows); i++)
		for (j = 0; rows[i].clears && j < rows[i].count; j++)
			mmio_read(&hw->bar, rows[i].offset + j * rows[i].stride);
}

int
ixgbe_hw_init(struct ixgbe_hw *hw)
{
	uint32_t i;

	/* 4.6.7: tables that a reset leaves undefined. Address 0 is the port's own. */
	for (i = 0; i < IXGBE_MTA_COUNT; i++)
		mmio_write(&hw->bar, IXGBE_AT(MTA, i), 0);
	for (i = 0; i < IXGBE_VFTA_COUNT; i++)
		mmio_write(&hw->bar, IXGBE_AT(VFTA, i), 0);
	for (i = 1; i < IXGBE_RAL_COUNT; i++)
		ixgbe_hw_rar_clear(hw, i);
	ixgbe_hw_rar_set(hw, 0, hw->perm_addr);
	for (i = 0; i < IXGBE_UTA_COUNT; i++)
		mmio_write(&hw->bar, IXGBE_AT(UTA, i), 0);
	for (i = 0; i < IXGBE_FTQF_COUNT; i++)
		mmio_write(&hw->bar, IXGBE_AT(FTQF, i), 0);

	/* One packet buffer for everything: 512 KB on 82599, 384 KB later (8.2.3.8). */
	mmio_write(&hw->bar, IXGBE_AT(RXPBSIZE, 0), ixgbe_hw_rx_buffer(hw));
	for (i = 1; i < IXGBE_RXPBSIZE_COUNT; i++)
		mmio_write(&hw->bar, IXGBE_AT(RXPBSIZE, i), 0);

	/* 4.6.11: no queue is rate limited. */
	for (i = 0; i < IXGBE_MAX_QUEUES; i++) {
		mmio_write(&hw->bar, IXGBE_RTTDQSEL, i);
		mmio_write(&hw->bar, IXGBE_RTTBCNRC, 0);
	}

	/* Write-backs must not overtake the data they speak of: no relaxed ordering for them. */
	for (i = 0; i < IXGBE_MAX_QUEUES; i++) {
		uint32_t rx = i < IXGBE_DCA_RXCTRL_COUNT
				  ? IXGBE_AT(DCA_RXCTRL, i)
				  : IXGBE_AT(DCA_RXCTRL_HI, i - IXGBE_DCA_RXCTRL_COUNT);

		mmio_clear(&hw->bar, rx, IXGBE_DCA_RXCTRL_DATA_WRO | IXGBE_DCA_RXCTRL_HEAD_WRO);
		mmio_clear(&hw->bar, IXGBE_AT(DCA_TXCTRL, i), IXGBE_DCA_TXCTRL_DESC_WRO);
	}
	/* Host memory is coherent: every access is snooped. */
	mmio_set(&hw->bar, IXGBE_CTRL_EXT, IXGBE_CTRL_EXT_NS_DIS);

	/* 4.6.5: counters start at 0. */
	ixgbe_hw_stats_clear(hw);
	return 0;
}

uint32_t
ixgbe_hw_rx_buffer(const struct ixgbe_hw *hw)
{
	return (hw->mac == IXGBE_MAC_82599 ? 512u : 384u) << IXGBE_RXPBSIZE_SHIFT;
}

/* ---- Receive path and addresses ---- */

/* 40 ms in all: far more than the 512 KB of the buffer need on the slowest PCIe link. */
#define RX_DRAIN_TRIES 4000u
#define RX_DRAIN_US 10u

int
ixgbe_hw_rx_path_off(struct ixgbe_hw *hw)
{
	/* 4.6.7: what is in the pipe drains, new packets wait. */
	mmio_set(&hw->bar, IXGBE_SECRXCTRL, IXGBE_SECRXCTRL_RX_DIS);
	/* A pipe that stays busy is no reason to leave the port with its path closed. */
	if (mmio_wait(&hw->bar, IXGBE_SECRXSTAT, IXGBE_SECRXSTAT_RDY, IXGBE_SECRXSTAT_RDY,
		      RX_DRAIN_TRIES, RX_DRAIN_US) != 0)
		AIM_LOG(
		    WARNING,
		    "%s: receive path did not drain in 40 ms (SECRXSTAT 0x%08x): going on; reset "
		    "the port if nothing is received",
		    hw->name, mmio_read(&hw->bar, IXGBE_SECRXSTAT));
	return 0;
}

void
ixgbe_hw_rx_path_on(struct ixgbe_hw *hw)
{
	mmio_clear(&hw->bar, IXGBE_SECRXCTRL, IXGBE_SECRXCTRL_RX_DIS);
	ixgbe_hw_flush(hw);
}

void
ixgbe_hw_rar_set(struct ixgbe_hw *hw, uint32_t i, const uint8_t addr[6])
{
	uint32_t lo = (uint32_t)addr[0] | (uint32_t)addr[1] << 8 | (uint32_t)addr[2] << 16 |
		      (uint32_t)addr[3] << 24;
	uint32_t hi = (uint32_t)addr[4] | (uint32_t)addr[5] << 8;

	if (i >= IXGBE_RAL_COUNT)
		return;
	/* RAH.AV last: the entry is whole when it becomes valid. Pool 0 takes it. */
	mmio_write(&hw->bar, IXGBE_AT(MPSAR_LO, i), 1);
	mmio_write(&hw->bar, IXGBE_AT(MPSAR_HI, i), 0);
	mmio_write(&hw->bar, IXGBE_AT(RAL, i), lo);
	mmio_write(&hw->bar, IXGBE_AT(RAH, i), hi | IXGBE_RAH_AV);
}

void
ixgbe_hw_rar_clear(struct ixgbe_hw *hw, uint32_t i)
{
	if (i >= IXGBE_RAL_COUNT)
		return;
	mmio_write(&hw->bar, IXGBE_AT(RAH, i), 0);
	mmio_write(&hw->bar, IXGBE_AT(RAL, i), 0);
	mmio_write(&hw->bar, IXGBE_AT(MPSAR_LO, i), 0);
	mmio_write(&hw->bar, IXGBE_AT(MPSAR_HI, i), 0);
}
