/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading scenarios: a key, a file. */
#include "scenario.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "infile.h"
#include "lines.h"

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

/* Where the keys (names with a blank between) were read: the last of these lines; 0: in none. */
static unsigned int
last_line(const unsigned int *line, const char *keys)
{
	unsigned int last = 0;

	for (size_t i = 0; scenario_keys[i].name != NULL; i++)
		if (line[i] > last && lines_word(keys, scenario_keys[i].name))
			last = line[i];
	return last;
}

int
scenario_read_stream(struct scenario *s, FILE *f, const char *path, char error[LAB_ERROR_MAX])
{
	struct lines l = {.f = f, .name = path};
	struct scenario read = *s;
	unsigned int line[SCENARIO_KEYS_MAX] = {0}; /* of each key */
	char what[LAB_ERROR_MAX];
	char *key, *value;
	const char *misfit;
	bool empty = true;
	int rc;

	while ((rc = lines_next(&l, error)) > 0) {
		const struct scenario_key *k;

		if (!lines_assignment(l.text, &key, &value))
			return lines_error(&l, error, "'%.40s' is no 'key = value'", l.text);
		if (scenario_set(&read, key, value, what) != 0)
			return lines_error(&l, error, "%s", what);
		k = scenario_key_find(key);
		if (line[k - scenario_keys] != 0)
			return lines_error(&l, error, "%s is given twice; once is allowed", key);
		line[k - scenario_keys] = l.n;
		empty = false;
		if (k->offset == offsetof(struct scenario, file) && !file_resolve(&read, path))
			return lines_error(&l, error,
					   "file with its folder is too long; allowed: %zu bytes",
					   sizeof(read.file) - 1);
	}
	if (rc < 0)
		return rc;
	if (empty)
		return lab_error(
		    error,
		    "%.200s: no key in it; allowed: one 'key = value' line or more, with "
		    "keys that 'aim-lab list' shows",
		    path);
	misfit = scenario_misfit(&read, what);
	if (misfit != NULL) {
		l.n = last_line(line, misfit);
		return lines_error(&l, error, "%s", what);
	}
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
