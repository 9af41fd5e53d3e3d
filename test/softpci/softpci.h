/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A software NIC as a PCI function of this process. An unmodified PCI driver probes it: its BAR
 * is memory without access rights, and a SIGSEGV handler carries out each load and store.
 *
 * Control functions are for one thread at a time; those that say so are for any.
 */
#ifndef SOFTPCI_H
#define SOFTPCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nic.h"
#include "wire.h"

#define SOFTPCI_MAX 8u
#define SOFTPCI_PAGES 64u /* of the BAR, 4 KB each */

struct softpci;

enum softpci_clock {
	SOFTPCI_CLOCK_REAL,
	SOFTPCI_CLOCK_VIRTUAL, /* one for all NICs of the process; see softpci_advance() */
};

enum softpci_doorbell {
	SOFTPCI_DOORBELL_TRAP, /* a tail is processed in the store that writes it */
	SOFTPCI_DOORBELL_POLL, /* queue pages are plain memory; somebody must poll */
};

/* What interrupts the kernel driver of the device gives. */
enum softpci_irq {
	SOFTPCI_IRQ_MSIX,
	SOFTPCI_IRQ_MSI,
	SOFTPCI_IRQ_INTX,
	SOFTPCI_IRQ_UIO, /* one, and not through VFIO */
};

struct softpci_conf {
	const char *nic;     /* model; NULL: "82599" */
	const char *driver;  /* of the PCI bus, NULL: the first that takes the device */
	const char *devargs; /* for that driver: "key=value,..." or NULL */
	const char *wire;    /* NULL: none */
	const uint8_t *mac;  /* six bytes; NULL: 02:00:00:00:00:01 and up */
	enum softpci_clock clock;
	enum softpci_doorbell doorbell;
	bool poll_thread; /* with DOORBELL_POLL: a thread polls, else softpci_poll() does */
	bool trace;	  /* every register access to stderr */
	enum nic_fault fault;
	enum softpci_irq irq;
	unsigned int vectors; /* of MSI-X that VFIO gives at most; 0: the device's 64 */
};

struct softpci_stats {
	struct nic_stats nic;
	struct nic_wire_stats wire;
	uint64_t trap_reads; /* loads and stores of the driver that trapped */
	uint64_t trap_writes;
	uint64_t trap_ns;	/* CPU time in the handler, on the application's threads */
	uint64_t empty_trap_ns; /* what an access costs besides: the signal, measured at open */
	uint64_t page_reads[SOFTPCI_PAGES];
	uint64_t page_writes[SOFTPCI_PAGES];
	uint64_t msix_lost;	 /* messages of vectors that nobody enabled */
	unsigned int msix_wired; /* vectors with an eventfd now */
};

/* Make a NIC and have it probed. NULL, a line in err, and errno set when that fails. */
struct softpci *softpci_open(const struct softpci_conf *conf, char *err, size_t errlen);
/* Unplugs the device first if it still is there. 0, or a negative errno of the driver. */
int softpci_close(struct softpci *pci);

/* The Ethernet port, RTE_MAX_ETHPORTS when there is none. */
uint16_t softpci_port_id(const struct softpci *pci);
/* NULL after the device was unplugged. */
struct nic *softpci_nic(struct softpci *pci);
/* PCI address as a name: for rte_dev_*() functions. */
const char *softpci_name(const struct softpci *pci);
/* By order of opening; NULL: no such. */
struct softpci *softpci_get(unsigned int index);

/*
 * Take SIGSEGV again, from whoever took it since softpci_open(), which does this too; faults that
 * are not ours go to them. Test frameworks that catch faults do so anew for each test.
 */
int softpci_rearm(void);

/* DOORBELL_POLL without a thread: process the tails. True if frames moved. */
bool softpci_poll(struct softpci *pci);

/*
 * For tests that put an event between any two steps of a driver: fn hears of each register access
 * of the calling thread, before it is carried out and after (done). What fn does itself is not
 * told. NULL: no more. One thread and
 * one NIC a process.
 */
typedef void (*softpci_access_fn)(void *arg, uint32_t offset, bool done);
void softpci_access_hook(struct softpci *pci, softpci_access_fn fn, void *arg);
/*
 * With a hook: this thread's writes linger on their way to the NIC, in order, until its next read,
 * SOFTPCI_LATE writes later, or softpci_late_flush(). Turning it on or off flushes.
 */
#define SOFTPCI_LATE 64u
void softpci_late_writes(bool on);
void softpci_late_flush(void);

/* Pulled out without a word: reads give all ones, no DMA, no interrupts. Any thread. */
void softpci_surprise_remove(struct softpci *pci);

/*
 * The same, as vfio-pci does it: EAL hears of it, in its interrupt thread, and tells whoever
 * registered for device events. 0 or negative errno. Any thread.
 */
int softpci_unplug(struct softpci *pci);

/* Any thread. Numbers stay readable after the device was unplugged. */
void softpci_stats_get(struct softpci *pci, struct softpci_stats *stats);

/* The virtual clock: move it; its time. Any thread. */
void softpci_advance(uint64_t ns);
uint64_t softpci_now(void);

/*
 * The calling thread's TSC follows the virtual clock (x86: rdtsc traps), so that an unmodified
 * driver and application live in virtual time. Needs a NIC with a virtual clock. While one is
 * open, rte_delay_us() and the driver's rte_delay_us_sleep() move that clock instead of waiting.
 * 0, -ENOTSUP, or -EINVAL without a virtual clock.
 */
int softpci_tsc_virtual(bool on);

#endif /* SOFTPCI_H */
