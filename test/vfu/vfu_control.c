/* SPDX-License-Identifier: BSD-3-Clause */
#include "vfu_control.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vfu_report.h"

struct request {
	struct vfu *const *devices;
	unsigned int count;
	struct vfu *vfu;
	const char *words; /* what follows the command */
};

static json_t *
fail(const char *what)
{
	return json_pack("{s:s}", "error", what);
}

static json_t *
done(const char *what, struct request *r)
{
	return json_pack("{s:s}", what, r->vfu->name);
}

static json_t *
list(struct request *r)
{
	json_t *out = json_object();
	unsigned int i;

	for (i = 0; i < r->count; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%u", i);
		json_object_set_new(out, key, json_string(r->devices[i]->name));
	}
	return out;
}

static json_t *
stats(struct request *r)
{
	return vfu_report_stats(r->vfu);
}

static json_t *
report(struct request *r)
{
	return vfu_report_all(r->devices, r->count);
}

static json_t *
reset_stats(struct request *r)
{
	vfu_stats_reset(r->vfu);
	return done("reset-stats", r);
}

static json_t *
set_link(struct request *r)
{
	unsigned int mbps = 10000;
	char rest;
	bool up;

	if (strcmp(r->words, "down") == 0)
		up = false;
	else if (strcmp(r->words, "up") == 0 || sscanf(r->words, "up %u%c", &mbps, &rest) == 1)
		up = true;
	else
		return fail("link down, link up, or link up MBPS");
	if (mbps != 10000 && mbps != 1000 && mbps != 100)
		return fail("a link has 10000, 1000 or 100 Mb/s");
	nic_link_set(r->vfu->nic, up, up ? mbps : r->vfu->nic->link_mbps);
	return json_pack("{s:s, s:b, s:i}", "link", r->vfu->name, "up", up, "mbps",
			 (int)r->vfu->nic->link_mbps);
}

static json_t *
go(struct request *r)
{
	return nic_wire_go(r->vfu->nic) == 0 ? done("go", r)
					     : fail("this device's wire does not wait");
}

static json_t *
slow(struct request *r)
{
	unsigned int times;
	char rest;

	if (sscanf(r->words, "%u%c", &times, &rest) != 1 ||
	    !nic_clock_slow(r->vfu->nic->clock, times))
		return fail("slow TIMES, 1 to 1000");
	return json_pack("{s:i}", "slow", (int)times);
}

static json_t *
surprise_remove(struct request *r)
{
	nic_surprise_remove(r->vfu->nic);
	return done("removed", r);
}

static const struct {
	const char *name;
	json_t *(*fn)(struct request *r);
	bool words;
} commands[] = {
    {"list", list, false},     {"stats", stats, false},
    {"report", report, false}, {"reset-stats", reset_stats, false},
    {"link", set_link, true},  {"go", go, false},
    {"slow", slow, true},      {"remove", surprise_remove, false},
};

static json_t *
run(struct request *r, char *text)
{
	char *comma = strchr(text, ','), *words;
	unsigned int index = 0;
	char rest;
	size_t i;

	if (comma != NULL) {
		*comma = '\0';
		if (sscanf(comma + 1, "%u%c", &index, &rest) != 1)
			return fail("a number of a device belongs behind the comma");
	}
	if (index >= r->count)
		return fail("no such device: see list");
	r->vfu = r->devices[index];
	words = strchr(text, ' ');
	if (words != NULL)
		*words++ = '\0';
	r->words = words != NULL ? words : "";
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].name, text) == 0 && (commands[i].words || words == NULL))
			return commands[i].fn(r);
	return fail("no such command: have list, stats, report, reset-stats, link, go, slow, "
		    "remove");
}

char *
vfu_control(struct vfu *const *devices, unsigned int count, const char *line)
{
	struct request r = {.devices = devices, .count = count};
	char *text = strdup(line), *answer;
	json_t *json;

	if (text == NULL)
		return NULL;
	text[strcspn(text, "\r\n")] = '\0';
	json = run(&r, text);
	answer = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL;
	json_decref(json);
	free(text);
	return answer;
}
