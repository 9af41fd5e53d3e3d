/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The moderation engine, in simulated time: limits, policy aim, and what holds for every policy.
 * The other policies' transitions: policies_test.c.
 */
#include <math.h>
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
aim_leaves_sparse_traffic_alone(void **state)
{
	struct queue q = queue_new("aim", 1024, 0);

	(void)state;
	for (double pps = 1; pps <= 20000; pps *= 4)
		assert_int_equal(queue_constant(&q, pps, 64, 2000), 0);
}

/* Share of the next arms, in per cent, at which the interval lies within [low, high] ns. */
static uint32_t
queue_share(struct queue *q, double pps, uint32_t bytes, uint32_t arms, double low, double high)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < arms; i++) {
		uint32_t x = queue_constant(q, pps, bytes, 1);

		n += x >= low && x <= high;
	}
	return n * 100 / arms;
}

static void
aim_throttles_dense_traffic_near_the_optimum(void **state)
{
	static const double rates[] = {500e3, 813e3, 2e6, 4e6};

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct queue q = queue_new("aim", 4096, 0);
		double best = sqrt(1e15 / rates[i]); /* sqrt(2K/l), ns */

		queue_constant(&q, rates[i], 64, 20000);
		/* a band is at most 1.45 times the next; rests take the arms that are missing */
		assert_true(queue_share(&q, rates[i], 64, 20000, best / 1.45, best * 1.45) >= 75);
	}
}

static void
aim_settles_and_seldom_writes(void **state)
{
	struct queue q = queue_new("aim", 4096, 0);
	uint32_t x = queue_constant(&q, 1e6, 64, 60000), writes = 0;
	uint64_t from = q.now;

	(void)state;
	while (q.now - from < 1000 * 1000 * US) {
		uint32_t now = queue_constant(&q, 1e6, 64, 1);

		writes += now != x;
		x = now;
	}
	assert_true(writes <= 100); /* a second */
}

static void
aim_rests_when_an_interval_saves_nothing(void **state)
{
	struct queue q = queue_new("aim", 4096, 0);
	uint32_t throttled = 0;

	(void)state;
	/* 20 packets every 40 us, in one bunch whatever we do: 25,000 wakes/s are not too many */
	for (int i = 0; i < 20000; i++)
		throttled += queue_cycle(&q, 20, 20, 64, 38 * US, 2 * US) != 0;
	assert_int_equal(throttled, 0);
}

static void
aim_ends_a_throttle_when_the_sources_sleep(void **state)
{
	struct queue q = queue_new("aim", 1024, 0);

	(void)state;
	for (int i = 0; i < 20000 && q.state.interval_ns == 0; i++)
		queue_constant(&q, 2e6, 64, 1);
	assert_true(q.state.interval_ns > 0);
	queue_cycle(&q, 1, 1, 64, 1000 * US, 1 * US);
	queue_cycle(&q, 1, 1, 64, 1000 * US, 1 * US);
	assert_int_equal(q.state.interval_ns, 0);
}

static void
aim_answers_a_lone_peer_at_once(void **state)
{
	struct queue q = queue_new("aim", 1024, 0);
	uint32_t x = 0;

	(void)state;
	for (int i = 0; i < 20000 && x == 0; i++)
		x = queue_constant(&q, 2e6, 64, 1);
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
	for (int i = 0; i < 20000 && q.state.interval_ns == 0; i++)
		queue_constant(&q, 2e6, 64, 1);
	assert_true(q.state.interval_ns > 0);
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
	struct queue q = queue_new("aim", 4096, 30);

	(void)state;
	queue_constant(&q, 812744, 1514, 5000);
	/* 30 packets of 1514 bytes take 36.9 us: the band's interval would do, 45 us would not */
	assert_int_equal(queue_share(&q, 812744, 1514, 20000, 0, 30 / 812744e-9), 100);
	assert_true(queue_share(&q, 812744, 1514, 20000, 1, 30 / 812744e-9) >= 75);
	q = queue_new("aim", 4096, 15);
	assert_int_equal(queue_share(&q, 812744, 1514, 40000, 0, 15 / 812744e-9), 100);
}

static void
aim_takes_a_lasting_fall_of_the_rate_for_the_load(void **state)
{
	struct queue q = queue_new("aim", 4096, 0);

	(void)state;
	/* to less than a third, so that the windows look like sleep; there must be rests again */
	queue_constant(&q, 3e6, 64, 20000);
	assert_true(queue_share(&q, 800e3, 64, 20000, 0, 0) >= 1);
	assert_true(queue_share(&q, 800e3, 64, 40000, 1, UINT32_MAX) >= 75);
}

static void
aim_knocks_and_finds_the_tight_loop(void **state)
{
	struct queue q = queue_new("aim", 4096, 0);
	uint32_t x = 0, knocks = 0, row = 0, longest = 0;

	(void)state;
	/* A peer with 8 packets in flight that come back 6 us after we answered: each interval
	 * delays the whole window. A second of it. */
	for (uint64_t from = q.now; q.now - from < 1000 * 1000 * US;) {
		x = queue_cycle(&q, 8, 8, 64, (x > 6 * US ? x : 6 * US), 1 * US);
		row = x > 0 ? row + 1 : 0;
		knocks += row == 1;
		longest = row > longest ? row : longest;
	}
	assert_int_equal(longest, 1);	       /* single interrupts were enough to know */
	assert_in_range(knocks, 5, 3 * 5 + 5); /* five, and again after 0.26 s and 0.51 s */
}

/* A second of a source that sends 1/slower as fast while it is throttled, but takes 100 us to
 * notice: no knock shows that. */
static void
trial_costs(uint32_t slower)
{
	struct queue q = queue_new("aim", 4096, 0);
	uint64_t end = q.now + 1000 * 1000 * US, throttled_ns = 0, slow = 0;
	uint32_t x = 0;

	while (q.now < end) {
		uint32_t wait = x > 6 * US ? x : 6 * US, n;

		slow = x > 0 ? slow + wait : 0;
		n = wait / US * 10 / 8 / (slow > 100 * US ? slower : 1);
		throttled_ns += x > 0 ? wait : 0;
		x = queue_cycle(&q, n > 0 ? n : 1, 8, 64, wait, 1 * US);
	}
	assert_true(throttled_ns > 200 * US);	    /* it was tried */
	assert_true(throttled_ns < 1000 * US * 20); /* and not for long: 2 % of the first second */
}

static void
aim_ends_a_trial_that_costs_half_of_the_packets(void **state)
{
	(void)state;
	trial_costs(2);
}

static void
aim_ends_a_trial_that_costs_most_of_the_packets(void **state)
{
	(void)state;
	trial_costs(4);
	trial_costs(8);
}

static void
aim_throttles_a_dense_load_that_varies(void **state)
{
	static const uint32_t periods_ms[] = {20, 100, 400, 2000};

	(void)state;
	for (size_t i = 0; i < sizeof(periods_ms) / sizeof(periods_ms[0]); i++) {
		struct queue q = queue_new("aim", 4096, 0);
		uint64_t half = periods_ms[i] * UINT64_C(500000), from = q.now, throttled_ns = 0;
		const uint64_t second = UINT64_C(1000000000);

		while (q.now < from + 6 * second) {
			uint64_t before = q.now;
			bool high = (q.now - from) / half % 2 == 0;
			uint32_t x = q.state.interval_ns;

			queue_constant(&q, high ? 600e3 : 400e3, 64, 1);
			if (before >= from + 2 * second && x > 0)
				throttled_ns += q.now - before;
		}
		/* the level changes by a third, and it is not the interval that does it */
		assert_true(throttled_ns >= 4 * second / 10 * 9);
	}
}

static void
aim_leaves_sparse_bursts_alone_after_a_dense_load(void **state)
{
	struct queue q = queue_new("aim", 1024, 0);
	uint32_t x = queue_constant(&q, 1e6, 64, 20000), throttled = 0, changes = 0;

	(void)state;
	/* 18 packets within 18 us, every millisecond: 18,000 packets/s */
	for (int i = 0; i < 2000; i++) {
		uint32_t was = x, left = 17;

		x = queue_cycle(&q, 1, 1, 64, 970 * US, 1 * US);
		while (left > 0) {
			uint32_t wait = x > 4 * US ? x : 4 * US;
			uint32_t n = wait / US < left ? wait / US : left;

			x = queue_cycle(&q, n, n, 64, wait, 1 * US);
			left -= n;
			throttled += i >= 200 && x > 0;
		}
		changes += i >= 200 && x != was;
	}
	assert_int_equal(throttled, 0);
	assert_int_equal(changes, 0);
}

/* A count of any order of magnitude, often 0. */
static uint32_t
any_count(void)
{
	return rand() % 8 == 0 ? 0 : (uint32_t)rand() >> rand() % 31;
}

/*
 * Whatever a queue reports, in whatever order of time, the result lies within the limits. Time
 * creeps, jumps, stands still, and passes the end of its 64 bits.
 */
static void
any_sample_gives_an_interval_within_limits(void **state)
{
	const struct aim_policy *policy;

	(void)state;
	srand(1);
	for (size_t p = 0; (policy = aim_policy_at(p)) != NULL; p++) {
		struct aim_config config = {.fixed_ns = 50 * US,
					    .profile_ns = {0, 1, 20 * US, 300 * US, 1000 * US}};
		struct aim_state s;
		uint64_t now = 1;

		aim_reset(&s, policy);
		for (int i = 0; i < 200000; i++) {
			struct aim_limits l = {.max_ns = 1 + (uint32_t)rand() % AIM_INTERVAL_MAX_NS,
					       .ring_packets = (uint32_t)rand() % 5000,
					       .link_mbps = (uint32_t)rand() % 5 * 2500,
					       .sink_packets = (uint32_t)rand() % 100};
			struct aim_sample sample = {.packets = any_count(),
						    .bytes = any_count() * 2,
						    .tx_packets = any_count(),
						    .tx_bytes = any_count() * 2,
						    .burst = any_count(),
						    .poll_ns = now + any_count()};
			uint32_t x;

			l.min_ns = rand() % 4 == 0 ? l.max_ns / 2 : 0;
			(void)aim_limits_settle(&l);
			if (i % 1000 == 999)
				now += (uint64_t)1 << (1 + rand() % 63);
			else if (i % 50000 == 25000)
				now = UINT64_MAX - 1000000;
			else
				now += any_count();
			x = aim_step(policy, &config, &s, &sample, &l, now | 1);
			assert_true(x >= l.min_ns && x <= l.max_ns);
			if (aim_policy_adapts(policy))
				assert_true(x <= l.cap_ns);
			assert_true(aim_threshold(&s) <= AIM_PACKETS_MAX);
		}
	}
}

/* An idle queue, woken for nothing ever again, finds a value and stays within the limits. */
static void
idle_for_ever_stays_within_limits(void **state)
{
	const struct aim_policy *policy;

	(void)state;
	for (size_t p = 0; (policy = aim_policy_at(p)) != NULL; p++) {
		struct queue q = queue_new(aim_policy_name(policy), 1024, 0);

		for (int i = 0; i < 100000; i++)
			assert_true(queue_cycle(&q, 0, 0, 0, 100 * US, 0) <= q.limits.max_ns);
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
	    cmocka_unit_test(aim_leaves_sparse_traffic_alone),
	    cmocka_unit_test(aim_throttles_dense_traffic_near_the_optimum),
	    cmocka_unit_test(aim_settles_and_seldom_writes),
	    cmocka_unit_test(aim_rests_when_an_interval_saves_nothing),
	    cmocka_unit_test(aim_ends_a_throttle_when_the_sources_sleep),
	    cmocka_unit_test(aim_answers_a_lone_peer_at_once),
	    cmocka_unit_test(aim_follows_a_drop_of_the_rate_within_2_ms_of_traffic),
	    cmocka_unit_test(aim_never_exceeds_the_ring),
	    cmocka_unit_test(aim_respects_a_declared_sink),
	    cmocka_unit_test(aim_takes_a_lasting_fall_of_the_rate_for_the_load),
	    cmocka_unit_test(aim_knocks_and_finds_the_tight_loop),
	    cmocka_unit_test(aim_ends_a_trial_that_costs_half_of_the_packets),
	    cmocka_unit_test(aim_ends_a_trial_that_costs_most_of_the_packets),
	    cmocka_unit_test(aim_throttles_a_dense_load_that_varies),
	    cmocka_unit_test(aim_leaves_sparse_bursts_alone_after_a_dense_load),
	    cmocka_unit_test(any_sample_gives_an_interval_within_limits),
	    cmocka_unit_test(idle_for_ever_stays_within_limits),
	    cmocka_unit_test(policies_are_found_by_name),
	};

	return cmocka_run_group_tests_name("aim", tests, NULL, NULL);
}
