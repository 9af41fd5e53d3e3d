/* SPDX-License-Identifier: BSD-3-Clause */
/* Arming, waking, throttle: each driver on its software NIC, in virtual time. */
#include "rig.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define US 1000u

static const struct rig_conf intr = {.rxq_intr = true, .devargs = "aim=off"};

static void
a_packet_after_the_arm_wakes(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &intr);
	rig_arm(&rig, 0);
	assert_false(rig_woken(&rig, 0));
	rig_inject(&rig, 1, 60);
	assert_true(rig_woken(&rig, 0));
	assert_int_equal(rig_drain(&rig, 0), 1);
	rig_close(&rig);
}

static void
a_packet_before_the_arm_wakes(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &intr);
	rig_inject(&rig, 1, 60);
	assert_false(rig_woken(&rig, 0));
	rig_arm(&rig, 0);
	assert_true(rig_woken(&rig, 0));
	assert_int_equal(rig_drain(&rig, 0), 1);
	rig_close(&rig);
}

/* Its cause was cleared with the first message; only the look at the ring can know of it. */
static void
a_packet_left_in_the_ring_wakes_again(void **state)
{
	struct rte_mbuf *m;
	struct rig rig;

	(void)state;
	rig_open(&rig, &intr);
	rig_arm(&rig, 0);
	rig_inject(&rig, 1, 60);
	assert_true(rig_woken(&rig, 0));
	rig_disarm(&rig, 0);
	rig_inject(&rig, 1, 60);
	assert_int_equal(rte_eth_rx_burst(rig.port, 0, &m, 1), 1);
	rte_pktmbuf_free(m);
	rig_arm(&rig, 0); /* one packet is still there */
	assert_true(rig_woken(&rig, 0));
	rig_disarm(&rig, 0);
	rig_arm(&rig, 0); /* and nobody took it */
	assert_true(rig_woken(&rig, 0));
	assert_true(rig_xstat(&rig, "rx_q0_soft_raises") >= 1);
	assert_int_equal(rig_drain(&rig, 0), 1);
	rig_close(&rig);
}

static void
a_disarmed_queue_is_silent(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &intr);
	rig_arm(&rig, 0);
	rig_disarm(&rig, 0);
	rig_inject(&rig, 10, 60);
	assert_false(rig_woken(&rig, 0));
	assert_int_equal(rig_drain(&rig, 0), 10);
	rig_close(&rig);
}

/* The vector masks itself, or its cause stays: packets that follow the first send no second
 * message. */
static void
one_message_until_the_next_arm(void **state)
{
	struct softpci_stats before, after;
	struct rig rig;

	(void)state;
	rig_open(&rig, &intr);
	rig_arm(&rig, 0);
	softpci_stats_get(rig.pci, &before);
	rig_inject(&rig, 20, 60);
	softpci_stats_get(rig.pci, &after);
	assert_int_equal(after.nic.msix[1] - before.nic.msix[1], 1);
	assert_int_equal(rig_drain(&rig, 0), 20);
	rig_close(&rig);
}

static void
an_arm_that_changes_nothing_is_few_register_accesses(void **state)
{
	static const char *const policies[] = {"aim=off", "aim=fixed,itr_us=100", "aim=ixgbe",
					       "aim=aim"};
	struct softpci_stats before, after;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(policies); i++) {
		struct rig_conf conf = intr;
		struct rig rig;

		conf.devargs = policies[i];
		rig_open(&rig, &conf);
		rig_arm(&rig, 0); /* may write the throttle */
		softpci_stats_get(rig.pci, &before);
		rig_arm(&rig, 0);
		softpci_stats_get(rig.pci, &after);
		assert_int_equal(after.trap_writes - before.trap_writes, rig_family.arm_writes);
		assert_int_equal(after.trap_reads - before.trap_reads, rig_family.arm_reads);
		softpci_stats_get(rig.pci, &before);
		rig_disarm(&rig, 0);
		softpci_stats_get(rig.pci, &after);
		assert_int_equal(after.trap_writes - before.trap_writes, rig_family.disarm_writes);
		assert_int_equal(after.trap_reads - before.trap_reads, rig_family.disarm_reads);
		rig_close(&rig);
	}
}

/* Each queue has its own descriptor; where there are more than vectors, the last share some. */
static void
each_queue_wakes_its_own_descriptor(void **state)
{
	const uint16_t queues = rig_family.wide_queues, vectors = rig_family.wide_vectors;
	const struct rig_conf conf = {.nic = rig_family.wide_nic,
				      .rxq_intr = true,
				      .rxq = queues,
				      .txq = 1,
				      .rx_desc = 64,
				      .devargs = "aim=off",
				      .rss_hf = RTE_ETH_RSS_NONFRAG_IPV4_UDP};
	uint8_t frame[60];
	unsigned int woken_queues = 0;
	struct rig rig;

	(void)state;
	rig_open(&rig, &conf);
	for (uint16_t q = 0; q < queues; q++)
		rig_arm(&rig, q);
	for (uint32_t flow = 0; flow < 600; flow++) {
		uint16_t hit = UINT16_MAX;

		rig_frame(frame, sizeof(frame), flow);
		assert_int_equal(nic_inject(rig.nic, frame, sizeof(frame)), 0);
		for (uint16_t q = 0; q < queues; q++)
			if (rte_eth_rx_queue_count(rig.port, q) != 0)
				hit = q;
		assert_int_not_equal(hit, UINT16_MAX);
		assert_true(rig_woken(&rig, hit));
		for (uint16_t q = 0; q < vectors; q++)
			if (q != hit % vectors)
				assert_false(rig_woken(&rig, q));
		assert_int_equal(rig_drain(&rig, hit), 1);
		rig_arm(&rig, hit);
		(void)rig_woken(&rig, hit);
		woken_queues |= hit >= queues / 2;
	}
	assert_true(woken_queues);
	rig_close(&rig);
}

static void
arming_one_queue_leaves_the_other_masked(void **state)
{
	const struct rig_conf conf = {.rxq_intr = true,
				      .rxq = 2,
				      .devargs = "aim=off",
				      .rss_hf = RTE_ETH_RSS_NONFRAG_IPV4_UDP};
	struct rig rig;

	(void)state;
	rig_open(&rig, &conf);
	rig_arm(&rig, 0);
	rig_arm(&rig, 1);
	rig_disarm(&rig, 0);
	rig_inject(&rig, 64, 60); /* flows for both */
	assert_false(rig_woken(&rig, 0));
	assert_true(rig_woken(&rig, 1));
	assert_int_equal(rig_drain(&rig, 0) + rig_drain(&rig, 1), 64);
	rig_close(&rig);
}

/*
 * Where the interval runs from the last message, the first comes at once and the next an interval
 * later; else each comes an interval after the first packet that waits.
 */
static void
a_fixed_interval_is_what_the_wire_sees(void **state)
{
	struct rig_conf conf = intr;
	struct softpci_stats stats;
	uint64_t first;
	struct rig rig;

	(void)state;
	conf.devargs = "aim=fixed,itr_us=100";
	rig_open(&rig, &conf);
	rig_arm(&rig, 0);
	softpci_advance(1000 * US);
	first = softpci_now();
	if (rig_family.throttle_from_message) {
		rig_inject(&rig, 1, 60);
		assert_true(rig_woken(&rig, 0));
		softpci_stats_get(rig.pci, &stats);
		first = stats.nic.msix_last[1];
		assert_int_equal(rig_drain(&rig, 0), 1);
		rig_arm(&rig, 0);
	}
	rig_inject(&rig, 1, 60);
	softpci_advance(rig_family.fixed_100us_ns - 1);
	assert_false(rig_woken(&rig, 0));
	softpci_advance(2);
	assert_true(rig_woken(&rig, 0));
	softpci_stats_get(rig.pci, &stats);
	assert_int_equal(stats.nic.msix_last[1] - first, rig_family.fixed_100us_ns);
	assert_int_equal(rig_xstat(&rig, "rx_q0_itr_interval_ns"), rig_family.fixed_100us_ns);
	assert_int_equal(rig_drain(&rig, 0), 1);
	rig_close(&rig);
}

/* The TSC follows virtual time, where the machine's does: some hypervisors never trap rdtsc. */
static void
tsc_or_skip(struct rig *rig)
{
	int rc = softpci_tsc_virtual(true);

	if (rc == -ENOTSUP) {
		rig_close(rig);
		skip();
	}
	assert_int_equal(rc, 0);
}

/* Sleep and wake with packets at a constant rate for so many wakes, all in virtual time. */
static void
live(struct rig *rig, uint64_t gap_ns, unsigned int wakes)
{
	uint8_t frame[60];
	uint64_t next = softpci_now() + gap_ns;

	rig_frame(frame, sizeof(frame), 1);
	tsc_or_skip(rig);
	while (wakes > 0) {
		uint64_t now = softpci_now();

		rig_arm(rig, 0);
		while (!rig_woken(rig, 0)) {
			softpci_advance(next - now);
			assert_int_equal(nic_inject(rig->nic, frame, sizeof(frame)), 0);
			now = next;
			next += gap_ns;
		}
		rig_disarm(rig, 0);
		wakes--;
		/* 3 us to wake, then 100 ns a packet until the ring is empty */
		for (uint64_t until = now + 3000;; until = softpci_now() + 100) {
			struct rte_mbuf *m;

			while (next <= until) {
				if (next > softpci_now())
					softpci_advance(next - softpci_now());
				assert_int_equal(nic_inject(rig->nic, frame, sizeof(frame)), 0);
				next += gap_ns;
			}
			if (until > softpci_now())
				softpci_advance(until - softpci_now());
			if (rte_eth_rx_burst(rig->port, 0, &m, 1) == 0)
				break;
			rte_pktmbuf_free(m);
		}
	}
	assert_int_equal(softpci_tsc_virtual(false), 0);
}

static void
aim_leaves_sparse_packets_alone(void **state)
{
	struct rig_conf conf = intr;
	struct rig rig;

	(void)state;
	conf.devargs = "aim=aim";
	rig_open(&rig, &conf);
	live(&rig, 50 * US, 200);
	assert_int_equal(rig_xstat(&rig, "rx_q0_itr_interval_ns"), 0);
	assert_int_equal(rig_xstat(&rig, "rx_q0_itr_writes"), 0);
	assert_int_equal(rig_xstat(&rig, "rx_q0_wakes"), 200);
	assert_int_equal(rig_xstat(&rig, "rx_q0_spurious_wakes"), 0);
	rig_close(&rig);
}

static void
aim_throttles_dense_packets(void **state)
{
	struct rig_conf conf = intr;
	struct rig rig;
	uint64_t x;

	(void)state;
	conf.devargs = "aim=aim";
	conf.rx_desc = 4096;
	rig_open(&rig, &conf);
	live(&rig, 1000, 1500); /* 1 Mpps */
	x = rig_xstat(&rig, "rx_q0_itr_interval_ns");
	assert_in_range(x, 16384, 45056); /* optimum: 31.6 us */
	assert_in_range(rig_xstat(&rig, "rx_q0_itr_writes"), 1, 20);
	assert_true(rig_xstat(&rig, "rx_q0_packets_per_wake") >= 10);
	rig_close(&rig);
}

/* Receive a packet while masked, then find the queue empty so many times. */
static void
poll_empty(struct rig *rig, unsigned int polls)
{
	struct rte_mbuf *m;

	rig_arm(rig, 0);
	rig_inject(rig, 1, 60);
	assert_true(rig_woken(rig, 0));
	rig_disarm(rig, 0);
	rig_inject(rig, 1, 60); /* its cause stays pending */
	assert_int_equal(rig_drain(rig, 0), 2);
	for (unsigned int i = 0; i < polls; i++)
		assert_int_equal(rte_eth_rx_burst(rig->port, 0, &m, 1), 0);
}

static void
stale_causes(const char *devargs, unsigned int polls, uint64_t wait_ns, bool late_packet,
	     bool wakes)
{
	struct rig_conf conf = intr;
	struct rig rig;

	conf.devargs = devargs;
	rig_open(&rig, &conf);
	tsc_or_skip(&rig);
	softpci_advance(1000 * US);
	poll_empty(&rig, polls);
	softpci_advance(wait_ns);
	if (late_packet)
		rig_inject(&rig, 1, 60);
	rig_arm(&rig, 0);
	assert_int_equal(rig_woken(&rig, 0), wakes);
	assert_int_equal(rig_drain(&rig, 0), late_packet);
	assert_int_equal(softpci_tsc_virtual(false), 0);
	rig_close(&rig);
}

static void
aim_drops_the_cause_of_polled_packets(void **state)
{
	(void)state;
	stale_causes("aim=aim", 255, 100 * US, false, false);
}

static void
other_policies_leave_it_as_hardware_does(void **state)
{
	(void)state;
	stale_causes("aim=off", 255, 100 * US, false, rig_family.stale_wakes);
}

static void
a_packet_behind_the_drop_wakes(void **state)
{
	(void)state;
	stale_causes("aim=aim", 255, 100 * US, true, true);
}

/* The drop ends with a read: from then on the look at the ring sees whatever it took. */
static void
an_arm_right_after_the_drop_needs_no_wait(void **state)
{
	(void)state;
	stale_causes("aim=aim", 250, 0, false, false);
	stale_causes("aim=aim", 250, 0, true, true);
}

/* One vector for two queues: neither's disarm may silence the other. */
static void
a_shared_vector_wakes_for_the_queue_that_sleeps(void **state)
{
	const uint16_t queues = rig_family.wide_queues, last = queues - 1;
	const struct rig_conf conf = {.nic = rig_family.wide_nic,
				      .rxq_intr = true,
				      .rxq = queues,
				      .rx_desc = 64,
				      .vectors = queues, /* one of them is no queue's */
				      .devargs = "aim=off",
				      .rss_hf = RTE_ETH_RSS_NONFRAG_IPV4_UDP};
	uint8_t frame[60];
	unsigned int woken = 0;
	struct rig rig;

	(void)state;
	rig_open(&rig, &conf);
	for (uint32_t flow = 0; flow < 2000; flow++) {
		rig_frame(frame, sizeof(frame), flow);
		rig_arm(&rig, 0);
		rig_arm(&rig, last);
		(void)rig_woken(&rig, 0); /* what came before */
		rig_disarm(&rig, last);
		assert_int_equal(nic_inject(rig.nic, frame, sizeof(frame)), 0);
		if (rte_eth_rx_queue_count(rig.port, 0) == 1) {
			assert_true(rig_woken(&rig, 0));
			woken++;
		}
		for (uint16_t q = 0; q < queues; q++)
			rig_drain(&rig, q);
	}
	assert_true(woken > 0);
	rig_close(&rig);
}

static void
an_application_that_arms_at_once_pays_no_drop(void **state)
{
	struct softpci_stats before, after;
	struct rig_conf conf = intr;
	struct rig rig;

	(void)state;
	conf.devargs = "aim=aim";
	rig_open(&rig, &conf);
	poll_empty(&rig, 1);
	softpci_stats_get(rig.pci, &before);
	rig_arm(&rig, 0);
	softpci_stats_get(rig.pci, &after);
	assert_int_equal(after.trap_writes - before.trap_writes, rig_family.arm_writes);
	assert_int_equal(rig_xstat(&rig, "rx_q0_stale_drops"), 0);
	rig_close(&rig);
}

static void
arming_without_interrupt_mode_is_refused(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){0});
	assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), -ENOTSUP);
	rig_close(&rig);
}

static void
arming_a_stopped_queue_is_refused(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &intr);
	assert_int_equal(rte_eth_dev_rx_queue_stop(rig.port, 0), 0);
	assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), -EINVAL);
	assert_int_equal(rte_eth_dev_rx_queue_start(rig.port, 0), 0);
	rig_arm(&rig, 0);
	rig_inject(&rig, 1, 60);
	assert_true(rig_woken(&rig, 0));
	assert_int_equal(rig_drain(&rig, 0), 1);
	rig_close(&rig);
}

static void
wakes_come_after_stop_and_start(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &intr);
	for (int i = 0; i < 20; i++) {
		rig_arm(&rig, 0);
		rig_inject(&rig, 1, 60);
		assert_true(rig_woken(&rig, 0));
		assert_int_equal(rig_drain(&rig, 0), 1);
		assert_int_equal(rte_eth_dev_stop(rig.port), 0);
		assert_int_equal(rte_eth_dev_start(rig.port), 0);
	}
	rig_close(&rig);
}

/* An empty pool must not end in a sleep that nothing ends. */
static void
a_queue_without_buffers_does_not_sleep(void **state)
{
	struct rte_mbuf *pkts[256], *rest[16384];
	struct rig_conf conf = intr;
	unsigned int n, left;
	struct rig rig;

	(void)state;
	conf.rx_desc = 64;
	rig_open(&rig, &conf);
	left = rte_mempool_avail_count(rig.pool);
	assert_int_equal(rte_mempool_get_bulk(rig.pool, (void **)rest, left), 0);
	rig_inject(&rig, 100, 60);
	n = rig_receive(&rig, 0, pkts, 256);
	assert_in_range(n, 32, 64);
	rig_arm(&rig, 0);
	assert_true(rig_woken(&rig, 0));
	rte_pktmbuf_free_bulk(pkts, n);
	rte_mempool_put_bulk(rig.pool, (void **)rest, left);
	n += rig_drain(&rig, 0);
	n += rig_drain(&rig, 0);
	if (rig_family.fifo)
		assert_int_equal(n, 100);
	rig_inject(&rig, 10, 60);
	assert_int_equal(rig_drain(&rig, 0), 10);
	rig_close(&rig);
}

static unsigned int lsc_events;

static int
lsc(uint16_t port, enum rte_eth_event_type type, void *arg, void *ret)
{
	(void)port, (void)type, (void)arg, (void)ret;
	__atomic_add_fetch(&lsc_events, 1, __ATOMIC_SEQ_CST);
	return 0;
}

/* The handler runs in EAL's interrupt thread, in real time. */
static void
link_changes_are_reported_beside_rx_interrupts(void **state)
{
	struct rig_conf conf = intr;
	struct rte_eth_link link;
	struct rig rig;

	(void)state;
	if (!(conf.lsc_intr = !rig_family.no_port))
		skip();
	lsc_events = 0;
	rig_open(&rig, &conf);
	assert_int_equal(rte_eth_dev_callback_register(rig.port, RTE_ETH_EVENT_INTR_LSC, lsc, NULL),
			 0);
	nic_link_set(rig.nic, false, rig_family.mbps);
	for (int i = 0; i < 5000 && __atomic_load_n(&lsc_events, __ATOMIC_SEQ_CST) == 0; i++) {
		softpci_advance(10 * US);
		usleep(1000);
	}
	assert_true(lsc_events >= 1);
	assert_int_equal(rte_eth_link_get_nowait(rig.port, &link), 0);
	assert_int_equal(link.link_status, RTE_ETH_LINK_DOWN);
	nic_link_set(rig.nic, true, rig_family.mbps);
	for (int i = 0; i < 5000 && link.link_status == RTE_ETH_LINK_DOWN; i++) {
		softpci_advance(10 * US);
		usleep(1000);
		assert_int_equal(rte_eth_link_get_nowait(rig.port, &link), 0);
	}
	assert_int_equal(link.link_status, RTE_ETH_LINK_UP);
	rig_arm(&rig, 0);
	rig_inject(&rig, 1, 60);
	assert_true(rig_woken(&rig, 0));
	assert_int_equal(rig_drain(&rig, 0), 1);
	assert_int_equal(
	    rte_eth_dev_callback_unregister(rig.port, RTE_ETH_EVENT_INTR_LSC, lsc, NULL), 0);
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_packet_after_the_arm_wakes),
	    cmocka_unit_test(a_packet_before_the_arm_wakes),
	    cmocka_unit_test(a_packet_left_in_the_ring_wakes_again),
	    cmocka_unit_test(a_disarmed_queue_is_silent),
	    cmocka_unit_test(one_message_until_the_next_arm),
	    cmocka_unit_test(an_arm_that_changes_nothing_is_few_register_accesses),
	    cmocka_unit_test(each_queue_wakes_its_own_descriptor),
	    cmocka_unit_test(arming_one_queue_leaves_the_other_masked),
	    cmocka_unit_test(a_fixed_interval_is_what_the_wire_sees),
	    cmocka_unit_test(aim_leaves_sparse_packets_alone),
	    cmocka_unit_test(aim_throttles_dense_packets),
	    cmocka_unit_test(aim_drops_the_cause_of_polled_packets),
	    cmocka_unit_test(other_policies_leave_it_as_hardware_does),
	    cmocka_unit_test(a_packet_behind_the_drop_wakes),
	    cmocka_unit_test(an_arm_right_after_the_drop_needs_no_wait),
	    cmocka_unit_test(a_shared_vector_wakes_for_the_queue_that_sleeps),
	    cmocka_unit_test(an_application_that_arms_at_once_pays_no_drop),
	    cmocka_unit_test(arming_without_interrupt_mode_is_refused),
	    cmocka_unit_test(arming_a_stopped_queue_is_refused),
	    cmocka_unit_test(wakes_come_after_stop_and_start),
	    cmocka_unit_test(a_queue_without_buffers_does_not_sleep),
	    cmocka_unit_test(link_changes_are_reported_beside_rx_interrupts),
	};

	return cmocka_run_group_tests_name("driver_intr", tests, rig_init, rig_fini);
}
