/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

/* Real time `base` is the clock's `then`; from there on it runs `slow` times slower. */
struct pace {
	struct pace *older; /* a reader may still look at it: kept to the end */
	uint64_t base;
	uint64_t then;
	uint32_t slow;
};

struct nic_clock {
	bool is_virtual;
	bool stop;
	_Atomic uint64_t virtual_now;
	_Atomic(struct pace *) pace;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_cond_t idle;
	pthread_t thread;
	struct nic_timer *timers; /* by time; equal times in the order of arming */
	struct nic_timer *running;
	pthread_t runner;
};

static uint64_t
monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t
nic_clock_now(const struct nic_clock *clock)
{
	const struct pace *pace;

	if (clock->is_virtual)
		return atomic_load(&clock->virtual_now);
	pace = atomic_load(&clock->pace);
	return pace->then + (monotonic_ns() - pace->base) / pace->slow;
}

static bool
pace_push(struct nic_clock *clock, uint64_t base, uint64_t then, uint32_t slow)
{
	struct pace *pace = malloc(sizeof(*pace));

	if (pace == NULL)
		return false;
	*pace = (struct pace){
	    .older = atomic_load(&clock->pace), .base = base, .then = then, .slow = slow};
	atomic_store(&clock->pace, pace);
	return true;
}

bool
nic_clock_slow(struct nic_clock *clock, uint32_t times)
{
	const struct pace *old;
	uint64_t base;
	bool ok;

	if (clock->is_virtual || times == 0 || times > NIC_CLOCK_SLOW_MAX)
		return false;
	pthread_mutex_lock(&clock->lock);
	old = atomic_load(&clock->pace);
	base = monotonic_ns();
	ok = pace_push(clock, base, old->then + (base - old->base) / old->slow, times);
	pthread_cond_signal(&clock->wake);
	pthread_mutex_unlock(&clock->lock);
	return ok;
}

bool
nic_clock_is_virtual(const struct nic_clock *clock)
{
	return clock->is_virtual;
}

static void
paces_free(struct nic_clock *clock)
{
	struct pace *pace = atomic_load(&clock->pace);

	while (pace != NULL) {
		struct pace *older = pace->older;

		free(pace);
		pace = older;
	}
}

/* Take the first timer off the list and run it; the lock is held on entry and on return. */
static void
run_first(struct nic_clock *clock)
{
	struct nic_timer *timer = clock->timers;
	nic_timer_fn fn = timer->fn;
	void *arg = timer->arg;

	clock->timers = timer->next;
	timer->armed = false;
	clock->running = timer;
	clock->runner = pthread_self();
	pthread_mutex_unlock(&clock->lock);
	fn(arg);
	pthread_mutex_lock(&clock->lock);
	clock->running = NULL;
	pthread_cond_broadcast(&clock->idle);
}

static void *
clock_thread(void *arg)
{
	struct nic_clock *clock = arg;

	/* The default slack of 50 us would be most of a short throttle interval. */
	prctl(PR_SET_TIMERSLACK, 1UL);
	pthread_mutex_lock(&clock->lock);
	while (!clock->stop) {
		const struct pace *pace = atomic_load(&clock->pace);
		struct timespec ts;
		uint64_t at;

		if (clock->timers == NULL) {
			pthread_cond_wait(&clock->wake, &clock->lock);
			continue;
		}
		at = clock->timers->at;
		if (at <= nic_clock_now(clock)) {
			run_first(clock);
			continue;
		}
		at = pace->base + (at - pace->then) * pace->slow;
		ts.tv_sec = (time_t)(at / 1000000000u);
		ts.tv_nsec = (long)(at % 1000000000u);
		pthread_cond_timedwait(&clock->wake, &clock->lock, &ts);
	}
	pthread_mutex_unlock(&clock->lock);
	return NULL;
}

struct nic_clock *
nic_clock_create(bool is_virtual)
{
	struct nic_clock *clock = calloc(1, sizeof(*clock));
	pthread_condattr_t attr;
	sigset_t all, old;
	int rc;

	if (clock == NULL)
		return NULL;
	clock->is_virtual = is_virtual;
	if (!is_virtual && !pace_push(clock, monotonic_ns(), 0, 1)) {
		free(clock);
		return NULL;
	}
	pthread_mutex_init(&clock->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&clock->wake, &attr);
	pthread_cond_init(&clock->idle, &attr);
	pthread_condattr_destroy(&attr);
	if (is_virtual)
		return clock;
	/* The application's signals are none of this thread's business. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	rc = pthread_create(&clock->thread, NULL, clock_thread, clock);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc != 0) {
		pthread_cond_destroy(&clock->wake);
		pthread_cond_destroy(&clock->idle);
		pthread_mutex_destroy(&clock->lock);
		paces_free(clock);
		free(clock);
		return NULL;
	}
	pthread_setname_np(clock->thread, "nic-clock");
	return clock;
}

void
nic_clock_destroy(struct nic_clock *clock)
{
	if (clock == NULL)
		return;
	if (!clock->is_virtual) {
		pthread_mutex_lock(&clock->lock);
		clock->stop = true;
		pthread_cond_signal(&clock->wake);
		pthread_mutex_unlock(&clock->lock);
		pthread_join(clock->thread, NULL);
	}
	pthread_cond_destroy(&clock->wake);
	pthread_cond_destroy(&clock->idle);
	pthread_mutex_destroy(&clock->lock);
	paces_free(clock);
	free(clock);
}

void
nic_clock_advance(struct nic_clock *clock, uint64_t ns)
{
	uint64_t end;

	if (!clock->is_virtual)
		return;
	pthread_mutex_lock(&clock->lock);
	end = atomic_load(&clock->virtual_now) + ns;
	while (clock->timers != NULL && clock->timers->at <= end && clock->running == NULL) {
		if (clock->timers->at > atomic_load(&clock->virtual_now))
			atomic_store(&clock->virtual_now, clock->timers->at);
		run_first(clock);
	}
	/* A timer function may itself have waited, that is, moved the time. */
	if (end > atomic_load(&clock->virtual_now))
		atomic_store(&clock->virtual_now, end);
	pthread_mutex_unlock(&clock->lock);
}

void
nic_timer_init(struct nic_timer *timer, struct nic_clock *clock, nic_timer_fn fn, void *arg)
{
	*timer = (struct nic_timer){.clock = clock, .fn = fn, .arg = arg};
}

static void
unlink_timer(struct nic_timer *timer)
{
	struct nic_timer **p = &timer->clock->timers;

	if (!timer->armed)
		return;
	while (*p != timer)
		p = &(*p)->next;
	*p = timer->next;
	timer->armed = false;
}

void
nic_timer_arm(struct nic_timer *timer, uint64_t at)
{
	struct nic_clock *clock = timer->clock;
	struct nic_timer **p;

	pthread_mutex_lock(&clock->lock);
	unlink_timer(timer);
	timer->at = at;
	timer->armed = true;
	for (p = &clock->timers; *p != NULL && (*p)->at <= at; p = &(*p)->next)
		;
	timer->next = *p;
	*p = timer;
	if (clock->timers == timer && !clock->is_virtual)
		pthread_cond_signal(&clock->wake);
	pthread_mutex_unlock(&clock->lock);
}

void
nic_timer_cancel(struct nic_timer *timer)
{
	pthread_mutex_lock(&timer->clock->lock);
	unlink_timer(timer);
	pthread_mutex_unlock(&timer->clock->lock);
}

void
nic_timer_cancel_sync(struct nic_timer *timer)
{
	struct nic_clock *clock = timer->clock;

	pthread_mutex_lock(&clock->lock);
	for (;;) {
		unlink_timer(timer);
		if (clock->running != timer || pthread_equal(clock->runner, pthread_self()))
			break;
		pthread_cond_wait(&clock->idle, &clock->lock);
	}
	pthread_mutex_unlock(&clock->lock);
}
