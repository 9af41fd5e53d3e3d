/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cost of the receive and transmit functions, a stock driver beside ours: one process, the same
 * model, interleaved. test/perf/burst-cost runs this under callgrind, which counts instructions
 * between the marks; without it the program prints TSC cycles.
 *   burst-cost-bench <model> <stock driver> <our driver> <simple|full> <rounds> <our plugin>
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <valgrind/callgrind.h>

#include "bench.h"
#include "softpci.h"

#define BURST 32
#define RING 512

#define DRIVERS 2

struct side {
	struct softpci *pci;
	struct nic *nic;
	uint16_t port;
	uint64_t rx_cycles, tx_cycles;
};

static struct rte_mempool *pool;
static uint8_t frame[BENCH_FRAME];

static void
side_open(struct side *side, const char *model, const char *driver, bool full)
{
	struct softpci_conf pci = {
	    .nic = model,
	    .driver = driver,
	    .clock = SOFTPCI_CLOCK_VIRTUAL,
	    .doorbell = SOFTPCI_DOORBELL_POLL,
	};
	struct rte_eth_conf conf = {0};
	struct rte_eth_dev_info info;
	struct rte_eth_rxconf rxconf;
	struct rte_eth_txconf txconf;
	char err[256];

	side->pci = softpci_open(&pci, err, sizeof(err));
	if (side->pci == NULL)
		bench_die(err);
	side->nic = softpci_nic(side->pci);
	side->port = softpci_port_id(side->pci);
	if (full) {
		conf.rxmode.offloads = RTE_ETH_RX_OFFLOAD_SCATTER | RTE_ETH_RX_OFFLOAD_CHECKSUM;
		conf.txmode.offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS |
				       RTE_ETH_TX_OFFLOAD_IPV4_CKSUM |
				       RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_TSO;
	}
	if (rte_eth_dev_info_get(side->port, &info) != 0)
		bench_die("the port tells nothing of itself");
	conf.rxmode.offloads &= info.rx_offload_capa;
	conf.txmode.offloads &= info.tx_offload_capa;
	if (rte_eth_dev_configure(side->port, 1, 1, &conf) != 0)
		bench_die("the port cannot be configured");
	rxconf = info.default_rxconf;
	rxconf.rx_free_thresh = BURST;
	rxconf.offloads = conf.rxmode.offloads;
	txconf = info.default_txconf;
	txconf.tx_rs_thresh = BURST;
	txconf.tx_free_thresh = BURST;
	txconf.offloads = conf.txmode.offloads;
	if (rte_eth_rx_queue_setup(side->port, 0, RING, 0, &rxconf, pool) != 0 ||
	    rte_eth_tx_queue_setup(side->port, 0, RING, 0, &txconf) != 0 ||
	    rte_eth_dev_start(side->port) != 0)
		bench_die("the port does not start");
	softpci_poll(side->pci); /* the model sees that the rings are on */
}

/* Marks for callgrind: what lies between them is dumped under the name. */
#define MEASURE(name, statement) \
	do { \
		uint64_t begin_ = rte_rdtsc(); \
		CALLGRIND_ZERO_STATS; \
		statement; \
		CALLGRIND_DUMP_STATS_AT(name); \
		cycles = rte_rdtsc() - begin_; \
	} while (0)

/* One burst of BURST packets through a side: receive all, send all. */
static void
side_round(struct side *side, const char *driver)
{
	struct rte_mbuf *pkts[BURST];
	uint16_t received, sent;
	uint64_t cycles;
	char name[64];

	for (int i = 0; i < BURST; i++)
		if (nic_inject(side->nic, frame, sizeof(frame)) != 0)
			bench_die("the model took no frame");
	softpci_poll(side->pci);
	snprintf(name, sizeof(name), "%s rx", driver);
	MEASURE(name, received = rte_eth_rx_burst(side->port, 0, pkts, BURST));
	side->rx_cycles += cycles;
	if (received != BURST)
		bench_die("a receive burst was not full");
	snprintf(name, sizeof(name), "%s tx", driver);
	MEASURE(name, sent = rte_eth_tx_burst(side->port, 0, pkts, BURST));
	side->tx_cycles += cycles;
	if (sent != BURST)
		bench_die("a transmit burst was not taken");
	softpci_poll(side->pci);
}

int
main(int argc, char **argv)
{
	const char *args[] = {"--force-max-simd-bitwidth=64", "-d", argc > 6 ? argv[6] : NULL,
			      "--log-level=pmd.net:4", NULL};
	const char *const *drivers = (const char *const *)&argv[2];
	struct side sides[DRIVERS] = {0};
	bool full;
	int rounds;

	if (argc != 7)
		bench_die("usage: burst-cost-bench <model> <driver> <driver> <simple|full> "
			  "<rounds> <plugin>");
	full = strcmp(argv[4], "full") == 0;
	rounds = atoi(argv[5]);
	bench_init("burst-cost", args);
	pool = rte_pktmbuf_pool_create("bench", 8191, 256, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	if (pool == NULL)
		bench_die("no memory for the pool");
	bench_frame(frame, 0x400);
	for (size_t i = 0; i < DRIVERS; i++)
		side_open(&sides[i], argv[1], drivers[i], full);
	for (int r = 0; r < rounds; r++)
		for (size_t i = 0; i < DRIVERS; i++)
			side_round(&sides[(i + (size_t)r) % DRIVERS],
				   drivers[(i + (size_t)r) % DRIVERS]);
	for (size_t i = 0; i < DRIVERS; i++)
		printf("%-14s rx %6.1f tx %6.1f cycles a packet\n", drivers[i],
		       (double)sides[i].rx_cycles / rounds / BURST,
		       (double)sides[i].tx_cycles / rounds / BURST);
	for (size_t i = 0; i < DRIVERS; i++) {
		rte_eth_dev_stop(sides[i].port);
		rte_eth_dev_close(sides[i].port);
		softpci_close(sides[i].pci);
	}
	bench_fini();
	return 0;
}
