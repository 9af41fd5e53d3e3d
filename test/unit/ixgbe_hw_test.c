/* SPDX-License-Identifier: BSD-3-Clause */
/* The hardware layer of net_ixgbe_aim on the models: reset, NVM, semaphores, module, link. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include <rte_log.h>

#include "clock.h"
#include "ixgbe_hw.h"

int aim_log_init = RTE_LOGTYPE_USER1;
int aim_log_driver = RTE_LOGTYPE_USER1;
uint64_t model_waited_us;
uint32_t model_stuck_low[2];
void (*model_written)(uint32_t offset, uint32_t value);

static const char *const models[] = {"82599", "82599-kx4", "x540", "x550"};
static const uint8_t mac[6] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};

struct bench {
	struct nic_clock *clock;
	struct nic *nic;
	struct ixgbe_hw hw;
};

static void
bench_open(struct bench *b, const char *model)
{
	struct nic_conf conf = {.model = model, .mac = mac};
	char err[256];

	memset(b, 0, sizeof(*b));
	b->clock = nic_clock_create(true);
	conf.clock = b->clock;
	b->nic = nic_create(&conf, err, sizeof(err));
	assert_non_null(b->nic);
	nic_link_set(b->nic, true, 10000);
	b->hw.bar.base = (void *)b->nic;
	b->hw.name = "nic0";
	assert_int_equal(ixgbe_hw_identify(&b->hw, nic_model_find(model)->device_id), 0);
	model_waited_us = 0;
	memset(model_stuck_low, 0, sizeof(model_stuck_low));
}

static void
bench_close(struct bench *b)
{
	nic_destroy(b->nic);
	nic_clock_destroy(b->clock);
}

#define FOR_EACH_MODEL(b, i) \
	for (size_t i = 0; \
	     i < sizeof(models) / sizeof(models[0]) && (bench_open(b, models[i]), true); \
	     bench_close(b), i++)

static void
an_unknown_device_is_refused(void **state)
{
	struct ixgbe_hw hw = {0};

	(void)state;
	assert_int_equal(ixgbe_hw_identify(&hw, 0x1234), -ENODEV);
	/* 82599 10GBASE-T: a PHY that nobody here has tried */
	assert_int_equal(ixgbe_hw_identify(&hw, 0x151C), -ENODEV);
}

static void
reset_masks_interrupts_and_reads_the_address(void **state)
{
	struct bench b;

	(void)state;
	FOR_EACH_MODEL(&b, i)
	{
		mmio_write(&b.hw.bar, IXGBE_EIMS, IXGBE_EICR_LSC);
		assert_int_equal(ixgbe_hw_reset(&b.hw), 0);
		assert_int_equal(mmio_read(&b.hw.bar, IXGBE_EIMS), 0);
		assert_memory_equal(b.hw.perm_addr, mac, sizeof(mac));
		assert_true(model_waited_us < 500000);
	}
}

static void
init_clears_every_counter_and_filter(void **state)
{
	struct bench b;

	(void)state;
	FOR_EACH_MODEL(&b, i)
	{
		assert_int_equal(ixgbe_hw_reset(&b.hw), 0);
		mmio_write(&b.hw.bar, IXGBE_AT(VFTA, 5), UINT32_MAX);
		ixgbe_hw_rar_set(&b.hw, 9, mac);
		assert_int_equal(ixgbe_hw_init(&b.hw), 0);
		assert_int_equal(mmio_read(&b.hw.bar, IXGBE_AT(VFTA, 5)), 0);
		assert_int_equal(mmio_read(&b.hw.bar, IXGBE_AT(RAH, 9)) & IXGBE_RAH_AV, 0);
		assert_int_not_equal(mmio_read(&b.hw.bar, IXGBE_AT(RAH, 0)) & IXGBE_RAH_AV, 0);
	}
}

static void
a_whole_nvm_passes_and_a_changed_one_does_not(void **state)
{
	struct bench b;
	uint16_t word;

	(void)state;
	FOR_EACH_MODEL(&b, i)
	{
		assert_int_equal(ixgbe_hw_reset(&b.hw), 0);
		assert_int_equal(ixgbe_nvm_check(&b.hw), 0);
		assert_int_equal(ixgbe_nvm_read(&b.hw, 0x18, &word), 0);
		mmio_write(&b.hw.bar, IXGBE_EEWR,
			   (uint32_t)(word + 1) << IXGBE_EERD_DATA_SHIFT |
			       0x18u << IXGBE_EERD_ADDR_SHIFT | IXGBE_EERD_START);
		assert_int_equal(ixgbe_nvm_check(&b.hw), -EIO);
	}
}

static void
a_section_length_beyond_the_nvm_is_not_followed(void **state)
{
	struct bench b;
	uint64_t reads;
	struct nic_stats stats;

	(void)state;
	bench_open(&b, "82599");
	assert_int_equal(ixgbe_hw_reset(&b.hw), 0);
	/* The section of pointer 0x0B lies at 0x300 in the model. */
	mmio_write(&b.hw.bar, IXGBE_EEWR,
		   0xFFF0u << IXGBE_EERD_DATA_SHIFT | 0x300u << IXGBE_EERD_ADDR_SHIFT |
		       IXGBE_EERD_START);
	nic_stats_get(b.nic, &stats);
	reads = stats.reads;
	assert_int_equal(ixgbe_nvm_check(&b.hw), -EIO);
	nic_stats_get(b.nic, &stats);
	assert_true(stats.reads - reads < 1000);
	bench_close(&b);
}

static void
reading_behind_the_nvm_is_refused(void **state)
{
	struct bench b;
	uint16_t words[2];

	(void)state;
	FOR_EACH_MODEL(&b, i)
	{
		uint16_t n = ixgbe_nvm_words(&b.hw);

		assert_int_equal(ixgbe_nvm_read_block(&b.hw, n - 1, words, 2), -EINVAL);
		assert_int_equal(ixgbe_nvm_read_block(&b.hw, n - 1, words, 1), 0);
	}
}

static void
a_semaphore_that_another_driver_holds_times_out(void **state)
{
	struct bench b;

	(void)state;
	FOR_EACH_MODEL(&b, i)
	{
		mmio_write(&b.hw.bar, IXGBE_SW_FW_SYNC, IXGBE_SWFW_PHY0);
		assert_int_equal(ixgbe_hw_sem_take(&b.hw, IXGBE_SWFW_PHY0), -ETIMEDOUT);
		assert_true(model_waited_us <= 2000000);
		/* and is not taken away from its owner */
		assert_int_equal(mmio_read(&b.hw.bar, IXGBE_SW_FW_SYNC) & ~IXGBE_SWFW_REGSMP,
				 IXGBE_SWFW_PHY0);
	}
}

static void
a_semaphore_that_hung_firmware_holds_is_taken_after_a_second(void **state)
{
	struct bench b;

	(void)state;
	FOR_EACH_MODEL(&b, i)
	{
		mmio_write(&b.hw.bar, IXGBE_SW_FW_SYNC, IXGBE_SWFW_PHY0 << IXGBE_SWFW_FW_SHIFT);
		assert_int_equal(ixgbe_hw_sem_take(&b.hw, IXGBE_SWFW_PHY0), 0);
		assert_true(model_waited_us >= 900000 && model_waited_us < 2000000);
		ixgbe_hw_sem_give(&b.hw, IXGBE_SWFW_PHY0);
		assert_int_equal(mmio_read(&b.hw.bar, IXGBE_SW_FW_SYNC) & ~IXGBE_SWFW_REGSMP,
				 IXGBE_SWFW_PHY0 << IXGBE_SWFW_FW_SHIFT);
	}
}

static void
a_semaphore_left_locked_by_a_dead_driver_is_freed(void **state)
{
	struct bench b;

	(void)state;
	FOR_EACH_MODEL(&b, i)
	{
		mmio_read(&b.hw.bar, IXGBE_SWSM); /* takes SMBI and never gives it back */
		assert_int_equal(ixgbe_hw_sem_take(&b.hw, IXGBE_SWFW_PHY0), 0);
		ixgbe_hw_sem_give(&b.hw, IXGBE_SWFW_PHY0);
	}
}

static void
a_device_that_is_gone_is_told_and_every_wait_ends(void **state)
{
	struct bench b;

	(void)state;
	FOR_EACH_MODEL(&b, i)
	{
		assert_true(ixgbe_hw_present(&b.hw));
		nic_surprise_remove(b.nic);
		assert_false(ixgbe_hw_present(&b.hw));
		assert_int_equal(ixgbe_hw_reset(&b.hw), -ETIMEDOUT);
		assert_true(model_waited_us < 5000000);
	}
}

static void
a_receive_path_that_does_not_drain_is_waited_for_and_opened_again(void **state)
{
	struct bench b;

	(void)state;
	FOR_EACH_MODEL(&b, i)
	{
		model_stuck_low[0] = IXGBE_SECRXSTAT;
		model_stuck_low[1] = IXGBE_SECRXSTAT_RDY;
		assert_int_equal(ixgbe_hw_rx_path_off(&b.hw), 0);
		assert_true(model_waited_us >= 40000 && model_waited_us < 50000);
		ixgbe_hw_rx_path_on(&b.hw);
		assert_int_equal(mmio_read(&b.hw.bar, IXGBE_SECRXCTRL) & IXGBE_SECRXCTRL_RX_DIS, 0);
	}
}

static void
the_module_is_read_and_named(void **state)
{
	uint8_t id[256] = {0}, byte;
	struct bench b;

	(void)state;
	bench_open(&b, "82599");
	assert_int_equal(ixgbe_phy_identify(&b.hw), 0);
	assert_int_equal(b.hw.sfp, IXGBE_SFP_SR);
	assert_int_equal(ixgbe_sfp_read(&b.hw, 0xA0, 0, id, sizeof(id)), 0);
	assert_int_equal(id[0], 3);
	/* any byte alone is the same as in a row */
	for (int i = 0; i < 256; i += 17) {
		assert_int_equal(ixgbe_sfp_read(&b.hw, 0xA0, (uint8_t)i, &byte, 1), 0);
		assert_int_equal(byte, id[i]);
	}
	assert_int_equal(ixgbe_sfp_read(&b.hw, 0xA0, 250, id, 10), -EINVAL);
	/* nobody has this address */
	assert_int_equal(ixgbe_sfp_read(&b.hw, 0x50, 0, &byte, 1), -ENODEV);
	bench_close(&b);
}

static void
a_module_that_holds_the_bus_counts_as_absent(void **state)
{
	struct bench b;
	uint8_t byte;

	(void)state;
	bench_open(&b, "82599");
	model_stuck_low[0] = IXGBE_I2CCTL;
	model_stuck_low[1] = IXGBE_I2CCTL_CLK_IN;
	assert_int_equal(ixgbe_sfp_read(&b.hw, 0xA0, 0, &byte, 1), -EIO);
	assert_int_equal(ixgbe_phy_identify(&b.hw), 0);
	assert_int_equal(b.hw.sfp, IXGBE_SFP_ABSENT);
	assert_int_equal(ixgbe_phy_link_setup(&b.hw, UINT32_MAX), 0);
	assert_true(model_waited_us < 1000000);
	/* it lets go */
	model_stuck_low[1] = 0;
	assert_int_equal(ixgbe_phy_identify(&b.hw), 0);
	assert_int_equal(b.hw.sfp, IXGBE_SFP_SR);
	/* a semaphore that is held is another matter */
	mmio_write(&b.hw.bar, IXGBE_SW_FW_SYNC, IXGBE_SWFW_PHY0);
	assert_int_equal(ixgbe_sfp_identify(&b.hw), -ETIMEDOUT);
	bench_close(&b);
}

static void
a_log_line_names_the_port(void **state)
{
	uint32_t level = rte_log_get_global_level();
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct bench b;

	(void)state;
	assert_non_null(out);
	bench_open(&b, "82599");
	model_stuck_low[0] = IXGBE_I2CCTL;
	model_stuck_low[1] = IXGBE_I2CCTL_CLK_IN;
	rte_openlog_stream(out);
	rte_log_set_global_level(RTE_LOG_WARNING);
	rte_log_set_level(RTE_LOGTYPE_USER1, RTE_LOG_WARNING);
	assert_int_equal(ixgbe_sfp_identify(&b.hw), 0);
	assert_int_equal(ixgbe_sfp_identify(&b.hw), 0);
	rte_log_set_global_level(level);
	rte_openlog_stream(NULL);
	fclose(out);
	/* once */
	assert_non_null(strstr(text, "nic0: the SFP+ cage"));
	assert_null(strstr(strstr(text, "nic0:") + 1, "nic0:"));
	free(text);
	bench_close(&b);
}

static void
a_copper_phy_is_found_by_mdio(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, "x540");
	assert_int_equal(ixgbe_phy_identify(&b.hw), 0);
	assert_int_not_equal(b.hw.phy_id, 0);
	bench_close(&b);
}

static void
the_link_comes_up_at_every_speed_of_the_wire(void **state)
{
	struct ixgbe_link link;
	struct bench b;

	(void)state;
	FOR_EACH_MODEL(&b, i)
	{
		assert_int_equal(ixgbe_hw_reset(&b.hw), 0);
		assert_int_equal(ixgbe_phy_identify(&b.hw), 0);
		assert_int_equal(ixgbe_phy_link_setup(&b.hw, UINT32_MAX), 0);
		ixgbe_phy_link_get(&b.hw, &link);
		assert_true(link.up);
		assert_int_equal(link.speed, 10000);
		nic_link_set(b.nic, true, 1000);
		ixgbe_phy_link_get(&b.hw, &link);
		assert_int_equal(link.speed, 1000);
		nic_link_set(b.nic, false, 1000);
		ixgbe_phy_link_get(&b.hw, &link);
		assert_false(link.up);
		assert_int_equal(link.speed, 0);
	}
}

static void
a_link_that_firmware_vetoes_is_left_alone(void **state)
{
	struct bench b;
	uint16_t value;

	(void)state;
	FOR_EACH_MODEL(&b, i)
	{
		assert_int_equal(ixgbe_hw_reset(&b.hw), 0);
		assert_int_equal(ixgbe_phy_identify(&b.hw), 0);
		mmio_write(&b.hw.bar, IXGBE_MMNGC, IXGBE_MMNGC_MNG_VETO);
		assert_int_equal(ixgbe_phy_power(&b.hw, false),
				 b.hw.media == IXGBE_MEDIA_BACKPLANE ? -ENOTSUP : 0);
		assert_int_equal(ixgbe_phy_link_setup(&b.hw, UINT32_MAX), 0);
		assert_int_equal(mmio_read(&b.hw.bar, IXGBE_ESDP) & IXGBE_ESDP_SDP3, 0);
		if (b.hw.media == IXGBE_MEDIA_COPPER) {
			assert_int_equal(ixgbe_phy_mdio_read(&b.hw, 30, 0, &value), 0);
			assert_int_equal(value & 0x0800, 0);
			assert_int_equal(ixgbe_phy_mdio_read(&b.hw, 7, 0x20, &value), 0);
			assert_int_equal(value & 0x1000, 0);
		}
		mmio_write(&b.hw.bar, IXGBE_MMNGC, 0);
		if (b.hw.media == IXGBE_MEDIA_COPPER) {
			assert_int_equal(ixgbe_phy_power(&b.hw, false), 0);
			assert_int_equal(ixgbe_phy_mdio_read(&b.hw, 30, 0, &value), 0);
			assert_int_equal(value & 0x0800, 0x0800);
		} else if (b.hw.media == IXGBE_MEDIA_FIBER) {
			assert_int_equal(ixgbe_phy_power(&b.hw, false), 0);
			assert_int_not_equal(mmio_read(&b.hw.bar, IXGBE_ESDP) & IXGBE_ESDP_SDP3, 0);
		}
	}
}

static uint32_t driven_high, driven_low;

static void
laser_pin_written(uint32_t offset, uint32_t value)
{
	if (offset != IXGBE_ESDP || !(value & IXGBE_ESDP_SDP3_DIR))
		return;
	if (value & IXGBE_ESDP_SDP3)
		driven_high++;
	else
		driven_low++;
}

static void
the_laser_is_switched_without_a_glitch(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, "82599");
	for (int on = 0; on < 2; on++) {
		/* an input with the other level */
		mmio_write(&b.hw.bar, IXGBE_ESDP, on ? IXGBE_ESDP_SDP3 : 0);
		driven_high = driven_low = 0;
		model_written = laser_pin_written;
		assert_int_equal(ixgbe_phy_power(&b.hw, on), 0);
		model_written = NULL;
		assert_int_equal(driven_high != 0, !on);
		assert_int_equal(driven_low != 0, on);
	}
	bench_close(&b);
}

static void
speeds_that_the_media_cannot_do_are_refused(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, "82599");
	assert_int_equal(ixgbe_hw_reset(&b.hw), 0);
	assert_int_equal(ixgbe_phy_link_setup(&b.hw, IXGBE_SPEED_100M), -EINVAL);
	bench_close(&b);
	bench_open(&b, "82599-kx4");
	assert_int_equal(ixgbe_hw_reset(&b.hw), 0);
	assert_int_equal(ixgbe_phy_link_setup(&b.hw, IXGBE_SPEED_100M), -EINVAL);
	bench_close(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_unknown_device_is_refused),
	    cmocka_unit_test(reset_masks_interrupts_and_reads_the_address),
	    cmocka_unit_test(init_clears_every_counter_and_filter),
	    cmocka_unit_test(a_whole_nvm_passes_and_a_changed_one_does_not),
	    cmocka_unit_test(a_section_length_beyond_the_nvm_is_not_followed),
	    cmocka_unit_test(reading_behind_the_nvm_is_refused),
	    cmocka_unit_test(a_semaphore_that_another_driver_holds_times_out),
	    cmocka_unit_test(a_semaphore_that_hung_firmware_holds_is_taken_after_a_second),
	    cmocka_unit_test(a_semaphore_left_locked_by_a_dead_driver_is_freed),
	    cmocka_unit_test(a_device_that_is_gone_is_told_and_every_wait_ends),
	    cmocka_unit_test(a_receive_path_that_does_not_drain_is_waited_for_and_opened_again),
	    cmocka_unit_test(the_module_is_read_and_named),
	    cmocka_unit_test(a_module_that_holds_the_bus_counts_as_absent),
	    cmocka_unit_test(a_log_line_names_the_port),
	    cmocka_unit_test(a_copper_phy_is_found_by_mdio),
	    cmocka_unit_test(the_link_comes_up_at_every_speed_of_the_wire),
	    cmocka_unit_test(a_link_that_firmware_vetoes_is_left_alone),
	    cmocka_unit_test(the_laser_is_switched_without_a_glitch),
	    cmocka_unit_test(speeds_that_the_media_cannot_do_are_refused),
	};

	rte_log_set_global_level(RTE_LOG_EMERG);
	return cmocka_run_group_tests_name("ixgbe_hw", tests, NULL, NULL);
}
