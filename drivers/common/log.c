/* SPDX-License-Identifier: BSD-3-Clause */
/* The log types of all drivers of this plugin: --log-level=pmd.net.aim.driver:debug */
#include "log.h"

RTE_LOG_REGISTER(aim_log_init, pmd.net.aim.init, NOTICE)
RTE_LOG_REGISTER(aim_log_driver, pmd.net.aim.driver, NOTICE)
