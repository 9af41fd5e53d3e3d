/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "infile.h"
#include "lines.h"
#include "series.h"

#define FIELDS 9
#define ROWS_MAX 10000
#define SLICES_MAX 100000

static const char *const field_names[FIELDS] = {"label",  "scenario",  "policy",    "peer", "keys",
						"figure", "published", "tolerance", "kind"};

static const struct {
	const char *name;
	size_t offset;
} slice_figures[] = {
    {"pps", offsetof(struct result_slice, pps)},
    {"irqs", offsetof(struct result_slice, irqs)},
    {"interval_us", offsetof(struct result_slice, interval_us)},
};

/* Digits at *text, and *text behind them. */
static bool
index_parse(const char **text, size_t *index)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	*index = strtoul(*text, &end, 10);
	*text = end;
	return *index < SLICES_MAX;
}

/* "slice[3].pps", "slice[3-7].pps" */
static bool
slice_parse(struct table_row *row, const char *text)
{
	const char *end = text + 6;

	if (strncmp(text, "slice[", 6) != 0 || !index_parse(&end, &row->slice))
		return false;
	row->slice_last = row->slice;
	if (*end == '-') {
		end++;
		if (!index_parse(&end, &row->slice_last) || row->slice_last < row->slice)
			return false;
	}
	if (strncmp(end, "].", 2) != 0)
		return false;
	for (size_t i = 0; i < sizeof(slice_figures) / sizeof(slice_figures[0]); i++)
		if (strcmp(end + 2, slice_figures[i].name) == 0) {
			row->slice_offset = slice_figures[i].offset;
			return true;
		}
	return false;
}

static int
field_take(struct table_row *row, size_t i, const char *text, char error[LAB_ERROR_MAX])
{
	static const char *const kinds[] = {"predicted", "fitted", "open"};
	static const struct {
		size_t offset, size;
	} texts[FIELDS] = {
	    [0] = {offsetof(struct table_row, label), sizeof(row->label)},
	    [1] = {offsetof(struct table_row, scenario), sizeof(row->scenario)},
	    [4] = {offsetof(struct table_row, params), sizeof(row->params)},
	    [5] = {offsetof(struct table_row, figure_name), sizeof(row->figure_name)},
	};
	bool none = strcmp(text, "-") == 0;

	if (texts[i].size != 0) {
		if (text[0] == '\0' || strlen(text) >= texts[i].size)
			return lab_error(error, "%s '%.40s'; allowed: 1 to %zu bytes",
					 field_names[i], text, texts[i].size - 1);
		memcpy((char *)row + texts[i].offset, text, strlen(text) + 1);
	}
	switch (i) {
	case 2:
		return lab_policy_parse(&row->policy, text, error);
	case 3:
		row->has_peer = !none;
		return none ? 0 : lab_policy_parse(&row->peer, text, error);
	case 4:
		if (none)
			row->params[0] = '\0';
		return 0;
	case 5:
		row->figure = result_figure_find(text);
		if (row->figure == NULL && !slice_parse(row, text))
			return lab_error(
			    error,
			    "no figure '%.40s'; allowed: those of 'aim-lab list', "
			    "slice[N].pps, slice[N].irqs, slice[N].interval_us, the same "
			    "with slice[N-M]",
			    text);
		return 0;
	case 6:
	case 7:
		if (!lines_number(text, i == 6 ? &row->published : &row->tolerance))
			return lab_error(error, "%s '%.40s'; allowed: a number from 0",
					 field_names[i], text);
		return 0;
	case 8:
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
			if (strcmp(text, kinds[k]) == 0) {
				row->kind = (enum table_kind)k;
				return 0;
			}
		return lab_error(error, "kind '%.40s'; allowed: predicted, fitted, open", text);
	default:
		return 0;
	}
}

static int
row_add(struct table *t, struct lines *l, char error[LAB_ERROR_MAX])
{
	struct table_row row = {.line = l->n, .ours = NAN};
	char what[LAB_ERROR_MAX];
	char *field[FIELDS];
	struct table_row *rows;

	if (!lines_fields(l->text, field, FIELDS))
		return lines_error(l, error,
				   "not %d fields; allowed: label | scenario | policy | peer | "
				   "key=value;... | figure | published | tolerance %% | kind",
				   FIELDS);
	for (size_t i = 0; i < FIELDS; i++)
		if (field_take(&row, i, field[i], what) != 0)
			return lines_error(l, error, "%s", what);
	if (t->n == ROWS_MAX)
		return lines_error(l, error, "more than %d rows", ROWS_MAX);
	rows = reallocarray(t->rows, t->n + 1, sizeof(*rows));
	if (rows == NULL) {
		lab_error(error, "out of memory");
		return -ENOMEM;
	}
	t->rows = rows;
	t->rows[t->n++] = row;
	return 0;
}

static int
heading_take(struct table *t, struct lines *l, char error[LAB_ERROR_MAX])
{
	char *key, *value, *to;
	size_t size;

	if (!lines_assignment(l->text, &key, &value))
		return lines_error(l, error,
				   "'%.40s'; allowed: title = ..., source = ..., or a row with |",
				   l->text);
	to = strcmp(key, "title") == 0 ? t->title : strcmp(key, "source") == 0 ? t->source : NULL;
	size = to == t->title ? sizeof(t->title) : sizeof(t->source);
	if (to == NULL)
		return lines_error(l, error, "no key '%.40s'; allowed: title, source", key);
	if (to[0] != '\0')
		return lines_error(l, error, "%s is given twice; once is allowed", key);
	if (value[0] == '\0' || strlen(value) >= size)
		return lines_error(l, error, "%s; allowed: 1 to %zu bytes of text", key, size - 1);
	memcpy(to, value, strlen(value) + 1);
	return 0;
}

static void
name_set(struct table *t)
{
	const char *start = strrchr(t->path, '/');
	size_t n;

	start = start != NULL ? start + 1 : t->path;
	n = strcspn(start, ".");
	snprintf(t->name, sizeof(t->name), "%.*s", (int)(n < 63 ? n : 63), start);
	if (!lines_printable(t->name))
		t->name[0] = '\0';
}

int
table_read(struct table *t, const char *what, char error[LAB_ERROR_MAX])
{
	struct lines l = {0};
	int rc;

	*t = (struct table){0};
	rc = data_find(DATA_TABLES, DATA_TABLE_END, what, t->path, sizeof(t->path), error);
	if (rc != 0)
		return rc;
	name_set(t);
	l.name = t->path;
	l.f = infile_open(t->path, error);
	if (l.f == NULL)
		return -errno;
	while ((rc = lines_next(&l, error)) > 0) {
		rc = strchr(l.text, '|') != NULL ? row_add(t, &l, error)
						 : heading_take(t, &l, error);
		if (rc != 0)
			break;
	}
	fclose(l.f);
	if (rc == 0 && (t->n == 0 || t->title[0] == '\0' || t->source[0] == '\0'))
		rc = lab_error(error,
			       "%.200s: not whole; allowed: a title, a source, and a row or more",
			       t->path);
	if (rc != 0)
		table_free(t);
	return rc;
}

void
table_free(struct table *t)
{
	jobs_free(t->jobs, t->jobs_n);
	free(t->rows);
	*t = (struct table){0};
}

static int
params_set(struct scenario *s, const char *params, char error[LAB_ERROR_MAX])
{
	char text[256], *save = NULL;

	snprintf(text, sizeof(text), "%s", params);
	for (char *p = strtok_r(text, ";", &save); p != NULL; p = strtok_r(NULL, ";", &save)) {
		char *key, *value;
		int rc;

		p = lines_trim(p);
		if (p[0] == '\0')
			continue;
		if (!lines_assignment(p, &key, &value))
			return lab_error(error, "'%.40s'; allowed: key=value; key=value", p);
		rc = scenario_set(s, key, value, error);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static bool
same_run(const struct table_row *a, const struct table_row *b)
{
	return strcmp(a->scenario, b->scenario) == 0 && strcmp(a->params, b->params) == 0 &&
	       strcmp(a->policy.name, b->policy.name) == 0 && a->has_peer == b->has_peer &&
	       (!a->has_peer || strcmp(a->peer.name, b->peer.name) == 0);
}

static int
job_make(struct job *job, const struct table_row *row, char error[LAB_ERROR_MAX])
{
	int rc = data_scenario(row->scenario, &job->scenario, error);

	if (rc == 0)
		rc = params_set(&job->scenario, row->params, error);
	if (rc == 0)
		rc = scenario_check(&job->scenario, error);
	job->policy = row->policy;
	job->peer = row->peer;
	job->has_peer = row->has_peer;
	return rc;
}

/* Will the run have the figure that the row asks for? */
static int
row_check(const struct table_row *row, const struct scenario *s, char error[LAB_ERROR_MAX])
{
	size_t n, slices = series_slices(s);

	if (row->figure == NULL && row->slice_last < slices)
		return 0;
	if (row->figure == NULL)
		return slices == 0
			   ? lab_error(error,
				       "%s; allowed: no slice, slice_us is longer than the run",
				       row->figure_name)
			   : lab_error(error,
				       "%s; allowed: slice[0] to slice[%zu], as the run has %zu",
				       row->figure_name, slices - 1, slices);
	if (load_has(s, row->figure))
		return 0;
	lab_error(error, "%s: a run of %s has no such figure; allowed: slice[N], ",
		  row->figure_name, row->scenario);
	n = strlen(error);
	for (const struct result_figure *f = result_figures; f->name != NULL && n < LAB_ERROR_MAX;
	     f++)
		if (load_has(s, f))
			n += (size_t)snprintf(error + n, LAB_ERROR_MAX - n, "%s%s",
					      f == result_figures ? "" : ", ", f->name);
	return -EINVAL;
}

int
table_jobs(struct table *t, char error[LAB_ERROR_MAX])
{
	char what[LAB_ERROR_MAX];

	t->jobs = calloc(t->n, sizeof(*t->jobs));
	if (t->jobs == NULL) {
		lab_error(error, "out of memory");
		return -ENOMEM;
	}
	for (size_t i = 0; i < t->n; i++) {
		struct table_row *row = &t->rows[i];
		size_t j = 0;

		while (j < i && !same_run(&t->rows[j], row))
			j++;
		row->job = j < i ? t->rows[j].job : t->jobs_n;
		if ((j == i && job_make(&t->jobs[t->jobs_n++], row, what) != 0) ||
		    row_check(row, &t->jobs[row->job].scenario, what) != 0)
			return lab_error(error, "%.200s:%u: %.290s", t->path, row->line, what);
	}
	return 0;
}

static double
slices_mean(const struct result *r, const struct table_row *row)
{
	double sum = 0, value;

	for (size_t i = row->slice; i <= row->slice_last; i++) {
		memcpy(&value, (const char *)&r->slices[i] + row->slice_offset, sizeof(value));
		sum += value;
	}
	return sum / (double)(row->slice_last - row->slice + 1);
}

int
table_run(struct table *t, unsigned int threads, char error[LAB_ERROR_MAX])
{
	int rc = jobs_run(t->jobs, t->jobs_n, threads, t->name, error);

	for (size_t i = 0; rc == 0 && i < t->n; i++) {
		struct table_row *row = &t->rows[i];
		const struct result *r = &t->jobs[row->job].result;

		if (row->figure != NULL)
			row->ours = result_get(r, row->figure);
		else if (row->slice_last < r->slices_n)
			row->ours = slices_mean(r, row);
		if (row->figure != NULL && row->figure->zero_is_none && isnan(row->ours) &&
		    row->published == 0)
			row->ours = 0;
	}
	return rc;
}

double
table_deviation(const struct table_row *row)
{
	if (row->published == 0)
		return row->ours == 0 ? 0 : NAN;
	return (row->ours - row->published) / row->published * 100;
}

bool
table_holds(const struct table_row *row)
{
	return row->kind == TABLE_OPEN || fabs(table_deviation(row)) <= row->tolerance;
}
