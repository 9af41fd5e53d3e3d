/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of VFIO that EAL uses on a device it has opened: eventfds for MSI-X vectors, set with
 * an ioctl, and PCI config space, read from the device's file. The file is a memory file of ours;
 * EAL's ioctl() is redirected, and answers for our files only.
 */
#include "softpci_priv.h"

#include <errno.h>
#include <linux/vfio.h>
#include <stdarg.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_interrupts.h>

/* Where vfio-pci puts config space in the device's file; EAL has it compiled in. */
#define CONFIG_OFFSET ((off_t)VFIO_PCI_CONFIG_REGION_INDEX << 40)
#define CONFIG_SIZE 4096u

typedef int (*ioctl_fn)(int fd, unsigned long request, ...);

static ioctl_fn real_ioctl;
static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;

void
softpci_msix(void *arg, unsigned int vector)
{
	struct softpci *pci = arg;
	int fd = atomic_load_explicit(&pci->vector_fd[vector], memory_order_acquire);
	uint64_t one = 1;

	if (fd < 0 || write(fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
		atomic_fetch_add_explicit(&pci->msix_lost, 1, memory_order_relaxed);
}

static int
set_irqs(struct softpci *pci, const struct vfio_irq_set *set)
{
	unsigned int i;

	/* Device request and error notifications: there is nothing to tell. */
	if (set->index == VFIO_PCI_REQ_IRQ_INDEX || set->index == VFIO_PCI_ERR_IRQ_INDEX)
		return 0;
	/* one line or one message, which is vector 0; masking is the application's wish */
	if (set->index != VFIO_PCI_MSIX_IRQ_INDEX && !(set->flags & VFIO_IRQ_SET_ACTION_TRIGGER))
		return 0;
	if (set->start + set->count > pci->vectors) {
		errno = ENOSPC; /* the kernel has no more */
		return -1;
	}
	if (set->index > VFIO_PCI_MSIX_IRQ_INDEX ||
	    (uint64_t)set->start + set->count > NIC_VECTORS ||
	    !(set->flags & VFIO_IRQ_SET_ACTION_TRIGGER)) {
		errno = EINVAL;
		return -1;
	}
	switch (set->flags & VFIO_IRQ_SET_DATA_TYPE_MASK) {
	case VFIO_IRQ_SET_DATA_NONE:
		if (set->count == 0) {
			if (!atomic_exchange(&pci->vectors_on, false)) {
				errno = EINVAL; /* as vfio-pci: nothing to disable */
				return -1;
			}
			for (i = 0; i < NIC_VECTORS; i++)
				atomic_store(&pci->vector_fd[i], -1);
		}
		for (i = 0; i < set->count; i++)
			softpci_msix(pci, set->start + i);
		return 0;
	case VFIO_IRQ_SET_DATA_EVENTFD:
		atomic_store(&pci->vectors_on, true);
		for (i = 0; i < set->count; i++) {
			int32_t fd;

			memcpy(&fd, set->data + i * sizeof(fd), sizeof(fd));
			atomic_store_explicit(&pci->vector_fd[set->start + i], fd,
					      memory_order_release);
		}
		return 0;
	default:
		errno = EINVAL;
		return -1;
	}
}

static int
our_ioctl(int fd, unsigned long request, ...)
{
	struct softpci *pci;
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (request == VFIO_DEVICE_SET_IRQS) {
		pci = softpci_by_dev_fd(fd);
		if (pci != NULL)
			return set_irqs(pci, arg);
	}
	return real_ioctl(fd, request, arg);
}

int
softpci_vfio_init(char *err, size_t errlen)
{
	int rc = 0;

	pthread_mutex_lock(&init_lock);
	if (real_ioctl == NULL) {
		void *old = NULL;

		/* Set first: another thread's call may come through at once. */
		real_ioctl = ioctl;
		rc = softpci_got_patch((const void *)(uintptr_t)rte_intr_enable, "ioctl",
				       (void *)(uintptr_t)our_ioctl, &old);
		if (rc != 0) {
			real_ioctl = NULL;
			snprintf(err, errlen,
				 "cannot find EAL's call of ioctl(): interrupts would not work");
		} else if (old != NULL) {
			real_ioctl = (ioctl_fn)(uintptr_t)old;
		}
	}
	pthread_mutex_unlock(&init_lock);
	return rc;
}

static void
put16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)value;
	p[1] = (uint8_t)(value >> 8);
}

/* PCI Local Bus 3.0, 6.1; PCI Express base, 7.8; MSI-X table in BAR 3, as on the 82599. */
static void
fill_config(uint8_t *c, const struct nic_model *model)
{
	put16(c + 0x00, model->vendor_id);
	put16(c + 0x02, model->device_id);
	put16(c + 0x04, 0x0406); /* memory, bus master, INTx off */
	put16(c + 0x06, 0x0010); /* capabilities */
	c[0x08] = model->revision;
	put16(c + 0x0A, 0x0200); /* Ethernet */
	put16(c + 0x2C, model->vendor_id);
	put16(c + 0x2E, 0x0003);
	c[0x34] = 0x70;
	c[0x70] = 0x11; /* MSI-X */
	c[0x71] = 0xA0;
	put16(c + 0x72, 0x8000 | (NIC_VECTORS - 1));
	c[0x74] = 0x03;
	put16(c + 0x78, 0x2003);
	c[0xA0] = 0x10; /* PCI Express endpoint, version 2 */
	c[0xA1] = 0x00;
	put16(c + 0xA2, 0x0002);
	put16(c + 0xB2, 0x1082); /* link: 5 GT/s, eight lanes */
}

int
softpci_vfio_open(struct softpci *pci, const struct nic_model *model)
{
	uint8_t config[CONFIG_SIZE] = {0};
	unsigned int i;

	for (i = 0; i < NIC_VECTORS; i++)
		atomic_store(&pci->vector_fd[i], -1);
	pci->misc_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	pci->dev_fd = memfd_create("softpci-config", MFD_CLOEXEC);
	if (pci->misc_fd < 0 || pci->dev_fd < 0)
		return -errno;
	fill_config(config, model);
	if (pwrite(pci->dev_fd, config, sizeof(config), CONFIG_OFFSET) != (ssize_t)sizeof(config))
		return -EIO;
	return 0;
}

void
softpci_vfio_close(struct softpci *pci)
{
	if (pci->misc_fd >= 0)
		close(pci->misc_fd);
	if (pci->dev_fd >= 0)
		close(pci->dev_fd);
	pci->misc_fd = pci->dev_fd = -1;
}
