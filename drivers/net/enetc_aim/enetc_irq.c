/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interrupts: a ring counts its frames and times the first of them (RBICR0, RBICR1); at either
 * threshold its detect bit is set, and while the ring is enabled (RBIER) the bit's setting sends
 * the message. Writing a one to the ring's bit of SIRXIDR clears it, with the count and the time:
 * until then neither starts anew (so NXP on i.MX95, in DPDK's enetc4_hw.h; Linux writes it for each
 * frame that it takes, and its published interrupt rates are those of a timer that polled frames
 * stop).
 *
 * Arming writes that bit, so that nothing wakes for packets that were polled, and then reads: the
 * write has landed, and what it made the NIC forget is in the ring to be seen. A packet that waits
 * there was forgotten, too; for it the event descriptor is raised by software. One that comes later
 * is counted and timed. Nothing here depends on what the NIC does with frames that wait while the
 * bit is cleared.
 *
 * No register of another queue is touched but SIRXIDR, whose other bits are written as zeros, so
 * queues are armed from several cores without a lock.
 */
#include "enetc_aim.h"

#include <rte_interrupts.h>

/* A link that is not known is as fast as it can be. */
#define LINK_MBPS_MOST RTE_ETH_SPEED_NUM_1G
/* Queues of a port have eight vectors at most. */
#define VECTORS_MOST ENETC_SI_RINGS

/* Time threshold: one cycle at least, as none would never be over. */
static uint32_t
cycles_of(uint32_t interval_ns)
{
	uint32_t cycles = (uint32_t)((uint64_t)interval_ns * ENETC_CLOCK_MHZ / 1000);

	return cycles == 0 ? 1 : cycles;
}

uint32_t
enetc_irq_interval_ns(struct rte_eth_dev *dev, uint16_t q)
{
	const struct mmio *bar = &enetc_port(dev)->hw.bar;
	const struct enetc_rxq *rxq = dev->data->rx_queues[q];
	uint32_t cycles;

	if (__atomic_load_n(&rxq->rx.mod.vector, __ATOMIC_RELAXED) == 0 ||
	    (mmio_read(bar, ENETC_AT(RBICR0, q)) & ENETC_RBICR0_ICPT) <= 1)
		return 0;
	cycles = mmio_read(bar, ENETC_AT(RBICR1, q));
	return cycles <= 1 ? 0 : (uint32_t)((uint64_t)cycles * 1000 / ENETC_CLOCK_MHZ);
}

/*
 * Both thresholds anew, of a ring that does not interrupt: the coalescer is off in between, and
 * forgets what waits; arming looks at the ring afterwards.
 */
static void
thresholds_write(struct enetc_rxq *rxq, uint32_t packets, uint32_t cycles)
{
	const struct mmio *bar = &rxq->port->hw.bar;
	uint16_t q = rxq->rx.queue_id;

	mmio_write_relaxed(bar, ENETC_AT(RBICR0, q), 0);
	mmio_write_relaxed(bar, ENETC_AT(RBICR1, q), cycles);
	mmio_write_relaxed(bar, ENETC_AT(RBICR0, q), ENETC_BICR0_ICEN | packets);
	rxq->icpt = (uint16_t)packets;
	rxq->cycles = cycles;
	rxq->rx.mod.stats.reg_writes++;
}

/* An interval that was decided, and the packets that may wait meanwhile, to the registers. */
static void
throttle_set(struct enetc_rxq *rxq, uint32_t interval_ns)
{
	uint32_t packets = moderation_packets(&rxq->rx.mod, interval_ns, ENETC_RBICR0_ICPT);
	uint32_t cycles = cycles_of(interval_ns);

	rxq->rx.mod.interval_ns = interval_ns;
	if (unlikely(packets != rxq->icpt)) {
		thresholds_write(rxq, packets, cycles);
	} else if (cycles != rxq->cycles) {
		/* the time alone may change while the ring runs: Linux does so */
		rxq->cycles = cycles;
		mmio_write_relaxed(&rxq->port->hw.bar, ENETC_AT(RBICR1, rxq->rx.queue_id), cycles);
		rxq->rx.mod.stats.reg_writes++;
	}
}

int
enetc_irq_start(struct rte_eth_dev *dev)
{
	struct enetc_port *port = enetc_port(dev);
	const struct mmio *bar = &port->hw.bar;
	uint32_t mbps = dev->data->dev_link.link_speed;
	int rc;

	if (mbps == RTE_ETH_SPEED_NUM_NONE || mbps == RTE_ETH_SPEED_NUM_UNKNOWN)
		mbps = LINK_MBPS_MOST;
	/* the link has no interrupt: see enetc_link.c */
	rc = vectors_start(dev, &port->vectors, false, VECTORS_MOST);
	if (rc != 0) {
		enetc_irq_stop(dev);
		return rc;
	}
	port->vectors.stopped_asleep = false;
	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++) {
		struct enetc_rxq *rxq = dev->data->rx_queues[q];
		uint64_t writes = rxq->rx.mod.stats.reg_writes;

		moderation_counts(&rxq->rx.mod);
		/* descriptors that wait for a refill are not hardware's */
		(void)moderation_start(&rxq->rx.mod, &port->devargs.mod,
				       (uint32_t)(rxq->rx.size - rxq->rx.free_thresh), mbps);
		moderation_no_drop(&rxq->rx.mod); /* each arm drops what is stale */
		mmio_write(bar, ENETC_AT(SIMSIRRV, q), rxq->rx.mod.vector);
		thresholds_write(rxq,
				 moderation_packets(&rxq->rx.mod, rxq->rx.mod.conf.config.fixed_ns,
						    ENETC_RBICR0_ICPT),
				 cycles_of(0));
		rxq->rx.mod.stats.reg_writes = writes; /* a start is no decision */
	}
	return 0;
}

void
enetc_irq_stop(struct rte_eth_dev *dev)
{
	struct enetc_port *port = enetc_port(dev);

	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++)
		mmio_write(&port->hw.bar, ENETC_AT(RBIER, q), 0);
	vectors_stop(dev, &port->vectors);
}

void
enetc_irq_release(struct rte_eth_dev *dev)
{
	vectors_release(dev, &enetc_port(dev)->vectors);
}

void
enetc_irq_wake_all(struct rte_eth_dev *dev)
{
	vectors_wake_all(dev, &enetc_port(dev)->vectors);
}

void
enetc_irq_rxq_attend(struct enetc_rxq *rxq, enum moderation_todo todo, uint16_t got)
{
	if (todo == MODERATION_MEASURE)
		moderation_backlog(&rxq->rx.mod, got + enetc_rxq_backlog(rxq));
}

int
enetc_irq_rxq_enable(struct rte_eth_dev *dev, uint16_t q)
{
	struct enetc_rxq *rxq = dev->data->rx_queues[q];
	struct enetc_port *port = enetc_port(dev);
	const struct mmio *bar = &port->hw.bar;
	int vector = vectors_arm(dev, &rxq->rx, &port->removed);

	if (unlikely(vector < 0))
		return vector;
	throttle_set(rxq, moderation_arm(&rxq->rx.mod));
	mmio_write(bar, ENETC_SIRXIDR, ENETC_BIT(q));
	(void)mmio_read(bar, ENETC_SIRXIDR);
	mmio_write(bar, ENETC_AT(RBIER, q), ENETC_BIER_THRESHOLD);
	if (unlikely(enetc_rxq_starved(rxq)) || unlikely(enetc_rxq_pending(rxq))) {
		vectors_raise(dev, (unsigned int)vector);
		rxq->rx.mod.stats.soft_raises++;
	}
	return 0;
}

int
enetc_irq_rxq_disable(struct rte_eth_dev *dev, uint16_t q)
{
	struct enetc_rxq *rxq = dev->data->rx_queues[q];
	struct enetc_port *port = enetc_port(dev);
	int vector = vectors_disarm(dev, &rxq->rx, &port->removed);

	if (unlikely(vector <= 0))
		return vector;
	mmio_write(&port->hw.bar, ENETC_AT(RBIER, q), 0);
	return 0;
}
