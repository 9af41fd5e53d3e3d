/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The NVM and the ways to it: EERD/EEWR (8.2.3.2.2), EEC with the SPI bus by hand (3.4.5), and
 * the firmware's host interface (X550 datasheet, 11.5), through which the X550 reads its NVM.
 */
#include "ixgbe_model.h"

#include <string.h>

#define HICR_EN 0x1u /* 8.2.3.25: the firmware takes commands */
#define HICR_C 0x2u  /* command is there */
#define HICR_SV 0x4u /* status is valid */
#define FWSM_MODE_PT 0x4u
#define FWSM_FW_VALID 0x8000u
#define EEC_SIZE_CODE 5u /* 2^(5+6) words: all of NVM_WORDS */
#define EEC_FIXED (IXGBE_EEC_PRES | IXGBE_EEC_ARD | EEC_SIZE_CODE << IXGBE_EEC_SIZE_SHIFT | 0x400u)

/* SPI commands of a 25xx part */
#define SPI_READ 0x03u
#define SPI_READ_STATUS 0x05u

/* Host interface commands */
#define FW_READ_SHADOW_RAM 0x31u
#define FW_WRITE_SHADOW_RAM 0x33u
#define FW_DISABLE_RXEN 0xDEu
#define FW_STATUS_OK 0x1u

static uint16_t
nvm_word(const struct ixgbe *dev, uint32_t word)
{
	return word < NVM_WORDS ? dev->nvm[word] : 0xFFFF;
}

/* Section 6: what drivers look at; the rest is zero. Pointers that are unused are zero as well. */
void
ixgbe_nvm_init(struct ixgbe *dev)
{
	uint16_t *w = dev->nvm, sum = 0;
	unsigned int i;

	w[0x00] = 0x0040; /* SPI part, 16-bit addresses */
	for (i = 0; i < 3; i++)
		w[0x10 + i] = (uint16_t)(dev->nic->mac[2 * i] | dev->nic->mac[2 * i + 1] << 8);
	w[0x15] = 0x0001; /* PBA as a pointer is absent; board number */
	w[0x16] = 0x0000;
	w[0x18] = 0x0001; /* NVM version 0.1 */
	w[0x29] = 0x0001;
	w[0x2C] = 0x0000; /* device capabilities: only approved modules */
	w[0x2D] = 0x8000; /* ETrack id */
	w[0x2E] = 0x0001;

	/* A section behind a pointer that the checksum covers: 6.3.2.8 (MAC module). */
	w[0x0B] = 0x300;
	w[0x300] = 4;
	w[0x301] = 0x1234;
	w[0x302] = 0x5678;
	w[0x303] = 0x9ABC;
	w[0x304] = 0xDEF0;

	if (dev->gen <= GEN_82599_BACKPLANE) {
		/* Firmware module, its pass-through patch area, and a version above 5: 6.3.3. */
		w[IXGBE_NVM_PTR_FW] = 0x200;
		w[0x200 + 4] = 0x220;
		w[0x220 + 7] = 0x0006;
		/* Init sequences of SFP+ modules by module type, CORECTL values up to 0xFFFF. */
		w[0x2B] = 0x100;
		for (i = 0; i < 14; i++) {
			w[0x101 + 2 * i] = (uint16_t)i;
			w[0x102 + 2 * i] = 0x140;
		}
		w[0x101 + 28] = 0xFFFF;
		w[0x140] = 0x0000;
		w[0x141] = 0x0001;
		w[0x142] = 0xFFFF;
	}
	/* Words 0 to 0x3E and the sections of pointers 3 to 0xE: 6.1.6. */
	for (i = 0; i < IXGBE_NVM_CHECKSUM_WORD; i++)
		sum = (uint16_t)(sum + w[i]);
	for (i = 1; i <= w[0x300]; i++)
		sum = (uint16_t)(sum + w[0x300 + i]);
	w[IXGBE_NVM_CHECKSUM_WORD] = (uint16_t)(IXGBE_NVM_CHECKSUM - sum);
	if (dev->nic->fault == NIC_FAULT_NVM)
		w[IXGBE_NVM_CHECKSUM_WORD] ^= 1;
}

void
ixgbe_nvm_reset(struct ixgbe *dev)
{
	memset(&dev->spi, 0, sizeof(dev->spi));
	nic_reg_set(dev->nic, IXGBE_EEC, EEC_FIXED);
	nic_reg_set(dev->nic, IXGBE_HICR, HICR_EN);
	nic_reg_set(dev->nic, IXGBE_FACTPS, 0);
	/* Valid firmware on every chip; that of the 82599 does not pass packets through. */
	nic_reg_set(dev->nic, IXGBE_FWSM,
		    FWSM_FW_VALID | (dev->gen >= GEN_X540 ? FWSM_MODE_PT : 0));
}

static void
eerd_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	(void)index;
	if (value & IXGBE_EERD_START) {
		uint32_t word = value >> IXGBE_EERD_ADDR_SHIFT & 0x3FFF;

		value = (uint32_t)nvm_word(ixgbe_of(nic), word) << IXGBE_EERD_DATA_SHIFT |
			word << IXGBE_EERD_ADDR_SHIFT | IXGBE_EERD_DONE;
	}
	nic_reg_set(nic, offset, value);
}

static void
eewr_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	(void)index;
	if (value & IXGBE_EERD_START) {
		uint32_t word = value >> IXGBE_EERD_ADDR_SHIFT & 0x3FFF;

		if (word < NVM_WORDS)
			ixgbe_of(nic)->nvm[word] = (uint16_t)(value >> IXGBE_EERD_DATA_SHIFT);
		value = (value & ~IXGBE_EERD_START) | IXGBE_EERD_DONE;
	}
	nic_reg_set(nic, offset, value);
}

/* Command, 16-bit address, data; the slave samples and drives on the rising edge. */
static void
spi_clock(struct ixgbe *dev, uint32_t value)
{
	struct spi *spi = &dev->spi;
	bool selected = (value & IXGBE_EEC_CS) == 0, was = spi->selected;
	bool rising = (value & IXGBE_EEC_SK) != 0 && !spi->clock;
	uint32_t n, byte;

	spi->selected = selected;
	spi->clock = (value & IXGBE_EEC_SK) != 0;
	if (!selected || !was) {
		spi->bits = spi->command = spi->address = 0;
		spi->out = false;
		return;
	}
	if (!rising)
		return;
	n = spi->bits++;
	if (n < 8) {
		spi->command = spi->command << 1 | (value & IXGBE_EEC_DI ? 1 : 0);
	} else if (spi->command == SPI_READ_STATUS) {
		spi->out = false; /* never busy */
	} else if (n < 24) {
		spi->address = spi->address << 1 | (value & IXGBE_EEC_DI ? 1 : 0);
	} else if (spi->command == SPI_READ) {
		byte = spi->address + (n - 24) / 8;
		spi->out = nvm_word(dev, byte / 2) >> ((byte & 1) * 8 + 7 - n % 8) & 1;
	}
}

static void
eec_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	struct ixgbe *dev = ixgbe_of(nic);
	uint32_t pins = IXGBE_EEC_SK | IXGBE_EEC_CS | IXGBE_EEC_DI;

	(void)index;
	spi_clock(dev, value);
	/* Nobody else wants the bus: a request is a grant. X540's FLUDONE follows FLUPD. */
	nic_reg_set(nic, offset,
		    EEC_FIXED | (value & (pins | IXGBE_EEC_REQ)) |
			(dev->spi.out ? IXGBE_EEC_DO : 0) |
			(value & IXGBE_EEC_REQ ? IXGBE_EEC_GNT : 0) |
			(value & IXGBE_BIT(23) ? IXGBE_BIT(26) : 0));
}

static uint32_t
be32(uint32_t v)
{
	return __builtin_bswap32(v);
}

/* A command lies in FLEX_MNG: code, length, reserved, checksum, then its arguments. */
static void
run_command(struct nic *nic)
{
	struct ixgbe *dev = ixgbe_of(nic);
	uint32_t head = nic_reg(nic, IXGBE_FLEX_MNG);
	uint32_t addr = be32(nic_reg(nic, IXGBE_FLEX_MNG + 4)) / 2;
	uint32_t arg = nic_reg(nic, IXGBE_FLEX_MNG + 8), i, words;

	switch (head & 0xFF) {
	case FW_READ_SHADOW_RAM:
		words = ((arg >> 8 & 0xFF) | (arg & 0xFF) << 8) / 2;
		for (i = 0; i < words && 12 + i * 2 < IXGBE_FLEX_MNG_COUNT * 4; i += 2)
			nic_reg_set(nic, IXGBE_FLEX_MNG + 12 + i * 2,
				    nvm_word(dev, addr + i) | (uint32_t)nvm_word(dev, addr + i + 1)
								  << 16);
		break;
	case FW_WRITE_SHADOW_RAM:
		if (addr < NVM_WORDS)
			dev->nvm[addr] = (uint16_t)nic_reg(nic, IXGBE_FLEX_MNG + 12);
		break;
	case FW_DISABLE_RXEN:
		nic_reg_set(nic, IXGBE_RXCTRL, nic_reg(nic, IXGBE_RXCTRL) & ~IXGBE_RXCTRL_RXEN);
		break;
	default:
		break; /* driver information and the like: taken note of */
	}
	/* The answer has no data of its own, except for reads, whose readers know where. */
	nic_reg_set(nic, IXGBE_FLEX_MNG, (head & 0xFF0000FFu) | FW_STATUS_OK << 16);
}

static void
hicr_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	(void)index;
	if (value & HICR_C) {
		run_command(nic);
		value = (value & ~HICR_C) | HICR_SV;
	}
	nic_reg_set(nic, offset, value | HICR_EN);
}

/* X540 and later: bit 31 is a semaphore that reading sets (X540 datasheet, 8.2.4.4.14). */
static uint32_t
swfw_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	uint32_t value = nic_reg(nic, offset);

	(void)index;
	if (ixgbe_of(nic)->gen >= GEN_X540)
		nic_reg_set(nic, offset, value | IXGBE_SWFW_REGSMP);
	return value;
}

const struct reg_special ixgbe_nvm_regs[] = {
    {IXGBE_EERD, NULL, eerd_write},	 {IXGBE_EEWR, NULL, eewr_write},
    {IXGBE_EEC, NULL, eec_write},	 {IXGBE_HICR, NULL, hicr_write},
    {IXGBE_SW_FW_SYNC, swfw_read, NULL}, {0, NULL, NULL},
};
