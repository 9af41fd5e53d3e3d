/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat map: a row a scenario, a column a policy. */
#include <math.h>
#include <string.h>

#include "gnuplot.h"
#include "plot.h"

/* Pixels. */
#define CELL_WIDTH 48u
#define CELL_HEIGHT 18u
#define LETTER 7u
#define TITLE 34u
#define GAP 0.7	  /* between groups, rows */
#define WORST 8.0 /* times as bad as can be: the darkest red */

/* 1 is white, better is green, worse is red. */
static long
color(double value, bool more_is_good)
{
	double t, white;

	if (!isfinite(value) || value < 0)
		return 0xf2f2f2;
	t = value > 0 ? log2(value) / log2(WORST) : -1;
	t = more_is_good ? -t : t;
	t = t > 1 ? 1 : t < -1 ? -1 : t;
	white = 1 - fabs(t);
	if (t > 0)
		return 0xd00000 + (lround(47 * white) << 16) + (lround(40 + 215 * white) << 8) +
		       lround(32 + 223 * white);
	return (lround(42 + 213 * white) << 16) + (lround(157 + 98 * white) << 8) +
	       lround(92 + 163 * white);
}

static bool
group_begins(const struct plot_row *rows, size_t i)
{
	return i > 0 && rows[i].group != NULL && rows[i - 1].group != NULL &&
	       strcmp(rows[i].group, rows[i - 1].group) != 0;
}

static void
cells_write(struct gnuplot *g, const struct plot_row *rows, size_t rows_n, size_t columns_n,
	    bool more_is_good)
{
	double y = 0;

	fprintf(g->script, "$cells << EOD\n");
	for (size_t i = 0; i < rows_n; i++, y += 1) {
		y += group_begins(rows, i) ? GAP : 0;
		for (size_t j = 0; j < columns_n; j++) {
			double v = rows[i].value[j];
			char text[32] = "";

			if (isfinite(v))
				snprintf(text, sizeof(text), "%.*f",
					 v < 9.995   ? 2
					 : v < 99.95 ? 1
						     : 0,
					 v);
			fprintf(g->script, "%zu %g %ld \"%s\"\n", j, y, color(v, more_is_good),
				text);
		}
	}
	fprintf(g->script, "EOD\n");
}

/* Labels of the picture, not of the plot, which would cut off what lies beside its axes. */
static void
names_write(struct gnuplot *g, const char *const *columns, size_t columns_n,
	    const struct plot_row *rows, size_t rows_n)
{
	double y = 0;

	for (size_t i = 0; i < rows_n; i++, y += 1) {
		y += group_begins(rows, i) ? GAP : 0;
		fprintf(g->script, "set label ");
		gnuplot_text(g, rows[i].name);
		fprintf(g->script, " at first -0.6,%g right\n", y);
	}
	for (size_t j = 0; j < columns_n; j++) {
		fprintf(g->script, "set label ");
		gnuplot_text(g, columns[j]);
		fprintf(g->script, " at first %zu,-0.7 left rotate by 45\n", j);
	}
}

int
plot_matrix(const char *path, const char *title, const char *const *columns, size_t columns_n,
	    const struct plot_row *rows, size_t rows_n, bool more_is_good,
	    char error[LAB_ERROR_MAX])
{
	double height = (double)rows_n;
	size_t left = 0, top = 0;
	unsigned int width, pixels;
	struct gnuplot g;
	int rc;

	for (size_t i = 0; i < rows_n; i++) {
		left = strlen(rows[i].name) > left ? strlen(rows[i].name) : left;
		height += group_begins(rows, i) ? GAP : 0;
	}
	for (size_t j = 0; j < columns_n; j++)
		top = strlen(columns[j]) > top ? strlen(columns[j]) : top;
	left = left * LETTER + 16;
	top = top * LETTER * 7 / 10 + 16; /* at 45 degrees */
	width = (unsigned int)(left + columns_n * CELL_WIDTH + top);
	pixels = (unsigned int)(TITLE + top + height * CELL_HEIGHT) + 10;
	rc = gnuplot_open(&g, path, width, pixels, error);
	if (rc != 0)
		return rc;
	cells_write(&g, rows, rows_n, columns_n, more_is_good);
	names_write(&g, columns, columns_n, rows, rows_n);
	fprintf(g.script, "unset border\nunset tics\nunset key\n");
	fprintf(g.script, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n",
		(double)left / width, (double)(left + columns_n * CELL_WIDTH) / width);
	fprintf(g.script, "set bmargin at screen %.5f\nset tmargin at screen %.5f\n", 10.0 / pixels,
		(10 + height * CELL_HEIGHT) / pixels);
	fprintf(g.script, "set label at screen 0.5,%.5f center ", 1 - 18.0 / pixels);
	gnuplot_text(&g, title);
	fprintf(g.script, "\nset xrange [-0.5:%g]\nset yrange [%g:-0.5]\n", (double)columns_n - 0.5,
		height - 0.5);
	fprintf(g.script, "plot $cells using 1:2:(0.48):(0.46):3 with boxxyerror fc rgb variable "
			  "fs solid 1 noborder, $cells using 1:2:4 with labels font ',10'\n");
	return gnuplot_draw(&g, error);
}
