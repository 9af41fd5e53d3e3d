/* SPDX-License-Identifier: BSD-3-Clause */
/* A generator: valid IPv4 UDP or TCP frames at a rate, in bursts, of a number of flows. */
#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CATCH_UP 256u /* frames a timer run: the clock's thread has other timers */

struct gen {
	struct nic_timer timer;
	uint64_t pps, size, burst, flows, count, wait;
	bool tcp;
	uint64_t start, sent;
	bool started;
	uint8_t frame[NIC_FRAME_MAX];
};

static uint16_t
fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xFFFF) + (sum >> 16);
	return (uint16_t)~sum;
}

static uint32_t
sum16(const uint8_t *p, size_t len, uint32_t sum)
{
	for (; len > 1; len -= 2, p += 2)
		sum += (uint32_t)(p[0] << 8 | p[1]);
	return len != 0 ? sum + (uint32_t)(p[0] << 8) : sum;
}

static void
put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

/* 10.0.0.x:1024+x to 10.0.1.1:9, to the NIC's own address. */
static void
build_frame(struct nic_wire *wire, uint64_t flow)
{
	struct gen *gen = wire->state;
	uint8_t *f = gen->frame, *ip = f + 14, *l4 = ip + 20;
	uint32_t ip_len = (uint32_t)gen->size - 14, l4_len = ip_len - 20, sum;

	memset(f, 0, gen->size);
	memcpy(f, wire->nic->mac, 6);
	memcpy(f + 6, "\x02\x00\x00\x00\x67\x01", 6);
	put16(f + 12, 0x0800);
	ip[0] = 0x45;
	put16(ip + 2, ip_len);
	put16(ip + 4, (uint32_t)gen->sent);
	ip[8] = 64;
	ip[9] = gen->tcp ? 6 : 17;
	memcpy(ip + 12, "\x0a\x00\x00\x00", 4);
	put16(ip + 14, (uint32_t)(flow & 0xFFFF) + 1);
	memcpy(ip + 16, "\x0a\x00\x01\x01", 4);
	put16(ip + 10, fold(sum16(ip, 20, 0)));
	put16(l4, 1024 + (uint32_t)(flow % 60000));
	put16(l4 + 2, 9);
	if (gen->tcp) {
		l4[12] = 0x50;
		l4[13] = 0x10;
	} else {
		put16(l4 + 4, l4_len);
	}
	sum = fold(sum16(l4, l4_len, sum16(ip + 12, 8, ip[9] + l4_len)));
	if (sum == 0 && !gen->tcp)
		sum = 0xFFFF;
	put16(l4 + (gen->tcp ? 16 : 6), sum);
}

static uint64_t
due_at(const struct gen *gen, uint64_t n)
{
	/* Bursts are equally far apart; their frames come together. */
	unsigned __int128 t = (unsigned __int128)(n / gen->burst * gen->burst) * 1000000000u;

	return gen->start + (uint64_t)(t / gen->pps);
}

static void
gen_run(void *arg)
{
	struct nic_wire *wire = arg;
	struct gen *gen = wire->state;
	uint64_t now = nic_clock_now(gen->timer.clock);
	unsigned int n = 0;

	if (!gen->started) {
		/* Nothing is lost to a NIC that is not up yet; nic_wire_room() arms us again. */
		if (gen->wait && !nic_room(wire->nic, (uint32_t)gen->size))
			return;
		gen->started = true;
		gen->start = now;
	}
	while ((gen->count == 0 || gen->sent < gen->count) && due_at(gen, gen->sent) <= now &&
	       n++ < CATCH_UP) {
		int rc;

		build_frame(wire, gen->sent % gen->flows);
		rc = nic_inject(wire->nic, gen->frame, (uint32_t)gen->size);
		gen->sent++;
		nic_wire_count(&wire->stats.in_read);
		if (rc == 0)
			nic_wire_count(&wire->stats.in_injected);
		else
			nic_wire_count(&wire->stats.in_refused);
	}
	if (gen->count == 0 || gen->sent < gen->count)
		nic_timer_arm(&gen->timer, due_at(gen, gen->sent));
	else
		wire->stats.in_done = true;
}

static int
gen_option(void *arg, const char *key, const char *value)
{
	struct gen *gen = arg;

	if (strcmp(key, "proto") == 0) {
		gen->tcp = strcmp(value, "tcp") == 0;
		return gen->tcp || strcmp(value, "udp") == 0 ? 0 : -EINVAL;
	}
	if (strcmp(key, "pps") == 0)
		return nic_wire_number(value, &gen->pps);
	if (strcmp(key, "size") == 0)
		return nic_wire_number(value, &gen->size);
	if (strcmp(key, "burst") == 0)
		return nic_wire_number(value, &gen->burst);
	if (strcmp(key, "flows") == 0)
		return nic_wire_number(value, &gen->flows);
	if (strcmp(key, "count") == 0)
		return nic_wire_number(value, &gen->count);
	if (strcmp(key, "wait") == 0)
		return nic_wire_number(value, &gen->wait);
	return -EINVAL;
}

static int
gen_open(struct nic_wire *wire, const char *options, char *err, size_t errlen)
{
	struct gen *gen = calloc(1, sizeof(*gen));

	if (gen == NULL)
		return -ENOMEM;
	gen->pps = 1000;
	gen->size = 60;
	gen->burst = gen->flows = gen->wait = 1;
	if (nic_wire_options(options, gen_option, gen) != 0 || gen->pps == 0 || gen->burst == 0 ||
	    gen->flows == 0 || gen->size < NIC_FRAME_MIN || gen->size > 9700) {
		snprintf(err, errlen,
			 "wire gen: bad options '%s': pps=N;size=60..9700 (without CRC);burst=N;"
			 "flows=N;count=N (0: no end);proto=udp|tcp;wait=0|1",
			 options);
		free(gen);
		return -EINVAL;
	}
	wire->state = gen;
	nic_timer_init(&gen->timer, wire->nic->clock, gen_run, wire);
	nic_timer_arm(&gen->timer, nic_clock_now(wire->nic->clock));
	return 0;
}

static void
gen_close(struct nic_wire *wire)
{
	struct gen *gen = wire->state;

	nic_timer_cancel_sync(&gen->timer);
	free(gen);
}

static int
gen_transmit(struct nic_wire *wire, const uint8_t *frame, uint32_t len)
{
	(void)frame;
	(void)len;
	nic_wire_count(&wire->stats.out_written);
	return 0;
}

static void
gen_room(struct nic_wire *wire)
{
	struct gen *gen = wire->state;

	if (!gen->started)
		nic_timer_arm(&gen->timer, nic_clock_now(wire->nic->clock));
}

static void
gen_report(struct nic_wire *wire, FILE *out)
{
	fprintf(out, "wire gen: %ju sent, %ju refused, %ju taken\n", (uintmax_t)wire->stats.in_read,
		(uintmax_t)wire->stats.in_refused, (uintmax_t)wire->stats.out_written);
}

const struct nic_wire_ops nic_wire_gen = {
    .kind = "gen",
    .open = gen_open,
    .close = gen_close,
    .transmit = gen_transmit,
    .room = gen_room,
    .report = gen_report,
};
