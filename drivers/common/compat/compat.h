/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every difference between the DPDK versions that we build against (22.11 to
 * the newest) lives in this folder; no other file asks for a version.
 */
#ifndef AIM_COMPAT_H
#define AIM_COMPAT_H

#include <stdint.h>
#include <string.h>

#include <ethdev_driver.h>
#include <rte_mbuf.h>
#include <rte_version.h>

/* rx_queue_count: an error can be returned since 25.11. */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0)
typedef int compat_rxq_count_t;
#else
typedef uint32_t compat_rxq_count_t;
#endif

/*
 * The eight bytes data_off, refcnt, nb_segs, port of an mbuf are written in
 * one store. Before 24.07 their place was marked by a zero-length member,
 * since then by a uint64_t[1]: address them by their first field.
 */
static inline void
compat_mbuf_rearm(struct rte_mbuf *m, uint64_t rearm)
{
	memcpy((char *)m + offsetof(struct rte_mbuf, data_off), &rearm, sizeof(rearm));
}

static inline uint64_t
compat_mbuf_rearm_value(const struct rte_mbuf *m)
{
	uint64_t rearm;

	memcpy(&rearm, (const char *)m + offsetof(struct rte_mbuf, data_off), sizeof(rearm));
	return rearm;
}

#endif /* AIM_COMPAT_H */
