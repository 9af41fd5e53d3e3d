/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interrupts: eventfds that the client set with VFU_DEVICE_SET_IRQS, by VFIO's index: INTx, MSI,
 * MSI-X, and the requests to the client itself (error, release), which this device never makes.
 *
 * A message of a vector that is masked, or that has no eventfd while its index is in use, is kept
 * and sent when the vector opens, as the pending bits of PCI say. Of an index that is not in use it
 * is lost. INTx masks itself when it is sent, and waits for the client to unmask it.
 *
 * All functions are called with the NIC's lock held.
 */
#ifndef VFU_IRQ_H
#define VFU_IRQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/vfio.h>

#include "nic.h"

struct vfu_irq_index {
	bool on; /* the client uses it */
	int fd[NIC_VECTORS];
	uint64_t masked, pending; /* by vector */
};

struct vfu_irq {
	struct vfu_irq_index index[VFIO_PCI_NUM_IRQS];
	bool line; /* INTx is asserted: from a message to the client's unmasking */
	uint64_t sent, kept, lost;
};

void vfu_irq_init(struct vfu_irq *irq);
/* The client is gone: its descriptors are closed. */
void vfu_irq_clear(struct vfu_irq *irq);
/* Reset of the function: nothing is pending; eventfds and masks are the client's. */
void vfu_irq_reset(struct vfu_irq *irq);

/* Vectors of an index, and VFIO_IRQ_INFO_*. */
unsigned int vfu_irq_count(uint32_t index);
uint32_t vfu_irq_flags(uint32_t index);

/*
 * What the client asks for. Descriptors that are kept are replaced by -1 in fds; the others stay
 * the caller's. 0; -EINVAL for what this device does not do; -EPROTO when data or descriptors do
 * not fit the request, or are no eventfds.
 */
int vfu_irq_set(struct vfu_irq *irq, const struct vfio_irq_set *set, const uint8_t *data,
		size_t len, int *fds, unsigned int fd_count);

/* The model sends a message: by MSI-X, MSI (all vectors as one) or INTx, as the client chose. intx:
 * the function's configuration lets it use its pin; if not, the interrupt waits. */
void vfu_irq_message(struct vfu_irq *irq, unsigned int vector, bool intx);
/* The pin may be used: what waited for that goes out. */
void vfu_irq_intx_enabled(struct vfu_irq *irq);
/* Vectors with an eventfd. */
unsigned int vfu_irq_wired(const struct vfu_irq *irq);

#endif /* VFU_IRQ_H */
