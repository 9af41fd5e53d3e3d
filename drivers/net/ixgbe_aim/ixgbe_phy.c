/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the MAC to the wire: MDIO (IEEE 802.3 clause 45) for copper PHYs,
 * AUTOC for SFI and backplane, and what LINKS says about the result.
 * Sections: 82599 datasheet 3.7.4 (autonegotiation), 8.2.3.22; X540 datasheet, PHY registers.
 */
#include <rte_common.h>
#include <rte_cycles.h>

#include "../../common/log.h"
#include "ixgbe_hw.h"

#define MDIO_TRIES 100u /* of 10 us: ten times the longest access at 2.4 MHz */
#define MDIO_ADDRS 32u

/* Clause 45 devices and registers. */
#define MDIO_DEV_PMA 1u
#define MDIO_DEV_AN 7u
#define MDIO_DEV_VENDOR1 30u
#define MDIO_ID_HIGH 2u
#define MDIO_ID_LOW 3u
#define AN_CTRL 0x0000u
#define AN_CTRL_RESTART 0x0200u
#define AN_CTRL_ENABLE 0x1000u
#define AN_ADVERTISE 0x0010u
#define AN_ADVERTISE_100_HALF 0x0080u
#define AN_ADVERTISE_100_FULL 0x0100u
#define AN_10GBASET 0x0020u
#define AN_10GBASET_10G 0x1000u
#define AN_VENDOR 0xC400u /* X540 PHY: provisioning */
#define AN_VENDOR_2G5 0x0400u
#define AN_VENDOR_5G 0x0800u
#define AN_VENDOR_1G 0x8000u
#define VENDOR1_CTRL 0x0000u
#define VENDOR1_CTRL_LOW_POWER 0x0800u

#define NVM_DEVICE_CAPS 0x2Cu
#define NVM_DEVICE_CAPS_NO_CROSSTALK_FIX 0x0080u

/* ---- MDIO: MSCA and MSRWD, 8.2.3.22 ---- */

static uint32_t
ixgbe_phy_sem(const struct ixgbe_hw *hw)
{
	return hw->lan_id == 0 ? IXGBE_SWFW_PHY0 : IXGBE_SWFW_PHY1;
}

/* One frame: op is address cycle, read or write. */
static int
ixgbe_phy_mdio_frame(struct ixgbe_hw *hw, uint8_t dev, uint16_t reg, uint32_t op)
{
	mmio_write(
	    &hw->bar, IXGBE_MSCA,
	    (uint32_t)reg << IXGBE_MSCA_NP_ADDR_SHIFT | (uint32_t)dev << IXGBE_MSCA_DEV_TYPE_SHIFT |
		(uint32_t)hw->phy_addr << IXGBE_MSCA_PHY_ADDR_SHIFT | op | IXGBE_MSCA_MDI_COMMAND);
	return mmio_wait(&hw->bar, IXGBE_MSCA, IXGBE_MSCA_MDI_COMMAND, 0, MDIO_TRIES, 10);
}

int
ixgbe_phy_mdio_read(struct ixgbe_hw *hw, uint8_t dev, uint16_t reg, uint16_t *value)
{
	int ret = ixgbe_hw_sem_take(hw, ixgbe_phy_sem(hw));

	if (ret != 0)
		return ret;
	ret = ixgbe_phy_mdio_frame(hw, dev, reg, IXGBE_MSCA_ADDR_CYCLE);
	if (ret == 0)
		ret = ixgbe_phy_mdio_frame(hw, dev, reg, IXGBE_MSCA_READ);
	if (ret == 0)
		*value = (uint16_t)(mmio_read(&hw->bar, IXGBE_MSRWD) >> IXGBE_MSRWD_READ_SHIFT);
	ixgbe_hw_sem_give(hw, ixgbe_phy_sem(hw));
	return ret;
}

int
ixgbe_phy_mdio_write(struct ixgbe_hw *hw, uint8_t dev, uint16_t reg, uint16_t value)
{
	int ret = ixgbe_hw_sem_take(hw, ixgbe_phy_sem(hw));

	if (ret != 0)
		return ret;
	mmio_write(&hw->bar, IXGBE_MSRWD, value);
	ret = ixgbe_phy_mdio_frame(hw, dev, reg, IXGBE_MSCA_ADDR_CYCLE);
	if (ret == 0)
		ret = ixgbe_phy_mdio_frame(hw, dev, reg, IXGBE_MSCA_WRITE);
	ixgbe_hw_sem_give(hw, ixgbe_phy_sem(hw));
	return ret;
}

static int
ixgbe_phy_mdio_change(struct ixgbe_hw *hw, uint8_t dev, uint16_t reg, uint16_t clear, uint16_t set)
{
	uint16_t value;
	int ret = ixgbe_phy_mdio_read(hw, dev, reg, &value);

	if (ret != 0)
		return ret;
	return ixgbe_phy_mdio_write(hw, dev, reg, (uint16_t)((value & ~clear) | set));
}

/* ---- What is there ---- */

static int
ixgbe_phy_copper_identify(struct ixgbe_hw *hw)
{
	uint16_t i, high, low;
	int ret;

	/* Each port has an MDIO bus of its own with one PHY on it; its address is a strap. */
	for (i = 0; i < MDIO_ADDRS; i++) {
		hw->phy_addr = i;
		ret = ixgbe_phy_mdio_read(hw, MDIO_DEV_PMA, MDIO_ID_HIGH, &high);
		if (ret != 0)
			goto fail;
		if (high == 0 || high == 0xFFFF)
			continue;
		ret = ixgbe_phy_mdio_read(hw, MDIO_DEV_PMA, MDIO_ID_LOW, &low);
		if (ret != 0)
			goto fail;
		hw->phy_id = (uint32_t)high << 16 | low;
		AIM_INIT_LOG(DEBUG, "%s: PHY 0x%08x at MDIO address %u", hw->name, hw->phy_id, i);
		return 0;
	}
	hw->phy_addr = 0;
	ret = -ENODEV;
fail:
	AIM_LOG(ERR, "%s: no PHY answers on MDIO (%d): power the slot off and on", hw->name, ret);
	return ret;
}

int
ixgbe_phy_identify(struct ixgbe_hw *hw)
{
	uint16_t caps;
	int ret;

	switch (hw->media) {
	case IXGBE_MEDIA_COPPER:
		return ixgbe_phy_copper_identify(hw);
	case IXGBE_MEDIA_FIBER:
		/* An empty cage can show a link by crosstalk; boards tell whether SDP2 is wired to
		 * the cage's presence pin.
		 */
		ret = ixgbe_nvm_read(hw, NVM_DEVICE_CAPS, &caps);
		hw->sfp_pin = ret == 0 && !(caps & NVM_DEVICE_CAPS_NO_CROSSTALK_FIX);
		return ixgbe_sfp_identify(hw);
	case IXGBE_MEDIA_BACKPLANE:
		break;
	}
	return 0;
}

/* ---- Link ---- */

/*
 * Write AUTOC so that the change takes hold. The pipeline behind AUTOC restarts only when LMS
 * changes: 3.7.4 has LMS[2] toggled with Restart_AN, and written back once the state machine
 * has left its idle state.
 */
static int
ixgbe_phy_autoc_write(struct ixgbe_hw *hw, uint32_t autoc)
{
	int ret = ixgbe_hw_sem_take(hw, IXGBE_SWFW_MAC_CSR);

	if (ret != 0)
		return ret;
	mmio_clear(&hw->bar, IXGBE_AUTOC2, IXGBE_AUTOC2_LINK_DISABLE);
	autoc |= IXGBE_AUTOC_RESTART_AN;
	mmio_write(&hw->bar, IXGBE_AUTOC, autoc ^ (4u << IXGBE_AUTOC_LMS_SHIFT));
	ret = -ETIMEDOUT;
	for (int i = 0; i < 10 && ret != 0; i++) {
		rte_delay_us_sleep(4000);
		if (mmio_read(&hw->bar, IXGBE_ANLP1) & IXGBE_ANLP1_AN_STATE)
			ret = 0;
	}
	mmio_write(&hw->bar, IXGBE_AUTOC, autoc);
	mmio_read(&hw->bar, IXGBE_STATUS);
	ixgbe_hw_sem_give(hw, IXGBE_SWFW_MAC_CSR);
	if (ret != 0)
		AIM_INIT_LOG(NOTICE, "%s: AUTOC 0x%08x: autonegotiation did not start", hw->name,
			     autoc);
	return 0;
}

/* Drive a pin of the cage. Its level first, then its direction: the pin never shows the level that
 * happened to stand there. From one read: an input's bit reads as what the pin is, not as what was
 * written.
 */
static void
ixgbe_phy_pin_set(struct ixgbe_hw *hw, uint32_t pin, uint32_t dir, bool high)
{
	uint32_t esdp = mmio_read(&hw->bar, IXGBE_ESDP);

	esdp = high ? esdp | pin : esdp & ~pin;
	mmio_write(&hw->bar, IXGBE_ESDP, esdp);
	mmio_write(&hw->bar, IXGBE_ESDP, esdp | dir);
}

static int
ixgbe_phy_fiber_setup(struct ixgbe_hw *hw, uint32_t speeds)
{
	uint32_t autoc = hw->autoc & ~IXGBE_AUTOC_LMS, can;
	int ret;

	/* The module may have been changed while nobody looked. */
	ret = ixgbe_sfp_identify(hw);
	if (ret != 0)
		return ret;
	switch (hw->sfp) {
	case IXGBE_SFP_ABSENT:
		return 0; /* the plug interrupt brings us back */
	case IXGBE_SFP_1G_SX:
	case IXGBE_SFP_1G_LX:
	case IXGBE_SFP_1G_T:
		can = IXGBE_SPEED_1G;
		break;
	default:
		can = IXGBE_SPEED_10G | (hw->sfp_dual ? IXGBE_SPEED_1G : 0);
		break;
	}
	if (!(speeds & can)) {
		AIM_LOG(ERR, "%s: %s does not do the speeds asked for: let link_speeds name %s",
			hw->name, ixgbe_sfp_name(hw->sfp), can & IXGBE_SPEED_10G ? "10G" : "1G");
		return -EINVAL;
	}
	can &= speeds;
	ret = ixgbe_sfp_core_setup(hw);
	if (ret != 0)
		return ret;
	if (hw->sfp_dual) {
		/* Rate select pin of the module. */
		ixgbe_phy_pin_set(hw, IXGBE_ESDP_SDP5, IXGBE_ESDP_SDP5_DIR, can & IXGBE_SPEED_10G);
	}
	if (can & IXGBE_SPEED_10G)
		autoc |= IXGBE_AUTOC_LMS_10G_SERIAL;
	else
		autoc = (autoc & ~IXGBE_AUTOC_1G_PMA_PMD) | IXGBE_AUTOC_LMS_1G_AN;
	return ixgbe_phy_autoc_write(hw, autoc);
}

static int
ixgbe_phy_backplane_setup(struct ixgbe_hw *hw, uint32_t speeds)
{
	uint32_t autoc = hw->autoc, lms = hw->autoc & IXGBE_AUTOC_LMS;

	/* Without autonegotiation (XAUI, CX4) the board has one mode, the NVM's. */
	if (lms >= IXGBE_AUTOC_LMS_KX4_KX_KR && lms != IXGBE_AUTOC_LMS_SGMII) {
		autoc &= ~(IXGBE_AUTOC_KX4_SUPP | IXGBE_AUTOC_KX_SUPP | IXGBE_AUTOC_KR_SUPP);
		if (speeds & IXGBE_SPEED_10G)
			autoc |= hw->autoc & (IXGBE_AUTOC_KX4_SUPP | IXGBE_AUTOC_KR_SUPP);
		if (speeds & IXGBE_SPEED_1G)
			autoc |= hw->autoc & IXGBE_AUTOC_KX_SUPP;
		if (!(autoc & (IXGBE_AUTOC_KX4_SUPP | IXGBE_AUTOC_KX_SUPP | IXGBE_AUTOC_KR_SUPP))) {
			AIM_LOG(
			    ERR,
			    "%s: the backplane (AUTOC 0x%08x) does not do the speeds asked for: leave "
			    "link_speeds at 0",
			    hw->name, hw->autoc);
			return -EINVAL;
		}
	}
	return ixgbe_phy_autoc_write(hw, autoc);
}

static int
ixgbe_phy_copper_setup(struct ixgbe_hw *hw, uint32_t speeds)
{
	uint16_t vendor = 0, vendor_mask = AN_VENDOR_1G;
	int ret;

	/* A new negotiation would take firmware's link away for seconds. */
	if (ixgbe_hw_link_vetoed(hw))
		return 0;

	if (hw->mac == IXGBE_MAC_X550) {
		vendor_mask |= AN_VENDOR_2G5 | AN_VENDOR_5G;
		if (speeds & IXGBE_SPEED_2G5)
			vendor |= AN_VENDOR_2G5;
		if (speeds & IXGBE_SPEED_5G)
			vendor |= AN_VENDOR_5G;
	}
	if (speeds & IXGBE_SPEED_1G)
		vendor |= AN_VENDOR_1G;

	/* X540 datasheet, PHY: what we advertise, then a new negotiation. */
	ret = ixgbe_phy_mdio_change(hw, MDIO_DEV_AN, AN_10GBASET, AN_10GBASET_10G,
				    speeds & IXGBE_SPEED_10G ? AN_10GBASET_10G : 0);
	if (ret == 0)
		ret = ixgbe_phy_mdio_change(hw, MDIO_DEV_AN, AN_VENDOR, vendor_mask, vendor);
	if (ret == 0)
		ret = ixgbe_phy_mdio_change(hw, MDIO_DEV_AN, AN_ADVERTISE,
					    AN_ADVERTISE_100_HALF | AN_ADVERTISE_100_FULL,
					    speeds & IXGBE_SPEED_100M ? AN_ADVERTISE_100_FULL : 0);
	if (ret == 0)
		ret = ixgbe_phy_mdio_change(hw, MDIO_DEV_AN, AN_CTRL, 0,
					    AN_CTRL_RESTART | AN_CTRL_ENABLE);
	if (ret != 0)
		AIM_LOG(ERR,
			"%s: PHY 0x%08x does not take the link settings (%d): reset the device",
			hw->name, hw->phy_id, ret);
	return ret;
}

int
ixgbe_phy_link_setup(struct ixgbe_hw *hw, uint32_t speeds)
{
	switch (hw->media) {
	case IXGBE_MEDIA_FIBER:
		return ixgbe_phy_fiber_setup(hw, speeds);
	case IXGBE_MEDIA_BACKPLANE:
		return ixgbe_phy_backplane_setup(hw, speeds);
	case IXGBE_MEDIA_COPPER:
		return ixgbe_phy_copper_setup(hw, speeds);
	}
	return -ENODEV;
}

void
ixgbe_phy_link_get(struct ixgbe_hw *hw, struct ixgbe_link *link)
{
	uint32_t links;

	link->up = false;
	link->speed = 0;
	if (hw->media == IXGBE_MEDIA_FIBER && hw->sfp_pin &&
	    !(mmio_read(&hw->bar, IXGBE_ESDP) & IXGBE_ESDP_SDP2))
		return;
	/* The first read may show what happened since the last one. */
	mmio_read(&hw->bar, IXGBE_LINKS);
	links = mmio_read(&hw->bar, IXGBE_LINKS);
	if (links == UINT32_MAX || !(links & IXGBE_LINKS_UP))
		return;
	link->up = true;
	switch (links & IXGBE_LINKS_SPEED) {
	case IXGBE_LINKS_SPEED_10G:
		link->speed = 10000;
		if (hw->mac == IXGBE_MAC_X550 && (links & IXGBE_LINKS_SPEED_NON_STD))
			link->speed = 2500;
		break;
	case IXGBE_LINKS_SPEED_1G:
		link->speed = 1000;
		break;
	case IXGBE_LINKS_SPEED_100M:
		link->speed = 100;
		if (hw->mac == IXGBE_MAC_X550 && (links & IXGBE_LINKS_SPEED_NON_STD))
			link->speed = 5000;
		break;
	default: /* reserved: the speed is not settled yet */
		link->up = false;
		break;
	}
}

int
ixgbe_phy_power(struct ixgbe_hw *hw, bool on)
{
	if (!on && hw->media != IXGBE_MEDIA_BACKPLANE && ixgbe_hw_link_vetoed(hw))
		return 0;
	switch (hw->media) {
	case IXGBE_MEDIA_FIBER:
		/* TX_DISABLE of the cage. */
		ixgbe_phy_pin_set(hw, IXGBE_ESDP_SDP3, IXGBE_ESDP_SDP3_DIR, !on);
		mmio_read(&hw->bar, IXGBE_STATUS);
		return 0;
	case IXGBE_MEDIA_COPPER:
		return ixgbe_phy_mdio_change(hw, MDIO_DEV_VENDOR1, VENDOR1_CTRL,
					     VENDOR1_CTRL_LOW_POWER,
					     on ? 0 : VENDOR1_CTRL_LOW_POWER);
	case IXGBE_MEDIA_BACKPLANE:
		/* The link is always powered; only AUTOC2 could disable it, which the next reset
		 * would not undo on every board.
		 */
		return on ? 0 : -ENOTSUP;
	}
	return -ENODEV;
}
