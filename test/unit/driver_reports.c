/* SPDX-License-Identifier: BSD-3-Clause */
/* What users of other drivers reported, and no other test has: doc/guides/howto/interrupt_reports.
 */
#include "rig.h"

#include <errno.h>
#include <unistd.h>

#include "../../drivers/net/ixgbe_aim/ixgbe_regs.h"

static const struct rig_conf four = {.nic = "x550",
				     .rxq = 4,
				     .rxq_intr = true,
				     .devargs = "aim=off",
				     .rss_hf = RTE_ETH_RSS_NONFRAG_IPV4_UDP};

static uint64_t
messages(struct rig *rig, unsigned int vector)
{
	struct softpci_stats stats;

	softpci_stats_get(rig->pci, &stats);
	return stats.nic.msix[vector];
}

/* Cause of queue q: vector q + 1; its arm unmasks that bit and no other. */
static void
the_vector_map_reads_back_on_every_device(void **state)
{
	static const char *const nics[] = {"82599", "82599-kx4", "x540", "x550"};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(nics); i++) {
		struct rig_conf conf = four;
		struct rig rig;

		conf.nic = nics[i];
		rig_open(&rig, &conf);
		for (uint16_t q = 0; q < 4; q++) {
			uint32_t ivar = nic_read(rig.nic, IXGBE_AT(IVAR, q / 2)) >> (q % 2 * 16);

			assert_int_equal(ivar & 0xFF, (q + 1u) | IXGBE_IVAR_VALID);
			assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, q), 0);
			assert_int_equal(nic_read(rig.nic, IXGBE_AT(EIMS_EX, 0)) & 0xFFFF,
					 1u << (q + 1));
			assert_int_equal(rte_eth_dev_rx_intr_disable(rig.port, q), 0);
		}
		rig_close(&rig);
	}
}

static void
a_link_interrupt_that_is_off_after_a_restart_stays_off(void **state)
{
	struct rig_conf conf = four;
	struct rig rig;

	(void)state;
	conf.lsc_intr = true;
	rig_open(&rig, &conf);
	assert_true(nic_read(rig.nic, IXGBE_EIMS) & IXGBE_EICR_LSC);
	assert_int_equal(rte_eth_dev_stop(rig.port), 0);
	rig.conf.lsc_intr = false;
	rig_start(&rig);
	assert_false(nic_read(rig.nic, IXGBE_EIMS) & IXGBE_EICR_LSC);
	nic_link_set(rig.nic, false, 10000);
	nic_link_set(rig.nic, true, 10000);
	assert_int_equal(messages(&rig, 0), 0);
	rig_close(&rig);
}

static void
sending_alone_wakes_nobody(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &four);
	for (uint16_t q = 0; q < 4; q++)
		assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, q), 0);
	for (int i = 0; i < 500; i++) {
		struct rte_mbuf *m = rig_packet(&rig, 60, 1);

		assert_int_equal(rte_eth_tx_burst(rig.port, 0, &m, 1), 1);
	}
	softpci_advance(10000000);
	for (uint16_t q = 0; q < 4; q++)
		assert_false(rig_woken(&rig, q));
	rig_close(&rig);
}

/* Of four armed queues one is busy; the others send no message. */
static void
a_busy_queue_interrupts_no_other(void **state)
{
	uint8_t frame[60];
	struct rig rig;
	uint16_t busy = 0;

	(void)state;
	rig_open(&rig, &four);
	rig_frame(frame, sizeof(frame), 1);
	assert_int_equal(nic_inject(rig.nic, frame, sizeof(frame)), 0);
	while (rig_drain(&rig, busy) == 0)
		assert_true(++busy < 4);
	for (uint16_t q = 0; q < 4; q++) {
		assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, q), 0);
		/* the cause of the frame above, which was polled */
		if (rig_woken(&rig, q))
			assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, q), 0);
	}
	for (int i = 0; i < 100; i++) {
		assert_int_equal(nic_inject(rig.nic, frame, sizeof(frame)), 0);
		assert_true(rig_woken(&rig, busy));
		assert_int_equal(rte_eth_dev_rx_intr_disable(rig.port, busy), 0);
		assert_int_equal(rig_drain(&rig, busy), 1);
		assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, busy), 0);
	}
	for (uint16_t q = 0; q < 4; q++)
		assert_int_equal(messages(&rig, q + 1u) > 10, q == busy);
	rig_close(&rig);
}

static void
a_timeout_is_no_error(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &four);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), 0);
		assert_int_equal(rte_eth_dev_rx_intr_disable(rig.port, 0), 0);
	}
	assert_int_equal(rte_eth_dev_rx_intr_disable(rig.port, 0), 0);
	rig_close(&rig);
}

/* No write-back threshold holds it back. */
static void
a_lone_packet_is_polled_while_its_interrupt_is_disabled(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &four);
	assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), 0);
	assert_int_equal(rte_eth_dev_rx_intr_disable(rig.port, 0), 0);
	rig_inject(&rig, 1, 60);
	assert_int_equal(
	    rig_drain(&rig, 0) + rig_drain(&rig, 1) + rig_drain(&rig, 2) + rig_drain(&rig, 3), 1);
	rig_close(&rig);
}

struct during {
	struct rig *rig;
	unsigned int at, step;
};

static void
packet_at(void *arg, uint32_t offset, bool done)
{
	struct during *d = arg;

	(void)offset;
	(void)done;
	if (d->step++ == d->at)
		rig_inject(d->rig, 1, 60);
}

/* At whatever register access of the arm it comes: no cause of it is left for the next sleep. */
static void
a_packet_that_comes_while_it_arms_wakes_once(void **state)
{
	struct rig_conf conf = four;
	struct during d = {0};
	struct rig rig;

	(void)state;
	conf.rxq = 1;
	rig_open(&rig, &conf);
	d.rig = &rig;
	do {
		d.step = 0;
		softpci_access_hook(rig.pci, packet_at, &d);
		packet_at(&d, 0, false);
		rig_arm(&rig, 0);
		softpci_access_hook(rig.pci, NULL, NULL);
		if (d.step > d.at) {
			assert_true(rig_woken(&rig, 0));
			rig_disarm(&rig, 0);
			assert_int_equal(rig_drain(&rig, 0), 1);
			rig_arm(&rig, 0);
			softpci_advance(1000000);
			assert_false(rig_woken(&rig, 0));
		}
		rig_disarm(&rig, 0);
	} while (d.at++ < d.step);
	assert_true(d.step > 2);
	rig_close(&rig);
}

static void
calls_in_the_wrong_order_are_errors(void **state)
{
	struct rig rig;

	(void)state;
	rig_probe(&rig, &four);
	assert_true(rte_eth_dev_rx_intr_enable(rig.port, 0) < 0); /* nothing is configured */
	assert_true(rte_eth_dev_rx_intr_ctl_q_get_fd(rig.port, 0) < 0);
	rig_start(&rig);
	assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 4), -EINVAL);
	assert_int_equal(rte_eth_dev_stop(rig.port), 0);
	assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), -EINVAL);
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_vector_map_reads_back_on_every_device),
	    cmocka_unit_test(a_link_interrupt_that_is_off_after_a_restart_stays_off),
	    cmocka_unit_test(sending_alone_wakes_nobody),
	    cmocka_unit_test(a_busy_queue_interrupts_no_other),
	    cmocka_unit_test(a_timeout_is_no_error),
	    cmocka_unit_test(a_lone_packet_is_polled_while_its_interrupt_is_disabled),
	    cmocka_unit_test(a_packet_that_comes_while_it_arms_wakes_once),
	    cmocka_unit_test(calls_in_the_wrong_order_are_errors),
	};

	return cmocka_run_group_tests_name("driver_reports", tests, rig_init, rig_fini);
}
