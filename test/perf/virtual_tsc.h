/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Included before a file of drivers/common that is compiled anew: its time is the virtual clock's,
 * on machines, too, where rdtsc cannot be made to trap (softpci_tsc_virtual()).
 */
#ifndef PERF_VIRTUAL_TSC_H
#define PERF_VIRTUAL_TSC_H

#include <stdint.h>

#include <rte_cycles.h>

uint64_t virtual_tsc(void);
#define rte_rdtsc virtual_tsc

#endif /* PERF_VIRTUAL_TSC_H */
