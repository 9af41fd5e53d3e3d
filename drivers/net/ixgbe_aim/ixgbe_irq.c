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

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <rte_interrupts.h>

/* Vector 0: a flapping link shall not take the interrupt thread. The longest interval, 1.05 ms. */
#define MISC_EITR IXGBE_EITR_INTERVAL
#define EITR_INTERVAL_MAX (IXGBE_EITR_INTERVAL >> IXGBE_EITR_INTERVAL_SHIFT)

#define SLEEPER_TRIES 100
#define SLEEPER_POLL_US 1000

static struct rte_intr_handle *
intr_handle(const struct rte_eth_dev *dev)
{
	return dev->intr_handle;
}

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
	unsigned int vector = __atomic_load_n(&rxq->vector, __ATOMIC_RELAXED);
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
 * Queues that share a vector share its EITR: the shortest wish holds.
 */
static void
eitr_write(struct ixgbe_port *port, struct ixgbe_rxq *rxq, unsigned int vector,
	   uint32_t interval_ns)
{
	uint32_t units = RTE_MIN(interval_ns / port->eitr_unit_ns, EITR_INTERVAL_MAX);
	uint32_t old = rxq->itr_units;
	uint32_t value;

	rxq->itr_units = (uint16_t)units;
	if (unlikely(port->vectors_shared)) {
		/* two queues of a vector on two cores: the later write has seen both wishes */
		rte_spinlock_lock(&port->eitr_lock);
		for (uint16_t q = 0; q < port->data->nb_rx_queues; q++) {
			const struct ixgbe_rxq *other = port->data->rx_queues[q];

			if (other->vector == vector)
				units = RTE_MIN(units, other->itr_units);
		}
	}
	value = units << IXGBE_EITR_INTERVAL_SHIFT;
	if (rxq->itr_units > old)
		value |= IXGBE_EITR_CNT_WDIS;
	mmio_write_relaxed(&port->hw.bar, ixgbe_irq_eitr(vector), value);
	if (unlikely(port->vectors_shared))
		rte_spinlock_unlock(&port->eitr_lock);
	rxq->mod.stats.reg_writes++;
}

/* Is a queue armed that nobody has polled or disabled since? */
static bool
sleepers_any(const struct rte_eth_dev *dev)
{
	bool asleep = false;

	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++) {
		const struct ixgbe_rxq *rxq = dev->data->rx_queues[q];

		asleep |= rxq != NULL && moderation_asleep(&rxq->mod);
	}
	return asleep;
}

/*
 * Who slept when the port stopped was woken by a write to the event descriptor; with the
 * descriptor's end, or that of its registration, the wake would be gone. So the sleeper has a
 * moment to take it.
 */
static void
sleepers_wait(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	bool asleep = port->stopped_asleep || sleepers_any(dev);

	for (int tries = 0; asleep && tries < SLEEPER_TRIES; tries++) {
		asleep = false;
		for (int i = 0; i < port->rx_vectors; i++) {
			struct pollfd fd = {.fd = rte_intr_efds_index_get(intr_handle(dev), i),
					    .events = POLLIN};

			asleep |= poll(&fd, 1, 0) == 1;
		}
		if (asleep)
			usleep(SLEEPER_POLL_US);
	}
}

/*
 * n event descriptors; those of before the stop if they are as many, so that an epoll set of the
 * application's own that holds them goes on. What was added by rte_eth_dev_rx_intr_ctl_q() is taken
 * out: as with other drivers it is added anew after a start.
 */
static int
descriptors_get(struct rte_eth_dev *dev, uint16_t n)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	struct rte_intr_handle *handle = intr_handle(dev);
	uint64_t count;
	int rc;

	if (port->rx_vectors == n) {
		sleepers_wait(dev);
		rte_intr_free_epoll_fd(handle);
		rte_intr_vec_list_free(handle);
		/* nobody slept: the wakes of the stop are nobody's */
		for (int i = 0; !port->stopped_asleep && i < n; i++)
			if (read(rte_intr_efds_index_get(handle, i), &count, sizeof(count)) < 0 &&
			    errno != EAGAIN)
				return -errno;
		return 0;
	}
	ixgbe_irq_release(dev);
	rc = rte_intr_efd_enable(handle, n);
	if (rc != 0) {
		AIM_LOG(ERR, "%s: no event descriptors for %u Rx interrupts: %s; raise ulimit -n",
			port->data->name, n, rte_strerror(-rc));
		return rc;
	}
	port->rx_vectors = (uint8_t)n;
	return 0;
}

void
ixgbe_irq_release(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);

	if (port->rx_vectors == 0)
		return;
	sleepers_wait(dev);
	rte_intr_efd_disable(intr_handle(dev));
	rte_intr_vec_list_free(intr_handle(dev));
	port->rx_vectors = 0;
}

/* Give each Rx queue a vector, round robin over those there are. */
static int
vectors_assign(struct rte_eth_dev *dev, uint16_t most)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	struct rte_intr_handle *handle = intr_handle(dev);
	uint16_t n = dev->data->nb_rx_queues;
	int rc;

	rc = descriptors_get(dev, RTE_MIN(n, most));
	if (rc != 0)
		return rc;
	port->vectors_shared = n > port->rx_vectors;
	if (rte_intr_vec_list_alloc(handle, "aim_intr_vec", n) != 0) {
		ixgbe_irq_release(dev);
		return -ENOMEM;
	}
	for (uint16_t q = 0; q < n; q++) {
		struct ixgbe_rxq *rxq = dev->data->rx_queues[q];

		rxq->vector = (uint8_t)(RTE_INTR_VEC_RXTX_OFFSET + q % port->rx_vectors);
		rte_intr_vec_list_index_set(handle, q, rxq->vector);
	}
	return 0;
}

/*
 * Vectors for queues and link, and EAL's map of them to event descriptors; nothing fires yet. Where
 * VFIO does not give one to each queue, half as many are asked for, down to one for all.
 */
static int
vectors_get(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	struct rte_intr_handle *handle = intr_handle(dev);
	uint16_t most = IXGBE_PORT_VECTORS - 1;
	int rc;

	if (!port->rxq_intr && port->misc_mask == 0)
		return 0;
	for (;; most = port->rx_vectors / 2) {
		rc = port->rxq_intr ? vectors_assign(dev, most) : 0;
		if (rc != 0)
			return rc;
		rte_intr_disable(handle);
		rc = rte_intr_enable(handle);
		if (rc == 0 || !port->rxq_intr || port->rx_vectors == 1)
			break;
	}
	if (rc != 0) {
		AIM_LOG(
		    ERR,
		    "%s: interrupts cannot be enabled: is the device bound to vfio-pci, and has "
		    "the machine vectors left?",
		    port->data->name);
		return rc < 0 ? -EIO : rc;
	}
	if (port->vectors_shared)
		AIM_LOG(INFO, "%s: %u Rx queues share %u interrupt vectors", port->data->name,
			dev->data->nb_rx_queues, port->rx_vectors);
	return 0;
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

	for (uint16_t q = 0; port->rxq_intr && q < dev->data->nb_rx_queues; q++) {
		struct ixgbe_rxq *rxq = dev->data->rx_queues[q];

		ivar_rx_set(&port->hw, q, rxq->vector);
		queues |= UINT64_C(1) << rxq->vector;
		rxq->itr_units = 0;
		mmio_write(bar, ixgbe_irq_eitr(rxq->vector), 0);
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
	struct rte_intr_handle *handle = intr_handle(dev);
	bool multiple = rte_intr_cap_multiple(handle) != 0;
	uint32_t gpie;
	int rc;

	port->rxq_intr = dev->data->dev_conf.intr_conf.rxq != 0;
	port->vectors_shared = false;
	port->eitr_unit_ns = ixgbe_irq_eitr_unit_ns(port);
	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++)
		((struct ixgbe_rxq *)dev->data->rx_queues[q])->vector = 0;
	if (port->rxq_intr && !multiple) {
		AIM_LOG(
		    ERR,
		    "%s: Rx interrupts need a vector a queue, which its kernel driver does not give: "
		    "bind it to vfio-pci",
		    port->data->name);
		return -ENOTSUP;
	}
	port->misc_mask = 0;
	if (dev->data->dev_conf.intr_conf.lsc != 0) {
		port->misc_mask = IXGBE_EICR_LSC;
		if (port->hw.media == IXGBE_MEDIA_FIBER)
			port->misc_mask |= IXGBE_EICR_GPI_SDP1 | IXGBE_EICR_GPI_SDP2;
	}
	if (!port->rxq_intr)
		ixgbe_irq_release(dev);
	rc = vectors_get(dev);
	if (rc != 0) {
		ixgbe_irq_stop(dev);
		return rc;
	}
	port->stopped_asleep = false;

	gpie = IXGBE_GPIE_EIAME | IXGBE_GPIE_OCD;
	if (multiple)
		gpie |= IXGBE_GPIE_MSIX_MODE | IXGBE_GPIE_PBA_SUPPORT;
	if (port->hw.media == IXGBE_MEDIA_FIBER) /* module plugged and pulled: SDP2 and SDP1 */
		gpie |= IXGBE_GPIE_SDP1_GPIEN | IXGBE_GPIE_SDP2_GPIEN;
	mmio_write(&port->hw.bar, IXGBE_GPIE, gpie);
	vectors_program(dev);

	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++) {
		struct ixgbe_rxq *rxq = dev->data->rx_queues[q];

		rxq->refused = false;
		rxq->eitr_seen = port->eitr_changes;
		/* descriptors that wait for a refill are not hardware's */
		rc = moderation_start(&rxq->mod, &port->devargs.mod,
				      (uint32_t)(rxq->size - rxq->free_thresh),
				      dev->data->dev_link.link_speed);
		/* EICR has a bit for the vectors 1 to 15; a shared one is not ours to clear */
		if (rxq->vector == 0 || rxq->vector > 15 || port->vectors_shared)
			moderation_no_drop(&rxq->mod);
		if (rc == -ERANGE)
			AIM_LOG(
			    WARNING,
			    "%s: queue %u: itr_min_us=%u is longer than its ring of %u descriptors "
			    "can bear at line rate; packets may be lost: make the ring larger",
			    port->data->name, q, port->devargs.mod.min_ns / 1000, rxq->size);
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
	port->stopped_asleep |= port->rxq_intr && sleepers_any(dev);
	ixgbe_irq_wake_all(dev);
	port->rxq_intr = false;
}

void
ixgbe_irq_wake_all(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	const uint64_t one = 1;

	/* first no arm, then the wake: who armed in between finds the wake */
	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++) {
		struct ixgbe_rxq *rxq = dev->data->rx_queues[q];

		__atomic_store_n(&rxq->vector, 0, __ATOMIC_SEQ_CST);
	}
	for (int i = 0; port->rxq_intr && i < port->rx_vectors; i++) {
		int fd = rte_intr_efds_index_get(intr_handle(dev), i);

		if (fd >= 0 && write(fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
			AIM_LOG(ERR, "%s: a sleeper was not woken: %s", port->data->name,
				strerror(errno));
	}
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

	/* The same EITR now means another time: every queue writes its own at its next arm. */
	if (unit != port->eitr_unit_ns) {
		port->eitr_unit_ns = unit;
		port->eitr_changes++;
	}
	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++) {
		struct ixgbe_rxq *rxq = dev->data->rx_queues[q];

		if (rxq != NULL)
			moderation_link(&rxq->mod, dev->data->dev_link.link_speed);
	}
}

void
ixgbe_irq_rxq_attend(struct ixgbe_rxq *rxq, enum moderation_todo todo, uint16_t got)
{
	const struct mmio *bar = &rxq->port->hw.bar;

	if (todo == MODERATION_MEASURE) {
		moderation_backlog(&rxq->mod, got + ixgbe_rxq_backlog(rxq));
		return;
	}
	mmio_write_relaxed(bar, IXGBE_EICR, IXGBE_BIT(rxq->vector));
	(void)mmio_read(bar, IXGBE_STATUS); /* the write has landed, see moderation.c */
}

/*
 * The vector of a queue that can be armed, or a negative errno. Another core may stop the port
 * meanwhile, so the vector is read once. One log line until the next start: an application that
 * goes on arming a stopped port does so many times a second.
 */
static int
rxq_vector(struct rte_eth_dev *dev, uint16_t q)
{
	struct ixgbe_rxq *rxq = dev->data->rx_queues[q];
	int vector = __atomic_load_n(&rxq->vector, __ATOMIC_ACQUIRE); /* before removed */
	bool stopped = dev->data->rx_queue_state[q] != RTE_ETH_QUEUE_STATE_STARTED;

	if (likely(vector != 0 && !stopped))
		return vector;
	if (__atomic_load_n(&ixgbe_port(dev)->removed, __ATOMIC_RELAXED))
		return -EIO;
	if (!rxq->refused) {
		rxq->refused = true;
		if (stopped)
			AIM_LOG(ERR,
				"%s: queue %u is stopped: start it before arming its interrupt",
				dev->data->name, q);
		else
			AIM_LOG(ERR,
				"%s: queue %u has no interrupt: set intr_conf.rxq before "
				"rte_eth_dev_configure() and start the port",
				dev->data->name, q);
	}
	return stopped ? -EINVAL : -ENOTSUP;
}

static void
rxq_raise(struct ixgbe_port *port, struct ixgbe_rxq *rxq, int vector)
{
	mmio_write(&port->hw.bar, IXGBE_AT(EICS_EX, vector / 32), IXGBE_BIT(vector % 32));
	rxq->mod.stats.soft_raises++;
}

int
ixgbe_irq_rxq_enable(struct rte_eth_dev *dev, uint16_t q)
{
	struct ixgbe_rxq *rxq = dev->data->rx_queues[q];
	struct ixgbe_port *port = ixgbe_port(dev);
	int vector = rxq_vector(dev, q);
	uint32_t interval_ns;
	bool raise;

	if (unlikely(vector < 0))
		return vector;

	interval_ns = moderation_arm(&rxq->mod);
	if (interval_ns != rxq->mod.interval_ns || unlikely(rxq->eitr_seen != port->eitr_changes)) {
		rxq->eitr_seen = port->eitr_changes;
		rxq->mod.interval_ns = interval_ns;
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
	if (unlikely(port->vectors_shared) && !raise && ixgbe_rxq_pending(rxq))
		rxq_raise(port, rxq, vector);
	return 0;
}

int
ixgbe_irq_rxq_disable(struct rte_eth_dev *dev, uint16_t q)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	int vector = rxq_vector(dev, q);

	if (unlikely(vector < 0))
		return vector;
	moderation_wake(&((struct ixgbe_rxq *)dev->data->rx_queues[q])->mod);
	/* A shared vector stays as it is: another core may sleep on it. It masks itself anyway. */
	if (likely(!port->vectors_shared))
		mmio_write(&port->hw.bar, IXGBE_AT(EIMC_EX, vector / 32), IXGBE_BIT(vector % 32));
	return 0;
}
