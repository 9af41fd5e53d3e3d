/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Latencies: buckets of at most 1/256 of their value, exact below 256 ns.
 */
#ifndef LAB_HISTOGRAM_H
#define LAB_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_SUB_BITS 8
#define HISTOGRAM_BUCKETS ((40 - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS)

/** All zero is an empty one. */
struct histogram {
	uint64_t n;
	double sum_ns;
	uint32_t bucket[HISTOGRAM_BUCKETS];
};

/** Add a latency, ns; above 2^40 counts as 2^40. */
void histogram_add(struct histogram *h, int64_t ns);

/** The latency, ns, that the share p (0 to 1) of all does not exceed; 0 when empty. */
double histogram_quantile(const struct histogram *h, double p);

/** Mean, ns; 0 when empty. */
double histogram_mean(const struct histogram *h);

#endif /* LAB_HISTOGRAM_H */
