/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any policy on any samples at any times: the interval lies within the limits, the state does not
 * decide by luck (the same samples give the same intervals), and no arithmetic is undefined, which
 * the sanitizers see.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "aim.h"

struct input {
	const uint8_t *at, *end;
};

/* The next n bytes as a number; zeros behind the end. */
static uint64_t
take(struct input *in, unsigned int n)
{
	uint64_t value = 0;

	while (n-- > 0)
		value = value << 8 | (in->at < in->end ? *in->at++ : 0);
	return value;
}

/* A number of up to 32 bits whose order of magnitude is chosen first. */
static uint32_t
take_scaled(struct input *in)
{
	return (uint32_t)(take(in, 4) >> (take(in, 1) & 31));
}

static void
limits_take(struct input *in, struct aim_limits *l)
{
	*l = (struct aim_limits){
	    .max_ns = 1 + take_scaled(in) % AIM_INTERVAL_MAX_NS,
	    .link_mbps = take_scaled(in) % 400001,
	    .ring_packets = take_scaled(in) % 65536,
	    .sink_packets = take_scaled(in),
	    .wake_ns = take_scaled(in) % 10000000,
	};
	l->min_ns = take_scaled(in) % (l->max_ns + 1);
	(void)aim_limits_settle(l); /* what ring and sink cannot bear: cap_ns is min_ns */
	if (l->cap_ns < l->min_ns || l->cap_ns > l->max_ns)
		abort();
}

static void
sample_take(struct input *in, struct aim_sample *s, uint64_t *now)
{
	uint64_t polling = take_scaled(in);

	*s = (struct aim_sample){
	    .packets = take_scaled(in) % (AIM_PACKETS_MAX + 1),
	    .bytes = take_scaled(in),
	    .tx_packets = take_scaled(in) % (AIM_PACKETS_MAX + 1),
	    .tx_bytes = take_scaled(in),
	};
	s->burst = s->packets != 0 ? 1 + take_scaled(in) % s->packets : 0;
	*now += take_scaled(in); /* it may wrap */
	if ((take(in, 1) & 15) == 0)
		*now -= take_scaled(in); /* a clock that differs between cores */
	s->poll_ns = s->packets != 0 ? *now : 0;
	*now += polling;
	if (*now == 0)
		*now = 1;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, data + size};
	struct aim_config config = {0};
	const struct aim_policy *policy;
	struct aim_state state, twin;
	struct aim_limits limits;
	size_t policies = 0;
	uint64_t now;

	while (aim_policy_at(policies) != NULL)
		policies++;
	policy = aim_policy_at(take(&in, 1) % policies);
	config.fixed_ns = take_scaled(&in) % (AIM_INTERVAL_MAX_NS + 1);
	for (size_t i = 0, ns = 0; i < AIM_PROFILES; i++) {
		ns += take(&in, 2);
		config.profile_ns[i] = ns < AIM_INTERVAL_MAX_NS ? (uint32_t)ns
								: AIM_INTERVAL_MAX_NS;
	}
	limits_take(&in, &limits);
	now = take(&in, 8) | 1;
	memset(&state, 0xA5, sizeof(state));
	aim_reset(&state, policy);
	aim_reset(&twin, policy);
	while (in.at < in.end) {
		struct aim_sample sample;
		uint32_t ns, top;

		if ((take(&in, 1) & 31) == 0) /* the link changes */
			limits_take(&in, &limits);
		sample_take(&in, &sample, &now);
		ns = aim_step(policy, &config, &state, &sample, &limits, now);
		top = aim_policy_adapts(policy) ? limits.cap_ns : limits.max_ns;
		if (ns < limits.min_ns || ns > top)
			abort();
		if (ns != aim_step(policy, &config, &twin, &sample, &limits, now) ||
		    aim_threshold(&state) != aim_threshold(&twin))
			abort();
	}
	return 0;
}
