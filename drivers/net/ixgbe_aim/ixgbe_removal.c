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
#define CONFIRM_US 5000 /* a link to the root port that retrains is back by then */

static void
removal_tell(void *arg)
{
	struct rte_eth_dev *dev = arg;
	struct ixgbe_port *port = ixgbe_port(dev);

	if (__atomic_exchange_n(&port->removed, true, __ATOMIC_RELAXED))
		return;
	AIM_LOG(ERR, "%s: the device is gone, or is being taken away: close the port",
		dev->data->name);
	rte_spinlock_lock(&port->link_lock);
	if (port->started)
		ixgbe_irq_wake_all(dev);
	rte_spinlock_unlock(&port->link_lock);
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
	struct ixgbe_port *port = ixgbe_port(dev);

	if (!ixgbe_hw_present(&port->hw)) {
		removal_tell(dev);
		return;
	}
	rte_spinlock_lock(&port->link_lock);
	if (port->started) /* the handler left them masked */
		ixgbe_irq_misc_enable(port);
	rte_spinlock_unlock(&port->link_lock);
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
		removal_alarm_set(dev, LOOK_US, removal_look);
	rte_spinlock_unlock(&port->link_lock);
}

void
ixgbe_removal_seen(struct rte_eth_dev *dev)
{
	removal_alarm_set(dev, CONFIRM_US, removal_confirm);
}

void
ixgbe_removal_start(struct rte_eth_dev *dev)
{
	if (dev->data->dev_conf.intr_conf.rmv != 0)
		removal_alarm_set(dev, LOOK_US, removal_look);
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
