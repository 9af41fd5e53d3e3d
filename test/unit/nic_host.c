/* SPDX-License-Identifier: BSD-3-Clause */
/* What a host asks of a NIC besides register accesses: reset, memory by direction, counts. */
#include "nic_bench.h"

#include <stdlib.h>

static void
reset_forgets_registers_and_queues_but_not_the_link(void **state)
{
	struct bench *b = bench_open("82599");
	uint8_t frame[64];

	(void)state;
	bench_rx_start(b, 0);
	nic_link_set(b->nic, false, 10000);
	nic_reset(b->nic);
	assert_int_equal(rd(b, IXGBE_RXCTRL) & IXGBE_RXCTRL_RXEN, 0);
	assert_int_equal(rd(b, IXGBE_AT(RDLEN, 0)), 0);
	assert_int_equal(rd(b, IXGBE_LINKS) & IXGBE_LINKS_UP, 0);
	nic_link_set(b->nic, true, 10000);
	nic_inject(b->nic, frame, bench_frame(frame, sizeof(frame), 17));
	assert_int_equal(bench_rx_desc(b, 0, 0)->wb.status_error & IXGBE_RXD_STAT_DD, 0);
	bench_close(b);
}

static void
reset_brings_a_removed_nic_back_but_no_dead_one(void **state)
{
	struct nic_conf conf = {.model = "x540", .fault = NIC_FAULT_DEAD};
	struct bench *b = bench_open("82599");
	struct nic *dead;
	char err[128];

	(void)state;
	nic_surprise_remove(b->nic);
	assert_true(nic_removed(b->nic));
	assert_int_equal(rd(b, IXGBE_STATUS), UINT32_MAX);
	nic_reset(b->nic);
	assert_false(nic_removed(b->nic));
	assert_int_not_equal(rd(b, IXGBE_STATUS), UINT32_MAX);
	conf.clock = b->clock;
	dead = nic_create(&conf, err, sizeof(err));
	assert_non_null(dead);
	nic_reset(dead);
	assert_int_equal(nic_read(dead, IXGBE_STATUS), UINT32_MAX);
	nic_destroy(dead);
	bench_close(b);
}

static const uint8_t *rom;

static const void *
dma_rom(void *arg, uint64_t addr, size_t len)
{
	struct bench *b = arg;

	if (addr == 0xF000 && len <= NIC_FRAME_MIN)
		return rom;
	return b->nic->host.dma(arg, addr, len);
}

static void
memory_for_reading_only_can_be_sent_from_and_not_received_to(void **state)
{
	struct bench *b = bench_open("82599");
	uint8_t frame[NIC_FRAME_MIN], data[NIC_FRAME_MIN];
	struct nic_stats stats;

	(void)state;
	memset(data, 0x5A, sizeof(data));
	rom = data;
	b->nic->host.dma_read = dma_rom;
	bench_tx_start(b, 0);
	bench_tx_put(b, 0, 0, data, sizeof(data), 0);
	bench_tx_desc(b, 0, 0)->read.addr = 0xF000;
	wr(b, IXGBE_AT(TDT, 0), 1);
	assert_int_equal(b->sent, 1);
	assert_memory_equal(b->sent_data[0], data, sizeof(data));
	bench_rx_start(b, 0);
	bench_rx_desc(b, 0, 0)->read.pkt_addr = 0xF000;
	nic_inject(b->nic, frame, bench_frame(frame, sizeof(frame), 17));
	nic_stats_get(b->nic, &stats);
	assert_int_equal(stats.rx_drop_dma, 1);
	assert_int_equal(data[0], 0x5A);
	bench_close(b);
}

struct seen {
	unsigned int n;
	struct nic_use use[8];
};

static void
see(void *arg, const struct nic_use *use)
{
	struct seen *seen = arg;

	if (seen->n < 8)
		seen->use[seen->n++] = *use;
}

static void
uses_name_registers_and_count_both_ways(void **state)
{
	struct bench *b = bench_open("82599");
	struct seen seen = {0};
	struct nic_stats stats;

	(void)state;
	rd(b, IXGBE_STATUS);
	rd(b, IXGBE_STATUS);
	wr(b, IXGBE_AT(EITR, 3), 8);
	wr(b, 0x1FFFC, 1);
	nic_uses(b->nic, see, &seen);
	assert_int_equal(seen.n, 3);
	assert_string_equal(seen.use[0].name, "STATUS");
	assert_int_equal(seen.use[0].reads, 2);
	assert_int_equal(seen.use[0].writes, 0);
	assert_string_equal(seen.use[1].name, "EITR");
	assert_int_equal(seen.use[1].index, 3);
	assert_int_equal(seen.use[1].writes, 1);
	assert_null(seen.use[2].name);
	assert_int_equal(seen.use[2].offset, 0x1FFFC);
	nic_stats_reset(b->nic);
	seen.n = 0;
	nic_uses(b->nic, see, &seen);
	nic_stats_get(b->nic, &stats);
	assert_int_equal(seen.n, 0);
	assert_int_equal(stats.reads + stats.writes + stats.unknown, 0);
	bench_close(b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reset_forgets_registers_and_queues_but_not_the_link),
	    cmocka_unit_test(reset_brings_a_removed_nic_back_but_no_dead_one),
	    cmocka_unit_test(memory_for_reading_only_can_be_sent_from_and_not_received_to),
	    cmocka_unit_test(uses_name_registers_and_count_both_ways),
	};

	return cmocka_run_group_tests_name("nic_host", tests, NULL, NULL);
}
