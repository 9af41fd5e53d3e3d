/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Link state and its interrupt, 802.3x flow control, LEDs. 82599 datasheet
 * 3.7.4, 3.7.7, 8.2.3.1; the handler runs in EAL's interrupt thread.
 */
#include <rte_alarm.h>
#include <rte_ethdev.h>
#include <rte_interrupts.h>

#include "../../common/removal.h"
#include "ixgbe_aim.h"

#define LINK_WAIT_TRIES 90u /* of 100 ms: 10GBASE-T negotiates for up to 9 s */
#define LINK_WAIT_US 100000u
/* After an interrupt the link is looked at again so often, so far apart: LSC comes once per change
 * of a state that passes through several on its way up.
 */
#define LINK_RECHECKS 20u
#define LINK_RECHECK_US 100000u

/* Flow control defaults: KB of the packet buffer, and pause quanta of 512 bit times. */
#define FC_HIGH_KB 128u
#define FC_LOW_KB 64u
#define FC_PAUSE_QUANTA 0x680u
#define FC_WATERMARK_SHIFT 10 /* FCRTL, FCRTH count bytes, in steps of 32 */

/* LED of the port that an application may light; the others show link and speed. */
#define LED_IDENTIFY 2u

static const struct {
	uint32_t rte;
	uint32_t hw;
} ixgbe_link_speeds[] = {
    {RTE_ETH_LINK_SPEED_100M, IXGBE_SPEED_100M}, {RTE_ETH_LINK_SPEED_1G, IXGBE_SPEED_1G},
    {RTE_ETH_LINK_SPEED_2_5G, IXGBE_SPEED_2G5},	 {RTE_ETH_LINK_SPEED_5G, IXGBE_SPEED_5G},
    {RTE_ETH_LINK_SPEED_10G, IXGBE_SPEED_10G},
};

uint32_t
ixgbe_link_speed_capa(const struct ixgbe_port *port)
{
	uint32_t capa = RTE_ETH_LINK_SPEED_1G | RTE_ETH_LINK_SPEED_10G;

	if (port->hw.media == IXGBE_MEDIA_COPPER)
		capa |= RTE_ETH_LINK_SPEED_100M;
	if (port->hw.mac == IXGBE_MAC_X550)
		capa |= RTE_ETH_LINK_SPEED_2_5G | RTE_ETH_LINK_SPEED_5G;
	return capa;
}

int
ixgbe_link_speeds_check(const struct ixgbe_port *port, uint32_t link_speeds)
{
	uint32_t capa = ixgbe_link_speed_capa(port) | RTE_ETH_LINK_SPEED_FIXED;

	if (!(link_speeds & ~capa))
		return 0;
	AIM_LOG(ERR, "link_speeds 0x%x: the device does 0x%x of the RTE_ETH_LINK_SPEED_ bits",
		link_speeds, capa);
	return -EINVAL;
}

/* IXGBE_SPEED_ bits of the port's configuration; 0 means all. */
static uint32_t
ixgbe_link_speeds_wanted(const struct rte_eth_dev *dev)
{
	uint32_t want = dev->data->dev_conf.link_speeds & ~(uint32_t)RTE_ETH_LINK_SPEED_FIXED;
	uint32_t hw = 0;
	unsigned int i;

	if (want == 0)
		want = ixgbe_link_speed_capa(ixgbe_port(dev));
	for (i = 0; i < RTE_DIM(ixgbe_link_speeds); i++)
		if (want & ixgbe_link_speeds[i].rte)
			hw |= ixgbe_link_speeds[i].hw;
	return hw;
}

/* Tell what a look saw. The lock is held since that look: set_link_down() must not come between.
 * 0: the status changed.
 */
static int
ixgbe_link_publish(struct rte_eth_dev *dev, const struct ixgbe_link *state)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	struct rte_eth_link link = {
	    .link_duplex = RTE_ETH_LINK_FULL_DUPLEX,
	    .link_autoneg = !(dev->data->dev_conf.link_speeds & RTE_ETH_LINK_SPEED_FIXED),
	    .link_status = state->up ? RTE_ETH_LINK_UP : RTE_ETH_LINK_DOWN,
	    .link_speed = state->up ? state->speed : RTE_ETH_SPEED_NUM_NONE,
	};
	int ret = rte_eth_linkstatus_set(dev, &link);

	/* A new speed may come without a look that found the link down. */
	if (ret == 0 || port->link_mbps != link.link_speed) {
		port->link_mbps = link.link_speed;
		ixgbe_irq_link(dev);
	}
	return ret;
}

int
ixgbe_link_update(struct rte_eth_dev *dev, int wait_to_complete)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	unsigned int tries = wait_to_complete ? LINK_WAIT_TRIES : 1;
	struct ixgbe_link state = {false, 0};
	int ret;

	for (;;) {
		bool wanted;

		rte_spinlock_lock(&port->link_lock);
		wanted = port->started && port->link_wanted;
		if (wanted)
			ixgbe_phy_link_get(&port->hw, &state);
		if (!wanted || state.up || --tries == 0)
			break;
		rte_spinlock_unlock(&port->link_lock);
		rte_delay_us_sleep(LINK_WAIT_US);
	}
	ret = ixgbe_link_publish(dev, &state);
	rte_spinlock_unlock(&port->link_lock);
	return ret;
}

int
ixgbe_link_update_secondary(struct rte_eth_dev *dev, int wait_to_complete)
{
	/* ethdev hands out dev->data->dev_link, which the primary keeps. A look from here would
	 * take the change of status away from the process that has to act on it.
	 */
	RTE_SET_USED(dev);
	RTE_SET_USED(wait_to_complete);
	return 0;
}

/* ---- Up and down ---- */

void
ixgbe_link_started_set(struct ixgbe_port *port, bool started)
{
	rte_spinlock_lock(&port->link_lock);
	port->started = started;
	rte_spinlock_unlock(&port->link_lock);
}

int
ixgbe_link_start(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	int ret;

	rte_spinlock_lock(&port->link_lock);
	ret = ixgbe_phy_power(&port->hw, true);
	if (ret == 0)
		ret = ixgbe_phy_link_setup(&port->hw, ixgbe_link_speeds_wanted(dev));
	/* A module that does not suit (told above) leaves the link down; another may be plugged. */
	if (ret == -ENOTSUP)
		ret = 0;
	if (ret == 0)
		port->link_wanted = true;
	rte_spinlock_unlock(&port->link_lock);
	return ret;
}

int
ixgbe_link_down(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	int ret;

	rte_spinlock_lock(&port->link_lock);
	ret = ixgbe_phy_power(&port->hw, false);
	if (ret == 0)
		port->link_wanted = false;
	rte_spinlock_unlock(&port->link_lock);
	if (ret == -ENOTSUP)
		AIM_LOG(ERR, "%s: a backplane link cannot be taken down: stop the port instead",
			port->data->name);
	if (ret != 0)
		return ret;
	ixgbe_link_update(dev, 0);
	return 0;
}

/* ---- Interrupt ---- */

/* Read the link; tell the application when it changed. It may close the port then, so this comes
 * last: nothing of the port is touched after it, and it never runs in the handler, which could not
 * be taken back from within itself.
 */
static void
ixgbe_link_report(struct rte_eth_dev *dev)
{
	if (ixgbe_link_update(dev, 0) != 0)
		return;
	if (dev->data->dev_link.link_status)
		AIM_LOG(INFO, "port %u: link up, %u Mb/s", dev->data->port_id,
			dev->data->dev_link.link_speed);
	else
		AIM_LOG(INFO, "port %u: link down", dev->data->port_id);
	rte_eth_dev_callback_process(dev, RTE_ETH_EVENT_INTR_LSC, NULL);
}

static void ixgbe_link_recheck(void *arg);

/* One alarm at most is due. The lock is held. */
static void
ixgbe_link_alarm_set(struct rte_eth_dev *dev, uint32_t delay_us)
{
	struct ixgbe_port *port = ixgbe_port(dev);

	if (port->link_alarm)
		return;
	port->link_alarm = rte_eal_alarm_set(delay_us, ixgbe_link_recheck, dev) == 0;
	if (!port->link_alarm)
		port->link_rechecks = 0;
}

static void
ixgbe_link_recheck(void *arg)
{
	struct rte_eth_dev *dev = arg;
	struct ixgbe_port *port = ixgbe_port(dev);
	bool due;

	rte_spinlock_lock(&port->link_lock);
	port->link_alarm = false;
	due = port->started && port->link_rechecks > 0;
	/* A plugged module needs up to 300 ms until its I2C works (SFF-8431): as long as
	 * nothing answers, the next look tries again.
	 */
	if (due && port->sfp_changed && port->link_wanted) {
		ixgbe_phy_link_setup(&port->hw, ixgbe_link_speeds_wanted(dev));
		port->sfp_changed = port->hw.sfp == IXGBE_SFP_ABSENT;
	}
	if (due && --port->link_rechecks > 0)
		ixgbe_link_alarm_set(dev, LINK_RECHECK_US);
	rte_spinlock_unlock(&port->link_lock);
	if (due)
		ixgbe_link_report(dev);
}

/* Alarm of the handler: at once. */
static void
ixgbe_link_changed(void *arg)
{
	ixgbe_link_report(arg);
}

/* Look again for a while, if the port runs. */
static void
ixgbe_link_recheck_start(struct rte_eth_dev *dev, uint32_t delay_us, bool sfp_changed)
{
	struct ixgbe_port *port = ixgbe_port(dev);

	rte_spinlock_lock(&port->link_lock);
	if (port->started) {
		port->sfp_changed |= sfp_changed;
		port->link_rechecks = LINK_RECHECKS;
		ixgbe_link_alarm_set(dev, delay_us);
	}
	rte_spinlock_unlock(&port->link_lock);
}

int
ixgbe_link_up(struct rte_eth_dev *dev)
{
	int ret = ixgbe_link_start(dev);

	if (ret != 0)
		return ret;
	/* A link that was never down on the wire brings no interrupt. */
	ixgbe_link_update(dev, 0);
	ixgbe_link_recheck_start(dev, LINK_RECHECK_US, false);
	return 0;
}

void
ixgbe_link_stop(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);

	rte_spinlock_lock(&port->link_lock);
	port->link_rechecks = 0;
	port->sfp_changed = false;
	rte_spinlock_unlock(&port->link_lock);
	/* Waits for one that runs, unless that is who calls. */
	rte_eal_alarm_cancel(ixgbe_link_recheck, dev);
	rte_eal_alarm_cancel(ixgbe_link_changed, dev);
	rte_spinlock_lock(&port->link_lock);
	port->link_alarm = false;
	rte_spinlock_unlock(&port->link_lock);
}

/* Mask or unmask the misc causes, unless the port was stopped. False: it was. */
static bool
ixgbe_link_misc_set(struct ixgbe_port *port, bool on)
{
	bool started;

	rte_spinlock_lock(&port->link_lock);
	started = port->started;
	if (started && on)
		ixgbe_irq_misc_enable(port);
	else if (started)
		ixgbe_irq_misc_disable(port);
	rte_spinlock_unlock(&port->link_lock);
	return started;
}

void
ixgbe_link_interrupt(void *arg)
{
	struct rte_eth_dev *dev = arg;
	struct ixgbe_port *port = ixgbe_port(dev);
	uint32_t eicr;

	if (!ixgbe_link_misc_set(port, false))
		return;
	/* 7.3.1: with GPIE.OCD a read clears the misc causes only. */
	eicr = mmio_read(&port->hw.bar, IXGBE_EICR);
	if (eicr == UINT32_MAX) {
		removal_seen(dev);
		return;
	}
	if (port->hw.media == IXGBE_MEDIA_FIBER && (eicr & IXGBE_EICR_GPI_SDP2))
		ixgbe_link_recheck_start(dev, 3 * LINK_RECHECK_US, true);
	if (eicr & IXGBE_EICR_LSC) {
		/* without an alarm to be had the next look tells */
		(void)rte_eal_alarm_set(1, ixgbe_link_changed, dev);
		ixgbe_link_recheck_start(dev, LINK_RECHECK_US, false);
	}
	if (eicr & IXGBE_EICR_ECC)
		AIM_LOG(ERR, "port %u: the device reports an ECC error: reset the port",
			dev->data->port_id);
	if (ixgbe_link_misc_set(port, true))
		rte_intr_ack(compat_pci_dev(dev)->intr_handle);
}

/* ---- Flow control: 3.7.7 ---- */

void
ixgbe_link_init(struct ixgbe_port *port)
{
	rte_spinlock_init(&port->link_lock);
	port->fc_mode = RTE_ETH_FC_NONE;
	port->fc_high = FC_HIGH_KB;
	port->fc_low = FC_LOW_KB;
	port->fc_pause_time = FC_PAUSE_QUANTA;
	port->fc_send_xon = true;
	port->fc_autoneg = false;
	port->fc_forward_ctrl = false;
}

int
ixgbe_flow_ctrl_get(struct rte_eth_dev *dev, struct rte_eth_fc_conf *conf)
{
	const struct ixgbe_port *port = ixgbe_port(dev);

	conf->high_water = port->fc_high;
	conf->low_water = port->fc_low;
	conf->pause_time = (uint16_t)port->fc_pause_time;
	conf->send_xon = port->fc_send_xon;
	conf->mode = port->fc_mode;
	conf->mac_ctrl_frame_fwd = port->fc_forward_ctrl;
	conf->autoneg = port->fc_autoneg;
	return 0;
}

/* Highest watermark, KB: a frame of 9.5 KB that is under way when XOFF goes out must still fit. */
static uint32_t
ixgbe_flow_ctrl_high_max(const struct ixgbe_port *port)
{
	return (ixgbe_hw_rx_buffer(&port->hw) >> FC_WATERMARK_SHIFT) - 10;
}

static int
ixgbe_flow_ctrl_check(const struct ixgbe_port *port, const struct rte_eth_fc_conf *conf)
{
	uint32_t max = ixgbe_flow_ctrl_high_max(port);

	if (conf->autoneg) {
		AIM_LOG(ERR,
			"flow control is set, not negotiated, by this driver: give autoneg off");
		return -ENOTSUP;
	}
	if ((uint32_t)conf->mode > RTE_ETH_FC_FULL) {
		AIM_LOG(ERR, "flow control mode %d: give none, rx_pause, tx_pause or full",
			conf->mode);
		return -EINVAL;
	}
	if (conf->high_water > max || conf->high_water == 0) {
		AIM_LOG(ERR, "flow control high_water %u: give 1 to %u (KB of the packet buffer)",
			conf->high_water, max);
		return -EINVAL;
	}
	/* A low mark of 0 would never be reached: XON would not be sent. */
	if (conf->low_water == 0 || conf->low_water >= conf->high_water) {
		AIM_LOG(ERR, "flow control low_water %u: give 1 to %u (KB, below high_water)",
			conf->low_water, conf->high_water - 1);
		return -EINVAL;
	}
	if (conf->pause_time == 0) {
		AIM_LOG(ERR, "flow control pause_time 0: give 1 to 65535 (512 bit times)");
		return -EINVAL;
	}
	return 0;
}

int
ixgbe_flow_ctrl_set(struct rte_eth_dev *dev, struct rte_eth_fc_conf *conf)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	int ret = ixgbe_flow_ctrl_check(port, conf);

	if (ret != 0)
		return ret;
	port->fc_mode = conf->mode;
	port->fc_high = conf->high_water;
	port->fc_low = conf->low_water;
	port->fc_pause_time = conf->pause_time;
	port->fc_send_xon = conf->send_xon;
	port->fc_forward_ctrl = conf->mac_ctrl_frame_fwd;
	return ixgbe_flow_ctrl_start(dev);
}

int
ixgbe_flow_ctrl_start(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	const struct mmio *bar = &port->hw.bar;
	bool rx = port->fc_mode == RTE_ETH_FC_RX_PAUSE || port->fc_mode == RTE_ETH_FC_FULL;
	bool tx = port->fc_mode == RTE_ETH_FC_TX_PAUSE || port->fc_mode == RTE_ETH_FC_FULL;
	uint32_t mflcn, fccfg, low = 0, high, i;

	/* 3.7.7: what we do when a PAUSE comes in. DPF: PAUSE frames go no further. */
	mflcn = mmio_read(bar, IXGBE_MFLCN) &
		~(IXGBE_MFLCN_RPFCE | IXGBE_MFLCN_RFCE | IXGBE_MFLCN_PMCF);
	mflcn |= IXGBE_MFLCN_DPF | (rx ? IXGBE_MFLCN_RFCE : 0) |
		 (port->fc_forward_ctrl ? IXGBE_MFLCN_PMCF : 0);
	mmio_write(bar, IXGBE_MFLCN, mflcn);

	/* 3.7.7: when we send one. Packet buffer 0 is the only one. */
	fccfg = mmio_read(bar, IXGBE_FCCFG) &
		~(IXGBE_FCCFG_TFCE_802_3X | IXGBE_FCCFG_TFCE_PRIORITY);
	mmio_write(bar, IXGBE_FCCFG, fccfg | (tx ? IXGBE_FCCFG_TFCE_802_3X : 0));
	if (tx) {
		low = port->fc_low << FC_WATERMARK_SHIFT |
		      (port->fc_send_xon ? IXGBE_FCRTL_XONE : 0);
		high = port->fc_high << FC_WATERMARK_SHIFT | IXGBE_FCRTH_FCEN;
	} else {
		/* Without FCEN the mark still bounds what loopback may put into the buffer. */
		high = ixgbe_hw_rx_buffer(&port->hw) - (24u << FC_WATERMARK_SHIFT);
	}
	for (i = 0; i < IXGBE_FCRTL_COUNT; i++) {
		mmio_write(bar, IXGBE_AT(FCRTL, i), i == 0 ? low : 0);
		mmio_write(bar, IXGBE_AT(FCRTH, i), i == 0 ? high : 0);
	}
	/* Two classes a register; refreshed at half time while the buffer stays full. */
	for (i = 0; i < IXGBE_FCTTV_COUNT; i++)
		mmio_write(bar, IXGBE_AT(FCTTV, i), port->fc_pause_time * 0x00010001u);
	mmio_write(bar, IXGBE_FCRTV, port->fc_pause_time / 2);
	return 0;
}

/* ---- LEDs: LEDCTL, 8.2.3.1 ---- */

static int
ixgbe_led_set(struct rte_eth_dev *dev, uint32_t mode)
{
	const struct mmio *bar = &ixgbe_port(dev)->hw.bar;
	uint32_t ledctl = mmio_read(bar, IXGBE_LEDCTL);

	ledctl &= ~(IXGBE_LEDCTL_LED_MODE(LED_IDENTIFY) | IXGBE_LEDCTL_LED_BLINK(LED_IDENTIFY));
	mmio_write(bar, IXGBE_LEDCTL, ledctl | mode);
	return 0;
}

int
ixgbe_led_on(struct rte_eth_dev *dev)
{
	return ixgbe_led_set(dev, IXGBE_LEDCTL_LED_ON(LED_IDENTIFY));
}

int
ixgbe_led_off(struct rte_eth_dev *dev)
{
	return ixgbe_led_set(dev, IXGBE_LEDCTL_LED_OFF(LED_IDENTIFY));
}
