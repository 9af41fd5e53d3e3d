/* SPDX-License-Identifier: BSD-3-Clause */
/* The moderation engine, in simulated time: limits, each policy's transitions, and properties. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "aim.h"

#define US 1000u

static struct aim_limits
limits_of(uint32_t ring, uint32_t sink)
{
	struct aim_limits l = {.max_ns = 1046528,
			       .link_mbps = 10000,
			       .ring_packets = ring,
			       .sink_packets = sink,
			       .wake_ns = 5000};

	assert_int_equal(aim_limits_settle(&l), 0);
	return l;
}

/* A queue in simulated time: n packets of `bytes` arrive a cycle, polled for poll_ns. */
struct queue {
	const struct aim_policy *policy;
	struct aim_config config;
	struct aim_state state;
	struct aim_limits limits;
	uint64_t now;
	uint64_t irq;	 /* time of the last interrupt */
	double fraction; /* of the next packet */
};

static struct queue
queue_new(const char *policy, uint32_t ring, uint32_t sink)
{
	struct queue q = {
	    .policy = aim_policy_find(policy), .limits = limits_of(ring, sink), .now = 1000000};

	assert_non_null(q.policy);
	aim_reset(&q.state, q.policy);
	return q;
}

static uint32_t
queue_cycle(struct queue *q, uint32_t n, uint32_t burst, uint32_t bytes, uint32_t gap_ns,
	    uint32_t poll_ns)
{
	struct aim_sample s = {.packets = n, .bytes = n * bytes, .burst = burst};

	q->now += gap_ns;
	s.poll_ns = n != 0 ? q->now : 0;
	q->now += poll_ns;
	return aim_step(q->policy, &q->config, &q->state, &s, &q->limits, q->now);
}

/*
 * Packets arrive at a constant rate. An interrupt is asserted when a packet is there and the
 * interval since the last assertion is over; 3 us later the application polls until the ring is
 * empty, 100 ns a packet and 200 ns to arm.
 */
static uint32_t
queue_constant(struct queue *q, double pps, uint32_t bytes, uint32_t cycles)
{
	const double cost_ns = 100, arm_ns = 200, wake_ns = 3000, rate = pps / 1e9;
	uint32_t x = q->state.interval_ns;

	for (uint32_t i = 0; i < cycles; i++) {
		double arrival = (1 - q->fraction) / rate; /* of the next packet, after the arm */
		double timer = (double)q->irq + x - (double)q->now;
		double wait = (timer > arrival ? timer : arrival) + wake_ns;
		double first = q->fraction + wait * rate;
		double poll = first * cost_ns / (1 - cost_ns * rate) + arm_ns;
		double all = first + poll * rate;
		uint32_t n = (uint32_t)all;

		q->fraction = all - n;
		q->irq = q->now + (uint64_t)(wait - wake_ns);
		x = queue_cycle(q, n, (uint32_t)first, bytes, (uint32_t)wait, (uint32_t)poll);
	}
	return x;
}

static void
limits_ring_holds_a_line_rate_flood(void **state)
{
	(void)state;
	for (uint32_t ring = 64; ring <= 4096; ring *= 2) {
		struct aim_limits l = limits_of(ring, 0);
		double flood = (l.cap_ns + l.wake_ns) * 14.880952 /
			       1000; /* 64-byte frames at 10 Gb/s */

		if (l.cap_ns != 0)
			assert_true(flood <= ring - 32);
	}
	assert_int_equal(limits_of(4096, 0).cap_ns,
			 268100); /* (4096 - 32) * 67.2 - 5000, rounded down */
}

static void
limits_out_of_range_are_refused(void **state)
{
	struct aim_limits l = {.max_ns = 0};

	(void)state;
	assert_int_equal(aim_limits_settle(&l), -EINVAL);
	l = (struct aim_limits){.max_ns = AIM_INTERVAL_MAX_NS + 1};
	assert_int_equal(aim_limits_settle(&l), -EINVAL);
	l = (struct aim_limits){.max_ns = 1000, .min_ns = 2000};
	assert_int_equal(aim_limits_settle(&l), -EINVAL);
	l = (struct aim_limits){.max_ns = 1000000, .min_ns = 500000, .ring_packets = 128};
	assert_int_equal(aim_limits_settle(&l), -ERANGE);
	assert_int_equal(l.cap_ns, 500000);
}

static void
off_is_always_zero(void **state)
{
	struct queue q = queue_new("off", 1024, 0);

	(void)state;
	assert_int_equal(queue_constant(&q, 5e6, 64, 1000), 0);
	assert_false(aim_policy_adapts(q.policy));
}

static void
fixed_is_what_it_is_told(void **state)
{
	struct queue q = queue_new("fixed", 128, 0);

	(void)state;
	q.config.fixed_ns = 500 * US;
	assert_int_equal(queue_constant(&q, 5e6, 64, 10),
			 500 * US); /* also beyond the ring's bound */
}

static void
ixgbe_moves_to_bulk_and_sticks_short_of_336(void **state)
{
	struct queue q = queue_new("ixgbe", 4096, 0);
	uint32_t x = 0;

	(void)state;
	/* 30 bytes/us over 50 us and more: bulk; 326 of 336 quarter-microseconds are 40 * 2.048 us
	 */
	for (int i = 0; i < 100; i++)
		x = queue_cycle(&q, 10, 10, 1500, 50 * US, 1 * US);
	assert_int_equal(q.state.u.ixgbe.itr, 326);
	assert_int_equal(x, 40 * 2048);
}

static void
ixgbe_moves_to_lowest_latency_for_small_loads(void **state)
{
	struct queue q = queue_new("ixgbe", 4096, 0);
	uint32_t x = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		x = queue_cycle(&q, 1, 1, 64, 50 * US, 1 * US);
	assert_int_equal(q.state.u.ixgbe.itr, 40);
	assert_int_equal(x, 5 * 2048);
}

static void
ixgbe_keeps_its_class_when_nothing_came(void **state)
{
	struct queue q = queue_new("ixgbe", 4096, 0);
	uint32_t x;

	(void)state;
	x = queue_cycle(&q, 5, 5, 1000, 50 * US, 1 * US);
	assert_int_equal(queue_cycle(&q, 0, 0, 0, 10000 * US, 0), x);
}

static void
aim_leaves_sparse_traffic_alone(void **state)
{
	struct queue q = queue_new("aim", 1024, 0);

	(void)state;
	for (double pps = 1; pps <= 20000; pps *= 4)
		assert_int_equal(queue_constant(&q, pps, 64, 2000), 0);
}

static void
aim_throttles_dense_traffic_near_the_optimum(void **state)
{
	static const double rates[] = {500e3, 813e3, 2e6, 4e6};

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct queue q = queue_new("aim", 4096, 0);
		uint32_t x = queue_constant(&q, rates[i], 64, 5000);

		/* sqrt(2K/l) = 1000 * sqrt(1000/l) us; a rung is at most 40 % below the next */
		assert_true((double)x * x * rates[i] <= 1e15 * 1.3);
		assert_true((double)x * x * rates[i] >= 1e15 * 0.3);
	}
}

static void
aim_settles_and_stops_writing(void **state)
{
	struct queue q = queue_new("aim", 4096, 0);
	uint32_t x = queue_constant(&q, 1e6, 64, 20000);

	(void)state;
	for (int i = 0; i < 5000; i++)
		assert_int_equal(queue_constant(&q, 1e6, 64, 1), x);
}

static void
aim_answers_a_lone_peer_at_once(void **state)
{
	struct queue q = queue_new("aim", 1024, 0);
	uint32_t x = queue_constant(&q, 2e6, 64, 5000);

	(void)state;
	assert_true(x > 0);
	/* now one request at a time, held by our own timer */
	for (int i = 0; i < 40; i++)
		x = queue_cycle(&q, 1, 1, 64, x + 1000, 300);
	assert_int_equal(x, 0);
}

static void
aim_follows_a_drop_of_the_rate_within_2_ms_of_traffic(void **state)
{
	struct queue q = queue_new("aim", 1024, 0);
	uint64_t from;

	(void)state;
	assert_true(queue_constant(&q, 2e6, 64, 5000) > 0);
	from = q.now;
	while (q.state.interval_ns != 0)
		queue_constant(&q, 20e3, 64, 1);
	assert_true(q.now - from <= 2000 * US);
}

static void
aim_never_exceeds_the_ring(void **state)
{
	struct queue q = queue_new("aim", 256, 0);

	(void)state;
	for (int i = 0; i < 3000; i++)
		assert_true(queue_constant(&q, 100e3 * (1 + i % 40), 64, 1) <= q.limits.cap_ns);
}

static void
aim_respects_a_declared_sink(void **state)
{
	struct queue q = queue_new("aim", 4096, 71);
	uint32_t x = queue_constant(&q, 812744, 1514, 5000);

	(void)state;
	assert_true(x > 0);
	assert_true(x * 812744e-9 <= 71);
}

static void
aim_undoes_a_step_that_costs_packets(void **state)
{
	struct queue q = queue_new("aim", 4096, 0);
	uint32_t x = 0;
	uint64_t steps_up = 0;

	(void)state;
	/* a peer with 32 packets in flight: each interval delays the whole window */
	for (int i = 0; i < 20000; i++) {
		uint32_t before = x;

		x = queue_cycle(&q, 32, 16, 64, x + 20 * US, 8 * US);
		steps_up += x > before;
	}
	assert_true(steps_up < 40);
	assert_true(x <= 6144);
}

/* Whatever a queue reports, the result lies within the limits and every policy moves on. */
static void
any_sample_gives_an_interval_within_limits(void **state)
{
	const struct aim_policy *policy;

	(void)state;
	srand(1);
	for (size_t p = 0; (policy = aim_policy_at(p)) != NULL; p++) {
		struct aim_config config = {.fixed_ns = 50 * US};
		struct aim_state s;
		uint64_t now = 1;

		aim_reset(&s, policy);
		for (int i = 0; i < 200000; i++) {
			struct aim_limits l = {.max_ns = 1 + (uint32_t)rand() % AIM_INTERVAL_MAX_NS,
					       .ring_packets = (uint32_t)rand() % 5000,
					       .link_mbps = (uint32_t)rand() % 5 * 2500,
					       .sink_packets = (uint32_t)rand() % 100};
			struct aim_sample sample = {.packets = (uint32_t)rand() >> rand() % 31,
						    .bytes = (uint32_t)rand() >> rand() % 31,
						    .burst = (uint32_t)rand() >> rand() % 31,
						    .poll_ns = now +
							       (uint64_t)(rand() >> rand() % 31)};
			uint32_t x;

			l.min_ns = rand() % 4 == 0 ? l.max_ns / 2 : 0;
			(void)aim_limits_settle(&l);
			now += (uint64_t)rand() >> rand() % 31;
			x = aim_step(policy, &config, &s, &sample, &l, now);
			assert_true(x >= l.min_ns && x <= l.max_ns);
			if (aim_policy_adapts(policy))
				assert_true(x <= l.cap_ns);
		}
	}
}

static void
policies_are_found_by_name(void **state)
{
	const struct aim_policy *p;

	(void)state;
	for (size_t i = 0; (p = aim_policy_at(i)) != NULL; i++)
		assert_ptr_equal(aim_policy_find(aim_policy_name(p)), p);
	assert_null(aim_policy_find("nonesuch"));
	assert_string_equal(aim_policy_name(aim_policy_at(0)), "aim");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(limits_ring_holds_a_line_rate_flood),
	    cmocka_unit_test(limits_out_of_range_are_refused),
	    cmocka_unit_test(off_is_always_zero),
	    cmocka_unit_test(fixed_is_what_it_is_told),
	    cmocka_unit_test(ixgbe_moves_to_bulk_and_sticks_short_of_336),
	    cmocka_unit_test(ixgbe_moves_to_lowest_latency_for_small_loads),
	    cmocka_unit_test(ixgbe_keeps_its_class_when_nothing_came),
	    cmocka_unit_test(aim_leaves_sparse_traffic_alone),
	    cmocka_unit_test(aim_throttles_dense_traffic_near_the_optimum),
	    cmocka_unit_test(aim_settles_and_stops_writing),
	    cmocka_unit_test(aim_answers_a_lone_peer_at_once),
	    cmocka_unit_test(aim_follows_a_drop_of_the_rate_within_2_ms_of_traffic),
	    cmocka_unit_test(aim_never_exceeds_the_ring),
	    cmocka_unit_test(aim_respects_a_declared_sink),
	    cmocka_unit_test(aim_undoes_a_step_that_costs_packets),
	    cmocka_unit_test(any_sample_gives_an_interval_within_limits),
	    cmocka_unit_test(policies_are_found_by_name),
	};

	return cmocka_run_group_tests_name("aim", tests, NULL, NULL);
}
