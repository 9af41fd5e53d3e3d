/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The server: a socket a device, a control socket, and signals, in one loop of one thread. A device
 * has one client at a time; a second one is turned away. When a client goes the device is reset,
 * and waits for the next.
 */
#ifndef VFU_SERVER_H
#define VFU_SERVER_H

#include <stddef.h>

#include "vfu.h"

#define VFU_DEVICES 8u

struct vfu_server;

/* report: file for SIGUSR1 and the end, or NULL. SIGTERM, SIGINT and SIGUSR1 must be blocked in all
 * threads. NULL, and a line in err. */
struct vfu_server *vfu_server_create(const char *report, char *err, size_t errlen);
/* Ends connections, closes and removes the sockets; the devices stay the caller's. */
void vfu_server_destroy(struct vfu_server *server);
/* 0, or a negative errno and a line in err, as vfu_listen_open(). */
int vfu_server_add(struct vfu_server *server, struct vfu *vfu, const char *path, char *err,
		   size_t errlen);
int vfu_server_control(struct vfu_server *server, const char *path, char *err, size_t errlen);
/* Until SIGTERM or SIGINT: 0, or a negative errno of poll(). */
int vfu_server_run(struct vfu_server *server);
/* Write the report file, if there is one. */
void vfu_server_report(struct vfu_server *server);

#endif /* VFU_SERVER_H */
