/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devargs, the same in every PMD: the moderation of the port and the driver's
 * own switches. What cannot be taken as given is refused with a line that
 * names key, value and range; nothing is clamped.
 */
#ifndef AIM_COMMON_DEVARGS_H
#define AIM_COMMON_DEVARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "moderation.h"

#define DEVARGS_AIM "aim"
#define DEVARGS_ITR "itr_us"
#define DEVARGS_ITR_MIN "itr_min_us"
#define DEVARGS_ITR_MAX "itr_max_us"
#define DEVARGS_PROFILE "itr_profile"
#define DEVARGS_SINK "sink_packets"

#define DEVARGS_ITR_LIMIT_US 1000u /* of itr_us, itr_min_us, itr_max_us, itr_profile */
#define DEVARGS_SINK_LIMIT (1u << 20)

/* For RTE_PMD_REGISTER_PARAM_STRING. */
#define DEVARGS_PARAMS \
	DEVARGS_AIM "=<policy> " DEVARGS_ITR "=<0-1000> " DEVARGS_ITR_MIN \
		    "=<0-1000> " DEVARGS_ITR_MAX "=<1-1000> " DEVARGS_PROFILE \
		    "=<us:us:us:us:us> " DEVARGS_SINK "=<0-1048576>"

/* A switch of the driver: key=0 or key=1. */
struct devargs_flag {
	const char *key;
	bool *value; /* keeps what it holds when the key is not given */
};

/*
 * Parse args ("key=value,key=value"; NULL: none) into mod, which must hold
 * the defaults (moderation_conf_default()), and into the n flags.
 *   aim=<policy>      one of the engine's policies
 *   itr_us=<us>       interval of policy `fixed`, which it implies; with another policy an error
 *   itr_min_us=<us>, itr_max_us=<us>  bounds of what the engine may choose
 *   itr_profile=<us:us:us:us:us>  intervals of policy `dim-profile`, rising; likewise
 *   sink_packets=<n>  packets that the application can take at once; 0: not declared
 * Returns 0; -EINVAL after one log line: unknown key, key given twice, value
 * out of range, or values that exclude each other; -ENOMEM.
 * On error mod and the flags are unchanged.
 */
int devargs_parse(const char *args, struct moderation_conf *mod, const struct devargs_flag *flags,
		  size_t n);

#endif /* AIM_COMMON_DEVARGS_H */
