/* SPDX-License-Identifier: BSD-3-Clause */
/* UNIX sockets by path: they appear when they can be connected to, and go with their server. */
#ifndef VFU_LISTEN_H
#define VFU_LISTEN_H

#include <stddef.h>
#include <sys/types.h>

/* Longest path; behind it four bytes are needed for a name to start with. */
#define VFU_PATH_MAX 103u

struct vfu_listen {
	int fd;
	char path[VFU_PATH_MAX + 1];
	dev_t dev; /* of the socket's file, so that nobody else's is removed */
	ino_t ino;
};

/* 0, or a negative errno and a line in err: -EADDRINUSE when a server listens there, -EEXIST when
 * the path is no socket. A socket that nobody listens on is replaced. */
int vfu_listen_open(struct vfu_listen *l, const char *path, char *err, size_t errlen);
void vfu_listen_close(struct vfu_listen *l);
/* A connection that does not block, or -1. */
int vfu_listen_accept(const struct vfu_listen *l);

#endif /* VFU_LISTEN_H */
