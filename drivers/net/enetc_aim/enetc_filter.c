/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which frames come in: promiscuous modes, addresses, VLANs, length. Hardware keeps a few addresses
 * exactly and the rest, as all multicast addresses and VLAN ids, by a hash of six bits: what has
 * the hash of one that is wanted comes in with it. All of it belongs to the port: a virtual
 * function has its primary address, and what else comes in the driver of the physical one decides.
 */
#include <string.h>

#include <rte_ethdev.h>

#include "enetc_aim.h"

#define FRAME_OVERHEAD (RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN)
#define VLAN_TAGS_LEN (2 * RTE_VLAN_HLEN)
#define MTU_MAX (ENETC_FRAME_MAX - FRAME_OVERHEAD - VLAN_TAGS_LEN)

bool
enetc_port_lacks(const struct enetc_port *port, const char *what)
{
	if (enetc_kind(&port->hw)->port)
		return false;
	AIM_LOG(ERR,
		"%s: %s: a virtual function cannot ask for it: set it at its physical function",
		port->data->name, what);
	return true;
}

static void
promiscuous_write(const struct enetc_port *port)
{
	uint32_t mode = enetc_port_read(&port->hw, ENETC_PSIPMR) &
			~(ENETC_PSIPMR_UP(0) | ENETC_PSIPMR_MP(0));

	if (port->promiscuous)
		mode |= ENETC_PSIPMR_UP(0);
	if (port->promiscuous || port->allmulticast)
		mode |= ENETC_PSIPMR_MP(0);
	enetc_port_write(&port->hw, ENETC_PSIPMR, mode);
}

int
enetc_promiscuous_enable(struct rte_eth_dev *dev)
{
	if (enetc_port_lacks(enetc_port(dev), "promiscuous mode"))
		return -ENOTSUP;
	enetc_port(dev)->promiscuous = true;
	promiscuous_write(enetc_port(dev));
	return 0;
}

int
enetc_promiscuous_disable(struct rte_eth_dev *dev)
{
	enetc_port(dev)->promiscuous = false;
	if (enetc_kind(&enetc_port(dev)->hw)->port)
		promiscuous_write(enetc_port(dev));
	return 0;
}

int
enetc_allmulticast_enable(struct rte_eth_dev *dev)
{
	if (enetc_port_lacks(enetc_port(dev), "all multicast addresses"))
		return -ENOTSUP;
	enetc_port(dev)->allmulticast = true;
	promiscuous_write(enetc_port(dev));
	return 0;
}

int
enetc_allmulticast_disable(struct rte_eth_dev *dev)
{
	enetc_port(dev)->allmulticast = false;
	if (enetc_kind(&enetc_port(dev)->hw)->port)
		promiscuous_write(enetc_port(dev));
	return 0;
}

/* ---- Addresses: entry 0 is the port's own ---- */

static int
exact_set(struct enetc_port *port, uint16_t i, const struct rte_ether_addr *addr)
{
	int rc;

	if (rte_is_same_ether_addr(&port->exact[i], addr))
		return 0;
	rc = enetc_cmd_mac_set(&port->hw, i,
			       rte_is_zero_ether_addr(addr) ? NULL : addr->addr_bytes);
	if (rc == 0)
		port->exact[i] = *addr;
	return rc;
}

/* Unicast addresses to exact entries as long as there are some, all others to the hashes. */
static int
addresses_write(struct enetc_port *port)
{
	static const struct rte_ether_addr none;
	uint64_t unicast = 0, multicast = port->mc_hash;
	uint16_t entry = ENETC_MAC_RESERVED;
	int rc = 0;

	for (uint32_t i = 1; rc == 0 && i < ENETC_PORT_MACS; i++) {
		const struct rte_ether_addr *addr = &port->macs[i];
		uint64_t bit;

		if (rte_is_zero_ether_addr(addr))
			continue;
		bit = UINT64_C(1) << enetc_hw_hash(enetc_hw_address_bits(addr->addr_bytes));
		if (rte_is_multicast_ether_addr(addr))
			multicast |= bit;
		else if (entry < ENETC_MAC_ENTRIES)
			rc = exact_set(port, entry++, addr);
		else
			unicast |= bit;
	}
	while (rc == 0 && entry < ENETC_MAC_ENTRIES)
		rc = exact_set(port, entry++, &none);
	enetc_hw_unicast_hash_set(&port->hw, unicast);
	enetc_hw_multicast_hash_set(&port->hw, multicast);
	return rc;
}

int
enetc_mac_addr_add(struct rte_eth_dev *dev, struct rte_ether_addr *addr, uint32_t i, uint32_t pool)
{
	struct enetc_port *port = enetc_port(dev);

	if (i >= ENETC_PORT_MACS || pool != 0) {
		AIM_LOG(ERR, "address %u of pool %u: there are %u addresses, all in pool 0", i,
			pool, ENETC_PORT_MACS);
		return -EINVAL;
	}
	if (enetc_port_lacks(port, "another address"))
		return -ENOTSUP;
	port->macs[i] = *addr;
	return port->started ? addresses_write(port) : 0;
}

void
enetc_mac_addr_remove(struct rte_eth_dev *dev, uint32_t i)
{
	struct enetc_port *port = enetc_port(dev);

	memset(&port->macs[i], 0, sizeof(port->macs[i]));
	if (port->started)
		(void)addresses_write(port); /* logs what went wrong */
}

int
enetc_mac_addr_set(struct rte_eth_dev *dev, struct rte_ether_addr *addr)
{
	return enetc_hw_address_set(&enetc_port(dev)->hw, addr->addr_bytes);
}

int
enetc_mc_addr_list_set(struct rte_eth_dev *dev, struct rte_ether_addr *list, uint32_t n)
{
	struct enetc_port *port = enetc_port(dev);

	if (n != 0 && enetc_port_lacks(port, "multicast addresses"))
		return -ENOTSUP;
	port->mc_hash = 0;
	for (uint32_t i = 0; i < n; i++)
		port->mc_hash |= UINT64_C(1)
				 << enetc_hw_hash(enetc_hw_address_bits(list[i].addr_bytes));
	return port->started && enetc_kind(&port->hw)->port ? addresses_write(port) : 0;
}

/* ---- VLAN ---- */

static void
vlan_write(const struct rte_eth_dev *dev)
{
	const struct enetc_port *port = enetc_port(dev);
	uint64_t offloads = dev->data->dev_conf.rxmode.offloads, hash = 0;
	uint32_t mode = enetc_port_read(&port->hw, ENETC_PSIPVMR) & ~ENETC_PSIPVMR_VP(0);

	for (uint32_t id = 0; id < 4096; id++)
		if (port->vlans[id / 64] >> (id % 64) & 1)
			hash |= UINT64_C(1) << enetc_hw_hash(id);
	enetc_hw_vlan_hash_set(&port->hw, hash);
	mode |= ENETC_PSIPVMR_VUTA(0);
	if (!(offloads & RTE_ETH_RX_OFFLOAD_VLAN_FILTER))
		mode |= ENETC_PSIPVMR_VP(0);
	enetc_port_write(&port->hw, ENETC_PSIPVMR, mode);
}

int
enetc_vlan_filter_set(struct rte_eth_dev *dev, uint16_t vlan_id, int on)
{
	struct enetc_port *port = enetc_port(dev);
	uint64_t bit = UINT64_C(1) << (vlan_id % 64);

	if (enetc_port_lacks(port, "a VLAN filter"))
		return -ENOTSUP;
	if (on)
		port->vlans[vlan_id / 64 % 64] |= bit;
	else
		port->vlans[vlan_id / 64 % 64] &= ~bit;
	vlan_write(dev);
	return 0;
}

void
enetc_vlan_strip_queue_set(struct rte_eth_dev *dev, uint16_t q, int on)
{
	if (q < dev->data->nb_rx_queues && dev->data->rx_queues[q] != NULL)
		enetc_rxq_vlan_strip(dev->data->rx_queues[q], on != 0);
}

int
enetc_vlan_offload_set(struct rte_eth_dev *dev, int mask)
{
	uint64_t offloads = dev->data->dev_conf.rxmode.offloads;

	if (mask & RTE_ETH_VLAN_STRIP_MASK)
		for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++)
			enetc_vlan_strip_queue_set(dev, q,
						   (offloads & RTE_ETH_RX_OFFLOAD_VLAN_STRIP) != 0);
	if (mask & RTE_ETH_VLAN_FILTER_MASK && enetc_kind(&enetc_port(dev)->hw)->port)
		vlan_write(dev);
	return 0;
}

/* ---- Length ---- */

int
enetc_mtu_set(struct rte_eth_dev *dev, uint16_t mtu)
{
	uint32_t frame = mtu + FRAME_OVERHEAD + VLAN_TAGS_LEN;

	if (mtu < RTE_ETHER_MIN_MTU || mtu > MTU_MAX) {
		AIM_LOG(ERR, "%s: MTU %u: give %u to %u", dev->data->name, mtu, RTE_ETHER_MIN_MTU,
			MTU_MAX);
		return -EINVAL;
	}
	if (rxqs_mtu_check(dev, mtu) != 0)
		return -EINVAL;
	enetc_hw_frame_set(&enetc_port(dev)->hw, frame);
	return 0;
}

int
enetc_filter_restore(struct rte_eth_dev *dev)
{
	uint64_t offloads = dev->data->dev_conf.rxmode.offloads;
	struct enetc_port *port = enetc_port(dev);
	uint32_t checks = ENETC_PAR_PORT_CFG_L3CD | ENETC_PAR_PORT_CFG_L4CD, cfg;
	int rc = enetc_hw_address_set(&port->hw, dev->data->mac_addrs[0].addr_bytes);

	if (rc != 0 || !enetc_kind(&port->hw)->port)
		return rc;
	/* another driver, or a reset, may have filled the entries */
	memset(port->exact, 0xFF, sizeof(port->exact));
	promiscuous_write(port);
	vlan_write(dev);
	enetc_hw_frame_set(&port->hw, dev->data->mtu + FRAME_OVERHEAD + VLAN_TAGS_LEN);
	if (offloads & RTE_ETH_RX_OFFLOAD_IPV4_CKSUM)
		checks &= ~ENETC_PAR_PORT_CFG_L3CD;
	if (offloads & (RTE_ETH_RX_OFFLOAD_UDP_CKSUM | RTE_ETH_RX_OFFLOAD_TCP_CKSUM))
		checks &= ~ENETC_PAR_PORT_CFG_L4CD;
	enetc_port_write(&port->hw, ENETC_PAR_PORT_CFG, checks);
	cfg = enetc_port_read(&port->hw, ENETC_PM0_CMD_CFG) & ~ENETC_PM0_CMD_CRC;
	if (offloads & RTE_ETH_RX_OFFLOAD_KEEP_CRC)
		cfg |= ENETC_PM0_CMD_CRC;
	enetc_port_write(&port->hw, ENETC_PM0_CMD_CFG, cfg);
	return addresses_write(port);
}
