/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics: every counter of the hardware by table, accumulated to 64 bits
 * because reading clears it (82599 datasheet 8.2.3.23), and what each Rx
 * queue's moderation did. xstats carry the names of DPDK's ixgbe driver where
 * that has the counter.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_spinlock.h>

#include "../../common/xstats.h"
#include "ixgbe_aim.h"

enum stat_kind {
	STAT_32,   /* one register */
	STAT_PAIR, /* low half at the offset, high half behind it; clears when the high is read */
	STAT_LOW,  /* bits 15:0 of a register; STAT_HIGH follows in the table */
	STAT_HIGH, /* bits 31:16 of the register before it */
};

/* X(id, name, register, kind) */
#define PORT_STATS(X) \
	X(CRCERRS, "rx_crc_errors", CRCERRS, STAT_32) \
	X(ILLERRC, "rx_illegal_byte_errors", ILLERRC, STAT_32) \
	X(ERRBC, "rx_error_bytes", ERRBC, STAT_32) \
	X(MLFC, "mac_local_errors", MLFC, STAT_32) \
	X(MRFC, "mac_remote_errors", MRFC, STAT_32) \
	X(RLEC, "rx_length_errors", RLEC, STAT_32) \
	X(LXONTXC, "tx_xon_packets", LXONTXC, STAT_32) \
	X(LXONRXC, "rx_xon_packets", LXONRXCNT, STAT_32) \
	X(LXOFFTXC, "tx_xoff_packets", LXOFFTXC, STAT_32) \
	X(LXOFFRXC, "rx_xoff_packets", LXOFFRXCNT, STAT_32) \
	X(PRC64, "rx_size_64_packets", PRC64, STAT_32) \
	X(PRC127, "rx_size_65_to_127_packets", PRC127, STAT_32) \
	X(PRC255, "rx_size_128_to_255_packets", PRC255, STAT_32) \
	X(PRC511, "rx_size_256_to_511_packets", PRC511, STAT_32) \
	X(PRC1023, "rx_size_512_to_1023_packets", PRC1023, STAT_32) \
	X(PRC1522, "rx_size_1024_to_max_packets", PRC1522, STAT_32) \
	X(BPRC, "rx_broadcast_packets", BPRC, STAT_32) \
	X(MPRC, "rx_multicast_packets", MPRC, STAT_32) \
	X(RFC, "rx_fragment_errors", RFC, STAT_32) \
	X(RUC, "rx_undersize_errors", RUC, STAT_32) \
	X(ROC, "rx_oversize_errors", ROC, STAT_32) \
	X(RJC, "rx_jabber_errors", RJC, STAT_32) \
	X(MNGPRC, "rx_management_packets", MNGPRC, STAT_32) \
	X(MNGPDC, "rx_management_dropped", MNGPDC, STAT_32) \
	X(MNGPTC, "tx_management_packets", MNGPTC, STAT_32) \
	X(TPR, "rx_total_packets", TPR, STAT_32) \
	X(TOR, "rx_total_bytes", TORL, STAT_PAIR) \
	X(TPT, "tx_total_packets", TPT, STAT_32) \
	X(PTC64, "tx_size_64_packets", PTC64, STAT_32) \
	X(PTC127, "tx_size_65_to_127_packets", PTC127, STAT_32) \
	X(PTC255, "tx_size_128_to_255_packets", PTC255, STAT_32) \
	X(PTC511, "tx_size_256_to_511_packets", PTC511, STAT_32) \
	X(PTC1023, "tx_size_512_to_1023_packets", PTC1023, STAT_32) \
	X(PTC1522, "tx_size_1024_to_max_packets", PTC1522, STAT_32) \
	X(MPTC, "tx_multicast_packets", MPTC, STAT_32) \
	X(BPTC, "tx_broadcast_packets", BPTC, STAT_32) \
	X(MSPDC, "rx_mac_short_packet_dropped", MSPDC, STAT_32) \
	X(XEC, "rx_l3_l4_xsum_error", XEC, STAT_32) \
	X(FDIR_ADD, "flow_director_added_filters", FDIRUSTAT, STAT_LOW) \
	X(FDIR_REMOVE, "flow_director_removed_filters", FDIRUSTAT, STAT_HIGH) \
	X(FDIR_FADD, "flow_director_filter_add_errors", FDIRFSTAT, STAT_LOW) \
	X(FDIR_FREMOVE, "flow_director_filter_remove_errors", FDIRFSTAT, STAT_HIGH) \
	X(FDIR_MATCH, "flow_director_matched_filters", FDIRMATCH, STAT_32) \
	X(FDIR_MISS, "flow_director_missed_filters", FDIRMISS, STAT_32) \
	X(FCCRC, "rx_fcoe_crc_errors", FCCRC, STAT_32) \
	X(FCOERPDC, "rx_fcoe_dropped", FCOERPDC, STAT_32) \
	X(FCLAST, "rx_fcoe_mbuf_allocation_errors", FCLAST, STAT_32) \
	X(FCOEPRC, "rx_fcoe_packets", FCOEPRC, STAT_32) \
	X(FCOEPTC, "tx_fcoe_packets", FCOEPTC, STAT_32) \
	X(FCOEDWRC, "rx_fcoe_bytes", FCOEDWRC, STAT_32) \
	X(FCOEDWTC, "tx_fcoe_bytes", FCOEDWTC, STAT_32) \
	X(SSVPC, "tx_security_violation_packets", SSVPC, STAT_32) \
	X(GPRC, "rx_mac_good_packets", GPRC, STAT_32) \
	X(GORC, "rx_mac_good_bytes", GORCL, STAT_PAIR) \
	X(GPTC, "tx_mac_good_packets", GPTC, STAT_32) \
	X(GOTC, "tx_mac_good_bytes", GOTCL, STAT_PAIR)

/* Eight priorities (traffic classes) each: X(id, direction, name, register) */
#define PRIO_STATS(X) \
	X(RNBC, "rx", "mbuf_allocation_errors", RNBC) \
	X(MPC, "rx", "dropped", MPC) \
	X(PXONRX, "rx", "xon_packets", PXONRXCNT) \
	X(PXOFFRX, "rx", "xoff_packets", PXOFFRXCNT) \
	X(PXONTX, "tx", "xon_packets", PXONTXC) \
	X(PXOFFTX, "tx", "xoff_packets", PXOFFTXC) \
	X(PXON2OFF, "tx", "xon_to_xoff_packets", PXON2OFFCNT)

#define PRIOS 8u
#define QUEUE_COUNTERS 16u
#define COUNTER_MAP_REGS 32u /* RQSMR, TQSM: four queues a register */

enum {
#define PORT_ID(id, name, reg, kind) STAT_##id,
	PORT_STATS(PORT_ID)
#undef PORT_ID
	    PORT_STATS_N
};
enum {
#define PRIO_ID(id, dir, name, reg) PRIO_##id,
	PRIO_STATS(PRIO_ID)
#undef PRIO_ID
	    PRIO_STATS_N
};

static const struct {
	const char *name;
	uint32_t offset;
	enum stat_kind kind;
} port_rows[PORT_STATS_N] = {
#define PORT_ROW(id, name, reg, kind) {name, IXGBE_##reg, kind},
    PORT_STATS(PORT_ROW)
#undef PORT_ROW
};

static const struct {
	const char *dir;
	const char *name;
	uint32_t offset;
	uint32_t stride;
} prio_rows[PRIO_STATS_N] = {
#define PRIO_ROW(id, dir, name, reg) {dir, name, IXGBE_##reg, IXGBE_##reg##_STRIDE},
    PRIO_STATS(PRIO_ROW)
#undef PRIO_ROW
};

struct ixgbe_stats {
	rte_spinlock_t lock; /* readers add up what the read cleared */
	uint64_t port[PORT_STATS_N];
	uint64_t prio[PRIO_STATS_N][PRIOS];
	uint64_t rx_packets[QUEUE_COUNTERS];
	uint64_t rx_bytes[QUEUE_COUNTERS];
	uint64_t rx_dropped[QUEUE_COUNTERS];
	uint64_t tx_packets[QUEUE_COUNTERS];
	uint64_t tx_bytes[QUEUE_COUNTERS];
	uint32_t rx_map[COUNTER_MAP_REGS];
	uint32_t tx_map[COUNTER_MAP_REGS];
	/* A queue's counts belong to the thread that polls it: a reset remembers where they stood.
	 */
};

int
ixgbe_stats_init(struct ixgbe_port *port)
{
	uint32_t q;

	port->stats = rte_zmalloc("aim_stats", sizeof(*port->stats), RTE_CACHE_LINE_SIZE);
	if (port->stats == NULL)
		return -ENOMEM;
	rte_spinlock_init(&port->stats->lock);
	/* 16 counters: a queue each; the last one takes all from 15 up, so that sums are whole. */
	for (q = 0; q < COUNTER_MAP_REGS * 4; q++) {
		uint32_t counter = RTE_MIN(q, QUEUE_COUNTERS - 1) << (8 * (q % 4));

		port->stats->rx_map[q / 4] |= counter;
		port->stats->tx_map[q / 4] |= counter;
	}
	return 0;
}

void
ixgbe_stats_fini(struct ixgbe_port *port)
{
	rte_free(port->stats);
	port->stats = NULL;
}

void
ixgbe_stats_start(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	uint32_t i;

	for (i = 0; i < COUNTER_MAP_REGS; i++) {
		mmio_write(&port->hw.bar, IXGBE_AT(RQSMR, i), port->stats->rx_map[i]);
		mmio_write(&port->hw.bar, IXGBE_AT(TQSM, i), port->stats->tx_map[i]);
	}
}

int
ixgbe_stats_map(struct rte_eth_dev *dev, uint16_t q, uint8_t counter, uint8_t is_rx)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	uint32_t shift = 8 * (q % 4), *map;

	if (q >= COUNTER_MAP_REGS * 4 || counter >= QUEUE_COUNTERS) {
		AIM_LOG(ERR, "statistics of queue %u to counter %u: give a counter from 0 to %u", q,
			counter, QUEUE_COUNTERS - 1);
		return -EINVAL;
	}
	map = is_rx ? &port->stats->rx_map[q / 4] : &port->stats->tx_map[q / 4];
	*map = (*map & ~(UINT32_C(0xFF) << shift)) | (uint32_t)counter << shift;
	mmio_write(&port->hw.bar, is_rx ? IXGBE_AT(RQSMR, q / 4) : IXGBE_AT(TQSM, q / 4), *map);
	return 0;
}

/* ---- Reading ---- */

/* The low half first: reading the high one clears both. */
static uint64_t
stat_pair(const struct mmio *bar, uint32_t low, uint32_t high)
{
	uint64_t value = mmio_read(bar, low);

	return value | (uint64_t)mmio_read(bar, high) << 32;
}

/* Add what the hardware counted since the last look. The lock is held. */
static void
ixgbe_stats_collect(struct ixgbe_port *port)
{
	struct ixgbe_stats *st = port->stats;
	const struct mmio *bar = &port->hw.bar;
	uint32_t i, j, value;

	if (!ixgbe_hw_present(&port->hw))
		return; /* ones would be added */
	for (i = 0; i < PORT_STATS_N; i++) {
		switch (port_rows[i].kind) {
		case STAT_32:
			st->port[i] += mmio_read(bar, port_rows[i].offset);
			break;
		case STAT_PAIR:
			st->port[i] += stat_pair(bar, port_rows[i].offset, port_rows[i].offset + 4);
			break;
		case STAT_LOW:
			value = mmio_read(bar, port_rows[i].offset);
			st->port[i] += value & 0xFFFF;
			st->port[i + 1] += value >> 16;
			break;
		case STAT_HIGH: /* added with the low half */
			break;
		}
	}
	for (i = 0; i < PRIO_STATS_N; i++)
		for (j = 0; j < PRIOS; j++)
			st->prio[i][j] += mmio_read(bar,
						    prio_rows[i].offset + j * prio_rows[i].stride);
	for (i = 0; i < QUEUE_COUNTERS; i++) {
		st->rx_packets[i] += mmio_read(bar, IXGBE_AT(QPRC, i));
		st->rx_bytes[i] += stat_pair(bar, IXGBE_AT(QBRC_L, i), IXGBE_AT(QBRC_H, i));
		st->rx_dropped[i] += mmio_read(bar, IXGBE_AT(QPRDC, i));
		st->tx_packets[i] += mmio_read(bar, IXGBE_AT(QPTC, i));
		st->tx_bytes[i] += stat_pair(bar, IXGBE_AT(QBTC_L, i), IXGBE_AT(QBTC_H, i));
	}
}

void
ixgbe_stats_stop(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);

	rte_spinlock_lock(&port->stats->lock);
	ixgbe_stats_collect(port);
	rte_spinlock_unlock(&port->stats->lock);
}

static uint64_t
stat_sum(const uint64_t *values, unsigned int n)
{
	uint64_t sum = 0;

	while (n-- > 0)
		sum += *values++;
	return sum;
}

/* Packets that a queue delivered on paper only: their length was more than their buffer holds. */
static uint64_t
stat_bad_length(struct rte_eth_dev *dev)
{
	uint64_t sum = 0;
	uint16_t q;

	for (q = 0; q < dev->data->nb_rx_queues && q < IXGBE_PORT_QUEUES; q++) {
		const struct rxq *rxq = dev->data->rx_queues[q];

		if (rxq != NULL)
			sum += rxq_bad_length(rxq);
	}
	return sum;
}

int
ixgbe_stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *stats, compat_queue_stats *queues)
{
	static const uint8_t errors[] = {
	    STAT_CRCERRS, STAT_ILLERRC, STAT_ERRBC, STAT_MSPDC, STAT_RLEC,
	    STAT_RUC,	  STAT_ROC,	STAT_RFC,   STAT_RJC,
	};
	struct ixgbe_port *port = ixgbe_port(dev);
	struct ixgbe_stats *st = port->stats;
	uint64_t pauses;
	unsigned int i;

	rte_spinlock_lock(&st->lock);
	ixgbe_stats_collect(port);

	/* GPRC counts packets that were missed too; the queues' sums do not. */
	stats->ipackets = stat_sum(st->rx_packets, QUEUE_COUNTERS);
	stats->ibytes = stat_sum(st->rx_bytes, QUEUE_COUNTERS);
	/* GPTC and GOTC count the PAUSE frames and the FCS, neither of which anybody sent. */
	pauses = st->port[STAT_LXONTXC] + st->port[STAT_LXOFFTXC];
	stats->opackets = st->port[STAT_GPTC] - RTE_MIN(pauses, st->port[STAT_GPTC]);
	stats->obytes = st->port[STAT_GOTC] -
			RTE_MIN(st->port[STAT_GOTC],
				pauses * RTE_ETHER_MIN_LEN + stats->opackets * RTE_ETHER_CRC_LEN);
	/* No room in the packet buffer, or no descriptor on a queue that drops. */
	stats->imissed = stat_sum(st->prio[PRIO_MPC], PRIOS) +
			 stat_sum(st->rx_dropped, QUEUE_COUNTERS);
	stats->ierrors = stat_bad_length(dev);
	for (i = 0; i < RTE_DIM(errors); i++)
		stats->ierrors += st->port[errors[i]];
	/* 82599 counts a UDP checksum of 0, which means none, as an error (specification update).
	 */
	if (port->hw.mac != IXGBE_MAC_82599)
		stats->ierrors += st->port[STAT_XEC];
	for (i = 0; queues != NULL && i < RTE_MIN(QUEUE_COUNTERS, RTE_ETHDEV_QUEUE_STAT_CNTRS);
	     i++) {
		queues->q_ipackets[i] = st->rx_packets[i];
		queues->q_ibytes[i] = st->rx_bytes[i];
		queues->q_errors[i] = st->rx_dropped[i];
		queues->q_opackets[i] = st->tx_packets[i];
		queues->q_obytes[i] = st->tx_bytes[i];
	}
	rte_spinlock_unlock(&st->lock);
	return 0;
}

int
ixgbe_stats_reset(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	struct ixgbe_stats *st = port->stats;
	uint16_t q;

	rte_spinlock_lock(&st->lock);
	ixgbe_stats_collect(port);
	memset(st->port, 0, sizeof(st->port));
	memset(st->prio, 0, sizeof(st->prio));
	memset(st->rx_packets, 0, sizeof(st->rx_packets));
	memset(st->rx_bytes, 0, sizeof(st->rx_bytes));
	memset(st->rx_dropped, 0, sizeof(st->rx_dropped));
	memset(st->tx_packets, 0, sizeof(st->tx_packets));
	memset(st->tx_bytes, 0, sizeof(st->tx_bytes));
	for (q = 0; q < dev->data->nb_rx_queues && q < IXGBE_PORT_QUEUES; q++) {
		struct rxq *rxq = dev->data->rx_queues[q];

		if (rxq != NULL)
			rxq_stats_reset(rxq);
	}
	rte_spinlock_unlock(&st->lock);
	return 0;
}

int
ixgbe_xstats_reset(struct rte_eth_dev *dev)
{
	return ixgbe_stats_reset(dev);
}

/* ---- xstats ---- */

static void
xstats_port_name(unsigned int i, char *name, size_t size)
{
	unsigned int k = i - PORT_STATS_N;

	if (i < PORT_STATS_N)
		snprintf(name, size, "%s", port_rows[i].name);
	else
		snprintf(name, size, "%s_priority%u_%s", prio_rows[k / PRIOS].dir, k % PRIOS,
			 prio_rows[k / PRIOS].name);
}

static uint64_t
xstats_port_value(struct rte_eth_dev *dev, unsigned int i)
{
	const struct ixgbe_stats *st = ixgbe_port(dev)->stats;
	unsigned int k = i - PORT_STATS_N;

	return i < PORT_STATS_N ? st->port[i] : st->prio[k / PRIOS][k % PRIOS];
}

static void
xstats_begin(struct rte_eth_dev *dev)
{
	rte_spinlock_lock(&ixgbe_port(dev)->stats->lock);
	ixgbe_stats_collect(ixgbe_port(dev));
}

static void
xstats_end(struct rte_eth_dev *dev)
{
	rte_spinlock_unlock(&ixgbe_port(dev)->stats->lock);
}

static uint32_t
xstats_interval_ns(struct rte_eth_dev *dev, uint16_t q)
{
	return ixgbe_irq_interval_ns(ixgbe_port(dev), dev->data->rx_queues[q]);
}

static const struct xstats_ops xstats_ops = {
    .port_rows = PORT_STATS_N + PRIO_STATS_N * PRIOS,
    .port_name = xstats_port_name,
    .port_value = xstats_port_value,
    .begin = xstats_begin,
    .end = xstats_end,
    .interval_ns = xstats_interval_ns,
};

int
ixgbe_xstats_get(struct rte_eth_dev *dev, struct rte_eth_xstat *xstats, unsigned int n)
{
	return xstats_get(dev, &xstats_ops, xstats, n);
}

int
ixgbe_xstats_get_by_id(struct rte_eth_dev *dev, const uint64_t *ids, uint64_t *values,
		       unsigned int n)
{
	return xstats_get_by_id(dev, &xstats_ops, ids, values, n);
}

int
ixgbe_xstats_get_names(struct rte_eth_dev *dev, struct rte_eth_xstat_name *names, unsigned int n)
{
	return xstats_get_names(dev, &xstats_ops, names, n);
}

int
ixgbe_xstats_get_names_by_id(struct rte_eth_dev *dev, const uint64_t *ids,
			     struct rte_eth_xstat_name *names, unsigned int n)
{
	return xstats_get_names_by_id(dev, &xstats_ops, ids, names, n);
}
