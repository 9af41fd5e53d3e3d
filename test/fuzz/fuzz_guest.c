/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A driver that lies: any sequence of register accesses, frames and memory contents. It costs the
 * model packets, never its own memory; reads always end.
 */
#include <stdlib.h>
#include <string.h>

#include "nic.h"

#define MEMORY 16384u

static uint8_t memory[MEMORY];
static struct nic_clock *clock_;

/* The guest's memory lies at bus address 0; everything else is not its own. */
static void *
dma(void *arg, uint64_t addr, size_t len)
{
	(void)arg;
	return addr < MEMORY && len <= MEMORY - addr ? memory + addr : NULL;
}

static void
msix(void *arg, unsigned int vector)
{
	(void)arg;
	if (vector >= NIC_VECTORS)
		abort();
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	clock_ = nic_clock_create(true);
	return clock_ == NULL;
}

/* Input: one byte for the model, then 8 bytes a step: what, offset, value. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const models[] = {"82599", "82599-kx4", "x540", "x550"};
	struct nic_conf conf = {.host = {.dma = dma, .msix = msix}, .clock = clock_};
	struct nic *nic;
	char err[128];

	if (size < 1)
		return 0;
	conf.model = models[data[0] % 4];
	nic = nic_create(&conf, err, sizeof(err));
	if (nic == NULL)
		abort();
	for (data++, size--; size >= 8; data += 8, size -= 8) {
		uint32_t offset = (uint32_t)(data[1] | data[2] << 8 | (data[3] & 1) << 16) & ~3u;
		uint32_t value;

		memcpy(&value, data + 4, 4);
		switch (data[0] % 8) {
		case 0:
		case 1:
		case 2:
			nic_write(nic, offset, value);
			break;
		case 3:
			nic_read(nic, offset);
			break;
		case 4: /* memory, where rings will be */
			memcpy(memory + offset % (MEMORY - 4), &value, 4);
			break;
		case 5: {
			uint8_t frame[2048];
			uint32_t len = 14 + value % (sizeof(frame) - 14);

			for (uint32_t i = 0; i < len; i++)
				frame[i] = data[1 + i % 7];
			nic_inject_flags(nic, frame, len, data[3] & 3);
			break;
		}
		case 6:
			nic_clock_advance(clock_, value % 5000000);
			break;
		default: /* a queue that works, so that rings are reached at all */
			nic_write(nic, 0x1000, value % MEMORY);
			nic_write(nic, 0x1008, 512);
			nic_write(nic, 0x1014, 0x02000002);
			nic_write(nic, 0x1028, 1u << 25);
			nic_write(nic, 0x3000, 1);
			nic_write(nic, 0x5080, 0x700);
			nic_write(nic, 0x6000, value % MEMORY);
			nic_write(nic, 0x6008, 512);
			nic_write(nic, 0x4a80, 1);
			nic_write(nic, 0x6028, 1u << 25);
			nic_write(nic, 0x1018, data[2] % 32);
			nic_write(nic, 0x6018, data[3] % 32);
			break;
		}
	}
	nic_destroy(nic);
	return 0;
}
