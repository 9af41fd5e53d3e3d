/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the net_enetc_aim driver share: the port, its queues, and each file's functions
 * under the file's name. Arrows point one way: enetc_regs <- enetc_hw, enetc_cmd, enetc_vf <-
 * enetc_queue, enetc_rx, enetc_tx, enetc_irq, enetc_rss, enetc_filter, enetc_stats, enetc_link,
 * enetc_port <- enetc_ethdev.
 */
#ifndef ENETC_AIM_H
#define ENETC_AIM_H

#include <stdbool.h>
#include <stdint.h>

#include <ethdev_driver.h>
#include <bus_pci_driver.h>
#include <rte_ether.h>
#include <rte_mbuf.h>
#include <rte_spinlock.h>

#include "../../common/compat/compat.h"
#include "../../common/log.h"
#include "../../common/mmio.h"
#include "../../common/moderation.h"
#include "../../common/rss.h"
#include "../../common/rxq.h"
#include "../../common/txq.h"
#include "../../common/vectors.h"
#include "enetc_desc.h"
#include "enetc_hw.h"
#include "enetc_regs.h"

#define ENETC_PORT_MACS 32 /* addresses; those that no exact entry holds are filtered by hash */
#define ENETC_TX_MAX_SEGS (ENETC_TX_MAX_DESCS - 1) /* buffers a packet: one is the extension */
#define ENETC_RX_BUF_STEP 64u		     /* bytes that a buffer's size is rounded down to */
#define ENETC_ITR_MAX_NS AIM_INTERVAL_MAX_NS /* RBICR1 has 32 bits of cycles */

struct enetc_port;

/* A receive queue; rx.flags are mbuf flags. */
struct enetc_rxq {
	struct rxq rx;
	uint64_t packets; /* delivered, since set up */
	uint64_t bytes;
	struct enetc_port *port;
	uint32_t cycles; /* time threshold in the register */
	uint16_t icpt;	 /* packet threshold in the register */
};

/* A transmit queue. */
struct enetc_txq {
	struct txq tx;
	const volatile void *head; /* TBCIR */
	uint64_t packets;	   /* given to hardware, since set up */
	uint64_t bytes;
};

static_assert(offsetof(struct enetc_rxq, rx) == 0 && offsetof(struct enetc_txq, tx) == 0,
	      "drivers/common finds its part of a queue");

/* Devargs of a port: enetc_ethdev.c parses, common/devargs checks. */
struct enetc_devargs {
	struct moderation_conf mod;
	bool yield; /* let the stock driver have the device */
};

struct enetc_stats;

/* A port: rte_eth_dev_data::dev_private. */
struct enetc_port {
	struct enetc_hw hw;
	struct rte_eth_dev_data *data;
	struct enetc_devargs devargs;
	struct enetc_stats *stats;
	const struct rte_memzone *cmd_mz;
	bool started;
	bool removed; /* removal.c: the device is gone, and all were told */
	struct vectors vectors;
	struct rss rss;

	/* enetc_link */
	bool link_wanted; /* set_link_up or start, against set_link_down */
	bool link_alarm;  /* a look at the link is due */
	uint32_t link_mbps;
	/* The application's thread against EAL's interrupt thread: what is above from link_wanted
	 * on, and changes of `started`. Not held over a callback or rte_eal_alarm_cancel().
	 */
	rte_spinlock_t link_lock;

	/* enetc_filter */
	struct rte_ether_addr macs[ENETC_PORT_MACS];	/* as set; all zero: none */
	struct rte_ether_addr exact[ENETC_MAC_ENTRIES]; /* what the exact entries hold */
	uint64_t mc_hash;				/* of the list of multicast addresses */
	uint64_t vlans[4096 / 64];			/* ids that the filter lets through */
	bool promiscuous;
	bool allmulticast;
};

static inline struct enetc_port *
enetc_port(const struct rte_eth_dev *dev)
{
	return dev->data->dev_private;
}

/* ---- enetc_queue.c: rings; set up, start, stop ---- */
int enetc_rxq_setup(struct rte_eth_dev *dev, uint16_t q, uint16_t nb_desc, unsigned int socket,
		    const struct rte_eth_rxconf *conf, struct rte_mempool *pool);
int enetc_txq_setup(struct rte_eth_dev *dev, uint16_t q, uint16_t nb_desc, unsigned int socket,
		    const struct rte_eth_txconf *conf);
int enetc_rxq_start(struct rte_eth_dev *dev, uint16_t q);
int enetc_rxq_stop(struct rte_eth_dev *dev, uint16_t q);
int enetc_txq_start(struct rte_eth_dev *dev, uint16_t q);
int enetc_txq_stop(struct rte_eth_dev *dev, uint16_t q);
void enetc_rxq_info(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_rxq_info *info);
/* Port start: every queue that is not deferred. Errors: negative errno. */
int enetc_queues_start(struct rte_eth_dev *dev);
/* Port stop: every ring off and emptied. */
void enetc_queues_stop(struct rte_eth_dev *dev);
/* Switch VLAN strip of a receive queue, running or not. */
void enetc_rxq_vlan_strip(struct enetc_rxq *rxq, bool on);

/* ---- enetc_rx.c: receive functions; hot ---- */
uint16_t enetc_rx_burst(void *rxq, struct rte_mbuf **pkts, uint16_t n);
uint16_t enetc_rx_burst_scatter(void *rxq, struct rte_mbuf **pkts, uint16_t n);
compat_rxq_count_t enetc_rxq_count(void *rxq);
int enetc_rxq_desc_status(void *rxq, uint16_t offset);
void enetc_rx_select(struct rte_eth_dev *dev);
int enetc_rx_burst_mode(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_burst_mode *mode);
const uint32_t *enetc_rx_ptypes(struct rte_eth_dev *dev, size_t *n);
/* How many descriptors are done, by few looks. The queue's own thread. */
uint16_t enetc_rxq_backlog(const struct enetc_rxq *rxq);
/* True when the next descriptor is done. */
bool enetc_rxq_pending(const struct enetc_rxq *rxq);
/* True when the ring is empty for want of buffers: nothing would ever come; tries again first. */
bool enetc_rxq_starved(struct enetc_rxq *rxq);

/* ---- enetc_tx.c: transmit functions; hot ---- */
uint16_t enetc_tx_burst_simple(void *txq, struct rte_mbuf **pkts, uint16_t n);
uint16_t enetc_tx_burst(void *txq, struct rte_mbuf **pkts, uint16_t n);
uint16_t enetc_tx_prepare(void *txq, struct rte_mbuf **pkts, uint16_t n);
int enetc_txq_desc_status(void *txq, uint16_t offset);
int enetc_txq_done_cleanup(void *txq, uint32_t free_cnt);
void enetc_tx_select(struct rte_eth_dev *dev);
int enetc_tx_burst_mode(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_burst_mode *mode);

/* ---- enetc_irq.c: vectors, arming, the engine's glue ---- */
/* Port start, before the queues. */
int enetc_irq_start(struct rte_eth_dev *dev);
/* Whoever sleeps on a queue is woken; the event descriptors stay, for a start or the close. */
void enetc_irq_stop(struct rte_eth_dev *dev);
/* Close: the event descriptors go. */
void enetc_irq_release(struct rte_eth_dev *dev);
int enetc_irq_rxq_enable(struct rte_eth_dev *dev, uint16_t q);
int enetc_irq_rxq_disable(struct rte_eth_dev *dev, uint16_t q);
/* The interval that the queue's registers hold now, read back. 0: each packet interrupts. */
uint32_t enetc_irq_interval_ns(struct rte_eth_dev *dev, uint16_t q);
/* What moderation_burst() asks for after a burst that got so many packets. The queue's own thread.
 */
void enetc_irq_rxq_attend(struct enetc_rxq *rxq, enum moderation_todo todo, uint16_t got);
/* Every sleeper wakes, every later arm fails. Port started; from another thread: under link_lock.
 */
void enetc_irq_wake_all(struct rte_eth_dev *dev);

/* ---- enetc_rss.c ---- */
int enetc_rss_configure(struct rte_eth_dev *dev);
int enetc_rss_hash_update(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf);
int enetc_rss_hash_conf_get(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf);
int enetc_rss_reta_update(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *conf,
			  uint16_t size);
int enetc_rss_reta_query(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *conf,
			 uint16_t size);
/* What the hardware hashes, all of it or nothing: Linux's ethtool says so. */
#define ENETC_RSS_HF \
	(RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_FRAG_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_TCP | \
	 RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_NONFRAG_IPV4_SCTP | \
	 RTE_ETH_RSS_NONFRAG_IPV4_OTHER | RTE_ETH_RSS_IPV6 | RTE_ETH_RSS_FRAG_IPV6 | \
	 RTE_ETH_RSS_NONFRAG_IPV6_TCP | RTE_ETH_RSS_NONFRAG_IPV6_UDP | \
	 RTE_ETH_RSS_NONFRAG_IPV6_SCTP | RTE_ETH_RSS_NONFRAG_IPV6_OTHER)

/* ---- enetc_filter.c: which frames come in ---- */
/* True, and logged with what was wanted, of a virtual function: the port is not ours. */
bool enetc_port_lacks(const struct enetc_port *port, const char *what);
int enetc_promiscuous_enable(struct rte_eth_dev *dev);
int enetc_promiscuous_disable(struct rte_eth_dev *dev);
int enetc_allmulticast_enable(struct rte_eth_dev *dev);
int enetc_allmulticast_disable(struct rte_eth_dev *dev);
int enetc_mac_addr_add(struct rte_eth_dev *dev, struct rte_ether_addr *addr, uint32_t i,
		       uint32_t pool);
void enetc_mac_addr_remove(struct rte_eth_dev *dev, uint32_t i);
int enetc_mac_addr_set(struct rte_eth_dev *dev, struct rte_ether_addr *addr);
int enetc_mc_addr_list_set(struct rte_eth_dev *dev, struct rte_ether_addr *list, uint32_t n);
int enetc_vlan_filter_set(struct rte_eth_dev *dev, uint16_t vlan_id, int on);
int enetc_vlan_offload_set(struct rte_eth_dev *dev, int mask);
void enetc_vlan_strip_queue_set(struct rte_eth_dev *dev, uint16_t q, int on);
int enetc_mtu_set(struct rte_eth_dev *dev, uint16_t mtu);
/* Port start: every filter and the frame size are written. 0 or negative errno. */
int enetc_filter_restore(struct rte_eth_dev *dev);

/* ---- enetc_link.c ---- */
int enetc_link_update(struct rte_eth_dev *dev, int wait_to_complete);
/* The same for a secondary process: what the primary saw last. */
int enetc_link_update_secondary(struct rte_eth_dev *dev, int wait_to_complete);
int enetc_link_up(struct rte_eth_dev *dev);
int enetc_link_down(struct rte_eth_dev *dev);
/* Port start: frames may flow, and the link is looked at now and then. */
void enetc_link_start(struct rte_eth_dev *dev);
/* Port stop and close: no look remains due. */
void enetc_link_stop(struct rte_eth_dev *dev);

/* ---- enetc_stats.c ---- */
int enetc_stats_init(struct enetc_port *port);
void enetc_stats_fini(struct enetc_port *port);
int enetc_stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *stats,
		    compat_queue_stats *queues);
int enetc_stats_reset(struct rte_eth_dev *dev);
int enetc_xstats_get(struct rte_eth_dev *dev, struct rte_eth_xstat *xstats, unsigned int n);
int enetc_xstats_get_by_id(struct rte_eth_dev *dev, const uint64_t *ids, uint64_t *values,
			   unsigned int n);
int enetc_xstats_get_names(struct rte_eth_dev *dev, struct rte_eth_xstat_name *names,
			   unsigned int n);
int enetc_xstats_get_names_by_id(struct rte_eth_dev *dev, const uint64_t *ids,
				 struct rte_eth_xstat_name *names, unsigned int n);
/* A queue was set up anew: its counts begin at zero. */
void enetc_stats_rxq_reset(struct enetc_port *port, uint16_t q);
void enetc_stats_txq_reset(struct enetc_port *port, uint16_t q);
int enetc_get_regs(struct rte_eth_dev *dev, struct rte_dev_reg_info *regs);

/* ---- enetc_port.c: configuration, start, stop ---- */
int enetc_port_configure(struct rte_eth_dev *dev);
int enetc_port_info(struct rte_eth_dev *dev, struct rte_eth_dev_info *info);
int enetc_port_start(struct rte_eth_dev *dev);
int enetc_port_stop(struct rte_eth_dev *dev);

#endif /* ENETC_AIM_H */
