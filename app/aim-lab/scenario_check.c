/* SPDX-License-Identifier: BSD-3-Clause */
/* What must fit together in a scenario. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "arrivals.h"
#include "lines.h"
#include "load.h"
#include "scenario.h"

#define SLICES_MAX 100000u
#define RING_RESERVE 32u /* descriptors that drivers give back in groups, host.c */

static const char *
times_misfit(const struct scenario *s, char error[LAB_ERROR_MAX])
{
	const struct {
		const char *name, *keys;
		uint32_t ms;
	} times[] = {
	    {"warmup_ms", "warmup_ms time_ms", s->warmup_ms},
	    {"settle_ms", "settle_ms time_ms", s->settle_ms},
	    {"link_down_ms", "link_down_ms time_ms", s->link_down_ms},
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (times[i].ms >= s->time_ms) {
			lab_error(error, "%s = %u; allowed: less than time_ms = %u", times[i].name,
				  times[i].ms, s->time_ms);
			return times[i].keys;
		}
	if (s->slice_us == 0 || s->time_ms * UINT64_C(1000) / s->slice_us <= SLICES_MAX)
		return NULL;
	lab_error(error, "slice_us = %u; allowed: 0, or %" PRIu64 " and more with time_ms = %u",
		  s->slice_us, s->time_ms * UINT64_C(1000) / SLICES_MAX + 1, s->time_ms);
	return "slice_us time_ms";
}

static const char *
open_misfit(const struct scenario *s, char error[LAB_ERROR_MAX])
{
	/* a thousandth above, so that a rounded line rate is one */
	double line = 1.001e6 * s->link_mbps / arrivals_wire_bits(s->frame);
	bool on = s->rate_pps > line;

	if ((s->on_us == 0) != (s->off_us == 0)) {
		lab_error(error, "on_us = %u with off_us = %u; allowed: both 0, or both above 0",
			  s->on_us, s->off_us);
		return "on_us off_us";
	}
	if (s->arrivals == ARRIVALS_PCAP) {
		if (s->file[0] != '\0')
			return NULL;
		lab_error(error, "arrivals = pcap needs the key file");
		return "arrivals";
	}
	if (!on && s->off_pps <= line)
		return NULL;
	lab_error(error,
		  "%s = %.12g is above the line rate; allowed: %.0f at most with frame = %u and "
		  "link_mbps = %u",
		  on ? "rate_pps" : "off_pps", on ? s->rate_pps : s->off_pps, line / 1.001,
		  s->frame, s->link_mbps);
	return on ? "rate_pps frame link_mbps" : "off_pps frame link_mbps";
}

/* What a kind of traffic needs. */
static const char *
kind_misfit(const struct scenario *s, char error[LAB_ERROR_MAX])
{
	switch (s->kind) {
	case SCENARIO_OPEN:
		return open_misfit(s, error);
	case SCENARIO_LOOP:
		if (s->window + RING_RESERVE < s->ring) /* else it loses packets, and stops */
			return NULL;
		lab_error(error, "window = %u; allowed: %u at most with ring = %u", s->window,
			  s->ring - RING_RESERVE - 1, s->ring);
		return "window ring";
	case SCENARIO_TX_RING:
		if (s->need <= s->resume && s->resume < s->ring)
			return NULL;
		lab_error(error,
			  "need = %u, resume = %u, ring = %u; allowed: need at most resume, resume "
			  "less than ring",
			  s->need, s->resume, s->ring);
		return "need resume ring";
	case SCENARIO_UDP:
		if (s->truesize <= s->rcvbuf)
			return NULL;
		lab_error(error, "truesize = %u; allowed: rcvbuf = %u at most", s->truesize,
			  s->rcvbuf);
		return "truesize rcvbuf";
	case SCENARIO_RR:
		if (s->half_ns != 0) /* else time stands still without a throttle */
			return NULL;
		lab_error(error, "half_ns = 0; allowed: 1 and more in kind = rr");
		return "half_ns";
	case SCENARIO_BULK:
		if (!s->show_tx || s->tx_cpu)
			return NULL;
		lab_error(error, "show_tx = yes; allowed: with tx_cpu = yes");
		return "show_tx tx_cpu";
	default:
		return NULL;
	}
}

const char *
scenario_misfit(const struct scenario *s, char error[LAB_ERROR_MAX])
{
	const char *keys = times_misfit(s, error);
	struct lab_policy peer;
	char what[LAB_ERROR_MAX];

	if (keys != NULL)
		return keys;
	if (strcmp(s->peer, "same") != 0 && lab_policy_parse(&peer, s->peer, what) != 0) {
		lab_error(error, "peer: %.300s, or same", what);
		return "peer";
	}
	return kind_misfit(s, error);
}

int
scenario_check(const struct scenario *s, char error[LAB_ERROR_MAX])
{
	return scenario_misfit(s, error) == NULL ? 0 : -EINVAL;
}
