/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix_report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "plot.h"

#define MISSES_SHOWN 12 /* of a rule, in the text */
#define NOTES_SHOWN 12

/* What is said of a policy's run beside the unthrottled one. */
enum { RATE, P99, COST, WRITES, LOST, MEASURES, BADNESS };

static double
measure(const struct result *r, const struct result *off, int which)
{
	switch (which) {
	case RATE:
		return off->pps > 0 ? r->pps / off->pps : NAN;
	case P99:
		return off->p99_us > 0 && r->p99_us > 0 ? r->p99_us / off->p99_us : NAN;
	case COST:
		return r->cost > 0 ? r->cost : NAN;
	case WRITES:
		return r->writes;
	default:
		return r->lost_ring + r->lost_sink;
	}
}

/* 1 is as good as it can be: latency where traffic is sparse, cost, or slowness of a loop. */
static double
badness(const struct matrix_row *row, const struct result *r, const struct result *off)
{
	double rate = measure(r, off, RATE);

	if (((row->rules >> rule_find("sparse")) & 1) != 0)
		return measure(r, off, P99);
	if (r->cost > 0)
		return r->cost;
	return rate > 0 ? 1 / rate : NAN;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Rows i and j stand for the same line of a summary. */
static bool
same_line(const struct matrix *m, size_t i, size_t j, bool scenarios)
{
	return strcmp(m->rows[i].group, m->rows[j].group) == 0 &&
	       (!scenarios || strcmp(m->rows[i].scenario, m->rows[j].scenario) == 0);
}

static bool
is_first(const struct matrix *m, size_t row, bool scenarios)
{
	for (size_t i = 0; i < row; i++)
		if (same_line(m, i, row, scenarios))
			return false;
	return true;
}

/* Values of all cells of a row's line that have one, sorted; their number. */
static size_t
collect(const struct matrix *m, size_t row, bool scenarios, size_t policy, int which,
	double *values)
{
	size_t n = 0;

	for (size_t i = 0; i < m->cells_n; i++) {
		const struct matrix_cell *cell = &m->cells[i];
		const struct result *r = matrix_result(m, cell, policy);
		double value;

		if (r == NULL || !same_line(m, cell->row, row, scenarios))
			continue;
		value = which == BADNESS
			    ? badness(&m->rows[cell->row], r, matrix_off(m, cell, policy))
			    : measure(r, matrix_off(m, cell, policy), which);
		if (isfinite(value))
			values[n++] = value;
	}
	qsort(values, n, sizeof(*values), by_value);
	return n;
}

static size_t
cells_of(const struct matrix *m, size_t row, size_t policy)
{
	size_t n = 0;

	for (size_t i = 0; i < m->cells_n; i++)
		n += m->cells[i].run[policy] != MATRIX_NONE &&
		     same_line(m, m->cells[i].row, row, false);
	return n;
}

static void
report_summary(const struct matrix *m, struct report *r, double *values)
{
	static const struct report_column columns[] = {
	    REPORT_LABEL("group"),
	    REPORT_LABEL("policy"),
	    {.name = "cells", .decimals = 0},
	    {.name = "rate_worst", .unit = "of off", .decimals = 3},
	    {.name = "rate_median", .unit = "of off", .decimals = 3},
	    {.name = "p99_worst", .unit = "x off", .decimals = 2},
	    {.name = "p99_median", .unit = "x off", .decimals = 2},
	    {.name = "cost_worst", .unit = "x opt", .decimals = 2},
	    {.name = "cost_median", .unit = "x opt", .decimals = 2},
	    {.name = "writes_worst", .unit = "1/s", .decimals = 0},
	    {.name = "writes_median", .unit = "1/s", .decimals = 0},
	    {.name = "lost_worst", .decimals = 0},
	    {.name = "lost_median", .decimals = 0},
	};

	report_section(r, "summary", m->title, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t row = 0; row < m->rows_n; row++)
		for (size_t p = 0; is_first(m, row, false) && p < m->policies_n; p++) {
			size_t cells = cells_of(m, row, p);

			if (cells == 0)
				continue;
			report_text(r, m->rows[row].group);
			report_text(r, m->policies[p].name);
			report_number(r, (double)cells);
			for (int which = 0; which < MEASURES; which++) {
				size_t n = collect(m, row, false, p, which, values);

				report_number(r, n == 0		 ? NAN
						 : which == RATE ? values[0]
								 : values[n - 1]);
				report_number(r, n == 0 ? NAN : values[n / 2]);
			}
		}
	report_note(r,
		    "rate, p99: beside an unthrottled host in the same cell; cost: interrupts and "
		    "waiting over those of the offline optimum");
}

static void
report_rules(const struct matrix *m, struct report *r)
{
	static const struct report_column columns[] = {
	    REPORT_LABEL("rule"),
	    {.name = "cells", .decimals = 0},
	    {.name = "missed", .decimals = 0},
	    {.name = "known", .decimals = 0},
	    {.name = "by_seed", .decimals = 0},
	    {.name = "by_late", .decimals = 0},
	    {.name = "by_fixed", .decimals = 0},
	    REPORT_LABEL("allowed"),
	};
	size_t missed = 0, missed_known = 0;

	report_section(r, "acceptance", "What " MATRIX_SUBJECT " must reach", columns,
		       sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; rules[i].name != NULL; i++) {
		size_t n = 0, misses = 0, known = 0, by_fixed = 0, by_seed = 0, by_late = 0;

		for (size_t k = 0; k < m->checks_n; k++) {
			const struct rule_verdict *v = &m->checks[k].verdict;

			if (m->checks[k].rule != i)
				continue;
			n++;
			misses += !v->holds;
			known += m->checks[k].known;
			by_fixed += v->by_fixed;
			by_seed += v->by_seed;
			by_late += v->by_late && v->holds;
		}
		missed += misses;
		missed_known += known;
		if (n == 0)
			continue;
		report_text(r, rules[i].name);
		report_number(r, (double)n);
		report_number(r, (double)misses);
		report_number(r, (double)known);
		report_number(r, rules[i].again ? (double)by_seed : NAN);
		report_number(r, rules[i].again ? (double)by_late : NAN);
		report_number(r, rules[i].grid ? (double)by_fixed : NAN);
		report_text(r, rules[i].about);
	}
	report_note(r, "%zu cells, %zu runs, %zu checks, %zu missed, %zu of them known", m->cells_n,
		    m->jobs_n, m->checks_n, missed, missed_known);
}

/* What the list of known misses no longer says rightly, a line each. */
static void
report_stale(const struct matrix *m, struct report *r, bool all)
{
	const struct known_list *list = &m->known;
	size_t n = 0;

	for (size_t i = 0; !m->by_param && i < list->n; i++) {
		const struct known_miss *miss = &list->miss[i];
		const char *what = miss->state == KNOWN_HOLDS ? "no longer misses: remove it"
				   : miss->state == KNOWN_BETTER
				       ? "misses less than listed: renew it"
				   : miss->state == KNOWN_NOT_RUN && !m->by_group
				       ? "no such cell: remove it"
				       : NULL;

		if (what != NULL && (++n <= NOTES_SHOWN || all))
			report_note(r, "%s | %s | %s: %s (%s:%u)", rules[miss->rule].name,
				    miss->scenario, miss->cell[0] != '\0' ? miss->cell : "-", what,
				    list->path, miss->line);
	}
	if (n > NOTES_SHOWN && !all)
		report_note(r, "and %zu more lines of that list, which --json shows",
			    n - NOTES_SHOWN);
}

/* By rule, those that are not known before the others, the worst first. */
static int
by_excess(const void *a, const void *b)
{
	const struct matrix_check *x = *(const struct matrix_check *const *)a;
	const struct matrix_check *y = *(const struct matrix_check *const *)b;

	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	if (x->known != y->known)
		return x->known ? 1 : -1;
	if (x->verdict.excess != y->verdict.excess)
		return x->verdict.excess > y->verdict.excess ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int
report_misses(const struct matrix *m, struct report *r, bool all)
{
	static const struct report_column columns[] = {
	    REPORT_LABEL("rule"), REPORT_LABEL("group"), REPORT_LABEL("scenario"),
	    REPORT_LABEL("cell"), REPORT_LABEL("known"), REPORT_LABEL("missed"),
	};
	const struct matrix_check **misses = calloc(m->checks_n + 1, sizeof(*misses));
	size_t n = 0, shown = 0, left = 0;

	if (misses == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < m->checks_n; i++)
		if (!m->checks[i].verdict.holds)
			misses[n++] = &m->checks[i];
	qsort(misses, n, sizeof(*misses), by_excess);
	if (n > 0 || all)
		report_section(r, "misses", "Where it misses, the worst first", columns,
			       sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < n; i++) {
		const struct matrix_row *row = &m->rows[m->cells[misses[i]->cell].row];

		shown = i > 0 && misses[i]->rule == misses[i - 1]->rule ? shown + 1 : 1;
		if (!all && shown > MISSES_SHOWN) {
			left++;
			continue;
		}
		report_text(r, rules[misses[i]->rule].name);
		report_text(r, row->group);
		report_text(r, row->scenario);
		report_text(r, m->cells[misses[i]->cell].keys);
		report_text(r, misses[i]->known		   ? misses[i]->listed->reason
			       : misses[i]->listed != NULL ? "worse than listed"
							   : "");
		report_text(r, misses[i]->verdict.what);
	}
	if (left > 0)
		report_note(r, "and %zu more, which --json lists", left);
	free(misses);
	return 0;
}

/* What the rules say of a cell: "ok", "loop: rate ...", "" without a rule. */
static void
verdict_text(const struct matrix *m, size_t cell, size_t *check, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (; *check < m->checks_n && m->checks[*check].cell == cell; ++*check) {
		const struct rule_verdict *v = &m->checks[*check].verdict;

		if (n == 0)
			snprintf(text, size, "ok");
		if (!v->holds && n < size)
			n += (size_t)snprintf(text + n, size - n, "%s%s: %s%s", n > 0 ? "; " : "",
					      rules[m->checks[*check].rule].name, v->what,
					      m->checks[*check].known ? " (known)" : "");
	}
}

static void
report_cells(const struct matrix *m, struct report *r)
{
	struct report_column columns[64] = {
	    REPORT_LABEL("group"),
	    REPORT_LABEL("scenario"),
	    REPORT_LABEL("cell"),
	    REPORT_LABEL("policy"),
	    REPORT_LABEL("verdict"),
	    {.name = "rate_off", .unit = "of off", .decimals = 4},
	    {.name = "p99_off", .unit = "x off", .decimals = 4},
	};
	size_t check = 0;

	report_section(r, "figures", NULL, columns, report_figure_columns(columns, 7, 64));
	for (size_t i = 0; i < m->cells_n; i++) {
		const struct matrix_cell *cell = &m->cells[i];
		const struct matrix_row *row = &m->rows[cell->row];

		for (size_t p = 0; p < m->policies_n; p++) {
			const struct result *result = matrix_result(m, cell, p);
			char verdict[512] = "";

			if (result == NULL)
				continue;
			if (strcmp(m->policies[p].name, MATRIX_SUBJECT) == 0)
				verdict_text(m, i, &check, verdict, sizeof(verdict));
			report_text(r, row->group);
			report_text(r, row->scenario);
			report_text(r, cell->keys);
			report_text(r, m->policies[p].name);
			report_text(r, verdict);
			report_number(r, measure(result, matrix_off(m, cell, p), RATE));
			report_number(r, measure(result, matrix_off(m, cell, p), P99));
			report_figures(r, result);
		}
	}
}

int
matrix_report(const struct matrix *m, enum report_format format, struct report *r,
	      char error[LAB_ERROR_MAX])
{
	double *values = calloc(m->cells_n, sizeof(*values));
	int rc = values != NULL ? 0 : -ENOMEM;

	if (rc == 0 && format != REPORT_TEXT)
		report_cells(m, r);
	if (rc == 0 && format != REPORT_CSV) {
		report_summary(m, r, values);
		if (m->checks_n > 0) {
			report_rules(m, r);
			report_stale(m, r, format == REPORT_JSON);
			rc = report_misses(m, r, format == REPORT_JSON);
		}
	}
	free(values);
	if (rc != 0)
		lab_error(error, "out of memory");
	return rc;
}

/* "loop", "dense: batches" */
static void
class_name(const struct matrix_row *row, char *name, size_t size)
{
	if (strncmp(row->scenario, row->group, strlen(row->group)) == 0)
		snprintf(name, size, "%s", row->scenario);
	else
		snprintf(name, size, "%s: %s", row->group, row->scenario);
}

int
matrix_plot(const struct matrix *m, const char *path, char error[LAB_ERROR_MAX])
{
	struct plot_row *rows = calloc(m->rows_n, sizeof(*rows));
	double *table = calloc(m->rows_n * m->policies_n, sizeof(*table));
	double *values = calloc(m->cells_n, sizeof(*values));
	const char **columns = calloc(m->policies_n, sizeof(*columns));
	char(*names)[100] = calloc(m->rows_n, sizeof(*names));
	size_t n = 0;
	int rc = -ENOMEM;

	lab_error(error, "out of memory");
	if (rows == NULL || table == NULL || values == NULL || columns == NULL || names == NULL)
		goto out;
	for (size_t p = 0; p < m->policies_n; p++)
		columns[p] = m->policies[p].name;
	for (size_t i = 0; i < m->rows_n; i++) {
		bool any = false;

		for (size_t p = 0; is_first(m, i, true) && p < m->policies_n; p++) {
			size_t values_n = collect(m, i, true, p, BADNESS, values);

			table[n * m->policies_n + p] = values_n > 0 ? values[values_n - 1] : NAN;
			any |= values_n > 0;
		}
		if (!any)
			continue;
		class_name(&m->rows[i], names[n], sizeof(names[n]));
		rows[n] = (struct plot_row){.group = m->rows[i].group,
					    .name = names[n],
					    .value = &table[n * m->policies_n]};
		n++;
	}
	rc = plot_matrix(path,
			 "Worst cell, 1 is best: cost over the optimum; sparse: p99 over off's; "
			 "loops: rate of off over rate",
			 columns, m->policies_n, rows, n, false, error);
out:
	free(rows);
	free(table);
	free(values);
	free(columns);
	free(names);
	return rc;
}
