/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A queue arms while another thread changes what its throttle should be: its settings, the wish of
 * a queue that shares the vector, the link's speed. One thread stands still between any two of its
 * instructions while the other makes its call. Afterwards the settings are whole, and the
 * register, what the driver thinks that it holds, and the settings agree.
 */
#include "rig.h"
#include "interleave.h"

#include <string.h>

#include <ethdev_driver.h>

#include "../../drivers/common/rxq.h"
#include "../../drivers/common/rte_pmd_aim.h"

/*
 * Whole in every unit, 2.5 ns and 2.048 us, the longer ones in 20.48 us, too; and a ring of 1024
 * bears them.
 */
#define SHORT 10240u
#define MIDDLE 20480u
#define LONG 40960u

/* The plain build stops at every instruction; the sanitizers' has five times as many. */
#ifdef __SANITIZE_ADDRESS__
#define STEP 11u
#else
#define STEP 1u
#endif

struct race {
	struct rig rig;
	struct moderation *mod[2];
	struct moderation_conf next; /* for the change */
	uint32_t ns;
	int rc[2]; /* of the two threads' calls */
	uint64_t runs;
};

/* Every setting says the same interval, so that a mixture shows. */
static struct rte_pmd_aim_conf
conf_of(uint32_t ns)
{
	struct rte_pmd_aim_conf conf = {
	    .policy = "fixed", .itr_ns = ns, .itr_min_ns = ns, .itr_max_ns = ns};

	return conf;
}

static void
set(struct race *r, uint16_t q, uint32_t ns)
{
	struct rte_pmd_aim_conf conf = conf_of(ns);

	assert_int_equal(rte_pmd_aim_conf_set(r->rig.port, q, &conf), 0);
}

static void
settle(struct race *r, uint16_t q, uint32_t ns)
{
	/* disarmed before and after: the other thread's turn may have been, and may come */
	assert_int_equal(rte_eth_dev_rx_intr_disable(r->rig.port, q), 0);
	set(r, q, ns);
	assert_int_equal(rte_eth_dev_rx_intr_enable(r->rig.port, q), 0);
	assert_int_equal(rte_eth_dev_rx_intr_disable(r->rig.port, q), 0);
}

static uint32_t
register_ns(struct race *r, uint16_t q)
{
	struct rte_pmd_aim_stats stats;

	assert_int_equal(rte_pmd_aim_stats_get(r->rig.port, q, &stats), 0);
	return stats.itr_ns;
}

/* ---- The calls; in either thread, so nothing is asserted here ---- */

static void
arm_0(void *arg)
{
	struct race *r = arg;

	r->rc[0] = rte_eth_dev_rx_intr_enable(r->rig.port, 0);
}

static void
arm_1(void *arg)
{
	struct race *r = arg;

	r->rc[1] = rte_eth_dev_rx_intr_enable(r->rig.port, 1);
}

/* As an application or telemetry does it. */
static void
change(void *arg)
{
	struct race *r = arg;
	struct rte_pmd_aim_conf conf = conf_of(r->ns);

	r->rc[1] = rte_pmd_aim_conf_set(r->rig.port, 0, &conf);
}

/* What that does to a queue, without all that is checked before. */
static void
change_of_the_queue(void *arg)
{
	struct race *r = arg;

	moderation_change(r->mod[0], &r->next);
}

static void
link_slower(void *arg)
{
	struct race *r = arg;
	struct rte_eth_link link;

	nic_link_set(r->rig.nic, false, 10000);
	nic_link_set(r->rig.nic, true, 100);
	r->rc[1] = rte_eth_link_get_nowait(r->rig.port, &link);
}

/* ---- What must hold ---- */

static bool
whole(const struct moderation_conf *conf)
{
	return conf->config.fixed_ns == conf->min_ns && conf->min_ns == conf->max_ns;
}

/* The queue has one setting, in all of its places; alone: and no other has a say. */
static void
agrees(struct race *r, uint16_t q, unsigned int at)
{
	const struct moderation *m = r->mod[q];

	r->runs++;
	if (r->rc[0] != 0 || r->rc[1] != 0)
		fail_msg("instruction %u: results %d and %d", at, r->rc[0], r->rc[1]);
	if (!whole(&m->conf) || m->conf.min_ns != m->limits.min_ns ||
	    m->conf.max_ns != m->limits.max_ns)
		fail_msg("instruction %u: settings of two changes: interval %u, %u to %u ns, of "
			 "the limits %u to %u ns",
			 at, m->conf.config.fixed_ns, m->conf.min_ns, m->conf.max_ns,
			 m->limits.min_ns, m->limits.max_ns);
	if (m->interval_ns != m->conf.config.fixed_ns || register_ns(r, q) != m->interval_ns)
		fail_msg("instruction %u: settings say %u ns, the driver %u, the register %u", at,
			 m->conf.config.fixed_ns, m->interval_ns, register_ns(r, q));
}

/* What was set last holds from the next arm on. */
static void
holds(struct race *r, uint16_t q, uint32_t ns, unsigned int at)
{
	struct rte_pmd_aim_conf conf;

	assert_int_equal(rte_eth_dev_rx_intr_disable(r->rig.port, q), 0); /* another thread's arm */
	assert_int_equal(rte_eth_dev_rx_intr_enable(r->rig.port, q), 0);
	assert_int_equal(rte_pmd_aim_conf_get(r->rig.port, q, &conf), 0);
	assert_int_equal(conf.itr_ns, ns);
	if (register_ns(r, q) != ns)
		fail_msg("instruction %u: %u ns were set last, the register has %u", at, ns,
			 register_ns(r, q));
}

/* ---- The bench ---- */

static void
race_open(struct race *r, const char *nic, uint16_t queues, unsigned int vectors)
{
	const struct rig_conf conf = {.nic = nic,
				      .rxq_intr = true,
				      .rxq = queues,
				      .vectors = vectors,
				      .rx_desc = 1024,
				      .devargs = "aim=off"};

	memset(r, 0, sizeof(*r));
	rig_open(&r->rig, &conf);
	for (uint16_t q = 0; q < queues; q++)
		r->mod[q] = rxq_moderation(&rte_eth_devices[r->rig.port], q);
}

static void
race_close(struct race *r)
{
	print_message("             %ju orders of two threads\n", (uintmax_t)r->runs);
	assert_true(r->runs > 12);
	rig_close(&r->rig);
}

static void
a_change_at_any_instruction_of_an_arm_is_taken_whole(void **state)
{
	struct race r;
	bool more = true;

	(void)state;
	if (!interleave_can())
		skip();
	race_open(&r, rig_family.quick_nic, 1, 0);
	for (unsigned int at = 0; more; at += STEP) {
		settle(&r, 0, SHORT);
		set(&r, 0, LONG); /* so that the arm has something to take */
		r.ns = MIDDLE;
		more = interleave(arm_0, change, &r, at);
		agrees(&r, 0, at);
		holds(&r, 0, MIDDLE, at);
	}
	race_close(&r);
}

static void
an_arm_at_any_instruction_of_a_change_takes_all_or_nothing(void **state)
{
	struct race r;
	bool more = true;

	(void)state;
	if (!interleave_can())
		skip();
	race_open(&r, rig_family.quick_nic, 1, 0);
	settle(&r, 0, MIDDLE);
	r.next = r.mod[0]->conf; /* whose policy is fixed */
	r.next.config.fixed_ns = r.next.min_ns = r.next.max_ns = MIDDLE;
	for (unsigned int at = 0; more; at += STEP) {
		settle(&r, 0, SHORT);
		set(&r, 0, LONG);
		r.rc[1] = 0;
		more = interleave(change_of_the_queue, arm_0, &r, at);
		agrees(&r, 0, at);
		holds(&r, 0, MIDDLE, at);
	}
	race_close(&r);
}

static void
a_shared_vector_has_the_shorter_wish_whoever_arms_amid_whose_arm(void **state)
{
	static const struct {
		uint32_t before[2], after[2];
	} cases[] = {
	    {{MIDDLE, LONG}, {LONG, SHORT}},  /* one no longer keeps it, the other shortens it */
	    {{SHORT, SHORT}, {MIDDLE, LONG}}, /* neither does */
	};
	struct race r;

	(void)state;
	if (!interleave_can() || !rig_family.shared_throttle)
		skip();
	race_open(&r, rig_family.quick_nic, 2, 2);
	assert_int_equal(r.mod[0]->vector, r.mod[1]->vector);
	for (size_t c = 0; c < RTE_DIM(cases); c++) {
		const uint32_t *after = cases[c].after;
		bool more = true;

		for (unsigned int at = 0; more; at += STEP) {
			for (uint16_t q = 0; q < 2; q++)
				settle(&r, q, cases[c].before[q]);
			for (uint16_t q = 0; q < 2; q++)
				set(&r, q, after[q]);
			more = interleave(arm_0, arm_1, &r, at);
			r.runs++;
			assert_int_equal(r.rc[0], 0);
			assert_int_equal(r.rc[1], 0);
			if (register_ns(&r, 0) != RTE_MIN(after[0], after[1]))
				fail_msg("case %zu, instruction %u: wishes %u and %u ns, the "
					 "register has %u",
					 c, at, after[0], after[1], register_ns(&r, 0));
		}
	}
	race_close(&r);
}

static void
a_speed_that_changes_amid_an_arm_changes_the_register(void **state)
{
	struct race r;
	bool more = true;

	(void)state;
	if (!interleave_can() || rig_family.unit_nic == NULL)
		skip();
	race_open(&r, rig_family.unit_nic, 1, 0);
	for (unsigned int at = 0; more; at += STEP) {
		struct rte_eth_link link;

		nic_link_set(r.rig.nic, false, 10000);
		nic_link_set(r.rig.nic, true, 10000);
		assert_int_equal(rte_eth_link_get_nowait(r.rig.port, &link), 0);
		assert_int_equal(link.link_speed, 10000);
		settle(&r, 0, MIDDLE);
		set(&r, 0, LONG);
		more = interleave(arm_0, link_slower, &r, at);
		r.rc[1] = 0;
		holds(&r, 0, LONG, at);
		agrees(&r, 0, at);
	}
	race_close(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_change_at_any_instruction_of_an_arm_is_taken_whole),
	    cmocka_unit_test(an_arm_at_any_instruction_of_a_change_takes_all_or_nothing),
	    cmocka_unit_test(a_shared_vector_has_the_shorter_wish_whoever_arms_amid_whose_arm),
	    cmocka_unit_test(a_speed_that_changes_amid_an_arm_changes_the_register),
	};

	return cmocka_run_group_tests_name("driver_throttle_race", tests, rig_init, rig_fini);
}
