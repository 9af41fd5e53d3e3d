/* SPDX-License-Identifier: BSD-3-Clause */
/* aim-lab list: scenarios, tables, matrices, policies, keys, figures. */
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "data.h"
#include "matrix.h"
#include "table.h"

/* The same columns in each section, so that CSV is one table. */
static const struct report_column columns[] = {
    REPORT_LABEL("what"),  REPORT_LABEL("name"),    REPORT_LABEL("group"),
    REPORT_LABEL("about"), REPORT_LABEL("allowed"),
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void
row(struct report *r, const char *what, const char *name, const char *group, const char *about,
    const char *allowed)
{
	report_text(r, what);
	report_text(r, name);
	report_text(r, group);
	report_text(r, about);
	report_text(r, allowed);
}

static int
list_scenarios(struct report *r, char error[LAB_ERROR_MAX])
{
	struct data_names names;
	int rc = data_names(DATA_SCENARIOS, DATA_SCENARIO_END, &names, error);

	if (rc != 0)
		return rc;
	report_section(r, "scenarios", NULL, columns, COLUMNS);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		struct scenario s;

		rc = data_scenario(names.name[i], &s, error);
		if (rc == 0)
			row(r, "scenario", s.name, s.group, s.title, "");
	}
	data_names_free(&names);
	return rc;
}

static int
list_tables(struct report *r, char error[LAB_ERROR_MAX])
{
	struct data_names names;
	int rc = data_names(DATA_TABLES, DATA_TABLE_END, &names, error);

	if (rc != 0)
		return rc;
	report_section(r, "tables", NULL, columns, COLUMNS);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		struct table t;

		rc = table_read(&t, names.name[i], error);
		if (rc == 0) {
			row(r, "table", t.name, "", t.title, "");
			table_free(&t);
		}
	}
	data_names_free(&names);
	return rc;
}

static int
list_matrices(struct report *r, char error[LAB_ERROR_MAX])
{
	struct data_names names;
	int rc = data_names(DATA_MATRICES, DATA_MATRIX_END, &names, error);

	if (rc != 0)
		return rc;
	report_section(r, "matrices", NULL, columns, COLUMNS);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		struct matrix m;

		rc = matrix_read(&m, names.name[i], error);
		if (rc == 0) {
			row(r, "matrix", m.name, "", m.title, "");
			matrix_free(&m);
		}
	}
	data_names_free(&names);
	return rc;
}

static void
list_policies(struct report *r)
{
	const char *form;

	report_section(r, "policies", NULL, columns, COLUMNS);
	for (size_t i = 0; (form = lab_policy_form(i)) != NULL; i++) {
		const struct aim_policy *p = aim_policy_at(i);

		row(r, "policy", aim_policy_name(p), "",
		    aim_policy_adapts(p) ? "decides at each arm" : "does not adapt", form);
	}
}

static void
list_keys(struct report *r)
{
	char allowed[LAB_ERROR_MAX];

	report_section(r, "keys", NULL, columns, COLUMNS);
	for (const struct scenario_key *k = scenario_keys; k->name != NULL; k++) {
		scenario_allowed(k, allowed);
		row(r, "key", k->name, "", k->help, allowed);
	}
}

static void
list_figures(struct report *r)
{
	report_section(r, "figures", NULL, columns, COLUMNS);
	for (const struct result_figure *f = result_figures; f->name != NULL; f++)
		row(r, "figure", f->name, "", f->help, f->unit);
}

static int
list(const struct options *o)
{
	char error[LAB_ERROR_MAX] = "out of memory";
	struct report *r = report_new();
	struct outfile out = {0};
	int rc = r == NULL ? -ENOMEM : 0;

	if (rc == 0)
		rc = list_scenarios(r, error);
	if (rc == 0)
		rc = list_tables(r, error);
	if (rc == 0)
		rc = list_matrices(r, error);
	if (rc == 0) {
		list_policies(r);
		list_keys(r);
		list_figures(r);
		rc = cmd_output_open(o, &out, error);
	}
	if (rc == 0)
		rc = cmd_output_write(o, &out, r, error);
	outfile_abort(&out);
	report_free(r);
	return rc == 0 ? EXIT_OK : cmd_failed(rc, error);
}

const struct cmd cmd_list = {
    .name = "list",
    .operands = "",
    .about = "scenarios, tables, matrices, policies, keys of a scenario with their ranges, figures",
    .takes = OPTION_REPORT,
    .run = list,
};
