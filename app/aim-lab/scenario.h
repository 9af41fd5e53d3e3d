/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * What is simulated: a NIC, a host, the traffic. A scenario is a text file of `key = value`
 * lines; scenario_keys[] says which keys there are, their ranges, units and defaults.
 */
#ifndef LAB_SCENARIO_H
#define LAB_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** What kind of traffic, and thus which load_*.c runs the scenario. */
enum scenario_kind {
	SCENARIO_OPEN,	  /**< packets arrive whatever the host does */
	SCENARIO_LOOP,	  /**< two hosts, `window` requests in flight between them */
	SCENARIO_TX_RING, /**< a packet generator whose ring is cleaned by moderated interrupts */
	SCENARIO_RR,	  /**< one request in flight, Tx completions keep the timers ticking */
	SCENARIO_UDP,	  /**< fragments of large datagrams into a socket buffer */
	SCENARIO_BULK,	  /**< a TCP receiver with timers that the first packet starts (ENETC) */
};

/** How the gaps between packets of an open load are drawn. */
enum scenario_arrivals {
	ARRIVALS_POISSON,
	ARRIVALS_CONSTANT,
	ARRIVALS_PCAP, /**< replayed from a capture file, again and again */
};

/** All of a scenario. Times are ns unless the name says otherwise. */
struct scenario {
	char name[64];	 /**< the file's name without folder and ending */
	char title[128]; /**< one line for people */
	char group[32];	 /**< which rows of the matrix: sparse, dense, loop, flood, ... */
	uint32_t kind;	 /**< enum scenario_kind */

	/* the run */
	uint32_t time_ms;   /**< simulated, warm-up included */
	uint32_t warmup_ms; /**< not measured */
	uint32_t settle_ms; /**< writes of the throttle are counted from then on */
	uint32_t seed;
	uint32_t slice_us; /**< of the series over time; 0: a hundredth of the run */

	/* the NIC */
	uint32_t link_mbps;
	uint32_t ring;	      /**< Rx (or Tx) descriptors */
	uint32_t queues;      /**< on one vector */
	uint32_t itr_unit_ps; /**< the throttle register counts in these; rounds down */
	bool stale_causes;    /**< a packet polled while masked leaves its cause pending (82599) */
	bool guard; /**< our drivers' bounds (ring, sink) also hold for others' policies */
	uint32_t sink_packets; /**< what the application can take at once and declares; 0: all */

	/* the host */
	uint32_t wake_ns;	 /**< interrupt to first burst */
	uint32_t irq_ns;	 /**< CPU of an interrupt and the wake */
	uint32_t packet_ns;	 /**< CPU of a packet */
	uint32_t arm_ns;	 /**< CPU of the last, empty burst and the arm */
	uint32_t stall_us;	 /**< now and then a wake takes so much longer: ticks, other work */
	uint32_t stall_every_us; /**< mean time between two of them; 0: never */
	uint32_t burst;		 /**< packets a burst at most */

	/* open load */
	uint32_t arrivals; /**< enum scenario_arrivals */
	double rate_pps;   /**< while on */
	double off_pps;	   /**< while off */
	uint32_t on_us;	   /**< 0: always on */
	uint32_t off_us;   /**< 0: always on */
	uint32_t batch; /**< packets that come back to back at line rate; rate_pps is their mean */
	uint32_t frame; /**< bytes, without FCS */
	uint32_t link_down_ms; /**< the link is down for this long in the middle of the run */
	uint64_t epoch_ns;     /**< the clock's start, to let it wrap during the run */
	char file[256];	       /**< pcap file, relative to the scenario's folder */

	/* closed loops */
	uint32_t window;     /**< requests in flight */
	uint32_t half_ns;    /**< one way, wire and stacks, not counting wake and packet_ns */
	uint32_t jitter_ns;  /**< more of it, drawn for each packet from 0 to this; order is kept */
	char peer[64];	     /**< the other host's policy, bulk: that of the Tx completions;
				"same": as ours */
	double skew_ppm;     /**< by how much the peer's clock is slow */
	uint32_t phase_ns;   /**< RR: the peer's timer starts this much later */
	uint32_t tx_done_ns; /**< RR, bulk: from the CPU's send to the Tx completion */
	uint32_t open_extra_ns; /**< RR: extra one-way cost of an unthrottled host */

	/* Tx ring */
	uint32_t clean_ns;   /**< CPU to clean one descriptor; bulk: one Tx completion */
	uint32_t need;	     /**< free descriptors below which the generator stops */
	uint32_t resume;     /**< and from which it goes on */
	uint32_t budget;     /**< descriptors a poll cleans at most; bulk: frames */
	uint32_t latency_ns; /**< send to written-back descriptor */

	/* UDP into a socket buffer */
	uint32_t message;   /**< bytes of a datagram */
	uint32_t truesize;  /**< bytes that the socket buffer accounts for a fragment */
	uint32_t rcvbuf;    /**< bytes of the socket buffer */
	uint32_t reader_ns; /**< wake of the reader, on a CPU of its own */
	uint32_t read_ns;   /**< reading one message */

	/* bulk */
	uint32_t ack_frames; /**< frames that one ACK answers */
	bool tx_cpu;	     /**< Tx completions interrupt a CPU of their own */
	bool show_tx;	     /**< figures and series are that CPU's */
};

/** What one key of a scenario file is. */
struct scenario_key {
	const char *name;
	const char *help; /**< one line, with the unit */
	size_t offset;
	enum { KEY_U32, KEY_U64, KEY_DOUBLE, KEY_BOOL, KEY_TEXT, KEY_CHOICE } type;
	double min, max;	    /**< range of a number */
	size_t size;		    /**< KEY_TEXT: room */
	const char *const *choices; /**< KEY_CHOICE: names, NULL behind the last */
};

/** Number of keys at most. */
#define SCENARIO_KEYS_MAX 128

/** All keys, name == NULL behind the last. */
extern const struct scenario_key scenario_keys[];

/** Room for any of this program's error lines. */
#define LAB_ERROR_MAX 512

/** Every field at its default: an 82599 queue, Poisson 500,000 packets/s. */
void scenario_init(struct scenario *s);

/**
 * Read a scenario file over the values of *s, and check that it fits together.
 * @return 0; -EINVAL or another negative errno, with one line in error[] that names file,
 *   line (of what does not fit together: of its key that was read last) and what is allowed.
 */
int scenario_read(struct scenario *s, const char *path, char error[LAB_ERROR_MAX]);

/** The same from an open file; path is its name, and where a pcap file is looked for. */
int scenario_read_stream(struct scenario *s, FILE *f, const char *path, char error[LAB_ERROR_MAX]);

/** Key by its name, or NULL. */
const struct scenario_key *scenario_key_find(const char *name);

/** What a key takes, in words: "0 to 1024", "yes, no". */
void scenario_allowed(const struct scenario_key *key, char text[LAB_ERROR_MAX]);

/**
 * Set one key, as the reader and `--param key=value` do.
 * @return 0 or -EINVAL, with one line in error[] that does not name a file.
 */
int scenario_set(struct scenario *s, const char *key, const char *value, char error[LAB_ERROR_MAX]);

/**
 * What does not fit together, with one line in error[] that does not name a file.
 * @return the keys that it is about, a blank between two; NULL: all fits
 */
const char *scenario_misfit(const struct scenario *s, char error[LAB_ERROR_MAX]);

/** The same, after the last key is set. @return as scenario_set(). */
int scenario_check(const struct scenario *s, char error[LAB_ERROR_MAX]);

/** What the throttle register makes of an interval, ps. */
static inline int64_t
scenario_register_ps(const struct scenario *s, uint32_t ns)
{
	return (int64_t)ns * 1000 / s->itr_unit_ps * s->itr_unit_ps;
}

#endif /* LAB_SCENARIO_H */
