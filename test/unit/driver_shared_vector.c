/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two threads sleep on queues of one vector, which has one event descriptor. Who adds the queues by
 * rte_eth_dev_rx_intr_ctl_q() in both threads has a sleeper that nothing wakes: EAL keeps one
 * registration a descriptor, and takes the second for done. And who reads the descriptor takes the
 * other's event away. Sets of the threads' own, edge-triggered and never read, wake both.
 */
#include "rig.h"

#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <rte_epoll.h>
#include <rte_interrupts.h>

#define ROUNDS 3000u
#define LONG_MS 5000
#define SHORT_MS 200

struct sleeper {
	struct rig *rig;
	uint16_t q;
	pthread_t thread;
	uint8_t frame[60]; /* that reaches the queue */
	/* between the threads */
	unsigned int armed, got, spurious, lost;
	int rc, woken;
	bool end;
};

static bool
becomes(const unsigned int *count, unsigned int value, unsigned int ms)
{
	for (unsigned int us = 0; us < ms * 1000; us += 20) {
		if (__atomic_load_n(count, __ATOMIC_ACQUIRE) >= value)
			return true;
		usleep(20);
	}
	return false;
}

/* A port with two queues on one vector, and a frame for each. */
static void
bench_open(struct rig *rig, struct sleeper *s)
{
	const struct rig_conf conf = {.nic = rig_family.quick_nic,
				      .rxq_intr = true,
				      .rxq = 2,
				      .vectors = 2,
				      .devargs = "aim=off",
				      .rss_hf = RTE_ETH_RSS_NONFRAG_IPV4_UDP};
	bool found[2] = {false, false};

	rig_open(rig, &conf);
	memset(s, 0, 2 * sizeof(*s));
	for (uint32_t flow = 0; !found[0] || !found[1]; flow++) {
		uint8_t frame[60];
		uint16_t q;

		assert_true(flow < 1000);
		rig_frame(frame, sizeof(frame), flow);
		assert_int_equal(nic_inject(rig->nic, frame, sizeof(frame)), 0);
		q = rig_drain(rig, 0) == 0;
		rig_drain(rig, 1);
		memcpy(s[q].frame, frame, sizeof(frame));
		found[q] = true;
	}
	for (uint16_t q = 0; q < 2; q++) {
		s[q].rig = rig;
		s[q].q = q;
	}
	(void)rig_woken(rig, 0);
}

/* As examples of DPDK do it. */
static void *
sleep_by_ctl_q(void *arg)
{
	struct sleeper *s = arg;
	struct rte_epoll_event event;

	s->rc = rte_eth_dev_rx_intr_ctl_q(s->rig->port, s->q, RTE_EPOLL_PER_THREAD,
					  RTE_INTR_EVENT_ADD, NULL);
	if (s->rc == 0)
		s->rc = rte_eth_dev_rx_intr_enable(s->rig->port, s->q);
	__atomic_store_n(&s->armed, 1, __ATOMIC_RELEASE);
	s->woken = rte_epoll_wait(RTE_EPOLL_PER_THREAD, &event, 1,
				  s->q == 0 ? LONG_MS : LONG_MS / 10);
	return NULL;
}

static void
added_by_two_threads_a_vector_wakes_the_first_only(void **state)
{
	struct sleeper s[2];
	struct rig rig;

	(void)state;
	bench_open(&rig, s);
	for (int q = 0; q < 2; q++) {
		assert_int_equal(pthread_create(&s[q].thread, NULL, sleep_by_ctl_q, &s[q]), 0);
		assert_true(becomes(&s[q].armed, 1, LONG_MS));
		assert_int_equal(s[q].rc, 0); /* EAL knows better, and does not say so */
	}
	/* for the second, whom it does not reach */
	assert_int_equal(nic_inject(rig.nic, s[1].frame, sizeof(s[1].frame)), 0);
	for (int q = 0; q < 2; q++)
		assert_int_equal(pthread_join(s[q].thread, NULL), 0);
	assert_int_equal(s[0].woken, 1);
	assert_int_equal(s[1].woken, 0);
	rig_drain(&rig, 1);
	rig_close(&rig);
}

/* A set of the thread's own, edge-triggered, whose descriptor nobody reads. */
static void *
sleep_by_edges(void *arg)
{
	struct sleeper *s = arg;
	int fd = rte_eth_dev_rx_intr_ctl_q_get_fd(s->rig->port, s->q), set = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};

	s->rc = fd < 0 || set < 0 ? -1 : epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
	while (s->rc == 0 && !__atomic_load_n(&s->end, __ATOMIC_ACQUIRE)) {
		unsigned int n;

		s->rc = rte_eth_dev_rx_intr_enable(s->rig->port, s->q);
		__atomic_fetch_add(&s->armed, 1, __ATOMIC_RELEASE);
		if (epoll_wait(set, &event, 1, LONG_MS) != 1) {
			__atomic_fetch_add(&s->lost, 1, __ATOMIC_RELEASE);
			break;
		}
		if (rte_eth_dev_rx_intr_disable(s->rig->port, s->q) != 0)
			s->rc = -1;
		n = rig_drain(s->rig, s->q);
		s->spurious += n == 0;
		__atomic_fetch_add(&s->got, n, __ATOMIC_RELEASE);
	}
	if (set >= 0)
		close(set);
	return NULL;
}

static void
by_sets_of_their_own_that_nobody_reads_both_wake(void **state)
{
	const uint64_t one = 1;
	struct sleeper s[2];
	struct rig rig;
	unsigned int sent[2] = {0, 0};

	(void)state;
	bench_open(&rig, s);
	for (int q = 0; q < 2; q++)
		assert_int_equal(pthread_create(&s[q].thread, NULL, sleep_by_edges, &s[q]), 0);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		unsigned int first = round & 1, both = round % 3 == 0;

		/* into sleeps, and into arms: now and then no one waits for them */
		if (round % 5 == 0)
			usleep(100);
		for (unsigned int i = 0; i <= both; i++) {
			unsigned int q = i == 0 ? first : !first;

			assert_int_equal(nic_inject(rig.nic, s[q].frame, sizeof(s[q].frame)), 0);
			sent[q]++;
		}
		for (int q = 0; q < 2; q++)
			if (!becomes(&s[q].got, sent[q], SHORT_MS * 10))
				fail_msg("round %u: queue %d got %u of %u packets, %u wakes lost",
					 round, q, s[q].got, sent[q], s[q].lost);
	}
	for (int q = 0; q < 2; q++)
		__atomic_store_n(&s[q].end, true, __ATOMIC_RELEASE);
	assert_int_equal(write(rte_eth_dev_rx_intr_ctl_q_get_fd(rig.port, 0), &one, sizeof(one)),
			 sizeof(one));
	for (int q = 0; q < 2; q++) {
		assert_int_equal(pthread_join(s[q].thread, NULL), 0);
		assert_int_equal(s[q].rc, 0);
		assert_int_equal(s[q].lost, 0);
		assert_true(s[q].got == sent[q]);
	}
	print_message("             %u and %u packets, %u and %u sleeps, %u and %u of them for the "
		      "other queue\n",
		      sent[0], sent[1], s[0].armed, s[1].armed, s[0].spurious, s[1].spurious);
	rig_close(&rig);
}

static int armed_elsewhere;

static void *
arm_elsewhere(void *arg)
{
	armed_elsewhere = rte_eth_dev_rx_intr_enable(((struct rig *)arg)->port, 0);
	return NULL;
}

/* A queue is for one thread at a time: another may take it over once it was disarmed, or polled. */
static void
a_queue_that_another_thread_has_armed_is_refused_with_a_line(void **state)
{
	pthread_t thread;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct rig rig;

	(void)state;
	assert_non_null(out);
	rig_open(&rig, &(struct rig_conf){.rxq_intr = true});
	rig_arm(&rig, 0);
	rig_arm(&rig, 0); /* its own thread may */
	rte_openlog_stream(out);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_create(&thread, NULL, arm_elsewhere, &rig), 0);
		pthread_join(thread, NULL);
		assert_int_equal(armed_elsewhere, -EBUSY);
	}
	rte_openlog_stream(NULL);
	fclose(out);
	assert_non_null(strstr(text, "armed by thread"));
	assert_null(strchr(strchr(text, '\n') + 1, '\n')); /* one line */
	free(text);
	for (int i = 0; i < 2; i++) {
		rig_arm(&rig, 0);
		if (i == 0)
			rig_disarm(&rig, 0);
		else
			rig_drain(&rig, 0);
		assert_int_equal(pthread_create(&thread, NULL, arm_elsewhere, &rig), 0);
		pthread_join(thread, NULL);
		assert_int_equal(armed_elsewhere, 0);
		rig_drain(&rig, 0);
	}
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_queue_that_another_thread_has_armed_is_refused_with_a_line),
	    cmocka_unit_test(added_by_two_threads_a_vector_wakes_the_first_only),
	    cmocka_unit_test(by_sets_of_their_own_that_nobody_reads_both_wake),
	};

	return cmocka_run_group_tests_name("driver_shared_vector", tests, rig_init, rig_fini);
}
