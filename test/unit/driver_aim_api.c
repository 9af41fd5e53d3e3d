/* SPDX-License-Identifier: BSD-3-Clause */
/* rte_pmd_aim.h on a running port. */
#include "rig.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../../drivers/common/rte_pmd_aim.h"

#define ALL RTE_PMD_AIM_QUEUE_ALL

static void
sleep_once(struct rig *rig, uint16_t q)
{
	assert_int_equal(rte_eth_dev_rx_intr_enable(rig->port, q), 0);
	rig_drain(rig, q);
}

static uint32_t
live_ns(struct rig *rig, uint16_t q)
{
	struct rte_pmd_aim_stats stats;

	assert_int_equal(rte_pmd_aim_stats_get(rig->port, q, &stats), 0);
	return stats.itr_ns;
}

static void
settings_are_those_of_devargs(void **state)
{
	struct rte_pmd_aim_conf conf;
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){
			   .devargs = "aim=dim,itr_min_us=3,itr_max_us=70,sink_packets=9"});
	for (int i = 0; i < 2; i++) {
		assert_int_equal(rte_pmd_aim_conf_get(rig.port, i == 0 ? ALL : 0, &conf), 0);
		assert_string_equal(conf.policy, "dim");
		assert_int_equal(conf.itr_min_ns, 3000);
		assert_int_equal(conf.itr_max_ns, 70000);
		assert_int_equal(conf.sink_packets, 9);
	}
	rig_close(&rig);
}

static void
a_queue_takes_new_settings_at_its_next_arm(void **state)
{
	struct rte_pmd_aim_conf conf;
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){
			   .rxq = 2, .rxq_intr = true, .rx_desc = 1024, .devargs = "aim=off"});
	assert_int_equal(rte_pmd_aim_conf_get(rig.port, 1, &conf), 0);
	strcpy(conf.policy, "fixed");
	conf.itr_ns = 40960;
	assert_int_equal(rte_pmd_aim_conf_set(rig.port, 1, &conf), 0);
	assert_int_equal(live_ns(&rig, 1), 0);
	sleep_once(&rig, 0);
	sleep_once(&rig, 1);
	assert_int_equal(live_ns(&rig, 0), 0);
	assert_int_equal(live_ns(&rig, 1), 40960);
	/* over a restart, too */
	assert_int_equal(rte_eth_dev_stop(rig.port), 0);
	assert_int_equal(rte_eth_dev_start(rig.port), 0);
	sleep_once(&rig, 0);
	sleep_once(&rig, 1);
	assert_int_equal(live_ns(&rig, 0), 0);
	assert_int_equal(live_ns(&rig, 1), 40960);
	/* until it is set up anew */
	assert_int_equal(rte_eth_dev_stop(rig.port), 0);
	assert_int_equal(rte_eth_rx_queue_setup(rig.port, 1, 1024, 0, NULL, rig.pool), 0);
	assert_int_equal(rte_eth_dev_start(rig.port), 0);
	sleep_once(&rig, 1);
	assert_int_equal(live_ns(&rig, 1), 0);
	rig_close(&rig);
}

static void
all_queues_are_set_or_none(void **state)
{
	struct rte_eth_rxconf rxconf = {0};
	struct rte_pmd_aim_conf conf;
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){
			   .rxq = 3, .rxq_intr = true, .rx_desc = 2048, .devargs = "aim=off"});
	assert_int_equal(rte_eth_dev_stop(rig.port), 0);
	assert_int_equal(rte_eth_rx_queue_setup(rig.port, 2, 64, 0, &rxconf, rig.pool), 0);
	assert_int_equal(rte_eth_dev_start(rig.port), 0);
	assert_int_equal(rte_pmd_aim_conf_get(rig.port, ALL, &conf), 0);
	strcpy(conf.policy, "aim");
	conf.itr_min_ns = 20480; /* the ring of 64 cannot bear it */
	if (rig_family.ring_bound)
		assert_int_equal(rte_pmd_aim_conf_set(rig.port, ALL, &conf), -ERANGE);
	assert_int_equal(rte_pmd_aim_conf_get(rig.port, 0, &conf), 0);
	assert_string_equal(conf.policy, "off");
	assert_int_equal(rte_pmd_aim_conf_get(rig.port, ALL, &conf), 0);
	assert_string_equal(conf.policy, "off");
	strcpy(conf.policy, "fixed");
	conf.itr_ns = 10240;
	assert_int_equal(rte_pmd_aim_conf_set(rig.port, ALL, &conf), 0);
	for (uint16_t q = 0; q < 3; q++) {
		sleep_once(&rig, q);
		/* where hardware counts packets, the ring of 64 has room for none that waits */
		assert_int_equal(live_ns(&rig, q), q < 2 || rig_family.ring_bound ? 10240 : 0);
	}
	rig_close(&rig);
}

static void
what_cannot_be_set_is_refused(void **state)
{
	struct rte_pmd_aim_conf good, conf;
	struct rte_pmd_aim_stats stats;
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.rx_desc = 1024});
	assert_int_equal(rte_pmd_aim_conf_get(rig.port, 0, &good), 0);
	conf = good;
	strcpy(conf.policy, "fast");
	assert_int_equal(rte_pmd_aim_conf_set(rig.port, 0, &conf), -EINVAL);
	conf = good;
	memset(conf.policy, 'x', sizeof(conf.policy)); /* without its end */
	assert_int_equal(rte_pmd_aim_conf_set(rig.port, 0, &conf), -EINVAL);
	conf = good;
	conf.itr_max_ns = 0;
	assert_int_equal(rte_pmd_aim_conf_set(rig.port, 0, &conf), -EINVAL);
	conf.itr_max_ns = rig_family.max_ns + 1;
	assert_int_equal(rte_pmd_aim_conf_set(rig.port, 0, &conf), -EINVAL);
	conf = good;
	conf.itr_min_ns = 2000;
	conf.itr_max_ns = 1000;
	assert_int_equal(rte_pmd_aim_conf_set(rig.port, 0, &conf), -EINVAL);
	conf = good;
	conf.itr_min_ns = 500000;
	if (rig_family.ring_bound)
		assert_int_equal(rte_pmd_aim_conf_set(rig.port, 0, &conf), -ERANGE);
	conf = good;
	strcpy(conf.policy, "fixed");
	conf.itr_ns = 2000000;
	assert_int_equal(rte_pmd_aim_conf_set(rig.port, 0, &conf), -EINVAL);
	conf = good;
	strcpy(conf.policy, "dim-profile"); /* no profile was ever given */
	assert_int_equal(rte_pmd_aim_conf_set(rig.port, 0, &conf), -EINVAL);
	assert_int_equal(rte_pmd_aim_conf_set(rig.port, 1, &good), -EINVAL);
	assert_int_equal(rte_pmd_aim_conf_get(RTE_MAX_ETHPORTS - 1, 0, &conf), -ENODEV);
	assert_int_equal(rte_pmd_aim_stats_get(rig.port, ALL, &stats), -EINVAL);
	assert_int_equal(rte_pmd_aim_conf_get(rig.port, 0, &conf), 0);
	assert_memory_equal(&conf, &good, sizeof(conf));
	rig_close(&rig);
	assert_int_equal(rte_pmd_aim_conf_get(rig.port, 0, &conf), -ENODEV);
}

static uint64_t
sum(const uint64_t *counts)
{
	uint64_t all = 0;

	for (unsigned int i = 0; i < RTE_PMD_AIM_BUCKETS; i++)
		all += counts[i];
	return all;
}

static void
sleeps_and_what_follows_are_timed(void **state)
{
	struct rte_pmd_aim_stats stats;
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.rxq_intr = true, .devargs = "aim=off"});
	for (int i = 0; i < 5; i++) {
		assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), 0);
		usleep(2000);
		rig_inject(&rig, i < 3 ? 20 : 0, 60);
		assert_int_equal(rte_eth_dev_rx_intr_disable(rig.port, 0), 0);
		rig_drain(&rig, 0);
	}
	assert_int_equal(rte_pmd_aim_stats_get(rig.port, 0, &stats), 0);
	assert_int_equal(stats.wakes, 3);
	assert_int_equal(stats.spurious_wakes, 2);
	assert_int_equal(stats.ring_high_water, 20);
	assert_int_equal(sum(stats.sleep), 5);
	assert_int_equal(sum(stats.burst), 3);
	/* no time is asserted but that which passed at least, on a clock that is not the TSC */
	assert_true(stats.asleep_ns >= 9000000);
	assert_int_equal(rig_xstat(&rig, "rx_q0_asleep_ns"), stats.asleep_ns);
	assert_int_equal(rig_xstat(&rig, "rx_q0_ring_high_water"), 20);
	assert_int_equal(rte_eth_xstats_reset(rig.port), 0);
	assert_int_equal(rte_pmd_aim_stats_get(rig.port, 0, &stats), 0);
	assert_int_equal(sum(stats.sleep) + stats.asleep_ns + stats.ring_high_water, 0);
	rig_close(&rig);
}

static void
the_backlog_is_counted_to_the_descriptor(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.rxq_intr = true, .rx_desc = 256});
	for (unsigned int n = 1; n < 200; n += n < 40 ? 1 : 13) {
		struct rte_pmd_aim_stats stats;
		struct rte_mbuf *m;

		assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), 0);
		rig_inject(&rig, n, 60);
		assert_int_equal(rte_eth_rx_queue_count(rig.port, 0), n);
		assert_int_equal(rte_eth_rx_burst(rig.port, 0, &m, 1), 1);
		rte_pktmbuf_free(m);
		assert_int_equal(rte_eth_rx_queue_count(rig.port, 0), n - 1);
		rig_drain(&rig, 0);
		assert_int_equal(rte_pmd_aim_stats_get(rig.port, 0, &stats), 0);
		assert_int_equal(stats.ring_high_water, n);
	}
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(settings_are_those_of_devargs),
	    cmocka_unit_test(a_queue_takes_new_settings_at_its_next_arm),
	    cmocka_unit_test(all_queues_are_set_or_none),
	    cmocka_unit_test(what_cannot_be_set_is_refused),
	    cmocka_unit_test(sleeps_and_what_follows_are_timed),
	    cmocka_unit_test(the_backlog_is_counted_to_the_descriptor),
	};

	return cmocka_run_group_tests(tests, rig_init, rig_fini);
}
