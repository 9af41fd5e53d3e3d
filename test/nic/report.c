/* SPDX-License-Identifier: BSD-3-Clause */
/* What a NIC counted, and what it says of itself. */
#include "nic.h"
#include "wire.h"

#include <stdlib.h>
#include <string.h>

void
nic_stats_reset(struct nic *nic)
{
	pthread_mutex_lock(&nic->lock);
	memset(&nic->stats, 0, sizeof(nic->stats));
	memset(nic->unknown, 0, sizeof(nic->unknown));
	memset(nic->uses, 0, nic->model->ops->bar_size / 4 * 2 * sizeof(*nic->uses));
	if (nic->wire != NULL) {
		/* The wire's own thread counts on. */
		__atomic_store_n(&nic->wire->stats.in_read, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&nic->wire->stats.in_injected, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&nic->wire->stats.in_refused, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&nic->wire->stats.out_written, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&nic->wire->stats.out_failed, 0, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&nic->lock);
}

void
nic_uses(struct nic *nic, nic_use_fn fn, void *arg)
{
	size_t i, words = nic->model->ops->bar_size / 4;
	uint32_t *uses = malloc(words * 2 * sizeof(*uses));

	if (uses == NULL)
		return;
	pthread_mutex_lock(&nic->lock);
	memcpy(uses, nic->uses, words * 2 * sizeof(*uses));
	pthread_mutex_unlock(&nic->lock);
	for (i = 0; i < words; i++) {
		struct nic_use use = {
		    .offset = (uint32_t)i * 4, .reads = uses[i * 2], .writes = uses[i * 2 + 1]};

		if (use.reads == 0 && use.writes == 0)
			continue;
		use.name = nic->model->ops->reg_name(use.offset, &use.index);
		fn(arg, &use);
	}
	free(uses);
}

void
nic_stats_get(struct nic *nic, struct nic_stats *stats)
{
	pthread_mutex_lock(&nic->lock);
	*stats = nic->stats;
	pthread_mutex_unlock(&nic->lock);
}

#define NIC_COUNTER(key, field) \
	{ \
		key, offsetof(struct nic_stats, field) \
	}
#define WIRE_COUNTER(key, field) \
	{ \
		key, offsetof(struct nic_wire_stats, field) \
	}

struct counter {
	const char *name;
	size_t offset;
};

static const struct counter nic_counters[] = {
    NIC_COUNTER("rx_wire", rx_wire),
    NIC_COUNTER("rx_frames", rx_frames),
    NIC_COUNTER("rx_bytes", rx_bytes),
    NIC_COUNTER("rx_no_match", rx_filtered),
    NIC_COUNTER("rx_drop_size", rx_drop_size),
    NIC_COUNTER("rx_drop_crc", rx_drop_crc),
    NIC_COUNTER("rx_drop_full", rx_drop_full),
    NIC_COUNTER("rx_drop_no_desc", rx_drop_no_desc),
    NIC_COUNTER("rx_drop_disabled", rx_drop_disabled),
    NIC_COUNTER("rx_drop_link", rx_drop_link),
    NIC_COUNTER("rx_drop_dma", rx_drop_dma),
    NIC_COUNTER("rx_msix", msix_queue),
    NIC_COUNTER("tx_frames", tx_frames),
    NIC_COUNTER("tx_bytes", tx_bytes),
    NIC_COUNTER("tx_drop_link", tx_drop_link),
    NIC_COUNTER("tx_drop_dma", tx_drop_dma),
    NIC_COUNTER("tx_drop_bad", tx_drop_bad),
    NIC_COUNTER("tx_drop_wire", tx_drop_wire),
    NIC_COUNTER("unknown_registers", unknown),
};

static const struct counter wire_counters[] = {
    WIRE_COUNTER("wire_frames_read", in_read),
    WIRE_COUNTER("wire_frames_injected", in_injected),
    WIRE_COUNTER("wire_frames_refused", in_refused),
    WIRE_COUNTER("wire_frames_written", out_written),
    WIRE_COUNTER("wire_frames_failed", out_failed),
};

static uint64_t
counter_of(const void *stats, const struct counter *counter)
{
	return *(const uint64_t *)((const char *)stats + counter->offset);
}

void
nic_stats_each(const struct nic_stats *stats, const struct nic_wire_stats *wire, nic_counter_fn fn,
	       void *arg)
{
	size_t i;

	for (i = 0; i < sizeof(nic_counters) / sizeof(nic_counters[0]); i++)
		fn(arg, nic_counters[i].name, counter_of(stats, &nic_counters[i]));
	for (i = 0; i < sizeof(wire_counters) / sizeof(wire_counters[0]); i++)
		fn(arg, wire_counters[i].name, counter_of(wire, &wire_counters[i]));
	fn(arg, "rx_filtered", stats->rx_filtered + stats->rx_drop_size + stats->rx_drop_crc);
	fn(arg, "rx_dropped",
	   stats->rx_drop_full + stats->rx_drop_no_desc + stats->rx_drop_disabled +
	       stats->rx_drop_link + stats->rx_drop_dma);
	fn(arg, "wire_in_done", wire->in_done);
}

void
nic_report(struct nic *nic, FILE *out)
{
	struct nic_stats s;
	size_t i;

	nic_stats_get(nic, &s);
	fprintf(out, "nic %s id %04x link %s %u Mb/s\n", nic->model->name, nic->model->device_id,
		nic->link_up ? "up" : "down", nic->link_mbps);
	fprintf(out,
		"rx: wire %ju to memory %ju filtered %ju full %ju no-descriptor %ju disabled %ju "
		"link-down %ju size %ju crc %ju dma %ju\n",
		(uintmax_t)s.rx_wire, (uintmax_t)s.rx_frames, (uintmax_t)s.rx_filtered,
		(uintmax_t)s.rx_drop_full, (uintmax_t)s.rx_drop_no_desc,
		(uintmax_t)s.rx_drop_disabled, (uintmax_t)s.rx_drop_link, (uintmax_t)s.rx_drop_size,
		(uintmax_t)s.rx_drop_crc, (uintmax_t)s.rx_drop_dma);
	fprintf(out, "tx: frames %ju link-down %ju dma %ju bad %ju wire %ju\n",
		(uintmax_t)s.tx_frames, (uintmax_t)s.tx_drop_link, (uintmax_t)s.tx_drop_dma,
		(uintmax_t)s.tx_drop_bad, (uintmax_t)s.tx_drop_wire);
	fprintf(out, "registers: %ju reads %ju writes\n", (uintmax_t)s.reads, (uintmax_t)s.writes);
	for (i = 0; i < NIC_VECTORS; i++)
		if (s.msix[i] != 0)
			fprintf(out, "vector %zu: %ju messages\n", i, (uintmax_t)s.msix[i]);
	for (i = 0; i < sizeof(nic->unknown) * 8; i++)
		if (nic->unknown[i / 32] & UINT32_C(1) << (i % 32))
			fprintf(out, "unknown offset 0x%05zx was accessed\n", i * 4);
	if (nic->model->ops->report != NULL)
		nic->model->ops->report(nic, out);
	if (nic->wire != NULL && nic->wire->ops->report != NULL)
		nic->wire->ops->report(nic->wire, out);
}
