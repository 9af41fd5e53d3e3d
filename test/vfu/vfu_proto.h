/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of the vfio-user protocol, version 0.0, as QEMU documents it (docs/interop/vfio-user):
 * a header and, in the host's byte order, what the VFIO ioctl of the same name takes. Structures
 * that are VFIO's own come from <linux/vfio.h>.
 */
#ifndef VFU_PROTO_H
#define VFU_PROTO_H

#include <assert.h>
#include <stdint.h>

#include <linux/vfio.h>

enum vfu_command {
	VFU_VERSION = 1,
	VFU_DMA_MAP = 2,
	VFU_DMA_UNMAP = 3,
	VFU_DEVICE_GET_INFO = 4,
	VFU_DEVICE_GET_REGION_INFO = 5,
	VFU_DEVICE_GET_REGION_IO_FDS = 6,
	VFU_DEVICE_GET_IRQ_INFO = 7,
	VFU_DEVICE_SET_IRQS = 8,
	VFU_REGION_READ = 9,
	VFU_REGION_WRITE = 10,
	VFU_DEVICE_RESET = 13,
	VFU_COMMANDS = 32, /* more than there are */
};

struct vfu_header {
	uint16_t id;
	uint16_t command;
	uint32_t size; /* with the header */
	uint32_t flags;
	uint32_t error; /* errno, in a reply with VFU_FLAG_ERROR */
};
static_assert(sizeof(struct vfu_header) == 16, "header");

#define VFU_FLAG_TYPE 0xFu
#define VFU_FLAG_REPLY 0x1u
#define VFU_FLAG_NO_REPLY 0x10u
#define VFU_FLAG_ERROR 0x20u

struct vfu_version {
	uint16_t major;
	uint16_t minor;
	/* JSON text, NUL-terminated, may be missing */
};

struct vfu_dma_map_request {
	uint32_t argsz;
	uint32_t flags; /* VFIO_DMA_MAP_FLAG_READ, _WRITE */
	uint64_t offset;
	uint64_t address;
	uint64_t size;
};
static_assert(sizeof(struct vfu_dma_map_request) == 32, "DMA map");

struct vfu_dma_unmap_request {
	uint32_t argsz;
	uint32_t flags; /* VFIO_DMA_UNMAP_FLAG_ALL */
	uint64_t address;
	uint64_t size;
};
static_assert(sizeof(struct vfu_dma_unmap_request) == 24, "DMA unmap");

/* struct vfio_device_info without what newer kernels append. */
struct vfu_device_info {
	uint32_t argsz;
	uint32_t flags;
	uint32_t num_regions;
	uint32_t num_irqs;
};

struct vfu_region_access {
	uint64_t offset;
	uint32_t region;
	uint32_t count;
};
static_assert(sizeof(struct vfu_region_access) == 16, "region access");

/* What this server takes, as it tells the client. */
#define VFU_FDS_MAX 16u
#define VFU_DATA_MAX 16384u
#define VFU_MAPS_MAX 32768u
#define VFU_PAGE 4096u
#define VFU_PAYLOAD_MAX (sizeof(struct vfu_region_access) + VFU_DATA_MAX)

#endif /* VFU_PROTO_H */
