/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The policies that stand for Intel's drivers, transition by transition. The expected values were
 * computed by hand from the rules in each policy's file.
 */
#include "policy_queue.h"

/* e1000 */

enum { LOWEST, LOW, BULK };

static void
e1000_moves_between_its_classes_at_each_edge(void **state)
{
	static const struct {
		uint8_t from;
		uint32_t packets, bytes;
		uint8_t to;
	} edges[] = {
	    {LOWEST, 0, 0, LOWEST},
	    {LOWEST, 4, 512, LOWEST},
	    {LOWEST, 4, 513, LOW},
	    {LOWEST, 5, 513, LOWEST},
	    {LOWEST, 1, 8000, LOW},
	    {LOWEST, 1, 8001, BULK},
	    {LOWEST, 5, 40004, LOWEST},
	    {LOWEST, 5, 40005, BULK},
	    {LOW, 0, 0, LOW},
	    {LOW, 2, 511, LOWEST},
	    {LOW, 2, 512, LOW},
	    {LOW, 3, 511, LOW},
	    {LOW, 4, 8003, LOW},
	    {LOW, 4, 8004, BULK},
	    {LOW, 9, 10000, LOW},
	    {LOW, 9, 10001, BULK},
	    {LOW, 10, 10001, LOW},
	    {LOW, 10, 12009, LOW},
	    {LOW, 10, 12010, BULK},
	    {LOW, 35, 10001, LOW},
	    {LOW, 36, 10001, LOWEST},
	    {BULK, 0, 0, BULK},
	    {BULK, 4, 5999, LOW},
	    {BULK, 4, 6000, BULK},
	    {BULK, 36, 25000, BULK},
	    {BULK, 35, 25001, BULK},
	    {BULK, 36, 25001, LOW},
	    {BULK, 36, 4000000, LOW},
	    {LOWEST, 65535, UINT32_MAX, BULK},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
		struct queue q = queue_new("e1000", 1000);

		q.state.u.e1000.rx_class = q.state.u.e1000.tx_class = edges[i].from;
		arm(&q, edges[i].packets, edges[i].bytes);
		assert_int_equal(q.state.u.e1000.rx_class, edges[i].to);
		assert_int_equal(q.state.u.e1000.tx_class, edges[i].from); /* nothing was sent */
		q.state.u.e1000.rx_class = edges[i].from;
		arm_both(&q, 0, 0, edges[i].packets, edges[i].bytes, 1);
		assert_int_equal(q.state.u.e1000.tx_class, edges[i].to);
		assert_int_equal(q.state.u.e1000.rx_class, edges[i].from);
	}
}

static void
e1000_steps_up_and_falls_at_once(void **state)
{
	struct queue q = queue_new("e1000", 1000);

	(void)state;
	/* from 20,000/s a quarter of 70,000/s at a time: 37,500, 55,000, 70,000 */
	assert_int_equal(arm(&q, 1, 60), 104 * 256);
	assert_int_equal(arm(&q, 1, 60), 71 * 256);
	assert_int_equal(arm(&q, 1, 60), 55 * 256);
	assert_int_equal(arm(&q, 1, 60), 55 * 256);
	assert_int_equal(arm(&q, 4, 513), 195 * 256);	/* 20,000 */
	assert_int_equal(arm(&q, 9, 10001), 976 * 256); /* 4000 */
	/* by 5000: 9000, 14,000, 19,000, 20,000 */
	assert_int_equal(arm(&q, 4, 5999), 434 * 256);
	assert_int_equal(arm(&q, 4, 5999), 279 * 256);
	assert_int_equal(arm(&q, 4, 5999), 205 * 256);
	assert_int_equal(arm(&q, 4, 5999), 195 * 256);
}

static void
e1000_takes_the_class_of_more_throttle(void **state)
{
	struct queue q = queue_new("e1000", 1000);

	(void)state;
	assert_int_equal(arm_both(&q, 1, 60, 1, 8001, 1), 976 * 256);
	assert_int_equal(arm(&q, 1, 60), 976 * 256); /* Tx keeps its class when nothing is sent */
}

static void
e1000_conservative_has_no_lowest_latency(void **state)
{
	struct queue q = queue_new("e1000-conservative", 1000);

	(void)state;
	for (int i = 0; i < 10; i++)
		assert_int_equal(arm_both(&q, 1, 60, 1, 60, 1), 195 * 256);
	assert_int_equal(q.state.u.e1000.rx_class, LOW);
	assert_int_equal(q.state.u.e1000.tx_class, LOW);
	assert_int_equal(arm(&q, 10, 15140), 976 * 256);
}

static void
e1000_gives_a_slow_link_4000(void **state)
{
	static const char *const names[] = {"e1000", "e1000-conservative"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct queue slow = queue_new(names[i], 100), unknown = queue_new(names[i], 0);

		assert_int_equal(arm(&slow, 1, 60), 976 * 256);
		assert_int_equal(arm(&slow, 100, 150000), 976 * 256);
		assert_true(arm(&unknown, 1, 60) <= 195 * 256); /* taken for 1000 Mb/s */
	}
}

static void
e1000_simplified_goes_by_the_share_of_the_lesser_direction(void **state)
{
	struct queue q = queue_new("e1000-simplified", 1000);

	(void)state;
	assert_int_equal(arm(&q, 10, 1000000), 488 * 256); /* 8000/s until two seconds are over */
	assert_int_equal(arm_both(&q, 9, 500000, 9, 1500000, 1999 * MS), 488 * 256);
	assert_int_equal(arm_both(&q, 9, 500000, 9, 500000, 1 * MS),
			 1953 * 256); /* equal: 2000/s */
	assert_int_equal(arm_both(&q, 9, 3000000, 9, 1000000, 2000 * MS), 781 * 256); /* 5000 */
	assert_int_equal(arm_both(&q, 9, 0, 9, 1000000, 2000 * MS), 488 * 256);
	assert_int_equal(arm_both(&q, 0, 0, 0, 0, 2000 * MS), 488 * 256);
}

/* igb */

/* The interval that a sample leads to: it is in force one arm later. */
static uint32_t
igb_for(uint32_t mbps, uint32_t packets, uint32_t bytes, uint32_t tx_packets, uint32_t tx_bytes)
{
	struct queue q = queue_new("igb", mbps);

	assert_int_equal(arm_both(&q, packets, bytes, tx_packets, tx_bytes, 1), 162 * US);
	return arm(&q, 0, 0);
}

static void
igb_goes_by_the_mean_size(void **state)
{
	(void)state;
	assert_int_equal(igb_for(1000, 1, 60, 0, 0), 49 * US);	    /* the floor of mode 3: 196 */
	assert_int_equal(igb_for(1000, 1, 276, 0, 0), 49 * US);	    /* 300 / 2 */
	assert_int_equal(igb_for(1000, 1, 277, 0, 0), 49 * US);	    /* 301 / 3 */
	assert_int_equal(igb_for(1000, 1, 567, 0, 0), 49 * US);	    /* 591 / 3 = 197 */
	assert_int_equal(igb_for(1000, 2, 1152, 0, 0), 50 * US);    /* 600 / 3 */
	assert_int_equal(igb_for(1000, 1, 1175, 0, 0), 99 * US);    /* 1199 / 3 = 399 */
	assert_int_equal(igb_for(1000, 1, 1176, 0, 0), 150 * US);   /* 1200 / 2 */
	assert_int_equal(igb_for(1000, 10, 15140, 0, 0), 192 * US); /* 1538 / 2 = 769 */
	assert_int_equal(igb_for(1000, 1, 9000, 0, 0), 375 * US);   /* 3000 / 2 */
	assert_int_equal(igb_for(1000, 1, UINT32_MAX, 0, 0), 375 * US);
	assert_int_equal(igb_for(1000, 10, 600, 10, 15140), 192 * US); /* the longer direction */
	assert_int_equal(igb_for(1000, 0, 0, 0, 0), 162 * US);	       /* no work, no change */
	assert_int_equal(igb_for(100, 1, 60, 0, 0), 245 * US);
	assert_int_equal(igb_for(0, 1, 60, 0, 0), 49 * US);
}

/* ixgbe until 2017 */

static void
ixgbe_moves_between_its_classes_at_each_edge(void **state)
{
	struct queue q = queue_new("ixgbe", 10000);

	(void)state;
	/* 200 quarter-microseconds: r = bytes / 50 */
	assert_int_equal(arm(&q, 1, 550), 25 * 2048);  /* 11: low latency, as it was */
	assert_int_equal(arm(&q, 1, 1049), 25 * 2048); /* 20 */
	assert_int_equal(arm(&q, 1, 1050), 26 * 2048); /* 21: bulk, 208 */
	assert_int_equal(q.state.u.ixgbe.rx_class, BULK);
	assert_int_equal(arm(&q, 1, 1091), 25 * 2048); /* 1091 / 52 = 20: low latency, 207 */
	assert_int_equal(q.state.u.ixgbe.rx_class, LOW);
	assert_int_equal(q.state.u.ixgbe.itr, 207);

	q = queue_new("ixgbe", 10000);
	assert_int_equal(arm(&q, 1, 500), 17 * 2048); /* 10: lowest latency, 142 */
	assert_int_equal(q.state.u.ixgbe.itr, 142);
	assert_int_equal(arm(&q, 1, 385), 18 * 2048); /* 385 / 35 = 11: low latency, 146 */
	assert_int_equal(q.state.u.ixgbe.rx_class, LOW);
}

static void
ixgbe_moves_to_bulk_and_sticks_short_of_its_target(void **state)
{
	static const struct {
		const char *name;
		uint32_t itr, units;
	} bulk[] = {{"ixgbe", 326, 40}, {"ixgbe-8k", 490, 61}};

	(void)state;
	for (int p = 0; p < 2; p++) {
		struct queue q = queue_new(bulk[p].name, 10000);
		uint32_t x = 0;

		for (int i = 0; i < 100; i++)
			x = arm(&q, 10, 15000);
		assert_int_equal(q.state.u.ixgbe.itr, bulk[p].itr);
		assert_int_equal(x, bulk[p].units * 2048);
	}
}

static void
ixgbe_moves_to_lowest_latency_for_small_loads(void **state)
{
	struct queue q = queue_new("ixgbe", 10000);
	uint32_t x = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		x = arm(&q, 1, 64);
	assert_int_equal(q.state.u.ixgbe.itr, 40);
	assert_int_equal(x, 5 * 2048);
}

static void
ixgbe_keeps_its_class_when_nothing_came(void **state)
{
	struct queue q = queue_new("ixgbe", 10000);
	uint32_t x;

	(void)state;
	x = arm(&q, 5, 5000);
	assert_int_equal(arm_both(&q, 0, 0, 0, 0, 10 * MS), x);
}

static void
ixgbe_takes_the_class_of_more_throttle(void **state)
{
	struct queue q = queue_new("ixgbe", 10000);

	(void)state;
	/* Rx falls to lowest latency, Tx rises from there to low latency, then to bulk */
	assert_int_equal(arm_both(&q, 1, 60, 1, 1050, 1), 25 * 2048);
	assert_int_equal(q.state.u.ixgbe.rx_class, LOWEST);
	assert_int_equal(arm_both(&q, 1, 60, 1, 1050, 1), 26 * 2048);
	assert_int_equal(arm(&q, 1, 60), 27 * 2048); /* 216; Tx keeps its class */
	assert_int_equal(q.state.u.ixgbe.itr, 216);
}

/* ixgbe since 2017 */

static void
ixgbe_2017_begins_anew_after_two_jiffies(void **state)
{
	struct queue q = queue_new("ixgbe-2017", 10000);

	(void)state;
	q.now = 1000 * MS - 1;
	assert_int_equal(arm_both(&q, 300, 450000, 0, 0, 1), 5 * 2048);	 /* the first look: 10 us */
	assert_int_equal(arm_both(&q, 4, 240, 0, 0, 1999999), 6 * 2048); /* the next jiffy */
	assert_int_equal(arm_both(&q, 4, 240, 0, 0, 1000000), 7 * 2048);
	assert_int_equal(arm_both(&q, 4, 240, 0, 0, 1000001), 5 * 2048); /* two jiffies later */
	assert_int_equal(q.state.u.ixgbe2017.rx, 10 | 0x80);
}

static void
ixgbe_2017_ratchets_up_with_4_to_47_packets(void **state)
{
	struct queue q = queue_new("ixgbe-2017", 10000);

	(void)state;
	arm(&q, 1, 60);
	for (uint32_t us = 12; us <= 126; us += 2)
		assert_int_equal(arm(&q, us % 4 == 0 ? 4 : 47, 4000), us / 2 * 2048);
	for (int i = 0; i < 10; i++)
		assert_int_equal(arm(&q, 47, 4000), 63 * 2048); /* 126 us are 129.024 */
}

static void
ixgbe_2017_goes_by_packets(void **state)
{
	struct queue q = queue_new("ixgbe-2017", 10000);

	(void)state;
	arm(&q, 1, 60);
	/* few: half of the table's value, 60 bytes: 2560 / 512 steps of 2 us; 64 bytes: 2640 */
	assert_int_equal(arm(&q, 3, 180), 5 * 2048);
	assert_int_equal(arm(&q, 3, 192), 6 * 2048);
	assert_int_equal(q.state.u.ixgbe2017.rx, 12 | 0x80);
	assert_int_equal(arm(&q, 0, 0), 7 * 2048); /* none: more, flag kept */
	assert_int_equal(q.state.u.ixgbe2017.rx, 14 | 0x80);
	assert_int_equal(arm(&q, 3, 9000), 8 * 2048); /* not few bytes: more, no flag */
	assert_int_equal(q.state.u.ixgbe2017.rx, 16);
	assert_int_equal(arm(&q, 0, 0), 9 * 2048);
	assert_int_equal(q.state.u.ixgbe2017.rx, 18);
	for (uint32_t n = 48; n < 96; n++)
		assert_int_equal(arm(&q, n, 1500 * n), 9 * 2048);
	while (q.state.u.ixgbe2017.rx != 126)
		arm(&q, 47, 4000);
	assert_int_equal(arm(&q, 96, 9600), 31 * 2048);	 /* 63 us: 252 quarters */
	assert_int_equal(arm(&q, 255, 9600), 15 * 2048); /* 31 */
	assert_int_equal(arm(&q, 96, 9600), 7 * 2048);	 /* 15 */
	assert_int_equal(arm(&q, 96, 9600), 5 * 2048);	 /* 10, not 7 */
}

static void
ixgbe_2017_goes_by_size_from_256_packets_on(void **state)
{
	static const struct {
		uint32_t mbps, size, units;
	} sizes[] = {
	    {10000, 60, 10},   {10000, 61, 11},	  {10000, 316, 30},  {10000, 317, 32},
	    {10000, 1084, 55}, {10000, 1514, 59}, {10000, 1967, 63}, {10000, 1968, 63},
	    {10000, 9000, 63}, {0, 60, 10},	  {100, 60, 10},     {5000, 60, 10},
	    {2500, 60, 40},    {1000, 60, 40},	  {10, 60, 40},	     {1000, 1514, 63},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct queue q = queue_new("ixgbe-2017", sizes[i].mbps);

		arm(&q, 1, 60);
		assert_int_equal(arm(&q, 256, 256 * sizes[i].size), sizes[i].units * 2048);
	}
}

static void
ixgbe_2017_prefers_a_direction_in_bulk(void **state)
{
	struct queue q = queue_new("ixgbe-2017", 10000);

	(void)state;
	arm(&q, 1, 60);
	/* Rx says 10 us with the flag, Tx 12 us without: the lesser value is Tx's */
	assert_int_equal(arm_both(&q, 1, 60, 4, 6000, 1), 6 * 2048);
	/* a Tx ring is looked at when it sent nothing, too: 14 us */
	assert_int_equal(arm(&q, 1, 60), 7 * 2048);
	assert_int_equal(q.state.u.ixgbe2017.tx, 14);
	assert_int_equal(q.state.u.ixgbe2017.rx, 10 | 0x80);
}

static void
ixgbe_2026_falls_by_2_us_a_look(void **state)
{
	struct queue q = queue_new("ixgbe-2026", 10000);

	(void)state;
	assert_int_equal(arm(&q, 1, 60), 5 * 2048);
	assert_int_equal(arm(&q, 8, 800), 5 * 2048);	/* 2 * 992: 2560 is the least */
	assert_int_equal(arm(&q, 23, 2300), 12 * 2048); /* 2 * 2852 = 5704: 12 steps, at once */
	assert_int_equal(arm(&q, 23, 9200), 25 * 2048); /* 2 * 9752: 12800 is the most */
	for (uint32_t us = 48; us > 10; us -= 2) {
		assert_int_equal(arm(&q, 1, 60), us / 2 * 2048);
		assert_int_equal(q.state.u.ixgbe2017.rx, us | 0x80);
	}
	assert_int_equal(arm(&q, 1, 60), 5 * 2048);
	assert_int_equal(arm(&q, 1, 60), 5 * 2048);
}

static void
ixgbe_2026_goes_by_packets(void **state)
{
	struct queue q = queue_new("ixgbe-2026", 10000);

	(void)state;
	arm(&q, 1, 60);
	assert_int_equal(arm(&q, 24, 1440), 6 * 2048); /* more, flag kept */
	assert_int_equal(q.state.u.ixgbe2017.rx, 12 | 0x80);
	assert_int_equal(arm(&q, 23, 12112), 7 * 2048);
	assert_int_equal(arm(&q, 0, 0), 8 * 2048);
	assert_int_equal(arm(&q, 60, 3600), 8 * 2048); /* as now, without the flag */
	assert_int_equal(arm(&q, 8, 12112), 9 * 2048);
	assert_int_equal(q.state.u.ixgbe2017.rx, 18);
	assert_int_equal(arm(&q, 7, 12112), 10 * 2048); /* below 8: flag set */
	assert_int_equal(q.state.u.ixgbe2017.rx, 20 | 0x80);
	for (int i = 0; i < 100; i++)
		arm(&q, 47, 4000);
	assert_int_equal(arm(&q, 47, 4000), 42 * 2048);	   /* 84 us are 86.016 */
	assert_int_equal(arm(&q, 256, 387584), 59 * 2048); /* the table is not held to 84 */
	assert_int_equal(arm(&q, 47, 4000), 42 * 2048);
}

/* i40e */

#define FLAG 0x8000u

/* The target of Rx after one look from the given targets, which are in force. */
static uint16_t
i40e_from(uint32_t mbps, uint16_t rx, uint16_t tx, uint32_t packets, uint32_t bytes)
{
	struct queue q = queue_new("i40e", mbps);

	arm(&q, 0, 0);
	q.state.u.i40e.rx_target = q.state.u.i40e.rx_current = rx;
	q.state.u.i40e.tx_target = q.state.u.i40e.tx_current = tx;
	q.state.u.i40e.countdown = 0;
	arm(&q, packets, bytes);
	return q.state.u.i40e.rx_target;
}

static void
i40e_goes_by_packets(void **state)
{
	(void)state;
	assert_int_equal(i40e_from(10000, 100, 126 | FLAG, 0, 0), 102);
	assert_int_equal(i40e_from(10000, 100 | FLAG, 126 | FLAG, 0, 0), 102 | FLAG);
	assert_int_equal(i40e_from(10000, 126 | FLAG, 126 | FLAG, 55, 3300), 126 | FLAG);
	/* few, and Tx is sensitive: 2048 / 512 steps; else more */
	assert_int_equal(i40e_from(10000, 100, 126 | FLAG, 3, 180), 8 | FLAG);
	assert_int_equal(i40e_from(10000, 100, 120, 3, 180), 102);
	assert_int_equal(i40e_from(10000, 100, 126 | FLAG, 3, 9000), 102);
	assert_int_equal(i40e_from(10000, 100, 126 | FLAG, 4, 240), 102);
	assert_int_equal(i40e_from(10000, 100, 126 | FLAG, 55, 3300), 102);
	assert_int_equal(i40e_from(10000, 100 | FLAG, 126 | FLAG, 56, 3360), 100);
	assert_int_equal(i40e_from(10000, 100, 60, 112, 6720), 60); /* the lesser register */
	assert_int_equal(i40e_from(10000, 100, 126 | FLAG, 113, 6780), 50);
	assert_int_equal(i40e_from(10000, 102, 126 | FLAG, 256, 15360), 50); /* 51 has no bit 0 */
	assert_int_equal(i40e_from(10000, 2, 126 | FLAG, 256, 15360), 2);
}

static void
i40e_goes_by_size_and_speed_from_257_packets_on(void **state)
{
	static const struct {
		uint32_t mbps, size;
		uint16_t us;
	} sizes[] = {
	    {10000, 60, 16},	{10000, 61, 18},    {10000, 380, 66},	{10000, 381, 68},
	    {10000, 1084, 110}, {10000, 1980, 126}, {10000, 9000, 126}, {40000, 60, 4},
	    {25000, 60, 8},	{20000, 60, 8},	    {5000, 60, 16},	{0, 60, 16},
	    {1000, 60, 126},	{40000, 1514, 30},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_int_equal(i40e_from(sizes[i].mbps, 50, 126 | FLAG, 257, 257 * sizes[i].size),
				 sizes[i].us);
}

static void
i40e_writes_one_register_an_arm_and_then_waits_for_three(void **state)
{
	struct queue q = queue_new("i40e", 10000);

	(void)state;
	assert_int_equal(arm(&q, 1, 60), 50 * US); /* anew: Tx rises further, is written first */
	assert_int_equal(q.state.u.i40e.tx_current, 126 | FLAG);
	assert_int_equal(arm(&q, 10, 600), 2 * US);
	for (int i = 0; i < 3; i++)
		assert_int_equal(arm(&q, 10, 600), 2 * US);
	assert_int_equal(arm(&q, 10, 600), 4 * US);
	for (int i = 0; i < 3; i++)
		assert_int_equal(arm(&q, 10, 600), 4 * US);
	assert_int_equal(arm(&q, 10, 600), 6 * US);
	/* two jiffies without a look end it all */
	assert_int_equal(arm_both(&q, 10, 600, 0, 0, 2 * MS), 2 * US);
}

static void
i40e_takes_and_gives_the_flag_of_tx(void **state)
{
	struct queue q = queue_new("i40e", 10000);

	(void)state;
	arm(&q, 0, 0);
	q.state.u.i40e.rx_target = q.state.u.i40e.rx_current = 126;
	q.state.u.i40e.tx_current = 126 | FLAG;
	q.state.u.i40e.countdown = 0;
	arm_both(&q, 0, 0, 32, 1920, 1);
	assert_int_equal(q.state.u.i40e.tx_target, 126 | FLAG);
	arm_both(&q, 0, 0, 33, 1980, 1);
	assert_int_equal(q.state.u.i40e.tx_target, 126);
	q.state.u.i40e.countdown = 0;
	arm_both(&q, 10, 600, 4, 240, 1);
	assert_int_equal(q.state.u.i40e.tx_target, 126);
	arm_both(&q, 10, 600, 3, 180, 1);
	assert_int_equal(q.state.u.i40e.tx_target, 126 | FLAG);
}

/* What the limits cut off is not what the policy goes on with. */
static void
policies_keep_their_own_value_below_the_cap(void **state)
{
	struct queue q = queue_new("ixgbe-2017", 10000);

	(void)state;
	q.limits.max_ns = 20 * US;
	assert_int_equal(aim_limits_settle(&q.limits), 0);
	for (int i = 0; i < 100; i++)
		arm(&q, 47, 4000);
	assert_int_equal(q.state.interval_ns, 20 * US);
	assert_int_equal(q.state.u.ixgbe2017.rx, 126);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(e1000_moves_between_its_classes_at_each_edge),
	    cmocka_unit_test(e1000_steps_up_and_falls_at_once),
	    cmocka_unit_test(e1000_takes_the_class_of_more_throttle),
	    cmocka_unit_test(e1000_conservative_has_no_lowest_latency),
	    cmocka_unit_test(e1000_gives_a_slow_link_4000),
	    cmocka_unit_test(e1000_simplified_goes_by_the_share_of_the_lesser_direction),
	    cmocka_unit_test(igb_goes_by_the_mean_size),
	    cmocka_unit_test(ixgbe_moves_between_its_classes_at_each_edge),
	    cmocka_unit_test(ixgbe_moves_to_bulk_and_sticks_short_of_its_target),
	    cmocka_unit_test(ixgbe_moves_to_lowest_latency_for_small_loads),
	    cmocka_unit_test(ixgbe_keeps_its_class_when_nothing_came),
	    cmocka_unit_test(ixgbe_takes_the_class_of_more_throttle),
	    cmocka_unit_test(ixgbe_2017_begins_anew_after_two_jiffies),
	    cmocka_unit_test(ixgbe_2017_ratchets_up_with_4_to_47_packets),
	    cmocka_unit_test(ixgbe_2017_goes_by_packets),
	    cmocka_unit_test(ixgbe_2017_goes_by_size_from_256_packets_on),
	    cmocka_unit_test(ixgbe_2017_prefers_a_direction_in_bulk),
	    cmocka_unit_test(ixgbe_2026_falls_by_2_us_a_look),
	    cmocka_unit_test(ixgbe_2026_goes_by_packets),
	    cmocka_unit_test(i40e_goes_by_packets),
	    cmocka_unit_test(i40e_goes_by_size_and_speed_from_257_packets_on),
	    cmocka_unit_test(i40e_writes_one_register_an_arm_and_then_waits_for_three),
	    cmocka_unit_test(i40e_takes_and_gives_the_flag_of_tx),
	    cmocka_unit_test(policies_keep_their_own_value_below_the_cap),
	};

	return cmocka_run_group_tests_name("policies", tests, NULL, NULL);
}
