/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bench for tests of the device model: a NIC in virtual time, a stretch of memory that is all
 * its DMA may touch, and a record of messages and frames.
 */
#ifndef NIC_BENCH_H
#define NIC_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ixgbe_desc.h"
#include "ixgbe_regs.h"
#include "nic.h"
#include "wire.h"

#define BENCH_BUS UINT64_C(0x100000000) /* bus address of the memory */
#define BENCH_MEM (8u << 20)
#define BENCH_LOG 64u
#define BENCH_DESCS 64u

struct bench {
	struct nic_clock *clock;
	struct nic *nic;
	uint8_t *mem;
	unsigned int messages;		/* of any vector */
	unsigned int vector[BENCH_LOG]; /* the last ones */
	uint64_t at[BENCH_LOG];		/* and when */
	unsigned int sent;
	uint32_t sent_len[BENCH_LOG];
	uint8_t sent_data[BENCH_LOG][NIC_FRAME_MAX];
};

struct bench *bench_open(const char *model);
void bench_close(struct bench *b);

static inline uint32_t
rd(struct bench *b, uint32_t offset)
{
	return nic_read(b->nic, offset);
}

static inline void
wr(struct bench *b, uint32_t offset, uint32_t value)
{
	nic_write(b->nic, offset, value);
}

/* Receive queue q: BENCH_DESCS descriptors, all of them free, buffers of 2 KB; receiver on. */
void bench_rx_start(struct bench *b, unsigned int q);
union ixgbe_rx_desc *bench_rx_desc(struct bench *b, unsigned int q, unsigned int i);
uint8_t *bench_rx_buf(struct bench *b, unsigned int q, unsigned int i);
/* Transmit queue q: descriptors at the ring's start; transmitter on. */
void bench_tx_start(struct bench *b, unsigned int q);
union ixgbe_tx_desc *bench_tx_desc(struct bench *b, unsigned int q, unsigned int i);
/* Bus address and memory of the packet buffer for a Tx descriptor. */
uint64_t bench_tx_bus(unsigned int q, unsigned int i);
uint8_t *bench_tx_buf(struct bench *b, unsigned int q, unsigned int i);
/* Put a one-segment packet into descriptor i, EOP and RS set. */
void bench_tx_put(struct bench *b, unsigned int q, unsigned int i, const void *frame, uint32_t len,
		  uint32_t popts);

/* A frame to the NIC's address: IPv4 UDP or TCP (proto 17, 6), right checksums. */
uint32_t bench_frame(uint8_t *frame, uint32_t len, uint8_t proto);
/* One's complement sum, folded. */
uint16_t bench_sum(const uint8_t *data, size_t len, uint32_t sum);
/* L4 checksum of an IPv4 or IPv6 frame without VLAN tag; true if it is right. */
bool bench_l4_ok(const uint8_t *frame);
void bench_advance(struct bench *b, uint64_t ns);

#endif /* NIC_BENCH_H */
