/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RSS against the vectors of "Verifying the RSS Hash Calculation" (Microsoft, Windows driver
 * documentation): key, addresses, ports and hashes are from there.
 */
#include "nic_bench.h"

#include <arpa/inet.h>

static const uint8_t key[40] = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

static const struct {
	const char *src, *dst;
	uint16_t sport, dport;
	uint32_t ip, tcp;
} vectors[] = {
    {"66.9.149.187", "161.142.100.80", 2794, 1766, 0x323e8fc2, 0x51ccc178},
    {"199.92.111.2", "65.69.140.83", 14230, 4739, 0xd718262a, 0xc626b0ea},
    {"24.19.198.95", "12.22.207.184", 12898, 38024, 0xd2d0a5de, 0x5c2b394a},
    {"38.27.205.30", "209.142.163.6", 48228, 2217, 0x82989176, 0xafc7327f},
    {"153.39.163.191", "202.188.127.2", 44251, 1303, 0x5d1809c5, 0x10e828a2},
    {"3ffe:2501:200:1fff::7", "3ffe:2501:200:3::1", 2794, 1766, 0x2cc18cd5, 0x40207d3d},
    {"3ffe:501:8::260:97ff:fe40:efab", "ff02::1", 14230, 4739, 0x0f0c461c, 0xdde51bbf},
    {"3ffe:1900:4545:3:200:f8ff:fe21:67cf", "fe80::200:f8ff:fe21:67cf", 44251, 38024, 0x4b61e985,
     0x02d1feef},
};

#define VECTORS (sizeof(vectors) / sizeof(vectors[0]))

static struct bench *
open_rss(const char *model, uint32_t types)
{
	struct bench *b = bench_open(model);
	unsigned int i;

	for (i = 0; i < 10; i++)
		wr(b, IXGBE_AT(RSSRK, i),
		   (uint32_t)key[4 * i] | (uint32_t)key[4 * i + 1] << 8 |
		       (uint32_t)key[4 * i + 2] << 16 | (uint32_t)key[4 * i + 3] << 24);
	wr(b, IXGBE_MRQC, IXGBE_MRQC_RSSEN | types);
	wr(b, IXGBE_RXCSUM, IXGBE_RXCSUM_PCSD);
	bench_rx_start(b, 0);
	wr(b, IXGBE_FCTRL, IXGBE_FCTRL_UPE | IXGBE_FCTRL_MPE);
	return b;
}

static void
send_vector(struct bench *b, unsigned int v, uint8_t proto)
{
	uint8_t frame[100] = {0x02, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00}, *l4;

	if (strchr(vectors[v].src, ':') == NULL) {
		frame[14] = 0x45;
		frame[17] = 100 - 14;
		frame[23] = proto;
		inet_pton(AF_INET, vectors[v].src, frame + 26);
		inet_pton(AF_INET, vectors[v].dst, frame + 30);
		l4 = frame + 34;
	} else {
		frame[12] = 0x86;
		frame[13] = 0xDD;
		frame[14] = 0x60;
		frame[19] = 100 - 54;
		frame[20] = proto;
		inet_pton(AF_INET6, vectors[v].src, frame + 22);
		inet_pton(AF_INET6, vectors[v].dst, frame + 38);
		l4 = frame + 54;
	}
	l4[0] = (uint8_t)(vectors[v].sport >> 8);
	l4[1] = (uint8_t)vectors[v].sport;
	l4[2] = (uint8_t)(vectors[v].dport >> 8);
	l4[3] = (uint8_t)vectors[v].dport;
	l4[12] = 0x50;
	assert_int_equal(nic_inject(b->nic, frame, sizeof(frame)), 0);
}

static void
tcp_hashes_match_the_published_ones(void **state)
{
	struct bench *b = open_rss("82599", IXGBE_MRQC_TCPIPV4 | IXGBE_MRQC_TCPIPV6);
	unsigned int v;

	(void)state;
	for (v = 0; v < VECTORS; v++) {
		send_vector(b, v, 6);
		assert_int_equal(bench_rx_desc(b, 0, v)->wb.rss, vectors[v].tcp);
		assert_int_equal(bench_rx_desc(b, 0, v)->wb.info & IXGBE_RXD_INFO_RSSTYPE,
				 v < 5 ? IXGBE_RXD_RSSTYPE_TCPIPV4 : IXGBE_RXD_RSSTYPE_TCPIPV6);
	}
	bench_close(b);
}

static void
address_hashes_match_the_published_ones(void **state)
{
	struct bench *b = open_rss("82599", IXGBE_MRQC_IPV4 | IXGBE_MRQC_IPV6);
	unsigned int v;

	(void)state;
	for (v = 0; v < VECTORS; v++) {
		send_vector(b, v, 6);
		assert_int_equal(bench_rx_desc(b, 0, v)->wb.rss, vectors[v].ip);
	}
	bench_close(b);
}

static void
udp_is_hashed_by_ports_where_enabled(void **state)
{
	struct bench *b = open_rss("82599", IXGBE_MRQC_IPV4 | IXGBE_MRQC_UDPIPV4);

	(void)state;
	send_vector(b, 0, 17);
	assert_int_equal(bench_rx_desc(b, 0, 0)->wb.rss, vectors[0].tcp);
	assert_int_equal(bench_rx_desc(b, 0, 0)->wb.info & IXGBE_RXD_INFO_RSSTYPE,
			 IXGBE_RXD_RSSTYPE_UDPIPV4);
	bench_close(b);
}

static void
hash_of_a_type_that_is_off_is_none(void **state)
{
	struct bench *b = open_rss("82599", IXGBE_MRQC_TCPIPV6);

	(void)state;
	send_vector(b, 0, 6);
	assert_int_equal(bench_rx_desc(b, 0, 0)->wb.rss, 0);
	assert_int_equal(bench_rx_desc(b, 0, 0)->wb.info & IXGBE_RXD_INFO_RSSTYPE, 0);
	bench_close(b);
}

static void
reta_of_82599_picks_one_of_16_queues(void **state)
{
	struct bench *b = open_rss("82599", IXGBE_MRQC_TCPIPV4);
	uint32_t entry = vectors[0].tcp & 0x7F;

	(void)state;
	bench_rx_start(b, 5);
	wr(b, IXGBE_AT(RETA, entry / 4), 0xF5u << (entry % 4 * 8));
	send_vector(b, 0, 6);
	assert_int_equal(rd(b, IXGBE_AT(RDH, 5)), 1);
	bench_close(b);
}

static void
reta_of_x550_has_512_entries_of_64_queues(void **state)
{
	struct bench *b = open_rss("x550", IXGBE_MRQC_TCPIPV4);
	uint32_t entry = vectors[0].tcp & 0x1FF;

	(void)state;
	assert_true(entry >= 128);
	bench_rx_start(b, 0x25);
	wr(b, IXGBE_AT(ERETA, (entry - 128) / 4), 0x25u << (entry % 4 * 8));
	send_vector(b, 0, 6);
	assert_int_equal(rd(b, IXGBE_AT(RDH, 0x25)), 1);
	bench_close(b);
}

static void
five_tuple_filter_comes_before_rss(void **state)
{
	struct bench *b = open_rss("82599", IXGBE_MRQC_TCPIPV4);

	(void)state;
	bench_rx_start(b, 3);
	/* TCP to port 1766, all else of no matter. */
	wr(b, IXGBE_SDPQF, (uint32_t)htons(1766) << 16);
	wr(b, IXGBE_L34T_IMIR, 3u << 21);
	wr(b, IXGBE_FTQF, IXGBE_BIT(31) | IXGBE_BIT(25) | IXGBE_BIT(26) | IXGBE_BIT(27) | 0);
	send_vector(b, 0, 6);
	assert_int_equal(rd(b, IXGBE_AT(RDH, 3)), 1);
	send_vector(b, 1, 6);
	assert_int_equal(rd(b, IXGBE_AT(RDH, 0)), 1);
	bench_close(b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tcp_hashes_match_the_published_ones),
	    cmocka_unit_test(address_hashes_match_the_published_ones),
	    cmocka_unit_test(udp_is_hashed_by_ports_where_enabled),
	    cmocka_unit_test(hash_of_a_type_that_is_off_is_none),
	    cmocka_unit_test(reta_of_82599_picks_one_of_16_queues),
	    cmocka_unit_test(reta_of_x550_has_512_entries_of_64_queues),
	    cmocka_unit_test(five_tuple_filter_comes_before_rss),
	};

	return cmocka_run_group_tests_name("nic_rss", tests, NULL, NULL);
}
