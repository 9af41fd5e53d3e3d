/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Adaptive Interrupt Moderation: how long shall a NIC wait between two Rx
 * interrupts of a queue?
 *
 * The engine is a function of what a queue saw since it last armed its
 * interrupt. It reads no clock, allocates nothing, knows no driver: the same
 * code runs in the drivers and in simulated time. All times are nanoseconds.
 *
 * Threads: one thread at a time a struct aim_state; policies and limits are
 * read only.
 */
#ifndef AIM_H
#define AIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Longest interval that the engine gives or takes, ns (1 ms is the NICs' own order). */
#define AIM_INTERVAL_MAX_NS 1048576u

/** Packets of one sample that count; more say nothing more. */
#define AIM_PACKETS_MAX 65535u

/** Settings of a DIM profile, from the lowest latency to the fewest interrupts. */
#define AIM_PROFILES 5u

/**
 * Time from interrupt to first burst that a driver leaves room for, ns: the slow tail of an
 * eventfd wake on an idle core that has to leave a shallow sleep state.
 */
#define AIM_WAKE_NS 20000u

/** What a queue saw between its last arm and this one. */
struct aim_sample {
	uint32_t packets; /**< packets received; at most AIM_PACKETS_MAX, the caller sees to it */
	uint32_t bytes;	  /**< their bytes, frames as the driver delivered them; saturates */
	uint32_t
	    tx_packets;	   /**< packets sent and cleaned on the same vector, 0 for one that serves
				Rx alone, as all vectors of a DPDK driver do; <= AIM_PACKETS_MAX */
	uint32_t tx_bytes; /**< their bytes; saturates */
	uint32_t burst;	   /**< packets that the first burst with packets after the wake returned */
	uint64_t poll_ns;  /**< time of that first burst; 0: no packet came */
};

/**
 * What must hold whatever a policy says. Fill the fields, then call
 * aim_limits_settle() once; after a change (link speed, ring size) again.
 */
struct aim_limits {
	uint32_t min_ns;       /**< shortest interval of the hardware or the user, 0: none */
	uint32_t max_ns;       /**< longest interval, ns; 1 to AIM_INTERVAL_MAX_NS */
	uint32_t link_mbps;    /**< link speed, Mb/s; 0: unknown (10000 is taken) */
	uint32_t ring_packets; /**< receive descriptors of the queue; 0: no bound */
	uint32_t sink_packets; /**< packets that the application can take at once, for policy `aim`
				  and for hardware that counts; 0: no bound */
	uint32_t wake_ns;      /**< time from interrupt to first burst to leave room for, ns */
	bool by_count;	 /**< hardware interrupts after aim_limits_packets(), too: then neither
			      ring nor sink bounds the interval */
	uint32_t cap_ns; /**< result of aim_limits_settle(): bound that holds on any traffic */
	uint32_t
	    time_shift; /**< another: on a slow link policy `aim` counts time in 2^time_shift ns */
	uint32_t sink_ns_per_byte; /**< another: ns a byte of frame length that the sink bears */
};

/** Private to policy aim: what it measures in one piece. */
struct aim_window {
	uint64_t bytes;
	uint32_t packets, wakes, ns;
	uint32_t rate; /* packets/s */
};

/** Private to policy aim: a rest, knocks or a trial that runs. */
struct aim_phase {
	uint64_t sum_packets, sum_ns, sum_wakes; /* of its windows but the first, which settles */
	uint64_t knock_packets, knock_ns;	 /* of the knocks that count */
	uint32_t group_packets, group_ns;	 /* of the windows of a group */
	uint32_t windows, groups, knocks;	 /* so many of each */
	uint32_t ns;
	uint32_t high;	    /* rate of the fastest window */
	uint32_t bad, slow; /* windows in a row: of obvious harm, far below the fastest */
	uint8_t kind;	    /* rest, knock or trial */
};

/** Private to policy aim: all that it knows of a queue. Rates in packets or wakes a second. */
struct aim_law {
	uint64_t since_ns; /* last arm after packets */
	/* the window that runs; a cycle enters it when the next one is known */
	struct aim_window window, closed;
	uint32_t last_packets, last_bytes, last_ns;
	uint32_t pause_ns;		    /* longer cycles are no part of the load */
	uint32_t pauses_ns;		    /* how much of the time they took lately */
	uint32_t paused_packets, paused_ns; /* since the last window, what none has */
	uint32_t mean_packets, mean_ns;	    /* lately, pauses included */
	struct aim_phase phase;
	uint32_t phase_rate, phase_wakes; /* when it is over */
	uint32_t group_rate, group_noise; /* of the last group; mean step */
	uint32_t rate;			  /* smoothed, picks the band */
	uint32_t last_rate, noise;	  /* of windows; mean step between two */
	uint32_t rest_rate, rest_wakes;	  /* of the last rest */
	uint32_t trial_rate;		  /* of what did harm last: trial or knocks */
	uint32_t less_rate;		  /* of a trial, if chance took much */
	uint32_t base_rate;		  /* before the first long trial of a row */
	uint32_t swing;			  /* how far the rate was seen to move by itself */
	int32_t harm, spread, chance;	  /* 1/4096 */
	uint32_t ns;			  /* the interval */
	uint32_t trial_ns;		  /* length of the next trial */
	uint32_t frozen_ns;		  /* no trial for so long */
	uint32_t freeze_ns;		  /* length of the next freeze */
	uint32_t frozen_rate;
	uint32_t slow_max;  /* slow windows in a row that end a trial */
	uint32_t slow_rate; /* of the last of them */
	uint8_t rounds;	    /* trials in a row */
	uint8_t slept; /* trials that slow windows ended, and a rest did not excuse, in a row */
	uint8_t band, stage;
	uint8_t doubt;	    /* what the rest that runs has to tell of a trial that failed */
	bool window_paused; /* the one that closed last */
	uint8_t paused;	    /* cycles until pauses are forgotten */
};

/** State of one queue; set up by aim_reset(). Private to the engine. */
struct aim_state {
	uint64_t last_arm_ns; /* 0: not armed yet */
	uint32_t interval_ns; /* as decided last */
	uint32_t threshold;   /* packets, see aim_threshold() */
	union {
		struct aim_law aim;
		struct {		   /* policies e1000*: policy_e1000.c */
			uint64_t since_ns; /* simplified: begin of the count of bytes */
			uint64_t bytes[2]; /* simplified: received, sent */
			uint32_t rate;	   /* interrupts/s */
			uint8_t rx_class;  /* 0 lowest latency, 1 low latency, 2 bulk */
			uint8_t tx_class;
		} e1000;
		struct {	      /* policy igb: policy_igb.c */
			uint32_t itr; /* 1/4 us; the next interrupt writes it */
		} igb;
		struct {		  /* policies ixgbe, ixgbe-8k: policy_ixgbe.c */
			uint32_t itr;	  /* 1/4 us */
			uint8_t rx_class; /* 0 lowest latency, 1 low latency, 2 bulk */
			uint8_t tx_class;
		} ixgbe;
		struct {	      /* policies ixgbe-2017, ixgbe-2026: policy_ixgbe2017.c */
			uint64_t ms;  /* of the last update */
			uint32_t itr; /* 1/4 us */
			uint8_t rx;   /* us, and a flag in bit 7 */
			uint8_t tx;
			bool has_tx; /* the vector has sent */
		} ixgbe2017;
		struct {		    /* policy i40e: policy_i40e.c */
			uint64_t ms;	    /* of the last update */
			uint16_t rx_target; /* us, and a flag in bit 15 */
			uint16_t rx_current;
			uint16_t tx_target;
			uint16_t tx_current;
			uint8_t countdown; /* arms in which no update counts */
		} i40e;
		struct {		   /* policies dim*, enetc: policy_dim.c */
			uint64_t start_ns; /* of the measurement */
			uint64_t bytes;	   /* since then */
			uint32_t packets;
			uint32_t prev[3]; /* a ms, in the one before: bytes, packets, events */
			uint16_t events;
			uint8_t ix;	/* in the profile */
			uint8_t cached; /* enetc: 1 + the index that the next interrupt writes */
			uint8_t tune;	/* parked on top, parked tired, going right, going left */
			uint8_t right;	/* steps since the turn */
			uint8_t left;
			uint8_t tired;
			bool measuring;
		} dim;
	} u;
};

/** Parameters that the user sets. */
struct aim_config {
	uint32_t fixed_ns;		   /**< policy fixed: the interval, ns */
	uint32_t profile_ns[AIM_PROFILES]; /**< policy dim-profile: the intervals, ns, rising */
};

struct aim_policy;

/** Find a policy by its name ("off", "ixgbe", "aim", ...: policy.c); NULL: no such policy. */
const struct aim_policy *aim_policy_find(const char *name);

/** Name of a policy. */
const char *aim_policy_name(const struct aim_policy *policy);

/** The i-th policy, from 0; NULL behind the last. For help texts and tables. */
const struct aim_policy *aim_policy_at(size_t i);

/** True when the policy decides anew at each arm; false: `off` and `fixed`. */
bool aim_policy_adapts(const struct aim_policy *policy);

/**
 * True when the driver shall drop the cause of packets that were polled already, instead of
 * letting it interrupt the next sleep for nothing. The policies that stand for other drivers
 * leave it, as those do.
 */
bool aim_policy_drops_stale(const struct aim_policy *policy);

/** Bring a queue's state to the policy's start. Call it when the policy changes, too. */
void aim_reset(struct aim_state *state, const struct aim_policy *policy);

/**
 * Compute limits->cap_ns from the other fields: the longest interval, within
 * min_ns and max_ns, in which a line-rate flood of the smallest frames still
 * fits the ring. What the application's buffer bears depends on the length of
 * the frames, so aim_step() bounds that (sink_ns_per_byte).
 *
 * @return 0; -EINVAL when min_ns > max_ns or max_ns is out of range; -ERANGE when
 *   min_ns is longer than the ring can bear (cap_ns is then min_ns).
 */
int aim_limits_settle(struct aim_limits *limits);

/**
 * How many packets may wait before hardware that counts them has to interrupt: what the ring holds
 * beside a line-rate flood that comes until the first burst, and what the application can take.
 *
 * @return 1 and up; AIM_PACKETS_MAX when nothing bounds it
 */
uint32_t aim_limits_packets(const struct aim_limits *limits);

/**
 * Decide the throttle interval for the sleep that begins now.
 *
 * @param policy which law
 * @param config the user's parameters
 * @param state the queue's state
 * @param sample what the queue saw since the last call
 * @param limits settled limits; the result lies in [min_ns, cap_ns], except that
 *   policies `off` and `fixed` give what they are told, within [min_ns, max_ns].
 *   Policy `aim` keeps the sink, too, in whole ns a byte, rounded down,
 *   unless min_ns is longer than that
 * @param now_ns time of this call, monotonic, not 0
 * @return interval in ns, 0: unthrottled
 */
uint32_t aim_step(const struct aim_policy *policy, const struct aim_config *config,
		  struct aim_state *state, const struct aim_sample *sample,
		  const struct aim_limits *limits, uint64_t now_ns);

/**
 * Packet threshold that the last step decided, for hardware that has one (ENETC's RBICR0.ICPT):
 * interrupt before the interval is over when this many packets wait. 0: the policy names none.
 */
static inline uint32_t
aim_threshold(const struct aim_state *state)
{
	return state->threshold;
}

#ifdef __cplusplus
}
#endif

#endif /* AIM_H */
