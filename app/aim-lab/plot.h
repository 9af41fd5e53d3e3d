/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Pictures, drawn by gnuplot: SVG or PNG by the file's ending. They hold no names of files or hosts
 * and no dates; the same figures give the same SVG with the same gnuplot. A file is written whole
 * or not at all.
 *
 * All functions return 0, or negative errno with one line in error[].
 */
#ifndef LAB_PLOT_H
#define LAB_PLOT_H

#include "result.h"
#include "scenario.h"

/** Can such a file be drawn: the ending, and gnuplot. */
int plot_check(const char *path, char error[LAB_ERROR_MAX]);

/** A policy in a panel of plot_tradeoff(). */
struct plot_point {
	const char *name; /**< those of `fixed:...` are joined by a line */
	double irqs;	  /**< interrupts/s; not above 0: not drawn */
	double us;	  /**< latency */
};

struct plot_panel {
	const char *title;
	struct plot_point *points;
	size_t n;
};

/** Latency against interrupts, both logarithmic, a panel each scenario. */
int plot_tradeoff(const char *path, const struct plot_panel *panels, size_t n,
		  char error[LAB_ERROR_MAX]);

/** A line of plot_series(). */
struct plot_series {
	const char *name;
	const struct result_slice *slices;
	size_t n;
};

/** A measurement of somebody else, in the panel of rates. */
struct plot_published {
	double s, pps;
};

/** Panels of plot_series(). */
enum { PLOT_RATE = 1, PLOT_IRQS = 2, PLOT_INTERVAL = 4 };

/** Slices over time, one panel below the other. */
int plot_series(const char *path, const char *title, unsigned int panels,
		const struct plot_series *series, size_t n, const struct plot_published *published,
		size_t published_n, char error[LAB_ERROR_MAX]);

/** A row of plot_matrix(). */
struct plot_row {
	const char *group; /**< rows of a group, in a row, stand together; NULL: none */
	const char *name;
	const double *value; /**< one a column; NaN: empty */
};

/**
 * Heat map of figures that are 1 where a policy is as good as it can be.
 * @param more_is_good true for rates; false for latencies and costs
 */
int plot_matrix(const char *path, const char *title, const char *const *columns, size_t columns_n,
		const struct plot_row *rows, size_t rows_n, bool more_is_good,
		char error[LAB_ERROR_MAX]);

#endif /* LAB_PLOT_H */
