/* SPDX-License-Identifier: BSD-3-Clause */
/* What a device did, as JSON: counters have the names that softpci's telemetry gives them. */
#ifndef VFU_REPORT_H
#define VFU_REPORT_H

#include <jansson.h>

#include "vfu.h"

/* New references, NULL when there is no memory. */
json_t *vfu_report_stats(struct vfu *vfu);
/* The same, and each register that was used, by name, and each offset that has none. */
json_t *vfu_report_full(struct vfu *vfu);
/* {"devices": [...]}. */
json_t *vfu_report_all(struct vfu *const *devices, unsigned int count);
/* A file appears whole or not at all. 0 or a negative errno. */
int vfu_report_write(const json_t *report, const char *path);

#endif /* VFU_REPORT_H */
