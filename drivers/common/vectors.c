/* SPDX-License-Identifier: BSD-3-Clause */
#include "vectors.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <ethdev_driver.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_interrupts.h>

#include "log.h"
#include "rxq.h"

/* How long a sleeper may take to see that it was woken: 1 s. */
#define SLEEPER_TRIES 1000
#define SLEEPER_POLL_US 1000

static struct rte_intr_handle *
intr_handle(const struct rte_eth_dev *dev)
{
	return dev->intr_handle;
}

bool
vectors_asleep(struct rte_eth_dev *dev)
{
	bool asleep = false;

	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++) {
		const struct moderation *m = rxq_moderation(dev, q);

		asleep |= m != NULL && moderation_asleep(m);
	}
	return asleep;
}

/*
 * Who slept when the port stopped was woken by a write to the event descriptor; with the
 * descriptor's end, or that of its registration, the wake would be gone. So the sleeper has a
 * moment to take it. True: somebody slept.
 */
static bool
sleepers_wait(struct rte_eth_dev *dev, const struct vectors *v)
{
	bool asleep = v->stopped_asleep || vectors_asleep(dev), waits = asleep;

	for (int tries = 0; waits && tries < SLEEPER_TRIES; tries++) {
		waits = false;
		for (int i = 0; i < v->count; i++) {
			struct pollfd fd = {.fd = rte_intr_efds_index_get(intr_handle(dev), i),
					    .events = POLLIN};

			waits |= poll(&fd, 1, 0) == 1;
		}
		if (waits)
			usleep(SLEEPER_POLL_US);
	}
	return asleep;
}

static void
disable(struct rte_eth_dev *dev, struct vectors *v)
{
	if (v->enabled) /* VFIO refuses, and EAL logs, what was not */
		rte_intr_disable(intr_handle(dev));
	v->enabled = false;
}

static int
enable(struct rte_eth_dev *dev, struct vectors *v)
{
	int rc;

	disable(dev, v);
	rc = rte_intr_enable(intr_handle(dev));
	v->enabled = rc == 0;
	return rc;
}

static void
descriptors_close(struct rte_eth_dev *dev, struct vectors *v)
{
	if (v->count == 0)
		return;
	sleepers_wait(dev, v);
	rte_intr_efd_disable(intr_handle(dev));
	rte_intr_vec_list_free(intr_handle(dev));
	v->count = 0;
}

/*
 * n event descriptors; those of before the stop if they are as many, so that an epoll set of the
 * application's own that holds them goes on. What was added by rte_eth_dev_rx_intr_ctl_q() is taken
 * out: as with other drivers it is added anew after a start.
 */
static int
descriptors_get(struct rte_eth_dev *dev, struct vectors *v, uint16_t n)
{
	struct rte_intr_handle *handle = intr_handle(dev);
	uint64_t count;
	int rc;

	if (v->count == n) {
		bool asleep = sleepers_wait(dev, v);

		rte_intr_free_epoll_fd(handle);
		rte_intr_vec_list_free(handle);
		/* nobody slept: the wakes of the stop are nobody's */
		for (int i = 0; !asleep && i < n; i++)
			if (read(rte_intr_efds_index_get(handle, i), &count, sizeof(count)) < 0 &&
			    errno != EAGAIN)
				return -errno;
		return 0;
	}
	descriptors_close(dev, v);
	rc = rte_intr_efd_enable(handle, n);
	if (rc != 0) {
		AIM_LOG(ERR, "%s: no event descriptors for %u Rx interrupts: %s; raise ulimit -n",
			dev->data->name, n, rte_strerror(-rc));
		return rc;
	}
	v->count = (uint8_t)n;
	return 0;
}

void
vectors_release(struct rte_eth_dev *dev, struct vectors *v)
{
	disable(dev, v);
	descriptors_close(dev, v);
}

/* Give each Rx queue a vector, round robin over `vectors` of them. */
static int
vectors_assign(struct rte_eth_dev *dev, struct vectors *v, uint16_t vectors)
{
	struct rte_intr_handle *handle = intr_handle(dev);
	uint16_t n = dev->data->nb_rx_queues;
	int rc;

	rc = descriptors_get(dev, v, vectors);
	if (rc != 0)
		return rc;
	v->shared = n > v->count;
	if (rte_intr_vec_list_alloc(handle, "aim_intr_vec", n) != 0) {
		descriptors_close(dev, v);
		return -ENOMEM;
	}
	for (uint16_t q = 0; q < n; q++) {
		struct moderation *m = rxq_moderation(dev, q);

		m->vector = (uint8_t)(RTE_INTR_VEC_RXTX_OFFSET + q % v->count);
		rte_intr_vec_list_index_set(handle, q, m->vector);
	}
	return 0;
}

int
vectors_start(struct rte_eth_dev *dev, struct vectors *v, bool misc, uint16_t most)
{
	uint16_t wanted = RTE_MIN(dev->data->nb_rx_queues, most);
	/* what VFIO gave before for as many queues, and who holds their descriptors, stays */
	uint16_t n = v->count != 0 && v->wanted == wanted ? v->count : wanted;
	int rc;

	v->on = dev->data->dev_conf.intr_conf.rxq != 0;
	v->shared = false;
	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++) {
		rxq_moderation(dev, q)->vector = 0;
		rxq_moderation(dev, q)->refused = false;
	}
	if (v->on && rte_intr_cap_multiple(intr_handle(dev)) == 0) {
		AIM_LOG(ERR,
			"%s: Rx interrupts need MSI-X, a vector a queue: bind the device to "
			"vfio-pci, and start without --vfio-intr=msi or legacy",
			dev->data->name);
		return -ENOTSUP;
	}
	if (!v->on)
		descriptors_close(dev, v);
	if (!v->on && !misc) {
		disable(dev, v);
		return 0;
	}
	for (;; n = v->count / 2) {
		rc = v->on ? vectors_assign(dev, v, n) : 0;
		if (rc != 0)
			return rc;
		rc = enable(dev, v);
		if (rc == 0 || !v->on || v->count == 1)
			break;
	}
	v->wanted = (uint8_t)wanted;
	if (rc != 0) {
		AIM_LOG(
		    ERR,
		    "%s: interrupts cannot be enabled: is the device bound to vfio-pci, and has "
		    "the machine vectors left?",
		    dev->data->name);
		return rc < 0 ? -EIO : rc;
	}
	if (v->shared)
		AIM_LOG(
		    INFO,
		    "%s: %u Rx queues share %u interrupt vectors: EAL wakes one thread a vector",
		    dev->data->name, dev->data->nb_rx_queues, v->count);
	return 0;
}

void
vectors_stop(struct rte_eth_dev *dev, struct vectors *v)
{
	v->stopped_asleep |= v->on && vectors_asleep(dev);
	vectors_wake_all(dev, v);
	v->on = false;
}

void
vectors_raise(struct rte_eth_dev *dev, unsigned int vector)
{
	int fd = rte_intr_efds_index_get(intr_handle(dev), (int)vector - RTE_INTR_VEC_RXTX_OFFSET);
	const uint64_t one = 1;

	if (fd >= 0 && write(fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
		AIM_LOG(ERR, "%s: a sleeper was not woken: %s", dev->data->name, strerror(errno));
}

void
vectors_wake_all(struct rte_eth_dev *dev, const struct vectors *v)
{
	/* first no arm, then the wake: who armed in between finds the wake */
	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++)
		__atomic_store_n(&rxq_moderation(dev, q)->vector, 0, __ATOMIC_SEQ_CST);
	for (unsigned int i = 0; v->on && i < v->count; i++)
		vectors_raise(dev, RTE_INTR_VEC_RXTX_OFFSET + i);
}

void
vectors_queue_stop(struct rte_eth_dev *dev, struct rxq *rxq)
{
	int vector = __atomic_load_n(&rxq->mod.vector, __ATOMIC_ACQUIRE);

	/* Its state says stopped already: who arms now is refused, who armed before is woken. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (vector != 0 && moderation_asleep(&rxq->mod))
		vectors_raise(dev, (unsigned int)vector);
}

/* The vector of a queue of a port that runs; see vectors_arm(). */
static inline int
vectors_of(struct rte_eth_dev *dev, struct rxq *rxq, const bool *removed)
{
	struct moderation *m = &rxq->mod;
	uint16_t q = rxq->queue_id;
	/* Another core may stop the port meanwhile: read once, and before removed. */
	int vector = __atomic_load_n(&m->vector, __ATOMIC_ACQUIRE);
	bool stopped = dev->data->rx_queue_state[q] != RTE_ETH_QUEUE_STATE_STARTED;

	if (likely(vector != 0 && !stopped))
		return vector;
	if (__atomic_load_n(removed, __ATOMIC_RELAXED))
		return -EIO;
	if (!m->refused) {
		m->refused = true;
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

int
vectors_arm(struct rte_eth_dev *dev, struct rxq *rxq, const bool *removed)
{
	struct moderation *m = &rxq->mod;
	int vector = vectors_of(dev, rxq, removed), thread = rte_gettid();

	if (likely(vector > 0)) {
		if (likely(m->armed_by == thread || !moderation_asleep(m))) {
			m->armed_by = thread;
			return vector;
		}
		if (!m->refused)
			AIM_LOG(
			    ERR,
			    "%s: queue %u is armed by thread %d: let that one disarm or poll it, a "
			    "queue is for one thread at a time",
			    dev->data->name, rxq->queue_id, m->armed_by);
		m->refused = true;
		return -EBUSY;
	}
	return vector;
}

int
vectors_disarm(struct rte_eth_dev *dev, struct rxq *rxq, const bool *removed)
{
	moderation_wake(&rxq->mod);
	if (dev->data->rx_queue_state[rxq->queue_id] != RTE_ETH_QUEUE_STATE_STARTED &&
	    dev->data->dev_conf.intr_conf.rxq != 0 && !__atomic_load_n(removed, __ATOMIC_RELAXED))
		return 0;
	return vectors_of(dev, rxq, removed);
}

int
vectors_secondary(struct rte_eth_dev *dev, uint16_t q)
{
	static bool told; /* in this process; a second line would be no harm */

	(void)q;
	if (!told) {
		told = true;
		AIM_LOG(ERR,
			"%s: a secondary process has no Rx interrupts, for their event "
			"descriptors are the primary's: sleep there, and poll here",
			dev->data->name);
	}
	return -ENOTSUP;
}
