/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct section {
	char *key, *title;
	struct report_column *columns; /* with names of their own */
	size_t columns_n;
	char **cells; /* rows one after another, as they are printed; "" for no number */
	size_t cells_n, cells_room;
	char **notes;
	size_t notes_n;
};

struct report {
	struct section *sections;
	size_t n;
	bool no_memory;
};

struct report *
report_new(void)
{
	return calloc(1, sizeof(struct report));
}

static void
texts_free(char **texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(texts[i]);
	free(texts);
}

void
report_free(struct report *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->n; i++) {
		struct section *s = &r->sections[i];

		free(s->key);
		free(s->title);
		for (size_t j = 0; j < s->columns_n; j++) {
			free((void *)(uintptr_t)s->columns[j].name);
			free((void *)(uintptr_t)s->columns[j].unit);
		}
		free(s->columns);
		texts_free(s->cells, s->cells_n);
		texts_free(s->notes, s->notes_n);
	}
	free(r->sections);
	free(r);
}

static char *
keep(struct report *r, const char *text)
{
	char *copy = strdup(text != NULL ? text : "");

	if (copy == NULL)
		r->no_memory = true;
	return copy;
}

/* Room for one more element of an array; the array as it was when there is none. */
static void *
grow(struct report *r, void *array, size_t n, size_t size)
{
	void *larger = reallocarray(array, n, size);

	if (larger == NULL)
		r->no_memory = true;
	return larger;
}

void
report_section(struct report *r, const char *key, const char *title,
	       const struct report_column *columns, size_t n)
{
	struct section *sections = grow(r, r->sections, r->n + 1, sizeof(*sections));
	struct section *s;

	if (sections == NULL)
		return;
	r->sections = sections;
	s = &sections[r->n];
	*s = (struct section){.key = keep(r, key), .columns = calloc(n, sizeof(*columns))};
	r->n++;
	if (title != NULL)
		s->title = keep(r, title);
	if (s->columns == NULL) {
		r->no_memory = true;
		return;
	}
	s->columns_n = n;
	for (size_t i = 0; i < n; i++)
		s->columns[i] = (struct report_column){.name = keep(r, columns[i].name),
						       .unit = keep(r, columns[i].unit),
						       .decimals = columns[i].decimals};
}

static struct section *
last(struct report *r)
{
	return r->no_memory || r->n == 0 ? NULL : &r->sections[r->n - 1];
}

void
report_note(struct report *r, const char *format, ...)
{
	struct section *s = last(r);
	char **notes;
	char text[1024];
	va_list args;

	if (s == NULL)
		return;
	notes = grow(r, s->notes, s->notes_n + 1, sizeof(*notes));
	if (notes == NULL)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	s->notes = notes;
	s->notes[s->notes_n++] = keep(r, text);
}

void
report_text(struct report *r, const char *text)
{
	struct section *s = last(r);

	if (s == NULL)
		return;
	if (s->cells_n == s->cells_room) {
		size_t room = s->cells_room != 0 ? s->cells_room * 2 : 64;
		char **cells = grow(r, s->cells, room, sizeof(*cells));

		if (cells == NULL)
			return;
		s->cells = cells;
		s->cells_room = room;
	}
	s->cells[s->cells_n++] = keep(r, text);
}

void
report_number(struct report *r, double value)
{
	struct section *s = last(r);
	char text[400] = "";

	if (s == NULL)
		return;
	if (isfinite(value)) {
		int decimals = s->columns[s->cells_n % s->columns_n].decimals;

		snprintf(text, sizeof(text), "%.*f", decimals > 0 ? decimals : 0, value);
		if (text[0] == '-' && text[strspn(text, "-0.")] == '\0') /* no minus zero */
			memmove(text, text + 1, strlen(text));
	}
	report_text(r, text);
}

size_t
report_figure_columns(struct report_column *columns, size_t n, size_t room)
{
	for (const struct result_figure *f = result_figures; f->name != NULL && n < room; f++)
		columns[n++] = (struct report_column){
		    .name = f->name, .unit = f->unit, .decimals = f->decimals};
	return n;
}

void
report_figures(struct report *r, const struct result *result)
{
	for (const struct result_figure *f = result_figures; f->name != NULL; f++)
		report_number(r, result_get(result, f));
}

/* Columns on a terminal: bytes that do not continue a UTF-8 sequence. */
static size_t
width(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += ((unsigned char)*text & 0xC0) != 0x80;
	return n;
}

/* One field of a line; blanks that nothing follows are not printed. */
static void
padded(FILE *f, size_t *blanks, const char *text, size_t to, bool right)
{
	size_t fill = to - width(text);

	*blanks += right ? fill : 0;
	if (text[0] != '\0') {
		fprintf(f, "%*s%s", (int)*blanks, "", text);
		*blanks = 0;
	}
	*blanks += (right ? 0 : fill) + 2;
}

static void
line_end(FILE *f, size_t *blanks)
{
	fputc('\n', f);
	*blanks = 0;
}

/* A number that is none is shown as a dash. */
static const char *
cell(const struct section *s, size_t i)
{
	return s->cells[i][0] == '\0' ? "-" : s->cells[i];
}

/* A column without any value is not shown to people. */
static bool
column_empty(const struct section *s, size_t c)
{
	for (size_t i = c; i < s->cells_n; i += s->columns_n)
		if (s->cells[i][0] != '\0')
			return false;
	return s->cells_n > 0;
}

static void
section_text(const struct section *s, FILE *f)
{
	bool hidden[64];
	size_t to[64];
	size_t n = s->columns_n < 64 ? s->columns_n : 64;
	size_t blanks = 0;
	bool units = false;

	for (size_t c = 0; c < n; c++) {
		hidden[c] = column_empty(s, c);
		if (hidden[c])
			continue;
		to[c] = width(s->columns[c].name);
		if (width(s->columns[c].unit) > to[c])
			to[c] = width(s->columns[c].unit);
		units = units || s->columns[c].unit[0] != '\0';
		for (size_t i = c; i < s->cells_n; i += s->columns_n)
			if (width(cell(s, i)) > to[c])
				to[c] = width(cell(s, i));
	}
	if (s->title != NULL)
		fprintf(f, "%s\n", s->title);
	for (size_t c = 0; c < n; c++)
		if (!hidden[c])
			padded(f, &blanks, s->columns[c].name, to[c], s->columns[c].decimals >= 0);
	line_end(f, &blanks);
	for (size_t c = 0; units && c < n; c++)
		if (!hidden[c])
			padded(f, &blanks, s->columns[c].unit, to[c], s->columns[c].decimals >= 0);
	if (units)
		line_end(f, &blanks);
	for (size_t i = 0; i < s->cells_n; i++) {
		size_t c = i % s->columns_n;

		if (c < n && !hidden[c])
			padded(f, &blanks, cell(s, i), to[c], s->columns[c].decimals >= 0);
		if (c + 1 == s->columns_n)
			line_end(f, &blanks);
	}
	for (size_t i = 0; i < s->notes_n; i++)
		fprintf(f, "%s\n", s->notes[i]);
}

/* RFC 4180, with plain line ends. */
static void
csv_field(FILE *f, const char *text, bool end)
{
	if (strpbrk(text, ",\"\r\n") != NULL || text[0] == ' ') {
		fputc('"', f);
		for (; *text != '\0'; text++) {
			if (*text == '"')
				fputc('"', f);
			fputc(*text, f);
		}
		fputc('"', f);
	} else {
		fputs(text, f);
	}
	fputc(end ? '\n' : ',', f);
}

static bool
same_columns(const struct section *a, const struct section *b)
{
	bool same = a->columns_n == b->columns_n;

	for (size_t c = 0; same && c < a->columns_n; c++)
		same = strcmp(a->columns[c].name, b->columns[c].name) == 0;
	return same;
}

/* Sections with the same columns go on below one header. */
static void
report_csv(const struct report *r, FILE *f)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct section *s = &r->sections[i];

		if (i == 0 || !same_columns(s, s - 1)) {
			if (i > 0)
				fputc('\n', f);
			for (size_t c = 0; c < s->columns_n; c++)
				csv_field(f, s->columns[c].name, c + 1 == s->columns_n);
		}
		for (size_t j = 0; j < s->cells_n; j++)
			csv_field(f, s->cells[j], (j + 1) % s->columns_n == 0);
	}
}

/* The number as it is printed elsewhere. */
static json_t *
json_cell(const struct report_column *c, const char *text)
{
	if (c->decimals < 0)
		return json_string(text);
	if (text[0] == '\0')
		return json_null();
	return c->decimals == 0 && strlen(text) < 18 ? json_integer(strtoll(text, NULL, 10))
						     : json_real(strtod(text, NULL));
}

static json_t *
section_json(const struct section *s)
{
	json_t *o = json_object(), *rows = json_array(), *units = json_object(),
	       *notes = json_array();
	json_t *row = NULL;
	int rc = 0;

	if (s->title != NULL)
		rc |= json_object_set_new(o, "title", json_string(s->title));
	for (size_t c = 0; c < s->columns_n; c++)
		if (s->columns[c].unit[0] != '\0')
			rc |= json_object_set_new(units, s->columns[c].name,
						  json_string(s->columns[c].unit));
	for (size_t i = 0; i < s->cells_n; i++) {
		const struct report_column *c = &s->columns[i % s->columns_n];

		if (c == s->columns) {
			row = json_object();
			rc |= json_array_append_new(rows, row);
		}
		rc |= json_object_set_new(row, c->name, json_cell(c, s->cells[i]));
	}
	for (size_t i = 0; i < s->notes_n; i++)
		rc |= json_array_append_new(notes, json_string(s->notes[i]));
	rc |= json_object_set_new(o, "units", units);
	rc |= json_object_set_new(o, "rows", rows);
	rc |= json_object_set_new(o, "notes", notes);
	if (rc != 0) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static int
report_json(const struct report *r, FILE *f)
{
	json_t *all = json_object();
	int rc = 0;

	for (size_t i = 0; i < r->n; i++)
		rc |= json_object_set_new(all, r->sections[i].key, section_json(&r->sections[i]));
	/* 15 digits: a decimal number comes out as it went in */
	if (rc == 0 && json_dumpf(all, f, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) != 0)
		rc = ferror(f) ? -EIO : -ENOMEM;
	else if (rc != 0)
		rc = -ENOMEM;
	json_decref(all);
	if (rc == 0)
		fputc('\n', f);
	return rc;
}

int
report_write(const struct report *r, enum report_format format, FILE *f)
{
	int rc = 0;

	if (r->no_memory)
		return -ENOMEM;
	if (format == REPORT_JSON)
		rc = report_json(r, f);
	else if (format == REPORT_CSV)
		report_csv(r, f);
	for (size_t i = 0; format == REPORT_TEXT && i < r->n; i++) {
		if (i > 0)
			fputc('\n', f);
		section_text(&r->sections[i], f);
	}
	return rc != 0 ? rc : ferror(f) ? -EIO : 0;
}
