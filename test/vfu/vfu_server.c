/* SPDX-License-Identifier: BSD-3-Clause */
#include "vfu_server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vfu_conn.h"
#include "vfu_control.h"
#include "vfu_listen.h"
#include "vfu_report.h"

#define CALLERS 8u /* on the control socket at a time */

/* Who sends commands: a line is read, its answer sent, then the next. */
struct caller {
	int fd;
	char line[256];
	size_t got;
	char *answer; /* with its newline; NULL: none to send */
	size_t len, sent;
};

struct vfu_server {
	const char *report;
	int signal_fd;
	unsigned int count;
	struct vfu *devices[VFU_DEVICES];
	struct vfu_listen listen[VFU_DEVICES];
	struct vfu_conn *conn[VFU_DEVICES];
	struct vfu_listen control;
	struct caller callers[CALLERS];
	bool stop;
};

struct vfu_server *
vfu_server_create(const char *report, char *err, size_t errlen)
{
	struct vfu_server *server = calloc(1, sizeof(*server));
	sigset_t set;
	unsigned int i;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR1);
	if (server != NULL)
		server->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (server == NULL || server->signal_fd < 0) {
		snprintf(err, errlen, "cannot start: %s", strerror(errno));
		free(server);
		return NULL;
	}
	server->report = report;
	server->control.fd = -1;
	for (i = 0; i < CALLERS; i++)
		server->callers[i].fd = -1;
	return server;
}

static void
caller_end(struct caller *op)
{
	close(op->fd);
	free(op->answer);
	memset(op, 0, sizeof(*op));
	op->fd = -1;
}

void
vfu_server_destroy(struct vfu_server *server)
{
	unsigned int i;

	if (server == NULL)
		return;
	for (i = 0; i < server->count; i++) {
		vfu_conn_close(server->conn[i]);
		vfu_listen_close(&server->listen[i]);
	}
	for (i = 0; i < CALLERS; i++)
		if (server->callers[i].fd >= 0)
			caller_end(&server->callers[i]);
	vfu_listen_close(&server->control);
	close(server->signal_fd);
	free(server);
}

int
vfu_server_add(struct vfu_server *server, struct vfu *vfu, const char *path, char *err,
	       size_t errlen)
{
	int rc;

	if (server->count == VFU_DEVICES) {
		snprintf(err, errlen, "%u devices at most", VFU_DEVICES);
		return -ENOSPC;
	}
	rc = vfu_listen_open(&server->listen[server->count], path, err, errlen);
	if (rc == 0)
		server->devices[server->count++] = vfu;
	return rc;
}

int
vfu_server_control(struct vfu_server *server, const char *path, char *err, size_t errlen)
{
	return vfu_listen_open(&server->control, path, err, errlen);
}

void
vfu_server_report(struct vfu_server *server)
{
	json_t *report;
	int rc;

	if (server->report == NULL)
		return;
	report = vfu_report_all(server->devices, server->count);
	rc = vfu_report_write(report, server->report);
	if (rc != 0)
		nic_log("vfu-nic: %s: cannot write the report: %s", server->report, strerror(-rc));
	json_decref(report);
}

static void
client_comes(struct vfu_server *server, unsigned int i)
{
	int fd = vfu_listen_accept(&server->listen[i]);

	if (fd < 0)
		return;
	if (server->conn[i] != NULL) {
		nic_log("vfu-nic: %s: a second client, turned away", server->devices[i]->name);
		close(fd);
		return;
	}
	server->conn[i] = vfu_conn_open(server->devices[i], fd);
}

static void
client_runs(struct vfu_server *server, unsigned int i)
{
	if (server->conn[i] == NULL || vfu_conn_run(server->conn[i]))
		return;
	vfu_conn_close(server->conn[i]);
	server->conn[i] = NULL;
}

static void
caller_comes(struct vfu_server *server)
{
	int fd = vfu_listen_accept(&server->control);
	unsigned int i;

	if (fd < 0)
		return;
	for (i = 0; i < CALLERS && server->callers[i].fd >= 0; i++)
		;
	if (i == CALLERS)
		close(fd);
	else
		server->callers[i].fd = fd;
}

/* False: it is over. */
static bool
caller_send(struct caller *op)
{
	while (op->answer != NULL) {
		ssize_t n = send(op->fd, op->answer + op->sent, op->len - op->sent, MSG_NOSIGNAL);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		op->sent += (size_t)n;
		if (op->sent == op->len) {
			free(op->answer);
			op->answer = NULL;
		}
	}
	return true;
}

static bool
caller_answer(struct vfu_server *server, struct caller *op)
{
	char *end = memchr(op->line, '\n', op->got), *json, *answer;

	if (end == NULL)
		return op->got < sizeof(op->line); /* else a line that no command is as long as */
	*end = '\0';
	json = vfu_control(server->devices, server->count, op->line);
	op->got -= (size_t)(end + 1 - op->line);
	memmove(op->line, end + 1, op->got);
	if (json == NULL)
		return false;
	op->len = strlen(json) + 1;
	op->sent = 0;
	answer = realloc(json, op->len + 1);
	if (answer == NULL) {
		free(json);
		return false;
	}
	answer[op->len - 1] = '\n';
	op->answer = answer;
	return caller_send(op);
}

static bool
caller_run(struct vfu_server *server, struct caller *op)
{
	ssize_t n;

	if (!caller_send(op))
		return false;
	if (op->answer != NULL)
		return true;
	n = recv(op->fd, op->line + op->got, sizeof(op->line) - op->got, 0);
	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	op->got += (size_t)n;
	while (op->answer == NULL && memchr(op->line, '\n', op->got) != NULL)
		if (!caller_answer(server, op))
			return false;
	return op->got < sizeof(op->line);
}

static void
signals(struct vfu_server *server)
{
	struct signalfd_siginfo info;

	while (read(server->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGUSR1)
			vfu_server_report(server);
		else
			server->stop = true;
	}
}

/* In the order of turn(). */
static nfds_t
what_to_wait_for(struct vfu_server *server, struct pollfd *fds)
{
	nfds_t n = 0;
	unsigned int i;

	fds[n++] = (struct pollfd){.fd = server->signal_fd, .events = POLLIN};
	for (i = 0; i < server->count; i++) {
		struct vfu_conn *conn = server->conn[i];

		/* Clients before listeners: one that goes makes room for the next. */
		fds[n++] = (struct pollfd){.fd = conn != NULL ? vfu_conn_fd(conn) : -1,
					   .events = conn != NULL ? vfu_conn_events(conn) : 0};
		fds[n++] = (struct pollfd){.fd = server->devices[i]->dma.lost_fd, .events = POLLIN};
		fds[n++] = (struct pollfd){.fd = server->listen[i].fd, .events = POLLIN};
	}
	for (i = 0; i < CALLERS; i++) {
		struct caller *op = &server->callers[i];

		fds[n++] = (struct pollfd){.fd = op->fd,
					   .events = op->answer != NULL ? POLLOUT : POLLIN};
	}
	fds[n++] = (struct pollfd){.fd = server->control.fd, .events = POLLIN};
	return n;
}

static void
turn(struct vfu_server *server, const struct pollfd *fds)
{
	unsigned int i;

	if ((fds++)->revents != 0)
		signals(server);
	for (i = 0; i < server->count; i++, fds += 3) {
		if (fds[0].revents != 0 || fds[1].revents != 0)
			client_runs(server, i);
		if (fds[2].revents != 0)
			client_comes(server, i);
	}
	for (i = 0; i < CALLERS; i++, fds++)
		if (fds->revents != 0 && !caller_run(server, &server->callers[i]))
			caller_end(&server->callers[i]);
	if (fds->revents != 0)
		caller_comes(server);
}

int
vfu_server_run(struct vfu_server *server)
{
	struct pollfd fds[2 + 3 * VFU_DEVICES + CALLERS];

	while (!server->stop) {
		if (poll(fds, what_to_wait_for(server, fds), -1) > 0)
			turn(server, fds);
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}
