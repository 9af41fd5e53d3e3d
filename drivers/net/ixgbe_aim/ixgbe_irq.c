/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interrupts: vectors, masks, throttle, and the arm contract.
 *
 * Vector 0 carries link state and the other misc causes, vectors 1 and up the
 * Rx queues. Queue vectors clear their cause (EIAC) and mask themselves (EIAM)
 * when the message is sent, so that arming is one posted write of the queue's
 * own bit: no read, no lock, no other queue touched. Section 7.3.1.
 */
#include "ixgbe_aim.h"

#include <rte_interrupts.h>

/* Vector 0: a flapping link shall not take the interrupt thread. The longest interval, 1.05 ms. */
#define MISC_EITR IXGBE_EITR_INTERVAL
#define EITR_INTERVAL_MAX (IXGBE_EITR_INTERVAL >> IXGBE_EITR_INTERVAL_SHIFT)

uint32_t
ixgbe_irq_eitr(unsigned int vector)
{
	return vector < IXGBE_EITR_COUNT ? IXGBE_AT(EITR, vector)
					 : IXGBE_AT(EITR_HI, vector - IXGBE_EITR_COUNT);
}

/* Length of one unit of EITR; it follows the link's speed: section 8.2.3.5.11. */
uint32_t
ixgbe_irq_eitr_unit_ns(const struct ixgbe_port *port)
{
	return port->data->dev_link.link_speed == RTE_ETH_SPEED_NUM_100M ? IXGBE_EITR_UNIT_100M_NS
									 : IXGBE_EITR_UNIT_NS;
}

uint32_t
ixgbe_irq_interval_ns(const struct ixgbe_port *port, const struct ixgbe_rxq *rxq)
{
	unsigned int vector = __atomic_load_n(&rxq->rx.mod.vector, __ATOMIC_RELAXED);
	uint32_t eitr;

	if (vector == 0)
		return 0;
	eitr = mmio_read(&port->hw.bar, ixgbe_irq_eitr(vector));
	return ((eitr & IXGBE_EITR_INTERVAL) >> IXGBE_EITR_INTERVAL_SHIFT) *
	       ixgbe_irq_eitr_unit_ns(port);
}

/* Cause of a queue: byte 0 and 2 of IVAR(q / 2); section 8.2.3.5.16. */
static void
ivar_rx_set(struct ixgbe_hw *hw, uint16_t q, uint8_t vector)
{
	uint32_t shift = 16 * (q & 1);
	uint32_t ivar = mmio_read(&hw->bar, IXGBE_AT(IVAR, q / 2));

	ivar &= ~(UINT32_C(0xFF) << shift);
	ivar |= (uint32_t)(vector | IXGBE_IVAR_VALID) << shift;
	mmio_write(&hw->bar, IXGBE_AT(IVAR, q / 2), ivar);
}

/*
 * Bring a queue's wish to the register. When the throttle becomes shorter the
 * running count is dropped too, or the sleep that begins now would still wait
 * for the old interval; when it becomes longer the count is left alone.
 * Queues that share a vector share its EITR: the shortest wish holds, of those that armed since
 * they started; the others are not asleep on it.
 */
static void
eitr_write(struct ixgbe_port *port, struct ixgbe_rxq *rxq, unsigned int vector,
	   uint32_t interval_ns)
{
	uint32_t units = RTE_MIN(interval_ns / port->eitr_unit_ns, EITR_INTERVAL_MAX);
	uint32_t old = rxq->itr_units;
	uint32_t value;

	rxq->itr_units = (uint16_t)units;
	rxq->itr_wish = true;
	if (unlikely(port->vectors.shared)) {
		/* two queues of a vector on two cores: the later write has seen both wishes */
		rte_spinlock_lock(&port->eitr_lock);
		for (uint16_t q = 0; q < port->data->nb_rx_queues; q++) {
			const struct ixgbe_rxq *other = port->data->rx_queues[q];

			if (other->rx.mod.vector == vector && other->itr_wish)
				units = RTE_MIN(units, other->itr_units);
		}
	}
	value = units << IXGBE_EITR_INTERVAL_SHIFT;
	if (rxq->itr_units > old)
		value |= IXGBE_EITR_CNT_WDIS;
	mmio_write_relaxed(&port->hw.bar, ixgbe_irq_eitr(vector), value);
	if (unlikely(port->vectors.shared))
		rte_spinlock_unlock(&port->eitr_lock);
	rxq->rx.mod.stats.reg_writes++;
}

void
ixgbe_irq_release(struct rte_eth_dev *dev)
{
	vectors_release(dev, &ixgbe_port(dev)->vectors);
}

/* Write the vector map, the automatic clear and mask, and the first throttle. */
static void
vectors_program(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	const struct mmio *bar = &port->hw.bar;
	uint64_t queues = 0;

	for (uint32_t i = 0; i < IXGBE_IVAR_COUNT; i++)
		mmio_write(bar, IXGBE_AT(IVAR, i), 0);
	mmio_write(bar, IXGBE_IVAR_MISC, IXGBE_IVAR_VALID << IXGBE_IVAR_MISC_OTHER_SHIFT);
	mmio_write(bar, ixgbe_irq_eitr(0), MISC_EITR);

	for (uint16_t q = 0; port->vectors.on && q < dev->data->nb_rx_queues; q++) {
		struct ixgbe_rxq *rxq = dev->data->rx_queues[q];

		ivar_rx_set(&port->hw, q, rxq->rx.mod.vector);
		queues |= UINT64_C(1) << rxq->rx.mod.vector;
		rxq->itr_units = 0;
		rxq->itr_wish = false;
		mmio_write(bar, ixgbe_irq_eitr(rxq->rx.mod.vector), 0);
	}
	/* The vectors of EIAC are 1 to 15; higher ones always clear themselves: section 7.3.1.3. */
	mmio_write(bar, IXGBE_EIAC, (uint32_t)queues & IXGBE_EICR_RTX_QUEUE);
	mmio_write(bar, IXGBE_EIAM, 0);
	mmio_write(bar, IXGBE_AT(EIAM_EX, 0), (uint32_t)queues);
	mmio_write(bar, IXGBE_AT(EIAM_EX, 1), (uint32_t)(queues >> 32));
}

int
ixgbe_irq_start(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	bool multiple = rte_intr_cap_multiple(dev->intr_handle) != 0;
	uint32_t gpie;
	int rc;

	port->eitr_unit_ns = ixgbe_irq_eitr_unit_ns(port);
	port->misc_mask = 0;
	if (dev->data->dev_conf.intr_conf.lsc != 0) {
		port->misc_mask = IXGBE_EICR_LSC;
		if (port->hw.media == IXGBE_MEDIA_FIBER)
			port->misc_mask |= IXGBE_EICR_GPI_SDP1 | IXGBE_EICR_GPI_SDP2;
	}
	rc = vectors_start(dev, &port->vectors, port->misc_mask != 0, IXGBE_PORT_VECTORS - 1);
	if (rc != 0) {
		ixgbe_irq_stop(dev);
		return rc;
	}
	port->vectors.stopped_asleep = false;

	gpie = IXGBE_GPIE_EIAME | IXGBE_GPIE_OCD;
	if (multiple)
		gpie |= IXGBE_GPIE_MSIX_MODE | IXGBE_GPIE_PBA_SUPPORT;
	if (port->hw.media == IXGBE_MEDIA_FIBER) /* module plugged and pulled: SDP2 and SDP1 */
		gpie |= IXGBE_GPIE_SDP1_GPIEN | IXGBE_GPIE_SDP2_GPIEN;
	mmio_write(&port->hw.bar, IXGBE_GPIE, gpie);
	vectors_program(dev);

	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++) {
		struct ixgbe_rxq *rxq = dev->data->rx_queues[q];

		rxq->eitr_seen = port->eitr_changes;
		/* descriptors that wait for a refill are not hardware's */
		rc = moderation_start(&rxq->rx.mod, &port->devargs.mod,
				      (uint32_t)(rxq->rx.size - rxq->rx.free_thresh),
				      dev->data->dev_link.link_speed);
		if (rxq->rx.mod.vector != 0)
			moderation_tell_cut(&rxq->rx.mod.conf, &rxq->rx.mod.limits,
					    port->data->name, q);
		/* EICR has a bit for the vectors 1 to 15; a shared one is not ours to clear */
		if (rxq->rx.mod.vector == 0 || rxq->rx.mod.vector > 15 || port->vectors.shared)
			moderation_no_drop(&rxq->rx.mod);
		if (rc == -ERANGE)
			AIM_LOG(
			    WARNING,
			    "%s: queue %u: itr_min_us=%u is longer than its ring of %u descriptors "
			    "can bear at line rate; packets may be lost: make the ring larger",
			    port->data->name, q, port->devargs.mod.min_ns / 1000, rxq->rx.size);
	}
	return 0;
}

void
ixgbe_irq_stop(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);

	mmio_write(&port->hw.bar, IXGBE_EIMC, UINT32_MAX);
	mmio_write(&port->hw.bar, IXGBE_AT(EIMC_EX, 0), UINT32_MAX);
	mmio_write(&port->hw.bar, IXGBE_AT(EIMC_EX, 1), UINT32_MAX);
	vectors_stop(dev, &port->vectors);
}

void
ixgbe_irq_wake_all(struct rte_eth_dev *dev)
{
	vectors_wake_all(dev, &ixgbe_port(dev)->vectors);
}

void
ixgbe_irq_misc_enable(struct ixgbe_port *port)
{
	if (port->misc_mask != 0)
		mmio_write(&port->hw.bar, IXGBE_EIMS, port->misc_mask);
}

void
ixgbe_irq_misc_disable(struct ixgbe_port *port)
{
	if (port->misc_mask != 0)
		mmio_write(&port->hw.bar, IXGBE_EIMC, port->misc_mask);
}

void
ixgbe_irq_link(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	uint32_t unit = ixgbe_irq_eitr_unit_ns(port);

	/*
	 * The same EITR now means another time: every queue writes its own at its next arm. One
	 * that arms meanwhile and sees the change sees its unit, too.
	 */
	if (unit != port->eitr_unit_ns) {
		__atomic_store_n(&port->eitr_unit_ns, unit, __ATOMIC_RELAXED);
		__atomic_fetch_add(&port->eitr_changes, 1, __ATOMIC_RELEASE);
	}
	rxqs_link(dev);
}

void
ixgbe_irq_rxq_attend(struct ixgbe_rxq *rxq, enum moderation_todo todo, uint16_t got)
{
	const struct mmio *bar = &rxq->port->hw.bar;

	if (todo == MODERATION_MEASURE) {
		moderation_backlog(&rxq->rx.mod, got + ixgbe_rxq_backlog(rxq));
		return;
	}
	mmio_write_relaxed(bar, IXGBE_EICR, IXGBE_BIT(rxq->rx.mod.vector));
	(void)mmio_read(bar, IXGBE_STATUS); /* the write has landed, see moderation.c */
}

static void
rxq_raise(struct ixgbe_port *port, struct ixgbe_rxq *rxq, int vector)
{
	mmio_write(&port->hw.bar, IXGBE_AT(EICS_EX, vector / 32), IXGBE_BIT(vector % 32));
	rxq->rx.mod.stats.soft_raises++;
}

int
ixgbe_irq_rxq_enable(struct rte_eth_dev *dev, uint16_t q)
{
	struct ixgbe_rxq *rxq = dev->data->rx_queues[q];
	struct ixgbe_port *port = ixgbe_port(dev);
	int vector = vectors_arm(dev, &rxq->rx, &port->removed);
	uint32_t interval_ns, changes;
	bool raise;

	if (unlikely(vector < 0))
		return vector;

	interval_ns = moderation_arm(&rxq->rx.mod);
	changes = __atomic_load_n(&port->eitr_changes, __ATOMIC_ACQUIRE);
	if (interval_ns != rxq->rx.mod.interval_ns || unlikely(rxq->eitr_seen != changes)) {
		rxq->eitr_seen = changes;
		rxq->rx.mod.interval_ns = interval_ns;
		eitr_write(port, rxq, (unsigned int)vector, interval_ns);
	}
	/*
	 * A packet that waits has its cause pending, or had it cleared with an earlier message;
	 * which one cannot be known without a read. So its cause is set, before it is unmasked:
	 * both are then one bit and one message, where a bit that is set behind the message of the
	 * other would wake the next sleep for nothing. A packet that comes after this look leaves
	 * its cause pending until the unmasking, section 7.3.1; only a message takes it earlier,
	 * and that wakes.
	 */
	raise = ixgbe_rxq_pending(rxq);
	if (raise)
		rxq_raise(port, rxq, vector);
	mmio_write(&port->hw.bar, IXGBE_AT(EIMS_EX, vector / 32), IXGBE_BIT(vector % 32));
	/* Such a message of a shared vector another core may have taken. */
	if (unlikely(port->vectors.shared) && !raise && ixgbe_rxq_pending(rxq))
		rxq_raise(port, rxq, vector);
	return 0;
}

int
ixgbe_irq_rxq_disable(struct rte_eth_dev *dev, uint16_t q)
{
	struct ixgbe_rxq *rxq = dev->data->rx_queues[q];
	struct ixgbe_port *port = ixgbe_port(dev);
	int vector = vectors_disarm(dev, &rxq->rx, &port->removed);

	if (unlikely(vector <= 0))
		return vector;
	/* A shared vector stays as it is: another core may sleep on it. It masks itself anyway. */
	if (likely(!port->vectors.shared))
		mmio_write(&port->hw.bar, IXGBE_AT(EIMC_EX, vector / 32), IXGBE_BIT(vector % 32));
	return 0;
}
