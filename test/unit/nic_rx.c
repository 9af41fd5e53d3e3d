/* SPDX-License-Identifier: BSD-3-Clause */
/* Receive path of the device model. */
#include "nic_bench.h"

#include <errno.h>

static struct bench *
open_rx(void)
{
	struct bench *b = bench_open("82599");

	bench_rx_start(b, 0);
	return b;
}

static struct nic_stats
stats(struct bench *b)
{
	struct nic_stats s;

	nic_stats_get(b->nic, &s);
	return s;
}

static int
inject(struct bench *b, uint32_t len)
{
	static uint8_t frame[NIC_FRAME_MAX];

	bench_frame(frame, len, 17);
	return nic_inject(b->nic, frame, len);
}

static void
frame_is_written_with_dd_and_eop(void **state)
{
	struct bench *b = open_rx();
	uint8_t frame[100];

	(void)state;
	bench_frame(frame, sizeof(frame), 17);
	assert_int_equal(nic_inject(b->nic, frame, sizeof(frame)), 0);
	assert_int_equal(bench_rx_desc(b, 0, 0)->wb.status_error & 3,
			 IXGBE_RXD_STAT_DD | IXGBE_RXD_STAT_EOP);
	assert_int_equal(bench_rx_desc(b, 0, 0)->wb.length, 100);
	assert_memory_equal(bench_rx_buf(b, 0, 0), frame, sizeof(frame));
	assert_int_equal(rd(b, IXGBE_RDH), 1);
	bench_close(b);
}

static void
ring_above_63_works_at_its_own_page(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	bench_rx_start(b, 100);
	/* The ethertype filter sends IPv4 to queue 100. */
	wr(b, IXGBE_ETQF, IXGBE_BIT(31) | 0x0800);
	wr(b, IXGBE_ETQS, IXGBE_BIT(31) | 100u << 16);
	inject(b, 60);
	assert_true(bench_rx_desc(b, 100, 0)->wb.status_error & IXGBE_RXD_STAT_DD);
	assert_int_equal(rd(b, IXGBE_AT(RDH_HI, 100 - 64)), 1);
	bench_close(b);
}

static void
long_frame_takes_several_descriptors(void **state)
{
	struct bench *b = open_rx();

	(void)state;
	wr(b, IXGBE_HLREG0, rd(b, IXGBE_HLREG0) | IXGBE_HLREG0_JUMBOEN);
	wr(b, IXGBE_MAXFRS, 9728u << IXGBE_MAXFRS_MFS_SHIFT);
	inject(b, 5000);
	assert_int_equal(bench_rx_desc(b, 0, 0)->wb.status_error & 3, IXGBE_RXD_STAT_DD);
	assert_int_equal(bench_rx_desc(b, 0, 1)->wb.status_error & 3, IXGBE_RXD_STAT_DD);
	assert_int_equal(bench_rx_desc(b, 0, 2)->wb.status_error & 3,
			 IXGBE_RXD_STAT_DD | IXGBE_RXD_STAT_EOP);
	assert_int_equal(bench_rx_desc(b, 0, 0)->wb.length, 2048);
	assert_int_equal(bench_rx_desc(b, 0, 2)->wb.length, 5000 - 4096);
	bench_close(b);
}

static void
crc_is_kept_on_request(void **state)
{
	struct bench *b = open_rx();

	(void)state;
	wr(b, IXGBE_HLREG0, rd(b, IXGBE_HLREG0) & ~IXGBE_HLREG0_RXCRCSTRP);
	inject(b, 60);
	assert_int_equal(bench_rx_desc(b, 0, 0)->wb.length, 64);
	bench_close(b);
}

static void
nothing_is_received_without_rxen(void **state)
{
	struct bench *b = open_rx();

	(void)state;
	wr(b, IXGBE_RXCTRL, 0);
	inject(b, 60);
	assert_int_equal(bench_rx_desc(b, 0, 0)->wb.status_error & 1, 0);
	assert_int_equal(stats(b).rx_drop_disabled, 1);
	bench_close(b);
}

static void
frame_for_a_disabled_queue_is_dropped(void **state)
{
	struct bench *b = open_rx();

	(void)state;
	wr(b, IXGBE_RXDCTL, 0);
	assert_int_equal(rd(b, IXGBE_RXDCTL) & IXGBE_RXDCTL_ENABLE, 0);
	inject(b, 60);
	assert_int_equal(stats(b).rx_drop_disabled, 1);
	bench_close(b);
}

static void
frame_waits_for_a_descriptor_and_tail_drains(void **state)
{
	struct bench *b = open_rx();
	unsigned int i;

	(void)state;
	for (i = 0; i < BENCH_DESCS; i++)
		assert_int_equal(inject(b, 60), 0);
	assert_int_equal(stats(b).rx_frames, BENCH_DESCS - 1);
	bench_rx_desc(b, 0, BENCH_DESCS - 1)->read.hdr_addr = 0;
	wr(b, IXGBE_RDT, 0);
	assert_int_equal(stats(b).rx_frames, BENCH_DESCS);
	bench_close(b);
}

static void
full_packet_buffer_drops_and_counts_mpc(void **state)
{
	struct bench *b = open_rx();
	unsigned int i, full = 0;

	(void)state;
	wr(b, IXGBE_RXPBSIZE, 16u << IXGBE_RXPBSIZE_SHIFT);
	for (i = 0; i < BENCH_DESCS - 1 + 16 * 1024 / 64 + 10; i++)
		full += inject(b, 60) == -ENOBUFS;
	assert_int_equal(full, 10);
	assert_int_equal(rd(b, IXGBE_MPC), 10);
	assert_int_equal(rd(b, IXGBE_MPC), 0);
	bench_close(b);
}

static void
drop_en_drops_without_a_descriptor_and_counts_qprdc(void **state)
{
	struct bench *b = open_rx();
	unsigned int i;

	(void)state;
	wr(b, IXGBE_SRRCTL, rd(b, IXGBE_SRRCTL) | IXGBE_SRRCTL_DROP_EN);
	for (i = 0; i < BENCH_DESCS + 4; i++)
		inject(b, 60);
	assert_int_equal(rd(b, IXGBE_QPRDC), 5);
	assert_int_equal(stats(b).rx_drop_no_desc, 5);
	bench_close(b);
}

static void
frame_without_descriptor_holds_up_other_queues(void **state)
{
	struct bench *b = open_rx();
	uint8_t arp[60] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2, 0, 0, 0, 0, 1, 0x08, 0x06};
	unsigned int i;

	(void)state;
	bench_rx_start(b, 1);
	wr(b, IXGBE_ETQF, IXGBE_BIT(31) | 0x0806);
	wr(b, IXGBE_ETQS, IXGBE_BIT(31) | 1u << 16);
	for (i = 0; i < BENCH_DESCS; i++)
		inject(b, 60);
	nic_inject(b->nic, arp, sizeof(arp));
	assert_int_equal(rd(b, IXGBE_AT(RDH, 1)), 0);
	wr(b, IXGBE_RDT, 0);
	assert_int_equal(rd(b, IXGBE_AT(RDH, 1)), 1);
	bench_close(b);
}

static void
foreign_unicast_needs_promiscuous_mode(void **state)
{
	struct bench *b = open_rx();
	uint8_t frame[60];

	(void)state;
	bench_frame(frame, sizeof(frame), 17);
	frame[5] = 0x77;
	nic_inject(b->nic, frame, sizeof(frame));
	assert_int_equal(stats(b).rx_filtered, 1);
	wr(b, IXGBE_FCTRL, IXGBE_FCTRL_UPE);
	nic_inject(b->nic, frame, sizeof(frame));
	assert_int_equal(stats(b).rx_frames, 1);
	bench_close(b);
}

static void
second_receive_address_matches(void **state)
{
	struct bench *b = open_rx();
	uint8_t frame[60];

	(void)state;
	bench_frame(frame, sizeof(frame), 17);
	memcpy(frame, "\x02\xAA\xBB\xCC\xDD\xEE", 6);
	wr(b, IXGBE_AT(RAL_82598, 9), 0xCCBBAA02);
	wr(b, IXGBE_AT(RAH_82598, 9), IXGBE_RAH_AV | 0xEEDD);
	nic_inject(b->nic, frame, sizeof(frame));
	assert_int_equal(stats(b).rx_frames, 1);
	wr(b, IXGBE_AT(RAH_82598, 9), 0xEEDD);
	nic_inject(b->nic, frame, sizeof(frame));
	assert_int_equal(stats(b).rx_frames, 1);
	bench_close(b);
}

static void
broadcast_needs_bam(void **state)
{
	struct bench *b = open_rx();
	uint8_t frame[60];

	(void)state;
	bench_frame(frame, sizeof(frame), 17);
	memset(frame, 0xFF, 6);
	nic_inject(b->nic, frame, sizeof(frame));
	wr(b, IXGBE_FCTRL, 0);
	nic_inject(b->nic, frame, sizeof(frame));
	assert_int_equal(stats(b).rx_frames, 1);
	assert_int_equal(stats(b).rx_filtered, 1);
	assert_int_equal(rd(b, IXGBE_BPRC), 1);
	bench_close(b);
}

static void
multicast_is_hashed_by_the_chosen_bits(void **state)
{
	struct bench *b = open_rx();
	uint8_t frame[60];
	uint32_t bit;

	(void)state;
	bench_frame(frame, sizeof(frame), 17);
	memcpy(frame, "\x01\x00\x5E\x00\x12\x34", 6);
	bit = 0x3412 >> 4; /* MO = 0: bits 47:36 */
	wr(b, IXGBE_AT(MTA, bit / 32), 1u << (bit % 32));
	nic_inject(b->nic, frame, sizeof(frame));
	assert_int_equal(stats(b).rx_frames, 0);
	wr(b, IXGBE_MCSTCTRL, IXGBE_MCSTCTRL_MFE);
	nic_inject(b->nic, frame, sizeof(frame));
	assert_int_equal(stats(b).rx_frames, 1);
	wr(b, IXGBE_MCSTCTRL, IXGBE_MCSTCTRL_MFE | 3);
	nic_inject(b->nic, frame, sizeof(frame));
	assert_int_equal(stats(b).rx_frames, 1);
	bench_close(b);
}

static uint32_t
tagged(uint8_t *frame, uint16_t tag)
{
	bench_frame(frame, 60, 17);
	memmove(frame + 16, frame + 12, 48);
	memcpy(frame + 12, (uint8_t[]){0x81, 0, (uint8_t)(tag >> 8), (uint8_t)tag}, 4);
	return 64;
}

static void
vlan_tag_is_stripped_where_the_queue_says_so(void **state)
{
	struct bench *b = open_rx();
	uint8_t frame[100], plain[60];

	(void)state;
	tagged(frame, 0x6064);
	bench_frame(plain, 60, 17);
	nic_inject(b->nic, frame, 64);
	assert_int_equal(bench_rx_desc(b, 0, 0)->wb.length, 64);
	assert_int_equal(bench_rx_desc(b, 0, 0)->wb.status_error & IXGBE_RXD_STAT_VP, 0);
	wr(b, IXGBE_RXDCTL, IXGBE_RXDCTL_ENABLE | IXGBE_RXDCTL_VME);
	nic_inject(b->nic, frame, 64);
	assert_int_equal(bench_rx_desc(b, 0, 1)->wb.length, 60);
	assert_int_equal(bench_rx_desc(b, 0, 1)->wb.vlan, 0x6064);
	assert_true(bench_rx_desc(b, 0, 1)->wb.status_error & IXGBE_RXD_STAT_VP);
	assert_memory_equal(bench_rx_buf(b, 0, 1), plain, 60);
	bench_close(b);
}

static void
vlan_filter_drops_ids_that_are_not_in_the_table(void **state)
{
	struct bench *b = open_rx();
	uint8_t frame[100];

	(void)state;
	wr(b, IXGBE_VLNCTRL, rd(b, IXGBE_VLNCTRL) | IXGBE_VLNCTRL_VFE);
	wr(b, IXGBE_AT(VFTA, 100 / 32), 1u << (100 % 32));
	tagged(frame, 100);
	nic_inject(b->nic, frame, 64);
	tagged(frame, 101);
	nic_inject(b->nic, frame, 64);
	assert_int_equal(stats(b).rx_frames, 1);
	assert_int_equal(stats(b).rx_filtered, 1);
	inject(b, 60); /* without a tag */
	assert_int_equal(stats(b).rx_frames, 2);
	bench_close(b);
}

static void
good_checksums_are_reported_good(void **state)
{
	struct bench *b = open_rx();
	uint32_t status;

	(void)state;
	inject(b, 100);
	status = bench_rx_desc(b, 0, 0)->wb.status_error;
	assert_true(status & IXGBE_RXD_STAT_IPCS);
	assert_true(status & IXGBE_RXD_STAT_L4CS);
	assert_false(status & (IXGBE_RXD_ERR_IPE | IXGBE_RXD_ERR_TCPE));
	assert_int_equal(bench_rx_desc(b, 0, 0)->wb.info >> IXGBE_RXD_INFO_PTYPE_SHIFT & 0x1FFF,
			 IXGBE_RXD_PTYPE_IPV4 | IXGBE_RXD_PTYPE_UDP);
	bench_close(b);
}

static void
bad_ip_checksum_is_an_ip_error(void **state)
{
	struct bench *b = open_rx();
	uint8_t frame[60];
	uint32_t status;

	(void)state;
	bench_frame(frame, sizeof(frame), 6);
	frame[14 + 10] ^= 1;
	nic_inject(b->nic, frame, sizeof(frame));
	status = bench_rx_desc(b, 0, 0)->wb.status_error;
	assert_true(status & IXGBE_RXD_ERR_IPE);
	assert_false(status & IXGBE_RXD_ERR_TCPE);
	assert_int_equal(rd(b, IXGBE_XEC), 1);
	bench_close(b);
}

static void
bad_tcp_checksum_is_an_l4_error(void **state)
{
	struct bench *b = open_rx();
	uint8_t frame[60];
	uint32_t status;

	(void)state;
	bench_frame(frame, sizeof(frame), 6);
	frame[14 + 20 + 16] ^= 1;
	nic_inject(b->nic, frame, sizeof(frame));
	status = bench_rx_desc(b, 0, 0)->wb.status_error;
	assert_false(status & IXGBE_RXD_ERR_IPE);
	assert_true(status & IXGBE_RXD_ERR_TCPE);
	bench_close(b);
}

static void
udp_without_checksum_is_an_error_on_82599_only(void **state)
{
	static const char *const models[] = {"82599", "x540"};
	unsigned int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct bench *b = bench_open(models[i]);
		uint8_t frame[60];
		uint32_t status;

		bench_rx_start(b, 0);
		bench_frame(frame, sizeof(frame), 17);
		memset(frame + 14 + 20 + 6, 0, 2);
		nic_inject(b->nic, frame, sizeof(frame));
		status = bench_rx_desc(b, 0, 0)->wb.status_error;
		assert_int_equal((status & IXGBE_RXD_ERR_TCPE) != 0, i == 0);
		bench_close(b);
	}
}

static void
sizes_are_counted_with_the_crc(void **state)
{
	struct bench *b = open_rx();

	(void)state;
	inject(b, 60);
	inject(b, 61);
	inject(b, 1514);
	assert_int_equal(rd(b, IXGBE_PRC64), 1);
	assert_int_equal(rd(b, IXGBE_PRC127), 1);
	assert_int_equal(rd(b, IXGBE_PRC1522), 1);
	assert_int_equal(rd(b, IXGBE_GPRC), 3);
	assert_int_equal(rd(b, IXGBE_GORCL), 60 + 61 + 1514 + 12);
	assert_int_equal(rd(b, IXGBE_GORCL), 60 + 61 + 1514 + 12);
	assert_int_equal(rd(b, IXGBE_GORCH), 0);
	assert_int_equal(rd(b, IXGBE_GORCL), 0);
	assert_int_equal(rd(b, IXGBE_QPRC), 3);
	assert_int_equal(rd(b, IXGBE_QPRC), 0);
	assert_int_equal(rd(b, IXGBE_QBRC_L), 60 + 61 + 1514);
	bench_close(b);
}

static void
rqsmr_maps_queues_to_counters(void **state)
{
	struct bench *b = open_rx();

	(void)state;
	wr(b, IXGBE_RQSMR, 5);
	inject(b, 60);
	assert_int_equal(rd(b, IXGBE_QPRC), 0);
	assert_int_equal(rd(b, IXGBE_AT(QPRC, 5)), 1);
	bench_close(b);
}

static void
too_long_and_too_short_are_dropped_and_counted(void **state)
{
	struct bench *b = open_rx();
	uint8_t frame[60];

	(void)state;
	inject(b, 1515);
	assert_int_equal(rd(b, IXGBE_ROC), 1);
	bench_frame(frame, 60, 17);
	nic_inject_flags(b->nic, frame, 40, NIC_FRAME_NO_PAD);
	assert_int_equal(rd(b, IXGBE_RUC), 1);
	nic_inject_flags(b->nic, frame, 60, NIC_FRAME_BAD_CRC);
	assert_int_equal(rd(b, IXGBE_CRCERRS), 1);
	assert_int_equal(stats(b).rx_frames, 0);
	bench_close(b);
}

static void
tagged_frame_may_be_four_bytes_longer(void **state)
{
	struct bench *b = open_rx();
	static uint8_t frame[2000];

	(void)state;
	bench_frame(frame, 1514, 17);
	memmove(frame + 16, frame + 12, 1502);
	memcpy(frame + 12, "\x81\x00\x00\x05", 4);
	nic_inject(b->nic, frame, 1518);
	assert_int_equal(stats(b).rx_frames, 1);
	bench_close(b);
}

static void
buffer_address_outside_memory_costs_the_frame_only(void **state)
{
	static const uint64_t bad[] = {
	    0, 0x1000, BENCH_BUS - 1, BENCH_BUS + BENCH_MEM - 10, UINT64_MAX - 10, UINT64_MAX};
	struct bench *b = open_rx();
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		bench_rx_desc(b, 0, i)->read.pkt_addr = bad[i];
	for (i = 0; i <= sizeof(bad) / sizeof(bad[0]); i++)
		inject(b, 60);
	assert_int_equal(stats(b).rx_drop_dma, sizeof(bad) / sizeof(bad[0]));
	assert_int_equal(stats(b).rx_frames, 1);
	bench_close(b);
}

static void
ring_address_outside_memory_costs_frames_only(void **state)
{
	struct bench *b = open_rx();

	(void)state;
	wr(b, IXGBE_RXDCTL, 0);
	wr(b, IXGBE_RDBAH, 0xFFFFFFFF);
	wr(b, IXGBE_RXDCTL, IXGBE_RXDCTL_ENABLE);
	inject(b, 60);
	assert_int_equal(stats(b).rx_drop_dma, 1);
	bench_close(b);
}

static void
senseless_ring_registers_cost_frames_only(void **state)
{
	struct bench *b = open_rx();

	(void)state;
	wr(b, IXGBE_RDT, 0xFFFFFFFF);
	inject(b, 60);
	wr(b, IXGBE_RXDCTL, 0);
	wr(b, IXGBE_RDLEN, 0);
	wr(b, IXGBE_RDH, 0xFFFF);
	wr(b, IXGBE_RXDCTL, IXGBE_RXDCTL_ENABLE);
	inject(b, 60);
	wr(b, IXGBE_RXDCTL, 0);
	wr(b, IXGBE_RDLEN, 0xFFFFFFFF);
	wr(b, IXGBE_RXDCTL, IXGBE_RXDCTL_ENABLE);
	wr(b, IXGBE_SRRCTL, 0);
	inject(b, 60);
	assert_int_equal(stats(b).rx_frames, 0);
	bench_close(b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(frame_is_written_with_dd_and_eop),
	    cmocka_unit_test(ring_above_63_works_at_its_own_page),
	    cmocka_unit_test(long_frame_takes_several_descriptors),
	    cmocka_unit_test(crc_is_kept_on_request),
	    cmocka_unit_test(nothing_is_received_without_rxen),
	    cmocka_unit_test(frame_for_a_disabled_queue_is_dropped),
	    cmocka_unit_test(frame_waits_for_a_descriptor_and_tail_drains),
	    cmocka_unit_test(full_packet_buffer_drops_and_counts_mpc),
	    cmocka_unit_test(drop_en_drops_without_a_descriptor_and_counts_qprdc),
	    cmocka_unit_test(frame_without_descriptor_holds_up_other_queues),
	    cmocka_unit_test(foreign_unicast_needs_promiscuous_mode),
	    cmocka_unit_test(second_receive_address_matches),
	    cmocka_unit_test(broadcast_needs_bam),
	    cmocka_unit_test(multicast_is_hashed_by_the_chosen_bits),
	    cmocka_unit_test(vlan_tag_is_stripped_where_the_queue_says_so),
	    cmocka_unit_test(vlan_filter_drops_ids_that_are_not_in_the_table),
	    cmocka_unit_test(good_checksums_are_reported_good),
	    cmocka_unit_test(bad_ip_checksum_is_an_ip_error),
	    cmocka_unit_test(bad_tcp_checksum_is_an_l4_error),
	    cmocka_unit_test(udp_without_checksum_is_an_error_on_82599_only),
	    cmocka_unit_test(sizes_are_counted_with_the_crc),
	    cmocka_unit_test(rqsmr_maps_queues_to_counters),
	    cmocka_unit_test(too_long_and_too_short_are_dropped_and_counted),
	    cmocka_unit_test(tagged_frame_may_be_four_bytes_longer),
	    cmocka_unit_test(buffer_address_outside_memory_costs_the_frame_only),
	    cmocka_unit_test(ring_address_outside_memory_costs_frames_only),
	    cmocka_unit_test(senseless_ring_registers_cost_frames_only),
	};

	return cmocka_run_group_tests_name("nic_rx", tests, NULL, NULL);
}
