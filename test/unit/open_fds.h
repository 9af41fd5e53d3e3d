/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaks of file descriptors, for tests of the driver and of the server. */
#ifndef OPEN_FDS_H
#define OPEN_FDS_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* File descriptors of this process; the one that looks counts each time. */
static inline unsigned int
open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

#endif /* OPEN_FDS_H */
