/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * aim-top: every queue of a running application that has loaded the plugin, once a second.
 *   aim-top [--file-prefix NAME] [--interval MS] [--once --json]
 */
#include <curses.h>
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "source.h"

static struct source source;

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int
by_wakes(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->wakes_s < y->wakes_s ? 1 : x->wakes_s > y->wakes_s ? -1 : 0;
}

static int
by_number(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->port != y->port ? x->port - y->port : x->queue - y->queue;
}

/* The last `width` values as heights between 0 and the largest. */
static void
sparkline(const double *values, unsigned int n, unsigned int width)
{
	static const char levels[] = " .:-=+*#";
	double most = 0;

	for (unsigned int i = HISTORY - width; i < HISTORY; i++)
		most = values[i] > most ? values[i] : most;
	for (unsigned int i = HISTORY - width; i < HISTORY; i++) {
		int level = most > 0 ? (int)(values[i] / most * 7.0 + 0.5) : 0;

		addch(i < HISTORY - n ? ' ' : (chtype)levels[level]);
	}
}

static void
draw(unsigned int selected, bool sorted, const char *note)
{
	unsigned int lines = LINES > 4 ? (unsigned int)LINES - 4 : 1;
	unsigned int first = selected >= lines ? selected - lines + 1 : 0;

	erase();
	mvprintw(0, 0,
		 "aim-top  %u queues, sorted by %s   up/down select  p policy  s sort  q quit",
		 source.count, sorted ? "wakes" : "number");
	attron(A_REVERSE);
	mvprintw(1, 0, "%4s %5s %-18s %9s %9s %10s %7s %8s  %-16s  %-16s", "port", "queue",
		 "policy", "itr us", "wakes/s", "packets/s", "asleep", "spurious", "interval",
		 "wakes");
	attroff(A_REVERSE);
	for (unsigned int i = first; i < source.count && i < first + lines; i++) {
		const struct row *r = &source.rows[i];

		if (i == selected)
			attron(A_BOLD | A_UNDERLINE);
		mvprintw((int)(2 + i - first), 0, "%4u %5u %-18s %9.1f %9.0f %10.0f %6.1f%% %8ju  ",
			 r->port, r->queue, r->policy, (double)r->interval_ns / 1e3, r->wakes_s,
			 r->packets_s, 100 * r->asleep, (uintmax_t)r->spurious);
		attroff(A_BOLD | A_UNDERLINE);
		sparkline(r->interval_history, r->history, 16);
		addstr("  ");
		sparkline(r->wakes_history, r->history, 16);
	}
	mvaddnstr(LINES - 1, 0, note, COLS);
	refresh();
}

static void
watch(int interval_ms)
{
	unsigned int selected = 0;
	bool sorted = false, alive = true;
	const char *note = "";
	uint64_t next = 0;
	int key = 0;

	initscr();
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	while (key != 'q' && alive) {
		if (now_ns() >= next) {
			next = now_ns() + (uint64_t)interval_ms * 1000000u;
			alive = source_look(&source, now_ns(), NULL);
			qsort(source.rows, source.count, sizeof(source.rows[0]),
			      sorted ? by_wakes : by_number);
		}
		if (selected >= source.count)
			selected = source.count != 0 ? source.count - 1 : 0;
		draw(selected, sorted, note);
		timeout((int)((next - now_ns()) / 1000000u % (uint64_t)(interval_ms + 1)) + 1);
		key = getch();
		if (key == KEY_UP && selected > 0)
			selected--;
		else if (key == KEY_DOWN)
			selected++;
		else if (key == 's')
			sorted = !sorted;
		else if (key == 'p' && source.count != 0)
			note = source_policy_next(&source, &source.rows[selected])
				   ? "the queue takes it at its next sleep"
				   : "refused: see the application's log";
		if (key == 'p' || key == 's')
			next = 0;
	}
	endwin();
	if (!alive)
		fprintf(stderr, "aim-top: the application is gone\n");
}

static int
once(void)
{
	json_t *all = json_array();
	bool alive = source_look(&source, now_ns(), all);

	if (alive)
		json_dumpf(all, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(all);
	return alive ? 0 : 1;
}

int
main(int argc, char **argv)
{
	static const struct option all[] = {{"file-prefix", required_argument, NULL, 'f'},
					    {"interval", required_argument, NULL, 'i'},
					    {"once", no_argument, NULL, 'o'},
					    {"json", no_argument, NULL, 'j'},
					    {"help", no_argument, NULL, 'h'},
					    {NULL, 0, NULL, 0}};
	const char *prefix = "rte";
	bool only_once = false, json = false;
	int interval_ms = 1000, c, rc = 0;
	char err[512];

	setlocale(LC_ALL, "");
	while ((c = getopt_long(argc, argv, "", all, NULL)) != -1) {
		switch (c) {
		case 'f':
			prefix = optarg;
			break;
		case 'i':
			interval_ms = atoi(optarg);
			break;
		case 'o':
			only_once = true;
			break;
		case 'j':
			json = true;
			break;
		default:
			fprintf(
			    c == 'h' ? stdout : stderr,
			    "usage: aim-top [--file-prefix NAME] [--interval MS] [--once --json]\n"
			    "  --file-prefix NAME  of the application (default rte)\n"
			    "  --interval MS       between looks, 100 to 60000 (default 1000)\n"
			    "  --once --json       print the counts of every queue, and end\n");
			return c == 'h' ? 0 : 2;
		}
	}
	if (interval_ms < 100 || interval_ms > 60000 || only_once != json || optind != argc) {
		fprintf(stderr, "aim-top: --interval takes 100 to 60000, --once and --json go "
				"together, and there are no other arguments\n");
		return 2;
	}
	if (!source_open(&source, prefix, err, sizeof(err))) {
		fprintf(stderr, "aim-top: %s\n", err);
		return 1;
	}
	if (only_once)
		rc = once();
	else
		watch(interval_ms);
	source_close(&source);
	return rc;
}
