/* SPDX-License-Identifier: BSD-3-Clause */
#include "xstats.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <ethdev_driver.h>

#include "rxq.h"

/* Of each Rx queue, behind the port's. */
enum {
	QUEUE_INTERVAL,
	QUEUE_SLEEPS,
	QUEUE_WAKES,
	QUEUE_SPURIOUS,
	QUEUE_PACKETS_PER_WAKE,
	QUEUE_ITR_WRITES,
	QUEUE_SOFT_RAISES,
	QUEUE_STALE_DROPS,
	QUEUE_ARMS,
	QUEUE_ASLEEP,
	QUEUE_HIGH_WATER,
	QUEUE_BAD_LENGTH,
};
static const char *const queue_rows[] = {
    [QUEUE_INTERVAL] = "itr_interval_ns",
    [QUEUE_SLEEPS] = "sleeps",
    [QUEUE_WAKES] = "wakes",
    [QUEUE_SPURIOUS] = "spurious_wakes",
    [QUEUE_PACKETS_PER_WAKE] = "packets_per_wake",
    [QUEUE_ITR_WRITES] = "itr_writes",
    [QUEUE_SOFT_RAISES] = "soft_raises",
    [QUEUE_STALE_DROPS] = "stale_drops",
    [QUEUE_ARMS] = "arms",
    [QUEUE_ASLEEP] = "asleep_ns",
    [QUEUE_HIGH_WATER] = "ring_high_water",
    [QUEUE_BAD_LENGTH] = "bad_length_errors",
};
#define QUEUE_ROWS RTE_DIM(queue_rows)

static unsigned int
xstats_count(const struct rte_eth_dev *dev, const struct xstats_ops *ops)
{
	return ops->port_rows + dev->data->nb_rx_queues * QUEUE_ROWS;
}

/* The rows of a queue, in the order of queue_rows. */
static void
xstats_queue(struct rte_eth_dev *dev, const struct xstats_ops *ops, uint16_t q,
	     uint64_t values[QUEUE_ROWS])
{
	const struct rxq *rxq = dev->data->rx_queues[q];
	struct moderation_stats now;

	memset(values, 0, QUEUE_ROWS * sizeof(values[0]));
	if (rxq == NULL)
		return;
	moderation_stats_get(&rxq->mod, &now);
	values[QUEUE_INTERVAL] = ops->interval_ns(dev, q);
	values[QUEUE_SLEEPS] = now.wakes + now.spurious;
	values[QUEUE_WAKES] = now.wakes;
	values[QUEUE_SPURIOUS] = now.spurious;
	values[QUEUE_PACKETS_PER_WAKE] = now.wakes != 0 ? now.packets / now.wakes : 0;
	values[QUEUE_ITR_WRITES] = now.reg_writes;
	values[QUEUE_SOFT_RAISES] = now.soft_raises;
	values[QUEUE_STALE_DROPS] = now.stale_drops;
	values[QUEUE_ARMS] = now.arms;
	values[QUEUE_ASLEEP] = now.asleep_ns;
	values[QUEUE_HIGH_WATER] = rxq->mod.high_water;
	values[QUEUE_BAD_LENGTH] = rxq_bad_length(rxq);
}

/* The rows of the queue that was asked for last: the ids of a queue follow each other mostly. */
struct xstats_queue {
	unsigned int q;
	uint64_t values[QUEUE_ROWS];
};
#define XSTATS_QUEUE_NONE UINT_MAX

/* Value of an id below xstats_count(); between begin and end. */
static uint64_t
xstats_value(struct rte_eth_dev *dev, const struct xstats_ops *ops, unsigned int i,
	     struct xstats_queue *queue)
{
	unsigned int k = i - ops->port_rows;

	if (i < ops->port_rows)
		return ops->port_value(dev, i);
	if (queue->q != k / QUEUE_ROWS) {
		queue->q = k / QUEUE_ROWS;
		xstats_queue(dev, ops, (uint16_t)queue->q, queue->values);
	}
	return queue->values[k % QUEUE_ROWS];
}

static void
xstats_name(const struct xstats_ops *ops, unsigned int i, struct rte_eth_xstat_name *name)
{
	unsigned int k = i - ops->port_rows;

	if (i < ops->port_rows)
		ops->port_name(i, name->name, sizeof(name->name));
	else
		snprintf(name->name, sizeof(name->name), "rx_q%u_%s",
			 (unsigned int)(k / QUEUE_ROWS), queue_rows[k % QUEUE_ROWS]);
}

int
xstats_get(struct rte_eth_dev *dev, const struct xstats_ops *ops, struct rte_eth_xstat *xstats,
	   unsigned int n)
{
	struct xstats_queue queue = {.q = XSTATS_QUEUE_NONE};
	unsigned int count = xstats_count(dev, ops), i;

	if (xstats == NULL || n < count)
		return (int)count;
	ops->begin(dev);
	for (i = 0; i < count; i++) {
		xstats[i].id = i;
		xstats[i].value = xstats_value(dev, ops, i, &queue);
	}
	ops->end(dev);
	return (int)count;
}

int
xstats_get_by_id(struct rte_eth_dev *dev, const struct xstats_ops *ops, const uint64_t *ids,
		 uint64_t *values, unsigned int n)
{
	struct xstats_queue queue = {.q = XSTATS_QUEUE_NONE};
	unsigned int count = xstats_count(dev, ops), i;

	if (values == NULL || (ids == NULL && n < count))
		return (int)count;
	if (ids == NULL)
		n = count;
	for (i = 0; ids != NULL && i < n; i++)
		if (ids[i] >= count)
			return -EINVAL;
	ops->begin(dev);
	for (i = 0; i < n; i++)
		values[i] = xstats_value(dev, ops, ids != NULL ? (unsigned int)ids[i] : i, &queue);
	ops->end(dev);
	return (int)n;
}

int
xstats_get_names(struct rte_eth_dev *dev, const struct xstats_ops *ops,
		 struct rte_eth_xstat_name *names, unsigned int n)
{
	unsigned int count = xstats_count(dev, ops), i;

	if (names == NULL || n < count)
		return (int)count;
	for (i = 0; i < count; i++)
		xstats_name(ops, i, &names[i]);
	return (int)count;
}

int
xstats_get_names_by_id(struct rte_eth_dev *dev, const struct xstats_ops *ops, const uint64_t *ids,
		       struct rte_eth_xstat_name *names, unsigned int n)
{
	unsigned int count = xstats_count(dev, ops), i;

	if (ids == NULL)
		return xstats_get_names(dev, ops, names, n);
	for (i = 0; i < n; i++) {
		if (ids[i] >= count)
			return -EINVAL;
		xstats_name(ops, (unsigned int)ids[i], &names[i]);
	}
	return (int)n;
}
