/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scenario files of any bytes: taken whole, every key within its range and all that fits together,
 * or refused with one printable line and nothing changed. The same bytes as a policy's name, too.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "load.h"
#include "scenario.h"

static void
ranges_hold(const struct scenario *s)
{
	for (const struct scenario_key *k = scenario_keys; k->name != NULL; k++) {
		const char *field = (const char *)s + k->offset;
		uint32_t u32 = 0;
		double real;

		if (k->type == KEY_U32 || k->type == KEY_CHOICE)
			memcpy(&u32, field, sizeof(u32));
		if (k->type == KEY_DOUBLE)
			memcpy(&real, field, sizeof(real));
		if (k->type == KEY_U32 && (u32 < k->min || u32 > k->max))
			abort();
		if (k->type == KEY_DOUBLE && !(real >= k->min && real <= k->max))
			abort();
		if (k->type == KEY_TEXT &&
		    (memchr(field, '\0', k->size) == NULL || !lines_printable(field)))
			abort();
		for (uint32_t i = 0; k->type == KEY_CHOICE && i <= u32; i++)
			if (k->choices[i] == NULL)
				abort();
	}
}

static void
one_line(int rc, const char *error)
{
	if (rc != 0 && (error[0] == '\0' || strchr(error, '\n') != NULL || !lines_printable(error)))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scenario s, before;
	struct lab_policy policy;
	char error[LAB_ERROR_MAX] = "", text[600];
	FILE *f;
	int rc;

	if (size == 0)
		return 0;
	f = fmemopen((void *)(uintptr_t)data, size, "r");
	if (f == NULL)
		return 0;
	scenario_init(&s);
	before = s;
	rc = scenario_read_stream(&s, f, "folder/fuzz.scenario", error);
	fclose(f);
	one_line(rc, error);
	if (rc != 0 && memcmp(&s, &before, sizeof(s)) != 0)
		abort();
	if (rc == 0) {
		ranges_hold(&s);
		if (scenario_check(&s, error) != 0)
			abort();
	}
	size = size < sizeof(text) - 1 ? size : sizeof(text) - 1;
	memcpy(text, data, size);
	text[size] = '\0';
	rc = lab_policy_parse(&policy, text, error);
	one_line(rc, error);
	if (rc == 0 && (policy.policy == NULL || policy.config.fixed_ns > AIM_INTERVAL_MAX_NS))
		abort();
	return 0;
}
