/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Packets of an open load, one after another, never faster than the wire.
 */
#ifndef LAB_ARRIVALS_H
#define LAB_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenario.h"

/** A capture's arrivals: pcap.c fills it. */
struct arrivals_trace {
	size_t n;
	int64_t *ps;	 /**< since the first packet */
	uint16_t *bytes; /**< length on the wire, without FCS */
};

struct arrivals {
	const struct scenario *s;
	const struct arrivals_trace *trace; /* ARRIVALS_PCAP */
	size_t trace_i;
	int64_t trace_start_ps;
	uint64_t random;
	double next_ps;	     /* of the process, before the wire is waited for */
	int64_t wire_ps;     /* when the wire is free again */
	uint32_t batch_left; /* packets of this batch still to come */
	bool on;
	double phase_end_ps;
};

/** Bits on the wire of a frame of so many bytes without FCS: preamble, FCS and gap added. */
static inline uint32_t
arrivals_wire_bits(uint32_t bytes)
{
	return ((bytes < 60 ? 60 : bytes) + 24) * 8;
}

/** Time of a frame on the wire, ps. */
static inline int64_t
arrivals_wire_ps(uint32_t bytes, uint32_t link_mbps)
{
	return (int64_t)arrivals_wire_bits(bytes) * 1000000 / link_mbps;
}

/** The next of a row of random numbers; any seed will do (splitmix64: Steele, Lea, Flood 2014). */
uint64_t arrivals_random(uint64_t *state);

/** Exponentially distributed, mean 1. */
double arrivals_exponential(uint64_t *state);

void arrivals_init(struct arrivals *a, const struct scenario *s,
		   const struct arrivals_trace *trace);

/** The next packet: its last bit's time, ps, and its length. Times rise; INT64_MAX: no more. */
int64_t arrivals_next(struct arrivals *a, uint32_t *bytes);

/** Rate of packets that holds at time t, packets/s. */
double arrivals_rate(const struct scenario *s, int64_t ps);

#endif /* LAB_ARRIVALS_H */
