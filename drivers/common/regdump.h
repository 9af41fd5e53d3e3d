/* SPDX-License-Identifier: BSD-3-Clause */
/* The register dump (rte_eth_dev_get_reg_info), from a driver's register table. */
#ifndef AIM_COMMON_REGDUMP_H
#define AIM_COMMON_REGDUMP_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_dev_info.h>

#include "mmio.h"

/* A read must not change the device: counters, causes and semaphores are left out. */
#define REGDUMP_RW true
#define REGDUMP_RO true
#define REGDUMP_SC true
#define REGDUMP_RW1C true
#define REGDUMP_W1S true
#define REGDUMP_W1C true
#define REGDUMP_WO false
#define REGDUMP_RC false
#define REGDUMP_RS false

struct regdump_row {
	const char *name;
	uint32_t offset;
	uint16_t count;
	uint16_t stride;
	bool readable;
};

/* A row of the X(name, offset, count, stride, mode) tables. */
#define REGDUMP_ROW(name, offset, count, stride, mode) \
	{#name, offset, count, stride, REGDUMP_##mode},

struct regdump {
	const struct regdump_row *rows;
	uint32_t count;
	/* Is it there, and may it be read? */
	bool (*shown)(const void *arg, uint32_t offset);
	const void *arg;
};

/* As the ethdev API says: the length, or registers and, where DPDK has them, names. */
int regdump_get(const struct regdump *dump, const struct mmio *bar, struct rte_dev_reg_info *regs);

#endif /* AIM_COMMON_REGDUMP_H */
