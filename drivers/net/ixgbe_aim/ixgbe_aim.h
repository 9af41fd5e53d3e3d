/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the net_ixgbe_aim driver share: the port, its queues, and
 * each file's functions under the file's name. Arrows point one way:
 * ixgbe_regs <- ixgbe_hw, ixgbe_nvm, ixgbe_phy <- ixgbe_queue, ixgbe_rx,
 * ixgbe_tx, ixgbe_irq, ixgbe_rss, ixgbe_filter, ixgbe_stats, ixgbe_link,
 * ixgbe_dump <- ixgbe_ethdev.
 */
#ifndef IXGBE_AIM_H
#define IXGBE_AIM_H

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
#include "ixgbe_desc.h"
#include "ixgbe_hw.h"
#include "ixgbe_regs.h"

#define IXGBE_PORT_QUEUES 64	  /* queues of a port, each direction */
#define IXGBE_PORT_MACS 128	  /* receive addresses (RAL, RAH) */
#define IXGBE_PORT_VECTORS 64	  /* MSI-X vectors of the function */
#define IXGBE_RSS_QUEUES_82599 16 /* queue numbers that a RETA entry of 82599 and X540 holds */
#define IXGBE_RSS_QUEUES_X550 64
#define IXGBE_RX_BULK_MIN 8 /* free_thresh from which bulk allocation pays */
#define IXGBE_TX_RS_THRESH 32
#define IXGBE_TX_PACKET_BUFS (IXGBE_TX_MAX_SEGS - 2) /* room for a context and a split header */

struct ixgbe_port;

/*
 * A receive queue; rx.flags are the status and error bits that become mbuf flags and, in the high
 * half on an 82599, the bit that says a bad UDP checksum may be none (ixgbe_rx.c).
 */
#define IXGBE_RXQ_UDP_ZERO (UINT64_C(0x10) << 32)
struct ixgbe_rxq {
	struct rxq rx;
	struct ixgbe_port *port;
	uint32_t eitr_seen; /* port's eitr_changes when EITR was written */
	uint16_t itr_units; /* what this queue wants in EITR */
	bool itr_wish;	    /* it has said so since the start */
	bool drop_en;
};

/* A context descriptor in hardware, and what a data descriptor adds to use it. */
struct ixgbe_tx_ctx {
	uint64_t flags; /* ol_flags that it serves */
	uint64_t lens;	/* header lengths, segment size, VLAN tag */
	uint32_t cmd;
	uint32_t olinfo;
};

/* A transmit queue. */
struct ixgbe_txq {
	struct txq tx;
	uint16_t *rs_ring;  /* descriptors that carry RS, oldest at rs_head; tx.more */
	uint16_t since_rs;  /* descriptors written since the last RS */
	uint16_t rs_thresh; /* a write-back is asked for after so many descriptors */
	uint16_t rs_mask;   /* rs_ring's size - 1 */
	uint16_t rs_head;
	uint16_t rs_tail;
	uint8_t ctx_last; /* slot of the context used last */
	uint8_t pthresh;
	uint8_t hthresh;
	uint8_t wthresh;
	struct ixgbe_tx_ctx ctx[2];
};

static_assert(offsetof(struct ixgbe_rxq, rx) == 0 && offsetof(struct ixgbe_txq, tx) == 0,
	      "drivers/common finds its part of a queue");

/* Devargs of a port: ixgbe_ethdev.c parses, common/devargs checks. */
struct ixgbe_devargs {
	struct moderation_conf mod;
	bool yield;	/* let the stock driver have the device */
	bool nvm_check; /* a wrong NVM checksum is an error */
};

/* Every counter of the hardware, accumulated to 64 bits; rows in ixgbe_stats.c. */
struct ixgbe_stats;

/* A port: rte_eth_dev_data::dev_private. */
struct ixgbe_port {
	struct ixgbe_hw hw;
	struct rte_eth_dev_data *data;
	struct ixgbe_devargs devargs;
	struct ixgbe_stats *stats;
	bool started;
	bool removed; /* removal.c: the device is gone, and all were told */

	/* ixgbe_irq */
	uint32_t misc_mask; /* EIMS bits of the misc causes in use */
	struct vectors vectors;
	uint32_t eitr_unit_ns;
	uint32_t eitr_changes;	  /* of eitr_unit_ns */
	rte_spinlock_t eitr_lock; /* of a vector that queues share */

	/* ixgbe_link */
	uint32_t fc_pause_time;
	uint32_t fc_high;
	uint32_t fc_low;
	enum rte_eth_fc_mode fc_mode;
	bool fc_autoneg;
	bool fc_send_xon;
	bool fc_forward_ctrl;
	bool link_wanted;      /* set_link_up or start, against set_link_down */
	uint8_t link_rechecks; /* looks at LINKS that remain while the link settles */
	bool link_alarm;       /* one of these looks is due */
	bool sfp_changed;      /* the cage was plugged or pulled */
	uint32_t link_mbps;    /* speed that the engine was last told of */
	/* The link of the application's thread against EAL's interrupt thread: what is above from
	 * link_wanted on, the PHY's set-up, and changes of `started`. Not held over a callback or
	 * rte_eal_alarm_cancel(), both of which may wait for who waits for it.
	 */
	rte_spinlock_t link_lock;

	/* ixgbe_filter */
	uint32_t vfta[128]; /* shadow: VFTA is lost by a reset */
	uint32_t mta[128];
	uint16_t vlan_tpid; /* of the only tag, or of the inner one */
	uint16_t vlan_outer_tpid;
	bool promiscuous;
	bool allmulticast;

	struct rss rss; /* ixgbe_rss */
};

static inline struct ixgbe_port *
ixgbe_port(const struct rte_eth_dev *dev)
{
	return dev->data->dev_private;
}

/* Registers of receive ring q, whichever half of the ring space it lies in. */
#define IXGBE_RXQ_REG(name, q) ((q) < 64 ? IXGBE_AT(name, q) : IXGBE_AT(name##_HI, (q)-64))

/* ---- ixgbe_queue.c: rings; set up, start, stop ---- */
int ixgbe_rxq_setup(struct rte_eth_dev *dev, uint16_t q, uint16_t nb_desc, unsigned int socket,
		    const struct rte_eth_rxconf *conf, struct rte_mempool *pool);
int ixgbe_txq_setup(struct rte_eth_dev *dev, uint16_t q, uint16_t nb_desc, unsigned int socket,
		    const struct rte_eth_txconf *conf);
int ixgbe_rxq_start(struct rte_eth_dev *dev, uint16_t q);
int ixgbe_rxq_stop(struct rte_eth_dev *dev, uint16_t q);
int ixgbe_txq_start(struct rte_eth_dev *dev, uint16_t q);
int ixgbe_txq_stop(struct rte_eth_dev *dev, uint16_t q);
void ixgbe_rxq_info(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_rxq_info *info);
void ixgbe_txq_info(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_txq_info *info);
/* Port start: the Rx and Tx units and every queue that is not deferred. Errors: negative errno. */
int ixgbe_queues_start(struct rte_eth_dev *dev);
/* Port stop: every ring off and emptied. */
void ixgbe_queues_stop(struct rte_eth_dev *dev);
/* Switch VLAN strip of a receive queue, running or not. */
void ixgbe_rxq_vlan_strip(struct ixgbe_rxq *rxq, bool on);

/* ---- ixgbe_rx.c: receive functions; hot ---- */
uint16_t ixgbe_rx_burst(void *rxq, struct rte_mbuf **pkts, uint16_t n);	     /* one by one */
uint16_t ixgbe_rx_burst_bulk(void *rxq, struct rte_mbuf **pkts, uint16_t n); /* bulk allocation */
uint16_t ixgbe_rx_burst_scatter(void *rxq, struct rte_mbuf **pkts,
				uint16_t n); /* several segments */
compat_rxq_count_t ixgbe_rxq_count(void *rxq);
int ixgbe_rxq_desc_status(void *rxq, uint16_t offset);
/* Install the receive function that the port's configuration asks for. */
void ixgbe_rx_select(struct rte_eth_dev *dev);
int ixgbe_rx_burst_mode(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_burst_mode *mode);
const uint32_t *ixgbe_rx_ptypes(struct rte_eth_dev *dev, size_t *n);
/* How many descriptors are done, by few looks. The queue's own thread. */
uint16_t ixgbe_rxq_backlog(const struct ixgbe_rxq *rxq);
/* True when the next descriptor is done, or when the ring is empty for want of buffers. */
bool ixgbe_rxq_pending(struct ixgbe_rxq *rxq);

/* ---- ixgbe_tx.c: transmit functions; hot ---- */
uint16_t ixgbe_tx_burst_simple(void *txq, struct rte_mbuf **pkts, uint16_t n);
uint16_t ixgbe_tx_burst(void *txq, struct rte_mbuf **pkts, uint16_t n);
uint16_t ixgbe_tx_prepare(void *txq, struct rte_mbuf **pkts, uint16_t n);
int ixgbe_txq_desc_status(void *txq, uint16_t offset);
int ixgbe_txq_done_cleanup(void *txq, uint32_t free_cnt);
void ixgbe_tx_select(struct rte_eth_dev *dev);
int ixgbe_tx_burst_mode(struct rte_eth_dev *dev, uint16_t q, struct rte_eth_burst_mode *mode);

/* ---- ixgbe_irq.c: vectors, arming, the engine's glue ---- */
/* Port start, before the queues: event descriptors, IVAR, GPIE, EIAC, EIAM, EITR. */
int ixgbe_irq_start(struct rte_eth_dev *dev);
/* Whoever sleeps on a queue is woken; the event descriptors stay, for a start or the close. */
void ixgbe_irq_stop(struct rte_eth_dev *dev);
/* Close: the event descriptors go. */
void ixgbe_irq_release(struct rte_eth_dev *dev);
int ixgbe_irq_rxq_enable(struct rte_eth_dev *dev, uint16_t q);
int ixgbe_irq_rxq_disable(struct rte_eth_dev *dev, uint16_t q);
/* Offset of a vector's EITR, and what its unit is worth now. */
uint32_t ixgbe_irq_eitr(unsigned int vector);
uint32_t ixgbe_irq_eitr_unit_ns(const struct ixgbe_port *port);
/* The interval that EITR of the queue's vector holds now, read back. 0: none, or no vector. */
uint32_t ixgbe_irq_interval_ns(const struct ixgbe_port *port, const struct ixgbe_rxq *rxq);
/* What moderation_burst() asks for after a burst that got so many packets. The queue's own thread.
 */
void ixgbe_irq_rxq_attend(struct ixgbe_rxq *rxq, enum moderation_todo todo, uint16_t got);
/* Unmask the misc causes (link state); after start and at the end of the handler. */
void ixgbe_irq_misc_enable(struct ixgbe_port *port);
void ixgbe_irq_misc_disable(struct ixgbe_port *port);
/* Link speed changed: the engine's bounds follow. */
void ixgbe_irq_link(struct rte_eth_dev *dev);

/* Every sleeper wakes, every later arm fails. Port started; from another thread: under link_lock.
 */
void ixgbe_irq_wake_all(struct rte_eth_dev *dev);

/* ---- ixgbe_rss.c ---- */
int ixgbe_rss_configure(struct rte_eth_dev *dev);
int ixgbe_rss_hash_update(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf);
int ixgbe_rss_hash_conf_get(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf);
int ixgbe_rss_reta_update(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *conf,
			  uint16_t size);
int ixgbe_rss_reta_query(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *conf,
			 uint16_t size);
uint16_t ixgbe_rss_reta_size(const struct ixgbe_port *port);
uint16_t ixgbe_rss_queues(const struct ixgbe_port *port);
#define IXGBE_RSS_HF \
	(RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_TCP | RTE_ETH_RSS_NONFRAG_IPV4_UDP | \
	 RTE_ETH_RSS_IPV6 | RTE_ETH_RSS_NONFRAG_IPV6_TCP | RTE_ETH_RSS_NONFRAG_IPV6_UDP | \
	 RTE_ETH_RSS_IPV6_EX | RTE_ETH_RSS_IPV6_TCP_EX | RTE_ETH_RSS_IPV6_UDP_EX)

/* ---- ixgbe_filter.c: which frames come in ---- */
int ixgbe_promiscuous_enable(struct rte_eth_dev *dev);
int ixgbe_promiscuous_disable(struct rte_eth_dev *dev);
int ixgbe_allmulticast_enable(struct rte_eth_dev *dev);
int ixgbe_allmulticast_disable(struct rte_eth_dev *dev);
int ixgbe_mac_addr_add(struct rte_eth_dev *dev, struct rte_ether_addr *addr, uint32_t i,
		       uint32_t pool);
void ixgbe_mac_addr_remove(struct rte_eth_dev *dev, uint32_t i);
int ixgbe_mac_addr_set(struct rte_eth_dev *dev, struct rte_ether_addr *addr);
int ixgbe_mc_addr_list_set(struct rte_eth_dev *dev, struct rte_ether_addr *list, uint32_t n);
int ixgbe_vlan_filter_set(struct rte_eth_dev *dev, uint16_t vlan_id, int on);
int ixgbe_vlan_offload_set(struct rte_eth_dev *dev, int mask);
int ixgbe_vlan_tpid_set(struct rte_eth_dev *dev, enum rte_vlan_type type, uint16_t tpid);
void ixgbe_vlan_strip_queue_set(struct rte_eth_dev *dev, uint16_t q, int on);
int ixgbe_mtu_set(struct rte_eth_dev *dev, uint16_t mtu);
/* Port start: write filters, VLAN table and frame size back after the reset. */
void ixgbe_filter_restore(struct rte_eth_dev *dev);

/* ---- ixgbe_link.c: link state, flow control, LEDs ---- */
int ixgbe_link_update(struct rte_eth_dev *dev, int wait_to_complete);
/* The same for a secondary process: what the primary saw last. */
int ixgbe_link_update_secondary(struct rte_eth_dev *dev, int wait_to_complete);
int ixgbe_link_up(struct rte_eth_dev *dev);
int ixgbe_link_down(struct rte_eth_dev *dev);
/* Port start: bring the link up as configured. */
int ixgbe_link_start(struct rte_eth_dev *dev);
/* Handler of vector 0, in the interrupt thread; arg: struct rte_eth_dev. Reading EICR must not take
 * queue causes away: GPIE.OCD has to be set. */
void ixgbe_link_interrupt(void *arg);
int ixgbe_flow_ctrl_get(struct rte_eth_dev *dev, struct rte_eth_fc_conf *conf);
int ixgbe_flow_ctrl_set(struct rte_eth_dev *dev, struct rte_eth_fc_conf *conf);
int ixgbe_flow_ctrl_start(struct rte_eth_dev *dev);
/* Port start and stop: from here on the interrupt thread may touch the port, or no more. */
void ixgbe_link_started_set(struct ixgbe_port *port, bool started);
/* Defaults of the port, at probe. */
void ixgbe_link_init(struct ixgbe_port *port);
/* Port stop and close: no re-check remains due. */
void ixgbe_link_stop(struct rte_eth_dev *dev);
/* Speeds of rte_eth_conf::link_speeds; -EINVAL, logged: the device cannot. */
int ixgbe_link_speeds_check(const struct ixgbe_port *port, uint32_t link_speeds);
int ixgbe_led_on(struct rte_eth_dev *dev);
int ixgbe_led_off(struct rte_eth_dev *dev);
uint32_t ixgbe_link_speed_capa(const struct ixgbe_port *port);

/* ---- ixgbe_port.c: configure, start, stop ---- */
/* Offload capabilities. */
uint64_t ixgbe_rx_offload_capa(const struct ixgbe_port *port);
uint64_t ixgbe_tx_offload_capa(const struct ixgbe_port *port);
int ixgbe_port_configure(struct rte_eth_dev *dev);
int ixgbe_port_info(struct rte_eth_dev *dev, struct rte_eth_dev_info *info);
int ixgbe_port_start(struct rte_eth_dev *dev);
int ixgbe_port_stop(struct rte_eth_dev *dev);

/* ---- ixgbe_stats.c ---- */
int ixgbe_stats_init(struct ixgbe_port *port); /* allocate; 0 or -ENOMEM */
/* Port start: which counter counts which queue; the counters were cleared by the reset. */
void ixgbe_stats_start(struct rte_eth_dev *dev);
/* Port stop: take the counters before the next reset loses them. */
void ixgbe_stats_stop(struct rte_eth_dev *dev);
int ixgbe_stats_map(struct rte_eth_dev *dev, uint16_t q, uint8_t counter, uint8_t is_rx);
void ixgbe_stats_fini(struct ixgbe_port *port);
/* queues: where the queues' counts go; NULL: nowhere. */
int ixgbe_stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *stats,
		    compat_queue_stats *queues);
int ixgbe_stats_reset(struct rte_eth_dev *dev);
/* A receive queue was set up anew: its counts start from 0. Before it is seen in rx_queues. */
int ixgbe_xstats_get(struct rte_eth_dev *dev, struct rte_eth_xstat *xstats, unsigned int n);
int ixgbe_xstats_get_by_id(struct rte_eth_dev *dev, const uint64_t *ids, uint64_t *values,
			   unsigned int n);
int ixgbe_xstats_get_names(struct rte_eth_dev *dev, struct rte_eth_xstat_name *names,
			   unsigned int n);
int ixgbe_xstats_get_names_by_id(struct rte_eth_dev *dev, const uint64_t *ids,
				 struct rte_eth_xstat_name *names, unsigned int n);
int ixgbe_xstats_reset(struct rte_eth_dev *dev);

/* ---- ixgbe_dump.c ---- */
int ixgbe_get_regs(struct rte_eth_dev *dev, struct rte_dev_reg_info *regs);
int ixgbe_get_eeprom_length(struct rte_eth_dev *dev);
int ixgbe_get_eeprom(struct rte_eth_dev *dev, struct rte_dev_eeprom_info *info);
int ixgbe_get_module_info(struct rte_eth_dev *dev, struct rte_eth_dev_module_info *info);
int ixgbe_get_module_eeprom(struct rte_eth_dev *dev, struct rte_dev_eeprom_info *info);
int ixgbe_fw_version_get(struct rte_eth_dev *dev, char *version, size_t size);

#endif /* IXGBE_AIM_H */
