/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters: section 8.2.3.23. Those that the table calls RC clear when they are read; a 64-bit
 * one clears, both halves, with its high half. Octets of the MAC's counters include the CRC.
 */
#include "ixgbe_model.h"

#include <string.h>

#define CRC_LEN 4u

static void
size_bin(struct nic *nic, uint32_t first, uint32_t bytes)
{
	static const uint32_t limit[] = {64, 127, 255, 511, 1023};
	uint32_t i = 0;

	while (i < 5 && bytes > limit[i])
		i++;
	nic_reg_add(nic, first + i * 4, 1);
}

void
ixgbe_stat_rx_total(struct ixgbe *dev, uint32_t len)
{
	nic_reg_add(dev->nic, IXGBE_TPR, 1);
	nic_reg_add64(dev->nic, IXGBE_TORL, len + CRC_LEN);
}

void
ixgbe_stat_rx_good(struct ixgbe *dev, const uint8_t *frame, uint32_t len)
{
	struct nic *nic = dev->nic;

	nic_reg_add(nic, IXGBE_GPRC, 1);
	nic_reg_add64(nic, IXGBE_GORCL, len + CRC_LEN);
	size_bin(nic, IXGBE_PRC64, len + CRC_LEN);
	if (nic_is_broadcast(frame))
		nic_reg_add(nic, IXGBE_BPRC, 1);
	else if (frame[0] & 1)
		nic_reg_add(nic, IXGBE_MPRC, 1);
}

/* Which of the sixteen counters is a queue's: 8.2.3.23.71 (RQSMR), 8.2.3.23.73 (TQSM). */
static unsigned int
stat_queue(const struct nic *nic, uint32_t map, unsigned int queue)
{
	return nic_reg(nic, map + queue / 4 * 4) >> (queue % 4 * 8) & 0xF;
}

void
ixgbe_stat_rx_queue(struct ixgbe *dev, unsigned int queue, uint32_t bytes)
{
	struct qstat *q = &dev->rxq[stat_queue(dev->nic, IXGBE_RQSMR, queue)];

	q->packets++;
	q->bytes += bytes;
}

void
ixgbe_stat_rx_queue_drop(struct ixgbe *dev, unsigned int queue)
{
	dev->rxq[stat_queue(dev->nic, IXGBE_RQSMR, queue)].drops++;
}

void
ixgbe_stat_tx(struct ixgbe *dev, unsigned int queue, const uint8_t *frame, uint32_t len)
{
	struct nic *nic = dev->nic;
	struct qstat *q = &dev->txq[stat_queue(nic, IXGBE_TQSM, queue)];

	q->packets++;
	q->bytes += len;
	nic_reg_add(nic, IXGBE_GPTC, 1);
	nic_reg_add(nic, IXGBE_TPT, 1);
	nic_reg_add64(nic, IXGBE_GOTCL, len + CRC_LEN);
	size_bin(nic, IXGBE_PTC64, len + CRC_LEN);
	if (nic_is_broadcast(frame))
		nic_reg_add(nic, IXGBE_BPTC, 1);
	else if (frame[0] & 1)
		nic_reg_add(nic, IXGBE_MPTC, 1);
}

void
ixgbe_stat_reset(struct ixgbe *dev)
{
	memset(dev->rxq, 0, sizeof(dev->rxq));
	memset(dev->txq, 0, sizeof(dev->txq));
}

/*
 * With doorbells in plain memory the counters of the receive rings' page lie there too, and
 * software reads them without the model: they are laid out when software starts to collect
 * (it reads CRCERRS, the first), each time what came since the last.
 */
static uint32_t
crcerrs_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	struct ixgbe *dev = ixgbe_of(nic);
	uint32_t value = nic_reg(nic, offset), i;

	(void)index;
	nic_reg_set(nic, offset, 0);
	for (i = 0; nic->poll && i < STAT_QUEUES; i++) {
		nic_reg_set(nic, IXGBE_AT(QPRC, i), (uint32_t)dev->rxq[i].packets);
		nic_reg_set(nic, IXGBE_AT(QBRC_L, i), (uint32_t)dev->rxq[i].bytes);
		nic_reg_set(nic, IXGBE_AT(QBRC_H, i), (uint32_t)(dev->rxq[i].bytes >> 32));
		nic_reg_set(nic, IXGBE_AT(QPRDC, i), (uint32_t)dev->rxq[i].drops);
		memset(&dev->rxq[i], 0, sizeof(dev->rxq[i]));
	}
	return value;
}

static uint32_t
qprc_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	uint32_t value = (uint32_t)ixgbe_of(nic)->rxq[index].packets;

	(void)offset;
	ixgbe_of(nic)->rxq[index].packets = 0;
	return value;
}

static uint32_t
qprdc_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	uint32_t value = (uint32_t)ixgbe_of(nic)->rxq[index].drops;

	(void)offset;
	ixgbe_of(nic)->rxq[index].drops = 0;
	return value;
}

static uint32_t
qbrc_low_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	(void)offset;
	return (uint32_t)ixgbe_of(nic)->rxq[index].bytes;
}

static uint32_t
qbrc_high_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	uint32_t value = (uint32_t)(ixgbe_of(nic)->rxq[index].bytes >> 32);

	(void)offset;
	ixgbe_of(nic)->rxq[index].bytes = 0;
	return value;
}

static uint32_t
qptc_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	uint32_t value = (uint32_t)ixgbe_of(nic)->txq[index].packets;

	(void)offset;
	ixgbe_of(nic)->txq[index].packets = 0;
	return value;
}

static uint32_t
qbtc_low_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	(void)offset;
	return (uint32_t)ixgbe_of(nic)->txq[index].bytes;
}

static uint32_t
qbtc_high_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	uint32_t value = (uint32_t)(ixgbe_of(nic)->txq[index].bytes >> 32);

	(void)offset;
	ixgbe_of(nic)->txq[index].bytes = 0;
	return value;
}

static uint32_t
low_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	(void)index;
	return nic_reg(nic, offset);
}

static uint32_t
high_read(struct nic *nic, uint32_t offset, unsigned int index)
{
	uint32_t value = nic_reg(nic, offset);

	(void)index;
	nic_reg_set(nic, offset, 0);
	nic_reg_set(nic, offset - 4, 0);
	return value;
}

static void
ignore_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	(void)nic;
	(void)offset;
	(void)index;
	(void)value;
}

const struct reg_special ixgbe_stats_regs[] = {
    {IXGBE_CRCERRS, crcerrs_read, ignore_write},
    {IXGBE_QPRC, qprc_read, ignore_write},
    {IXGBE_QPRDC, qprdc_read, ignore_write},
    {IXGBE_QBRC_L, qbrc_low_read, ignore_write},
    {IXGBE_QBRC_H, qbrc_high_read, ignore_write},
    {IXGBE_QPTC, qptc_read, ignore_write},
    {IXGBE_QBTC_L, qbtc_low_read, ignore_write},
    {IXGBE_QBTC_H, qbtc_high_read, ignore_write},
    {IXGBE_GORCL, low_read, ignore_write},
    {IXGBE_GORCH, high_read, ignore_write},
    {IXGBE_GOTCL, low_read, ignore_write},
    {IXGBE_GOTCH, high_read, ignore_write},
    {IXGBE_TORL, low_read, ignore_write},
    {IXGBE_TORH, high_read, ignore_write},
    {0, NULL, NULL},
};
