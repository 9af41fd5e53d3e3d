/* SPDX-License-Identifier: BSD-3-Clause */
#include "paths.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40 /* as Linux */

/* Where the last part of a name begins. */
static size_t
base_at(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? (size_t)(slash + 1 - path) : 0;
}

bool
paths_target(const char *path, char target[PATHS_SIZE])
{
	char link[PATHS_SIZE];

	errno = ENAMETOOLONG;
	if (strlen(path) >= PATHS_SIZE)
		return false;
	memcpy(target, path, strlen(path) + 1);
	for (int i = 0; i < LINKS_MAX; i++) {
		ssize_t n = readlink(target, link, sizeof(link) - 1);
		size_t folder;

		if (n < 0)
			return true;
		link[n] = '\0';
		folder = link[0] == '/' ? 0 : base_at(target);
		errno = ENAMETOOLONG;
		if (folder + (size_t)n >= PATHS_SIZE)
			return false;
		memcpy(target + folder, link, (size_t)n + 1);
	}
	errno = ELOOP;
	return false;
}

static bool
same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The folder that a name lies in. */
static bool
folder_stat(const char *path, struct stat *st)
{
	char folder[PATHS_SIZE + 2];

	snprintf(folder, sizeof(folder), "%.*s.", (int)base_at(path), path);
	return stat(folder, st) == 0;
}

bool
paths_same(const char *a, const char *b)
{
	char target_a[PATHS_SIZE], target_b[PATHS_SIZE];
	struct stat x, y;

	if (!paths_target(a, target_a) || !paths_target(b, target_b))
		return false;
	if (stat(target_a, &x) == 0)
		return stat(target_b, &y) == 0 && same_file(&x, &y) && S_ISREG(x.st_mode);
	return strcmp(target_a + base_at(target_a), target_b + base_at(target_b)) == 0 &&
	       folder_stat(target_a, &x) && folder_stat(target_b, &y) && same_file(&x, &y);
}
