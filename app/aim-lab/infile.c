/* SPDX-License-Identifier: BSD-3-Clause */
#include "infile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lines.h"

/* Regular files, each once. */
static struct {
	dev_t dev;
	ino_t ino;
} * files;
static size_t files_n;

static bool
is_known(const struct stat *st)
{
	for (size_t i = 0; i < files_n; i++)
		if (files[i].dev == st->st_dev && files[i].ino == st->st_ino)
			return true;
	return false;
}

void
infile_note(const char *path)
{
	struct stat st;
	void *more;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || is_known(&st))
		return;
	more = reallocarray(files, files_n + 1, sizeof(*files));
	if (more == NULL)
		return;
	files = more;
	files[files_n].dev = st.st_dev;
	files[files_n].ino = st.st_ino;
	files_n++;
}

bool
infile_is(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && is_known(&st);
}

FILE *
infile_open(const char *path, char error[LAB_ERROR_MAX])
{
	FILE *f = fopen(path, "re");
	int why = errno;

	if (f == NULL)
		lab_error(error, "%.200s: cannot be read: %s", path, strerror(why));
	else
		infile_note(path);
	errno = why;
	return f;
}
