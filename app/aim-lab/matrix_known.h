/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * The list of known misses beside a matrix: a text file, a line each
 *
 *     rule | scenario | cell | figure=value; figure=value | reason
 *
 * cell is the text that the report prints (`-`: none), the figures are those of enum rule_figure
 * that are missed (`none` for a value: there was none), the reason a short text.
 */
#ifndef LAB_MATRIX_KNOWN_H
#define LAB_MATRIX_KNOWN_H

#include "rules.h"

struct matrix;

/** What a run says of a line of the list. */
enum known_state {
	KNOWN_NOT_RUN, /**< no such cell ran with this rule */
	KNOWN_HOLDS,   /**< it did, and nothing is missed there */
	KNOWN_BETTER,  /**< missed by so much less than listed that the list is to be renewed */
	KNOWN_MISSES,
};

struct known_miss {
	size_t rule;
	char *scenario, *cell, *reason;
	unsigned int missed; /**< bit i: figure i is listed */
	double figure[RULE_FIGURES];
	unsigned int line;
	enum known_state state; /**< known_apply() */
};

struct known_list {
	char path[1216];
	struct known_miss *miss;
	size_t n;
};

/**
 * Read the list beside the matrix: NAME.known beside NAME.matrix. No such file is an empty list.
 * @return 0 or negative errno with a line in error[]
 */
int known_read(struct matrix *m, char error[LAB_ERROR_MAX]);

/** Read a list from an open file; path is its name. @return as known_read() */
int known_read_stream(struct known_list *list, FILE *f, const char *path,
		      char error[LAB_ERROR_MAX]);

/** Make the list anew from what a run misses. @return as known_read() */
int known_collect(struct matrix *m, char error[LAB_ERROR_MAX]);

/** Hold the checks of a run against the list: their `known`, its lines' state. */
void known_apply(struct matrix *m);

/** Write the list as a file that known_read_stream() reads; errors are those of f. */
void known_write(const struct matrix *m, FILE *f);

void known_free(struct known_list *list);

#endif /* LAB_MATRIX_KNOWN_H */
