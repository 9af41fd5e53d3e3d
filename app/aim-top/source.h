/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues of a running application, over its DPDK telemetry socket. */
#ifndef AIM_TOP_SOURCE_H
#define AIM_TOP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#define HISTORY 32u
#define ROWS_MAX 1024u

struct row {
	uint16_t port, queue;
	bool seen; /* at the last look */
	char policy[32];
	uint64_t wakes, spurious, packets, asleep_ns, interval_ns;
	uint64_t at_ns;			   /* of the last look */
	double wakes_s, packets_s, asleep; /* since the look before; asleep: share of the time */
	double wakes_history[HISTORY], interval_history[HISTORY];
	unsigned int history; /* entries, the last at the end */
};

struct source {
	int fd;
	size_t size; /* of the longest answer */
	char *answer;
	struct row rows[ROWS_MAX];
	unsigned int count;
	json_t *policies;
};

/* Connect to the application with that --file-prefix. False, and a line in err. */
bool source_open(struct source *s, const char *prefix, char *err, size_t errlen);
void source_close(struct source *s);
/* The answer to a command, NULL when the application is gone; JSON null: refused. Caller frees. */
json_t *source_ask(struct source *s, const char *command);
/* Look at every queue. False: the application is gone. `each` may be NULL: gets each answer. */
bool source_look(struct source *s, uint64_t now_ns, json_t *each);
/* The queue takes the policy behind its own that needs no further setting. */
bool source_policy_next(struct source *s, const struct row *row);

#endif /* AIM_TOP_SOURCE_H */
