/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dispatch of register accesses from a device's register table: what an access does by the mode of
 * the table's row, unless the model has a handler for it. A model lays out the storage, statically,
 * and calls nic_regs_build() once.
 */
#ifndef NIC_REGS_H
#define NIC_REGS_H

#include "nic.h"

enum nic_reg_mode {
	NIC_REG_RW,
	NIC_REG_RO,
	NIC_REG_WO,
	NIC_REG_RC,
	NIC_REG_RW1C,
	NIC_REG_W1S,
	NIC_REG_W1C,
	NIC_REG_RS,
	NIC_REG_SC,
};

struct nic_reg_row {
	const char *name;
	uint32_t offset, count, stride;
	enum nic_reg_mode mode;
};

/* A row of the X(name, offset, count, stride, mode) tables. */
#define NIC_REG_ROW(reg, at, n, step, how) \
	{.name = #reg, .offset = at, .count = n, .stride = step, .mode = NIC_REG_##how},

typedef uint32_t (*reg_read_fn)(struct nic *nic, uint32_t offset, unsigned int index);
typedef void (*reg_write_fn)(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value);

/* One handler a register array that does more than its access mode says; NULLs end a list. */
struct reg_special {
	uint32_t offset; /* of the table's row */
	reg_read_fn read;
	reg_write_fn write;
};

/* Registers of which some bits are not there: they read as 0, whatever is written. */
struct reg_partial {
	uint32_t offset, bits;
};

/* What is known of a row beside the table. */
struct reg_handler {
	reg_read_fn read;
	reg_write_fn write;
	uint32_t bits;
};

struct nic_regs {
	const struct nic_reg_row *rows;
	size_t count;
	uint16_t *row_of;	      /* row number + 1 of each word of the BAR */
	struct reg_handler *handlers; /* of each row */
};

void nic_regs_build(struct nic_regs *regs, const struct reg_special *const *specials,
		    size_t specials_n, const struct reg_partial *partial, size_t partial_n);

/* The offset lies in the BAR. */
uint32_t nic_regs_read(const struct nic_regs *regs, struct nic *nic, uint32_t offset);
void nic_regs_write(const struct nic_regs *regs, struct nic *nic, uint32_t offset, uint32_t value);
/* The table's row of an offset: a name and an index, NULL if there is none. */
const char *nic_regs_name(const struct nic_regs *regs, uint32_t offset, unsigned int *index);

/* Counters in registers: 32 bits, and 64 with the low half first. */
void nic_reg_add(struct nic *nic, uint32_t offset, uint32_t n);
void nic_reg_add64(struct nic *nic, uint32_t low, uint32_t n);

#endif /* NIC_REGS_H */
