/* SPDX-License-Identifier: BSD-3-Clause */
#include "jobs.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64u
#define BAR_WIDTH 40u
#define BAR_AFTER_S 1
#define BAR_STEP_NS 200000000

struct pool {
	struct job *jobs;
	size_t n;
	pthread_mutex_t mutex;
	pthread_cond_t finished; /* a job */
	size_t next, done, running;
	size_t failed; /* first job that did, n: none */
	int rc;
	char *error;
};

/* Jobs are taken in order, so one before the first known failure is always run or running. */
static void *
worker(void *arg)
{
	struct pool *p = arg;

	pthread_mutex_lock(&p->mutex);
	while (p->next < p->n && p->failed == p->n) {
		size_t i = p->next++;
		struct job *job = &p->jobs[i];
		char error[LAB_ERROR_MAX] = "";
		int rc;

		pthread_mutex_unlock(&p->mutex);
		rc = load_run(&job->scenario, &job->policy, job->has_peer ? &job->peer : NULL,
			      &job->result, error);
		if (rc == 0 && job->figures_only)
			result_free(&job->result);
		pthread_mutex_lock(&p->mutex);
		if (rc != 0) {
			memset(&job->result, 0, sizeof(job->result));
			if (i < p->failed) {
				p->failed = i;
				p->rc = rc;
				memcpy(p->error, error, sizeof(error));
			}
		}
		p->done++;
		pthread_cond_signal(&p->finished);
	}
	p->running--;
	pthread_cond_signal(&p->finished);
	pthread_mutex_unlock(&p->mutex);
	return NULL;
}

static void
bar_draw(const char *what, size_t done, size_t n)
{
	char bar[BAR_WIDTH + 1];
	size_t full = done * BAR_WIDTH / n;

	memset(bar, '#', full);
	memset(bar + full, '.', BAR_WIDTH - full);
	bar[BAR_WIDTH] = '\0';
	fprintf(stderr, "\r%s [%s] %zu/%zu", what, bar, done, n);
	fflush(stderr);
}

/* Until all workers are gone; meanwhile the bar. */
static void
pool_wait(struct pool *p, const char *what)
{
	bool drawn = false, shown = what != NULL && isatty(STDERR_FILENO) == 1;
	struct timespec start, now, wake;

	clock_gettime(CLOCK_MONOTONIC, &start);
	pthread_mutex_lock(&p->mutex);
	while (p->running > 0) {
		if (!shown) {
			pthread_cond_wait(&p->finished, &p->mutex);
			continue;
		}
		clock_gettime(CLOCK_REALTIME, &wake);
		wake.tv_nsec += BAR_STEP_NS;
		if (wake.tv_nsec >= 1000000000) {
			wake.tv_nsec -= 1000000000;
			wake.tv_sec++;
		}
		pthread_cond_timedwait(&p->finished, &p->mutex, &wake);
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec - start.tv_sec > BAR_AFTER_S) {
			bar_draw(what, p->done, p->n);
			drawn = true;
		}
	}
	pthread_mutex_unlock(&p->mutex);
	if (drawn)
		fprintf(stderr, "\r\033[K");
}

int
jobs_run(struct job *jobs, size_t n, unsigned int threads, const char *what,
	 char error[LAB_ERROR_MAX])
{
	struct pool p = {
	    .jobs = jobs,
	    .n = n,
	    .mutex = PTHREAD_MUTEX_INITIALIZER,
	    .finished = PTHREAD_COND_INITIALIZER,
	    .failed = n,
	    .error = error,
	};
	pthread_t thread[THREADS_MAX];
	unsigned int started = 0;
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (threads == 0)
		threads = online > 0 ? (unsigned int)online : 1;
	if (threads > THREADS_MAX)
		threads = THREADS_MAX;
	if (threads > n)
		threads = (unsigned int)n;
	pthread_mutex_lock(&p.mutex);
	while (started < threads && pthread_create(&thread[started], NULL, worker, &p) == 0)
		started++;
	p.running = started;
	pthread_mutex_unlock(&p.mutex);
	if (started == 0 && n > 0) { /* no thread to be had: by ourselves */
		p.running = 1;
		worker(&p);
	}
	pool_wait(&p, what);
	for (unsigned int i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	if (p.failed == n)
		return 0;
	for (size_t i = 0; i < n; i++)
		result_free(&jobs[i].result);
	return p.rc;
}

void
jobs_free(struct job *jobs, size_t n)
{
	for (size_t i = 0; jobs != NULL && i < n; i++)
		result_free(&jobs[i].result);
	free(jobs);
}
