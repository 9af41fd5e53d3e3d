/* SPDX-License-Identifier: BSD-3-Clause */
/* /softpci/list, and stats, go and remove with an index, on the telemetry socket. */
#include "softpci_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static void
add_counter(void *arg, const char *name, uint64_t value)
{
	add(arg, name, value);
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
	/* Time of the NIC's work on the application's threads. */
	add(d, "trap_ns", s.trap_ns);
	add(d, "empty_trap_ns", s.empty_trap_ns);
	nic_stats_each(&s.nic, &s.wire, add_counter, d);
	add(d, "msix_lost", s.msix_lost);
	add(d, "msix_wired", s.msix_wired);
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

/* Pull a NIC out: without a word to its driver, or as a slot with a button does. */
static int
surprise_remove(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct softpci *pci = params != NULL ? softpci_get((unsigned int)atoi(params)) : NULL;

	if (pci == NULL)
		return -EINVAL;
	if (strcmp(cmd, "/softpci/unplug") != 0)
		softpci_surprise_remove(pci);
	else if (softpci_unplug(pci) != 0)
		return -ENOMEM;
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_string(d, "removed", softpci_name(pci));
	return 0;
}

static int
wire_go(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct softpci *pci = params != NULL ? softpci_get((unsigned int)atoi(params)) : NULL;
	struct nic *nic = pci != NULL ? softpci_nic(pci) : NULL;

	(void)cmd;
	if (nic == NULL || nic_wire_go(nic) != 0)
		return -EINVAL;
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_string(d, "go", softpci_name(pci));
	return 0;
}

RTE_INIT(softpci_telemetry)
{
	rte_telemetry_register_cmd("/softpci/list", list, "Software NICs: index and PCI name");
	rte_telemetry_register_cmd("/softpci/stats", stats,
				   "Counters of a software NIC. Parameter: index");
	rte_telemetry_register_cmd(
	    "/softpci/go", wire_go,
	    "Let a wire begin that was opened with hold=1. Parameter: index");
	rte_telemetry_register_cmd(
	    "/softpci/remove", surprise_remove,
	    "Pull a software NIC out as it runs, without a word. Parameter: index");
	rte_telemetry_register_cmd("/softpci/unplug", surprise_remove,
				   "Pull a software NIC out; EAL is told. Parameter: index");
}
