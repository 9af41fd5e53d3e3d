/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * The commands of aim-lab, and what they share: options, errors, output.
 */
#ifndef LAB_CMD_H
#define LAB_CMD_H

#include "jobs.h"
#include "outfile.h"
#include "report.h"

/** Exit status: all well; an acceptance line missed, or the machine failed; bad input. */
enum { EXIT_OK, EXIT_MISS, EXIT_BAD };

/** Options that a command may take, beside --help and --data. */
enum {
	OPTION_JSON = 1 << 0,
	OPTION_CSV = 1 << 1,
	OPTION_OUTPUT = 1 << 2,
	OPTION_PLOT = 1 << 3,
	OPTION_POLICY = 1 << 4,
	OPTION_PARAM = 1 << 5,
	OPTION_SERIES = 1 << 6,
	OPTION_JOBS = 1 << 7,
	OPTION_GROUP = 1 << 8,
	OPTION_KNOWN = 1 << 9,
	OPTION_REPORT = OPTION_JSON | OPTION_CSV | OPTION_OUTPUT, /**< all that print a report */
};

struct options;

struct cmd {
	const char *name;
	const char *operands; /**< for the help: "SCENARIO..." */
	const char *of;	      /**< one that is missing, and what there is; NULL: none is needed */
	const char *about;    /**< one line */
	const char *details;  /**< more for --help, lines; NULL: none */
	unsigned int takes;   /**< OPTION_... */
	size_t operands_min, operands_max;
	int (*run)(const struct options *o);
};

extern const struct cmd cmd_list, cmd_run, cmd_table, cmd_matrix, cmd_advise;

struct options {
	const struct cmd *cmd;
	enum report_format format;
	const char *output; /**< NULL: standard output */
	const char *plot;   /**< NULL: none */
	const char *group;  /**< of a matrix; NULL: all */
	const char *known;  /**< file for the known misses of a matrix; NULL: none */
	bool series;
	unsigned int jobs;   /**< 0: one a processor */
	const char **policy; /**< as given */
	size_t policies_n;
	const char **param; /**< "key=value" */
	size_t params_n;
	const char **operand;
	size_t operands_n;
};

/**
 * Read the arguments behind the command's name.
 * @return 0; EXIT_BAD + 1 when --help was printed; -EINVAL with one line in error[]
 */
int options_parse(struct options *o, const struct cmd *cmd, char **argv, char error[LAB_ERROR_MAX]);
void options_free(struct options *o);

/** One line on standard error. @return EXIT_BAD, or EXIT_MISS when rc is -ENOMEM or -EIO */
int cmd_failed(int rc, const char *error);

/** Set what --param says, and check the scenario. @return 0 or -EINVAL with one line in error[] */
int cmd_params(const struct options *o, struct scenario *s, char error[LAB_ERROR_MAX]);

/**
 * The policies of the options, or all.
 * @param extra room for so many more behind them
 * @return 0, with *n policies in *policies that the caller frees; negative errno
 */
int cmd_policies(const struct options *o, struct lab_policy **policies, size_t *n, size_t extra,
		 char error[LAB_ERROR_MAX]);

/**
 * Behind the reading, before a long run: can output and plot be written at all, and do they take
 * the place of nothing that is read? out is open then.
 */
int cmd_output_open(const struct options *o, struct outfile *out, char error[LAB_ERROR_MAX]);

/** Print the report and close out, in any case. @return 0 or negative errno */
int cmd_output_write(const struct options *o, struct outfile *out, const struct report *r,
		     char error[LAB_ERROR_MAX]);

#endif /* LAB_CMD_H */
