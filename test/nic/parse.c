/* SPDX-License-Identifier: BSD-3-Clause */
/* What a receiver recognizes in a frame. */
#include "parse.h"

#include <string.h>

enum {
	PROTO_HOPOPTS = 0,
	PROTO_TCP = 6,
	PROTO_UDP = 17,
	PROTO_ROUTING = 43,
	PROTO_FRAGMENT = 44,
	PROTO_DSTOPTS = 60,
	PROTO_SCTP = 132,
};

static uint16_t
be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

uint32_t
nic_sum(const uint8_t *data, size_t len, uint32_t sum)
{
	uint64_t total = sum;

	while (len > 1) {
		total += be16(data);
		data += 2;
		len -= 2;
	}
	if (len != 0)
		total += (uint32_t)data[0] << 8;
	while (total >> 32)
		total = (total & UINT32_MAX) + (total >> 32);
	return (uint32_t)total;
}

uint16_t
nic_sum_fold(uint32_t sum)
{
	sum = (sum & 0xFFFF) + (sum >> 16);
	sum = (sum & 0xFFFF) + (sum >> 16);
	return (uint16_t)sum;
}

uint32_t
nic_crc32(const uint8_t *data, size_t len, bool castagnoli)
{
	uint32_t poly = castagnoli ? 0x82F63B78u : 0xEDB88320u, crc = UINT32_MAX;

	while (len-- > 0) {
		int bit;

		crc ^= *data++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? poly : 0);
	}
	return ~crc;
}

static uint32_t
pseudo_sum(const uint8_t *frame, const struct parsed *p, uint32_t len)
{
	uint32_t sum = p->proto + len;

	if (p->ipv4)
		return nic_sum(frame + p->l3 + 12, 8, sum);
	return nic_sum(frame + p->l3 + 8, 32, sum);
}

static void
parse_l4(const uint8_t *frame, struct parsed *p, uint8_t proto)
{
	uint32_t room = p->l4_end - p->l4;

	p->next = proto;
	switch (proto) {
	case PROTO_TCP:
		if (room < 20)
			return;
		p->proto = proto;
		p->l4_checked = true;
		p->l4_bad = nic_sum_fold(
				nic_sum(frame + p->l4, room, pseudo_sum(frame, p, room))) != 0xFFFF;
		break;
	case PROTO_UDP: {
		uint32_t len;

		if (room < 8)
			return;
		p->proto = proto;
		len = be16(frame + p->l4 + 4);
		if (len < 8 || len > room)
			return;
		/* Zero in IPv4 means that the sender made none: nothing is checked. */
		if (be16(frame + p->l4 + 6) == 0) {
			p->udp_zero = true;
			return;
		}
		p->l4_checked = true;
		p->l4_bad = nic_sum_fold(nic_sum(frame + p->l4, len, pseudo_sum(frame, p, len))) !=
			    0xFFFF;
		break;
	}
	case PROTO_SCTP: {
		uint8_t head[12];
		uint32_t crc, want, i;

		if (room < 12)
			return;
		p->proto = proto;
		p->l4_checked = true;
		/* CRC32c with the checksum field as zero: continued over two pieces by hand. */
		memcpy(head, frame + p->l4, 12);
		memset(head + 8, 0, 4);
		crc = UINT32_MAX;
		for (i = 0; i < room; i++) {
			int bit;

			crc ^= i < 12 ? head[i] : frame[p->l4 + i];
			for (bit = 0; bit < 8; bit++)
				crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
		}
		memcpy(&want, frame + p->l4 + 8, 4);
		p->l4_bad = ~crc != want; /* little-endian on the wire: RFC 3309 */
		break;
	}
	default:
		break;
	}
}

static void
parse_ipv4(const uint8_t *frame, uint32_t len, struct parsed *p)
{
	const uint8_t *ip = frame + p->l3;
	uint32_t room = len - p->l3, head, total;

	if (room < 20 || ip[0] >> 4 != 4)
		return;
	head = (ip[0] & 0xFu) * 4;
	total = be16(ip + 2);
	if (head < 20 || head > room || total < head || total > room)
		return;
	p->ipv4 = true;
	p->ext = head > 20;
	p->ip_checked = true;
	p->ip_bad = nic_sum_fold(nic_sum(ip, head, 0)) != 0xFFFF;
	p->fragment = (be16(ip + 6) & 0x3FFF) != 0;
	p->l4 = p->l3 + head;
	p->l4_end = p->l3 + total;
	if (!p->fragment)
		parse_l4(frame, p, ip[9]);
}

static void
parse_ipv6(const uint8_t *frame, uint32_t len, struct parsed *p)
{
	const uint8_t *ip = frame + p->l3;
	uint32_t at = p->l3 + 40;
	uint8_t next;

	if (len - p->l3 < 40 || ip[0] >> 4 != 6)
		return;
	p->l4_end = at + be16(ip + 4);
	if (p->l4_end > len)
		return;
	p->ipv6 = true;
	next = ip[6];
	while (next == PROTO_HOPOPTS || next == PROTO_ROUTING || next == PROTO_DSTOPTS ||
	       next == PROTO_FRAGMENT) {
		p->ext = true;
		if (p->l4_end - at < 8)
			return;
		if (next == PROTO_FRAGMENT) {
			p->fragment = true;
			return;
		}
		next = frame[at];
		at += 8u + frame[at + 1] * 8u;
		if (at > p->l4_end)
			return;
	}
	p->l4 = at;
	parse_l4(frame, p, next);
}

void
nic_parse(const uint8_t *frame, uint32_t len, uint16_t vlan_type, struct parsed *p)
{
	uint32_t at = 12;

	memset(p, 0, sizeof(*p));
	p->ethertype = be16(frame + at);
	at += 2;
	if (p->ethertype == vlan_type && len >= at + 4) {
		p->has_vlan = true;
		p->vlan = be16(frame + at);
		p->ethertype = be16(frame + at + 2);
		at += 4;
	}
	p->l3 = at;
	if (p->ethertype == 0x0800)
		parse_ipv4(frame, len, p);
	else if (p->ethertype == 0x86DD)
		parse_ipv6(frame, len, p);
}

uint32_t
nic_toeplitz(const uint8_t key[40], const uint8_t *input, size_t len)
{
	uint32_t hash = 0, window;
	size_t i, next = 4;

	window = (uint32_t)key[0] << 24 | (uint32_t)key[1] << 16 | (uint32_t)key[2] << 8 | key[3];
	for (i = 0; i < len; i++) {
		int bit;

		for (bit = 7; bit >= 0; bit--) {
			if (input[i] >> bit & 1)
				hash ^= window;
			window = window << 1 | (uint32_t)(key[next] >> bit & 1);
		}
		next = next + 1 < 40 ? next + 1 : 0;
	}
	return hash;
}

bool
nic_is_broadcast(const uint8_t *frame)
{
	return (frame[0] & frame[1] & frame[2] & frame[3] & frame[4] & frame[5]) == 0xFF;
}
