/* SPDX-License-Identifier: BSD-3-Clause */
/* aim-lab table: published figures beside ours. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "data.h"
#include "lines.h"
#include "plot.h"
#include "table.h"

#define TABLES_MAX 64

static void
report_table(const struct table *t, struct report *r)
{
	static const struct report_column columns[] = {
	    REPORT_LABEL("table"),
	    REPORT_LABEL("row"),
	    REPORT_LABEL("figure"),
	    {.name = "published", .decimals = 2},
	    {.name = "ours", .decimals = 2},
	    {.name = "deviation", .unit = "%", .decimals = 2},
	    {.name = "tolerance", .unit = "%", .decimals = 1},
	    REPORT_LABEL("kind"),
	    REPORT_LABEL("verdict"),
	};
	static const char *const kinds[] = {"predicted", "fitted", "open"};
	size_t held = 0, asserted = 0;

	report_section(r, t->name, t->title, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < t->n; i++) {
		const struct table_row *row = &t->rows[i];
		bool open = row->kind == TABLE_OPEN;

		asserted += !open;
		held += !open && table_holds(row);
		report_text(r, t->name);
		report_text(r, row->label);
		report_text(r, row->figure_name);
		report_number(r, row->published);
		report_number(r, row->ours);
		report_number(r, table_deviation(row));
		report_number(r, open ? NAN : row->tolerance);
		report_text(r, kinds[row->kind]);
		report_text(r, open ? "shown" : table_holds(row) ? "ok" : "MISS");
	}
	report_note(r, "published: %s", t->source);
	report_note(
	    r,
	    "%zu of %zu rows within their tolerance; predicted: no constant is fitted to these "
	    "figures, fitted: some are, open: may deviate",
	    held, asserted);
}

/* The series of all runs of which the table names slices, the published rates beside. */
static int
plot_table(const struct table *t, const char *path, char error[LAB_ERROR_MAX])
{
	struct plot_series *series = calloc(t->jobs_n + 1, sizeof(*series));
	struct plot_published *published = calloc(t->n + 1, sizeof(*published));
	char(*names)[140] = calloc(t->jobs_n + 1, sizeof(*names));
	size_t n = 0, published_n = 0;
	int rc = -ENOMEM;

	lab_error(error, "out of memory");
	if (series == NULL || published == NULL || names == NULL)
		goto out;
	for (size_t i = 0; i < t->n; i++) {
		const struct table_row *row = &t->rows[i];
		const struct job *job = &t->jobs[row->job];
		size_t j = 0;

		if (row->figure != NULL)
			continue;
		while (j < n && series[j].slices != job->result.slices)
			j++;
		if (j == n) {
			snprintf(names[n], sizeof(names[n]), "%s%s%s", job->policy.name,
				 job->has_peer ? ", peer " : "",
				 job->has_peer ? job->peer.name : "");
			series[n] = (struct plot_series){.name = names[n],
							 .slices = job->result.slices,
							 .n = job->result.slices_n};
			n++;
		}
		if (row->slice_last < job->result.slices_n &&
		    row->slice_offset == offsetof(struct result_slice, pps))
			published[published_n++] = (struct plot_published){
			    .s = (job->result.slices[row->slice].end_s +
				  job->result.slices[row->slice_last].end_s) /
				 2,
			    .pps = row->published};
	}
	rc = n == 0
		 ? lab_error(error,
			     "table %s has no series; --plot is allowed for tables with slice[N]",
			     t->name)
		 : plot_series(path, t->title, PLOT_RATE, series, n, published, published_n, error);
out:
	free(series);
	free(published);
	free(names);
	return rc;
}

static int
tables_read(const struct options *o, struct table *tables, size_t *n, char error[LAB_ERROR_MAX])
{
	struct data_names names = {0};
	const char *const *wanted = o->operand;
	size_t wanted_n = o->operands_n;
	int rc = 0;

	for (size_t i = 0; wanted_n > 1 && i < o->operands_n; i++)
		if (strcmp(o->operand[i], "all") == 0)
			return lab_error(
			    error, "'all' among %zu names; allowed: all alone, or tables by name",
			    wanted_n);
	if (wanted_n == 1 && strcmp(wanted[0], "all") == 0) {
		rc = data_names(DATA_TABLES, DATA_TABLE_END, &names, error);
		wanted = (const char *const *)names.name;
		wanted_n = names.n;
	}
	if (rc == 0 && wanted_n > TABLES_MAX)
		rc = lab_error(error, "%zu tables; allowed: %d at most", wanted_n, TABLES_MAX);
	for (size_t i = 0; rc == 0 && i < wanted_n; i++) {
		rc = table_read(&tables[*n], wanted[i], error);
		*n += rc == 0;
	}
	if (rc == 0 && *n == 0)
		rc = lab_error(error, "no table in %.200s/" DATA_TABLES, data_dir());
	if (rc == 0 && o->plot != NULL && *n > 1)
		rc = lab_error(error, "--plot with %zu tables; allowed: one", *n);
	data_names_free(&names);
	return rc;
}

static int
table(const struct options *o)
{
	char error[LAB_ERROR_MAX] = "out of memory";
	struct table *tables = calloc(TABLES_MAX, sizeof(*tables));
	struct report *r = report_new();
	struct outfile out = {0};
	size_t n = 0, missed = 0;
	int rc = r == NULL || tables == NULL ? -ENOMEM : 0;

	if (rc == 0)
		rc = tables_read(o, tables, &n, error);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = table_jobs(&tables[i], error);
	if (rc == 0)
		rc = cmd_output_open(o, &out, error);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = table_run(&tables[i], o->jobs, error);
		if (rc != 0)
			break;
		report_table(&tables[i], r);
		for (size_t k = 0; k < tables[i].n; k++)
			missed += !table_holds(&tables[i].rows[k]);
	}
	if (rc == 0 && o->plot != NULL)
		rc = plot_table(&tables[0], o->plot, error);
	if (rc == 0)
		rc = cmd_output_write(o, &out, r, error);
	outfile_abort(&out);
	for (size_t i = 0; i < n; i++)
		table_free(&tables[i]);
	free(tables);
	report_free(r);
	if (rc != 0)
		return cmd_failed(rc, error);
	return missed == 0 ? EXIT_OK : EXIT_MISS;
}

const struct cmd cmd_table = {
    .name = "table",
    .operands = "NAME...|all",
    .of = "table, which 'aim-lab list' lists",
    .about = "published figures beside ours, with the deviation",
    .details =
	"NAME is a name of 'aim-lab list', or a file when it has a / or a dot. Exit status 1 when\n"
	"a row misses its tolerance. --plot draws the rate over time of a table with slices.\n",
    .takes = OPTION_REPORT | OPTION_PLOT | OPTION_JOBS,
    .operands_min = 1,
    .operands_max = TABLES_MAX,
    .run = table,
};
