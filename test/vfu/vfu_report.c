/* SPDX-License-Identifier: BSD-3-Clause */
#include "vfu_report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void
add_counter(void *arg, const char *name, uint64_t value)
{
	json_object_set_new(arg, name, json_integer((json_int_t)value));
}

json_t *
vfu_report_stats(struct vfu *vfu)
{
	json_t *out = json_object(), *msix = json_array();
	struct nic_wire_stats wire;
	struct vfu_irq irq;
	struct nic_stats nic;
	uint64_t refused;
	size_t maps, v;

	nic_stats_get(vfu->nic, &nic);
	nic_wire_stats_get(vfu->nic, &wire);
	nic_lock(vfu->nic);
	irq = vfu->irq;
	maps = vfu->dma.count;
	refused = vfu->dma.refused;
	nic_unlock(vfu->nic);
	json_object_set_new(out, "name", json_string(vfu->name));
	json_object_set_new(out, "model", json_string(vfu->nic->model->name));
	json_object_set_new(out, "device_id", json_sprintf("0x%04x", vfu->nic->model->device_id));
	json_object_set_new(out, "client", json_boolean(vfu->negotiated));
	json_object_set_new(out, "removed", json_boolean(nic_removed(vfu->nic)));
	json_object_set_new(out, "link_up", json_boolean(vfu->nic->link_up));
	add_counter(out, "clock_ns", nic_clock_now(vfu->nic->clock));
	add_counter(out, "link_mbps", vfu->nic->link_mbps);
	nic_stats_each(&nic, &wire, add_counter, out);
	add_counter(out, "register_reads", nic.reads);
	add_counter(out, "register_writes", nic.writes);
	add_counter(out, "msix_lost", irq.lost);
	add_counter(out, "msix_kept", irq.kept);
	add_counter(out, "msix_sent", irq.sent);
	add_counter(out, "msix_wired", vfu_irq_wired(&irq));
	for (v = 0; v < NIC_VECTORS; v++)
		json_array_append_new(msix, json_integer((json_int_t)nic.msix[v]));
	json_object_set_new(out, "msix", msix);
	add_counter(out, "dma_mappings", maps);
	add_counter(out, "dma_refused", refused);
	add_counter(out, "clients", vfu->stats.clients);
	add_counter(out, "clients_cut_off", vfu->stats.rejected);
	add_counter(out, "messages", vfu->stats.messages);
	add_counter(out, "message_errors", vfu->stats.errors);
	add_counter(out, "resets", vfu->stats.resets);
	add_counter(out, "region_reads", vfu->stats.region_reads);
	add_counter(out, "region_writes", vfu->stats.region_writes);
	add_counter(out, "dma_maps", vfu->stats.dma_maps);
	add_counter(out, "dma_unmaps", vfu->stats.dma_unmaps);
	return out;
}

struct uses {
	json_t *known, *unknown;
};

static void
add_use(void *arg, const struct nic_use *use)
{
	struct uses *uses = arg;
	json_t *item = json_object();

	json_object_set_new(item, "offset", json_sprintf("0x%05x", use->offset));
	if (use->name != NULL) {
		json_object_set_new(item, "name", json_string(use->name));
		add_counter(item, "index", use->index);
	}
	add_counter(item, "reads", use->reads);
	add_counter(item, "writes", use->writes);
	json_array_append_new(use->name != NULL ? uses->known : uses->unknown, item);
}

json_t *
vfu_report_full(struct vfu *vfu)
{
	struct uses uses = {json_array(), json_array()};
	json_t *out = vfu_report_stats(vfu);

	nic_uses(vfu->nic, add_use, &uses);
	json_object_set_new(out, "registers", uses.known);
	json_object_set_new(out, "unknown", uses.unknown);
	return out;
}

json_t *
vfu_report_all(struct vfu *const *devices, unsigned int count)
{
	json_t *all = json_array();
	unsigned int i;

	for (i = 0; i < count; i++)
		json_array_append_new(all, vfu_report_full(devices[i]));
	return json_pack("{s:o}", "devices", all);
}

int
vfu_report_write(const json_t *report, const char *path)
{
	char tmp[4096];

	if ((size_t)snprintf(tmp, sizeof(tmp), "%s.new", path) >= sizeof(tmp))
		return -ENAMETOOLONG;
	errno = 0;
	if (report == NULL || json_dump_file(report, tmp, JSON_INDENT(1)) != 0)
		return errno != 0 ? -errno : -EIO;
	if (rename(tmp, path) != 0) {
		int rc = -errno;

		unlink(tmp);
		return rc;
	}
	return 0;
}
