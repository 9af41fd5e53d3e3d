/* SPDX-License-Identifier: BSD-3-Clause */
/* /softpci/list and /softpci/stats,<index> on the DPDK telemetry socket. */
#include "softpci_priv.h"

#include <errno.h>
#include <stdlib.h>

#include <rte_common.h>
#include <rte_telemetry.h>

static void
add(struct rte_tel_data *d, const char *name, uint64_t value)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	rte_tel_data_add_dict_uint(d, name, value);
#else
	rte_tel_data_add_dict_u64(d, name, value);
#endif
}

static void
push(struct rte_tel_data *d, uint64_t value)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	rte_tel_data_add_array_uint(d, value);
#else
	rte_tel_data_add_array_u64(d, value);
#endif
}

static struct rte_tel_data *
new_array(void)
{
	struct rte_tel_data *array = rte_tel_data_alloc();

#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	if (array != NULL)
		rte_tel_data_start_array(array, RTE_TEL_UINT_VAL);
#else
	if (array != NULL)
		rte_tel_data_start_array(array, RTE_TEL_U64_VAL);
#endif
	return array;
}

static int
list(const char *cmd, const char *params, struct rte_tel_data *d)
{
	unsigned int i;

	(void)cmd;
	(void)params;
	rte_tel_data_start_dict(d);
	for (i = 0; i < SOFTPCI_MAX; i++) {
		struct softpci *pci = softpci_get(i);
		char key[8];

		if (pci == NULL)
			continue;
		snprintf(key, sizeof(key), "%u", i);
		rte_tel_data_add_dict_string(d, key, softpci_name(pci));
	}
	return 0;
}

static int
stats(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct softpci *pci = params != NULL ? softpci_get((unsigned int)atoi(params)) : NULL;
	struct rte_tel_data *msix, *doorbells;
	struct softpci_stats s;
	unsigned int i;

	(void)cmd;
	if (pci == NULL)
		return -EINVAL;
	softpci_stats_get(pci, &s);
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_string(d, "name", softpci_name(pci));
	add(d, "port", softpci_port_id(pci));
	add(d, "trap_reads", s.trap_reads);
	add(d, "trap_writes", s.trap_writes);
	add(d, "trap_ns", s.trap_ns);
	add(d, "empty_trap_ns", s.empty_trap_ns);
	add(d, "rx_wire", s.nic.rx_wire);
	add(d, "rx_frames", s.nic.rx_frames);
	add(d, "rx_bytes", s.nic.rx_bytes);
	add(d, "rx_filtered", s.nic.rx_filtered);
	add(d, "rx_drop_full", s.nic.rx_drop_full);
	add(d, "rx_drop_no_desc", s.nic.rx_drop_no_desc);
	add(d, "rx_drop_disabled", s.nic.rx_drop_disabled);
	add(d, "rx_drop_link", s.nic.rx_drop_link);
	add(d, "rx_drop_size", s.nic.rx_drop_size);
	add(d, "rx_drop_dma", s.nic.rx_drop_dma);
	add(d, "tx_frames", s.nic.tx_frames);
	add(d, "tx_bytes", s.nic.tx_bytes);
	add(d, "tx_drop_link", s.nic.tx_drop_link);
	add(d, "tx_drop_dma", s.nic.tx_drop_dma);
	add(d, "tx_drop_bad", s.nic.tx_drop_bad);
	add(d, "tx_drop_wire", s.nic.tx_drop_wire);
	add(d, "wire_in_read", s.wire.in_read);
	add(d, "wire_in_injected", s.wire.in_injected);
	add(d, "wire_in_refused", s.wire.in_refused);
	add(d, "wire_in_done", s.wire.in_done);
	add(d, "wire_out_written", s.wire.out_written);
	add(d, "wire_out_failed", s.wire.out_failed);
	add(d, "unknown_registers", s.nic.unknown);
	add(d, "msix_wired", s.msix_wired);
	add(d, "msix_lost", s.msix_lost);
	msix = new_array();
	for (i = 0; msix != NULL && i < NIC_VECTORS; i++)
		push(msix, s.nic.msix[i]);
	if (msix != NULL)
		rte_tel_data_add_dict_container(d, "msix", msix, 0);
	doorbells = new_array();
	for (i = 0; doorbells != NULL && i < SOFTPCI_PAGES; i++)
		push(doorbells, s.page_writes[i]);
	if (doorbells != NULL)
		rte_tel_data_add_dict_container(d, "page_writes", doorbells, 0);
	return 0;
}

RTE_INIT(softpci_telemetry)
{
	rte_telemetry_register_cmd("/softpci/list", list, "Software NICs: index and PCI name");
	rte_telemetry_register_cmd("/softpci/stats", stats,
				   "Counters of a software NIC. Parameter: index");
}
