/* SPDX-License-Identifier: BSD-3-Clause */
/* Wires of the software NIC. */
#include "nic_bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pcap/pcap.h>

static char dir[] = "/tmp/nic_wireXXXXXX";

static int
make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) == NULL;
}

static int
remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

static const char *
path(const char *name)
{
	static char buf[4][64];
	static unsigned int n;
	char *p = buf[n++ % 4];

	snprintf(p, 64, "%s/%s", dir, name);
	return p;
}

static void
write_capture(const char *name, unsigned int frames, int link_type)
{
	pcap_t *dead = pcap_open_dead(link_type, 65535);
	pcap_dumper_t *out = pcap_dump_open(dead, path(name));
	uint8_t frame[200];
	unsigned int i;

	assert_non_null(out);
	for (i = 0; i < frames; i++) {
		struct pcap_pkthdr head = {.ts = {.tv_sec = 100, .tv_usec = (suseconds_t)i * 1000}};

		bench_frame(frame, sizeof(frame), 17);
		frame[100] = (uint8_t)i;
		head.caplen = head.len = sizeof(frame);
		pcap_dump((u_char *)out, &head, frame);
	}
	pcap_dump_close(out);
	pcap_close(dead);
}

static int
open_wire(struct bench *b, char err[200], const char *fmt, const char *a, const char *c)
{
	char spec[256];

	err[0] = '\0';
	snprintf(spec, sizeof(spec), fmt, a, c);
	return nic_wire_open(b->nic, spec, err, 200);
}

static void
refuse(const char *fmt, const char *a, const char *in_message)
{
	struct bench *b = bench_open("82599");
	char err[200];

	assert_true(open_wire(b, err, fmt, a, "") < 0);
	if (strstr(err, in_message) == NULL || strchr(err, '\n') != NULL)
		fail_msg("message: '%s'", err);
	bench_close(b);
}

/* Give the NIC its descriptors back. */
static void
refill(struct bench *b)
{
	uint32_t head = rd(b, IXGBE_RDH);

	wr(b, IXGBE_RDT, (head + BENCH_DESCS - 1) % BENCH_DESCS);
}

static void
pcap_asap_waits_for_room_and_loses_nothing(void **state)
{
	struct bench *b = bench_open("82599");
	struct nic_wire_stats s;
	struct nic_stats n;
	unsigned int i;
	char err[200];

	(void)state;
	write_capture("in", 1000, DLT_EN10MB);
	wr(b, IXGBE_RXPBSIZE, 8u << IXGBE_RXPBSIZE_SHIFT);
	if (open_wire(b, err, "pcap:in=%s;speed=asap", path("in"), "") != 0)
		fail_msg("%s", err);
	bench_advance(b, 1000000); /* the receiver is off: nothing is played */
	nic_stats_get(b->nic, &n);
	assert_int_equal(n.rx_wire, 0);
	bench_rx_start(b, 0);
	for (i = 0; i < 200; i++) {
		unsigned int d;

		bench_advance(b, 1000);
		for (d = 0; d < BENCH_DESCS; d++) {
			union ixgbe_rx_desc *desc = bench_rx_desc(b, 0, d);

			desc->read.hdr_addr = 0;
			desc->read.pkt_addr = BENCH_BUS +
					      (uint64_t)(bench_rx_buf(b, 0, d) - b->mem);
		}
		refill(b);
	}
	nic_stats_get(b->nic, &n);
	assert_int_equal(n.rx_frames, 1000);
	assert_int_equal(n.rx_drop_full, 0);
	nic_wire_stats_get(b->nic, &s);
	assert_int_equal(s.in_read, 1000);
	assert_true(s.in_done);
	unlink(path("in"));
	bench_close(b);
}

static void
pcap_orig_keeps_the_gaps(void **state)
{
	struct bench *b = bench_open("82599");
	struct nic_stats n;
	char err[200];

	(void)state;
	write_capture("in", 5, DLT_EN10MB);
	bench_rx_start(b, 0);
	assert_int_equal(open_wire(b, err, "pcap:in=%s;speed=orig", path("in"), ""), 0);
	bench_advance(b, 0);
	bench_advance(b, 2000000 - 1);
	nic_stats_get(b->nic, &n);
	assert_int_equal(n.rx_frames, 2);
	bench_advance(b, 1);
	nic_stats_get(b->nic, &n);
	assert_int_equal(n.rx_frames, 3);
	unlink(path("in"));
	bench_close(b);
}

static void
pcap_out_gets_what_is_sent(void **state)
{
	struct bench *b = bench_open("82599");
	char why[PCAP_ERRBUF_SIZE], err[200];
	struct pcap_pkthdr *head;
	const u_char *data;
	uint8_t frame[90];
	pcap_t *in;

	(void)state;
	assert_int_equal(open_wire(b, err, "pcap:out=%s", path("out"), ""), 0);
	bench_tx_start(b, 0);
	bench_frame(frame, sizeof(frame), 17);
	bench_advance(b, 1500000000);
	bench_tx_put(b, 0, 0, frame, sizeof(frame), 0);
	wr(b, IXGBE_TDT, 1);
	bench_close(b);
	in = pcap_open_offline(path("out"), why);
	assert_non_null(in);
	assert_int_equal(pcap_next_ex(in, &head, &data), 1);
	assert_int_equal(head->caplen, sizeof(frame));
	assert_memory_equal(data, frame, sizeof(frame));
	assert_int_equal(head->ts.tv_sec, 1);
	assert_int_equal(pcap_next_ex(in, &head, &data), -2);
	pcap_close(in);
	unlink(path("out"));
}

static void
pcap_cut_short_plays_what_is_whole(void **state)
{
	struct bench *b = bench_open("82599");
	struct nic_wire_stats s;
	char err[200];

	(void)state;
	write_capture("in", 10, DLT_EN10MB);
	assert_int_equal(truncate(path("in"), 24 + 7 * 216 + 50), 0);
	bench_rx_start(b, 0);
	assert_int_equal(open_wire(b, err, "pcap:in=%s", path("in"), ""), 0);
	bench_advance(b, 1000);
	nic_wire_stats_get(b->nic, &s);
	assert_int_equal(s.in_injected, 7);
	assert_true(s.in_done);
	unlink(path("in"));
	bench_close(b);
}

static void
pcap_that_is_missing_is_refused_by_name(void **state)
{
	(void)state;
	refuse("pcap:in=%s", path("none"), "none");
}

static void
pcap_that_is_none_is_refused_by_name(void **state)
{
	FILE *f = fopen(path("text"), "w");

	(void)state;
	fputs("this is not a capture file at all", f);
	fclose(f);
	refuse("pcap:in=%s", path("text"), "text");
	unlink(path("text"));
}

static void
pcap_that_is_not_ethernet_is_refused_by_name(void **state)
{
	(void)state;
	write_capture("raw", 1, DLT_RAW);
	refuse("pcap:in=%s", path("raw"), "not Ethernet");
	unlink(path("raw"));
}

static void
unknown_wires_and_options_are_refused(void **state)
{
	(void)state;
	refuse("%s", "rope:1", "rope");
	refuse("%s", "null:1", "null");
	refuse("%s", "gen:pps=0", "gen");
	refuse("%s", "gen:size=10", "gen");
	refuse("%s", "gen:colour=red", "colour");
	refuse("%s", "tap:averyveryverylongname", "tap");
	refuse("%s", "pair:", "pair");
	refuse("%s", "pcap:speed=asap", "pcap");
}

static void
tap_in_a_namespace_that_is_not_there_says_what_to_do(void **state)
{
	(void)state;
	refuse("%s", "tap:x0@no-such-namespace", "ip netns add");
}

static void
gen_keeps_its_rate_and_count(void **state)
{
	struct bench *b = bench_open("82599");
	struct nic_stats n;
	char err[200];

	(void)state;
	bench_rx_start(b, 0);
	assert_int_equal(open_wire(b, err, "gen:pps=1000;size=100;count=20%s%s", "", ""), 0);
	bench_advance(b, 0);
	bench_advance(b, 9999999);
	nic_stats_get(b->nic, &n);
	assert_int_equal(n.rx_frames, 10);
	bench_advance(b, 100000000);
	nic_stats_get(b->nic, &n);
	assert_int_equal(n.rx_frames, 20);
	bench_close(b);
}

static void
gen_sends_bursts(void **state)
{
	struct bench *b = bench_open("82599");
	struct nic_stats n;
	char err[200];

	(void)state;
	bench_rx_start(b, 0);
	assert_int_equal(open_wire(b, err, "gen:pps=1000;burst=8%s%s", "", ""), 0);
	bench_advance(b, 0);
	nic_stats_get(b->nic, &n);
	assert_int_equal(n.rx_frames, 8);
	bench_advance(b, 7999999);
	nic_stats_get(b->nic, &n);
	assert_int_equal(n.rx_frames, 8);
	bench_advance(b, 1);
	nic_stats_get(b->nic, &n);
	assert_int_equal(n.rx_frames, 16);
	bench_close(b);
}

static void
gen_frames_have_right_checksums(void **state)
{
	static const char *const protos[] = {"udp", "tcp"};
	unsigned int p, i;
	char err[200];

	(void)state;
	for (p = 0; p < 2; p++) {
		struct bench *b = bench_open("82599");

		bench_rx_start(b, 0);
		assert_int_equal(open_wire(b, err,
					   "gen:pps=1m;size=101;flows=7;count=20;proto=%s%s",
					   protos[p], ""),
				 0);
		bench_advance(b, 1000000);
		for (i = 0; i < 20; i++) {
			uint32_t status = bench_rx_desc(b, 0, i)->wb.status_error;

			assert_true(status & IXGBE_RXD_STAT_IPCS && status & IXGBE_RXD_STAT_L4CS);
			assert_false(status & (IXGBE_RXD_ERR_IPE | IXGBE_RXD_ERR_TCPE));
		}
		bench_close(b);
	}
}

static void
loop_gives_frames_back(void **state)
{
	struct bench *b = bench_open("82599");
	uint8_t frame[90];
	char err[200];

	(void)state;
	assert_int_equal(open_wire(b, err, "%s%s", "loop", ""), 0);
	bench_rx_start(b, 0);
	bench_tx_start(b, 0);
	bench_frame(frame, sizeof(frame), 17);
	bench_tx_put(b, 0, 0, frame, sizeof(frame), 0);
	wr(b, IXGBE_TDT, 1);
	bench_advance(b, 0);
	assert_memory_equal(bench_rx_buf(b, 0, 0), frame, sizeof(frame));
	bench_close(b);
}

static void
pair_carries_frames_both_ways(void **state)
{
	struct bench *b[2];
	uint8_t frame[90];
	unsigned int i;
	char err[200];

	(void)state;
	bench_frame(frame, sizeof(frame), 17);
	for (i = 0; i < 2; i++) {
		b[i] = bench_open("82599");
		assert_int_equal(open_wire(b[i], err, "pair:%s%s", "p", ""), 0);
		bench_rx_start(b[i], 0);
		bench_tx_start(b[i], 0);
	}
	for (i = 0; i < 2; i++) {
		bench_tx_put(b[i], 0, 0, frame, sizeof(frame), 0);
		wr(b[i], IXGBE_TDT, 1);
	}
	for (i = 0; i < 2; i++) {
		bench_advance(b[i], 0);
		assert_memory_equal(bench_rx_buf(b[i], 0, 0), frame, sizeof(frame));
	}
	bench_close(b[0]);
	bench_tx_put(b[1], 0, 1, frame, sizeof(frame), 0);
	wr(b[1], IXGBE_TDT, 2); /* into nothing */
	bench_close(b[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pcap_asap_waits_for_room_and_loses_nothing),
	    cmocka_unit_test(pcap_orig_keeps_the_gaps),
	    cmocka_unit_test(pcap_out_gets_what_is_sent),
	    cmocka_unit_test(pcap_cut_short_plays_what_is_whole),
	    cmocka_unit_test(pcap_that_is_missing_is_refused_by_name),
	    cmocka_unit_test(pcap_that_is_none_is_refused_by_name),
	    cmocka_unit_test(pcap_that_is_not_ethernet_is_refused_by_name),
	    cmocka_unit_test(unknown_wires_and_options_are_refused),
	    cmocka_unit_test(tap_in_a_namespace_that_is_not_there_says_what_to_do),
	    cmocka_unit_test(gen_keeps_its_rate_and_count),
	    cmocka_unit_test(gen_sends_bursts),
	    cmocka_unit_test(gen_frames_have_right_checksums),
	    cmocka_unit_test(loop_gives_frames_back),
	    cmocka_unit_test(pair_carries_frames_both_ways),
	};

	return cmocka_run_group_tests_name("nic_wire", tests, make_dir, remove_dir);
}
