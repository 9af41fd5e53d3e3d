/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Files that are there whole or not at all: written under another name in the same folder, renamed
 * at the end, removed when the program fails or is stopped by a signal. One that was there keeps
 * its mode and owner; a link stays a link, and what it points to is written.
 */
#ifndef LAB_OUTFILE_H
#define LAB_OUTFILE_H

#include <stdio.h>

#include "paths.h"
#include "scenario.h"

struct outfile {
	char path[PATHS_SIZE];	 /**< as given */
	char target[PATHS_SIZE]; /**< the file itself, behind links */
	char temp[PATHS_SIZE +
		  32]; /**< where it is written; empty: standard output or no regular file */
	FILE *f;
};

/**
 * Open path for writing; NULL: standard output.
 * @return 0, or negative errno with one line in error[]
 */
int outfile_open(struct outfile *o, const char *path, char error[LAB_ERROR_MAX]);

/** All is written: give the file its name. @return 0, or -EIO with one line in error[]; the file is
 * gone then */
int outfile_commit(struct outfile *o, char error[LAB_ERROR_MAX]);

/** Close and remove what is not committed; does nothing otherwise. */
void outfile_abort(struct outfile *o);

#endif /* LAB_OUTFILE_H */
