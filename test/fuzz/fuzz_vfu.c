/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A client and a guest that lie: any sequence of vfio-user messages, well-formed or not, with
 * descriptors that fit or do not, register accesses, frames and contents of the guest's memory. It
 * costs the server connections and packets, never its memory; no descriptor is leaked.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vfu.h"
#include "vfu_conn.h"

#define MEMORY 65536u
#define BUS 0x100000u

static struct nic_clock *clock_;
static struct vfu *vfus[4], *vfu; /* one a model: a new client finds it as new */
static struct vfu_conn *conn;
static int memfd, event_fd, other_fd, client = -1;
static uint8_t *memory;

/* The next descriptor that is free: the same before and after, or one was leaked. */
static int
lowest_fd(void)
{
	int fd = dup(other_fd);

	close(fd);
	return fd;
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char *const models[] = {"82599", "82599-kx4", "x540", "x550"};
	struct vfu_conf conf = {.name = "fuzz"};
	char err[128];
	size_t i;

	(void)argc, (void)argv;
	clock_ = nic_clock_create(true);
	memfd = memfd_create("guest", MFD_CLOEXEC);
	event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	other_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (clock_ == NULL || memfd < 0 || event_fd < 0 || other_fd < 0 ||
	    ftruncate(memfd, MEMORY) != 0)
		return 1;
	memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	conf.nic.clock = clock_;
	for (i = 0; i < 4; i++) {
		conf.nic.model = models[i];
		vfus[i] = vfu_create(&conf, err, sizeof(err));
		if (vfus[i] == NULL)
			return 1;
	}
	return memory == MAP_FAILED;
}

static void
hang_up(void)
{
	if (client >= 0)
		close(client);
	client = -1;
	vfu_conn_close(conn);
	conn = NULL;
}

static void
serve(void)
{
	uint8_t sink[4096];
	bool alive = true;

	/* Until nothing more comes of it: replies make room for more. */
	do {
		alive = conn != NULL && vfu_conn_run(conn);
	} while (recv(client, sink, sizeof(sink), MSG_DONTWAIT) > 0 && alive);
	if (!alive)
		hang_up();
}

static void
send_bytes(const void *data, size_t len, int fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec iov = {.iov_base = (void *)(uintptr_t)data, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd >= 0) {
		struct cmsghdr *c = &control.align;

		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control.bytes);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	sendmsg(client, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void
message(uint16_t command, uint32_t flags, const void *payload, size_t len, int fd)
{
	struct vfu_header h = {
	    .command = command, .flags = flags, .size = (uint32_t)(sizeof(h) + len)};
	uint8_t bytes[sizeof(h) + 256];

	memcpy(bytes, &h, sizeof(h));
	memcpy(bytes + sizeof(h), payload, len);
	send_bytes(bytes, sizeof(h) + len, fd);
	serve();
}

static void
call_in(void)
{
	const uint16_t hello[2] = {0, 0};
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
		abort();
	client = fds[0];
	conn = vfu_conn_open(vfu, fds[1]);
	message(VFU_VERSION, 0, hello, sizeof(hello), -1);
}

static void
region_write(uint32_t region, uint64_t offset, uint32_t value, uint32_t flags)
{
	struct {
		struct vfu_region_access access;
		uint32_t value;
	} m = {{.offset = offset, .region = region, .count = 4}, value};

	if (conn != NULL)
		message(VFU_REGION_WRITE, flags, &m, sizeof(m.access) + 4, -1);
}

static void
map(uint64_t address, uint64_t size, uint64_t offset, uint32_t flags, int fd)
{
	struct vfu_dma_map_request m = {sizeof(m), flags, offset, address, size};

	if (conn != NULL)
		message(VFU_DMA_MAP, 0, &m, sizeof(m), fd);
}

/* Memory, bus master, a queue in each direction, vectors. */
static void
set_up(uint32_t value)
{
	static const uint32_t regs[][2] = {
	    {0x1000, BUS},    {0x1008, 512},	  {0x1014, 0x02000002}, {0x1028, 1u << 25},
	    {0x3000, 1},      {0x5080, 0x700},	  {0x6000, BUS + 4096}, {0x6008, 512},
	    {0x4A80, 1},      {0x6028, 1u << 25}, {0x0898, 0x10},	{0x0900, 0x80818081},
	    {0x0880, 0xFFFF}, {0x1018, 31},
	};
	struct vfio_irq_set set = {
	    .argsz = 20, .flags = 0x24, .index = VFIO_PCI_MSIX_IRQ_INDEX, .count = 1};
	size_t i;

	map(BUS, MEMORY, 0, 3, memfd);
	region_write(VFIO_PCI_CONFIG_REGION_INDEX, 4, 6, 0);
	if (conn != NULL)
		message(VFU_DEVICE_SET_IRQS, 0, &set, 20, event_fd);
	for (i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		region_write(0, regs[i][0], regs[i][1], VFU_FLAG_NO_REPLY);
	region_write(0, 0x6018, value % 32, 0);
}

/* Input: a byte for the model, then 16 bytes a step: what, how, and what of. */
static void
step(const uint8_t *data)
{
	uint32_t a, c;
	uint64_t b;
	uint8_t payload[64] = {0};
	int fd = data[1] % 4 == 1   ? memfd
		 : data[1] % 4 == 2 ? event_fd
		 : data[1] % 4 == 3 ? other_fd
				    : -1;

	memcpy(&a, data + 4, 4);
	memcpy(&b, data + 8, 8);
	memcpy(&c, data + 12, 4);
	if (conn == NULL)
		call_in();
	switch (data[0] % 12) {
	case 0: /* bytes as they come: whatever is left of a message before them */
		send_bytes(data + 1, 15, data[1] & 0x80 ? fd : -1);
		serve();
		break;
	case 1: /* any message of any length */
		memcpy(payload, data + 4, 12);
		message(data[2] % 20, data[3] & 0x31, payload, data[1] % 64, fd);
		break;
	case 2:
	case 3:
		region_write(data[2] % 9, data[2] % 9 == 0 ? a % 0x20004 : a % 0x4004, c,
			     data[3] & VFU_FLAG_NO_REPLY);
		break;
	case 4: {
		struct vfu_region_access access = {a & 0x3FFFF, data[2] % 10, data[3] * 16u};

		message(VFU_REGION_READ, 0, &access, sizeof(access), -1);
		break;
	}
	case 5: /* near each other, near ends, or anywhere */
		map(data[2] & 1 ? b : BUS + (a & 0xFFFFF), data[2] & 2 ? b >> 20 : (c & 0x1F) << 12,
		    data[2] & 4 ? b : a & 0xF000, data[3] & 7, fd);
		break;
	case 6: {
		struct vfu_dma_unmap_request u = {24, data[3] & 2, data[2] & 1 ? b : BUS,
						  data[2] & 2 ? ~b : (c & 0x3F) << 12};

		message(VFU_DMA_UNMAP, 0, &u, sizeof(u), -1);
		break;
	}
	case 7: {
		struct vfio_irq_set set = {20, 1u << (data[2] % 3) | 8u << (data[2] / 3 % 3),
					   data[3] % 6, data[4] % 66, data[5] % 66};

		memcpy(payload, &set, 20);
		message(VFU_DEVICE_SET_IRQS, 0, payload,
			20 + (data[2] % 3 == 1 ? data[5] % 40u : 0), fd);
		break;
	}
	case 8: {
		uint8_t frame[1600];
		uint32_t len = 14 + a % (sizeof(frame) - 14);

		memset(frame, 0xFF, sizeof(frame));
		memcpy(frame + 12, data + 8, 8);
		nic_inject_flags(vfu->nic, frame, len, data[3] & 3);
		break;
	}
	case 9: /* descriptors */
		memcpy(memory + a % (MEMORY - 16), data, 16);
		break;
	case 10:
		if (data[2] & 1)
			nic_surprise_remove(vfu->nic);
		nic_clock_advance(clock_, a % 5000000);
		if (data[2] & 2)
			hang_up();
		break;
	default:
		set_up(a);
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int before = lowest_fd();

	if (size < 1)
		return 0;
	vfu = vfus[data[0] % 4];
	for (data++, size--; size >= 16; data += 16, size -= 16)
		step(data);
	hang_up();
	if (lowest_fd() != before || vfu->dma.count != 0 || vfu_irq_wired(&vfu->irq) != 0)
		abort();
	return 0;
}
