/* SPDX-License-Identifier: BSD-3-Clause */
/* net_enetc_aim's two thresholds, packets and time: what they are, when they change, who wakes. */
#include "rig.h"

#include <string.h>

#include "../../drivers/net/enetc_aim/enetc_aim.h"
#include "../../drivers/common/rte_pmd_aim.h"

#define US 1000u

static uint32_t
icpt(struct rig *rig, uint16_t q)
{
	uint32_t icr0 = nic_read(rig->nic, ENETC_AT(RBICR0, q));

	assert_true(icr0 & ENETC_BICR0_ICEN);
	return icr0 & ENETC_RBICR0_ICPT;
}

static void
open_with(struct rig *rig, const char *devargs, uint16_t rx_desc)
{
	rig_open(rig, &(struct rig_conf){.rxq_intr = true, .rx_desc = rx_desc, .devargs = devargs});
}

static void
set_policy(struct rig *rig, const char *policy, uint32_t itr_ns, uint32_t sink)
{
	struct rte_pmd_aim_conf conf;

	assert_int_equal(rte_pmd_aim_conf_get(rig->port, 0, &conf), 0);
	snprintf(conf.policy, sizeof(conf.policy), "%s", policy);
	conf.itr_ns = itr_ns;
	conf.sink_packets = sink;
	assert_int_equal(rte_pmd_aim_conf_set(rig->port, 0, &conf), 0);
}

/*
 * A ring of 256, of which 32 may wait for a refill, and which keeps 32 back: less the 30 smallest
 * frames that 1 Gb/s brings in the 20 us until the first burst, 162 may wait.
 */
static void
the_packet_threshold_is_what_ring_and_sink_can_take(void **state)
{
	static const struct {
		const char *devargs;
		uint16_t ring;
		uint32_t packets;
	} cases[] = {
	    {"aim=aim", 256, 162},
	    {"aim=fixed,itr_us=100", 256, 162},
	    {"aim=aim,sink_packets=71", 256, 71},
	    {"aim=aim,sink_packets=300", 256, 162},
	    {"aim=aim", 4096, 511}, /* all that the register holds */
	    {"aim=aim,sink_packets=300", 4096, 300},
	    {"aim=aim", 64, 1}, /* no room beside a flood: each packet interrupts */
	    {"aim=off", 4096, 1},
	    {"aim=fixed,itr_us=0", 4096, 1},
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		struct rig rig;

		open_with(&rig, cases[i].devargs, cases[i].ring);
		assert_int_equal(icpt(&rig, 0), cases[i].packets);
		rig_arm(&rig, 0);
		assert_int_equal(icpt(&rig, 0), cases[i].packets);
		rig_close(&rig);
	}
}

static void
packets_wake_at_their_threshold_exactly(void **state)
{
	struct rig rig;

	(void)state;
	open_with(&rig, "aim=fixed,itr_us=1000,sink_packets=40", 256);
	rig_arm(&rig, 0);
	rig_inject(&rig, 39, 60);
	softpci_advance(500 * US);
	assert_false(rig_woken(&rig, 0));
	rig_inject(&rig, 1, 60);
	assert_true(rig_woken(&rig, 0));
	assert_int_equal(rig_drain(&rig, 0), 40);
	rig_close(&rig);
}

/* A flood at line rate fills no ring, whatever the interval: the first burst comes 20 us late. */
static void
a_flood_at_line_rate_loses_nothing_under_the_longest_interval(void **state)
{
	struct softpci_stats stats;
	uint8_t frame[60];
	struct rig rig;

	(void)state;
	open_with(&rig, "aim=fixed,itr_us=1000", 256);
	rig_frame(frame, sizeof(frame), 1);
	for (int round = 0; round < 20; round++) {
		uint64_t until = 0;

		rig_arm(&rig, 0);
		for (unsigned int n = 0; until == 0 || softpci_now() < until; n++) {
			assert_true(n < 400);
			softpci_advance(672); /* 60 bytes at 1 Gb/s */
			assert_int_equal(nic_inject(rig.nic, frame, sizeof(frame)), 0);
			if (until == 0 && rig_woken(&rig, 0))
				until = softpci_now() + AIM_WAKE_NS;
		}
		rig_disarm(&rig, 0);
		rig_drain(&rig, 0);
	}
	softpci_stats_get(rig.pci, &stats);
	assert_int_equal(stats.nic.rx_drop_no_desc, 0);
	rig_close(&rig);
}

/* Between off and on the coalescer is stopped: a packet that waits is not forgotten. */
static void
another_mode_forgets_no_packet_that_waits(void **state)
{
	struct rig rig;

	(void)state;
	open_with(&rig, "aim=off", 1024);
	for (int i = 0; i < 20; i++) {
		bool on = i % 2 == 0;

		rig_arm(&rig, 0);
		rig_inject(&rig, 1, 60);
		assert_true(on || rig_woken(&rig, 0) ||
			    (softpci_advance(100 * US), rig_woken(&rig, 0)));
		rig_disarm(&rig, 0);
		rig_drain(&rig, 0);
		(void)rig_woken(&rig, 0);
		rig_inject(&rig, 1, 60); /* while masked */
		set_policy(&rig, on ? "fixed" : "off", on ? 100 * US : 0, 0);
		rig_arm(&rig, 0);
		assert_true(rig_woken(&rig, 0));
		assert_int_equal(icpt(&rig, 0), on ? 511 : 1);
		rig_disarm(&rig, 0);
		assert_int_equal(rig_drain(&rig, 0), 1);
	}
	rig_close(&rig);
}

/* A packet that is timed by an interval that is too long now does not wait for it. */
static void
a_shorter_interval_holds_for_a_packet_that_waits(void **state)
{
	struct rig rig;

	(void)state;
	open_with(&rig, "aim=fixed,itr_us=1000", 1024);
	rig_arm(&rig, 0);
	rig_disarm(&rig, 0);
	rig_inject(&rig, 1, 60);
	set_policy(&rig, "fixed", 10 * US, 0);
	rig_arm(&rig, 0);
	assert_true(rig_woken(&rig, 0));
	assert_int_equal(rig_drain(&rig, 0), 1);
	rig_close(&rig);
}

/* It was polled before its time was over: neither then nor later does it wake, or cut short the
 * wait of the next. */
static void
a_packet_that_was_polled_wakes_nobody(void **state)
{
	struct rig rig;

	(void)state;
	open_with(&rig, "aim=fixed,itr_us=100", 1024);
	rig_arm(&rig, 0);
	rig_inject(&rig, 1, 60);
	softpci_advance(100 * US);
	assert_true(rig_woken(&rig, 0));
	rig_disarm(&rig, 0);
	assert_int_equal(rig_drain(&rig, 0), 1);
	rig_inject(&rig, 1, 60);
	softpci_advance(30 * US);
	assert_int_equal(rig_drain(&rig, 0), 1);
	rig_arm(&rig, 0);
	softpci_advance(50 * US);
	rig_inject(&rig, 1, 60);
	softpci_advance(100 * US - 1);
	assert_false(rig_woken(&rig, 0));
	softpci_advance(1);
	assert_true(rig_woken(&rig, 0));
	assert_int_equal(rig_xstat(&rig, "rx_q0_soft_raises"), 0);
	assert_int_equal(rig_drain(&rig, 0), 1);
	rig_close(&rig);
}

/* Arrived since the last burst: arming makes the NIC forget it, so software wakes. */
static void
a_packet_that_waits_at_the_arm_wakes_at_once(void **state)
{
	struct rig rig;

	(void)state;
	open_with(&rig, "aim=fixed,itr_us=100", 1024);
	rig_arm(&rig, 0);
	rig_disarm(&rig, 0);
	rig_inject(&rig, 1, 60);
	softpci_advance(30 * US);
	rig_arm(&rig, 0);
	assert_true(rig_woken(&rig, 0));
	assert_int_equal(rig_xstat(&rig, "rx_q0_soft_raises"), 1);
	assert_int_equal(rig_drain(&rig, 0), 1);
	rig_close(&rig);
}

static void
registers_are_written_on_change_only(void **state)
{
	struct rig rig;

	(void)state;
	open_with(&rig, "aim=fixed,itr_us=50", 1024);
	for (int i = 0; i < 5; i++) {
		rig_arm(&rig, 0);
		rig_disarm(&rig, 0);
	}
	assert_int_equal(rig_xstat(&rig, "rx_q0_itr_writes"), 1);
	assert_int_equal(nic_read(rig.nic, ENETC_AT(RBICR1, 0)), 50 * ENETC_CLOCK_MHZ);
	assert_int_equal(rig_xstat(&rig, "rx_q0_itr_interval_ns"), 50 * US);
	set_policy(&rig, "fixed", 70 * US, 0);
	rig_arm(&rig, 0);
	rig_arm(&rig, 0);
	assert_int_equal(rig_xstat(&rig, "rx_q0_itr_writes"), 2);
	rig_close(&rig);
}

/* What Linux's driver sets: 256 packets, or half the ring. */
static void
policy_enetc_has_linux_threshold(void **state)
{
	struct rig rig;

	(void)state;
	open_with(&rig, "aim=enetc", 2048);
	rig_arm(&rig, 0);
	assert_int_equal(icpt(&rig, 0), 256);
	rig_close(&rig);
	open_with(&rig, "aim=enetc", 256);
	rig_arm(&rig, 0);
	assert_int_equal(icpt(&rig, 0), (256 - 32) / 2);
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_packet_threshold_is_what_ring_and_sink_can_take),
	    cmocka_unit_test(packets_wake_at_their_threshold_exactly),
	    cmocka_unit_test(a_flood_at_line_rate_loses_nothing_under_the_longest_interval),
	    cmocka_unit_test(another_mode_forgets_no_packet_that_waits),
	    cmocka_unit_test(a_shorter_interval_holds_for_a_packet_that_waits),
	    cmocka_unit_test(a_packet_that_was_polled_wakes_nobody),
	    cmocka_unit_test(a_packet_that_waits_at_the_arm_wakes_at_once),
	    cmocka_unit_test(registers_are_written_on_change_only),
	    cmocka_unit_test(policy_enetc_has_linux_threshold),
	};

	return cmocka_run_group_tests_name("enetc_throttle", tests, rig_init, rig_fini);
}
