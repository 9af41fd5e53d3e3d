/* SPDX-License-Identifier: BSD-3-Clause */
/* net_enetc_aim and net_enetc_aim_vf: ids, probe and remove, devargs, the table of operations. */
#include <ethdev_pci.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>

#include "../../common/compat/pci_order.h"
#include "../../common/control.h"
#include "../../common/devargs.h"
#include "../../common/removal.h"
#include "enetc_aim.h"
#include "enetc_ids.h"

#define DEVARGS_YIELD "yield"
#define PCI_REVISION 8 /* in configuration space */

COMPAT_STATS_GET(enetc_stats_get)
COMPAT_PTYPES_GET(enetc_rx_ptypes)

static const struct rte_pci_id enetc_pci_ids[] = {
    {RTE_PCI_DEVICE(ENETC_VENDOR_FREESCALE, ENETC_DEV_ID_LS1028A_PF)},
    {.vendor_id = 0},
};

static const struct rte_pci_id enetc_vf_pci_ids[] = {
    {RTE_PCI_DEVICE(ENETC_VENDOR_FREESCALE, ENETC_DEV_ID_LS1028A_VF)},
    {.vendor_id = 0},
};

static int enetc_dev_close(struct rte_eth_dev *dev);
static int enetc_dev_reset(struct rte_eth_dev *dev);
static int enetc_dev_is_removed(struct rte_eth_dev *dev);

/* The same of every function: what one has no port for it refuses, see enetc_port_lacks(). */
static const struct eth_dev_ops enetc_ops = {
    .dev_configure = enetc_port_configure,
    .dev_infos_get = enetc_port_info,
    .dev_start = enetc_port_start,
    .dev_stop = enetc_port_stop,
    .dev_close = enetc_dev_close,
    .dev_reset = enetc_dev_reset,
    .is_removed = enetc_dev_is_removed,
    .dev_supported_ptypes_get = compat_ptypes_get_enetc_rx_ptypes,
    .mtu_set = enetc_mtu_set,

    .rx_queue_setup = enetc_rxq_setup,
    .rx_queue_release = rxq_release,
    .rx_queue_start = enetc_rxq_start,
    .rx_queue_stop = enetc_rxq_stop,
    .rx_queue_intr_enable = enetc_irq_rxq_enable,
    .rx_queue_intr_disable = enetc_irq_rxq_disable,
    .rxq_info_get = enetc_rxq_info,
    .rx_burst_mode_get = enetc_rx_burst_mode,
    .tx_queue_setup = enetc_txq_setup,
    .tx_queue_release = txq_release,
    .tx_queue_start = enetc_txq_start,
    .tx_queue_stop = enetc_txq_stop,
    .tx_done_cleanup = enetc_txq_done_cleanup,
    .txq_info_get = txq_info,
    .tx_burst_mode_get = enetc_tx_burst_mode,

    .link_update = enetc_link_update,
    .dev_set_link_up = enetc_link_up,
    .dev_set_link_down = enetc_link_down,

    .promiscuous_enable = enetc_promiscuous_enable,
    .promiscuous_disable = enetc_promiscuous_disable,
    .allmulticast_enable = enetc_allmulticast_enable,
    .allmulticast_disable = enetc_allmulticast_disable,
    .mac_addr_add = enetc_mac_addr_add,
    .mac_addr_remove = enetc_mac_addr_remove,
    .mac_addr_set = enetc_mac_addr_set,
    .set_mc_addr_list = enetc_mc_addr_list_set,
    .vlan_filter_set = enetc_vlan_filter_set,
    .vlan_offload_set = enetc_vlan_offload_set,
    .vlan_strip_queue_set = enetc_vlan_strip_queue_set,
    .rss_hash_update = enetc_rss_hash_update,
    .rss_hash_conf_get = enetc_rss_hash_conf_get,
    .reta_update = enetc_rss_reta_update,
    .reta_query = enetc_rss_reta_query,

    .stats_get = compat_stats_get_enetc_stats_get,
    .stats_reset = enetc_stats_reset,
    .xstats_get = enetc_xstats_get,
    .xstats_get_by_id = enetc_xstats_get_by_id,
    .xstats_get_names = enetc_xstats_get_names,
    .xstats_get_names_by_id = enetc_xstats_get_names_by_id,
    .xstats_reset = enetc_stats_reset,
    .get_reg = enetc_get_regs,
};

/* A secondary process polls queues and looks; the device belongs to the primary. */
static const struct eth_dev_ops enetc_secondary_ops = {
    .dev_infos_get = enetc_port_info,
    .is_removed = enetc_dev_is_removed,
    .dev_supported_ptypes_get = compat_ptypes_get_enetc_rx_ptypes,
    .rxq_info_get = enetc_rxq_info,
    .rx_burst_mode_get = enetc_rx_burst_mode,
    .txq_info_get = txq_info,
    .tx_burst_mode_get = enetc_tx_burst_mode,
    .tx_done_cleanup = enetc_txq_done_cleanup,
    .rx_queue_intr_enable = vectors_secondary,
    .rx_queue_intr_disable = vectors_secondary,
    .link_update = enetc_link_update_secondary,
    .rss_hash_conf_get = enetc_rss_hash_conf_get,
    .reta_query = enetc_rss_reta_query,
    .stats_get = compat_stats_get_enetc_stats_get,
    .stats_reset = enetc_stats_reset,
    .xstats_get = enetc_xstats_get,
    .xstats_get_by_id = enetc_xstats_get_by_id,
    .xstats_get_names = enetc_xstats_get_names,
    .xstats_get_names_by_id = enetc_xstats_get_names_by_id,
    .xstats_reset = enetc_stats_reset,
    .get_reg = enetc_get_regs,
};

static int
enetc_devargs_parse(const struct rte_pci_device *pci, struct enetc_devargs *args)
{
	const struct devargs_flag flags[] = {{DEVARGS_YIELD, &args->yield}};

	moderation_conf_default(&args->mod, ENETC_ITR_MAX_NS);
	args->yield = false;
	return devargs_parse(pci->device.devargs != NULL ? pci->device.devargs->args : NULL,
			     &args->mod, flags, RTE_DIM(flags));
}

/* ---- rte_pmd_aim.h ---- */

static struct moderation_conf *
control_conf(struct rte_eth_dev *dev)
{
	return &enetc_port(dev)->devargs.mod;
}

static const struct control_ops control_ops = {
    .conf = control_conf,
    .interval_ns = enetc_irq_interval_ns,
    .max_ns = ENETC_ITR_MAX_NS,
};

/* ---- Surprise removal ---- */

static bool
removal_present(const struct rte_eth_dev *dev)
{
	return enetc_hw_present(&enetc_port(dev)->hw);
}

static bool
removal_lock(struct rte_eth_dev *dev)
{
	rte_spinlock_lock(&enetc_port(dev)->link_lock);
	return enetc_port(dev)->started;
}

static void
removal_unlock(struct rte_eth_dev *dev)
{
	rte_spinlock_unlock(&enetc_port(dev)->link_lock);
}

static bool *
removal_flag(struct rte_eth_dev *dev)
{
	return &enetc_port(dev)->removed;
}

static const struct removal_ops removal_ops = {
    .present = removal_present,
    .lock = removal_lock,
    .unlock = removal_unlock,
    .wake = enetc_irq_wake_all,
    .flag = removal_flag,
};

/* ---- Probe ---- */

/* The operations that are function pointers of the device itself; none may be NULL. */
static void
enetc_dev_functions_set(struct rte_eth_dev *dev)
{
	/* the receive function that suits every configuration, until a start chooses */
	dev->rx_pkt_burst = enetc_rx_burst_scatter;
	dev->tx_pkt_burst = enetc_tx_burst;
	dev->tx_pkt_prepare = enetc_tx_prepare;
	dev->rx_queue_count = enetc_rxq_count;
	dev->rx_descriptor_status = enetc_rxq_desc_status;
	dev->tx_descriptor_status = enetc_txq_desc_status;
}

/* Memory for commands and messages: the ring, behind it the data of a command, and a message. */
static int
enetc_dev_cmd_init(struct rte_eth_dev *dev)
{
	struct enetc_port *port = enetc_port(dev);
	size_t ring = ENETC_CMD_RING * sizeof(union enetc_cmd_desc), msg = ring + ENETC_RSS_ENTRIES;
	size_t size = msg + ENETC_MSG_SIZE;

	static_assert(ENETC_CMD_RING * sizeof(union enetc_cmd_desc) % ENETC_CMD_DATA_ALIGN == 0 &&
			  ENETC_RSS_ENTRIES % ENETC_MSG_SIZE == 0,
		      "all of it is aligned as the ring is");
	port->cmd_mz = rte_eth_dma_zone_reserve(dev, "aim_cmd", 0, size, ENETC_RING_ALIGN,
						dev->data->numa_node);
	if (port->cmd_mz == NULL)
		return -ENOMEM;
	port->hw.cmd_ring.addr = port->cmd_mz->addr;
	port->hw.cmd_ring.iova = port->cmd_mz->iova;
	port->hw.cmd_data.addr = RTE_PTR_ADD(port->cmd_mz->addr, ring);
	port->hw.cmd_data.iova = port->cmd_mz->iova + ring;
	port->hw.msg.addr = RTE_PTR_ADD(port->cmd_mz->addr, msg);
	port->hw.msg.iova = port->cmd_mz->iova + msg;
	memset(port->cmd_mz->addr, 0, size);
	return 0;
}

static int
enetc_dev_mac_addrs_init(struct rte_eth_dev *dev)
{
	struct enetc_port *port = enetc_port(dev);
	struct rte_ether_addr *addr = (struct rte_ether_addr *)port->hw.perm_addr;

	if (!rte_is_valid_assigned_ether_addr(addr)) {
		/* nothing gave the port one: Linux and net_enetc do so, too */
		rte_eth_random_addr(addr->addr_bytes);
		AIM_LOG(NOTICE, "%s: the port has no MAC address, a random one is used",
			dev->data->name);
	}
	dev->data->mac_addrs = rte_zmalloc("aim_macs",
					   ENETC_PORT_MACS * sizeof(dev->data->mac_addrs[0]), 0);
	if (dev->data->mac_addrs == NULL)
		return -ENOMEM;
	rte_ether_addr_copy(addr, &dev->data->mac_addrs[0]);
	return enetc_hw_address_set(&port->hw, addr->addr_bytes);
}

static int
enetc_dev_hw_init(struct rte_eth_dev *dev)
{
	struct enetc_port *port = enetc_port(dev);
	struct rte_pci_device *pci = compat_pci_dev(dev);

	if (port->hw.bar.base == NULL) {
		AIM_LOG(ERR, "%s: BAR 0 is not mapped: bind the device to vfio-pci",
			dev->data->name);
		return -ENODEV;
	}
	if (!enetc_hw_present(&port->hw)) {
		AIM_LOG(ERR, "%s: the device does not answer: is its memory space enabled?",
			port->data->name);
		return -EIO;
	}
	if (rte_pci_read_config(pci, &port->hw.revision, 1, PCI_REVISION) != 1) {
		AIM_LOG(ERR, "%s: PCI configuration space cannot be read", dev->data->name);
		return -EIO;
	}
	return enetc_hw_identify(&port->hw);
}

static int
enetc_dev_init(struct rte_eth_dev *dev)
{
	struct enetc_port *port = enetc_port(dev);
	struct rte_pci_device *pci = compat_pci_dev(dev);
	int rc;

	enetc_dev_functions_set(dev);
	/* Its own to each process. */
	moderation_clock_init();
	if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
		dev->dev_ops = &enetc_secondary_ops;
		if (dev->data->dev_started) {
			enetc_rx_select(dev);
			enetc_tx_select(dev);
		}
		return 0;
	}
	dev->dev_ops = &enetc_ops;
	rte_eth_copy_pci_info(dev, pci);
	dev->data->dev_flags |= RTE_ETH_DEV_AUTOFILL_QUEUE_XSTATS;

	port->data = dev->data;
	port->hw.name = dev->data->name;
	port->hw.bar.base = pci->mem_resource[0].addr;
	enetc_hw_kind_set(&port->hw, pci->id.vendor_id, pci->id.device_id);
	rte_spinlock_init(&port->link_lock);
	rc = enetc_devargs_parse(pci, &port->devargs);
	if (rc == 0)
		rc = enetc_dev_hw_init(dev);
	if (rc == 0)
		rc = enetc_stats_init(port);
	if (rc != 0)
		return rc;
	rc = enetc_dev_cmd_init(dev);
	if (rc == 0)
		rc = enetc_dev_mac_addrs_init(dev);
	if (rc != 0) {
		rte_memzone_free(port->cmd_mz);
		enetc_stats_fini(port);
		return rc;
	}
	rc = removal_init(dev, &removal_ops);
	if (rc != 0)
		AIM_LOG(WARNING, "%s: the kernel's word of a removal will not be heard: %s",
			dev->data->name, rte_strerror(-rc));
	control_port_add(dev, &control_ops);
	AIM_INIT_LOG(DEBUG, "%s: revision %u, %u rings", dev->data->name, port->hw.revision,
		     port->hw.rings);
	return 0;
}

static int
enetc_dev_close(struct rte_eth_dev *dev)
{
	struct enetc_port *port = enetc_port(dev);

	if (rte_eal_process_type() != RTE_PROC_PRIMARY)
		return 0;
	control_port_remove(dev);
	enetc_port_stop(dev);
	removal_fini(dev);
	enetc_irq_release(dev);
	for (uint16_t q = 0; q < dev->data->nb_rx_queues; q++)
		rxq_release(dev, q);
	for (uint16_t q = 0; q < dev->data->nb_tx_queues; q++)
		txq_release(dev, q);
	/* The caller frees the queue arrays and, with it, the addresses. */
	rte_memzone_free(port->cmd_mz);
	enetc_stats_fini(port);
	return 0;
}

/* Like a fresh probe, for a port that is stopped: a start writes everything anew. */
static int
enetc_dev_reset(struct rte_eth_dev *dev)
{
	return enetc_dev_hw_init(dev);
}

static int
enetc_dev_is_removed(struct rte_eth_dev *dev)
{
	return !enetc_hw_present(&enetc_port(dev)->hw);
}

static int
enetc_pci_probe(struct rte_pci_driver *drv, struct rte_pci_device *pci)
{
	struct enetc_devargs args;
	int rc = enetc_devargs_parse(pci, &args);

	RTE_SET_USED(drv);
	if (rc != 0)
		return rc;
	/* A positive value: the bus tries the next driver. */
	if (args.yield)
		return 1;
	return rte_eth_dev_pci_generic_probe(pci, sizeof(struct enetc_port), enetc_dev_init);
}

static int
enetc_pci_remove(struct rte_pci_device *pci)
{
	return rte_eth_dev_pci_generic_remove(pci, enetc_dev_close);
}

/* Applications branch on names; the build option stock_names gives the stock driver's. */
#ifdef AIM_STOCK_NAMES
#define ENETC_DRIVER_NAME net_enetc
#define ENETC_VF_DRIVER_NAME net_enetc_vf
#else
#define ENETC_DRIVER_NAME net_enetc_aim
#define ENETC_VF_DRIVER_NAME net_enetc_aim_vf
#endif

static struct rte_pci_driver enetc_driver = {
    .driver = {.name = RTE_STR(ENETC_DRIVER_NAME)},
    .id_table = enetc_pci_ids,
    .drv_flags = RTE_PCI_DRV_NEED_MAPPING | RTE_PCI_DRV_INTR_LSC | RTE_PCI_DRV_INTR_RMV,
    .probe = enetc_pci_probe,
    .remove = enetc_pci_remove,
};

static struct rte_pci_driver enetc_vf_driver = {
    .driver = {.name = RTE_STR(ENETC_VF_DRIVER_NAME)},
    .id_table = enetc_vf_pci_ids,
    .drv_flags = RTE_PCI_DRV_NEED_MAPPING | RTE_PCI_DRV_INTR_RMV,
    .probe = enetc_pci_probe,
    .remove = enetc_pci_remove,
};

RTE_INIT(enetc_driver_register)
{
	pci_order_register(&enetc_driver);
	pci_order_register(&enetc_vf_driver);
}

RTE_FINI(enetc_driver_unregister)
{
	pci_order_unregister(&enetc_vf_driver);
	pci_order_unregister(&enetc_driver);
}

COMPAT_PMD_EXPORT_NAME(ENETC_DRIVER_NAME);
RTE_PMD_REGISTER_PCI_TABLE(ENETC_DRIVER_NAME, enetc_pci_ids);
RTE_PMD_REGISTER_KMOD_DEP(ENETC_DRIVER_NAME, "* vfio-pci");
RTE_PMD_REGISTER_PARAM_STRING(ENETC_DRIVER_NAME, DEVARGS_PARAMS " " DEVARGS_YIELD "=<0|1>");

COMPAT_PMD_EXPORT_NAME(ENETC_VF_DRIVER_NAME);
RTE_PMD_REGISTER_PCI_TABLE(ENETC_VF_DRIVER_NAME, enetc_vf_pci_ids);
RTE_PMD_REGISTER_KMOD_DEP(ENETC_VF_DRIVER_NAME, "* vfio-pci");
RTE_PMD_REGISTER_PARAM_STRING(ENETC_VF_DRIVER_NAME, DEVARGS_PARAMS " " DEVARGS_YIELD "=<0|1>");
