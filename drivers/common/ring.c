/* SPDX-License-Identifier: BSD-3-Clause */
#include "ring.h"

#include <ethdev_driver.h>

#include "log.h"

bool
ring_size_ok(const struct rte_eth_dev *dev, const char *direction, uint16_t q, uint16_t n,
	     const struct ring_limits *limits)
{
	if (n >= limits->min && n <= limits->max && n % limits->step == 0)
		return true;
	AIM_LOG(ERR, "%s: %s queue %u: %u descriptors; take a multiple of %u from %u to %u",
		dev->data->name, direction, q, n, limits->step, limits->min, limits->max);
	return false;
}

void
ring_no_memory(const struct rte_eth_dev *dev, const char *direction, uint16_t q, uint16_t n,
	       unsigned int socket)
{
	AIM_LOG(ERR,
		"%s: %s queue %u: no memory for a ring of %u descriptors on socket %u: "
		"reserve more hugepages or give -m",
		dev->data->name, direction, q, n, socket);
}
