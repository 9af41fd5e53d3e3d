/* SPDX-License-Identifier: BSD-3-Clause */
/* The real clock of a NIC, and that it can run slower. */
#include "nic_bench.h"

#include <stdatomic.h>
#include <time.h>

#define MS UINT64_C(1000000)

static uint64_t
real_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void
note(void *arg)
{
	atomic_store((_Atomic uint64_t *)arg, real_ns());
}

/* Real time when a timer came that was due `ns` of the clock from now. */
static uint64_t
come(struct nic_clock *clock, uint64_t ns, uint32_t slow_meanwhile)
{
	_Atomic uint64_t at = 0;
	struct nic_timer timer;

	nic_timer_init(&timer, clock, note, &at);
	nic_timer_arm(&timer, nic_clock_now(clock) + ns);
	if (slow_meanwhile != 0)
		assert_true(nic_clock_slow(clock, slow_meanwhile));
	while (atomic_load(&at) == 0)
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	nic_timer_cancel_sync(&timer);
	return atomic_load(&at);
}

static void
timers_of_a_slow_clock_come_later(void **state)
{
	struct nic_clock *clock = nic_clock_create(false);
	uint64_t start;

	(void)state;
	assert_true(nic_clock_slow(clock, 20));
	start = real_ns();
	assert_true(come(clock, 2 * MS, 0) - start >= 40 * MS);
	/* one that waits already, too: not all of a second */
	assert_true(nic_clock_slow(clock, 1000));
	start = real_ns();
	assert_true(come(clock, 1 * MS, 1) - start < 900 * MS);
	start = real_ns();
	assert_true(come(clock, 2 * MS, 20) - start >= 30 * MS);
	nic_clock_destroy(clock);
}

static void
time_goes_on_from_where_it_was(void **state)
{
	struct nic_clock *clock = nic_clock_create(false);
	uint64_t before = nic_clock_now(clock), now, start = real_ns();
	static const uint32_t times[] = {1000, 3, 1, 500};
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		assert_true(nic_clock_slow(clock, times[i]));
		now = nic_clock_now(clock);
		assert_true(now >= before);
		assert_true(now - before <= real_ns() - start);
		before = now;
	}
	start = real_ns();
	nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	now = nic_clock_now(clock);
	assert_in_range((now - before) * 500, 19 * MS, real_ns() - start + 2 * MS);
	nic_clock_destroy(clock);
}

static void
impossible_pace_is_refused(void **state)
{
	struct nic_clock *clock = nic_clock_create(false);

	(void)state;
	assert_false(nic_clock_slow(clock, 0));
	assert_false(nic_clock_slow(clock, NIC_CLOCK_SLOW_MAX + 1));
	nic_clock_destroy(clock);
	clock = nic_clock_create(true);
	assert_false(nic_clock_slow(clock, 2));
	nic_clock_destroy(clock);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(timers_of_a_slow_clock_come_later),
	    cmocka_unit_test(time_goes_on_from_where_it_was),
	    cmocka_unit_test(impossible_pace_is_refused),
	};

	return cmocka_run_group_tests_name("nic_clock", tests, NULL, NULL);
}
