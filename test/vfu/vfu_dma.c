/* SPDX-License-Identifier: BSD-3-Clause */
#include "vfu_dma.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_BYTES ((size_t)(VFU_WINDOW + VFU_WINDOW_TAIL))

int
vfu_dma_init(struct vfu_dma *dma)
{
	int rc;

	memset(dma, 0, sizeof(*dma));
	dma->lost_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (dma->lost_fd < 0)
		return -errno;
	rc = vfu_guard_add(dma);
	if (rc != 0) {
		close(dma->lost_fd);
		dma->lost_fd = -1;
	}
	return rc;
}

void
vfu_dma_fini(struct vfu_dma *dma)
{
	vfu_dma_clear(dma);
	vfu_guard_remove(dma);
	free(dma->maps);
	dma->maps = NULL;
	close(dma->lost_fd);
	dma->lost_fd = -1;
}

static uint8_t *
window_base(const struct vfu_window *window)
{
	return atomic_load_explicit(&window->base, memory_order_relaxed);
}

static struct vfu_window *
window_find(struct vfu_dma *dma, uint64_t key)
{
	unsigned int i;

	if (window_base(&dma->windows[dma->last]) != NULL && dma->windows[dma->last].key == key)
		return &dma->windows[dma->last];
	for (i = 0; i < VFU_WINDOWS; i++) {
		if (window_base(&dma->windows[i]) != NULL && dma->windows[i].key == key) {
			dma->last = i;
			return &dma->windows[i];
		}
	}
	return NULL;
}

static int
window_make(struct vfu_dma *dma, uint64_t key, struct vfu_window **made)
{
	unsigned int i;
	void *p;

	for (i = 0; i < VFU_WINDOWS && window_base(&dma->windows[i]) != NULL; i++)
		;
	if (i == VFU_WINDOWS)
		return -ENOSPC;
	p = mmap(NULL, WINDOW_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return -errno;
	dma->windows[i].key = key;
	dma->windows[i].parts = 0;
	atomic_store(&dma->windows[i].base, p);
	*made = &dma->windows[i];
	return 0;
}

/* The part of a range that lies in a window with its tail. */
static void
intersect(uint64_t key, uint64_t address, uint64_t size, uint64_t *from, uint64_t *len)
{
	uint64_t start = key * VFU_WINDOW, end = start + WINDOW_BYTES;

	*from = address > start ? address : start;
	if (address + size < end)
		end = address + size;
	*len = end - *from;
}

static uint64_t
first_key(uint64_t address)
{
	uint64_t key = address / VFU_WINDOW;

	return key > 0 && address % VFU_WINDOW < VFU_WINDOW_TAIL ? key - 1 : key;
}

/* Take a range out of the windows from one key up to, not including, another. */
static void
unplace(struct vfu_dma *dma, uint64_t address, uint64_t size, uint64_t key, uint64_t end)
{
	for (; key < end; key++) {
		struct vfu_window *window = window_find(dma, key);
		uint8_t *base = window_base(window);
		uint64_t from, len;

		intersect(key, address, size, &from, &len);
		if (--window->parts > 0) {
			mmap(base + (from - key * VFU_WINDOW), (size_t)len, PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
			continue;
		}
		atomic_store(&window->base, NULL);
		munmap(base, WINDOW_BYTES);
	}
}

static int
place(struct vfu_dma *dma, const struct vfu_dma_map_request *map, int fd)
{
	uint64_t key, end = (map->address + map->size - 1) / VFU_WINDOW + 1;
	int prot = PROT_READ | (map->flags & VFIO_DMA_MAP_FLAG_WRITE ? PROT_WRITE : 0);

	for (key = first_key(map->address); key < end; key++) {
		struct vfu_window *window = window_find(dma, key);
		uint64_t from, len;
		int rc = window == NULL ? window_make(dma, key, &window) : 0;

		if (rc == 0) {
			window->parts++;
			intersect(key, map->address, map->size, &from, &len);
			if (mmap(window_base(window) + (from - key * VFU_WINDOW), (size_t)len, prot,
				 MAP_SHARED | MAP_FIXED, fd,
				 (off_t)(map->offset + (from - map->address))) != MAP_FAILED)
				continue;
			rc = -errno;
			key++; /* this window, too, counts the part */
		}
		unplace(dma, map->address, map->size, first_key(map->address), key);
		return rc;
	}
	return 0;
}

/* Index of the first mapping that ends behind an address. */
static size_t
lower_bound(const struct vfu_dma *dma, uint64_t address)
{
	size_t low = 0, high = dma->count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (dma->maps[mid].address + dma->maps[mid].size <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool
range_ok(uint64_t address, uint64_t size)
{
	uint64_t limit = UINT64_C(1) << VFU_ADDRESS_BITS;

	return size != 0 && address < limit && size <= limit - address &&
	       (address | size) % VFU_PAGE == 0;
}

/* The file must hold all of the range: what it lacks would be found out by SIGBUS. */
static int
file_ok(const struct vfu_dma_map_request *map, int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return -EINVAL;
	if (map->offset % VFU_PAGE != 0 || map->offset > (uint64_t)st.st_size ||
	    map->size > (uint64_t)st.st_size - map->offset)
		return -EINVAL;
	return 0;
}

int
vfu_dma_map(struct vfu_dma *dma, const struct vfu_dma_map_request *map, int fd)
{
	const uint32_t known = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE;
	size_t at;
	int rc;

	if (!range_ok(map->address, map->size) || map->flags == 0 || (map->flags & ~known) != 0)
		return -EINVAL;
	at = lower_bound(dma, map->address);
	if (at < dma->count && dma->maps[at].address < map->address + map->size)
		return -EEXIST;
	if (dma->count == VFU_MAPS_MAX)
		return -ENOSPC;
	if (dma->count == dma->room) {
		size_t room = dma->room != 0 ? dma->room * 2 : 64;
		struct vfu_map *maps = realloc(dma->maps, room * sizeof(*maps));

		if (maps == NULL)
			return -ENOMEM;
		dma->maps = maps;
		dma->room = room;
	}
	rc = fd >= 0 ? file_ok(map, fd) : 0;
	if (rc == 0 && fd >= 0)
		rc = place(dma, map, fd);
	if (rc != 0)
		return rc;
	memmove(&dma->maps[at + 1], &dma->maps[at], (dma->count - at) * sizeof(*dma->maps));
	dma->maps[at] = (struct vfu_map){map->address, map->size, fd >= 0 ? map->flags : 0};
	dma->count++;
	return 0;
}

static void
forget(struct vfu_dma *dma, const struct vfu_map *map)
{
	if (map->flags != 0)
		unplace(dma, map->address, map->size, first_key(map->address),
			(map->address + map->size - 1) / VFU_WINDOW + 1);
}

int
vfu_dma_unmap(struct vfu_dma *dma, uint64_t address, uint64_t size)
{
	uint64_t last = address + (size - 1);
	size_t from, to, i;

	if (size == 0 || last < address)
		return -EINVAL;
	from = lower_bound(dma, address);
	for (to = from; to < dma->count && dma->maps[to].address <= last; to++)
		if (dma->maps[to].address < address ||
		    dma->maps[to].address + (dma->maps[to].size - 1) > last)
			return -EINVAL;
	if (from == to)
		return 0;
	for (i = from; i < to; i++)
		forget(dma, &dma->maps[i]);
	memmove(&dma->maps[from], &dma->maps[to], (dma->count - to) * sizeof(*dma->maps));
	dma->count -= to - from;
	return 0;
}

void
vfu_dma_clear(struct vfu_dma *dma)
{
	uint64_t count;
	size_t i;

	for (i = 0; i < dma->count; i++)
		forget(dma, &dma->maps[i]);
	dma->count = 0;
	atomic_store(&dma->lost, false);
	if (read(dma->lost_fd, &count, sizeof(count)) < 0)
		return; /* nothing was lost */
}

void *
vfu_dma_get(struct vfu_dma *dma, uint64_t address, size_t len, uint32_t flags)
{
	uint64_t at = address, end = address + len;
	struct vfu_window *window;
	size_t i;

	if (len == 0 || len > VFU_WINDOW_TAIL || end < address)
		goto refuse;
	for (i = lower_bound(dma, address); at < end; i++) {
		if (i == dma->count || dma->maps[i].address > at ||
		    (dma->maps[i].flags & flags) != flags)
			goto refuse;
		at = dma->maps[i].address + dma->maps[i].size;
	}
	window = window_find(dma, address / VFU_WINDOW);
	return window_base(window) + address % VFU_WINDOW;
refuse:
	dma->refused++;
	return NULL;
}
