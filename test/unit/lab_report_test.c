/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports: the same rows as text, CSV and JSON; files that are there whole or not at all. */
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
#include <jansson.h>
#include <math.h>
#include <sys/stat.h>

#include "jobs.h"
#include "outfile.h"
#include "plot.h"
#include "report.h"

static char printed[8192];
static char error[LAB_ERROR_MAX];

static const char *
print(const struct report *r, enum report_format format)
{
	FILE *f;

	memset(printed, 0, sizeof(printed));
	f = fmemopen(printed, sizeof(printed) - 1, "w");
	assert_non_null(f);
	assert_int_equal(report_write(r, format, f), 0);
	fclose(f);
	return printed;
}

static const struct report_column columns[] = {
    REPORT_LABEL("name"),
    {.name = "rate", .unit = "1/s", .decimals = 1},
    {.name = "lost", .decimals = 0},
    {.name = "never", .decimals = 2},
};

static struct report *
sample(void)
{
	struct report *r = report_new();

	assert_non_null(r);
	report_section(r, "first", "A title", columns, 4);
	report_text(r, "plain");
	report_number(r, 12345.678);
	report_number(r, 3);
	report_number(r, NAN);
	report_text(r, "with, comma and \"quote\"");
	report_number(r, -0.0001);
	report_number(r, 0);
	report_number(r, INFINITY);
	report_note(r, "a note of %d", 7);
	return r;
}

static void
text_is_aligned_and_leaves_out_what_is_empty(void **state)
{
	struct report *r = sample();

	(void)state;
	assert_string_equal(print(r, REPORT_TEXT), "A title\n"
						   "name                        rate  lost\n"
						   "                             1/s\n"
						   "plain                    12345.7     3\n"
						   "with, comma and \"quote\"      0.0     0\n"
						   "a note of 7\n");
	report_free(r);
}

static void
text_counts_letters_not_bytes(void **state)
{
	static const struct report_column two[] = {REPORT_LABEL("a"), REPORT_LABEL("b")};
	struct report *r = report_new();

	(void)state;
	report_section(r, "s", NULL, two, 2);
	report_text(r, "\xc3\xa4\xc3\xa4");
	report_text(r, "x");
	report_text(r, "ab");
	report_text(r, "y");
	assert_string_equal(print(r, REPORT_TEXT), "a   b\n\xc3\xa4\xc3\xa4  x\nab  y\n");
	report_free(r);
}

static void
csv_quotes_and_leaves_missing_numbers_empty(void **state)
{
	struct report *r = sample();

	(void)state;
	assert_string_equal(print(r, REPORT_CSV), "name,rate,lost,never\n"
						  "plain,12345.7,3,\n"
						  "\"with, comma and \"\"quote\"\"\",0.0,0,\n");
	report_free(r);
}

static void
csv_of_equal_sections_has_one_header(void **state)
{
	static const struct report_column one[] = {REPORT_LABEL("a")},
					  other[] = {REPORT_LABEL("b")};
	struct report *r = report_new();

	(void)state;
	report_section(r, "1", NULL, one, 1);
	report_text(r, "x");
	report_section(r, "2", NULL, one, 1);
	report_text(r, "y");
	report_section(r, "3", NULL, other, 1);
	report_text(r, "z");
	assert_string_equal(print(r, REPORT_CSV), "a\nx\ny\n\nb\nz\n");
	report_free(r);
}

static void
json_holds_the_numbers_that_the_text_shows(void **state)
{
	struct report *r = sample();
	json_t *all = json_loads(print(r, REPORT_JSON), 0, NULL), *first, *row;

	(void)state;
	assert_non_null(all);
	first = json_object_get(all, "first");
	assert_string_equal(json_string_value(json_object_get(first, "title")), "A title");
	assert_int_equal(json_array_size(json_object_get(first, "rows")), 2);
	row = json_array_get(json_object_get(first, "rows"), 0);
	assert_true(json_real_value(json_object_get(row, "rate")) == 12345.7);
	assert_int_equal(json_integer_value(json_object_get(row, "lost")), 3);
	assert_true(json_is_null(json_object_get(row, "never")));
	row = json_array_get(json_object_get(first, "rows"), 1);
	assert_string_equal(json_string_value(json_object_get(row, "name")),
			    "with, comma and \"quote\"");
	assert_string_equal(
	    json_string_value(json_object_get(json_object_get(first, "units"), "rate")), "1/s");
	assert_string_equal(json_string_value(json_array_get(json_object_get(first, "notes"), 0)),
			    "a note of 7");
	assert_non_null(strstr(printed, "12345.7,"));
	json_decref(all);
	report_free(r);
}

static void
all_figures_have_a_column(void **state)
{
	struct report_column all[64];
	struct result result = {.pps = 1, .p50_us = 2.5};
	struct report *r = report_new();
	size_t n = report_figure_columns(all, 0, 64);

	(void)state;
	assert_true(n > 10 && n < 64);
	for (size_t i = 0; i < n; i++)
		assert_ptr_equal(result_figure_find(all[i].name), &result_figures[i]);
	assert_null(result_figure_find("nothing"));
	assert_true(result_get(&result, result_figure_find("pps")) == 1);
	assert_true(isnan(result_get(&result, result_figure_find("cost")))); /* 0: there is none */
	assert_true(result_get(&result, result_figure_find("lost_ring")) == 0);
	report_section(r, "s", NULL, all, n);
	report_figures(r, &result);
	assert_non_null(strstr(print(r, REPORT_CSV), "1.0,0.0,0.0,"));
	report_free(r);
}

static char folder[] = "/tmp/lab-report-XXXXXX";
static char path[128];

/* Path of a file in the test's folder. */
static const char *
at(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* The same, and the folder is empty again. */
static const char *
fresh(const char *name)
{
	char command[160];

	snprintf(command, sizeof(command), "rm -rf %s/*", folder);
	assert_int_equal(system(command), 0);
	return at(name);
}

static bool
folder_is_empty(void)
{
	return rmdir(folder) == 0 && mkdir(folder, 0700) == 0;
}

static void
a_file_appears_when_it_is_whole(void **state)
{
	struct outfile o;
	struct stat st;

	(void)state;
	assert_int_equal(outfile_open(&o, fresh("a"), error), 0);
	fputs("text", o.f);
	assert_int_equal(stat(path, &st), -1);
	assert_int_equal(outfile_commit(&o, error), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 4);
	assert_int_equal(unlink(path), 0);
	assert_true(folder_is_empty());
}

static void
a_file_given_up_leaves_nothing_and_the_old_one(void **state)
{
	struct outfile o;
	struct stat st;

	(void)state;
	assert_int_equal(outfile_open(&o, fresh("a"), error), 0);
	outfile_abort(&o);
	outfile_abort(&o);
	assert_true(folder_is_empty());
	assert_int_equal(outfile_open(&o, fresh("a"), error), 0);
	fputs("old", o.f);
	assert_int_equal(outfile_commit(&o, error), 0);
	assert_int_equal(outfile_open(&o, path, error), 0);
	fputs("new and longer", o.f);
	outfile_abort(&o);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 3);
}

static void
a_file_that_cannot_be_written_is_named(void **state)
{
	struct outfile o;

	(void)state;
	assert_int_equal(outfile_open(&o, "/nonexistent/a", error), -ENOENT);
	assert_non_null(strstr(error, "/nonexistent/a: cannot be written: "));
	assert_int_equal(outfile_open(&o, "", error), -ENOENT);
	assert_int_equal(outfile_open(&o, "/dev/full", error), 0);
	fputs("text", o.f);
	assert_int_equal(outfile_commit(&o, error), -EIO);
}

static void
a_file_that_is_replaced_keeps_its_mode(void **state)
{
	struct outfile o;
	struct stat st;

	(void)state;
	assert_int_equal(outfile_open(&o, fresh("a"), error), 0);
	assert_int_equal(outfile_commit(&o, error), 0);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(outfile_open(&o, path, error), 0);
	fputs("new", o.f);
	assert_int_equal(outfile_commit(&o, error), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 3);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(unlink(path), 0);
}

static void
a_link_stays_and_its_target_is_written(void **state)
{
	char target[sizeof(path)];
	struct outfile o;
	struct stat st;

	(void)state;
	snprintf(target, sizeof(target), "%s", fresh("target"));
	assert_int_equal(symlink("target", at("a")), 0); /* points to nothing yet */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(outfile_open(&o, path, error), 0);
		fputs("text", o.f);
		assert_int_equal(outfile_commit(&o, error), 0);
		assert_int_equal(lstat(path, &st), 0);
		assert_true(S_ISLNK(st.st_mode));
		assert_int_equal(lstat(target, &st), 0);
		assert_true(S_ISREG(st.st_mode) && st.st_size == 4);
	}
	assert_int_equal(unlink(target), 0);
	assert_int_equal(unlink(path), 0);
	assert_true(folder_is_empty());
	assert_int_equal(symlink("a", path), 0);
	assert_int_equal(outfile_open(&o, path, error), -ELOOP);
	assert_int_equal(unlink(path), 0);
}

static void
names_of_one_file_are_the_same(void **state)
{
	char a[sizeof(path)], other[sizeof(path) + 8];
	FILE *f;

	(void)state;
	snprintf(a, sizeof(a), "%s", fresh("a"));
	snprintf(other, sizeof(other), "%s", at("./a"));
	for (int i = 0; i < 2; i++) { /* not there, and there */
		assert_true(paths_same(a, a));
		assert_true(paths_same(a, other));
		assert_false(paths_same(a, at("b")));
		assert_int_equal(symlink("a", path), 0);
		assert_true(paths_same(a, path));
		assert_int_equal(unlink(path), 0);
		f = fopen(a, "w");
		assert_non_null(f);
		fclose(f);
	}
	assert_int_equal(link(a, at("b")), 0);
	assert_true(paths_same(a, path));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(unlink(a), 0);
	assert_false(paths_same("/dev/null", "/dev/null")); /* takes all */
}

static bool
has_gnuplot(void)
{
	return plot_check("a.svg", error) == 0;
}

static char *
content(void)
{
	static char text[200000];
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void
plots_are_files_with_a_known_ending(void **state)
{
	(void)state;
	assert_int_equal(plot_check("a.pdf", error), -EINVAL);
	assert_non_null(strstr(error, "allowed: a file that ends with .svg or .png"));
	assert_int_equal(plot_check(".svg", error), -EINVAL);
}

static void
a_heat_map_shows_names_and_values(void **state)
{
	static const char *const policies[] = {"aim", "off", "it's `x`"};
	static const double good[] = {1, 1.25, NAN}, bad[] = {0.5, 17, 250};
	const struct plot_row rows[] = {{"sparse", "rr \"1\"", good}, {"dense", "flood_1", bad}};

	(void)state;
	if (!has_gnuplot())
		skip();
	assert_int_equal(
	    plot_matrix(fresh("m.svg"), "Cost 'x'", policies, 3, rows, 2, false, error), 0);
	assert_non_null(strstr(content(), "aim"));
	assert_non_null(strstr(content(), "1.25"));
	assert_non_null(strstr(content(), "17.0"));
	assert_non_null(strstr(content(), "flood_1"));
	assert_non_null(strstr(content(), "it's `x`"));
	assert_null(strstr(content(), folder));
	assert_int_equal(plot_matrix(fresh("m.png"), "Cost", policies, 3, rows, 2, true, error), 0);
	assert_memory_equal(content(), "\x89PNG", 4);
}

static void
a_tradeoff_with_nothing_to_draw_is_empty(void **state)
{
	struct plot_point points[] = {{"aim", 0, 5}, {"off", 100, NAN}};
	const struct plot_panel panels[] = {{"Nothing", points, 2}, {"Less", points, 0}};

	(void)state;
	if (!has_gnuplot())
		skip();
	assert_int_equal(plot_tradeoff(fresh("t.svg"), panels, 2, error), 0);
	assert_non_null(strstr(content(), "Nothing"));
}

static void
a_series_has_the_published_points_beside(void **state)
{
	const struct result_slice slices[] = {{1, 10016, 1e4, 49.92}, {2, 20032, 2e4, 49.92}};
	const struct plot_series series[] = {{"e1000", slices, 2}, {"none", NULL, 0}};
	const struct plot_published published[] = {{1, 10015}, {2, 20007}};

	(void)state;
	if (!has_gnuplot())
		skip();
	assert_int_equal(plot_series(fresh("s.svg"), "TCP_RR", PLOT_RATE | PLOT_INTERVAL, series, 2,
				     published, 2, error),
			 0);
	assert_non_null(strstr(content(), "published"));
	assert_non_null(strstr(content(), "throttle, us"));
	assert_null(strstr(content(), "interrupts"));
}

static int
folder_make(void **state)
{
	(void)state;
	return mkdtemp(folder) != NULL ? 0 : -1;
}

static int
folder_remove(void **state)
{
	(void)state;
	fresh("");
	return rmdir(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(text_is_aligned_and_leaves_out_what_is_empty),
	    cmocka_unit_test(text_counts_letters_not_bytes),
	    cmocka_unit_test(csv_quotes_and_leaves_missing_numbers_empty),
	    cmocka_unit_test(csv_of_equal_sections_has_one_header),
	    cmocka_unit_test(json_holds_the_numbers_that_the_text_shows),
	    cmocka_unit_test(all_figures_have_a_column),
	    cmocka_unit_test(a_file_appears_when_it_is_whole),
	    cmocka_unit_test(a_file_given_up_leaves_nothing_and_the_old_one),
	    cmocka_unit_test(a_file_that_cannot_be_written_is_named),
	    cmocka_unit_test(a_file_that_is_replaced_keeps_its_mode),
	    cmocka_unit_test(a_link_stays_and_its_target_is_written),
	    cmocka_unit_test(names_of_one_file_are_the_same),
	    cmocka_unit_test(plots_are_files_with_a_known_ending),
	    cmocka_unit_test(a_heat_map_shows_names_and_values),
	    cmocka_unit_test(a_tradeoff_with_nothing_to_draw_is_empty),
	    cmocka_unit_test(a_series_has_the_published_points_beside),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
