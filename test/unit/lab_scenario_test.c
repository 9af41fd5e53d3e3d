/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenarios, policies and tables as users write them: what is taken, and the line that says no. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <errno.h>

#include "load.h"
#include "scenario.h"
#include "table.h"

static struct scenario s;
static char error[LAB_ERROR_MAX];

static int
read_bytes(const char *bytes, size_t n)
{
	FILE *f = fmemopen((void *)(uintptr_t)bytes, n, "r");
	int rc;

	assert_non_null(f);
	scenario_init(&s);
	error[0] = '\0';
	rc = scenario_read_stream(&s, f, "dir/x.scenario", error);
	fclose(f);
	return rc;
}

static int
read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

/* One line, and no more. */
static void
assert_error(const char *wanted)
{
	if (strstr(error, wanted) == NULL)
		fail_msg("'%s' is not in: %s", wanted, error);
	assert_null(strchr(error, '\n'));
}

static void
refused(const char *text, const char *wanted)
{
	struct scenario before;

	scenario_init(&before);
	assert_int_equal(read_text(text), -EINVAL);
	assert_error(wanted);
	assert_memory_equal(&s, &before, sizeof(s)); /* nothing is half taken */
}

static void
the_defaults_are_an_82599(void **state)
{
	(void)state;
	scenario_init(&s);
	assert_int_equal(s.itr_unit_ps, 2048000);
	assert_int_equal(s.link_mbps, 10000);
	assert_int_equal(s.ring, 1024);
	assert_true(s.stale_causes);
	assert_true(s.rate_pps == 500000);
	assert_int_equal(scenario_check(&s, error), 0);
}

static void
a_file_is_read(void **state)
{
	(void)state;
	assert_int_equal(read_text("# comment\n\n title = Two words # and a comment\n"
				   "kind=loop\r\n\twindow\t=\t32\nrate_pps = 14.88e6\n"
				   "stale_causes = no\nepoch_ns = 18446744073709551615\n"
				   "peer = fixed:50\nskew_ppm = -5.4"),
			 0);
	assert_string_equal(s.title, "Two words");
	assert_int_equal(s.kind, SCENARIO_LOOP);
	assert_int_equal(s.window, 32);
	assert_true(s.rate_pps == 14.88e6);
	assert_false(s.stale_causes);
	assert_true(s.epoch_ns == UINT64_MAX);
	assert_true(s.skew_ppm == -5.4);
	assert_string_equal(s.name, "x");
	assert_int_equal(scenario_check(&s, error), 0);
}

static void
a_file_without_a_key_is_refused(void **state)
{
	(void)state;
	refused("\n", "dir/x.scenario: no key in it; allowed: one 'key = value' line or more");
	refused("# only\n\n# comments\n", "dir/x.scenario: no key in it");
}

static void
a_byte_order_mark_is_no_text(void **state)
{
	(void)state;
	assert_int_equal(read_text("\xef\xbb\xbfkind = loop\nwindow = 7\n"), 0);
	assert_int_equal(s.kind, SCENARIO_LOOP);
	assert_int_equal(s.window, 7);
	assert_int_equal(read_text("\xef\xbb\xbf# comment\nwindow = 8\n"), 0);
	assert_int_equal(s.window, 8);
	refused("\xef\xbb\xbf\n", "no key in it");
}

static void
a_pcap_file_lies_beside_its_scenario(void **state)
{
	(void)state;
	assert_int_equal(read_text("arrivals = pcap\nfile = a.pcap\n"), 0);
	assert_string_equal(s.file, "dir/a.pcap");
	assert_int_equal(read_text("arrivals = pcap\nfile = /a.pcap\n"), 0);
	assert_string_equal(s.file, "/a.pcap");
	assert_int_equal(scenario_set(&s, "file", "b.pcap", error), 0); /* --param: as given */
	assert_string_equal(s.file, "b.pcap");
}

static void
each_fault_of_a_file_names_its_line(void **state)
{
	(void)state;
	refused("seed = 1\nrings = 64\n", "dir/x.scenario:2: no key 'rings' (ring?); allowed");
	refused("\n\nzzz = 64\n", "dir/x.scenario:3: no key 'zzz'; allowed");
	refused("ring = 63\n", ":1: ring = 63; allowed: 64 to 32768");
	refused("ring = 1e3\n", ":1: ring = 1e3; allowed");
	refused("ring = 0x100\n", ":1: ring = 0x100; allowed");
	refused("ring = -100\n", ":1: ring = -100; allowed");
	refused("ring = 99999999999999999999999\n", "allowed: 64 to 32768");
	refused("ring = 100 200\n", ":1: ring = 100 200; allowed");
	refused("ring =\n", ":1: ring has no value; allowed: 64 to 32768");
	refused("= 5\n", ":1: '' is no 'key = value'");
	refused("ring 64\n", ":1: 'ring 64' is no 'key = value'");
	refused("ring = 128\n# x\nring = 128\n", ":3: ring is given twice");
	refused("rate_pps = nan\n", ":1: rate_pps = nan; allowed: 0.01 to 600000000");
	refused("rate_pps = inf\n", ":1: rate_pps = inf; allowed");
	refused("rate_pps = 1e\n", ":1: rate_pps = 1e; allowed");
	refused("rate_pps = 1e999\n", ":1: rate_pps = 1e999; allowed");
	refused("stale_causes = maybe\n", ":1: stale_causes = maybe; allowed: yes, no");
	refused("kind = fast\n", ":1: kind = fast; allowed: open, loop, tx_ring, rr, udp, bulk");
	refused("group = 0123456789012345678901234567890123456789\n", ":1: group = 01234");
	refused("title = a\x1b[31m\n", ":1: byte 10 is 0x1b; a text in UTF-8 is wanted");
	refused("title = \xff\xfe\n", ":1: byte 9 is 0xff");
	refused("title = \xc0\xaf\n", ":1: byte 9 is 0xc0"); /* overlong */
}

static void
bytes_that_are_no_text_are_refused(void **state)
{
	char line[2000];

	(void)state;
	assert_int_equal(read_bytes("seed = 1\nring\0 = 64\n", 20), -EINVAL);
	assert_error("dir/x.scenario:2: byte 5 is NUL");
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	refused(line, "dir/x.scenario:1: the line is longer than 511 bytes");
	memset(line, '#', 512);
	line[512] = '\n';
	refused(line, "the line is longer than 511 bytes");
}

static void
text_of_any_language_is_taken(void **state)
{
	(void)state;
	assert_int_equal(read_text("title = L\xc3\xa4nge \xe2\x82\xac \xf0\x9f\x99\x82\n"), 0);
	assert_string_equal(s.title, "L\xc3\xa4nge \xe2\x82\xac \xf0\x9f\x99\x82");
}

static void
a_file_that_cannot_be_read_is_named(void **state)
{
	(void)state;
	scenario_init(&s);
	assert_int_equal(scenario_read(&s, "/nonexistent/x.scenario", error), -ENOENT);
	assert_error("/nonexistent/x.scenario: cannot be read: ");
	assert_true(scenario_read(&s, "/", error) < 0);
	assert_error("/: cannot be read: ");
}

/* Both ends of each range are taken, and what lies behind them is not. */
static void
each_key_keeps_its_range(void **state)
{
	char text[64];

	(void)state;
	for (const struct scenario_key *k = scenario_keys; k->name != NULL; k++) {
		scenario_init(&s);
		assert_ptr_equal(scenario_key_find(k->name), k);
		assert_true(k->help != NULL && k->help[0] != '\0');
		if (k->type == KEY_U32 || k->type == KEY_DOUBLE) {
			snprintf(text, sizeof(text), "%.17g", k->max);
			assert_int_equal(scenario_set(&s, k->name, text, error), 0);
			snprintf(text, sizeof(text), "%.17g", k->min);
			assert_int_equal(scenario_set(&s, k->name, text, error), 0);
			snprintf(text, sizeof(text), "%.0f", k->max + 1);
			assert_int_equal(scenario_set(&s, k->name, text, error), -EINVAL);
			assert_error("; allowed: ");
			snprintf(text, sizeof(text), "%.0f", k->min - 1);
			assert_int_equal(scenario_set(&s, k->name, text, error), -EINVAL);
		} else if (k->type == KEY_U64) {
			assert_int_equal(scenario_set(&s, k->name, "18446744073709551616", error),
					 -EINVAL);
		} else if (k->type == KEY_CHOICE) {
			for (size_t i = 0; k->choices[i] != NULL; i++)
				assert_int_equal(scenario_set(&s, k->name, k->choices[i], error),
						 0);
		} else if (k->type == KEY_TEXT) {
			assert_int_equal(scenario_set(&s, k->name, "", error), -EINVAL);
			assert_int_equal(scenario_set(&s, k->name, "a", error), 0);
		} else {
			assert_int_equal(scenario_set(&s, k->name, "yes", error), 0);
			assert_int_equal(scenario_set(&s, k->name, "1", error), -EINVAL);
		}
	}
}

/* The line is that of the key, of those that do not fit, which was read last. */
static void
what_does_not_fit_together_is_refused_with_its_line(void **state)
{
	(void)state;
	refused("warmup_ms = 200\n",
		"x.scenario:1: warmup_ms = 200; allowed: less than time_ms = 200");
	refused("warmup_ms = 100\nseed = 1\ntime_ms = 100\nring = 64\n",
		":3: warmup_ms = 100; allowed");
	refused("time_ms = 100\n# c\nsettle_ms = 100\nseed = 1\n", ":3: settle_ms = 100; allowed");
	refused("link_down_ms = 200\n", ":1: link_down_ms");
	refused("slice_us = 1\ntime_ms = 3600000\n", ":2: slice_us = 1; allowed: 0, or 36001");
	refused("arrivals = pcap\nseed = 1\n", ":1: arrivals = pcap needs the key file");
	refused("seed = 1\non_us = 5\n",
		":2: on_us = 5 with off_us = 0; allowed: both 0, or both above 0");
	refused("rate_pps = 15e6\n",
		":1: rate_pps = 15000000 is above the line rate; allowed: 14880952 at most");
	refused("rate_pps = 1\noff_pps = 1e6\nframe = 9000\n",
		":3: off_pps = 1000000 is above the line rate");
	refused("window = 992\nkind = loop\n", ":1: window = 992; allowed: 991 at most");
	refused("kind = loop\npeer = foo\n", ":2: peer: no policy 'foo'; allowed: aim, ");
	refused("kind = tx_ring\nneed = 43\n",
		":2: need = 43, resume = 42, ring = 1024; allowed: need at most");
	refused("kind = tx_ring\nresume = 1024\n", "resume less than ring");
	refused("kind = udp\ntruesize = 500000\n", ":2: truesize = 500000; allowed: rcvbuf");
	refused("kind = rr\nhalf_ns = 0\n", ":2: half_ns = 0; allowed");
	refused("kind = bulk\nshow_tx = yes\n", ":2: show_tx = yes; allowed: with tx_cpu = yes");
}

static void
what_is_set_later_must_fit_too(void **state)
{
	(void)state;
	assert_int_equal(read_text("time_ms = 300\nwarmup_ms = 200\n"), 0);
	assert_int_equal(scenario_check(&s, error), 0);
	assert_int_equal(scenario_set(&s, "time_ms", "200", error), 0);
	assert_int_equal(scenario_check(&s, error), -EINVAL);
	assert_error("warmup_ms = 200; allowed: less than time_ms = 200");
}

static void
policies_are_parsed(void **state)
{
	struct lab_policy p;

	(void)state;
	assert_int_equal(lab_policy_parse(&p, "aim", error), 0);
	assert_string_equal(aim_policy_name(p.policy), "aim");
	assert_int_equal(lab_policy_parse(&p, "fixed:50", error), 0);
	assert_string_equal(p.name, "fixed:50");
	assert_int_equal(p.config.fixed_ns, 50000);
	assert_int_equal(lab_policy_parse(&p, "fixed:124.93", error), 0);
	assert_int_equal(p.config.fixed_ns, 124930);
	assert_int_equal(lab_policy_parse(&p, "fixed:0", error), 0);
	assert_int_equal(lab_policy_parse(&p, "fixed:1048", error), 0);
}

static void
policies_that_are_none_are_refused(void **state)
{
	static const char *const texts[] = {"",		 "fixed",	"fixed:",      "fixed:1049",
					    "fixed:-1",	 "fixed:1.2.3", "fixed:.",     "fixed:1e2",
					    "fixed:nan", "aim:",	"off:3",       "nope",
					    "Aim",	 " aim",	"fixed:0.0001"};
	struct lab_policy p = {.name = "kept"};
	char longest[300];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(lab_policy_parse(&p, texts[i], error), -EINVAL);
		assert_error("allowed: ");
		assert_string_equal(p.name, "kept");
	}
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(lab_policy_parse(&p, longest, error), -EINVAL);
}

static void
a_profile_takes_five_rising_intervals(void **state)
{
	struct lab_policy p;

	(void)state;
	if (aim_policy_find("dim-profile") == NULL)
		skip();
	assert_int_equal(lab_policy_parse(&p, "dim-profile:1,8,64,128,256", error), 0);
	assert_int_equal(p.config.profile_ns[0], 1000);
	assert_int_equal(p.config.profile_ns[4], 256000);
	assert_int_equal(lab_policy_parse(&p, "dim-profile:1,8,64,128", error), -EINVAL);
	assert_int_equal(lab_policy_parse(&p, "dim-profile:1,8,64,128,256,512", error), -EINVAL);
	assert_int_equal(lab_policy_parse(&p, "dim-profile:1,8,8,128,256", error), -EINVAL);
	assert_int_equal(lab_policy_parse(&p, "dim-profile:1,8,,128,256", error), -EINVAL);
	assert_int_equal(lab_policy_parse(&p, "dim-profile", error), -EINVAL);
	assert_error("five rising intervals");
}

static void
all_policies_have_a_form(void **state)
{
	struct lab_policy p;
	size_t i;

	(void)state;
	for (i = 0; aim_policy_at(i) != NULL; i++) {
		assert_non_null(lab_policy_form(i));
		if (lab_policy_example(i) != NULL)
			assert_int_equal(lab_policy_parse(&p, lab_policy_example(i), error), 0);
	}
	assert_null(lab_policy_form(i));
	assert_null(lab_policy_example(i));
}

#define HEAD "title = T\nsource = S\n"

/* A table of this text, read from a file of its own. */
static int
read_table(struct table *t, const char *text)
{
	char path[] = "/tmp/lab-table-XXXXXX.table";
	int fd = mkstemps(path, 6), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	rc = table_read(t, path, error);
	unlink(path);
	return rc;
}

static void
a_table_is_read(void **state)
{
	struct table t;

	(void)state;
	assert_int_equal(read_table(&t, HEAD
				    "a row | open-500k | fixed:50 | aim | ring=512; seed=3 | pps "
				    "| 1.5e3 | 2 | fitted\n"
				    "b|open-500k|off|-|-|slice[3].irqs|7|0|open\n"),
			 0);
	assert_int_equal(t.n, 2);
	assert_string_equal(t.title, "T");
	assert_string_equal(t.rows[0].label, "a row");
	assert_true(t.rows[0].has_peer);
	assert_string_equal(t.rows[0].params, "ring=512; seed=3");
	assert_true(t.rows[0].published == 1500 && t.rows[0].tolerance == 2);
	assert_int_equal(t.rows[0].kind, TABLE_FITTED);
	assert_false(t.rows[1].has_peer);
	assert_null(t.rows[1].figure);
	assert_int_equal(t.rows[1].slice, 3);
	assert_int_equal(t.rows[1].slice_offset, offsetof(struct result_slice, irqs));
	table_free(&t);
}

static void
faults_of_a_table_name_their_line(void **state)
{
	static const struct {
		const char *text, *wanted;
	} cases[] = {
	    {HEAD "a|b\n", ":3: not 9 fields; allowed: label | scenario"},
	    {HEAD "a|x|off|-|-|pps|1|1|open|more\n", ":3: not 9 fields"},
	    {HEAD "a|x|of|-|-|pps|1|1|open\n", ":3: no policy 'of'"},
	    {HEAD "a|x|off|of|-|pps|1|1|open\n", ":3: no policy 'of'"},
	    {HEAD "a|x|off|-|-|ppm|1|1|open\n", ":3: no figure 'ppm'"},
	    {HEAD "a|x|off|-|-|slice[].pps|1|1|open\n", ":3: no figure 'slice[].pps'"},
	    {HEAD "a|x|off|-|-|slice[1].pp|1|1|open\n", ":3: no figure 'slice[1].pp'"},
	    {HEAD "a|x|off|-|-|pps|x|1|open\n", ":3: published 'x'; allowed: a number"},
	    {HEAD "a|x|off|-|-|pps|1|-1|open\n", ":3: tolerance '-1'; allowed: a number"},
	    {HEAD "a|x|off|-|-|pps|1|1|sure\n",
	     ":3: kind 'sure'; allowed: predicted, fitted, open"},
	    {HEAD "|x|off|-|-|pps|1|1|open\n", ":3: label ''; allowed: 1 to 95 bytes"},
	    {HEAD "title = U\n", ":3: title is given twice"},
	    {HEAD "origin = U\n", ":3: no key 'origin'; allowed: title, source"},
	    {HEAD "nothing\n", ":3: 'nothing'; allowed"},
	    {HEAD, ": not whole; allowed: a title, a source, and a row"},
	    {"a|x|off|-|-|pps|1|1|open\n", ": not whole"},
	};
	struct table t;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(read_table(&t, cases[i].text), -EINVAL);
		assert_error(cases[i].wanted);
	}
}

static void
a_row_holds_within_its_tolerance(void **state)
{
	struct table_row row = {.published = 100, .tolerance = 2, .ours = 102};

	(void)state;
	assert_true(table_holds(&row));
	row.ours = 102.1;
	assert_false(table_holds(&row));
	row.kind = TABLE_OPEN;
	assert_true(table_holds(&row));
	row = (struct table_row){.published = 0, .ours = 0};
	assert_true(table_holds(&row));
	row.ours = 1;
	assert_false(table_holds(&row));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_defaults_are_an_82599),
	    cmocka_unit_test(a_file_is_read),
	    cmocka_unit_test(a_file_without_a_key_is_refused),
	    cmocka_unit_test(a_byte_order_mark_is_no_text),
	    cmocka_unit_test(a_pcap_file_lies_beside_its_scenario),
	    cmocka_unit_test(each_fault_of_a_file_names_its_line),
	    cmocka_unit_test(bytes_that_are_no_text_are_refused),
	    cmocka_unit_test(text_of_any_language_is_taken),
	    cmocka_unit_test(a_file_that_cannot_be_read_is_named),
	    cmocka_unit_test(each_key_keeps_its_range),
	    cmocka_unit_test(what_does_not_fit_together_is_refused_with_its_line),
	    cmocka_unit_test(what_is_set_later_must_fit_too),
	    cmocka_unit_test(policies_are_parsed),
	    cmocka_unit_test(policies_that_are_none_are_refused),
	    cmocka_unit_test(a_profile_takes_five_rising_intervals),
	    cmocka_unit_test(all_policies_have_a_form),
	    cmocka_unit_test(a_table_is_read),
	    cmocka_unit_test(faults_of_a_table_name_their_line),
	    cmocka_unit_test(a_row_holds_within_its_tolerance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
