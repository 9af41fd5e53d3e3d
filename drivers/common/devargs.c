/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_kvargs.h>

#include "devargs.h"
#include "log.h"

#define DEVARGS_FLAGS_MAX 8u

/* What was given. */
struct devargs_state {
	struct moderation_conf mod;
	bool policy;
	bool fixed;
	bool profile;
	bool flags[DEVARGS_FLAGS_MAX];
};

/* Decimal digits only: no sign, no space, no hexadecimal, nothing behind. */
static int
devargs_number(const char *key, const char *value, uint32_t min, uint32_t max, uint32_t *out)
{
	unsigned long long v = 0;
	size_t i;

	for (i = 0; value[i] >= '0' && value[i] <= '9' && v <= max; i++)
		v = v * 10 + (unsigned int)(value[i] - '0');
	if (i == 0 || value[i] != '\0' || v < min || v > max) {
		AIM_LOG(ERR, "devarg %s=%s: give a number from %" PRIu32 " to %" PRIu32, key, value,
			min, max);
		return -EINVAL;
	}
	*out = (uint32_t)v;
	return 0;
}

/* Five intervals, each above the one before. */
static int
devargs_profile(const char *value, struct aim_config *config)
{
	uint32_t us[AIM_PROFILES];
	const char *p = value;
	uint32_t n;

	for (n = 0; n < AIM_PROFILES; n++, p++) {
		const char *digits = p;

		for (us[n] = 0; *p >= '0' && *p <= '9' && us[n] <= DEVARGS_ITR_LIMIT_US; p++)
			us[n] = us[n] * 10 + (uint32_t)(*p - '0');
		if (p == digits || *p != (n + 1 < AIM_PROFILES ? ':' : '\0') ||
		    us[n] > DEVARGS_ITR_LIMIT_US || (n > 0 && us[n] <= us[n - 1])) {
			AIM_LOG(ERR,
				"devarg " DEVARGS_PROFILE
				"=%s: give five numbers from 0 to %u, each "
				"above the one before, with colons between: 1:8:64:128:256",
				value, DEVARGS_ITR_LIMIT_US);
			return -EINVAL;
		}
	}
	for (n = 0; n < AIM_PROFILES; n++)
		config->profile_ns[n] = us[n] * 1000;
	return 0;
}

static int
devargs_policy(const char *value, struct devargs_state *st)
{
	char names[256] = "";
	size_t i, used = 0;

	st->policy = true;
	st->mod.policy = aim_policy_find(value);
	if (st->mod.policy != NULL)
		return 0;
	for (i = 0; aim_policy_at(i) != NULL && used < sizeof(names); i++) {
		int n = snprintf(names + used, sizeof(names) - used, "%s%s", i == 0 ? "" : ", ",
				 aim_policy_name(aim_policy_at(i)));

		if (n < 0)
			break;
		used += (size_t)n;
	}
	AIM_LOG(ERR, "devarg " DEVARGS_AIM "=%s: no such policy; there are: %s", value, names);
	return -EINVAL;
}

static int
devargs_pair(const char *key, const char *value, struct devargs_state *st,
	     const struct devargs_flag *flags, size_t n)
{
	uint32_t number = 0;
	size_t i;
	int ret;

	if (value == NULL) {
		AIM_LOG(ERR, "devarg %s has no value: write %s=<value>", key, key);
		return -EINVAL;
	}
	if (strcmp(key, DEVARGS_AIM) == 0)
		return devargs_policy(value, st);
	if (strcmp(key, DEVARGS_SINK) == 0)
		return devargs_number(key, value, 0, DEVARGS_SINK_LIMIT, &st->mod.sink_packets);
	if (strcmp(key, DEVARGS_ITR) == 0) {
		ret = devargs_number(key, value, 0, DEVARGS_ITR_LIMIT_US, &number);
		st->mod.config.fixed_ns = ret == 0 ? number * 1000 : 0;
		st->fixed = true;
		return ret;
	}
	if (strcmp(key, DEVARGS_PROFILE) == 0) {
		st->profile = true;
		return devargs_profile(value, &st->mod.config);
	}
	if (strcmp(key, DEVARGS_ITR_MIN) == 0) {
		ret = devargs_number(key, value, 0, DEVARGS_ITR_LIMIT_US, &number);
		st->mod.min_ns = ret == 0 ? number * 1000 : 0;
		return ret;
	}
	if (strcmp(key, DEVARGS_ITR_MAX) == 0) {
		ret = devargs_number(key, value, 1, DEVARGS_ITR_LIMIT_US, &number);
		st->mod.max_ns = ret == 0 ? number * 1000 : 0;
		return ret;
	}
	for (i = 0; i < n; i++) {
		if (strcmp(key, flags[i].key) != 0)
			continue;
		ret = devargs_number(key, value, 0, 1, &number);
		st->flags[i] = ret == 0 && number != 0;
		return ret;
	}
	AIM_LOG(ERR, "devarg %s=%s: unknown key; the driver knows " DEVARGS_PARAMS "%s%s%s%s", key,
		value, n > 0 ? " " : "", n > 0 ? flags[0].key : "", n > 1 ? " " : "",
		n > 1 ? flags[1].key : "");
	return -EINVAL;
}

/* What must fit together. */
static int
devargs_settle(struct devargs_state *st)
{
	const struct aim_policy *fixed = aim_policy_find("fixed");
	const struct aim_policy *profile = aim_policy_find("dim-profile");

	if (st->fixed && !st->policy)
		st->mod.policy = fixed;
	else if (st->profile && !st->policy)
		st->mod.policy = profile;
	if (st->fixed && st->mod.policy != fixed) {
		AIM_LOG(ERR,
			"devarg " DEVARGS_ITR " goes with " DEVARGS_AIM
			"=fixed only, not with %s: leave "
			"one of them out, or bound the policy with " DEVARGS_ITR_MIN
			" and " DEVARGS_ITR_MAX,
			aim_policy_name(st->mod.policy));
		return -EINVAL;
	}
	if (st->profile && st->mod.policy != profile) {
		AIM_LOG(ERR,
			"devarg " DEVARGS_PROFILE " goes with " DEVARGS_AIM
			"=dim-profile only, not with %s: leave one of them out",
			aim_policy_name(st->mod.policy));
		return -EINVAL;
	}
	if (st->policy && st->mod.policy == fixed && !st->fixed) {
		AIM_LOG(ERR, "devarg " DEVARGS_AIM "=fixed needs " DEVARGS_ITR
			     "=<0-1000>, the interval in microseconds");
		return -EINVAL;
	}
	if (st->policy && st->mod.policy == profile && !st->profile) {
		AIM_LOG(ERR, "devarg " DEVARGS_AIM "=dim-profile needs " DEVARGS_PROFILE
			     "=<us:us:us:us:us>, five rising intervals in microseconds");
		return -EINVAL;
	}
	if (st->mod.min_ns > st->mod.max_ns) {
		AIM_LOG(ERR,
			"devarg " DEVARGS_ITR_MIN "=%" PRIu32 " is above " DEVARGS_ITR_MAX
			"=%" PRIu32 ": swap them",
			st->mod.min_ns / 1000, st->mod.max_ns / 1000);
		return -EINVAL;
	}
	if (st->fixed && (st->mod.config.fixed_ns < st->mod.min_ns ||
			  st->mod.config.fixed_ns > st->mod.max_ns)) {
		AIM_LOG(ERR,
			"devarg " DEVARGS_ITR "=%" PRIu32 " is outside of " DEVARGS_ITR_MIN
			"=%" PRIu32 " to " DEVARGS_ITR_MAX "=%" PRIu32,
			st->mod.config.fixed_ns / 1000, st->mod.min_ns / 1000,
			st->mod.max_ns / 1000);
		return -EINVAL;
	}
	return 0;
}

int
devargs_parse(const char *args, struct moderation_conf *mod, const struct devargs_flag *flags,
	      size_t n)
{
	struct devargs_state st = {.mod = *mod};
	struct rte_kvargs *kv;
	unsigned int i, j;
	int ret = 0;

	if (args == NULL || args[0] == '\0')
		return 0;
	if (n > DEVARGS_FLAGS_MAX)
		return -EINVAL;
	for (i = 0; i < n; i++)
		st.flags[i] = *flags[i].value;
	kv = rte_kvargs_parse(args, NULL);
	if (kv == NULL) {
		AIM_LOG(ERR, "devargs \"%s\" are not of the form key=value,key=value", args);
		return -EINVAL;
	}
	/* The pairs are walked here: what rte_kvargs_process() makes of a key without a value, or
	 * given twice, differs between versions.
	 */
	for (i = 0; i < kv->count && ret == 0; i++) {
		for (j = 0; j < i && ret == 0; j++) {
			if (strcmp(kv->pairs[i].key, kv->pairs[j].key) != 0)
				continue;
			AIM_LOG(ERR, "devarg %s is given twice: leave one out", kv->pairs[i].key);
			ret = -EINVAL;
		}
		if (ret == 0)
			ret = devargs_pair(kv->pairs[i].key, kv->pairs[i].value, &st, flags, n);
	}
	rte_kvargs_free(kv);
	if (ret == 0)
		ret = devargs_settle(&st);
	if (ret != 0)
		return ret;
	*mod = st.mod;
	for (i = 0; i < n; i++)
		*flags[i].value = st.flags[i];
	return 0;
}
