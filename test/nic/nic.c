/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic.h"
#include "wire.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNKNOWN_WORDS (sizeof(((struct nic *)0)->unknown) * 8)

void
nic_log(const char *fmt, ...)
{
	char line[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n > sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	/* One write: lines of several threads stay whole, and nothing is allocated. */
	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		return;
}

bool
nic_fault_find(const char *name, enum nic_fault *fault)
{
	static const char *const names[] = {
	    [NIC_FAULT_NONE] = "none",
	    [NIC_FAULT_NVM] = "nvm",
	    [NIC_FAULT_RESET] = "reset",
	    [NIC_FAULT_DEAD] = "dead",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], name) == 0) {
			*fault = (enum nic_fault)i;
			return true;
		}
	}
	return false;
}

struct nic *
nic_create(const struct nic_conf *conf, char *err, size_t errlen)
{
	static const uint8_t default_mac[6] = {0x02, 0, 0, 0, 0, 0x01};
	const struct nic_model *model = nic_model_find(conf->model);
	struct nic *nic;
	int rc;

	if (model == NULL) {
		snprintf(err, errlen, "no NIC model '%s': have " NIC_MODELS_KNOWN, conf->model);
		return NULL;
	}
	nic = calloc(1, sizeof(*nic));
	if (nic == NULL)
		goto no_memory;
	nic->bar = conf->bar;
	if (nic->bar == NULL) {
		nic->bar_owned = calloc(1, model->ops->bar_size);
		nic->bar = nic->bar_owned;
	}
	nic->uses = calloc(model->ops->bar_size / 4, 2 * sizeof(*nic->uses));
	if (nic->bar == NULL || nic->uses == NULL)
		goto no_memory;
	pthread_mutex_init(&nic->lock, NULL);
	nic->model = model;
	nic->host = conf->host;
	nic->clock = conf->clock;
	nic->poll = conf->poll;
	nic->trace = conf->trace;
	nic->fault = conf->fault;
	nic->removed = conf->fault == NIC_FAULT_DEAD;
	nic->link_up = true;
	nic->link_mbps = model->mbps;
	memcpy(nic->mac, conf->mac != NULL ? conf->mac : default_mac, 6);
	rc = model->ops->create(nic);
	if (rc == 0)
		return nic;
	pthread_mutex_destroy(&nic->lock);
no_memory:
	snprintf(err, errlen, "no memory for a NIC");
	if (nic != NULL) {
		free(nic->bar_owned);
		free(nic->uses);
	}
	free(nic);
	return NULL;
}

void
nic_destroy(struct nic *nic)
{
	if (nic == NULL)
		return;
	nic_wire_close(nic);
	nic->model->ops->destroy(nic);
	pthread_mutex_destroy(&nic->lock);
	free(nic->bar_owned);
	free(nic->uses);
	free(nic);
}

static void
note_access(struct nic *nic, char what, uint32_t offset, uint32_t value)
{
	unsigned int index = 0;
	const char *name = nic->model->ops->reg_name(offset, &index);

	if (name == NULL) {
		nic->stats.unknown++;
		if (offset / 4 < UNKNOWN_WORDS)
			nic->unknown[offset / 128] |= UINT32_C(1) << (offset / 4 % 32);
	}
	if (offset < nic->model->ops->bar_size)
		nic->uses[offset / 4 * 2 + (what == 'W')]++;
	if (nic->trace)
		nic_log("nic: %c %05x %08x %s(%u)", what, offset, value,
			name != NULL ? name : "unknown", index);
}

static void
post_store(uint64_t *to, const uint64_t *value)
{
	/* The half with DD comes last. */
	__atomic_store_n(&to[0], value[0], __ATOMIC_RELAXED);
	__atomic_store_n(&to[1], value[1], __ATOMIC_RELEASE);
}

static void
post_all(struct nic *nic)
{
	for (unsigned int i = 0; i < nic->posted; i++)
		post_store(nic->post[i].to, nic->post[i].value);
	nic->posted = 0;
}

void
nic_post(struct nic *nic, void *desc, const void *value)
{
	uint64_t from[2];

	memcpy(from, value, sizeof(from));
	if (!nic->post_late) {
		post_store(desc, from);
		return;
	}
	if (nic->posted == NIC_POSTED)
		post_all(nic);
	nic->post[nic->posted].to = desc;
	memcpy(nic->post[nic->posted++].value, from, sizeof(from));
}

void
nic_post_late(struct nic *nic, bool on)
{
	pthread_mutex_lock(&nic->lock);
	nic->post_late = on;
	post_all(nic);
	pthread_mutex_unlock(&nic->lock);
}

void
nic_post_flush(struct nic *nic)
{
	pthread_mutex_lock(&nic->lock);
	post_all(nic);
	pthread_mutex_unlock(&nic->lock);
}

uint32_t
nic_read(struct nic *nic, uint32_t offset)
{
	uint32_t value = UINT32_MAX;

	offset &= ~3u;
	pthread_mutex_lock(&nic->lock);
	nic->stats.reads++;
	if (!nic->removed && offset < nic->model->ops->bar_size)
		value = nic->model->ops->read(nic, offset);
	note_access(nic, 'R', offset, value);
	post_all(nic); /* nor does the answer to a read */
	pthread_mutex_unlock(&nic->lock);
	return value;
}

void
nic_write(struct nic *nic, uint32_t offset, uint32_t value)
{
	offset &= ~3u;
	pthread_mutex_lock(&nic->lock);
	nic->stats.writes++;
	note_access(nic, 'W', offset, value);
	if (!nic->removed && offset < nic->model->ops->bar_size)
		nic->model->ops->write(nic, offset, value);
	pthread_mutex_unlock(&nic->lock);
}

bool
nic_poll(struct nic *nic)
{
	uint64_t before, after;

	pthread_mutex_lock(&nic->lock);
	before = nic->stats.tx_frames + nic->stats.rx_frames;
	if (!nic->removed)
		nic->model->ops->poll(nic);
	after = nic->stats.tx_frames + nic->stats.rx_frames;
	pthread_mutex_unlock(&nic->lock);
	return after != before;
}

int
nic_inject_flags(struct nic *nic, const void *frame, uint32_t len, unsigned int flags)
{
	uint8_t padded[NIC_FRAME_MIN];
	int rc;

	if (len < 14 || len > NIC_FRAME_MAX)
		return -EINVAL;
	if (len < NIC_FRAME_MIN && !(flags & NIC_FRAME_NO_PAD)) {
		memcpy(padded, frame, len);
		memset(padded + len, 0, NIC_FRAME_MIN - len);
		frame = padded;
		len = NIC_FRAME_MIN;
	}
	pthread_mutex_lock(&nic->lock);
	if (nic->removed) {
		rc = -ENODEV;
	} else if (!nic_has_link(nic)) {
		nic->stats.rx_wire++;
		nic->stats.rx_drop_link++;
		rc = -ENETDOWN;
	} else {
		nic->stats.rx_wire++;
		rc = nic->model->ops->frame(nic, frame, len, flags);
	}
	pthread_mutex_unlock(&nic->lock);
	return rc;
}

int
nic_inject(struct nic *nic, const void *frame, uint32_t len)
{
	return nic_inject_flags(nic, frame, len, 0);
}

bool
nic_room(struct nic *nic, uint32_t len)
{
	bool room;

	pthread_mutex_lock(&nic->lock);
	room = !nic->removed && nic_has_link(nic) && nic->model->ops->room(nic, len);
	pthread_mutex_unlock(&nic->lock);
	return room;
}

bool
nic_full(struct nic *nic, uint32_t len)
{
	bool full;

	pthread_mutex_lock(&nic->lock);
	full = !nic->removed && nic_has_link(nic) && nic->model->ops->full(nic, len);
	pthread_mutex_unlock(&nic->lock);
	return full;
}

void
nic_tx_callback(struct nic *nic, nic_frame_fn fn, void *arg)
{
	pthread_mutex_lock(&nic->lock);
	nic->tx_fn = fn;
	nic->tx_arg = arg;
	pthread_mutex_unlock(&nic->lock);
}

void
nic_link_set(struct nic *nic, bool up, unsigned int mbps)
{
	pthread_mutex_lock(&nic->lock);
	if (nic->link_up != up || nic->link_mbps != mbps) {
		nic->link_up = up;
		nic->link_mbps = mbps;
		if (!nic->removed)
			nic->model->ops->link(nic);
		if (up)
			nic_wire_room(nic);
	}
	pthread_mutex_unlock(&nic->lock);
}

void
nic_surprise_remove(struct nic *nic)
{
	pthread_mutex_lock(&nic->lock);
	nic->removed = true;
	pthread_mutex_unlock(&nic->lock);
}

bool
nic_removed(struct nic *nic)
{
	bool removed;

	pthread_mutex_lock(&nic->lock);
	removed = nic->removed;
	pthread_mutex_unlock(&nic->lock);
	return removed;
}

void
nic_reset(struct nic *nic)
{
	pthread_mutex_lock(&nic->lock);
	nic->removed = nic->fault == NIC_FAULT_DEAD;
	nic->dma_warned = false;
	nic->model->ops->reset(nic);
	pthread_mutex_unlock(&nic->lock);
}

void
nic_lock(struct nic *nic)
{
	pthread_mutex_lock(&nic->lock);
}

void
nic_unlock(struct nic *nic)
{
	pthread_mutex_unlock(&nic->lock);
}

static void
note_refusal(struct nic *nic, uint64_t addr, size_t len)
{
	if (nic->dma_warned)
		return;
	nic->dma_warned = true;
	nic_log("nic: %s: DMA of %zu bytes at 0x%jx refused (not the application's memory); "
		"later ones are only counted",
		nic->model->name, len, (uintmax_t)addr);
}

void *
nic_dma(struct nic *nic, uint64_t addr, size_t len)
{
	void *p = NULL;

	if (nic->removed || nic->host.dma == NULL || len == 0)
		return NULL;
	if (addr + len >= addr)
		p = nic->host.dma(nic->host.arg, addr, len);
	if (p == NULL)
		note_refusal(nic, addr, len);
	return p;
}

const void *
nic_dma_read(struct nic *nic, uint64_t addr, size_t len)
{
	const void *p = NULL;

	if (nic->host.dma_read == NULL)
		return nic_dma(nic, addr, len);
	if (nic->removed || len == 0)
		return NULL;
	if (addr + len >= addr)
		p = nic->host.dma_read(nic->host.arg, addr, len);
	if (p == NULL)
		note_refusal(nic, addr, len);
	return p;
}

void
nic_msix(struct nic *nic, unsigned int vector)
{
	if (nic->removed || vector >= NIC_VECTORS)
		return;
	post_all(nic); /* a message overtakes no write */
	nic->stats.msix[vector]++;
	nic->stats.msix_last[vector] = nic_clock_now(nic->clock);
	if (nic->host.msix != NULL)
		nic->host.msix(nic->host.arg, vector);
}

void
nic_transmit(struct nic *nic, const uint8_t *frame, uint32_t len)
{
	if (!nic_has_link(nic)) {
		nic->stats.tx_drop_link++;
		return;
	}
	nic->stats.tx_frames++;
	nic->stats.tx_bytes += len;
	if (nic->tx_fn != NULL)
		nic->tx_fn(nic->tx_arg, frame, len);
	if (nic->wire != NULL && nic->wire->ops->transmit(nic->wire, frame, len) != 0)
		nic->stats.tx_drop_wire++;
}

void
nic_wire_room(struct nic *nic)
{
	if (nic->wire != NULL && nic->wire->ops->room != NULL)
		nic->wire->ops->room(nic->wire);
}
