/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PCI bus of EAL: the device is put on its list by hand (the bus's own way leads through sysfs
 * and a mapping of real resources) and its driver called as the bus would. From then on the bus
 * treats it as any other: hot-unplug and clean-up go through the bus.
 */
#include "softpci_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_devargs.h>
#include <rte_ethdev.h>
#include <rte_interrupts.h>

/* Newer releases wrap a device in a structure of the bus: room for it behind ours. */
#define DEVICE_SLACK 4096u
/* A domain that no machine has, so that no address collides. */
#define PCI_DOMAIN 0x5afeu

#if RTE_VERSION >= RTE_VERSION_NUM(26, 3, 0, 0)
/* The lists are the generic bus's. */
#define BUS_GENERIC 1
#else
#define BUS_GENERIC 0
/* drivers/bus/pci/private.h, which is not installed: the same from 22.11 to 25.11. */
struct pci_bus {
	struct rte_bus bus;
	RTE_TAILQ_HEAD(, rte_pci_device) devices;
	RTE_TAILQ_HEAD(, rte_pci_driver) drivers;
};
#endif

static struct rte_bus *
pci_bus_get(void)
{
	return rte_bus_find_by_name("pci");
}

static struct rte_pci_driver *
next_driver(struct rte_bus *bus, struct rte_pci_driver *driver)
{
#if BUS_GENERIC
	struct rte_driver *next = driver == NULL ? TAILQ_FIRST(&bus->driver_list)
						 : TAILQ_NEXT(&driver->driver, next);

	return next == NULL ? NULL : container_of(next, struct rte_pci_driver, driver);
#else
	struct pci_bus *pci = (struct pci_bus *)bus;

	return driver == NULL ? TAILQ_FIRST(&pci->drivers) : TAILQ_NEXT(driver, next);
#endif
}

static void
list_insert(struct rte_bus *bus, struct rte_pci_device *pdev)
{
#if BUS_GENERIC
	TAILQ_INSERT_TAIL(&bus->device_list, &pdev->device, next);
#else
	TAILQ_INSERT_TAIL(&((struct pci_bus *)bus)->devices, pdev, next);
#endif
}

static void
list_remove(struct rte_bus *bus, struct rte_pci_device *pdev)
{
#if BUS_GENERIC
	TAILQ_REMOVE(&bus->device_list, &pdev->device, next);
#else
	TAILQ_REMOVE(&((struct pci_bus *)bus)->devices, pdev, next);
#endif
}

static bool
id_matches(const struct rte_pci_driver *driver, const struct rte_pci_device *pdev)
{
	const struct rte_pci_id *id;

	for (id = driver->id_table; id != NULL && id->vendor_id != 0; id++)
		if ((id->vendor_id == pdev->id.vendor_id || id->vendor_id == RTE_PCI_ANY_ID) &&
		    (id->device_id == pdev->id.device_id || id->device_id == RTE_PCI_ANY_ID) &&
		    (id->subsystem_vendor_id == pdev->id.subsystem_vendor_id ||
		     id->subsystem_vendor_id == RTE_PCI_ANY_ID) &&
		    (id->subsystem_device_id == pdev->id.subsystem_device_id ||
		     id->subsystem_device_id == RTE_PCI_ANY_ID) &&
		    (id->class_id == pdev->id.class_id || id->class_id == RTE_CLASS_ANY_ID))
			return true;
	return false;
}

/* The driver's remove(), called by the bus for whatever reason: afterwards the device is free. */
static int
wrapped_remove(struct rte_pci_device *pdev)
{
	struct softpci *pci = softpci_by_pdev(pdev);
	int rc;

	if (pci == NULL)
		return -ENODEV;
	rc = pci->real_driver->remove(pdev);
	if (rc < 0)
		return rc;
	pci->pdev = NULL;
	softpci_gone(pci);
	return rc;
}

static int
new_device(struct softpci *pci, const struct softpci_conf *conf, struct rte_bus *bus)
{
	static const enum rte_intr_handle_type types[] = {
	    [SOFTPCI_IRQ_MSIX] = RTE_INTR_HANDLE_VFIO_MSIX,
	    [SOFTPCI_IRQ_MSI] = RTE_INTR_HANDLE_VFIO_MSI,
	    [SOFTPCI_IRQ_INTX] = RTE_INTR_HANDLE_VFIO_LEGACY,
	    [SOFTPCI_IRQ_UIO] = RTE_INTR_HANDLE_UIO,
	};
	struct rte_pci_device *pdev = calloc(1, sizeof(*pdev) + DEVICE_SLACK);
	const char *devargs = conf->devargs;

	if (pdev == NULL)
		return -ENOMEM;
	pci->pdev = pdev;
	pdev->addr = (struct rte_pci_addr){.domain = PCI_DOMAIN, .bus = (uint8_t)(pci->index + 1)};
	rte_pci_device_name(&pdev->addr, pci->name, sizeof(pci->name));
	memcpy(pdev->name, pci->name, sizeof(pdev->name));
	pdev->id = (struct rte_pci_id){
	    .class_id = 0x020000,
	    .vendor_id = pci->nic->model->vendor_id,
	    .device_id = pci->nic->model->device_id,
	    .subsystem_vendor_id = pci->nic->model->vendor_id,
	    .subsystem_device_id = 0x0003,
	};
	pdev->device.name = pdev->name;
	pdev->device.bus = bus;
	pdev->device.numa_node = 0;
	pdev->mem_resource[0].addr = pci->bar_driver;
	pdev->mem_resource[0].len = pci->bar_size;
	pdev->mem_resource[0].phys_addr = (uint64_t)(uintptr_t)pci->bar_driver;
	pdev->kdrv = conf->irq == SOFTPCI_IRQ_UIO ? RTE_PCI_KDRV_IGB_UIO : RTE_PCI_KDRV_VFIO;
	pdev->intr_handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);
	pdev->vfio_req_intr_handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);
	if (pdev->intr_handle == NULL || pdev->vfio_req_intr_handle == NULL)
		return -ENOMEM;
	rte_intr_type_set(pdev->intr_handle, types[conf->irq]);
	rte_intr_fd_set(pdev->intr_handle, pci->misc_fd);
	rte_intr_dev_fd_set(pdev->intr_handle, pci->dev_fd);
#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)
	{
		/* The bus's record of VFIO regions follows the device: config space is the 8th. */
		uint64_t *region = (uint64_t *)(pdev + 1);

		region[7 * 2] = 4096;
		region[7 * 2 + 1] = UINT64_C(7) << 40;
	}
#endif
	if (devargs != NULL && *devargs != '\0') {
		struct rte_devargs *da = calloc(1, sizeof(*da));

		if (da == NULL)
			return -ENOMEM;
		if (rte_devargs_parsef(da, "%s,%s", pci->name, devargs) != 0 ||
		    rte_devargs_insert(&da) != 0) {
			rte_devargs_reset(da);
			free(da);
			return -EINVAL;
		}
		pdev->device.devargs = da;
	}
	return 0;
}

static void
free_device(struct softpci *pci)
{
	struct rte_pci_device *pdev = pci->pdev;

	if (pdev == NULL)
		return;
	pci->pdev = NULL;
	rte_intr_instance_free(pdev->intr_handle);
	rte_intr_instance_free(pdev->vfio_req_intr_handle);
	if (pdev->device.devargs != NULL)
		rte_devargs_remove(pdev->device.devargs);
	free(pdev);
}

/* Which driver the device has while it is probed; older releases have a pointer for that. */
static void
set_driver(struct softpci *pci, bool on)
{
#if BUS_GENERIC
	pci->pdev->device.driver = on ? &pci->driver.driver : NULL;
#else
	pci->pdev->driver = on ? &pci->driver : NULL;
	pci->pdev->device.driver = NULL;
#endif
}

static int
probe_with(struct softpci *pci, struct rte_pci_driver *driver)
{
	int rc;

	pci->real_driver = driver;
	pci->driver = *driver;
	pci->driver.remove = wrapped_remove;
	/* The BAR is mapped, and no unplugging may unmap it behind our back. */
	pci->driver.drv_flags &= ~(uint32_t)RTE_PCI_DRV_NEED_MAPPING;
	if (pci->clock_is_virtual)
		softpci_delay_hook(driver);
	set_driver(pci, true);
	rc = driver->probe(&pci->driver, pci->pdev);
	if (rc == 0)
		pci->pdev->device.driver = &pci->driver.driver;
	else
		set_driver(pci, false);
	return rc;
}

int
softpci_bus_attach(struct softpci *pci, const struct softpci_conf *conf, char *err, size_t errlen)
{
	struct rte_bus *bus = pci_bus_get();
	struct rte_pci_driver *driver = NULL;
	bool known = false;
	int rc;

	if (bus == NULL) {
		snprintf(err, errlen, "no PCI bus: load librte_bus_pci");
		return -ENODEV;
	}
	rc = new_device(pci, conf, bus);
	if (rc != 0) {
		snprintf(err, errlen, "cannot make a PCI device: %s", strerror(-rc));
		free_device(pci);
		return rc;
	}
	list_insert(bus, pci->pdev);
	rc = 1;
	while (rc > 0 && (driver = next_driver(bus, driver)) != NULL) {
		if (conf->driver != NULL && strcmp(driver->driver.name, conf->driver) != 0)
			continue;
		known = true;
		if (id_matches(driver, pci->pdev))
			rc = probe_with(pci, driver);
	}
	if (rc == 0) {
		uint16_t port = rte_eth_find_next_of(0, &pci->pdev->device);

		pci->port_id = port;
		return 0;
	}
	if (conf->driver != NULL && !known)
		snprintf(err, errlen, "no PCI driver '%s': load its library with -d", conf->driver);
	else if (rc > 0)
		snprintf(err, errlen, "%s does not take %04x:%04x",
			 conf->driver != NULL ? conf->driver : "any PCI driver",
			 pci->pdev->id.vendor_id, pci->pdev->id.device_id);
	else
		snprintf(err, errlen, "driver %s failed to probe the device: %d (%s)",
			 pci->real_driver->driver.name, rc, strerror(-rc));
	list_remove(bus, pci->pdev);
	free_device(pci);
	return rc > 0 ? -ENODEV : rc;
}

/* What the bus does at hot-unplug. */
int
softpci_bus_detach(struct softpci *pci)
{
	if (pci->pdev == NULL)
		return 0;
	return rte_dev_remove(&pci->pdev->device);
}
