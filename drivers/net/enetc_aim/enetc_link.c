/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Link state. The function has no interrupt for its link: the PHY's goes to the board. So a port
 * whose application asked for the event (intr_conf.lsc) looks at the MAC's status ten times a
 * second, in an alarm. Whoever configured PHY and PCS before us, firmware or Linux, has to have
 * left them working.
 *
 * A virtual function cannot look, and nobody tells it: its link is up while it runs, as Linux's
 * fsl-enetc-vf says it is, and of a speed that is not known.
 */
#include <string.h>

#include <rte_alarm.h>
#include <rte_ethdev.h>

#include "enetc_aim.h"

#define LOOK_US 100000

static void
link_read(const struct enetc_port *port, struct rte_eth_link *link)
{
	bool seen = enetc_kind(&port->hw)->port;
	uint32_t status = seen ? enetc_port_read(&port->hw, ENETC_PM0_IF_STATUS) : 0;

	memset(link, 0, sizeof(*link));
	link->link_autoneg = !(port->data->dev_conf.link_speeds & RTE_ETH_LINK_SPEED_FIXED);
	link->link_duplex = RTE_ETH_LINK_FULL_DUPLEX;
	link->link_speed = RTE_ETH_SPEED_NUM_NONE;
	if (!seen) {
		if (port->started && enetc_hw_present(&port->hw)) {
			link->link_status = RTE_ETH_LINK_UP;
			link->link_speed = RTE_ETH_SPEED_NUM_UNKNOWN;
		}
		return;
	}
	/* all ones: the device is gone */
	if (!port->started || !port->link_wanted || !(status & ENETC_PM0_IFS_LINK) ||
	    status == UINT32_MAX)
		return;
	link->link_status = RTE_ETH_LINK_UP;
	link->link_duplex = status & ENETC_PM0_IFS_FULL_DUPLEX ? RTE_ETH_LINK_FULL_DUPLEX
							       : RTE_ETH_LINK_HALF_DUPLEX;
	switch (status & ENETC_PM0_IFS_SPEED) {
	case ENETC_PM0_IFS_SPEED_1G:
		link->link_speed = RTE_ETH_SPEED_NUM_1G;
		break;
	case ENETC_PM0_IFS_SPEED_100M:
		link->link_speed = RTE_ETH_SPEED_NUM_100M;
		break;
	default:
		link->link_speed = RTE_ETH_SPEED_NUM_10M;
		break;
	}
}

/* 0: it changed. */
int
enetc_link_update(struct rte_eth_dev *dev, int wait_to_complete)
{
	struct enetc_port *port = enetc_port(dev);
	struct rte_eth_link link;
	int rc;

	RTE_SET_USED(wait_to_complete); /* there is nothing to wait for */
	rte_spinlock_lock(&port->link_lock);
	link_read(port, &link);
	rc = rte_eth_linkstatus_set(dev, &link);
	if (link.link_status != 0 && link.link_speed != port->link_mbps &&
	    link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN) {
		port->link_mbps = link.link_speed;
		rxqs_link(dev);
	}
	rte_spinlock_unlock(&port->link_lock);
	return rc;
}

int
enetc_link_update_secondary(struct rte_eth_dev *dev, int wait_to_complete)
{
	RTE_SET_USED(dev);
	RTE_SET_USED(wait_to_complete);
	return -1;
}

static void link_look(void *arg);

/* One alarm at most is due. The lock is held. */
static void
look_set(struct rte_eth_dev *dev)
{
	struct enetc_port *port = enetc_port(dev);

	if (port->link_alarm || !port->started || dev->data->dev_conf.intr_conf.lsc == 0)
		return;
	port->link_alarm = rte_eal_alarm_set(LOOK_US, link_look, dev) == 0;
	if (!port->link_alarm)
		AIM_LOG(ERR, "%s: no alarm to be had: link changes are seen when asked for only",
			dev->data->name);
}

/* Tell of a change last: the application may close the port then. */
static void
link_look(void *arg)
{
	struct rte_eth_dev *dev = arg;
	struct enetc_port *port = enetc_port(dev);
	bool due;

	rte_spinlock_lock(&port->link_lock);
	port->link_alarm = false;
	due = port->started;
	look_set(dev);
	rte_spinlock_unlock(&port->link_lock);
	if (!due || enetc_link_update(dev, 0) != 0)
		return;
	if (dev->data->dev_link.link_status)
		AIM_LOG(INFO, "port %u: link up, %u Mb/s", dev->data->port_id,
			dev->data->dev_link.link_speed);
	else
		AIM_LOG(INFO, "port %u: link down", dev->data->port_id);
	rte_eth_dev_callback_process(dev, RTE_ETH_EVENT_INTR_LSC, NULL);
}

static int
link_want(struct rte_eth_dev *dev, bool up)
{
	struct enetc_port *port = enetc_port(dev);

	rte_spinlock_lock(&port->link_lock);
	port->link_wanted = up;
	if (port->started && enetc_kind(&port->hw)->port)
		enetc_hw_mac_set(&port->hw, up);
	rte_spinlock_unlock(&port->link_lock);
	enetc_link_update(dev, 0);
	return 0;
}

int
enetc_link_up(struct rte_eth_dev *dev)
{
	return link_want(dev, true);
}

int
enetc_link_down(struct rte_eth_dev *dev)
{
	if (enetc_port_lacks(enetc_port(dev), "link down"))
		return -ENOTSUP;
	return link_want(dev, false);
}

void
enetc_link_start(struct rte_eth_dev *dev)
{
	struct enetc_port *port = enetc_port(dev);

	rte_spinlock_lock(&port->link_lock);
	port->link_wanted = true;
	port->started = true;
	enetc_hw_port_set(&port->hw, true);
	look_set(dev);
	rte_spinlock_unlock(&port->link_lock);
	enetc_link_update(dev, 0);
}

void
enetc_link_stop(struct rte_eth_dev *dev)
{
	struct enetc_port *port = enetc_port(dev);

	rte_spinlock_lock(&port->link_lock);
	port->started = false;
	rte_spinlock_unlock(&port->link_lock);
	/* Waits for one that runs, unless that is who calls. */
	rte_eal_alarm_cancel(link_look, dev);
	rte_spinlock_lock(&port->link_lock);
	port->link_alarm = false;
	rte_spinlock_unlock(&port->link_lock);
}
