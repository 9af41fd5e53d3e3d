/* SPDX-License-Identifier: BSD-3-Clause */
/* The time that a throttle needs to fit a new rate, on made-up looks at it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "follow.h"

#define MS INT64_C(1000000000)
#define US INT64_C(1000000)
#define FITS (20 * US) /* at 2 Mpps: sqrt(2 * 500 / 2) = 22 us */

static struct scenario s;
static struct follow f;

/* 2 Mpps and 20 kpps, 10 ms each. */
static int
setup(void **state)
{
	(void)state;
	scenario_init(&s);
	s.rate_pps = 2e6;
	s.off_pps = 20000;
	s.on_us = s.off_us = 10000;
	follow_init(&f, &s, 100000);
	return 0;
}

static void
assert_worst(int64_t end_ps, int64_t wanted_ps)
{
	assert_int_equal(follow_end(&f, end_ps), wanted_ps);
}

static void
the_time_since_the_change_counts_not_since_the_first_look(void **state)
{
	(void)state;
	follow_look(&f, FITS, 9 * MS);
	follow_look(&f, FITS, 11 * MS); /* changed at 10 ms, first look at 11 */
	follow_look(&f, 0, 13 * MS);
	assert_worst(14 * MS, 3 * MS);
}

static void
the_throttle_of_the_start_is_no_change(void **state)
{
	(void)state;
	follow_look(&f, 0, 5 * MS);
	assert_worst(9 * MS, 0);
}

static void
a_change_that_is_never_followed_counts_until_the_next_or_the_end(void **state)
{
	(void)state;
	follow_look(&f, FITS, 11 * MS);
	follow_look(&f, FITS, 19 * MS);
	follow_look(&f, FITS, 21 * MS);
	assert_worst(25 * MS, 10 * MS);
	setup(NULL);
	follow_look(&f, FITS, 11 * MS);
	assert_worst(17 * MS, 7 * MS); /* the end */
	setup(NULL);
	assert_worst(17 * MS, 7 * MS); /* nobody ever looked */
}

static void
the_worst_of_all_changes_counts(void **state)
{
	(void)state;
	follow_look(&f, 0, 14 * MS);
	follow_look(&f, FITS, 21 * MS);
	follow_look(&f, 0, 32 * MS);
	assert_worst(33 * MS, 4 * MS);
}

static void
dense_traffic_wants_half_to_twice_of_what_is_best(void **state)
{
	static const struct {
		int64_t us;
		bool fits;
	} cases[] = {{0, false}, {11, false}, {12, true}, {44, true}, {45, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setup(NULL);
		follow_look(&f, 0, 10 * MS);
		follow_look(&f, cases[i].us * US, 20 * MS + 1);
		assert_worst(25 * MS, cases[i].fits ? 1 : 5 * MS);
	}
}

static void
a_limit_is_the_best_where_it_is_shorter(void **state)
{
	(void)state;
	follow_init(&f, &s, 8000);
	follow_look(&f, 0, 10 * MS);
	follow_look(&f, 8 * US, 21 * MS);
	assert_worst(25 * MS, 1 * MS);
}

static void
between_sparse_and_dense_anything_fits(void **state)
{
	(void)state;
	s.off_pps = 100000;
	follow_look(&f, 900 * US, 11 * MS);
	assert_worst(12 * MS, 1 * MS);
}

static void
silence_is_no_change_and_takes_no_time(void **state)
{
	(void)state;
	s.off_pps = 0;
	follow_look(&f, FITS, 5 * MS);
	follow_look(&f, 0, 11 * MS); /* a late wake in the silence */
	follow_look(&f, 0, 25 * MS);
	assert_worst(35 * MS, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(the_time_since_the_change_counts_not_since_the_first_look,
				   setup),
	    cmocka_unit_test_setup(the_throttle_of_the_start_is_no_change, setup),
	    cmocka_unit_test_setup(a_change_that_is_never_followed_counts_until_the_next_or_the_end,
				   setup),
	    cmocka_unit_test_setup(the_worst_of_all_changes_counts, setup),
	    cmocka_unit_test_setup(dense_traffic_wants_half_to_twice_of_what_is_best, setup),
	    cmocka_unit_test_setup(a_limit_is_the_best_where_it_is_shorter, setup),
	    cmocka_unit_test_setup(between_sparse_and_dense_anything_fits, setup),
	    cmocka_unit_test_setup(silence_is_no_change_and_takes_no_time, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
