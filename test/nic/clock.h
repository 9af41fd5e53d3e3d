/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time of a software NIC: nanoseconds since the clock was made, either real
 * (CLOCK_MONOTONIC, timers run in a thread of the clock) or virtual (time stands still
 * until nic_clock_advance() moves it and runs the timers that fall due, in order).
 */
#ifndef NIC_CLOCK_H
#define NIC_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct nic_clock;

/* Called with no lock of the clock held; may arm and cancel timers. A timer that is
 * cancelled while its function waits for another lock still runs: the function looks at
 * its own state and does nothing when it is too early. */
typedef void (*nic_timer_fn)(void *arg);

struct nic_timer {
	struct nic_timer *next;
	struct nic_clock *clock;
	uint64_t at;
	bool armed;
	nic_timer_fn fn;
	void *arg;
};

struct nic_clock *nic_clock_create(bool is_virtual);
/* Stops the clock's thread: no timer function runs after the return. */
void nic_clock_destroy(struct nic_clock *clock);
bool nic_clock_is_virtual(const struct nic_clock *clock);
uint64_t nic_clock_now(const struct nic_clock *clock);
/* Virtual clocks only: move the time by ns and run what falls due on the way. */
void nic_clock_advance(struct nic_clock *clock, uint64_t ns);

/*
 * Real clocks only: from now on the time runs so many times slower, 1 to NIC_CLOCK_SLOW_MAX. What
 * answers a NIC in emulated time that is too slow for it (a guest without hardware support) is
 * faster by as much. False if it cannot be.
 */
#define NIC_CLOCK_SLOW_MAX 1000u
bool nic_clock_slow(struct nic_clock *clock, uint32_t times);

void nic_timer_init(struct nic_timer *timer, struct nic_clock *clock, nic_timer_fn fn, void *arg);
/* Arm for an absolute time; arming again moves the timer. */
void nic_timer_arm(struct nic_timer *timer, uint64_t at);
void nic_timer_cancel(struct nic_timer *timer);
/* Cancel, and wait for a run of the function that is under way in the clock's thread. Not to be
 * called with a lock that the function takes. */
void nic_timer_cancel_sync(struct nic_timer *timer);

#endif /* NIC_CLOCK_H */
