/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues on vectors: as many as there are, fewer, one, and none. */
#include "rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ethdev_driver.h>
#include <rte_interrupts.h>

#include "../../drivers/common/vectors.h"

static void
empty(struct rig *rig)
{
	for (uint16_t q = 0; q < rig->conf.rxq; q++)
		rig_drain(rig, q);
}

static void
every_queue_wakes_on_any_number_of_vectors(void **state)
{
	static const struct {
		uint16_t queues;
		unsigned int vectors;
	} layouts[] = {{1, 64},	 {1, 2},  {2, 64},  {2, 2},   {3, 3},	{4, 64},
		       {16, 17}, {16, 9}, {17, 5},  {8, 9},   {8, 5},	{7, 3},
		       {8, 2},	 {32, 3}, {63, 64}, {64, 64}, {64, 40}, {64, 2}};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(layouts); i++) {
		struct rig_conf conf = {.nic = rig_family.wide_nic,
					.rxq_intr = true,
					.lsc_intr = true,
					.rxq = layouts[i].queues,
					.vectors = layouts[i].vectors,
					.rx_desc = 64,
					.devargs = "aim=off",
					.rss_hf = RTE_ETH_RSS_NONFRAG_IPV4_UDP};
		struct rig rig;

		if (conf.rxq > rig_family.wide_queues)
			continue;
		rig_open(&rig, &conf);
		for (uint16_t q = 0; q < conf.rxq; q++) {
			empty(&rig);
			for (uint16_t other = 0; other < conf.rxq; other++) {
				(void)rig_woken(&rig, other);
				assert_int_equal(rte_eth_dev_rx_intr_disable(rig.port, other), 0);
			}
			assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, q), 0);
			(void)rig_woken(&rig, q); /* a shared vector: what came before */
			assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, q), 0);
			rig_inject_to(&rig, q);
			assert_true(rig_woken(&rig, q));
		}
		empty(&rig);
		nic_link_set(rig.nic, false, rig_family.mbps);
		assert_true(rig_link_becomes(&rig, false));
		rig_close(&rig);
	}
}

/* EAL keeps an event descriptor once in a set, and takes the second adding for done. */
static void
queues_of_one_vector_can_all_be_added_to_an_epoll_set(void **state)
{
	const struct rig_conf conf = {.nic = rig_family.wide_nic,
				      .rxq_intr = true,
				      .rxq = 4,
				      .vectors = 3,
				      .devargs = "aim=off"};
	struct rte_epoll_event events[4];
	struct rig rig;

	(void)state;
	rig_open(&rig, &conf);
	for (uint16_t q = 0; q < 4; q++)
		assert_int_equal(rte_eth_dev_rx_intr_ctl_q(rig.port, q, RTE_EPOLL_PER_THREAD,
							   RTE_INTR_EVENT_ADD, NULL),
				 0);
	assert_int_equal(rte_eth_dev_rx_intr_ctl_q_get_fd(rig.port, 0),
			 rte_eth_dev_rx_intr_ctl_q_get_fd(rig.port, 2));
	assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), 0);
	rig_inject(&rig, 1, 60);
	assert_int_equal(rte_epoll_wait(RTE_EPOLL_PER_THREAD, events, 4, 0), 1);
	assert_int_equal(rte_epoll_wait(RTE_EPOLL_PER_THREAD, events, 4, 0), 0);
	assert_int_equal(rig_drain(&rig, 0), 1);
	rig_close(&rig);
}

/* Start with Rx interrupts; its result, and what was logged. */
static int
start_refused(enum softpci_irq irq, unsigned int vectors, char *log, size_t len)
{
	struct rte_eth_conf conf = {.rxmode.mtu = 1500, .intr_conf = {.rxq = 1, .lsc = 1}};
	struct rig rig;
	char *text = NULL;
	size_t size = 0;
	FILE *out;
	int rc;

	if (irq == SOFTPCI_IRQ_UIO || rig_family.no_port)
		conf.intr_conf.lsc = 0;
	rig_probe(&rig, &(struct rig_conf){.irq = irq, .vectors = vectors});
	assert_int_equal(rte_eth_dev_configure(rig.port, 1, 1, &conf), 0);
	assert_int_equal(rte_eth_rx_queue_setup(rig.port, 0, 256, 0, NULL, rig.pool), 0);
	assert_int_equal(rte_eth_tx_queue_setup(rig.port, 0, 256, 0, NULL), 0);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	rte_openlog_stream(out);
	rc = rte_eth_dev_start(rig.port);
	rte_openlog_stream(NULL);
	fclose(out);
	snprintf(log, len, "%s", text);
	free(text);
	/* and it can be polled */
	conf.intr_conf.rxq = conf.intr_conf.lsc = 0;
	assert_int_equal(rte_eth_dev_configure(rig.port, 1, 1, &conf), 0);
	assert_int_equal(rte_eth_rx_queue_setup(rig.port, 0, 256, 0, NULL, rig.pool), 0);
	assert_int_equal(rte_eth_tx_queue_setup(rig.port, 0, 256, 0, NULL), 0);
	assert_int_equal(rte_eth_dev_start(rig.port), 0);
	rig_inject(&rig, 3, 60);
	assert_int_equal(rig_drain(&rig, 0), 3);
	rig_close(&rig);
	return rc;
}

static void
one_vector_refuses_rx_interrupts_and_names_vfio_pci(void **state)
{
	static const enum softpci_irq kinds[] = {SOFTPCI_IRQ_UIO, SOFTPCI_IRQ_MSI,
						 SOFTPCI_IRQ_INTX};
	char log[1024];

	(void)state;
	for (size_t i = 0; i < RTE_DIM(kinds); i++) {
		assert_int_equal(start_refused(kinds[i], 0, log, sizeof(log)), -ENOTSUP);
		assert_non_null(strstr(log, "vfio-pci"));
		assert_null(strchr(strchr(log, '\n') + 1, '\n')); /* one line */
	}
	assert_int_equal(start_refused(SOFTPCI_IRQ_MSIX, 1, log, sizeof(log)), -EIO);
	assert_non_null(strstr(log, "vfio-pci"));
}

static void
link_changes_are_told_by_msi_and_intx(void **state)
{
	static const enum softpci_irq kinds[] = {SOFTPCI_IRQ_MSI, SOFTPCI_IRQ_INTX};

	(void)state;
	if (rig_family.no_port)
		skip();
	for (size_t i = 0; i < RTE_DIM(kinds); i++) {
		const struct rig_conf conf = {
		    .nic = rig_family.quick_nic, .lsc_intr = true, .irq = kinds[i]};
		struct rte_eth_link link = {.link_status = 1};
		struct rig rig;

		rig_open(&rig, &conf);
		nic_link_set(rig.nic, false, rig_family.mbps);
		/* what the interrupt thread saw: with intr_conf.lsc ethdev does not ask the device
		 */
		for (int ms = 0; ms < 5000 && link.link_status; ms++) {
			softpci_advance(10000);
			usleep(1000);
			assert_int_equal(rte_eth_link_get_nowait(rig.port, &link), 0);
		}
		assert_int_equal(link.link_status, 0);
		rig_close(&rig);
	}
}

/* Of the operations that a secondary process has; the guest of test/vm runs one. */
static void
a_secondary_that_arms_is_refused_with_one_line_and_no_register(void **state)
{
	struct softpci_stats before, after;
	struct rig rig;
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.rxq_intr = true});
	out = open_memstream(&text, &size);
	assert_non_null(out);
	softpci_stats_get(rig.pci, &before);
	rte_openlog_stream(out);
	for (int i = 0; i < 3; i++)
		assert_int_equal(vectors_secondary(&rte_eth_devices[rig.port], 0), -ENOTSUP);
	rte_openlog_stream(NULL);
	fclose(out);
	softpci_stats_get(rig.pci, &after);
	assert_int_equal(after.trap_reads + after.trap_writes,
			 before.trap_reads + before.trap_writes);
	assert_non_null(strstr(text, "secondary"));
	assert_null(strchr(strchr(text, '\n') + 1, '\n'));
	free(text);
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_queue_wakes_on_any_number_of_vectors),
	    cmocka_unit_test(queues_of_one_vector_can_all_be_added_to_an_epoll_set),
	    cmocka_unit_test(one_vector_refuses_rx_interrupts_and_names_vfio_pci),
	    cmocka_unit_test(link_changes_are_told_by_msi_and_intx),
	    cmocka_unit_test(a_secondary_that_arms_is_refused_with_one_line_and_no_register),
	};

	return cmocka_run_group_tests_name("driver_layout", tests, rig_init, rig_fini);
}
