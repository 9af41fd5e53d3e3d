/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix: what its reader takes and refuses, its cells, and the runs that they share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <unistd.h>

#include "data.h"
#include "matrix.h"

#define HEAD "title = A matrix\n"

static struct matrix m;
static char error[LAB_ERROR_MAX];
static char folder[] = "/tmp/lab_matrix_test.XXXXXX";

static int
read_text(const char *text)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int rc;

	assert_non_null(f);
	error[0] = '\0';
	rc = matrix_read_stream(&m, f, "dir/x.matrix", error);
	fclose(f);
	return rc;
}

static void
assert_error(const char *wanted)
{
	if (strstr(error, wanted) == NULL)
		fail_msg("'%s' is not in: %s", wanted, error);
	assert_null(strchr(error, '\n'));
}

static void
a_row_has_keys_with_values_and_rules(void **state)
{
	(void)state;
	assert_int_equal(
	    read_text(
		HEAD "g | open-500k | window = 1, 2 ,3; ring=128; policy=aim,others | loop, range\n"
		     "g | open-500k | - | -\n"),
	    0);
	assert_string_equal(m.name, "x");
	assert_string_equal(m.title, "A matrix");
	assert_int_equal(m.rows_n, 2);
	assert_int_equal(m.rows[0].sweeps_n, 2);
	assert_string_equal(m.rows[0].sweep[0].key, "window");
	assert_int_equal(m.rows[0].sweep[0].n, 3);
	assert_string_equal(matrix_value(&m.rows[0].sweep[0], 2), "3");
	assert_int_equal(m.rows[0].policies.n, 2);
	assert_int_equal(m.rows[0].rules, 1u << rule_find("loop") | 1u << rule_find("range"));
	assert_int_equal(m.rows[1].sweeps_n + m.rows[1].policies.n + m.rows[1].rules, 0);
	matrix_free(&m);
}

static void
each_peer_is_every_policy(void **state)
{
	size_t n = 0;

	(void)state;
	assert_int_equal(read_text(HEAD "g | s | peer=each | -\n"), 0);
	for (size_t i = 0; aim_policy_at(i) != NULL; i++)
		n += lab_policy_example(i) != NULL;
	assert_int_equal(m.rows[0].sweep[0].n, n);
	matrix_free(&m);
}

static void
a_broken_matrix_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text, *wanted;
	} cases[] = {
	    {HEAD "g | s | -\n", "dir/x.matrix:2: not 4 fields; allowed: group | scenario"},
	    {HEAD "g | s | - | - | -\n", "x.matrix:2: not 4 fields"},
	    {HEAD "\n# c\n | s | - | -\n", "x.matrix:4: group ''; allowed: 1 to 31 bytes"},
	    {HEAD "g | | - | -\n", "x.matrix:2: scenario ''; allowed: 1 to 63"},
	    {HEAD "g | s | | -\n", "x.matrix:2: no keys; allowed: -"},
	    {HEAD "g | s | - | \n", "x.matrix:2: no rules; allowed: -"},
	    {HEAD "g | s | window | -\n", "'window'; allowed: key=value,value"},
	    {HEAD "g | s | window= | -\n", "window has no value; allowed: 1 to 32768"},
	    {HEAD "g | s | window=1,,2 | -\n", "window has no value"},
	    {HEAD "g | s | window=0 | -\n", "window = 0; allowed: 1 to 32768"},
	    {HEAD "g | s | windw=1 | -\n", "no key 'windw' (window?)"},
	    {HEAD "g | s | ring=64; ring=128 | -\n", "ring is given twice; once is allowed"},
	    {HEAD "g | s | policy=aim; policy=off | -\n", "policy is given twice"},
	    {HEAD "g | s | policy=best | -\n", "no policy 'best'; allowed: aim, off"},
	    {HEAD "g | s | peer=best | -\n", "no policy 'best'"},
	    {HEAD "g | s | file=a.pcap | -\n", "file; allowed: in the scenario's file"},
	    {HEAD "g | s | - | fast\n", "no rule 'fast'; allowed: -, loop, dense"},
	    {HEAD "rule = 1\n", "x.matrix:2: no key 'rule'; allowed: title"},
	    {HEAD "hello\n", "x.matrix:2: 'hello'; allowed: title = ..., or a row"},
	    {HEAD HEAD, "x.matrix:2: title is given twice"},
	    {HEAD, "x.matrix: not whole; allowed: a title, and a row or more"},
	    {"g | s | - | -\n", "not whole"},
	    {"", "not whole"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (cases[i].text[0] == '\0')
			continue; /* fmemopen() has no empty files */
		assert_int_equal(read_text(cases[i].text), -EINVAL);
		assert_error(cases[i].wanted);
		assert_int_equal(m.rows_n, 0);
	}
}

/* Scenarios of the tests: an open load and a loop, of a few milliseconds. */
static int
folder_make(void **state)
{
	static const char *const texts[][2] = {
	    {"scenarios/load.scenario", "time_ms = 4\nrate_pps = 100000\n"},
	    {"scenarios/pair.scenario", "kind = loop\ntime_ms = 4\nwindow = 4\n"},
	};
	char path[128];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "mkdir %s/scenarios", folder);
	assert_int_equal(system(path), 0);
	for (size_t i = 0; i < 2; i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", folder, texts[i][0]);
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(texts[i][1], f);
		fclose(f);
	}
	data_dir_set(folder);
	return 0;
}

static int
folder_remove(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static int
check_only(const void *arg, struct scenario *s, char line[LAB_ERROR_MAX])
{
	if (arg != NULL && scenario_set(s, "ring", arg, line) != 0)
		return -EINVAL;
	return scenario_check(s, line);
}

static struct lab_policy policies[3];

/* Cells of a text under aim, off and fixed:50. */
static int
cells(const char *text, const char *group, const char *ring)
{
	static const char *const names[] = {"aim", "off", "fixed:50"};
	char param[32];
	const char *params[] = {param};
	const struct matrix_overrides overrides = {
	    .param = params, .n = ring != NULL, .apply = check_only, .arg = ring};
	int rc;

	snprintf(param, sizeof(param), "ring=%s", ring != NULL ? ring : "");
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(lab_policy_parse(&policies[i], names[i], error), 0);
	assert_int_equal(read_text(text), 0);
	rc = matrix_cells(&m, policies, 3, group, &overrides, error);
	if (rc != 0)
		matrix_free(&m);
	return rc;
}

static void
a_row_is_all_combinations_of_its_values(void **state)
{
	(void)state;
	assert_int_equal(
	    cells(HEAD "g | load | ring=128,256; frame=60,1514; time_ms=2 | -\n", NULL, NULL), 0);
	assert_int_equal(m.cells_n, 4);
	assert_string_equal(m.cells[0].keys, "ring=128 frame=60");
	assert_string_equal(m.cells[1].keys, "ring=128 frame=1514");
	assert_string_equal(m.cells[3].keys, "ring=256 frame=1514");
	assert_int_equal(m.jobs_n, 4 * 3);
	assert_int_equal(m.jobs[m.cells[3].run[2]].scenario.frame, 1514);
	assert_int_equal(m.jobs[m.cells[3].run[2]].scenario.ring, 256);
	assert_string_equal(m.jobs[m.cells[3].run[2]].policy.name, "fixed:50");
	matrix_free(&m);
}

static void
what_is_the_same_runs_once(void **state)
{
	(void)state;
	/* the row again, under another name; off with each peer is also what the rules compare with
	 */
	assert_int_equal(cells(HEAD
			       "g | pair | peer=off,aim | loop\nh | pair | peer=off,aim | loop\n",
			       NULL, NULL),
			 0);
	assert_int_equal(m.cells_n, 4);
	assert_int_equal(m.jobs_n, 2 * 3);
	assert_int_equal(m.cells[0].run[0], m.cells[2].run[0]);
	matrix_free(&m);
	/* fixed settings of a rule: fixed:50 is one of the policies */
	assert_int_equal(cells(HEAD "g | load | - | dense\n", NULL, NULL), 0);
	assert_int_equal(m.jobs_n, 3 + RULE_GRID_N - 1);
	matrix_free(&m);
}

static void
a_policy_is_compared_with_off_beside_the_same_peer(void **state)
{
	const struct job *off;

	(void)state;
	assert_int_equal(cells(HEAD "g | pair | peer=fixed:50,aim,same | loop\n", NULL, NULL), 0);
	off = &m.jobs[m.cells[0].off[0]];
	assert_string_equal(off->policy.name, "off");
	assert_string_equal(off->scenario.peer, "fixed:50");
	off = &m.jobs[m.cells[1].off[0]]; /* aim beside aim */
	assert_string_equal(off->scenario.peer, "off");
	off = &m.jobs[m.cells[1].off[2]]; /* fixed:50 beside aim */
	assert_string_equal(off->scenario.peer, "aim");
	assert_int_equal(m.cells[2].run[0], m.cells[1].run[0]); /* same: aim beside aim */
	assert_int_equal(m.cells[2].off[0], m.cells[1].off[0]);
	matrix_free(&m);
}

static void
a_row_runs_the_policies_that_it_names(void **state)
{
	(void)state;
	assert_int_equal(
	    cells(HEAD "g | load | policy=others | -\ng | load | policy=aim | dense\n", NULL, NULL),
	    0);
	assert_int_equal(m.cells[0].run[0], MATRIX_NONE);
	assert_null(matrix_result(&m, &m.cells[0], 0));
	assert_int_not_equal(m.cells[0].run[1], MATRIX_NONE);
	assert_int_equal(m.cells[1].run[2], MATRIX_NONE);
	matrix_free(&m);
	assert_int_equal(cells(HEAD "g | load | policy=igb | -\n", NULL, NULL), -EINVAL);
	assert_error("no row of matrix x runs these policies");
}

static void
a_group_can_be_chosen(void **state)
{
	(void)state;
	assert_int_equal(cells(HEAD "g | load | - | -\nh | load | frame=60,128 | -\n", "h", NULL),
			 0);
	assert_int_equal(m.cells_n, 2);
	matrix_free(&m);
	assert_int_equal(
	    cells(HEAD "g | load | - | -\nh | load | - | -\ng | load | - | -\n", "i", NULL),
	    -EINVAL);
	assert_error("no group 'i' in matrix x; allowed: g, h");
}

static void
a_key_that_the_user_sets_takes_the_place_of_the_rows_values(void **state)
{
	(void)state;
	assert_int_equal(cells(HEAD "g | load | ring=128,256; frame=60,128 | -\n", NULL, "512"), 0);
	assert_int_equal(m.cells_n, 2);
	assert_string_equal(m.cells[1].keys, "frame=128");
	assert_int_equal(m.jobs[m.cells[1].run[0]].scenario.ring, 512);
	matrix_free(&m);
}

static void
what_does_not_fit_together_names_its_row(void **state)
{
	(void)state;
	assert_int_equal(
	    cells(HEAD "g | load | - | -\ng | pair | ring=64; window=48 | -\n", NULL, NULL),
	    -EINVAL);
	assert_error("dir/x.matrix:3: window = 48; allowed: 31 at most with ring = 64");
	assert_int_equal(cells(HEAD "g | nothing | - | -\n", NULL, NULL), -ENOENT);
	assert_error("dir/x.matrix:2: no scenario 'nothing'");
}

static void
a_rule_that_says_nothing_of_a_run_names_its_row(void **state)
{
	static const struct {
		const char *text, *wanted;
	} cases[] = {
	    {HEAD "g | pair | - | dense\n",
	     ":2: rule dense says nothing of runs of pair as they are here; allowed: -, loop, loss, "
	     "safe, range"},
	    {HEAD "g | pair | - | sparse\n", ":2: rule sparse says nothing"},
	    {HEAD "g | pair | - | worth\n", ":2: rule worth says nothing"},
	    {HEAD "g | load | - | loop\n",
	     ":2: rule loop says nothing of runs of load as they are here; allowed: -, dense, sparse, "
	     "loss, safe, worth, range"},
	    {HEAD "g | load | - | range, follow\n", ":2: rule follow says nothing"},
	    {HEAD "g | load | kind=open,tx_ring | range\n",
	     ":2: rule range says nothing of runs of load as they are here; allowed: -"},
	    {HEAD "g | load | kind=tx_ring | sparse\n", ":2: rule sparse says nothing"},
	    {HEAD "g | load | kind=tx_ring | follow\n", ":2: rule follow says nothing"},
	    {HEAD "g | load | kind=bulk; tx_cpu=yes; show_tx=yes | loss\n",
	     ":2: rule loss says nothing"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(cells(cases[i].text, NULL, NULL), -EINVAL);
		assert_error(cases[i].wanted);
	}
	assert_int_equal(cells(HEAD
			       "g | load | on_us=100; off_us=100 | follow, dense, sparse, loss, "
			       "safe, worth, range\ng | pair | - | loop, range\n",
			       NULL, NULL),
			 0);
	matrix_free(&m);
}

static void
the_rules_of_a_row_are_applied_to_aim_in_each_cell(void **state)
{
	(void)state;
	assert_int_equal(cells(HEAD "g | load | rate_pps=100,1000 | sparse, range\n"
				    "h | load | policy=off | sparse\n",
			       NULL, NULL),
			 0);
	assert_int_equal(matrix_run(&m, 2, error), 0);
	assert_int_equal(m.checks_n, 4);
	assert_int_equal(m.checks[3].cell, 1);
	assert_string_equal(rules[m.checks[3].rule].name, "range");
	assert_null(m.jobs[0].result.slices); /* figures only */
	matrix_free(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_row_has_keys_with_values_and_rules),
	    cmocka_unit_test(each_peer_is_every_policy),
	    cmocka_unit_test(a_broken_matrix_is_refused_with_its_line),
	    cmocka_unit_test(a_row_is_all_combinations_of_its_values),
	    cmocka_unit_test(what_is_the_same_runs_once),
	    cmocka_unit_test(a_policy_is_compared_with_off_beside_the_same_peer),
	    cmocka_unit_test(a_row_runs_the_policies_that_it_names),
	    cmocka_unit_test(a_group_can_be_chosen),
	    cmocka_unit_test(a_key_that_the_user_sets_takes_the_place_of_the_rows_values),
	    cmocka_unit_test(what_does_not_fit_together_names_its_row),
	    cmocka_unit_test(a_rule_that_says_nothing_of_a_run_names_its_row),
	    cmocka_unit_test(the_rules_of_a_row_are_applied_to_aim_in_each_cell),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
