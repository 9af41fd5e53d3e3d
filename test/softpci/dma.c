/* SPDX-License-Identifier: BSD-3-Clause */
/* Bus addresses: any byte must lie in memory that EAL manages. */
#include "softpci_priv.h"

#include <rte_eal.h>
#include <rte_memory.h>

/* Segments to look at beyond what is asked for: one look serves many packets. */
#define LOOK_AHEAD 512u

static _Atomic uint64_t generation;

/* Memory came or went: what was found before is not believed any more. */
static void
memory_changed(enum rte_mem_event event, const void *addr, size_t len, void *arg)
{
	(void)event;
	(void)addr;
	(void)len;
	(void)arg;
	atomic_fetch_add(&generation, 1);
}

void
softpci_dma_init(void)
{
	static atomic_bool done;

	/* Not there without dynamic memory, where nothing ever changes. */
	if (!atomic_exchange(&done, true))
		rte_mem_event_callback_register("softpci", memory_changed, NULL);
}

/* The segments from the one of an address on, as long as they adjoin. */
static bool
find_range(uintptr_t addr, size_t len, struct dma_range *range)
{
	const struct rte_memseg *ms = rte_mem_virt2memseg((const void *)addr, NULL);
	bool pa = rte_eal_iova_mode() == RTE_IOVA_PA;
	unsigned int n;

	if (ms == NULL || ms->addr == NULL || addr - (uintptr_t)ms->addr >= ms->len)
		return false;
	range->start = (uintptr_t)ms->addr;
	range->end = range->start + ms->len;
	range->iova = ms->iova;
	for (n = 0; range->end < addr + len || n < LOOK_AHEAD; n++) {
		ms = rte_mem_virt2memseg((const void *)range->end, NULL);
		if (ms == NULL || (uintptr_t)ms->addr != range->end || ms->len == 0 ||
		    (pa && ms->iova != range->iova + (range->end - range->start)))
			break;
		range->end += ms->len;
	}
	return range->end >= addr + len;
}

void *
softpci_dma(void *arg, uint64_t addr, size_t len)
{
	struct softpci *pci = arg;
	struct dma_range *slot;
	uint64_t now = atomic_load(&generation) + 1;
	uintptr_t va = (uintptr_t)addr;

	if (rte_eal_iova_mode() == RTE_IOVA_PA) {
		va = (uintptr_t)rte_mem_iova2virt(addr);
		if (va == 0)
			return NULL;
	}
	slot = &pci->dma[va >> 21 & (DMA_CACHE - 1)];
	if (slot->generation != now || va < slot->start || va + len > slot->end) {
		struct dma_range range;

		if (!find_range(va, len, &range))
			return NULL;
		*slot = range;
		slot->generation = now;
	}
	return (void *)va;
}
