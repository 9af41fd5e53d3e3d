/* SPDX-License-Identifier: BSD-3-Clause */
/* Devargs: what is taken, what is refused, and that a refusal changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include <rte_log.h>

#include "devargs.h"

static struct moderation_conf conf;
static bool yield;

static int
parse(const char *args)
{
	const struct devargs_flag flags[] = {{"yield", &yield}};

	moderation_conf_default(&conf, 1046528);
	yield = false;
	return devargs_parse(args, &conf, flags, 1);
}

static void
nothing_given_leaves_the_defaults(void **state)
{
	(void)state;
	assert_int_equal(parse(NULL), 0);
	assert_int_equal(parse(""), 0);
	assert_string_equal(aim_policy_name(conf.policy), "aim");
	assert_int_equal(conf.min_ns, 0);
	assert_int_equal(conf.max_ns, 1046528);
	assert_int_equal(conf.sink_packets, 0);
	assert_false(yield);
}

static void
each_key_is_taken(void **state)
{
	(void)state;
	assert_int_equal(parse("aim=ixgbe,itr_min_us=10,itr_max_us=200,sink_packets=512,yield=1"),
			 0);
	assert_string_equal(aim_policy_name(conf.policy), "ixgbe");
	assert_int_equal(conf.min_ns, 10000);
	assert_int_equal(conf.max_ns, 200000);
	assert_int_equal(conf.sink_packets, 512);
	assert_true(yield);
}

static void
itr_us_means_policy_fixed(void **state)
{
	(void)state;
	assert_int_equal(parse("itr_us=50"), 0);
	assert_string_equal(aim_policy_name(conf.policy), "fixed");
	assert_int_equal(conf.config.fixed_ns, 50000);
	assert_int_equal(parse("itr_us=0,aim=fixed"), 0);
	assert_int_equal(conf.config.fixed_ns, 0);
	assert_int_equal(parse("itr_us=1000"), 0);
}

static void
itr_profile_means_policy_dim_profile(void **state)
{
	(void)state;
	assert_int_equal(parse("itr_profile=0:8:64:128:1000"), 0);
	assert_string_equal(aim_policy_name(conf.policy), "dim-profile");
	assert_int_equal(conf.config.profile_ns[0], 0);
	assert_int_equal(conf.config.profile_ns[1], 8000);
	assert_int_equal(conf.config.profile_ns[4], 1000000);
	assert_int_equal(parse("itr_profile=1:2:3:4:5,aim=dim-profile"), 0);
	assert_int_equal(conf.config.profile_ns[2], 3000);
}

static void
every_policy_is_taken(void **state)
{
	const struct aim_policy *policy;

	(void)state;
	for (size_t i = 0; (policy = aim_policy_at(i)) != NULL; i++) {
		const char *name = aim_policy_name(policy);
		char args[64];

		snprintf(args, sizeof(args), "aim=%s%s", name,
			 strcmp(name, "fixed") == 0	    ? ",itr_us=5"
			 : strcmp(name, "dim-profile") == 0 ? ",itr_profile=1:2:3:4:5"
							    : "");
		assert_int_equal(parse(args), 0);
		assert_ptr_equal(conf.policy, policy);
	}
}

static void
contradictions_are_refused(void **state)
{
	(void)state;
	assert_int_equal(parse("aim=ixgbe,itr_us=50"), -EINVAL);
	assert_int_equal(parse("aim=fixed"), -EINVAL);
	assert_int_equal(parse("itr_min_us=100,itr_max_us=50"), -EINVAL);
	assert_int_equal(parse("itr_us=300,itr_max_us=200"), -EINVAL);
	assert_int_equal(parse("itr_us=3,itr_min_us=20"), -EINVAL);
	assert_int_equal(parse("aim=aim,aim=off"), -EINVAL);
	assert_int_equal(parse("aim=dim-profile"), -EINVAL);
	assert_int_equal(parse("aim=dim,itr_profile=1:8:64:128:256"), -EINVAL);
	assert_int_equal(parse("itr_us=50,itr_profile=1:8:64:128:256"), -EINVAL);
}

static void
values_out_of_range_are_refused_not_clamped(void **state)
{
	static const char *const bad[] = {
	    "itr_us=1001",
	    "itr_us=-1",
	    "itr_us=",
	    "itr_us=0x10",
	    "itr_us=5us",
	    "itr_us= 5",
	    "itr_max_us=0",
	    "itr_us=99999999999999999999",
	    "itr_min_us=1001",
	    "sink_packets=1048577",
	    "yield=2",
	    "aim=",
	    "aim=fast",
	    "itr_profile=",
	    "itr_profile=1",
	    "itr_profile=1:2:3:4",
	    "itr_profile=1:2:3:4:5:6",
	    "itr_profile=1:2:3:4:",
	    "itr_profile=:1:2:3:4",
	    "itr_profile=1:2:2:4:5",
	    "itr_profile=5:4:3:2:1",
	    "itr_profile=1:2:3:4:1001",
	    "itr_profile=1:2:3:4:99999999999999999999",
	    "itr_profile=1:2:3:4:5us",
	    "itr_profile=1:2:-3:4:5",
	    "itr_profile=1::3:4:5",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse(bad[i]), -EINVAL);
}

static void
unknown_and_valueless_keys_are_refused(void **state)
{
	(void)state;
	assert_int_equal(parse("itr=50"), -EINVAL);
	assert_int_equal(parse("yield"), -EINVAL);
	assert_int_equal(parse("AIM=off"), -EINVAL);
}

static void
a_refusal_changes_nothing(void **state)
{
	(void)state;
	assert_int_equal(parse("yield=1,sink_packets=64,itr_max_us=100,bogus=1"), -EINVAL);
	assert_false(yield);
	assert_int_equal(conf.sink_packets, 0);
	assert_int_equal(conf.max_ns, 1046528);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_given_leaves_the_defaults),
	    cmocka_unit_test(each_key_is_taken),
	    cmocka_unit_test(itr_us_means_policy_fixed),
	    cmocka_unit_test(itr_profile_means_policy_dim_profile),
	    cmocka_unit_test(every_policy_is_taken),
	    cmocka_unit_test(contradictions_are_refused),
	    cmocka_unit_test(values_out_of_range_are_refused_not_clamped),
	    cmocka_unit_test(unknown_and_valueless_keys_are_refused),
	    cmocka_unit_test(a_refusal_changes_nothing),
	};

	rte_log_set_global_level(RTE_LOG_EMERG);
	return cmocka_run_group_tests_name("devargs", tests, NULL, NULL);
}
