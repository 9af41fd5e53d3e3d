/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PCI bus gives a device to the first registered driver whose table has
 * its id. A plugin is loaded after the drivers that an application links, so
 * its drivers would come too late: these functions put them in front.
 */
#ifndef AIM_COMPAT_PCI_ORDER_H
#define AIM_COMPAT_PCI_ORDER_H

#include <bus_pci_driver.h>

/*
 * Register drv; every driver that shares an id with it and is there already
 * is registered anew behind it, in its order. With the build option
 * step_in_front=false drv takes the last place like any other.
 * Call from a constructor: no device may be bound to the others yet.
 */
void pci_order_register(struct rte_pci_driver *drv);

/* Undo: the others stay, in the order they have now. */
void pci_order_unregister(struct rte_pci_driver *drv);

#endif /* AIM_COMPAT_PCI_ORDER_H */
