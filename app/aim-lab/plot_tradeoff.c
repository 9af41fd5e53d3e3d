/* SPDX-License-Identifier: BSD-3-Clause */
/* Latency against interrupts. Labels are placed here, as gnuplot does not keep them apart. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "lines.h"
#include "plot.h"

/* Pixels. */
#define PANEL_WIDTH 470
#define PANEL_HEIGHT 340
#define LONE_WIDTH 820
#define LONE_HEIGHT 520
#define LEFT 70
#define RIGHT 25
#define TOP 42
#define BOTTOM 52
#define LETTER 6.4
#define LINE 14.0
#define SAME 5.0 /* points so close are one */
#define NAMES_MAX 2
#define NAMES_LETTERS 26 /* a second name only where both are no longer */
#define ROUNDS 4	 /* of placing labels */
#define LEADER 15.0	 /* a label further away than that has a line to its point */

struct box {
	double x0, y0, x1, y1;
};

/* One point as drawn, for all policies that are there. */
struct spot {
	double x, y;
	char label[96];
	const char *color;
	struct box box; /* of the label */
	const char *align;
	double at_x, at_y; /* of the label */
	bool placed;
	unsigned int names, named; /* policies, and those in the label */
};

struct panel {
	double x, y, width, height; /* of the axes' box, pixels from the picture's lower left */
	double low_x, high_x, low_y, high_y; /* axes, log10 */
	struct spot *spots;
	size_t n;
	size_t fixed; /* points of `fixed:...` */
};

static bool
is_fixed(const char *name)
{
	return strncmp(name, "fixed:", 6) == 0;
}

static bool
drawn(const struct plot_point *p)
{
	return p->irqs > 0 && p->us > 0 && isfinite(p->irqs) && isfinite(p->us);
}

/* "50 us" for "fixed:50" where a line says which they are. */
static void
name_write(char *text, size_t size, const char *before, const char *name, bool line)
{
	if (is_fixed(name) && line)
		snprintf(text, size, "%s%.12s us", before, name + strlen("fixed:"));
	else
		snprintf(text, size, "%s%.18s", before, name);
}

static const char *
color(const char *name)
{
	return strcmp(name, "aim") == 0	  ? "#c8352b"
	       : strcmp(name, "off") == 0 ? "#222222"
	       : is_fixed(name)		  ? "#808080"
					  : "#1b6ca8";
}

/* Axes that hold all points, with room for labels at the sides. */
static void
panel_range(struct panel *p, const struct plot_panel *from)
{
	double room_x, room_y;
	bool any = false;

	for (size_t i = 0; i < from->n; i++) {
		double x = drawn(&from->points[i]) ? log10(from->points[i].irqs) : NAN;
		double y = drawn(&from->points[i]) ? log10(from->points[i].us) : NAN;

		if (isnan(x))
			continue;
		p->fixed += is_fixed(from->points[i].name);
		p->low_x = any ? fmin(p->low_x, x) : x;
		p->high_x = any ? fmax(p->high_x, x) : x;
		p->low_y = any ? fmin(p->low_y, y) : y;
		p->high_y = any ? fmax(p->high_y, y) : y;
		any = true;
	}
	if (!any) { /* an empty panel from 1 to 10 */
		p->low_x = p->low_y = 0;
		p->high_x = p->high_y = 1;
	}
	room_x = fmax(0.12, (p->high_x - p->low_x) * 0.18);
	room_y = fmax(0.12, (p->high_y - p->low_y) * 0.14);
	p->low_x -= room_x;
	p->high_x += room_x;
	p->low_y -= room_y;
	p->high_y += room_y;
}

static void
spot_add(struct panel *p, const struct plot_point *point)
{
	double x = p->x + (log10(point->irqs) - p->low_x) / (p->high_x - p->low_x) * p->width;
	double y = p->y + (log10(point->us) - p->low_y) / (p->high_y - p->low_y) * p->height;
	struct spot *s;
	size_t n;

	for (size_t i = 0; i < p->n; i++) {
		s = &p->spots[i];
		if (fabs(s->x - x) > SAME || fabs(s->y - y) > SAME)
			continue;
		if (strcmp(point->name, "aim") == 0)
			s->color = color(point->name);
		s->names++;
		n = strlen(s->label);
		if (s->named < NAMES_MAX && n + 2 + strlen(point->name) <= NAMES_LETTERS) {
			s->named++;
			name_write(s->label + n, sizeof(s->label) - n, ", ", point->name,
				   p->fixed > 1);
		}
		return;
	}
	s = &p->spots[p->n++];
	*s = (struct spot){.x = x, .y = y, .color = color(point->name), .names = 1, .named = 1};
	name_write(s->label, sizeof(s->label), "", point->name, p->fixed > 1);
}

static double
overlap(const struct box *a, const struct box *b)
{
	double w = fmin(a->x1, b->x1) - fmax(a->x0, b->x0);
	double h = fmin(a->y1, b->y1) - fmax(a->y0, b->y0);

	return w > 0 && h > 0 ? w * h : 0;
}

/* How bad a label is there: what it covers, and what of it lies outside. */
static double
badness(const struct panel *p, size_t spot, const struct box *box)
{
	struct box inside = {p->x, p->y, p->x + p->width, p->y + p->height};
	double bad = (box->x1 - box->x0) * (box->y1 - box->y0) - overlap(box, &inside);

	bad *= 4;
	for (size_t i = 0; i < p->n; i++) {
		struct box point = {p->spots[i].x - 5, p->spots[i].y - 5, p->spots[i].x + 5,
				    p->spots[i].y + 5};

		bad += 3 * overlap(box, &point);
		if (i != spot && p->spots[i].placed)
			bad += overlap(box, &p->spots[i].box);
	}
	return bad;
}

static void
label_place(struct panel *p, size_t spot)
{
	static const struct {
		double x, y;
		const char *align;
	} places[] = {
	    {9, 0, "left"},    {-9, 0, "right"},   {0, 14, "center"}, {0, -14, "center"},
	    {9, 13, "left"},   {9, -13, "left"},   {-9, 13, "right"}, {-9, -13, "right"},
	    {9, 26, "left"},   {9, -26, "left"},   {-9, 26, "right"}, {-9, -26, "right"},
	    {0, 28, "center"}, {0, -28, "center"}, {9, 40, "left"},   {-9, 40, "right"},
	    {9, -40, "left"},  {-9, -40, "right"}, {0, 42, "center"}, {0, -42, "center"},
	};
	struct spot *s = &p->spots[spot];
	double width = (double)strlen(s->label) * LETTER, best = INFINITY;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		double x = s->x + places[i].x, y = s->y + places[i].y, bad;
		double left = places[i].align[0] == 'l'	  ? x
			      : places[i].align[0] == 'r' ? x - width
							  : x - width / 2;
		struct box box = {left, y - LINE / 2, left + width, y + LINE / 2};

		/* as near as there is room */
		bad = badness(p, spot, &box) + fmax(0, fabs(places[i].y) - 14);
		if (bad < best - 1e-9) {
			best = bad;
			s->box = box;
			s->align = places[i].align;
			s->at_x = x;
			s->at_y = y;
		}
	}
	s->placed = true;
}

/* Again and again: what was placed later may have taken the room of what was placed earlier. */
static void
labels_place(struct panel *p)
{
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < p->n; i++)
			label_place(p, i);
}

static int
by_irqs(const void *a, const void *b)
{
	double x = ((const struct plot_point *)a)->irqs, y = ((const struct plot_point *)b)->irqs;

	return (x > y) - (x < y);
}

/* The line through the fixed settings, in data coordinates. */
static bool
fixed_line(struct gnuplot *g, const struct plot_panel *from, size_t panel)
{
	struct plot_point *points = calloc(from->n + 1, sizeof(*points));
	size_t n = 0;

	for (size_t i = 0; points != NULL && i < from->n; i++)
		if (is_fixed(from->points[i].name) && drawn(&from->points[i]))
			points[n++] = from->points[i];
	if (n >= 2) {
		qsort(points, n, sizeof(*points), by_irqs);
		fprintf(g->script, "$fixed%zu << EOD\n", panel);
		for (size_t i = 0; i < n; i++)
			fprintf(g->script, "%.6g %.6g\n", points[i].irqs, points[i].us);
		fprintf(g->script, "EOD\n");
	}
	free(points);
	return n >= 2;
}

/* Names of the decades, and between them where an axis has few. */
static void
ticks(FILE *f, char axis, double low, double high)
{
	static const int steps[] = {1, 2, 5};
	const char *comma = "";

	fprintf(f, "set %ctics (", axis);
	for (int decade = (int)floor(low); decade <= (int)ceil(high); decade++)
		for (size_t i = 0; i < (high - low < 1.7 ? 3 : 1); i++) {
			double at = steps[i] * pow(10, decade);
			bool kilo = at >= 999, mega = at >= 999999;

			if (log10(at) < low || log10(at) > high)
				continue;
			fprintf(f, "%s'%g%s' %g", comma,
				at * (mega   ? 1e-6
				      : kilo ? 1e-3
					     : 1),
				mega   ? "M"
				: kilo ? "k"
				       : "",
				at);
			comma = ", ";
		}
	fprintf(f, ")\n");
}

static void
panel_draw(struct gnuplot *g, const struct panel *p, const struct plot_panel *from, size_t index,
	   double width, double height)
{
	FILE *f = g->script;
	bool line = fixed_line(g, from, index);

	fprintf(f, "unset label\nunset arrow\n$spots%zu << EOD\n", index);
	for (size_t i = 0; i < p->n; i++)
		fprintf(
		    f, "%.6g %.6g %ld\n",
		    pow(10, p->low_x + (p->spots[i].x - p->x) / p->width * (p->high_x - p->low_x)),
		    pow(10, p->low_y + (p->spots[i].y - p->y) / p->height * (p->high_y - p->low_y)),
		    strtol(p->spots[i].color + 1, NULL, 16));
	fprintf(f, "EOD\n");
	for (size_t i = 0; i < p->n; i++) {
		const struct spot *s = &p->spots[i];

		if (fabs(s->at_y - s->y) > LEADER)
			fprintf(
			    f,
			    "set arrow from screen %.4f,%.4f to screen %.4f,%.4f nohead lw 0.6 lc rgb '%s'\n",
			    s->x / width, s->y / height, s->at_x / width,
			    (s->at_y + (s->at_y > s->y ? -6 : 6)) / height, s->color);
		fprintf(f, "set label ");
		gnuplot_text(g, s->label);
		fprintf(f, " at screen %.4f,%.4f %s textcolor rgb '%s'\n", s->at_x / width,
			s->at_y / height, s->align, s->color);
	}
	fprintf(f, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n", p->x / width,
		(p->x + p->width) / width);
	fprintf(f, "set bmargin at screen %.4f\nset tmargin at screen %.4f\n", p->y / height,
		(p->y + p->height) / height);
	fprintf(f, "set title ");
	gnuplot_text(g, from->title);
	fprintf(f, "\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n", pow(10, p->low_x),
		pow(10, p->high_x), pow(10, p->low_y), pow(10, p->high_y));
	ticks(f, 'x', p->low_x, p->high_x);
	ticks(f, 'y', p->low_y, p->high_y);
	fprintf(f, "plot ");
	if (line)
		fprintf(f, "$fixed%zu with lines lc rgb '#bbbbbb' lw 1.5 title 'fixed interval', ",
			index);
	if (p->n > 0)
		fprintf(f, "$spots%zu with points pt 7 ps 0.8 lc rgb variable notitle\n", index);
	else
		fprintf(f, "NaN notitle\n");
}

int
plot_tradeoff(const char *path, const struct plot_panel *panels, size_t n,
	      char error[LAB_ERROR_MAX])
{
	size_t across = n > 1 ? 2 : 1, down = (n + across - 1) / across;
	double cell_x = n > 1 ? PANEL_WIDTH : LONE_WIDTH,
	       cell_y = n > 1 ? PANEL_HEIGHT : LONE_HEIGHT;
	double width = cell_x * (double)across, height = cell_y * (double)down;
	struct gnuplot g;
	int rc = gnuplot_open(&g, path, (unsigned int)width, (unsigned int)height, error);

	if (rc != 0)
		return rc;
	fprintf(
	    g.script,
	    "set logscale xy\nset grid xtics ytics lt 1 lc rgb '#e8e8e8'\nset border 3\n"
	    "set tics nomirror\nset key top right\nset xlabel 'interrupts/s'\nset ylabel 'latency p99, us'\n"
	    "set multiplot\n");
	for (size_t i = 0; i < n; i++) {
		struct panel p = {
		    .x = (double)(i % across) * cell_x + LEFT,
		    .y = height - (double)(i / across + 1) * cell_y + BOTTOM,
		    .width = cell_x - LEFT - RIGHT,
		    .height = cell_y - TOP - BOTTOM,
		    .spots = calloc(panels[i].n + 1, sizeof(struct spot)),
		};

		if (p.spots == NULL)
			continue; /* a panel less; there is no memory for an error either */
		panel_range(&p, &panels[i]);
		for (size_t j = 0; j < panels[i].n; j++)
			if (drawn(&panels[i].points[j]))
				spot_add(&p, &panels[i].points[j]);
		for (size_t j = 0; j < p.n; j++) {
			if (p.spots[j].names > p.spots[j].named) {
				size_t used = strlen(p.spots[j].label);

				snprintf(p.spots[j].label + used, sizeof(p.spots[j].label) - used,
					 " and %u more", p.spots[j].names - p.spots[j].named);
			}
		}
		labels_place(&p);
		panel_draw(&g, &p, &panels[i], i, width, height);
		free(p.spots);
	}
	return gnuplot_draw(&g, error);
}
