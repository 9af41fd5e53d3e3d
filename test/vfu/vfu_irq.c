/* SPDX-License-Identifier: BSD-3-Clause */
#include "vfu_irq.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
	unsigned int count;
	uint32_t flags;
} kinds[VFIO_PCI_NUM_IRQS] = {
    [VFIO_PCI_INTX_IRQ_INDEX] = {1, VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_MASKABLE |
					VFIO_IRQ_INFO_AUTOMASKED},
    [VFIO_PCI_MSI_IRQ_INDEX] = {1, VFIO_IRQ_INFO_EVENTFD},
    [VFIO_PCI_MSIX_IRQ_INDEX] = {NIC_VECTORS, VFIO_IRQ_INFO_EVENTFD},
    [VFIO_PCI_ERR_IRQ_INDEX] = {1, VFIO_IRQ_INFO_EVENTFD},
    [VFIO_PCI_REQ_IRQ_INDEX] = {1, VFIO_IRQ_INFO_EVENTFD},
};

unsigned int
vfu_irq_count(uint32_t index)
{
	return index < VFIO_PCI_NUM_IRQS ? kinds[index].count : 0;
}

uint32_t
vfu_irq_flags(uint32_t index)
{
	return index < VFIO_PCI_NUM_IRQS ? kinds[index].flags : 0;
}

void
vfu_irq_init(struct vfu_irq *irq)
{
	unsigned int i, v;

	memset(irq, 0, sizeof(*irq));
	for (i = 0; i < VFIO_PCI_NUM_IRQS; i++)
		for (v = 0; v < NIC_VECTORS; v++)
			irq->index[i].fd[v] = -1;
}

static void
index_off(struct vfu_irq_index *index)
{
	unsigned int v;

	for (v = 0; v < NIC_VECTORS; v++) {
		if (index->fd[v] >= 0)
			close(index->fd[v]);
		index->fd[v] = -1;
	}
	index->on = false;
	index->masked = index->pending = 0;
}

void
vfu_irq_clear(struct vfu_irq *irq)
{
	unsigned int i;

	for (i = 0; i < VFIO_PCI_NUM_IRQS; i++)
		index_off(&irq->index[i]);
	irq->line = false;
}

void
vfu_irq_reset(struct vfu_irq *irq)
{
	unsigned int i;

	for (i = 0; i < VFIO_PCI_NUM_IRQS; i++)
		irq->index[i].pending = 0;
	irq->line = false;
}

static void
raise_vector(struct vfu_irq *irq, uint32_t index, unsigned int vector)
{
	struct vfu_irq_index *x = &irq->index[index];
	uint64_t bit = UINT64_C(1) << vector, one = 1;

	if (!x->on) {
		irq->lost++;
		return;
	}
	if ((x->masked & bit) != 0 || x->fd[vector] < 0) {
		x->pending |= bit;
		irq->kept++;
		return;
	}
	if (kinds[index].flags & VFIO_IRQ_INFO_AUTOMASKED) {
		x->masked |= bit;
		irq->line = true;
	}
	/* A counter that is full was not read: the client knows of an interrupt. */
	if (write(x->fd[vector], &one, sizeof(one)) == (ssize_t)sizeof(one) || errno == EAGAIN)
		irq->sent++;
	else
		irq->lost++;
}

void
vfu_irq_message(struct vfu_irq *irq, unsigned int vector, bool intx)
{
	if (irq->index[VFIO_PCI_MSIX_IRQ_INDEX].on)
		raise_vector(irq, VFIO_PCI_MSIX_IRQ_INDEX, vector);
	else if (irq->index[VFIO_PCI_MSI_IRQ_INDEX].on)
		raise_vector(irq, VFIO_PCI_MSI_IRQ_INDEX, 0);
	else if (intx)
		raise_vector(irq, VFIO_PCI_INTX_IRQ_INDEX, 0);
	else if (irq->index[VFIO_PCI_INTX_IRQ_INDEX].on) {
		irq->index[VFIO_PCI_INTX_IRQ_INDEX].pending = 1;
		irq->kept++;
	} else
		irq->lost++;
}

unsigned int
vfu_irq_wired(const struct vfu_irq *irq)
{
	unsigned int v, n = 0;

	for (v = 0; v < NIC_VECTORS; v++)
		n += irq->index[VFIO_PCI_MSIX_IRQ_INDEX].fd[v] >= 0;
	return n;
}

/* A vector opened: what waited goes out. */
static void
open_vector(struct vfu_irq *irq, uint32_t index, unsigned int vector)
{
	struct vfu_irq_index *x = &irq->index[index];
	uint64_t bit = UINT64_C(1) << vector;

	if ((x->pending & bit) != 0 && (x->masked & bit) == 0 && x->fd[vector] >= 0) {
		x->pending &= ~bit;
		raise_vector(irq, index, vector);
	}
}

void
vfu_irq_intx_enabled(struct vfu_irq *irq)
{
	open_vector(irq, VFIO_PCI_INTX_IRQ_INDEX, 0);
}

/* Anything else might block a writer, who holds the NIC's lock. */
static bool
is_eventfd(int fd)
{
	char path[32], link[32];
	int flags = fcntl(fd, F_GETFL);
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0 || flags < 0)
		return false;
	link[n] = '\0';
	return strcmp(link, "anon_inode:[eventfd]") == 0 &&
	       ((flags & O_NONBLOCK) != 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0);
}

static int
set_eventfds(struct vfu_irq *irq, const struct vfio_irq_set *set, int *fds, unsigned int fd_count)
{
	struct vfu_irq_index *x = &irq->index[set->index];
	unsigned int i;

	/* As many as vectors, or none, which takes them away. */
	if (fd_count != 0 && fd_count != set->count)
		return -EPROTO;
	for (i = 0; i < fd_count; i++)
		if (!is_eventfd(fds[i]))
			return -EPROTO;
	if (set->count == 0)
		return -EINVAL;
	x->on = true;
	for (i = 0; i < set->count; i++) {
		unsigned int v = set->start + i;

		if (x->fd[v] >= 0)
			close(x->fd[v]);
		x->fd[v] = -1;
		if (fd_count != 0) {
			x->fd[v] = fds[i];
			fds[i] = -1;
			open_vector(irq, set->index, v);
		}
	}
	return 0;
}

static void
act(struct vfu_irq *irq, uint32_t action, uint32_t index, unsigned int vector)
{
	uint64_t bit = UINT64_C(1) << vector;

	switch (action) {
	case VFIO_IRQ_SET_ACTION_MASK:
		irq->index[index].masked |= bit;
		break;
	case VFIO_IRQ_SET_ACTION_UNMASK:
		irq->index[index].masked &= ~bit;
		irq->line &= index != VFIO_PCI_INTX_IRQ_INDEX;
		open_vector(irq, index, vector);
		break;
	default:
		raise_vector(irq, index, vector);
		break;
	}
}

int
vfu_irq_set(struct vfu_irq *irq, const struct vfio_irq_set *set, const uint8_t *data, size_t len,
	    int *fds, unsigned int fd_count)
{
	uint32_t type = set->flags & VFIO_IRQ_SET_DATA_TYPE_MASK;
	uint32_t action = set->flags & VFIO_IRQ_SET_ACTION_TYPE_MASK;
	unsigned int i;

	if (type != VFIO_IRQ_SET_DATA_EVENTFD && fd_count != 0)
		return -EPROTO;
	if (len != (type == VFIO_IRQ_SET_DATA_BOOL ? set->count : 0))
		return -EPROTO;
	/* One of each kind of flag, and a range of vectors that are there. */
	if ((set->flags & ~(VFIO_IRQ_SET_DATA_TYPE_MASK | VFIO_IRQ_SET_ACTION_TYPE_MASK)) != 0 ||
	    type == 0 || (type & (type - 1)) != 0 || action == 0 || (action & (action - 1)) != 0)
		return -EINVAL;
	if (set->start > vfu_irq_count(set->index) ||
	    set->count > vfu_irq_count(set->index) - set->start)
		return -EINVAL;
	if (vfu_irq_count(set->index) == 0)
		return -EINVAL;
	if (type == VFIO_IRQ_SET_DATA_EVENTFD)
		return action == VFIO_IRQ_SET_ACTION_TRIGGER
			   ? set_eventfds(irq, set, fds, fd_count)
			   : -EINVAL; /* masks told by eventfd: for kernels that bypass the client
				       */
	if (set->count == 0) {
		if (type != VFIO_IRQ_SET_DATA_NONE || action != VFIO_IRQ_SET_ACTION_TRIGGER ||
		    set->start != 0)
			return -EINVAL;
		index_off(&irq->index[set->index]);
		irq->line &= set->index != VFIO_PCI_INTX_IRQ_INDEX;
		return 0;
	}
	for (i = 0; i < set->count; i++)
		if (type == VFIO_IRQ_SET_DATA_NONE || data[i] != 0)
			act(irq, action, set->index, set->start + i);
	return 0;
}
