/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which frames come in: addresses, multicast table, VLANs, frame size. 82599
 * datasheet 7.1.1. What a reset clears is kept in the port and written back.
 */
#include <string.h>

#include <rte_ethdev.h>

#include "ixgbe_aim.h"

#define FRAME_OVERHEAD (RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN)
#define FRAME_MAX 9728u /* X540 and later do more, 82599 does not: 8.2.3.22 */
#define MTU_MAX (FRAME_MAX - FRAME_OVERHEAD)
#define VLAN_TAGS_LEN (2u * RTE_VLAN_HLEN)

/* ---- Promiscuous modes: FCTRL, 8.2.3.7 ---- */

static void
ixgbe_filter_fctrl_write(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	uint32_t fctrl = mmio_read(&port->hw.bar, IXGBE_FCTRL);

	fctrl &= ~(IXGBE_FCTRL_UPE | IXGBE_FCTRL_MPE | IXGBE_FCTRL_SBP);
	fctrl |= IXGBE_FCTRL_BAM;
	if (port->promiscuous)
		fctrl |= IXGBE_FCTRL_UPE | IXGBE_FCTRL_MPE;
	if (port->allmulticast)
		fctrl |= IXGBE_FCTRL_MPE;
	mmio_write(&port->hw.bar, IXGBE_FCTRL, fctrl);
}

int
ixgbe_promiscuous_enable(struct rte_eth_dev *dev)
{
	ixgbe_port(dev)->promiscuous = true;
	ixgbe_filter_fctrl_write(dev);
	return 0;
}

int
ixgbe_promiscuous_disable(struct rte_eth_dev *dev)
{
	ixgbe_port(dev)->promiscuous = false;
	ixgbe_filter_fctrl_write(dev);
	return 0;
}

int
ixgbe_allmulticast_enable(struct rte_eth_dev *dev)
{
	ixgbe_port(dev)->allmulticast = true;
	ixgbe_filter_fctrl_write(dev);
	return 0;
}

int
ixgbe_allmulticast_disable(struct rte_eth_dev *dev)
{
	ixgbe_port(dev)->allmulticast = false;
	ixgbe_filter_fctrl_write(dev);
	return 0;
}

/* ---- Addresses: RAL, RAH, 8.2.3.7; entry 0 is the port's own ---- */

int
ixgbe_mac_addr_add(struct rte_eth_dev *dev, struct rte_ether_addr *addr, uint32_t i, uint32_t pool)
{
	if (i >= IXGBE_PORT_MACS || pool != 0) {
		AIM_LOG(ERR, "address %u of pool %u: there are %u addresses, all in pool 0", i,
			pool, IXGBE_PORT_MACS);
		return -EINVAL;
	}
	ixgbe_hw_rar_set(&ixgbe_port(dev)->hw, i, addr->addr_bytes);
	return 0;
}

void
ixgbe_mac_addr_remove(struct rte_eth_dev *dev, uint32_t i)
{
	ixgbe_hw_rar_clear(&ixgbe_port(dev)->hw, i);
}

int
ixgbe_mac_addr_set(struct rte_eth_dev *dev, struct rte_ether_addr *addr)
{
	ixgbe_hw_rar_set(&ixgbe_port(dev)->hw, 0, addr->addr_bytes);
	return 0;
}

/* MTA has a bit for each value of 12 bits of the address; MCSTCTRL.MO = 0 takes bits 47:36. */
static uint16_t
ixgbe_filter_mta_index(const struct rte_ether_addr *addr)
{
	return (uint16_t)((addr->addr_bytes[4] >> 4 | (uint16_t)addr->addr_bytes[5] << 4) & 0xFFF);
}

static void
ixgbe_filter_mta_write(struct ixgbe_port *port)
{
	bool any = false;
	uint32_t i;

	for (i = 0; i < IXGBE_MTA_COUNT; i++) {
		mmio_write(&port->hw.bar, IXGBE_AT(MTA, i), port->mta[i]);
		any = any || port->mta[i] != 0;
	}
	mmio_write(&port->hw.bar, IXGBE_MCSTCTRL, any ? IXGBE_MCSTCTRL_MFE : 0);
}

int
ixgbe_mc_addr_list_set(struct rte_eth_dev *dev, struct rte_ether_addr *list, uint32_t n)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	uint32_t i;

	memset(port->mta, 0, sizeof(port->mta));
	for (i = 0; i < n; i++) {
		uint16_t index = ixgbe_filter_mta_index(&list[i]);

		port->mta[index / 32] |= IXGBE_BIT(index % 32);
	}
	ixgbe_filter_mta_write(port);
	return 0;
}

/* ---- VLAN: 7.4 ---- */

int
ixgbe_vlan_filter_set(struct rte_eth_dev *dev, uint16_t vlan_id, int on)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	uint32_t i = (vlan_id >> 5) & 0x7F;

	if (on)
		port->vfta[i] |= IXGBE_BIT(vlan_id & 0x1F);
	else
		port->vfta[i] &= ~IXGBE_BIT(vlan_id & 0x1F);
	mmio_write(&port->hw.bar, IXGBE_AT(VFTA, i), port->vfta[i]);
	return 0;
}

void
ixgbe_vlan_strip_queue_set(struct rte_eth_dev *dev, uint16_t q, int on)
{
	if (q < dev->data->nb_rx_queues && dev->data->rx_queues[q] != NULL)
		ixgbe_rxq_vlan_strip(dev->data->rx_queues[q], on != 0);
}

/* Filter and tag types; the strip bits stand in the rings. */
static void
ixgbe_filter_vlan_write(struct rte_eth_dev *dev)
{
	uint64_t offloads = dev->data->dev_conf.rxmode.offloads;
	struct ixgbe_port *port = ixgbe_port(dev);
	const struct mmio *bar = &port->hw.bar;
	uint32_t vlnctrl = mmio_read(bar, IXGBE_VLNCTRL);
	uint32_t dma = mmio_read(bar, IXGBE_DMATXCTL);

	vlnctrl &= ~(IXGBE_VLNCTRL_VFE | IXGBE_VLNCTRL_CFIEN | IXGBE_VLNCTRL_VET);
	vlnctrl |= port->vlan_tpid;
	if (offloads & RTE_ETH_RX_OFFLOAD_VLAN_FILTER)
		vlnctrl |= IXGBE_VLNCTRL_VFE;
	mmio_write(bar, IXGBE_VLNCTRL, vlnctrl);

	/* 7.4: with double VLAN on, every frame is taken to have an outer tag. */
	dma = (dma & 0xFFFFu & ~IXGBE_DMATXCTL_GDV) | (uint32_t)port->vlan_tpid
							  << IXGBE_DMATXCTL_VT_SHIFT;
	if (offloads & RTE_ETH_RX_OFFLOAD_VLAN_EXTEND) {
		mmio_write(bar, IXGBE_DMATXCTL, dma | IXGBE_DMATXCTL_GDV);
		mmio_set(bar, IXGBE_CTRL_EXT, IXGBE_CTRL_EXT_EXTENDED_VLAN);
		mmio_write(bar, IXGBE_EXVET, (uint32_t)port->vlan_outer_tpid << 16);
	} else {
		mmio_write(bar, IXGBE_DMATXCTL, dma);
		mmio_clear(bar, IXGBE_CTRL_EXT, IXGBE_CTRL_EXT_EXTENDED_VLAN);
	}
}

int
ixgbe_vlan_offload_set(struct rte_eth_dev *dev, int mask)
{
	uint64_t offloads = dev->data->dev_conf.rxmode.offloads;
	uint16_t q;

	if (mask & RTE_ETH_VLAN_STRIP_MASK)
		for (q = 0; q < dev->data->nb_rx_queues; q++)
			ixgbe_vlan_strip_queue_set(dev, q,
						   !!(offloads & RTE_ETH_RX_OFFLOAD_VLAN_STRIP));
	if (mask & (RTE_ETH_VLAN_FILTER_MASK | RTE_ETH_VLAN_EXTEND_MASK))
		ixgbe_filter_vlan_write(dev);
	return 0;
}

int
ixgbe_vlan_tpid_set(struct rte_eth_dev *dev, enum rte_vlan_type type, uint16_t tpid)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	bool extend = dev->data->dev_conf.rxmode.offloads & RTE_ETH_RX_OFFLOAD_VLAN_EXTEND;

	switch (type) {
	case RTE_ETH_VLAN_TYPE_INNER:
		port->vlan_tpid = tpid;
		break;
	case RTE_ETH_VLAN_TYPE_OUTER:
		/* With one tag, that one is the outer one. */
		if (extend)
			port->vlan_outer_tpid = tpid;
		else
			port->vlan_tpid = tpid;
		break;
	default:
		AIM_LOG(ERR, "VLAN type %d has no TPID: give the inner or the outer one", type);
		return -EINVAL;
	}
	ixgbe_filter_vlan_write(dev);
	return 0;
}

/* ---- Frame size: MAXFRS, 8.2.3.22 ---- */

static void
ixgbe_filter_frame_write(struct ixgbe_port *port, uint16_t mtu)
{
	uint32_t frame = mtu + FRAME_OVERHEAD;
	uint32_t maxfrs = mmio_read(&port->hw.bar, IXGBE_MAXFRS) & 0xFFFFu;

	/* A tag's 4 bytes are allowed on top by the hardware. */
	if (frame > RTE_ETHER_MAX_LEN)
		mmio_set(&port->hw.bar, IXGBE_HLREG0, IXGBE_HLREG0_JUMBOEN);
	else
		mmio_clear(&port->hw.bar, IXGBE_HLREG0, IXGBE_HLREG0_JUMBOEN);
	mmio_write(&port->hw.bar, IXGBE_MAXFRS, maxfrs | frame << IXGBE_MAXFRS_MFS_SHIFT);
}

int
ixgbe_mtu_set(struct rte_eth_dev *dev, uint16_t mtu)
{
	struct ixgbe_port *port = ixgbe_port(dev);

	if (mtu < RTE_ETHER_MIN_MTU || mtu > MTU_MAX) {
		AIM_LOG(ERR, "%s: MTU %u: give %u to %u", dev->data->name, mtu, RTE_ETHER_MIN_MTU,
			MTU_MAX);
		return -EINVAL;
	}
	if (rxqs_mtu_check(dev, mtu) != 0)
		return -EINVAL;
	ixgbe_filter_frame_write(port, mtu);
	return 0;
}

void
ixgbe_filter_restore(struct rte_eth_dev *dev)
{
	static const struct rte_ether_addr none;
	struct ixgbe_port *port = ixgbe_port(dev);
	uint32_t i;

	ixgbe_hw_rar_set(&port->hw, 0, dev->data->mac_addrs[0].addr_bytes);
	for (i = 1; i < IXGBE_PORT_MACS; i++) {
		if (rte_is_same_ether_addr(&dev->data->mac_addrs[i], &none))
			ixgbe_hw_rar_clear(&port->hw, i);
		else
			ixgbe_hw_rar_set(&port->hw, i, dev->data->mac_addrs[i].addr_bytes);
	}
	ixgbe_filter_mta_write(port);
	for (i = 0; i < IXGBE_VFTA_COUNT; i++)
		mmio_write(&port->hw.bar, IXGBE_AT(VFTA, i), port->vfta[i]);
	ixgbe_filter_vlan_write(dev);
	ixgbe_filter_frame_write(port, dev->data->mtu);
	ixgbe_filter_fctrl_write(dev);
}
