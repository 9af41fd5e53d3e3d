/* SPDX-License-Identifier: BSD-3-Clause */
/* aim-lab advise: which policy and settings suit the arrivals of a capture? */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lines.h"
#include "pcap.h"
#include "plot.h"

#define TIME_MIN_MS 200	    /* a shorter capture is replayed until then */
#define TIME_MAX_MS 3600000 /* the key's range */
#define PACKETS_ENOUGH 1e6  /* a run of more takes long and says no more */
#define OFFLOAD_BYTES 9216  /* longer frames are no frames of a wire */
#define GOOD_ENOUGH 1.05    /* aim is advised when it costs so much more than the best */

static const char *const fixed_settings[] = {
    "fixed:5",	"fixed:10",  "fixed:20",  "fixed:35",  "fixed:50",
    "fixed:75", "fixed:100", "fixed:150", "fixed:200", "fixed:250",
};

#define FIXED_SETTINGS (sizeof(fixed_settings) / sizeof(fixed_settings[0]))

struct capture {
	size_t packets, above; /* above: longer than OFFLOAD_BYTES */
	double seconds, mbps;  /* on the wire */
};

static int
capture_read(const char *path, struct capture *c, char error[LAB_ERROR_MAX])
{
	struct arrivals_trace t;
	double bits = 0;
	int rc = arrivals_pcap_read(path, &t, error);

	if (rc != 0)
		return rc;
	*c = (struct capture){.packets = t.n, .seconds = (double)t.ps[t.n - 1] * 1e-12};
	for (size_t i = 0; i < t.n; i++) {
		bits += arrivals_wire_bits(t.bytes[i]);
		c->above += t.bytes[i] > OFFLOAD_BYTES;
	}
	c->mbps = bits * 1e-6 / c->seconds;
	arrivals_pcap_free(&t);
	return 0;
}

/* What the capture says is no choice of the user. */
static int
params_check(const struct options *o, char error[LAB_ERROR_MAX])
{
	static const char keys[] =
	    "kind, arrivals, file, rate_pps, off_pps, on_us, off_us, batch, frame, link_down_ms";
	char key[32];

	for (size_t i = 0; i < o->params_n; i++)
		for (const char *at = keys; *at != '\0'; at += strspn(at, ", ")) {
			size_t n = strcspn(at, ",");

			snprintf(key, sizeof(key), "%.*s", (int)n, at);
			at += n;
			if (lines_assigns(o->param[i], key))
				return lab_error(
				    error,
				    "--param %.60s: what arrives, and when, is the capture's to "
				    "say; allowed: keys other than %s",
				    o->param[i], keys);
		}
	return 0;
}

/* The scenario of a capture: all of it, or as much as is needed. */
static int
scenario_make(const struct options *o, const struct capture *c, struct scenario *s,
	      char error[LAB_ERROR_MAX])
{
	double ms = ceil(c->seconds * 1000);
	int rc;

	scenario_init(s);
	snprintf(s->name, sizeof(s->name), "capture");
	s->arrivals = ARRIVALS_PCAP;
	rc = scenario_set(s, "file", o->operand[0], error);
	if (rc != 0)
		return rc;
	if (c->packets > PACKETS_ENOUGH)
		ms = ceil(ms * PACKETS_ENOUGH / (double)c->packets);
	s->time_ms = (uint32_t)fmin(fmax(ms, TIME_MIN_MS), TIME_MAX_MS);
	rc = cmd_params(o, s, error);
	if (rc == 0 && c->mbps > s->link_mbps && c->packets > 1000)
		rc = lab_error(
		    error,
		    "%.200s carries %.0f Mb/s, more than link_mbps = %u; set the speed of your "
		    "link: --param link_mbps=...",
		    o->operand[0], c->mbps, s->link_mbps);
	return rc;
}

static int
jobs_make(const struct options *o, const struct scenario *s, struct job **jobs, size_t *n,
	  char error[LAB_ERROR_MAX])
{
	struct lab_policy *policies;
	int rc = cmd_policies(o, &policies, n, FIXED_SETTINGS, error);

	if (rc != 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < FIXED_SETTINGS; i++) {
		bool there = false;

		for (size_t j = 0; j < *n; j++)
			there = there || strcmp(policies[j].name, fixed_settings[i]) == 0;
		if (!there)
			rc = lab_policy_parse(&policies[(*n)++], fixed_settings[i], error);
	}
	*jobs = calloc(*n, sizeof(**jobs));
	if (rc == 0 && *jobs == NULL) {
		lab_error(error, "out of memory");
		rc = -ENOMEM;
	}
	for (size_t i = 0; rc == 0 && i < *n; i++)
		(*jobs)[i] = (struct job){.scenario = *s, .policy = policies[i]};
	free(policies);
	return rc;
}

static double
lost(const struct job *job)
{
	return job->result.lost_ring + job->result.lost_sink;
}

static bool
is_fixed(const struct job *job)
{
	return strncmp(job->policy.name, "fixed:", 6) == 0;
}

static int
by_cost(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	if (x->result.cost != y->result.cost)
		return x->result.cost < y->result.cost ? -1 : 1;
	return strcmp(x->policy.name, y->policy.name);
}

/* Sorted by cost: the first that loses as little as any; fixed settings only, or all. */
static const struct job *
cheapest(const struct job *jobs, size_t n, bool fixed)
{
	double least = INFINITY;
	const struct job *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (!fixed || is_fixed(&jobs[i]))
			least = fmin(least, lost(&jobs[i]));
	for (size_t i = n; i-- > 0;)
		if ((!fixed || is_fixed(&jobs[i])) && lost(&jobs[i]) == least)
			best = &jobs[i];
	return best;
}

static const struct job *
advised(const struct job *jobs, size_t n)
{
	const struct job *best = cheapest(jobs, n, false);

	for (size_t i = 0; i < n; i++)
		if (strcmp(jobs[i].policy.name, "aim") == 0 && lost(&jobs[i]) <= lost(best) &&
		    jobs[i].result.cost <= best->result.cost * GOOD_ENOUGH)
			return &jobs[i];
	return best;
}

/* What to give the driver, which takes whole microseconds. */
static void
devargs(const struct job *job, char *text, size_t size)
{
	const uint32_t *ns = job->policy.config.profile_ns;

	if (is_fixed(job))
		snprintf(text, size, "aim=fixed,itr_us=%u",
			 (job->policy.config.fixed_ns + 500) / 1000);
	else if (ns[AIM_PROFILES - 1] != 0)
		snprintf(text, size, "aim=%s,itr_profile=%u:%u:%u:%u:%u",
			 aim_policy_name(job->policy.policy), (ns[0] + 500) / 1000,
			 (ns[1] + 500) / 1000, (ns[2] + 500) / 1000, (ns[3] + 500) / 1000,
			 (ns[4] + 500) / 1000);
	else
		snprintf(text, size, "aim=%s", job->policy.name);
}

/* "costs 1.06 times the optimum, p99 21.30 us at 48211 interrupts/s, 0 packets lost" */
static const char *
facts(const struct job *job, char *text, size_t size)
{
	snprintf(text, size,
		 "costs %.2f times the optimum, p99 %.2f us at %.0f interrupts/s, %.0f lost",
		 job->result.cost, job->result.p99_us, job->result.irqs, lost(job));
	return text;
}

static void
report_advice(const struct job *jobs, size_t n, const struct capture *c, bool text,
	      struct report *r)
{
	const struct job *best = advised(jobs, n), *fixed = cheapest(jobs, n, true);
	const struct scenario *s = &jobs[0].scenario;
	char args[96], said[160];

	report_note(
	    r,
	    "the capture: %zu packets in %.6f s, %.1f Mb/s on the wire; simulated: %s %u ms, link "
	    "speed taken as %u Mb/s (--param link_mbps=...)",
	    c->packets, c->seconds, c->mbps,
	    s->time_ms > c->seconds * 1000 + 1 ? "all of it, over again for" : "its first",
	    s->time_ms, s->link_mbps);
	report_note(
	    r,
	    "cost: an interrupt counts as much as 500 us of one packet's waiting; 1 is the least for "
	    "which interrupts can serve every packet, had all arrivals been known; below 1: packets "
	    "that arrive while the application polls need no interrupt");
	if (c->above > 0)
		report_note(
		    r,
		    "%zu packets are longer than %d bytes: captured behind an offload (GRO, TSO), so "
		    "the wire saw other arrivals",
		    c->above, OFFLOAD_BYTES);
	devargs(best, args, sizeof(args));
	if (!text) {
		static const struct report_column columns[] = {REPORT_LABEL("policy"),
							       REPORT_LABEL("devargs")};

		report_section(r, "advice", NULL, columns, 2);
		report_text(r, best->policy.name);
		report_text(r, args);
	}
	report_note(r, "advice: policy %s, devargs %s: it %s", best->policy.name, args,
		    facts(best, said, sizeof(said)));
	if (fixed != NULL && fixed != best) {
		devargs(fixed, args, sizeof(args));
		report_note(
		    r, "the best fixed setting, %s, %s, and does not follow when the rate changes",
		    args, facts(fixed, said, sizeof(said)));
	} else if (fixed != NULL) {
		report_note(r, "a fixed setting does not follow when the rate changes");
	}
	for (size_t i = 0; i < n; i++)
		if (&jobs[i] != best && strcmp(jobs[i].policy.name, "aim") == 0)
			report_note(r, "policy aim %s", facts(&jobs[i], said, sizeof(said)));
}

static void
report_jobs(const struct job *jobs, size_t n, struct report *r)
{
	struct report_column columns[64] = {REPORT_LABEL("policy")};

	report_section(r, "figures",
		       "Policies and fixed settings on the arrivals of the capture, by cost",
		       columns, report_figure_columns(columns, 1, 64));
	for (size_t i = 0; i < n; i++) {
		report_text(r, jobs[i].policy.name);
		report_figures(r, &jobs[i].result);
	}
}

static int
plot_advice(const struct job *jobs, size_t n, const char *path, char error[LAB_ERROR_MAX])
{
	struct plot_panel panel = {
	    .title = "Policies and fixed settings on the arrivals of a capture"};
	int rc;

	panel.points = calloc(n, sizeof(*panel.points));
	if (panel.points == NULL) {
		lab_error(error, "out of memory");
		return -ENOMEM;
	}
	panel.n = n;
	for (size_t i = 0; i < n; i++)
		panel.points[i] = (struct plot_point){.name = jobs[i].policy.name,
						      .irqs = jobs[i].result.irqs,
						      .us = jobs[i].result.p99_us};
	rc = plot_tradeoff(path, &panel, 1, error);
	free(panel.points);
	return rc;
}

static int
advise(const struct options *o)
{
	char error[LAB_ERROR_MAX] = "out of memory";
	struct report *r = report_new();
	struct outfile out = {0};
	struct job *jobs = NULL;
	struct scenario s;
	struct capture c;
	size_t n = 0;
	int rc = r == NULL ? -ENOMEM : params_check(o, error);

	if (rc == 0)
		rc = capture_read(o->operand[0], &c, error);
	if (rc == 0)
		rc = scenario_make(o, &c, &s, error);
	if (rc == 0)
		rc = jobs_make(o, &s, &jobs, &n, error);
	if (rc == 0)
		rc = cmd_output_open(o, &out, error);
	if (rc == 0)
		rc = jobs_run(jobs, n, o->jobs, "advise", error);
	if (rc == 0) {
		qsort(jobs, n, sizeof(*jobs), by_cost);
		report_jobs(jobs, n, r);
		if (o->format != REPORT_CSV)
			report_advice(jobs, n, &c, o->format == REPORT_TEXT, r);
		if (o->plot != NULL)
			rc = plot_advice(jobs, n, o->plot, error);
	}
	if (rc == 0)
		rc = cmd_output_write(o, &out, r, error);
	outfile_abort(&out);
	jobs_free(jobs, n);
	report_free(r);
	return rc == 0 ? EXIT_OK : cmd_failed(rc, error);
}

const struct cmd cmd_advise = {
    .name = "advise",
    .operands = "FILE.pcap",
    .of = "capture",
    .about = "which policy and settings suit the arrivals of a capture",
    .details =
	"FILE is pcap or pcapng, of the packets that the queue receives. All policies and fixed\n"
	"settings up to 250 us run on its arrivals; --policy names the policies, and the fixed\n"
	"settings run beside them all the same. The host and the NIC are those of --param (aim-lab\n"
	"list says which keys there are; none of what arrives, and when). The arrivals do not react to the policy: for\n"
	"traffic that waits for answers, look at loop scenarios, too.\n",
    .takes = OPTION_REPORT | OPTION_PLOT | OPTION_POLICY | OPTION_PARAM | OPTION_JOBS,
    .operands_min = 1,
    .operands_max = 1,
    .run = advise,
};
