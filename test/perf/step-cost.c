/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions of the engine's step, each call marked for callgrind: traffic that is sparse, grows
 * dense, varies, and dries up, so that every branch of a policy is taken.
 *   step-cost-bench <policy>
 *   step-cost-bench           names the policies
 */
#include <stdio.h>
#include <stdlib.h>

#include <valgrind/callgrind.h>

#include "aim.h"

int
main(int argc, char **argv)
{
	const struct aim_policy *policy = argc == 2 ? aim_policy_find(argv[1]) : NULL;
	struct aim_limits limits = {
	    .max_ns = 1000000, .link_mbps = 10000, .ring_packets = 4096, .sink_packets = 500};
	struct aim_config config = {.fixed_ns = 50000,
				    .profile_ns = {0, 10000, 20000, 40000, 80000}};
	struct aim_state state;
	uint64_t now = 1000000;

	if (argc == 1) {
		for (size_t i = 0; (policy = aim_policy_at(i)) != NULL; i++)
			puts(aim_policy_name(policy));
		return 0;
	}
	if (policy == NULL) {
		fprintf(stderr, "usage: step-cost-bench [<policy>]\n");
		return 1;
	}
	(void)aim_limits_settle(&limits);
	aim_reset(&state, policy);
	srand(1);
	for (int i = 0; i < 12000; i++) {
		/* sparse; dense; three packets at most; eight; a flood; a peer that waits for us,
		 * so that a trial does harm; an open load, so that trials go well and grow */
		uint32_t open = state.interval_ns + 5000;
		uint32_t n = i < 100	? 1
			     : i < 400	? 40 + (uint32_t)rand() % 40
			     : i < 600	? 1 + (uint32_t)rand() % 3
			     : i < 1150 ? 8
			     : i < 1200 ? 500
			     : i < 2000 ? 8
					: open / 500 + (uint32_t)rand() % 3;
		struct aim_sample sample = {.packets = n, .bytes = n * 1000, .burst = n / 2 + 1};

		now += i < 100	  ? 50000
		       : i < 400  ? 20000
		       : i < 600  ? 100000
		       : i < 1200 ? 62000
		       : i < 2000 ? 20000 + 10 * state.interval_ns
				  : open;
		sample.poll_ns = now;
		now += i < 2000 ? n * 100 : 0;
		CALLGRIND_ZERO_STATS;
		CALLGRIND_DUMP_STATS_AT("none"); /* what the marks themselves cost */
		CALLGRIND_ZERO_STATS;
		aim_step(policy, &config, &state, &sample, &limits, now);
		CALLGRIND_DUMP_STATS_AT("step");
	}
	return 0;
}
