/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interrupts: sections 7.3.1 (registers), 7.3.2 (throttling), 7.3.4 (vectors).
 *
 * A cause is pending from the event until it is cleared, masked or not. A message goes when an
 * unmasked cause gets an event, or a pending cause is unmasked, at once if the vector's throttle
 * counter has run out and otherwise when it does. The counter starts anew at each message. A
 * cause that stays pending asks for no second message by itself.
 */
#include "ixgbe_model.h"

#include <string.h>

#define OTHER_CAUSES 0x7FFF0000u /* EICR bits 16 to 30 */
#define ITR_COUNTER_SHIFT 21
#define ITR_COUNTER 0x7Fu /* the seven high bits of the nine */

static bool
msix_mode(const struct ixgbe *dev)
{
	return (nic_reg(dev->nic, IXGBE_GPIE) & IXGBE_GPIE_MSIX_MODE) != 0;
}

static uint32_t
itr_offset(unsigned int vector)
{
	return vector < IXGBE_EITR_COUNT ? IXGBE_AT(EITR, vector)
					 : IXGBE_AT(EITR_HI, vector - IXGBE_EITR_COUNT);
}

static uint64_t
itr_unit(const struct ixgbe *dev)
{
	return dev->nic->link_mbps == 100 ? IXGBE_EITR_UNIT_100M_NS : IXGBE_EITR_UNIT_NS;
}

static uint64_t
itr_interval(const struct ixgbe *dev, unsigned int vector)
{
	uint32_t itr = nic_reg(dev->nic, itr_offset(vector));

	return ((itr & IXGBE_EITR_INTERVAL) >> IXGBE_EITR_INTERVAL_SHIFT) * itr_unit(dev);
}

/* The vector of causes 16 to 30, -1 if IVAR_MISC gives none (8.2.3.5.17). */
static int
other_vector(const struct ixgbe *dev, uint32_t bits)
{
	uint32_t ivar = nic_reg(dev->nic, IXGBE_IVAR_MISC);

	if (!msix_mode(dev))
		return 0;
	if ((bits & ~IXGBE_EICR_TCP_TIMER) == 0)
		ivar <<= IXGBE_IVAR_MISC_OTHER_SHIFT; /* byte 0 is the TCP timer's */
	ivar = ivar >> IXGBE_IVAR_MISC_OTHER_SHIFT & 0xFF;
	return ivar & IXGBE_IVAR_VALID ? (int)(ivar & IXGBE_IVAR_VECTOR) : -1;
}

/* Unmasked pending causes of a vector. */
static bool
has_cause(const struct ixgbe *dev, unsigned int vector)
{
	uint32_t other = dev->other & dev->other_mask;

	if (!msix_mode(dev))
		return vector == 0 && ((dev->pend & dev->mask & 0xFFFF) != 0 || other != 0);
	if (dev->pend & dev->mask & UINT64_C(1) << vector)
		return true;
	if ((other & IXGBE_EICR_TCP_TIMER) &&
	    other_vector(dev, IXGBE_EICR_TCP_TIMER) == (int)vector)
		return true;
	other &= ~IXGBE_EICR_TCP_TIMER;
	return other != 0 && other_vector(dev, other) == (int)vector;
}

/* What sending the message does to causes and masks: 7.3.1.4 (EIAC), 7.3.1.5 (EIAM). */
static void
after_message(struct ixgbe *dev, unsigned int vector)
{
	uint64_t bit = UINT64_C(1) << vector;
	bool automask = (nic_reg(dev->nic, IXGBE_GPIE) & IXGBE_GPIE_EIAME) != 0;
	uint32_t other = dev->other & dev->other_mask;

	if (!msix_mode(dev))
		return;
	if (dev->pend & dev->mask & bit) {
		/* Vectors 16 and up have no bit in EICR to be read: they always clear. */
		if (vector >= 16 || dev->eiac & bit)
			dev->pend &= ~bit;
		if (automask)
			dev->mask &= ~(dev->automask & bit);
	}
	if (other != 0 && other_vector(dev, other) == (int)vector) {
		dev->other &= ~(dev->eiac & other);
		if (automask)
			dev->other_mask &= ~(dev->other_automask & other);
	}
}

static void
try_vector(struct ixgbe *dev, unsigned int vector, bool by_timer)
{
	struct vector *v = &dev->vec[vector];
	uint64_t interval = itr_interval(dev, vector), now;

	if (!v->requested)
		return;
	if (!has_cause(dev, vector)) {
		/* Masked or read away while the counter ran. */
		v->requested = false;
		return;
	}
	now = nic_clock_now(dev->nic->clock);
	if (now < v->expiry) {
		nic_timer_arm(&v->timer, v->expiry);
		return;
	}
	v->requested = false;
	/* That the host runs the timer late is not the counter's fault. */
	if (by_timer && now - v->expiry < interval)
		now = v->expiry;
	v->expiry = now + interval;
	if (dev->pend & dev->mask & (msix_mode(dev) ? UINT64_C(1) << vector : 0xFFFF))
		dev->nic->stats.msix_queue++;
	after_message(dev, vector);
	nic_msix(dev->nic, vector);
}

static void
timer_fired(void *arg)
{
	struct vector *v = arg;
	struct nic *nic = v->dev->nic;

	pthread_mutex_lock(&nic->lock);
	try_vector(v->dev, (unsigned int)(v - v->dev->vec), true);
	pthread_mutex_unlock(&nic->lock);
}

static void
request(struct ixgbe *dev, unsigned int vector)
{
	/* A request that waits has armed the timer. */
	if (dev->vec[vector].requested || !has_cause(dev, vector))
		return;
	dev->vec[vector].requested = true;
	try_vector(dev, vector, false);
}

/* Events, or an unmasking, of these causes. */
static void
request_all(struct ixgbe *dev, uint64_t vectors, uint32_t other)
{
	vectors &= dev->pend & dev->mask;
	other &= dev->other & dev->other_mask;
	if (!msix_mode(dev)) {
		if (vectors != 0 || other != 0)
			request(dev, 0);
		return;
	}
	while (vectors != 0) {
		unsigned int v = (unsigned int)__builtin_ctzll(vectors);

		vectors &= vectors - 1;
		request(dev, v);
	}
	while (other != 0) {
		uint32_t bit = other & -other;
		int v = other_vector(dev, bit);

		other &= ~bit;
		if (v >= 0)
			request(dev, (unsigned int)v);
	}
}

void
ixgbe_intr_queue(struct ixgbe *dev, unsigned int queue, bool tx)
{
	/* Section 8.2.3.5.16: a byte for Rx and for Tx of each queue, two queues a register. */
	uint32_t ivar = nic_reg(dev->nic, IXGBE_AT(IVAR, queue / 2));
	uint64_t bit;

	ivar = ivar >> ((queue & 1) * 16 + (tx ? 8 : 0)) & 0xFF;
	if (!(ivar & IXGBE_IVAR_VALID))
		return;
	bit = UINT64_C(1) << (ivar & IXGBE_IVAR_VECTOR);
	dev->pend |= bit;
	request_all(dev, bit, 0);
}

void
ixgbe_intr_cause(struct ixgbe *dev, uint32_t bits)
{
	bits &= OTHER_CAUSES;
	dev->other |= bits;
	request_all(dev, 0, bits);
}

void
ixgbe_intr_init(struct ixgbe *dev)
{
	unsigned int i;

	for (i = 0; i < NIC_VECTORS; i++) {
		dev->vec[i].dev = dev;
		nic_timer_init(&dev->vec[i].timer, dev->nic->clock, timer_fired, &dev->vec[i]);
	}
}

void
ixgbe_intr_stop(struct ixgbe *dev)
{
	unsigned int i;

	for (i = 0; i < NIC_VECTORS; i++)
		nic_timer_cancel_sync(&dev->vec[i].timer);
}

void
ixgbe_intr_reset(struct ixgbe *dev)
{
	unsigned int i;

	dev->pend = dev->mask = dev->automask = 0;
	dev->other = dev->other_mask = dev->other_automask = dev->eiac = 0;
	for (i = 0; i < NIC_VECTORS; i++) {
		nic_timer_cancel(&dev->vec[i].timer);
		dev->vec[i].requested = false;
		dev->vec[i].expiry = 0;
	}
}

static uint32_t
eicr_value(const struct ixgbe *dev)
{
	return (uint32_t)(dev->pend & 0xFFFF) | dev->other;
}

/* 8.2.3.5.1: reading clears; with GPIE.OCD only the causes 16 to 29. */
static uint32_t
eicr_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	struct ixgbe *dev = ixgbe_of(nic);
	uint32_t value = eicr_value(dev);

	(void)offset;
	(void)index;
	if (nic_reg(nic, IXGBE_GPIE) & IXGBE_GPIE_OCD) {
		dev->other &= ~0x3FFF0000u;
	} else {
		dev->pend &= ~UINT64_C(0xFFFF);
		dev->other = 0;
	}
	/* Without MSI-X it is the read that masks (7.3.1.5). */
	if (!msix_mode(dev)) {
		dev->mask &= ~(dev->automask & value & 0xFFFF);
		dev->other_mask &= ~(dev->other_automask & value);
	}
	return value;
}

static void
eicr_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	struct ixgbe *dev = ixgbe_of(nic);

	(void)offset;
	(void)index;
	dev->pend &= ~(uint64_t)(value & 0xFFFF);
	dev->other &= ~value;
}

static void
eics_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	struct ixgbe *dev = ixgbe_of(nic);

	(void)offset;
	(void)index;
	dev->pend |= value & 0xFFFF;
	dev->other |= value & OTHER_CAUSES;
	request_all(dev, value & 0xFFFF, value & OTHER_CAUSES);
}

static void
eics_ex_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	struct ixgbe *dev = ixgbe_of(nic);
	uint64_t bits = (uint64_t)value << (32 * index);

	(void)offset;
	dev->pend |= bits;
	request_all(dev, bits, 0);
}

/* Not in the datasheet, but software that avoids EICR's clearing read relies on it: the causes. */
static uint32_t
eics_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	(void)offset;
	(void)index;
	return eicr_value(ixgbe_of(nic));
}

static uint32_t
mask_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	struct ixgbe *dev = ixgbe_of(nic);

	(void)offset;
	(void)index;
	return (uint32_t)(dev->mask & 0xFFFF) | dev->other_mask;
}

static void
eims_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	struct ixgbe *dev = ixgbe_of(nic);
	uint64_t fresh = (value & 0xFFFF) & ~dev->mask;
	uint32_t fresh_other = value & OTHER_CAUSES & ~dev->other_mask;

	(void)offset;
	(void)index;
	dev->mask |= value & 0xFFFF;
	dev->other_mask |= value & OTHER_CAUSES;
	request_all(dev, fresh, fresh_other);
}

static void
eimc_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	struct ixgbe *dev = ixgbe_of(nic);

	(void)offset;
	(void)index;
	dev->mask &= ~(uint64_t)(value & 0xFFFF);
	dev->other_mask &= ~value;
}

static uint32_t
mask_ex_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	(void)offset;
	return (uint32_t)(ixgbe_of(nic)->mask >> (32 * index));
}

static void
eims_ex_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	struct ixgbe *dev = ixgbe_of(nic);
	uint64_t bits = (uint64_t)value << (32 * index);
	uint64_t fresh = bits & ~dev->mask;

	(void)offset;
	dev->mask |= bits;
	request_all(dev, fresh, 0);
}

static void
eimc_ex_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	(void)offset;
	ixgbe_of(nic)->mask &= ~((uint64_t)value << (32 * index));
}

static void
eiac_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	(void)index;
	ixgbe_of(nic)->eiac = value;
	nic_reg_set(nic, offset, value);
}

static uint32_t
eiam_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	struct ixgbe *dev = ixgbe_of(nic);

	(void)offset;
	(void)index;
	return (uint32_t)(dev->automask & 0xFFFF) | dev->other_automask;
}

static void
eiam_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	struct ixgbe *dev = ixgbe_of(nic);

	(void)offset;
	(void)index;
	dev->automask = (dev->automask & ~UINT64_C(0xFFFF)) | (value & 0xFFFF);
	dev->other_automask = value & OTHER_CAUSES;
}

static uint32_t
eiam_ex_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	(void)offset;
	return (uint32_t)(ixgbe_of(nic)->automask >> (32 * index));
}

static void
eiam_ex_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	struct ixgbe *dev = ixgbe_of(nic);
	uint64_t half = UINT64_C(0xFFFFFFFF) << (32 * index);

	(void)offset;
	dev->automask = (dev->automask & ~half) | (uint64_t)value << (32 * index);
}

/* 8.2.3.5.11: the interval counts from the next message on; the counter runs as it ran with
 * CNT_WDIS, else it is loaded too. */
static void
set_itr(struct nic *nic, uint32_t offset, unsigned int vector, uint32_t value)
{
	struct ixgbe *dev = ixgbe_of(nic);
	uint64_t units = value >> ITR_COUNTER_SHIFT & ITR_COUNTER;

	nic_reg_set(nic, offset, value & (IXGBE_EITR_INTERVAL | IXGBE_EITR_LLI_MOD | 0x001F0000u));
	if (vector >= NIC_VECTORS || value & IXGBE_EITR_CNT_WDIS)
		return;
	dev->vec[vector].expiry = nic_clock_now(nic->clock) + units * 4 * itr_unit(dev);
	nic_timer_cancel(&dev->vec[vector].timer);
	try_vector(dev, vector, false);
}

static uint32_t
get_itr(struct nic *nic, uint32_t offset, unsigned int vector)
{
	struct ixgbe *dev = ixgbe_of(nic);
	uint32_t value = nic_reg(nic, offset);
	uint64_t now = nic_clock_now(nic->clock);

	if (vector < NIC_VECTORS && dev->vec[vector].expiry > now) {
		uint64_t left = (dev->vec[vector].expiry - now) / (4 * itr_unit(dev));

		value |= (uint32_t)(left < ITR_COUNTER ? left : ITR_COUNTER) << ITR_COUNTER_SHIFT;
	}
	return value;
}

static uint32_t
itr_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	return get_itr(nic, offset, index);
}

static void
itr_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	set_itr(nic, offset, index, value);
}

static uint32_t
itr_hi_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	return get_itr(nic, offset, index + IXGBE_EITR_COUNT);
}

static void
itr_hi_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	set_itr(nic, offset, index + IXGBE_EITR_COUNT, value);
}

static uint32_t
read_zero(struct nic *nic, uint32_t offset, unsigned int index)
{
	(void)nic;
	(void)offset;
	(void)index;
	return 0;
}

const struct reg_special ixgbe_intr_regs[] = {
    {IXGBE_EICR, eicr_read, eicr_write},
    {IXGBE_EICS, eics_read, eics_write},
    {IXGBE_EICS_EX, read_zero, eics_ex_write},
    {IXGBE_EIMS, mask_read, eims_write},
    {IXGBE_EIMC, mask_read, eimc_write},
    {IXGBE_EIMS_EX, mask_ex_read, eims_ex_write},
    {IXGBE_EIMC_EX, mask_ex_read, eimc_ex_write},
    {IXGBE_EIAC, NULL, eiac_write},
    {IXGBE_EIAM, eiam_read, eiam_write},
    {IXGBE_EIAM_EX, eiam_ex_read, eiam_ex_write},
    {IXGBE_EITR, itr_read, itr_write},
    {IXGBE_EITR_HI, itr_hi_read, itr_hi_write},
    {0, NULL, NULL},
};
