/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * net_ixgbe_aim: ids, probe and remove, devargs, the table of operations.
 */
#include <ethdev_pci.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>

#include "../../common/compat/pci_order.h"
#include "../../common/control.h"
#include "../../common/devargs.h"
#include "../../common/removal.h"
#include "ixgbe_aim.h"

#define DEVARGS_YIELD "yield"
#define DEVARGS_NVM_CHECK "nvm_check"

/* The longest interval of EITR at 1 and 10 Gb/s. */
#define ITR_MAX_NS ((IXGBE_EITR_INTERVAL >> IXGBE_EITR_INTERVAL_SHIFT) * IXGBE_EITR_UNIT_NS)

COMPAT_STATS_GET(ixgbe_stats_get)
COMPAT_PTYPES_GET(ixgbe_rx_ptypes)

static const struct rte_pci_id ixgbe_pci_ids[] = {
#define ID(id) \
	{ \
		RTE_PCI_DEVICE(IXGBE_VENDOR_INTEL, IXGBE_DEV_ID_##id) \
	}
    ID(82599_KX4),	 ID(82599_COMBO_BACKPLANE),
    ID(82599_CX4),	 ID(82599_SFP),
    ID(82599_XAUI_LOM),	 ID(82599_SFP_EM),
    ID(82599_KX4_MEZZ),	 ID(82599_KR),
    ID(82599_SFP_FCOE),	 ID(82599_BACKPLANE_FCOE),
    ID(82599_SFP_SF_QP), ID(82599_SFP_SF2),
    ID(82599EN_SFP),	 ID(82599_QSFP_SF_QP),
    ID(X540T),		 ID(X540T1),
    ID(X550T),		 ID(X550T1),
#undef ID
    {.vendor_id = 0},
};

static int ixgbe_dev_close(struct rte_eth_dev *dev);
static int ixgbe_dev_reset(struct rte_eth_dev *dev);
static int ixgbe_dev_is_removed(struct rte_eth_dev *dev);

static const struct eth_dev_ops ixgbe_ops = {
    .dev_configure = ixgbe_port_configure,
    .dev_infos_get = ixgbe_port_info,
    .dev_start = ixgbe_port_start,
    .dev_stop = ixgbe_port_stop,
    .dev_close = ixgbe_dev_close,
    .dev_reset = ixgbe_dev_reset,
    .is_removed = ixgbe_dev_is_removed,
    .dev_supported_ptypes_get = compat_ptypes_get_ixgbe_rx_ptypes,
    .mtu_set = ixgbe_mtu_set,

    .rx_queue_setup = ixgbe_rxq_setup,
    .rx_queue_release = rxq_release,
    .rx_queue_start = ixgbe_rxq_start,
    .rx_queue_stop = ixgbe_rxq_stop,
    .rx_queue_intr_enable = ixgbe_irq_rxq_enable,
    .rx_queue_intr_disable = ixgbe_irq_rxq_disable,
    .rxq_info_get = ixgbe_rxq_info,
    .rx_burst_mode_get = ixgbe_rx_burst_mode,
    .tx_queue_setup = ixgbe_txq_setup,
    .tx_queue_release = txq_release,
    .tx_queue_start = ixgbe_txq_start,
    .tx_queue_stop = ixgbe_txq_stop,
    .tx_done_cleanup = ixgbe_txq_done_cleanup,
    .txq_info_get = ixgbe_txq_info,
    .tx_burst_mode_get = ixgbe_tx_burst_mode,

    .link_update = ixgbe_link_update,
    .dev_set_link_up = ixgbe_link_up,
    .dev_set_link_down = ixgbe_link_down,
    .flow_ctrl_get = ixgbe_flow_ctrl_get,
    .flow_ctrl_set = ixgbe_flow_ctrl_set,
    .dev_led_on = ixgbe_led_on,
    .dev_led_off = ixgbe_led_off,

    .promiscuous_enable = ixgbe_promiscuous_enable,
    .promiscuous_disable = ixgbe_promiscuous_disable,
    .allmulticast_enable = ixgbe_allmulticast_enable,
    .allmulticast_disable = ixgbe_allmulticast_disable,
    .mac_addr_add = ixgbe_mac_addr_add,
    .mac_addr_remove = ixgbe_mac_addr_remove,
    .mac_addr_set = ixgbe_mac_addr_set,
    .set_mc_addr_list = ixgbe_mc_addr_list_set,
    .vlan_filter_set = ixgbe_vlan_filter_set,
    .vlan_offload_set = ixgbe_vlan_offload_set,
    .vlan_tpid_set = ixgbe_vlan_tpid_set,
    .vlan_strip_queue_set = ixgbe_vlan_strip_queue_set,
    .rss_hash_update = ixgbe_rss_hash_update,
    .rss_hash_conf_get = ixgbe_rss_hash_conf_get,
    .reta_update = ixgbe_rss_reta_update,
    .reta_query = ixgbe_rss_reta_query,

    .stats_get = compat_stats_get_ixgbe_stats_get,
    .stats_reset = ixgbe_stats_reset,
    .queue_stats_mapping_set = ixgbe_stats_map,
    .xstats_get = ixgbe_xstats_get,
    .xstats_get_by_id = ixgbe_xstats_get_by_id,
    .xstats_get_names = ixgbe_xstats_get_names,
    .xstats_get_names_by_id = ixgbe_xstats_get_names_by_id,
    .xstats_reset = ixgbe_xstats_reset,

    .get_reg = ixgbe_get_regs,
    .get_eeprom_length = ixgbe_get_eeprom_length,
    .get_eeprom = ixgbe_get_eeprom,
    .get_module_info = ixgbe_get_module_info,
    .get_module_eeprom = ixgbe_get_module_eeprom,
    .fw_version_get = ixgbe_fw_version_get,
};

/* A secondary process polls queues and looks; the device belongs to the primary. */
static const struct eth_dev_ops ixgbe_secondary_ops = {
    .dev_infos_get = ixgbe_port_info,
    .is_removed = ixgbe_dev_is_removed,
    .dev_supported_ptypes_get = compat_ptypes_get_ixgbe_rx_ptypes,
    .rxq_info_get = ixgbe_rxq_info,
    .rx_burst_mode_get = ixgbe_rx_burst_mode,
    .txq_info_get = ixgbe_txq_info,
    .tx_burst_mode_get = ixgbe_tx_burst_mode,
    .tx_done_cleanup = ixgbe_txq_done_cleanup,
    .rx_queue_intr_enable = vectors_secondary,
    .rx_queue_intr_disable = vectors_secondary,
    .link_update = ixgbe_link_update_secondary,
    .flow_ctrl_get = ixgbe_flow_ctrl_get,
    .rss_hash_conf_get = ixgbe_rss_hash_conf_get,
    .reta_query = ixgbe_rss_reta_query,
    .stats_get = compat_stats_get_ixgbe_stats_get,
    .stats_reset = ixgbe_stats_reset,
    .xstats_get = ixgbe_xstats_get,
    .xstats_get_by_id = ixgbe_xstats_get_by_id,
    .xstats_get_names = ixgbe_xstats_get_names,
    .xstats_get_names_by_id = ixgbe_xstats_get_names_by_id,
    .xstats_reset = ixgbe_xstats_reset,
    .get_reg = ixgbe_get_regs,
};

/* ---- Devargs ---- */

static int
ixgbe_devargs_parse(const struct rte_pci_device *pci, struct ixgbe_devargs *args)
{
	const struct devargs_flag flags[] = {
	    {DEVARGS_YIELD, &args->yield},
	    {DEVARGS_NVM_CHECK, &args->nvm_check},
	};

	moderation_conf_default(&args->mod, ITR_MAX_NS);
	args->yield = false;
	args->nvm_check = true;
	return devargs_parse(pci->device.devargs != NULL ? pci->device.devargs->args : NULL,
			     &args->mod, flags, RTE_DIM(flags));
}

/* ---- Probe ---- */

/* The operations that are function pointers of the device itself; none may be NULL. */
static void
ixgbe_dev_functions_set(struct rte_eth_dev *dev)
{
	dev->rx_pkt_burst = ixgbe_rx_burst;
	dev->tx_pkt_burst = ixgbe_tx_burst;
	dev->tx_pkt_prepare = ixgbe_tx_prepare;
	dev->rx_queue_count = ixgbe_rxq_count;
	dev->rx_descriptor_status = ixgbe_rxq_desc_status;
	dev->tx_descriptor_status = ixgbe_txq_desc_status;
}

/* Reset, look at the NVM and at what hangs at the MAC. */
static int
ixgbe_dev_hw_init(struct ixgbe_port *port)
{
	struct ixgbe_hw *hw = &port->hw;
	int ret;

	if (!ixgbe_hw_present(hw)) {
		AIM_LOG(ERR, "%s: the device does not answer: is its memory space enabled?",
			port->data->name);
		return -EIO;
	}
	ret = ixgbe_hw_reset(hw);
	if (ret != 0)
		return ret;
	ret = ixgbe_nvm_check(hw);
	if (ret == -EIO && !port->devargs.nvm_check) {
		AIM_LOG(WARNING, "%s: wrong NVM checksum, used all the same (nvm_check=0)",
			port->data->name);
		ret = 0;
	} else if (ret == -EIO) {
		AIM_LOG(
		    ERR,
		    "%s: wrong NVM checksum: reprogram the NVM, or give the devarg nvm_check=0 to "
		    "use the device as it is",
		    port->data->name);
	}
	if (ret == 0)
		ret = ixgbe_phy_identify(hw);
	return ret;
}

static int
ixgbe_dev_mac_addrs_init(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	struct rte_ether_addr *addr = (struct rte_ether_addr *)port->hw.perm_addr;

	if (!rte_is_valid_assigned_ether_addr(addr)) {
		if (port->devargs.nvm_check) {
			AIM_LOG(
			    ERR,
			    "%s: no valid MAC address in the NVM: program one, or give the devarg "
			    "nvm_check=0 to use a random one",
			    port->data->name);
			return -EIO;
		}
		rte_eth_random_addr(addr->addr_bytes);
	}
	dev->data->mac_addrs = rte_zmalloc("aim_macs",
					   IXGBE_PORT_MACS * sizeof(dev->data->mac_addrs[0]), 0);
	if (dev->data->mac_addrs == NULL)
		return -ENOMEM;
	rte_ether_addr_copy(addr, &dev->data->mac_addrs[0]);
	return 0;
}

/* ---- rte_pmd_aim.h ---- */

static struct moderation_conf *
control_conf(struct rte_eth_dev *dev)
{
	return &ixgbe_port(dev)->devargs.mod;
}

static uint32_t
control_interval_ns(struct rte_eth_dev *dev, uint16_t q)
{
	return ixgbe_irq_interval_ns(ixgbe_port(dev), dev->data->rx_queues[q]);
}

static const struct control_ops control_ops = {
    .conf = control_conf,
    .interval_ns = control_interval_ns,
    .max_ns = ITR_MAX_NS,
};

/* ---- Surprise removal ---- */

static bool
removal_present(const struct rte_eth_dev *dev)
{
	return ixgbe_hw_present(&ixgbe_port(dev)->hw);
}

static bool
removal_lock(struct rte_eth_dev *dev)
{
	rte_spinlock_lock(&ixgbe_port(dev)->link_lock);
	return ixgbe_port(dev)->started;
}

static void
removal_unlock(struct rte_eth_dev *dev)
{
	rte_spinlock_unlock(&ixgbe_port(dev)->link_lock);
}

static void
removal_resume(struct rte_eth_dev *dev)
{
	ixgbe_irq_misc_enable(ixgbe_port(dev));
}

static bool *
removal_flag(struct rte_eth_dev *dev)
{
	return &ixgbe_port(dev)->removed;
}

static const struct removal_ops removal_ops = {
    .present = removal_present,
    .lock = removal_lock,
    .unlock = removal_unlock,
    .wake = ixgbe_irq_wake_all,
    .resume = removal_resume,
    .flag = removal_flag,
};

static int
ixgbe_dev_init(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	struct rte_pci_device *pci = compat_pci_dev(dev);
	int ret;

	ixgbe_dev_functions_set(dev);
	/* Its own to each process. */
	moderation_clock_init();
	if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
		dev->dev_ops = &ixgbe_secondary_ops;
		/* What a port that is not started yet will need is not known: the functions that
		 * suit every configuration.
		 */
		dev->rx_pkt_burst = ixgbe_rx_burst_scatter;
		if (dev->data->dev_started) {
			ixgbe_rx_select(dev);
			ixgbe_tx_select(dev);
		}
		return 0;
	}
	dev->dev_ops = &ixgbe_ops;
	rte_eth_copy_pci_info(dev, pci);
	dev->data->dev_flags |= RTE_ETH_DEV_AUTOFILL_QUEUE_XSTATS;

	port->data = dev->data;
	port->hw.name = dev->data->name;
	port->hw.bar.base = pci->mem_resource[0].addr;
	port->vlan_tpid = RTE_ETHER_TYPE_VLAN;
	port->vlan_outer_tpid = RTE_ETHER_TYPE_VLAN;
	ixgbe_link_init(port);
	ret = ixgbe_devargs_parse(pci, &port->devargs);
	if (ret != 0)
		return ret;
	if (port->hw.bar.base == NULL) {
		AIM_LOG(ERR, "%s: BAR 0 is not mapped: bind the device to vfio-pci",
			dev->data->name);
		return -ENODEV;
	}
	ret = ixgbe_hw_identify(&port->hw, pci->id.device_id);
	if (ret == 0)
		ret = ixgbe_dev_hw_init(port);
	if (ret != 0)
		return ret;
	ret = ixgbe_stats_init(port);
	if (ret != 0)
		return ret;
	ret = ixgbe_dev_mac_addrs_init(dev);
	if (ret != 0)
		goto fail_stats;
	ixgbe_hw_rar_set(&port->hw, 0, port->hw.perm_addr);
	ret = rte_intr_callback_register(pci->intr_handle, ixgbe_link_interrupt, dev);
	if (ret != 0) {
		/* Without an interrupt the port can be polled. */
		AIM_LOG(INFO, "%s: no interrupt: link changes are seen when asked for only",
			dev->data->name);
		dev->data->dev_flags &= ~(uint32_t)RTE_ETH_DEV_INTR_LSC;
	}
	ret = removal_init(dev, &removal_ops);
	if (ret != 0)
		AIM_LOG(WARNING, "%s: the kernel's word of a removal will not be heard: %s",
			dev->data->name, rte_strerror(-ret));
	control_port_add(dev, &control_ops);
	ixgbe_hw_driver_loaded(&port->hw, true);
	AIM_INIT_LOG(DEBUG, "%s: device 0x%04x, port %u, %s", dev->data->name, port->hw.device_id,
		     port->hw.lan_id,
		     port->hw.media == IXGBE_MEDIA_FIBER ? ixgbe_sfp_name(port->hw.sfp)
							 : "no cage");
	return 0;

fail_stats:
	ixgbe_stats_fini(port);
	return ret;
}

static int
ixgbe_dev_close(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	struct rte_pci_device *pci = compat_pci_dev(dev);
	uint16_t q;
	int tries, ret = -EAGAIN;

	if (rte_eal_process_type() != RTE_PROC_PRIMARY)
		return 0;
	control_port_remove(dev);
	ixgbe_port_stop(dev);
	/* -EAGAIN: the handler runs, for a moment; it calls no application. */
	for (tries = 0; ret == -EAGAIN && tries < 1000; tries++) {
		ret = rte_intr_callback_unregister(pci->intr_handle, ixgbe_link_interrupt, dev);
		if (ret == -EAGAIN)
			rte_delay_us_sleep(1000);
	}
	if (ret == -EAGAIN)
		AIM_LOG(ERR, "%s: EAL still calls the interrupt handler", dev->data->name);
	/* A handler that ran meanwhile may have set the alarms; none can any more. */
	ixgbe_link_stop(dev);
	removal_fini(dev);
	ixgbe_irq_release(dev);
	for (q = 0; q < dev->data->nb_rx_queues; q++)
		rxq_release(dev, q);
	for (q = 0; q < dev->data->nb_tx_queues; q++)
		txq_release(dev, q);
	/* The caller frees the queue arrays and, with it, the addresses. */
	ixgbe_hw_driver_loaded(&port->hw, false);
	ixgbe_stats_fini(port);
	return 0;
}

static int
ixgbe_dev_uninit(struct rte_eth_dev *dev)
{
	return ixgbe_dev_close(dev);
}

/* Like a fresh probe, for a port that is stopped. */
static int
ixgbe_dev_reset(struct rte_eth_dev *dev)
{
	struct ixgbe_port *port = ixgbe_port(dev);
	int ret = ixgbe_dev_hw_init(port);

	if (ret == 0)
		ixgbe_hw_driver_loaded(&port->hw, true);
	return ret;
}

static int
ixgbe_dev_is_removed(struct rte_eth_dev *dev)
{
	return !ixgbe_hw_present(&ixgbe_port(dev)->hw);
}

static int
ixgbe_pci_probe(struct rte_pci_driver *drv, struct rte_pci_device *pci)
{
	struct ixgbe_devargs args;
	int ret = ixgbe_devargs_parse(pci, &args);

	RTE_SET_USED(drv);
	if (ret != 0)
		return ret;
	/* A positive value: the bus tries the next driver. */
	if (args.yield)
		return 1;
	return rte_eth_dev_pci_generic_probe(pci, sizeof(struct ixgbe_port), ixgbe_dev_init);
}

static int
ixgbe_pci_remove(struct rte_pci_device *pci)
{
	return rte_eth_dev_pci_generic_remove(pci, ixgbe_dev_uninit);
}

/* Applications branch on names; the build option stock_names gives the stock driver's. */
#ifdef AIM_STOCK_NAMES
#define IXGBE_DRIVER_NAME net_ixgbe
#else
#define IXGBE_DRIVER_NAME net_ixgbe_aim
#endif

static struct rte_pci_driver ixgbe_driver = {
    .driver = {.name = RTE_STR(IXGBE_DRIVER_NAME)},
    .id_table = ixgbe_pci_ids,
    .drv_flags = RTE_PCI_DRV_NEED_MAPPING | RTE_PCI_DRV_INTR_LSC | RTE_PCI_DRV_INTR_RMV,
    .probe = ixgbe_pci_probe,
    .remove = ixgbe_pci_remove,
};

RTE_INIT(ixgbe_driver_register)
{
	pci_order_register(&ixgbe_driver);
}

RTE_FINI(ixgbe_driver_unregister)
{
	pci_order_unregister(&ixgbe_driver);
}

COMPAT_PMD_EXPORT_NAME(IXGBE_DRIVER_NAME);
RTE_PMD_REGISTER_PCI_TABLE(IXGBE_DRIVER_NAME, ixgbe_pci_ids);
RTE_PMD_REGISTER_KMOD_DEP(IXGBE_DRIVER_NAME, "* igb_uio | uio_pci_generic | vfio-pci");
RTE_PMD_REGISTER_PARAM_STRING(IXGBE_DRIVER_NAME, DEVARGS_PARAMS
			      " " DEVARGS_YIELD "=<0|1> " DEVARGS_NVM_CHECK "=<0|1>");
