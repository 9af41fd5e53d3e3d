/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Published figures beside ours. A table is a text file:
 *
 *     title = one line
 *     source = where the figures are from
 *     label | scenario | policy | peer | key=value; ... | figure | published | tolerance % | kind
 *
 * `-` stands for no peer and no keys; the figure is a name of result_figures[], or `slice[N].pps`
 * (irqs, interval_us) of the N-th slice of time, from 0, or `slice[N-M].pps`, the mean of the N-th
 * to the M-th. The kind says what stands behind ours:
 * `predicted` (no constant was fitted to the published figures), `fitted`, or `open` (shown, and
 * may deviate).
 */
#ifndef LAB_TABLE_H
#define LAB_TABLE_H

#include "jobs.h"

enum table_kind { TABLE_PREDICTED, TABLE_FITTED, TABLE_OPEN };

struct table_row {
	char label[96];
	char scenario[64];
	struct lab_policy policy, peer;
	bool has_peer;
	char params[256]; /**< as written */
	char figure_name[64];
	const struct result_figure *figure; /**< NULL: of a slice */
	size_t slice, slice_last, slice_offset;
	double published, tolerance;
	enum table_kind kind;
	unsigned int line;
	size_t job;  /**< whose figure it is */
	double ours; /**< NaN: there is none */
};

struct table {
	char path[1200];
	char name[64];
	char title[128];
	char source[256];
	struct table_row *rows;
	size_t n;
	struct job *jobs; /**< runs, each once however many rows need it */
	size_t jobs_n;
};

/** Read a table, ours by name or a user's file. @return 0 or negative errno with a line in error[]
 */
int table_read(struct table *t, const char *what, char error[LAB_ERROR_MAX]);
void table_free(struct table *t);

/** Make the runs that its rows need, and look whether they give these figures. @return as
 * table_read() */
int table_jobs(struct table *t, char error[LAB_ERROR_MAX]);

/** Run them, threads as jobs_run(), and fill ours. @return as table_read() */
int table_run(struct table *t, unsigned int threads, char error[LAB_ERROR_MAX]);

/** Ours against published, per cent. NaN: nothing of ours, or published 0 and ours not. */
double table_deviation(const struct table_row *row);

/** True when the row holds, or is open. */
bool table_holds(const struct table_row *row);

#endif /* LAB_TABLE_H */
