/* SPDX-License-Identifier: BSD-3-Clause */
/* The protocol: what a client may ask for, and what cuts it off. */
#include "open_fds.h"
#include "vfu_bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/pci_regs.h>

static void
version_is_0_0_and_tells_limits(void **state)
{
	struct vb *b = vb_open("82599");
	uint16_t hello[2] = {0, 1};

	(void)state;
	vb_disconnect(b);
	vb_connect_silently(b);
	/* Without capabilities, and with a newer minor version. */
	assert_int_equal(vb_call(b, VFU_VERSION, hello, sizeof(hello), NULL, 0), 0);
	assert_memory_equal(b->data, "\0\0\0\0{\"capabilities\":", 20);
	assert_int_equal(b->data[b->len - 1], 0);
	assert_non_null(strstr((char *)b->data + 4, "\"max_msg_fds\":16"));
	/* Once is enough: the second is refused, the connection stays. */
	assert_int_equal(vb_call(b, VFU_VERSION, hello, sizeof(hello), NULL, 0), EINVAL);
	assert_int_equal(vb_call(b, VFU_DEVICE_RESET, NULL, 0, NULL, 0), 0);
	vb_close(b);
}

static void
nothing_is_done_before_the_version(void **state)
{
	struct vb *b = vb_open("82599");
	uint16_t other[2] = {1, 0};

	(void)state;
	vb_disconnect(b);
	vb_connect_silently(b);
	assert_int_equal(vb_map(b, VB_BUS, VB_MEM, 0, VB_RW, b->memfd), VB_GONE);
	vb_connect_silently(b);
	assert_int_equal(vb_call(b, VFU_VERSION, other, sizeof(other), NULL, 0), VB_GONE);
	vb_connect_silently(b);
	assert_int_equal(vb_call(b, VFU_VERSION, "\0\0\0\0{nonsense", 14, NULL, 0), VB_GONE);
	vb_close(b);
}

static void
device_has_the_regions_and_interrupts_of_a_pci_function(void **state)
{
	static const struct {
		const char *model;
		uint64_t bar;
	} models[] = {{"82599", IXGBE_BAR_SIZE}, {"x550", IXGBE_BAR_SIZE}};
	static const uint32_t vectors[] = {1, 1, NIC_VECTORS, 1, 1};
	size_t m;

	(void)state;
	for (m = 0; m < 2; m++) {
		struct vb *b = vb_open(models[m].model);
		struct vfu_device_info info = {.argsz = sizeof(info)};
		uint32_t i;

		assert_int_equal(vb_call(b, VFU_DEVICE_GET_INFO, &info, sizeof(info), NULL, 0), 0);
		memcpy(&info, b->data, sizeof(info));
		assert_int_equal(info.flags, VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET);
		assert_int_equal(info.num_regions, VFIO_PCI_NUM_REGIONS);
		assert_int_equal(info.num_irqs, VFIO_PCI_NUM_IRQS);
		for (i = 0; i < VFIO_PCI_NUM_REGIONS; i++) {
			struct vfio_region_info r = {.argsz = sizeof(r), .index = i};
			uint64_t size = i == VFIO_PCI_BAR0_REGION_INDEX	    ? models[m].bar
					: i == VFIO_PCI_BAR4_REGION_INDEX   ? 0x4000
					: i == VFIO_PCI_CONFIG_REGION_INDEX ? 4096
									    : 0;

			assert_int_equal(
			    vb_call(b, VFU_DEVICE_GET_REGION_INFO, &r, sizeof(r), NULL, 0), 0);
			memcpy(&r, b->data, sizeof(r));
			assert_int_equal(r.index, i);
			assert_int_equal(r.size, size);
			assert_int_equal(r.flags, size != 0 ? 3 : 0);
		}
		for (i = 0; i < VFIO_PCI_NUM_IRQS; i++) {
			struct vfio_irq_info q = {.argsz = sizeof(q), .index = i};

			assert_int_equal(
			    vb_call(b, VFU_DEVICE_GET_IRQ_INFO, &q, sizeof(q), NULL, 0), 0);
			memcpy(&q, b->data, sizeof(q));
			assert_int_equal(q.count, vectors[i]);
			assert_true(q.flags & VFIO_IRQ_INFO_EVENTFD);
		}
		vb_close(b);
	}
}

static void
what_is_not_there_is_an_error_and_no_end(void **state)
{
	struct vb *b = vb_open("82599");
	struct vfio_region_info r = {.argsz = sizeof(r), .index = VFIO_PCI_NUM_REGIONS};
	struct vfio_irq_info q = {.argsz = sizeof(q), .index = VFIO_PCI_NUM_IRQS};
	uint32_t value;

	(void)state;
	assert_int_equal(vb_call(b, VFU_DEVICE_GET_REGION_INFO, &r, sizeof(r), NULL, 0), EINVAL);
	assert_int_equal(vb_call(b, VFU_DEVICE_GET_IRQ_INFO, &q, sizeof(q), NULL, 0), EINVAL);
	assert_int_equal(vb_call(b, VFU_DEVICE_GET_REGION_IO_FDS, &r, sizeof(r), NULL, 0), ENOTSUP);
	assert_int_equal(vb_call(b, 999, NULL, 0, NULL, 0), ENOTSUP);
	assert_int_equal(vb_read(b, VFIO_PCI_BAR1_REGION_INDEX, 0, &value, 4), EINVAL);
	assert_int_equal(vb_read(b, VFIO_PCI_BAR0_REGION_INDEX, IXGBE_BAR_SIZE, &value, 4), EINVAL);
	assert_int_equal(vb_read(b, VFIO_PCI_BAR0_REGION_INDEX, IXGBE_BAR_SIZE - 2, &value, 4),
			 EINVAL);
	assert_int_equal(vb_read(b, VFIO_PCI_BAR0_REGION_INDEX, UINT64_MAX - 1, &value, 4), EINVAL);
	assert_int_equal(vb_write(b, VFIO_PCI_CONFIG_REGION_INDEX, 4094, &value, 4), EINVAL);
	assert_int_equal(vb_write(b, 77, 0, &value, 4), EINVAL);
	assert_int_equal(vb_irqs(b, VFIO_PCI_MSIX_IRQ_INDEX, 0x21, 63, 2, NULL, 0), EINVAL);
	assert_int_equal(vb_irqs(b, VFIO_PCI_MSIX_IRQ_INDEX, 0x21, UINT32_MAX, 2, NULL, 0), EINVAL);
	assert_int_equal(vb_irqs(b, VFIO_PCI_MSIX_IRQ_INDEX, 0x23, 0, 1, NULL, 0), EINVAL);
	assert_int_equal(vb_irqs(b, VFIO_PCI_MSIX_IRQ_INDEX, 0x01, 0, 1, NULL, 0), EINVAL);
	assert_int_equal(vb_irqs(b, 9, 0x21, 0, 0, NULL, 0), EINVAL);
	assert_int_equal(vb_call(b, VFU_DEVICE_RESET, NULL, 0, NULL, 0), 0);
	vb_close(b);
}

static void
no_reply_is_sent_to_a_posted_write(void **state)
{
	struct vb *b = vb_open("82599");
	struct {
		struct vfu_header h;
		struct vfu_region_access access;
		uint32_t value;
	} __attribute__((packed))
	m = {.h = {.command = VFU_REGION_WRITE, .size = sizeof(m), .flags = VFU_FLAG_NO_REPLY},
	     .access = {.offset = IXGBE_AT(RDLEN, 3),
			.region = VFIO_PCI_BAR0_REGION_INDEX,
			.count = 4},
	     .value = 4096};
	char byte;

	(void)state;
	vb_enable(b);
	vb_send(b, &m, sizeof(m), NULL, 0);
	assert_true(vb_serve(b));
	assert_int_equal(recv(b->fd, &byte, 1, MSG_DONTWAIT), -1);
	assert_int_equal(vb_reg(b, IXGBE_AT(RDLEN, 3)), 4096);
	/* Nor when it fails. */
	m.access.region = 3;
	vb_send(b, &m, sizeof(m), NULL, 0);
	assert_true(vb_serve(b));
	assert_int_equal(recv(b->fd, &byte, 1, MSG_DONTWAIT), -1);
	vb_close(b);
}

static void
messages_may_come_in_pieces_and_in_heaps(void **state)
{
	struct vb *b = vb_open("82599");
	struct {
		struct vfu_header h;
		struct vfu_region_access access;
	} m = {.h = {.command = VFU_REGION_READ, .size = sizeof(m)},
	       .access = {.region = VFIO_PCI_CONFIG_REGION_INDEX, .count = 2}};
	struct vfu_dma_map_request maps[3];
	uint8_t reply[sizeof(m) + 2], heap[3 * 48];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(m); i++) {
		vb_send(b, (uint8_t *)&m + i, 1, NULL, 0);
		assert_true(vb_serve(b));
	}
	assert_int_equal(recv(b->fd, reply, sizeof(reply), MSG_DONTWAIT), sizeof(reply));
	assert_memory_equal(reply + sizeof(m), "\x86\x80", 2);
	/* Three mappings without waiting; the descriptor goes with the second only. */
	for (i = 0; i < 3; i++) {
		struct vfu_header h = {.id = (uint16_t)i, .command = VFU_DMA_MAP, .size = 48};

		maps[i] = (struct vfu_dma_map_request){
		    .argsz = 32, .flags = VB_RW, .address = VB_BUS + i * VB_MEM, .size = VB_MEM};
		memcpy(heap + i * 48, &h, 16);
		memcpy(heap + i * 48 + 16, &maps[i], 32);
	}
	vb_send(b, heap, 48, NULL, 0);
	vb_send(b, heap + 48, 48, &b->memfd, 1);
	vb_send(b, heap + 96, 48, NULL, 0);
	assert_true(vb_serve(b));
	assert_null(vfu_dma_get(&b->vfu->dma, VB_BUS, 1, VFIO_DMA_MAP_FLAG_READ));
	assert_non_null(vfu_dma_get(&b->vfu->dma, VB_BUS + VB_MEM, 1, VFIO_DMA_MAP_FLAG_READ));
	assert_null(vfu_dma_get(&b->vfu->dma, VB_BUS + 2 * VB_MEM, 1, VFIO_DMA_MAP_FLAG_READ));
	vb_close(b);
}

/* What is no message ends the connection; the next client is served. */
static void
rubbish_cuts_the_client_off_and_leaks_nothing(void **state)
{
	static const struct {
		const char *what;
		struct vfu_header h;
		uint8_t payload[40];
		unsigned int fds;
		bool pipe; /* instead of eventfds */
	} rubbish[] = {
	    {.what = "length of nothing", .h = {.command = VFU_DEVICE_RESET, .size = 0}},
	    {.what = "length below the header", .h = {.command = VFU_DEVICE_RESET, .size = 15}},
	    {.what = "length of 4 GB", .h = {.command = VFU_REGION_WRITE, .size = UINT32_MAX}},
	    {.what = "length over the limit",
	     .h = {.command = VFU_REGION_WRITE, .size = 16 + VFU_PAYLOAD_MAX + 1}},
	    {.what = "a reply", .h = {.command = VFU_DEVICE_RESET, .size = 16, .flags = 1}},
	    {.what = "half a DMA map", .h = {.command = VFU_DMA_MAP, .size = 16 + 31}},
	    {.what = "half a DMA unmap", .h = {.command = VFU_DMA_UNMAP, .size = 16 + 23}},
	    {.what = "half a read", .h = {.command = VFU_REGION_READ, .size = 16 + 15}},
	    {.what = "half a region info",
	     .h = {.command = VFU_DEVICE_GET_REGION_INFO, .size = 16 + 4}},
	    {.what = "half an interrupt info",
	     .h = {.command = VFU_DEVICE_GET_IRQ_INFO, .size = 16 + 8}},
	    {.what = "half an interrupt request",
	     .h = {.command = VFU_DEVICE_SET_IRQS, .size = 16 + 19}},
	    {.what = "a read of 4 GB",
	     .h = {.command = VFU_REGION_READ, .size = 16 + 16},
	     .payload = {[12] = 0xFF, 0xFF, 0xFF, 0xFF}},
	    {.what = "a write with less data than it says",
	     .h = {.command = VFU_REGION_WRITE, .size = 16 + 16 + 4},
	     .payload = {[12] = 8}},
	    {.what = "a write with more data than it says",
	     .h = {.command = VFU_REGION_WRITE, .size = 16 + 16 + 4},
	     .payload = {[12] = 2}},
	    {.what = "descriptors with a read",
	     .h = {.command = VFU_REGION_READ, .size = 16 + 16},
	     .fds = 2},
	    {.what = "two descriptors for a mapping",
	     .h = {.command = VFU_DMA_MAP, .size = 16 + 32},
	     .fds = 2},
	    {.what = "more descriptors than a message may have",
	     .h = {.command = VFU_DEVICE_SET_IRQS, .size = 16 + 20},
	     .payload = {[4] = 0x24, [8] = 2, [16] = 17},
	     .fds = 17},
	    {.what = "more descriptors than vectors",
	     .h = {.command = VFU_DEVICE_SET_IRQS, .size = 16 + 20},
	     .payload = {[4] = 0x24, [8] = 2, [16] = 1},
	     .fds = 2},
	    {.what = "descriptors where data should be",
	     .h = {.command = VFU_DEVICE_SET_IRQS, .size = 16 + 20},
	     .payload = {[4] = 0x21, [8] = 2, [16] = 1},
	     .fds = 1},
	    {.what = "a pipe as an eventfd",
	     .h = {.command = VFU_DEVICE_SET_IRQS, .size = 16 + 20},
	     .payload = {[4] = 0x24, [8] = 2, [16] = 1},
	     .fds = 1,
	     .pipe = true},
	    {.what = "fewer booleans than vectors",
	     .h = {.command = VFU_DEVICE_SET_IRQS, .size = 16 + 20 + 1},
	     .payload = {[4] = 0x22, [8] = 2, [16] = 2}},
	    {.what = "descriptors with an unknown command, cut in half",
	     .h = {.command = 99, .size = 200},
	     .fds = 5},
	};
	struct vb *b = vb_open("82599");
	unsigned int before;
	size_t i;

	(void)state;
	vb_disconnect(b);
	before = open_fds();
	for (i = 0; i < sizeof(rubbish) / sizeof(rubbish[0]); i++) {
		uint8_t bytes[16 + 40];
		int fds[32], ends[2];
		uint32_t size = rubbish[i].h.size;
		unsigned int f;

		vb_connect(b);
		memcpy(bytes, &rubbish[i].h, 16);
		memcpy(bytes + 16, rubbish[i].payload, 40);
		assert_int_equal(pipe(ends), 0);
		for (f = 0; f < rubbish[i].fds; f++)
			fds[f] = rubbish[i].pipe ? dup(ends[1]) : eventfd(0, 0);
		vb_send(b, bytes, size < 16 || size > sizeof(bytes) ? sizeof(bytes) : size, fds,
			rubbish[i].fds);
		if (size == 200)
			shutdown(b->fd, SHUT_WR);
		if (vb_serve(b))
			fail_msg("not cut off: %s", rubbish[i].what);
		for (f = 0; f < rubbish[i].fds; f++)
			close(fds[f]);
		close(ends[0]);
		close(ends[1]);
		vb_disconnect(b);
		if (open_fds() != before)
			fail_msg("descriptors leaked: %s", rubbish[i].what);
	}
	assert_int_equal(b->vfu->stats.clients, i + 1);
	vb_connect(b);
	assert_int_equal(vb_config(b, PCI_VENDOR_ID, 2), 0x8086);
	vb_close(b);
}

static void
random_messages_never_leave_the_server_without_an_answer(void **state)
{
	struct vb *b = vb_open("82599");
	unsigned int before, round;

	(void)state;
	vb_disconnect(b);
	before = open_fds();
	srand(7);
	for (round = 0; round < 500; round++) {
		uint8_t payload[64];
		size_t i, len = (size_t)rand() % sizeof(payload);
		unsigned int fds = (unsigned int)rand() % 4 == 0;
		int rc;

		if (b->conn == NULL)
			vb_connect(b);
		for (i = 0; i < len; i++)
			payload[i] = rand() % 3 == 0 ? (uint8_t)rand() : 0;
		rc = vb_call(b, (uint16_t)(rand() % 18), payload, len, &b->memfd, fds);
		assert_true(rc >= VB_GONE && rc < 200);
	}
	vb_disconnect(b);
	assert_int_equal(open_fds(), before);
	vb_close(b);
}

/* A client that asks and does not read: no more is taken from it until it does. */
static void
client_that_does_not_read_waits(void **state)
{
	struct vb *b = vb_open("82599");
	struct {
		struct vfu_header h;
		struct vfu_region_access access;
	} m = {.h = {.command = VFU_REGION_READ, .size = sizeof(m)},
	       .access = {.region = VFIO_PCI_CONFIG_REGION_INDEX, .count = 4096}};
	unsigned int asked = 0, answered = 0;
	uint8_t reply[16 + 16 + 4096];

	(void)state;
	while (send(b->fd, &m, sizeof(m), MSG_DONTWAIT) == (ssize_t)sizeof(m) && asked < 5000) {
		asked++;
		assert_true(vb_serve(b));
	}
	assert_true(vfu_conn_events(b->conn) != 1);
	while (recv(b->fd, reply, sizeof(reply), MSG_DONTWAIT | MSG_WAITALL) ==
	       (ssize_t)sizeof(reply)) {
		answered++;
		assert_true(vb_serve(b));
	}
	assert_int_equal(answered, asked);
	vb_close(b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(version_is_0_0_and_tells_limits),
	    cmocka_unit_test(nothing_is_done_before_the_version),
	    cmocka_unit_test(device_has_the_regions_and_interrupts_of_a_pci_function),
	    cmocka_unit_test(what_is_not_there_is_an_error_and_no_end),
	    cmocka_unit_test(no_reply_is_sent_to_a_posted_write),
	    cmocka_unit_test(messages_may_come_in_pieces_and_in_heaps),
	    cmocka_unit_test(rubbish_cuts_the_client_off_and_leaks_nothing),
	    cmocka_unit_test(random_messages_never_leave_the_server_without_an_answer),
	    cmocka_unit_test(client_that_does_not_read_waits),
	};

	return cmocka_run_group_tests_name("vfu_messages", tests, NULL, NULL);
}
