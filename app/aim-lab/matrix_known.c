/* SPDX-License-Identifier: BSD-3-Clause */
/* Known misses: reading and writing their list, and holding a run against it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "infile.h"
#include "lines.h"
#include "matrix.h"

#define FIELDS 5
#define KNOWN_MAX 10000
#define KNOWN_END ".known"
#define SLACK 1.01 /* worse than listed: the last digits are other compilers' */
#define BETTER 0.9 /* of what is listed */

static int
no_memory(char error[LAB_ERROR_MAX])
{
	lab_error(error, "out of memory");
	return -ENOMEM;
}

static void
miss_free(struct known_miss *miss)
{
	free(miss->scenario);
	free(miss->cell);
	free(miss->reason);
}

void
known_free(struct known_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		miss_free(&list->miss[i]);
	free(list->miss);
	*list = (struct known_list){0};
}

/* A line behind the others: its texts are copied, the rest is as in *miss. */
static int
miss_add(struct known_list *list, const struct known_miss *miss, char error[LAB_ERROR_MAX])
{
	struct known_miss *more, own = *miss;

	if (list->n == KNOWN_MAX)
		return lab_error(error, "more than %d known misses", KNOWN_MAX);
	more = reallocarray(list->miss, list->n + 1, sizeof(*more));
	if (more == NULL)
		return no_memory(error);
	list->miss = more;
	own.scenario = strdup(miss->scenario);
	own.cell = strdup(miss->cell);
	own.reason = strdup(miss->reason);
	if (own.scenario == NULL || own.cell == NULL || own.reason == NULL) {
		miss_free(&own);
		return no_memory(error);
	}
	list->miss[list->n++] = own;
	return 0;
}

/* "allowed: a, b" behind what is in error[] */
static int
allowed(char error[LAB_ERROR_MAX], size_t i, const char *name)
{
	size_t n = strlen(error);

	if (n < LAB_ERROR_MAX)
		snprintf(error + n, LAB_ERROR_MAX - n, "%s%s", i > 0 ? ", " : "; allowed: ", name);
	return -EINVAL;
}

static int
rule_take(struct known_miss *miss, const char *text, char error[LAB_ERROR_MAX])
{
	int rule = rule_find(text);

	if (rule < 0) {
		lab_error(error, "no rule '%.40s'", text);
		for (size_t i = 0; rules[i].name != NULL; i++)
			allowed(error, i, rules[i].name);
		return -EINVAL;
	}
	miss->rule = (size_t)rule;
	return 0;
}

static int
figure_take(struct known_miss *miss, char *text, char error[LAB_ERROR_MAX])
{
	char *key, *value;
	size_t i = 0;

	if (!lines_assignment(text, &key, &value))
		return lab_error(error, "'%.40s'; allowed: figure=value; figure=value", text);
	while (i < RULE_FIGURES && strcmp(key, rule_figures[i]) != 0)
		i++;
	if (i == RULE_FIGURES) {
		lab_error(error, "no figure '%.40s'", key);
		for (i = 0; i < RULE_FIGURES; i++)
			allowed(error, i, rule_figures[i]);
		return -EINVAL;
	}
	if (((miss->missed >> i) & 1) != 0)
		return lab_error(error, "%s is given twice; once is allowed", key);
	miss->missed |= 1u << i;
	miss->figure[i] = NAN;
	if (strcmp(value, "none") != 0 && !lines_number(value, &miss->figure[i]))
		return lab_error(error, "%s = %.40s; allowed: none, or a number from 0", key,
				 value[0] != '\0' ? value : "''");
	return 0;
}

static int
figures_take(struct known_miss *miss, char *text, char error[LAB_ERROR_MAX])
{
	char *save = NULL;
	int rc = 0;

	for (char *p = strtok_r(text, ";", &save); rc == 0 && p != NULL;
	     p = strtok_r(NULL, ";", &save))
		rc = figure_take(miss, lines_trim(p), error);
	if (rc == 0 && miss->missed == 0)
		rc = lab_error(error, "no figures; allowed: figure=value; figure=value");
	return rc;
}

static int
line_take(struct known_list *list, struct lines *l, char error[LAB_ERROR_MAX])
{
	struct known_miss miss = {.line = l->n};
	char what[LAB_ERROR_MAX];
	char *field[FIELDS];
	int rc;

	if (!lines_fields(l->text, field, FIELDS))
		return lines_error(l, error,
				   "not %d fields; allowed: rule | scenario | cell | "
				   "figure=value; figure=value | reason",
				   FIELDS);
	miss.scenario = field[1];
	miss.cell = strcmp(field[2], "-") == 0 ? (field[2] + 1) : field[2];
	miss.reason = field[4];
	rc = rule_take(&miss, field[0], what);
	if (rc == 0 && field[1][0] == '\0')
		rc = lab_error(what, "no scenario; allowed: its name in the matrix");
	if (rc == 0 && field[2][0] == '\0')
		rc = lab_error(what, "no cell; allowed: -, or key=value key=value");
	if (rc == 0)
		rc = figures_take(&miss, field[3], what);
	if (rc == 0 && field[4][0] == '\0')
		rc = lab_error(what, "no reason; allowed: any text");
	if (rc == 0)
		rc = miss_add(list, &miss, what);
	if (rc != 0)
		lines_error(l, error, "%s", what);
	return rc;
}

int
known_read_stream(struct known_list *list, FILE *f, const char *path, char error[LAB_ERROR_MAX])
{
	struct lines l = {.f = f};
	int rc;

	*list = (struct known_list){0};
	snprintf(list->path, sizeof(list->path), "%s", path);
	l.name = list->path;
	while ((rc = lines_next(&l, error)) > 0) {
		rc = line_take(list, &l, error);
		if (rc != 0)
			break;
	}
	if (rc != 0)
		known_free(list);
	return rc;
}

int
known_read(struct matrix *m, char error[LAB_ERROR_MAX])
{
	const size_t n_end = strlen(DATA_MATRIX_END);
	char path[sizeof(m->known.path)];
	size_t n = strlen(m->path);
	FILE *f;
	int rc;

	if (n > n_end && strcmp(m->path + n - n_end, DATA_MATRIX_END) == 0)
		n -= n_end;
	snprintf(path, sizeof(path), "%.*s%s", (int)n, m->path, KNOWN_END);
	f = infile_open(path, error);
	if (f == NULL)
		return errno == ENOENT ? 0 : -errno;
	rc = known_read_stream(&m->known, f, path, error);
	fclose(f);
	return rc;
}

static const char *
reason_of(const struct matrix *m, const struct matrix_cell *cell)
{
	const char *peer = m->jobs[cell->run[m->subject]].scenario.peer;

	if (strcmp(peer, "dim") == 0 || strncmp(peer, "dim-", 4) == 0 || strcmp(peer, "enetc") == 0)
		return "peer-dim";
	return strcmp(peer, "ixgbe-2017") == 0 ? "peer-ratchet" : "open";
}

/* Four digits: well within the slack. */
static int
figure_print(char *to, size_t size, double value)
{
	if (isnan(value))
		return snprintf(to, size, "none");
	return value < 1000 ? snprintf(to, size, "%.4g", value) : snprintf(to, size, "%.0f", value);
}

/* A line of the list as it is written, without its end. @return its length */
static size_t
miss_print(const struct known_miss *miss, char *to, size_t size)
{
	size_t n = (size_t)snprintf(to, size, "%s | %s | %s |", rules[miss->rule].name,
				    miss->scenario, miss->cell[0] != '\0' ? miss->cell : "-");
	const char *before = " ";

	for (size_t i = 0; i < RULE_FIGURES; i++) {
		if (((miss->missed >> i) & 1) == 0 || n >= size)
			continue;
		n += (size_t)snprintf(to + n, size - n, "%s%s=", before, rule_figures[i]);
		if (n < size)
			n += (size_t)figure_print(to + n, size - n, miss->figure[i]);
		before = "; ";
	}
	if (n < size)
		n += (size_t)snprintf(to + n, size - n, " | %s", miss->reason);
	return n;
}

int
known_collect(struct matrix *m, char error[LAB_ERROR_MAX])
{
	char line[LINES_MAX + 1];
	int rc = 0;

	known_free(&m->known);
	for (size_t i = 0; rc == 0 && i < m->checks_n; i++) {
		const struct matrix_check *check = &m->checks[i];
		const struct matrix_cell *cell = &m->cells[check->cell];
		struct known_miss miss = {
		    .rule = check->rule,
		    .scenario = m->rows[cell->row].scenario,
		    .cell = cell->keys,
		    .missed = check->verdict.missed,
		};

		if (check->verdict.holds)
			continue;
		memcpy(miss.figure, check->verdict.figure, sizeof(miss.figure));
		miss.reason = (char *)(uintptr_t)reason_of(m, cell);
		if (miss_print(&miss, line, sizeof(line)) > LINES_MAX)
			return lab_error(error, "%s: '%.80s...' is too long for a known miss",
					 miss.scenario, miss.cell);
		rc = miss_add(&m->known, &miss, error);
	}
	return rc;
}

void
known_write(const struct matrix *m, FILE *f)
{
	char line[LINES_MAX + 1];

	fprintf(
	    f,
	    "# SPDX-License-Identifier: BSD-3-Clause\n"
	    "# What " MATRIX_SUBJECT " is known to miss in matrix %s: "
	    "aim-lab matrix ... --write-known makes this file anew.\n"
	    "# rule | scenario | cell | figures, of which none may be worse | reason\n"
	    "#\n"
	    "# peer-dim: the peer tunes itself by DIM, whose way depends on what it met before\n"
	    "# peer-ratchet: the peer is the ixgbe of 2017, whose interval is slow to come down "
	    "again\n"
	    "# open: for the law to learn\n",
	    m->name);
	for (size_t i = 0; i < m->known.n; i++) {
		miss_print(&m->known.miss[i], line, sizeof(line));
		fprintf(f, "%s\n", line);
	}
}

/* A figure beside the listed one: 1 the same, more is worse. */
static double
ratio(enum rule_figure figure, double value, double listed)
{
	double bad = value, bound = listed;

	if (isnan(value) || isnan(listed))
		return isnan(listed) ? (isnan(value) ? 1 : 0) : INFINITY;
	if (figure == FIGURE_RATE) {
		bad = listed;
		bound = value;
	}
	return bound > 0 ? bad / bound : bad > 0 ? INFINITY : 1;
}

static bool
is_listed(const struct matrix *m, const struct matrix_check *check, const struct known_miss *miss)
{
	const struct matrix_cell *cell = &m->cells[check->cell];

	return check->rule == miss->rule && strcmp(cell->keys, miss->cell) == 0 &&
	       strcmp(m->rows[cell->row].scenario, miss->scenario) == 0;
}

/* Of all figures that are missed, the one that is the worst beside the listed ones. */
static double
worst_ratio(const struct rule_verdict *v, const struct known_miss *miss)
{
	double worst = 0;

	for (size_t i = 0; i < RULE_FIGURES; i++) {
		if (((v->missed >> i) & 1) == 0)
			continue;
		if (((miss->missed >> i) & 1) == 0)
			return INFINITY;
		worst = fmax(worst, ratio(i, v->figure[i], miss->figure[i]));
	}
	return worst;
}

/* Several lines may stand for a cell, as several rows of a matrix may have the same: what one of
 * them covers is known. */
void
known_apply(struct matrix *m)
{
	for (size_t k = 0; k < m->known.n; k++) {
		struct known_miss *miss = &m->known.miss[k];

		miss->state = KNOWN_NOT_RUN;
		for (size_t i = 0; i < m->checks_n; i++) {
			struct matrix_check *check = &m->checks[i];
			enum known_state state = KNOWN_HOLDS;
			double worst;

			if (!is_listed(m, check, miss))
				continue;
			if (!check->verdict.holds) {
				worst = worst_ratio(&check->verdict, miss);
				state = worst < BETTER ? KNOWN_BETTER : KNOWN_MISSES;
				if (!check->known)
					check->listed = miss;
				check->known |= worst <= SLACK;
			}
			if (state > miss->state)
				miss->state = state;
		}
	}
}
