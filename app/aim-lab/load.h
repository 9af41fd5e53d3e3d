/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Running a scenario under a policy: one load_*.c a kind of scenario. Same scenario, seed and
 * policy: same result, to the last digit, on any machine.
 */
#ifndef LAB_LOAD_H
#define LAB_LOAD_H

#include "aim.h"
#include "result.h"
#include "scenario.h"

/** A policy with its argument, as a user writes it: `aim`, `fixed:50`,
 * `dim-profile:1,8,64,128,256`. */
struct lab_policy {
	char name[64]; /**< as written */
	const struct aim_policy *policy;
	struct aim_config config;
};

/**
 * Parse a policy as written.
 * @return 0 or -EINVAL, with one line in error[] that says what there is.
 */
int lab_policy_parse(struct lab_policy *p, const char *text, char error[LAB_ERROR_MAX]);

/** How the i-th policy is written ("aim", "fixed:US"); NULL behind the last. */
const char *lab_policy_form(size_t i);

/** The i-th policy, ready to parse, as it stands among all policies; NULL: not without a choice of
 * the user, or behind the last. */
const char *lab_policy_example(size_t i);

/**
 * Run a checked scenario.
 * @param peer policy of the other host of a loop; NULL: as the scenario says
 * @return 0; negative errno with one line in error[] (a pcap file that cannot be read; no memory).
 *   On success the caller frees r with result_free().
 */
int load_run(const struct scenario *s, const struct lab_policy *p, const struct lab_policy *peer,
	     struct result *r, char error[LAB_ERROR_MAX]);

/** Does a run of this scenario have the figure at all? */
bool load_has(const struct scenario *s, const struct result_figure *f);

#endif /* LAB_LOAD_H */
