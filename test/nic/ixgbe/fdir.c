/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flow director with perfect-match filters: 7.1.2.7, registers 8.2.3.21. Software adds, queries and
 * removes a filter by its hash and identity (FDIRHASH); a frame is compared with every filter,
 * field by field under the global masks. What the hardware does to be quick is left out: the bucket
 * of a filter's hash is taken for granted, and signature filters (only a hash) match no frame.
 */
#include "ixgbe_model.h"

#include <string.h>

#define FDIRCTRL_INIT_DONE IXGBE_BIT(3)
#define FDIRCTRL_PERFECT IXGBE_BIT(4)
#define FDIRCTRL_REPORT IXGBE_BIT(5)
#define FDIRCTRL_REPORT_ALWAYS IXGBE_BIT(7)
#define FDIRCTRL_DROP_QUEUE(v) ((v) >> 8 & 0x7Fu)
#define FDIRCTRL_FLEX_OFFSET(v) (((v) >> 16 & 0x1Fu) * 2)

#define FDIRCMD_CMD 0x3u
#define FDIRCMD_ADD 1u
#define FDIRCMD_REMOVE 2u
#define FDIRCMD_QUERY 3u
#define FDIRCMD_VALID IXGBE_BIT(2)
#define FDIRCMD_L4TYPE(v) ((v) >> 5 & 0x3u) /* 1 UDP, 2 TCP, 3 SCTP */
#define FDIRCMD_IPV6 IXGBE_BIT(7)
#define FDIRCMD_CLEAR IXGBE_BIT(8)
#define FDIRCMD_DROP IXGBE_BIT(9)
#define FDIRCMD_QUEUE_EN IXGBE_BIT(15)
#define FDIRCMD_QUEUE(v) ((v) >> 16 & 0x7Fu)

/* FDIRM: a set bit leaves the field out. */
#define FDIRM_VLAN_ID IXGBE_BIT(0)
#define FDIRM_VLAN_PRIO IXGBE_BIT(1)
#define FDIRM_L4TYPE IXGBE_BIT(3)
#define FDIRM_FLEX IXGBE_BIT(4)

#define FDIRHASH_KEY 0x7FFF7FFFu /* bucket and identity; bit 15 says that the bucket is in use */

static void
clear(struct ixgbe *dev)
{
	dev->fdir_count = 0;
}

void
ixgbe_fdir_reset(struct ixgbe *dev)
{
	clear(dev);
}

static struct fdir_filter *
find(struct ixgbe *dev, uint32_t key)
{
	unsigned int i;

	for (i = 0; i < dev->fdir_count; i++)
		if (dev->fdir[i].key == key)
			return &dev->fdir[i];
	return NULL;
}

/* FDIRUSTAT and FDIRFSTAT count additions in the low half and removals in the high one; neither
 * half runs into the other. */
static void
count(struct nic *nic, uint32_t offset, bool removal)
{
	uint32_t value = nic_reg(nic, offset), one = removal ? 0x10000 : 1;
	uint32_t half = removal ? value >> 16 : value & 0xFFFF;

	if (half != 0xFFFF)
		nic_reg_set(nic, offset, value + one);
}

static void
add(struct ixgbe *dev, uint32_t key, uint32_t cmd)
{
	struct fdir_filter *f = find(dev, key);
	struct nic *nic = dev->nic;

	if (f == NULL) {
		if (dev->fdir_count == FDIR_FILTERS) {
			count(nic, IXGBE_FDIRFSTAT, false);
			return;
		}
		f = &dev->fdir[dev->fdir_count++];
	}
	*f = (struct fdir_filter){
	    .key = key,
	    .cmd = cmd,
	    .src = nic_reg(nic, IXGBE_FDIRIPSA),
	    .dst = nic_reg(nic, IXGBE_FDIRIPDA),
	    .ports = nic_reg(nic, IXGBE_FDIRPORT),
	    .vlan_flex = nic_reg(nic, IXGBE_FDIRVLAN),
	};
	count(nic, IXGBE_FDIRUSTAT, false);
}

static void
fdircmd_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	struct ixgbe *dev = ixgbe_of(nic);
	uint32_t key = nic_reg(nic, IXGBE_FDIRHASH) & FDIRHASH_KEY;
	bool perfect = (nic_reg(nic, IXGBE_FDIRCTRL) & FDIRCTRL_PERFECT) != 0;
	struct fdir_filter *f;

	(void)index;
	if (value & FDIRCMD_CLEAR)
		clear(dev);
	switch (value & FDIRCMD_CMD) {
	case FDIRCMD_ADD:
		if (perfect)
			add(dev, key, value);
		break;
	case FDIRCMD_REMOVE:
		f = find(dev, key);
		count(nic, f != NULL ? IXGBE_FDIRUSTAT : IXGBE_FDIRFSTAT, true);
		if (f != NULL)
			*f = dev->fdir[--dev->fdir_count];
		break;
	case FDIRCMD_QUERY:
		value &= ~FDIRCMD_VALID;
		if (find(dev, key) != NULL)
			value |= FDIRCMD_VALID;
		break;
	default:
		break;
	}
	/* The command is done when its code reads as 0. */
	nic_reg_set(nic, offset, value & ~FDIRCMD_CMD);
}

/* A write sets the tables up anew: 8.2.3.21.1. */
static void
fdirctrl_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	(void)index;
	clear(ixgbe_of(nic));
	nic_reg_set(nic, offset, value | FDIRCTRL_INIT_DONE);
}

/* Port masks have the bits of each port in reverse order. */
static uint32_t
port_mask(uint32_t reg)
{
	uint32_t mask = 0;
	unsigned int i;

	for (i = 0; i < 16; i++) {
		mask |= (reg >> i & 1) << (15 - i);
		mask |= (reg >> (16 + i) & 1) << (31 - i);
	}
	return mask;
}

static uint32_t
be32_at(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* What a frame has to compare: IPv4 only, as Linux and DPDK write filters. */
struct fields {
	uint32_t l4type, src, dst, ports, vlan_flex;
};

static struct fields
fields_of(struct ixgbe *dev, const uint8_t *frame, uint32_t len, const struct parsed *p)
{
	uint32_t at = FDIRCTRL_FLEX_OFFSET(nic_reg(dev->nic, IXGBE_FDIRCTRL));
	struct fields f = {
	    .src = be32_at(frame + p->l3 + 12),
	    .dst = be32_at(frame + p->l3 + 16),
	    .vlan_flex = p->has_vlan ? p->vlan : 0,
	};

	f.l4type = p->proto == 17 ? 1 : p->proto == 6 ? 2 : p->proto == 132 ? 3 : 0;
	if (f.l4type != 0 && !p->fragment) {
		uint32_t ports = be32_at(frame + p->l4); /* source first */

		f.ports = ports << 16 | ports >> 16;
	}
	if (at + 1 < len)
		f.vlan_flex |= (uint32_t)(frame[at] | frame[at + 1] << 8) << 16;
	return f;
}

/* The queue of a frame, -1 if no filter has one for it. A filter that drops chooses the queue that
 * FDIRCTRL names for it, which software leaves off. With report, hash goes into the descriptor. */
int
ixgbe_fdir_match(struct ixgbe *dev, const uint8_t *frame, uint32_t len, const struct parsed *p,
		 bool *report, uint32_t *hash)
{
	struct nic *nic = dev->nic;
	uint32_t ctrl = nic_reg(nic, IXGBE_FDIRCTRL), m = nic_reg(nic, IXGBE_FDIRM);
	uint32_t src, dst, ports, vlan_flex;
	struct fields have;
	unsigned int i;

	*report = false;
	if (!(ctrl & FDIRCTRL_PERFECT) || dev->fdir_count == 0 || !p->ipv4)
		return -1;
	have = fields_of(dev, frame, len, p);
	src = ~nic_reg(nic, IXGBE_FDIRSIP4M);
	dst = ~nic_reg(nic, IXGBE_FDIRDIP4M);
	ports = ~port_mask(nic_reg(nic, have.l4type == 1   ? IXGBE_FDIRUDPM
					: have.l4type == 3 ? IXGBE_FDIRSCTPM
							   : IXGBE_FDIRTCPM));
	vlan_flex = (m & FDIRM_VLAN_ID ? 0 : 0x0FFF) | (m & FDIRM_VLAN_PRIO ? 0 : 0xE000) |
		    (m & FDIRM_FLEX ? 0 : 0xFFFF0000);
	for (i = 0; i < dev->fdir_count; i++) {
		const struct fdir_filter *f = &dev->fdir[i];

		if (f->cmd & FDIRCMD_IPV6 ||
		    (!(m & FDIRM_L4TYPE) && FDIRCMD_L4TYPE(f->cmd) != have.l4type) ||
		    ((f->src ^ have.src) & src) || ((f->dst ^ have.dst) & dst) ||
		    ((f->ports ^ have.ports) & ports) ||
		    ((f->vlan_flex ^ have.vlan_flex) & vlan_flex))
			continue;
		nic_reg_add(nic, IXGBE_FDIRMATCH, 1);
		*report = (ctrl & (FDIRCTRL_REPORT | FDIRCTRL_REPORT_ALWAYS)) != 0;
		*hash = f->key;
		if (f->cmd & FDIRCMD_DROP)
			return (int)FDIRCTRL_DROP_QUEUE(ctrl);
		return f->cmd & FDIRCMD_QUEUE_EN ? (int)FDIRCMD_QUEUE(f->cmd) : -1;
	}
	nic_reg_add(nic, IXGBE_FDIRMISS, 1);
	return -1;
}

const struct reg_special ixgbe_fdir_regs[] = {
    {IXGBE_FDIRCTRL, NULL, fdirctrl_write},
    {IXGBE_FDIRCMD, NULL, fdircmd_write},
    {0, NULL, NULL},
};
