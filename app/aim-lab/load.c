/* SPDX-License-Identifier: BSD-3-Clause */
/* Which load runs a scenario. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "load_internal.h"

int
load_run(const struct scenario *s, const struct lab_policy *p, const struct lab_policy *peer,
	 struct result *r, char error[LAB_ERROR_MAX])
{
	struct lab_policy other;
	int rc;

	memset(r, 0, sizeof(*r));
	if (peer == NULL && strcmp(s->peer, "same") == 0) {
		peer = p;
	} else if (peer == NULL) {
		rc = lab_policy_parse(&other, s->peer, error);
		if (rc != 0)
			return rc;
		peer = &other;
	}
	switch ((enum scenario_kind)s->kind) {
	case SCENARIO_OPEN:
		rc = load_open_run(s, p, r, error);
		break;
	case SCENARIO_LOOP:
		rc = load_loop_run(s, p, peer, r, error);
		break;
	case SCENARIO_TX_RING:
		rc = load_txring_run(s, p, r, error);
		break;
	case SCENARIO_RR:
		rc = load_rr_run(s, p, peer, r, error);
		break;
	case SCENARIO_UDP:
		rc = load_udp_run(s, p, r, error);
		break;
	case SCENARIO_BULK:
		rc = load_bulk_run(s, p, peer, r, error);
		break;
	default:
		snprintf(error, LAB_ERROR_MAX, "no load runs scenarios of this kind");
		rc = -EINVAL;
	}
	if (rc != 0)
		result_free(r);
	return rc;
}
