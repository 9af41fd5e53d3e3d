/* SPDX-License-Identifier: BSD-3-Clause */
/* Policy `aim`: which interval fits the packet rate, if any does. */
#include "policy_aim.h"

#define WIRE_OVERHEAD 24u /* bytes around a frame: preamble 8, gap 12, FCS 4 */

/* Multiples of 2.048 us, so that no family rounds one away. The longest is what a ring of 1024
 * bears at 10 Gb/s. */
static const uint32_t ladder[] = {0, 8192, 12288, 16384, 22528, 32768, 43008};
#define RUNGS (sizeof(ladder) / sizeof(ladder[0]))
#define BANDS 12 /* of either table, as the link may change */

/*
 * Bands of packet rates. K = 500 packet-us and kappa = 90 us^2 meet at 500,000 packets/s. A trial
 * is worth it when resting costs a tenth more than the interval would: wakes > 1.1 (1/x + l*x/2K).
 */
struct band {
	uint32_t enter, leave; /* packets/s: an eighth above and below where it begins */
	uint32_t rung;
	uint32_t wakes; /* a second, from which on a trial is worth it */
};
#define FROM(rate) (rate) / 8 * 9, (rate) / 8 * 7
#define NEVER \
	{ \
		FROM(RATE_MAX * 2), 0, UINT32_MAX \
	}
#define WAKES(ns) ((uint32_t)(2.2e9 / (ns))) /* at the optimum both terms are the same */
struct bands {
	struct band band[BANDS];
	uint8_t start[9]; /* after a jump, by the highest bit of the rate: 1 is that of 65536 */
};
static const struct bands fast = {
    {
	{FROM(0), 0, UINT32_MAX},
	{FROM(115000), 2, 106000},
	{FROM(160000), 3, 79000},
	{FROM(215000), 4, 62000},
	{FROM(305000), 5, 50000},
	{FROM(430000), 6, WAKES(43008)},
	{FROM(680000), 5, WAKES(32768)},
	{FROM(1350000), 4, WAKES(22528)},
	{FROM(2700000), 3, WAKES(16384)},
	{FROM(6000000), 2, WAKES(12288)},
	{FROM(10000000), 1, WAKES(8192)},
	NEVER,
    },
    {0, 0, 1, 3, 5, 6, 7, 8, 9},
};
/*
 * The same for a slow link, in its unit of time: rates are four times, intervals a quarter of what
 * these numbers are. K is the same, kappa 1440 us^2: they meet at 80,000 packets/s, which is what a
 * link of 1 Gb/s has of full frames. Its hosts are slow, too: NXP's LS1028A spends half a core on
 * such a stream without moderation.
 */
static const struct bands slow = {
    {
	{FROM(0), 0, UINT32_MAX},
	{FROM(115000), 2, 106000},
	{FROM(160000), 3, 90000},
	{FROM(215000), 4, WAKES(22528)},
	{FROM(680000), 3, WAKES(16384)},
	{FROM(1230000), 2, WAKES(12288)},
	{FROM(2500000), 1, WAKES(8192)},
	NEVER,
	NEVER,
	NEVER,
	NEVER,
	NEVER,
    },
    {0, 0, 1, 3, 3, 4, 5, 6, 6},
};

static inline const struct bands *
bands_of(const struct aim_limits *limits)
{
	return limits->time_shift != 0 ? &slow : &fast;
}

/* The same where limits forbid the band's rung: of a shorter one the first term is most. */
#define LEAST(ns) ((uint32_t)(1.1e9 / (ns)))
static const uint32_t least_wakes[RUNGS] = {UINT32_MAX,	  LEAST(8192),	LEAST(12288), LEAST(16384),
					    LEAST(22528), LEAST(32768), LEAST(43008)};

/* Is the interval ns one to try: longer than what rests have, borne by ring and hardware, and by
 * the application's buffer when frames go on being as long as in this window? A buffer bears
 * sink_packets of them at line rate. */
static bool
usable(const struct aim_window *w, const struct aim_limits *limits, uint32_t ns)
{
	ns <<= limits->time_shift;
	return ns > limits->min_ns && ns <= limits->cap_ns &&
	       (uint64_t)ns * w->packets <=
		   limits->sink_ns_per_byte * (w->bytes + (uint64_t)WIRE_OVERHEAD * w->packets);
}

/* The rung or the next usable below. */
static uint32_t
usable_rung(const struct aim_law *a, const struct aim_limits *limits, uint32_t rung)
{
	while (rung > 0 && !usable(&a->closed, limits, ladder[rung]))
		rung--;
	return rung;
}

uint32_t
aim_band_ns(const struct aim_law *a, const struct aim_limits *limits, uint8_t kind)
{
	uint32_t rung = bands_of(limits)->band[a->band].rung;

	if (kind == REST || rung == 0)
		return 0;
	if (kind == KNOCK) /* the longest tells most */
		rung = RUNGS - 1;
	return ladder[usable_rung(a, limits, rung)];
}

bool
aim_band_pays(const struct aim_law *a, const struct aim_limits *limits, uint32_t wakes)
{
	const struct band *band = &bands_of(limits)->band[a->band];

	return wakes > band->wakes && wakes > least_wakes[usable_rung(a, limits, band->rung)];
}

/* The band of the smoothed rate, with an eighth of dead band on each side. */
void
aim_band_follow(struct aim_law *a, const struct aim_limits *limits, uint32_t rate)
{
	const struct bands *of = bands_of(limits);
	uint32_t old = a->rate, i = a->band;

	if (rate > 3 * old || 3 * rate < old) { /* another load, not noise */
		uint32_t bit = 31 - (uint32_t)__builtin_clz(rate >> 15 | 1);

		i = of->start[aim_min(bit, 8)];
	} else {
		rate = old - old / 8 + rate / 8;
	}
	a->rate = rate;
	while (rate >= of->band[i + 1].enter)
		i++;
	while (rate < of->band[i].leave)
		i--;
	a->band = (uint8_t)i;
}
