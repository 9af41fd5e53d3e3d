/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * What commands print: sections of rows, as an aligned text, as CSV or as JSON. Numbers have fixed
 * decimals, so that the same rows are the same bytes anywhere.
 */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "result.h"

enum report_format { REPORT_TEXT, REPORT_CSV, REPORT_JSON };

struct report_column {
	const char *name;
	const char *unit; /**< "" or NULL: none */
	int decimals;	  /**< of a number; negative: a text */
};

/** A text column, for tables of columns. */
#define REPORT_LABEL(name_) \
	{ \
		.name = name_, .decimals = -1 \
	}

struct report;

/** An empty report, or NULL: no memory. */
struct report *report_new(void);
void report_free(struct report *r);

/**
 * Begin a section.
 * @param key its name in JSON, unique in the report
 * @param title a line above it; NULL: none
 */
void report_section(struct report *r, const char *key, const char *title,
		    const struct report_column *columns, size_t n);

/** A line below the section's rows (text and JSON; CSV has none). */
void report_note(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** The next cell, from the left; a row is full with its last column and the next one begins. */
void report_text(struct report *r, const char *text);
/** The same, a number; NaN or infinite: none. */
void report_number(struct report *r, double value);

/** Columns of all figures, behind the n that are in columns[] already. @return their number */
size_t report_figure_columns(struct report_column *columns, size_t n, size_t room);
/** The cells of all figures. */
void report_figures(struct report *r, const struct result *result);

/**
 * Print it.
 * @return 0; -ENOMEM when a call above or this one found no memory; -EIO
 */
int report_write(const struct report *r, enum report_format format, FILE *f);

#endif /* LAB_REPORT_H */
