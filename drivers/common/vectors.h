/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vectors of a port's Rx queues and the event descriptors behind them, the same in every PMD.
 * Vector 0 is the port's own; queues have those from 1 up, shared where there are fewer than
 * queues.
 *
 * Threads: of the application's control, but for vectors_wake_all(), which any thread may call
 * while the port runs, and vectors_of() and vectors_raise(), of the thread that arms the queue.
 */
#ifndef AIM_COMMON_VECTORS_H
#define AIM_COMMON_VECTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "rxq.h"

struct rte_eth_dev;

/* A port's. */
struct vectors {
	uint8_t count;	     /* that Rx queues share; kept over a stop */
	uint8_t wanted;	     /* for so many queues: VFIO may have given fewer */
	bool enabled;	     /* by EAL */
	bool on;	     /* the port was started for Rx interrupts */
	bool shared;	     /* more Rx queues than vectors */
	bool stopped_asleep; /* a queue was armed when the port stopped */
};

/*
 * Port start: vectors for queues and link as dev_conf.intr_conf asks, at most `most` for queues,
 * and EAL's map of them to event descriptors; nothing fires yet. misc: vector 0 is used. Where VFIO
 * does not give one to each queue, half as many are asked for, down to one for all.
 * 0; -ENOTSUP: the kernel driver gives no vector a queue; another negative errno; logged.
 */
int vectors_start(struct rte_eth_dev *dev, struct vectors *v, bool misc, uint16_t most);
/* Port stop: whoever sleeps on a queue is woken; the event descriptors stay. */
void vectors_stop(struct rte_eth_dev *dev, struct vectors *v);
/* Close: the event descriptors go. */
void vectors_release(struct rte_eth_dev *dev, struct vectors *v);

/* A queue of a port that runs stops: whoever sleeps on it is woken. */
void vectors_queue_stop(struct rte_eth_dev *dev, struct rxq *rxq);

/* Every sleeper wakes, every later arm fails. The port runs. */
void vectors_wake_all(struct rte_eth_dev *dev, const struct vectors *v);

/* Does a queue sleep? */
bool vectors_asleep(struct rte_eth_dev *dev);

/* Wake who sleeps on a vector, as its message would. */
void vectors_raise(struct rte_eth_dev *dev, unsigned int vector);

/*
 * The vector of a queue that can be armed, or a negative errno: -EIO when the device is gone,
 * -EINVAL when the queue is stopped, -ENOTSUP when it has no interrupt, -EBUSY when another thread
 * armed it and neither polled nor disarmed it since (two that arm in the same moment are not told
 * apart). One log line until the next start: an application that goes on arming a stopped port does
 * so many times a second.
 */
int vectors_arm(struct rte_eth_dev *dev, struct rxq *rxq, const bool *removed);
/*
 * The same for a queue that is disarmed, by any thread: its sleep is over. 0: there is nothing to
 * mask, for the queue or the port was stopped under the sleeper, who is right to disarm.
 */
int vectors_disarm(struct rte_eth_dev *dev, struct rxq *rxq, const bool *removed);

/*
 * rx_queue_intr_enable and _disable of a secondary process: -ENOTSUP, and one log line a process.
 * Event descriptors are numbers of the process that opened them, and nobody hands them over.
 */
int vectors_secondary(struct rte_eth_dev *dev, uint16_t q);

#endif /* AIM_COMMON_VECTORS_H */
