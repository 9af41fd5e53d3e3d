/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic_bench.h"

#include <stdlib.h>

/* The memory: receive rings and buffers, then transmit rings and buffers, 512 KB a queue. */
#define RX_AREA 0u
#define TX_AREA (4u << 20)
#define QUEUE_AREA (512u << 10)
#define RING_BYTES 4096u

static void *
dma(void *arg, uint64_t addr, size_t len)
{
	struct bench *b = arg;

	if (addr < BENCH_BUS || addr - BENCH_BUS > BENCH_MEM ||
	    len > BENCH_MEM - (addr - BENCH_BUS))
		return NULL;
	return b->mem + (addr - BENCH_BUS);
}

static void
msix(void *arg, unsigned int vector)
{
	struct bench *b = arg;
	unsigned int i = b->messages++ % BENCH_LOG;

	b->vector[i] = vector;
	b->at[i] = nic_clock_now(b->clock);
}

static void
sent(void *arg, const uint8_t *frame, uint32_t len)
{
	struct bench *b = arg;
	unsigned int i = b->sent++ % BENCH_LOG;

	b->sent_len[i] = len;
	memcpy(b->sent_data[i], frame, len);
}

struct bench *
bench_open(const char *model)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct nic_conf conf = {.model = model, .host = {.dma = dma, .msix = msix, .arg = b}};
	char err[200] = "";

	assert_non_null(b);
	b->mem = calloc(1, BENCH_MEM);
	assert_non_null(b->mem);
	b->clock = nic_clock_create(true);
	conf.clock = b->clock;
	b->nic = nic_create(&conf, err, sizeof(err));
	if (b->nic == NULL)
		fail_msg("%s", err);
	nic_tx_callback(b->nic, sent, b);
	return b;
}

void
bench_close(struct bench *b)
{
	nic_destroy(b->nic);
	nic_clock_destroy(b->clock);
	free(b->mem);
	free(b);
}

static uint32_t
ring_base(uint32_t low, uint32_t high, unsigned int q)
{
	return q < 64 ? low + q * 0x40 : high + (q - 64) * 0x40;
}

/* Queues share eight areas: a test uses few at once. */
static uint32_t
area(uint32_t start, unsigned int q)
{
	return start + q % 8 * QUEUE_AREA;
}

union ixgbe_rx_desc *
bench_rx_desc(struct bench *b, unsigned int q, unsigned int i)
{
	return (union ixgbe_rx_desc *)(b->mem + area(RX_AREA, q)) + i;
}

uint8_t *
bench_rx_buf(struct bench *b, unsigned int q, unsigned int i)
{
	return b->mem + area(RX_AREA, q) + RING_BYTES + i * 2048;
}

void
bench_rx_start(struct bench *b, unsigned int q)
{
	uint32_t base = ring_base(IXGBE_RDBAL, IXGBE_RDBAL_HI, q);
	uint64_t bus = BENCH_BUS + area(RX_AREA, q);
	unsigned int i;

	for (i = 0; i < BENCH_DESCS; i++) {
		bench_rx_desc(b, q, i)->read.pkt_addr = bus + RING_BYTES + i * 2048;
		bench_rx_desc(b, q, i)->read.hdr_addr = 0;
	}
	wr(b, base, (uint32_t)bus);
	wr(b, base + 4, (uint32_t)(bus >> 32));
	wr(b, base + 8, BENCH_DESCS * 16);
	wr(b, base + 0x14, 2 | IXGBE_SRRCTL_DESCTYPE_ADV_ONEBUF);
	wr(b, base + 0x28, IXGBE_RXDCTL_ENABLE);
	wr(b, base + 0x18, BENCH_DESCS - 1);
	wr(b, IXGBE_FCTRL, IXGBE_FCTRL_BAM);
	wr(b, IXGBE_RXCTRL, IXGBE_RXCTRL_RXEN);
}

union ixgbe_tx_desc *
bench_tx_desc(struct bench *b, unsigned int q, unsigned int i)
{
	return (union ixgbe_tx_desc *)(b->mem + area(TX_AREA, q)) + i;
}

uint64_t
bench_tx_bus(unsigned int q, unsigned int i)
{
	return BENCH_BUS + area(TX_AREA, q) + RING_BYTES + i * 4096;
}

uint8_t *
bench_tx_buf(struct bench *b, unsigned int q, unsigned int i)
{
	return b->mem + (bench_tx_bus(q, i) - BENCH_BUS);
}

void
bench_tx_start(struct bench *b, unsigned int q)
{
	uint64_t bus = BENCH_BUS + area(TX_AREA, q);

	wr(b, IXGBE_AT(TDBAL, q), (uint32_t)bus);
	wr(b, IXGBE_AT(TDBAH, q), (uint32_t)(bus >> 32));
	wr(b, IXGBE_AT(TDLEN, q), BENCH_DESCS * 16);
	wr(b, IXGBE_DMATXCTL, rd(b, IXGBE_DMATXCTL) | IXGBE_DMATXCTL_TE);
	wr(b, IXGBE_AT(TXDCTL, q), IXGBE_TXDCTL_ENABLE);
}

void
bench_tx_put(struct bench *b, unsigned int q, unsigned int i, const void *frame, uint32_t len,
	     uint32_t popts)
{
	union ixgbe_tx_desc *d = bench_tx_desc(b, q, i);

	memcpy(bench_tx_buf(b, q, i), frame, len);
	d->read.addr = bench_tx_bus(q, i);
	d->read.cmd_type_len = len | IXGBE_TXD_DTYP_DATA | IXGBE_TXD_CMD_DEXT | IXGBE_TXD_CMD_EOP |
			       IXGBE_TXD_CMD_IFCS | IXGBE_TXD_CMD_RS;
	d->read.olinfo_status = len << IXGBE_TXD_PAYLEN_SHIFT | popts;
}

uint16_t
bench_sum(const uint8_t *data, size_t len, uint32_t sum)
{
	for (; len > 1; len -= 2, data += 2)
		sum += (uint32_t)(data[0] << 8 | data[1]);
	if (len != 0)
		sum += (uint32_t)(data[0] << 8);
	while (sum >> 16)
		sum = (sum & 0xFFFF) + (sum >> 16);
	return (uint16_t)sum;
}

static void
put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

uint32_t
bench_frame(uint8_t *frame, uint32_t len, uint8_t proto)
{
	uint8_t *ip = frame + 14, *l4 = ip + 20;
	uint32_t l4_len = len - 34, i;

	memset(frame, 0, len);
	memcpy(frame, "\x02\x00\x00\x00\x00\x01\x02\x00\x00\x00\x00\x99\x08\x00", 14);
	ip[0] = 0x45;
	put16(ip + 2, len - 14);
	put16(ip + 4, 0x1234);
	ip[8] = 64;
	ip[9] = proto;
	memcpy(ip + 12, "\x0a\x00\x00\x01\x0a\x00\x00\x02", 8);
	put16(ip + 10, (uint16_t)~bench_sum(ip, 20, 0));
	put16(l4, 1234);
	put16(l4 + 2, 5678);
	for (i = proto == 6 ? 20 : 8; i < l4_len; i++)
		l4[i] = (uint8_t)i;
	if (proto == 6)
		l4[12] = 0x50;
	else
		put16(l4 + 4, l4_len);
	put16(l4 + (proto == 6 ? 16 : 6),
	      (uint16_t)~bench_sum(l4, l4_len, bench_sum(ip + 12, 8, proto + l4_len)));
	return len;
}

bool
bench_l4_ok(const uint8_t *frame)
{
	const uint8_t *ip = frame + 14;
	uint32_t head = (ip[0] & 0xFu) * 4, len;

	if (ip[0] >> 4 == 6) {
		len = (uint32_t)(ip[4] << 8 | ip[5]);
		return bench_sum(ip + 40, len, bench_sum(ip + 8, 32, ip[6] + len)) == 0xFFFF;
	}
	len = (uint32_t)(ip[2] << 8 | ip[3]) - head;
	return bench_sum(ip + head, len, bench_sum(ip + 12, 8, ip[9] + len)) == 0xFFFF;
}

void
bench_advance(struct bench *b, uint64_t ns)
{
	nic_clock_advance(b->clock, ns);
}
