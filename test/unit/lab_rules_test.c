/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of the matrix on made-up figures: each holds at its bound, and fails beyond it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "rules.h"

static struct scenario s;
static struct result aim, off, grid[RULE_GRID_N];
static struct rule_case c;
static struct rule_verdict v;

/* Figures of a good run: aim as off, the fixed settings at the optimum. */
static int
setup(void **state)
{
	(void)state;
	scenario_init(&s);
	off = (struct result){
	    .pps = 100000, .irqs = 50000, .cost = 5, .p50_us = 3, .p99_us = 40, .lost_ring = 7};
	aim = off;
	aim.cost = 1;
	c = (struct rule_case){.s = &s, .aim = &aim, .off = &off};
	for (size_t i = 0; i < RULE_GRID_N; i++) {
		grid[i] = (struct result){.irqs = 20000 + 1000.0 * i, .cost = 0.9, .p99_us = 40};
		c.grid[i] = &grid[i];
	}
	aim.irqs = 20000;
	return 0;
}

static bool
holds(const char *name)
{
	int rule = rule_find(name);

	assert_true(rule >= 0);
	rule_check(&rules[rule], &c, &v);
	assert_true(v.holds == (v.what[0] == '\0'));
	assert_true(v.holds == (v.excess <= 1));
	return v.holds;
}

/* It holds with the figure at `good`, and fails with `bad` and with no figure at all. */
static void
bound(const char *name, double *figure, double good, double bad)
{
	*figure = good;
	if (!holds(name))
		fail_msg("%s: %s", name, v.what);
	*figure = bad;
	assert_false(holds(name));
	*figure = NAN;
	assert_false(holds(name));
	*figure = good;
}

static void
loop_wants_the_rate_of_off_and_few_writes(void **state)
{
	(void)state;
	bound("loop", &aim.pps, 99000, 98990);
	assert_non_null(strstr((aim.pps = 90000, holds("loop"), v.what), "90.00 %"));
	aim.pps = 120000;
	bound("loop", &aim.writes, 100, 100.1);
	aim.pps = 0;
	assert_false(holds("loop"));
	off.pps = 0; /* nothing ran: nothing is shown */
	assert_false(holds("loop"));
}

static void
loop_is_held_to_the_slowest_of_off_where_that_is_not_settled_itself(void **state)
{
	struct result seeds[RULE_SEEDS];

	(void)state;
	for (size_t i = 0; i < RULE_SEEDS; i++) {
		seeds[i] = off;
		c.seeds[i] = &seeds[i];
	}
	seeds[3].pps = 99500; /* off is settled: its own rate is the measure */
	bound("loop", &aim.pps, 99000, 98990);
	assert_false(v.by_seed);
	seeds[3].pps = 80000;
	seeds[4].pps = 120000;
	bound("loop", &aim.pps, 80000 * 0.99, 80000 * 0.9899);
	assert_true(v.by_seed);
	bound("loop", &aim.writes, 100, 101);
}

static void
loop_is_held_to_the_runs_with_late_wakes_when_they_are_given(void **state)
{
	struct result late_aim = aim, late_off = off;

	(void)state;
	c.late_aim = &late_aim;
	c.late_off = &late_off;
	aim.pps = 50000; /* where the first disturbance left it */
	late_off.pps = 80000;
	bound("loop", &late_aim.pps, 80000 * 0.99, 80000 * 0.9899);
	assert_true(v.by_late);
	late_aim.pps = 80000;
	bound("loop", &late_aim.writes, 100, 101);
	bound("loop", &aim.writes, 100, 101);
}

static void
dense_is_held_to_the_optimum(void **state)
{
	(void)state;
	bound("dense", &aim.cost, 1.15, 1.151);
	assert_false(v.by_fixed);
	aim.cost = 0; /* no packet came */
	assert_false(holds("dense"));
}

static void
dense_is_held_to_the_best_fixed_setting_where_that_misses_the_optimum(void **state)
{
	(void)state;
	for (size_t i = 0; i < RULE_GRID_N; i++)
		grid[i].cost = 2 + (double)i;
	bound("dense", &aim.cost, 2 * 1.15, 2 * 1.151);
	assert_true(v.by_fixed);
	grid[0].lost_ring = 8; /* a setting that loses more is no measure */
	aim.cost = 3 * 1.15;
	assert_true(holds("dense"));
}

static void
dense_wants_few_interrupts_for_its_latency(void **state)
{
	(void)state;
	bound("dense", &aim.irqs, 30000, 30001);
	grid[0].p99_us = 40.1; /* the next best has no worse p99 */
	bound("dense", &aim.irqs, 31500, 31501);
	for (size_t i = 0; i < RULE_GRID_N; i++)
		grid[i].p99_us = 41; /* aim's latency is beyond all: nothing to compare with */
	aim.irqs = 1e6;
	assert_true(holds("dense"));
}

static void
sparse_wants_the_latency_of_off(void **state)
{
	(void)state;
	bound("sparse", &aim.p50_us, 3, 3.01);
	bound("sparse", &aim.p99_us, 40, 40.2);
	aim.p50_us = aim.p99_us = 0; /* no packet came */
	assert_false(holds("sparse"));
}

static void
follow_wants_two_milliseconds(void **state)
{
	(void)state;
	bound("follow", &aim.follow_ms, 2, 2.001);
}

static void
no_rule_but_loop_and_range_takes_more_loss_than_off_has(void **state)
{
	static const char *const names[] = {"dense", "sparse", "follow", "loss", "safe", "worth"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bound(names[i], &aim.lost_ring, 7, 8);
		bound(names[i], &aim.lost_sink, 0, 1);
	}
}

static void
safe_wants_few_writes_and_no_more_interrupts_than_off(void **state)
{
	(void)state;
	bound("safe", &aim.writes, 100, 101);
	bound("safe", &aim.irqs, 50000, 50100);
}

static void
worth_wants_no_more_cost_and_interrupts_than_off(void **state)
{
	(void)state;
	bound("worth", &aim.cost, 5, 5.01);
	bound("worth", &aim.irqs, 50000, 50100);
}

static void
range_knows_ring_and_sink(void **state)
{
	(void)state;
	s.ring = 1024; /* so many of the smallest frames take 68.8 us */
	bound("range", &aim.interval_max_us, 68, 69);
	bound("range", &aim.interval_min_us, 0, -1);
	s.sink_packets = 71;
	s.ring = 4096;
	s.frame = 1514; /* 71 of them take 87.3 us on the wire */
	bound("range", &aim.interval_max_us, 86, 88);
}

static void
every_rule_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int i = 0; rules[i].name != NULL; i++) {
		assert_int_equal(rule_find(rules[i].name), i);
		assert_true(i < RULES_MAX);
		assert_non_null(rules[i].about);
	}
	assert_int_equal(rule_find("none"), -1);
}

static void
several_misses_are_all_named(void **state)
{
	(void)state;
	aim.pps = 1;
	aim.writes = 1e9;
	assert_false(holds("loop"));
	assert_non_null(strstr(v.what, "rate"));
	assert_non_null(strstr(v.what, ", 1000000000 writes/s"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(loop_wants_the_rate_of_off_and_few_writes, setup),
	    cmocka_unit_test_setup(
		loop_is_held_to_the_slowest_of_off_where_that_is_not_settled_itself, setup),
	    cmocka_unit_test_setup(loop_is_held_to_the_runs_with_late_wakes_when_they_are_given,
				   setup),
	    cmocka_unit_test_setup(dense_is_held_to_the_optimum, setup),
	    cmocka_unit_test_setup(
		dense_is_held_to_the_best_fixed_setting_where_that_misses_the_optimum, setup),
	    cmocka_unit_test_setup(dense_wants_few_interrupts_for_its_latency, setup),
	    cmocka_unit_test_setup(sparse_wants_the_latency_of_off, setup),
	    cmocka_unit_test_setup(follow_wants_two_milliseconds, setup),
	    cmocka_unit_test_setup(no_rule_but_loop_and_range_takes_more_loss_than_off_has, setup),
	    cmocka_unit_test_setup(safe_wants_few_writes_and_no_more_interrupts_than_off, setup),
	    cmocka_unit_test_setup(worth_wants_no_more_cost_and_interrupts_than_off, setup),
	    cmocka_unit_test_setup(range_knows_ring_and_sink, setup),
	    cmocka_unit_test_setup(every_rule_has_a_name_of_its_own, setup),
	    cmocka_unit_test_setup(several_misses_are_all_named, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
