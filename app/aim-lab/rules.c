/* SPDX-License-Identifier: BSD-3-Clause */
#include "rules.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "arrivals.h"
#include "load.h"

/* The acceptance lines. */
#define LOOP_RATE 0.99
#define WRITES_MAX 100.0
#define COST_MAX 1.15
#define IRQS_MAX 1.5
#define FOLLOW_MAX_MS 2.0
#define HW_MAX_US 1046.528 /* 82599's EITR: 511 * 2.048 us */
#define SHIFT 1.001	   /* a packet at the end of a run may shift an interrupt */

const char *const rule_grid[RULE_GRID_N] = {
    "fixed:0",	"fixed:6",  "fixed:8",	"fixed:10", "fixed:12",	 "fixed:16",
    "fixed:20", "fixed:24", "fixed:28", "fixed:32", "fixed:36",	 "fixed:40",
    "fixed:45", "fixed:50", "fixed:61", "fixed:82", "fixed:100", "fixed:125",
};

const char *const rule_figures[RULE_FIGURES] = {
    "rate", "writes",	 "cost",      "irqs",	  "follow",	"p50",
    "p99",  "lost_ring", "lost_sink", "interval", "below_zero",
};

/* value must be `most` or less; otherwise what is said of it goes into the verdict. NaN never is.
 */
static void __attribute__((format(printf, 5, 6)))
at_most(struct rule_verdict *v, enum rule_figure figure, double value, double most,
	const char *format, ...)
{
	/* beyond all measure: no figure, or anything where nothing is allowed */
	double excess = most > 0 && !isnan(value) ? value / most : value <= most ? 0 : INFINITY;
	size_t n = strlen(v->what);
	va_list args;

	if (excess > v->excess)
		v->excess = excess;
	if (value <= most)
		return;
	if (n > 0 && n + 2 < sizeof(v->what)) {
		memcpy(v->what + n, ", ", 3);
		n += 2;
	}
	va_start(args, format);
	vsnprintf(v->what + n, sizeof(v->what) - n, format, args);
	va_end(args);
	v->holds = false;
	v->missed |= 1u << figure;
	v->figure[figure] = isfinite(value) ? value : NAN;
}

static double
lost(const struct result *r)
{
	return r->lost_ring + r->lost_sink;
}

static void
writes(const struct result *aim, struct rule_verdict *v)
{
	at_most(v, FIGURE_WRITES, aim->writes, WRITES_MAX, "%.0f writes/s", aim->writes);
}

static void
loss(const struct rule_case *c, struct rule_verdict *v)
{
	at_most(v, FIGURE_LOST_RING, c->aim->lost_ring, c->off->lost_ring,
		"%.0f lost at the ring (off: %.0f)", c->aim->lost_ring, c->off->lost_ring);
	at_most(v, FIGURE_LOST_SINK, c->aim->lost_sink, c->off->lost_sink,
		"%.0f lost at the sink (off: %.0f)", c->aim->lost_sink, c->off->lost_sink);
}

static void
interrupts(const struct rule_case *c, struct rule_verdict *v)
{
	at_most(v, FIGURE_IRQS, c->aim->irqs, c->off->irqs * SHIFT, "%.0f interrupts/s (off: %.0f)",
		c->aim->irqs, c->off->irqs);
}

/* One wake in 300 ms comes 100 us late, for 8 s. */
void
rule_late_wakes(struct scenario *s)
{
	s->stall_us = 100;
	s->stall_every_us = 300000;
	s->time_ms = 8000;
}

static void
loop(const struct rule_case *c, struct rule_verdict *v)
{
	double off = c->off->pps, least = off, most = off;
	const struct result *aim = c->aim;

	/* Beside a peer that adapts, a loop may settle in one of several ways, by chance. */
	for (size_t i = 0; i < RULE_SEEDS && c->seeds[i] != NULL; i++) {
		least = fmin(least, c->seeds[i]->pps);
		most = fmax(most, c->seeds[i]->pps);
	}
	v->by_late = c->late_aim != NULL;
	v->by_seed = !v->by_late && least < LOOP_RATE * most;
	if (v->by_seed)
		off = least;
	if (v->by_late) {
		aim = c->late_aim;
		off = c->late_off->pps;
	}
	at_most(v, FIGURE_RATE, LOOP_RATE * off / aim->pps, 1, "rate %.2f %% of off's %.0f/s%s",
		aim->pps / off * 100, off,
		v->by_late   ? " (late wakes)"
		: v->by_seed ? " (slowest of 9 seeds)"
			     : "");
	if (off > 0) /* as it is said, not as it is compared */
		v->figure[FIGURE_RATE] = aim->pps / off * 100;
	writes(c->aim, v);
	if (v->by_late)
		writes(aim, v);
}

static void
dense(const struct rule_case *c, struct rule_verdict *v)
{
	const struct result *a = c->aim;
	double best = INFINITY, irqs = INFINITY, bound = COST_MAX;

	for (size_t i = 0; i < RULE_GRID_N; i++) {
		const struct result *g = c->grid[i];

		if (lost(g) <= lost(a) && g->cost < best)
			best = g->cost;
		if (lost(g) <= lost(a) && g->p99_us <= a->p99_us && g->irqs < irqs)
			irqs = g->irqs;
	}
	/* no setting made before the arrivals are known reaches the optimum (batches): the best of
	 * them is the measure then */
	v->by_fixed = isfinite(best) && best > 1;
	if (v->by_fixed)
		bound = COST_MAX * best;
	at_most(v, FIGURE_COST, a->cost > 0 ? a->cost : NAN, bound, "cost %.3f (best fixed: %.3f)",
		a->cost, best);
	if (isfinite(irqs))
		at_most(v, FIGURE_IRQS, a->irqs, irqs * IRQS_MAX,
			"%.0f interrupts/s (best fixed without more p99: %.0f)", a->irqs, irqs);
	loss(c, v);
}

static void
sparse(const struct rule_case *c, struct rule_verdict *v)
{
	const struct result *a = c->aim, *o = c->off;

	at_most(v, FIGURE_P50, a->p50_us > 0 ? a->p50_us : NAN, o->p50_us,
		"p50 %.2f us (off: %.2f)", a->p50_us, o->p50_us);
	at_most(v, FIGURE_P99, a->p99_us > 0 ? a->p99_us : NAN, o->p99_us,
		"p99 %.2f us (off: %.2f)", a->p99_us, o->p99_us);
	loss(c, v);
}

static void
follow(const struct rule_case *c, struct rule_verdict *v)
{
	at_most(v, FIGURE_FOLLOW, c->aim->follow_ms, FOLLOW_MAX_MS, "followed in %.2f ms",
		c->aim->follow_ms);
	loss(c, v);
}

static void
safe(const struct rule_case *c, struct rule_verdict *v)
{
	writes(c->aim, v);
	interrupts(c, v);
	loss(c, v);
}

static void
worth(const struct rule_case *c, struct rule_verdict *v)
{
	at_most(v, FIGURE_COST, c->aim->cost > 0 ? c->aim->cost : NAN, c->off->cost * SHIFT,
		"cost %.3f (off: %.3f)", c->aim->cost, c->off->cost);
	interrupts(c, v);
	loss(c, v);
}

static void
range(const struct rule_case *c, struct rule_verdict *v)
{
	const struct scenario *s = c->s;
	double us = c->aim->interval_max_us;
	double most = fmin(HW_MAX_US, s->ring * arrivals_wire_ps(0, s->link_mbps) * 1e-6);

	/* what a wire at its limit brings; frames of a capture have many lengths */
	if (s->sink_packets != 0 && s->arrivals != ARRIVALS_PCAP)
		most = fmin(most,
			    s->sink_packets * arrivals_wire_ps(s->frame, s->link_mbps) * 1e-6);
	at_most(v, FIGURE_INTERVAL, us, most, "interval %.3f us (limit: %.3f)", us, most);
	at_most(v, FIGURE_BELOW_ZERO, -c->aim->interval_min_us, 0, "interval %.3f us",
		c->aim->interval_min_us);
}

/* Arrivals do not react: what waiting costs is latency, against an optimum that is known. */
static bool
is_open(const struct scenario *s)
{
	return s->kind == SCENARIO_OPEN;
}

/* Waiting costs rate. */
static bool
is_loop(const struct scenario *s)
{
	return s->kind == SCENARIO_LOOP || s->kind == SCENARIO_RR;
}

static bool
changes_rate(const struct scenario *s)
{
	return load_has(s, result_figure_find("follow_ms"));
}

static bool
may_lose(const struct scenario *s)
{
	return load_has(s, result_figure_find("lost_ring"));
}

/* Those whose host holds our policies to the limits of ring and sink. */
static bool
is_bounded(const struct scenario *s)
{
	return s->kind == SCENARIO_OPEN || s->kind == SCENARIO_LOOP || s->kind == SCENARIO_UDP;
}

const struct rule rules[] = {
    {"loop",
     "rate at least 99 % of off's (of its slowest run where 9 seeds differ by more; where that misses, with late wakes), at most 100 writes/s once settled",
     false, true, is_loop, loop},
    {"dense",
     "cost at most 1.15 of the optimum or, where that misses it, of the best fixed setting; at most "
     "1.5 of its interrupts at no less p99; no loss beyond off's",
     true, false, is_open, dense},
    {"sparse", "p50 and p99 as off's, no loss beyond off's", false, false, is_open, sparse},
    {"follow", "a change of rate followed in 2 ms of traffic, no loss beyond off's", false, false,
     changes_rate, follow},
    {"loss", "no loss at ring or sink beyond off's", false, false, may_lose, loss},
    {"safe", "at most 100 writes/s, no more interrupts than off, no loss beyond off's", false,
     false, may_lose, safe},
    {"worth", "cost and interrupts no more than off's, no loss beyond off's", false, false, is_open,
     worth},
    {"range",
     "no interval in which a wire at its limit overfills ring or sink, or beyond the hardware's",
     false, false, is_bounded, range},
    {.name = NULL},
};

int
rule_find(const char *name)
{
	for (int i = 0; rules[i].name != NULL; i++)
		if (strcmp(rules[i].name, name) == 0)
			return i;
	return -1;
}

void
rule_check(const struct rule *rule, const struct rule_case *c, struct rule_verdict *v)
{
	*v = (struct rule_verdict){.holds = true};
	rule->check(c, v);
}
