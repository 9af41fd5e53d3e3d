/* SPDX-License-Identifier: BSD-3-Clause */
/* The policies around Linux's dynamic interrupt moderation, step by step of their walk. */
#include "policy_queue.h"

enum { ON_TOP, TIRED, RIGHT, LEFT };

/* One measurement: 64 interrupts over `us`, which bring `packets` and `bytes` each. */
static uint32_t
measure(struct queue *q, uint32_t us, uint32_t packets, uint32_t bytes)
{
	uint32_t x = 0;

	if (!q->state.u.dim.measuring)
		arm(q, packets, bytes); /* begins it */
	for (int i = 0; i < 64; i++)
		x = arm_both(q, packets, bytes, 0, 0, us * US / 64);
	return x;
}

/* A constant flow of a packet a microsecond, polled for 2 us after each interrupt. */
static void
steady_flow(struct queue *q, uint32_t interval_ns)
{
	measure(q, 64 * (interval_ns / US + 2), interval_ns / US + 2,
		(interval_ns / US + 2) * 1500);
}

static void
dim_walks_down_a_step_then_up_to_the_end_and_parks(void **state)
{
	static const uint8_t walk[] = {0, 1, 2, 3, 4, 4, 4, 4};
	static const uint32_t us[] = {1, 8, 64, 128, 256};
	struct queue q = queue_new("dim", 10000);

	(void)state;
	assert_int_equal(arm(&q, 0, 0), 8 * US);
	for (size_t i = 0; i < sizeof(walk); i++) {
		steady_flow(&q, q.state.interval_ns);
		assert_int_equal(q.state.u.dim.ix, walk[i]);
		assert_int_equal(q.state.interval_ns, us[walk[i]] * US);
		assert_int_equal(aim_threshold(&q.state), 256);
	}
	assert_int_equal(q.state.u.dim.tune, ON_TOP);
	assert_int_equal(q.state.u.dim.tired, 0);
	for (int i = 0; i < 100; i++)
		steady_flow(&q, q.state.interval_ns);
	assert_int_equal(q.state.u.dim.ix, 4);
}

static void
dim_parks_where_it_turned_back_to(void **state)
{
	struct queue q = queue_new("dim", 10000);

	(void)state;
	q.state.u.dim.ix = 0;
	measure(&q, 6400, 10, 10000); /* leaves: right, 1 */
	measure(&q, 6400, 12, 12000); /* better: 2 */
	assert_int_equal(q.state.u.dim.ix, 2);
	measure(&q, 6400, 8, 8000); /* worse: back to 1 */
	assert_int_equal(q.state.u.dim.ix, 1);
	assert_int_equal(q.state.u.dim.tune, LEFT);
	measure(&q, 6400, 10, 10000); /* better, but not the top when one goes on: it is here */
	assert_int_equal(q.state.u.dim.ix, 1);
	assert_int_equal(q.state.u.dim.tune, ON_TOP);
	measure(&q, 6400, 10, 10900); /* 9 % are no difference, and not remembered */
	measure(&q, 6400, 10, 10900);
	assert_int_equal(q.state.u.dim.tune, ON_TOP);
	measure(&q, 6400, 10, 11100); /* 11 % are */
	assert_int_equal(q.state.u.dim.tune, LEFT);
	assert_int_equal(q.state.u.dim.ix, 0);
}

static void
dim_compares_bytes_then_packets_then_interrupts(void **state)
{
	static const struct {
		uint32_t us, packets, bytes;
		bool better;
	} next[] = {
	    {6400, 10, 11100, true},  {6400, 5, 11100, true},  {6400, 20, 8900, false},
	    {6400, 20, 10000, true},  {6400, 5, 10000, false}, {6400, 10, 10000, false},
	    {12800, 20, 20000, true}, {3200, 5, 5000, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(next) / sizeof(next[0]); i++) {
		struct queue q = queue_new("dim", 10000);

		q.state.u.dim.ix = 2;
		measure(&q, 6400, 10, 10000); /* leaves: left */
		assert_int_equal(q.state.u.dim.tune, LEFT);
		measure(&q, next[i].us, next[i].packets, next[i].bytes);
		assert_int_equal(q.state.u.dim.tune, next[i].better ? LEFT : RIGHT);
	}
}

static void
dim_rests_when_it_is_tired(void **state)
{
	struct queue q = queue_new("dim", 10000);
	uint32_t bytes = 1000000;

	(void)state;
	for (int i = 0; i < 10; i++, bytes = bytes / 5 * 4) { /* worse each time: 0, 1, 0, 1, ... */
		measure(&q, 6400, 100, bytes);
		assert_int_equal(q.state.u.dim.ix, i % 2);
		assert_int_equal(q.state.u.dim.tired, i + 1);
	}
	measure(&q, 6400, 100, bytes);
	assert_int_equal(q.state.u.dim.tune, TIRED);
	assert_int_equal(q.state.u.dim.ix, 1);
	for (int i = 0; i < 9; i++) {
		measure(&q, 6400, 100, bytes);
		assert_int_equal(q.state.u.dim.tune, TIRED);
	}
	measure(&q, 6400, 100, bytes);
	assert_int_equal(q.state.u.dim.tune, LEFT);
	assert_int_equal(q.state.u.dim.ix, 0);
}

static void
dim_bears_the_largest_samples(void **state)
{
	struct queue q = queue_new("dim", 10000);

	(void)state;
	for (int i = 0; i < 1000; i++) {
		arm_both(&q, AIM_PACKETS_MAX, UINT32_MAX, AIM_PACKETS_MAX, UINT32_MAX, i % 64 / 63);
		assert_true(q.state.u.dim.ix < AIM_PROFILES);
	}
}

static void
dim_cqe_names_thresholds(void **state)
{
	static const uint32_t us[] = {2, 8, 16, 32, 64}, packets[] = {256, 128, 64, 64, 64};
	struct queue q = queue_new("dim-cqe", 10000);

	(void)state;
	arm(&q, 0, 0);
	for (int i = 0; i < 8; i++) {
		steady_flow(&q, q.state.interval_ns);
		assert_int_equal(q.state.interval_ns, us[q.state.u.dim.ix] * US);
		assert_int_equal(aim_threshold(&q.state), packets[q.state.u.dim.ix]);
	}
	assert_int_equal(q.state.u.dim.ix, 4);
}

static void
dim_ice_forgets_a_measurement_of_a_second(void **state)
{
	struct queue q = queue_new("dim-ice", 10000);

	(void)state;
	assert_int_equal(arm(&q, 1, 60), 8 * US);
	for (int i = 0; i < 63; i++)
		arm(&q, 1, 60);
	arm_both(&q, 1, 60, 0, 0, 1000 * MS); /* the 64th, but too late */
	assert_int_equal(q.state.u.dim.tune, ON_TOP);
	assert_int_equal(q.state.u.dim.events, 0);
	steady_flow(&q, 8 * US);
	assert_int_equal(q.state.interval_ns, 4 * US); /* 2 us, which the limiter raises */
	assert_int_equal(q.state.u.dim.ix, 0);
	assert_int_equal(aim_threshold(&q.state), 0);
	for (int i = 0; i < 8; i++)
		steady_flow(&q, q.state.interval_ns);
	assert_int_equal(q.state.interval_ns, 126 * US);
}

static void
dim_profile_takes_the_users_intervals(void **state)
{
	const struct aim_config config = {.profile_ns = {0, 5000, 10000, 20000, 77000}};
	struct queue q = queue_new("dim-profile", 10000);

	(void)state;
	q.config = config;
	assert_int_equal(arm(&q, 0, 0), 5000);
	for (int i = 0; i < 8; i++) {
		steady_flow(&q, q.state.interval_ns);
		assert_int_equal(q.state.interval_ns, config.profile_ns[q.state.u.dim.ix]);
	}
	assert_int_equal(q.state.interval_ns, 77000);
}

static void
enetc_begins_with_a_cycle_and_writes_an_arm_later(void **state)
{
	struct queue q = queue_new("enetc", 1000);

	(void)state;
	/* a cycle is 2.5 ns; interrupts without a packet count, but are not looked at */
	for (int i = 0; i < 100; i++)
		assert_int_equal(arm(&q, 0, 0), 3);
	assert_int_equal(measure(&q, 6400, 10, 15000), 3);
	assert_int_equal(q.state.u.dim.ix, 1);
	assert_int_equal(arm(&q, 10, 15000), 8 * US);
	for (int i = 0; i < 62; i++)
		arm(&q, 10, 15000);
	for (int i = 0; i < 30; i++)
		arm(&q, 0, 0);
	assert_int_equal(q.state.u.dim.ix, 1);
	arm(&q, 10, 15000);
	assert_int_not_equal(q.state.u.dim.ix, 1);
}

static void
enetc_names_half_the_ring_as_threshold(void **state)
{
	static const struct {
		uint32_t ring, threshold;
	} rings[] = {{0, 256}, {128, 64}, {512, 256}, {2048, 256}};

	(void)state;
	for (size_t i = 0; i < sizeof(rings) / sizeof(rings[0]); i++) {
		struct queue q = queue_new("enetc", 1000);

		q.limits.ring_packets = rings[i].ring;
		arm(&q, 1, 60);
		assert_int_equal(aim_threshold(&q.state), rings[i].threshold);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(dim_walks_down_a_step_then_up_to_the_end_and_parks),
	    cmocka_unit_test(dim_parks_where_it_turned_back_to),
	    cmocka_unit_test(dim_compares_bytes_then_packets_then_interrupts),
	    cmocka_unit_test(dim_rests_when_it_is_tired),
	    cmocka_unit_test(dim_bears_the_largest_samples),
	    cmocka_unit_test(dim_cqe_names_thresholds),
	    cmocka_unit_test(dim_ice_forgets_a_measurement_of_a_second),
	    cmocka_unit_test(dim_profile_takes_the_users_intervals),
	    cmocka_unit_test(enetc_begins_with_a_cycle_and_writes_an_arm_later),
	    cmocka_unit_test(enetc_names_half_the_ring_as_threshold),
	};

	return cmocka_run_group_tests_name("policies_dim", tests, NULL, NULL);
}
