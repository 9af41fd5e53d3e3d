/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of softpci share. */
#ifndef SOFTPCI_PRIV_H
#define SOFTPCI_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include <rte_version.h>
#include <bus_driver.h>
#include <bus_pci_driver.h>

#include "softpci.h"

#define DMA_CACHE 64u

struct dma_range {
	uintptr_t start, end;
	uint64_t generation;
	uint64_t iova; /* of start; only used with IOVA as PA */
};

struct softpci {
	unsigned int index;
	struct nic *nic;
	struct nic_clock *clock;
	bool clock_is_virtual;
	enum softpci_doorbell doorbell;

	/* The BAR: one memory, mapped for the model and for the driver. */
	int bar_fd;
	uint8_t *bar_model, *bar_driver;
	size_t bar_size;

	/* The PCI device and a copy of its driver, whose remove() tells us. */
	char name[32];
	struct rte_pci_device *pdev;
	struct rte_pci_driver driver;
	struct rte_pci_driver *real_driver;
	uint16_t port_id;

	/* The interrupts: what EAL wired through VFIO_DEVICE_SET_IRQS. */
	unsigned int vectors;
	int misc_fd;
	int dev_fd; /* also PCI config space, at VFIO's offset */
	atomic_int vector_fd[NIC_VECTORS];
	atomic_bool vectors_on; /* VFIO wired them */
	_Atomic uint64_t msix_lost;

	_Atomic uint64_t trap_ns, trap_reads, trap_writes;
	_Atomic uint64_t page_reads[SOFTPCI_PAGES], page_writes[SOFTPCI_PAGES];
	uint64_t empty_trap_ns;
	struct softpci_stats last; /* when the device was unplugged */

	struct dma_range dma[DMA_CACHE];

	bool poll_run;
	atomic_bool poll_stop;
	pthread_t poll_thread;
};

/* trap.c: the handler knows a BAR between the two calls */
int softpci_trap_add(struct softpci *pci);
void softpci_trap_remove(struct softpci *pci);
void softpci_trap_calibrate(struct softpci *pci);

void softpci_bar_store(struct softpci *pci, uint32_t offset, unsigned int size, uint64_t value);

/* access.c: called around each access; true: the write is kept for later */
bool softpci_access_late(struct softpci *pci, uint32_t offset, unsigned int size, uint64_t value);
void softpci_access_load(struct softpci *pci);
void softpci_access_tell(struct softpci *pci, uint32_t offset, bool done);

/* tsc.c: called in the handler; true: the instruction at *ip was a TSC read, and was done */
bool softpci_tsc_emulate(void *ucontext);
bool softpci_tsc_is_virtual(void);
int softpci_clock_get(struct softpci *pci, bool is_virtual);
void softpci_clock_put(struct softpci *pci);
/* rte_delay_us_sleep() of the driver's library moves the virtual clock. */
void softpci_delay_hook(const struct rte_pci_driver *driver);

/* vfio.c */
int softpci_vfio_init(char *err, size_t errlen);
int softpci_vfio_open(struct softpci *pci, const struct nic_model *model);
void softpci_vfio_close(struct softpci *pci);
void softpci_msix(void *arg, unsigned int vector);

/* got.c: let calls of a function out of the object that holds an address go to another. 0 or
 * -errno; the replaced pointer in *old, unless old is NULL. */
int softpci_got_patch(const void *object, const char *name, void *to, void **old);

/* dma.c */
void softpci_dma_init(void);
void *softpci_dma(void *arg, uint64_t addr, size_t len);

/* pcibus.c */
int softpci_bus_attach(struct softpci *pci, const struct softpci_conf *conf, char *err,
		       size_t errlen);
int softpci_bus_detach(struct softpci *pci);

/* softpci.c: the driver let go of the device */
void softpci_gone(struct softpci *pci);
struct softpci *softpci_by_pdev(const struct rte_pci_device *pdev);
struct softpci *softpci_by_dev_fd(int fd);

#endif /* SOFTPCI_PRIV_H */
