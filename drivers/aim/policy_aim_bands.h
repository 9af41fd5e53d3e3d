/* SPDX-License-Identifier: BSD-3-Clause */
/* Policy `aim`: which interval fits the packet rate, if any does. */
#ifndef AIM_POLICY_AIM_BANDS_H
#define AIM_POLICY_AIM_BANDS_H

#include "policy.h"

#define RATE_MAX 100000000u /* packets/s; more is a clock that jumped */
#define WIRE_OVERHEAD 24u   /* bytes around a frame: preamble 8, gap 12, FCS 4 */

/* Multiples of 2.048 us, so that no family rounds one away. */
static const uint32_t ladder[] = {0, 8192, 12288, 16384, 22528, 32768, 45056};
#define RUNGS (sizeof(ladder) / sizeof(ladder[0]))

/*
 * Bands of packet rates. K = 500 packet-us and kappa = 90 us^2 meet at 500,000 packets/s. A trial
 * is worth it when resting costs a tenth more than the interval would: wakes > 1.1 (1/x + l*x/2K).
 */
struct band {
	uint32_t from; /* packets/s */
	uint32_t rung;
	uint32_t wakes; /* a second, from which on a trial is worth it */
};
#define WAKES(ns) ((uint32_t)(2.2e9 / (ns))) /* at the optimum both terms are the same */
static const struct band bands[] = {
    {0, 0, UINT32_MAX},		{115000, 2, 106000},	    {160000, 3, 79000},
    {215000, 4, 62000},		{305000, 5, 50000},	    {430000, 6, WAKES(45056)},
    {680000, 5, WAKES(32768)},	{1350000, 4, WAKES(22528)}, {2700000, 3, WAKES(16384)},
    {6000000, 2, WAKES(12288)}, {10000000, 1, WAKES(8192)}, {RATE_MAX * 2, 0, UINT32_MAX},
};

/* Is the interval ns one to try: longer than what rests have, borne by ring and hardware, and by
 * the application's buffer when frames go on being as long as in this window? A buffer bears
 * sink_packets of them at line rate. */
static inline bool
usable(const struct aim_window *w, const struct aim_limits *limits, uint32_t ns)
{
	return ns > limits->min_ns && ns <= limits->cap_ns &&
	       (uint64_t)ns * w->packets <=
		   limits->sink_ns_per_byte * (w->bytes + (uint64_t)WIRE_OVERHEAD * w->packets);
}

/* The band of the smoothed rate, with an eighth of dead band on each side. */
static inline void
band_follow(struct aim_state *state, uint32_t rate)
{
	/* Where to begin after a jump, by the highest bit of the rate: 65536/s is bit 16. */
	static const uint8_t start[] = {0, 1, 3, 5, 6, 7, 8, 9};
	uint32_t old = state->u.aim.rate, i = state->u.aim.band;

	if (rate > 3 * old || 3 * rate < old) { /* another load, not noise */
		int bit = 31 - __builtin_clz(rate | 1) - 16;

		i = bit < 0 ? 0 : start[bit < 7 ? bit : 7];
	} else {
		rate = old - old / 8 + rate / 8;
	}
	state->u.aim.rate = rate;
	while (rate >= bands[i + 1].from + bands[i + 1].from / 8)
		i++;
	while (rate < bands[i].from - bands[i].from / 8)
		i--;
	state->u.aim.band = (uint8_t)i;
}

#endif /* AIM_POLICY_AIM_BANDS_H */
