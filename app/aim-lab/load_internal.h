/* SPDX-License-Identifier: BSD-3-Clause */
/* The loads, for load.c alone. */
#ifndef LAB_LOAD_INTERNAL_H
#define LAB_LOAD_INTERNAL_H

#include "load.h"

/* Each as load_run(); r is all zero before. */
int load_open_run(const struct scenario *s, const struct lab_policy *p, struct result *r,
		  char error[LAB_ERROR_MAX]);
int load_loop_run(const struct scenario *s, const struct lab_policy *p,
		  const struct lab_policy *peer, struct result *r, char error[LAB_ERROR_MAX]);
int load_txring_run(const struct scenario *s, const struct lab_policy *p, struct result *r,
		    char error[LAB_ERROR_MAX]);
int load_rr_run(const struct scenario *s, const struct lab_policy *p, const struct lab_policy *peer,
		struct result *r, char error[LAB_ERROR_MAX]);
int load_udp_run(const struct scenario *s, const struct lab_policy *p, struct result *r,
		 char error[LAB_ERROR_MAX]);
int load_bulk_run(const struct scenario *s, const struct lab_policy *p,
		  const struct lab_policy *peer, struct result *r, char error[LAB_ERROR_MAX]);

/*
 * Limits of the NIC alone, no ring and no sink: for loads that lose no packet to an interval, and
 * whose figures were published for drivers that know no such limit.
 */
static inline struct aim_limits
load_limits(const struct scenario *s)
{
	struct aim_limits limits = {.max_ns = AIM_INTERVAL_MAX_NS, .link_mbps = s->link_mbps};

	(void)aim_limits_settle(&limits);
	return limits;
}

#endif /* LAB_LOAD_INTERNAL_H */
