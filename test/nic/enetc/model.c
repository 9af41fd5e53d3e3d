/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creation, reset, the registers of station interface and port that are more than memory, and which
 * functions there are.
 */
#include "enetc_model.h"

#include "enetc_ids.h"

#include <stdlib.h>
#include <string.h>

#define PORT_RINGS 16u /* for all its station interfaces: Linux gives 8 to the PF, 4 to each VF */
#define IP_REVISION 0x0E010000u

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct nic_reg_row pf_rows[] = {ENETC_REGS(NIC_REG_ROW)};
static const struct nic_reg_row vf_rows[] = {ENETC_VF_REGS(NIC_REG_ROW)};

static uint16_t pf_row_of[ENETC_BAR_SIZE / 4], vf_row_of[ENETC_VF_BAR_SIZE / 4];
static struct reg_handler pf_handlers[COUNT(pf_rows)], vf_handlers[COUNT(vf_rows)];
/* by enum enetc_function */
static struct nic_regs regs[] = {
    {pf_rows, COUNT(pf_rows), pf_row_of, pf_handlers},
    {vf_rows, COUNT(vf_rows), vf_row_of, vf_handlers},
};
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static const struct reg_partial partial[] = {
    {ENETC_RBBAR0, ~(ENETC_RING_ALIGN - 1)},
    {ENETC_TBBAR0, ~(ENETC_RING_ALIGN - 1)},
    {ENETC_SICBDRBAR0, ~(ENETC_RING_ALIGN - 1)},
    {ENETC_RBLENR, 0x0001FFF8},
    {ENETC_TBLENR, 0x0001FFF8},
};

/* the last is what not all have */
static const struct reg_special *const pf_specials[] = {
    enetc_rx_regs, enetc_tx_regs, enetc_intr_regs, enetc_cmd_regs, enetc_si_regs, enetc_port_regs,
};
static const struct reg_special *const vf_specials[] = {
    enetc_rx_regs, enetc_tx_regs, enetc_intr_regs, enetc_cmd_regs, enetc_si_regs, enetc_vsi_regs,
};

static void
build_tables(void)
{
	nic_regs_build(&regs[ENETC_PHYSICAL], pf_specials, COUNT(pf_specials), partial,
		       COUNT(partial));
	nic_regs_build(&regs[ENETC_VIRTUAL], vf_specials, COUNT(vf_specials), partial,
		       COUNT(partial));
}

static const char *
pf_reg_name(uint32_t offset, unsigned int *index)
{
	return offset < ENETC_BAR_SIZE ? nic_regs_name(&regs[ENETC_PHYSICAL], offset, index) : NULL;
}

static const char *
vf_reg_name(uint32_t offset, unsigned int *index)
{
	return offset < ENETC_VF_BAR_SIZE ? nic_regs_name(&regs[ENETC_VIRTUAL], offset, index)
					  : NULL;
}

static uint32_t
model_read(struct nic *nic, uint32_t offset)
{
	return nic_regs_read(&regs[nic->model->generation], nic, offset);
}

static void
model_write(struct nic *nic, uint32_t offset, uint32_t value)
{
	nic_regs_write(&regs[nic->model->generation], nic, offset, value);
}

bool
enetc_ring_switch(struct enetc *dev, struct ring *ring, bool tx, unsigned int i)
{
	const struct nic *nic = dev->nic;
	uint32_t at = (tx ? ENETC_TBMR : ENETC_RBMR) + i * ENETC_RBMR_STRIDE;
	uint32_t index = (tx ? ENETC_TBCIR : ENETC_RBPIR) + i * ENETC_RBPIR_STRIDE;
	uint32_t rings = port_reg(nic, ENETC_AT(PSICFGR0, dev->si));
	bool on = (nic_reg(nic, at) & ENETC_BMR_EN) != 0;

	rings = tx ? rings & ENETC_PSICFGR0_TXBDR : rings >> ENETC_PSICFGR0_RXBDR_SHIFT & 0xFF;
	on = on && i < rings;
	if (on == ring->on)
		return false;
	ring->on = on;
	if (!on)
		return true;
	/* base, length and index lie at the same distance in either block */
	ring->base = (uint64_t)nic_reg(nic, at + (ENETC_RBBAR1 - ENETC_RBMR)) << 32 |
		     nic_reg(nic, at + (ENETC_RBBAR0 - ENETC_RBMR));
	ring->size = nic_reg(nic, at + (ENETC_RBLENR - ENETC_RBMR));
	ring->index = nic_reg(nic, index);
	if (ring->index >= ring->size)
		ring->index = 0;
	return true;
}

static bool
model_page_traps(uint32_t offset)
{
	return (offset & ~0xFFFu) != ENETC_TBMR; /* the rings' */
}

static void
reset(struct enetc *dev)
{
	struct nic *nic = dev->nic;

	memset(nic->bar, 0, nic->model->ops->bar_size);
	memset(dev->port, 0, ENETC_BAR_SIZE);
	enetc_intr_reset(dev);
	for (unsigned int i = 0; i < RINGS; i++)
		dev->rx[i].on = dev->tx[i].on = false;
	memset(dev->mac, 0, sizeof(dev->mac));
	memset(dev->rss, 0, sizeof(dev->rss));
	nic_reg_set(nic, ENETC_SIPCAPR0, ENETC_SIPCAPR0_RSS);
	nic_reg_set(nic, ENETC_SIRSSCAPR, 1);
	port_reg_set(nic, ENETC_PRSSCAPR, 1);
	port_reg_set(nic, ENETC_PCAPR0,
		     PORT_RINGS << ENETC_PCAPR0_RXBDR_SHIFT | PORT_RINGS
								  << ENETC_PCAPR0_TXBDR_SHIFT);
	port_reg_set(nic, ENETC_PCAPR1, ENETC_PORT_SIS - 1);
	/* net_enetc and FreeBSD read the number of rings before they write it, or never do */
	port_reg_set(nic, ENETC_PSICFGR0, RINGS << ENETC_PSICFGR0_RXBDR_SHIFT | RINGS);
	/* no driver but FreeBSD's says that untagged frames are wanted */
	port_reg_set(nic, ENETC_PSIPVMR, 7u << 16);
	port_reg_set(nic, ENETC_PM0_CMD_CFG, ENETC_PM0_CMD_TXP);
	port_reg_set(nic, ENETC_PM0_MAXFRM, ENETC_FRAME_MAX);
	port_reg_set(nic, ENETC_PTCMSDUR, ENETC_FRAME_MAX);
	port_reg_set(nic, ENETC_AT(PSIPMAR0, dev->si),
		     (uint32_t)nic->mac[0] | (uint32_t)nic->mac[1] << 8 |
			 (uint32_t)nic->mac[2] << 16 | (uint32_t)nic->mac[3] << 24);
	port_reg_set(nic, ENETC_AT(PSIPMAR1, dev->si),
		     (uint32_t)nic->mac[4] | (uint32_t)nic->mac[5] << 8);
	port_reg_set(nic, ENETC_G_EIPBRR0, IP_REVISION);
	if (dev->si != 0)
		enetc_vsi_reset(dev);
}

static void
release(struct enetc *dev)
{
	struct nic *nic = dev->nic;

	free(dev->tx_packet);
	if (dev->port != nic->bar)
		free(dev->port);
	free(dev);
	nic->dev = NULL;
}

static int
model_create(struct nic *nic)
{
	struct enetc *dev = calloc(1, sizeof(*dev));

	pthread_once(&table_once, build_tables);
	if (dev == NULL)
		return -1;
	dev->nic = nic;
	dev->si = nic->model->generation == ENETC_VIRTUAL ? 1 : 0;
	dev->port = dev->si == 0 ? nic->bar : malloc(ENETC_BAR_SIZE);
	dev->tx_packet = malloc(ENETC_TX_PACKET);
	nic->dev = dev;
	if (dev->tx_packet == NULL || dev->port == NULL) {
		release(dev);
		return -1;
	}
	enetc_intr_init(dev);
	reset(dev);
	return 0;
}

static void
model_destroy(struct nic *nic)
{
	struct enetc *dev = enetc_of(nic);

	enetc_intr_stop(dev);
	release(dev);
}

static void
model_reset(struct nic *nic)
{
	reset(enetc_of(nic));
}

static void
model_poll(struct nic *nic)
{
	enetc_tx_poll(enetc_of(nic));
	enetc_rx_poll(enetc_of(nic));
	enetc_intr_poll(enetc_of(nic));
}

/* The port has no interrupt for its link: who wants to know reads PM0_IF_STATUS. */
static void
model_link(struct nic *nic)
{
	(void)nic;
}

static void
model_report(struct nic *nic, FILE *out)
{
	struct enetc *dev = enetc_of(nic);
	unsigned int q;

	for (q = 0; q < RINGS; q++)
		if (dev->rx[q].on)
			fprintf(out, "rx queue %u: %u descriptors, head %u, last frame at %ju ns\n",
				q, dev->rx[q].size, dev->rx[q].index,
				(uintmax_t)nic->stats.rx_queue_last[q]);
}

static uint32_t
if_status_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	uint32_t value = ENETC_PM0_IFS_FULL_DUPLEX;

	(void)offset, (void)index;
	if (nic_has_link(nic))
		value |= ENETC_PM0_IFS_LINK;
	if (nic->link_mbps >= 1000)
		value |= ENETC_PM0_IFS_SPEED_1G;
	else if (nic->link_mbps >= 100)
		value |= ENETC_PM0_IFS_SPEED_100M;
	return value;
}

/* What a station interface has is what the port gives it. */
static uint32_t
sicapr0_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	uint32_t value = port_reg(nic, ENETC_AT(PSICFGR0, enetc_of(nic)->si));

	(void)offset, (void)index;
	return value & (0xFFu << ENETC_PSICFGR0_RXBDR_SHIFT | ENETC_PSICFGR0_TXBDR);
}

static uint32_t
sipmar_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	(void)index;
	return port_reg(nic, ENETC_AT(PSIPMAR0, enetc_of(nic)->si) + (offset - ENETC_SIPMAR0));
}

static void
stat_config_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	uint32_t at;

	(void)index;
	if (value & ENETC_PM0_STAT_CONFIG_CLEAR)
		for (at = ENETC_PM0_REOCT; at <= ENETC_PM0_TECOL + 4; at += 4)
			nic_reg_set(nic, at, 0);
	nic_reg_set(nic, offset, value & ~ENETC_PM0_STAT_CONFIG_CLEAR);
}

/* Whatever may open receiver or transmitter. */
static void
gate_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	(void)index;
	nic_reg_set(nic, offset, value);
	enetc_tx_all(enetc_of(nic));
	nic_wire_room(nic);
}

const struct reg_special enetc_si_regs[] = {
    {ENETC_SICAPR0, sicapr0_read, NULL},
    {ENETC_SIPMAR0, sipmar_read, NULL},
    {ENETC_SIPMAR1, sipmar_read, NULL},
    {ENETC_SIMR, NULL, gate_write},
    {0, NULL, NULL},
};

const struct reg_special enetc_port_regs[] = {
    {ENETC_PM0_IF_STATUS, if_status_read, NULL},
    {ENETC_PM0_STAT_CONFIG, NULL, stat_config_write},
    {ENETC_PMR, NULL, gate_write},
    {ENETC_PM0_CMD_CFG, NULL, gate_write},
    {0, NULL, NULL},
};

#define OPS(size, name) \
	{ \
		.bar_size = (size), .create = model_create, .destroy = model_destroy, \
		.reset = model_reset, .read = model_read, .write = model_write, \
		.poll = model_poll, .frame = enetc_rx_frame, .room = enetc_rx_room, \
		.full = enetc_rx_full, .link = model_link, .reg_name = (name), \
		.report = model_report, .page_traps = model_page_traps, .idle = ENETC_SIMR, \
	}
static const struct nic_ops pf_ops = OPS(ENETC_BAR_SIZE, pf_reg_name);
static const struct nic_ops vf_ops = OPS(ENETC_VF_BAR_SIZE, vf_reg_name);

const struct nic_model enetc_models[] = {
    {"enetc", ENETC_VENDOR_FREESCALE, ENETC_DEV_ID_LS1028A_PF, ENETC_REVISION_2, ENETC_PHYSICAL,
     1000, &pf_ops},
    {"enetc-rev1", ENETC_VENDOR_FREESCALE, ENETC_DEV_ID_LS1028A_PF, ENETC_REVISION_1,
     ENETC_PHYSICAL, 1000, &pf_ops},
    {"enetc-vf", ENETC_VENDOR_FREESCALE, ENETC_DEV_ID_LS1028A_VF, ENETC_REVISION_2, ENETC_VIRTUAL,
     1000, &vf_ops},
    {.name = NULL},
};
