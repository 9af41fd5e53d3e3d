/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TSC ticks as ns, at any frequency: a TSC has GHz on x86, the generic timer of an Arm core 25 to
 * 100 MHz or 1 GHz.
 */
#ifndef AIM_COMMON_TICKS_H
#define AIM_COMMON_TICKS_H

#include <stdint.h>

__extension__ typedef unsigned __int128 ticks_wide;

/* ns a tick, times 2^32. hz: 1 kHz and more. */
static inline uint64_t
ticks_scale(uint64_t hz)
{
	return (UINT64_C(1000000000) << 32) / hz;
}

/* Right to some ns a second, which is what the scale lost; of any time since the machine started.
 */
static inline uint64_t
ticks_to_ns(uint64_t ticks, uint64_t scale)
{
	return (uint64_t)((ticks_wide)ticks * scale >> 32);
}

#endif /* AIM_COMMON_TICKS_H */
