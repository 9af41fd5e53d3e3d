/* SPDX-License-Identifier: BSD-3-Clause */
/* Which keys a scenario has: names, units, ranges, defaults. */
#include "scenario.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define AT(field) .name = #field, .offset = offsetof(struct scenario, field)
#define U32(field, low, high, text) \
	{ \
		AT(field), .type = KEY_U32, .min = low, .max = high, .help = text \
	}
#define U64(field, low, high, text) \
	{ \
		AT(field), .type = KEY_U64, .min = low, .max = high, .help = text \
	}
#define REAL(field, low, high, text) \
	{ \
		AT(field), .type = KEY_DOUBLE, .min = low, .max = high, .help = text \
	}
#define BOOL(field, text) \
	{ \
		AT(field), .type = KEY_BOOL, .max = 1, .help = text \
	}
#define TEXT(field, text) \
	{ \
		AT(field), .type = KEY_TEXT, .size = sizeof(((struct scenario *)0)->field), \
			   .help = text \
	}
#define CHOICE(field, names, text) \
	{ \
		AT(field), .type = KEY_CHOICE, .choices = names, .help = text \
	}

/* In the order of their enums. */
static const char *const kinds[] = {"open", "loop", "tx_ring", "rr", "udp", "bulk", NULL};
static const char *const arrivals[] = {"poisson", "constant", "pcap", NULL};

const struct scenario_key scenario_keys[] = {
    TEXT(title, "one line for people"),
    TEXT(group, "which rows of the matrix it belongs to"),
    CHOICE(kind, kinds, "kind of traffic"),

    U32(time_ms, 1, 3600000, "simulated time, warm-up included, ms"),
    U32(warmup_ms, 0, 3600000, "not measured, ms"),
    U32(settle_ms, 0, 3600000, "writes of the throttle are counted from then on, ms"),
    U32(seed, 0, 4294967295.0, "of the random numbers"),
    U32(slice_us, 0, 3600000000.0, "slice of the series over time, us; 0: a hundredth of the run"),

    U32(link_mbps, 10, 400000, "link speed, Mb/s"),
    U32(ring, 64, 32768, "descriptors of the ring"),
    U32(queues, 1, 64, "queues on one vector"),
    U32(itr_unit_ps, 1, 100000000, "unit of the throttle register, ps"),
    BOOL(stale_causes, "a packet polled while masked leaves its cause pending, as in an 82599"),
    BOOL(guard, "our drivers' bounds (ring, sink) also hold for others' policies"),
    U32(sink_packets, 0, 1048576, "packets that the application can take at once; 0: all"),

    U32(wake_ns, 0, 10000000, "interrupt to first burst, ns"),
    U32(irq_ns, 0, 10000000, "CPU of an interrupt and the wake, ns"),
    U32(packet_ns, 0, 10000000, "CPU of a packet, ns"),
    U32(arm_ns, 0, 10000000, "CPU of the last, empty burst and the arm, ns"),
    U32(stall_us, 0, 100000, "now and then a wake takes so much longer (ticks, other work), us"),
    U32(stall_every_us, 0, 1000000000, "mean time between two stalls, us; 0: never"),
    U32(burst, 1, 256, "packets of a burst at most"),

    CHOICE(arrivals, arrivals, "how the gaps of an open load are drawn"),
    REAL(rate_pps, 0.01, 600e6, "packets/s; of a bursty load: while on"),
    REAL(off_pps, 0, 600e6, "packets/s while off"),
    U32(on_us, 0, 3600000000.0, "length of a burst, us; 0: always on"),
    U32(off_us, 0, 3600000000.0, "length of a pause, us; 0: always on"),
    U32(batch, 1, 65535, "packets that come back to back at line rate"),
    U32(frame, 60, 9216, "bytes of a frame, without FCS"),
    U32(link_down_ms, 0, 3600000, "the link is down for so long in the middle of the run, ms"),
    U64(epoch_ns, 0, 18446744073709551615.0, "the clock's start, ns"),
    TEXT(file, "pcap file, relative to the scenario's folder"),

    U32(window, 1, 32768, "loop: requests in flight"),
    U32(half_ns, 0, 1000000000, "loop, rr: one way without wake and packet, ns"),
    U32(jitter_ns, 0, 1000000000, "loop: more of half_ns, drawn for each packet, order kept, ns"),
    TEXT(peer, "loop, rr: the other host's policy; bulk: of the Tx completions; same: as ours"),
    REAL(skew_ppm, -1000, 1000, "loop, rr: by how much the peer's clock is slow, ppm"),
    U32(phase_ns, 0, 1000000000, "rr: the peer's timer starts so much later, ns"),
    U32(tx_done_ns, 0, 1000000000, "rr, bulk: Tx completion behind the send, ns"),
    U32(open_extra_ns, 0, 1000000000, "rr: extra one-way time of an unthrottled host, ns"),

    U32(clean_ns, 0, 10000000, "tx_ring, bulk: CPU of cleaning a Tx descriptor, ns"),
    U32(need, 1, 32767, "tx_ring: free descriptors below which the generator stops"),
    U32(resume, 1, 32767, "tx_ring: free descriptors from which it goes on"),
    U32(budget, 1, 65535, "tx_ring: descriptors that a poll cleans at most; bulk: frames"),
    U32(latency_ns, 0, 100000000, "tx_ring: send to written-back descriptor, ns"),

    U32(message, 1, 65507, "udp: bytes of a datagram"),
    U32(truesize, 256, 1048576, "udp: bytes that a fragment costs the socket buffer"),
    U32(rcvbuf, 1, 1073741824, "udp: bytes of the socket buffer"),
    U32(reader_ns, 0, 1000000000, "udp: wake of the reader, on a CPU of its own, ns"),
    U32(read_ns, 0, 1000000000, "udp: reading a message, ns"),

    U32(ack_frames, 1, 65535, "bulk: frames that one ACK answers"),
    BOOL(tx_cpu, "bulk: Tx completions interrupt a CPU of their own"),
    BOOL(show_tx, "bulk: figures and series are those of the Tx completions' CPU"),
    {.name = NULL},
};

static_assert(sizeof(scenario_keys) / sizeof(scenario_keys[0]) <= SCENARIO_KEYS_MAX,
	      "too many keys");

void
scenario_init(struct scenario *s)
{
	/* static, so that the gaps between the fields are zero, too */
	static const struct scenario defaults = {
	    .kind = SCENARIO_OPEN,
	    .time_ms = 200,
	    .seed = 1,
	    .link_mbps = 10000,
	    .ring = 1024,
	    .queues = 1,
	    .itr_unit_ps = 2048000, /* EITR of the 82599: 2.048 us */
	    .stale_causes = true,
	    .wake_ns = 3000,
	    .irq_ns = 2000,
	    .packet_ns = 100,
	    .arm_ns = 300,
	    .burst = 32,
	    .arrivals = ARRIVALS_POISSON,
	    .rate_pps = 500000,
	    .batch = 1,
	    .frame = 60,
	    .window = 1,
	    .half_ns = 8000,
	    .peer = "same",
	    .skew_ppm = 20,
	    .tx_done_ns = 12000,
	    .clean_ns = 20,
	    .need = 21,
	    .resume = 42,
	    .budget = 256,
	    .latency_ns = 600,
	    .message = 65507,
	    .truesize = 2994,
	    .rcvbuf = 212992,
	    .reader_ns = 30000,
	    .read_ns = 8000,
	    .ack_frames = 2,
	};

	memcpy(s, &defaults, sizeof(*s));
	snprintf(s->group, sizeof(s->group), "other");
}
