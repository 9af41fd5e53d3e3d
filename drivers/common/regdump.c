/* SPDX-License-Identifier: BSD-3-Clause */
#include "regdump.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "compat/compat.h"
#include "log.h"

static bool
row_shown(const struct regdump *dump, const struct regdump_row *row, const char *filter)
{
	if (!row->readable || (filter != NULL && strstr(row->name, filter) == NULL))
		return false;
	return dump->shown(dump->arg, row->offset);
}

int
regdump_get(const struct regdump *dump, const struct mmio *bar, struct rte_dev_reg_info *regs)
{
	const char *filter = compat_reg_filter(regs);
	uint32_t total = 0, i, j, n, at = 0;
	uint32_t *data = regs->data;

	for (i = 0; i < dump->count; i++)
		if (row_shown(dump, &dump->rows[i], filter))
			total += dump->rows[i].count;
	regs->width = sizeof(uint32_t);
	if (data == NULL && compat_reg_name(regs, 0) == NULL) {
		regs->length = total;
		return 0;
	}
	n = regs->length == 0 ? total : regs->length;
	if (regs->offset > total || n > total - regs->offset) {
		AIM_LOG(ERR, "registers %u to %u of %u: ask within the length that is returned",
			regs->offset, regs->offset + n, total);
		return -EINVAL;
	}
	regs->length = n;
	for (i = 0; i < dump->count; i++) {
		const struct regdump_row *row = &dump->rows[i];

		if (!row_shown(dump, row, filter))
			continue;
		for (j = 0; j < row->count; j++, at++) {
			uint32_t k = at - regs->offset;
			char *name;

			if (at < regs->offset || k >= n)
				continue;
			if (data != NULL)
				data[k] = mmio_read(bar, row->offset + j * row->stride);
			name = compat_reg_name(regs, k);
			if (name == NULL)
				continue;
			if (row->count == 1)
				snprintf(name, COMPAT_REG_NAME_SIZE, "%s", row->name);
			else
				snprintf(name, COMPAT_REG_NAME_SIZE, "%s[%u]", row->name, j);
		}
	}
	return 0;
}
