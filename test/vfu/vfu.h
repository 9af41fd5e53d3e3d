/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A software NIC as a PCI function of a virtual machine: its regions, interrupts and memory as VFIO
 * sees them. What a client asks for comes in as messages (vfu_msg.c), from a socket or from a test;
 * frames and timers come from the NIC's own threads. Functions are for one thread.
 */
#ifndef VFU_H
#define VFU_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nic.h"
#include "vfu_config.h"
#include "vfu_dma.h"
#include "vfu_irq.h"
#include "vfu_proto.h"
#include "wire.h"

struct vfu_conf {
	const char *name;    /* for log lines; copied */
	struct nic_conf nic; /* host and bar are set by vfu_create() */
	const char *wire;    /* NULL: none */
};

/* What a client did, since the start or vfu_stats_reset(). */
struct vfu_stats {
	uint64_t clients;
	uint64_t messages;
	uint64_t errors;   /* of these, answered with an error */
	uint64_t rejected; /* clients that sent what is no message */
	uint64_t resets;
	uint64_t region_reads, region_writes;
	uint64_t dma_maps, dma_unmaps;
};

struct vfu {
	char name[128];
	struct nic *nic;
	struct vfu_config config;
	struct vfu_dma dma;
	struct vfu_irq irq;
	uint8_t msix_table[NIC_VECTORS * 16];
	/* Copies of bits of the configuration space, for the NIC's threads. */
	atomic_bool master, intx;
	bool map_warned; /* of a mapping that was refused, once a client */
	bool negotiated; /* a client is there, and the version is agreed on */
	struct vfu_stats stats;
};

/* NULL, and a line in err; errno is EINVAL when the wire's name is wrong. */
struct vfu *vfu_create(const struct vfu_conf *conf, char *err, size_t errlen);
void vfu_destroy(struct vfu *vfu);

/* A client said its version: a card that was pulled out is in its slot again, as after power-on. */
void vfu_connect(struct vfu *vfu);
/* The client went: no DMA, no message any more; the wire stays. */
void vfu_disconnect(struct vfu *vfu);
/* Reset of the function. Nothing happens to a card that was pulled out. */
void vfu_reset(struct vfu *vfu);

/* Bytes of a region of VFIO's, 0: there is none. */
uint64_t vfu_region_size(const struct vfu *vfu, uint32_t region);
/* -EINVAL beyond the region's end. BAR accesses while memory space is off, and any while the card
 * is pulled out, find nobody: all ones, and writes go nowhere. */
int vfu_region_read(struct vfu *vfu, uint32_t region, uint64_t offset, void *data, uint32_t len);
int vfu_region_write(struct vfu *vfu, uint32_t region, uint64_t offset, const void *data,
		     uint32_t len);

void vfu_stats_reset(struct vfu *vfu);

struct vfu_reply {
	bool wanted;
	struct vfu_header header;
	size_t len; /* of data */
	uint8_t data[VFU_PAYLOAD_MAX];
};

/*
 * Carry out a message: its header, header->size - 16 bytes of payload, and descriptors, each of
 * which is kept or closed. NULL; or a line that says why this client is not to be listened to any
 * more, with a reply to send before it is cut off if reply->wanted.
 */
const char *vfu_message(struct vfu *vfu, const struct vfu_header *header, const void *payload,
			int *fds, unsigned int fd_count, struct vfu_reply *reply);

#endif /* VFU_H */
