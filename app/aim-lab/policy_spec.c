/* SPDX-License-Identifier: BSD-3-Clause */
/* Policies as users write them: a name, and for some an argument behind a colon. */
#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

#define INTERVAL_MAX_US (AIM_INTERVAL_MAX_NS / 1000)

/* Microseconds with at most three decimals, as ns. */
static bool
interval_parse(const char *text, size_t n, uint32_t *ns)
{
	char number[16];
	const char *point;
	char *end;
	double us;

	if (n == 0 || n >= sizeof(number))
		return false;
	memcpy(number, text, n);
	number[n] = '\0';
	point = strchr(number, '.');
	if (number[strspn(number, "0123456789.")] != '\0' ||
	    (point != NULL && strlen(point + 1) > 3))
		return false;
	us = strtod(number, &end);
	if (end == number || *end != '\0' || us > INTERVAL_MAX_US)
		return false;
	*ns = (uint32_t)(us * 1000 + 0.5);
	return true;
}

static int
fixed_parse(struct lab_policy *p, const char *argument, char error[LAB_ERROR_MAX])
{
	if (argument == NULL || !interval_parse(argument, strlen(argument), &p->config.fixed_ns))
		return lab_error(error, "policy '%.60s'; allowed: fixed:US with US 0 to %u",
				 p->name, INTERVAL_MAX_US);
	return 0;
}

static int
profile_parse(struct lab_policy *p, const char *argument, char error[LAB_ERROR_MAX])
{
	const char *rest = argument;
	bool good = argument != NULL;

	for (uint32_t i = 0; good && i < AIM_PROFILES; i++) {
		size_t n = strcspn(rest, ",");

		good = interval_parse(rest, n, &p->config.profile_ns[i]) &&
		       (i == 0 || p->config.profile_ns[i] > p->config.profile_ns[i - 1]) &&
		       rest[n] == (i + 1 < AIM_PROFILES ? ',' : '\0');
		rest += n + 1;
	}
	if (!good)
		return lab_error(
		    error,
		    "policy '%.60s'; allowed: %s:A,B,C,D,E, five rising intervals of 0 to %u us",
		    p->name, aim_policy_name(p->policy), INTERVAL_MAX_US);
	return 0;
}

/* The policies that take an argument. */
static const struct {
	const char *name;
	int (*parse)(struct lab_policy *p, const char *argument, char error[LAB_ERROR_MAX]);
	const char *form;    /* as the list shows it */
	const char *example; /* what stands for it among all policies, or NULL */
} with_argument[] = {
    {"fixed", fixed_parse, "fixed:US", "fixed:50"},
    {"dim-profile", profile_parse, "dim-profile:A,B,C,D,E", NULL},
};

#define WITH_ARGUMENT (sizeof(with_argument) / sizeof(with_argument[0]))

const char *
lab_policy_form(size_t i)
{
	const struct aim_policy *policy = aim_policy_at(i);

	if (policy == NULL)
		return NULL;
	for (size_t j = 0; j < WITH_ARGUMENT; j++)
		if (strcmp(aim_policy_name(policy), with_argument[j].name) == 0)
			return with_argument[j].form;
	return aim_policy_name(policy);
}

const char *
lab_policy_example(size_t i)
{
	const struct aim_policy *policy = aim_policy_at(i);

	for (size_t j = 0; policy != NULL && j < WITH_ARGUMENT; j++)
		if (strcmp(aim_policy_name(policy), with_argument[j].name) == 0)
			return with_argument[j].example;
	return policy != NULL ? aim_policy_name(policy) : NULL;
}

static int
unknown(const char *text, char error[LAB_ERROR_MAX])
{
	size_t n;

	lab_error(error, "no policy '%.60s'; allowed:", text);
	n = strlen(error);
	for (size_t i = 0; lab_policy_form(i) != NULL && n < LAB_ERROR_MAX; i++)
		n += (size_t)snprintf(error + n, LAB_ERROR_MAX - n, "%s%s", i == 0 ? " " : ", ",
				      lab_policy_form(i));
	return -EINVAL;
}

int
lab_policy_parse(struct lab_policy *p, const char *text, char error[LAB_ERROR_MAX])
{
	struct lab_policy parsed = {0};
	const char *colon = strchr(text, ':');
	size_t n = colon != NULL ? (size_t)(colon - text) : strlen(text);
	char name[sizeof(parsed.name)];

	if (strlen(text) >= sizeof(parsed.name))
		return unknown(text, error);
	memcpy(parsed.name, text, strlen(text) + 1);
	memcpy(name, text, n);
	name[n] = '\0';
	parsed.policy = aim_policy_find(name);
	if (parsed.policy == NULL)
		return unknown(text, error);
	for (size_t j = 0; j < WITH_ARGUMENT; j++)
		if (strcmp(name, with_argument[j].name) == 0) {
			int rc = with_argument[j].parse(&parsed, colon != NULL ? colon + 1 : NULL,
							error);

			if (rc == 0)
				*p = parsed;
			return rc;
		}
	if (colon != NULL)
		return lab_error(error, "policy '%.60s'; allowed: %s, which takes no argument",
				 text, name);
	*p = parsed;
	return 0;
}
