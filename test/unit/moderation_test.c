/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings and the link's speed reach a queue at its next arm, and nowhere else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <rte_eal.h>
#include <string.h>

#include "moderation.h"
#include "ticks.h"

#define US 1000u
#define RING 1024u

static struct moderation m;
static struct moderation_conf conf;

static int
setup(void **state)
{
	(void)state;
	memset(&m, 0, sizeof(m));
	rte_spinlock_init(&m.lock);
	moderation_conf_default(&conf, 1000 * US);
	assert_int_equal(moderation_start(&m, &conf, RING, 10000), 0);
	return 0;
}

/* A wake that found n packets, and the next arm. */
static void
cycle(uint16_t n)
{
	moderation_burst(&m, n, n * 64u);
	moderation_burst(&m, 0, 0);
	moderation_arm(&m);
}

static void
a_link_change_holds_from_the_next_arm_on_and_keeps_what_the_engine_learned(void **state)
{
	uint32_t cap = m.limits.cap_ns;
	uint64_t armed;

	(void)state;
	cycle(1);
	armed = m.state.last_arm_ns;
	moderation_link(&m, 1000);
	assert_int_equal(m.limits.cap_ns, cap); /* that thread may be reading it */
	moderation_change_take(&m);
	assert_int_equal(m.limits.cap_ns,
			 (RING - 32) * 672 - AIM_WAKE_NS); /* ns a smallest frame */
	assert_int_equal(m.state.last_arm_ns, armed);
	cycle(1);
	assert_int_not_equal(m.state.last_arm_ns, armed);
}

static void
settings_and_link_changed_together_both_hold(void **state)
{
	struct moderation_conf got;

	(void)state;
	conf.policy = aim_policy_find("fixed");
	conf.config.fixed_ns = conf.max_ns = 30 * US;
	moderation_change(&m, &conf);
	moderation_link(&m, 100);
	moderation_conf_get(&m, &got);
	assert_ptr_equal(got.policy, conf.policy);
	assert_int_equal(m.limits.link_mbps, 10000);
	cycle(1);
	assert_int_equal(m.limits.link_mbps, 100);
	assert_int_equal(m.state.interval_ns, 30 * US);
	assert_int_equal(m.limits.cap_ns, 30 * US);
}

static void
what_a_ring_bears_is_asked_of_the_link_that_comes(void **state)
{
	(void)state;
	conf.min_ns = 100 * US; /* 1488 frames of 10 Gb/s, 149 of 1 Gb/s */
	assert_false(moderation_bears(&m, &conf, "port", 0));
	moderation_link(&m, 1000);
	assert_true(moderation_bears(&m, &conf, "port", 0));
}

static void
a_start_forgets_the_link_before_and_keeps_own_settings(void **state)
{
	struct moderation_conf own = conf;

	(void)state;
	own.max_ns = 50 * US;
	moderation_change(&m, &own);
	moderation_link(&m, 100);
	assert_int_equal(moderation_start(&m, &conf, RING, 2500), 0);
	cycle(1);
	assert_int_equal(m.limits.link_mbps, 2500);
	assert_int_equal(m.limits.max_ns, 50 * US);
}

static void
a_change_that_is_being_written_is_taken_an_arm_later(void **state)
{
	(void)state;
	moderation_link(&m, 1000);
	rte_spinlock_lock(&m.lock); /* another thread is at it */
	cycle(1);
	assert_int_equal(m.limits.link_mbps, 10000);
	rte_spinlock_unlock(&m.lock);
	cycle(1);
	assert_int_equal(m.limits.link_mbps, 1000);
}

/* Times of a TSC, and of the generic timer of an Arm core; up to ten years. */
static void
ticks_are_ns_at_any_frequency(void **state)
{
	static const uint64_t hz[] = {25000000,	 62500000,   100000000,
				      999999999, 2100000000, 4700000000};
	static const uint64_t seconds[] = {0, 1, 5, 1000, 315360000};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(hz); i++)
		for (size_t k = 0; k < RTE_DIM(seconds); k++) {
			uint64_t ns = ticks_to_ns(seconds[k] * hz[i], ticks_scale(hz[i]));
			uint64_t right = seconds[k] * UINT64_C(1000000000);

			assert_true(ns <= right && right - ns <= 2 * seconds[k]);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ticks_are_ns_at_any_frequency),
	    cmocka_unit_test_setup(
		a_link_change_holds_from_the_next_arm_on_and_keeps_what_the_engine_learned, setup),
	    cmocka_unit_test_setup(settings_and_link_changed_together_both_hold, setup),
	    cmocka_unit_test_setup(what_a_ring_bears_is_asked_of_the_link_that_comes, setup),
	    cmocka_unit_test_setup(a_start_forgets_the_link_before_and_keeps_own_settings, setup),
	    cmocka_unit_test_setup(a_change_that_is_being_written_is_taken_an_arm_later, setup),
	};
	char *eal[] = {"moderation_test", "--no-huge", "--no-pci", "--no-shconf", "--no-telemetry"};

	if (rte_eal_init(5, eal) < 0) /* it measures the TSC */
		return 1;
	moderation_clock_init();
	return cmocka_run_group_tests_name("moderation", tests, NULL, NULL);
}
