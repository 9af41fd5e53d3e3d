/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Where the scenarios and tables that come with the program are.
 */
#ifndef LAB_DATA_H
#define LAB_DATA_H

#include <stddef.h>

#include "scenario.h"

#define DATA_SCENARIOS "scenarios"
#define DATA_TABLES "tables"
#define DATA_MATRICES "matrix"
#define DATA_SCENARIO_END ".scenario"
#define DATA_TABLE_END ".table"
#define DATA_MATRIX_END ".matrix"

/** Take this folder, as --data says, instead of looking for one. */
void data_dir_set(const char *dir);

/** The folder: as set, or AIM_LAB_DATA, or the source tree's, or the installed one. */
const char *data_dir(void);

/**
 * Path of what a user names: a file when it has a `/` or `.`, a name of ours otherwise.
 * @param folder DATA_SCENARIOS, DATA_TABLES or DATA_MATRICES
 * @param end their files' ending
 * @return 0 or -ENOENT with one line in error[]
 */
int data_find(const char *folder, const char *end, const char *what, char *path, size_t size,
	      char error[LAB_ERROR_MAX]);

/** Names of what is in a folder, sorted; freed by data_names_free(). */
struct data_names {
	char **name;
	size_t n;
};

/** @return 0 or negative errno with one line in error[] */
int data_names(const char *folder, const char *end, struct data_names *names,
	       char error[LAB_ERROR_MAX]);
void data_names_free(struct data_names *names);

/**
 * Read a scenario, ours by name or a user's file, over the defaults.
 * @return 0 or negative errno with one line in error[]
 */
int data_scenario(const char *what, struct scenario *s, char error[LAB_ERROR_MAX]);

#endif /* LAB_DATA_H */
