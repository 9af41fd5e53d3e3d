/* SPDX-License-Identifier: BSD-3-Clause */
#include "optimum.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What it costs to serve packet n+1 .. at time a, when the last interrupt was at packet n. */
struct optimum_line {
	double n;	  /* slope is -n */
	double intercept; /* O(n) + S(n) */
};

void
optimum_init(struct optimum *o, double k_ns)
{
	memset(o, 0, sizeof(*o));
	o->k_ns = k_ns;
}

/* Is b nowhere below both a and c? Slopes fall from a to c. */
static int
covered(const struct optimum_line *a, const struct optimum_line *b, const struct optimum_line *c)
{
	return (c->intercept - a->intercept) * (b->n - a->n) <=
	       (b->intercept - a->intercept) * (c->n - a->n);
}

static int
line_push(struct optimum *o, double n, double intercept)
{
	struct optimum_line line = {n, intercept};

	while (o->last - o->first >= 2 &&
	       covered(&o->lines[o->last - 2], &o->lines[o->last - 1], &line))
		o->last--;
	if (o->last == o->room) {
		size_t n_lines = o->last - o->first;

		if (n_lines > o->room / 2 || o->room == 0) {
			size_t room = o->room != 0 ? 2 * o->room : 64;
			struct optimum_line *lines = malloc(room * sizeof(*lines));

			if (lines == NULL)
				return -ENOMEM;
			if (n_lines != 0)
				memcpy(lines, &o->lines[o->first], n_lines * sizeof(*lines));
			free(o->lines);
			o->lines = lines;
			o->room = room;
		} else {
			memmove(o->lines, &o->lines[o->first], n_lines * sizeof(*o->lines));
		}
		o->first = 0;
		o->last = n_lines;
	}
	o->lines[o->last++] = line;
	return 0;
}

static double
line_at(const struct optimum_line *l, double ns)
{
	return l->intercept - l->n * ns;
}

int
optimum_add(struct optimum *o, double ns)
{
	int rc = line_push(o, o->n, o->best + o->sum);

	if (rc != 0)
		return rc;
	while (o->last - o->first >= 2 &&
	       line_at(&o->lines[o->first + 1], ns) <= line_at(&o->lines[o->first], ns))
		o->first++;
	o->n += 1;
	o->sum += ns;
	o->best = o->k_ns + o->n * ns - o->sum + line_at(&o->lines[o->first], ns);
	return 0;
}

double
optimum_cost(const struct optimum *o)
{
	return o->best;
}

void
optimum_free(struct optimum *o)
{
	free(o->lines);
	o->lines = NULL;
}
