/* SPDX-License-Identifier: BSD-3-Clause */
#include "lines.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BYTE_ORDER_MARK "\xEF\xBB\xBF" /* some editors begin a text in UTF-8 with it */

/* Length of the UTF-8 sequence at s, 0: not one (RFC 3629). s ends with NUL. */
static size_t
utf8_length(const unsigned char *s)
{
	uint32_t code;
	size_t n;

	if (s[0] < 0x80)
		return 1;
	n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
	if (s[0] < 0xC2 || s[0] > 0xF4)
		return 0;
	code = s[0] & (0x7Fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xC0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3F);
	}
	if (n == 3 && (code < 0x800 || (code >= 0xD800 && code < 0xE000)))
		return 0;
	if (n == 4 && (code < 0x10000 || code > 0x10FFFF))
		return 0;
	return n;
}

/* First byte that a line of text does not have, or NULL. Tabs are blanks; C1 controls are none. */
static const char *
odd_byte(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s != 0) {
		size_t n = utf8_length(s);

		if (n == 0 || (*s < ' ' && *s != '\t') || *s == 0x7F ||
		    (n == 2 && *s == 0xC2 && s[1] < 0xA0))
			return (const char *)s;
		s += n;
	}
	return NULL;
}

bool
lines_printable(const char *text)
{
	return odd_byte(text) == NULL;
}

static void
make_printable(char *text)
{
	char *p;

	while ((p = (char *)(uintptr_t)odd_byte(text)) != NULL)
		*p = '?';
}

int
lab_error(char error[LAB_ERROR_MAX], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, LAB_ERROR_MAX, format, args);
	va_end(args);
	make_printable(error);
	return -EINVAL;
}

int
lines_error(const struct lines *l, char error[LAB_ERROR_MAX], const char *format, ...)
{
	char what[LAB_ERROR_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	snprintf(error, LAB_ERROR_MAX, "%.200s:%u: %.300s", l->name, l->n, what);
	make_printable(error);
	return -EINVAL;
}

char *
lines_trim(char *text)
{
	size_t n;

	text += strspn(text, " \t");
	n = strlen(text);
	while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	text[n] = '\0';
	return text;
}

static void
cut_comment(char *text)
{
	for (char *p = text; (p = strchr(p, '#')) != NULL; p++)
		if (p == text || p[-1] == ' ' || p[-1] == '\t') {
			*p = '\0';
			return;
		}
}

/* One line as it stands in the file; 0 at the file's end. */
static int
line_read(struct lines *l, char error[LAB_ERROR_MAX])
{
	size_t n = 0;
	int c;

	l->n++;
	errno = 0;
	while ((c = getc_unlocked(l->f)) != EOF && c != '\n') {
		if (c == 0)
			return lines_error(
			    l, error, "byte %zu is NUL; a text of 'key = value' lines is wanted",
			    n + 1);
		if (n == LINES_MAX)
			return lines_error(l, error, "the line is longer than %d bytes", LINES_MAX);
		l->text[n++] = (char)c;
	}
	if (c == EOF && ferror(l->f)) {
		int rc = errno != 0 ? -errno : -EIO;

		lab_error(error, "%.200s: cannot be read: %s", l->name, strerror(-rc));
		return rc;
	}
	if (n > 0 && l->text[n - 1] == '\r')
		n--;
	l->text[n] = '\0';
	return n > 0 || c == '\n';
}

int
lines_next(struct lines *l, char error[LAB_ERROR_MAX])
{
	const char *odd;
	char *trimmed;
	int rc;

	while ((rc = line_read(l, error)) > 0) {
		if (l->n == 1 && strncmp(l->text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
			memset(l->text, ' ', strlen(BYTE_ORDER_MARK));
		odd = odd_byte(l->text);
		if (odd != NULL)
			return lines_error(l, error,
					   "byte %zu is 0x%02x; a text in UTF-8 is wanted",
					   (size_t)(odd - l->text) + 1, (unsigned char)*odd);
		cut_comment(l->text);
		trimmed = lines_trim(l->text);
		memmove(l->text, trimmed, strlen(trimmed) + 1);
		if (l->text[0] != '\0')
			return 1;
	}
	return rc;
}

bool
lines_fields(char *text, char **field, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *bar = strchr(text, '|');

		if ((bar == NULL) != (i == n - 1))
			return false;
		if (bar != NULL)
			*bar = '\0';
		field[i] = lines_trim(text);
		if (bar != NULL)
			text = bar + 1;
	}
	return true;
}

bool
lines_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	while (*text != '\0') {
		size_t length = strcspn(text, " ");

		if (length == n && memcmp(text, word, n) == 0)
			return true;
		text += length + (text[length] == ' ');
	}
	return false;
}

bool
lines_number(const char *text, double *value)
{
	char *end;

	if (text[0] == '\0' || text[strspn(text, "0123456789.e+-")] != '\0')
		return false;
	*value = strtod(text, &end);
	return *end == '\0' && *value >= 0 && *value < 1e15;
}

bool
lines_assignment(char *text, char **key, char **value)
{
	char *equals = strchr(text, '=');

	if (equals == NULL)
		return false;
	*equals = '\0';
	*key = lines_trim(text);
	*value = lines_trim(equals + 1);
	return (*key)[0] != '\0';
}

bool
lines_assigns(const char *text, const char *key)
{
	size_t n = strlen(key);

	text += strspn(text, " \t");
	return strncmp(text, key, n) == 0 && text[n + strspn(text + n, " \t")] == '=';
}
