/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The published case of ENETC, a TCP stream of 1 Gb/s into an LS1028A, with the driver's own code
 * on the model, in virtual time: full frames back to back, an ACK for every second one, and an
 * application that sleeps whenever a burst was empty. Called by the script enetc-case with a policy
 * and milliseconds; prints what it measured, as JSON.
 *
 * The CPU is simulated as in app/aim-lab/scenarios/enetc-1cpu.scenario, where its costs are from.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "../../drivers/common/rte_pmd_aim.h"
#include "bench.h"
#include "softpci.h"
#include "virtual_tsc.h"

#define FRAME 1514u
#define FRAME_NS 12304u /* with FCS, preamble and gap, at 1 Gb/s */
#define ACK 66u
#define RING 2048u
#define WAKE_NS 5000u
#define PACKET_NS 1500u
#define STEP_NS 400u /* of the clock, while nothing is due */
#define WARMUP_NS 200000000u
#define INTERVALS_MAX 64u

static struct {
	struct softpci *pci;
	struct rte_mempool *pool;
	uint16_t port;
	int event;
	uint8_t frame[FRAME];
	uint64_t origin;   /* of the stream, ns */
	uint64_t arrivals; /* frames that came */
	uint64_t taken;	   /* of them, by the application */
	uint64_t answered;
} b;

static struct {
	bool on;
	uint64_t interrupts, busy_ns, packets, acks, messages, writes;
	uint32_t *latency; /* ns, of each packet */
	size_t room;
	/* intervals at an arm, in order, where one differs from the one before */
	struct {
		uint64_t at_ns;
		uint32_t ns;
	} walk[INTERVALS_MAX];
	unsigned int steps;
} seen;

uint64_t
virtual_tsc(void)
{
	return (uint64_t)((__uint128_t)softpci_now() * rte_get_tsc_hz() / 1000000000u);
}

static uint64_t
arrival(uint64_t n)
{
	return b.origin + (n + 1) * FRAME_NS;
}

/* The time is t: what arrives until then has arrived. */
static void
pass_until(uint64_t t)
{
	while (arrival(b.arrivals) <= t) {
		softpci_advance(arrival(b.arrivals) - softpci_now());
		if (nic_inject(softpci_nic(b.pci), b.frame, FRAME) != 0)
			bench_die("the model refuses a frame");
		b.arrivals++;
	}
	softpci_advance(t - softpci_now());
}

static void
work(uint64_t ns)
{
	if (seen.on)
		seen.busy_ns += ns;
	pass_until(softpci_now() + ns);
}

static bool
woken(void)
{
	uint64_t count = 0;

	return read(b.event, &count, sizeof(count)) == sizeof(count) && count != 0;
}

static void
acknowledge(void)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(b.pool);

	if (m == NULL)
		bench_die("mbufs are missing");
	memcpy(rte_pktmbuf_append(m, ACK), b.frame, ACK);
	if (rte_eth_tx_burst(b.port, 0, &m, 1) != 1)
		bench_die("the Tx ring is full");
	if (seen.on)
		seen.acks++;
}

static uint16_t
burst(void)
{
	struct rte_mbuf *pkts[64];
	uint16_t n = rte_eth_rx_burst(b.port, 0, pkts, 64);

	for (uint16_t i = 0; i < n; i++, b.taken++) {
		work(PACKET_NS);
		if (!seen.on)
			continue;
		if (seen.packets == seen.room)
			bench_die("more packets than can come");
		seen.latency[seen.packets++] = (uint32_t)(softpci_now() - arrival(b.taken));
	}
	rte_pktmbuf_free_bulk(pkts, n);
	for (; b.answered + 2 <= b.taken; b.answered += 2)
		acknowledge();
	return n;
}

static uint32_t
interval(struct rte_pmd_aim_stats *stats)
{
	if (rte_pmd_aim_stats_get(b.port, 0, stats) != 0)
		bench_die("no statistics");
	return stats->itr_ns;
}

static void
sleep_once(void)
{
	struct rte_pmd_aim_stats stats;
	uint32_t ns;

	if (rte_eth_dev_rx_intr_enable(b.port, 0) != 0)
		bench_die("the queue cannot be armed");
	ns = interval(&stats);
	if (seen.steps < INTERVALS_MAX && (seen.steps == 0 || seen.walk[seen.steps - 1].ns != ns)) {
		seen.walk[seen.steps].at_ns = softpci_now() - b.origin;
		seen.walk[seen.steps++].ns = ns;
	}
	while (!woken())
		pass_until(softpci_now() + STEP_NS);
	if (seen.on)
		seen.interrupts++;
	work(WAKE_NS);
	if (rte_eth_dev_rx_intr_disable(b.port, 0) != 0)
		bench_die("the queue cannot be disarmed");
	while (burst() != 0)
		;
}

static void
port_start(const char *policy)
{
	struct rte_eth_conf conf = {.intr_conf.rxq = 1};
	char devargs[64], err[256];
	struct softpci_conf nic = {.nic = "enetc",
				   .driver = "net_enetc_aim",
				   .devargs = devargs,
				   .clock = SOFTPCI_CLOCK_VIRTUAL};

	snprintf(devargs, sizeof(devargs), "aim=%s", policy);
	b.pci = softpci_open(&nic, err, sizeof(err));
	if (b.pci == NULL)
		bench_die(err);
	b.port = softpci_port_id(b.pci);
	if (rte_eth_dev_configure(b.port, 1, 1, &conf) != 0 ||
	    rte_eth_rx_queue_setup(b.port, 0, RING, 0, NULL, b.pool) != 0 ||
	    rte_eth_tx_queue_setup(b.port, 0, RING, 0, NULL) != 0 || rte_eth_dev_start(b.port) != 0)
		bench_die("the port does not start");
	b.event = rte_eth_dev_rx_intr_ctl_q_get_fd(b.port, 0);
	if (b.event < 0)
		bench_die("the queue has no event descriptor");
}

static int
by_size(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, c = *(const uint32_t *)y;

	return a < c ? -1 : a > c;
}

static void
report(const char *policy, double seconds, const struct softpci_stats *at_end)
{
	double sum = 0;

	qsort(seen.latency, seen.packets, sizeof(*seen.latency), by_size);
	for (uint64_t i = 0; i < seen.packets; i++)
		sum += seen.latency[i];
	printf("{\"policy\": \"%s\", \"pps\": %.1f, \"irqs\": %.1f, \"messages\": %.1f, \"cpu\": "
	       "%.2f, \"acks\": %.1f, \"writes\": %.1f, \"lost\": %lu, \"mean_us\": %.2f, "
	       "\"p50_us\": %.2f, \"p99_us\": %.2f, \"walk\": [",
	       policy, (double)seen.packets / seconds, (double)seen.interrupts / seconds,
	       (double)seen.messages / seconds, (double)seen.busy_ns / seconds / 1e7,
	       (double)seen.acks / seconds, (double)seen.writes / seconds,
	       at_end->nic.rx_drop_no_desc, sum / (double)seen.packets / 1e3,
	       seen.latency[seen.packets / 2] / 1e3, seen.latency[seen.packets * 99 / 100] / 1e3);
	for (unsigned int i = 0; i < seen.steps; i++)
		printf("%s[%.2f, %.3f]", i == 0 ? "" : ", ", (double)seen.walk[i].at_ns / 1e6,
		       seen.walk[i].ns / 1e3);
	printf("]}\n");
}

int
main(int argc, char **argv)
{
	static const char *const none[] = {NULL};
	struct rte_pmd_aim_stats aim;
	struct softpci_stats before, stats;
	uint64_t ms = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;

	if (ms == 0 || ms > 60000) {
		fprintf(stderr, "usage: %s POLICY MILLISECONDS (1 to 60000)\n", argv[0]);
		return 2;
	}
	bench_init("enetc-case", none);
	b.pool = rte_pktmbuf_pool_create("frames", 8191, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	seen.room = ms * 1000000 / FRAME_NS + 1000;
	seen.latency = calloc(seen.room, sizeof(*seen.latency));
	if (b.pool == NULL || seen.latency == NULL)
		bench_die("out of memory");
	bench_frame(b.frame, 1);
	port_start(argv[1]);
	b.origin = softpci_now();
	while (softpci_now() - b.origin < WARMUP_NS)
		sleep_once();
	(void)interval(&aim);
	seen.writes = aim.itr_writes;
	softpci_stats_get(b.pci, &before);
	seen.on = true;
	for (uint64_t end = softpci_now() + ms * 1000000; softpci_now() < end;)
		sleep_once();
	softpci_stats_get(b.pci, &stats);
	(void)interval(&aim);
	seen.writes = aim.itr_writes - seen.writes;
	seen.messages = stats.nic.msix_queue - before.nic.msix_queue;
	report(argv[1], (double)ms / 1e3, &stats);
	if (rte_eth_dev_stop(b.port) != 0 || rte_eth_dev_close(b.port) != 0 ||
	    softpci_close(b.pci) != 0)
		bench_die("the port does not close");
	rte_mempool_free(b.pool);
	free(seen.latency);
	bench_fini();
	return 0;
}
