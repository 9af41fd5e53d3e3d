/* SPDX-License-Identifier: BSD-3-Clause */
/* Every device that can be had, by name and by PCI id. */
#include "nic.h"
#include "enetc/enetc_model.h"
#include "ixgbe/ixgbe_model.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct nic_model *const tables[] = {ixgbe_models, enetc_models};

const struct nic_model *
nic_model_find(const char *name)
{
	unsigned long id = 0;
	size_t t;

	if (name == NULL)
		return NULL;
	if (strncmp(name, "id=", 3) == 0) {
		char *end;

		id = strtoul(name + 3, &end, 0);
		if (*end != '\0' || id == 0)
			return NULL;
	}
	for (t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		const struct nic_model *m;

		for (m = tables[t]; m->name != NULL; m++)
			if (id != 0 ? m->device_id == id : strcasecmp(m->name, name) == 0)
				return m;
	}
	return NULL;
}
