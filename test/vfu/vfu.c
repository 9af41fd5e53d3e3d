/* SPDX-License-Identifier: BSD-3-Clause */
#include "vfu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/pci_regs.h>

/* With the NIC's lock held. */
static void *
host_dma(void *arg, uint64_t addr, size_t len)
{
	struct vfu *vfu = arg;

	return atomic_load(&vfu->master)
		   ? vfu_dma_get(&vfu->dma, addr, len, VFIO_DMA_MAP_FLAG_WRITE)
		   : NULL;
}

static const void *
host_dma_read(void *arg, uint64_t addr, size_t len)
{
	struct vfu *vfu = arg;

	return atomic_load(&vfu->master) ? vfu_dma_get(&vfu->dma, addr, len, VFIO_DMA_MAP_FLAG_READ)
					 : NULL;
}

static void
host_msix(void *arg, unsigned int vector)
{
	struct vfu *vfu = arg;

	/* A message is a write to memory; INTx is none. */
	if (!atomic_load(&vfu->master) && (vfu->irq.index[VFIO_PCI_MSIX_IRQ_INDEX].on ||
					   vfu->irq.index[VFIO_PCI_MSI_IRQ_INDEX].on))
		vfu->irq.lost++;
	else
		vfu_irq_message(&vfu->irq, vector, atomic_load(&vfu->intx));
}

/* The NIC must be at rest. */
static void
reset_function(struct vfu *vfu)
{
	unsigned int v;

	vfu_config_reset(&vfu->config);
	memset(vfu->msix_table, 0, sizeof(vfu->msix_table));
	for (v = 0; v < NIC_VECTORS; v++)
		vfu->msix_table[v * PCI_MSIX_ENTRY_SIZE + PCI_MSIX_ENTRY_VECTOR_CTRL] =
		    PCI_MSIX_ENTRY_CTRL_MASKBIT;
	vfu_irq_reset(&vfu->irq);
	atomic_store(&vfu->master, vfu_config_master(&vfu->config));
	atomic_store(&vfu->intx, vfu_config_intx(&vfu->config));
}

struct vfu *
vfu_create(const struct vfu_conf *conf, char *err, size_t errlen)
{
	struct vfu *vfu = calloc(1, sizeof(*vfu));
	struct nic_conf nc = conf->nic;
	int rc;

	if (vfu == NULL) {
		snprintf(err, errlen, "no memory");
		return NULL;
	}
	snprintf(vfu->name, sizeof(vfu->name), "%s", conf->name);
	rc = vfu_dma_init(&vfu->dma);
	if (rc != 0) {
		snprintf(err, errlen, "cannot prepare for DMA: %s", strerror(-rc));
		free(vfu);
		return NULL;
	}
	vfu_irq_init(&vfu->irq);
	nc.host = (struct nic_host){
	    .dma = host_dma, .dma_read = host_dma_read, .msix = host_msix, .arg = vfu};
	nc.bar = NULL;
	vfu->nic = nic_create(&nc, err, errlen);
	if (vfu->nic == NULL) {
		vfu_dma_fini(&vfu->dma);
		free(vfu);
		return NULL;
	}
	vfu_config_init(&vfu->config, vfu->nic->model, vfu->nic->mac);
	reset_function(vfu);
	rc = nic_wire_open(vfu->nic, conf->wire, err, errlen);
	if (rc != 0) {
		vfu_destroy(vfu);
		errno = -rc;
		return NULL;
	}
	return vfu;
}

void
vfu_destroy(struct vfu *vfu)
{
	if (vfu == NULL)
		return;
	nic_wire_close(vfu->nic);
	vfu_disconnect(vfu);
	nic_destroy(vfu->nic);
	vfu_dma_fini(&vfu->dma);
	free(vfu);
}

void
vfu_connect(struct vfu *vfu)
{
	nic_reset(vfu->nic);
	nic_lock(vfu->nic);
	reset_function(vfu);
	nic_unlock(vfu->nic);
	vfu->negotiated = true;
	vfu->map_warned = false;
	vfu->stats.clients++;
	nic_log("vfu-nic: %s: a client is there", vfu->name);
}

void
vfu_disconnect(struct vfu *vfu)
{
	/* The NIC first: its rings point into memory that goes. */
	if (!nic_removed(vfu->nic))
		nic_reset(vfu->nic);
	nic_lock(vfu->nic);
	vfu_dma_clear(&vfu->dma);
	vfu_irq_clear(&vfu->irq);
	reset_function(vfu);
	nic_unlock(vfu->nic);
	vfu->negotiated = false;
}

void
vfu_reset(struct vfu *vfu)
{
	if (nic_removed(vfu->nic))
		return;
	nic_reset(vfu->nic);
	nic_lock(vfu->nic);
	reset_function(vfu);
	nic_unlock(vfu->nic);
	vfu->stats.resets++;
}

uint64_t
vfu_region_size(const struct vfu *vfu, uint32_t region)
{
	switch (region) {
	case VFIO_PCI_BAR0_REGION_INDEX:
		return vfu->nic->model->ops->bar_size;
	case VFIO_PCI_BAR0_REGION_INDEX + VFU_MSIX_BAR:
		return VFU_MSIX_BAR_BYTES;
	case VFIO_PCI_CONFIG_REGION_INDEX:
		return VFU_CONFIG_BYTES;
	default:
		return 0;
	}
}

static bool
in_region(const struct vfu *vfu, uint32_t region, uint64_t offset, uint32_t len)
{
	uint64_t size = vfu_region_size(vfu, region);

	return offset <= size && len <= size - offset;
}

/* Of a NIC that was made dead only the registers are: else nothing would probe it. */
static bool
answers(struct vfu *vfu, uint32_t region)
{
	bool removed = nic_removed(vfu->nic) && vfu->nic->fault != NIC_FAULT_DEAD;

	return !removed &&
	       (region == VFIO_PCI_CONFIG_REGION_INDEX || vfu_config_memory(&vfu->config));
}

/* Registers are of 32 bits: the bytes of others that an access touches are read, too. */
static void
registers_read(struct vfu *vfu, uint32_t offset, uint8_t *data, uint32_t len)
{
	while (len > 0) {
		uint32_t skip = offset % 4, part = 4 - skip < len ? 4 - skip : len;
		uint32_t value = nic_read(vfu->nic, offset);

		memcpy(data, (const uint8_t *)&value + skip, part);
		offset += part;
		data += part;
		len -= part;
	}
}

/* Byte enables: the other bytes stay what they are. */
static void
registers_write(struct vfu *vfu, uint32_t offset, const uint8_t *data, uint32_t len)
{
	while (len > 0) {
		uint32_t skip = offset % 4, part = 4 - skip < len ? 4 - skip : len;
		uint32_t value = part < 4 ? nic_read(vfu->nic, offset) : 0;

		memcpy((uint8_t *)&value + skip, data, part);
		nic_write(vfu->nic, offset, value);
		offset += part;
		data += part;
		len -= part;
	}
}

static void
msix_read(struct vfu *vfu, uint32_t offset, uint8_t *data, uint32_t len)
{
	uint8_t pending[8];
	uint32_t i;

	nic_lock(vfu->nic);
	memcpy(pending, &vfu->irq.index[VFIO_PCI_MSIX_IRQ_INDEX].pending, sizeof(pending));
	nic_unlock(vfu->nic);
	for (i = 0; i < len; i++, offset++) {
		data[i] = 0;
		if (offset < sizeof(vfu->msix_table))
			data[i] = vfu->msix_table[offset];
		else if (offset >= VFU_MSIX_PBA && offset < VFU_MSIX_PBA + sizeof(pending))
			data[i] = pending[offset - VFU_MSIX_PBA];
	}
}

/* The table is the client's to obey: it masks a vector by taking its eventfd away. */
static void
msix_write(struct vfu *vfu, uint32_t offset, const uint8_t *data, uint32_t len)
{
	for (; len > 0 && offset < sizeof(vfu->msix_table); len--)
		vfu->msix_table[offset++] = *data++;
}

static void
config_read(struct vfu *vfu, uint32_t offset, void *data, uint32_t len)
{
	nic_lock(vfu->nic);
	vfu_config_read(&vfu->config, vfu->irq.line, offset, data, len);
	nic_unlock(vfu->nic);
}

static void
config_write(struct vfu *vfu, uint32_t offset, const uint8_t *data, uint32_t len)
{
	bool reset;

	/* With the lock: when bus mastering ends, no DMA is under way any more. */
	nic_lock(vfu->nic);
	reset = vfu_config_write(&vfu->config, offset, data, len);
	atomic_store(&vfu->master, vfu_config_master(&vfu->config));
	atomic_store(&vfu->intx, vfu_config_intx(&vfu->config));
	if (vfu_config_intx(&vfu->config))
		vfu_irq_intx_enabled(&vfu->irq);
	nic_unlock(vfu->nic);
	if (reset)
		vfu_reset(vfu);
}

int
vfu_region_read(struct vfu *vfu, uint32_t region, uint64_t offset, void *data, uint32_t len)
{
	if (!in_region(vfu, region, offset, len))
		return -EINVAL;
	vfu->stats.region_reads++;
	if (!answers(vfu, region))
		memset(data, 0xFF, len);
	else if (region == VFIO_PCI_CONFIG_REGION_INDEX)
		config_read(vfu, (uint32_t)offset, data, len);
	else if (region == VFIO_PCI_BAR0_REGION_INDEX)
		registers_read(vfu, (uint32_t)offset, data, len);
	else if (region == VFIO_PCI_BAR0_REGION_INDEX + VFU_MSIX_BAR)
		msix_read(vfu, (uint32_t)offset, data, len);
	return 0;
}

int
vfu_region_write(struct vfu *vfu, uint32_t region, uint64_t offset, const void *data, uint32_t len)
{
	if (!in_region(vfu, region, offset, len))
		return -EINVAL;
	vfu->stats.region_writes++;
	if (!answers(vfu, region))
		return 0;
	if (region == VFIO_PCI_CONFIG_REGION_INDEX)
		config_write(vfu, (uint32_t)offset, data, len);
	else if (region == VFIO_PCI_BAR0_REGION_INDEX)
		registers_write(vfu, (uint32_t)offset, data, len);
	else if (region == VFIO_PCI_BAR0_REGION_INDEX + VFU_MSIX_BAR)
		msix_write(vfu, (uint32_t)offset, data, len);
	return 0;
}

void
vfu_stats_reset(struct vfu *vfu)
{
	nic_stats_reset(vfu->nic);
	nic_lock(vfu->nic);
	vfu->irq.sent = vfu->irq.kept = vfu->irq.lost = 0;
	vfu->dma.refused = 0;
	nic_unlock(vfu->nic);
	memset(&vfu->stats, 0, sizeof(vfu->stats));
}
