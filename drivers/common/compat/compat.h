/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every difference between the DPDK versions that we build against (22.11 to
 * the newest) lives in this folder; no other file asks for a version.
 */
#ifndef AIM_COMPAT_H
#define AIM_COMPAT_H

#include <stdint.h>
#include <string.h>

#include <bus_pci_driver.h>
#include <dev_driver.h>
#include <ethdev_driver.h>
#include <rte_dev_info.h>
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

/* dev_supported_ptypes_get: the number of elements goes out by a pointer since 24.03, before the
 * list ended with RTE_PTYPE_UNKNOWN. A driver writes `static const uint32_t *f(struct rte_eth_dev
 * *dev, size_t *n)` for a list that ends with RTE_PTYPE_UNKNOWN, which n does not count, and puts
 * compat_ptypes_get_f into its operations.
 */
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
#define COMPAT_PTYPES_GET(f) \
	static const uint32_t *compat_ptypes_get_##f(struct rte_eth_dev *dev, size_t *n) \
	{ \
		return f(dev, n); \
	}
#else
#define COMPAT_PTYPES_GET(f) \
	static const uint32_t *compat_ptypes_get_##f(struct rte_eth_dev *dev) \
	{ \
		size_t n; \
\
		return f(dev, &n); \
	}
#endif

/* stats_get: since 25.11 the queues' counts go to a structure of their own, which may be NULL. */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0)
#define COMPAT_STATS_QUEUES 1
typedef struct eth_queue_stats compat_queue_stats;
#define COMPAT_STATS_GET(f) \
	static int compat_stats_get_##f(struct rte_eth_dev *dev, struct rte_eth_stats *st, \
					struct eth_queue_stats *queues) \
	{ \
		return f(dev, st, queues); \
	}
#else
typedef struct rte_eth_stats compat_queue_stats;
#define COMPAT_STATS_GET(f) \
	static int compat_stats_get_##f(struct rte_eth_dev *dev, struct rte_eth_stats *st) \
	{ \
		return f(dev, st, st); \
	}
#endif

/* The PCI device of a port: RTE_ETH_DEV_TO_PCI is gone since 26.07. */
static inline struct rte_pci_device *
compat_pci_dev(const struct rte_eth_dev *dev)
{
	return container_of(dev->device, struct rte_pci_device, device);
}

/* get_reg: names and a filter by name since 24.11. */
#if RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0)
#define compat_reg_filter(info) ((info)->filter)
#define compat_reg_name(info, i) ((info)->names == NULL ? NULL : (info)->names[i].name)
#define COMPAT_REG_NAME_SIZE sizeof(((struct rte_eth_reg_name *)0)->name)
#else
#define compat_reg_filter(info) ((void)(info), (const char *)NULL)
#define compat_reg_name(info, i) ((void)(info), (void)(i), (char *)NULL)
#define COMPAT_REG_NAME_SIZE 64
#endif

/* Telemetry: unsigned numbers are called uint since 23.03, u64 before. */
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
#define COMPAT_TEL_UINT_VAL RTE_TEL_UINT_VAL
#define compat_tel_add_array_uint rte_tel_data_add_array_uint
#define compat_tel_add_dict_uint rte_tel_data_add_dict_uint
#else
#define COMPAT_TEL_UINT_VAL RTE_TEL_U64_VAL
#define compat_tel_add_array_uint rte_tel_data_add_array_u64
#define compat_tel_add_dict_uint rte_tel_data_add_dict_u64
#endif

/* What dpdk-pmdinfo.py finds: its symbol has had the driver's name in it since 25.07. */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 7, 0, 0)
#define COMPAT_PMD_EXPORT_NAME(name) RTE_PMD_EXPORT_NAME(name)
#else
#define COMPAT_PMD_EXPORT_NAME(name) RTE_PMD_EXPORT_NAME(name, __COUNTER__)
#endif

#endif /* AIM_COMPAT_H */
