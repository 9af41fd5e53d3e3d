/* SPDX-License-Identifier: BSD-3-Clause */
/* What the measuring programs of this folder share: EAL without files and hugepages, a frame, an
 * end. */
#ifndef PERF_BENCH_H
#define PERF_BENCH_H

#include <stdint.h>

#define BENCH_FRAME 60u

/* 'NAME: what' to stderr; exit status 2. */
__attribute__((noreturn)) void bench_die(const char *what);
/* Start EAL on core 0 as NAME; `more` arguments of it end with NULL. Dies when it does not start.
 */
void bench_init(const char *name, const char *const *more);
/* End EAL; nothing of it stays behind. */
void bench_fini(void);
/* UDP to the broadcast address, without a checksum; the flow is the source port. */
void bench_frame(uint8_t frame[BENCH_FRAME], uint16_t flow);

#endif /* PERF_BENCH_H */
