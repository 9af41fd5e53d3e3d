/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace points of a queue's sleeps: --trace=pmd.net.aim.* Off, each costs a load and a branch. */
#ifndef AIM_COMMON_TRACE_H
#define AIM_COMMON_TRACE_H

#include <rte_trace_point.h>

/* The queue arms: what came since the last arm, and the interval that was decided on. */
RTE_TRACE_POINT(aim_trace_arm,
		RTE_TRACE_POINT_ARGS(const void *queue, uint32_t packets, uint32_t burst,
				     uint32_t interval_ns),
		rte_trace_point_emit_ptr(queue);
		rte_trace_point_emit_u32(packets); rte_trace_point_emit_u32(burst);
		rte_trace_point_emit_u32(interval_ns);)

/* The sleep is over, by a disable or a burst, after so long. */
RTE_TRACE_POINT(aim_trace_wake, RTE_TRACE_POINT_ARGS(const void *queue, uint64_t asleep_ns),
		rte_trace_point_emit_ptr(queue);
		rte_trace_point_emit_u64(asleep_ns);)

/* The first burst after a sleep; 0 packets: a spurious wake. */
RTE_TRACE_POINT(aim_trace_burst, RTE_TRACE_POINT_ARGS(const void *queue, uint16_t packets),
		rte_trace_point_emit_ptr(queue);
		rte_trace_point_emit_u16(packets);)

#endif /* AIM_COMMON_TRACE_H */
