/* SPDX-License-Identifier: BSD-3-Clause */
/* Capture files: one is played to the NIC, another takes what the NIC sends. */
#include "wire.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUN_FRAMES 256u /* a timer run: the clock's thread has other timers */

enum pace {
	PACE_ASAP, /* as fast as the NIC takes them: none is lost */
	PACE_ORIG, /* with the gaps of the file */
	PACE_RATE, /* so many a second */
};

struct cap {
	struct nic_timer timer;
	atomic_bool hold; /* until nic_wire_go() */
	char *in_name, *out_name;
	pcap_t *in, *dead;
	pcap_dumper_t *out;
	enum pace pace;
	uint64_t pps;
	uint64_t start, first_ts;
	bool started, have, cut;
	struct pcap_pkthdr head;
	const uint8_t *frame;
};

static uint64_t
stamp(const struct pcap_pkthdr *head)
{
	/* The file is opened with nanoseconds: tv_usec holds them. */
	return (uint64_t)head->ts.tv_sec * 1000000000u + (uint64_t)head->ts.tv_usec;
}

static bool
next_frame(struct nic_wire *wire)
{
	struct cap *cap = wire->state;
	struct pcap_pkthdr *head;
	int rc;

	if (cap->have)
		return true;
	if (cap->in == NULL || wire->stats.in_done)
		return false;
	rc = pcap_next_ex(cap->in, &head, &cap->frame);
	if (rc != 1) {
		wire->stats.in_done = true;
		if (rc == PCAP_ERROR) {
			cap->cut = true;
			nic_log("nic: wire pcap: %s: %s; the %ju frames before it were played",
				cap->in_name, pcap_geterr(cap->in), (uintmax_t)wire->stats.in_read);
		}
		return false;
	}
	cap->head = *head;
	cap->have = true;
	nic_wire_count(&wire->stats.in_read);
	return true;
}

static uint64_t
due_at(struct nic_wire *wire)
{
	struct cap *cap = wire->state;
	uint64_t ts = stamp(&cap->head);

	switch (cap->pace) {
	case PACE_ORIG:
		return cap->start + (ts > cap->first_ts ? ts - cap->first_ts : 0);
	case PACE_RATE:
		return cap->start + (wire->stats.in_read - 1) * 1000000000u / cap->pps;
	default:
		return 0;
	}
}

static void
cap_run(void *arg)
{
	struct nic_wire *wire = arg;
	struct cap *cap = wire->state;
	uint64_t now = nic_clock_now(cap->timer.clock);
	unsigned int n;

	if (atomic_load(&cap->hold))
		return;
	for (n = 0; n < RUN_FRAMES; n++) {
		int rc;

		if (!next_frame(wire))
			return;
		if ((cap->pace == PACE_ASAP || !cap->started) &&
		    !nic_room(wire->nic, cap->head.caplen))
			return; /* nic_wire_room() arms us again */
		if (!cap->started) {
			cap->started = true;
			cap->start = now;
			cap->first_ts = stamp(&cap->head);
		}
		if (due_at(wire) > now) {
			nic_timer_arm(&cap->timer, due_at(wire));
			return;
		}
		rc = nic_inject(wire->nic, cap->frame, cap->head.caplen);
		if (rc == -ENOBUFS && cap->pace == PACE_ASAP)
			return;
		cap->have = false;
		if (rc == 0)
			nic_wire_count(&wire->stats.in_injected);
		else
			nic_wire_count(&wire->stats.in_refused);
	}
	nic_timer_arm(&cap->timer, now);
}

static int
cap_option(void *arg, const char *key, const char *value)
{
	struct cap *cap = arg;

	if (strcmp(key, "in") == 0 && cap->in_name == NULL) {
		cap->in_name = strdup(value);
		return cap->in_name != NULL ? 0 : -ENOMEM;
	}
	if (strcmp(key, "out") == 0 && cap->out_name == NULL) {
		cap->out_name = strdup(value);
		return cap->out_name != NULL ? 0 : -ENOMEM;
	}
	if (strcmp(key, "hold") == 0 && (strcmp(value, "0") == 0 || strcmp(value, "1") == 0)) {
		atomic_store(&cap->hold, value[0] == '1');
		return 0;
	}
	if (strcmp(key, "speed") != 0)
		return -EINVAL;
	if (strcmp(value, "asap") == 0) {
		cap->pace = PACE_ASAP;
	} else if (strcmp(value, "orig") == 0) {
		cap->pace = PACE_ORIG;
	} else {
		cap->pace = PACE_RATE;
		if (nic_wire_number(value, &cap->pps) != 0 || cap->pps == 0)
			return -EINVAL;
	}
	return 0;
}

static void
cap_free(struct cap *cap)
{
	if (cap->in != NULL)
		pcap_close(cap->in);
	if (cap->out != NULL)
		pcap_dump_close(cap->out);
	if (cap->dead != NULL)
		pcap_close(cap->dead);
	free(cap->in_name);
	free(cap->out_name);
	free(cap);
}

static int
open_files(struct cap *cap, char *err, size_t errlen)
{
	char why[PCAP_ERRBUF_SIZE] = "";

	if (cap->in_name != NULL) {
		cap->in = pcap_open_offline_with_tstamp_precision(cap->in_name,
								  PCAP_TSTAMP_PRECISION_NANO, why);
		if (cap->in == NULL) {
			/* libpcap names the file in some of its messages, not in all. */
			if (strncmp(why, cap->in_name, strlen(cap->in_name)) == 0)
				snprintf(err, errlen, "wire pcap: %s; in= is a pcap file", why);
			else
				snprintf(err, errlen, "wire pcap: %s: %s; in= is a pcap file",
					 cap->in_name, why);
			return access(cap->in_name, R_OK) != 0 ? -errno : -EINVAL;
		}
		if (pcap_datalink(cap->in) != DLT_EN10MB) {
			const char *name = pcap_datalink_val_to_name(pcap_datalink(cap->in));

			snprintf(err, errlen, "wire pcap: %s: link type %s, not Ethernet",
				 cap->in_name, name != NULL ? name : "unknown");
			return -EINVAL;
		}
	}
	if (cap->out_name != NULL) {
		cap->dead = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, 65535,
								 PCAP_TSTAMP_PRECISION_NANO);
		cap->out = cap->dead != NULL ? pcap_dump_open(cap->dead, cap->out_name) : NULL;
		if (cap->out == NULL) {
			snprintf(err, errlen, "wire pcap: %s",
				 cap->dead != NULL ? pcap_geterr(cap->dead) : "no memory");
			return -EIO;
		}
	}
	return 0;
}

static int
cap_open(struct nic_wire *wire, const char *options, char *err, size_t errlen)
{
	struct cap *cap = calloc(1, sizeof(*cap));
	int rc;

	if (cap == NULL)
		return -ENOMEM;
	wire->state = cap;
	rc = nic_wire_options(options, cap_option, cap);
	if (rc != 0 || (cap->in_name == NULL && cap->out_name == NULL)) {
		snprintf(err, errlen,
			 "wire pcap: bad options '%s': in=FILE;out=FILE;speed=asap|orig|PPS",
			 options);
		rc = -EINVAL;
	}
	if (rc == 0)
		rc = open_files(cap, err, errlen);
	if (rc != 0) {
		cap_free(cap);
		return rc;
	}
	nic_timer_init(&cap->timer, wire->nic->clock, cap_run, wire);
	if (cap->in != NULL)
		nic_timer_arm(&cap->timer, nic_clock_now(wire->nic->clock));
	else
		wire->stats.in_done = true;
	return 0;
}

static void
cap_close(struct nic_wire *wire)
{
	struct cap *cap = wire->state;

	nic_timer_cancel_sync(&cap->timer);
	cap_free(cap);
}

static int
cap_transmit(struct nic_wire *wire, const uint8_t *frame, uint32_t len)
{
	struct cap *cap = wire->state;
	uint64_t now = nic_clock_now(wire->nic->clock);
	struct pcap_pkthdr head = {.caplen = len, .len = len};

	if (cap->out == NULL)
		return 0;
	head.ts.tv_sec = (time_t)(now / 1000000000u);
	head.ts.tv_usec = (suseconds_t)(now % 1000000000u);
	pcap_dump((u_char *)cap->out, &head, frame);
	nic_wire_count(&wire->stats.out_written);
	return 0;
}

static void
cap_room(struct nic_wire *wire)
{
	struct cap *cap = wire->state;

	if (cap->in != NULL && !wire->stats.in_done && (cap->pace == PACE_ASAP || !cap->started))
		nic_timer_arm(&cap->timer, nic_clock_now(wire->nic->clock));
}

static void
cap_report(struct nic_wire *wire, FILE *out)
{
	struct cap *cap = wire->state;

	fprintf(out, "wire pcap: %ju read%s, %ju injected, %ju refused, %ju written\n",
		(uintmax_t)wire->stats.in_read, cap->cut ? " (file is cut short)" : "",
		(uintmax_t)wire->stats.in_injected, (uintmax_t)wire->stats.in_refused,
		(uintmax_t)wire->stats.out_written);
}

static int
cap_go(struct nic_wire *wire)
{
	struct cap *cap = wire->state;

	if (!atomic_exchange(&cap->hold, false))
		return -EINVAL;
	nic_timer_arm(&cap->timer, nic_clock_now(wire->nic->clock));
	return 0;
}

const struct nic_wire_ops nic_wire_pcap = {
    .kind = "pcap",
    .open = cap_open,
    .close = cap_close,
    .transmit = cap_transmit,
    .room = cap_room,
    .go = cap_go,
    .report = cap_report,
};
