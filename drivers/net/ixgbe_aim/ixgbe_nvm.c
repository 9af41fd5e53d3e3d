/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The NVM: words are read through EERD (82599, X540) or by a command to the
 * firmware (X550), and the checksum tells whether the image is whole.
 * 82599 datasheet 6.3 and 8.2.3.2; X550 datasheet, host interface commands.
 */
#include <string.h>

#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_cycles.h>

#include "../../common/log.h"
#include "ixgbe_hw.h"

#define NVM_CHUNK 128u /* words between two looks of others at the semaphore */

/* Pointers that the checksum does not follow: the PHY's and the option ROM's images. */
#define NVM_PTR_PHY 0x04u
#define NVM_PTR_OPTION_ROM 0x05u
/* X550: sections without a length word of their own, by pointer, and their lengths in words. */
#define NVM_PTR_PCIE_ANALOG_X550 0x02u
#define NVM_PTR_PCIE_GENERAL 0x06u
#define NVM_PCIE_GENERAL_WORDS 0x24u
#define NVM_PTR_PCIE_CONFIG0 0x07u
#define NVM_PTR_PCIE_CONFIG1 0x08u
#define NVM_PCIE_CONFIG_WORDS 0x08u
#define NVM_X550_LAST_WORD 0x41u

/* Host interface of the firmware (X550). */
#define FW_CMD_READ_SHADOW_RAM 0x31u
#define FW_CMD_READ_SHADOW_RAM_LEN 6u
#define FW_CMD_CHECKSUM 0xFFu
#define FW_DATA_DWORD 3u /* where the answer's data begin */
#define HICR_ENABLE IXGBE_BIT(0)
#define HICR_COMMAND IXGBE_BIT(1)
#define HICR_STATUS_VALID IXGBE_BIT(2)
#define FWSTS_RESET_INDICATION IXGBE_BIT(9)

/* Size in words, from the exponent in EEC (8.2.3.2); a nonsense exponent counts as the smallest.
 */
uint16_t
ixgbe_nvm_words(struct ixgbe_hw *hw)
{
	uint32_t exp;

	if (hw->nvm_words != 0)
		return hw->nvm_words;
	exp = (mmio_read(&hw->bar, IXGBE_EEC) & IXGBE_EEC_SIZE) >> IXGBE_EEC_SIZE_SHIFT;
	hw->nvm_words = (uint16_t)(1u << (exp <= 9 ? exp + 6 : 6));
	return hw->nvm_words;
}

static int
ixgbe_nvm_eerd(struct ixgbe_hw *hw, uint16_t word, uint16_t *value)
{
	int ret;

	mmio_write(&hw->bar, IXGBE_EERD,
		   (uint32_t)word << IXGBE_EERD_ADDR_SHIFT | IXGBE_EERD_START);
	ret = mmio_wait(&hw->bar, IXGBE_EERD, IXGBE_EERD_DONE, IXGBE_EERD_DONE, 100000, 5);
	if (ret != 0)
		return ret;
	*value = (uint16_t)(mmio_read(&hw->bar, IXGBE_EERD) >> IXGBE_EERD_DATA_SHIFT);
	return 0;
}

/* Ask the firmware for n words, at most NVM_CHUNK; the caller holds both semaphores. */
static int
ixgbe_nvm_hostif(struct ixgbe_hw *hw, uint16_t word, uint16_t *values, uint32_t n)
{
	uint32_t hicr, i;
	int ret;

	mmio_set(&hw->bar, IXGBE_FWSTS, FWSTS_RESET_INDICATION);
	hicr = mmio_read(&hw->bar, IXGBE_HICR);
	if (!(hicr & HICR_ENABLE))
		return -ENODEV;
	/* Header, then the byte address and the byte count, both big-endian. */
	mmio_write(&hw->bar, IXGBE_AT(FLEX_MNG, 0),
		   FW_CMD_READ_SHADOW_RAM | FW_CMD_READ_SHADOW_RAM_LEN << 16 |
		       FW_CMD_CHECKSUM << 24);
	mmio_write(&hw->bar, IXGBE_AT(FLEX_MNG, 1), rte_bswap32((uint32_t)word * 2));
	mmio_write(&hw->bar, IXGBE_AT(FLEX_MNG, 2), rte_bswap16((uint16_t)(n * 2)));
	mmio_write(&hw->bar, IXGBE_AT(FLEX_MNG, 3), 0);
	mmio_write(&hw->bar, IXGBE_HICR, hicr | HICR_COMMAND);

	/* 500 ms, looked at often at first: most answers come at once. */
	ret = mmio_wait(&hw->bar, IXGBE_HICR, HICR_COMMAND, 0, 1000, 10);
	if (ret != 0)
		ret = mmio_wait(&hw->bar, IXGBE_HICR, HICR_COMMAND, 0, 490, 1000);
	if (ret != 0)
		return ret;
	if (!(mmio_read(&hw->bar, IXGBE_HICR) & HICR_STATUS_VALID))
		return -EIO;
	for (i = 0; i < n; i += 2) {
		uint32_t pair = mmio_read(&hw->bar, IXGBE_AT(FLEX_MNG, FW_DATA_DWORD + i / 2));

		values[i] = (uint16_t)pair;
		if (i + 1 < n)
			values[i + 1] = (uint16_t)(pair >> 16);
	}
	return 0;
}

int
ixgbe_nvm_read_block(struct ixgbe_hw *hw, uint16_t word, uint16_t *values, uint32_t n)
{
	uint32_t sem = IXGBE_SWFW_EEP;
	int ret = 0;

	if ((uint32_t)word + n > ixgbe_nvm_words(hw))
		return -EINVAL;
	if (hw->mac == IXGBE_MAC_X550)
		sem |= IXGBE_SWFW_SW_MNG;

	while (n > 0 && ret == 0) {
		uint32_t chunk = RTE_MIN(n, NVM_CHUNK);
		uint32_t i;

		ret = ixgbe_hw_sem_take(hw, sem);
		if (ret != 0)
			return ret;
		if (hw->mac == IXGBE_MAC_X550) {
			ret = ixgbe_nvm_hostif(hw, word, values, chunk);
		} else {
			for (i = 0; i < chunk && ret == 0; i++)
				ret = ixgbe_nvm_eerd(hw, word + i, &values[i]);
		}
		ixgbe_hw_sem_give(hw, sem);
		word += chunk;
		values += chunk;
		n -= chunk;
	}
	if (ret != 0)
		AIM_LOG(ERR,
			"%s: NVM read at word 0x%x failed (%d): reset the device; if it persists, "
			"reprogram the NVM",
			hw->name, word, ret);
	return ret;
}

int
ixgbe_nvm_read(struct ixgbe_hw *hw, uint16_t word, uint16_t *value)
{
	return ixgbe_nvm_read_block(hw, word, value, 1);
}

static int
ixgbe_nvm_sum_block(struct ixgbe_hw *hw, uint32_t word, uint32_t n, uint16_t *sum)
{
	uint16_t buf[NVM_CHUNK];

	while (n > 0) {
		uint32_t chunk = RTE_MIN(n, NVM_CHUNK);
		uint32_t i;
		int ret = ixgbe_nvm_read_block(hw, (uint16_t)word, buf, chunk);

		if (ret != 0)
			return ret;
		for (i = 0; i < chunk; i++)
			*sum += buf[i];
		word += chunk;
		n -= chunk;
	}
	return 0;
}

/* Add the section that a pointer of the header leads to. */
static int
ixgbe_nvm_sum_section(struct ixgbe_hw *hw, uint32_t index, uint16_t pointer, uint16_t *sum)
{
	uint32_t words = hw->nvm_words;
	uint16_t length;
	int ret;

	if (pointer == 0 || pointer == 0xFFFF || pointer >= words)
		return 0;
	if (hw->mac == IXGBE_MAC_X550) {
		if (index == NVM_PTR_PCIE_GENERAL)
			length = NVM_PCIE_GENERAL_WORDS;
		else if (index == NVM_PTR_PCIE_CONFIG0 || index == NVM_PTR_PCIE_CONFIG1)
			length = NVM_PCIE_CONFIG_WORDS;
		else
			length = 0;
		if (length != 0)
			return (uint32_t)pointer + length <= words
				   ? ixgbe_nvm_sum_block(hw, pointer, length, sum)
				   : 0;
	}
	ret = ixgbe_nvm_read(hw, pointer, &length);
	if (ret != 0)
		return ret;
	/* A length that points out of the NVM means that the section is not there. */
	if (length == 0 || length == 0xFFFF || (uint32_t)pointer + length >= words)
		return 0;
	return ixgbe_nvm_sum_block(hw, (uint32_t)pointer + 1, length, sum);
}

int
ixgbe_nvm_check(struct ixgbe_hw *hw)
{
	uint16_t header[NVM_X550_LAST_WORD + 1];
	uint32_t n = IXGBE_NVM_CHECKSUM_WORD + 1, i;
	uint16_t sum = 0;
	int ret;

	/* X550 counts two words behind the checksum as well. */
	if (hw->mac == IXGBE_MAC_X550)
		n = NVM_X550_LAST_WORD + 1;
	/* An NVM that is smaller than its own header cannot be whole. */
	if (ixgbe_nvm_words(hw) < n)
		return -EIO;
	ret = ixgbe_nvm_read_block(hw, 0, header, n);
	if (ret != 0)
		return ret;
	for (i = 0; i < n; i++)
		if (i != IXGBE_NVM_CHECKSUM_WORD)
			sum += header[i];

	/* Sections: from the PCIe analog pointer up to the firmware's. */
	for (i = hw->mac == IXGBE_MAC_X550 ? NVM_PTR_PCIE_ANALOG_X550 : IXGBE_NVM_PTR_PCIE_ANALOG;
	     i < IXGBE_NVM_PTR_FW; i++) {
		/* 82599 sums every section; later ones leave out what others may rewrite. */
		if (hw->mac != IXGBE_MAC_82599 && (i == NVM_PTR_PHY || i == NVM_PTR_OPTION_ROM))
			continue;
		ret = ixgbe_nvm_sum_section(hw, i, header[i], &sum);
		if (ret != 0)
			return ret;
	}
	sum = (uint16_t)(IXGBE_NVM_CHECKSUM - sum);
	if (sum != header[IXGBE_NVM_CHECKSUM_WORD]) {
		AIM_INIT_LOG(DEBUG, "%s: NVM checksum 0x%04x, should be 0x%04x", hw->name,
			     header[IXGBE_NVM_CHECKSUM_WORD], sum);
		return -EIO;
	}
	return 0;
}
