/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Files that a command reads: remembered, so that none of its outputs takes the place of one. Not
 * for several threads.
 */
#ifndef LAB_INFILE_H
#define LAB_INFILE_H

#include <stdio.h>

#include "scenario.h"

/** Open for reading. @return NULL with errno set and one line in error[] */
FILE *infile_open(const char *path, char error[LAB_ERROR_MAX]);

/** Remember a file that is read elsewhere, if it is there. */
void infile_note(const char *path);

/** Is this a file that was opened or noted, by whatever name? */
bool infile_is(const char *path);

#endif /* LAB_INFILE_H */
