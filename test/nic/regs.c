/* SPDX-License-Identifier: BSD-3-Clause */
#include "regs.h"

void
nic_regs_build(struct nic_regs *regs, const struct reg_special *const *specials, size_t specials_n,
	       const struct reg_partial *partial, size_t partial_n)
{
	size_t r, s;

	for (r = 0; r < regs->count; r++) {
		const struct nic_reg_row *row = &regs->rows[r];
		uint32_t i;

		regs->handlers[r].bits = UINT32_MAX;
		for (i = 0; i < row->count; i++)
			regs->row_of[(row->offset + i * row->stride) / 4] = (uint16_t)(r + 1);
	}
	for (s = 0; s < partial_n; s++)
		regs->handlers[regs->row_of[partial[s].offset / 4] - 1u].bits = partial[s].bits;
	for (s = 0; s < specials_n; s++) {
		const struct reg_special *sp;

		for (sp = specials[s]; sp->read != NULL || sp->write != NULL; sp++) {
			r = regs->row_of[sp->offset / 4] - 1u;
			regs->handlers[r].read = sp->read;
			regs->handlers[r].write = sp->write;
		}
	}
}

const char *
nic_regs_name(const struct nic_regs *regs, uint32_t offset, unsigned int *index)
{
	unsigned int r = regs->row_of[offset / 4];

	if (r == 0)
		return NULL;
	*index = (offset - regs->rows[r - 1].offset) / regs->rows[r - 1].stride;
	return regs->rows[r - 1].name;
}

uint32_t
nic_regs_read(const struct nic_regs *regs, struct nic *nic, uint32_t offset)
{
	unsigned int r = regs->row_of[offset / 4];
	const struct nic_reg_row *row;
	uint32_t value;

	if (r == 0)
		return nic_reg(nic, offset);
	row = &regs->rows[--r];
	if (regs->handlers[r].read != NULL)
		return regs->handlers[r].read(nic, offset, (offset - row->offset) / row->stride);
	value = nic_reg(nic, offset);
	switch (row->mode) {
	case NIC_REG_RC:
		nic_reg_set(nic, offset, 0);
		break;
	case NIC_REG_RS:
		nic_reg_set(nic, offset, value | 1);
		break;
	case NIC_REG_WO:
		value = 0;
		break;
	default:
		break;
	}
	return value;
}

void
nic_regs_write(const struct nic_regs *regs, struct nic *nic, uint32_t offset, uint32_t value)
{
	unsigned int r = regs->row_of[offset / 4];
	const struct nic_reg_row *row;
	uint32_t old;

	if (r == 0) {
		nic_reg_set(nic, offset, value);
		return;
	}
	row = &regs->rows[--r];
	value &= regs->handlers[r].bits;
	if (regs->handlers[r].write != NULL) {
		regs->handlers[r].write(nic, offset, (offset - row->offset) / row->stride, value);
		return;
	}
	old = nic_reg(nic, offset);
	switch (row->mode) {
	case NIC_REG_RO:
	case NIC_REG_RC:
		return;
	case NIC_REG_W1S:
		value |= old;
		break;
	case NIC_REG_W1C:
	case NIC_REG_RW1C:
		value = old & ~value;
		break;
	default:
		break;
	}
	nic_reg_set(nic, offset, value);
}

void
nic_reg_add(struct nic *nic, uint32_t offset, uint32_t n)
{
	nic_reg_set(nic, offset, nic_reg(nic, offset) + n);
}

void
nic_reg_add64(struct nic *nic, uint32_t low, uint32_t n)
{
	uint32_t was = nic_reg(nic, low);

	nic_reg_set(nic, low, was + n);
	if (was + n < was)
		nic_reg_add(nic, low + 4, 1);
}
