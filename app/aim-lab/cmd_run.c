/* SPDX-License-Identifier: BSD-3-Clause */
/* aim-lab run: scenarios under policies. */
#include <errno.h>
#include <stdlib.h>

#include "cmd.h"
#include "data.h"
#include "lines.h"
#include "plot.h"

#define SCENARIOS_MAX 64

struct run {
	const struct options *o;
	size_t scenarios_n, policies_n;
	struct lab_policy *policies;
	struct job *jobs; /* scenario by scenario */
};

static int
run_prepare(struct run *run, char error[LAB_ERROR_MAX])
{
	const struct options *o = run->o;
	int rc = cmd_policies(o, &run->policies, &run->policies_n, 0, error);

	if (rc != 0)
		return rc;
	run->scenarios_n = o->operands_n;
	run->jobs = calloc(run->scenarios_n * run->policies_n, sizeof(*run->jobs));
	if (run->jobs == NULL) {
		lab_error(error, "out of memory");
		return -ENOMEM;
	}
	for (size_t i = 0; i < run->scenarios_n; i++) {
		struct scenario s;

		rc = data_scenario(o->operand[i], &s, error);
		if (rc == 0)
			rc = cmd_params(o, &s, error);
		if (rc != 0)
			return rc;
		for (size_t j = 0; j < run->policies_n; j++) {
			run->jobs[i * run->policies_n + j].scenario = s;
			run->jobs[i * run->policies_n + j].policy = run->policies[j];
		}
	}
	return 0;
}

static const char *
title(const struct run *run)
{
	return run->scenarios_n == 1 && run->jobs[0].scenario.title[0] != '\0'
		   ? run->jobs[0].scenario.title
		   : NULL;
}

static void
report_run(const struct run *run, struct report *r)
{
	struct report_column columns[64] = {REPORT_LABEL("scenario"), REPORT_LABEL("policy")};
	size_t n = report_figure_columns(columns, 2, 64);

	report_section(r, "figures", title(run), columns, n);
	for (size_t i = 0; i < run->scenarios_n * run->policies_n; i++) {
		report_text(r, run->jobs[i].scenario.name);
		report_text(r, run->jobs[i].policy.name);
		report_figures(r, &run->jobs[i].result);
	}
}

static void
report_series(const struct run *run, struct report *r)
{
	static const struct report_column columns[] = {
	    REPORT_LABEL("scenario"),
	    REPORT_LABEL("policy"),
	    {.name = "end_s", .unit = "s", .decimals = 6},
	    {.name = "pps", .unit = "1/s", .decimals = 1},
	    {.name = "irqs", .unit = "1/s", .decimals = 1},
	    {.name = "interval_us", .unit = "us", .decimals = 3},
	};

	report_section(r, "series", title(run), columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < run->scenarios_n * run->policies_n; i++)
		for (size_t k = 0; k < run->jobs[i].result.slices_n; k++) {
			const struct result_slice *slice = &run->jobs[i].result.slices[k];

			report_text(r, run->jobs[i].scenario.name);
			report_text(r, run->jobs[i].policy.name);
			report_number(r, slice->end_s);
			report_number(r, slice->pps);
			report_number(r, slice->irqs);
			report_number(r, slice->interval_us);
		}
}

static int
plot_run_series(const struct run *run, char error[LAB_ERROR_MAX])
{
	struct plot_series *series = calloc(run->policies_n, sizeof(*series));
	int rc;

	if (series == NULL) {
		lab_error(error, "out of memory");
		return -ENOMEM;
	}
	for (size_t j = 0; j < run->policies_n; j++)
		series[j] = (struct plot_series){.name = run->jobs[j].policy.name,
						 .slices = run->jobs[j].result.slices,
						 .n = run->jobs[j].result.slices_n};
	rc = plot_series(run->o->plot, title(run) != NULL ? title(run) : run->jobs[0].scenario.name,
			 PLOT_RATE | PLOT_IRQS | PLOT_INTERVAL, series, run->policies_n, NULL, 0,
			 error);
	free(series);
	return rc;
}

static int
plot_run(const struct run *run, char error[LAB_ERROR_MAX])
{
	struct plot_point *points;
	struct plot_panel *panels;
	int rc = -ENOMEM;

	if (run->o->series)
		return plot_run_series(run, error);
	points = calloc(run->scenarios_n * run->policies_n, sizeof(*points));
	panels = calloc(run->scenarios_n, sizeof(*panels));
	lab_error(error, "out of memory");
	if (points == NULL || panels == NULL)
		goto out;
	for (size_t i = 0; i < run->scenarios_n; i++) {
		const struct job *jobs = &run->jobs[i * run->policies_n];

		panels[i] = (struct plot_panel){.title = jobs->scenario.title[0] != '\0'
							     ? jobs->scenario.title
							     : jobs->scenario.name,
						.points = &points[i * run->policies_n],
						.n = run->policies_n};
		for (size_t j = 0; j < run->policies_n; j++)
			panels[i].points[j] = (struct plot_point){.name = jobs[j].policy.name,
								  .irqs = jobs[j].result.irqs,
								  .us = jobs[j].result.p99_us};
	}
	rc = plot_tradeoff(run->o->plot, panels, run->scenarios_n, error);
out:
	free(points);
	free(panels);
	return rc;
}

static int
run(const struct options *o)
{
	char error[LAB_ERROR_MAX] = "out of memory";
	struct run run = {.o = o};
	struct report *r = report_new();
	struct outfile out = {0};
	int rc = r == NULL ? -ENOMEM : 0;

	if (rc == 0 && o->plot != NULL && o->series && o->operands_n > 1)
		rc = lab_error(error, "--series --plot with %zu scenarios; allowed: one",
			       o->operands_n);
	if (rc == 0)
		rc = run_prepare(&run, error);
	if (rc == 0)
		rc = cmd_output_open(o, &out, error);
	if (rc == 0)
		rc = jobs_run(run.jobs, run.scenarios_n * run.policies_n, o->jobs, "run", error);
	if (rc == 0) {
		if (o->series)
			report_series(&run, r);
		else
			report_run(&run, r);
		if (o->plot != NULL)
			rc = plot_run(&run, error);
	}
	if (rc == 0)
		rc = cmd_output_write(o, &out, r, error);
	outfile_abort(&out);
	jobs_free(run.jobs, run.scenarios_n * run.policies_n);
	free(run.policies);
	report_free(r);
	return rc == 0 ? EXIT_OK : cmd_failed(rc, error);
}

const struct cmd cmd_run = {
    .name = "run",
    .operands = "SCENARIO...",
    .of = "scenario, which 'aim-lab list' lists",
    .about = "run scenarios under policies and print the figures",
    .details = "SCENARIO is a name of 'aim-lab list', or a file when it has a / or a dot.\n"
	       "--plot draws p99 latency against interrupts, with --series rate, interrupts and\n"
	       "throttle over time.\n",
    .takes = OPTION_REPORT | OPTION_PLOT | OPTION_POLICY | OPTION_PARAM | OPTION_SERIES |
	     OPTION_JOBS,
    .operands_min = 1,
    .operands_max = SCENARIOS_MAX,
    .run = run,
};
