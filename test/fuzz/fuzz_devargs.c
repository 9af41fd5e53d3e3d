/* SPDX-License-Identifier: BSD-3-Clause */
/* Devargs of any text: refused or taken whole, and what is taken lies within its ranges. */
#include <stdlib.h>
#include <string.h>

#include <rte_log.h>

#include "devargs.h"

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	rte_log_set_global_level(RTE_LOG_EMERG);
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct moderation_conf conf;
	bool yield = false;
	const struct devargs_flag flags[] = {{"yield", &yield}};
	char text[256];

	size = size < sizeof(text) - 1 ? size : sizeof(text) - 1;
	memcpy(text, data, size);
	text[size] = '\0';
	moderation_conf_default(&conf, 1046528);
	if (devargs_parse(text, &conf, flags, 1) != 0)
		return 0;
	if (conf.policy == NULL || conf.max_ns > 1000000 + 46528 || conf.min_ns > conf.max_ns ||
	    conf.sink_packets > DEVARGS_SINK_LIMIT)
		abort();
	if (strcmp(aim_policy_name(conf.policy), "dim-profile") == 0)
		for (unsigned int i = 0; i < AIM_PROFILES; i++)
			if (conf.config.profile_ns[i] > 1000000 ||
			    (i > 0 && conf.config.profile_ns[i] <= conf.config.profile_ns[i - 1]))
				abort();
	return 0;
}
