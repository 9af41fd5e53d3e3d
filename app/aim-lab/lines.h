/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Lines of a text file that a person wrote: scenarios and tables. What is no such text (control
 * characters, broken UTF-8, endless lines) ends the reading with a line that names the place.
 */
#ifndef LAB_LINES_H
#define LAB_LINES_H

#include <stdbool.h>
#include <stdio.h>

#include "scenario.h"

/** Longest line, its end not counted. */
#define LINES_MAX 511

struct lines {
	FILE *f;
	const char *name; /**< of the file, for error lines */
	unsigned int n;	  /**< number of the line in text[] */
	char text[LINES_MAX + 1];
};

/**
 * Next line that is not empty, without comment (`#` at its start or behind a blank) and without
 * blanks around it, in l->text. A byte order mark at the start of the file is none of the text.
 * @return 1; 0 at the end of the file; -EINVAL or another negative errno with one line in error[].
 */
int lines_next(struct lines *l, char error[LAB_ERROR_MAX]);

/** One line `name:number: ...` into error[]. @return -EINVAL */
int lines_error(const struct lines *l, char error[LAB_ERROR_MAX], const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/**
 * Split text at the first `=` into key and value, blanks around both removed. text is changed.
 * @return false when there is no `=`, or nothing before it
 */
bool lines_assignment(char *text, char **key, char **value);

/** Is text an assignment to this key? */
bool lines_assigns(const char *text, const char *key);

/** Split text at `|` into fields without blanks around them. text is changed. @return false: not n
 */
bool lines_fields(char *text, char **field, size_t n);

/** Is word one of those in text, which have a blank between them? */
bool lines_word(const char *text, const char *word);

/** A plain number from 0 to 1e15. */
bool lines_number(const char *text, double *value);

/** text without blanks around it; changed in place. */
char *lines_trim(char *text);

/** True for text without control characters and in correct UTF-8. */
bool lines_printable(const char *text);

/** Format into error[] as snprintf(); what cannot be shown in a terminal becomes `?`.
 * @return -EINVAL */
int lab_error(char error[LAB_ERROR_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif /* LAB_LINES_H */
