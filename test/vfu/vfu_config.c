/* SPDX-License-Identifier: BSD-3-Clause */
#include "vfu_config.h"

#include <string.h>

#include <linux/pci_regs.h>

#include "nic.h"

#define SUBSYSTEM 0x0003u /* as the NIC inside a process has it */
#define CLASS_ETHERNET 0x0200u

static void
put(uint8_t *space, uint32_t offset, uint64_t value, unsigned int bytes)
{
	unsigned int i;

	for (i = 0; i < bytes; i++)
		space[offset + i] = (uint8_t)(value >> (8 * i));
}

static uint32_t
get(const struct vfu_config *config, uint32_t offset, unsigned int bytes)
{
	uint32_t value = 0;
	unsigned int i;

	for (i = 0; i < bytes; i++)
		value |= (uint32_t)config->bytes[offset + i] << (8 * i);
	return value;
}

static void
capability(struct vfu_config *c, uint32_t offset, uint8_t id, uint8_t next)
{
	c->initial[offset] = id;
	c->initial[offset + PCI_CAP_LIST_NEXT] = next;
}

static void
header(struct vfu_config *c, const struct nic_model *model)
{
	uint8_t *i = c->initial, *w = c->writable;
	const uint32_t bar = PCI_BASE_ADDRESS_MEM_TYPE_64 |
			     PCI_BASE_ADDRESS_MEM_PREFETCH; /* 9.3.6 */

	put(i, PCI_VENDOR_ID, model->vendor_id, 2);
	put(i, PCI_DEVICE_ID, model->device_id, 2);
	put(w, PCI_COMMAND,
	    PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY | PCI_COMMAND_SERR |
		PCI_COMMAND_INTX_DISABLE,
	    2);
	put(i, PCI_STATUS, PCI_STATUS_CAP_LIST, 2);
	put(i, PCI_REVISION_ID, model->revision, 1);
	put(i, PCI_CLASS_DEVICE, CLASS_ETHERNET, 2);
	put(w, PCI_CACHE_LINE_SIZE, 0xFF, 1);
	/* Sizing: of what is written the bits below the size read as zero. */
	put(i, PCI_BASE_ADDRESS_0, bar, 4);
	put(w, PCI_BASE_ADDRESS_0, ~(uint64_t)(model->ops->bar_size - 1), 8);
	put(i, PCI_BASE_ADDRESS_0 + 4 * VFU_MSIX_BAR, bar, 4);
	put(w, PCI_BASE_ADDRESS_0 + 4 * VFU_MSIX_BAR, ~(uint64_t)(VFU_MSIX_BAR_BYTES - 1), 8);
	put(i, PCI_SUBSYSTEM_VENDOR_ID, model->vendor_id, 2);
	put(i, PCI_SUBSYSTEM_ID, SUBSYSTEM, 2);
	put(i, PCI_CAPABILITY_LIST, VFU_CONFIG_PM, 1);
	put(w, PCI_INTERRUPT_LINE, 0xFF, 1);
	put(i, PCI_INTERRUPT_PIN, 1, 1);
}

static void
power_management(struct vfu_config *c)
{
	capability(c, VFU_CONFIG_PM, PCI_CAP_ID_PM, VFU_CONFIG_MSI);
	put(c->initial, VFU_CONFIG_PM + PCI_PM_PMC, 3 | PCI_PM_CAP_DSI, 2);
	put(c->writable, VFU_CONFIG_PM + PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK, 2);
}

static void
msi(struct vfu_config *c)
{
	capability(c, VFU_CONFIG_MSI, PCI_CAP_ID_MSI, VFU_CONFIG_MSIX);
	put(c->initial, VFU_CONFIG_MSI + PCI_MSI_FLAGS, PCI_MSI_FLAGS_64BIT | PCI_MSI_FLAGS_MASKBIT,
	    2);
	put(c->writable, VFU_CONFIG_MSI + PCI_MSI_FLAGS, PCI_MSI_FLAGS_ENABLE | PCI_MSI_FLAGS_QSIZE,
	    2);
	put(c->writable, VFU_CONFIG_MSI + PCI_MSI_ADDRESS_LO, UINT64_C(0xFFFFFFFFFFFFFFFC), 8);
	put(c->writable, VFU_CONFIG_MSI + PCI_MSI_DATA_64, 0xFFFF, 2);
	put(c->writable, VFU_CONFIG_MSI + PCI_MSI_MASK_64, 1, 4);
}

static void
msix(struct vfu_config *c)
{
	capability(c, VFU_CONFIG_MSIX, PCI_CAP_ID_MSIX, VFU_CONFIG_EXP);
	put(c->initial, VFU_CONFIG_MSIX + PCI_MSIX_FLAGS, NIC_VECTORS - 1, 2);
	put(c->writable, VFU_CONFIG_MSIX + PCI_MSIX_FLAGS,
	    PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL, 2);
	put(c->initial, VFU_CONFIG_MSIX + PCI_MSIX_TABLE, VFU_MSIX_BAR, 4);
	put(c->initial, VFU_CONFIG_MSIX + PCI_MSIX_PBA, VFU_MSIX_PBA | VFU_MSIX_BAR, 4);
}

/* 9.3.10: version 2, payloads of 512 bytes, 5 GT/s, eight lanes. */
static void
express(struct vfu_config *c)
{
	const uint32_t at = VFU_CONFIG_EXP;

	capability(c, at, PCI_CAP_ID_EXP, 0);
	put(c->initial, at + PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_ENDPOINT << 4, 2);
	put(c->initial, at + PCI_EXP_DEVCAP, 2 | PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_FLR, 4);
	put(c->initial, at + PCI_EXP_DEVCTL,
	    PCI_EXP_DEVCTL_READRQ_512B | PCI_EXP_DEVCTL_NOSNOOP_EN | PCI_EXP_DEVCTL_RELAX_EN, 2);
	put(c->writable, at + PCI_EXP_DEVCTL, 0xFFFF & ~(uint32_t)PCI_EXP_DEVCTL_BCR_FLR, 2);
	put(c->initial, at + PCI_EXP_LNKCAP, PCI_EXP_LNKCAP_SLS_5_0GB | 8 << 4, 4);
	put(c->writable, at + PCI_EXP_LNKCTL,
	    PCI_EXP_LNKCTL_ASPMC | PCI_EXP_LNKCTL_RCB | PCI_EXP_LNKCTL_CCC | PCI_EXP_LNKCTL_ES, 2);
	put(c->initial, at + PCI_EXP_LNKSTA,
	    PCI_EXP_LNKSTA_CLS_5_0GB | PCI_EXP_LNKSTA_NLW_X8 | PCI_EXP_LNKSTA_SLC, 2);
	put(c->initial, at + PCI_EXP_DEVCAP2, 0xF | PCI_EXP_DEVCAP2_COMP_TMOUT_DIS, 4);
	put(c->writable, at + PCI_EXP_DEVCTL2,
	    PCI_EXP_DEVCTL2_COMP_TIMEOUT | PCI_EXP_DEVCTL2_COMP_TMOUT_DIS, 2);
	put(c->initial, at + PCI_EXP_LNKCTL2, 2, 2);
}

/* 9.4.3: the address with FF-FF in its middle. Nothing follows: the next capability is 0. */
static void
serial_number(struct vfu_config *c, const uint8_t mac[6])
{
	const uint8_t eui[8] = {mac[5], mac[4], mac[3], 0xFF, 0xFF, mac[2], mac[1], mac[0]};

	put(c->initial, VFU_CONFIG_DSN, PCI_EXT_CAP_ID_DSN | 1 << 16, 4);
	memcpy(c->initial + VFU_CONFIG_DSN + 4, eui, sizeof(eui));
}

void
vfu_config_init(struct vfu_config *config, const struct nic_model *model, const uint8_t mac[6])
{
	memset(config, 0, sizeof(*config));
	header(config, model);
	power_management(config);
	msi(config);
	msix(config);
	express(config);
	serial_number(config, mac);
	vfu_config_reset(config);
}

void
vfu_config_reset(struct vfu_config *config)
{
	memcpy(config->bytes, config->initial, sizeof(config->bytes));
}

void
vfu_config_read(const struct vfu_config *config, bool intx_asserted, uint32_t offset, void *data,
		size_t len)
{
	memcpy(data, config->bytes + offset, len);
	if (intx_asserted && offset <= PCI_STATUS && PCI_STATUS - offset < len)
		((uint8_t *)data)[PCI_STATUS - offset] |= PCI_STATUS_INTERRUPT;
}

static unsigned int
power_state(const struct vfu_config *config)
{
	return config->bytes[VFU_CONFIG_PM + PCI_PM_CTRL] & PCI_PM_CTRL_STATE_MASK;
}

bool
vfu_config_write(struct vfu_config *config, uint32_t offset, const void *data, size_t len)
{
	/* The bit that asks for a reset reads as zero: look at what is written. */
	const uint32_t flr = VFU_CONFIG_EXP + PCI_EXP_DEVCTL + 1;
	unsigned int before = power_state(config);
	const uint8_t *bytes = data;
	bool reset = false;
	size_t i;

	for (i = 0; i < len; i++) {
		uint8_t mask = config->writable[offset + i];

		config->bytes[offset + i] = (uint8_t)((config->bytes[offset + i] & ~mask) |
						      (bytes[i] & mask));
		if (offset + i == flr && (bytes[i] & PCI_EXP_DEVCTL_BCR_FLR >> 8) != 0)
			reset = true;
	}
	return reset || (before == 3 && power_state(config) == 0);
}

bool
vfu_config_memory(const struct vfu_config *config)
{
	return (get(config, PCI_COMMAND, 2) & PCI_COMMAND_MEMORY) != 0 && power_state(config) == 0;
}

bool
vfu_config_master(const struct vfu_config *config)
{
	return (get(config, PCI_COMMAND, 2) & PCI_COMMAND_MASTER) != 0 && power_state(config) == 0;
}

bool
vfu_config_intx(const struct vfu_config *config)
{
	return (get(config, PCI_COMMAND, 2) & PCI_COMMAND_INTX_DISABLE) == 0 &&
	       power_state(config) == 0;
}
