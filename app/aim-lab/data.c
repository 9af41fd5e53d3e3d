/* SPDX-License-Identifier: BSD-3-Clause */
#include "data.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lines.h"

static char dir[1024];

void
data_dir_set(const char *to)
{
	snprintf(dir, sizeof(dir), "%s", to);
}

/* Folder of the running program; "" when it cannot be told. */
static void
program_dir(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);
	char *slash;

	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (slash != NULL)
		*slash = '\0';
}

const char *
data_dir(void)
{
	const char *env = getenv("AIM_LAB_DATA");
	char program[512];

	if (dir[0] != '\0')
		return dir;
	if (env != NULL && env[0] != '\0') {
		data_dir_set(env);
		return dir;
	}
	program_dir(program, sizeof(program));
	if (strncmp(program, LAB_BUILD_DIR, strlen(LAB_BUILD_DIR)) == 0) {
		data_dir_set(LAB_SOURCE_DIR);
		return dir;
	}
	/* installed, and perhaps moved since: beside bin/ */
	snprintf(dir, sizeof(dir), "%s/../share/aim-lab", program);
	if (access(dir, R_OK) != 0)
		data_dir_set(LAB_INSTALL_DIR);
	return dir;
}

int
data_find(const char *folder, const char *end, const char *what, char *path, size_t size,
	  char error[LAB_ERROR_MAX])
{
	size_t one = strlen(folder); /* of them: the name without its plural's s */

	if (folder[one - 1] == 's')
		one--;
	if (strpbrk(what, "/.") != NULL) {
		if (strlen(what) >= size) {
			lab_error(error, "%.60s...: the name is too long", what);
			return -ENAMETOOLONG;
		}
		snprintf(path, size, "%s", what);
		return 0;
	}
	snprintf(path, size, "%s/%s/%s%s", data_dir(), folder, what, end);
	if (what[0] == '\0' || access(path, F_OK) != 0) {
		lab_error(
		    error,
		    "no %.*s '%.60s' in %.200s/%s; allowed: those that 'aim-lab list' shows, or a file",
		    (int)one, folder, what, data_dir(), folder);
		return -ENOENT;
	}
	return 0;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
name_add(struct data_names *names, const char *name, size_t length)
{
	char **more = reallocarray(names->name, names->n + 1, sizeof(*more));

	if (more == NULL)
		return -ENOMEM;
	names->name = more;
	more[names->n] = strndup(name, length);
	if (more[names->n] == NULL)
		return -ENOMEM;
	names->n++;
	return 0;
}

int
data_names(const char *folder, const char *end, struct data_names *names, char error[LAB_ERROR_MAX])
{
	char path[1200];
	struct dirent *entry;
	DIR *d;
	int rc = 0;

	*names = (struct data_names){0};
	snprintf(path, sizeof(path), "%s/%s", data_dir(), folder);
	d = opendir(path);
	if (d == NULL) {
		rc = -errno;
		lab_error(error,
			  "%.200s: cannot be read: %s; give the folder with --data or AIM_LAB_DATA",
			  path, strerror(-rc));
		return rc;
	}
	while (rc == 0 && (entry = readdir(d)) != NULL) {
		size_t n = strlen(entry->d_name), n_end = strlen(end);

		if (n > n_end && entry->d_name[0] != '.' &&
		    strcmp(entry->d_name + n - n_end, end) == 0)
			rc = name_add(names, entry->d_name, n - n_end);
	}
	closedir(d);
	if (rc != 0) {
		lab_error(error, "no memory");
		data_names_free(names);
		return rc;
	}
	if (names->n > 0)
		qsort(names->name, names->n, sizeof(names->name[0]), by_name);
	return 0;
}

void
data_names_free(struct data_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->name[i]);
	free(names->name);
	*names = (struct data_names){0};
}

int
data_scenario(const char *what, struct scenario *s, char error[LAB_ERROR_MAX])
{
	char path[1200];
	int rc = data_find(DATA_SCENARIOS, DATA_SCENARIO_END, what, path, sizeof(path), error);

	if (rc != 0)
		return rc;
	scenario_init(s);
	return scenario_read(s, path, error);
}
