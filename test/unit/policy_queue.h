/* SPDX-License-Identifier: BSD-3-Clause */
/* A queue for the tests of single policies: limits that do not bind, armed whenever the test says.
 */
#ifndef POLICY_QUEUE_H
#define POLICY_QUEUE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "aim.h"

#define US 1000u
#define MS 1000000u

struct queue {
	const struct aim_policy *policy;
	struct aim_config config;
	struct aim_state state;
	struct aim_limits limits;
	uint64_t now;
};

static inline struct queue
queue_new(const char *policy, uint32_t mbps)
{
	struct queue q = {.policy = aim_policy_find(policy),
			  .limits = {.max_ns = AIM_INTERVAL_MAX_NS, .link_mbps = mbps},
			  .now = 1000 * MS};

	assert_non_null(q.policy);
	assert_true(aim_policy_adapts(q.policy));
	assert_false(aim_policy_drops_stale(q.policy));
	assert_int_equal(aim_limits_settle(&q.limits), 0);
	aim_reset(&q.state, q.policy);
	return q;
}

/* The next arm, gap_ns after the one before. */
static inline uint32_t
arm_both(struct queue *q, uint32_t packets, uint32_t bytes, uint32_t tx_packets, uint32_t tx_bytes,
	 uint32_t gap_ns)
{
	struct aim_sample s = {.packets = packets,
			       .bytes = bytes,
			       .tx_packets = tx_packets,
			       .tx_bytes = tx_bytes,
			       .burst = packets};

	q->now += gap_ns;
	s.poll_ns = packets != 0 ? q->now : 0;
	return aim_step(q->policy, &q->config, &q->state, &s, &q->limits, q->now);
}

static inline uint32_t
arm(struct queue *q, uint32_t packets, uint32_t bytes)
{
	return arm_both(q, packets, bytes, 0, 0, 50 * US);
}

#endif /* POLICY_QUEUE_H */
