/* SPDX-License-Identifier: BSD-3-Clause */
#include "vfu_listen.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int
new_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* May the path be taken? */
static int
look(const char *path, char *err, size_t errlen)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct stat st;
	int fd, rc;

	if (lstat(path, &st) != 0)
		return 0;
	if (!S_ISSOCK(st.st_mode)) {
		snprintf(err, errlen, "%s: there is a file that is no socket: name another path",
			 path);
		return -EEXIST;
	}
	fd = new_socket();
	if (fd < 0) {
		snprintf(err, errlen, "%s: %s", path, strerror(errno));
		return -errno;
	}
	memcpy(addr.sun_path, path, strlen(path));
	rc = connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) == 0 ? 0 : -errno;
	close(fd);
	/* A full backlog is a server, too. */
	if (rc == 0 || rc == -EAGAIN) {
		snprintf(err, errlen, "%s: a server listens there: end it, or name another path",
			 path);
		return -EADDRINUSE;
	}
	return 0;
}

int
vfu_listen_open(struct vfu_listen *l, const char *path, char *err, size_t errlen)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct stat st;
	int rc;

	l->fd = -1;
	if (*path == '\0' || strlen(path) > VFU_PATH_MAX) {
		snprintf(err, errlen, "path of a socket '%s': 1 to %u characters", path,
			 VFU_PATH_MAX);
		return -EINVAL;
	}
	rc = look(path, err, errlen);
	if (rc != 0)
		return rc;
	snprintf(l->path, sizeof(l->path), "%s", path);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s.new", l->path);
	l->fd = new_socket();
	unlink(addr.sun_path);
	/* Under its own name only when it listens: whoever waits for the file may connect. */
	if (l->fd < 0 || bind(l->fd, (const struct sockaddr *)&addr, sizeof(addr)) != 0 ||
	    listen(l->fd, 8) != 0 || rename(addr.sun_path, path) != 0 || stat(path, &st) != 0) {
		rc = -errno;
		snprintf(err, errlen, "%s: %s", path, strerror(errno));
		unlink(addr.sun_path);
		if (l->fd >= 0)
			close(l->fd);
		l->fd = -1;
		return rc;
	}
	l->dev = st.st_dev;
	l->ino = st.st_ino;
	return 0;
}

void
vfu_listen_close(struct vfu_listen *l)
{
	struct stat st;

	if (l->fd < 0)
		return;
	if (lstat(l->path, &st) == 0 && st.st_dev == l->dev && st.st_ino == l->ino)
		unlink(l->path);
	close(l->fd);
	l->fd = -1;
}

int
vfu_listen_accept(const struct vfu_listen *l)
{
	int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	/* Out of descriptors: the connection stays in the queue, and would be found at once. */
	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
		poll(NULL, 0, 100);
	return fd;
}
