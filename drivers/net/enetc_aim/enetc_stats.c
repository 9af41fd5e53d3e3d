/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics: every counter of MAC, port and station interface by table. They are never cleared, as
 * others may read them too: a reset remembers where they stood. Of packets and bytes the queues
 * keep their own counts; hardware has none.
 */
#include <string.h>

#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_spinlock.h>

#include "../../common/regdump.h"
#include "../../common/xstats.h"
#include "enetc_aim.h"

/* X(name, register); 64 bits, the low half first; of port and MAC */
#define WIDE_STATS(X) \
	X("rx_total_bytes", PM0_REOCT) \
	X("rx_alignment_errors", PM0_RALN) \
	X("rx_pause_packets", PM0_RXPF) \
	X("rx_mac_good_packets", PM0_RFRM) \
	X("rx_crc_errors", PM0_RFCS) \
	X("rx_vlan_packets", PM0_RVLAN) \
	X("rx_mac_errors", PM0_RERR) \
	X("rx_unicast_packets", PM0_RUCA) \
	X("rx_multicast_packets", PM0_RMCA) \
	X("rx_broadcast_packets", PM0_RBCA) \
	X("rx_mac_dropped", PM0_RDRP) \
	X("rx_total_packets", PM0_RPKT) \
	X("rx_undersize_errors", PM0_RUND) \
	X("rx_size_64_packets", PM0_R64) \
	X("rx_size_65_to_127_packets", PM0_R127) \
	X("rx_size_128_to_255_packets", PM0_R255) \
	X("rx_size_256_to_511_packets", PM0_R511) \
	X("rx_size_512_to_1023_packets", PM0_R1023) \
	X("rx_size_1024_to_1522_packets", PM0_R1522) \
	X("rx_size_1523_to_max_packets", PM0_R1523X) \
	X("rx_oversize_errors", PM0_ROVR) \
	X("rx_jabber_errors", PM0_RJBR) \
	X("rx_fragment_errors", PM0_RFRG) \
	X("rx_control_packets", PM0_RCNP) \
	X("rx_mac_dropped_whole", PM0_RDRNTP) \
	X("tx_total_bytes", PM0_TEOCT) \
	X("tx_octets", PM0_TOCT) \
	X("tx_carrier_errors", PM0_TCRSE) \
	X("tx_pause_packets", PM0_TXPF) \
	X("tx_mac_good_packets", PM0_TFRM) \
	X("tx_crc_errors", PM0_TFCS) \
	X("tx_vlan_packets", PM0_TVLAN) \
	X("tx_mac_errors", PM0_TERR) \
	X("tx_unicast_packets", PM0_TUCA) \
	X("tx_multicast_packets", PM0_TMCA) \
	X("tx_broadcast_packets", PM0_TBCA) \
	X("tx_total_packets", PM0_TPKT) \
	X("tx_undersize_errors", PM0_TUND) \
	X("tx_size_64_packets", PM0_T64) \
	X("tx_size_65_to_127_packets", PM0_T127) \
	X("tx_size_128_to_255_packets", PM0_T255) \
	X("tx_size_256_to_511_packets", PM0_T511) \
	X("tx_size_512_to_1023_packets", PM0_T1023) \
	X("tx_size_1024_to_1522_packets", PM0_T1522) \
	X("tx_size_1523_to_max_packets", PM0_T1523X) \
	X("tx_control_packets", PM0_TCNP) \
	X("tx_deferred_packets", PM0_TDFR) \
	X("tx_multiple_collisions", PM0_TMCOL) \
	X("tx_single_collisions", PM0_TSCOL) \
	X("tx_late_collisions", PM0_TLCOL) \
	X("tx_excessive_collisions", PM0_TECOL)

/* X(name, register); 32 bits */
#define NARROW_STATS(X) \
	X("rx_ingress_dropped_dr0", ENETC_AT(PICDR, 0)) \
	X("rx_ingress_dropped_dr1", ENETC_AT(PICDR, 1)) \
	X("rx_ingress_dropped_dr2", ENETC_AT(PICDR, 2)) \
	X("rx_ingress_dropped_dr3", ENETC_AT(PICDR, 3)) \
	X("rx_broadcast_dropped_si", ENETC_PBFDSIR) \
	X("rx_source_pruned_packets", ENETC_PFDMSAPR) \
	X("rx_unicast_filtered_packets", ENETC_UFDMF) \
	X("rx_multicast_filtered_packets", ENETC_MFDMF) \
	X("rx_unicast_vlan_filtered_packets", ENETC_PUFDVFR) \
	X("rx_multicast_vlan_filtered_packets", ENETC_PMFDVFR) \
	X("rx_broadcast_vlan_filtered_packets", ENETC_PBFDVFR)

/* The same of the station interface, which every function has */
#define SI_WIDE_STATS(X) \
	X("rx_si_bytes", SIROCT) \
	X("rx_si_packets", SIRFRM) \
	X("rx_si_unicast_packets", SIRUCA) \
	X("rx_si_multicast_packets", SIRMCA) \
	X("tx_si_bytes", SITOCT) \
	X("tx_si_packets", SITFRM) \
	X("tx_si_unicast_packets", SITUCA) \
	X("tx_si_multicast_packets", SITMCA)

#define SI_NARROW_STATS(X) \
	X("rx_q0_dropped", ENETC_AT(RBDCR, 0)) \
	X("rx_q1_dropped", ENETC_AT(RBDCR, 1)) \
	X("rx_q2_dropped", ENETC_AT(RBDCR, 2)) \
	X("rx_q3_dropped", ENETC_AT(RBDCR, 3)) \
	X("rx_q4_dropped", ENETC_AT(RBDCR, 4)) \
	X("rx_q5_dropped", ENETC_AT(RBDCR, 5)) \
	X("rx_q6_dropped", ENETC_AT(RBDCR, 6)) \
	X("rx_q7_dropped", ENETC_AT(RBDCR, 7))

static const struct {
	const char *name;
	uint32_t offset;
	bool wide;
} rows[] = {
#define WIDE_ROW(name, reg) {name, ENETC_##reg, true},
    WIDE_STATS(WIDE_ROW)
#define NARROW_ROW(name, at) {name, at, false},
	NARROW_STATS(NARROW_ROW)
#define COUNT_ROW(name, at) +1
	    SI_WIDE_STATS(WIDE_ROW) SI_NARROW_STATS(NARROW_ROW)
#undef WIDE_ROW
#undef NARROW_ROW
};
#define ROWS RTE_DIM(rows)
#define RING_DROPS (ROWS - ENETC_SI_RINGS) /* the last rows */
#define PORT_ROWS (0 WIDE_STATS(COUNT_ROW) NARROW_STATS(COUNT_ROW))

struct enetc_stats {
	rte_spinlock_t lock;
	uint64_t now[ROWS];  /* since the reset */
	uint64_t last[ROWS]; /* as read last: 32 bits may wrap between two looks */
	/* A queue's counts belong to the thread that polls it: where they stood. */
	struct {
		uint64_t packets, bytes, bad_length;
	} rx_base[ENETC_SI_RINGS];
	struct {
		uint64_t packets, bytes;
	} tx_base[ENETC_SI_RINGS];
};

/* The halves of a counter that runs: the high one twice, until nothing was carried in between. */
static uint64_t
wide_read(const struct mmio *bar, uint32_t offset)
{
	uint32_t high, low, again = mmio_read(bar, offset + 4);
	unsigned int tries = 0;

	do {
		high = again;
		low = mmio_read(bar, offset);
		again = mmio_read(bar, offset + 4);
	} while (high != again && ++tries < 3);
	return (uint64_t)high << 32 | low;
}

/* Which rows a function has: those of the port, if it is its own, and of its rings. */
static unsigned int
rows_from(const struct enetc_port *port)
{
	return enetc_kind(&port->hw)->port ? 0 : PORT_ROWS;
}

static unsigned int
rows_until(const struct enetc_port *port)
{
	return RING_DROPS + port->hw.rings;
}

/* What the hardware counted since the last look. The lock is held. */
static void
collect(struct enetc_port *port)
{
	struct enetc_stats *st = port->stats;

	if (!enetc_hw_present(&port->hw))
		return;
	for (unsigned int i = rows_from(port); i < rows_until(port); i++) {
		uint64_t value = rows[i].wide ? wide_read(&port->hw.bar, rows[i].offset)
					      : mmio_read(&port->hw.bar, rows[i].offset);

		if (rows[i].wide)
			st->now[i] += value - st->last[i];
		else
			st->now[i] += (uint32_t)(value - st->last[i]);
		st->last[i] = value;
	}
}

int
enetc_stats_init(struct enetc_port *port)
{
	port->stats = rte_zmalloc("aim_stats", sizeof(*port->stats), RTE_CACHE_LINE_SIZE);
	if (port->stats == NULL)
		return -ENOMEM;
	rte_spinlock_init(&port->stats->lock);
	collect(port);
	memset(port->stats->now, 0, sizeof(port->stats->now));
	return 0;
}

void
enetc_stats_fini(struct enetc_port *port)
{
	rte_free(port->stats);
	port->stats = NULL;
}

static uint64_t
row_value(const struct enetc_stats *st, uint32_t offset)
{
	for (unsigned int i = 0; i < ROWS; i++)
		if (rows[i].offset == offset)
			return st->now[i];
	return 0;
}

int
enetc_stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *stats, compat_queue_stats *queues)
{
	struct enetc_port *port = enetc_port(dev);
	struct enetc_stats *st = port->stats;

	rte_spinlock_lock(&st->lock);
	collect(port);
	for (uint16_t q = 0; q < dev->data->nb_rx_queues && q < ENETC_SI_RINGS; q++) {
		const struct enetc_rxq *rxq = dev->data->rx_queues[q];
		uint64_t drops = st->now[RING_DROPS + q], packets, bytes;

		stats->imissed += drops;
		if (rxq == NULL)
			continue;
		packets = rxq->packets - st->rx_base[q].packets;
		bytes = rxq->bytes - st->rx_base[q].bytes;
		stats->ipackets += packets;
		stats->ibytes += bytes;
		stats->ierrors += rxq_bad_length(&rxq->rx);
		if (queues == NULL || q >= RTE_ETHDEV_QUEUE_STAT_CNTRS)
			continue;
		queues->q_ipackets[q] = packets;
		queues->q_ibytes[q] = bytes;
		queues->q_errors[q] = drops;
	}
	for (uint16_t q = 0; q < dev->data->nb_tx_queues && q < ENETC_SI_RINGS; q++) {
		const struct enetc_txq *txq = dev->data->tx_queues[q];
		uint64_t packets, bytes;

		if (txq == NULL)
			continue;
		packets = txq->packets - st->tx_base[q].packets;
		bytes = txq->bytes - st->tx_base[q].bytes;
		stats->opackets += packets;
		stats->obytes += bytes;
		if (queues == NULL || q >= RTE_ETHDEV_QUEUE_STAT_CNTRS)
			continue;
		queues->q_opackets[q] = packets;
		queues->q_obytes[q] = bytes;
	}
	stats->imissed += row_value(st, ENETC_PM0_RDRP);
	stats->ierrors += row_value(st, ENETC_PM0_RERR);
	stats->oerrors += row_value(st, ENETC_PM0_TERR);
	rte_spinlock_unlock(&st->lock);
	return 0;
}

int
enetc_stats_reset(struct rte_eth_dev *dev)
{
	struct enetc_port *port = enetc_port(dev);
	struct enetc_stats *st = port->stats;

	rte_spinlock_lock(&st->lock);
	collect(port);
	memset(st->now, 0, sizeof(st->now));
	for (uint16_t q = 0; q < dev->data->nb_rx_queues && q < ENETC_SI_RINGS; q++) {
		struct enetc_rxq *rxq = dev->data->rx_queues[q];

		if (rxq == NULL)
			continue;
		rxq_stats_reset(&rxq->rx);
		st->rx_base[q].packets = rxq->packets;
		st->rx_base[q].bytes = rxq->bytes;
	}
	for (uint16_t q = 0; q < dev->data->nb_tx_queues && q < ENETC_SI_RINGS; q++) {
		const struct enetc_txq *txq = dev->data->tx_queues[q];

		if (txq == NULL)
			continue;
		st->tx_base[q].packets = txq->packets;
		st->tx_base[q].bytes = txq->bytes;
	}
	rte_spinlock_unlock(&st->lock);
	return 0;
}

void
enetc_stats_rxq_reset(struct enetc_port *port, uint16_t q)
{
	rte_spinlock_lock(&port->stats->lock);
	if (q < ENETC_SI_RINGS)
		memset(&port->stats->rx_base[q], 0, sizeof(port->stats->rx_base[q]));
	rte_spinlock_unlock(&port->stats->lock);
}

void
enetc_stats_txq_reset(struct enetc_port *port, uint16_t q)
{
	rte_spinlock_lock(&port->stats->lock);
	if (q < ENETC_SI_RINGS)
		memset(&port->stats->tx_base[q], 0, sizeof(port->stats->tx_base[q]));
	rte_spinlock_unlock(&port->stats->lock);
}

/* ---- xstats ---- */

static void
xstats_port_name(unsigned int i, char *name, size_t size)
{
	snprintf(name, size, "%s", rows[i].name);
}

static void
xstats_si_name(unsigned int i, char *name, size_t size)
{
	xstats_port_name(PORT_ROWS + i, name, size);
}

static uint64_t
xstats_port_value(struct rte_eth_dev *dev, unsigned int i)
{
	const struct enetc_port *port = enetc_port(dev);

	return port->stats->now[rows_from(port) + i];
}

static void
xstats_begin(struct rte_eth_dev *dev)
{
	rte_spinlock_lock(&enetc_port(dev)->stats->lock);
	collect(enetc_port(dev));
}

static void
xstats_end(struct rte_eth_dev *dev)
{
	rte_spinlock_unlock(&enetc_port(dev)->stats->lock);
}

#define XSTATS_OPS(n, name) \
	{ \
		.port_rows = (n), .port_name = (name), .port_value = xstats_port_value, \
		.begin = xstats_begin, .end = xstats_end, .interval_ns = enetc_irq_interval_ns, \
	}

/* Of a function with a port, and of one without. */
static const struct xstats_ops *
xstats_ops(const struct rte_eth_dev *dev)
{
	static const struct xstats_ops port_ops = XSTATS_OPS(ROWS, xstats_port_name);
	static const struct xstats_ops si_ops = XSTATS_OPS(ROWS - PORT_ROWS, xstats_si_name);

	return enetc_kind(&enetc_port(dev)->hw)->port ? &port_ops : &si_ops;
}

int
enetc_xstats_get(struct rte_eth_dev *dev, struct rte_eth_xstat *xstats, unsigned int n)
{
	return xstats_get(dev, xstats_ops(dev), xstats, n);
}

int
enetc_xstats_get_by_id(struct rte_eth_dev *dev, const uint64_t *ids, uint64_t *values,
		       unsigned int n)
{
	return xstats_get_by_id(dev, xstats_ops(dev), ids, values, n);
}

int
enetc_xstats_get_names(struct rte_eth_dev *dev, struct rte_eth_xstat_name *names, unsigned int n)
{
	return xstats_get_names(dev, xstats_ops(dev), names, n);
}

int
enetc_xstats_get_names_by_id(struct rte_eth_dev *dev, const uint64_t *ids,
			     struct rte_eth_xstat_name *names, unsigned int n)
{
	return xstats_get_names_by_id(dev, xstats_ops(dev), ids, names, n);
}

/* ---- Registers ---- */

static const struct regdump_row dump_rows[] = {ENETC_REGS(REGDUMP_ROW)};
static const struct regdump_row dump_vf_rows[] = {ENETC_VF_REGS(REGDUMP_ROW)};

static bool
dump_shown(const void *arg, uint32_t offset)
{
	(void)arg, (void)offset;
	return true;
}

int
enetc_get_regs(struct rte_eth_dev *dev, struct rte_dev_reg_info *regs)
{
	const struct enetc_hw *hw = &enetc_port(dev)->hw;
	bool port = enetc_kind(hw)->port;
	const struct regdump dump = {
	    .rows = port ? dump_rows : dump_vf_rows,
	    .count = port ? RTE_DIM(dump_rows) : RTE_DIM(dump_vf_rows),
	    .shown = dump_shown,
	};

	regs->version = hw->revision;
	return regdump_get(&dump, &hw->bar, regs);
}
