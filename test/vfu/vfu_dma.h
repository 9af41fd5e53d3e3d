/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The guest's memory: what the client mapped for DMA, by bus address.
 *
 * Bus addresses are mirrored in windows of address space, so that a range over several mappings
 * that adjoin is one stretch of memory here too, whatever their files and offsets: under a virtual
 * IOMMU a ring may be of 4 KB pages from anywhere.
 *
 * The functions that change the map, and vfu_dma_get(), are called with the NIC's lock held: so
 * nothing that was unmapped is written to afterwards.
 */
#ifndef VFU_DMA_H
#define VFU_DMA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vfu_proto.h"

#define VFU_ADDRESS_BITS 57u /* of bus addresses: five levels of page tables */
#define VFU_WINDOW (UINT64_C(1) << 30)
/* The first bytes of the next window are in a window too: a range of up to this length that starts
 * in a window ends in it. No ring and no buffer of a model is longer. */
#define VFU_WINDOW_TAIL (UINT64_C(1) << 20)
#define VFU_WINDOWS 256u

struct vfu_map {
	uint64_t address, size;
	uint32_t flags; /* VFIO_DMA_MAP_FLAG_*; none: memory that only the client can reach */
};

struct vfu_window {
	_Atomic(uint8_t *) base; /* NULL: a free slot */
	uint64_t key;		 /* address / VFU_WINDOW */
	unsigned int parts;	 /* of mappings in it */
};

struct vfu_dma {
	struct vfu_map *maps; /* by address */
	size_t count, room;
	struct vfu_window windows[VFU_WINDOWS];
	unsigned int last; /* window that was used last */
	uint64_t refused;  /* ranges that are not the guest's to give */
	/* Memory that was mapped is not there any more: the file was cut (vfu_guard.c). */
	atomic_bool lost;
	int lost_fd; /* an eventfd that says so, or -1 */
};

/* 0 or a negative errno. */
int vfu_dma_init(struct vfu_dma *dma);
void vfu_dma_fini(struct vfu_dma *dma);

/*
 * The descriptor stays the caller's; -1: the client keeps this memory to itself, and DMA to it is
 * refused. 0, or -EINVAL (not whole pages, beyond the file's end, no file with pages of 4 KB),
 * -EEXIST (overlaps a mapping), -ENOSPC (too many mappings or too scattered), or mmap()'s errno.
 */
int vfu_dma_map(struct vfu_dma *dma, const struct vfu_dma_map_request *map, int fd);
/* What lies wholly within the range goes; none at all is no error. -EINVAL, and nothing goes, when
 * a mapping would be cut. */
int vfu_dma_unmap(struct vfu_dma *dma, uint64_t address, uint64_t size);
void vfu_dma_clear(struct vfu_dma *dma);

/* Memory at a bus address, NULL when any byte of it is not mapped with these flags. */
void *vfu_dma_get(struct vfu_dma *dma, uint64_t address, size_t len, uint32_t flags);

/*
 * vfu_guard.c: a client may cut a file that it gave for mapping, and a host may run out of memory
 * for it; either raises SIGBUS at the next access. The handler puts a page of zeros there, sets
 * vfu_dma.lost and wakes lost_fd. Install again if somebody else took the signal.
 */
int vfu_guard_install(void);
int vfu_guard_add(struct vfu_dma *dma);
void vfu_guard_remove(struct vfu_dma *dma);

#endif /* VFU_DMA_H */
