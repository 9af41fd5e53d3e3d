/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The SFP+ cage of the 82599: an I2C master in software over I2CCTL, what the
 * module says about itself (SFF-8472), and the words that the NVM holds for
 * the SFI core of each kind of module (82599 datasheet 8.2.3.1, 6.3).
 */
#include <stddef.h>

#include <rte_common.h>
#include <rte_cycles.h>

#include "../../common/log.h"
#include "ixgbe_hw.h"

/* I2C standard mode, 100 kHz: UM10204 table 10, microseconds. */
#define I2C_LOW_US 5u
#define I2C_HIGH_US 4u
#define I2C_SETUP_START_US 5u
#define I2C_HOLD_START_US 4u
#define I2C_SETUP_STOP_US 4u
#define I2C_BUS_FREE_US 5u
#define I2C_STRETCH_TRIES 500u /* a slave may hold the clock this many microseconds */
#define I2C_TRIES 3u	       /* a module that was just plugged may not answer at once */
#define I2C_CHUNK 16u	       /* bytes a transaction: what every module can do */

/* SFF-8472: bytes of device 0xA0. */
#define SFF_DEVICE 0xA0u
#define SFF_IDENTIFIER 0u
#define SFF_IDENTIFIER_SFP 3u
#define SFF_10G_CODES 3u
#define SFF_10G_SR 0x10u
#define SFF_10G_LR 0x20u
#define SFF_1G_CODES 6u
#define SFF_1G_SX 0x01u
#define SFF_1G_LX 0x02u
#define SFF_1G_T 0x08u
#define SFF_CABLE 8u
#define SFF_CABLE_PASSIVE 0x04u
#define SFF_CABLE_ACTIVE 0x08u
#define SFF_OUI 37u
#define SFF_CABLE_SPEC 60u
#define SFF_CABLE_SPEC_LIMITING 0x04u

/* NVM: pointer to the list of modules; ids of its entries, +1 for port 1. */
#define NVM_SFP_LIST 0x2Bu
#define NVM_SFP_LIST_ENTRIES 64u /* more would not fit what any board has */
#define NVM_SFP_WORDS 512u
#define NVM_SFP_DA 3u
#define NVM_SFP_SR_LR 5u

/* ---- I2C master ---- */

/* Write data and clock; a line is high when nobody pulls it. */
static uint32_t
ixgbe_i2c_lines(struct ixgbe_hw *hw, bool data, bool clock)
{
	mmio_write(&hw->bar, IXGBE_I2CCTL,
		   (data ? IXGBE_I2CCTL_DATA_OUT : 0) | (clock ? IXGBE_I2CCTL_CLK_OUT : 0));
	return mmio_read(&hw->bar, IXGBE_I2CCTL);
}

/* Let the clock go high and wait for a slave that stretches it. -EIO: it stays low. */
static int
ixgbe_i2c_clock_high(struct ixgbe_hw *hw, bool data)
{
	int ret;

	ixgbe_i2c_lines(hw, data, true);
	ret = mmio_wait(&hw->bar, IXGBE_I2CCTL, IXGBE_I2CCTL_CLK_IN, IXGBE_I2CCTL_CLK_IN,
			I2C_STRETCH_TRIES, 1);
	rte_delay_us(I2C_HIGH_US);
	return ret != 0 ? -EIO : 0;
}

static int
ixgbe_i2c_bit_out(struct ixgbe_hw *hw, bool bit)
{
	int ret;

	ixgbe_i2c_lines(hw, bit, false);
	rte_delay_us(I2C_LOW_US);
	ret = ixgbe_i2c_clock_high(hw, bit);
	ixgbe_i2c_lines(hw, bit, false);
	return ret;
}

static int
ixgbe_i2c_bit_in(struct ixgbe_hw *hw, bool *bit)
{
	int ret;

	ixgbe_i2c_lines(hw, true, false);
	rte_delay_us(I2C_LOW_US);
	ret = ixgbe_i2c_clock_high(hw, true);
	*bit = mmio_read(&hw->bar, IXGBE_I2CCTL) & IXGBE_I2CCTL_DATA_IN;
	ixgbe_i2c_lines(hw, true, false);
	return ret;
}

static int
ixgbe_i2c_start(struct ixgbe_hw *hw)
{
	int ret;

	ixgbe_i2c_lines(hw, true, false);
	rte_delay_us(I2C_LOW_US);
	ret = ixgbe_i2c_clock_high(hw, true);
	rte_delay_us(I2C_SETUP_START_US);
	ixgbe_i2c_lines(hw, false, true);
	rte_delay_us(I2C_HOLD_START_US);
	ixgbe_i2c_lines(hw, false, false);
	return ret;
}

static void
ixgbe_i2c_stop(struct ixgbe_hw *hw)
{
	ixgbe_i2c_lines(hw, false, false);
	rte_delay_us(I2C_LOW_US);
	ixgbe_i2c_clock_high(hw, false);
	rte_delay_us(I2C_SETUP_STOP_US);
	ixgbe_i2c_lines(hw, true, true);
	rte_delay_us(I2C_BUS_FREE_US);
}

/* Nine clocks bring a slave that waits for the rest of a byte back to its start (UM10204 3.1.16).
 */
static void
ixgbe_i2c_clear(struct ixgbe_hw *hw)
{
	bool bit;
	int i;

	for (i = 0; i < 9; i++)
		ixgbe_i2c_bit_in(hw, &bit);
	ixgbe_i2c_start(hw);
	ixgbe_i2c_stop(hw);
}

/* -ENODEV: no acknowledge. */
static int
ixgbe_i2c_byte_out(struct ixgbe_hw *hw, uint8_t byte)
{
	bool nack;
	int i, ret;

	for (i = 7; i >= 0; i--) {
		ret = ixgbe_i2c_bit_out(hw, byte & (1u << i));
		if (ret != 0)
			return ret;
	}
	ret = ixgbe_i2c_bit_in(hw, &nack);
	if (ret != 0)
		return ret;
	return nack ? -ENODEV : 0;
}

static int
ixgbe_i2c_byte_in(struct ixgbe_hw *hw, uint8_t *byte, bool last)
{
	bool bit;
	int i, ret;

	*byte = 0;
	for (i = 7; i >= 0; i--) {
		ret = ixgbe_i2c_bit_in(hw, &bit);
		if (ret != 0)
			return ret;
		*byte |= (uint8_t)(bit << i);
	}
	return ixgbe_i2c_bit_out(hw, last);
}

/* Set the slave's address counter, turn round, read. */
static int
ixgbe_i2c_read(struct ixgbe_hw *hw, uint8_t dev, uint8_t offset, uint8_t *buf, uint32_t n)
{
	uint32_t i;
	int ret;

	ret = ixgbe_i2c_start(hw);
	if (ret == 0)
		ret = ixgbe_i2c_byte_out(hw, dev);
	if (ret == 0)
		ret = ixgbe_i2c_byte_out(hw, offset);
	if (ret == 0)
		ret = ixgbe_i2c_start(hw);
	if (ret == 0)
		ret = ixgbe_i2c_byte_out(hw, dev | 1);
	for (i = 0; i < n && ret == 0; i++)
		ret = ixgbe_i2c_byte_in(hw, &buf[i], i + 1 == n);
	ixgbe_i2c_stop(hw);
	return ret;
}

int
ixgbe_sfp_read(struct ixgbe_hw *hw, uint8_t dev, uint8_t offset, uint8_t *buf, uint32_t n)
{
	uint32_t sem = hw->lan_id == 0 ? IXGBE_SWFW_PHY0 : IXGBE_SWFW_PHY1;
	unsigned int tries;
	int ret;

	if (hw->media != IXGBE_MEDIA_FIBER)
		return -ENODEV;
	if (offset + n > 256)
		return -EINVAL;
	while (n > 0) {
		uint32_t chunk = RTE_MIN(n, I2C_CHUNK);

		ret = -ENODEV;
		for (tries = 0; tries < I2C_TRIES && ret != 0; tries++) {
			int taken = ixgbe_hw_sem_take(hw, sem);

			if (taken != 0)
				return taken;
			ret = ixgbe_i2c_read(hw, dev, offset, buf, chunk);
			if (ret != 0)
				ixgbe_i2c_clear(hw);
			ixgbe_hw_sem_give(hw, sem);
		}
		if (ret != 0)
			return ret;
		offset += chunk;
		buf += chunk;
		n -= chunk;
	}
	return 0;
}

/* ---- What the module is ---- */

const char *
ixgbe_sfp_name(enum ixgbe_sfp sfp)
{
	static const char *const names[] = {
	    [IXGBE_SFP_UNKNOWN] = "unknown module",
	    [IXGBE_SFP_ABSENT] = "no module",
	    [IXGBE_SFP_DA_PASSIVE] = "passive copper cable",
	    [IXGBE_SFP_DA_ACTIVE] = "active copper cable",
	    [IXGBE_SFP_SR] = "10GBASE-SR",
	    [IXGBE_SFP_LR] = "10GBASE-LR",
	    [IXGBE_SFP_1G_SX] = "1000BASE-SX",
	    [IXGBE_SFP_1G_LX] = "1000BASE-LX",
	    [IXGBE_SFP_1G_T] = "1000BASE-T",
	};

	return (size_t)sfp < RTE_DIM(names) ? names[sfp] : names[IXGBE_SFP_UNKNOWN];
}

static enum ixgbe_sfp
ixgbe_sfp_classify(const uint8_t id[SFF_CABLE_SPEC + 1])
{
	if (id[SFF_IDENTIFIER] != SFF_IDENTIFIER_SFP)
		return IXGBE_SFP_UNKNOWN;
	if (id[SFF_CABLE] & SFF_CABLE_PASSIVE)
		return IXGBE_SFP_DA_PASSIVE;
	if (id[SFF_CABLE] & SFF_CABLE_ACTIVE) {
		/* Only a limiting amplifier suits the SFI receiver. */
		return id[SFF_CABLE_SPEC] & SFF_CABLE_SPEC_LIMITING ? IXGBE_SFP_DA_ACTIVE
								    : IXGBE_SFP_UNKNOWN;
	}
	if (id[SFF_10G_CODES] & SFF_10G_SR)
		return IXGBE_SFP_SR;
	if (id[SFF_10G_CODES] & SFF_10G_LR)
		return IXGBE_SFP_LR;
	if (id[SFF_1G_CODES] & SFF_1G_T)
		return IXGBE_SFP_1G_T;
	if (id[SFF_1G_CODES] & SFF_1G_SX)
		return IXGBE_SFP_1G_SX;
	if (id[SFF_1G_CODES] & SFF_1G_LX)
		return IXGBE_SFP_1G_LX;
	return IXGBE_SFP_UNKNOWN;
}

int
ixgbe_sfp_identify(struct ixgbe_hw *hw)
{
	uint8_t id[SFF_CABLE_SPEC + 1];
	int ret;

	hw->sfp_dual = false;
	ret = ixgbe_sfp_read(hw, SFF_DEVICE, 0, id, sizeof(id));
	if (ret == -ENODEV) {
		hw->sfp = IXGBE_SFP_ABSENT;
		hw->sfp_bus_held = false;
		return 0;
	}
	/* A module may hold the bus for good: the port is there, its link is not. */
	if (ret == -EIO) {
		if (!hw->sfp_bus_held)
			AIM_LOG(
			    WARNING,
			    "%s: the SFP+ cage's I2C clock is held low: the cage counts as empty; "
			    "pull the module and plug it again",
			    hw->name);
		hw->sfp = IXGBE_SFP_ABSENT;
		hw->sfp_bus_held = true;
		return 0;
	}
	if (ret != 0)
		return ret;
	hw->sfp_bus_held = false;
	hw->sfp = ixgbe_sfp_classify(id);
	hw->sfp_dual = (hw->sfp == IXGBE_SFP_SR && (id[SFF_1G_CODES] & SFF_1G_SX)) ||
		       (hw->sfp == IXGBE_SFP_LR && (id[SFF_1G_CODES] & SFF_1G_LX));
	AIM_INIT_LOG(DEBUG, "%s: SFP+ cage: %s%s, vendor OUI %02x%02x%02x", hw->name,
		     ixgbe_sfp_name(hw->sfp), hw->sfp_dual ? " and 1G" : "", id[SFF_OUI],
		     id[SFF_OUI + 1], id[SFF_OUI + 2]);
	if (hw->sfp == IXGBE_SFP_UNKNOWN)
		AIM_LOG(
		    WARNING,
		    "%s: SFP+ module with codes 0x%02x/0x%02x/0x%02x is of no known kind and is "
		    "driven as 10GBASE-SR: use a module that the adapter's data sheet lists if "
		    "the link stays down",
		    hw->name, id[SFF_10G_CODES], id[SFF_1G_CODES], id[SFF_CABLE]);
	return 0;
}

/* ---- SFI core ---- */

/* Find the words for this module: pairs (id, pointer) up to 0xFFFF. 0: none. */
static int
ixgbe_sfp_core_find(struct ixgbe_hw *hw, uint16_t *pointer)
{
	/* Active cables and 1G modules take the optical modules' settings. */
	uint16_t want = (hw->sfp == IXGBE_SFP_DA_PASSIVE ? NVM_SFP_DA : NVM_SFP_SR_LR) +
			(hw->lan_id != 0);
	uint16_t list, entry[2];
	unsigned int i;
	int ret;

	*pointer = 0;
	ret = ixgbe_nvm_read(hw, NVM_SFP_LIST, &list);
	if (ret != 0 || list == 0 || list == 0xFFFF)
		return ret;
	list++; /* the first word is the list's own */
	for (i = 0; i < NVM_SFP_LIST_ENTRIES; i++, list += 2) {
		ret = ixgbe_nvm_read(hw, list, &entry[0]);
		if (ret != 0 || entry[0] == 0xFFFF)
			return ret;
		if (entry[0] != want)
			continue;
		ret = ixgbe_nvm_read(hw, list + 1, &entry[1]);
		if (ret == 0 && entry[1] != 0xFFFF)
			*pointer = entry[1];
		return ret;
	}
	return 0;
}

int
ixgbe_sfp_core_setup(struct ixgbe_hw *hw)
{
	uint16_t pointer, word;
	unsigned int i;
	int ret;

	ret = ixgbe_sfp_core_find(hw, &pointer);
	if (ret != 0)
		return ret;
	if (pointer == 0) {
		AIM_LOG(
		    ERR,
		    "%s: the adapter's NVM has no settings for this module (%s): use another module",
		    hw->name, ixgbe_sfp_name(hw->sfp));
		return -ENOTSUP;
	}
	/* Firmware writes CORECTL too. */
	ret = ixgbe_hw_sem_take(hw, IXGBE_SWFW_MAC_CSR);
	if (ret != 0)
		return ret;
	for (i = 0; i < NVM_SFP_WORDS; i++) {
		ret = ixgbe_nvm_read(hw, ++pointer, &word);
		if (ret != 0 || word == 0xFFFF)
			break;
		mmio_write(&hw->bar, IXGBE_CORECTL, word);
		mmio_read(&hw->bar, IXGBE_STATUS);
	}
	ixgbe_hw_sem_give(hw, IXGBE_SWFW_MAC_CSR);
	/* Firmware gets its turn before the next user of the semaphore. */
	rte_delay_us_sleep(10000);
	return ret;
}
