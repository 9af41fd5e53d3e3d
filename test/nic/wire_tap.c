/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TAP interface, maybe in another network namespace: the NIC meets real hosts.
 *
 * A TAP has no line rate: a host fills it as fast as it can copy. So this wire stands for a link
 * whose partner honours pause frames: while the NIC's packet buffer is full, frames wait in the
 * interface's own queue, and the host notices there.
 */
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

struct tap {
	int fd;
	int stop_fd;
	int room_fd;
	atomic_bool waits; /* for room */
	char ifname[IFNAMSIZ];
	char netns[128];
	pthread_t thread;
	/* What the short-lived thread that enters the namespace brings back. */
	int error;
	const char *step;
	uint8_t frame[NIC_FRAME_MAX];
};

static void
tap_fail(struct tap *tap, const char *step)
{
	tap->error = errno;
	tap->step = step;
}

/* A thread of its own: a network namespace is a thread's, and this one ends with it. */
static void *
tap_make(void *arg)
{
	struct tap *tap = arg;
	struct ifreq ifr;
	int fd;

	if (tap->netns[0] != '\0') {
		char path[192];
		int ns;

		snprintf(path, sizeof(path), "/run/netns/%s", tap->netns);
		ns = open(path, O_RDONLY | O_CLOEXEC);
		if (ns < 0) {
			tap_fail(tap, "no such network namespace: make it with 'ip netns add'");
			return NULL;
		}
		if (setns(ns, CLONE_NEWNET) != 0) {
			tap_fail(tap, "entering the network namespace needs CAP_SYS_ADMIN: run as "
				      "root");
			close(ns);
			return NULL;
		}
		close(ns);
	}
	fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		tap_fail(tap, "/dev/net/tun: load the module tun, or run as root");
		return NULL;
	}
	memset(&ifr, 0, sizeof(ifr));
	ifr.ifr_flags = IFF_TAP | IFF_NO_PI;
	memcpy(ifr.ifr_name, tap->ifname, sizeof(ifr.ifr_name));
	if (ioctl(fd, TUNSETIFF, &ifr) != 0) {
		tap_fail(tap, errno == EPERM   ? "needs CAP_NET_ADMIN: run as root"
			      : errno == EBUSY ? "another program holds this interface"
					       : "cannot make the interface");
		close(fd);
		return NULL;
	}
	tap->fd = fd;
	return NULL;
}

/* Until the NIC takes a frame of n bytes, or has its own reason not to. True: stop. */
static bool
wait_for_room(struct nic_wire *wire, uint32_t n)
{
	struct tap *tap = wire->state;
	struct pollfd fds[2] = {{.fd = tap->room_fd, .events = POLLIN},
				{.fd = tap->stop_fd, .events = POLLIN}};
	uint64_t count;

	for (;;) {
		atomic_store(&tap->waits, true); /* before the look: room may come in between */
		if (!nic_full(wire->nic, n))
			break;
		poll(fds, 2, 100);
		if (fds[1].revents != 0)
			return true;
		if (read(tap->room_fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
			return true;
	}
	atomic_store(&tap->waits, false);
	return false;
}

static void
tap_room(struct nic_wire *wire)
{
	struct tap *tap = wire->state;
	uint64_t one = 1;

	if (atomic_exchange(&tap->waits, false) && write(tap->room_fd, &one, sizeof(one)) < 0)
		nic_log("wire tap %s: %s", tap->ifname, strerror(errno));
}

static void *
tap_receive(void *arg)
{
	struct nic_wire *wire = arg;
	struct tap *tap = wire->state;
	struct pollfd fds[2] = {{.fd = tap->fd, .events = POLLIN},
				{.fd = tap->stop_fd, .events = POLLIN}};

	for (;;) {
		ssize_t n;

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[1].revents != 0)
			break;
		/* Down or deleted gives POLLERR without end: look again after a while. */
		if (fds[0].revents & (POLLERR | POLLHUP | POLLNVAL)) {
			poll(&fds[1], 1, 100);
			continue;
		}
		while ((n = read(tap->fd, tap->frame, sizeof(tap->frame))) > 0) {
			nic_wire_count(&wire->stats.in_read);
			if (nic_full(wire->nic, (uint32_t)n) && wait_for_room(wire, (uint32_t)n))
				return NULL;
			if (nic_inject(wire->nic, tap->frame, (uint32_t)n) == 0)
				nic_wire_count(&wire->stats.in_injected);
			else
				nic_wire_count(&wire->stats.in_refused);
		}
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			poll(&fds[1], 1, 100);
	}
	return NULL;
}

static int
start_thread(pthread_t *thread, void *(*fn)(void *), void *arg)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	rc = pthread_create(thread, NULL, fn, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -rc;
}

static int
tap_open(struct nic_wire *wire, const char *options, char *err, size_t errlen)
{
	const char *at = strchr(options, '@');
	size_t n = at != NULL ? (size_t)(at - options) : strlen(options);
	struct tap *tap;
	pthread_t maker;
	int rc;

	if (n == 0 || n >= IFNAMSIZ || (at != NULL && (at[1] == '\0' || strlen(at + 1) > 100))) {
		snprintf(err, errlen,
			 "wire tap: bad '%s': IFNAME (1 to 15 characters) or "
			 "IFNAME@NETNS",
			 options);
		return -EINVAL;
	}
	tap = calloc(1, sizeof(*tap));
	if (tap == NULL)
		return -ENOMEM;
	tap->fd = -1;
	memcpy(tap->ifname, options, n);
	if (at != NULL)
		snprintf(tap->netns, sizeof(tap->netns), "%s", at + 1);
	tap->stop_fd = eventfd(0, EFD_CLOEXEC);
	tap->room_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = tap->stop_fd < 0 || tap->room_fd < 0 ? -errno : start_thread(&maker, tap_make, tap);
	if (rc == 0) {
		pthread_join(maker, NULL);
		rc = tap->fd < 0 ? -tap->error : 0;
		if (rc != 0)
			snprintf(err, errlen, "wire tap:%s: %s (%s)", options, tap->step,
				 strerror(tap->error));
	} else {
		snprintf(err, errlen, "wire tap:%s: %s", options, strerror(-rc));
	}
	wire->state = tap;
	if (rc == 0) {
		rc = start_thread(&tap->thread, tap_receive, wire);
		if (rc != 0)
			snprintf(err, errlen, "wire tap:%s: no thread: %s", options, strerror(-rc));
	}
	if (rc == 0) {
		pthread_setname_np(tap->thread, "nic-tap");
		return 0;
	}
	if (tap->fd >= 0)
		close(tap->fd);
	if (tap->stop_fd >= 0)
		close(tap->stop_fd);
	if (tap->room_fd >= 0)
		close(tap->room_fd);
	free(tap);
	return rc;
}

static void
tap_close(struct nic_wire *wire)
{
	struct tap *tap = wire->state;
	uint64_t one = 1;

	if (write(tap->stop_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(tap->thread, NULL);
	close(tap->fd);
	close(tap->room_fd);
	close(tap->stop_fd);
	free(tap);
}

static int
tap_transmit(struct nic_wire *wire, const uint8_t *frame, uint32_t len)
{
	struct tap *tap = wire->state;

	if (write(tap->fd, frame, len) == (ssize_t)len) {
		nic_wire_count(&wire->stats.out_written);
		return 0;
	}
	/* The interface is down, or its queue is full. */
	nic_wire_count(&wire->stats.out_failed);
	return -EIO;
}

static void
tap_report(struct nic_wire *wire, FILE *out)
{
	struct tap *tap = wire->state;

	fprintf(out, "wire tap %s: %ju read, %ju refused by the NIC, %ju written, %ju failed\n",
		tap->ifname, (uintmax_t)wire->stats.in_read, (uintmax_t)wire->stats.in_refused,
		(uintmax_t)wire->stats.out_written, (uintmax_t)wire->stats.out_failed);
}

const struct nic_wire_ops nic_wire_tap = {
    .kind = "tap",
    .open = tap_open,
    .close = tap_close,
    .transmit = tap_transmit,
    .room = tap_room,
    .report = tap_report,
};
