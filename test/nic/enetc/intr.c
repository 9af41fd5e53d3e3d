/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interrupts. A ring's coalescer counts its frames and times the first of them; when either
 * threshold is reached the ring's detect bit is set, and no frame is counted or timed until it is
 * cleared (NXP: drivers/net/enetc/base/enetc4_hw.h of DPDK says of SIRXIDR that the timer does not
 * re-arm before). Clearing forgets count and time: what was published of Linux's driver, which
 * clears for each frame that it takes, is a timer that begins with the first frame behind its last
 * look; one that frames taken long ago still drive would keep DIM at 8 us (test/perf/enetc-case).
 *
 * The message goes when the detect bit of an enabled ring becomes set, or a ring whose bit is set
 * is enabled; a bit that stays set asks for no second one. It is cleared by reading RBIDR (FreeBSD
 * re-arms by that) or by writing a one to the ring's bit of SIRXIDR (Linux does). Without ICEN no
 * event comes: Linux turns interrupts on by a packet threshold of 1. The thresholds count whether
 * or not the ring is enabled: Linux enables after its last look and relies on what came meanwhile.
 */
#include "enetc_model.h"

static uint32_t
ring_reg(const struct coalescer *c, uint32_t rx, uint32_t tx)
{
	return nic_reg(c->dev->nic, (c->tx ? tx : rx) + c->ring * ENETC_RBMR_STRIDE);
}

static uint32_t
detect_offset(const struct coalescer *c)
{
	return (c->tx ? ENETC_TBIDR : ENETC_RBIDR) + c->ring * ENETC_RBIDR_STRIDE;
}

static void
message(struct coalescer *c)
{
	struct nic *nic = c->dev->nic;
	uint32_t vector = c->tx ? nic_reg(nic, ENETC_AT(SIMSITRV, c->ring))
				: nic_reg(nic, ENETC_AT(SIMSIRRV, c->ring));

	nic->stats.msix_queue++;
	nic_msix(nic, vector & 0x3F);
}

/* No frame was counted or timed. */
static void
forget(struct coalescer *c)
{
	c->packets = 0;
	c->expiry = 0;
	nic_timer_cancel(&c->timer);
}

static void
detect(struct coalescer *c)
{
	forget(c);
	if (c->detected)
		return;
	c->detected = true;
	nic_reg_set(c->dev->nic, detect_offset(c), 1);
	if (c->enabled)
		message(c);
}

static void
clear(struct coalescer *c)
{
	forget(c);
	c->detected = false;
	nic_reg_set(c->dev->nic, detect_offset(c), 0);
}

static void
enable(struct coalescer *c, bool on)
{
	bool was = c->enabled;

	c->enabled = on;
	if (on && !was && c->detected)
		message(c);
}

static uint32_t
packet_threshold(const struct coalescer *c)
{
	uint32_t icr0 = ring_reg(c, ENETC_RBICR0, ENETC_TBICR0);
	uint32_t n;

	if (!(icr0 & ENETC_BICR0_ICEN))
		return 0;
	if (!c->tx)
		return icr0 & ENETC_RBICR0_ICPT;
	n = icr0 & ENETC_TBICR0_ICPT;
	return n == 0 ? 0 : 1u << (n - 1);
}

void
enetc_intr_frame(struct enetc *dev, struct coalescer *c, bool asked)
{
	uint32_t most = packet_threshold(c);
	uint64_t cycles;

	if (asked && ring_reg(c, ENETC_RBIER, ENETC_TBIER) & ENETC_TBIER_FRAME) {
		detect(c);
		return;
	}
	if (most == 0 || c->detected)
		return;
	if (++c->packets >= most) {
		detect(c);
		return;
	}
	cycles = ring_reg(c, ENETC_RBICR1, ENETC_TBICR1);
	if (c->packets != 1 || cycles == 0)
		return;
	/* one cycle is over while the frame is written: no timer of the host is so fast */
	if (cycles == 1) {
		detect(c);
		return;
	}
	c->expiry = nic_clock_now(dev->nic->clock) + cycles * 1000 / ENETC_CLOCK_MHZ;
	nic_timer_arm(&c->timer, c->expiry);
}

static void
timer_fired(void *arg)
{
	struct coalescer *c = arg;
	struct nic *nic = c->dev->nic;

	pthread_mutex_lock(&nic->lock);
	if (c->expiry != 0 && nic_clock_now(nic->clock) >= c->expiry)
		detect(c);
	pthread_mutex_unlock(&nic->lock);
}

static void
coalescer_init(struct coalescer *c, struct enetc *dev, bool tx, unsigned int ring)
{
	c->dev = dev;
	c->tx = tx;
	c->ring = ring;
	nic_timer_init(&c->timer, dev->nic->clock, timer_fired, c);
}

void
enetc_intr_init(struct enetc *dev)
{
	unsigned int i;

	for (i = 0; i < RINGS; i++) {
		coalescer_init(&dev->rx[i].intr, dev, false, i);
		coalescer_init(&dev->tx[i].intr, dev, true, i);
	}
}

void
enetc_intr_stop(struct enetc *dev)
{
	unsigned int i;

	for (i = 0; i < RINGS; i++) {
		nic_timer_cancel_sync(&dev->rx[i].intr.timer);
		nic_timer_cancel_sync(&dev->tx[i].intr.timer);
	}
}

static void
coalescer_reset(struct coalescer *c)
{
	forget(c);
	c->detected = c->enabled = false;
}

void
enetc_intr_reset(struct enetc *dev)
{
	unsigned int i;

	for (i = 0; i < RINGS; i++) {
		coalescer_reset(&dev->rx[i].intr);
		coalescer_reset(&dev->tx[i].intr);
	}
}

/* Enable registers in plain memory: see what software wrote. */
void
enetc_intr_poll(struct enetc *dev)
{
	unsigned int i;

	for (i = 0; i < RINGS; i++) {
		enable(&dev->rx[i].intr, nic_reg(dev->nic, ENETC_AT(RBIER, i)) != 0);
		enable(&dev->tx[i].intr, nic_reg(dev->nic, ENETC_AT(TBIER, i)) != 0);
	}
}

static void
rbier_write(struct nic *nic, uint32_t offset, unsigned int ring, uint32_t value)
{
	nic_reg_set(nic, offset, value);
	enable(&enetc_of(nic)->rx[ring].intr, value != 0);
}

static void
tbier_write(struct nic *nic, uint32_t offset, unsigned int ring, uint32_t value)
{
	nic_reg_set(nic, offset, value);
	enable(&enetc_of(nic)->tx[ring].intr, value != 0);
}

static uint32_t
rbidr_read(struct nic *nic, uint32_t offset, unsigned int ring)
{
	uint32_t value = nic_reg(nic, offset);

	clear(&enetc_of(nic)->rx[ring].intr);
	return value;
}

static uint32_t
tbidr_read(struct nic *nic, uint32_t offset, unsigned int ring)
{
	uint32_t value = nic_reg(nic, offset);

	clear(&enetc_of(nic)->tx[ring].intr);
	return value;
}

static void
ignore_write(struct nic *nic, uint32_t offset, unsigned int ring, uint32_t value)
{
	(void)nic, (void)offset, (void)ring, (void)value;
}

static uint32_t
sirxidr_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	uint32_t value = 0, i;

	(void)offset, (void)index;
	for (i = 0; i < RINGS; i++)
		value |= (uint32_t)enetc_of(nic)->rx[i].intr.detected << i;
	return value;
}

static void
sirxidr_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	uint32_t i;

	(void)offset, (void)index;
	for (i = 0; i < RINGS; i++)
		if (value & ENETC_BIT(i))
			clear(&enetc_of(nic)->rx[i].intr);
}

static uint32_t
sitxidr_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	uint32_t value = 0, i;

	(void)offset, (void)index;
	for (i = 0; i < RINGS; i++)
		value |= (uint32_t)enetc_of(nic)->tx[i].intr.detected << i;
	return value;
}

/* Bits 15:0 the thresholds, 31:16 the frames that asked: one event here. */
static void
sitxidr_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	uint32_t i;

	(void)offset, (void)index;
	for (i = 0; i < RINGS; i++)
		if (value & (ENETC_BIT(i) | ENETC_BIT(i + 16)))
			clear(&enetc_of(nic)->tx[i].intr);
}

const struct reg_special enetc_intr_regs[] = {
    {ENETC_RBIER, NULL, rbier_write},
    {ENETC_TBIER, NULL, tbier_write},
    {ENETC_RBIDR, rbidr_read, ignore_write},
    {ENETC_TBIDR, tbidr_read, ignore_write},
    {ENETC_SIRXIDR, sirxidr_read, sirxidr_write},
    {ENETC_SITXIDR, sitxidr_read, sitxidr_write},
    {0, NULL, NULL},
};
