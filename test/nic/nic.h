/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A software NIC: registers in memory, DMA and interrupts through callbacks of a host, a
 * clock, and a wire. The core here is the same for all devices; what a device does is its
 * model's (struct nic_ops). Nothing here knows DPDK.
 *
 * Every function may be called from any thread; a lock a NIC. The host's callbacks and the
 * wire's transmit function run with that lock held and must not call back into the NIC.
 * Once a NIC exists, register accesses allocate nothing, so they may run in a signal
 * handler that a load or store of the application raised.
 */
#ifndef NIC_H
#define NIC_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "clock.h"

#define NIC_VECTORS 64u	     /* MSI-X table entries */
#define NIC_QUEUES 128u	     /* receive rings */
#define NIC_FRAME_MAX 16384u /* bytes on a wire, without the CRC */
#define NIC_FRAME_MIN 60u
#define NIC_POSTED 64u /* write-backs that may be on their way */

#define NIC_MODELS_KNOWN "82599, 82599-kx4, x540, x550, enetc, enetc-vf or id=0xNNNN"

struct nic;
struct nic_wire;

/* What the NIC needs of the machine it sits in. */
struct nic_host {
	/* Memory at a bus address, or NULL when any of its bytes is not the guest's to give. */
	void *(*dma)(void *arg, uint64_t addr, size_t len);
	/* The same for what the NIC only reads; NULL: dma() is asked. */
	const void *(*dma_read)(void *arg, uint64_t addr, size_t len);
	/* Send a message of the MSI-X table. */
	void (*msix)(void *arg, unsigned int vector);
	void *arg;
};

struct nic_ops {
	size_t bar_size;
	int (*create)(struct nic *nic);
	void (*destroy)(struct nic *nic);
	/* Registers and queues as after power-on. */
	void (*reset)(struct nic *nic);
	uint32_t (*read)(struct nic *nic, uint32_t offset);
	void (*write)(struct nic *nic, uint32_t offset, uint32_t value);
	/* Doorbells in plain memory: see what software wrote. */
	void (*poll)(struct nic *nic);
	/* A frame of at least 14 bytes from the wire; flags are NIC_FRAME_*. 0, or -ENOBUFS. */
	int (*frame)(struct nic *nic, const uint8_t *frame, uint32_t len, unsigned int flags);
	/* Would a frame of this length be taken now: receiving, and room? */
	bool (*room)(struct nic *nic, uint32_t len);
	/* Receiving, and no room: the partner would be asked to pause. */
	bool (*full)(struct nic *nic, uint32_t len);
	void (*link)(struct nic *nic);
	const char *(*reg_name)(uint32_t offset, unsigned int *index);
	void (*report)(struct nic *nic, FILE *out);
	/* The control pages that must trap (false: a page of doorbells, may be plain memory). */
	bool (*page_traps)(uint32_t offset);
	uint32_t idle; /* a register that may be read at any time and changes nothing */
};

struct nic_model {
	const char *name; /* "82599" */
	uint16_t vendor_id, device_id;
	uint8_t revision;
	uint8_t generation; /* for the ops: which of its chips */
	unsigned int mbps;  /* of its link, unless it is set otherwise */
	const struct nic_ops *ops;
};

/* What came and went, and why not. */
struct nic_stats {
	uint64_t rx_wire;	   /* frames that the wire brought */
	uint64_t rx_frames;	   /* written to descriptors */
	uint64_t rx_bytes;	   /* of these, as in memory */
	uint64_t rx_filtered;	   /* no address or VLAN filter matched */
	uint64_t rx_drop_full;	   /* packet buffer full */
	uint64_t rx_drop_no_desc;  /* no descriptor, and DROP_EN */
	uint64_t rx_drop_disabled; /* receiver, or the chosen queue, is off */
	uint64_t rx_drop_link;	   /* link is down */
	uint64_t rx_drop_size;	   /* too long, too short, or it could never fit the ring */
	uint64_t rx_drop_crc;
	uint64_t rx_drop_dma; /* a descriptor with an address or length that cannot be */
	uint64_t tx_frames;   /* given to the wire, after segmentation */
	uint64_t tx_bytes;
	uint64_t tx_drop_link;
	uint64_t tx_drop_dma;  /* a descriptor with an address or length that cannot be */
	uint64_t tx_drop_bad;  /* a packet that no datasheet allows */
	uint64_t tx_drop_wire; /* the wire would not take it */
	uint64_t reads;
	uint64_t writes;
	uint64_t unknown;		    /* accesses to offsets that the register table lacks */
	uint64_t rx_queue[NIC_QUEUES];	    /* frames written to a ring's descriptors */
	uint64_t rx_queue_last[NIC_QUEUES]; /* and when the last was, ns of the NIC's clock */
	uint64_t msix_queue;		    /* messages sent because of a queue, any vector */
	uint64_t msix[NIC_VECTORS];	    /* messages sent, by vector */
	uint64_t msix_last[NIC_VECTORS];    /* time of the last, ns of the NIC's clock */
};

/* How often a register, or an offset without one, was accessed. */
struct nic_use {
	uint32_t offset;
	const char *name; /* in the register table; NULL: it has no such offset */
	unsigned int index;
	uint32_t reads, writes;
};

typedef void (*nic_use_fn)(void *arg, const struct nic_use *use);
typedef void (*nic_frame_fn)(void *arg, const uint8_t *frame, uint32_t len);

/* How a NIC is broken, from the start. */
enum nic_fault {
	NIC_FAULT_NONE,
	NIC_FAULT_NVM,	 /* the NVM's checksum is wrong */
	NIC_FAULT_RESET, /* a software reset never completes */
	NIC_FAULT_DEAD,	 /* reads give all ones, as from an empty slot */
};

struct nic_conf {
	const char *model;  /* NIC_MODELS_KNOWN */
	const uint8_t *mac; /* six bytes, or NULL for 02:00:00:00:00:01 */
	struct nic_host host;
	struct nic_clock *clock; /* outlives the NIC; may be shared */
	void *bar;		 /* zeroed memory for the registers, or NULL */
	bool poll;		 /* doorbell pages are plain memory, nic_poll() looks at them */
	bool trace;		 /* each access to stderr */
	enum nic_fault fault;
};

/* Private to the core and to models: take the lock before a look. */
struct nic {
	const struct nic_model *model;
	struct nic_host host;
	struct nic_clock *clock;
	struct nic_wire *wire;
	pthread_mutex_t lock;
	uint32_t *bar;
	void *bar_owned;
	void *dev; /* the model's state */
	uint8_t mac[6];
	bool poll;
	bool trace;
	bool removed;
	enum nic_fault fault;
	bool link_up; /* the cable's: see nic_has_link() */
	bool phy_off; /* the device has switched its PHY off */
	unsigned int link_mbps;
	bool dma_warned;
	nic_frame_fn tx_fn;
	void *tx_arg;
	struct nic_stats stats;
	uint32_t unknown[2048]; /* bitmap of the BAR's words */
	uint32_t *uses;		/* of each word of the BAR: reads, writes */
	/* descriptors on their way to memory: nic_post_late() */
	bool post_late;
	unsigned int posted;
	struct {
		uint64_t *to;
		uint64_t value[2];
	} post[NIC_POSTED];
};

const struct nic_model *nic_model_find(const char *name);
/* "none", "nvm", "reset", "dead"; false: no such. */
bool nic_fault_find(const char *name, enum nic_fault *fault);

/* NULL, and a line in err, when there is no such model or no memory. */
struct nic *nic_create(const struct nic_conf *conf, char *err, size_t errlen);
/* Closes the wire first. No access may be under way. */
void nic_destroy(struct nic *nic);

uint32_t nic_read(struct nic *nic, uint32_t offset);
void nic_write(struct nic *nic, uint32_t offset, uint32_t value);
/* With conf.poll: process the tails that software wrote. True if anything was done. */
bool nic_poll(struct nic *nic);

#define NIC_FRAME_BAD_CRC 0x1u /* arrived damaged */
#define NIC_FRAME_NO_PAD 0x2u  /* as short as it is: a runt */
/* A frame without CRC comes from the wire; short ones are padded to 60 bytes. 0 if the NIC took it
 * (a filter may still have dropped it), -ENOBUFS if its packet buffer is full, -ENETDOWN. */
int nic_inject(struct nic *nic, const void *frame, uint32_t len);
int nic_inject_flags(struct nic *nic, const void *frame, uint32_t len, unsigned int flags);
/* The receiver is on and has room for a frame of this length. */
bool nic_room(struct nic *nic, uint32_t len);
/* The receiver is on and its buffer is full: a frame of this length would be dropped. */
bool nic_full(struct nic *nic, uint32_t len);

/* Give every transmitted frame to fn, besides the wire. NULL: no more. */
void nic_tx_callback(struct nic *nic, nic_frame_fn fn, void *arg);

/* mbps: what the device can. Raises the link interrupt on a change. */
void nic_link_set(struct nic *nic, bool up, unsigned int mbps);

/* As if pulled out: reads give all ones, writes and frames go nowhere, no DMA, no message. */
void nic_surprise_remove(struct nic *nic);
bool nic_removed(struct nic *nic);
/* As after power-on; a NIC that was pulled out is back, unless it is a dead one. Wire, link and
 * statistics stay. */
void nic_reset(struct nic *nic);

void nic_stats_get(struct nic *nic, struct nic_stats *stats);
/* Statistics, those of the wire and the counts of nic_uses() start at zero again. */
void nic_stats_reset(struct nic *nic);
/* Call fn for each word of the BAR that was accessed, by offset; no lock is held. */
void nic_uses(struct nic *nic, nic_use_fn fn, void *arg);
void nic_report(struct nic *nic, FILE *out);

/* Between the two calls the NIC touches no memory and sends no message: for a host that changes
 * what its callbacks answer with. No other function of the NIC may be called in between. */
void nic_lock(struct nic *nic);
void nic_unlock(struct nic *nic);

/*
 * Write-backs of descriptors may be on their way for a while: with `on` they reach memory no sooner
 * than PCI Express makes them, ahead of the answer to the next read and of the next message, or
 * with nic_post_flush(). Off, which is how a NIC begins, they are there at once.
 */
void nic_post_late(struct nic *nic, bool on);
void nic_post_flush(struct nic *nic);

/* ---- For models and wires ---- */

/* Memory for DMA, or NULL; the first refusal is logged. */
void *nic_dma(struct nic *nic, uint64_t addr, size_t len);
const void *nic_dma_read(struct nic *nic, uint64_t addr, size_t len);
void nic_msix(struct nic *nic, unsigned int vector);
/* Write a descriptor back, its second half last; the lock is held. */
void nic_post(struct nic *nic, void *desc, const void *value);
/* Put a frame on the wire; the lock is held. */
void nic_transmit(struct nic *nic, const uint8_t *frame, uint32_t len);
/* The packet buffer has room again: a wire that waited may go on. */
void nic_wire_room(struct nic *nic);
void nic_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A link needs a cable and a PHY. */
static inline bool
nic_has_link(const struct nic *nic)
{
	return nic->link_up && !nic->phy_off;
}

static inline uint32_t
nic_reg(const struct nic *nic, uint32_t offset)
{
	return __atomic_load_n(&nic->bar[offset / 4], __ATOMIC_RELAXED);
}

static inline void
nic_reg_set(struct nic *nic, uint32_t offset, uint32_t value)
{
	__atomic_store_n(&nic->bar[offset / 4], value, __ATOMIC_RELAXED);
}

#endif /* NIC_H */
