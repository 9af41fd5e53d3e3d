/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Running gnuplot, for plot*.c alone.
 */
#ifndef LAB_GNUPLOT_H
#define LAB_GNUPLOT_H

#include <stdio.h>

#include "outfile.h"

struct gnuplot {
	FILE *script; /**< what gnuplot shall do: written by the caller */
	struct outfile out;
};

/** Start a picture of so many pixels. @return 0, or negative errno with one line in error[] */
int gnuplot_open(struct gnuplot *g, const char *path, unsigned int width, unsigned int height,
		 char error[LAB_ERROR_MAX]);

/** Draw it; g is closed in any case. @return as gnuplot_open() */
int gnuplot_draw(struct gnuplot *g, char error[LAB_ERROR_MAX]);

/** Text in quotes, as gnuplot reads it literally, in the script. */
void gnuplot_text(struct gnuplot *g, const char *text);

#endif /* LAB_GNUPLOT_H */
