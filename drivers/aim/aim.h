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

/** What a queue saw between its last arm and this one. */
struct aim_sample {
	uint32_t packets; /**< packets received; at most AIM_PACKETS_MAX, the caller sees to it */
	uint32_t bytes;	  /**< their bytes, frames as the driver delivered them; saturates */
	uint32_t burst;	  /**< packets that the first burst with packets after the wake returned */
	uint64_t poll_ns; /**< time of that first burst; 0: no packet came */
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
	uint32_t sink_packets; /**< packets that the application can take at once; 0: no bound */
	uint32_t wake_ns;      /**< time from interrupt to first burst to leave room for, ns */
	uint32_t cap_ns; /**< result of aim_limits_settle(): bound that holds on any traffic */
	uint32_t sink_ns_per_byte; /**< another: ns a byte of frame length that the sink bears */
};

/** State of one queue; set up by aim_reset(). Private to the engine. */
struct aim_state {
	uint64_t last_arm_ns; /* 0: not armed yet */
	uint32_t interval_ns; /* as decided last */
	union {
		struct { /* policy aim: policy_aim.c */
			uint64_t last_poll_ns;
			uint64_t window_ns; /* time and packets since the last look at the ladder */
			uint32_t window_packets;
			uint32_t extra;	     /* packets beyond the first of a wake, mean, 1/256 */
			uint32_t cycle_ns;   /* arm to arm, mean */
			uint32_t polled;     /* packets beyond the first burst, mean, 1/256 */
			uint32_t polling_ns; /* first burst to arm, mean */
			uint32_t
			    trial_rate;	 /* packets/s that the last step up must keep; 0: judged */
			uint32_t freeze; /* windows until the ladder may rise again */
			uint32_t freeze_len; /* windows of the next freeze */
			uint8_t rung;
			uint8_t lone;  /* gated wakes with one packet, in a row */
			uint8_t quiet; /* sparse wakes in a row */
		} aim;
		struct {	       /* policy ixgbe: policy_ixgbe.c */
			uint32_t itr;  /* 1/4 us */
			uint8_t class; /* 0 lowest latency, 1 low latency, 2 bulk */
		} ixgbe;
	} u;
};

/** Parameters that the user sets. */
struct aim_config {
	uint32_t fixed_ns; /**< policy fixed: the interval, ns */
};

struct aim_policy;

/** Find a policy by its name ("off", "fixed", "ixgbe", "aim"); NULL: no such policy. */
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
 * Compute limits->cap_ns from the other fields: the longest interval in which
 * a line-rate flood of the smallest frames still fits the ring and the
 * application's buffer, and which lies within min_ns and max_ns.
 *
 * @return 0; -EINVAL when min_ns > max_ns or max_ns is out of range; -ERANGE when
 *   the hardware's min_ns is longer than ring or sink can bear (cap_ns is then min_ns).
 */
int aim_limits_settle(struct aim_limits *limits);

/**
 * Decide the throttle interval for the sleep that begins now.
 *
 * @param policy which law
 * @param config the user's parameters
 * @param state the queue's state
 * @param sample what the queue saw since the last call
 * @param limits settled limits; the result lies in [min_ns, cap_ns], except that
 *   policies `off` and `fixed` give what they are told, within [min_ns, max_ns]
 * @param now_ns time of this call, monotonic, not 0
 * @return interval in ns, 0: unthrottled
 */
uint32_t aim_step(const struct aim_policy *policy, const struct aim_config *config,
		  struct aim_state *state, const struct aim_sample *sample,
		  const struct aim_limits *limits, uint64_t now_ns);

#ifdef __cplusplus
}
#endif

#endif /* AIM_H */
