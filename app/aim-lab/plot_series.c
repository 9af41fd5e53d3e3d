/* SPDX-License-Identifier: BSD-3-Clause */
/* Slices over time. */
#include <stddef.h>
#include <string.h>

#include "gnuplot.h"
#include "plot.h"

#define WIDTH 860u
#define PANEL_HEIGHT 210u
#define TITLE 34u
#define KEY_ROW 18u
#define KEY_SAMPLE 60u /* of a line, and around it */
#define LETTER 7u
#define COLORS 8
#define STYLES (2 * COLORS)
#define BELOW 46u /* the lower axis */
#define BETWEEN 34u
#define FEW 40 /* slices that are shown as points, too */

static const struct panel {
	unsigned int bit;
	const char *name, *unit;
	size_t offset; /* in struct result_slice */
} panels_known[] = {
    {PLOT_RATE, "rate", "/s", offsetof(struct result_slice, pps)},
    {PLOT_IRQS, "interrupts", "/s", offsetof(struct result_slice, irqs)},
    {PLOT_INTERVAL, "throttle", "us", offsetof(struct result_slice, interval_us)},
};

#define PANELS (sizeof(panels_known) / sizeof(panels_known[0]))

static double
value(const struct result_slice *slice, const struct panel *p)
{
	return *(const double *)(const void *)((const char *)slice + p->offset);
}

/* Large numbers are shown in thousands or millions. */
static double
scale(const struct panel *p, const struct plot_series *series, size_t n, const char **word)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < series[i].n; j++)
			if (value(&series[i].slices[j], p) > most)
				most = value(&series[i].slices[j], p);
	*word = p->bit == PLOT_INTERVAL || most < 2e3 ? "" : most < 2e6 ? "1000" : "million";
	return **word == '\0' ? 1 : **word == '1' ? 1e-3 : 1e-6;
}

static void
panel_draw(struct gnuplot *g, const struct panel *p, const struct plot_series *series, size_t n,
	   bool published, bool with_key)
{
	const char *word;
	double by = scale(p, series, n, &word);
	FILE *f = g->script;

	fprintf(f, "set ylabel '%s, %s%s'\n%s\nplot ", p->name, word, p->unit,
		with_key ? "" : "unset key");
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "%s$d%zu using 1:($%zu*%g) with %s ls %zu title ", i > 0 ? ", " : "", i,
			p->offset / sizeof(double) + 1, by,
			series[i].n <= FEW ? "linespoints" : "lines", i % STYLES + 1);
		gnuplot_text(g, series[i].name);
	}
	if (published)
		fprintf(
		    f,
		    ", $published using 1:($2*%g) with points pt 6 ps 1.2 lw 1.5 lc rgb '#222222' "
		    "title 'published'",
		    by);
	fprintf(f, "\n");
}

/* As many names beside each other as have room. */
static unsigned int
key_columns(const struct plot_series *series, size_t n)
{
	size_t longest = strlen("published"), columns;

	for (size_t i = 0; i < n; i++)
		longest = strlen(series[i].name) > longest ? strlen(series[i].name) : longest;
	columns = WIDTH * 3 / 4 / (longest * LETTER + KEY_SAMPLE);
	return columns > 0 ? (unsigned int)columns : 1;
}

int
plot_series(const char *path, const char *title, unsigned int panels,
	    const struct plot_series *series, size_t n, const struct plot_published *published,
	    size_t published_n, char error[LAB_ERROR_MAX])
{
	static const char *const colors[COLORS] = {"#c8352b", "#1b6ca8", "#2a9d5c", "#e09f3e",
						   "#6a4c93", "#808080", "#00a6a6", "#b5838d"};
	unsigned int count = 0, drawn = 0, height, above, columns;
	struct gnuplot g;
	int rc;

	for (size_t i = 0; i < PANELS; i++)
		count += (panels & panels_known[i].bit) != 0;
	columns = key_columns(series, n);
	above = TITLE + ((unsigned int)n + (published_n > 0) + columns - 1) / columns * KEY_ROW;
	height = PANEL_HEIGHT * count + above + BELOW;
	rc = gnuplot_open(&g, path, WIDTH, height, error);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < n; i++) {
		fprintf(g.script, "$d%zu << EOD\n", i);
		for (size_t j = 0; j < series[i].n; j++)
			fprintf(g.script, "%.6g %.6g %.6g %.6g\n", series[i].slices[j].end_s,
				series[i].slices[j].pps, series[i].slices[j].irqs,
				series[i].slices[j].interval_us);
		fprintf(g.script, "EOD\n");
	}
	fprintf(g.script, "$published << EOD\n");
	for (size_t i = 0; i < published_n; i++)
		fprintf(g.script, "%.6g %.6g\n", published[i].s, published[i].pps);
	fprintf(g.script, "EOD\n");
	for (size_t i = 0; i < STYLES; i++) /* the colours once more, dashed */
		fprintf(g.script, "set style line %zu lc rgb '%s' dt %d lw 1.6 pt 7 ps 0.5\n",
			i + 1, colors[i % COLORS], i < COLORS ? 1 : 2);
	fprintf(g.script, "set key at screen 0.5,%.4f center top horizontal maxcols %u\n",
		1 - (double)(TITLE - 4) / height, columns);
	fprintf(g.script,
		"set grid xtics ytics lt 1 lc rgb '#e8e8e8'\nset border 3\nset tics nomirror\n"
		"set yrange [0:*]\nset multiplot layout %u,1 margins 0.1,0.97,%.4f,%.4f "
		"spacing 0,%.4f title ",
		count, (double)BELOW / height, 1 - (double)above / height,
		(double)BETWEEN / height);
	gnuplot_text(&g, title);
	fprintf(g.script, "\n");
	for (size_t i = 0; i < PANELS; i++) {
		if ((panels & panels_known[i].bit) == 0)
			continue;
		if (++drawn == count)
			fprintf(g.script, "set xlabel 'simulated time, s'\n");
		panel_draw(&g, &panels_known[i], series, n,
			   panels_known[i].bit == PLOT_RATE && published_n > 0, drawn == 1);
	}
	return gnuplot_draw(&g, error);
}
