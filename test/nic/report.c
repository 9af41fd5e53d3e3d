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
