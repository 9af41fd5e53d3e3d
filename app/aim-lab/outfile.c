/* SPDX-License-Identifier: BSD-3-Clause */
#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lines.h"

/* Files that a signal removes. A slot is taken when its first byte is not NUL. */
#define PENDING_MAX 4
static char pending[PENDING_MAX][sizeof(((struct outfile *)0)->temp)];
static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

static void
stopped(int sig)
{
	for (size_t i = 0; i < PENDING_MAX; i++)
		if (pending[i][0] != '\0')
			unlink(pending[i]);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void
stops_block(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
		sigaddset(&set, stops[i]);
	pthread_sigmask(SIG_BLOCK, &set, old);
}

static void
handlers_install(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		struct sigaction now;

		if (sigaction(stops[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
			signal(stops[i], stopped);
	}
}

static void
pending_remove(const char *temp)
{
	for (size_t i = 0; i < PENDING_MAX; i++)
		if (strcmp(pending[i], temp) == 0)
			pending[i][0] = '\0';
}

static int
failed(const char *path, char error[LAB_ERROR_MAX])
{
	int rc = -errno;

	lab_error(error, "%.200s: cannot be written: %s", path, strerror(-rc));
	return rc;
}

/* mkstemp() makes files that only their owner reads; this one is to be as the one that it replaces,
 * or else as any other. */
static void
mode_take(int fd, const struct stat *old)
{
	mode_t mask = umask(0);

	umask(mask);
	if (old != NULL)
		(void)!fchown(fd, old->st_uid, old->st_gid);
	(void)!fchmod(fd, old != NULL ? old->st_mode & 07777 : 0666 & ~mask);
}

/* A new file beside path, its name in o->temp and in pending[]. */
static int
temp_open(struct outfile *o)
{
	sigset_t old;
	int fd, saved;

	handlers_install();
	snprintf(o->temp, sizeof(o->temp), "%s.part-XXXXXX", o->target);
	stops_block(&old);
	fd = mkostemp(o->temp, O_CLOEXEC);
	saved = errno;
	for (size_t i = 0; fd >= 0 && i < PENDING_MAX; i++)
		if (pending[i][0] == '\0') {
			memcpy(pending[i], o->temp, sizeof(o->temp));
			break;
		}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return fd;
}

int
outfile_open(struct outfile *o, const char *path, char error[LAB_ERROR_MAX])
{
	struct stat st;
	bool there;
	int fd, rc;

	*o = (struct outfile){.f = stdout};
	if (path == NULL) {
		snprintf(o->path, sizeof(o->path), "standard output");
		return 0;
	}
	o->f = NULL;
	errno = ENOENT;
	if (path[0] == '\0')
		return failed("''", error);
	if (!paths_target(path, o->target))
		return failed(path, error);
	snprintf(o->path, sizeof(o->path), "%s", path);
	there = stat(path, &st) == 0;
	if (there && !S_ISREG(st.st_mode)) { /* a device, a pipe: as it is */
		o->f = fopen(path, "we");
		return o->f != NULL ? 0 : failed(path, error);
	}
	fd = temp_open(o);
	if (fd < 0) {
		rc = failed(path, error);
		o->temp[0] = '\0';
		return rc;
	}
	mode_take(fd, there ? &st : NULL);
	o->f = fdopen(fd, "w");
	if (o->f == NULL) {
		rc = failed(path, error);
		close(fd);
		outfile_abort(o);
		return rc;
	}
	return 0;
}

void
outfile_abort(struct outfile *o)
{
	if (o->f != NULL && o->f != stdout)
		fclose(o->f);
	o->f = NULL;
	if (o->temp[0] != '\0') {
		unlink(o->temp);
		pending_remove(o->temp);
		o->temp[0] = '\0';
	}
}

int
outfile_commit(struct outfile *o, char error[LAB_ERROR_MAX])
{
	bool bad = ferror(o->f) != 0;

	errno = EIO;
	bad = fflush(o->f) != 0 || bad;
	if (o->f != stdout) {
		bad = fclose(o->f) != 0 || bad;
		o->f = NULL;
	}
	if (!bad && o->temp[0] != '\0')
		bad = rename(o->temp, o->target) != 0;
	if (bad) {
		failed(o->path, error);
		outfile_abort(o);
		return -EIO;
	}
	if (o->temp[0] != '\0')
		pending_remove(o->temp);
	*o = (struct outfile){0};
	return 0;
}
