/* SPDX-License-Identifier: BSD-3-Clause */
/* Surprise removal: who is told, and what still works. */
#include "rig.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <rte_dev.h>

static unsigned int events;

static int
count(uint16_t port, enum rte_eth_event_type type, void *arg, void *ret)
{
	(void)port, (void)type, (void)arg, (void)ret;
	__atomic_fetch_add(&events, 1, __ATOMIC_RELAXED);
	return 0;
}

static int
close_it(uint16_t port, enum rte_eth_event_type type, void *arg, void *ret)
{
	(void)type, (void)arg, (void)ret;
	rte_eth_dev_stop(port);
	__atomic_store_n(&events, rte_eth_dev_close(port) == 0 ? 1 : 1000, __ATOMIC_RELEASE);
	return 0;
}

static unsigned int
events_after(unsigned int ms, unsigned int enough)
{
	while (ms-- > 0 && __atomic_load_n(&events, __ATOMIC_ACQUIRE) < enough)
		usleep(1000);
	return __atomic_load_n(&events, __ATOMIC_ACQUIRE);
}

static void
open_with(struct rig *rig, const struct rig_conf *conf, rte_eth_dev_cb_fn cb)
{
	events = 0;
	rig_open(rig, conf);
	assert_int_equal(rte_eth_dev_callback_register(rig->port, RTE_ETH_EVENT_INTR_RMV, cb, NULL),
			 0);
}

static void
close_with(struct rig *rig, rte_eth_dev_cb_fn cb)
{
	assert_int_equal(
	    rte_eth_dev_callback_unregister(rig->port, RTE_ETH_EVENT_INTR_RMV, cb, NULL), 0);
	rte_eth_dev_stop(rig->port);
	assert_int_equal(rte_eth_dev_close(rig->port), 0);
	rig_close(rig);
}

static void
an_unplugged_port_reports_it_once(void **state)
{
	struct rig rig;

	(void)state;
	open_with(&rig, &(struct rig_conf){.rmv_intr = true}, count);
	assert_int_equal(softpci_unplug(rig.pci), 0);
	assert_int_equal(events_after(2000, 1), 1);
	assert_int_equal(softpci_unplug(rig.pci), 0);
	assert_int_equal(events_after(1500, 2), 1);
	close_with(&rig, count);
}

static void
a_port_that_goes_without_a_word_is_missed(void **state)
{
	struct rig rig;

	(void)state;
	open_with(&rig, &(struct rig_conf){.rmv_intr = true}, count);
	softpci_surprise_remove(rig.pci);
	assert_int_equal(events_after(20000, 1), 1);
	close_with(&rig, count);
}

static void
who_did_not_ask_for_the_event_gets_none(void **state)
{
	struct rig rig;

	(void)state;
	open_with(&rig, &(struct rig_conf){.rxq_intr = true}, count);
	assert_int_equal(softpci_unplug(rig.pci), 0);
	for (int ms = 0; ms < 2000 && rte_eth_dev_rx_intr_enable(rig.port, 0) == 0; ms++)
		usleep(1000);
	assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), -EIO);
	assert_int_equal(events, 0);
	close_with(&rig, count);
}

static void
sleepers_are_woken_and_cannot_arm_again(void **state)
{
	struct rig rig;

	(void)state;
	open_with(&rig, &(struct rig_conf){.rxq = 3, .rxq_intr = true, .rmv_intr = true}, count);
	for (uint16_t q = 0; q < 3; q++) {
		assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, q), 0);
		assert_false(rig_woken(&rig, q));
	}
	assert_int_equal(softpci_unplug(rig.pci), 0);
	assert_int_equal(events_after(2000, 1), 1);
	for (uint16_t q = 0; q < 3; q++) {
		assert_true(rig_woken(&rig, q));
		assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, q), -EIO);
		assert_int_equal(rte_eth_dev_rx_intr_disable(rig.port, q), -EIO);
	}
	close_with(&rig, count);
}

/* Nobody asked for the event, and nothing reads a register: it is missed all the same. */
static void
sleepers_are_woken_when_it_goes_without_a_word(void **state)
{
	struct rig rig;

	(void)state;
	open_with(&rig, &(struct rig_conf){.rxq_intr = true}, count);
	rig_arm(&rig, 0);
	softpci_surprise_remove(rig.pci);
	for (int ms = 0; ms < 20000 && !rig_woken(&rig, 0); ms++)
		usleep(1000);
	assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), -EIO);
	assert_int_equal(events, 0);
	close_with(&rig, count);
}

static void
bursts_return_0_when_the_device_is_gone(void **state)
{
	struct rig rig;
	struct rte_mbuf *m;
	unsigned int sent = 0;

	(void)state;
	open_with(&rig, &(struct rig_conf){.rmv_intr = true}, count);
	rig_inject(&rig, 3, 60);
	assert_int_equal(softpci_unplug(rig.pci), 0);
	assert_int_equal(events_after(2000, 1), 1);
	assert_int_equal(rig_drain(&rig, 0), 3); /* they were in memory already */
	assert_int_equal(rig_drain(&rig, 0), 0);
	do { /* until the ring is full of what nobody sends */
		m = rig_packet(&rig, 60, 1);
		assert_true(++sent <= 256);
	} while (rte_eth_tx_burst(rig.port, 0, &m, 1) == 1);
	rte_pktmbuf_free(m);
	close_with(&rig, count);
}

static void
the_callback_may_close_the_port(void **state)
{
	static const bool silent[] = {false, true};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(silent); i++) {
		struct rig rig;

		open_with(&rig, &(struct rig_conf){.rxq_intr = true, .rmv_intr = true}, close_it);
		if (silent[i])
			softpci_surprise_remove(rig.pci);
		else
			assert_int_equal(softpci_unplug(rig.pci), 0);
		assert_int_equal(events_after(20000, 1), 1);
		rig_close(&rig);
	}
}

static void
a_port_closed_before_it_is_unplugged_hears_nothing(void **state)
{
	struct rig rig;
	char name[64];

	(void)state;
	open_with(&rig, &(struct rig_conf){.rmv_intr = true}, count);
	snprintf(name, sizeof(name), "%s", softpci_name(rig.pci));
	close_with(&rig, count);
	rte_dev_event_callback_process(name, RTE_DEV_EVENT_REMOVE);
	assert_int_equal(events_after(50, 1), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_unplugged_port_reports_it_once),
	    cmocka_unit_test(a_port_that_goes_without_a_word_is_missed),
	    cmocka_unit_test(who_did_not_ask_for_the_event_gets_none),
	    cmocka_unit_test(sleepers_are_woken_and_cannot_arm_again),
	    cmocka_unit_test(sleepers_are_woken_when_it_goes_without_a_word),
	    cmocka_unit_test(bursts_return_0_when_the_device_is_gone),
	    cmocka_unit_test(the_callback_may_close_the_port),
	    cmocka_unit_test(a_port_closed_before_it_is_unplugged_hears_nothing),
	};

	return cmocka_run_group_tests(tests, rig_init, rig_fini);
}
