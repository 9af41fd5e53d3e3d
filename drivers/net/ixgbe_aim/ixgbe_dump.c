/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the device holds, for those who debug it: registers by the table, NVM,
 * module memory (SFF-8079, SFF-8472), firmware version.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_dev_info.h>
#include <rte_ethdev.h>

#include "../../common/regdump.h"
#include "ixgbe_aim.h"

#define NVM_ETRACK_LOW 0x2Du
#define NVM_ETRACK_HIGH 0x2Eu

#define SFP_A0 0xA0u
#define SFP_A2 0xA2u
#define SFP_PAGE 256u
#define SFP_DIAG_TYPE 92u
#define SFP_DIAG_ADDRESS_CHANGE 0x04u
#define SFP_REVISION 94u

/* ---- Registers ---- */

static const struct regdump_row ixgbe_dump_rows[] = {IXGBE_REGS(REGDUMP_ROW)};

/* Registers of the table that only one kind of device has, or that reading would disturb. */
static bool
ixgbe_dump_row_shown(const void *arg, uint32_t offset)
{
	const struct ixgbe_port *port = arg;

	switch (offset) {
	case IXGBE_SW_FW_SYNC: /* X540 on: reading takes REGSMP */
		return port->hw.mac == IXGBE_MAC_82599;
	case IXGBE_FLEX_MNG: /* the firmware's mailbox */
	case IXGBE_SRRCTL_82598:
	case IXGBE_DCA_RXCTRL_82598:
	case IXGBE_PSRTYPE_82598:
	case IXGBE_RAL_82598:
	case IXGBE_RAH_82598: /* second names of registers that are shown */
		return false;
	case IXGBE_ERETA:
	case IXGBE_I2CCTL_X550:
	case IXGBE_HICR:
	case IXGBE_FWSTS:
	case IXGBE_VXLANCTRL:
		return port->hw.mac == IXGBE_MAC_X550;
	case IXGBE_I2CCTL:
	case IXGBE_CORECTL:
		return port->hw.mac == IXGBE_MAC_82599;
	case IXGBE_MAC_GPIO:
		return port->hw.mac == IXGBE_MAC_X540;
	default:
		return true;
	}
}

int
ixgbe_get_regs(struct rte_eth_dev *dev, struct rte_dev_reg_info *regs)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	const struct regdump dump = {
	    .rows = ixgbe_dump_rows,
	    .count = RTE_DIM(ixgbe_dump_rows),
	    .shown = ixgbe_dump_row_shown,
	    .arg = port,
	};

	regs->version = (uint32_t)port->hw.mac << 24 | port->hw.device_id;
	return regdump_get(&dump, &port->hw.bar, regs);
}

/* ---- NVM ---- */

int
ixgbe_get_eeprom_length(struct rte_eth_dev *dev)
{
	return ixgbe_nvm_words(&ixgbe_port(dev)->hw) * 2;
}

int
ixgbe_get_eeprom(struct rte_eth_dev *dev, struct rte_dev_eeprom_info *info)
{
	struct ixgbe_hw *hw = &ixgbe_port(dev)->hw;
	uint32_t bytes = ixgbe_nvm_words(hw) * 2, i;
	uint8_t *out = info->data;
	uint16_t words[64];
	int ret;

	if ((info->offset | info->length) & 1 || info->offset > bytes ||
	    info->length > bytes - info->offset) {
		AIM_LOG(ERR, "NVM bytes %u to %u: give even numbers up to %u", info->offset,
			info->offset + info->length, bytes);
		return -EINVAL;
	}
	info->magic = IXGBE_VENDOR_INTEL | (uint32_t)hw->device_id << 16;
	for (i = 0; i < info->length; i += sizeof(words)) {
		uint32_t n = RTE_MIN((uint32_t)sizeof(words), info->length - i);

		ret = ixgbe_nvm_read_block(hw, (uint16_t)((info->offset + i) / 2), words, n / 2);
		if (ret != 0)
			return ret;
		memcpy(out + i, words, n);
	}
	return 0;
}

int
ixgbe_fw_version_get(struct rte_eth_dev *dev, char *version, size_t size)
{
	struct ixgbe_hw *hw = &ixgbe_port(dev)->hw;
	uint16_t low, high;
	int ret = ixgbe_nvm_read(hw, NVM_ETRACK_LOW, &low);

	if (ret == 0)
		ret = ixgbe_nvm_read(hw, NVM_ETRACK_HIGH, &high);
	if (ret != 0)
		return ret;
	ret = snprintf(version, size, "0x%08" PRIx32, (uint32_t)high << 16 | low);
	if (ret < 0)
		return -EINVAL;
	/* The size that it takes, with its end, when it did not fit. */
	return size < (size_t)ret + 1 ? ret + 1 : 0;
}

/* ---- Module ---- */

static int
ixgbe_dump_module_read(struct rte_eth_dev *dev, uint8_t page, uint8_t offset, uint8_t *buf,
		       uint32_t n)
{
	int ret = ixgbe_sfp_read(&ixgbe_port(dev)->hw, page, offset, buf, n);

	if (ret == -ENODEV)
		AIM_LOG(NOTICE, "port %u has no module that answers: %s", dev->data->port_id,
			ixgbe_port(dev)->hw.media == IXGBE_MEDIA_FIBER ? "plug one"
								       : "it has no cage");
	return ret;
}

int
ixgbe_get_module_info(struct rte_eth_dev *dev, struct rte_eth_dev_module_info *info)
{
	uint8_t diag[SFP_REVISION - SFP_DIAG_TYPE + 1];
	int ret = ixgbe_dump_module_read(dev, SFP_A0, SFP_DIAG_TYPE, diag, sizeof(diag));

	if (ret != 0)
		return ret;
	/* A module that wants its address changed for page A2 is read without it. */
	if (diag[SFP_REVISION - SFP_DIAG_TYPE] == 0 || (diag[0] & SFP_DIAG_ADDRESS_CHANGE)) {
		info->type = RTE_ETH_MODULE_SFF_8079;
		info->eeprom_len = RTE_ETH_MODULE_SFF_8079_LEN;
	} else {
		info->type = RTE_ETH_MODULE_SFF_8472;
		info->eeprom_len = RTE_ETH_MODULE_SFF_8472_LEN;
	}
	return 0;
}

int
ixgbe_get_module_eeprom(struct rte_eth_dev *dev, struct rte_dev_eeprom_info *info)
{
	uint32_t offset = info->offset, left = info->length;
	uint8_t *out = info->data;

	if (offset > RTE_ETH_MODULE_SFF_8472_LEN || left > RTE_ETH_MODULE_SFF_8472_LEN - offset) {
		AIM_LOG(ERR, "module bytes %u to %u: there are %u", offset, offset + left,
			RTE_ETH_MODULE_SFF_8472_LEN);
		return -EINVAL;
	}
	while (left > 0) {
		uint32_t n = RTE_MIN(left, SFP_PAGE - offset % SFP_PAGE);
		int ret = ixgbe_dump_module_read(dev, offset < SFP_PAGE ? SFP_A0 : SFP_A2,
						 (uint8_t)(offset % SFP_PAGE), out, n);

		if (ret != 0)
			return ret;
		offset += n;
		out += n;
		left -= n;
	}
	return 0;
}
