/* SPDX-License-Identifier: BSD-3-Clause */
/* Flow director: perfect filters as Linux's ixgbe writes them (ethtool -N), which found them
 * missing. */
#include "nic_bench.h"

#define CTRL_PERFECT (1u | IXGBE_BIT(4) | IXGBE_BIT(5) | 127u << 8) /* drops go to queue 127 */
#define CMD_ADD (1u | IXGBE_BIT(3) | IXGBE_BIT(11) | IXGBE_BIT(15))
#define CMD_QUERY 3u
#define CMD_REMOVE 2u
#define CMD_VALID IXGBE_BIT(2)
#define CMD_CLEAR IXGBE_BIT(8)
#define CMD_DROP IXGBE_BIT(9)
#define CMD_QUEUE(q) ((uint32_t)(q) << 16)
#define CMD_UDP (1u << 5)
#define CMD_TCP (2u << 5)
#define MASK_VLAN 3u /* FDIRM: leave out VLAN id and priority */
#define MASK_FLEX IXGBE_BIT(4)

/* Filters look at the destination port only; queues 0 to 3 receive. */
static struct bench *
open_fdir(void)
{
	struct bench *b = bench_open("82599");
	unsigned int q;

	for (q = 0; q < 4; q++)
		bench_rx_start(b, q);
	wr(b, IXGBE_FDIRCTRL, CTRL_PERFECT);
	wr(b, IXGBE_FDIRM, MASK_VLAN | MASK_FLEX);
	wr(b, IXGBE_FDIRSIP4M, 0xFFFFFFFF);
	wr(b, IXGBE_FDIRDIP4M, 0xFFFFFFFF);
	wr(b, IXGBE_FDIRTCPM, 0x0000FFFF);
	wr(b, IXGBE_FDIRUDPM, 0x0000FFFF);
	wr(b, IXGBE_RXCSUM, IXGBE_RXCSUM_PCSD);
	return b;
}

static void
put(struct bench *b, uint32_t id, uint16_t dport, uint32_t cmd)
{
	wr(b, IXGBE_FDIRPORT, (uint32_t)dport << 16);
	wr(b, IXGBE_FDIRHASH, 0x8123 | id << 16);
	wr(b, IXGBE_FDIRCMD, CMD_ADD | cmd);
	assert_int_equal(rd(b, IXGBE_FDIRCMD) & 3, 0);
}

static void
send(struct bench *b, uint8_t proto, uint16_t dport)
{
	uint8_t frame[200];
	uint32_t len = bench_frame(frame, 100, proto);

	frame[36] = (uint8_t)(dport >> 8);
	frame[37] = (uint8_t)dport;
	assert_int_equal(nic_inject(b->nic, frame, len), 0);
}

static uint64_t
received(struct bench *b, unsigned int queue)
{
	struct nic_stats s;

	nic_stats_get(b->nic, &s);
	return s.rx_queue[queue];
}

static void
init_is_done_at_once(void **state)
{
	struct bench *b = open_fdir();

	(void)state;
	assert_true(rd(b, IXGBE_FDIRCTRL) & IXGBE_BIT(3));
	bench_close(b);
}

static void
matching_frame_goes_to_the_filters_queue(void **state)
{
	struct bench *b = open_fdir();

	(void)state;
	put(b, 1, 6001, CMD_TCP | CMD_QUEUE(2));
	send(b, 6, 6001);
	assert_int_equal(received(b, 2), 1);
	send(b, 6, 6002);
	send(b, 17, 6001); /* another protocol */
	assert_int_equal(received(b, 2), 1);
	assert_int_equal(received(b, 0), 2);
	assert_int_equal(rd(b, IXGBE_FDIRMATCH), 1);
	assert_int_equal(rd(b, IXGBE_FDIRMISS), 2);
	bench_close(b);
}

static void
match_is_reported_in_the_descriptor(void **state)
{
	struct bench *b = open_fdir();
	union ixgbe_rx_desc *d;

	(void)state;
	put(b, 7, 6001, CMD_UDP | CMD_QUEUE(1));
	send(b, 17, 6001);
	d = bench_rx_desc(b, 1, 0);
	assert_true(d->wb.status_error & IXGBE_RXD_STAT_FLM);
	assert_int_equal(d->wb.info & IXGBE_RXD_INFO_RSSTYPE, IXGBE_RXD_RSSTYPE_FDIR);
	assert_int_equal(d->wb.rss >> 16, 7);
	bench_close(b);
}

static void
dropping_filter_uses_the_drop_queue(void **state)
{
	struct bench *b = open_fdir();
	unsigned int q;

	(void)state;
	put(b, 1, 6002, CMD_TCP | CMD_DROP | CMD_QUEUE(127));
	send(b, 6, 6002);
	for (q = 0; q < 4; q++)
		assert_int_equal(received(b, q), 0);
	bench_close(b);
}

static void
removed_filter_is_gone(void **state)
{
	struct bench *b = open_fdir();

	(void)state;
	put(b, 1, 6001, CMD_TCP | CMD_QUEUE(2));
	put(b, 2, 6003, CMD_TCP | CMD_QUEUE(3));
	wr(b, IXGBE_FDIRHASH, 0x8123 | 1u << 16);
	wr(b, IXGBE_FDIRCMD, CMD_QUERY);
	assert_true(rd(b, IXGBE_FDIRCMD) & CMD_VALID);
	wr(b, IXGBE_FDIRCMD, CMD_REMOVE);
	wr(b, IXGBE_FDIRCMD, CMD_QUERY);
	assert_false(rd(b, IXGBE_FDIRCMD) & CMD_VALID);
	send(b, 6, 6001);
	send(b, 6, 6003);
	assert_int_equal(received(b, 2), 0);
	assert_int_equal(received(b, 3), 1);
	assert_int_equal(rd(b, IXGBE_FDIRUSTAT), 2 | 1u << 16);
	bench_close(b);
}

static void
port_masks_have_their_bits_reversed(void **state)
{
	struct bench *b = open_fdir();

	(void)state;
	/* ignore the lowest bit of the destination port: the highest of its half */
	wr(b, IXGBE_FDIRTCPM, 0x8000FFFF);
	put(b, 1, 6000, CMD_TCP | CMD_QUEUE(2));
	send(b, 6, 6001);
	assert_int_equal(received(b, 2), 1);
	send(b, 6, 6002);
	assert_int_equal(received(b, 2), 1);
	bench_close(b);
}

static void
addresses_match_under_their_masks(void **state)
{
	struct bench *b = open_fdir();
	uint8_t frame[200];
	uint32_t dst;

	(void)state;
	bench_frame(frame, 100, 6);
	dst = (uint32_t)frame[30] << 24 | (uint32_t)frame[31] << 16 | (uint32_t)frame[32] << 8 |
	      frame[33];
	wr(b, IXGBE_FDIRTCPM, 0xFFFFFFFF);
	wr(b, IXGBE_FDIRDIP4M, 0x000000FF);
	wr(b, IXGBE_FDIRIPDA, dst ^ 0x55);
	put(b, 1, 0, CMD_TCP | CMD_QUEUE(2));
	send(b, 6, 6001);
	assert_int_equal(received(b, 2), 1);
	wr(b, IXGBE_FDIRDIP4M, 0);
	send(b, 6, 6001);
	assert_int_equal(received(b, 2), 1);
	bench_close(b);
}

static void
clearing_and_reset_forget_all(void **state)
{
	struct bench *b = open_fdir();

	(void)state;
	put(b, 1, 6001, CMD_TCP | CMD_QUEUE(2));
	wr(b, IXGBE_FDIRCMD, CMD_CLEAR);
	wr(b, IXGBE_FDIRCMD, 0);
	send(b, 6, 6001);
	assert_int_equal(received(b, 2), 0);
	put(b, 1, 6001, CMD_TCP | CMD_QUEUE(2));
	wr(b, IXGBE_CTRL, IXGBE_CTRL_RST);
	wr(b, IXGBE_FDIRHASH, 0x8123 | 1u << 16);
	wr(b, IXGBE_FDIRCMD, CMD_QUERY);
	assert_false(rd(b, IXGBE_FDIRCMD) & CMD_VALID);
	bench_close(b);
}

static void
full_table_counts_the_failure(void **state)
{
	struct bench *b = open_fdir();
	uint32_t i;

	(void)state;
	for (i = 0; i < 2049; i++)
		put(b, i, (uint16_t)i, CMD_TCP | CMD_QUEUE(2));
	assert_int_equal(rd(b, IXGBE_FDIRFSTAT), 1);
	bench_close(b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(init_is_done_at_once),
	    cmocka_unit_test(matching_frame_goes_to_the_filters_queue),
	    cmocka_unit_test(match_is_reported_in_the_descriptor),
	    cmocka_unit_test(dropping_filter_uses_the_drop_queue),
	    cmocka_unit_test(removed_filter_is_gone),
	    cmocka_unit_test(port_masks_have_their_bits_reversed),
	    cmocka_unit_test(addresses_match_under_their_masks),
	    cmocka_unit_test(clearing_and_reset_forget_all),
	    cmocka_unit_test(full_table_counts_the_failure),
	};

	return cmocka_run_group_tests_name("nic_fdir", tests, NULL, NULL);
}
