/* SPDX-License-Identifier: BSD-3-Clause */
/* SIGBUS: a page of a file that was mapped is not there. See vfu_dma.h. */
#include "vfu_dma.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#define GUARDED_MAX 16u

static _Atomic(struct vfu_dma *) guarded[GUARDED_MAX];
static struct sigaction old_action;

static struct vfu_dma *
owner_of(uintptr_t addr)
{
	unsigned int i, w;

	for (i = 0; i < GUARDED_MAX; i++) {
		struct vfu_dma *dma = atomic_load(&guarded[i]);

		for (w = 0; dma != NULL && w < VFU_WINDOWS; w++) {
			uintptr_t base = (uintptr_t)atomic_load(&dma->windows[w].base);

			if (base != 0 && addr - base < VFU_WINDOW + VFU_WINDOW_TAIL)
				return dma;
		}
	}
	return NULL;
}

static void
handler(int sig, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	uintptr_t addr = (uintptr_t)info->si_addr;
	struct vfu_dma *dma = owner_of(addr);
	uint64_t one = 1;

	(void)context;
	/* The thread that touched the page holds the NIC's lock: the window stays while we look. */
	if (dma == NULL ||
	    mmap((void *)(addr & ~(uintptr_t)(VFU_PAGE - 1)), VFU_PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
		/* Not ours, or beyond help: it happens again, to whoever had the signal before. */
		sigaction(sig, &old_action, NULL);
		return;
	}
	atomic_store(&dma->lost, true);
	if (write(dma->lost_fd, &one, sizeof(one)) < 0)
		atomic_store(&dma->lost, true); /* the counter was full: it is told already */
	errno = saved_errno;
}

int
vfu_guard_install(void)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART},
			 old;

	sigemptyset(&action.sa_mask);
	if (sigaction(SIGBUS, &action, &old) != 0)
		return -errno;
	if (!(old.sa_flags & SA_SIGINFO) || old.sa_sigaction != handler)
		old_action = old;
	return 0;
}

int
vfu_guard_add(struct vfu_dma *dma)
{
	unsigned int i;

	for (i = 0; i < GUARDED_MAX; i++) {
		struct vfu_dma *free_slot = NULL;

		if (atomic_compare_exchange_strong(&guarded[i], &free_slot, dma))
			return vfu_guard_install();
	}
	return -ENOSPC;
}

void
vfu_guard_remove(struct vfu_dma *dma)
{
	unsigned int i;

	for (i = 0; i < GUARDED_MAX; i++) {
		struct vfu_dma *mine = dma;

		atomic_compare_exchange_strong(&guarded[i], &mine, NULL);
	}
}
