/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of the commands, and what all commands do with them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "data.h"
#include "infile.h"
#include "lines.h"
#include "plot.h"

#define JOBS_MAX 64

enum { OPTION_DATA = 1 << 16, OPTION_HELP = 1 << 17 };

static const struct option_kind {
	const char *name;
	unsigned int bit;
	const char *argument; /* NULL: none */
	const char *help;
} kinds[] = {
    {"--policy", OPTION_POLICY, "P", "policy, may be given again; default: all of them"},
    {"--param", OPTION_PARAM, "KEY=VALUE", "set a key of the scenario, may be given again"},
    {"--series", OPTION_SERIES, NULL, "the run in slices of time, instead of its figures"},
    {"--group", OPTION_GROUP, "NAME", "the cells of this group only"},
    {"--json", OPTION_JSON, NULL, "print JSON"},
    {"--csv", OPTION_CSV, NULL, "print CSV"},
    {"--output", OPTION_OUTPUT, "FILE", "print into FILE, which is written whole or not at all"},
    {"--plot", OPTION_PLOT, "FILE", "draw FILE, .svg or .png (needs gnuplot)"},
    {"--write-known", OPTION_KNOWN, "FILE", "make FILE the list of what this run misses"},
    {"--jobs", OPTION_JOBS, "N", "runs at a time, 1 to 64; default: one a processor"},
    {"--data", OPTION_DATA, "DIR", "folder with scenarios/, tables/, matrix/ (or AIM_LAB_DATA)"},
    {"--help", OPTION_HELP, NULL, "this text"},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static bool
takes(const struct cmd *cmd, const struct option_kind *k)
{
	return ((cmd->takes | OPTION_DATA | OPTION_HELP) & k->bit) != 0;
}

static void
help_print(const struct cmd *cmd)
{
	printf("usage: aim-lab %s%s%s [option]...\n\n%s\n", cmd->name,
	       cmd->operands[0] != '\0' ? " " : "", cmd->operands, cmd->about);
	if (cmd->details != NULL)
		printf("%s", cmd->details);
	printf("\noptions:\n");
	for (size_t i = 0; i < KINDS; i++)
		if (takes(cmd, &kinds[i]))
			printf("  %-13s %-10s %s\n", kinds[i].name,
			       kinds[i].argument != NULL ? kinds[i].argument : "", kinds[i].help);
}

/* The option that arg is, alone or with "=value" behind it; NULL: none of this command's. */
static const struct option_kind *
kind_find(const struct cmd *cmd, const char *arg, const char **value)
{
	for (size_t i = 0; i < KINDS; i++) {
		size_t n = strlen(kinds[i].name);

		if (!takes(cmd, &kinds[i]) || strncmp(arg, kinds[i].name, n) != 0 ||
		    (arg[n] != '\0' && arg[n] != '='))
			continue;
		*value = arg[n] == '=' ? arg + n + 1 : NULL;
		return &kinds[i];
	}
	return NULL;
}

static int
jobs_parse(struct options *o, const char *value, char error[LAB_ERROR_MAX])
{
	char *end;
	long n = strtol(value, &end, 10);

	if (value[0] < '0' || value[0] > '9' || *end != '\0' || n < 1 || n > JOBS_MAX)
		return lab_error(error, "--jobs %.40s; allowed: 1 to %d", value, JOBS_MAX);
	o->jobs = (unsigned int)n;
	return 0;
}

static int
once(const char **where, const char *name, const char *value, char error[LAB_ERROR_MAX])
{
	if (*where != NULL)
		return lab_error(error, "%s is given twice; once is allowed", name);
	*where = value;
	return 0;
}

/* One option with its value, NULL for those without. */
static int
option_take(struct options *o, const struct option_kind *k, const char *value,
	    char error[LAB_ERROR_MAX])
{
	switch (k->bit) {
	case OPTION_POLICY:
		o->policy[o->policies_n++] = value;
		return 0;
	case OPTION_PARAM:
		o->param[o->params_n++] = value;
		return 0;
	case OPTION_SERIES:
		o->series = true;
		return 0;
	case OPTION_JSON:
	case OPTION_CSV:
		if (o->format != REPORT_TEXT)
			return lab_error(error, "--json and --csv; allowed: one of them, once");
		o->format = k->bit == OPTION_JSON ? REPORT_JSON : REPORT_CSV;
		return 0;
	case OPTION_OUTPUT:
		return once(&o->output, k->name, value, error);
	case OPTION_PLOT:
		return once(&o->plot, k->name, value, error);
	case OPTION_GROUP:
		return once(&o->group, k->name, value, error);
	case OPTION_KNOWN:
		return once(&o->known, k->name, value, error);
	case OPTION_JOBS:
		return jobs_parse(o, value, error);
	default:
		data_dir_set(value);
		return 0;
	}
}

static int
arguments_read(struct options *o, char **argv, char error[LAB_ERROR_MAX])
{
	const struct cmd *cmd = o->cmd;
	bool only_operands = false;

	for (; *argv != NULL; argv++) {
		const struct option_kind *k;
		const char *value;
		int rc;

		if (only_operands || argv[0][0] != '-' || argv[0][1] == '\0') {
			o->operand[o->operands_n++] = *argv;
			continue;
		}
		if (strcmp(*argv, "--") == 0) {
			only_operands = true;
			continue;
		}
		k = kind_find(cmd, strcmp(*argv, "-h") == 0 ? "--help" : *argv, &value);
		if (k == NULL)
			return lab_error(error,
					 "%s has no option %.60s; allowed: see aim-lab %s --help",
					 cmd->name, *argv, cmd->name);
		if (k->argument == NULL && value != NULL)
			return lab_error(error, "%.60s; allowed: %s, which takes no value", *argv,
					 k->name);
		if (k->bit == OPTION_HELP) {
			help_print(cmd);
			return EXIT_BAD + 1;
		}
		if (k->argument != NULL && value == NULL)
			value = *++argv;
		if (k->argument != NULL && (value == NULL || value[0] == '\0'))
			return lab_error(error, "%s has no value; allowed: %s %s", k->name, k->name,
					 k->argument);
		rc = option_take(o, k, value, error);
		if (rc != 0)
			return rc;
	}
	if (o->operands_n < cmd->operands_min)
		return lab_error(error, "%s of no %s; allowed: aim-lab %s %s [option]...",
				 cmd->name, cmd->of, cmd->name, cmd->operands);
	if (o->operands_n > cmd->operands_max)
		return lab_error(error, "'%.60s' is too much; allowed: aim-lab %s%s%s [option]...",
				 o->operand[cmd->operands_max], cmd->name,
				 cmd->operands[0] != '\0' ? " " : "", cmd->operands);
	return 0;
}

int
options_parse(struct options *o, const struct cmd *cmd, char **argv, char error[LAB_ERROR_MAX])
{
	size_t n = 1;

	while (argv[n - 1] != NULL)
		n++;
	*o = (struct options){
	    .cmd = cmd,
	    .policy = calloc(n, sizeof(char *)),
	    .param = calloc(n, sizeof(char *)),
	    .operand = calloc(n, sizeof(char *)),
	};
	if (o->policy == NULL || o->param == NULL || o->operand == NULL) {
		lab_error(error, "out of memory");
		return -ENOMEM;
	}
	return arguments_read(o, argv, error);
}

void
options_free(struct options *o)
{
	free(o->policy);
	free(o->param);
	free(o->operand);
}

int
cmd_failed(int rc, const char *error)
{
	fprintf(stderr, "aim-lab: %s\n", error);
	return rc == -ENOMEM || rc == -EIO ? EXIT_MISS : EXIT_BAD;
}

int
cmd_params(const struct options *o, struct scenario *s, char error[LAB_ERROR_MAX])
{
	char what[LAB_ERROR_MAX];
	char text[LINES_MAX + 1];
	bool seen[SCENARIO_KEYS_MAX] = {false};
	char *key, *value;
	ptrdiff_t k;

	for (size_t i = 0; i < o->params_n; i++) {
		const char *given = o->param[i];

		if (strlen(given) > LINES_MAX)
			return lab_error(error, "--param %.40s... is longer than %d bytes", given,
					 LINES_MAX);
		memcpy(text, given, strlen(given) + 1);
		if (!lines_assignment(text, &key, &value))
			return lab_error(error, "--param %.60s; allowed: --param KEY=VALUE", given);
		if (scenario_set(s, key, value, what) != 0)
			return lab_error(error, "--param %.400s", what);
		k = scenario_key_find(key) - scenario_keys;
		if (seen[k])
			return lab_error(error, "--param %.40s is given twice; once is allowed",
					 key);
		seen[k] = true;
	}
	infile_note(s->file);
	if (scenario_check(s, what) != 0)
		return lab_error(error, "%.64s: %.400s", s->name, what);
	return 0;
}

int
cmd_policies(const struct options *o, struct lab_policy **policies, size_t *n, size_t extra,
	     char error[LAB_ERROR_MAX])
{
	size_t known = 0;
	struct lab_policy *p;
	int rc = 0;

	while (aim_policy_at(known) != NULL)
		known++;
	p = calloc((o->policies_n != 0 ? o->policies_n : known) + extra, sizeof(*p));
	if (p == NULL) {
		lab_error(error, "out of memory");
		return -ENOMEM;
	}
	*n = 0;
	for (size_t i = 0; rc == 0 && i < o->policies_n; i++)
		rc = lab_policy_parse(&p[(*n)++], o->policy[i], error);
	for (size_t i = 0; rc == 0 && o->policies_n == 0 && i < known; i++)
		if (lab_policy_example(i) != NULL)
			rc = lab_policy_parse(&p[(*n)++], lab_policy_example(i), error);
	if (rc != 0) {
		free(p);
		p = NULL;
	}
	*policies = p;
	return rc;
}

/* Each output is a file of its own, and none that is read. */
static int
outputs_check(const struct options *o, char error[LAB_ERROR_MAX])
{
	const struct {
		const char *option, *path;
	} outputs[] = {{"--output", o->output}, {"--plot", o->plot}, {"--write-known", o->known}};

	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		if (outputs[i].path == NULL)
			continue;
		if (infile_is(outputs[i].path))
			return lab_error(
			    error, "%s %.200s is a file that this run reads; allowed: another one",
			    outputs[i].option, outputs[i].path);
		for (size_t j = 0; j < i; j++)
			if (outputs[j].path != NULL && paths_same(outputs[i].path, outputs[j].path))
				return lab_error(
				    error,
				    "%s %.150s and %s %.150s are one file; allowed: one each",
				    outputs[j].option, outputs[j].path, outputs[i].option,
				    outputs[i].path);
	}
	return 0;
}

int
cmd_output_open(const struct options *o, struct outfile *out, char error[LAB_ERROR_MAX])
{
	int rc = outputs_check(o, error);

	*out = (struct outfile){0};
	if (rc == 0 && o->plot != NULL)
		rc = plot_check(o->plot, error);
	return rc != 0 ? rc : outfile_open(out, o->output, error);
}

int
cmd_output_write(const struct options *o, struct outfile *out, const struct report *r,
		 char error[LAB_ERROR_MAX])
{
	int rc = report_write(r, o->format, out->f);

	if (rc == -ENOMEM) {
		lab_error(error, "out of memory");
		outfile_abort(out);
		return rc;
	}
	return outfile_commit(out, error);
}
