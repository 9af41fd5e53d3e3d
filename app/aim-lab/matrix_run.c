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

/* Further runs that a miss is looked at again with. */
enum { AGAIN_SEEDS, AGAIN_LATE, AGAIN_KINDS };
static const size_t again_runs[AGAIN_KINDS] = {RULE_SEEDS, 2};

/* Apply a rule to the subject in a cell; again: jobs of further runs, of that kind, or NULL. */
static void
check_apply(const struct matrix *m, struct matrix_check *check, const struct job *again, int kind)
{
	const struct matrix_cell *cell = &m->cells[check->cell];
	struct rule_case c = {
	    .s = &m->jobs[cell->run[m->subject]].scenario,
	    .aim = matrix_result(m, cell, m->subject),
	    .off = matrix_off(m, cell, m->subject),
	};

	for (size_t i = 0; cell->grid != NULL && i < RULE_GRID_N; i++)
		c.grid[i] = &m->jobs[cell->grid[i]].result;
	for (size_t i = 0; again != NULL && kind == AGAIN_SEEDS && i < RULE_SEEDS; i++)
		c.seeds[i] = &again[i].result;
	if (again != NULL && kind == AGAIN_LATE) {
		c.late_aim = &again[0].result;
		c.late_off = &again[1].result;
	}
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
			check_apply(m, &m->checks[m->checks_n++], NULL, 0);
		}
	}
	return 0;
}

/* One of the further runs. */
static struct job
again_job(const struct matrix *m, const struct matrix_cell *cell, int kind, size_t i)
{
	const struct job *of =
	    &m->jobs[kind == AGAIN_LATE && i == 0 ? cell->run[m->subject] : cell->off[m->subject]];
	struct job job = {.scenario = of->scenario,
			  .policy = of->policy,
			  .peer = of->peer,
			  .has_peer = of->has_peer,
			  .figures_only = true};

	if (kind == AGAIN_SEEDS)
		job.scenario.seed += (uint32_t)i + 1;
	else
		rule_late_wakes(&job.scenario);
	return job;
}

/* What is missed for the figures of a single run is looked at again beside further ones. A cell
 * that was not missed would not be missed then, either, so they need none. */
static int
checks_again(struct matrix *m, int kind, unsigned int threads, char error[LAB_ERROR_MAX])
{
	struct matrix_check **missed = calloc(m->checks_n + 1, sizeof(*missed));
	struct job *jobs;
	size_t n = 0, runs = again_runs[kind];
	int rc;

	if (missed == NULL)
		return no_memory(error);
	for (size_t i = 0; i < m->checks_n; i++)
		if (!m->checks[i].verdict.holds && rules[m->checks[i].rule].again)
			missed[n++] = &m->checks[i];
	jobs = calloc(n * runs + 1, sizeof(*jobs));
	if (jobs == NULL) {
		free(missed);
		return no_memory(error);
	}
	for (size_t i = 0; i < n * runs; i++)
		jobs[i] = again_job(m, &m->cells[missed[i / runs]->cell], kind, i % runs);
	rc = n == 0 ? 0 : jobs_run(jobs, n * runs, threads, m->name, error);
	for (size_t i = 0; rc == 0 && i < n; i++)
		check_apply(m, missed[i], &jobs[i * runs], kind);
	free(missed);
	free(jobs);
	return rc;
}

int
matrix_run(struct matrix *m, unsigned int threads, char error[LAB_ERROR_MAX])
{
	int rc = jobs_run(m->jobs, m->jobs_n, threads, m->name, error);

	if (rc == 0)
		rc = checks_make(m, error);
	for (int kind = 0; rc == 0 && kind < AGAIN_KINDS; kind++)
		rc = checks_again(m, kind, threads, error);
	return rc;
}
