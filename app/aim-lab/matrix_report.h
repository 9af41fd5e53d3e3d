/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * What `aim-lab matrix` prints and draws of a matrix that ran.
 */
#ifndef LAB_MATRIX_REPORT_H
#define LAB_MATRIX_REPORT_H

#include "matrix.h"
#include "report.h"

/**
 * Fill a report: as text a summary, as CSV every cell, as JSON all of both.
 * @return 0 or -ENOMEM with a line in error[]
 */
int matrix_report(const struct matrix *m, enum report_format format, struct report *r,
		  char error[LAB_ERROR_MAX]);

/** Draw it as a heat map. @return 0, or negative errno with a line in error[] */
int matrix_plot(const struct matrix *m, const char *path, char error[LAB_ERROR_MAX]);

#endif /* LAB_MATRIX_REPORT_H */
