/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shortest program that sleeps correctly on several Rx queues: it sends every packet back out
 * of the port that it came in by, and sleeps when there is none.
 *
 *   rx-intr [EAL options] -- [PORT=POLICY]
 *
 * The rules, for any driver:
 *   1. intr_conf.rxq = 1 before rte_eth_dev_configure();
 *   2. after the start, and from the thread that will sleep, add each queue to its epoll set;
 *   3. arm, then poll once more, then sleep: what came before the arm must not wait for the next
 * packet;
 *   4. after the wake disable every queue that was armed, not only the one that woke;
 *   5. what shall end the sleep besides packets is in the same epoll set.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_interrupts.h>
#include <rte_mbuf.h>

#include "rte_pmd_aim.h"

#define QUEUES 2
#define RING 1024
#define BURST 32
#define IDLE_POLLS 16 /* empty rounds before a sleep: a sleep costs more than a few looks */

static uint16_t queues[RTE_MAX_ETHPORTS]; /* Rx queues of each port */
static volatile sig_atomic_t quit;
static int quit_fd; /* ends a sleep that begins just when the signal comes */

static void
on_signal(int signal)
{
	(void)signal;
	quit = 1;
	(void)eventfd_write(quit_fd, 1);
}

static void
die(const char *what, uint16_t port, int rc)
{
	rte_exit(EXIT_FAILURE, "port %u: %s: %s\n", port, what, rte_strerror(-rc));
}

static void
port_start(uint16_t port, struct rte_mempool *pool)
{
	struct rte_eth_conf conf = {
	    .intr_conf = {.rxq = 1}, /* rule 1 */
	    .rxmode = {.mq_mode = RTE_ETH_MQ_RX_RSS},
	    .rx_adv_conf.rss_conf = {.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP},
	};
	struct rte_eth_dev_info info;
	int rc = rte_eth_dev_info_get(port, &info);

	if (rc != 0)
		die("information", port, rc);
	queues[port] = RTE_MIN(QUEUES, info.max_rx_queues);
	conf.rx_adv_conf.rss_conf.rss_hf &= info.flow_type_rss_offloads;
	rc = rte_eth_dev_configure(port, queues[port], 1, &conf);
	for (uint16_t q = 0; rc == 0 && q < queues[port]; q++)
		rc = rte_eth_rx_queue_setup(port, q, RING, rte_eth_dev_socket_id(port), NULL, pool);
	if (rc == 0)
		rc = rte_eth_tx_queue_setup(port, 0, RING, rte_eth_dev_socket_id(port), NULL);
	if (rc == 0)
		rc = rte_eth_promiscuous_enable(port);
	if (rc == 0)
		rc = rte_eth_dev_start(port);
	if (rc != 0)
		die("start", port, rc);
	for (uint16_t q = 0; q < queues[port]; q++) { /* rule 2 */
		rc = rte_eth_dev_rx_intr_ctl_q(port, q, RTE_EPOLL_PER_THREAD, RTE_INTR_EVENT_ADD,
					       NULL);
		if (rc != 0)
			die("Rx interrupt", port, rc);
	}
}

/* A policy for a port of this plugin; any other driver answers -ENOTSUP. */
static void
policy_set(const char *arg)
{
	struct rte_pmd_aim_conf conf;
	const char *name = strchr(arg, '=');
	uint16_t port = (uint16_t)atoi(arg);
	int rc = name == NULL ? -EINVAL : rte_pmd_aim_conf_get(port, RTE_PMD_AIM_QUEUE_ALL, &conf);

	if (rc == 0) {
		snprintf(conf.policy, sizeof(conf.policy), "%s", name + 1);
		rc = rte_pmd_aim_conf_set(port, RTE_PMD_AIM_QUEUE_ALL, &conf);
	}
	if (rc != 0)
		die("PORT=POLICY", port, rc);
}

/* One burst of a queue, sent back; how many there were. */
static uint16_t
queue_poll(uint16_t port, uint16_t q)
{
	struct rte_mbuf *pkts[BURST];
	uint16_t n = rte_eth_rx_burst(port, q, pkts, BURST);
	uint16_t sent = rte_eth_tx_burst(port, 0, pkts, n);

	rte_pktmbuf_free_bulk(pkts + sent, n - sent);
	return n;
}

static bool
all_poll(void)
{
	unsigned int n = 0;
	uint16_t port;

	RTE_ETH_FOREACH_DEV (port)
		for (uint16_t q = 0; q < queues[port]; q++)
			n += queue_poll(port, q);
	return n != 0;
}

/* Every queue, even when one fails: those that were armed must be disabled again. */
static bool
all_intr(int (*op)(uint16_t port, uint16_t queue))
{
	bool done = true;
	uint16_t port;

	RTE_ETH_FOREACH_DEV (port)
		for (uint16_t q = 0; q < queues[port]; q++)
			done &= op(port, q) == 0;
	return done;
}

static void
print(void)
{
	struct rte_pmd_aim_stats s;
	uint16_t port;

	RTE_ETH_FOREACH_DEV (port)
		for (uint16_t q = 0; q < queues[port]; q++)
			if (rte_pmd_aim_stats_get(port, q, &s) == 0)
				printf("port %u queue %u: %" PRIu64 " packets, %" PRIu64
				       " wakes, %" PRIu64 " spurious, interval %u ns\n",
				       port, q, s.packets, s.wakes, s.spurious_wakes, s.itr_ns);
}

int
main(int argc, char **argv)
{
	struct rte_epoll_event events[16], quit_event = {.epdata.event = EPOLLIN};
	struct rte_mempool *pool;
	unsigned int idle = 0;
	uint16_t port;
	int used = rte_eal_init(argc, argv);

	if (used < 0)
		rte_exit(EXIT_FAILURE, "EAL does not start\n");
	pool = rte_pktmbuf_pool_create("pool", 16383, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
				       (int)rte_socket_id());
	if (pool == NULL)
		rte_exit(EXIT_FAILURE, "no memory for packets: %s\n", rte_strerror(rte_errno));
	RTE_ETH_FOREACH_DEV (port)
		port_start(port, pool);
	for (int i = used + 1; i < argc; i++)
		policy_set(argv[i]);
	quit_fd = eventfd(0, EFD_NONBLOCK); /* rule 5 */
	if (quit_fd < 0 ||
	    rte_epoll_ctl(RTE_EPOLL_PER_THREAD, EPOLL_CTL_ADD, quit_fd, &quit_event) != 0)
		rte_exit(EXIT_FAILURE, "no event descriptor to be had\n");
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	while (!quit) {
		if (all_poll()) {
			idle = 0;
		} else if (++idle >= IDLE_POLLS) {
			if (!all_intr(rte_eth_dev_rx_intr_enable))
				break;	 /* a device is gone */
			if (!all_poll()) /* rule 3 */
				rte_epoll_wait(RTE_EPOLL_PER_THREAD, events, RTE_DIM(events), -1);
			all_intr(rte_eth_dev_rx_intr_disable); /* rule 4 */
			idle = 0;
		}
	}
	print();
	RTE_ETH_FOREACH_DEV (port) {
		rte_eth_dev_stop(port);
		rte_eth_dev_close(port);
	}
	return rte_eal_cleanup() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
