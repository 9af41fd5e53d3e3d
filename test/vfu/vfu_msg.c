/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages: what each command of the protocol does.
 *
 * What is no message at all (lengths that contradict each other, descriptors that do not belong) is
 * told from what merely cannot be done: the one ends the connection, the other is an error reply.
 */
#include "vfu.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

/* Regions up to the VGA one and interrupts up to the requests: as vfio-pci counts them. */
#define REGIONS VFIO_PCI_NUM_REGIONS
#define IRQS VFIO_PCI_NUM_IRQS

struct message {
	struct vfu *vfu;
	const struct vfu_header *header;
	const uint8_t *payload;
	size_t len;
	int *fds;
	unsigned int fd_count;
	struct vfu_reply *reply;
	int error;	 /* for the reply */
	const char *why; /* the connection ends */
};

/* The fixed part of a payload. False: it is not there. */
static bool
take(struct message *m, void *to, size_t len)
{
	if (m->len < len) {
		m->why = "a message shorter than its command needs";
		return false;
	}
	memcpy(to, m->payload, len);
	return true;
}

static void
answer(struct message *m, const void *data, size_t len)
{
	memcpy(m->reply->data, data, len);
	m->reply->len = len;
}

static bool
json_ok(const char *text, size_t len)
{
	json_t *json;

	if (len == 0)
		return true;
	if (text[len - 1] != '\0')
		return false;
	json = json_loads(text, 0, NULL);
	if (json == NULL)
		return false;
	json_decref(json);
	return true;
}

static void
version(struct message *m)
{
	static const char capabilities[] =
	    "{\"capabilities\":{\"max_msg_fds\":16,\"max_data_xfer_size\":16384,"
	    "\"max_dma_maps\":32768,\"pgsizes\":4096}}";
	struct vfu_version v;
	uint8_t data[sizeof(v) + sizeof(capabilities)];

	static_assert(VFU_FDS_MAX == 16 && VFU_DATA_MAX == 16384 && VFU_MAPS_MAX == 32768 &&
			  VFU_PAGE == 4096,
		      "capabilities");
	if (!take(m, &v, sizeof(v)))
		return;
	if (!json_ok((const char *)m->payload + sizeof(v), m->len - sizeof(v))) {
		m->error = EINVAL;
		m->why = "capabilities that are no JSON text";
		return;
	}
	if (m->vfu->negotiated) {
		m->error = EINVAL;
		return;
	}
	if (v.major != 0) {
		m->error = ENOTSUP;
		m->why = "a protocol version that is not 0.x";
		return;
	}
	vfu_connect(m->vfu);
	v.minor = 0;
	memcpy(data, &v, sizeof(v));
	memcpy(data + sizeof(v), capabilities, sizeof(capabilities));
	answer(m, data, sizeof(data));
}

static void
dma_map(struct message *m)
{
	struct vfu_dma_map_request map;

	if (!take(m, &map, sizeof(map)))
		return;
	if (m->fd_count > 1) {
		m->why = "more than one descriptor for one mapping";
		return;
	}
	nic_lock(m->vfu->nic);
	m->error = -vfu_dma_map(&m->vfu->dma, &map, m->fd_count == 1 ? m->fds[0] : -1);
	nic_unlock(m->vfu->nic);
	if (m->error == 0) {
		m->vfu->stats.dma_maps++;
		return;
	}
	if (!m->vfu->map_warned)
		nic_log("vfu-nic: %s: DMA map of 0x%jx bytes at 0x%jx refused: %s%s; later ones "
			"are only counted",
			m->vfu->name, (uintmax_t)map.size, (uintmax_t)map.address,
			strerror(m->error),
			m->error == EINVAL ? " (whole 4 KB pages within a regular file are needed)"
					   : "");
	m->vfu->map_warned = true;
}

static void
dma_unmap(struct message *m)
{
	struct vfu_dma_unmap_request unmap;

	if (!take(m, &unmap, sizeof(unmap)))
		return;
	if ((unmap.flags & ~(uint32_t)VFIO_DMA_UNMAP_FLAG_ALL) != 0 ||
	    (unmap.flags != 0 && (unmap.address | unmap.size) != 0)) {
		m->error = EINVAL;
		return;
	}
	nic_lock(m->vfu->nic);
	if (unmap.flags != 0)
		vfu_dma_clear(&m->vfu->dma);
	else
		m->error = -vfu_dma_unmap(&m->vfu->dma, unmap.address, unmap.size);
	nic_unlock(m->vfu->nic);
	m->vfu->stats.dma_unmaps += m->error == 0;
	answer(m, &unmap, sizeof(unmap));
}

static void
device_info(struct message *m)
{
	struct vfu_device_info info;

	if (!take(m, &info, sizeof(info)))
		return;
	if (info.argsz < sizeof(info)) {
		m->error = EINVAL;
		return;
	}
	info = (struct vfu_device_info){.argsz = sizeof(info),
					.flags = VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET,
					.num_regions = REGIONS,
					.num_irqs = IRQS};
	answer(m, &info, sizeof(info));
}

static void
region_info(struct message *m)
{
	struct vfio_region_info info;
	uint64_t size;

	if (!take(m, &info, sizeof(info)))
		return;
	if (info.argsz < sizeof(info) || info.index >= REGIONS) {
		m->error = EINVAL;
		return;
	}
	size = vfu_region_size(m->vfu, info.index);
	info = (struct vfio_region_info){
	    .argsz = sizeof(info),
	    .index = info.index,
	    .size = size,
	    .flags = size != 0 ? VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE : 0};
	answer(m, &info, sizeof(info));
}

static void
irq_info(struct message *m)
{
	struct vfio_irq_info info;

	if (!take(m, &info, sizeof(info)))
		return;
	if (info.argsz < sizeof(info) || info.index >= IRQS) {
		m->error = EINVAL;
		return;
	}
	info = (struct vfio_irq_info){.argsz = sizeof(info),
				      .flags = vfu_irq_flags(info.index),
				      .index = info.index,
				      .count = vfu_irq_count(info.index)};
	answer(m, &info, sizeof(info));
}

static void
set_irqs(struct message *m)
{
	struct vfio_irq_set set;
	int rc;

	if (!take(m, &set, sizeof(set)))
		return;
	nic_lock(m->vfu->nic);
	rc = vfu_irq_set(&m->vfu->irq, &set, m->payload + sizeof(set), m->len - sizeof(set), m->fds,
			 m->fd_count);
	nic_unlock(m->vfu->nic);
	m->error = rc == -EPROTO ? EINVAL : -rc;
	if (rc == -EPROTO)
		m->why = "data or descriptors that do not fit an interrupt request";
}

static void
region_read(struct message *m)
{
	struct vfu_region_access access;

	if (!take(m, &access, sizeof(access)))
		return;
	if (access.count > VFU_DATA_MAX) {
		m->error = EINVAL;
		m->why = "a read of more than max_data_xfer_size";
		return;
	}
	m->error = -vfu_region_read(m->vfu, access.region, access.offset,
				    m->reply->data + sizeof(access), access.count);
	if (m->error != 0)
		return;
	memcpy(m->reply->data, &access, sizeof(access));
	m->reply->len = sizeof(access) + access.count;
}

static void
region_write(struct message *m)
{
	struct vfu_region_access access;

	if (!take(m, &access, sizeof(access)))
		return;
	if (access.count != m->len - sizeof(access)) {
		m->error = EINVAL;
		m->why = "a write whose count is not the length of its data";
		return;
	}
	m->error = -vfu_region_write(m->vfu, access.region, access.offset,
				     m->payload + sizeof(access), access.count);
	answer(m, &access, sizeof(access));
}

static void
device_reset(struct message *m)
{
	vfu_reset(m->vfu);
}

static const struct {
	void (*fn)(struct message *m);
	bool fds; /* descriptors may come with it */
} commands[VFU_COMMANDS] = {
    [VFU_VERSION] = {version, false},
    [VFU_DMA_MAP] = {dma_map, true},
    [VFU_DMA_UNMAP] = {dma_unmap, false},
    [VFU_DEVICE_GET_INFO] = {device_info, false},
    [VFU_DEVICE_GET_REGION_INFO] = {region_info, false},
    [VFU_DEVICE_GET_IRQ_INFO] = {irq_info, false},
    [VFU_DEVICE_SET_IRQS] = {set_irqs, true},
    [VFU_REGION_READ] = {region_read, false},
    [VFU_REGION_WRITE] = {region_write, false},
    [VFU_DEVICE_RESET] = {device_reset, false},
};

static void
dispatch(struct message *m)
{
	uint16_t command = m->header->command;

	if ((m->header->flags & VFU_FLAG_TYPE) != 0) {
		m->why = "a reply, where only commands come";
		m->reply->wanted = false;
	} else if (!m->vfu->negotiated && command != VFU_VERSION) {
		m->error = EINVAL;
		m->why = "a command before the version";
	} else if (command >= VFU_COMMANDS || commands[command].fn == NULL) {
		m->error = ENOTSUP;
	} else if (m->fd_count != 0 && !commands[command].fds) {
		m->error = EINVAL;
		m->why = "descriptors with a command that takes none";
	} else {
		commands[command].fn(m);
	}
}

const char *
vfu_message(struct vfu *vfu, const struct vfu_header *header, const void *payload, int *fds,
	    unsigned int fd_count, struct vfu_reply *reply)
{
	struct message m = {.vfu = vfu,
			    .header = header,
			    .payload = payload,
			    .len = header->size - sizeof(*header),
			    .fds = fds,
			    .fd_count = fd_count,
			    .reply = reply};
	unsigned int i;

	vfu->stats.messages++;
	reply->wanted = (header->flags & VFU_FLAG_NO_REPLY) == 0;
	reply->len = 0;
	dispatch(&m);
	for (i = 0; i < fd_count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (m.why != NULL && m.error == 0)
		m.error = EINVAL;
	if (m.error != 0) {
		/* The header only: no data goes with an error. */
		reply->len = 0;
		vfu->stats.errors++;
	}
	vfu->stats.rejected += m.why != NULL;
	reply->header = (struct vfu_header){
	    .id = header->id,
	    .command = header->command,
	    .size = (uint32_t)(sizeof(*header) + reply->len),
	    .flags = VFU_FLAG_REPLY | (m.error != 0 ? VFU_FLAG_ERROR : 0),
	    .error = (uint32_t)m.error,
	};
	return m.why;
}
