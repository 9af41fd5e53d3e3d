/* SPDX-License-Identifier: BSD-3-Clause */
#include "histogram.h"

#define SUB (1 << HISTOGRAM_SUB_BITS)

void
histogram_add(struct histogram *h, int64_t ns)
{
	uint64_t v = ns > 0 ? (uint64_t)ns : 0;
	int shift;

	if (v >= UINT64_C(1) << 40)
		v = (UINT64_C(1) << 40) - 1;
	/* the top HISTOGRAM_SUB_BITS bits and how far they were shifted */
	shift = v < SUB ? 0 : 63 - __builtin_clzll(v) - HISTOGRAM_SUB_BITS + 1;
	h->bucket[shift * SUB / 2 + (int)(v >> shift)]++;
	h->n++;
	h->sum_ns += (double)v;
}

/* Middle of the values that fall into bucket i. */
static double
bucket_value(int i)
{
	int shift = i < SUB ? 0 : i / (SUB / 2) - 1;
	uint64_t low = (uint64_t)(i - shift * SUB / 2) << shift;

	return (double)low + (double)((UINT64_C(1) << shift) - 1) / 2;
}

double
histogram_quantile(const struct histogram *h, double p)
{
	uint64_t want = (uint64_t)(p * (double)h->n), seen = 0;

	if (h->n == 0)
		return 0;
	if (want >= h->n)
		want = h->n - 1;
	for (int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen > want)
			return bucket_value(i);
	}
	return bucket_value(HISTOGRAM_BUCKETS - 1);
}

double
histogram_mean(const struct histogram *h)
{
	return h->n != 0 ? h->sum_ns / (double)h->n : 0;
}
