/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bench for driver tests: EAL once a process, a software NIC in virtual time with our driver
 * on it, a pool, and the few moves that every test makes. Each function fails the test on error.
 */
#ifndef RIG_H
#define RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "softpci.h"

#define RIG_BURST 64

/* What tests have to know of a family of devices; one is linked into each test program. */
struct rig_family {
	const char *driver;
	const char *nic;	 /* the model that rigs have by default */
	const char *quick_nic;	 /* the one that starts fastest */
	const char *const *nics; /* all, NULL at the end */
	unsigned int mbps;
	/* the port is another function's: its link is not seen and its filters cannot be set */
	bool no_port;
	/* the model with most queues, and its queues and vectors for them */
	const char *wide_nic;
	uint16_t wide_queues, wide_vectors;
	/* register accesses of an arm that changes nothing, and of a disarm */
	unsigned int arm_reads, arm_writes, disarm_reads, disarm_writes;
	bool throttle_from_message; /* else the interval begins with the first packet that waits */
	uint32_t max_ns;	    /* longest interval of the register */
	bool ring_bound;	    /* an interval may be too long for a ring */
	uint32_t fixed_100us_ns;    /* what 100 us are in the register */
	/* Does what packets and interrupts of queue 0 meet depend on the register? */
	bool (*matters)(uint32_t offset);
	bool shared_throttle; /* queues of one vector have one register */
	const char
	    *unit_nic;	  /* whose throttle counts in units that follow the link's speed, or NULL */
	bool fifo;	  /* frames wait for descriptors in the device; else they are dropped */
	bool stale_wakes; /* a cause whose packets were polled wakes unless it is dropped first */
};
extern const struct rig_family rig_family;

struct rig_conf {
	const char *nic;     /* NULL: the family's */
	const char *devargs; /* NULL: none */
	const char *driver;  /* NULL: the family's */
	enum softpci_irq irq;
	unsigned int vectors;	   /* 0: 64 */
	uint16_t rxq, txq;	   /* 0: one */
	uint16_t rx_desc, tx_desc; /* 0: 256 */
	uint16_t rx_free_thresh, tx_rs_thresh;
	uint16_t mtu; /* 0: 1500 */
	uint64_t rx_offloads, tx_offloads;
	uint64_t rss_hf; /* 0: no RSS */
	bool rxq_intr, lsc_intr, rmv_intr;
	bool rx_drop_en, rx_deferred;
};

struct rig {
	struct rig_conf conf;
	struct softpci *pci;
	struct nic *nic;
	uint16_t port;
	struct rte_mempool *pool;
	unsigned int pool_avail; /* before the port had any */
	/* frames that the NIC sent, the last RIG_BURST of them */
	unsigned int sent;
	uint32_t sent_len[RIG_BURST];
	uint8_t sent_data[RIG_BURST][2048];
};

/* EAL without hugepages, PCI bus or files. For a test program's group setup. */
int rig_init(void **state);
int rig_fini(void **state);

/* Probe only. */
void rig_probe(struct rig *rig, const struct rig_conf *conf);
/* Configure, set up queues, start. */
void rig_start(struct rig *rig);
/* Both. */
void rig_open(struct rig *rig, const struct rig_conf *conf);
/* Stop, close, unplug; fails if an mbuf is missing. */
void rig_close(struct rig *rig);

/* A UDP frame with right checksums; flow picks ports and addresses. Returns its length. */
uint32_t rig_frame(uint8_t *frame, uint32_t len, uint32_t flow);
/* Frames to the NIC. */
void rig_inject(struct rig *rig, unsigned int n, uint32_t len);
/* Frames of one flow after the other, until the queue has one. */
void rig_inject_to(struct rig *rig, uint16_t q);
/* Receive into mbufs, at most max, in bursts of at most 32; returns how many came. */
unsigned int rig_receive(struct rig *rig, uint16_t q, struct rte_mbuf **pkts, unsigned int max);
/* Receive and free. */
unsigned int rig_drain(struct rig *rig, uint16_t q);
/* A packet of n segments. */
struct rte_mbuf *rig_packet(struct rig *rig, uint32_t len, unsigned int segs);
/* The queue's interrupt; neither fails. */
void rig_arm(struct rig *rig, uint16_t q);
void rig_disarm(struct rig *rig, uint16_t q);
/* Did the queue's event descriptor fire since the last look? */
bool rig_woken(struct rig *rig, uint16_t q);
/* The link has that state within 2 s, or its state cannot be seen. */
bool rig_link_becomes(struct rig *rig, bool up);
/* Value of an xstat. */
uint64_t rig_xstat(struct rig *rig, const char *name);

#endif /* RIG_H */
