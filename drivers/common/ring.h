/* SPDX-License-Identifier: BSD-3-Clause */
/* What descriptor rings of every PMD have in common. */
#ifndef AIM_COMMON_RING_H
#define AIM_COMMON_RING_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

struct rte_eth_dev;

#define RING_ALIGN 128u /* bytes */

/* A descriptor of either direction. */
struct ring_desc {
	uint64_t half[2];
};

/* How many descriptors a ring may have. */
struct ring_limits {
	uint16_t min, max, step;
};

/* True, or one log line. */
bool ring_size_ok(const struct rte_eth_dev *dev, const char *direction, uint16_t q, uint16_t n,
		  const struct ring_limits *limits);
/* The line for when there is none. */
void ring_no_memory(const struct rte_eth_dev *dev, const char *direction, uint16_t q, uint16_t n,
		    unsigned int socket);

#define RING_FREE_BATCH 64 /* mbufs given back to their pool at once */

/* Free n segments of consecutive ring places; those of one pool go back together. NULL: none there.
 */
static inline void
ring_mbufs_free(struct rte_mbuf **m, uint16_t n)
{
	struct rte_mbuf *batch[RING_FREE_BATCH];
	uint16_t k = 0;

	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *seg = m[i];

		if (seg == NULL)
			continue;
		seg = rte_pktmbuf_prefree_seg(seg);
		if (unlikely(seg == NULL))
			continue;
		if (k == RING_FREE_BATCH || (k != 0 && seg->pool != batch[0]->pool)) {
			rte_mempool_put_bulk(batch[0]->pool, (void **)batch, k);
			k = 0;
		}
		batch[k++] = seg;
	}
	if (k != 0)
		rte_mempool_put_bulk(batch[0]->pool, (void **)batch, k);
}

#endif /* AIM_COMMON_RING_H */
