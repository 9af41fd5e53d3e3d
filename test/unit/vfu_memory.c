/* SPDX-License-Identifier: BSD-3-Clause */
/* The guest's memory: what is mapped, what is not any more, and guests and clients that lie. */
#include "open_fds.h"
#include "vfu_bench.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/pci_regs.h>

#define RING VB_BUS
#define BUFFERS (VB_BUS + 65536)

static union ixgbe_rx_desc *
desc(struct vb *b, unsigned int i)
{
	return (union ixgbe_rx_desc *)b->mem + i;
}

static bool
is_done(struct vb *b, unsigned int i)
{
	return (desc(b, i)->wb.status_error & IXGBE_RXD_STAT_DD) != 0;
}

static uint64_t
dropped(struct vb *b)
{
	struct nic_stats stats;

	nic_stats_get(b->vfu->nic, &stats);
	return stats.rx_drop_dma;
}

static void
packet_goes_to_the_guests_memory_and_interrupts_it(void **state)
{
	struct vb *b = vb_open("82599");
	int fd;

	(void)state;
	vb_enable(b);
	fd = vb_irq(b, VFIO_PCI_MSIX_IRQ_INDEX, 1);
	vb_rx_start(b, RING, BUFFERS);
	assert_int_equal(vb_frame(b, 0x5A), 0);
	assert_true(is_done(b, 0));
	assert_int_equal(desc(b, 0)->wb.length, 64);
	assert_int_equal(b->mem[65536], 0xFF);
	assert_int_equal(b->mem[65536 + 63], 0x5A);
	assert_int_equal(vb_irq_count(fd), 1);
	close(fd);
	vb_close(b);
}

static void
without_bus_master_nothing_is_written_and_nobody_interrupted(void **state)
{
	struct vb *b = vb_open("82599");
	int fd;

	(void)state;
	vb_enable(b);
	fd = vb_irq(b, VFIO_PCI_MSIX_IRQ_INDEX, 1);
	vb_rx_start(b, RING, BUFFERS);
	vb_config_set(b, PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	vb_frame(b, 1);
	vb_reg_set(b, IXGBE_EICS, 2);
	assert_false(is_done(b, 0));
	assert_int_equal(vb_irq_count(fd), 0);
	assert_int_equal(dropped(b), 1);
	close(fd);
	vb_close(b);
}

static void
unmapping_stops_dma_at_once(void **state)
{
	struct vb *b = vb_open("82599");

	(void)state;
	vb_enable(b);
	vb_rx_start(b, RING, BUFFERS);
	assert_int_equal(vb_frame(b, 1), 0);
	assert_int_equal(vb_unmap(b, VB_BUS, VB_MEM), 0);
	vb_frame(b, 2);
	assert_false(is_done(b, 1));
	assert_int_equal(dropped(b), 1);
	/* Mapped again: the ring is where it was. */
	assert_int_equal(vb_map(b, VB_BUS, VB_MEM, 0, VB_RW, b->memfd), 0);
	assert_int_equal(vb_frame(b, 3), 0);
	assert_true(is_done(b, 1));
	vb_close(b);
}

/* The wire of a NIC that runs, in a thread of its own as wires are. */
struct traffic {
	struct vb *b;
	atomic_bool stop;
	unsigned int sent;
};

static void *
traffic(void *arg)
{
	struct traffic *t = arg;

	while (!atomic_load(&t->stop)) {
		vb_frame(t->b, (uint8_t)t->sent++);
		/* Software gives the descriptors back. */
		nic_write(t->b->vfu->nic, IXGBE_AT(RDT, 0), (t->sent + 62) % 64);
	}
	return NULL;
}

static void
mappings_come_and_go_under_traffic(void **state)
{
	struct vb *b = vb_open("82599");
	struct traffic t = {.b = b};
	pthread_t thread;
	unsigned int i;

	(void)state;
	vb_enable(b);
	vb_rx_start(b, RING, BUFFERS);
	assert_int_equal(pthread_create(&thread, NULL, traffic, &t), 0);
	for (i = 0; i < 300; i++) {
		assert_int_equal(vb_unmap(b, VB_BUS, VB_MEM), 0);
		/* What the client now does with its memory is its own business. */
		b->mem[65536] = 0x77;
		usleep(20);
		assert_int_equal(b->mem[65536], 0x77);
		b->mem[65536] = 0;
		assert_int_equal(vb_map(b, VB_BUS, VB_MEM, 0, VB_RW, b->memfd), 0);
		usleep(20);
	}
	for (i = 0; i < 20; i++) {
		vb_disconnect(b);
		vb_connect(b);
		vb_enable(b);
		vb_rx_start(b, RING, BUFFERS);
	}
	atomic_store(&t.stop, true);
	pthread_join(thread, NULL);
	assert_true(t.sent > 100);
	vb_close(b);
}

/* As a virtual IOMMU maps: pages of 4 KB, in bus order, from anywhere in the file. */
static void
ring_and_buffers_may_lie_in_scattered_pages(void **state)
{
	struct vb *b = vb_open("82599");
	/* Across the border of two windows, too. */
	const uint64_t bus = VFU_WINDOW * 5 - 8 * 4096;
	unsigned int i;

	(void)state;
	vb_config_set(b, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	for (i = 0; i < 64; i++)
		assert_int_equal(vb_map(b, bus + i * 4096, 4096, (63 - i) * 4096, VB_RW, b->memfd),
				 0);
	/* A ring of two pages: 16 descriptors in the first. */
	vb_rx_start(b, bus + 4096 - 16 * 16, bus + 3 * 4096 + 1024);
	for (i = 0; i < 20; i++)
		assert_int_equal(vb_frame(b, (uint8_t)i), 0);
	assert_int_equal(dropped(b), 0);
	for (i = 0; i < 20; i++) {
		uint32_t at = 4096 - 16 * 16 + i * 16;
		const union ixgbe_rx_desc *d = (const void *)(b->mem + (63 - at / 4096) * 4096 +
							      at % 4096);
		uint32_t last = 3 * 4096 + 1024 + i * 2048 + 63;

		assert_int_equal(d->wb.status_error & IXGBE_RXD_STAT_DD, IXGBE_RXD_STAT_DD);
		assert_int_equal(b->mem[(63 - last / 4096) * 4096 + last % 4096], i);
	}
	/* One page less, and whatever touches it is refused. */
	assert_int_equal(vb_unmap(b, bus + 4 * 4096, 4096), 0);
	assert_null(vfu_dma_get(&b->vfu->dma, bus + 3 * 4096, 8192, VFIO_DMA_MAP_FLAG_READ));
	assert_non_null(vfu_dma_get(&b->vfu->dma, bus + 3 * 4096, 4096, VFIO_DMA_MAP_FLAG_READ));
	vb_close(b);
}

static void
addresses_that_are_not_the_guests_cost_packets_only(void **state)
{
	static const uint64_t lies[] = {
	    0,		VB_BUS - 1,	 VB_BUS + VB_MEM - 32, VB_BUS + VB_MEM,
	    UINT64_MAX, UINT64_MAX - 63, UINT64_C(1) << 57,    VB_BUS + VFU_WINDOW};
	struct vb *b = vb_open("82599");
	size_t i;

	(void)state;
	vb_enable(b);
	vb_rx_start(b, RING, BUFFERS);
	for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		desc(b, (unsigned int)i)->read.pkt_addr = lies[i];
		vb_frame(b, 1);
		assert_int_equal(dropped(b), i + 1);
	}
	assert_int_equal(vb_frame(b, 9), 0);
	assert_int_equal(dropped(b), i);
	/* A ring that begins in memory and ends outside. */
	vb_reg_set(b, IXGBE_AT(RDBAL, 0), (uint32_t)VB_BUS + VB_MEM - 512);
	vb_reg_set(b, IXGBE_AT(RXDCTL, 0), 0);
	vb_reg_set(b, IXGBE_AT(RXDCTL, 0), IXGBE_RXDCTL_ENABLE);
	vb_reg_set(b, IXGBE_AT(RDT, 0), 63);
	vb_frame(b, 1);
	assert_int_equal(dropped(b), i + 1);
	vb_close(b);
}

static void
mappings_that_cannot_be_are_refused(void **state)
{
	struct vb *b = vb_open("82599");
	int dir = dup(b->fd), ro;
	char path[64];

	(void)state;
	assert_int_equal(vb_map(b, VB_BUS, VB_MEM, 0, VB_RW, b->memfd), 0);
	/* Over another, at its start, its end, inside, around it. */
	assert_int_equal(vb_map(b, VB_BUS - 4096, 8192, 0, VB_RW, b->memfd), EEXIST);
	assert_int_equal(vb_map(b, VB_BUS + VB_MEM - 4096, 8192, 0, VB_RW, b->memfd), EEXIST);
	assert_int_equal(vb_map(b, VB_BUS + 4096, 4096, 0, VB_RW, b->memfd), EEXIST);
	assert_int_equal(vb_map(b, VB_BUS - 4096, 2 * VB_MEM, 0, VB_RW, -1), EEXIST);
	/* Beyond the file, beyond the address space, nothing, no page, no known flag. */
	assert_int_equal(vb_map(b, 0, VB_MEM, 4096, VB_RW, b->memfd), EINVAL);
	assert_int_equal(vb_map(b, 0, 4096, UINT64_MAX - 4095, VB_RW, b->memfd), EINVAL);
	assert_int_equal(vb_map(b, 0, UINT64_MAX - 4095, 4096, VB_RW, b->memfd), EINVAL);
	assert_int_equal(vb_map(b, UINT64_MAX - 4095, 8192, 0, VB_RW, b->memfd), EINVAL);
	assert_int_equal(vb_map(b, UINT64_C(1) << 57, 4096, 0, VB_RW, b->memfd), EINVAL);
	assert_int_equal(vb_map(b, 0, 0, 0, VB_RW, b->memfd), EINVAL);
	assert_int_equal(vb_map(b, 0, 100, 0, VB_RW, b->memfd), EINVAL);
	assert_int_equal(vb_map(b, 8, 4096, 0, VB_RW, b->memfd), EINVAL);
	assert_int_equal(vb_map(b, 0, 4096, 8, VB_RW, b->memfd), EINVAL);
	assert_int_equal(vb_map(b, 0, 4096, 0, 0, b->memfd), EINVAL);
	assert_int_equal(vb_map(b, 0, 4096, 0, 8 | VB_RW, b->memfd), EINVAL);
	/* A socket is no memory; nor may a file be written to that was opened for reading. */
	assert_int_equal(vb_map(b, 0, 4096, 0, VB_RW, dir), EINVAL);
	close(dir);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", b->memfd);
	ro = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(vb_map(b, 0, 4096, 0, VB_RW, ro), EACCES);
	assert_int_equal(vb_map(b, 0, 4096, 0, VFIO_DMA_MAP_FLAG_READ, ro), 0);
	close(ro);
	assert_int_equal(b->vfu->dma.count, 2);
	vb_close(b);
}

static void
unmapping_takes_whole_mappings_within_a_range(void **state)
{
	struct vb *b = vb_open("82599");
	struct vfu_dma_unmap_request all = {.argsz = sizeof(all), .flags = VFIO_DMA_UNMAP_FLAG_ALL};
	unsigned int i;

	(void)state;
	for (i = 0; i < 8; i++)
		assert_int_equal(vb_map(b, VB_BUS + i * 8192, 4096, i * 4096, VB_RW, b->memfd), 0);
	/* Empty ranges, as the client sends them when an IOMMU is switched: no error. */
	assert_int_equal(vb_unmap(b, 0, VB_BUS), 0);
	assert_int_equal(vb_unmap(b, UINT64_C(1) << 63, UINT64_C(1) << 63), 0);
	/* None is cut in two. */
	assert_int_equal(vb_unmap(b, VB_BUS, 2048), EINVAL);
	assert_int_equal(vb_unmap(b, VB_BUS, 8192 + 2048), EINVAL);
	assert_int_equal(b->vfu->dma.count, 8);
	assert_int_equal(vb_unmap(b, VB_BUS, 0), EINVAL);
	assert_int_equal(vb_unmap(b, VB_BUS, UINT64_MAX), EINVAL);
	assert_int_equal(vb_unmap(b, VB_BUS + 8192, 2 * 8192), 0);
	assert_int_equal(b->len, sizeof(all));
	assert_int_equal(b->vfu->dma.count, 6);
	assert_null(vfu_dma_get(&b->vfu->dma, VB_BUS + 8192, 1, VFIO_DMA_MAP_FLAG_READ));
	assert_non_null(vfu_dma_get(&b->vfu->dma, VB_BUS, 4096, VFIO_DMA_MAP_FLAG_READ));
	assert_int_equal(vb_call(b, VFU_DMA_UNMAP, &all, sizeof(all), NULL, 0), 0);
	assert_int_equal(b->vfu->dma.count, 0);
	vb_close(b);
}

static void
memory_for_reading_only_is_sent_from_and_not_written(void **state)
{
	struct vb *b = vb_open("82599");
	const uint32_t at = 1 << 20;
	union ixgbe_tx_desc *tx = (void *)(b->mem + 8192);
	struct nic_stats stats;

	(void)state;
	vb_config_set(b, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	assert_int_equal(vb_map(b, VB_BUS, at, 0, VB_RW, b->memfd), 0);
	assert_int_equal(vb_map(b, VB_BUS + at, 4096, at, VFIO_DMA_MAP_FLAG_READ, b->memfd), 0);
	memset(b->mem + at, 0x33, 4096);
	tx[0].read.addr = VB_BUS + at;
	tx[0].read.cmd_type_len = 64 | IXGBE_TXD_DTYP_DATA | IXGBE_TXD_CMD_DEXT |
				  IXGBE_TXD_CMD_EOP | IXGBE_TXD_CMD_IFCS | IXGBE_TXD_CMD_RS;
	tx[0].read.olinfo_status = 64 << IXGBE_TXD_PAYLEN_SHIFT;
	vb_reg_set(b, IXGBE_AT(TDBAL, 0), (uint32_t)VB_BUS + 8192);
	vb_reg_set(b, IXGBE_AT(TDBAH, 0), VB_BUS >> 32);
	vb_reg_set(b, IXGBE_AT(TDLEN, 0), 64 * 16);
	vb_reg_set(b, IXGBE_DMATXCTL, IXGBE_DMATXCTL_TE);
	vb_reg_set(b, IXGBE_AT(TXDCTL, 0), IXGBE_TXDCTL_ENABLE);
	vb_reg_set(b, IXGBE_AT(TDT, 0), 1);
	nic_stats_get(b->vfu->nic, &stats);
	assert_int_equal(stats.tx_frames, 1);
	assert_int_equal(tx[0].wb.status, IXGBE_TXD_STAT_DD);
	vb_rx_start(b, RING, VB_BUS + at);
	vb_frame(b, 0x44);
	assert_int_equal(dropped(b), 1);
	assert_int_equal(b->mem[at], 0x33);
	vb_close(b);
}

static void
memory_without_a_descriptor_is_known_and_not_touched(void **state)
{
	struct vb *b = vb_open("82599");

	(void)state;
	vb_enable(b);
	assert_int_equal(vb_map(b, 0xC0000, 0x20000, 0, VFIO_DMA_MAP_FLAG_READ, -1), 0);
	assert_int_equal(vb_map(b, 0xD0000, 4096, 0, VB_RW, b->memfd), EEXIST);
	vb_rx_start(b, RING, 0xC0000);
	vb_frame(b, 1);
	assert_int_equal(dropped(b), 1);
	assert_int_equal(vb_unmap(b, 0xC0000, 0x20000), 0);
	assert_int_equal(vb_map(b, 0xD0000, 4096, 0, VB_RW, b->memfd), 0);
	vb_close(b);
}

static void
file_that_is_cut_after_mapping_ends_the_connection_not_the_server(void **state)
{
	struct vb *b = vb_open("82599");

	(void)state;
	vb_enable(b);
	vb_rx_start(b, RING, BUFFERS);
	assert_int_equal(vb_frame(b, 1), 0);
	assert_int_equal(ftruncate(b->memfd, 65536), 0);
	/* The ring is there, the buffers are not any more. */
	vb_frame(b, 2);
	assert_true(atomic_load(&b->vfu->dma.lost));
	assert_false(vb_serve(b));
	assert_int_equal(ftruncate(b->memfd, VB_MEM), 0);
	vb_connect(b);
	vb_enable(b);
	vb_rx_start(b, RING, BUFFERS);
	assert_int_equal(vb_frame(b, 3), 0);
	assert_int_equal(b->mem[65536 + 20], 3);
	vb_close(b);
}

static void
nothing_is_left_of_a_client_that_went(void **state)
{
	struct vb *b = vb_open("82599");
	unsigned int before, i;
	int fd;

	(void)state;
	vb_disconnect(b);
	before = open_fds();
	for (i = 0; i < 3; i++) {
		vb_connect(b);
		vb_enable(b);
		fd = vb_irq(b, VFIO_PCI_MSIX_IRQ_INDEX, 1);
		vb_rx_start(b, RING, BUFFERS);
		assert_int_equal(vb_frame(b, (uint8_t)i), 0);
		assert_int_equal(vb_irq_count(fd), 1);
		assert_int_equal(b->mem[65536 + 20], i);
		vb_disconnect(b);
		/* The wire goes on; the frame finds a NIC that was reset. */
		vb_frame(b, 0xEE);
		assert_int_equal(vb_irq_count(fd), 0);
		assert_int_equal(b->mem[65536 + 2048 + 20], 0);
		close(fd);
		assert_int_equal(open_fds(), before);
		assert_int_equal(b->vfu->dma.count, 0);
		assert_int_equal(vfu_irq_wired(&b->vfu->irq), 0);
	}
	vb_connect(b);
	assert_int_equal(vb_config(b, PCI_COMMAND, 2), 0);
	vb_close(b);
}

/* Many mappings far apart: there is a limit, and it is an error, no end. */
static void
address_space_is_limited_and_freed(void **state)
{
	struct vb *b = vb_open("82599");
	unsigned int i, taken = 0, round;

	(void)state;
	for (round = 0; round < 2; round++) {
		for (i = 0; i < VFU_WINDOWS + 40; i++) {
			int rc = vb_map(b, (uint64_t)(2 * i + 1) * VFU_WINDOW + VFU_WINDOW / 2,
					4096, 0, VB_RW, b->memfd);

			assert_true(rc == 0 || rc == ENOSPC);
			taken += rc == 0;
		}
		assert_int_equal(taken, (round + 1) * VFU_WINDOWS);
		assert_int_equal(vb_unmap(b, 0, UINT64_C(1) << 60), 0);
	}
	vb_close(b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(packet_goes_to_the_guests_memory_and_interrupts_it),
	    cmocka_unit_test(without_bus_master_nothing_is_written_and_nobody_interrupted),
	    cmocka_unit_test(unmapping_stops_dma_at_once),
	    cmocka_unit_test(mappings_come_and_go_under_traffic),
	    cmocka_unit_test(ring_and_buffers_may_lie_in_scattered_pages),
	    cmocka_unit_test(addresses_that_are_not_the_guests_cost_packets_only),
	    cmocka_unit_test(mappings_that_cannot_be_are_refused),
	    cmocka_unit_test(unmapping_takes_whole_mappings_within_a_range),
	    cmocka_unit_test(memory_for_reading_only_is_sent_from_and_not_written),
	    cmocka_unit_test(memory_without_a_descriptor_is_known_and_not_touched),
	    cmocka_unit_test(file_that_is_cut_after_mapping_ends_the_connection_not_the_server),
	    cmocka_unit_test(nothing_is_left_of_a_client_that_went),
	    cmocka_unit_test(address_space_is_limited_and_freed),
	};

	return cmocka_run_group_tests_name("vfu_memory", tests, NULL, NULL);
}
