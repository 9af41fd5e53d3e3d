/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics and dumps of net_ixgbe_aim on the software NIC. */
#include "rig.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_dev_info.h>
#include <rte_ethdev.h>

#include "../../drivers/net/ixgbe_aim/ixgbe_aim.h"

static const struct rig_conf plain = {0};
static const char *const nics[] = {"82599", "82599-kx4", "x540", "x550"};

static void
restart(struct rig *rig)
{
	assert_int_equal(rte_eth_dev_stop(rig->port), 0);
	assert_int_equal(rte_eth_dev_start(rig->port), 0);
}

/* ---- Statistics ---- */

static void
packets_are_counted_and_a_reset_starts_again(void **state)
{
	struct rte_eth_stats stats;
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(nics); i++) {
		rig_open(&rig, &(struct rig_conf){.nic = nics[i]});
		rig_inject(&rig, 10, 100);
		assert_int_equal(rig_drain(&rig, 0), 10);
		assert_int_equal(rte_eth_stats_get(rig.port, &stats), 0);
		assert_int_equal(stats.ipackets, 10);
		assert_int_equal(stats.ibytes, 1000);
		assert_int_equal(stats.ierrors, 0);
		assert_int_equal(rig_xstat(&rig, "rx_broadcast_packets"), 10);
		assert_int_equal(rig_xstat(&rig, "rx_size_65_to_127_packets"), 10);
		assert_int_equal(rte_eth_stats_reset(rig.port), 0);
		assert_int_equal(rte_eth_stats_get(rig.port, &stats), 0);
		assert_int_equal(stats.ipackets, 0);
		assert_int_equal(rig_xstat(&rig, "rx_broadcast_packets"), 0);
		rig_close(&rig);
	}
}

static void
counts_survive_a_stop_and_start(void **state)
{
	struct rte_eth_stats stats;
	struct rig rig;

	(void)state;
	rig_open(&rig, &plain);
	rig_inject(&rig, 7, 100);
	assert_int_equal(rig_drain(&rig, 0), 7);
	restart(&rig);
	rig_inject(&rig, 3, 100);
	assert_int_equal(rig_drain(&rig, 0), 3);
	assert_int_equal(rte_eth_stats_get(rig.port, &stats), 0);
	assert_int_equal(stats.ipackets, 10);
	rig_close(&rig);
}

static void
xstats_are_the_same_by_list_and_by_id(void **state)
{
	struct rte_eth_xstat_name *names;
	struct rte_eth_xstat *xstats;
	uint64_t id, value, *ids, *values;
	struct rig rig;
	int n;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.rxq = 2, .txq = 2});
	rig_inject(&rig, 5, 60);
	assert_int_equal(rig_drain(&rig, 0), 5);
	n = rte_eth_xstats_get(rig.port, NULL, 0);
	assert_true(n > 100);
	names = calloc((size_t)n, sizeof(*names));
	xstats = calloc((size_t)n, sizeof(*xstats));
	assert_int_equal(rte_eth_xstats_get_names(rig.port, names, (unsigned int)n), n);
	assert_int_equal(rte_eth_xstats_get(rig.port, xstats, (unsigned int)n), n);
	for (int i = 0; i < n; i++) {
		assert_int_equal(xstats[i].id, i);
		assert_int_not_equal(names[i].name[0], 0);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(names[i].name, names[j].name);
		id = (uint64_t)i;
		assert_int_equal(rte_eth_xstats_get_by_id(rig.port, &id, &value, 1), 1);
		assert_int_equal(value, xstats[i].value);
	}
	/* in any order, queues mixed */
	ids = calloc((size_t)n, sizeof(*ids));
	values = calloc((size_t)n, sizeof(*values));
	for (int i = 0; i < n; i++)
		ids[i] = (uint64_t)(i * 13 % n);
	assert_int_not_equal(n % 13, 0);
	assert_int_equal(rte_eth_xstats_get_by_id(rig.port, ids, values, (unsigned int)n), n);
	for (int i = 0; i < n; i++)
		assert_int_equal(values[i], xstats[ids[i]].value);
	free(ids);
	free(values);
	id = (uint64_t)n;
	assert_true(rte_eth_xstats_get_by_id(rig.port, &id, &value, 1) < 0);
	assert_int_equal(rig_xstat(&rig, "rx_size_64_packets"), 5);
	free(names);
	free(xstats);
	rig_close(&rig);
}

static void
moderation_counts_start_again_after_a_reset(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.rxq_intr = true, .devargs = "aim=off"});
	for (int i = 0; i < 3; i++) {
		assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), 0);
		rig_inject(&rig, 2, 60);
		assert_int_equal(rig_drain(&rig, 0), 2);
	}
	assert_int_equal(rig_xstat(&rig, "rx_q0_arms"), 3);
	assert_int_equal(rig_xstat(&rig, "rx_q0_wakes"), 3);
	assert_int_equal(rte_eth_xstats_reset(rig.port), 0);
	assert_int_equal(rig_xstat(&rig, "rx_q0_arms"), 0);
	assert_int_equal(rig_xstat(&rig, "rx_q0_wakes"), 0);
	assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), 0);
	assert_int_equal(rig_xstat(&rig, "rx_q0_arms"), 1);
	rig_close(&rig);
}

/* More events than before the reset: the old base would hide some of them. */
static void
a_queue_that_is_set_up_anew_counts_from_0(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.rxq_intr = true, .devargs = "aim=off"});
	for (int i = 0; i < 2; i++) {
		assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), 0);
		rig_inject(&rig, 2, 60);
		assert_int_equal(rig_drain(&rig, 0), 2);
	}
	assert_int_equal(rte_eth_xstats_reset(rig.port), 0);
	assert_int_equal(rte_eth_dev_stop(rig.port), 0);
	assert_int_equal(rte_eth_rx_queue_setup(rig.port, 0, 256, 0, NULL, rig.pool), 0);
	assert_int_equal(rte_eth_dev_start(rig.port), 0);
	assert_int_equal(rig_xstat(&rig, "rx_q0_arms"), 0);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), 0);
		rig_inject(&rig, 2, 60);
		assert_int_equal(rig_drain(&rig, 0), 2);
	}
	assert_int_equal(rig_xstat(&rig, "rx_q0_arms"), 5);
	assert_int_equal(rig_xstat(&rig, "rx_q0_wakes"), 5);
	rig_close(&rig);
}

static void
the_interval_is_read_back_from_the_hardware(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.rxq_intr = true, .devargs = "itr_us=100"});
	assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), 0);
	assert_int_equal(rig_xstat(&rig, "rx_q0_itr_interval_ns"), 100000 / 2048 * 2048);
	rig_close(&rig);
}

/* ---- Dumps ---- */

static void
a_register_dump_changes_nothing(void **state)
{
	struct rte_dev_reg_info regs = {0};
	struct rte_eth_stats stats;
	struct nic_stats before, after;
	uint32_t *data, part[4];
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(nics); i++) {
		rig_open(&rig, &(struct rig_conf){.nic = nics[i]});
		rig_inject(&rig, 4, 60);
		memset(&regs, 0, sizeof(regs));
		assert_int_equal(rte_eth_dev_get_reg_info(rig.port, &regs), 0);
		assert_int_equal(regs.width, 4);
		assert_true(regs.length > 1000);
		data = calloc(regs.length, regs.width);
		regs.data = data;
		nic_stats_get(rig.nic, &before);
		assert_int_equal(rte_eth_dev_get_reg_info(rig.port, &regs), 0);
		nic_stats_get(rig.nic, &after);
		/* every one is a register of this device */
		assert_int_equal(after.unknown, before.unknown);
		assert_int_equal(rte_eth_stats_get(rig.port, &stats), 0);
		assert_int_equal(stats.ipackets, 4);
		/* a part is the same as in the whole */
		regs.data = part;
		regs.offset = 2;
		regs.length = 4;
		assert_int_equal(rte_eth_dev_get_reg_info(rig.port, &regs), 0);
		assert_memory_equal(part, data + 2, sizeof(part));
		regs.offset = 1u << 30;
		assert_int_equal(rte_eth_dev_get_reg_info(rig.port, &regs), -EINVAL);
		assert_int_equal(rig_drain(&rig, 0), 4);
		free(data);
		rig_close(&rig);
	}
}

static void
the_nvm_and_the_module_are_read_within_bounds(void **state)
{
	uint8_t bytes[512];
	struct rte_dev_eeprom_info info = {.data = bytes, .length = 64};
	struct rte_eth_dev_module_info module;
	struct rig rig;
	char fw[32];
	int len;

	(void)state;
	rig_open(&rig, &plain);
	len = rte_eth_dev_get_eeprom_length(rig.port);
	assert_true(len > 0);
	assert_int_equal(rte_eth_dev_get_eeprom(rig.port, &info), 0);
	info.offset = (uint32_t)len - 32;
	assert_int_equal(rte_eth_dev_get_eeprom(rig.port, &info), -EINVAL);
	info.offset = 1;
	assert_int_equal(rte_eth_dev_get_eeprom(rig.port, &info), -EINVAL);
	assert_int_equal(rte_eth_dev_get_module_info(rig.port, &module), 0);
	assert_int_equal(module.type, RTE_ETH_MODULE_SFF_8472);
	info.offset = 0;
	info.length = module.eeprom_len;
	assert_int_equal(rte_eth_dev_get_module_eeprom(rig.port, &info), 0);
	assert_int_equal(bytes[0], 3);
	info.offset = 500;
	info.length = 20;
	assert_int_equal(rte_eth_dev_get_module_eeprom(rig.port, &info), -EINVAL);
	assert_int_equal(rte_eth_dev_fw_version_get(rig.port, fw, sizeof(fw)), 0);
	assert_int_equal(rte_eth_dev_fw_version_get(rig.port, fw, 4), strlen("0x00000000") + 1);
	rig_close(&rig);
	rig_open(&rig, &(struct rig_conf){.nic = "x540"});
	assert_int_equal(rte_eth_dev_get_module_info(rig.port, &module), -ENODEV);
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(packets_are_counted_and_a_reset_starts_again),
	    cmocka_unit_test(counts_survive_a_stop_and_start),
	    cmocka_unit_test(xstats_are_the_same_by_list_and_by_id),
	    cmocka_unit_test(moderation_counts_start_again_after_a_reset),
	    cmocka_unit_test(a_queue_that_is_set_up_anew_counts_from_0),
	    cmocka_unit_test(the_interval_is_read_back_from_the_hardware),
	    cmocka_unit_test(a_register_dump_changes_nothing),
	    cmocka_unit_test(the_nvm_and_the_module_are_read_within_bounds),
	};

	return cmocka_run_group_tests_name("driver_stats", tests, rig_init, rig_fini);
}
