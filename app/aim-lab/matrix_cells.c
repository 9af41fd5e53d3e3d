/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix's cells, and the runs that they share. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "lines.h"
#include "matrix.h"

#define CELLS_MAX 100000
#define KEYS_LENGTH 400

/* Jobs by what they run: open addressing, never more than half full. */
struct job_index {
	size_t *slot; /* 1 + job; 0: free */
	size_t size, room;
};

struct maker {
	struct matrix *m;
	const struct matrix_overrides *overrides;
	struct lab_policy off, grid[RULE_GRID_N];
	struct job_index index;
	size_t cells_room;
};

static int
no_memory(char error[LAB_ERROR_MAX])
{
	lab_error(error, "out of memory");
	return -ENOMEM;
}

static size_t
key_size(const struct scenario_key *k, const void *field)
{
	switch (k->type) {
	case KEY_U64:
		return sizeof(uint64_t);
	case KEY_DOUBLE:
		return sizeof(double);
	case KEY_BOOL:
		return sizeof(bool);
	case KEY_TEXT:
		return strlen(field) + 1;
	default:
		return sizeof(uint32_t);
	}
}

/* Keys that change nothing in the figures. */
static bool
is_name(const struct scenario_key *k)
{
	return k->offset == offsetof(struct scenario, title) ||
	       k->offset == offsetof(struct scenario, group);
}

static uint64_t
hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) /* FNV-1a */
		hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t
job_hash(const struct scenario *s, const struct lab_policy *p)
{
	uint64_t hash = hash_bytes(UINT64_C(0xcbf29ce484222325), p->name, strlen(p->name) + 1);

	for (const struct scenario_key *k = scenario_keys; k->name != NULL; k++) {
		const char *field = (const char *)s + k->offset;

		if (!is_name(k))
			hash = hash_bytes(hash, field, key_size(k, field));
	}
	return hash;
}

static bool
job_is(const struct job *job, const struct scenario *s, const struct lab_policy *p)
{
	if (strcmp(job->policy.name, p->name) != 0)
		return false;
	for (const struct scenario_key *k = scenario_keys; k->name != NULL; k++) {
		const char *a = (const char *)&job->scenario + k->offset;
		const char *b = (const char *)s + k->offset;

		if (!is_name(k) &&
		    (key_size(k, a) != key_size(k, b) || memcmp(a, b, key_size(k, a)) != 0))
			return false;
	}
	return true;
}

/* The slot of a job, or the free one where it belongs. */
static size_t *
index_slot(const struct maker *k, const struct scenario *s, const struct lab_policy *p)
{
	size_t i = job_hash(s, p) & (k->index.size - 1);

	while (k->index.slot[i] != 0 && !job_is(&k->m->jobs[k->index.slot[i] - 1], s, p))
		i = (i + 1) & (k->index.size - 1);
	return &k->index.slot[i];
}

/* Twice as many jobs, and an index four times as long. */
static int
jobs_grow(struct maker *k, char error[LAB_ERROR_MAX])
{
	size_t room = k->index.room != 0 ? k->index.room * 2 : 256;
	struct job *jobs = reallocarray(k->m->jobs, room, sizeof(*jobs));
	size_t *slot;

	if (jobs == NULL)
		return no_memory(error);
	k->m->jobs = jobs;
	slot = calloc(room * 2, sizeof(*slot));
	if (slot == NULL)
		return no_memory(error);
	free(k->index.slot);
	k->index = (struct job_index){.slot = slot, .size = room * 2, .room = room};
	for (size_t i = 0; i < k->m->jobs_n; i++)
		*index_slot(k, &jobs[i].scenario, &jobs[i].policy) = i + 1;
	return 0;
}

/* The job that runs this, new or there already. */
static int
job_of(struct maker *k, const struct scenario *given, const struct lab_policy *p, size_t *job,
       char error[LAB_ERROR_MAX])
{
	struct scenario s = *given;
	size_t *slot;
	int rc;

	if (strcmp(s.peer, "same") == 0)
		snprintf(s.peer, sizeof(s.peer), "%s", p->name);
	if (k->m->jobs_n == k->index.room && (rc = jobs_grow(k, error)) != 0)
		return rc;
	slot = index_slot(k, &s, p);
	if (*slot == 0) {
		k->m->jobs[k->m->jobs_n++] = (struct job){
		    .scenario = s, .policy = *p, .figures_only = true};
		*slot = k->m->jobs_n;
	}
	*job = *slot - 1;
	return 0;
}

static bool
row_runs(const struct matrix_row *row, const struct lab_policy *p)
{
	for (size_t i = 0; i < row->policies.n; i++) {
		const char *value = matrix_value(&row->policies, i);

		if (strcmp(value, p->name) == 0 ||
		    (strcmp(value, "others") == 0 && strcmp(p->name, MATRIX_SUBJECT) != 0))
			return true;
	}
	return row->policies.n == 0;
}

/* The unthrottled run beside a policy's: with the same peer; where that is the policy itself,
 * against another unthrottled one. */
static int
off_of(struct maker *k, const struct scenario *s, const struct lab_policy *p, size_t *job,
       char error[LAB_ERROR_MAX])
{
	struct scenario off = *s;

	if (strcmp(s->peer, p->name) == 0 || strcmp(s->peer, "same") == 0)
		snprintf(off.peer, sizeof(off.peer), "%s", k->off.name);
	return job_of(k, &off, &k->off, job, error);
}

static bool
needs_grid(const struct matrix_row *row)
{
	for (size_t i = 0; rules[i].name != NULL; i++)
		if (((row->rules >> i) & 1) != 0 && rules[i].grid)
			return true;
	return false;
}

static int
cell_runs(struct maker *k, struct matrix_cell *cell, const struct scenario *s,
	  char error[LAB_ERROR_MAX])
{
	struct matrix *m = k->m;
	const struct matrix_row *row = &m->rows[cell->row];
	int rc = 0;

	cell->run = malloc(m->policies_n * sizeof(*cell->run));
	cell->off = malloc(m->policies_n * sizeof(*cell->off));
	if (cell->run == NULL || cell->off == NULL)
		return no_memory(error);
	for (size_t i = 0; rc == 0 && i < m->policies_n; i++) {
		cell->run[i] = cell->off[i] = MATRIX_NONE;
		if (!row_runs(row, &m->policies[i]))
			continue;
		rc = job_of(k, s, &m->policies[i], &cell->run[i], error);
		if (rc == 0)
			rc = off_of(k, s, &m->policies[i], &cell->off[i], error);
	}
	if (rc != 0 || m->subject == MATRIX_NONE || cell->run[m->subject] == MATRIX_NONE ||
	    !needs_grid(row))
		return rc;
	cell->grid = malloc(RULE_GRID_N * sizeof(*cell->grid));
	if (cell->grid == NULL)
		return no_memory(error);
	for (size_t i = 0; rc == 0 && i < RULE_GRID_N; i++)
		rc = job_of(k, s, &k->grid[i], &cell->grid[i], error);
	return rc;
}

/* Keys that say how long is simulated tell no cell from another. */
static bool
is_shown(const char *key)
{
	return strcmp(key, "time_ms") != 0 && strcmp(key, "warmup_ms") != 0 &&
	       strcmp(key, "settle_ms") != 0;
}

static bool
is_overridden(const struct matrix_overrides *o, const char *key)
{
	for (size_t i = 0; i < o->n; i++)
		if (lines_assigns(o->param[i], key))
			return true;
	return false;
}

/* Does each rule of the row say something of such runs? */
static int
rules_check(const struct matrix_row *row, const struct scenario *s, char error[LAB_ERROR_MAX])
{
	size_t n, wrong = 0;

	while (rules[wrong].name != NULL &&
	       (((row->rules >> wrong) & 1) == 0 || rules[wrong].applies(s)))
		wrong++;
	if (rules[wrong].name == NULL)
		return 0;
	lab_error(error, "rule %s says nothing of runs of %s as they are here; allowed: -",
		  rules[wrong].name, row->scenario);
	n = strlen(error);
	for (size_t i = 0; rules[i].name != NULL && n < LAB_ERROR_MAX; i++)
		if (rules[i].applies(s))
			n += (size_t)snprintf(error + n, LAB_ERROR_MAX - n, ", %s", rules[i].name);
	return -EINVAL;
}

/* The cell of the row's values at[]. */
static int
cell_add(struct maker *k, size_t row_i, const struct scenario *base, const size_t *at,
	 char error[LAB_ERROR_MAX])
{
	struct matrix *m = k->m;
	const struct matrix_row *row = &m->rows[row_i];
	struct scenario s = *base;
	char keys[KEYS_LENGTH] = "";
	struct matrix_cell *cell;
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < row->sweeps_n; i++) {
		const struct matrix_sweep *sweep = &row->sweep[i];
		const char *value = matrix_value(sweep, at[i]);

		if (is_overridden(k->overrides, sweep->key))
			continue;
		rc = scenario_set(&s, sweep->key, value, error);
		if (is_shown(sweep->key) && n < sizeof(keys))
			n += (size_t)snprintf(keys + n, sizeof(keys) - n, "%s%s=%s",
					      n > 0 ? " " : "", sweep->key, value);
	}
	if (rc == 0)
		rc = k->overrides->apply(k->overrides->arg, &s, error);
	if (rc == 0)
		rc = rules_check(row, &s, error);
	if (rc != 0)
		return rc;
	if (m->cells_n == k->cells_room) {
		size_t room = k->cells_room != 0 ? k->cells_room * 2 : 64;
		struct matrix_cell *cells = reallocarray(m->cells, room, sizeof(*cells));

		if (cells == NULL)
			return no_memory(error);
		m->cells = cells;
		k->cells_room = room;
	}
	cell = &m->cells[m->cells_n++];
	*cell = (struct matrix_cell){.row = row_i, .keys = strdup(keys)};
	return cell->keys != NULL ? cell_runs(k, cell, &s, error) : no_memory(error);
}

static int
row_cells(struct maker *k, size_t row_i, char error[LAB_ERROR_MAX])
{
	const struct matrix_row *row = &k->m->rows[row_i];
	size_t at[MATRIX_SWEEPS] = {0}, i;
	char what[LAB_ERROR_MAX];
	struct scenario base;
	bool any = false;
	int rc;

	for (i = 0; i < k->m->policies_n; i++)
		any |= row_runs(row, &k->m->policies[i]);
	if (!any)
		return 0;
	rc = data_scenario(row->scenario, &base, what);
	while (rc == 0) {
		rc = k->m->cells_n < CELLS_MAX ? cell_add(k, row_i, &base, at, what)
					       : lab_error(what, "more than %d cells", CELLS_MAX);
		for (i = row->sweeps_n; i-- > 0;) { /* the last key changes fastest */
			if (!is_overridden(k->overrides, row->sweep[i].key) &&
			    ++at[i] < row->sweep[i].n)
				break;
			at[i] = 0;
		}
		if (i == SIZE_MAX)
			break;
	}
	if (rc != 0)
		lab_error(error, "%.200s:%u: %.290s", k->m->path, row->line, what);
	return rc;
}

static int
no_group(const struct matrix *m, const char *group, char error[LAB_ERROR_MAX])
{
	size_t n;

	lab_error(error, "no group '%.40s' in matrix %s; allowed:", group, m->name);
	n = strlen(error);
	for (size_t i = 0; i < m->rows_n && n < LAB_ERROR_MAX; i++) {
		size_t j = 0;

		while (strcmp(m->rows[j].group, m->rows[i].group) != 0)
			j++;
		if (j == i)
			n += (size_t)snprintf(error + n, LAB_ERROR_MAX - n, "%s%s",
					      i > 0 ? ", " : " ", m->rows[i].group);
	}
	return -EINVAL;
}

int
matrix_cells(struct matrix *m, const struct lab_policy *policies, size_t n, const char *group,
	     const struct matrix_overrides *overrides, char error[LAB_ERROR_MAX])
{
	struct maker k = {.m = m, .overrides = overrides};
	bool found = false;
	int rc = lab_policy_parse(&k.off, "off", error);

	for (size_t i = 0; rc == 0 && i < RULE_GRID_N; i++)
		rc = lab_policy_parse(&k.grid[i], rule_grid[i], error);
	m->policies = policies;
	m->policies_n = n;
	m->by_param = overrides->n != 0;
	m->by_group = group != NULL;
	m->subject = MATRIX_NONE;
	for (size_t i = n; i-- > 0;)
		if (strcmp(policies[i].name, MATRIX_SUBJECT) == 0)
			m->subject = i;
	for (size_t i = 0; rc == 0 && i < m->rows_n; i++) {
		if (group != NULL && strcmp(m->rows[i].group, group) != 0)
			continue;
		found = true;
		rc = row_cells(&k, i, error);
	}
	free(k.index.slot);
	if (rc == 0 && !found)
		rc = no_group(m, group, error);
	if (rc == 0 && m->cells_n == 0)
		rc = lab_error(error, "no row of matrix %s runs these policies", m->name);
	return rc;
}
