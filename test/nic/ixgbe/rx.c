/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive: sections 7.1.3 (packet buffer), 7.1.5 to 7.1.10 (descriptors), 4.6.7 (enabling).
 *
 * A frame is filtered and classified when it comes and waits in the packet buffer, a FIFO. Its
 * first frame waits for descriptors of its queue and holds up those behind it, unless
 * SRRCTL.DROP_EN lets it be dropped.
 */
#include "ixgbe_model.h"

#include <errno.h>
#include <string.h>

#define CRC_LEN 4u
#define VLAN_LEN 4u

static uint32_t
ring_reg(unsigned int queue, uint32_t low, uint32_t high)
{
	return queue < 64 ? low + queue * 0x40 : high + (queue - 64) * 0x40;
}

#define RING(name, q) ring_reg(q, IXGBE_##name, IXGBE_##name##_HI)

static uint32_t
pb_size(const struct ixgbe *dev)
{
	uint32_t bytes = nic_reg(dev->nic, IXGBE_RXPBSIZE) & 0x000FFC00u; /* 1 KB units at bit 10 */

	return bytes < PB_BYTES ? bytes : PB_BYTES;
}

static bool
receiving(const struct ixgbe *dev)
{
	return (nic_reg(dev->nic, IXGBE_RXCTRL) & IXGBE_RXCTRL_RXEN) != 0 &&
	       (nic_reg(dev->nic, IXGBE_SECRXCTRL) & IXGBE_SECRXCTRL_RX_DIS) == 0 &&
	       (nic_reg(dev->nic, IXGBE_CTRL) & IXGBE_CTRL_GIO_DIS) == 0;
}

static void
pb_copy(struct ixgbe *dev, uint32_t pos, uint8_t *to, const uint8_t *from, uint32_t len)
{
	pos %= PB_BYTES;
	while (len > 0) {
		uint32_t part = PB_BYTES - pos < len ? PB_BYTES - pos : len;

		if (from != NULL) {
			memcpy(dev->pb + pos, from, part);
			from += part;
		} else {
			memcpy(to, dev->pb + pos, part);
			to += part;
		}
		len -= part;
		pos = 0;
	}
}

static void
pb_pop(struct ixgbe *dev)
{
	struct pb_slot *slot = &dev->slots[dev->slot_head];

	dev->pb_head = (dev->pb_head + slot->used) % PB_BYTES;
	dev->pb_used -= slot->used;
	dev->slot_head = (dev->slot_head + 1) % PB_SLOTS;
	dev->slot_count--;
	dev->head_blocked = false;
}

void
ixgbe_rx_reset(struct ixgbe *dev)
{
	unsigned int i;

	memset(dev->rx, 0, sizeof(dev->rx));
	memset(dev->rx_on, 0, sizeof(dev->rx_on));
	memset(dev->rar_valid, 0, sizeof(dev->rar_valid));
	dev->pb_head = dev->pb_used = dev->slot_head = dev->slot_count = 0;
	dev->head_blocked = false;
	/* Reset values: 8.2.3.8.9 and, for one traffic class, all of the memory. */
	nic_reg_set(dev->nic, IXGBE_RXPBSIZE,
		    (dev->gen >= GEN_X540 ? 384u : 512u) << IXGBE_RXPBSIZE_SHIFT);
	nic_reg_set(dev->nic, IXGBE_RDRXCTL, IXGBE_RDRXCTL_DMAIDONE | IXGBE_RDRXCTL_CRC_STRIP);
	nic_reg_set(dev->nic, IXGBE_VLNCTRL, 0x8100);
	nic_reg_set(dev->nic, IXGBE_MAXFRS, 1518u << IXGBE_MAXFRS_MFS_SHIFT);
	nic_reg_set(dev->nic, IXGBE_HLREG0,
		    IXGBE_HLREG0_TXCRCEN | IXGBE_HLREG0_RXCRCSTRP | IXGBE_HLREG0_TXPADEN);
	for (i = 0; i < IXGBE_SRRCTL_COUNT; i++)
		nic_reg_set(dev->nic, IXGBE_AT(SRRCTL, i), 2 | 4u << 8);
}

static uint32_t
free_descriptors(struct ixgbe *dev, unsigned int queue)
{
	struct rx_ring *ring = &dev->rx[queue];
	uint32_t tail = __atomic_load_n(&dev->nic->bar[RING(RDT, queue) / 4], __ATOMIC_ACQUIRE);

	/* A tail beyond the ring gives the hardware nothing. */
	if (tail >= ring->size)
		return 0;
	return tail >= ring->head ? tail - ring->head : tail + ring->size - ring->head;
}

static void
write_back(struct nic *nic, union ixgbe_rx_desc *desc, uint32_t info, uint32_t rss, uint32_t status,
	   uint32_t len, uint16_t vlan)
{
	union ixgbe_rx_desc wb = {.wb = {info, rss, status, (uint16_t)len, vlan}};

	nic_post(nic, desc, &wb);
}

/* Write the first frame of the buffer to descriptors; there are enough. */
static void
deliver(struct ixgbe *dev, const struct pb_slot *slot, uint32_t need, uint32_t bufsize,
	union ixgbe_rx_desc *descs)
{
	struct rx_ring *ring = &dev->rx[slot->queue];
	uint8_t *buf[NIC_FRAME_MAX / 1024 + 1];
	uint32_t i, at = 0;

	/* All addresses before a byte is written: a bad one costs the whole packet, no more. */
	for (i = 0; i < need; i++) {
		uint32_t d = (ring->head + i) % ring->size;
		uint32_t part = slot->len - at < bufsize ? slot->len - at : bufsize;

		buf[i] = nic_dma(dev->nic, descs[d].read.pkt_addr, part);
		if (buf[i] == NULL)
			break;
		at += part;
	}
	if (i < need) {
		dev->nic->stats.rx_drop_dma++;
		/* The descriptor is spent, as it is on a bus that answered with an error. */
		write_back(dev->nic, &descs[ring->head], 0, 0,
			   IXGBE_RXD_STAT_DD | IXGBE_RXD_STAT_EOP | IXGBE_RXD_ERR_RXE, 0, 0);
		ring->head = (ring->head + 1) % ring->size;
		nic_reg_set(dev->nic, RING(RDH, slot->queue), ring->head);
		return;
	}
	at = 0;
	for (i = 0; i < need; i++) {
		uint32_t part = slot->len - at < bufsize ? slot->len - at : bufsize;
		bool last = i + 1 == need;

		pb_copy(dev, slot->pos + at, buf[i], NULL, part);
		at += part;
		write_back(dev->nic, &descs[ring->head], slot->info, slot->rss,
			   last ? slot->status | IXGBE_RXD_STAT_DD | IXGBE_RXD_STAT_EOP
				: IXGBE_RXD_STAT_DD,
			   part, slot->vlan);
		ring->head = ring->head + 1 < ring->size ? ring->head + 1 : 0;
		nic_reg_set(dev->nic, RING(RDH, slot->queue), ring->head);
	}
	dev->nic->stats.rx_frames++;
	dev->nic->stats.rx_bytes += slot->len;
	dev->nic->stats.rx_queue[slot->queue]++;
	dev->nic->stats.rx_queue_last[slot->queue] = nic_clock_now(dev->nic->clock);
	ixgbe_stat_rx_queue(dev, slot->queue, slot->len);
	ixgbe_intr_queue(dev, slot->queue, false);
}

/* The first frame leaves the buffer, to memory or not at all: true. False: it waits. */
static bool
drain_one(struct ixgbe *dev)
{
	struct nic *nic = dev->nic;
	struct pb_slot *slot = &dev->slots[dev->slot_head];
	struct rx_ring *ring = &dev->rx[slot->queue];
	union ixgbe_rx_desc *descs;
	uint32_t srrctl, bufsize, need;

	if (!ring->on) {
		nic->stats.rx_drop_disabled++;
		pb_pop(dev);
		return true;
	}
	srrctl = nic_reg(nic, RING(SRRCTL, slot->queue));
	bufsize = (srrctl & IXGBE_SRRCTL_BSIZEPKT) << IXGBE_SRRCTL_BSIZEPKT_SHIFT;
	need = bufsize == 0 ? UINT32_MAX : (slot->len + bufsize - 1) / bufsize;
	if (need >= ring->size) {
		nic->stats.rx_drop_size++;
		pb_pop(dev);
		return true;
	}
	if (free_descriptors(dev, slot->queue) < need) {
		if (srrctl & IXGBE_SRRCTL_DROP_EN) {
			nic->stats.rx_drop_no_desc++;
			ixgbe_stat_rx_queue_drop(dev, slot->queue);
			pb_pop(dev);
			return true;
		}
		if (!dev->head_blocked) {
			dev->head_blocked = true;
			nic_reg_add(nic, IXGBE_RNBC, 1);
		}
		return false;
	}
	descs = nic_dma(nic, ring->base, (size_t)ring->size * sizeof(*descs));
	if (descs == NULL)
		nic->stats.rx_drop_dma++;
	else
		deliver(dev, slot, need, bufsize, descs);
	pb_pop(dev);
	return true;
}

void
ixgbe_rx_drain(struct ixgbe *dev)
{
	bool drained = false;

	if (!receiving(dev))
		return;
	while (dev->slot_count > 0 && drain_one(dev))
		drained = true;
	if (drained)
		nic_wire_room(dev->nic);
}

/* Receiving, and at least one ring is there. */
static bool
ready(const struct ixgbe *dev)
{
	return receiving(dev) && (dev->rx_on[0] | dev->rx_on[1]) != 0;
}

static bool
fits(struct ixgbe *dev, uint32_t len)
{
	return dev->pb_used + len + CRC_LEN <= pb_size(dev) && dev->slot_count < PB_SLOTS;
}

bool
ixgbe_rx_room(struct nic *nic, uint32_t len)
{
	struct ixgbe *dev = ixgbe_of(nic);

	return ready(dev) && fits(dev, len);
}

bool
ixgbe_rx_full(struct nic *nic, uint32_t len)
{
	struct ixgbe *dev = ixgbe_of(nic);

	return ready(dev) && !fits(dev, len);
}

/* Sizes as the MAC sees them, with the CRC: 8.2.3.22.13 (MAXFRS), 8.2.3.22.8 (HLREG0). */
static bool
size_ok(struct ixgbe *dev, uint32_t len, bool tagged, bool bad_crc)
{
	struct nic *nic = dev->nic;
	uint32_t max = 1518;

	if (nic_reg(nic, IXGBE_HLREG0) & IXGBE_HLREG0_JUMBOEN)
		max = nic_reg(nic, IXGBE_MAXFRS) >> IXGBE_MAXFRS_MFS_SHIFT;
	if (tagged)
		max += VLAN_LEN;
	if (len + CRC_LEN < 64) {
		nic_reg_add(nic, bad_crc ? IXGBE_RFC : IXGBE_RUC, 1);
		return false;
	}
	if (len + CRC_LEN > max) {
		nic_reg_add(nic, bad_crc ? IXGBE_RJC : IXGBE_ROC, 1);
		return false;
	}
	return true;
}

static uint32_t
status_of(struct ixgbe *dev, const struct parsed *p)
{
	uint32_t status = 0;

	if (p->ip_checked)
		status |= IXGBE_RXD_STAT_IPCS | (p->ip_bad ? IXGBE_RXD_ERR_IPE : 0);
	if (p->l4_checked) {
		status |= IXGBE_RXD_STAT_L4CS | (p->l4_bad ? IXGBE_RXD_ERR_TCPE : 0);
		if (p->proto == 17)
			status |= IXGBE_RXD_STAT_UDPCS;
	}
	/* The 82599 can take a zero for a wrong checksum: an erratum that its drivers know. */
	if (p->udp_zero && dev->gen <= GEN_82599_BACKPLANE)
		status |= IXGBE_RXD_STAT_L4CS | IXGBE_RXD_STAT_UDPCS | IXGBE_RXD_ERR_TCPE;
	if (p->ip_bad || p->l4_bad)
		nic_reg_add(dev->nic, IXGBE_XEC, 1);
	return status;
}

/* Section 7.1.6.2. */
static uint32_t
ptype_of(const struct parsed *p)
{
	uint32_t type = 0;

	if (p->ipv4)
		type = IXGBE_RXD_PTYPE_IPV4 | (p->ext ? IXGBE_RXD_PTYPE_IPV4_EXT : 0);
	else if (p->ipv6)
		type = IXGBE_RXD_PTYPE_IPV6 | (p->ext ? IXGBE_RXD_PTYPE_IPV6_EXT : 0);
	if (p->proto == 6)
		type |= IXGBE_RXD_PTYPE_TCP;
	else if (p->proto == 17)
		type |= IXGBE_RXD_PTYPE_UDP;
	else if (p->proto == 132)
		type |= IXGBE_RXD_PTYPE_SCTP;
	return type;
}

int
ixgbe_rx_frame(struct nic *nic, const uint8_t *frame, uint32_t len, unsigned int flags)
{
	struct ixgbe *dev = ixgbe_of(nic);
	uint16_t vet = (uint16_t)(nic_reg(nic, IXGBE_VLNCTRL) & IXGBE_VLNCTRL_VET);
	struct pb_slot *slot;
	struct parsed p;
	uint32_t pos, rss, status, fdir_hash;
	unsigned int queue, type;
	bool keep_crc, fdir_reported = false;
	int steer;

	if (!receiving(dev)) {
		nic->stats.rx_drop_disabled++;
		return 0;
	}
	nic_parse(frame, len, vet, &p);
	if (!size_ok(dev, len, p.has_vlan, (flags & NIC_FRAME_BAD_CRC) != 0)) {
		nic->stats.rx_drop_size++;
		return 0;
	}
	if (flags & NIC_FRAME_BAD_CRC) {
		nic_reg_add(nic, IXGBE_CRCERRS, 1);
		if (!(nic_reg(nic, IXGBE_FCTRL) & IXGBE_FCTRL_SBP)) {
			nic->stats.rx_drop_crc++;
			return 0;
		}
	}
	ixgbe_stat_rx_total(dev, len);
	if (!ixgbe_rx_filter(dev, frame, &p)) {
		nic->stats.rx_filtered++;
		return 0;
	}
	ixgbe_stat_rx_good(dev, frame, len);
	if (dev->pb_used + len + CRC_LEN > pb_size(dev) || dev->slot_count == PB_SLOTS) {
		nic->stats.rx_drop_full++;
		nic_reg_add(nic, IXGBE_MPC, 1);
		ixgbe_intr_cause(dev, IXGBE_EICR_RX_MISS);
		return -ENOBUFS;
	}
	queue = ixgbe_rss(dev, frame, &p, &rss, &type);
	status = status_of(dev, &p);
	steer = ixgbe_rx_steer(dev, frame, &p);
	if (steer < 0) {
		steer = ixgbe_fdir_match(dev, frame, len, &p, &fdir_reported, &fdir_hash);
		if (fdir_reported) {
			type = IXGBE_RXD_RSSTYPE_FDIR;
			rss = fdir_hash;
			status |= IXGBE_RXD_STAT_FLM;
		}
	}
	if (steer >= 0)
		queue = (unsigned int)steer;
	if (flags & NIC_FRAME_BAD_CRC)
		status |= IXGBE_RXD_ERR_RXE;

	slot = &dev->slots[(dev->slot_head + dev->slot_count) % PB_SLOTS];
	memset(slot, 0, sizeof(*slot));
	slot->queue = (uint8_t)queue;
	slot->info = ptype_of(&p) << IXGBE_RXD_INFO_PTYPE_SHIFT;
	if (nic_reg(nic, IXGBE_RXCSUM) & IXGBE_RXCSUM_PCSD) {
		slot->info |= type;
		slot->rss = rss;
	}
	pos = dev->pb_head + dev->pb_used;
	slot->pos = pos % PB_BYTES;
	slot->len = (uint16_t)len;
	if (p.has_vlan && nic_reg(nic, RING(RXDCTL, queue)) & IXGBE_RXDCTL_VME) {
		status |= IXGBE_RXD_STAT_VP;
		slot->vlan = p.vlan;
		slot->len = (uint16_t)(len - VLAN_LEN);
		pb_copy(dev, pos, NULL, frame, 12);
		pb_copy(dev, pos + 12, NULL, frame + 16, len - 16);
	} else {
		pb_copy(dev, pos, NULL, frame, len);
	}
	keep_crc = (nic_reg(nic, IXGBE_HLREG0) & IXGBE_HLREG0_RXCRCSTRP) == 0;
	if (keep_crc) {
		uint32_t crc = nic_crc32(frame, len, false);

		pb_copy(dev, pos + slot->len, NULL, (const uint8_t *)&crc, CRC_LEN);
		slot->len = (uint16_t)(slot->len + CRC_LEN);
	}
	slot->status = status;
	slot->used = (uint16_t)(len + CRC_LEN);
	dev->pb_used += slot->used;
	dev->slot_count++;
	ixgbe_rx_drain(dev);
	return 0;
}

static void
ring_switch(struct ixgbe *dev, unsigned int queue, bool on)
{
	struct rx_ring *ring = &dev->rx[queue];
	uint64_t bit = UINT64_C(1) << (queue % 64);

	if (on == ring->on)
		return;
	ring->on = on;
	if (!on) {
		dev->rx_on[queue / 64] &= ~bit;
		return;
	}
	ring->base = (uint64_t)nic_reg(dev->nic, RING(RDBAH, queue)) << 32 |
		     (nic_reg(dev->nic, RING(RDBAL, queue)) & ~(IXGBE_RING_ALIGN - 1));
	ring->size = (nic_reg(dev->nic, RING(RDLEN, queue)) & 0xFFF80u) / 16;
	ring->head = nic_reg(dev->nic, RING(RDH, queue));
	if (ring->head >= ring->size)
		ring->head = 0;
	dev->rx_on[queue / 64] |= bit;
}

void
ixgbe_rx_poll(struct ixgbe *dev)
{
	unsigned int q;

	for (q = 0; q < RX_RINGS; q++)
		ring_switch(dev, q,
			    (nic_reg(dev->nic, RING(RXDCTL, q)) & IXGBE_RXDCTL_ENABLE) != 0);
	if (dev->slot_count > 0)
		ixgbe_rx_drain(dev);
}

static void
rxdctl(struct nic *nic, uint32_t offset, unsigned int queue, uint32_t value)
{
	struct ixgbe *dev = ixgbe_of(nic);

	nic_reg_set(nic, offset, value);
	ring_switch(dev, queue, (value & IXGBE_RXDCTL_ENABLE) != 0);
	if (dev->slot_count > 0)
		ixgbe_rx_drain(dev);
	else
		nic_wire_room(nic);
}

static void
rxdctl_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	rxdctl(nic, offset, index, value);
}

static void
rxdctl_hi_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	rxdctl(nic, offset, index + 64, value);
}

static void
rdt_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	(void)index;
	nic_reg_set(nic, offset, value & 0xFFFF);
	if (ixgbe_of(nic)->slot_count > 0)
		ixgbe_rx_drain(ixgbe_of(nic));
}

/* RDH is the hardware's while the ring is on (8.2.3.8.5). */
static void
rdh_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	unsigned int queue = offset >= IXGBE_RDH_HI ? index + 64 : index;

	if (!ixgbe_of(nic)->rx[queue].on)
		nic_reg_set(nic, offset, value & 0xFFFF);
}

static void
rxctrl_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	(void)index;
	nic_reg_set(nic, offset, value);
	ixgbe_rx_drain(ixgbe_of(nic));
	nic_wire_room(nic);
}

/* 4.6.7: the path is empty as soon as it is closed. */
static void
secrxctrl_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	(void)index;
	nic_reg_set(nic, offset, value);
	nic_reg_set(nic, IXGBE_SECRXSTAT, value & IXGBE_SECRXCTRL_RX_DIS ? IXGBE_SECRXSTAT_RDY : 0);
	ixgbe_rx_drain(ixgbe_of(nic));
	nic_wire_room(nic);
}

static void
rdrxctl_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	(void)index;
	nic_reg_set(nic, offset, value | IXGBE_RDRXCTL_DMAIDONE);
}

static void
rah_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	struct ixgbe *dev = ixgbe_of(nic);
	uint32_t bit = UINT32_C(1) << (index % 32);

	nic_reg_set(nic, offset, value);
	if (value & IXGBE_RAH_AV)
		dev->rar_valid[index / 32] |= bit;
	else
		dev->rar_valid[index / 32] &= ~bit;
}

const struct reg_special ixgbe_rx_regs[] = {
    {IXGBE_RXDCTL, NULL, rxdctl_write},
    {IXGBE_RXDCTL_HI, NULL, rxdctl_hi_write},
    {IXGBE_RDT, NULL, rdt_write},
    {IXGBE_RDT_HI, NULL, rdt_write},
    {IXGBE_RDH, NULL, rdh_write},
    {IXGBE_RDH_HI, NULL, rdh_write},
    {IXGBE_RXCTRL, NULL, rxctrl_write},
    {IXGBE_SECRXCTRL, NULL, secrxctrl_write},
    {IXGBE_RDRXCTL, NULL, rdrxctl_write},
    {IXGBE_RAH, NULL, rah_write},
    {0, NULL, NULL},
};
