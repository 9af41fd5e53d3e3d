/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * What a run gives: figures by name, and a series over time.
 */
#ifndef LAB_RESULT_H
#define LAB_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A slice of simulated time, for plots. */
struct result_slice {
	double end_s;	    /**< its end */
	double pps;	    /**< packets (or transactions) a second in it */
	double irqs;	    /**< interrupts a second */
	double interval_us; /**< throttle at its end */
};

/** Figures of one run, warm-up not counted. Rates are a second of simulated time. */
struct result {
	double pps;	    /**< packets, or transactions, that reached the application */
	double mbps;	    /**< their payload, Mb/s */
	double irqs;	    /**< interrupts */
	double packets_irq; /**< packets an interrupt */
	double spurious;    /**< interrupts that found nothing */
	double writes;	    /**< of the throttle register */
	double cpu;	    /**< per cent of one CPU */
	double lost_ring;   /**< packets lost at the ring */
	double lost_sink;   /**< packets lost behind it: the application's buffer was full */
	double mean_us, p50_us, p99_us, p999_us; /**< latency: in memory to processed; loops:
						      the whole round trip */
	double cost;		/**< interrupts and waiting over those of the offline optimum */
	double interval_min_us; /**< shortest and longest throttle that was set */
	double interval_max_us;
	double follow_ms; /**< after a change of rate: time until the throttle fits it; 0: none */

	struct result_slice *slices;
	size_t slices_n;
};

/** A figure's name, unit and place in struct result, for all reports. */
struct result_figure {
	const char *name;
	const char *unit;
	const char *help;
	size_t offset;
	int decimals;
	bool zero_is_none; /**< 0 says that there is no such figure */
};

/** All figures, name == NULL behind the last. */
extern const struct result_figure result_figures[];

/** Value of a figure; NaN when there is none. */
double result_get(const struct result *r, const struct result_figure *f);

/** Figure by its name, or NULL. */
const struct result_figure *result_figure_find(const char *name);

/** Free what a result holds. */
void result_free(struct result *r);

#endif /* LAB_RESULT_H */
