/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two NICs back to back, and a NIC with itself. A frame is queued and given to its receiver by a
 * timer that is due at once: a NIC's transmit path holds the NIC's lock and may not take another.
 */
#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE_BYTES (1u << 20)

struct end {
	struct nic_wire *wire;
	struct end *peer;
	struct end *next; /* ends without a peer */
	char name[32];
	struct nic_timer timer; /* delivers to this end */
	struct nic_fifo *fifo;
	uint8_t frame[NIC_FRAME_MAX];
};

static pthread_mutex_t pairs_lock = PTHREAD_MUTEX_INITIALIZER;
static struct end *waiting;

static void
deliver(void *arg)
{
	struct end *end = arg;
	uint32_t len;

	while ((len = nic_fifo_get(end->fifo, end->frame, sizeof(end->frame))) != 0) {
		nic_wire_count(&end->wire->stats.in_read);
		if (nic_inject(end->wire->nic, end->frame, len) == 0)
			nic_wire_count(&end->wire->stats.in_injected);
		else
			nic_wire_count(&end->wire->stats.in_refused);
	}
}

static struct end *
end_create(struct nic_wire *wire, char *err, size_t errlen)
{
	struct end *end = calloc(1, sizeof(*end));

	if (end != NULL)
		end->fifo = nic_fifo_create(QUEUE_BYTES);
	if (end == NULL || end->fifo == NULL) {
		free(end);
		snprintf(err, errlen, "no memory for a wire");
		return NULL;
	}
	end->wire = wire;
	nic_timer_init(&end->timer, wire->nic->clock, deliver, end);
	wire->state = end;
	return end;
}

static int
end_send(struct nic_wire *wire, struct end *to, const uint8_t *frame, uint32_t len)
{
	int rc = to != NULL ? nic_fifo_put(to->fifo, frame, len) : -ENETDOWN;

	if (rc != 0) {
		nic_wire_count(&wire->stats.out_failed);
		return rc;
	}
	nic_wire_count(&wire->stats.out_written);
	nic_timer_arm(&to->timer, nic_clock_now(to->timer.clock));
	return 0;
}

static int
pair_open(struct nic_wire *wire, const char *name, char *err, size_t errlen)
{
	struct end *end, **p;

	if (*name == '\0' || strlen(name) >= sizeof(end->name)) {
		snprintf(err, errlen, "wire pair: bad name '%s' (1 to 31 characters)", name);
		return -EINVAL;
	}
	end = end_create(wire, err, errlen);
	if (end == NULL)
		return -ENOMEM;
	memcpy(end->name, name, strlen(name));
	pthread_mutex_lock(&pairs_lock);
	for (p = &waiting; *p != NULL && strcmp((*p)->name, name) != 0; p = &(*p)->next)
		;
	if (*p != NULL) {
		end->peer = *p;
		*p = end->peer->next;
		end->peer->peer = end;
	} else {
		end->next = waiting;
		waiting = end;
	}
	pthread_mutex_unlock(&pairs_lock);
	return 0;
}

static void
pair_close(struct nic_wire *wire)
{
	struct end *end = wire->state, **p;

	pthread_mutex_lock(&pairs_lock);
	for (p = &waiting; *p != NULL; p = &(*p)->next)
		if (*p == end) {
			*p = end->next;
			break;
		}
	if (end->peer != NULL) {
		/* The other end waits for a new peer. */
		end->peer->peer = NULL;
		end->peer->next = waiting;
		waiting = end->peer;
	}
	pthread_mutex_unlock(&pairs_lock);
	nic_timer_cancel_sync(&end->timer);
	nic_fifo_destroy(end->fifo);
	free(end);
}

static int
pair_transmit(struct nic_wire *wire, const uint8_t *frame, uint32_t len)
{
	struct end *end = wire->state;
	int rc;

	pthread_mutex_lock(&pairs_lock);
	rc = end_send(wire, end->peer, frame, len);
	pthread_mutex_unlock(&pairs_lock);
	return rc;
}

const struct nic_wire_ops nic_wire_pair = {
    .kind = "pair",
    .open = pair_open,
    .close = pair_close,
    .transmit = pair_transmit,
};

static int
loop_open(struct nic_wire *wire, const char *options, char *err, size_t errlen)
{
	if (*options != '\0') {
		snprintf(err, errlen, "wire loop takes no options, got '%s'", options);
		return -EINVAL;
	}
	return end_create(wire, err, errlen) != NULL ? 0 : -ENOMEM;
}

static void
loop_close(struct nic_wire *wire)
{
	struct end *end = wire->state;

	nic_timer_cancel_sync(&end->timer);
	nic_fifo_destroy(end->fifo);
	free(end);
}

static int
loop_transmit(struct nic_wire *wire, const uint8_t *frame, uint32_t len)
{
	return end_send(wire, wire->state, frame, len);
}

extern const struct nic_wire_ops nic_wire_loop;
const struct nic_wire_ops nic_wire_loop = {
    .kind = "loop",
    .open = loop_open,
    .close = loop_close,
    .transmit = loop_transmit,
};
