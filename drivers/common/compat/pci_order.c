/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include <stddef.h>

#include <bus_driver.h>
#include <rte_common.h>
#include <rte_version.h>

#include "../log.h"
#include "pci_order.h"

#ifndef AIM_STEP_IN_FRONT
#define AIM_STEP_IN_FRONT 1
#endif

/* Nobody has more drivers of one device than this. */
#define PCI_ORDER_MAX 16u

/* A driver's next in the bus's list, and the list's first. */
#if RTE_VERSION >= RTE_VERSION_NUM(26, 7, 0, 0)
static struct rte_pci_driver *
pci_order_first(struct rte_bus *bus)
{
	struct rte_driver *drv = TAILQ_FIRST(&bus->driver_list);

	return drv == NULL ? NULL : container_of(drv, struct rte_pci_driver, driver);
}

static struct rte_pci_driver *
pci_order_next(struct rte_pci_driver *drv)
{
	struct rte_driver *next = TAILQ_NEXT(&drv->driver, next);

	return next == NULL ? NULL : container_of(next, struct rte_pci_driver, driver);
}
#else
/* Until 26.07 the lists stand in a structure of the PCI bus that is not installed; its head has
 * been the same since 22.11.
 */
struct pci_order_bus {
	struct rte_bus bus;
	RTE_TAILQ_HEAD(, rte_pci_device) device_list;
	RTE_TAILQ_HEAD(, rte_pci_driver) driver_list;
};

static struct rte_pci_driver *
pci_order_first(struct rte_bus *bus)
{
	return TAILQ_FIRST(&container_of(bus, struct pci_order_bus, bus)->driver_list);
}

static struct rte_pci_driver *
pci_order_next(struct rte_pci_driver *drv)
{
	return TAILQ_NEXT(drv, next);
}
#endif

static bool
pci_order_shares(const struct rte_pci_driver *a, const struct rte_pci_driver *b)
{
	const struct rte_pci_id *i, *j;

	if (a->id_table == NULL || b->id_table == NULL)
		return false;
	for (i = a->id_table; i->vendor_id != 0; i++)
		for (j = b->id_table; j->vendor_id != 0; j++)
			if (i->vendor_id == j->vendor_id && i->device_id == j->device_id)
				return true;
	return false;
}

void
pci_order_register(struct rte_pci_driver *drv)
{
	struct rte_pci_driver *behind[PCI_ORDER_MAX], *other;
	struct rte_bus *bus = rte_bus_find_by_name("pci");
	unsigned int n = 0, i;

	if (AIM_STEP_IN_FRONT && bus != NULL) {
		for (other = pci_order_first(bus); other != NULL; other = pci_order_next(other))
			if (other != drv && n < PCI_ORDER_MAX && pci_order_shares(other, drv))
				behind[n++] = other;
	}
	for (i = 0; i < n; i++)
		rte_pci_unregister(behind[i]);
	rte_pci_register(drv);
	for (i = 0; i < n; i++) {
		rte_pci_register(behind[i]);
		AIM_INIT_LOG(DEBUG, "%s steps in front of %s", drv->driver.name,
			     behind[i]->driver.name);
	}
}

void
pci_order_unregister(struct rte_pci_driver *drv)
{
	rte_pci_unregister(drv);
}
