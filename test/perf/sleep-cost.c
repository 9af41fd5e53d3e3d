/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cost of a sleep, stock net_ixgbe beside net_ixgbe_aim: one process, the same model,
 * interleaved. A cycle is an arm, the wake by one packet, the disable, and the burst that takes the
 * packet, then one that finds none. test/perf/sleep-cost runs this under callgrind, which counts
 * instructions between the marks; the register accesses are printed.
 *   sleep-cost-bench <rounds> <plugin of net_ixgbe_aim>
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <valgrind/callgrind.h>

#include "bench.h"
#include "softpci.h"

#define RING 256
#define WARM 8 /* rounds before the count: the ring is filled, the policy has seen the traffic */
#define APART_NS 1000000

static const char *const drivers[] = {"net_ixgbe", "net_ixgbe_aim"};
#define DRIVERS RTE_DIM(drivers)

/* What the driver is asked in a cycle, in this order. */
enum piece { ARM, DISABLE, BURST, EMPTY, PIECES };
static const char *const pieces[PIECES] = {"arm", "disable", "burst", "empty"};

struct side {
	struct softpci *pci;
	uint16_t port;
	uint64_t reads[PIECES], writes[PIECES];
};

static struct rte_mempool *pool;

static void
side_open(struct side *side, const char *driver)
{
	const struct softpci_conf pci = {
	    .nic = "x550", .driver = driver, .clock = SOFTPCI_CLOCK_VIRTUAL};
	const struct rte_eth_conf conf = {.intr_conf.rxq = 1};
	char err[256];

	side->pci = softpci_open(&pci, err, sizeof(err));
	if (side->pci == NULL)
		bench_die(err);
	side->port = softpci_port_id(side->pci);
	if (rte_eth_dev_configure(side->port, 1, 1, &conf) != 0 ||
	    rte_eth_rx_queue_setup(side->port, 0, RING, 0, NULL, pool) != 0 ||
	    rte_eth_tx_queue_setup(side->port, 0, RING, 0, NULL) != 0 ||
	    rte_eth_dev_start(side->port) != 0)
		bench_die("the port does not start");
}

static uint16_t
take(const struct side *side)
{
	struct rte_mbuf *pkts[32];
	uint16_t n = rte_eth_rx_burst(side->port, 0, pkts, 32);

	if (n != 0)
		rte_pktmbuf_free_bulk(pkts, n);
	return n;
}

static int
act(const struct side *side, enum piece piece)
{
	switch (piece) {
	case ARM:
		return rte_eth_dev_rx_intr_enable(side->port, 0);
	case DISABLE:
		return rte_eth_dev_rx_intr_disable(side->port, 0);
	default:
		return take(side);
	}
}

static void
measure(struct side *side, const char *driver, enum piece piece, bool count, int expected)
{
	struct softpci_stats before, after;
	char name[64];
	int got;

	snprintf(name, sizeof(name), "%s %s", driver, pieces[piece]);
	softpci_stats_get(side->pci, &before);
	CALLGRIND_ZERO_STATS;
	got = act(side, piece);
	CALLGRIND_DUMP_STATS_AT(name);
	softpci_stats_get(side->pci, &after);
	if (got != expected)
		bench_die(name);
	if (!count)
		return;
	side->reads[piece] += after.trap_reads - before.trap_reads;
	side->writes[piece] += after.trap_writes - before.trap_writes;
}

static void
cycle(struct side *side, const char *driver, bool count)
{
	int fd = rte_eth_dev_rx_intr_ctl_q_get_fd(side->port, 0);
	uint8_t frame[BENCH_FRAME];
	uint64_t events;

	bench_frame(frame, 0x400);
	measure(side, driver, ARM, count, 0);
	softpci_advance(APART_NS);
	if (nic_inject(softpci_nic(side->pci), frame, sizeof(frame)) != 0)
		bench_die("the model took no frame");
	softpci_advance(APART_NS);
	if (read(fd, &events, sizeof(events)) != (ssize_t)sizeof(events))
		bench_die("the packet woke nobody");
	measure(side, driver, DISABLE, count, 0);
	measure(side, driver, BURST, count, 1);
	measure(side, driver, EMPTY, count, 0);
}

int
main(int argc, char **argv)
{
	const char *args[] = {"--force-max-simd-bitwidth=64", "-d", argc > 2 ? argv[2] : NULL,
			      "--log-level=pmd.net:4", NULL};
	struct side sides[DRIVERS] = {0};
	int rounds = argc > 1 ? atoi(argv[1]) : 0;

	if (argc != 3 || rounds < 1)
		bench_die("usage: sleep-cost-bench <rounds> <plugin>");
	bench_init("sleep-cost", args);
	pool = rte_pktmbuf_pool_create("bench", 4095, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	if (pool == NULL)
		bench_die("no memory for the pool");
	for (size_t i = 0; i < DRIVERS; i++)
		side_open(&sides[i], drivers[i]);
	for (int r = 0; r < WARM + rounds; r++)
		for (size_t i = 0; i < DRIVERS; i++) {
			size_t d = (i + (size_t)r) % DRIVERS;

			cycle(&sides[d], drivers[d], r >= WARM);
		}
	for (size_t i = 0; i < DRIVERS; i++)
		for (int p = 0; p < PIECES; p++)
			printf("%s %s %d cycles, %" PRIu64 " reads, %" PRIu64 " writes\n",
			       drivers[i], pieces[p], rounds, sides[i].reads[p],
			       sides[i].writes[p]);
	for (size_t i = 0; i < DRIVERS; i++) {
		rte_eth_dev_stop(sides[i].port);
		rte_eth_dev_close(sides[i].port);
		softpci_close(sides[i].pci);
	}
	rte_mempool_free(pool);
	bench_fini();
	return 0;
}
