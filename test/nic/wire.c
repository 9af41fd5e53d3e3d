/* SPDX-License-Identifier: BSD-3-Clause */
#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int
null_open(struct nic_wire *wire, const char *options, char *err, size_t errlen)
{
	(void)wire;
	if (*options == '\0')
		return 0;
	snprintf(err, errlen, "wire null takes no options, got '%s'", options);
	return -EINVAL;
}

static void
null_close(struct nic_wire *wire)
{
	(void)wire;
}

static int
null_transmit(struct nic_wire *wire, const uint8_t *frame, uint32_t len)
{
	(void)frame;
	(void)len;
	nic_wire_count(&wire->stats.out_written);
	return 0;
}

static const struct nic_wire_ops wire_null = {
    .kind = "null",
    .open = null_open,
    .close = null_close,
    .transmit = null_transmit,
};

extern const struct nic_wire_ops nic_wire_loop;

static const struct nic_wire_ops *const kinds[] = {
    &wire_null, &nic_wire_loop, &nic_wire_tap, &nic_wire_pcap, &nic_wire_gen, &nic_wire_pair,
};

int
nic_wire_open(struct nic *nic, const char *spec, char *err, size_t errlen)
{
	const struct nic_wire_ops *ops = NULL;
	struct nic_wire *wire;
	const char *options;
	size_t i, n;
	int rc;

	if (spec == NULL || *spec == '\0')
		spec = "null";
	if (nic->wire != NULL) {
		snprintf(err, errlen, "the NIC has a wire already");
		return -EBUSY;
	}
	n = strcspn(spec, ":");
	options = spec[n] == ':' ? spec + n + 1 : spec + n;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i]->kind) == n && strncmp(kinds[i]->kind, spec, n) == 0)
			ops = kinds[i];
	if (ops == NULL) {
		snprintf(err, errlen,
			 "no wire '%.*s': have null, loop, tap:IFNAME[@NETNS], "
			 "pcap:in=FILE;out=FILE, gen:pps=N, pair:NAME",
			 (int)n, spec);
		return -EINVAL;
	}
	wire = calloc(1, sizeof(*wire));
	if (wire == NULL) {
		snprintf(err, errlen, "no memory for a wire");
		return -ENOMEM;
	}
	wire->ops = ops;
	wire->nic = nic;
	rc = ops->open(wire, options, err, errlen);
	if (rc != 0) {
		free(wire);
		return rc;
	}
	pthread_mutex_lock(&nic->lock);
	nic->wire = wire;
	nic_wire_room(nic);
	pthread_mutex_unlock(&nic->lock);
	return 0;
}

void
nic_wire_close(struct nic *nic)
{
	struct nic_wire *wire;

	pthread_mutex_lock(&nic->lock);
	wire = nic->wire;
	nic->wire = NULL;
	pthread_mutex_unlock(&nic->lock);
	if (wire == NULL)
		return;
	wire->ops->close(wire);
	free(wire);
}

int
nic_wire_go(struct nic *nic)
{
	struct nic_wire *wire = nic->wire;

	return wire != NULL && wire->ops->go != NULL ? wire->ops->go(wire) : -EINVAL;
}

bool
nic_wire_stats_get(struct nic *nic, struct nic_wire_stats *stats)
{
	bool have;

	memset(stats, 0, sizeof(*stats));
	pthread_mutex_lock(&nic->lock);
	have = nic->wire != NULL;
	if (have)
		*stats = nic->wire->stats;
	pthread_mutex_unlock(&nic->lock);
	return have;
}

int
nic_wire_options(const char *options, int (*fn)(void *arg, const char *key, const char *value),
		 void *arg)
{
	char *copy = strdup(options), *save = NULL, *item;
	int rc = copy == NULL ? -ENOMEM : 0;

	for (item = rc == 0 ? strtok_r(copy, ";", &save) : NULL; item != NULL && rc == 0;
	     item = strtok_r(NULL, ";", &save)) {
		char *eq = strchr(item, '=');

		if (eq != NULL)
			*eq = '\0';
		rc = fn(arg, item, eq != NULL ? eq + 1 : "");
	}
	free(copy);
	return rc;
}

int
nic_wire_number(const char *text, uint64_t *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 10);
	if (errno != 0)
		return -EINVAL;
	switch (*end) {
	case 'k':
		*value *= 1000;
		end++;
		break;
	case 'm':
	case 'M':
		*value *= 1000000;
		end++;
		break;
	case 'g':
		*value *= 1000000000;
		end++;
		break;
	default:
		break;
	}
	return *end == '\0' ? 0 : -EINVAL;
}

struct nic_fifo {
	pthread_mutex_t lock;
	size_t size, head, used;
	uint8_t *data;
};

struct nic_fifo *
nic_fifo_create(size_t bytes)
{
	struct nic_fifo *fifo = calloc(1, sizeof(*fifo));

	if (fifo == NULL)
		return NULL;
	fifo->data = malloc(bytes);
	if (fifo->data == NULL) {
		free(fifo);
		return NULL;
	}
	fifo->size = bytes;
	pthread_mutex_init(&fifo->lock, NULL);
	return fifo;
}

void
nic_fifo_destroy(struct nic_fifo *fifo)
{
	if (fifo == NULL)
		return;
	pthread_mutex_destroy(&fifo->lock);
	free(fifo->data);
	free(fifo);
}

static void
fifo_copy(struct nic_fifo *fifo, size_t at, void *mem, size_t len, bool in)
{
	uint8_t *bytes = mem;

	at %= fifo->size;
	while (len > 0) {
		size_t part = fifo->size - at < len ? fifo->size - at : len;

		if (in)
			memcpy(fifo->data + at, bytes, part);
		else
			memcpy(bytes, fifo->data + at, part);
		bytes += part;
		len -= part;
		at = 0;
	}
}

int
nic_fifo_put(struct nic_fifo *fifo, const uint8_t *frame, uint32_t len)
{
	int rc = -ENOBUFS;

	pthread_mutex_lock(&fifo->lock);
	if (fifo->size - fifo->used >= len + sizeof(len)) {
		fifo_copy(fifo, fifo->head + fifo->used, &len, sizeof(len), true);
		/* Only read from: the copy goes the other way. */
		fifo_copy(fifo, fifo->head + fifo->used + sizeof(len), (void *)(uintptr_t)frame,
			  len, true);
		fifo->used += len + sizeof(len);
		rc = 0;
	}
	pthread_mutex_unlock(&fifo->lock);
	return rc;
}

uint32_t
nic_fifo_get(struct nic_fifo *fifo, uint8_t *frame, uint32_t room)
{
	uint32_t len = 0;

	pthread_mutex_lock(&fifo->lock);
	if (fifo->used > 0) {
		fifo_copy(fifo, fifo->head, &len, sizeof(len), false);
		fifo_copy(fifo, fifo->head + sizeof(len), frame, len < room ? len : room, false);
		fifo->head = (fifo->head + sizeof(len) + len) % fifo->size;
		fifo->used -= sizeof(len) + len;
	}
	pthread_mutex_unlock(&fifo->lock);
	return len;
}
