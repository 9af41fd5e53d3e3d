/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_eal.h>

#define ARGS_MAX 32

static const char *program = "bench";

void
bench_die(const char *what)
{
	fprintf(stderr, "%s: %s\n", program, what);
	exit(2);
}

void
bench_init(const char *name, const char *const *more)
{
	static const char *const always[] = {"--no-pci",
					     "--no-huge",
					     "-m",
					     "256",
					     "-l",
					     "0",
					     "--iova-mode=va",
					     "--no-shconf",
					     "--no-telemetry",
					     "--log-level=lib.eal:4"};
	static char prefix[64];
	char *args[ARGS_MAX];
	int n = 0;

	program = name;
	snprintf(prefix, sizeof(prefix), "--file-prefix=%s%d", name, getpid());
	args[n++] = (char *)(uintptr_t)name;
	args[n++] = prefix;
	for (size_t i = 0; i < RTE_DIM(always); i++)
		args[n++] = (char *)(uintptr_t)always[i];
	for (; *more != NULL; more++) {
		if (n == ARGS_MAX)
			bench_die("too many arguments for EAL");
		args[n++] = (char *)(uintptr_t)*more;
	}
	if (rte_eal_init(n, args) < 0)
		bench_die("EAL does not start");
}

void
bench_fini(void)
{
	char runtime[256];

	snprintf(runtime, sizeof(runtime), "%s", rte_eal_get_runtime_dir());
	rte_eal_cleanup();
	rmdir(runtime);
}

void
bench_frame(uint8_t frame[BENCH_FRAME], uint16_t flow)
{
	memcpy(
	    frame,
	    "\xff\xff\xff\xff\xff\xff\x02\x00\x00\x00\x00\x01\x08\x00\x45\x00\x00\x2e\x00\x00\x00\x00"
	    "\x40\x11\x66\xbd\x0a\x00\x00\x01\x0a\x00\x00\x02\x04\x00\x00\x09\x00\x1a\x00\x00",
	    42);
	memset(frame + 42, 0, BENCH_FRAME - 42);
	frame[34] = (uint8_t)(flow >> 8);
	frame[35] = (uint8_t)flow;
}
