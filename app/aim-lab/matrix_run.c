/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a matrix, and the rules over its cells. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "matrix.h"

const struct result *
matrix_result(const struct matrix *m, const struct matrix_cell *cell, size_t policy)
{
	return cell->run[policy] != MATRIX_NONE ? &m->jobs[cell->run[policy]].result : NULL;
}

const struct result *
matrix_off(const struct matrix *m, const struct matrix_cell *cell, size_t policy)
{
	return cell->off[policy] != MATRIX_NONE ? &m->jobs[cell->off[policy]].result : NULL;
}

static int
no_memory(char error[LAB_ERROR_MAX])
{
	lab_error(error, "out of memory");
	return -ENOMEM;
}

/* Apply a rule to the subject in a cell; seeds: jobs of off with other seeds, or NULL. */
static void
check_apply(const struct matrix *m, struct matrix_check *check, const struct job *seeds)
{
	const struct matrix_cell *cell = &m->cells[check->cell];
	struct rule_case c = {
	    .s = &m->jobs[cell->run[m->subject]].scenario,
	    .aim = matrix_result(m, cell, m->subject),
	    .off = matrix_off(m, cell, m->subject),
	};

	for (size_t i = 0; cell->grid != NULL && i < RULE_GRID_N; i++)
		c.grid[i] = &m->jobs[cell->grid[i]].result;
	for (size_t i = 0; seeds != NULL && i < RULE_SEEDS; i++)
		c.seeds[i] = &seeds[i].result;
	rule_check(&rules[check->rule], &c, &check->verdict);
}

static int
checks_make(struct matrix *m, char error[LAB_ERROR_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < m->cells_n; i++)
		n += (size_t)__builtin_popcount(m->rows[m->cells[i].row].rules);
	m->checks = calloc(n + 1, sizeof(*m->checks));
	if (m->checks == NULL)
		return no_memory(error);
	for (size_t i = 0; m->subject != MATRIX_NONE && i < m->cells_n; i++) {
		const struct matrix_row *row = &m->rows[m->cells[i].row];

		if (m->cells[i].run[m->subject] == MATRIX_NONE)
			continue;
		for (size_t k = 0; rules[k].name != NULL; k++) {
			if (((row->rules >> k) & 1) == 0)
				continue;
			m->checks[m->checks_n] = (struct matrix_check){.cell = i, .rule = k};
			check_apply(m, &m->checks[m->checks_n++], NULL);
		}
	}
	return 0;
}

/* What is missed for the figures of a single run of off is looked at again beside several. A cell
 * that was not missed would not be missed then, either, so they need no more runs. */
static int
checks_again(struct matrix *m, unsigned int threads, char error[LAB_ERROR_MAX])
{
	struct job *jobs;
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < m->checks_n; i++)
		n += !m->checks[i].verdict.holds && rules[m->checks[i].rule].seeds;
	if (n == 0)
		return 0;
	jobs = calloc(n * RULE_SEEDS, sizeof(*jobs));
	if (jobs == NULL)
		return no_memory(error);
	n = 0;
	for (size_t i = 0; i < m->checks_n; i++)
		for (uint32_t k = 0; !m->checks[i].verdict.holds &&
				     rules[m->checks[i].rule].seeds && k < RULE_SEEDS;
		     k++) {
			const struct matrix_cell *cell = &m->cells[m->checks[i].cell];
			const struct job *off = &m->jobs[cell->off[m->subject]];

			jobs[n] = (struct job){
			    .scenario = off->scenario, .policy = off->policy, .figures_only = true};
			jobs[n++].scenario.seed += k + 1;
		}
	rc = jobs_run(jobs, n, threads, m->name, error);
	n = 0;
	for (size_t i = 0; rc == 0 && i < m->checks_n; i++)
		if (!m->checks[i].verdict.holds && rules[m->checks[i].rule].seeds) {
			check_apply(m, &m->checks[i], &jobs[n]);
			n += RULE_SEEDS;
		}
	free(jobs);
	return rc;
}

int
matrix_run(struct matrix *m, unsigned int threads, char error[LAB_ERROR_MAX])
{
	int rc = jobs_run(m->jobs, m->jobs_n, threads, m->name, error);

	if (rc == 0)
		rc = checks_make(m, error);
	return rc == 0 ? checks_again(m, threads, error) : rc;
}
