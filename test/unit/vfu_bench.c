/* SPDX-License-Identifier: BSD-3-Clause */
#include "vfu_bench.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/pci_regs.h>

struct vb *
vb_open(const char *model)
{
	struct vb *b = calloc(1, sizeof(*b));
	struct vfu_conf conf = {.name = "test", .nic = {.model = model}};
	char err[256];

	assert_non_null(b);
	b->fd = -1;
	b->clock = nic_clock_create(true);
	conf.nic.clock = b->clock;
	b->vfu = vfu_create(&conf, err, sizeof(err));
	if (b->vfu == NULL)
		fail_msg("%s", err);
	/* The test's framework takes SIGBUS for each test. */
	assert_int_equal(vfu_guard_install(), 0);
	b->memfd = memfd_create("guest", MFD_CLOEXEC);
	assert_true(b->memfd >= 0);
	assert_int_equal(ftruncate(b->memfd, VB_MEM), 0);
	b->mem = mmap(NULL, VB_MEM, PROT_READ | PROT_WRITE, MAP_SHARED, b->memfd, 0);
	assert_ptr_not_equal(b->mem, MAP_FAILED);
	vb_connect(b);
	return b;
}

void
vb_close(struct vb *b)
{
	vb_disconnect(b);
	vfu_destroy(b->vfu);
	nic_clock_destroy(b->clock);
	munmap(b->mem, VB_MEM);
	close(b->memfd);
	free(b);
}

void
vb_connect_silently(struct vb *b)
{
	int fds[2];

	assert_null(b->conn);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	if (b->fd >= 0)
		close(b->fd);
	b->fd = fds[0];
	b->conn = vfu_conn_open(b->vfu, fds[1]);
	assert_non_null(b->conn);
}

void
vb_connect(struct vb *b)
{
	static const char hello[] = "\0\0\0\0{\"capabilities\":{\"max_msg_fds\":8}}";

	vb_connect_silently(b);
	assert_int_equal(vb_call(b, VFU_VERSION, hello, sizeof(hello), NULL, 0), 0);
}

void
vb_disconnect(struct vb *b)
{
	if (b->fd >= 0)
		close(b->fd);
	b->fd = -1;
	if (b->conn != NULL)
		assert_false(vb_serve(b));
}

bool
vb_serve(struct vb *b)
{
	if (b->conn == NULL)
		return false;
	if (vfu_conn_run(b->conn))
		return true;
	vfu_conn_close(b->conn);
	b->conn = NULL;
	return false;
}

void
vb_send(struct vb *b, const void *bytes, size_t len, const int *fds, unsigned int fd_count)
{
	char control[CMSG_SPACE(64 * sizeof(int))] = {0};
	struct iovec iov = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd_count > 0) {
		struct cmsghdr *c;

		msg.msg_control = control;
		msg.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
		memcpy(CMSG_DATA(c), fds, fd_count * sizeof(int));
	}
	assert_int_equal(sendmsg(b->fd, &msg, MSG_NOSIGNAL), len);
}

int
vb_call(struct vb *b, uint16_t command, const void *payload, size_t len, const int *fds,
	unsigned int fd_count)
{
	struct vfu_header h = {
	    .id = ++b->id, .command = command, .size = (uint32_t)(sizeof(h) + len)};
	uint8_t *bytes = malloc(sizeof(h) + len);
	bool alive;
	ssize_t n;

	memcpy(bytes, &h, sizeof(h));
	if (len > 0)
		memcpy(bytes + sizeof(h), payload, len);
	vb_send(b, bytes, sizeof(h) + len, fds, fd_count);
	free(bytes);
	alive = vb_serve(b);
	b->len = 0;
	n = recv(b->fd, &h, sizeof(h), MSG_DONTWAIT);
	if (!alive)
		return VB_GONE;
	assert_int_equal(n, sizeof(h));
	assert_int_equal(h.id, b->id);
	assert_int_equal(h.command, command);
	assert_int_equal(h.flags & ~VFU_FLAG_ERROR, VFU_FLAG_REPLY);
	assert_int_equal((h.flags & VFU_FLAG_ERROR) != 0, h.error != 0);
	b->len = h.size - sizeof(h);
	assert_true(b->len <= sizeof(b->data));
	if (b->len > 0)
		assert_int_equal(recv(b->fd, b->data, b->len, MSG_WAITALL), b->len);
	return (int)h.error;
}

int
vb_map(struct vb *b, uint64_t bus, uint64_t size, uint64_t offset, uint32_t flags, int fd)
{
	struct vfu_dma_map_request map = {
	    .argsz = sizeof(map), .flags = flags, .offset = offset, .address = bus, .size = size};

	return vb_call(b, VFU_DMA_MAP, &map, sizeof(map), &fd, fd >= 0);
}

int
vb_unmap(struct vb *b, uint64_t bus, uint64_t size)
{
	struct vfu_dma_unmap_request unmap = {.argsz = sizeof(unmap), .address = bus, .size = size};

	return vb_call(b, VFU_DMA_UNMAP, &unmap, sizeof(unmap), NULL, 0);
}

int
vb_read(struct vb *b, uint32_t region, uint64_t offset, void *data, uint32_t len)
{
	struct vfu_region_access access = {.offset = offset, .region = region, .count = len};
	int rc = vb_call(b, VFU_REGION_READ, &access, sizeof(access), NULL, 0);

	if (rc != 0)
		return rc;
	assert_int_equal(b->len, sizeof(access) + len);
	assert_memory_equal(b->data, &access, sizeof(access));
	memcpy(data, b->data + sizeof(access), len);
	return 0;
}

int
vb_write(struct vb *b, uint32_t region, uint64_t offset, const void *data, uint32_t len)
{
	struct vfu_region_access access = {.offset = offset, .region = region, .count = len};
	uint8_t message[sizeof(access) + 64];

	assert_true(len <= 64);
	memcpy(message, &access, sizeof(access));
	memcpy(message + sizeof(access), data, len);
	return vb_call(b, VFU_REGION_WRITE, message, sizeof(access) + len, NULL, 0);
}

uint32_t
vb_config(struct vb *b, uint32_t offset, unsigned int bytes)
{
	uint32_t value = 0;

	assert_int_equal(vb_read(b, VFIO_PCI_CONFIG_REGION_INDEX, offset, &value, bytes), 0);
	return value;
}

void
vb_config_set(struct vb *b, uint32_t offset, uint32_t value, unsigned int bytes)
{
	assert_int_equal(vb_write(b, VFIO_PCI_CONFIG_REGION_INDEX, offset, &value, bytes), 0);
}

uint32_t
vb_reg(struct vb *b, uint32_t offset)
{
	uint32_t value = 0;

	assert_int_equal(vb_read(b, VFIO_PCI_BAR0_REGION_INDEX, offset, &value, 4), 0);
	return value;
}

void
vb_reg_set(struct vb *b, uint32_t offset, uint32_t value)
{
	assert_int_equal(vb_write(b, VFIO_PCI_BAR0_REGION_INDEX, offset, &value, 4), 0);
}

uint32_t
vb_capability(struct vb *b, uint8_t id)
{
	uint32_t at = vb_config(b, PCI_CAPABILITY_LIST, 1);
	unsigned int n;

	for (n = 0; at != 0 && n < 48; n++) {
		assert_true(at >= PCI_STD_HEADER_SIZEOF && at % 4 == 0);
		if (vb_config(b, at, 1) == id)
			return at;
		at = vb_config(b, at + PCI_CAP_LIST_NEXT, 1);
	}
	return 0;
}

int
vb_irqs(struct vb *b, uint32_t index, uint32_t flags, uint32_t start, uint32_t count,
	const int *fds, unsigned int fd_count)
{
	struct vfio_irq_set set = {
	    .argsz = sizeof(set), .flags = flags, .index = index, .start = start, .count = count};

	return vb_call(b, VFU_DEVICE_SET_IRQS, &set, sizeof(set), fds, fd_count);
}

int
vb_irq(struct vb *b, uint32_t index, uint32_t vector)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	assert_true(fd >= 0);
	assert_int_equal(vb_irqs(b, index, VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
				 vector, 1, &fd, 1),
			 0);
	return fd;
}

uint64_t
vb_irq_count(int fd)
{
	uint64_t n;

	return read(fd, &n, sizeof(n)) == (ssize_t)sizeof(n) ? n : 0;
}

void
vb_enable(struct vb *b)
{
	vb_config_set(b, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	assert_int_equal(vb_map(b, VB_BUS, VB_MEM, 0, VB_RW, b->memfd), 0);
}

void
vb_rx_start(struct vb *b, uint64_t ring, uint64_t buffers)
{
	union ixgbe_rx_desc *desc = vfu_dma_get(&b->vfu->dma, ring, 1024, VFIO_DMA_MAP_FLAG_WRITE);
	unsigned int i;

	assert_non_null(desc);
	for (i = 0; i < 64; i++) {
		desc[i].read.pkt_addr = buffers + i * 2048;
		desc[i].read.hdr_addr = 0;
	}
	vb_reg_set(b, IXGBE_AT(RDBAL, 0), (uint32_t)ring);
	vb_reg_set(b, IXGBE_AT(RDBAH, 0), (uint32_t)(ring >> 32));
	vb_reg_set(b, IXGBE_AT(RDLEN, 0), 64 * 16);
	vb_reg_set(b, IXGBE_AT(SRRCTL, 0), 2 | IXGBE_SRRCTL_DESCTYPE_ADV_ONEBUF);
	vb_reg_set(b, IXGBE_AT(RXDCTL, 0), IXGBE_RXDCTL_ENABLE);
	vb_reg_set(b, IXGBE_AT(RDT, 0), 63);
	vb_reg_set(b, IXGBE_FCTRL, IXGBE_FCTRL_BAM);
	vb_reg_set(b, IXGBE_GPIE, IXGBE_GPIE_MSIX_MODE);
	vb_reg_set(b, IXGBE_AT(IVAR, 0), IXGBE_IVAR_VALID | 1);
	vb_reg_set(b, IXGBE_EIAC, 2);
	vb_reg_set(b, IXGBE_EIMS, 2);
	vb_reg_set(b, IXGBE_RXCTRL, IXGBE_RXCTRL_RXEN);
}

int
vb_frame(struct vb *b, uint8_t fill)
{
	uint8_t frame[64];

	memset(frame, fill, sizeof(frame));
	memset(frame, 0xFF, 6);
	return nic_inject(b->vfu->nic, frame, sizeof(frame));
}
