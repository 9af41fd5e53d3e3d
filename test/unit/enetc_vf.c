/* SPDX-License-Identifier: BSD-3-Clause */
/* net_enetc_aim_vf on the software NIC: what a virtual function has, asks for, and has to refuse.
 */
#include "rig.h"

#include <string.h>

#include <ethdev_driver.h>

#include "../../drivers/net/enetc_aim/enetc_aim.h"
#include "enetc/enetc_model.h"

static const struct rte_ether_addr other = {{0x02, 0x11, 0x22, 0x33, 0x44, 0x55}};

static const struct rte_ether_addr *
own_of(const struct rig *rig)
{
	return (const struct rte_ether_addr *)rig->nic->mac;
}

static unsigned int
arrives(struct rig *rig, const struct rte_ether_addr *dst)
{
	uint8_t frame[60];

	rig_frame(frame, sizeof(frame), 0);
	memcpy(frame, dst, sizeof(*dst));
	assert_int_equal(nic_inject(rig->nic, frame, sizeof(frame)), 0);
	return rig_drain(rig, 0);
}

/* Frames to its address and to all come in, those to others do not, and what is sent goes out. */
static void
a_virtual_function_has_its_own_traffic(void **state)
{
	struct rte_ether_addr all = {{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}};
	struct rte_eth_link link;
	struct rte_mbuf *m;
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){0});
	assert_int_equal(arrives(&rig, own_of(&rig)), 1);
	assert_int_equal(arrives(&rig, &all), 1);
	assert_int_equal(arrives(&rig, &other), 0);
	m = rig_packet(&rig, 100, 1);
	assert_int_equal(rte_eth_tx_burst(rig.port, 0, &m, 1), 1);
	assert_int_equal(rig.sent, 1);
	assert_int_equal(rig.sent_len[0], 100);
	assert_int_equal(rte_eth_link_get_nowait(rig.port, &link), 0);
	assert_int_equal(link.link_status, RTE_ETH_LINK_UP);
	assert_int_equal(link.link_speed, RTE_ETH_SPEED_NUM_UNKNOWN);
	rig_close(&rig);
}

/* No access to a register that a virtual function has no window to, nor to one unknown. */
static void
no_register_of_the_port_is_touched(void **state)
{
	struct softpci_stats stats;
	struct rte_eth_dev_info info;
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.rxq = 4, .rxq_intr = true, .rss_hf = ENETC_RSS_HF});
	rig_inject(&rig, 100, 60);
	for (uint16_t q = 0; q < 4; q++)
		rig_arm(&rig, q);
	assert_int_equal(rig_xstat(&rig, "rx_si_packets"), 100);
	assert_int_equal(rte_eth_dev_info_get(rig.port, &info), 0);
	assert_int_equal(info.max_rx_queues, 4);
	softpci_stats_get(rig.pci, &stats);
	assert_int_equal(stats.nic.unknown, 0);
	for (uint16_t q = 0; q < 4; q++)
		rig_drain(&rig, q);
	rig_close(&rig);
}

static void
another_address_is_asked_for_by_a_message(void **state)
{
	struct rte_ether_addr addr = other;
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){0});
	assert_int_equal(rte_eth_dev_default_mac_addr_set(rig.port, &addr), 0);
	assert_int_equal(arrives(&rig, &other), 1);
	assert_int_equal(arrives(&rig, own_of(&rig)), 0);
	/* and over a restart, with no second message */
	assert_int_equal(rte_eth_dev_stop(rig.port), 0);
	nic_write(rig.nic, ENETC_VSIMSGSNDAR1, 0x12345678);
	assert_int_equal(rte_eth_dev_start(rig.port), 0);
	assert_int_equal(nic_read(rig.nic, ENETC_VSIMSGSNDAR1), 0x12345678);
	assert_int_equal(arrives(&rig, &other), 1);
	rig_close(&rig);
}

/* A physical function that keeps the address says OK, too. */
static void
an_address_that_is_not_given_is_told(void **state)
{
	struct rte_ether_addr addr = other;
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){0});
	enetc_of(rig.nic)->address_kept = true;
	assert_int_equal(rte_eth_dev_default_mac_addr_set(rig.port, &addr), -EPERM);
	assert_int_equal(rte_eth_macaddr_get(rig.port, &addr), 0);
	assert_memory_equal(&addr, rig.nic->mac, sizeof(addr));
	assert_int_equal(arrives(&rig, &addr), 1);
	rig_close(&rig);
}

/* Nobody drives the physical function, or it hangs. */
static void
a_message_without_an_answer_is_given_up(void **state)
{
	struct rte_ether_addr addr = other;
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){0});
	rig.nic->fault = NIC_FAULT_RESET;
	assert_int_equal(rte_eth_dev_default_mac_addr_set(rig.port, &addr), -ETIMEDOUT);
	rig.nic->fault = NIC_FAULT_NONE;
	assert_int_equal(rte_eth_dev_default_mac_addr_set(rig.port, &addr), 0);
	/* memory that the device may not read */
	enetc_port(&rte_eth_devices[rig.port])->hw.msg.iova = 0x1000;
	addr.addr_bytes[5]++;
	assert_int_equal(rte_eth_dev_default_mac_addr_set(rig.port, &addr), -EIO);
	rig_close(&rig);
}

/* A physical function without a driver gives no rings. */
static void
a_function_without_rings_is_refused(void **state)
{
	struct rte_eth_dev_info info;
	struct rig rig;

	(void)state;
	rig_probe(&rig, &(struct rig_conf){0});
	nic_lock(rig.nic);
	port_reg_set(rig.nic, ENETC_AT(PSICFGR0, 1), 0);
	nic_unlock(rig.nic);
	assert_int_equal(rte_eth_dev_reset(rig.port), -EIO);
	assert_int_equal(rte_eth_dev_info_get(rig.port, &info), 0);
	rig_close(&rig);
}

static void
what_belongs_to_the_port_is_refused(void **state)
{
	struct rte_ether_addr addr = other, multi = {{0x01, 0, 0x5e, 0, 0, 7}};
	struct rte_eth_conf conf = {.intr_conf.lsc = 1};
	uint8_t key[RSS_KEY_LEN] = {1};
	struct rte_eth_rss_conf rss = {.rss_key = key, .rss_key_len = sizeof(key)};
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.rxq = 2, .rss_hf = ENETC_RSS_HF});
	assert_int_equal(rte_eth_promiscuous_enable(rig.port), -ENOTSUP);
	assert_int_equal(rte_eth_promiscuous_get(rig.port), 0);
	assert_int_equal(rte_eth_allmulticast_enable(rig.port), -ENOTSUP);
	assert_true(rte_eth_dev_mac_addr_add(rig.port, &addr, 0) < 0);
	assert_int_equal(rte_eth_dev_set_mc_addr_list(rig.port, &multi, 1), -ENOTSUP);
	assert_int_equal(rte_eth_dev_set_mc_addr_list(rig.port, NULL, 0), 0);
	assert_int_equal(rte_eth_dev_set_link_down(rig.port), -ENOTSUP);
	assert_int_equal(rte_eth_dev_set_link_up(rig.port), 0);
	assert_true(rte_eth_dev_rss_hash_update(rig.port, &rss) < 0);
	memset(&rss, 0, sizeof(rss));
	assert_int_equal(rte_eth_dev_rss_hash_conf_get(rig.port, &rss), 0);
	assert_int_equal(rss.rss_key_len, 0);
	assert_int_equal(rte_eth_dev_stop(rig.port), 0);
	assert_int_equal(rte_eth_dev_configure(rig.port, 1, 1, &conf), -EINVAL);
	conf.intr_conf.lsc = 0;
	conf.rxmode.offloads = RTE_ETH_RX_OFFLOAD_VLAN_FILTER;
	assert_int_equal(rte_eth_dev_configure(rig.port, 1, 1, &conf), -EINVAL);
	conf.rxmode.offloads = 0;
	assert_int_equal(rte_eth_dev_configure(rig.port, 1, 1, &conf), 0);
	assert_int_equal(softpci_close(rig.pci), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_virtual_function_has_its_own_traffic),
	    cmocka_unit_test(no_register_of_the_port_is_touched),
	    cmocka_unit_test(another_address_is_asked_for_by_a_message),
	    cmocka_unit_test(an_address_that_is_not_given_is_told),
	    cmocka_unit_test(a_message_without_an_answer_is_given_up),
	    cmocka_unit_test(a_function_without_rings_is_refused),
	    cmocka_unit_test(what_belongs_to_the_port_is_refused),
	};

	return cmocka_run_group_tests_name("enetc_vf", tests, rig_init, rig_fini);
}
