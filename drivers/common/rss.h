/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive-side scaling as the ethdev API asks for it: key, functions and redirection table, kept
 * because a reset of the hardware clears them. A PMD writes them to its hardware.
 */
#ifndef AIM_COMMON_RSS_H
#define AIM_COMMON_RSS_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ethdev.h>

struct rte_eth_dev_data;

#define RSS_KEY_LEN 40u
#define RSS_RETA_MAX 512u

struct rss {
	uint8_t key[RSS_KEY_LEN];
	uint64_t hf;
	uint8_t reta[RSS_RETA_MAX];
	bool conf_set; /* key and hf hold since configure, or as updated */
	bool reta_set; /* so does reta */
};

/* What the hardware can. */
struct rss_limits {
	uint64_t hf;
	uint16_t reta_size;
	uint16_t queues; /* of the port's, that its table reaches */
};

/* A new configuration brings its own key, functions and table. */
void rss_forget(struct rss *rss);
/* Port start: what configure said, unless it was updated since. 0 or -EINVAL, logged. */
int rss_settle(struct rss *rss, const struct rss_limits *limits, const struct rte_eth_conf *conf);

/* 0 or -EINVAL, logged; nothing has changed then. */
int rss_update(struct rss *rss, const struct rss_limits *limits,
	       const struct rte_eth_dev_data *data, bool started,
	       const struct rte_eth_rss_conf *conf);
int rss_reta_update(struct rss *rss, const struct rss_limits *limits,
		    const struct rte_eth_rss_reta_entry64 *conf, uint16_t size);
int rss_reta_query(const struct rss *rss, const struct rss_limits *limits,
		   struct rte_eth_rss_reta_entry64 *conf, uint16_t size);
void rss_conf_get(const struct rss *rss, struct rte_eth_rss_conf *conf);

#endif /* AIM_COMMON_RSS_H */
