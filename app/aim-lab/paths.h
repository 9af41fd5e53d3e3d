/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Which file a name stands for, behind links and other spellings.
 */
#ifndef LAB_PATHS_H
#define LAB_PATHS_H

#include <stdbool.h>

/** Room for a name, its NUL included. */
#define PATHS_SIZE 1024

/**
 * The name of the file itself: links are followed, also one that points to nothing yet.
 * @return false with errno set: the name is too long, or the links go round
 */
bool paths_target(const char *path, char target[PATHS_SIZE]);

/** Are these two names of one regular file, be it there or not? */
bool paths_same(const char *a, const char *b);

#endif /* LAB_PATHS_H */
