/* SPDX-License-Identifier: BSD-3-Clause */
/* Creation, reset, and the dispatch of register accesses from the register table. */
#include "ixgbe_model.h"

#include "ixgbe_ids.h"

#include <stdlib.h>
#include <string.h>

static const struct nic_reg_row rows[] = {IXGBE_REGS(NIC_REG_ROW)};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static uint16_t row_of[IXGBE_BAR_SIZE / 4];
static struct reg_handler handlers[ROWS];
static struct nic_regs regs = {rows, ROWS, row_of, handlers};
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

/*
 * The first sixteen of some arrays answer at the 82598's offsets too, and software uses
 * them there (8.2.3.8.7, 8.2.3.7.8): one storage, at the newer place.
 */
static const struct {
	uint32_t from, count, from_stride, to, to_stride;
} aliases[] = {
    {IXGBE_SRRCTL_82598, 16, 4, IXGBE_SRRCTL, 0x40},
    {IXGBE_DCA_RXCTRL_82598, 16, 4, IXGBE_DCA_RXCTRL, 0x40},
    {IXGBE_PSRTYPE_82598, 16, 4, IXGBE_PSRTYPE, 4},
    {IXGBE_RAL_82598, 16, 8, IXGBE_RAL, 8},
    {IXGBE_RAH_82598, 16, 8, IXGBE_RAH, 8},
};

static const struct reg_partial partial[] = {
    {IXGBE_RDBAL, ~0x7Fu},
    {IXGBE_RDBAL_HI, ~0x7Fu}, /* 8.2.3.8.1: aligned to 128 bytes */
    {IXGBE_RDLEN, 0x000FFF80},
    {IXGBE_RDLEN_HI, 0x000FFF80}, /* 8.2.3.8.3: in units of 128 bytes */
    {IXGBE_TDBAL, ~0x7Fu},
    {IXGBE_TDLEN, 0x000FFF80},		/* 8.2.3.9.5, 8.2.3.9.7 */
    {IXGBE_RAH, IXGBE_RAH_AV | 0xFFFF}, /* 8.2.3.7.9: pools are in MPSAR */
};

static const struct reg_special *const specials[] = {
    ixgbe_intr_regs, ixgbe_rx_regs,   ixgbe_tx_regs,	ixgbe_nvm_regs,
    ixgbe_phy_regs,  ixgbe_link_regs, ixgbe_stats_regs, ixgbe_fdir_regs,
};

static void
build_table(void)
{
	nic_regs_build(&regs, specials, sizeof(specials) / sizeof(specials[0]), partial,
		       sizeof(partial) / sizeof(partial[0]));
}

static uint32_t
canonical(uint32_t offset)
{
	size_t i;

	for (i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		uint32_t rel = offset - aliases[i].from;

		if (offset >= aliases[i].from && rel < aliases[i].count * aliases[i].from_stride &&
		    rel % aliases[i].from_stride == 0)
			return aliases[i].to + rel / aliases[i].from_stride * aliases[i].to_stride;
	}
	return offset;
}

const char *
ixgbe_reg_name(uint32_t offset, unsigned int *index)
{
	return offset < IXGBE_BAR_SIZE ? nic_regs_name(&regs, offset, index) : NULL;
}

static uint32_t
model_read(struct nic *nic, uint32_t offset)
{
	return nic_regs_read(&regs, nic, canonical(offset));
}

static void
model_write(struct nic *nic, uint32_t offset, uint32_t value)
{
	nic_regs_write(&regs, nic, canonical(offset), value);
}

/* Queue registers: 0x1000, 0x6000, 0x7000 and 0xD000 (8.2.3.8, 8.2.3.9). */
bool
ixgbe_page_traps(uint32_t offset)
{
	switch (offset & ~0xFFFu) {
	case IXGBE_RDBAL:
	case IXGBE_TDBAL:
	case IXGBE_TDBAL + 0x1000:
	case IXGBE_RDBAL_HI:
		return false;
	default:
		return true;
	}
}

/* Software reset: section 4.2.1.6. The NVM is read again, RAR 0 with it. */
void
ixgbe_reset(struct ixgbe *dev)
{
	struct nic *nic = dev->nic;
	unsigned int i;

	memset(nic->bar, 0, IXGBE_BAR_SIZE);
	ixgbe_intr_reset(dev);
	ixgbe_stat_reset(dev);
	ixgbe_rx_reset(dev);
	ixgbe_fdir_reset(dev);
	ixgbe_tx_reset(dev);
	ixgbe_nvm_reset(dev);
	ixgbe_phy_reset(dev);
	ixgbe_link_reset(dev);
	nic_reg_set(nic, IXGBE_RAL,
		    (uint32_t)nic->mac[0] | (uint32_t)nic->mac[1] << 8 |
			(uint32_t)nic->mac[2] << 16 | (uint32_t)nic->mac[3] << 24);
	nic_reg_set(nic, IXGBE_RAH,
		    (uint32_t)nic->mac[4] | (uint32_t)nic->mac[5] << 8 | IXGBE_RAH_AV);
	dev->rar_valid[0] = 1;
	for (i = 0; i < 2; i++) {
		nic_reg_set(nic, IXGBE_AT(MPSAR_LO, 0), 1);
		nic_reg_set(nic, IXGBE_AT(MPSAR_HI, 0), 0);
	}
}

static int
model_create(struct nic *nic)
{
	struct ixgbe *dev;

	pthread_once(&table_once, build_table);
	dev = calloc(1, sizeof(*dev));
	if (dev == NULL)
		return -1;
	dev->nic = nic;
	dev->gen = nic->model->generation;
	dev->pb = malloc(PB_BYTES);
	dev->slots = calloc(PB_SLOTS, sizeof(*dev->slots));
	dev->tx_packet = malloc(TX_PACKET_MAX);
	dev->tx_frame = malloc(NIC_FRAME_MAX + 64);
	if (dev->pb == NULL || dev->slots == NULL || dev->tx_packet == NULL ||
	    dev->tx_frame == NULL) {
		free(dev->pb);
		free(dev->slots);
		free(dev->tx_packet);
		free(dev->tx_frame);
		free(dev);
		return -1;
	}
	nic->dev = dev;
	ixgbe_intr_init(dev);
	ixgbe_nvm_init(dev);
	ixgbe_phy_init(dev);
	ixgbe_reset(dev);
	return 0;
}

static void
model_destroy(struct nic *nic)
{
	struct ixgbe *dev = ixgbe_of(nic);

	ixgbe_intr_stop(dev);
	free(dev->pb);
	free(dev->slots);
	free(dev->tx_packet);
	free(dev->tx_frame);
	free(dev);
	nic->dev = NULL;
}

static void
model_reset(struct nic *nic)
{
	ixgbe_reset(ixgbe_of(nic));
}

static void
model_poll(struct nic *nic)
{
	ixgbe_tx_poll(ixgbe_of(nic));
	ixgbe_rx_poll(ixgbe_of(nic));
}

static void
model_report(struct nic *nic, FILE *out)
{
	struct ixgbe *dev = ixgbe_of(nic);
	unsigned int q;

	for (q = 0; q < RX_RINGS; q++)
		if (dev->rx[q].on)
			fprintf(out, "rx queue %u: %u descriptors, head %u, last frame at %ju ns\n",
				q, dev->rx[q].size, dev->rx[q].head,
				(uintmax_t)nic->stats.rx_queue_last[q]);
	fprintf(out, "packet buffer: %u frames, %u bytes\n", dev->slot_count, dev->pb_used);
}

static const struct nic_ops ixgbe_ops = {
    .bar_size = IXGBE_BAR_SIZE,
    .create = model_create,
    .destroy = model_destroy,
    .reset = model_reset,
    .read = model_read,
    .write = model_write,
    .poll = model_poll,
    .frame = ixgbe_rx_frame,
    .room = ixgbe_rx_room,
    .full = ixgbe_rx_full,
    .link = ixgbe_link_changed,
    .reg_name = ixgbe_reg_name,
    .report = model_report,
    .page_traps = ixgbe_page_traps,
    .idle = IXGBE_STATUS,
};

#define REVISION 1
#define MBPS 10000

const struct nic_model ixgbe_models[] = {
    {"82599", IXGBE_VENDOR_INTEL, IXGBE_DEV_ID_82599_SFP, REVISION, GEN_82599_SFP, MBPS,
     &ixgbe_ops},
    {"82599-kx4", IXGBE_VENDOR_INTEL, IXGBE_DEV_ID_82599_KX4, REVISION, GEN_82599_BACKPLANE, MBPS,
     &ixgbe_ops},
    {"x540", IXGBE_VENDOR_INTEL, IXGBE_DEV_ID_X540T, REVISION, GEN_X540, MBPS, &ixgbe_ops},
    {"x550", IXGBE_VENDOR_INTEL, IXGBE_DEV_ID_X550T, REVISION, GEN_X550, MBPS, &ixgbe_ops},
    {"82599-sfp-em", IXGBE_VENDOR_INTEL, IXGBE_DEV_ID_82599_SFP_EM, REVISION, GEN_82599_SFP, MBPS,
     &ixgbe_ops},
    {"82599-sfp-sf2", IXGBE_VENDOR_INTEL, IXGBE_DEV_ID_82599_SFP_SF2, REVISION, GEN_82599_SFP, MBPS,
     &ixgbe_ops},
    {"82599en", IXGBE_VENDOR_INTEL, IXGBE_DEV_ID_82599EN_SFP, REVISION, GEN_82599_SFP, MBPS,
     &ixgbe_ops},
    {"x540-1", IXGBE_VENDOR_INTEL, IXGBE_DEV_ID_X540T1, REVISION, GEN_X540, MBPS, &ixgbe_ops},
    {"x550-1", IXGBE_VENDOR_INTEL, IXGBE_DEV_ID_X550T1, REVISION, GEN_X550, MBPS, &ixgbe_ops},
    {.name = NULL},
};
