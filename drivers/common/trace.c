/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_trace_point_register.h>

#include "trace.h"

RTE_TRACE_POINT_REGISTER(aim_trace_arm, pmd.net.aim.arm)
RTE_TRACE_POINT_REGISTER(aim_trace_wake, pmd.net.aim.wake)
RTE_TRACE_POINT_REGISTER(aim_trace_burst, pmd.net.aim.burst)
