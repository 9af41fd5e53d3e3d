/* SPDX-License-Identifier: BSD-3-Clause */
/* Transmit path of the device model. */
#include "nic_bench.h"

static struct bench *
open_tx(void)
{
	struct bench *b = bench_open("82599");

	bench_tx_start(b, 0);
	return b;
}

static struct nic_stats
stats(struct bench *b)
{
	struct nic_stats s;

	nic_stats_get(b->nic, &s);
	return s;
}

static void
context(struct bench *b, unsigned int i, uint32_t maclen, uint32_t iplen, uint32_t vlan,
	uint32_t tucmd, uint32_t l4len, uint32_t mss)
{
	union ixgbe_tx_desc *d = bench_tx_desc(b, 0, i);

	d->ctx.vlan_macip_lens = iplen | maclen << IXGBE_TXC_MACLEN_SHIFT |
				 vlan << IXGBE_TXC_VLAN_SHIFT;
	d->ctx.fcoef_ipsec_sa = 0;
	d->ctx.type_tucmd = tucmd | IXGBE_TXD_DTYP_CTX | IXGBE_TXD_CMD_DEXT;
	d->ctx.mss_l4len_idx = l4len << IXGBE_TXC_L4LEN_SHIFT | mss << IXGBE_TXC_MSS_SHIFT;
}

static void
frame_is_sent_and_dd_is_written(void **state)
{
	struct bench *b = open_tx();
	uint8_t frame[100];

	(void)state;
	bench_frame(frame, sizeof(frame), 17);
	bench_tx_put(b, 0, 0, frame, sizeof(frame), 0);
	wr(b, IXGBE_TDT, 1);
	assert_int_equal(b->sent, 1);
	assert_int_equal(b->sent_len[0], sizeof(frame));
	assert_memory_equal(b->sent_data[0], frame, sizeof(frame));
	assert_true(bench_tx_desc(b, 0, 0)->wb.status & IXGBE_TXD_STAT_DD);
	assert_int_equal(rd(b, IXGBE_TDH), 1);
	bench_close(b);
}

static void
segments_are_joined(void **state)
{
	struct bench *b = open_tx();
	uint8_t frame[300];
	unsigned int i;

	(void)state;
	bench_frame(frame, sizeof(frame), 17);
	for (i = 0; i < 3; i++) {
		bench_tx_put(b, 0, i, frame + i * 100, 100, 0);
		bench_tx_desc(b, 0, i)->read.olinfo_status = 300u << IXGBE_TXD_PAYLEN_SHIFT;
		if (i < 2)
			bench_tx_desc(b, 0, i)->read.cmd_type_len &= ~(IXGBE_TXD_CMD_EOP |
								       IXGBE_TXD_CMD_RS);
	}
	wr(b, IXGBE_TDT, 2);
	assert_int_equal(b->sent, 0); /* the end is not there yet */
	wr(b, IXGBE_TDT, 3);
	assert_int_equal(b->sent, 1);
	assert_memory_equal(b->sent_data[0], frame, sizeof(frame));
	bench_close(b);
}

static void
without_rs_no_status_is_written(void **state)
{
	struct bench *b = open_tx();
	uint8_t frame[60];

	(void)state;
	bench_frame(frame, sizeof(frame), 17);
	bench_tx_put(b, 0, 0, frame, sizeof(frame), 0);
	bench_tx_desc(b, 0, 0)->read.cmd_type_len &= ~IXGBE_TXD_CMD_RS;
	wr(b, IXGBE_TDT, 1);
	assert_int_equal(b->sent, 1);
	assert_int_equal(bench_tx_desc(b, 0, 0)->wb.status & IXGBE_TXD_STAT_DD, 0);
	bench_close(b);
}

static void
head_write_back_takes_the_place_of_dd(void **state)
{
	struct bench *b = open_tx();
	uint64_t at = bench_tx_bus(0, 60);
	uint8_t frame[60];

	(void)state;
	wr(b, IXGBE_TDWBAL, (uint32_t)at | 1);
	wr(b, IXGBE_TDWBAH, (uint32_t)(at >> 32));
	bench_frame(frame, sizeof(frame), 17);
	bench_tx_put(b, 0, 0, frame, sizeof(frame), 0);
	wr(b, IXGBE_TDT, 1);
	assert_int_equal(*(uint32_t *)(void *)bench_tx_buf(b, 0, 60), 1);
	assert_int_equal(bench_tx_desc(b, 0, 0)->wb.status & IXGBE_TXD_STAT_DD, 0);
	bench_close(b);
}

static void
nothing_is_sent_before_te(void **state)
{
	struct bench *b = open_tx();
	uint8_t frame[60];

	(void)state;
	wr(b, IXGBE_DMATXCTL, rd(b, IXGBE_DMATXCTL) & ~IXGBE_DMATXCTL_TE);
	bench_frame(frame, sizeof(frame), 17);
	bench_tx_put(b, 0, 0, frame, sizeof(frame), 0);
	wr(b, IXGBE_TDT, 1);
	assert_int_equal(b->sent, 0);
	wr(b, IXGBE_DMATXCTL, rd(b, IXGBE_DMATXCTL) | IXGBE_DMATXCTL_TE);
	assert_int_equal(b->sent, 1);
	bench_close(b);
}

static void
short_frame_is_padded(void **state)
{
	struct bench *b = open_tx();
	uint8_t frame[42];

	(void)state;
	bench_frame(frame, sizeof(frame), 17);
	bench_tx_put(b, 0, 0, frame, sizeof(frame), 0);
	wr(b, IXGBE_TDT, 1);
	assert_int_equal(b->sent_len[0], 60);
	bench_close(b);
}

static void
vlan_tag_is_inserted(void **state)
{
	struct bench *b = open_tx();
	uint8_t frame[60];

	(void)state;
	bench_frame(frame, sizeof(frame), 17);
	context(b, 0, 14, 20, 0x2005, 0, 0, 0);
	bench_tx_put(b, 0, 1, frame, sizeof(frame), IXGBE_TXD_CC);
	bench_tx_desc(b, 0, 1)->read.cmd_type_len |= IXGBE_TXD_CMD_VLE;
	wr(b, IXGBE_TDT, 2);
	assert_int_equal(b->sent_len[0], 64);
	assert_memory_equal(b->sent_data[0] + 12, "\x81\x00\x20\x05\x08\x00", 6);
	bench_close(b);
}

static void
checksums_are_inserted(void **state)
{
	static const uint8_t protos[] = {6, 17};
	unsigned int p;

	(void)state;
	for (p = 0; p < 2; p++) {
		struct bench *b = open_tx();
		uint8_t frame[101], *l4 = frame + 34;
		uint16_t pseudo;

		bench_frame(frame, sizeof(frame), protos[p]);
		memset(frame + 24, 0, 2);
		pseudo = bench_sum(frame + 26, 8, protos[p] + sizeof(frame) - 34);
		l4[protos[p] == 6 ? 16 : 6] = (uint8_t)(pseudo >> 8);
		l4[protos[p] == 6 ? 17 : 7] = (uint8_t)pseudo;
		context(b, 0, 14, 20, 0,
			IXGBE_TXC_TUCMD_IPV4 |
			    (protos[p] == 6 ? IXGBE_TXC_TUCMD_L4T_TCP : IXGBE_TXC_TUCMD_L4T_UDP),
			0, 0);
		bench_tx_put(b, 0, 1, frame, sizeof(frame),
			     IXGBE_TXD_CC | IXGBE_TXD_POPTS_IXSM | IXGBE_TXD_POPTS_TXSM);
		wr(b, IXGBE_TDT, 2);
		assert_int_equal(b->sent, 1);
		assert_int_equal(bench_sum(b->sent_data[0] + 14, 20, 0), 0xFFFF);
		assert_true(bench_l4_ok(b->sent_data[0]));
		bench_close(b);
	}
}

static void
wrong_pseudo_header_sum_is_sent_wrong(void **state)
{
	struct bench *b = open_tx();
	uint8_t frame[100];

	(void)state;
	bench_frame(frame, sizeof(frame), 6);
	memset(frame + 34 + 16, 0, 2);
	context(b, 0, 14, 20, 0, IXGBE_TXC_TUCMD_IPV4 | IXGBE_TXC_TUCMD_L4T_TCP, 0, 0);
	bench_tx_put(b, 0, 1, frame, sizeof(frame), IXGBE_TXD_CC | IXGBE_TXD_POPTS_TXSM);
	wr(b, IXGBE_TDT, 2);
	assert_false(bench_l4_ok(b->sent_data[0]));
	bench_close(b);
}

static void
tso_cuts_into_valid_segments(void **state)
{
	struct bench *b = open_tx();
	static uint8_t frame[54 + 3500];
	union ixgbe_tx_desc *d;
	uint16_t pseudo;
	unsigned int i;

	(void)state;
	bench_frame(frame, sizeof(frame), 6);
	memset(frame + 16, 0, 2); /* total length: the hardware's */
	memset(frame + 24, 0, 2);
	memcpy(frame + 34 + 4, "\x00\x00\x10\x00", 4);
	frame[34 + 13] = 0x99;		      /* CWR ACK PSH FIN */
	pseudo = bench_sum(frame + 26, 8, 6); /* without a length */
	frame[34 + 16] = (uint8_t)(pseudo >> 8);
	frame[34 + 17] = (uint8_t)pseudo;
	context(b, 0, 14, 20, 0, IXGBE_TXC_TUCMD_IPV4 | IXGBE_TXC_TUCMD_L4T_TCP, 20, 1000);
	bench_tx_put(b, 0, 1, frame, sizeof(frame),
		     IXGBE_TXD_CC | IXGBE_TXD_POPTS_IXSM | IXGBE_TXD_POPTS_TXSM);
	d = bench_tx_desc(b, 0, 1);
	d->read.cmd_type_len |= IXGBE_TXD_CMD_TSE;
	d->read.olinfo_status = 3500u << IXGBE_TXD_PAYLEN_SHIFT | IXGBE_TXD_CC |
				IXGBE_TXD_POPTS_IXSM | IXGBE_TXD_POPTS_TXSM;
	wr(b, IXGBE_TDT, 2);
	assert_int_equal(b->sent, 4);
	for (i = 0; i < 4; i++) {
		const uint8_t *f = b->sent_data[i], *tcp = f + 34;
		uint32_t part = i < 3 ? 1000 : 500;

		assert_int_equal(b->sent_len[i], 54 + part);
		assert_int_equal(f[16] << 8 | f[17], 40 + part);
		assert_int_equal(f[18] << 8 | f[19], 0x1234 + i);
		assert_int_equal(tcp[6] << 8 | tcp[7], 0x1000 + i * 1000);
		assert_int_equal(bench_sum(f + 14, 20, 0), 0xFFFF);
		assert_true(bench_l4_ok(f));
		assert_memory_equal(f + 54, frame + 54 + i * 1000, part);
	}
	assert_int_equal(b->sent_data[0][34 + 13], 0x90); /* CWR in the first only */
	assert_int_equal(b->sent_data[1][34 + 13], 0x10);
	assert_int_equal(b->sent_data[3][34 + 13], 0x19); /* FIN and PSH in the last only */
	bench_close(b);
}

static void
tso_of_ipv6_sets_payload_lengths(void **state)
{
	struct bench *b = open_tx();
	static uint8_t frame[74 + 1500];
	union ixgbe_tx_desc *d;
	uint16_t pseudo;
	unsigned int i;

	(void)state;
	memcpy(frame, "\x02\x00\x00\x00\x00\x01\x02\x00\x00\x00\x00\x99\x86\xDD\x60", 15);
	frame[20] = 6;
	frame[21] = 64;
	memset(frame + 22, 0x20, 16);
	memset(frame + 38, 0x30, 16);
	frame[54 + 12] = 0x50;
	for (i = 74; i < sizeof(frame); i++)
		frame[i] = (uint8_t)(i * 7);
	pseudo = bench_sum(frame + 22, 32, 6);
	frame[54 + 16] = (uint8_t)(pseudo >> 8);
	frame[54 + 17] = (uint8_t)pseudo;
	context(b, 0, 14, 40, 0, IXGBE_TXC_TUCMD_L4T_TCP, 20, 800);
	bench_tx_put(b, 0, 1, frame, sizeof(frame), 0);
	d = bench_tx_desc(b, 0, 1);
	d->read.cmd_type_len |= IXGBE_TXD_CMD_TSE;
	d->read.olinfo_status = 1500u << IXGBE_TXD_PAYLEN_SHIFT | IXGBE_TXD_CC |
				IXGBE_TXD_POPTS_TXSM;
	wr(b, IXGBE_TDT, 2);
	assert_int_equal(b->sent, 2);
	for (i = 0; i < 2; i++) {
		const uint8_t *f = b->sent_data[i];

		assert_int_equal(f[18] << 8 | f[19], 20 + (i == 0 ? 800 : 700));
		assert_true(bench_l4_ok(f));
	}
	bench_close(b);
}

static void
sctp_checksum_is_inserted_and_checked(void **state)
{
	struct bench *b = open_tx();
	uint8_t frame[34 + 32];

	(void)state;
	bench_rx_start(b, 0);
	bench_frame(frame, sizeof(frame), 132);
	memset(frame + 34 + 6, 0xAB, 8);
	context(b, 0, 14, 20, 0, IXGBE_TXC_TUCMD_IPV4 | IXGBE_TXC_TUCMD_L4T_SCTP, 0, 0);
	bench_tx_put(b, 0, 1, frame, sizeof(frame), IXGBE_TXD_CC | IXGBE_TXD_POPTS_TXSM);
	wr(b, IXGBE_TDT, 2);
	assert_int_equal(b->sent, 1);
	nic_inject(b->nic, b->sent_data[0], b->sent_len[0]);
	nic_inject(b->nic, frame, sizeof(frame));
	assert_int_equal(bench_rx_desc(b, 0, 0)->wb.status_error &
			     (IXGBE_RXD_STAT_L4CS | IXGBE_RXD_ERR_TCPE),
			 IXGBE_RXD_STAT_L4CS);
	assert_true(bench_rx_desc(b, 0, 1)->wb.status_error & IXGBE_RXD_ERR_TCPE);
	bench_close(b);
}

static void
loopback_gives_frames_back(void **state)
{
	struct bench *b = open_tx();
	uint8_t frame[60];

	(void)state;
	bench_rx_start(b, 0);
	wr(b, IXGBE_HLREG0, rd(b, IXGBE_HLREG0) | IXGBE_HLREG0_LPBK);
	bench_frame(frame, sizeof(frame), 17);
	bench_tx_put(b, 0, 0, frame, sizeof(frame), 0);
	wr(b, IXGBE_TDT, 1);
	assert_int_equal(b->sent, 0);
	assert_memory_equal(bench_rx_buf(b, 0, 0), frame, sizeof(frame));
	bench_close(b);
}

static void
transmit_counters_are_kept(void **state)
{
	struct bench *b = open_tx();
	uint8_t frame[60];

	(void)state;
	bench_frame(frame, sizeof(frame), 17);
	bench_tx_put(b, 0, 0, frame, sizeof(frame), 0);
	bench_tx_put(b, 0, 1, frame, sizeof(frame), 0);
	wr(b, IXGBE_TDT, 2);
	assert_int_equal(rd(b, IXGBE_GPTC), 2);
	assert_int_equal(rd(b, IXGBE_GPTC), 0);
	assert_int_equal(rd(b, IXGBE_GOTCL), 128);
	assert_int_equal(rd(b, IXGBE_QPTC), 2);
	assert_int_equal(rd(b, IXGBE_PTC64), 2);
	bench_close(b);
}

static void
buffer_address_outside_memory_costs_the_packet_only(void **state)
{
	struct bench *b = open_tx();
	uint8_t frame[60];

	(void)state;
	bench_frame(frame, sizeof(frame), 17);
	bench_tx_put(b, 0, 0, frame, sizeof(frame), 0);
	bench_tx_desc(b, 0, 0)->read.addr = 0x10;
	bench_tx_put(b, 0, 1, frame, sizeof(frame), 0);
	wr(b, IXGBE_TDT, 2);
	assert_int_equal(b->sent, 1);
	assert_int_equal(stats(b).tx_drop_dma, 1);
	assert_true(bench_tx_desc(b, 0, 0)->wb.status & IXGBE_TXD_STAT_DD);
	bench_close(b);
}

static void
packet_of_too_many_segments_is_dropped(void **state)
{
	struct bench *b = open_tx();
	uint8_t frame[60];
	unsigned int i;

	(void)state;
	bench_frame(frame, sizeof(frame), 17);
	for (i = 0; i < 41; i++) {
		bench_tx_put(b, 0, i, frame, 60, 0);
		bench_tx_desc(b, 0, i)->read.olinfo_status = (60u * 41) << IXGBE_TXD_PAYLEN_SHIFT;
		if (i < 40)
			bench_tx_desc(b, 0, i)->read.cmd_type_len &= ~IXGBE_TXD_CMD_EOP;
	}
	wr(b, IXGBE_TDT, 41);
	assert_int_equal(b->sent, 0);
	assert_int_equal(stats(b).tx_drop_bad, 1);
	bench_close(b);
}

static void
wrong_paylen_is_dropped(void **state)
{
	struct bench *b = open_tx();
	uint8_t frame[60];

	(void)state;
	bench_frame(frame, sizeof(frame), 17);
	bench_tx_put(b, 0, 0, frame, sizeof(frame), 0);
	bench_tx_desc(b, 0, 0)->read.olinfo_status = 61u << IXGBE_TXD_PAYLEN_SHIFT;
	wr(b, IXGBE_TDT, 1);
	assert_int_equal(b->sent, 0);
	assert_int_equal(stats(b).tx_drop_bad, 1);
	bench_close(b);
}

static void
random_descriptors_never_leave_memory(void **state)
{
	struct bench *b = open_tx();
	uint32_t seed = 1;
	unsigned int round, i, k;

	(void)state;
	for (round = 0; round < 2000; round++) {
		for (i = 0; i < BENCH_DESCS; i++) {
			uint32_t *w = (uint32_t *)bench_tx_desc(b, 0, i);

			for (k = 0; k < 4; k++) {
				seed = seed * 1664525 + 1013904223;
				w[k] = seed ^ seed >> 16;
			}
			/* Often a good address, often an end. */
			if (seed & 1)
				bench_tx_desc(b, 0, i)->read.addr = bench_tx_bus(0, i % 16);
			if (seed & 6)
				w[2] |= IXGBE_TXD_CMD_EOP;
		}
		wr(b, IXGBE_TDT, seed % BENCH_DESCS);
	}
	bench_close(b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(frame_is_sent_and_dd_is_written),
	    cmocka_unit_test(segments_are_joined),
	    cmocka_unit_test(without_rs_no_status_is_written),
	    cmocka_unit_test(head_write_back_takes_the_place_of_dd),
	    cmocka_unit_test(nothing_is_sent_before_te),
	    cmocka_unit_test(short_frame_is_padded),
	    cmocka_unit_test(vlan_tag_is_inserted),
	    cmocka_unit_test(checksums_are_inserted),
	    cmocka_unit_test(wrong_pseudo_header_sum_is_sent_wrong),
	    cmocka_unit_test(tso_cuts_into_valid_segments),
	    cmocka_unit_test(tso_of_ipv6_sets_payload_lengths),
	    cmocka_unit_test(sctp_checksum_is_inserted_and_checked),
	    cmocka_unit_test(loopback_gives_frames_back),
	    cmocka_unit_test(transmit_counters_are_kept),
	    cmocka_unit_test(buffer_address_outside_memory_costs_the_packet_only),
	    cmocka_unit_test(packet_of_too_many_segments_is_dropped),
	    cmocka_unit_test(wrong_paylen_is_dropped),
	    cmocka_unit_test(random_descriptors_never_leave_memory),
	};

	return cmocka_run_group_tests_name("nic_tx", tests, NULL, NULL);
}
