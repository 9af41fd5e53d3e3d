/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * What policy `aim` must reach in a cell of the matrix: named rules, each over the figures of runs
 * of the same scenario.
 */
#ifndef LAB_RULES_H
#define LAB_RULES_H

#include <stdbool.h>

#include "result.h"
#include "scenario.h"

/** Fixed settings that a rule may ask for, as policies are written. */
#define RULE_GRID_N 18
extern const char *const rule_grid[RULE_GRID_N];

/** Further runs of `off` that a rule may ask for, with the seeds behind the cell's. */
#define RULE_SEEDS 8

/** Runs of one cell. */
struct rule_case {
	const struct scenario *s;
	const struct result *aim;
	const struct result *off; /**< unthrottled, the peer the same (`off` where that is aim) */
	const struct result *grid[RULE_GRID_N]; /**< of rule_grid[]; NULL unless rule.grid */
	const struct result *seeds[RULE_SEEDS]; /**< of off, when a rule.again is looked at again */
	const struct result *late_aim, *late_off; /**< rule_late_wakes(), when that misses, too */
};

/** Figures that a rule can find missed. */
enum rule_figure {
	FIGURE_RATE, /**< in % of off's; the only one that is missed when it is low */
	FIGURE_WRITES,
	FIGURE_COST,
	FIGURE_IRQS,
	FIGURE_FOLLOW, /**< in ms */
	FIGURE_P50,
	FIGURE_P99,
	FIGURE_LOST_RING,
	FIGURE_LOST_SINK,
	FIGURE_INTERVAL,
	FIGURE_BELOW_ZERO, /**< the shortest interval, its sign turned */
	RULE_FIGURES
};

/** Their names, of enum rule_figure. */
extern const char *const rule_figures[RULE_FIGURES];

struct rule_verdict {
	bool holds;
	bool
	    by_seed; /**< held to the slowest of off's runs, which differ by more than is allowed */
	bool by_late;  /**< held to off's run with late wakes, beside aim's with late wakes */
	bool by_fixed; /**< held to the best fixed setting, which misses the optimum, too */
	double excess; /**< the worst figure over what is allowed: above 1 when it does not hold */
	unsigned int missed;	     /**< bit i: figure i of enum rule_figure */
	double figure[RULE_FIGURES]; /**< of those that are missed; NaN: there is none */
	char what[200];		     /**< what was missed, with figures; empty when it holds */
};

struct rule {
	const char *name;
	const char *about; /**< one line: what is allowed */
	bool grid;	   /**< needs the fixed settings */
	bool again; /**< when missed: again, beside off with other seeds, then with late wakes */
	bool (*applies)(const struct scenario *s); /**< says it something of such a run at all? */
	void (*check)(const struct rule_case *c, struct rule_verdict *v);
};

/**
 * The scenario as a longer run on a host that now and then takes a wake late, as a scheduler or a
 * timer tick makes it: a loop that may settle in one of several ways then does not stay for ever in
 * the one that the first disturbance left it in.
 */
void rule_late_wakes(struct scenario *s);

/** All rules, name == NULL behind the last. */
extern const struct rule rules[];

/** Number of rules at most: they are bits of a word. */
#define RULES_MAX 16

/** Index of a rule by its name, or -1. */
int rule_find(const char *name);

/** Apply a rule. */
void rule_check(const struct rule *rule, const struct rule_case *c, struct rule_verdict *v);

#endif /* LAB_RULES_H */
