/* SPDX-License-Identifier: BSD-3-Clause */
#include "interleave.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __x86_64__

#include <x86intrin.h>

#define TRAP_FLAG 0x100u
/* CPU time after which the other thread spins on a lock: a call takes a hundredth of it. */
#define BLOCKED_NS 2000000
#define LOOK_US 20

static struct {
	pthread_t thread;
	bool started;
	sem_t go, done;
	void (*call)(void *arg);
	void *arg;
	/* in the thread that steps */
	volatile unsigned int count, at;
	volatile bool called, ended;
} it;

static void *
work(void *arg)
{
	for (;;) {
		while (sem_wait(&it.go) != 0)
			;
		it.call(it.arg);
		sem_post(&it.done);
	}
	return arg;
}

static int64_t
cpu_ns(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) == 0 ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec : 0;
}

/* By CPU time: on a busy machine a thread that waits for its turn is not one that is blocked. */
static void
call_other(void)
{
	clockid_t clock;
	int64_t start;

	it.called = true;
	if (pthread_getcpuclockid(it.thread, &clock) != 0)
		abort();
	start = cpu_ns(clock);
	sem_post(&it.go);
	while (sem_trywait(&it.done) != 0) {
		if (cpu_ns(clock) - start > BLOCKED_NS)
			return;
		usleep(LOOK_US);
	}
	it.ended = true;
}

static void
on_step(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	if (it.count++ != it.at)
		return;
	call_other();
	uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

bool
interleave_can(void)
{
	return true;
}

bool
interleave(void (*one)(void *arg), void (*other)(void *arg), void *arg, unsigned int at)
{
	const struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
	struct sigaction before;
	bool reached;

	if (!it.started) {
		sem_init(&it.go, 0, 0);
		sem_init(&it.done, 0, 0);
		if (pthread_create(&it.thread, NULL, work, NULL) != 0)
			abort();
		it.started = true;
	}
	it.call = other;
	it.arg = arg;
	it.count = 0;
	it.at = at;
	it.called = it.ended = false;
	sigaction(SIGTRAP, &action, &before);
	__writeeflags(__readeflags() | TRAP_FLAG);
	one(arg);
	__writeeflags(__readeflags() & ~(unsigned long long)TRAP_FLAG);
	sigaction(SIGTRAP, &before, NULL);
	reached = it.called;
	if (!reached)
		call_other();
	while (!it.ended && sem_wait(&it.done) != 0)
		;
	return reached;
}

#else

bool
interleave_can(void)
{
	return false;
}

bool
interleave(void (*one)(void *arg), void (*other)(void *arg), void *arg, unsigned int at)
{
	(void)at;
	one(arg);
	other(arg);
	return false;
}

#endif
