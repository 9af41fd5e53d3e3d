/* SPDX-License-Identifier: BSD-3-Clause */
#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

json_t *
source_ask(struct source *s, const char *command)
{
	char key[64];
	json_t *all, *answer;
	ssize_t n;

	if (send(s->fd, command, strlen(command), MSG_NOSIGNAL) < 0)
		return NULL;
	n = recv(s->fd, s->answer, s->size, 0);
	if (n <= 0)
		return NULL;
	all = json_loadb(s->answer, (size_t)n, 0, NULL);
	snprintf(key, sizeof(key), "%.*s", (int)strcspn(command, ","), command);
	answer = json_incref(json_object_get(all, key));
	json_decref(all);
	return answer != NULL ? answer : json_null();
}

bool
source_open(struct source *s, const char *prefix, char *err, size_t errlen)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	const struct timeval patience = {.tv_sec = 5};
	const char *base = getuid() == 0 ? "/var/run" : getenv("XDG_RUNTIME_DIR");
	char hello[1024];
	json_t *json;
	ssize_t n;

	memset(s, 0, sizeof(*s));
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/dpdk/%s/dpdk_telemetry.v2",
		 base != NULL ? base : "/tmp", prefix);
	s->fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	if (s->fd < 0 || connect(s->fd, (struct sockaddr *)&addr, sizeof(addr)) != 0) {
		snprintf(err, errlen,
			 "%s: %s: is the application running, with telemetry, and is "
			 "its --file-prefix '%s'?",
			 addr.sun_path, strerror(errno), prefix);
		source_close(s);
		return false;
	}
	setsockopt(s->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	n = recv(s->fd, hello, sizeof(hello), 0);
	json = n > 0 ? json_loadb(hello, (size_t)n, 0, NULL) : NULL;
	s->size = (size_t)json_integer_value(json_object_get(json, "max_output_len")) + 1;
	json_decref(json);
	s->answer = s->size > 1 ? malloc(s->size) : NULL;
	s->policies = s->answer != NULL ? source_ask(s, "/aim/policies") : NULL;
	if (json_is_array(s->policies))
		return true;
	snprintf(err, errlen, "the application '%s' has not loaded the plugin: no /aim/policies",
		 prefix);
	source_close(s);
	return false;
}

void
source_close(struct source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	free(s->answer);
	json_decref(s->policies);
	s->answer = NULL;
	s->policies = NULL;
}

static uint64_t
number(const json_t *answer, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(answer, name));
}

static struct row *
row_find(struct source *s, uint16_t port, uint16_t queue)
{
	for (unsigned int i = 0; i < s->count; i++)
		if (s->rows[i].port == port && s->rows[i].queue == queue)
			return &s->rows[i];
	if (s->count == ROWS_MAX)
		return NULL;
	s->rows[s->count] = (struct row){.port = port, .queue = queue};
	return &s->rows[s->count++];
}

static void
row_update(struct row *r, const json_t *a, uint64_t now_ns)
{
	uint64_t wakes = number(a, "wakes"), packets = number(a, "packets"),
		 asleep = number(a, "asleep_ns");
	double dt = (double)(now_ns - r->at_ns);

	/* after a reset of statistics the next look counts */
	if (r->at_ns != 0 && dt > 0 && wakes >= r->wakes && packets >= r->packets &&
	    asleep >= r->asleep_ns) {
		r->wakes_s = (double)(wakes - r->wakes) * 1e9 / dt;
		r->packets_s = (double)(packets - r->packets) * 1e9 / dt;
		r->asleep = (double)(asleep - r->asleep_ns) / dt;
	}
	snprintf(r->policy, sizeof(r->policy), "%s", json_string_value(json_object_get(a, "aim")));
	r->wakes = wakes;
	r->packets = packets;
	r->asleep_ns = asleep;
	r->spurious = number(a, "spurious_wakes");
	r->interval_ns = number(a, "itr_interval_ns");
	r->at_ns = now_ns;
	r->seen = true;
	memmove(r->wakes_history, r->wakes_history + 1, sizeof(double) * (HISTORY - 1));
	memmove(r->interval_history, r->interval_history + 1, sizeof(double) * (HISTORY - 1));
	r->wakes_history[HISTORY - 1] = r->wakes_s;
	r->interval_history[HISTORY - 1] = (double)r->interval_ns;
	r->history += r->history < HISTORY;
}

bool
source_look(struct source *s, uint64_t now_ns, json_t *each)
{
	json_t *ports = source_ask(s, "/aim/list"), *queues;
	unsigned int kept = 0;
	const char *port;
	bool alive = ports != NULL;

	for (unsigned int i = 0; i < s->count; i++)
		s->rows[i].seen = false;
	json_object_foreach(ports, port, queues)
	{
		for (json_int_t q = 0; alive && q < json_integer_value(queues); q++) {
			struct row *row = row_find(s, (uint16_t)atoi(port), (uint16_t)q);
			char command[64];
			json_t *answer;

			snprintf(command, sizeof(command), "/aim/queue,%s,%d", port, (int)q);
			answer = source_ask(s, command);
			alive = answer != NULL;
			if (row != NULL && json_is_object(answer)) {
				row_update(row, answer, now_ns);
				json_object_set_new(answer, "port", json_integer(row->port));
				json_object_set_new(answer, "queue", json_integer(row->queue));
				if (each != NULL)
					json_array_append(each, answer);
			}
			json_decref(answer);
		}
	}
	json_decref(ports);
	for (unsigned int i = 0; i < s->count; i++)
		if (s->rows[i].seen)
			s->rows[kept++] = s->rows[i];
	s->count = kept;
	return alive;
}

bool
source_policy_next(struct source *s, const struct row *row)
{
	size_t n = json_array_size(s->policies), at = 0;
	const char *name = "";
	char command[128];
	json_t *answer;
	bool done;

	while (at < n &&
	       strcmp(json_string_value(json_array_get(s->policies, at)), row->policy) != 0)
		at++;
	do
		name = json_string_value(json_array_get(s->policies, ++at % n));
	while (strcmp(name, "fixed") == 0 || strcmp(name, "dim-profile") == 0);
	snprintf(command, sizeof(command), "/aim/set,%u,%u,aim=%s", row->port, row->queue, name);
	answer = source_ask(s, command);
	done = json_is_object(answer);
	json_decref(answer);
	return done;
}
