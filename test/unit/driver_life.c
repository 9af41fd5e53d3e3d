/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happens to a port while another thread sleeps on its queue, without a time-out: a sleeper
 * that is not woken hangs the test. Threads in real time, the NIC in virtual time.
 */
#include "rig.h"
#include "open_fds.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <rte_interrupts.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

static const struct rig_conf intr = {
    .rxq_intr = true, .lsc_intr = true, .rmv_intr = true, .devargs = "aim=off"};

struct sleeper {
	pthread_t thread;
	uint16_t port, q;
	bool lasting; /* the port goes on after the wake */
	bool own_set; /* an epoll set of its own, of the queue's descriptor */
	bool armed;
	int epfd;
};

static void *
sleep_once(void *arg)
{
	struct sleeper *s = arg;
	struct rte_epoll_event event;
	struct epoll_event own;
	bool ready = rte_thread_register() == 0;
	int n = 0;

	if (ready && !s->own_set)
		ready = rte_eth_dev_rx_intr_ctl_q(s->port, s->q, RTE_EPOLL_PER_THREAD,
						  RTE_INTR_EVENT_ADD, NULL) == 0;
	ready = ready && rte_eth_dev_rx_intr_enable(s->port, s->q) == 0;
	__atomic_store_n(&s->armed, true, __ATOMIC_RELEASE);
	if (ready && s->own_set)
		n = epoll_wait(s->epfd, &own, 1, -1);
	else if (ready)
		n = rte_epoll_wait(RTE_EPOLL_PER_THREAD, &event, 1, -1);
	if (s->lasting) /* who comes after it, in another thread, adds the queue anew */
		(void)rte_eth_dev_rx_intr_ctl_q(s->port, s->q, RTE_EPOLL_PER_THREAD,
						RTE_INTR_EVENT_DEL, NULL);
	rte_thread_unregister();
	return n == 1 ? s : NULL;
}

static void
sleeper_start(struct rig *rig, struct sleeper *s, uint16_t q)
{
	s->port = rig->port;
	s->q = q;
	s->armed = false;
	assert_int_equal(pthread_create(&s->thread, NULL, sleep_once, s), 0);
	while (!__atomic_load_n(&s->armed, __ATOMIC_ACQUIRE))
		usleep(100);
	usleep(500); /* mostly it sleeps by now; whether or not, it must return */
}

static bool held, holding;

static void
hold(int signal)
{
	(void)signal;
	__atomic_store_n(&holding, true, __ATOMIC_RELEASE);
	while (__atomic_load_n(&held, __ATOMIC_ACQUIRE))
		usleep(100);
	__atomic_store_n(&holding, false, __ATOMIC_RELEASE);
}

static void *
let_go(void *arg)
{
	usleep(20000);
	__atomic_store_n(&held, false, __ATOMIC_RELEASE);
	return arg;
}

/* Whatever woke it, the sleeper does not get to run for a while: the wake has to last. */
static void
sleeper_hold_back(struct sleeper *s, pthread_t *helper)
{
	const struct sigaction action = {.sa_handler = hold};

	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	held = true;
	assert_int_equal(pthread_kill(s->thread, SIGUSR1), 0);
	while (!__atomic_load_n(&holding, __ATOMIC_ACQUIRE))
		usleep(100);
	assert_int_equal(pthread_create(helper, NULL, let_go, NULL), 0);
}

static void
sleeper_returned(struct sleeper *s)
{
	void *result;

	assert_int_equal(pthread_join(s->thread, &result), 0);
	assert_ptr_equal(result, s);
}

static void
a_stop_wakes_those_who_sleep(void **state)
{
	struct rig_conf conf = intr;
	struct rig rig;

	(void)state;
	conf.rxq = 3;
	rig_open(&rig, &conf);
	for (int round = 0; round < 10; round++) {
		struct sleeper s[3] = {0};

		for (uint16_t q = 0; q < 3; q++)
			sleeper_start(&rig, &s[q], q);
		assert_int_equal(rte_eth_dev_stop(rig.port), 0);
		for (int q = 0; q < 3; q++)
			sleeper_returned(&s[q]);
		/* it is right to disarm, and wrong to arm */
		assert_int_equal(rte_eth_dev_rx_intr_disable(rig.port, 0), 0);
		assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), -EINVAL);
		assert_int_equal(rte_eth_dev_start(rig.port), 0);
	}
	rig_close(&rig);
}

/* The wake is not lost with what a start renews. */
static void
so_does_a_stop_with_a_start_right_behind(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &intr);
	for (int round = 0; round < 20; round++) {
		struct sleeper s = {0};
		pthread_t helper;

		sleeper_start(&rig, &s, 0);
		sleeper_hold_back(&s, &helper);
		assert_int_equal(rte_eth_dev_stop(rig.port), 0);
		assert_int_equal(rte_eth_dev_start(rig.port), 0);
		sleeper_returned(&s);
		assert_int_equal(pthread_join(helper, NULL), 0);
	}
	rig_close(&rig);
}

static void
so_does_a_close(void **state)
{
	(void)state;
	for (int round = 0; round < 10; round++) {
		struct sleeper s = {0};
		pthread_t helper;
		struct rig rig;

		rig_open(&rig, &intr);
		sleeper_start(&rig, &s, 0);
		sleeper_hold_back(&s, &helper);
		assert_int_equal(rte_eth_dev_stop(rig.port), 0);
		assert_int_equal(rte_eth_dev_close(rig.port), 0);
		sleeper_returned(&s);
		assert_int_equal(pthread_join(helper, NULL), 0);
		rig_close(&rig);
	}
}

static void
so_does_another_number_of_queues(void **state)
{
	const uint16_t queues[] = {4, 2, rig_family.wide_queues / 2, 1, rig_family.wide_queues, 3};
	struct rig rig;

	(void)state;
	rig_open(&rig, &intr);
	for (size_t i = 0; i < RTE_DIM(queues); i++) {
		struct sleeper s = {0};

		sleeper_start(&rig, &s, (uint16_t)(rig.conf.rxq / 2));
		assert_int_equal(rte_eth_dev_stop(rig.port), 0);
		rig.conf.rxq = queues[i];
		rig.conf.rx_desc = 64;
		rig_start(&rig);
		sleeper_returned(&s);
	}
	rig_close(&rig);
}

static void
a_reset_wakes_and_the_port_can_be_slept_on_again(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &intr);
	for (int round = 0; round < 3; round++) {
		struct sleeper s = {0};

		sleeper_start(&rig, &s, 0);
		assert_int_equal(rte_eth_dev_reset(rig.port), 0);
		sleeper_returned(&s);
		rig_start(&rig);
		s.lasting = true;
		sleeper_start(&rig, &s, 0);
		rig_inject(&rig, 1, 60);
		sleeper_returned(&s);
		assert_int_equal(rig_drain(&rig, 0), 1);
	}
	rig_close(&rig);
}

static void
so_does_the_stop_of_a_queue(void **state)
{
	struct rig_conf conf = intr;
	struct rig rig;

	(void)state;
	conf.rxq = 2;
	rig_open(&rig, &conf);
	for (int round = 0; round < 10; round++) {
		struct sleeper s[2] = {{.lasting = true}, {.lasting = true}};

		for (uint16_t q = 0; q < 2; q++)
			sleeper_start(&rig, &s[q], q);
		assert_int_equal(rte_eth_dev_rx_queue_stop(rig.port, 0), 0);
		sleeper_returned(&s[0]);
		assert_int_equal(rte_eth_dev_rx_intr_disable(rig.port, 0), 0);
		assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), -EINVAL);
		assert_int_equal(rte_eth_dev_rx_queue_stop(rig.port, 1), 0);
		sleeper_returned(&s[1]);
		rig_disarm(&rig, 1);
		assert_int_equal(rte_eth_dev_rx_queue_start(rig.port, 0), 0);
		assert_int_equal(rte_eth_dev_rx_queue_start(rig.port, 1), 0);
		rig_arm(&rig, 0);
		rig_disarm(&rig, 0);
	}
	rig_close(&rig);
}

/* The descriptor and a set of the application's own that holds it outlive a restart. */
static void
own_set_outlives_restarts(const struct rig_conf *conf)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct sleeper s = {.own_set = true, .epfd = epoll_create1(0)};
	struct rig rig;
	int fd;

	rig_open(&rig, conf);
	fd = rte_eth_dev_rx_intr_ctl_q_get_fd(rig.port, 0);
	assert_int_equal(epoll_ctl(s.epfd, EPOLL_CTL_ADD, fd, &event), 0);
	for (int round = 0; round < 5; round++) {
		sleeper_start(&rig, &s, 0);
		rig_inject_to(&rig, 0);
		sleeper_returned(&s);
		assert_true(rig_woken(&rig, 0));
		assert_int_equal(rig_drain(&rig, 0), 1);
		assert_int_equal(rte_eth_dev_stop(rig.port), 0);
		assert_int_equal(rte_eth_dev_set_mtu(rig.port, (uint16_t)(1400 + round)), 0);
		assert_int_equal(rte_eth_dev_start(rig.port), 0);
		assert_int_equal(rte_eth_dev_rx_intr_ctl_q_get_fd(rig.port, 0), fd);
		assert_false(rig_woken(&rig, 0)); /* nobody slept: no wake is left of the stop */
	}
	close(s.epfd);
	rig_close(&rig);
}

static void
an_epoll_set_of_the_applications_own_outlives_a_restart(void **state)
{
	(void)state;
	own_set_outlives_restarts(&intr);
}

/* VFIO gives half of what four queues ask for. */
static void
so_it_does_where_vectors_are_few(void **state)
{
	(void)state;
	own_set_outlives_restarts(&(struct rig_conf){.nic = rig_family.wide_nic,
						     .rxq_intr = true,
						     .rxq = 4,
						     .vectors = 3,
						     .rss_hf = RTE_ETH_RSS_NONFRAG_IPV4_UDP});
}

/* What the kernel refuses EAL logs as an error: interrupts that are disabled twice, or never were
 * enabled. */
static void
starts_stops_and_closes_log_no_error(void **state)
{
	const struct rig_conf confs[] = {{.rxq_intr = true}, {.lsc_intr = true}, {0}};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct rig rig;

	(void)state;
	assert_non_null(out);
	rte_openlog_stream(out);
	for (size_t i = 0; i < RTE_DIM(confs); i++) {
		rig_open(&rig, &confs[i]);
		assert_int_equal(rte_eth_dev_stop(rig.port), 0);
		assert_int_equal(rte_eth_dev_start(rig.port), 0);
		assert_int_equal(rte_eth_dev_stop(rig.port), 0);
		rig.conf.rxq_intr = !rig.conf.rxq_intr;
		rig_start(&rig);
		rig_close(&rig);
	}
	rte_openlog_stream(NULL);
	fclose(out);
	assert_null(strstr(text, "rror"));
	free(text);
}

static void
nothing_that_is_changed_while_it_runs_ends_a_sleep(void **state)
{
	struct rte_ether_addr mac = {{2, 9, 9, 9, 9, 9}};
	int filters = rig_family.no_port ? -ENOTSUP : 0;
	struct sleeper s = {0};
	struct rig rig;

	(void)state;
	rig_open(&rig, &intr);
	sleeper_start(&rig, &s, 0);
	assert_int_equal(rte_eth_dev_set_mtu(rig.port, 1400), 0);
	assert_int_equal(rte_eth_promiscuous_disable(rig.port), 0);
	assert_int_equal(rte_eth_allmulticast_enable(rig.port), filters);
	assert_int_equal(rte_eth_promiscuous_enable(rig.port), filters);
	if (!rig_family.no_port)
		assert_int_equal(rte_eth_dev_mac_addr_add(rig.port, &mac, 0), 0);
	nic_link_set(rig.nic, false, rig_family.mbps);
	assert_true(rig_link_becomes(&rig, false));
	nic_link_set(rig.nic, true, rig_family.mbps);
	assert_true(rig_link_becomes(&rig, true));
	assert_int_equal(rte_eth_stats_reset(rig.port), 0);
	assert_false(rig_woken(&rig, 0));
	rig_inject(&rig, 1, 60);
	sleeper_returned(&s);
	assert_int_equal(rig_drain(&rig, 0), 1);
	rig_close(&rig);
}

static unsigned int closed;

static int
close_it(uint16_t port, enum rte_eth_event_type type, void *arg, void *ret)
{
	(void)type, (void)arg, (void)ret;
	rte_eth_dev_stop(port);
	__atomic_store_n(&closed, rte_eth_dev_close(port) == 0 ? 1 : 2, __ATOMIC_RELEASE);
	return 0;
}

static void
the_callback_of_a_link_change_may_close_the_port(void **state)
{
	(void)state;
	if (rig_family.no_port)
		skip();
	for (int round = 0; round < 3; round++) {
		struct rig rig;

		closed = 0;
		rig_open(&rig, &intr);
		assert_int_equal(
		    rte_eth_dev_callback_register(rig.port, RTE_ETH_EVENT_INTR_LSC, close_it, NULL),
		    0);
		nic_link_set(rig.nic, false, rig_family.mbps);
		while (__atomic_load_n(&closed, __ATOMIC_ACQUIRE) == 0)
			usleep(1000);
		assert_int_equal(closed, 1);
		usleep(1000); /* the interrupt thread comes back from it */
		rig_close(&rig);
	}
}

static size_t
heap(void)
{
	struct rte_malloc_socket_stats stats;

	assert_int_equal(rte_malloc_get_socket_stats(0, &stats), 0);
	return stats.heap_allocsz_bytes;
}

/* The device goes while a thread sleeps on it. */
static void
unplug_under_a_sleeper(struct rig *rig)
{
	/* EAL's own set of a thread stays open when the thread ends */
	struct sleeper s = {.own_set = true, .epfd = epoll_create1(0)};
	struct epoll_event event = {.events = EPOLLIN};
	int fd = rte_eth_dev_rx_intr_ctl_q_get_fd(rig->port, 0);

	assert_int_equal(epoll_ctl(s.epfd, EPOLL_CTL_ADD, fd, &event), 0);
	sleeper_start(rig, &s, 0);
	assert_int_equal(softpci_unplug(rig->pci), 0);
	sleeper_returned(&s);
	assert_int_equal(close(s.epfd), 0);
}

/* Restarts, closes, and unplugs; AIM_CYCLES=1000 for the long run. */
static void
cycles_leave_no_descriptor_and_no_memory(void **state)
{
	const char *env = getenv("AIM_CYCLES");
	int cycles = env != NULL ? atoi(env) : 40;
	unsigned int fds_before = 0;
	size_t heap_before = 0;
	struct rig rig;

	(void)state;
	rig_open(&rig, &intr);
	for (int i = 0; i < cycles; i++) {
		assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), 0);
		rig_inject(&rig, 1, 60);
		assert_true(rig_woken(&rig, 0));
		assert_int_equal(rig_drain(&rig, 0), 1);
		if (i % 10 == 9) {
			if (i % 20 == 19)
				unplug_under_a_sleeper(&rig);
			rig_close(&rig);
			rig_open(&rig, &intr);
		} else {
			assert_int_equal(rte_eth_dev_stop(rig.port), 0);
			rig.conf.rxq = (uint16_t)(1 + i % 4);
			rig_start(&rig);
		}
		if (i == 19) { /* each has been once */
			fds_before = open_fds();
			heap_before = heap();
		} else if (i > 19 && i % 10 == 9) {
			assert_int_equal(open_fds(), fds_before);
			assert_int_equal(heap(), heap_before);
		}
	}
	assert_true(heap_before != 0);
	rig_close(&rig);
}

/* With an argument only the tests whose names match it, as in 'cycles_*'. */
int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_stop_wakes_those_who_sleep),
	    cmocka_unit_test(so_does_a_stop_with_a_start_right_behind),
	    cmocka_unit_test(so_does_a_close),
	    cmocka_unit_test(so_does_the_stop_of_a_queue),
	    cmocka_unit_test(so_does_another_number_of_queues),
	    cmocka_unit_test(a_reset_wakes_and_the_port_can_be_slept_on_again),
	    cmocka_unit_test(an_epoll_set_of_the_applications_own_outlives_a_restart),
	    cmocka_unit_test(so_it_does_where_vectors_are_few),
	    cmocka_unit_test(starts_stops_and_closes_log_no_error),
	    cmocka_unit_test(nothing_that_is_changed_while_it_runs_ends_a_sleep),
	    cmocka_unit_test(the_callback_of_a_link_change_may_close_the_port),
	    cmocka_unit_test(cycles_leave_no_descriptor_and_no_memory),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests_name("driver_life", tests, rig_init, rig_fini);
}
