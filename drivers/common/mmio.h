/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Register accesses: the only door between a driver and its BAR.
 *
 * Rules: a plain 32-bit access, little-endian on the bus; mmio_write() orders
 * every earlier store (descriptors) before the register, mmio_write_relaxed()
 * does not; mmio_read() orders every later load behind the register. Any
 * thread may call; who shares a register brings the lock.
 */
#ifndef AIM_COMMON_MMIO_H
#define AIM_COMMON_MMIO_H

#include <stdint.h>

#include <rte_byteorder.h>
#include <rte_io.h>

/* A mapped BAR. */
struct mmio {
	volatile uint8_t *base;
};

static inline uint32_t
mmio_read(const struct mmio *m, uint32_t offset)
{
	return rte_le_to_cpu_32(rte_read32(m->base + offset));
}

static inline void
mmio_write(const struct mmio *m, uint32_t offset, uint32_t value)
{
	rte_write32(rte_cpu_to_le_32(value), m->base + offset);
}

static inline void
mmio_write_relaxed(const struct mmio *m, uint32_t offset, uint32_t value)
{
	rte_write32_relaxed(rte_cpu_to_le_32(value), m->base + offset);
}

/* Publish a ring's tail: every descriptor written before is visible to the device first. */
static inline void
mmio_tail(volatile void *tail, uint32_t value)
{
	rte_write32(rte_cpu_to_le_32(value), tail);
}

#include "mmio_ops.h"

#endif /* AIM_COMMON_MMIO_H */
