/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Log macros for PMDs: one line a message. AIM_LOG(ERR, "...") adds the
 * newline. The log types are pmd.net.aim.driver and pmd.net.aim.init.
 */
#ifndef AIM_COMMON_LOG_H
#define AIM_COMMON_LOG_H

#include <rte_log.h>

extern int aim_log_init;
extern int aim_log_driver;

/* Control path: messages a user should be able to act on. */
#define AIM_LOG(level, ...) \
	rte_log(RTE_LOG_##level, aim_log_driver, \
		RTE_FMT("aim: " RTE_FMT_HEAD(__VA_ARGS__, ) "\n", RTE_FMT_TAIL(__VA_ARGS__, )))

/* Probe and reset: for those who debug the hardware. */
#define AIM_INIT_LOG(level, ...) \
	rte_log(RTE_LOG_##level, aim_log_init, \
		RTE_FMT("aim: " RTE_FMT_HEAD(__VA_ARGS__, ) "\n", RTE_FMT_TAIL(__VA_ARGS__, )))

#endif /* AIM_COMMON_LOG_H */
