/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive. Software owns the descriptors up to RBCIR; hardware fills from RBPIR on and stops there,
 * so that one descriptor stays unused and equal indices mean none. A frame that finds too few is
 * dropped and counted in RBDCR. Of a frame with several descriptors the first is written last:
 * FreeBSD says that R stands when all of them have been processed.
 */
#include "enetc_model.h"

#include <errno.h>
#include <string.h>

#define CRC_LEN 4u
#define VLAN_LEN 4u
#define BUFFERS (NIC_FRAME_MAX / 64)

static bool
receiving(const struct nic *nic)
{
	return enetc_si_on(nic) && (port_reg(nic, ENETC_PM0_CMD_CFG) & ENETC_PM0_CMD_RX_EN) != 0;
}

static uint32_t
free_descriptors(const struct enetc *dev, unsigned int q)
{
	const struct ring *ring = &dev->rx[q];
	uint32_t tail = __atomic_load_n(&dev->nic->bar[ENETC_AT(RBCIR, q) / 4], __ATOMIC_ACQUIRE);

	if (tail >= ring->size)
		return 0;
	return tail >= ring->index ? tail - ring->index : tail + ring->size - ring->index;
}

static uint32_t
need(const struct nic *nic, unsigned int q, uint32_t len)
{
	uint32_t buffer = nic_reg(nic, ENETC_AT(RBBSR, q)) & ENETC_BUFFER_MAX;

	return buffer == 0 ? UINT32_MAX : (len + buffer - 1) / buffer;
}

/* Every ring that is on has room for it: which one it will be is not known yet. */
bool
enetc_rx_room(struct nic *nic, uint32_t len)
{
	struct enetc *dev = enetc_of(nic);
	bool any = false;
	unsigned int q;

	for (q = 0; receiving(nic) && q < RINGS; q++) {
		if (!dev->rx[q].on)
			continue;
		any = true;
		if (free_descriptors(dev, q) < need(nic, q, len))
			return false;
	}
	return any;
}

bool
enetc_rx_full(struct nic *nic, uint32_t len)
{
	struct enetc *dev = enetc_of(nic);
	unsigned int q;

	for (q = 0; receiving(nic) && q < RINGS; q++)
		if (dev->rx[q].on)
			return !enetc_rx_room(nic, len);
	return false;
}

/* The MAC takes it: sizes with the check sequence. */
static bool
mac_passes(struct nic *nic, uint32_t len, bool bad_crc)
{
	uint32_t bytes = len + CRC_LEN, counter = 0;

	port_reg_add64(nic, ENETC_PM0_RPKT, 1);
	port_reg_add64(nic, ENETC_PM0_REOCT, bytes);
	if (bytes < 64)
		counter = bad_crc ? ENETC_PM0_RFRG : ENETC_PM0_RUND;
	else if (bytes > (port_reg(nic, ENETC_PM0_MAXFRM) & ENETC_PM0_MAXFRM_RX))
		counter = bad_crc ? ENETC_PM0_RJBR : ENETC_PM0_ROVR;
	else if (bad_crc)
		counter = ENETC_PM0_RFCS;
	if (counter == 0)
		return true;
	port_reg_add64(nic, counter, 1);
	port_reg_add64(nic, ENETC_PM0_RERR, 1);
	if (counter == ENETC_PM0_RFCS)
		nic->stats.rx_drop_crc++;
	else
		nic->stats.rx_drop_size++;
	return false;
}

/* The last layer that the parser could name, and whether its checksum is wrong. */
static uint16_t
parse_summary(const struct nic *nic, const struct parsed *p)
{
	uint32_t off = port_reg(nic, ENETC_PAR_PORT_CFG);
	uint16_t summary;

	if (!p->ipv4 && !p->ipv6)
		return ENETC_RXD_PARSE_ETHER;
	summary = p->ipv4 ? ENETC_RXD_PARSE_IPV4 : ENETC_RXD_PARSE_IPV6;
	if (p->ip_bad && !(off & ENETC_PAR_PORT_CFG_L3CD))
		return summary | ENETC_RXD_PARSE_ERROR;
	if (p->proto == 6)
		summary |= ENETC_RXD_PARSE_TCP;
	else if (p->proto == 17)
		summary |= ENETC_RXD_PARSE_UDP;
	else if (p->proto == 132)
		summary |= ENETC_RXD_PARSE_SCTP;
	else if (!p->fragment && p->next == (p->ipv4 ? 1 : 58))
		summary |= ENETC_RXD_PARSE_ICMP;
	if (p->l4_bad && !(off & ENETC_PAR_PORT_CFG_L4CD))
		summary |= ENETC_RXD_PARSE_ERROR;
	return summary;
}

/*
 * RSS over addresses, and ports where there are some: the fields of Linux's ethtool -n, the usual
 * Toeplitz; no source names the order, which is taken as everybody's. Byte 0 of the key is the low
 * byte of PRSSK 0, as Linux writes it. An entry of the table is a group, of which SIRBGCR says how
 * many there are, and here a group is a ring.
 */
static unsigned int
rss(struct enetc *dev, const uint8_t *frame, const struct parsed *p, uint32_t *hash, bool *hashed)
{
	struct nic *nic = dev->nic;
	uint32_t groups = nic_reg(nic, ENETC_SIRBGCR);
	uint8_t key[ENETC_RSS_KEY], input[36];
	size_t n = p->ipv4 ? 8 : 32, i;

	*hashed = (nic_reg(nic, ENETC_SIMR) & ENETC_SIMR_RSSE) != 0 && (p->ipv4 || p->ipv6);
	*hash = 0;
	if (!*hashed)
		return 0;
	memcpy(input, frame + p->l3 + (p->ipv4 ? 12 : 8), n);
	if (!p->fragment && p->proto != 0) {
		memcpy(input + n, frame + p->l4, 4);
		n += 4;
	}
	for (i = 0; i < ENETC_RSS_KEY; i++)
		key[i] = (uint8_t)(port_reg(nic, ENETC_AT(PRSSK, i / 4)) >> (i % 4 * 8));
	*hash = nic_toeplitz(key, input, n);
	return groups == 0 ? 0 : dev->rss[*hash % ENETC_RSS_ENTRIES] % groups;
}

struct frame {
	uint8_t head[16]; /* Ethernet header; 12 bytes of it when a tag was taken out */
	uint32_t head_len;
	const uint8_t *rest;
	uint32_t rest_len;
	uint8_t crc[CRC_LEN];
	uint32_t len; /* of all three */
};

static uint8_t
byte_at(const struct frame *f, uint32_t at)
{
	if (at < f->head_len)
		return f->head[at];
	at -= f->head_len;
	return at < f->rest_len ? f->rest[at] : f->crc[at - f->rest_len];
}

static void
piece_copy(uint8_t *to, const struct frame *f, uint32_t at, uint32_t len)
{
	while (len > 0 && (at < f->head_len || at >= f->head_len + f->rest_len)) {
		*to++ = byte_at(f, at++);
		len--;
	}
	if (len > 0) {
		uint32_t part = f->head_len + f->rest_len - at;

		part = part < len ? part : len;
		memcpy(to, f->rest + (at - f->head_len), part);
		to += part;
		at += part;
		len -= part;
	}
	for (; len > 0; len--)
		*to++ = byte_at(f, at++);
}

/* To the ring's descriptors; there are enough. False: an address that cannot be. */
static bool
deliver(struct enetc *dev, unsigned int q, uint32_t n, const struct frame *f,
	const union enetc_rx_desc *like)
{
	struct ring *ring = &dev->rx[q];
	uint32_t buffer = nic_reg(dev->nic, ENETC_AT(RBBSR, q)) & ENETC_BUFFER_MAX;
	union enetc_rx_desc *descs = nic_dma(dev->nic, ring->base, ring->size * sizeof(*descs));
	uint8_t *buf[BUFFERS];
	uint32_t i;

	if (descs == NULL)
		return false;
	for (i = 0; i < n; i++) {
		uint32_t part = i + 1 < n ? buffer : f->len - i * buffer;

		buf[i] = nic_dma(dev->nic, descs[(ring->index + i) % ring->size].read.addr, part);
		if (buf[i] == NULL)
			return false;
	}
	for (i = n; i-- > 0;) {
		union enetc_rx_desc wb = *like;
		uint32_t part = i + 1 < n ? buffer : f->len - i * buffer;

		piece_copy(buf[i], f, i * buffer, part);
		wb.wb.length = (uint16_t)part;
		wb.wb.status |= ENETC_RXD_R | (i + 1 == n ? ENETC_RXD_F : 0);
		nic_post(dev->nic, &descs[(ring->index + i) % ring->size], &wb);
	}
	ring->index = (ring->index + n) % ring->size;
	nic_reg_set(dev->nic, ENETC_AT(RBPIR, q), ring->index);
	return true;
}

int
enetc_rx_frame(struct nic *nic, const uint8_t *data, uint32_t len, unsigned int flags)
{
	struct enetc *dev = enetc_of(nic);
	union enetc_rx_desc like = {0};
	struct parsed p;
	struct frame f;
	uint16_t type;
	uint32_t hash, n;
	bool tagged, hashed;
	unsigned int q;

	if (!receiving(nic)) {
		nic->stats.rx_drop_disabled++;
		return 0;
	}
	if (!mac_passes(nic, len, (flags & NIC_FRAME_BAD_CRC) != 0))
		return 0;
	tagged = enetc_rx_tagged(nic, data, len, &type);
	nic_parse(data, len, tagged ? type : 0x8100, &p);
	p.has_vlan = tagged;
	enetc_stat_rx(nic, data, len, tagged);
	if (!enetc_rx_filter(dev, data, &p)) {
		nic->stats.rx_filtered++;
		return 0;
	}
	q = rss(dev, data, &p, &hash, &hashed);
	if (!dev->rx[q].on) {
		nic->stats.rx_drop_disabled++;
		return 0;
	}
	like.wb.parse = parse_summary(nic, &p);
	if (hashed) {
		like.wb.rss = hash;
		like.wb.status |= ENETC_RXD_RSSV;
	}
	f.head_len = 12;
	f.rest = data + 12;
	f.rest_len = len - 12;
	memcpy(f.head, data, 12);
	if (tagged && nic_reg(nic, ENETC_AT(RBMR, q)) & ENETC_RBMR_VTE) {
		like.wb.vlan = p.vlan;
		like.wb.status |= ENETC_RXD_VLAN | (type == 0x88A8 ? 1 : 0);
		f.rest += VLAN_LEN;
		f.rest_len -= VLAN_LEN;
	}
	like.wb.csum = (uint16_t)~nic_sum_fold(nic_sum(f.rest + 2, f.rest_len - 2, 0));
	f.len = f.head_len + f.rest_len;
	if (port_reg(nic, ENETC_PM0_CMD_CFG) & ENETC_PM0_CMD_CRC) {
		uint32_t crc = nic_crc32(data, len, false);

		memcpy(f.crc, &crc, CRC_LEN);
		f.len += CRC_LEN;
	}
	n = need(nic, q, f.len);
	if (n > BUFFERS || n >= dev->rx[q].size) {
		nic->stats.rx_drop_size++;
		return 0;
	}
	if (free_descriptors(dev, q) < n) {
		nic->stats.rx_drop_no_desc++;
		nic_reg_add(nic, ENETC_AT(RBDCR, q), 1);
		return 0;
	}
	if (!deliver(dev, q, n, &f, &like)) {
		nic->stats.rx_drop_dma++;
		return 0;
	}
	enetc_stat_rx_si(nic, data, f.len);
	nic->stats.rx_frames++;
	nic->stats.rx_bytes += f.len;
	nic->stats.rx_queue[q]++;
	nic->stats.rx_queue_last[q] = nic_clock_now(nic->clock);
	enetc_intr_frame(dev, &dev->rx[q].intr, false);
	return 0;
}

/* Descriptors came, or a ring: a wire that waits may go on. */
void
enetc_rx_poll(struct enetc *dev)
{
	bool changed = false;
	unsigned int q;

	for (q = 0; q < RINGS; q++)
		changed |= enetc_ring_switch(dev, &dev->rx[q], false, q);
	if (changed || enetc_rx_room(dev->nic, NIC_FRAME_MIN))
		nic_wire_room(dev->nic);
}

static void
rbmr_write(struct nic *nic, uint32_t offset, unsigned int q, uint32_t value)
{
	nic_reg_set(nic, offset, value);
	if (enetc_ring_switch(enetc_of(nic), &enetc_of(nic)->rx[q], false, q))
		nic_wire_room(nic);
}

static void
rbcir_write(struct nic *nic, uint32_t offset, unsigned int q, uint32_t value)
{
	(void)q;
	nic_reg_set(nic, offset, value & 0xFFFF);
	nic_wire_room(nic);
}

/* Hardware's while the ring is on. */
static void
rbpir_write(struct nic *nic, uint32_t offset, unsigned int q, uint32_t value)
{
	if (!enetc_of(nic)->rx[q].on)
		nic_reg_set(nic, offset, value & 0xFFFF);
}

const struct reg_special enetc_rx_regs[] = {
    {ENETC_RBMR, NULL, rbmr_write},
    {ENETC_RBCIR, NULL, rbcir_write},
    {ENETC_RBPIR, NULL, rbpir_write},
    {0, NULL, NULL},
};
