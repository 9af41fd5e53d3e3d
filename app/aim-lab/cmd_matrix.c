/* SPDX-License-Identifier: BSD-3-Clause */
/* aim-lab matrix: every policy in every scenario, and what aim must reach in each. */
#include <errno.h>
#include <stdlib.h>

#include "cmd.h"
#include "lines.h"
#include "matrix_report.h"

static int
params_apply(const void *arg, struct scenario *s, char error[LAB_ERROR_MAX])
{
	return cmd_params(arg, s, error);
}

/* The list of known misses: that beside the matrix, or, opened before a long run, the one to write.
 */
static int
known_open(const struct options *o, struct matrix *m, struct outfile *list,
	   char error[LAB_ERROR_MAX])
{
	if (o->known == NULL)
		return known_read(m, error);
	if (m->subject == MATRIX_NONE)
		return lab_error(error, "--write-known without policy " MATRIX_SUBJECT
					"; allowed: with it, which the rules are for");
	return outfile_open(list, o->known, error);
}

/* Hold the run against the list; one that is to be written is the run's own. */
static int
known_hold(const struct options *o, struct matrix *m, char error[LAB_ERROR_MAX])
{
	int rc = o->known != NULL ? known_collect(m, error) : 0;

	if (rc == 0)
		known_apply(m);
	return rc;
}

static int
known_close(const struct options *o, const struct matrix *m, struct outfile *list,
	    char error[LAB_ERROR_MAX])
{
	if (o->known == NULL)
		return 0;
	known_write(m, list->f);
	return outfile_commit(list, error);
}

static int
matrix(const struct options *o)
{
	char error[LAB_ERROR_MAX] = "out of memory";
	const struct matrix_overrides overrides = {
	    .param = o->param, .n = o->params_n, .apply = params_apply, .arg = o};
	struct report *r = report_new();
	struct lab_policy *policies = NULL;
	struct matrix m = {0};
	struct outfile out = {0}, list = {0};
	size_t n = 0, missed = 0;
	int rc = r == NULL ? -ENOMEM : 0;

	if (rc == 0)
		rc = matrix_read(&m, o->operands_n != 0 ? o->operand[0] : "full", error);
	if (rc == 0)
		rc = cmd_policies(o, &policies, &n, 0, error);
	if (rc == 0)
		rc = matrix_cells(&m, policies, n, o->group, &overrides, error);
	if (rc == 0)
		rc = known_open(o, &m, &list, error);
	if (rc == 0)
		rc = cmd_output_open(o, &out, error);
	if (rc == 0)
		rc = matrix_run(&m, o->jobs, error);
	if (rc == 0)
		rc = known_hold(o, &m, error);
	if (rc == 0)
		rc = matrix_report(&m, o->format, r, error);
	if (rc == 0 && o->plot != NULL)
		rc = matrix_plot(&m, o->plot, error);
	if (rc == 0)
		rc = known_close(o, &m, &list, error);
	if (rc == 0)
		rc = cmd_output_write(o, &out, r, error);
	for (size_t i = 0; i < m.checks_n; i++)
		missed += !m.checks[i].verdict.holds && !m.checks[i].known;
	outfile_abort(&list);
	outfile_abort(&out);
	matrix_free(&m);
	free(policies);
	report_free(r);
	if (rc != 0)
		return cmd_failed(rc, error);
	return missed == 0 ? EXIT_OK : EXIT_MISS;
}

const struct cmd cmd_matrix = {
    .name = "matrix",
    .operands = "[NAME|FILE]",
    .about = "every policy in every scenario, and what aim must reach",
    .details =
	"NAME is a name of 'aim-lab list' (default: full), or a file when it has a / or a dot. A\n"
	"terminal sees a summary of each group, then what policy aim must reach and where it misses;\n"
	"--csv and --json hold every cell. Exit status 1 when aim misses a rule and that is not\n"
	"known: NAME.known beside the matrix lists misses, which may be no worse than listed.\n"
	"--write-known makes such a list; the run is held to it, not to the old one. Without aim among\n"
	"the policies there are no rules. --plot draws a heat map: the worst of each scenario's cells.\n",
    .takes = OPTION_REPORT | OPTION_PLOT | OPTION_POLICY | OPTION_PARAM | OPTION_GROUP |
	     OPTION_JOBS | OPTION_KNOWN,
    .operands_min = 0,
    .operands_max = 1,
    .run = matrix,
};
