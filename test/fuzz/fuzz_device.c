/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device that lies: any bytes as descriptors that it "wrote back", under each receive function.
 * It may cost packets; what the application gets must lie within its buffers, and no mbuf may be
 * lost or be given twice.
 */
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_ethdev.h>

#include "../../drivers/net/ixgbe_aim/ixgbe_aim.h"
#include "softpci.h"

#define RING 64

static struct rte_mempool *pool;
static struct rxq *rxq;
static uint32_t tail;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char *args[] = {"fuzz",
			"--no-pci",
			"--no-huge",
			"-m",
			"128",
			"--iova-mode=va",
			"--no-telemetry",
			"--no-shconf",
			"-l",
			"0",
			"--log-level=lib.eal:3"};
	struct softpci_conf pci = {.driver = "net_ixgbe_aim", .clock = SOFTPCI_CLOCK_VIRTUAL};
	struct rte_eth_conf conf = {.rxmode.offloads = RTE_ETH_RX_OFFLOAD_SCATTER};
	char err[256];
	uint16_t port;

	(void)argc, (void)argv;
	if (rte_eal_init(RTE_DIM(args), args) < 0)
		abort();
	pool = rte_pktmbuf_pool_create("fuzz", 511, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	if (pool == NULL || softpci_open(&pci, err, sizeof(err)) == NULL)
		abort();
	port = softpci_port_id(softpci_get(0));
	if (rte_eth_dev_configure(port, 1, 1, &conf) != 0 ||
	    rte_eth_rx_queue_setup(port, 0, RING, 0, NULL, pool) != 0 ||
	    rte_eth_tx_queue_setup(port, 0, RING, 0, NULL) != 0 || rte_eth_dev_start(port) != 0)
		abort();
	rxq = rte_eth_devices[port].data->rx_queues[0];
	rxq->tail = &tail; /* the real device hears nothing of it */
	return 0;
}

static void
packet_check(const struct rte_mbuf *m)
{
	uint32_t sum = 0;

	for (const struct rte_mbuf *seg = m; seg != NULL; seg = seg->next) {
		if (seg->data_len > rte_pktmbuf_data_room_size(pool) - RTE_PKTMBUF_HEADROOM)
			abort();
		sum += seg->data_len;
	}
	if (sum != m->pkt_len)
		abort();
	rte_mbuf_sanity_check(m, 1);
}

/* Input: for each burst one byte (function, how many), then 17 bytes a descriptor: place, contents.
 */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const eth_rx_burst_t burst[] = {ixgbe_rx_burst_bulk, ixgbe_rx_burst_scatter};
	/* one function a run: they keep their place in the ring in different ways */
	eth_rx_burst_t rx = size != 0 ? burst[data[0] % RTE_DIM(burst)] : burst[0];
	unsigned int before, after;

	if (rx == ixgbe_rx_burst_bulk && rxq->first_seg != NULL) {
		rte_pktmbuf_free(rxq->first_seg);
		rxq->first_seg = rxq->last_seg = NULL;
	}
	before = rte_mempool_avail_count(pool) +
		 (rxq->first_seg != NULL ? rxq->first_seg->nb_segs : 0);
	before -= rxq->hold; /* a refill takes these */
	while (size > 0) {
		struct rte_mbuf *pkts[64];
		uint16_t n = 1 + data[0] / 4 % 64, got;

		data++, size--;
		for (int i = 0; i < 8 && size >= 17; i++, data += 17, size -= 17)
			memcpy(&rxq->ring[(rxq->next + data[0]) % RING], data + 1, 16);
		got = rx(rxq, pkts, n);
		if (got > n)
			abort();
		for (uint16_t i = 0; i < got; i++) {
			packet_check(pkts[i]);
			rte_pktmbuf_free(pkts[i]);
		}
	}
	after = rte_mempool_avail_count(pool) +
		(rxq->first_seg != NULL ? rxq->first_seg->nb_segs : 0);
	after -= rxq->hold;
	if (before != after)
		abort();
	return 0;
}
