/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faults of the stock net_ixgbe's Rx interrupts, which users reported or which its code shows, on
 * the software NIC: stock_..._fails asserts the fault, the test of the same name without it that
 * net_ixgbe_aim has none. Once a stock driver has mended one, its test fails here: good news.
 */
#include "rig.h"

#include <errno.h>
#include <string.h>

#include "../../drivers/net/ixgbe_aim/ixgbe_regs.h"

#define STOCK "net_ixgbe"
#define OURS "net_ixgbe_aim"

static void
open_driver(struct rig *rig, const char *driver, uint16_t queues)
{
	const struct rig_conf conf = {
	    .nic = "x550",
	    .driver = driver,
	    .devargs = strcmp(driver, OURS) == 0 ? "aim=off" : NULL,
	    .rxq = queues,
	    .rx_desc = 128,
	    .rss_hf = queues > 1 ? RTE_ETH_RSS_NONFRAG_IPV4_UDP : 0,
	    .rxq_intr = true,
	};

	rig_open(rig, &conf);
	assert_int_equal(rte_eth_promiscuous_enable(rig->port), 0);
}

static uint64_t
messages(struct rig *rig)
{
	struct softpci_stats stats;

	softpci_stats_get(rig->pci, &stats);
	return stats.nic.msix_queue;
}

/* Messages of ten packets that come while the queue is disabled and polled. */
static uint64_t
messages_while_disabled(const char *driver)
{
	struct rig rig;
	uint64_t before;

	open_driver(&rig, driver, 1);
	rig_arm(&rig, 0);
	rig_disarm(&rig, 0);
	before = messages(&rig);
	for (int i = 0; i < 10; i++) {
		rig_inject(&rig, 1, 60);
		assert_int_equal(rig_drain(&rig, 0), 1);
		softpci_advance(1000000);
	}
	before = messages(&rig) - before;
	(void)rig_woken(&rig, 0);
	rig_close(&rig);
	return before;
}

/* Masks the bit of the queue's number, which is not that of its vector. */
static void
stock_disable_masks_the_queue_fails(void **state)
{
	(void)state;
	assert_true(messages_while_disabled(STOCK) != 0);
}

static void
disable_masks_the_queue(void **state)
{
	(void)state;
	assert_int_equal(messages_while_disabled(OURS), 0);
}

/* Queue 0 sleeps, queue 1 is disabled: does a packet for queue 0 wake? */
static bool
wakes_beside_a_disabled_queue(const char *driver)
{
	struct rig rig;
	bool woken;

	open_driver(&rig, driver, 2);
	rig_arm(&rig, 1);
	rig_arm(&rig, 0);
	rig_disarm(&rig, 1);
	rig_inject_to(&rig, 0);
	woken = rig_woken(&rig, 0);
	(void)rig_woken(&rig, 1);
	rig_drain(&rig, 0);
	rig_drain(&rig, 1);
	rig_close(&rig);
	return woken;
}

static void
stock_disable_leaves_the_other_queue_armed_fails(void **state)
{
	(void)state;
	assert_false(wakes_beside_a_disabled_queue(STOCK));
}

static void
disable_leaves_the_other_queue_armed(void **state)
{
	(void)state;
	assert_true(wakes_beside_a_disabled_queue(OURS));
}

static uint32_t
eitr(struct rig *rig, unsigned int vector)
{
	return nic_read(rig->nic, IXGBE_AT(EITR, vector)) & IXGBE_EITR_INTERVAL;
}

/* 500 us, in the register of the vector that carries no queue. */
static void
stock_throttle_reaches_the_queues_fails(void **state)
{
	struct rig rig;

	(void)state;
	open_driver(&rig, STOCK, 2);
	assert_true(eitr(&rig, 0) != 0);
	assert_int_equal(eitr(&rig, 1), 0);
	assert_int_equal(eitr(&rig, 2), 0);
	rig_close(&rig);
}

static void
throttle_reaches_the_queues(void **state)
{
	const struct rig_conf conf = {
	    .nic = "x550", .devargs = "aim=fixed,itr_us=500", .rxq = 2, .rxq_intr = true};
	struct rig rig;

	(void)state;
	rig_open(&rig, &conf);
	for (uint16_t q = 0; q < 2; q++) {
		rig_arm(&rig, q);
		assert_int_equal(eitr(&rig, 1u + q) >> IXGBE_EITR_INTERVAL_SHIFT, 500000 / 2048);
	}
	rig_close(&rig);
}

static void
stock_more_queues_than_15_fails(void **state)
{
	struct rte_eth_conf conf = {.rxmode.mtu = 1500, .intr_conf.rxq = 1};
	struct rig rig;

	(void)state;
	rig_probe(&rig, &(struct rig_conf){.nic = "x550", .driver = STOCK});
	assert_int_equal(rte_eth_dev_configure(rig.port, 16, 1, &conf), 0);
	for (uint16_t q = 0; q < 16; q++)
		assert_int_equal(rte_eth_rx_queue_setup(rig.port, q, 128, 0, NULL, rig.pool), 0);
	assert_int_equal(rte_eth_tx_queue_setup(rig.port, 0, 128, 0, NULL), 0);
	assert_true(rte_eth_dev_start(rig.port) < 0);
	assert_true(rte_eth_dev_close(rig.port) >= 0);
	assert_int_equal(softpci_close(rig.pci), 0);
}

static void
more_queues_than_15(void **state)
{
	static const uint16_t queues[] = {15, 16, 17, 63};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(queues); i++) {
		struct rig rig;

		open_driver(&rig, OURS, queues[i]);
		for (uint16_t q = 0; q < queues[i]; q++)
			rig_arm(&rig, q);
		for (uint16_t q = 0; q < queues[i]; q++) {
			rig_inject_to(&rig, q);
			assert_true(rig_woken(&rig, q));
		}
		for (uint16_t q = 0; q < queues[i]; q++)
			rig_drain(&rig, q);
		rig_close(&rig);
	}
}

/* Register accesses of an arm and a disable that change nothing else. */
static void
accesses(const char *driver, uint64_t *reads, uint64_t *writes)
{
	struct softpci_stats before, after;
	struct rig rig;

	open_driver(&rig, driver, 1);
	rig_arm(&rig, 0);
	rig_disarm(&rig, 0);
	softpci_stats_get(rig.pci, &before);
	rig_arm(&rig, 0);
	rig_disarm(&rig, 0);
	softpci_stats_get(rig.pci, &after);
	*reads = after.trap_reads - before.trap_reads;
	*writes = after.trap_writes - before.trap_writes;
	rig_close(&rig);
}

static void
a_sleep_cycle_takes_half_the_accesses_of_stock_and_no_read(void **state)
{
	uint64_t reads, writes, stock_reads, stock_writes;

	(void)state;
	accesses(STOCK, &stock_reads, &stock_writes);
	accesses(OURS, &reads, &writes);
	print_message("             stock: %ju reads, %ju writes; ours: %ju reads, %ju writes\n",
		      (uintmax_t)stock_reads, (uintmax_t)stock_writes, (uintmax_t)reads,
		      (uintmax_t)writes);
	assert_int_equal(reads, 0);
	assert_true(2 * writes <= stock_reads + stock_writes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(stock_disable_masks_the_queue_fails),
	    cmocka_unit_test(disable_masks_the_queue),
	    cmocka_unit_test(stock_disable_leaves_the_other_queue_armed_fails),
	    cmocka_unit_test(disable_leaves_the_other_queue_armed),
	    cmocka_unit_test(stock_throttle_reaches_the_queues_fails),
	    cmocka_unit_test(throttle_reaches_the_queues),
	    cmocka_unit_test(stock_more_queues_than_15_fails),
	    cmocka_unit_test(more_queues_than_15),
	    cmocka_unit_test(a_sleep_cycle_takes_half_the_accesses_of_stock_and_no_read),
	};

	return cmocka_run_group_tests_name("driver_stock", tests, rig_init, rig_fini);
}
