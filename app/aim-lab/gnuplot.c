/* SPDX-License-Identifier: BSD-3-Clause */
#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lines.h"
#include "plot.h"

#define MISSING "gnuplot is not installed; it is in package gnuplot-nox (Debian, Ubuntu) or gnuplot"

static bool
ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), n_end = strlen(end);

	return n > n_end && strcasecmp(path + n - n_end, end) == 0;
}

static bool
in_path(const char *program)
{
	const char *folders = getenv("PATH");
	char file[1024];

	for (const char *p = folders; p != NULL && *p != '\0';) {
		size_t n = strcspn(p, ":");

		snprintf(file, sizeof(file), "%.*s/%s", (int)n, p, program);
		if (access(file, X_OK) == 0)
			return true;
		p += n + (p[n] == ':');
	}
	return false;
}

int
plot_check(const char *path, char error[LAB_ERROR_MAX])
{
	if (!ends_with(path, ".svg") && !ends_with(path, ".png"))
		return lab_error(
		    error, "--plot %.200s; allowed: a file that ends with .svg or .png", path);
	if (!in_path("gnuplot")) {
		lab_error(error, MISSING);
		return -ENOENT;
	}
	return 0;
}

int
gnuplot_open(struct gnuplot *g, const char *path, unsigned int width, unsigned int height,
	     char error[LAB_ERROR_MAX])
{
	int rc = plot_check(path, error);

	*g = (struct gnuplot){0};
	if (rc == 0)
		rc = outfile_open(&g->out, path, error);
	if (rc != 0)
		return rc;
	g->script = tmpfile();
	if (g->script == NULL) {
		rc = -errno;
		lab_error(error, "no temporary file: %s", strerror(-rc));
		outfile_abort(&g->out);
		return rc;
	}
	fprintf(g->script,
		"set encoding utf8\nset terminal %s size %u,%u noenhanced font 'sans,%d'\n",
		ends_with(path, ".svg") ? "svg background rgb 'white'" : "pngcairo", width, height,
		ends_with(path, ".svg") ? 12 : 10);
	return 0;
}

void
gnuplot_text(struct gnuplot *g, const char *text)
{
	fputc('\'', g->script);
	for (; *text != '\0'; text++) {
		if (*text == '\'') /* nothing else is special between single quotes */
			fputc('\'', g->script);
		fputc((unsigned char)*text < ' ' ? ' ' : *text, g->script);
	}
	fputc('\'', g->script);
}

/* gnuplot with the script as its input and the picture as its output. 0, or errno. */
static int
spawn(int script, int picture, int errors, pid_t *pid)
{
	char *argv[] = {"gnuplot", "-d", NULL}; /* -d: no settings of the user */
	char locale[] = "LC_ALL=C.UTF-8", path[4096];
	char *envp[] = {locale, path, NULL};
	posix_spawn_file_actions_t files;
	int rc;

	snprintf(path, sizeof(path), "PATH=%s", getenv("PATH") != NULL ? getenv("PATH") : "");
	rc = posix_spawn_file_actions_init(&files);
	if (rc != 0)
		return rc;
	rc = posix_spawn_file_actions_adddup2(&files, script, STDIN_FILENO);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&files, picture, STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
	if (rc == 0)
		rc = posix_spawnp(pid, argv[0], &files, NULL, argv, envp);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

/* What gnuplot complained of: the line that says "line N:". */
static void
complaint(FILE *errors, char text[LAB_ERROR_MAX])
{
	char line[256];

	lab_error(text, "gnuplot failed");
	rewind(errors);
	while (fgets(line, sizeof(line), errors) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strstr(line, "line ") != NULL || strstr(line, "rror") != NULL) {
			lab_error(text, "gnuplot: %s", lines_trim(line));
			return;
		}
	}
}

static int
draw(struct gnuplot *g, FILE *errors, char error[LAB_ERROR_MAX])
{
	struct stat st;
	int status, rc;
	pid_t pid;

	if (fflush(g->script) != 0 || ferror(g->script)) {
		lab_error(error, "a temporary file cannot be written: %s", strerror(errno));
		return -EIO;
	}
	rewind(g->script);
	rc = spawn(fileno(g->script), fileno(g->out.f), fileno(errors), &pid);
	if (rc != 0) {
		lab_error(error, rc == ENOENT ? MISSING : "gnuplot cannot be run: %s",
			  strerror(rc));
		return -rc;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return lab_error(error, "gnuplot is lost: %s", strerror(errno));
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || fstat(fileno(g->out.f), &st) != 0 ||
	    (S_ISREG(st.st_mode) && st.st_size == 0)) {
		complaint(errors, error);
		return -EIO;
	}
	return 0;
}

int
gnuplot_draw(struct gnuplot *g, char error[LAB_ERROR_MAX])
{
	FILE *errors = tmpfile();
	int rc;

	if (errors == NULL) {
		rc = -errno;
		lab_error(error, "no temporary file: %s", strerror(errno));
	} else {
		rc = draw(g, errors, error);
		fclose(errors);
	}
	fclose(g->script);
	if (rc == 0)
		rc = outfile_commit(&g->out, error);
	outfile_abort(&g->out);
	return rc;
}
