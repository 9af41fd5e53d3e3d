/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Many runs, several at a time. Results do not depend on how many.
 */
#ifndef LAB_JOBS_H
#define LAB_JOBS_H

#include "load.h"

struct job {
	struct scenario scenario; /**< checked */
	struct lab_policy policy;
	struct lab_policy peer; /**< used when has_peer */
	bool has_peer;
	bool figures_only;    /**< the result keeps no slices */
	struct result result; /**< of jobs_run() */
};

/**
 * Run them all.
 * @param threads at a time; 0: one a processor
 * @param what for the progress bar, which a terminal shows after a second; NULL: none
 * @return 0, and the caller frees the results with jobs_free(); or negative errno with one line in
 *   error[]: that of the first job, in their order, that failed
 */
int jobs_run(struct job *jobs, size_t n, unsigned int threads, const char *what,
	     char error[LAB_ERROR_MAX]);

/** Free the results and the array. */
void jobs_free(struct job *jobs, size_t n);

#endif /* LAB_JOBS_H */
