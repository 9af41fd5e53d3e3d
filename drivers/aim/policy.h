/* SPDX-License-Identifier: BSD-3-Clause */
/* What a policy is, for the engine's own files. */
#ifndef AIM_POLICY_H
#define AIM_POLICY_H

#include "aim.h"

struct aim_policy {
	const char *name;
	bool adapts;
	bool drops_stale;
	uint8_t variant; /* which of its family; the family's file knows the numbers */
	void (*reset)(struct aim_state *state); /* NULL: all zero is the start */
	/* The arguments of aim_step(), in its order. */
	uint32_t (*step)(const struct aim_policy *policy, const struct aim_config *config,
			 struct aim_state *state, const struct aim_sample *sample,
			 const struct aim_limits *limits, uint64_t now_ns);
};

extern const struct aim_policy aim_policy_aim;
extern const struct aim_policy aim_policy_e1000;
extern const struct aim_policy aim_policy_e1000_conservative;
extern const struct aim_policy aim_policy_e1000_simplified;
extern const struct aim_policy aim_policy_igb;
extern const struct aim_policy aim_policy_ixgbe;
extern const struct aim_policy aim_policy_ixgbe_8k;
extern const struct aim_policy aim_policy_ixgbe_2017;
extern const struct aim_policy aim_policy_ixgbe_2026;
extern const struct aim_policy aim_policy_i40e;
extern const struct aim_policy aim_policy_dim;
extern const struct aim_policy aim_policy_dim_cqe;
extern const struct aim_policy aim_policy_dim_ice;
extern const struct aim_policy aim_policy_dim_profile;
extern const struct aim_policy aim_policy_enetc;

static inline uint32_t
aim_min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * The end of every step: ns within [min_ns, top], where top is cap_ns for a policy that adapts and
 * max_ns for one that does as it is told; and what the next step needs to know.
 */
static inline uint32_t
aim_decide(struct aim_state *state, const struct aim_limits *limits, uint32_t top, uint32_t ns,
	   uint64_t now_ns)
{
	ns = aim_min(ns, top);
	if (ns < limits->min_ns)
		ns = limits->min_ns;
	state->last_arm_ns = now_ns;
	state->interval_ns = ns;
	return ns;
}

#endif /* AIM_POLICY_H */
