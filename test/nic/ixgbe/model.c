/* SPDX-License-Identifier: BSD-3-Clause */
/* Creation, reset, and the dispatch of register accesses from the register table. */
#include "ixgbe_model.h"

#include "ixgbe_ids.h"

#include <stdlib.h>
#include <string.h>

enum mode {
	MODE_RW,
	MODE_RO,
	MODE_WO,
	MODE_RC,
	MODE_RW1C,
	MODE_W1S,
	MODE_W1C,
	MODE_RS,
	MODE_SC,
};

struct row {
	const char *name;
	uint32_t offset, count, stride;
	enum mode mode;
};

static const struct row rows[] = {
#define ROW(reg, at, n, step, how) \
	{.name = #reg, .offset = at, .count = n, .stride = step, .mode = MODE_##how},
    IXGBE_REGS(ROW)
#undef ROW
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))
#define WORDS (IXGBE_BAR_SIZE / 4)

/* Row number + 1 of each word of the BAR, and the special handlers of each row. */
static uint16_t row_of[WORDS];
static reg_read_fn read_fn[ROWS];
static reg_write_fn write_fn[ROWS];
static uint32_t bits_of[ROWS];
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

/* Registers of which some bits are not there: they read as 0, whatever is written. */
static const struct {
	uint32_t offset, bits;
} partial[] = {
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
	size_t r, s;

	for (r = 0; r < ROWS; r++) {
		uint32_t i;

		bits_of[r] = UINT32_MAX;
		for (i = 0; i < rows[r].count; i++)
			row_of[(rows[r].offset + i * rows[r].stride) / 4] = (uint16_t)(r + 1);
	}
	for (s = 0; s < sizeof(partial) / sizeof(partial[0]); s++)
		bits_of[row_of[partial[s].offset / 4] - 1u] = partial[s].bits;
	for (s = 0; s < sizeof(specials) / sizeof(specials[0]); s++) {
		const struct reg_special *sp;

		for (sp = specials[s]; sp->read != NULL || sp->write != NULL; sp++) {
			r = row_of[sp->offset / 4] - 1u;
			read_fn[r] = sp->read;
			write_fn[r] = sp->write;
		}
	}
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
	unsigned int r;

	if (offset >= IXGBE_BAR_SIZE)
		return NULL;
	r = row_of[offset / 4];
	if (r == 0)
		return NULL;
	*index = (offset - rows[r - 1].offset) / rows[r - 1].stride;
	return rows[r - 1].name;
}

static uint32_t
model_read(struct nic *nic, uint32_t offset)
{
	unsigned int r;
	uint32_t value;

	offset = canonical(offset);
	r = row_of[offset / 4];
	if (r == 0)
		return nic_reg(nic, offset);
	r--;
	if (read_fn[r] != NULL)
		return read_fn[r](nic, offset, (offset - rows[r].offset) / rows[r].stride);
	value = nic_reg(nic, offset);
	switch (rows[r].mode) {
	case MODE_RC:
		nic_reg_set(nic, offset, 0);
		break;
	case MODE_RS:
		nic_reg_set(nic, offset, value | 1);
		break;
	case MODE_WO:
		value = 0;
		break;
	default:
		break;
	}
	return value;
}

static void
model_write(struct nic *nic, uint32_t offset, uint32_t value)
{
	unsigned int r;
	uint32_t old;

	offset = canonical(offset);
	r = row_of[offset / 4];
	if (r == 0) {
		nic_reg_set(nic, offset, value);
		return;
	}
	r--;
	value &= bits_of[r];
	if (write_fn[r] != NULL) {
		write_fn[r](nic, offset, (offset - rows[r].offset) / rows[r].stride, value);
		return;
	}
	old = nic_reg(nic, offset);
	switch (rows[r].mode) {
	case MODE_RO:
	case MODE_RC:
		return;
	case MODE_W1S:
		value |= old;
		break;
	case MODE_W1C:
	case MODE_RW1C:
		value = old & ~value;
		break;
	default:
		break;
	}
	nic_reg_set(nic, offset, value);
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
};

const struct nic_model ixgbe_models[] = {
    {"82599", IXGBE_DEV_ID_82599_SFP, GEN_82599_SFP, &ixgbe_ops},
    {"82599-kx4", IXGBE_DEV_ID_82599_KX4, GEN_82599_BACKPLANE, &ixgbe_ops},
    {"x540", IXGBE_DEV_ID_X540T, GEN_X540, &ixgbe_ops},
    {"x550", IXGBE_DEV_ID_X550T, GEN_X550, &ixgbe_ops},
    {"82599-sfp-em", IXGBE_DEV_ID_82599_SFP_EM, GEN_82599_SFP, &ixgbe_ops},
    {"82599-sfp-sf2", IXGBE_DEV_ID_82599_SFP_SF2, GEN_82599_SFP, &ixgbe_ops},
    {"82599en", IXGBE_DEV_ID_82599EN_SFP, GEN_82599_SFP, &ixgbe_ops},
    {"x540-1", IXGBE_DEV_ID_X540T1, GEN_X540, &ixgbe_ops},
    {"x550-1", IXGBE_DEV_ID_X550T1, GEN_X550, &ixgbe_ops},
    {NULL, 0, 0, NULL},
};
