/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Surprise removal: the device goes while the port runs. It shows in one of three ways: EAL passes
 * on the kernel's request to let go of it (vfio-pci's device request), the interrupt handler reads
 * all ones, or nothing ever comes any more. For the last, a started port whose application asked
 * for the removal event (intr_conf.rmv) is looked at once a second.
 *
 * Then the application is told, once, and all who sleep on a queue are woken; their next arm
 * returns -EIO. All of it happens in an alarm, in EAL's interrupt thread, where the application may
 * close the port from its callback.
 */
#include "ixgbe_aim.h"

#include <rte_alarm.h>
#include <rte_cycles.h>
#include <rte_dev.h>

#define LOOK_US 1000000

static void
removal_tell(void *arg)
{
	struct rte_eth_dev *dev = arg;
	struct ixgbe_port *port = ixgbe_port(dev);

	if (__atomic_exchange_n(&port->removed, true, __ATOMIC_RELAXED))
		return;
	AIM_LOG(ERR, "%s: the device is gone: close the port", dev->data->name);
	rte_spinlock_lock(&port->link_lock);
	if (port->started)
		ixgbe_irq_wake_all(dev);
	rte_spinlock_unlock(&port->link_lock);
	if (dev->data->dev_conf.intr_conf.rmv != 0)
		rte_eth_dev_callback_process(dev, RTE_ETH_EVENT_INTR_RMV, NULL);
}

static void
removal_event(const char *name, enum rte_dev_event_type type, void *dev)
{
	(void)name;
	if (type == RTE_DEV_EVENT_REMOVE)
		ixgbe_removal_seen(dev);
}

static void
removal_look(void *arg)
{
	struct rte_eth_dev *dev = arg;
	struct ixgbe_port *port = ixgbe_port(dev);

	if (!ixgbe_hw_present(&port->hw)) {
		removal_tell(dev);
		return;
	}
	rte_spinlock_lock(&port->link_lock);
	if (port->started)
		rte_eal_alarm_set(LOOK_US, removal_look, dev);
	rte_spinlock_unlock(&port->link_lock);
}

void
ixgbe_removal_seen(struct rte_eth_dev *dev)
{
	rte_eal_alarm_set(1, removal_tell, dev);
}

void
ixgbe_removal_start(struct rte_eth_dev *dev)
{
	__atomic_store_n(&ixgbe_port(dev)->removed, false, __ATOMIC_RELAXED);
	if (dev->data->dev_conf.intr_conf.rmv != 0 &&
	    rte_eal_alarm_set(LOOK_US, removal_look, dev) != 0)
		AIM_LOG(WARNING,
			"%s: no alarm to be had: a removal is seen only if the kernel tells of it",
			dev->data->name);
}

void
ixgbe_removal_stop(struct rte_eth_dev *dev)
{
	rte_eal_alarm_cancel(removal_look, dev);
}

int
ixgbe_removal_init(struct rte_eth_dev *dev)
{
	return rte_dev_event_callback_register(dev->device->name, removal_event, dev);
}

void
ixgbe_removal_fini(struct rte_eth_dev *dev)
{
	/* -EAGAIN: it runs, for a moment. */
	for (int tries = 0; tries < 100; tries++) {
		if (rte_dev_event_callback_unregister(dev->device->name, removal_event, dev) !=
		    -EAGAIN)
			break;
		rte_delay_us_sleep(1000);
	}
	rte_eal_alarm_cancel(removal_tell, dev);
}
