/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * The offline optimum: who knows all arrivals in advance pays the least for interrupts and
 * waiting together. An interrupt costs K; a packet that waits costs its waiting time.
 *
 * Dynamic programming over the last interrupt: O(j) = min over i < j of O(i) + K + the waiting of
 * packets i+1 .. j until packet j arrives. Packets are taken one by one and the lines
 * O(i) + S(i) - i*a are kept as a lower hull, so a packet costs constant time on average.
 */
#ifndef LAB_OPTIMUM_H
#define LAB_OPTIMUM_H

#include <stddef.h>
#include <stdint.h>

/** What an interrupt costs, packet-ns: the engine's K of 500 packet-us. */
#define OPTIMUM_K_NS 500000.0

struct optimum {
	double k_ns;
	double n;    /* packets so far */
	double sum;  /* of their times */
	double best; /* O(n) */
	size_t first, last, room;
	struct optimum_line *lines;
};

/** Start; k_ns is the cost of an interrupt. */
void optimum_init(struct optimum *o, double k_ns);

/**
 * Add a packet; times, ns, must not fall.
 * @return 0 or -ENOMEM
 */
int optimum_add(struct optimum *o, double ns);

/** Cost of the packets so far, packet-ns. */
double optimum_cost(const struct optimum *o);

void optimum_free(struct optimum *o);

#endif /* LAB_OPTIMUM_H */
