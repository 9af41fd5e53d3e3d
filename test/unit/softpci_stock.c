/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The software NIC under the unmodified net_ixgbe of the installed DPDK, in virtual time. What
 * works here was not written for it: the model is believed because of this.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_interrupts.h>
#include <rte_mbuf.h>

#include <bus_pci_driver.h>

#include "softpci.h"

static struct rte_mempool *pool;

static int
setup(void **state)
{
	char *args[] = {"softpci_stock",  "--no-pci",	 "--no-huge",	   "-m", "256",
			"--iova-mode=va", "--no-shconf", "--no-telemetry", "-l", "0"};

	(void)state;
	if (rte_eal_init(RTE_DIM(args), args) < 0)
		return -1;
	pool = rte_pktmbuf_pool_create("pool", 4095, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	return pool == NULL;
}

static int
teardown(void **state)
{
	(void)state;
	rte_mempool_free(pool);
	return rte_eal_cleanup();
}

static struct softpci *
open_nic(const char *nic, const char *wire)
{
	struct softpci_conf conf = {
	    .nic = nic, .driver = "net_ixgbe", .wire = wire, .clock = SOFTPCI_CLOCK_VIRTUAL};
	char err[256] = "";
	struct softpci *pci = softpci_open(&conf, err, sizeof(err));

	if (pci == NULL)
		fail_msg("%s: %s", nic, err);
	return pci;
}

static void
start_port(uint16_t port, uint16_t queues, bool interrupts)
{
	struct rte_eth_conf conf = {.intr_conf = {.rxq = interrupts}};
	uint16_t q;

	assert_int_equal(rte_eth_dev_configure(port, queues, queues, &conf), 0);
	for (q = 0; q < queues; q++) {
		assert_int_equal(rte_eth_rx_queue_setup(port, q, 128, 0, NULL, pool), 0);
		assert_int_equal(rte_eth_tx_queue_setup(port, q, 128, 0, NULL), 0);
	}
	assert_int_equal(rte_eth_dev_start(port), 0);
	rte_eth_promiscuous_enable(port);
}

static void
close_port(struct softpci *pci)
{
	uint16_t port = softpci_port_id(pci);

	assert_int_equal(rte_eth_dev_stop(port), 0);
	/* net_ixgbe gives the number of callbacks that it took back. */
	assert_true(rte_eth_dev_close(port) >= 0);
	assert_int_equal(softpci_close(pci), 0);
}

static void
inject(struct softpci *pci, unsigned int n)
{
	uint8_t frame[100] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2, 0, 0, 0, 0, 9, 0x88, 0xB5};

	while (n-- > 0)
		assert_int_equal(nic_inject(softpci_nic(pci), frame, sizeof(frame)), 0);
}

static unsigned int
receive(uint16_t port, uint16_t q)
{
	struct rte_mbuf *pkts[32];
	unsigned int got = 0;
	uint16_t n;

	while ((n = rte_eth_rx_burst(port, q, pkts, 32)) > 0) {
		rte_pktmbuf_free_bulk(pkts, n);
		got += n;
	}
	return got;
}

static unsigned int sent_frames;

static void
count_frame(void *arg, const uint8_t *frame, uint32_t len)
{
	(void)arg;
	(void)frame;
	(void)len;
	sent_frames++;
}

static void
every_chip_receives_and_transmits(void **state)
{
	static const char *const models[] = {"82599", "82599-kx4", "x540", "x550"};
	unsigned int m, i;

	(void)state;
	for (m = 0; m < RTE_DIM(models); m++) {
		struct softpci *pci = open_nic(models[m], NULL);
		uint16_t port = softpci_port_id(pci);
		struct rte_eth_stats stats;
		struct rte_eth_link link;

		start_port(port, 1, false);
		assert_int_equal(rte_eth_link_get_nowait(port, &link), 0);
		assert_int_equal(link.link_status, RTE_ETH_LINK_UP);
		assert_int_equal(link.link_speed, RTE_ETH_SPEED_NUM_10G);
		inject(pci, 50);
		assert_int_equal(receive(port, 0), 50);
		sent_frames = 0;
		nic_tx_callback(softpci_nic(pci), count_frame, NULL);
		for (i = 0; i < 10; i++) {
			struct rte_mbuf *m0 = rte_pktmbuf_alloc(pool);

			memset(rte_pktmbuf_append(m0, 60), 0xFF, 60);
			assert_int_equal(rte_eth_tx_burst(port, 0, &m0, 1), 1);
		}
		assert_int_equal(sent_frames, 10);
		assert_int_equal(rte_eth_stats_get(port, &stats), 0);
		assert_int_equal(stats.ipackets, 50);
		assert_int_equal(stats.ibytes, 5000);
		assert_int_equal(stats.opackets, 10);
		assert_int_equal(stats.imissed, 0);
		close_port(pci);
	}
}

static void
link_loss_is_seen(void **state)
{
	struct softpci *pci = open_nic("82599-kx4", NULL);
	struct rte_eth_link link;

	(void)state;
	start_port(softpci_port_id(pci), 1, false);
	nic_link_set(softpci_nic(pci), false, 10000);
	assert_int_equal(rte_eth_link_get_nowait(softpci_port_id(pci), &link), 0);
	assert_int_equal(link.link_status, RTE_ETH_LINK_DOWN);
	nic_link_set(softpci_nic(pci), true, 1000);
	assert_int_equal(rte_eth_link_get_nowait(softpci_port_id(pci), &link), 0);
	assert_int_equal(link.link_speed, RTE_ETH_SPEED_NUM_1G);
	close_port(pci);
}

static bool
woken(uint16_t port, uint16_t q)
{
	int fd = rte_eth_dev_rx_intr_ctl_q_get_fd(port, q);
	uint64_t n;

	assert_true(fd >= 0);
	return read(fd, &n, sizeof(n)) == sizeof(n);
}

static void
receive_interrupt_arrives_on_the_queues_eventfd(void **state)
{
	struct softpci *pci = open_nic("82599", NULL);
	uint16_t port = softpci_port_id(pci);
	struct softpci_stats stats;

	(void)state;
	start_port(port, 1, true);
	softpci_stats_get(pci, &stats);
	assert_int_equal(stats.msix_wired, 2); /* misc, and the queue's */
	assert_int_equal(rte_eth_dev_rx_intr_enable(port, 0), 0);
	assert_false(woken(port, 0));
	inject(pci, 1);
	assert_true(woken(port, 0));
	assert_int_equal(receive(port, 0), 1);
	/* No look at rx_intr_disable(): net_ixgbe masks vector 0 for queue 0, which has vector 1.
	 */
	softpci_stats_get(pci, &stats);
	assert_int_equal(stats.msix_lost, 0);
	close_port(pci);
}

static struct rte_pci_device *
pci_device(uint16_t port)
{
	struct rte_eth_dev_info info;

	assert_int_equal(rte_eth_dev_info_get(port, &info), 0);
	return container_of(info.device, struct rte_pci_device, device);
}

static void
config_space_can_be_read(void **state)
{
	struct softpci *pci = open_nic("x540", NULL);
	uint16_t ids[2] = {0, 0};

	(void)state;
	assert_int_equal(rte_pci_read_config(pci_device(softpci_port_id(pci)), ids, 4, 0), 4);
	assert_int_equal(ids[0], 0x8086);
	assert_int_equal(ids[1], 0x1528);
	close_port(pci);
}

static void
device_can_be_unplugged_from_the_bus(void **state)
{
	struct softpci *pci = open_nic("82599", NULL);
	uint16_t port = softpci_port_id(pci);
	struct softpci_stats stats;

	(void)state;
	start_port(port, 1, false);
	inject(pci, 3);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(rte_dev_remove(&pci_device(port)->device), 0);
	assert_false(rte_eth_dev_is_valid_port(port));
	assert_null(softpci_nic(pci));
	assert_int_equal(softpci_port_id(pci), RTE_MAX_ETHPORTS);
	softpci_stats_get(pci, &stats);
	assert_int_equal(stats.nic.rx_frames, 3);
	assert_int_equal(softpci_close(pci), 0);
}

static void
closing_unplugs_a_running_port(void **state)
{
	struct softpci *pci = open_nic("82599", "gen:pps=1000");
	uint16_t port = softpci_port_id(pci);

	(void)state;
	start_port(port, 1, false);
	softpci_advance(10000000);
	assert_int_equal(softpci_close(pci), 0);
	assert_false(rte_eth_dev_is_valid_port(port));
}

static void
bus_order_finds_a_driver_without_a_name(void **state)
{
	struct softpci_conf conf = {.nic = "x550", .clock = SOFTPCI_CLOCK_VIRTUAL};
	char err[256];
	struct softpci *pci = softpci_open(&conf, err, sizeof(err));

	(void)state;
	assert_non_null(pci);
	assert_int_equal(softpci_close(pci), 0);
}

static void
refuse(const char *nic, const char *driver, const char *wire, const char *word)
{
	struct softpci_conf conf = {.nic = nic, .driver = driver, .wire = wire};
	char err[256] = "";

	assert_null(softpci_open(&conf, err, sizeof(err)));
	assert_true(errno > 0);
	if (strstr(err, word) == NULL)
		fail_msg("message: %s", err);
	assert_null(softpci_get(0));
}

static void
what_cannot_be_is_refused_with_a_line(void **state)
{
	(void)state;
	refuse("82600", NULL, NULL, "82600");
	refuse("82599", "net_none", NULL, "net_none");
	refuse("82599", "net_e1000_igb", NULL, "net_e1000_igb does not take 8086:10fb");
	refuse("82599", "net_ixgbe", "rope:1", "rope");
}

static void
removed_device_reads_all_ones_and_can_be_closed(void **state)
{
	struct softpci *pci = open_nic("82599", NULL);
	uint16_t port = softpci_port_id(pci);

	(void)state;
	start_port(port, 1, false);
	softpci_surprise_remove(pci);
	assert_int_equal(nic_read(softpci_nic(pci), 8), 0xFFFFFFFF);
	assert_int_equal(receive(port, 0), 0);
	rte_eth_dev_stop(port);
	assert_int_equal(softpci_close(pci), 0);
}

static void
polled_doorbells_move_frames(void **state)
{
	struct softpci_conf conf = {
	    .driver = "net_ixgbe",
	    .clock = SOFTPCI_CLOCK_VIRTUAL,
	    .doorbell = SOFTPCI_DOORBELL_POLL,
	};
	char err[256];
	struct softpci *pci = softpci_open(&conf, err, sizeof(err));
	struct softpci_stats before, after;
	struct rte_eth_stats stats;
	struct rte_mbuf *m;
	uint16_t port;

	(void)state;
	assert_non_null(pci);
	port = softpci_port_id(pci);
	start_port(port, 1, false);
	softpci_poll(pci);
	softpci_stats_get(pci, &before);
	inject(pci, 20);
	assert_int_equal(receive(port, 0), 20);
	m = rte_pktmbuf_alloc(pool);
	memset(rte_pktmbuf_append(m, 60), 0xFF, 60);
	assert_int_equal(rte_eth_tx_burst(port, 0, &m, 1), 1);
	assert_true(softpci_poll(pci));
	softpci_stats_get(pci, &after);
	assert_int_equal(after.nic.tx_frames, 1);
	assert_int_equal(after.trap_reads + after.trap_writes,
			 before.trap_reads + before.trap_writes);
	rte_eth_stats_get(port, &stats);
	assert_int_equal(stats.ipackets, 20);
	/* The driver waits for a tail that nobody looks at while it stops. */
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(softpci_close(pci), 0);
}

static void
accesses_are_accounted_for(void **state)
{
	struct softpci *pci = open_nic("82599", NULL);
	struct softpci_stats stats;

	(void)state;
	softpci_stats_get(pci, &stats);
	assert_true(stats.trap_reads > 1000);
	assert_true(stats.trap_writes > 1000);
	assert_int_equal(stats.trap_reads, stats.nic.reads);
	assert_int_equal(stats.trap_writes, stats.nic.writes);
	assert_true(stats.empty_trap_ns > 0);
	assert_true(stats.trap_ns > 0);
	assert_int_equal(softpci_close(pci), 0);
}

static void
two_nics_talk_over_a_pair(void **state)
{
	struct softpci *a = open_nic("82599", "pair:x"), *b = open_nic("x540", "pair:x");
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

	(void)state;
	start_port(softpci_port_id(a), 1, false);
	start_port(softpci_port_id(b), 1, false);
	memset(rte_pktmbuf_append(m, 60), 0xFF, 60);
	assert_int_equal(rte_eth_tx_burst(softpci_port_id(a), 0, &m, 1), 1);
	softpci_advance(0);
	assert_int_equal(receive(softpci_port_id(b), 0), 1);
	close_port(a);
	close_port(b);
}

static void
tsc_and_delays_follow_the_virtual_clock(void **state)
{
	struct softpci *pci = open_nic("82599", NULL);
	uint64_t before, after, hz = rte_get_tsc_hz();
	int rc = softpci_tsc_virtual(true);

	(void)state;
	if (rc == -ENOTSUP) {
		softpci_close(pci);
		skip();
	}
	assert_int_equal(rc, 0);
	before = rte_rdtsc();
	after = rte_rdtsc();
	softpci_tsc_virtual(false);
	assert_int_equal(after, before);
	softpci_tsc_virtual(true);
	softpci_advance(1000000000);
	after = rte_rdtsc();
	rte_delay_us(500);
	softpci_tsc_virtual(false);
	assert_in_range(after - before, hz - 2, hz + 2);
	softpci_tsc_virtual(true);
	before = after;
	after = rte_rdtsc();
	softpci_tsc_virtual(false);
	assert_in_range(after - before, hz / 2000 - 2, hz / 2000 + 2);
	close_port(pci);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_chip_receives_and_transmits),
	    cmocka_unit_test(link_loss_is_seen),
	    cmocka_unit_test(receive_interrupt_arrives_on_the_queues_eventfd),
	    cmocka_unit_test(config_space_can_be_read),
	    cmocka_unit_test(device_can_be_unplugged_from_the_bus),
	    cmocka_unit_test(closing_unplugs_a_running_port),
	    cmocka_unit_test(bus_order_finds_a_driver_without_a_name),
	    cmocka_unit_test(what_cannot_be_is_refused_with_a_line),
	    cmocka_unit_test(removed_device_reads_all_ones_and_can_be_closed),
	    cmocka_unit_test(polled_doorbells_move_frames),
	    cmocka_unit_test(accesses_are_accounted_for),
	    cmocka_unit_test(two_nics_talk_over_a_pair),
	    cmocka_unit_test(tsc_and_delays_follow_the_virtual_clock),
	};

	return cmocka_run_group_tests_name("softpci_stock", tests, setup, teardown);
}
