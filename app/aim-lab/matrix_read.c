/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a matrix: rows, with all that can be known to be wrong in one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "infile.h"
#include "lines.h"
#include "matrix.h"

#define FIELDS 4
#define ROWS_MAX 1000

static const char *const field_names[FIELDS] = {"group", "scenario", "keys", "rules"};

static int
name_take(char *to, size_t size, const char *text, const char *what, char error[LAB_ERROR_MAX])
{
	if (text[0] == '\0' || strlen(text) >= size)
		return lab_error(error, "%s '%.40s'; allowed: 1 to %zu bytes", what, text,
				 size - 1);
	memcpy(to, text, strlen(text) + 1);
	return 0;
}

const char *
matrix_value(const struct matrix_sweep *sweep, size_t i)
{
	const char *value = sweep->values;

	while (i-- > 0)
		value += strlen(value) + 1;
	return value;
}

/* All policies, as values of the key. */
static int
values_each(struct matrix_sweep *sweep, char error[LAB_ERROR_MAX])
{
	const char *name;
	size_t size = 0;

	for (size_t i = 0; aim_policy_at(i) != NULL; i++)
		if ((name = lab_policy_example(i)) != NULL)
			size += strlen(name) + 1;
	sweep->values = malloc(size);
	if (sweep->values == NULL) {
		lab_error(error, "out of memory");
		return -ENOMEM;
	}
	size = 0;
	for (size_t i = 0; aim_policy_at(i) != NULL; i++)
		if ((name = lab_policy_example(i)) != NULL) {
			memcpy(sweep->values + size, name, strlen(name) + 1);
			size += strlen(name) + 1;
			sweep->n++;
		}
	return 0;
}

/* Can the key have this value? */
static int
value_check(const char *key, const char *value, char error[LAB_ERROR_MAX])
{
	struct lab_policy policy;
	struct scenario s;

	if (strcmp(key, "policy") == 0)
		return lab_policy_parse(&policy, value, error);
	scenario_init(&s);
	if (strcmp(key, "peer") == 0 && strcmp(value, "same") != 0)
		return lab_policy_parse(&policy, value, error);
	return scenario_set(&s, key, value, error);
}

static int
values_take(struct matrix_sweep *sweep, char *text, char error[LAB_ERROR_MAX])
{
	size_t at = 0;

	if (strcmp(sweep->key, "peer") == 0 && strcmp(text, "each") == 0)
		return values_each(sweep, error);
	sweep->values = malloc(strlen(text) + 1);
	if (sweep->values == NULL) {
		lab_error(error, "out of memory");
		return -ENOMEM;
	}
	for (char *value = text; value != NULL;) {
		char *comma = strchr(value, ',');
		int rc = 0;

		if (comma != NULL)
			*comma = '\0';
		value = lines_trim(value);
		if (strcmp(sweep->key, "policy") != 0 || strcmp(value, "others") != 0)
			rc = value_check(sweep->key, value, error);
		if (rc != 0)
			return rc;
		memcpy(sweep->values + at, value, strlen(value) + 1);
		at += strlen(value) + 1;
		sweep->n++;
		value = comma != NULL ? comma + 1 : NULL;
	}
	return 0;
}

static bool
is_given(const struct matrix_row *row, const char *key)
{
	for (size_t i = 0; i < row->sweeps_n; i++)
		if (strcmp(row->sweep[i].key, key) == 0)
			return true;
	return strcmp(key, "policy") == 0 && row->policies.n != 0;
}

static int
sweep_take(struct matrix_row *row, char *text, char error[LAB_ERROR_MAX])
{
	struct matrix_sweep *sweep;
	char *key, *value;
	int rc;

	if (!lines_assignment(text, &key, &value))
		return lab_error(error, "'%.40s'; allowed: key=value,value; key=value", text);
	if (is_given(row, key))
		return lab_error(error, "%.40s is given twice; once is allowed", key);
	if (strcmp(key, "policy") == 0) {
		sweep = &row->policies;
	} else {
		if (row->sweeps_n == MATRIX_SWEEPS)
			return lab_error(error, "more than %d keys", MATRIX_SWEEPS);
		sweep = &row->sweep[row->sweeps_n++];
	}
	rc = name_take(sweep->key, sizeof(sweep->key), key, "key", error);
	if (rc != 0)
		return rc;
	if (strcmp(key, "title") == 0 || strcmp(key, "group") == 0 || strcmp(key, "file") == 0)
		return lab_error(error, "%s; allowed: in the scenario's file", key);
	return values_take(sweep, value, error);
}

static int
sweeps_take(struct matrix_row *row, char *text, char error[LAB_ERROR_MAX])
{
	char *save = NULL;
	int rc = 0;

	if (strcmp(text, "-") == 0)
		return 0;
	if (text[0] == '\0')
		return lab_error(error, "no keys; allowed: -, or key=value,value; key=value");
	for (char *p = strtok_r(text, ";", &save); rc == 0 && p != NULL;
	     p = strtok_r(NULL, ";", &save)) {
		p = lines_trim(p);
		if (p[0] != '\0')
			rc = sweep_take(row, p, error);
	}
	return rc;
}

static int
rules_take(struct matrix_row *row, char *text, char error[LAB_ERROR_MAX])
{
	char *save = NULL;
	int rule;

	if (strcmp(text, "-") == 0)
		return 0;
	for (char *p = strtok_r(text, ",", &save); p != NULL; p = strtok_r(NULL, ",", &save)) {
		p = lines_trim(p);
		rule = rule_find(p);
		if (rule < 0) {
			size_t n;

			lab_error(error, "no rule '%.40s'; allowed: -", p);
			n = strlen(error);
			for (size_t i = 0; rules[i].name != NULL && n < LAB_ERROR_MAX; i++)
				n += (size_t)snprintf(error + n, LAB_ERROR_MAX - n, ", %s",
						      rules[i].name);
			return -EINVAL;
		}
		row->rules |= 1u << rule;
	}
	return row->rules != 0 ? 0 : lab_error(error, "no rules; allowed: -, or rule, rule");
}

static void
row_free(struct matrix_row *row)
{
	for (size_t i = 0; i < row->sweeps_n; i++)
		free(row->sweep[i].values);
	free(row->policies.values);
}

static int
row_add(struct matrix *m, struct lines *l, char error[LAB_ERROR_MAX])
{
	struct matrix_row row = {.line = l->n};
	struct matrix_row *rows;
	char what[LAB_ERROR_MAX];
	char *field[FIELDS];
	int rc;

	if (!lines_fields(l->text, field, FIELDS))
		return lines_error(l, error,
				   "not %d fields; allowed: group | scenario | "
				   "key=value,value; key=value | rule, rule",
				   FIELDS);
	rc = name_take(row.group, sizeof(row.group), field[0], field_names[0], what);
	if (rc == 0)
		rc = name_take(row.scenario, sizeof(row.scenario), field[1], field_names[1], what);
	if (rc == 0)
		rc = sweeps_take(&row, field[2], what);
	if (rc == 0)
		rc = rules_take(&row, field[3], what);
	if (rc == 0 && m->rows_n == ROWS_MAX)
		rc = lab_error(what, "more than %d rows", ROWS_MAX);
	if (rc != 0) {
		row_free(&row);
		lines_error(l, error, "%s", what);
		return rc;
	}
	rows = reallocarray(m->rows, m->rows_n + 1, sizeof(*rows));
	if (rows == NULL) {
		row_free(&row);
		lab_error(error, "out of memory");
		return -ENOMEM;
	}
	m->rows = rows;
	m->rows[m->rows_n++] = row;
	return 0;
}

static int
heading_take(struct matrix *m, struct lines *l, char error[LAB_ERROR_MAX])
{
	char *key, *value;

	if (!lines_assignment(l->text, &key, &value))
		return lines_error(l, error, "'%.40s'; allowed: title = ..., or a row with |",
				   l->text);
	if (strcmp(key, "title") != 0)
		return lines_error(l, error, "no key '%.40s'; allowed: title", key);
	if (m->title[0] != '\0')
		return lines_error(l, error, "title is given twice; once is allowed");
	if (value[0] == '\0' || strlen(value) >= sizeof(m->title))
		return lines_error(l, error, "title; allowed: 1 to %zu bytes of text",
				   sizeof(m->title) - 1);
	memcpy(m->title, value, strlen(value) + 1);
	return 0;
}

static void
name_set(struct matrix *m)
{
	const char *start = strrchr(m->path, '/');
	size_t n;

	start = start != NULL ? start + 1 : m->path;
	n = strcspn(start, ".");
	snprintf(m->name, sizeof(m->name), "%.*s", (int)(n < 63 ? n : 63), start);
	if (!lines_printable(m->name))
		m->name[0] = '\0';
}

int
matrix_read_stream(struct matrix *m, FILE *f, const char *path, char error[LAB_ERROR_MAX])
{
	struct lines l = {.f = f};
	int rc;

	*m = (struct matrix){0};
	snprintf(m->path, sizeof(m->path), "%s", path);
	name_set(m);
	l.name = m->path;
	while ((rc = lines_next(&l, error)) > 0) {
		rc = strchr(l.text, '|') != NULL ? row_add(m, &l, error)
						 : heading_take(m, &l, error);
		if (rc != 0)
			break;
	}
	if (rc == 0 && (m->rows_n == 0 || m->title[0] == '\0'))
		rc = lab_error(error, "%.200s: not whole; allowed: a title, and a row or more",
			       m->path);
	if (rc != 0)
		matrix_free(m);
	return rc;
}

int
matrix_read(struct matrix *m, const char *what, char error[LAB_ERROR_MAX])
{
	char path[sizeof(m->path)];
	FILE *f;
	int rc;

	*m = (struct matrix){0};
	rc = data_find(DATA_MATRICES, DATA_MATRIX_END, what, path, sizeof(path), error);
	if (rc != 0)
		return rc;
	f = infile_open(path, error);
	if (f == NULL)
		return -errno;
	rc = matrix_read_stream(m, f, path, error);
	fclose(f);
	return rc;
}

void
matrix_free(struct matrix *m)
{
	for (size_t i = 0; i < m->rows_n; i++)
		row_free(&m->rows[i]);
	for (size_t i = 0; i < m->cells_n; i++) {
		free(m->cells[i].keys);
		free(m->cells[i].run);
		free(m->cells[i].off);
		free(m->cells[i].grid);
	}
	jobs_free(m->jobs, m->jobs_n);
	free(m->rows);
	free(m->cells);
	free(m->checks);
	known_free(&m->known);
	*m = (struct matrix){0};
}
