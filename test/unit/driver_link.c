/* SPDX-License-Identifier: BSD-3-Clause */
/* The link of net_ixgbe_aim on the software NIC: state, interrupt, requests, flow control. */
#include "rig.h"

#include <errno.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "../../drivers/net/ixgbe_aim/ixgbe_aim.h"

#define EVENT_WAIT_MS 2000

static const struct rig_conf plain = {0};
static const char *const nics[] = {"82599", "82599-kx4", "x540", "x550"};

static void
restart(struct rig *rig)
{
	assert_int_equal(rte_eth_dev_stop(rig->port), 0);
	assert_int_equal(rte_eth_dev_start(rig->port), 0);
}

static volatile int events;

static int
link_event(uint16_t port, enum rte_eth_event_type type, void *arg, void *ret)
{
	(void)port;
	(void)type;
	(void)arg;
	(void)ret;
	events++;
	return 0;
}

/* -EAGAIN: it runs. */
static void
link_event_off(uint16_t port, rte_eth_dev_cb_fn fn)
{
	int ret;

	while ((ret = rte_eth_dev_callback_unregister(port, RTE_ETH_EVENT_INTR_LSC, fn, NULL)) ==
	       -EAGAIN)
		usleep(1000);
	assert_int_equal(ret, 0);
}

static void
a_link_change_is_reported(void **state)
{
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(nics); i++) {
		rig_open(&rig, &(struct rig_conf){.nic = nics[i], .lsc_intr = true});
		events = 0;
		assert_int_equal(rte_eth_dev_callback_register(rig.port, RTE_ETH_EVENT_INTR_LSC,
							       link_event, NULL),
				 0);
		assert_true(rig_link_becomes(&rig, true));
		nic_link_set(rig.nic, false, 10000);
		assert_true(rig_link_becomes(&rig, false));
		nic_link_set(rig.nic, true, 10000);
		assert_true(rig_link_becomes(&rig, true));
		/* the status is there before its callback is called */
		for (int ms = 0; ms < EVENT_WAIT_MS && events < 2; ms++)
			usleep(1000);
		assert_true(events >= 2);
		link_event_off(rig.port, link_event);
		rig_close(&rig);
	}
}

static void
the_link_goes_down_and_up_on_request(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &plain);
	assert_true(rig_link_becomes(&rig, true));
	assert_int_equal(rte_eth_dev_set_link_down(rig.port), 0);
	assert_true(rig_link_becomes(&rig, false));
	assert_int_equal(rte_eth_dev_set_link_up(rig.port), 0);
	assert_true(rig_link_becomes(&rig, true));
	assert_int_equal(rte_eth_dev_stop(rig.port), 0);
	assert_true(rig_link_becomes(&rig, false));
	assert_int_equal(rte_eth_dev_start(rig.port), 0);
	assert_true(rig_link_becomes(&rig, true));
	rig_close(&rig);
}

/* X540: the PHY negotiates anew, and nobody looks while the link is down. */
static void
the_engine_follows_a_speed_that_changed_between_two_looks(void **state)
{
	struct ixgbe_port *port;
	struct rte_eth_link link;
	struct rig rig;
	uint32_t unit;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.nic = "x540"});
	port = ixgbe_port(&rte_eth_devices[rig.port]);
	assert_true(rig_link_becomes(&rig, true));
	unit = port->eitr_unit_ns;
	/* no interrupt */
	nic_write(rig.nic, IXGBE_EIMC, UINT32_MAX);
	nic_link_set(rig.nic, false, 10000);
	nic_link_set(rig.nic, true, 100);
	assert_int_equal(rte_eth_link_get_nowait(rig.port, &link), 0);
	assert_int_equal(link.link_speed, 100);
	assert_int_equal(port->link_mbps, 100);
	assert_int_equal(port->eitr_unit_ns, ixgbe_irq_eitr_unit_ns(port));
	assert_int_not_equal(port->eitr_unit_ns, unit);
	rig_close(&rig);
}

static void
a_secondary_leaves_a_link_change_to_the_primary(void **state)
{
	struct rte_eth_dev *dev;
	struct rte_eth_link link;
	struct rig rig;

	(void)state;
	rig_open(&rig, &plain);
	dev = &rte_eth_devices[rig.port];
	assert_true(rig_link_becomes(&rig, true));
	nic_write(rig.nic, IXGBE_EIMC, UINT32_MAX);
	ixgbe_link_stop(dev);
	nic_link_set(rig.nic, false, 10000);
	assert_int_equal(ixgbe_link_update_secondary(dev, 1), 0);
	rte_eth_linkstatus_get(dev, &link);
	assert_int_equal(link.link_status, RTE_ETH_LINK_UP);
	/* 0: it changed */
	assert_int_equal(ixgbe_link_update(dev, 0), 0);
	rig_close(&rig);
}

static int
stop_event(uint16_t port, enum rte_eth_event_type type, void *arg, void *ret)
{
	(void)type;
	(void)arg;
	(void)ret;
	if (events++ == 0)
		rte_eth_dev_stop(port);
	return 0;
}

static void
a_port_that_is_stopped_in_the_link_callback_stays_masked(void **state)
{
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(nics); i++) {
		rig_open(&rig, &(struct rig_conf){.nic = nics[i], .lsc_intr = true});
		events = 0;
		assert_int_equal(rte_eth_dev_callback_register(rig.port, RTE_ETH_EVENT_INTR_LSC,
							       stop_event, NULL),
				 0);
		assert_true(rig_link_becomes(&rig, true));
		nic_link_set(rig.nic, false, 10000);
		for (int ms = 0; ms < EVENT_WAIT_MS && rte_eth_devices[rig.port].data->dev_started;
		     ms++)
			usleep(1000);
		assert_int_equal(events, 1);
		assert_int_equal(rte_eth_devices[rig.port].data->dev_started, 0);
		/* the handler's last words */
		usleep(20000);
		assert_int_equal(nic_read(rig.nic, IXGBE_EIMS), 0);
		link_event_off(rig.port, stop_event);
		rig_close(&rig);
	}
}

/* The application's thread and EAL's interrupt thread at once: what was asked for last holds. */
static void
link_requests_amid_link_changes_end_as_asked(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.nic = "x540", .lsc_intr = true});
	for (int i = 0; i < 50; i++) {
		nic_link_set(rig.nic, i % 2 != 0, 10000);
		assert_int_equal(rte_eth_dev_set_link_down(rig.port), 0);
		nic_link_set(rig.nic, i % 2 == 0, 10000);
		assert_int_equal(rte_eth_dev_set_link_up(rig.port), 0);
	}
	nic_link_set(rig.nic, true, 10000);
	assert_true(rig_link_becomes(&rig, true));
	assert_int_equal(rte_eth_dev_set_link_down(rig.port), 0);
	usleep(250000); /* two looks */
	assert_true(rig_link_becomes(&rig, false));
	rig_close(&rig);
}

static void
flow_control_is_kept_and_checked(void **state)
{
	struct rte_eth_fc_conf fc, got;
	struct rig rig;

	(void)state;
	rig_open(&rig, &plain);
	assert_int_equal(rte_eth_dev_flow_ctrl_get(rig.port, &fc), 0);
	assert_int_equal(fc.mode, RTE_ETH_FC_NONE);
	fc.mode = RTE_ETH_FC_FULL;
	fc.high_water = 300;
	fc.low_water = 200;
	fc.pause_time = 0x1234;
	assert_int_equal(rte_eth_dev_flow_ctrl_set(rig.port, &fc), 0);
	restart(&rig);
	assert_int_equal(rte_eth_dev_flow_ctrl_get(rig.port, &got), 0);
	assert_int_equal(got.mode, RTE_ETH_FC_FULL);
	assert_int_equal(got.high_water, 300);
	assert_int_equal(got.low_water, 200);
	assert_int_equal(got.pause_time, 0x1234);
	got.low_water = 300;
	assert_int_equal(rte_eth_dev_flow_ctrl_set(rig.port, &got), -EINVAL);
	got.low_water = 0;
	assert_int_equal(rte_eth_dev_flow_ctrl_set(rig.port, &got), -EINVAL);
	got = fc;
	got.high_water = 511;
	assert_int_equal(rte_eth_dev_flow_ctrl_set(rig.port, &got), -EINVAL);
	got = fc;
	got.pause_time = 0;
	assert_int_equal(rte_eth_dev_flow_ctrl_set(rig.port, &got), -EINVAL);
	got = fc;
	got.autoneg = 1;
	assert_int_equal(rte_eth_dev_flow_ctrl_set(rig.port, &got), -ENOTSUP);
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_link_change_is_reported),
	    cmocka_unit_test(the_link_goes_down_and_up_on_request),
	    cmocka_unit_test(the_engine_follows_a_speed_that_changed_between_two_looks),
	    cmocka_unit_test(a_secondary_leaves_a_link_change_to_the_primary),
	    cmocka_unit_test(a_port_that_is_stopped_in_the_link_callback_stays_masked),
	    cmocka_unit_test(link_requests_amid_link_changes_end_as_asked),
	    cmocka_unit_test(flow_control_is_kept_and_checked),
	};

	return cmocka_run_group_tests_name("driver_link", tests, rig_init, rig_fini);
}
