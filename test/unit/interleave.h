/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two threads in every order that counts: the one stands still between two of its instructions
 * while the other makes a whole call, and does so between any two.
 */
#ifndef INTERLEAVE_H
#define INTERLEAVE_H

#include <stdbool.h>

/* Can this machine step through instructions? */
bool interleave_can(void);

/*
 * Call one() in this thread and stop before its instruction `at`; call other() in another thread,
 * and go on when it is done, or waits for what one() holds. True: one() has so many instructions.
 * False: it ended before; other() was called after it. Neither may fail a test by itself.
 */
bool interleave(void (*one)(void *arg), void (*other)(void *arg), void *arg, unsigned int at);

#endif /* INTERLEAVE_H */
