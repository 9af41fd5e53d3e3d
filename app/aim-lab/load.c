/* SPDX-License-Identifier: BSD-3-Clause */
/* Which load runs a scenario, and which figures it has. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lines.h"
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

bool
load_has(const struct scenario *s, const struct result_figure *f)
{
	static const char *const lacks[] = {
	    [SCENARIO_OPEN] = "",
	    [SCENARIO_LOOP] = "cost follow_ms",
	    [SCENARIO_TX_RING] = "cost follow_ms spurious lost_ring lost_sink",
	    [SCENARIO_RR] = "cost follow_ms spurious lost_ring lost_sink cpu",
	    [SCENARIO_UDP] = "cost follow_ms",
	    [SCENARIO_BULK] = "cost follow_ms spurious lost_sink",
	};
	bool shows_tx = s->kind == SCENARIO_BULK && s->show_tx;

	if (lines_word(lacks[s->kind], f->name))
		return false;
	if (strcmp(f->name, "follow_ms") == 0)
		return s->on_us != 0 && s->arrivals != ARRIVALS_PCAP;
	if (strcmp(f->name, "lost_ring") == 0)
		return !shows_tx;
	if (lines_word("mean_us p50_us p99_us p999_us", f->name))
		return !shows_tx && s->kind != SCENARIO_TX_RING;
	return true;
}
