/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames as a receiver sees them: headers, checksums, hashes. Any thread. */
#ifndef NIC_PARSE_H
#define NIC_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the receiver found out about a frame: the input of filters, RSS and write-back. */
struct parsed {
	uint16_t ethertype; /* behind a VLAN tag, if there is one */
	uint16_t vlan;	    /* the tag */
	bool has_vlan;
	bool ipv4, ipv6, fragment;
	bool ext; /* options, or extension headers */
	bool ip_checked, ip_bad;
	bool l4_checked, l4_bad;
	bool udp_zero;	 /* UDP over IPv4 without a checksum */
	uint8_t next;	 /* what the IP header says that follows; 0: it says nothing */
	uint8_t proto;	 /* 6, 17, 132 if it could be parsed, else 0 */
	uint32_t l3, l4; /* offsets */
	uint32_t l4_end; /* end of the IP packet */
};

void nic_parse(const uint8_t *frame, uint32_t len, uint16_t vlan_type, struct parsed *p);
uint32_t nic_crc32(const uint8_t *data, size_t len, bool castagnoli);
/* One's complement sum of big-endian words; fold with nic_sum_fold(). */
uint32_t nic_sum(const uint8_t *data, size_t len, uint32_t sum);
uint16_t nic_sum_fold(uint32_t sum);
uint32_t nic_toeplitz(const uint8_t key[40], const uint8_t *input, size_t len);
bool nic_is_broadcast(const uint8_t *frame);

#endif /* NIC_PARSE_H */
