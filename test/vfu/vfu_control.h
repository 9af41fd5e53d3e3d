/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands at run time: a line in, a line of JSON out. A device other than the first is named by
 * its number behind a comma, as on DPDK's telemetry socket: "stats,1".
 *   list                 the devices
 *   stats[,N]            counters of device N (0 if none is named)
 *   report               counters and registers of all devices, as --report writes them
 *   reset-stats[,N]      counters start at zero again
 *   link down[,N]        the cable is out
 *   link up [MBPS][,N]   and in: 10000 (if none is given), 1000 or 100
 *   go[,N]               a wire that was opened with hold=1 begins
 *   slow TIMES           time runs so many times slower, 1 to 1000, for all devices of the process
 *   remove[,N]           the card is pulled out without a word
 */
#ifndef VFU_CONTROL_H
#define VFU_CONTROL_H

#include "vfu.h"

/* JSON text to free(), without a newline at its end; NULL when there is no memory. */
char *vfu_control(struct vfu *const *devices, unsigned int count, const char *line);

#endif /* VFU_CONTROL_H */
