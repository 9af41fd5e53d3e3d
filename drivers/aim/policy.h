/* SPDX-License-Identifier: BSD-3-Clause */
/* What a policy is, for the engine's own files. */
#ifndef AIM_POLICY_H
#define AIM_POLICY_H

#include "aim.h"

struct aim_policy {
	const char *name;
	bool adapts;
	bool drops_stale;
	void (*reset)(struct aim_state *state); /* NULL: all zero is the start */
	/* The arguments of aim_step(), in its order. */
	uint32_t (*step)(const struct aim_policy *policy, const struct aim_config *config,
			 struct aim_state *state, const struct aim_sample *sample,
			 const struct aim_limits *limits, uint64_t now_ns);
};

extern const struct aim_policy aim_policy_ixgbe;
extern const struct aim_policy aim_policy_aim;

static inline uint32_t
aim_min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

#endif /* AIM_POLICY_H */
