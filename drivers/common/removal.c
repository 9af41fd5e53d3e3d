/* SPDX-License-Identifier: BSD-3-Clause */
#include "removal.h"

#include <errno.h>

#include <ethdev_driver.h>
#include <rte_alarm.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_errno.h>

#include "log.h"

#define LOOK_US 1000000
#define CONFIRM_US 5000 /* a link to the root port that retrains is back by then */

/* By port: alarms carry the device alone. */
static const struct removal_ops *ports[RTE_MAX_ETHPORTS];

static const struct removal_ops *
ops_of(const struct rte_eth_dev *dev)
{
	return ports[dev->data->port_id];
}

static void
removal_tell(void *arg)
{
	struct rte_eth_dev *dev = arg;
	const struct removal_ops *ops = ops_of(dev);

	if (__atomic_exchange_n(ops->flag(dev), true, __ATOMIC_RELAXED))
		return;
	AIM_LOG(ERR, "%s: the device is gone, or is being taken away: close the port",
		dev->data->name);
	if (ops->lock(dev))
		ops->wake(dev);
	ops->unlock(dev);
	if (dev->data->dev_conf.intr_conf.rmv != 0)
		rte_eth_dev_callback_process(dev, RTE_ETH_EVENT_INTR_RMV, NULL);
}

static void
removal_alarm_set(struct rte_eth_dev *dev, uint64_t us, rte_eal_alarm_callback what)
{
	if (rte_eal_alarm_set(us, what, dev) != 0)
		AIM_LOG(
		    ERR,
		    "%s: no alarm to be had: a removal may go unseen; close the port if it is gone",
		    dev->data->name);
}

/* The kernel asks for the device: it goes, though it may answer still. */
static void
removal_event(const char *name, enum rte_dev_event_type type, void *dev)
{
	(void)name;
	if (type == RTE_DEV_EVENT_REMOVE)
		removal_alarm_set(dev, 1, removal_tell);
}

/* A register read as all ones: is it so still? */
static void
removal_confirm(void *arg)
{
	struct rte_eth_dev *dev = arg;
	const struct removal_ops *ops = ops_of(dev);

	if (!ops->present(dev)) {
		removal_tell(dev);
		return;
	}
	if (ops->lock(dev) && ops->resume != NULL)
		ops->resume(dev);
	ops->unlock(dev);
}

static void
removal_look(void *arg)
{
	struct rte_eth_dev *dev = arg;
	const struct removal_ops *ops = ops_of(dev);

	if (!ops->present(dev)) {
		removal_tell(dev);
		return;
	}
	if (ops->lock(dev))
		removal_alarm_set(dev, LOOK_US, removal_look);
	ops->unlock(dev);
}

void
removal_seen(struct rte_eth_dev *dev)
{
	removal_alarm_set(dev, CONFIRM_US, removal_confirm);
}

void
removal_start(struct rte_eth_dev *dev)
{
	if (dev->data->dev_conf.intr_conf.rmv != 0 || dev->data->dev_conf.intr_conf.rxq != 0)
		removal_alarm_set(dev, LOOK_US, removal_look);
}

void
removal_stop(struct rte_eth_dev *dev)
{
	rte_eal_alarm_cancel(removal_look, dev);
}

int
removal_init(struct rte_eth_dev *dev, const struct removal_ops *ops)
{
	ports[dev->data->port_id] = ops;
	return rte_dev_event_callback_register(dev->device->name, removal_event, dev);
}

void
removal_fini(struct rte_eth_dev *dev)
{
	int rc = -EAGAIN;

	/* -EAGAIN: it runs, for a moment. */
	for (int tries = 0; rc == -EAGAIN && tries < 1000; tries++) {
		rc = rte_dev_event_callback_unregister(dev->device->name, removal_event, dev);
		if (rc == -EAGAIN)
			rte_delay_us_sleep(1000);
	}
	if (rc == -EAGAIN)
		AIM_LOG(ERR, "%s: EAL still calls the handler of device events", dev->data->name);
	rte_eal_alarm_cancel(removal_look, dev);
	rte_eal_alarm_cancel(removal_confirm, dev);
	rte_eal_alarm_cancel(removal_tell, dev);
}
