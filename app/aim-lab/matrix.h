/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Every policy in every scenario. A matrix is a text file:
 *
 *     title = one line
 *     group | scenario | key=value,value; key=value | rule, rule
 *
 * A row stands for all combinations of its values, a cell each. `peer=each` is every policy;
 * `policy=aim,off` are the policies that the row runs, `policy=others` all but aim; without it all.
 * `-` stands for no keys and for no rules.
 */
#ifndef LAB_MATRIX_H
#define LAB_MATRIX_H

#include "jobs.h"
#include "matrix_known.h"
#include "rules.h"

#define MATRIX_SWEEPS 16 /**< keys of a row at most */

/** The policy that the rules are for. */
#define MATRIX_SUBJECT "aim"

/** A key with its values. */
struct matrix_sweep {
	char key[32];
	char *values; /**< one behind the other, each with its NUL */
	size_t n;
};

struct matrix_row {
	char group[32];
	char scenario[64];
	struct matrix_sweep sweep[MATRIX_SWEEPS];
	size_t sweeps_n;
	struct matrix_sweep policies; /**< n == 0: all */
	unsigned int rules;	      /**< bit i: rules[i] */
	unsigned int line;
};

/** One scenario of a row, under all policies. */
struct matrix_cell {
	size_t row;
	char *keys;   /**< "window=4 half_ns=1000" */
	size_t *run;  /**< a policy each: its job; MATRIX_NONE: not in this row */
	size_t *off;  /**< a policy each: the job of the unthrottled host to compare with */
	size_t *grid; /**< jobs of rule_grid[]; NULL: no rule needs them */
};

#define MATRIX_NONE SIZE_MAX

/** A rule's verdict on a cell. */
struct matrix_check {
	size_t cell, rule;
	struct rule_verdict verdict;
	const struct known_miss *listed; /**< known_apply(): its line in the list, or NULL */
	bool known;			 /**< missed, and no worse than listed */
};

struct matrix {
	char path[1200];
	char name[64];
	char title[128];
	struct matrix_row *rows;
	size_t rows_n;

	/* matrix_cells() */
	const struct lab_policy *policies;
	size_t policies_n;
	bool by_param;	/**< the user set keys: the cells are not quite those of the file */
	bool by_group;	/**< cells of one group only */
	size_t subject; /**< the policy that the rules are for; MATRIX_NONE: not among them */
	struct matrix_cell *cells;
	size_t cells_n;
	struct job *jobs; /**< runs, each once however many cells need it */
	size_t jobs_n;

	/* matrix_run() */
	struct matrix_check *checks;
	size_t checks_n;

	struct known_list known;
};

/** What the user sets in all scenarios. */
struct matrix_overrides {
	const char *const *param; /**< "key=value": a row's values of such a key do not count */
	size_t n;
	int (*apply)(const void *arg, struct scenario *s, char error[LAB_ERROR_MAX]);
	const void *arg;
};

/** Read a matrix, ours by name or a user's file. @return 0 or negative errno with a line in error[]
 */
int matrix_read(struct matrix *m, const char *what, char error[LAB_ERROR_MAX]);

/** The same from an open file; path is its name. */
int matrix_read_stream(struct matrix *m, FILE *f, const char *path, char error[LAB_ERROR_MAX]);

void matrix_free(struct matrix *m);

/** The i-th value of a key, i below n. */
const char *matrix_value(const struct matrix_sweep *sweep, size_t i);

/**
 * Make the cells and what must run for them.
 * @param policies kept by the caller as long as m
 * @param group its cells only; NULL: all
 * @return as matrix_read()
 */
int matrix_cells(struct matrix *m, const struct lab_policy *policies, size_t n, const char *group,
		 const struct matrix_overrides *overrides, char error[LAB_ERROR_MAX]);

/** Run all, threads as jobs_run(), and apply the rules. @return as matrix_read() */
int matrix_run(struct matrix *m, unsigned int threads, char error[LAB_ERROR_MAX]);

/** Result of a policy in a cell, or NULL. */
const struct result *matrix_result(const struct matrix *m, const struct matrix_cell *cell,
				   size_t policy);

/** Result of the unthrottled host beside it. */
const struct result *matrix_off(const struct matrix *m, const struct matrix_cell *cell,
				size_t policy);

#endif /* LAB_MATRIX_H */
