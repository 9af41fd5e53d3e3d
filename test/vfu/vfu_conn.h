/* SPDX-License-Identifier: BSD-3-Clause */
/* A client's connection: a stream of messages, on a socket that never blocks. */
#ifndef VFU_CONN_H
#define VFU_CONN_H

#include <stdbool.h>

#include "vfu.h"

struct vfu_conn;

/* Takes the socket, also when it fails (NULL: no memory). */
struct vfu_conn *vfu_conn_open(struct vfu *vfu, int fd);
/* The device is reset, and nothing of the client's is kept. */
void vfu_conn_close(struct vfu_conn *conn);
int vfu_conn_fd(const struct vfu_conn *conn);
/* What to poll the socket for: while a reply waits for room no further message is read. */
short vfu_conn_events(const struct vfu_conn *conn);
/* Read and answer what is there. False: the client is gone or was cut off, and a line in the log
 * says why. */
bool vfu_conn_run(struct vfu_conn *conn);

#endif /* VFU_CONN_H */
