/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arm race, explored: a play is a few calls of an application around an arm; its steps are the
 * calls and the register accesses in them, and between any two of them, before and after each
 * access, events are put: one, and every two. Whatever the order, a packet is polled or wakes.
 * Virtual time; descriptors may linger on their way to memory, register writes on their way to the
 * NIC, as PCI Express lets them.
 */
#include "rig.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../drivers/common/rte_pmd_aim.h"

#define US 1000u
#define SETTLE_NS (4000u * US) /* any throttle has run out */
#define NEVER UINT_MAX

enum event {
	PACKET,	      /* for the queue that arms */
	OTHER_PACKET, /* for the other */
	LINK_FLAP,    /* down and up again */
	TIME,	      /* throttles run on */
	OTHER_ARM,    /* another core arms the other queue, or disables it */
	MEMORY,	      /* descriptors on their way arrive */
	DEVICE,	      /* register writes on their way arrive */
	EVENTS,
};

struct race {
	struct rig rig;
	uint8_t frame[2][60]; /* of queue 0 and queue 1 */
	uint64_t got[2], base[2];
	bool other_armed;
	bool throttled;	   /* time matters */
	bool restarts;	   /* the play starts the port */
	unsigned int step; /* of the play */
	struct {
		enum event what;
		unsigned int at;
	} put[2];
};

struct play {
	const char *name;
	void (*act)(struct race *r);
};

/* What was explored, for the line at the end of a test. */
static struct {
	uint64_t runs, packets, wakes, spurious;
	unsigned int steps; /* of the longest play */
} sum;

static struct softpci_stats *
stats(struct race *r)
{
	static struct softpci_stats s;

	softpci_stats_get(r->rig.pci, &s);
	return &s;
}

static void
occur(struct race *r, enum event what)
{
	switch (what) {
	case PACKET:
	case OTHER_PACKET:
		(void)nic_inject(r->rig.nic, r->frame[what == OTHER_PACKET], 60);
		break;
	case LINK_FLAP:
		nic_link_set(r->rig.nic, false, rig_family.mbps);
		nic_link_set(r->rig.nic, true, rig_family.mbps);
		break;
	case TIME:
		softpci_advance(60 * US);
		break;
	case OTHER_ARM:
		/* refused while the port is stopped */
		if (r->other_armed)
			(void)rte_eth_dev_rx_intr_disable(r->rig.port, 1);
		else
			(void)rte_eth_dev_rx_intr_enable(r->rig.port, 1);
		r->other_armed = !r->other_armed;
		break;
	case MEMORY:
		nic_post_flush(r->rig.nic);
		break;
	default:
		softpci_late_flush();
		break;
	}
}

/* A place for events. */
static void
step(struct race *r)
{
	unsigned int at = r->step++;

	for (int i = 0; i < 2; i++)
		if (r->put[i].at == at)
			occur(r, r->put[i].what);
}

static void
on_access(void *arg, uint32_t offset, bool done)
{
	struct race *r = arg;

	/* A start makes thousands of accesses; those that packets and interrupts depend on. */
	if (!r->restarts || (!done && rig_family.matters(offset)))
		step(r);
}

/* ---- What an application does, a step before each ---- */

static void
poll(struct race *r, uint16_t max)
{
	struct rte_mbuf *pkts[32];
	uint16_t n;

	step(r);
	n = rte_eth_rx_burst(r->rig.port, 0, pkts, max);
	rte_pktmbuf_free_bulk(pkts, n);
	r->got[0] += n;
}

static void
arm(struct race *r)
{
	step(r);
	assert_int_equal(rte_eth_dev_rx_intr_enable(r->rig.port, 0), 0);
	step(r);
}

static void
disarm(struct race *r)
{
	step(r);
	assert_int_equal(rte_eth_dev_rx_intr_disable(r->rig.port, 0), 0);
}

static void
packet(struct race *r)
{
	step(r);
	occur(r, PACKET);
}

/* ---- Plays: each ends with an arm ---- */

static void
arm_alone(struct race *r)
{
	arm(r);
}

static void
poll_then_arm(struct race *r)
{
	poll(r, 32);
	arm(r);
}

static void
arm_then_poll(struct race *r)
{
	poll(r, 32);
	arm(r);
	poll(r, 32);
}

static void
sleep_and_wake(struct race *r)
{
	arm(r);
	packet(r);
	step(r);
	(void)rig_woken(&r->rig, 0);
	disarm(r);
	poll(r, 32);
	poll(r, 32);
	arm(r);
}

static void
packets_left_behind(struct race *r)
{
	packet(r);
	packet(r);
	arm(r); /* one message for both clears the cause */
	(void)rig_woken(&r->rig, 0);
	disarm(r);
	poll(r, 1);
	arm(r);
}

static void
timeout(struct race *r)
{
	arm(r);
	disarm(r);
	arm(r);
}

static void
armed_twice(struct race *r)
{
	arm(r);
	arm(r);
}

static void
long_idle(struct race *r)
{
	arm(r);
	packet(r);
	(void)rig_woken(&r->rig, 0);
	disarm(r);
	packet(r);
	for (int i = 0; i < 252; i++)
		poll(r, 4);
	arm(r);
}

static void
two_sleeps_within_an_interval(struct race *r)
{
	for (int i = 0; i < 2; i++) {
		arm(r);
		packet(r);
		step(r);
		(void)rig_woken(&r->rig, 0);
		disarm(r);
		poll(r, 32);
	}
	arm(r);
}

static void
interval_set(struct race *r, uint32_t ns)
{
	struct rte_pmd_aim_conf conf;

	assert_int_equal(rte_pmd_aim_conf_get(r->rig.port, 0, &conf), 0);
	strcpy(conf.policy, "fixed");
	conf.itr_ns = ns;
	assert_int_equal(rte_pmd_aim_conf_set(r->rig.port, 0, &conf), 0);
}

static void
throttle_grows_and_shrinks(struct race *r)
{
	step(r);
	interval_set(r, 8192);
	arm(r);
	packet(r);
	disarm(r);
	poll(r, 32);
	interval_set(r, 200 * US);
	arm(r);
	packet(r);
	disarm(r);
	poll(r, 32);
	interval_set(r, 4096);
	arm(r);
}

/* What the queue held goes with a stop; what reaches a descriptor after it is owed. */
static void
forget(struct race *r)
{
	for (int q = 0; q < 2; q++) {
		r->got[q] = 0;
		r->base[q] = stats(r)->nic.rx_queue[q];
	}
	r->other_armed = false;
}

static void
queue_restart(struct race *r)
{
	uint64_t other = r->got[1], base = r->base[1];
	bool armed = r->other_armed;

	arm(r);
	assert_int_equal(rte_eth_dev_rx_queue_stop(r->rig.port, 0), 0);
	assert_true(rig_woken(&r->rig, 0)); /* who slept returns */
	forget(r);
	r->got[1] = other;
	r->base[1] = base;
	r->other_armed = armed;
	step(r);
	assert_int_equal(rte_eth_dev_rx_queue_start(r->rig.port, 0), 0);
	arm(r);
}

static void
port_restart(struct race *r)
{
	arm(r);
	assert_int_equal(rte_eth_dev_stop(r->rig.port), 0);
	assert_true(rig_woken(&r->rig, 0)); /* who slept returns */
	(void)rig_woken(&r->rig, 1);
	forget(r);
	step(r);
	assert_int_equal(rte_eth_dev_start(r->rig.port), 0);
	arm(r);
}

/* ---- One run ---- */

/* The application sleeps, for as long as nothing wakes it: what does a queue still owe? */
static bool
sleep_on(struct race *r, uint16_t q)
{
	unsigned int n;

	if (!rig_woken(&r->rig, q))
		return false;
	assert_int_equal(rte_eth_dev_rx_intr_disable(r->rig.port, q), 0);
	n = rig_drain(&r->rig, q);
	r->got[q] += n;
	sum.wakes++;
	sum.spurious += n == 0;
	assert_int_equal(rte_eth_dev_rx_intr_enable(r->rig.port, q), 0);
	softpci_advance(SETTLE_NS);
	return true;
}

static void
told(const struct race *r, const char *what, const struct play *play, uint16_t q)
{
	fail_msg("%s: %s of queue %u; event %d before step %u, event %d before step %u", play->name,
		 what, q, r->put[0].what, r->put[0].at, r->put[1].what, r->put[1].at);
}

/* How many steps the play has. */
static unsigned int
run(struct race *r, const struct play *play, enum event a, unsigned int at_a, enum event b,
    unsigned int at_b, bool late)
{
	r->put[0].what = a;
	r->put[0].at = at_a;
	r->put[1].what = b;
	r->put[1].at = at_b;
	r->step = 0;
	forget(r);
	softpci_access_hook(r->rig.pci, on_access, r);
	nic_post_late(r->rig.nic, late);
	softpci_late_writes(late);
	play->act(r);
	softpci_access_hook(r->rig.pci, NULL, NULL);
	nic_post_late(r->rig.nic, false);
	if (!r->other_armed)
		assert_int_equal(rte_eth_dev_rx_intr_enable(r->rig.port, 1), 0);
	softpci_advance(SETTLE_NS);
	for (uint16_t q = 0; q < 2; q++) {
		while (sleep_on(r, q))
			;
		if (r->got[q] != stats(r)->nic.rx_queue[q] - r->base[q])
			told(r, "a packet lies there and nothing wakes", play, q);
		sum.packets += r->got[q];
		assert_int_equal(rte_eth_dev_rx_intr_disable(r->rig.port, q), 0);
	}
	r->other_armed = false;
	sum.runs++;
	sum.steps = RTE_MAX(sum.steps, r->step);
	return r->step;
}

static void
race_open(struct race *r, const char *devargs)
{
	const struct rig_conf conf = {.nic = rig_family.quick_nic,
				      .rxq_intr = true,
				      .lsc_intr = true,
				      .rxq = 2,
				      .devargs = devargs,
				      .rss_hf = RTE_ETH_RSS_NONFRAG_IPV4_UDP};
	bool found[2] = {false, false};

	memset(r, 0, sizeof(*r));
	r->throttled = strcmp(devargs, "aim=off") != 0;
	rig_open(&r->rig, &conf);
	for (uint32_t flow = 0; !found[0] || !found[1]; flow++) {
		uint8_t frame[60];
		int q;

		rig_frame(frame, sizeof(frame), flow);
		assert_int_equal(nic_inject(r->rig.nic, frame, sizeof(frame)), 0);
		q = rig_drain(&r->rig, 0) == 0;
		rig_drain(&r->rig, 1);
		memcpy(r->frame[q], frame, sizeof(frame));
		found[q] = true;
	}
	memset(&sum, 0, sizeof(sum));
	rte_log_set_global_level(RTE_LOG_EMERG); /* refusals are part of it */
	/* where the machine lets it: else a policy's decisions vary, and what must hold does not */
	(void)softpci_tsc_virtual(true);
}

static void
race_close(struct race *r)
{
	(void)softpci_tsc_virtual(false);
	print_message("             %ju orders of events, %u steps, %ju packets, %ju wakes, %ju "
		      "spurious, 0 lost\n",
		      (uintmax_t)sum.runs, sum.steps, (uintmax_t)sum.packets, (uintmax_t)sum.wakes,
		      (uintmax_t)sum.spurious);
	assert_true(sum.runs > 50 && sum.packets > 0);
	rig_close(&r->rig);
}

/* Is the event worth a try? */
static bool
matters_here(const struct race *r, enum event e, bool late)
{
	if (e == MEMORY || e == DEVICE)
		return late;
	if (e == TIME)
		return r->throttled;
	return !r->restarts || e != OTHER_PACKET; /* a start takes long enough */
}

/* All pairs in the plain build; of the others, which look for what else goes wrong, a share. */
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
#define EVERY 5u
#else
#define EVERY 1u
#endif

/* Each event at each step, and with `pairs` each two; with `late` one of them is an arrival. */
static void
explore(struct race *r, const struct play *play, bool pairs, bool late)
{
	unsigned int steps = run(r, play, PACKET, NEVER, PACKET, NEVER, late), n;

	for (unsigned int a = 0; a < EVENTS; a++) {
		for (unsigned int i = 0; matters_here(r, a, late) && i < steps; i++) {
			n = run(r, play, a, i, PACKET, NEVER, late);
			steps = RTE_MAX(n, steps);
			for (unsigned int b = 0; pairs && b < EVENTS; b++)
				for (unsigned int j = i; matters_here(r, b, late) && j < steps;
				     j += EVERY)
					if (!late || a >= MEMORY || b >= MEMORY)
						run(r, play, a, i, b, j, late);
		}
	}
}

/* One play: each event, or each two, and again with an arrival that lingers. */
static void
explore_both(struct race *r, const char *name, void (*act)(struct race *r), bool pairs)
{
	const struct play play = {.name = name, .act = act};

	explore(r, &play, pairs, false);
	explore(r, &play, false, true);
}

static const struct play plays[] = {
    {.name = "arm", .act = arm_alone},
    {.name = "poll, arm", .act = poll_then_arm},
    {.name = "poll, arm, poll", .act = arm_then_poll},
    {.name = "sleep and wake", .act = sleep_and_wake},
    {.name = "packets left behind", .act = packets_left_behind},
    {.name = "time-out", .act = timeout},
    {.name = "armed twice", .act = armed_twice},
    {.name = "two sleeps within an interval", .act = two_sleeps_within_an_interval},
};

static void
no_two_events_lose_a_packet_or_a_wake(void **state)
{
	struct race r;

	(void)state;
	race_open(&r, "aim=off");
	for (size_t p = 0; p < RTE_DIM(plays); p++)
		explore(&r, &plays[p], true, false);
	race_close(&r);
}

/* Messages that the throttle holds back, in each order with what happens meanwhile. */
static void
nor_does_a_throttle(void **state)
{
	struct race r;

	(void)state;
	race_open(&r, "aim=fixed,itr_us=100");
	explore_both(&r, "two sleeps within an interval", two_sleeps_within_an_interval, true);
	race_close(&r);
}

static void
nor_do_writes_and_descriptors_that_linger(void **state)
{
	struct race r;

	(void)state;
	race_open(&r, "aim=off");
	for (size_t p = 0; p < RTE_DIM(plays); p++)
		explore(&r, &plays[p], true, true);
	race_close(&r);
}

/* What was cleared was polled, or is seen at the arm: see moderation.c. */
static void
nor_does_the_drop_of_stale_causes(void **state)
{
	struct race r;

	(void)state;
	race_open(&r, "aim=aim");
	explore_both(&r, "long idle", long_idle, false);
	if (rig_family.stale_wakes)
		assert_true(rig_xstat(&r.rig, "rx_q0_stale_drops") > 100);
	race_close(&r);
}

static void
nor_does_a_throttle_that_changes(void **state)
{
	struct race r;

	(void)state;
	race_open(&r, "aim=off");
	r.throttled = true;
	explore_both(&r, "throttle changes", throttle_grows_and_shrinks, true);
	assert_true(rig_xstat(&r.rig, "rx_q0_itr_writes") > 100);
	race_close(&r);
}

static void
nor_does_a_restart_of_the_queue(void **state)
{
	struct race r;

	(void)state;
	race_open(&r, "aim=off");
	explore_both(&r, "queue restart", queue_restart, false);
	race_close(&r);
}

static void
nor_does_a_restart_of_the_port(void **state)
{
	static const struct play play = {.name = "port restart", .act = port_restart};
	struct race r;

	(void)state;
	race_open(&r, "aim=off");
	r.restarts = true;
	explore(&r, &play, false, false);
	race_close(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(no_two_events_lose_a_packet_or_a_wake),
	    cmocka_unit_test(nor_does_a_throttle),
	    cmocka_unit_test(nor_do_writes_and_descriptors_that_linger),
	    cmocka_unit_test(nor_does_the_drop_of_stale_causes),
	    cmocka_unit_test(nor_does_a_throttle_that_changes),
	    cmocka_unit_test(nor_does_a_restart_of_the_queue),
	    cmocka_unit_test(nor_does_a_restart_of_the_port),
	};

	return cmocka_run_group_tests_name("driver_race", tests, rig_init, rig_fini);
}
