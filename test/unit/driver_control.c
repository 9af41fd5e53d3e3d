/* SPDX-License-Identifier: BSD-3-Clause */
/* The control plane of net_ixgbe_aim on the software NIC: what an application sets and sees. */
#include "rig.h"

#include <errno.h>
#include <string.h>

#include <rte_ethdev.h>

#include "../../drivers/net/ixgbe_aim/ixgbe_aim.h"

static const struct rig_conf plain = {0};
static const char *const nics[] = {"82599", "82599-kx4", "x540", "x550"};

static void
inject_to(struct rig *rig, const struct rte_ether_addr *dst, uint16_t vlan)
{
	uint8_t frame[128];
	uint32_t len = rig_frame(frame, 100, 0);

	memcpy(frame, dst, sizeof(*dst));
	if (vlan != 0) {
		memmove(frame + 16, frame + 12, len - 12);
		frame[12] = 0x81;
		frame[13] = 0;
		frame[14] = (uint8_t)(vlan >> 8);
		frame[15] = (uint8_t)vlan;
		len += 4;
	}
	assert_int_equal(nic_inject(rig->nic, frame, len), 0);
}

static bool
taken(struct rig *rig, const struct rte_ether_addr *dst, uint16_t vlan)
{
	inject_to(rig, dst, vlan);
	return rig_drain(rig, 0) == 1;
}

static void
restart(struct rig *rig)
{
	assert_int_equal(rte_eth_dev_stop(rig->port), 0);
	assert_int_equal(rte_eth_dev_start(rig->port), 0);
}

/* ---- RSS ---- */

static void
reta_is_set_kept_and_refused_out_of_range(void **state)
{
	struct rte_eth_rss_reta_entry64 reta[8], got[8];
	struct rte_eth_dev_info info;
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(nics); i++) {
		rig_open(&rig,
			 &(struct rig_conf){.nic = nics[i], .rxq = 4, .rss_hf = RTE_ETH_RSS_IPV4});
		assert_int_equal(rte_eth_dev_info_get(rig.port, &info), 0);
		assert_int_equal(info.reta_size, strcmp(nics[i], "x550") == 0 ? 512 : 128);
		memset(reta, 0, sizeof(reta));
		for (int k = 0; k < info.reta_size; k++) {
			reta[k / 64].mask = UINT64_MAX;
			reta[k / 64].reta[k % 64] = (uint16_t)(3 - k % 4);
		}
		assert_int_equal(rte_eth_dev_rss_reta_update(rig.port, reta, info.reta_size), 0);
		restart(&rig);
		memset(got, 0, sizeof(got));
		for (int k = 0; k < 8; k++)
			got[k].mask = UINT64_MAX;
		assert_int_equal(rte_eth_dev_rss_reta_query(rig.port, got, info.reta_size), 0);
		for (int k = 0; k < info.reta_size; k++)
			assert_int_equal(got[k / 64].reta[k % 64], 3 - k % 4);
		reta[1].reta[5] = 4;
		assert_int_not_equal(rte_eth_dev_rss_reta_update(rig.port, reta, info.reta_size),
				     0);
		rig_close(&rig);
	}
}

static void
packets_go_where_the_table_says(void **state)
{
	struct rte_eth_rss_reta_entry64 reta[2];
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.rxq = 4, .rss_hf = RTE_ETH_RSS_NONFRAG_IPV4_UDP});
	for (int k = 0; k < 2; k++) {
		reta[k].mask = UINT64_MAX;
		for (int e = 0; e < 64; e++)
			reta[k].reta[e] = 2;
	}
	assert_int_equal(rte_eth_dev_rss_reta_update(rig.port, reta, 128), 0);
	rig_inject(&rig, 16, 60);
	assert_int_equal(rig_drain(&rig, 2), 16);
	rig_close(&rig);
}

static void
rss_key_and_functions_are_set_and_checked(void **state)
{
	uint8_t key[40], got[40];
	struct rte_eth_rss_conf conf = {.rss_key = key, .rss_key_len = 40};
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)(i * 7 + 1);
	rig_open(&rig, &(struct rig_conf){.rxq = 2, .rss_hf = RTE_ETH_RSS_IPV4});
	conf.rss_hf = RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_IPV6;
	assert_int_equal(rte_eth_dev_rss_hash_update(rig.port, &conf), 0);
	restart(&rig);
	conf.rss_key = got;
	assert_int_equal(rte_eth_dev_rss_hash_conf_get(rig.port, &conf), 0);
	assert_int_equal(conf.rss_hf, RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_IPV6);
	assert_memory_equal(got, key, sizeof(key));
	conf.rss_key = key;
	conf.rss_key_len = 52;
	assert_int_not_equal(rte_eth_dev_rss_hash_update(rig.port, &conf), 0);
	conf.rss_key_len = 40;
	conf.rss_hf = RTE_ETH_RSS_NONFRAG_IPV4_SCTP;
	assert_int_not_equal(rte_eth_dev_rss_hash_update(rig.port, &conf), 0);
	rig_close(&rig);
}

static void
rss_is_switched_only_while_the_port_is_stopped(void **state)
{
	struct rte_eth_rss_conf conf = {.rss_hf = 0};
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.rxq = 2, .rss_hf = RTE_ETH_RSS_IPV4});
	assert_int_equal(rte_eth_dev_rss_hash_update(rig.port, &conf), -EINVAL);
	assert_true(nic_read(rig.nic, IXGBE_MRQC) & IXGBE_MRQC_RSSEN);
	conf.rss_hf = RTE_ETH_RSS_NONFRAG_IPV4_UDP;
	assert_int_equal(rte_eth_dev_rss_hash_update(rig.port, &conf), 0);
	assert_int_equal(rte_eth_dev_stop(rig.port), 0);
	conf.rss_hf = 0;
	assert_int_equal(rte_eth_dev_rss_hash_update(rig.port, &conf), 0);
	assert_int_equal(rte_eth_dev_start(rig.port), 0);
	assert_false(nic_read(rig.nic, IXGBE_MRQC) & IXGBE_MRQC_RSSEN);
	conf.rss_hf = RTE_ETH_RSS_IPV4;
	assert_int_equal(rte_eth_dev_rss_hash_update(rig.port, &conf), -EINVAL);
	assert_false(nic_read(rig.nic, IXGBE_MRQC) & IXGBE_MRQC_RSSEN);
	rig_close(&rig);
}

/* ---- Filters ---- */

static void
addresses_are_filtered_and_survive_a_restart(void **state)
{
	struct rte_ether_addr own, other = {{2, 9, 9, 9, 9, 9}}, group = {{1, 0, 0x5e, 0, 0, 7}};
	struct rig rig;

	(void)state;
	rig_open(&rig, &plain);
	assert_int_equal(rte_eth_promiscuous_disable(rig.port), 0);
	assert_int_equal(rte_eth_macaddr_get(rig.port, &own), 0);
	assert_true(taken(&rig, &own, 0));
	assert_false(taken(&rig, &other, 0));
	assert_false(taken(&rig, &group, 0));
	assert_int_equal(rte_eth_dev_mac_addr_add(rig.port, &other, 0), 0);
	assert_int_equal(rte_eth_dev_set_mc_addr_list(rig.port, &group, 1), 0);
	assert_true(taken(&rig, &other, 0));
	assert_true(taken(&rig, &group, 0));
	restart(&rig);
	assert_true(taken(&rig, &own, 0));
	assert_true(taken(&rig, &other, 0));
	assert_true(taken(&rig, &group, 0));
	assert_int_equal(rte_eth_dev_mac_addr_remove(rig.port, &other), 0);
	assert_int_equal(rte_eth_dev_set_mc_addr_list(rig.port, NULL, 0), 0);
	assert_false(taken(&rig, &other, 0));
	assert_false(taken(&rig, &group, 0));
	assert_int_equal(rte_eth_allmulticast_enable(rig.port), 0);
	assert_true(taken(&rig, &group, 0));
	assert_int_equal(rte_eth_promiscuous_enable(rig.port), 0);
	assert_true(taken(&rig, &other, 0));
	rig_close(&rig);
}

static void
vlans_are_filtered_and_survive_a_restart(void **state)
{
	const struct rig_conf conf = {.rx_offloads = RTE_ETH_RX_OFFLOAD_VLAN_FILTER};
	struct rte_ether_addr all = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
	struct rig rig;

	(void)state;
	rig_open(&rig, &conf);
	assert_false(taken(&rig, &all, 100));
	assert_int_equal(rte_eth_dev_vlan_filter(rig.port, 100, 1), 0);
	assert_true(taken(&rig, &all, 100));
	assert_false(taken(&rig, &all, 101));
	assert_true(taken(&rig, &all, 0));
	restart(&rig);
	assert_true(taken(&rig, &all, 100));
	assert_false(taken(&rig, &all, 101));
	assert_int_equal(rte_eth_dev_set_vlan_offload(rig.port, 0), 0);
	assert_true(taken(&rig, &all, 101));
	rig_close(&rig);
}

static void
mtu_is_bounded_and_needs_scatter_when_long(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &plain);
	assert_int_not_equal(rte_eth_dev_set_mtu(rig.port, 67), 0);
	assert_int_not_equal(rte_eth_dev_set_mtu(rig.port, 9711), 0);
	assert_int_equal(rte_eth_dev_set_mtu(rig.port, 68), 0);
	assert_int_equal(rte_eth_dev_set_mtu(rig.port, 1500), 0);
	assert_int_not_equal(rte_eth_dev_set_mtu(rig.port, 9000), 0);
	assert_int_equal(rte_eth_dev_stop(rig.port), 0);
	assert_int_equal(rte_eth_dev_set_mtu(rig.port, 9710), 0);
	assert_int_equal(rte_eth_dev_start(rig.port), 0);
	rig_inject(&rig, 1, 9000);
	assert_int_equal(rig_drain(&rig, 0), 1);
	rig_close(&rig);
}

/* ---- Life ---- */

static void
what_the_driver_cannot_do_is_refused_at_configure(void **state)
{
	struct rte_eth_conf conf = {.rxmode.mtu = 1500};
	struct rig rig;

	(void)state;
	rig_probe(&rig, &plain);
	conf.rxmode.mq_mode = RTE_ETH_MQ_RX_DCB;
	assert_int_equal(rte_eth_dev_configure(rig.port, 1, 1, &conf), -ENOTSUP);
	conf.rxmode.mq_mode = RTE_ETH_MQ_RX_NONE;
	conf.txmode.mq_mode = RTE_ETH_MQ_TX_DCB;
	assert_int_equal(rte_eth_dev_configure(rig.port, 1, 1, &conf), -ENOTSUP);
	conf.txmode.mq_mode = RTE_ETH_MQ_TX_NONE;
	conf.lpbk_mode = 1;
	assert_int_equal(rte_eth_dev_configure(rig.port, 1, 1, &conf), -ENOTSUP);
	conf.lpbk_mode = 0;
	conf.link_speeds = RTE_ETH_LINK_SPEED_40G;
	assert_int_equal(rte_eth_dev_configure(rig.port, 1, 1, &conf), -EINVAL);
	conf.link_speeds = 0;
	assert_int_not_equal(rte_eth_dev_configure(rig.port, 65, 1, &conf), 0);
	assert_int_equal(rte_eth_dev_configure(rig.port, 1, 1, &conf), 0);
	/* and a queue that is not set up is no reason to crash */
	assert_int_not_equal(rte_eth_dev_start(rig.port), 0);
	assert_int_equal(rte_eth_dev_close(rig.port), 0);
	assert_int_equal(softpci_close(rig.pci), 0);
}

static void
a_queue_of_either_direction_that_is_not_set_up_fails_the_start(void **state)
{
	static const struct {
		uint16_t rxq, txq, rx_hole, tx_hole;
	} cases[] = {{4, 1, 2, 9}, {1, 4, 9, 2}, {2, 4, 9, 1}, {4, 2, 3, 9}, {4, 4, 9, 3}};
	struct rte_eth_conf conf = {.rxmode.mtu = 1500};
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		rig_probe(&rig, &plain);
		assert_int_equal(rte_eth_dev_configure(rig.port, cases[i].rxq, cases[i].txq, &conf),
				 0);
		for (uint16_t q = 0; q < cases[i].rxq; q++)
			if (q != cases[i].rx_hole)
				assert_int_equal(
				    rte_eth_rx_queue_setup(rig.port, q, 256, 0, NULL, rig.pool), 0);
		for (uint16_t q = 0; q < cases[i].txq; q++)
			if (q != cases[i].tx_hole)
				assert_int_equal(rte_eth_tx_queue_setup(rig.port, q, 256, 0, NULL),
						 0);
		assert_int_equal(rte_eth_dev_start(rig.port), -EINVAL);
		rig_close(&rig);
	}
}

static void
a_speed_that_the_module_cannot_do_fails_the_start(void **state)
{
	struct rte_eth_conf conf = {
	    .rxmode.mtu = 1500,
	    .link_speeds = RTE_ETH_LINK_SPEED_1G | RTE_ETH_LINK_SPEED_FIXED,
	};
	struct rig rig;

	(void)state;
	rig_open(&rig, &plain);
	assert_int_equal(rte_eth_dev_stop(rig.port), 0);
	assert_int_equal(rte_eth_dev_configure(rig.port, 1, 1, &conf), 0);
	assert_int_equal(rte_eth_rx_queue_setup(rig.port, 0, 256, 0, NULL, rig.pool), 0);
	assert_int_equal(rte_eth_tx_queue_setup(rig.port, 0, 256, 0, NULL), 0);
	assert_int_not_equal(rte_eth_dev_start(rig.port), 0);
	conf.link_speeds = RTE_ETH_LINK_SPEED_10G | RTE_ETH_LINK_SPEED_FIXED;
	assert_int_equal(rte_eth_dev_configure(rig.port, 1, 1, &conf), 0);
	assert_int_equal(rte_eth_rx_queue_setup(rig.port, 0, 256, 0, NULL, rig.pool), 0);
	assert_int_equal(rte_eth_tx_queue_setup(rig.port, 0, 256, 0, NULL), 0);
	assert_int_equal(rte_eth_dev_start(rig.port), 0);
	rig_close(&rig);
}

static void
bad_devargs_fail_the_probe(void **state)
{
	static const char *const bad[] = {"aim=fast", "itr_us=2000", "bogus=1", "nvm_check=maybe"};
	char err[256];

	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		struct softpci_conf conf = {
		    .driver = "net_ixgbe_aim",
		    .devargs = bad[i],
		    .clock = SOFTPCI_CLOCK_VIRTUAL,
		};

		assert_null(softpci_open(&conf, err, sizeof(err)));
	}
}

static void
a_device_that_is_pulled_out_is_left_in_peace(void **state)
{
	struct rte_eth_stats stats;
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(nics); i++) {
		rig_open(&rig, &(struct rig_conf){.nic = nics[i]});
		rig_inject(&rig, 5, 60);
		assert_int_equal(rig_drain(&rig, 0), 5);
		assert_int_equal(rte_eth_stats_get(rig.port, &stats), 0);
		assert_int_equal(rte_eth_dev_is_removed(rig.port), 0);
		softpci_surprise_remove(rig.pci);
		assert_int_equal(rte_eth_dev_is_removed(rig.port), 1);
		/* its ones are no counts */
		if (rte_eth_stats_get(rig.port, &stats) == 0)
			assert_int_equal(stats.ipackets, 5);
		assert_true(rig_link_becomes(&rig, false));
		rte_eth_dev_stop(rig.port);
		assert_int_not_equal(rte_eth_dev_start(rig.port), 0);
		assert_int_equal(rte_eth_dev_close(rig.port), 0);
		assert_int_equal(softpci_close(rig.pci), 0);
		assert_int_equal(rte_mempool_avail_count(rig.pool), rig.pool_avail);
	}
}

/* What waits for a write-back is a quarter of the ring at most, in the shortest rings too. */
static void
three_quarters_of_a_short_ring_are_free(void **state)
{
	static const uint16_t sizes[] = {32, 64};
	struct rte_mbuf *pkts[48];
	struct rig rig;

	(void)state;
	for (size_t s = 0; s < RTE_DIM(sizes); s++) {
		struct rig_conf conf = {.tx_desc = sizes[s]};
		uint16_t burst = (uint16_t)(sizes[s] * 3 / 4);

		rig_open(&rig, &conf);
		for (unsigned int round = 0; round < sizes[s]; round++) {
			pkts[0] = rig_packet(&rig, 60, 1);
			assert_int_equal(rte_eth_tx_burst(rig.port, 0, pkts, 1), 1);
			for (unsigned int i = 0; i < burst; i++)
				pkts[i] = rig_packet(&rig, 60, 1);
			assert_int_equal(rte_eth_tx_burst(rig.port, 0, pkts, burst), burst);
		}
		rig_close(&rig);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reta_is_set_kept_and_refused_out_of_range),
	    cmocka_unit_test(packets_go_where_the_table_says),
	    cmocka_unit_test(rss_key_and_functions_are_set_and_checked),
	    cmocka_unit_test(rss_is_switched_only_while_the_port_is_stopped),
	    cmocka_unit_test(addresses_are_filtered_and_survive_a_restart),
	    cmocka_unit_test(vlans_are_filtered_and_survive_a_restart),
	    cmocka_unit_test(mtu_is_bounded_and_needs_scatter_when_long),
	    cmocka_unit_test(what_the_driver_cannot_do_is_refused_at_configure),
	    cmocka_unit_test(a_queue_of_either_direction_that_is_not_set_up_fails_the_start),
	    cmocka_unit_test(a_speed_that_the_module_cannot_do_fails_the_start),
	    cmocka_unit_test(bad_devargs_fail_the_probe),
	    cmocka_unit_test(a_device_that_is_pulled_out_is_left_in_peace),
	    cmocka_unit_test(three_quarters_of_a_short_ring_are_free),
	};

	return cmocka_run_group_tests_name("driver_control", tests, rig_init, rig_fini);
}
