/* SPDX-License-Identifier: BSD-3-Clause */
/* aim-lab: moderation policies in virtual time. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "lines.h"

static const struct cmd *const commands[] = {
    &cmd_list, &cmd_run, &cmd_table, &cmd_matrix, &cmd_advise,
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int
help(void)
{
	printf(
	    "usage: aim-lab COMMAND ...\n\n"
	    "Interrupt moderation in virtual time: the engine that the drivers run, with a simulated\n"
	    "NIC, hosts and wires around it. The same command prints the same bytes on any machine.\n\n"
	    "commands:\n");
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-8s %-12s %s\n", commands[i]->name, commands[i]->operands,
		       commands[i]->about);
	printf(
	    "\naim-lab COMMAND --help says more. Exit status: 0; 1 when a line that must hold was\n"
	    "missed or the machine failed; 2 for bad input.\n");
	return EXIT_OK;
}

static int
unknown(const char *name)
{
	char error[LAB_ERROR_MAX];
	size_t n;

	lab_error(error, "no command '%.40s'; allowed:", name);
	n = strlen(error);
	for (size_t i = 0; i < COMMANDS; i++)
		n += (size_t)snprintf(error + n, sizeof(error) - n, "%s%s", i == 0 ? " " : ", ",
				      commands[i]->name);
	snprintf(error + n, sizeof(error) - n, ", --help, --version");
	return cmd_failed(-EINVAL, error);
}

static int
run(const struct cmd *cmd, char **argv)
{
	char error[LAB_ERROR_MAX] = "";
	struct options o;
	int rc = options_parse(&o, cmd, argv, error);

	if (rc == 0)
		rc = cmd->run(&o);
	else if (rc < 0)
		rc = cmd_failed(rc, error);
	else
		rc = EXIT_OK;
	options_free(&o);
	return rc;
}

/* A standard stream that is closed stays so: no file of ours takes its number, and what is printed.
 */
static void
streams_hold(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY); /* writing to it fails, as to a closed one */
	while (fd >= 0 && fd < 2);
	if (fd > 2)
		close(fd);
}

int
main(int argc, char **argv)
{
	struct outfile out;
	char error[LAB_ERROR_MAX];
	int rc;

	streams_hold();
	if (argc < 2)
		return cmd_failed(-EINVAL, "no command; allowed: see aim-lab --help");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		rc = help();
	} else if (strcmp(argv[1], "--version") == 0) {
		printf("aim-lab %s\n", LAB_VERSION);
		rc = EXIT_OK;
	} else {
		const struct cmd *cmd = NULL;

		for (size_t i = 0; i < COMMANDS; i++)
			if (strcmp(argv[1], commands[i]->name) == 0)
				cmd = commands[i];
		rc = cmd != NULL ? run(cmd, argv + 2) : unknown(argv[1]);
	}
	if (rc == EXIT_OK && outfile_open(&out, NULL, error) == 0 &&
	    outfile_commit(&out, error) != 0)
		rc = cmd_failed(-EIO, error);
	return rc;
}
