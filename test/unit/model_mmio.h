/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes the place of drivers/common/mmio.h (gcc -include): register accesses
 * of a driver's files go straight to a model, and waiting costs no time.
 */
#ifndef AIM_COMMON_MMIO_H
#define AIM_COMMON_MMIO_H

#include <stdint.h>

#include <rte_cycles.h> /* before its delays are replaced */

#include "nic.h"

/* base: the struct nic. */
struct mmio {
	volatile uint8_t *base;
};

/* Microseconds that the driver would have waited. */
extern uint64_t model_waited_us;
/* A register whose bits stay 0 whatever the model says: {offset, bits}; bits 0: none. */
extern uint32_t model_stuck_low[2];
/* Told of each write, if set. */
extern void (*model_written)(uint32_t offset, uint32_t value);

/* Whatever waits: count it. */
#define rte_delay_us(us) ((void)(model_waited_us += (us)))
#define rte_delay_us_sleep(us) ((void)(model_waited_us += (us)))

static inline struct nic *
mmio_nic(const struct mmio *m)
{
	return (struct nic *)(uintptr_t)m->base;
}

static inline uint32_t
mmio_read(const struct mmio *m, uint32_t offset)
{
	uint32_t value = nic_read(mmio_nic(m), offset);

	return offset == model_stuck_low[0] ? value & ~model_stuck_low[1] : value;
}

static inline void
mmio_write(const struct mmio *m, uint32_t offset, uint32_t value)
{
	if (model_written != NULL)
		model_written(offset, value);
	nic_write(mmio_nic(m), offset, value);
}

#include "../../drivers/common/mmio_ops.h"

#endif /* AIM_COMMON_MMIO_H */
