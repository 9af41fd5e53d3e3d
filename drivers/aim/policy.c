/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of policies, and the two that do not adapt. */
#include "policy.h"

#include <string.h>

static uint32_t
off_step(const struct aim_policy *policy, const struct aim_config *config, struct aim_state *state,
	 const struct aim_sample *sample, const struct aim_limits *limits, uint64_t now_ns)
{
	(void)policy, (void)config, (void)sample;
	return aim_decide(state, limits, limits->max_ns, 0, now_ns);
}

static uint32_t
fixed_step(const struct aim_policy *policy, const struct aim_config *config,
	   struct aim_state *state, const struct aim_sample *sample,
	   const struct aim_limits *limits, uint64_t now_ns)
{
	(void)policy, (void)sample;
	return aim_decide(state, limits, limits->max_ns, config->fixed_ns, now_ns);
}

static const struct aim_policy policy_off = {.name = "off", .step = off_step};
static const struct aim_policy policy_fixed = {.name = "fixed", .step = fixed_step};

static const struct aim_policy *const policies[] = {
    &aim_policy_aim,
    &policy_off,
    &policy_fixed,
    &aim_policy_e1000,
    &aim_policy_e1000_conservative,
    &aim_policy_e1000_simplified,
    &aim_policy_igb,
    &aim_policy_ixgbe,
    &aim_policy_ixgbe_8k,
    &aim_policy_ixgbe_2017,
    &aim_policy_ixgbe_2026,
    &aim_policy_i40e,
    &aim_policy_dim,
    &aim_policy_dim_cqe,
    &aim_policy_dim_ice,
    &aim_policy_dim_profile,
    &aim_policy_enetc,
};

const struct aim_policy *
aim_policy_at(size_t i)
{
	return i < sizeof(policies) / sizeof(policies[0]) ? policies[i] : NULL;
}

const struct aim_policy *
aim_policy_find(const char *name)
{
	const struct aim_policy *p;

	for (size_t i = 0; (p = aim_policy_at(i)) != NULL; i++)
		if (strcmp(p->name, name) == 0)
			return p;
	return NULL;
}

const char *
aim_policy_name(const struct aim_policy *policy)
{
	return policy->name;
}

bool
aim_policy_adapts(const struct aim_policy *policy)
{
	return policy->adapts;
}

bool
aim_policy_drops_stale(const struct aim_policy *policy)
{
	return policy->drops_stale;
}
