/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is made of mmio_read() and mmio_write(): included by mmio.h, and by a test's header that
 * stands in its place.
 */
#ifndef AIM_COMMON_MMIO_OPS_H
#define AIM_COMMON_MMIO_OPS_H

#include <errno.h>
#include <stdint.h>

#include <rte_cycles.h>

static inline void
mmio_set(const struct mmio *m, uint32_t offset, uint32_t bits)
{
	mmio_write(m, offset, mmio_read(m, offset) | bits);
}

static inline void
mmio_clear(const struct mmio *m, uint32_t offset, uint32_t bits)
{
	mmio_write(m, offset, mmio_read(m, offset) & ~bits);
}

/*
 * Wait until (register & mask) == value: one look every interval_us
 * microseconds (at least 1), at most `tries` looks.
 * Returns 0, or -ETIMEDOUT when the register never showed the value.
 */
static inline int
mmio_wait(const struct mmio *m, uint32_t offset, uint32_t mask, uint32_t value, unsigned int tries,
	  unsigned int interval_us)
{
	while (tries-- > 0) {
		if ((mmio_read(m, offset) & mask) == value)
			return 0;
		rte_delay_us(interval_us);
	}
	return -ETIMEDOUT;
}

#endif /* AIM_COMMON_MMIO_OPS_H */
