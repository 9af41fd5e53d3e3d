/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PCI configuration space of the function: 82599 datasheet rev. 3.4, section 9.3 and 9.4, in the
 * layout that X540 and X550 have too. Header type 0; power management, MSI, MSI-X, PCI Express; a
 * device serial number in the extended space. No I/O BAR, no expansion ROM, no VPD, no SR-IOV.
 */
#ifndef VFU_CONFIG_H
#define VFU_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VFU_CONFIG_BYTES 4096u

#define VFU_CONFIG_PM 0x40u
#define VFU_CONFIG_MSI 0x50u
#define VFU_CONFIG_MSIX 0x70u
#define VFU_CONFIG_EXP 0xA0u
#define VFU_CONFIG_DSN 0x100u

/* MSI-X table and pending bits: 64-bit BAR 4 (9.3.6, 9.3.8). */
#define VFU_MSIX_BAR 4u
#define VFU_MSIX_BAR_BYTES 0x4000u
#define VFU_MSIX_PBA 0x2000u

struct vfu_config {
	uint8_t bytes[VFU_CONFIG_BYTES];
	uint8_t writable[VFU_CONFIG_BYTES]; /* bits that software may set and clear */
	uint8_t initial[VFU_CONFIG_BYTES];
};

struct nic_model;

void vfu_config_init(struct vfu_config *config, const struct nic_model *model,
		     const uint8_t mac[6]);
void vfu_config_reset(struct vfu_config *config);
/* Offset and length are within the space. */
void vfu_config_read(const struct vfu_config *config, bool intx_asserted, uint32_t offset,
		     void *data, size_t len);
/* True: the write asks for a reset of the function: FLR, or D3hot to D0 (No_Soft_Reset is 0). */
bool vfu_config_write(struct vfu_config *config, uint32_t offset, const void *data, size_t len);

/* Memory accesses are answered: memory space is on, power state is D0. */
bool vfu_config_memory(const struct vfu_config *config);
/* DMA and messages may be sent: bus master is on, power state is D0. */
bool vfu_config_master(const struct vfu_config *config);
bool vfu_config_intx(const struct vfu_config *config);

#endif /* VFU_CONFIG_H */
