/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sleeps and wakes in real time, by the million, with packets that come at any moment around the
 * arm: each queue has a thread that sleeps without a time-out, so that a lost wake is a thread that
 * never returns. Ends with a line of counts; exit status 1 when a wake or a packet was lost, or
 * when one wake in a hundred or more was spurious. A packet right behind another leaves a cause
 * that wakes for nothing, unless the queue is polled empty often enough before its next sleep for
 * the driver to drop it: with less, and pairs, spurious wakes are only counted. wake-soak [--wakes
 * N] [--cores N] [--queues N] [--idle-polls N] [--pairs PERCENT] [--policy NAME]
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include "../../drivers/common/rte_pmd_aim.h"
#include "bench.h"
#include "softpci.h"

#define QUEUES_MAX 16u
#define DROP_POLLS 255u /* see drivers/common/moderation.c */
#define STUCK_S 20	/* a thread that has not seen its packet by then never will */

static struct {
	uint64_t wakes;
	unsigned int cores, queues, idle_polls, pairs;
	const char *policy;
} opt = {.wakes = 1000000, .cores = 0, .queues = 0, .idle_polls = 300, .pairs = 6, .policy = "aim"};

struct sleeper {
	pthread_t thread;
	uint16_t q;
	int quit_fd;
	uint8_t frame[BENCH_FRAME];
	uint64_t sent;	   /* the injector's */
	uint64_t got;	   /* the sleeper's */
	uint64_t timeouts; /* sleeps that ended without an event: there are none */
} __rte_cache_aligned;

static struct sleeper sleepers[QUEUES_MAX];
static struct rte_mempool *pool;
static struct softpci *pci;
static uint16_t port;
static volatile sig_atomic_t interrupted;
static bool quit;

static void
on_signal(int signal)
{
	(void)signal;
	interrupted = 1;
}

static uint64_t
random_next(void)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static bool
poll_once(struct sleeper *s)
{
	struct rte_mbuf *pkts[32];
	uint16_t n = rte_eth_rx_burst(port, s->q, pkts, 32);

	rte_pktmbuf_free_bulk(pkts, n);
	if (n != 0)
		__atomic_store_n(&s->got, s->got + n, __ATOMIC_RELEASE);
	return n != 0;
}

static void *
sleeper_run(void *arg)
{
	struct rte_epoll_event quit_event = {.epdata.event = EPOLLIN}, event;
	struct sleeper *s = arg;
	unsigned int idle = 0;

	if (rte_thread_register() != 0 ||
	    rte_eth_dev_rx_intr_ctl_q(port, s->q, RTE_EPOLL_PER_THREAD, RTE_INTR_EVENT_ADD, NULL) !=
		0 ||
	    rte_epoll_ctl(RTE_EPOLL_PER_THREAD, EPOLL_CTL_ADD, s->quit_fd, &quit_event) != 0)
		bench_die("a queue cannot be slept on");
	while (!__atomic_load_n(&quit, __ATOMIC_ACQUIRE)) {
		if (poll_once(s)) {
			idle = 0;
			continue;
		}
		if (++idle < opt.idle_polls)
			continue;
		/* as l3fwd-power does: no look between arm and sleep */
		if (rte_eth_dev_rx_intr_enable(port, s->q) != 0)
			bench_die("arming failed");
		if (rte_epoll_wait(RTE_EPOLL_PER_THREAD, &event, 1, -1) < 1)
			s->timeouts++;
		if (rte_eth_dev_rx_intr_disable(port, s->q) != 0)
			bench_die("disabling failed");
		idle = 0;
	}
	rte_thread_unregister();
	return NULL;
}

/* A frame for each queue, by trial, while nobody sleeps. */
static void
frames_find(void)
{
	unsigned int missing = opt.queues;

	for (uint16_t flow = 1; missing != 0 && flow != 0; flow++) {
		uint8_t frame[BENCH_FRAME];

		bench_frame(frame, flow);
		if (nic_inject(softpci_nic(pci), frame, BENCH_FRAME) != 0)
			bench_die("the NIC takes no frame");
		for (uint16_t q = 0; q < opt.queues; q++) {
			struct rte_mbuf *m;

			if (rte_eth_rx_burst(port, q, &m, 1) != 1)
				continue;
			rte_pktmbuf_free(m);
			missing -= sleepers[q].frame[12] == 0;
			memcpy(sleepers[q].frame, frame, BENCH_FRAME);
		}
	}
	if (missing != 0)
		bench_die("RSS reaches not every queue");
}

static void
port_start(void)
{
	struct rte_eth_conf conf = {
	    .rxmode.mq_mode = RTE_ETH_MQ_RX_RSS,
	    .rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_NONFRAG_IPV4_UDP,
	    .intr_conf.rxq = 1,
	};
	char devargs[64], err[256];
	struct softpci_conf nic = {.driver = "net_ixgbe_aim", .devargs = devargs};

	snprintf(devargs, sizeof(devargs), "aim=%s", opt.policy);
	pci = softpci_open(&nic, err, sizeof(err));
	if (pci == NULL)
		bench_die(err);
	port = softpci_port_id(pci);
	if (rte_eth_dev_configure(port, (uint16_t)opt.queues, 1, &conf) != 0)
		bench_die("the port cannot be configured");
	for (uint16_t q = 0; q < opt.queues; q++)
		if (rte_eth_rx_queue_setup(port, q, 256, 0, NULL, pool) != 0)
			bench_die("no Rx queue");
	if (rte_eth_tx_queue_setup(port, 0, 64, 0, NULL) != 0 || rte_eth_dev_start(port) != 0)
		bench_die("the port does not start");
}

static void
counts(uint64_t *wakes, uint64_t *spurious)
{
	*wakes = *spurious = 0;
	for (uint16_t q = 0; q < opt.queues; q++) {
		struct rte_pmd_aim_stats s;

		if (rte_pmd_aim_stats_get(port, q, &s) != 0)
			bench_die("no statistics");
		*wakes += s.wakes;
		*spurious += s.spurious_wakes;
	}
}

/* Until the queue's thread has seen all that was sent to it. False: it sleeps on. */
static bool
seen(const struct sleeper *s)
{
	uint64_t start = rte_rdtsc();

	while (__atomic_load_n(&s->got, __ATOMIC_ACQUIRE) != s->sent) {
		if (rte_rdtsc() - start > STUCK_S * rte_get_tsc_hz())
			return false;
		sched_yield();
	}
	return true;
}

/* Packets one by one to queues at random, each a moment after the last was seen. */
static bool
inject_until(uint64_t wakes)
{
	uint64_t done = 0, spurious, us = rte_get_tsc_hz() / 1000000;

	for (uint64_t n = 1; !interrupted; n++) {
		struct sleeper *s = &sleepers[random_next() % opt.queues];
		uint64_t until, packets = 1 + (random_next() % 100 < opt.pairs);

		if (!seen(s))
			return false;
		until = rte_rdtsc() + random_next() % (40 * us);
		while (rte_rdtsc() < until)
			opt.cores == 1 ? (void)sched_yield() : rte_pause();
		while (packets-- > 0) {
			s->sent++;
			if (nic_inject(softpci_nic(pci), s->frame, BENCH_FRAME) != 0)
				bench_die("the NIC takes no frame");
		}
		if (n % 4096 == 0) {
			counts(&done, &spurious);
			if (isatty(STDERR_FILENO))
				fprintf(stderr, "\r%" PRIu64 " wakes", done);
			if (done >= wakes)
				break;
		}
	}
	for (unsigned int q = 0; q < opt.queues; q++)
		if (!seen(&sleepers[q]))
			return false;
	return true;
}

static unsigned long
number(const char *name, const char *value, unsigned long min, unsigned long max)
{
	char *end;
	unsigned long v = strtoul(value, &end, 10);

	if (*end != '\0' || value[0] == '-' || v < min || v > max) {
		fprintf(stderr, "wake-soak: --%s %s: give %lu to %lu\n", name, value, min, max);
		exit(2);
	}
	return v;
}

static void
options(int argc, char **argv)
{
	static const struct option all[] = {
	    {"wakes", required_argument, NULL, 'w'},  {"cores", required_argument, NULL, 'c'},
	    {"queues", required_argument, NULL, 'q'}, {"policy", required_argument, NULL, 'p'},
	    {"pairs", required_argument, NULL, 'P'},  {"idle-polls", required_argument, NULL, 'i'},
	    {"help", no_argument, NULL, 'h'},	      {NULL, 0, NULL, 0},
	};
	unsigned long cpus = (unsigned long)sysconf(_SC_NPROCESSORS_ONLN);
	int c;

	while ((c = getopt_long(argc, argv, "", all, NULL)) != -1) {
		switch (c) {
		case 'w':
			opt.wakes = number("wakes", optarg, 1, 1000000000000);
			break;
		case 'c':
			opt.cores = (unsigned int)number("cores", optarg, 1, cpus);
			break;
		case 'q':
			opt.queues = (unsigned int)number("queues", optarg, 1, QUEUES_MAX);
			break;
		case 'i':
			opt.idle_polls = (unsigned int)number("idle-polls", optarg, 1, 1000000);
			break;
		case 'P':
			opt.pairs = (unsigned int)number("pairs", optarg, 0, 100);
			break;
		case 'p':
			opt.policy = optarg;
			break;
		default:
			fprintf(
			    c == 'h' ? stdout : stderr,
			    "usage: wake-soak [--wakes N] [--cores N] [--queues N] "
			    "[--idle-polls N] [--pairs PERCENT] [--policy NAME]\n"
			    "  --wakes N       until there were so many (default 1000000)\n"
			    "  --cores N       on so many cores (default all)\n"
			    "  --queues N      a sleeping thread each (default 2 a core)\n"
			    "  --idle-polls N  empty polls before each sleep (default 300)\n"
			    "  --pairs PERCENT of packets that have a second right behind (default 6)\n"
			    "  --policy NAME   of moderation (default aim)\n");
			exit(c == 'h' ? 0 : 2);
		}
	}
	if (opt.cores == 0)
		opt.cores = (unsigned int)cpus;
	if (opt.queues == 0)
		opt.queues = RTE_MIN(2 * opt.cores, QUEUES_MAX);
}

int
main(int argc, char **argv)
{
	static const char *const none[] = {NULL};
	uint64_t wakes, spurious, sent = 0, got = 0, timeouts = 0, start;
	cpu_set_t cpus;
	bool ok;

	options(argc, argv);
	bench_init("wake-soak", none);
	pool = rte_pktmbuf_pool_create("soak", 8191, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	if (pool == NULL)
		bench_die("no memory for the pool");
	CPU_ZERO(&cpus);
	for (unsigned int c = 0; c < opt.cores; c++)
		CPU_SET(c, &cpus);
	pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
	port_start();
	frames_find();
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	for (uint16_t q = 0; q < opt.queues; q++) {
		sleepers[q].q = q;
		sleepers[q].quit_fd = eventfd(0, EFD_NONBLOCK);
		if (sleepers[q].quit_fd < 0 ||
		    pthread_create(&sleepers[q].thread, NULL, sleeper_run, &sleepers[q]) != 0)
			bench_die("no thread");
	}
	start = rte_rdtsc();
	ok = inject_until(opt.wakes);
	counts(&wakes, &spurious);
	for (unsigned int q = 0; q < opt.queues; q++) {
		sent += sleepers[q].sent;
		got += sleepers[q].got;
		timeouts += __atomic_load_n(&sleepers[q].timeouts, __ATOMIC_RELAXED);
	}
	printf("%s%" PRIu64
	       " wakes on %u cores, %u queues, %u idle polls, %u %% pairs, policy %s: %" PRIu64
	       " packets sent, %" PRIu64 " received, %s, %" PRIu64 " spurious (%.3f %%), %.0f s\n",
	       isatty(STDERR_FILENO) ? "\r" : "", wakes, opt.cores, opt.queues, opt.idle_polls,
	       opt.pairs, opt.policy, sent, got, ok ? "0 lost" : "a wake or a packet was lost",
	       spurious, 100.0 * (double)spurious / (double)RTE_MAX(wakes + spurious, UINT64_C(1)),
	       (double)(rte_rdtsc() - start) / (double)rte_get_tsc_hz());
	if (interrupted && wakes < opt.wakes)
		printf("interrupted: %" PRIu64 " wakes were asked for\n", opt.wakes);
	if (timeouts != 0)
		printf("%" PRIu64 " sleeps without a time-out ended without an event\n", timeouts);
	fflush(stdout);
	if (!ok)
		_exit(1); /* a thread sleeps on */
	__atomic_store_n(&quit, true, __ATOMIC_RELEASE);
	for (unsigned int q = 0; q < opt.queues; q++) {
		(void)eventfd_write(sleepers[q].quit_fd, 1);
		pthread_join(sleepers[q].thread, NULL);
		close(sleepers[q].quit_fd);
	}
	rte_eth_dev_stop(port);
	rte_eth_dev_close(port);
	softpci_close(pci);
	rte_mempool_free(pool);
	bench_fini();
	if (wakes < opt.wakes || timeouts != 0)
		return 1;
	return (opt.idle_polls < DROP_POLLS && opt.pairs != 0) || spurious * 100 < wakes + spurious
		   ? 0
		   : 1;
}
