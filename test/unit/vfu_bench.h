/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bench for tests of the vfio-user server: a device in virtual time, a client at the other end
 * of a socket pair, and guest memory in a memory file. One thread plays both ends.
 */
#ifndef VFU_BENCH_H
#define VFU_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ixgbe_desc.h"
#include "ixgbe_regs.h"
#include "vfu.h"
#include "vfu_conn.h"

#define VB_MEM (4u << 20)	     /* the guest's memory */
#define VB_BUS UINT64_C(0x100000000) /* where it is mapped for DMA */
#define VB_RW (VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE)
#define VB_GONE (-1) /* the server cut the client off */

struct vb {
	struct nic_clock *clock;
	struct vfu *vfu;
	struct vfu_conn *conn; /* NULL: none */
	int fd;		       /* the client's end */
	int memfd;
	uint8_t *mem;
	uint16_t id;
	/* The last reply's payload. */
	uint8_t data[VFU_PAYLOAD_MAX];
	size_t len;
};

struct vb *vb_open(const char *model);
void vb_close(struct vb *b);
/* A client comes and agrees on the version; the one before must be gone. */
void vb_connect(struct vb *b);
/* The same, without a word. */
void vb_connect_silently(struct vb *b);
void vb_disconnect(struct vb *b);
/* Let the server read what was sent; false: it cut the client off. */
bool vb_serve(struct vb *b);
/* Bytes and descriptors as they are. */
void vb_send(struct vb *b, const void *bytes, size_t len, const int *fds, unsigned int fd_count);
/* A message and its reply: 0, the errno of the reply, or VB_GONE. */
int vb_call(struct vb *b, uint16_t command, const void *payload, size_t len, const int *fds,
	    unsigned int fd_count);

int vb_map(struct vb *b, uint64_t bus, uint64_t size, uint64_t offset, uint32_t flags, int fd);
int vb_unmap(struct vb *b, uint64_t bus, uint64_t size);
int vb_read(struct vb *b, uint32_t region, uint64_t offset, void *data, uint32_t len);
int vb_write(struct vb *b, uint32_t region, uint64_t offset, const void *data, uint32_t len);
uint32_t vb_config(struct vb *b, uint32_t offset, unsigned int bytes);
void vb_config_set(struct vb *b, uint32_t offset, uint32_t value, unsigned int bytes);
uint32_t vb_reg(struct vb *b, uint32_t offset);
void vb_reg_set(struct vb *b, uint32_t offset, uint32_t value);
/* Offset of a capability, 0: not there. */
uint32_t vb_capability(struct vb *b, uint8_t id);
/* flags, count and start of an interrupt request; fds as many as fd_count. */
int vb_irqs(struct vb *b, uint32_t index, uint32_t flags, uint32_t start, uint32_t count,
	    const int *fds, unsigned int fd_count);
/* An eventfd that is set as the eventfd of a vector. */
int vb_irq(struct vb *b, uint32_t index, uint32_t vector);
/* Times it was signalled since the last look. */
uint64_t vb_irq_count(int fd);

/* Memory space and bus master on, all of the memory mapped at VB_BUS. */
void vb_enable(struct vb *b);
/* Receive queue 0 with 64 descriptors at a bus address, buffers of 2 KB from another on; receiver
 * on; vector 1 for the queue, unmasked. */
void vb_rx_start(struct vb *b, uint64_t ring, uint64_t buffers);
/* A frame of 64 bytes comes from the wire: what nic_inject() says. */
int vb_frame(struct vb *b, uint8_t fill);

#endif /* VFU_BENCH_H */
