/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading scenarios: a key, a file, and what must fit together. */
#include "scenario.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arrivals.h"
#include "infile.h"
#include "lines.h"
#include "load.h"

#define KEYS_MAX 128
#define SLICES_MAX 100000u
#define RING_RESERVE 32u /* descriptors that drivers give back in groups, host.c */

const struct scenario_key *
scenario_key_find(const char *name)
{
	for (const struct scenario_key *k = scenario_keys; k->name != NULL; k++)
		if (strcmp(k->name, name) == 0)
			return k;
	return NULL;
}

/* A plain number: digits, point and exponent, nothing that strtod() knows beyond. */
static bool
number_parse(const char *text, double *value)
{
	char *end;

	if (text[0] == '\0' || text[strspn(text, "0123456789.eE+-")] != '\0' || text[0] == '+')
		return false;
	*value = strtod(text, &end);
	return end != text && *end == '\0';
}

static bool
integer_parse(const char *text, uint64_t *value)
{
	if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0')
		return false;
	errno = 0;
	*value = strtoull(text, NULL, 10);
	return errno == 0;
}

void
scenario_allowed(const struct scenario_key *k, char text[LAB_ERROR_MAX])
{
	size_t n = 0;

	switch (k->type) {
	case KEY_U32:
	case KEY_U64:
		if (k->max < 9e18)
			snprintf(text, LAB_ERROR_MAX, "%.0f to %.0f", k->min, k->max);
		else /* a double does not hold it */
			snprintf(text, LAB_ERROR_MAX, "%.0f to %" PRIu64, k->min, UINT64_MAX);
		break;
	case KEY_DOUBLE:
		snprintf(text, LAB_ERROR_MAX, "%.12g to %.12g", k->min, k->max);
		break;
	case KEY_BOOL:
		snprintf(text, LAB_ERROR_MAX, "yes, no");
		break;
	case KEY_TEXT:
		snprintf(text, LAB_ERROR_MAX, "1 to %zu bytes of text", k->size - 1);
		break;
	case KEY_CHOICE:
		text[0] = '\0';
		for (size_t i = 0; k->choices[i] != NULL && n < LAB_ERROR_MAX; i++)
			n += (size_t)snprintf(text + n, LAB_ERROR_MAX - n, "%s%s",
					      i > 0 ? ", " : "", k->choices[i]);
		break;
	}
}

/* False: the value is not allowed; *s is unchanged then. */
static bool
key_set(struct scenario *s, const struct scenario_key *k, const char *value)
{
	char *field = (char *)s + k->offset;
	uint64_t integer;
	double real;

	switch (k->type) {
	case KEY_U32:
	case KEY_U64:
		if (!integer_parse(value, &integer) || (double)integer < k->min ||
		    (double)integer > k->max)
			return false;
		if (k->type == KEY_U64)
			memcpy(field, &integer, sizeof(integer));
		else
			memcpy(field, &(uint32_t){(uint32_t)integer}, sizeof(uint32_t));
		return true;
	case KEY_DOUBLE:
		if (!number_parse(value, &real) || !(real >= k->min && real <= k->max))
			return false;
		memcpy(field, &real, sizeof(real));
		return true;
	case KEY_BOOL:
		if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
			return false;
		*(bool *)field = value[0] == 'y';
		return true;
	case KEY_TEXT:
		if (value[0] == '\0' || strlen(value) >= k->size || !lines_printable(value))
			return false;
		memcpy(field, value, strlen(value) + 1);
		return true;
	case KEY_CHOICE:
		for (uint32_t i = 0; k->choices[i] != NULL; i++)
			if (strcmp(k->choices[i], value) == 0) {
				memcpy(field, &i, sizeof(i));
				return true;
			}
		return false;
	}
	return false;
}

/* The allowed key that looks most like name: longest common start, at least two letters. */
static const char *
key_like(const char *name)
{
	const char *best = NULL;
	size_t most = 1;

	for (const struct scenario_key *k = scenario_keys; k->name != NULL; k++) {
		size_t n = 0;

		while (name[n] != '\0' && name[n] == k->name[n])
			n++;
		if (n > most) {
			most = n;
			best = k->name;
		}
	}
	return best;
}

int
scenario_set(struct scenario *s, const char *key, const char *value, char error[LAB_ERROR_MAX])
{
	const struct scenario_key *k = scenario_key_find(key);
	char allowed[LAB_ERROR_MAX];

	if (k == NULL) {
		const char *like = key_like(key);

		return lab_error(
		    error, "no key '%.40s'%s%s%s; allowed are the keys that 'aim-lab list' shows",
		    key, like != NULL ? " (" : "", like != NULL ? like : "",
		    like != NULL ? "?)" : "");
	}
	if (key_set(s, k, value))
		return 0;
	scenario_allowed(k, allowed);
	if (value[0] == '\0')
		return lab_error(error, "%s has no value; allowed: %.250s", k->name, allowed);
	return lab_error(error, "%s = %.60s; allowed: %.250s", k->name, value, allowed);
}

/* Name of a file without folder and ending. */
static void
base_name(const char *path, char *name, size_t size)
{
	const char *start = strrchr(path, '/');
	const char *end;
	size_t n;

	start = start != NULL ? start + 1 : path;
	end = strrchr(start, '.');
	n = end != NULL && end != start ? (size_t)(end - start) : strlen(start);
	if (n >= size)
		n = size - 1;
	memcpy(name, start, n);
	name[n] = '\0';
	for (char *p = name; *p != '\0'; p++) /* names stand in tables and plots */
		if (*p < ' ' || *p > '~')
			*p = '?';
}

/* A file that the scenario names lies in the scenario's folder. */
static bool
file_resolve(struct scenario *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	char full[sizeof(s->file) * 2];
	int n;

	if (slash == NULL || s->file[0] == '/')
		return true;
	n = snprintf(full, sizeof(full), "%.*s/%s", (int)(slash - path), path, s->file);
	if (n < 0 || (size_t)n >= sizeof(s->file))
		return false;
	memcpy(s->file, full, (size_t)n + 1);
	return true;
}

int
scenario_read_stream(struct scenario *s, FILE *f, const char *path, char error[LAB_ERROR_MAX])
{
	struct lines l = {.f = f, .name = path};
	struct scenario read = *s;
	bool seen[KEYS_MAX] = {false};
	char what[LAB_ERROR_MAX];
	char *key, *value;
	int rc;

	while ((rc = lines_next(&l, error)) > 0) {
		const struct scenario_key *k;

		if (!lines_assignment(l.text, &key, &value))
			return lines_error(&l, error, "'%.40s' is no 'key = value'", l.text);
		if (scenario_set(&read, key, value, what) != 0)
			return lines_error(&l, error, "%s", what);
		k = scenario_key_find(key);
		if (k - scenario_keys < KEYS_MAX) {
			if (seen[k - scenario_keys])
				return lines_error(&l, error, "%s is given twice; once is allowed",
						   key);
			seen[k - scenario_keys] = true;
		}
		if (k->offset == offsetof(struct scenario, file) && !file_resolve(&read, path))
			return lines_error(&l, error,
					   "file with its folder is too long; allowed: %zu bytes",
					   sizeof(read.file) - 1);
	}
	if (rc < 0)
		return rc;
	base_name(path, read.name, sizeof(read.name));
	*s = read;
	return 0;
}

int
scenario_read(struct scenario *s, const char *path, char error[LAB_ERROR_MAX])
{
	FILE *f = infile_open(path, error);
	int rc;

	if (f == NULL)
		return -errno;
	rc = scenario_read_stream(s, f, path, error);
	fclose(f);
	if (rc == 0)
		infile_note(s->file);
	return rc;
}

static int
open_check(const struct scenario *s, char error[LAB_ERROR_MAX])
{
	/* a thousandth above, so that a rounded line rate is one */
	double line = 1.001e6 * s->link_mbps / arrivals_wire_bits(s->frame);

	if ((s->on_us == 0) != (s->off_us == 0))
		return lab_error(error,
				 "on_us = %u with off_us = %u; allowed: both 0, or both above 0",
				 s->on_us, s->off_us);
	if (s->arrivals == ARRIVALS_PCAP) {
		if (s->file[0] == '\0')
			return lab_error(error, "arrivals = pcap needs the key file");
		return 0;
	}
	if (s->rate_pps > line || s->off_pps > line)
		return lab_error(
		    error,
		    "%s = %.12g is above the line rate; allowed: %.0f at most with frame = %u "
		    "and link_mbps = %u",
		    s->rate_pps > line ? "rate_pps" : "off_pps",
		    s->rate_pps > line ? s->rate_pps : s->off_pps, line / 1.001, s->frame,
		    s->link_mbps);
	return 0;
}

int
scenario_check(const struct scenario *s, char error[LAB_ERROR_MAX])
{
	struct lab_policy peer;
	char what[LAB_ERROR_MAX];

	if (s->warmup_ms >= s->time_ms)
		return lab_error(error, "warmup_ms = %u; allowed: less than time_ms = %u",
				 s->warmup_ms, s->time_ms);
	if (s->settle_ms >= s->time_ms)
		return lab_error(error, "settle_ms = %u; allowed: less than time_ms = %u",
				 s->settle_ms, s->time_ms);
	if (s->link_down_ms >= s->time_ms)
		return lab_error(error, "link_down_ms = %u; allowed: less than time_ms = %u",
				 s->link_down_ms, s->time_ms);
	if (s->slice_us != 0 && s->time_ms * UINT64_C(1000) / s->slice_us > SLICES_MAX)
		return lab_error(
		    error, "slice_us = %u; allowed: 0, or %" PRIu64 " and more with time_ms = %u",
		    s->slice_us, s->time_ms * UINT64_C(1000) / SLICES_MAX + 1, s->time_ms);
	if (strcmp(s->peer, "same") != 0 && lab_policy_parse(&peer, s->peer, what) != 0)
		return lab_error(error, "peer: %.300s, or same", what);
	switch (s->kind) {
	case SCENARIO_OPEN:
		return open_check(s, error);
	case SCENARIO_LOOP:
		if (s->window + RING_RESERVE >= s->ring) /* else it loses packets, and stops */
			return lab_error(error, "window = %u; allowed: %u at most with ring = %u",
					 s->window, s->ring - RING_RESERVE - 1, s->ring);
		return 0;
	case SCENARIO_TX_RING:
		if (s->need > s->resume || s->resume >= s->ring)
			return lab_error(
			    error,
			    "need = %u, resume = %u, ring = %u; allowed: need at most resume, "
			    "resume less than ring",
			    s->need, s->resume, s->ring);
		return 0;
	case SCENARIO_UDP:
		if (s->truesize > s->rcvbuf)
			return lab_error(error, "truesize = %u; allowed: rcvbuf = %u at most",
					 s->truesize, s->rcvbuf);
		return 0;
	case SCENARIO_RR:
		if (s->half_ns == 0) /* else time stands still without a throttle */
			return lab_error(error, "half_ns = 0; allowed: 1 and more in kind = rr");
		return 0;
	case SCENARIO_BULK:
		if (s->show_tx && !s->tx_cpu)
			return lab_error(error, "show_tx = yes; allowed: with tx_cpu = yes");
		return 0;
	default:
		return 0;
	}
}
