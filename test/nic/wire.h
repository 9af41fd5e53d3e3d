/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is at the other end of a NIC's cable. A wire is named by a string, kind:options
 *   null                                     nothing
 *   loop                                     what is sent comes back
 *   tap:IFNAME[@NETNS]                       a TAP interface of the kernel
 *   pcap:in=FILE;out=FILE;speed=asap|orig|N;hold=0|1
 *                                            capture files; N packets a second; hold=1: the file
 *                                            waits for nic_wire_go()
 *   gen:pps=N;size=N;burst=N;flows=N;count=N;proto=udp|tcp;wait=0|1   a generator
 *   pair:NAME                                the other NIC with the same NAME
 * Options are separated by ';' so that a wire fits in a DPDK device argument.
 */
#ifndef NIC_WIRE_H
#define NIC_WIRE_H

#include "nic.h"

struct nic_wire_stats {
	uint64_t in_read;     /* frames taken from the source (file, interface, generator, peer) */
	uint64_t in_injected; /* of these, given to the NIC */
	uint64_t in_refused;  /* of these, the NIC had no room */
	uint64_t out_written; /* frames that went out */
	uint64_t out_failed;
	bool in_done; /* the source has no more */
};

struct nic_wire_ops {
	const char *kind;
	int (*open)(struct nic_wire *wire, const char *options, char *err, size_t errlen);
	/* Called before close, without the NIC's lock: stop threads and timers. */
	void (*close)(struct nic_wire *wire);
	/* With the NIC's lock held. */
	int (*transmit)(struct nic_wire *wire, const uint8_t *frame, uint32_t len);
	void (*room)(struct nic_wire *wire);
	void (*report)(struct nic_wire *wire, FILE *out);
	int (*go)(struct nic_wire *wire); /* without the lock; may be NULL */
};

struct nic_wire {
	const struct nic_wire_ops *ops;
	struct nic *nic;
	void *state;
	struct nic_wire_stats stats;
};

/* A wire counts in its own thread, with or without the NIC's lock. */
static inline void
nic_wire_count(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

extern const struct nic_wire_ops nic_wire_tap, nic_wire_pcap, nic_wire_gen, nic_wire_pair;

/* 0, or a negative errno and a line in err. A NIC has one wire at a time; NULL is null. */
int nic_wire_open(struct nic *nic, const char *spec, char *err, size_t errlen);
void nic_wire_close(struct nic *nic);
/* Let a wire that was opened with hold=1 begin. -EINVAL: this wire does not hold. */
int nic_wire_go(struct nic *nic);
/* True if the NIC has a wire. */
bool nic_wire_stats_get(struct nic *nic, struct nic_wire_stats *stats);

/* Each counter by the name that reports give it, sums that a reader would make included. */
typedef void (*nic_counter_fn)(void *arg, const char *name, uint64_t value);
void nic_stats_each(const struct nic_stats *stats, const struct nic_wire_stats *wire,
		    nic_counter_fn fn, void *arg);

/* Options: call fn for each key=value of "a=1;b=2" (value "" if there is no '='). */
int nic_wire_options(const char *options, int (*fn)(void *arg, const char *key, const char *value),
		     void *arg);
/* A number in decimal or with a suffix k, m or g; -EINVAL if it is none. */
int nic_wire_number(const char *text, uint64_t *value);

/* Frames between threads, with a lock of its own: for wires that may not call a NIC at once. */
struct nic_fifo;
struct nic_fifo *nic_fifo_create(size_t bytes);
void nic_fifo_destroy(struct nic_fifo *fifo);
int nic_fifo_put(struct nic_fifo *fifo, const uint8_t *frame, uint32_t len);
/* Length of the frame that was copied, 0 if there is none. */
uint32_t nic_fifo_get(struct nic_fifo *fifo, uint8_t *frame, uint32_t room);

#endif /* NIC_WIRE_H */
