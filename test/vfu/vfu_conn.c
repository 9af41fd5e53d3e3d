/* SPDX-License-Identifier: BSD-3-Clause */
#include "vfu_conn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Messages in a row before others get their turn. */
#define BUDGET 64u

struct vfu_conn {
	struct vfu *vfu;
	int fd;
	bool said; /* a line in the log says why the client was cut off */
	/* The message that is being received. */
	struct vfu_header header;
	size_t got; /* bytes of it, with the header */
	int fds[VFU_FDS_MAX];
	unsigned int fd_count;
	/* The reply that is being sent. */
	size_t sent;
	bool sending;
	struct vfu_reply reply;
	_Alignas(8) uint8_t payload[VFU_PAYLOAD_MAX];
};

struct vfu_conn *
vfu_conn_open(struct vfu *vfu, int fd)
{
	struct vfu_conn *conn = malloc(sizeof(*conn));
	int flags = fcntl(fd, F_GETFL);

	if (conn == NULL || flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
		close(fd);
		free(conn);
		return NULL;
	}
	conn->vfu = vfu;
	conn->fd = fd;
	conn->said = conn->sending = false;
	conn->got = conn->sent = 0;
	conn->fd_count = 0;
	return conn;
}

static void
close_fds(struct vfu_conn *conn)
{
	while (conn->fd_count > 0)
		close(conn->fds[--conn->fd_count]);
}

void
vfu_conn_close(struct vfu_conn *conn)
{
	if (conn == NULL)
		return;
	if (!conn->said && conn->vfu->negotiated)
		nic_log("vfu-nic: %s: the client is gone", conn->vfu->name);
	close_fds(conn);
	close(conn->fd);
	vfu_disconnect(conn->vfu);
	free(conn);
}

int
vfu_conn_fd(const struct vfu_conn *conn)
{
	return conn->fd;
}

short
vfu_conn_events(const struct vfu_conn *conn)
{
	return conn->sending ? POLLOUT : POLLIN;
}

static bool
reject(struct vfu_conn *conn, const char *why)
{
	nic_log("vfu-nic: %s: the client sent %s: cut off", conn->vfu->name, why);
	conn->said = true;
	return false;
}

/* 1: all of it went; 0: the socket is full; -1: the client is gone. */
static int
flush(struct vfu_conn *conn)
{
	while (conn->sending) {
		size_t head = sizeof(conn->reply.header), total = head + conn->reply.len;
		struct iovec iov[2];
		struct msghdr msg = {.msg_iov = iov};
		ssize_t n;

		if (conn->sent < head) {
			iov[msg.msg_iovlen].iov_base = (uint8_t *)&conn->reply.header + conn->sent;
			iov[msg.msg_iovlen++].iov_len = head - conn->sent;
		}
		if (conn->reply.len != 0) {
			size_t at = conn->sent > head ? conn->sent - head : 0;

			iov[msg.msg_iovlen].iov_base = conn->reply.data + at;
			iov[msg.msg_iovlen++].iov_len = conn->reply.len - at;
		}
		n = sendmsg(conn->fd, &msg, MSG_NOSIGNAL);
		if (n < 0)
			return errno == EAGAIN ? 0 : errno == EINTR ? 1 : -1;
		conn->sent += (size_t)n;
		conn->sending = conn->sent < total;
	}
	return 1;
}

/* Keep the descriptors that came; false: more than a message may have. */
static bool
take_fds(struct vfu_conn *conn, struct msghdr *msg)
{
	bool ok = (msg->msg_flags & MSG_CTRUNC) == 0;
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
		size_t n, i;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
			if (conn->fd_count < VFU_FDS_MAX) {
				conn->fds[conn->fd_count++] = fd;
			} else {
				close(fd);
				ok = false;
			}
		}
	}
	return ok;
}

/*
 * Up to the end of the header, then up to the end of the message: so the descriptors of a call
 * belong to this message. 1: something came; 0: nothing is there; -1: cut off.
 */
static int
receive(struct vfu_conn *conn)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(VFU_FDS_MAX * sizeof(int))];
	} control;
	size_t head = sizeof(conn->header);
	struct iovec iov;
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	ssize_t n;

	if (conn->got < head) {
		iov.iov_base = (uint8_t *)&conn->header + conn->got;
		iov.iov_len = head - conn->got;
	} else {
		iov.iov_base = conn->payload + (conn->got - head);
		iov.iov_len = conn->header.size - conn->got;
	}
	n = recvmsg(conn->fd, &msg, MSG_CMSG_CLOEXEC);
	if (n < 0)
		return errno == EAGAIN ? 0 : errno == EINTR ? 1 : -1;
	if (n == 0) {
		if (conn->got != 0)
			reject(conn, "half a message and the end");
		return -1;
	}
	conn->got += (size_t)n;
	if (!take_fds(conn, &msg)) {
		reject(conn, "more descriptors than max_msg_fds");
		return -1;
	}
	if (conn->got == head &&
	    (conn->header.size < head || conn->header.size - head > VFU_PAYLOAD_MAX)) {
		reject(conn, "a message of an impossible length");
		return -1;
	}
	return 1;
}

/* A message is whole. */
static bool
carry_out(struct vfu_conn *conn)
{
	const char *why = vfu_message(conn->vfu, &conn->header, conn->payload, conn->fds,
				      conn->fd_count, &conn->reply);

	conn->fd_count = 0;
	conn->got = conn->sent = 0;
	conn->sending = conn->reply.wanted;
	if (why != NULL) {
		flush(conn);
		return reject(conn, why);
	}
	return true;
}

bool
vfu_conn_run(struct vfu_conn *conn)
{
	unsigned int n = 0;

	while (n < BUDGET) {
		int rc = flush(conn);

		if (atomic_load(&conn->vfu->dma.lost))
			return reject(conn, "memory that it then took away");
		if (rc == 1 && !conn->sending)
			rc = receive(conn);
		if (rc <= 0)
			return rc == 0;
		if (conn->got >= sizeof(conn->header) && conn->got == conn->header.size) {
			n++;
			if (!carry_out(conn))
				return false;
		}
	}
	return flush(conn) >= 0;
}
