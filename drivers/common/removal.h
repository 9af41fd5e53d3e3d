/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Surprise removal: the device goes while the port runs. It shows in one of three ways: EAL passes
 * on the kernel's request to let go of it (vfio-pci's device request), a register reads as all
 * ones, or nothing ever comes any more. For the last, a started port whose application may sleep
 * on its queues (intr_conf.rxq) or asked for the removal event (intr_conf.rmv) is looked at once a
 * second.
 *
 * Then the application is told, once, if it asked, and all who sleep on a queue are woken; their
 * next arm returns -EIO. All of it happens in an alarm, in EAL's interrupt thread, where the
 * application may close the port from its callback.
 */
#ifndef AIM_COMMON_REMOVAL_H
#define AIM_COMMON_REMOVAL_H

#include <stdbool.h>

struct rte_eth_dev;

/* What a PMD gives. */
struct removal_ops {
	/* Does the device answer? */
	bool (*present)(const struct rte_eth_dev *dev);
	/* Take the lock under which the port starts and stops; true: it runs. */
	bool (*lock)(struct rte_eth_dev *dev);
	void (*unlock)(struct rte_eth_dev *dev);
	/* Wake all sleepers; the lock is held, the port runs. */
	void (*wake)(struct rte_eth_dev *dev);
	/* It was no removal: unmask what the interrupt handler left masked; likewise. May be NULL.
	 */
	void (*resume)(struct rte_eth_dev *dev);
	/* Set when the device is gone. */
	bool *(*flag)(struct rte_eth_dev *dev);
};

int removal_init(struct rte_eth_dev *dev, const struct removal_ops *ops); /* 0 or negative errno */
void removal_fini(struct rte_eth_dev *dev);
/* The port runs, or stops. */
void removal_start(struct rte_eth_dev *dev);
void removal_stop(struct rte_eth_dev *dev);
/* Whoever notices; any thread. */
void removal_seen(struct rte_eth_dev *dev);

#endif /* AIM_COMMON_REMOVAL_H */
