/* SPDX-License-Identifier: BSD-3-Clause */
#include "rss.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <ethdev_driver.h>

#include "log.h"

/* The verification key of the Toeplitz hash (Microsoft, "Verifying the RSS Hash Calculation"). */
static const uint8_t key_default[RSS_KEY_LEN] = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

static int
conf_check(const struct rte_eth_rss_conf *conf, uint64_t hf)
{
	if (conf->rss_key != NULL && conf->rss_key_len != RSS_KEY_LEN) {
		AIM_LOG(ERR, "RSS key of %u bytes: the hardware takes %u", conf->rss_key_len,
			RSS_KEY_LEN);
		return -EINVAL;
	}
	if (conf->rss_hf & ~hf) {
		AIM_LOG(ERR,
			"RSS hash functions 0x%" PRIx64
			" are not in hardware: ask within 0x%" PRIx64,
			conf->rss_hf & ~hf, hf);
		return -EINVAL;
	}
	return 0;
}

void
rss_forget(struct rss *rss)
{
	rss->conf_set = false;
	rss->reta_set = false;
}

int
rss_settle(struct rss *rss, const struct rss_limits *limits, const struct rte_eth_conf *conf)
{
	bool on = conf->rxmode.mq_mode & RTE_ETH_MQ_RX_RSS_FLAG;

	if (!rss->conf_set) {
		const struct rte_eth_rss_conf *rc = &conf->rx_adv_conf.rss_conf;
		int ret = on ? conf_check(rc, limits->hf) : 0;

		if (ret != 0)
			return ret;
		rss->hf = on ? rc->rss_hf : 0;
		memcpy(rss->key, on && rc->rss_key != NULL ? rc->rss_key : key_default,
		       RSS_KEY_LEN);
		rss->conf_set = true;
	}
	if (!rss->reta_set) {
		for (uint16_t i = 0; i < limits->reta_size; i++)
			rss->reta[i] = (uint8_t)(limits->queues != 0 ? i % limits->queues : 0);
		rss->reta_set = true;
	}
	return 0;
}

int
rss_update(struct rss *rss, const struct rss_limits *limits, const struct rte_eth_dev_data *data,
	   bool started, const struct rte_eth_rss_conf *conf)
{
	int ret = conf_check(conf, limits->hf);

	if (ret != 0)
		return ret;
	if (!(data->dev_conf.rxmode.mq_mode & RTE_ETH_MQ_RX_RSS_FLAG) && conf->rss_hf != 0) {
		AIM_LOG(ERR, "RSS is off: configure the port with mq_mode RTE_ETH_MQ_RX_RSS first");
		return -EINVAL;
	}
	if (started && (conf->rss_hf != 0) != (rss->hf != 0)) {
		AIM_LOG(ERR,
			"%s: RSS cannot be switched %s while the port runs: stop the port and "
			"configure it",
			data->name, conf->rss_hf != 0 ? "on" : "off");
		return -EINVAL;
	}
	rss->hf = conf->rss_hf;
	if (conf->rss_key != NULL)
		memcpy(rss->key, conf->rss_key, RSS_KEY_LEN);
	else if (!rss->conf_set)
		memcpy(rss->key, key_default, RSS_KEY_LEN);
	rss->conf_set = true;
	return 0;
}

void
rss_conf_get(const struct rss *rss, struct rte_eth_rss_conf *conf)
{
	conf->rss_hf = rss->hf;
	if (conf->rss_key != NULL && conf->rss_key_len >= RSS_KEY_LEN)
		memcpy(conf->rss_key, rss->key, RSS_KEY_LEN);
	conf->rss_key_len = RSS_KEY_LEN;
}

static int
reta_size_check(const struct rss_limits *limits, uint16_t size)
{
	if (size == limits->reta_size)
		return 0;
	AIM_LOG(ERR, "RETA of %u entries: the hardware has %u", size, limits->reta_size);
	return -EINVAL;
}

int
rss_reta_update(struct rss *rss, const struct rss_limits *limits,
		const struct rte_eth_rss_reta_entry64 *conf, uint16_t size)
{
	int ret = reta_size_check(limits, size);

	if (ret != 0)
		return ret;
	/* All entries are looked at before the first is written: all or nothing. */
	for (int pass = 0; pass < 2; pass++) {
		for (uint16_t i = 0; i < size; i++) {
			const struct rte_eth_rss_reta_entry64 *g =
			    &conf[i / RTE_ETH_RETA_GROUP_SIZE];
			uint16_t e = i % RTE_ETH_RETA_GROUP_SIZE;

			if (!(g->mask & RTE_BIT64(e)))
				continue;
			if (pass == 1) {
				rss->reta[i] = (uint8_t)g->reta[e];
			} else if (g->reta[e] >= limits->queues) {
				AIM_LOG(ERR,
					"RETA entry %u: queue %u; give one of the %u queues from 0",
					i, g->reta[e], limits->queues);
				return -EINVAL;
			}
		}
	}
	rss->reta_set = true;
	return 0;
}

int
rss_reta_query(const struct rss *rss, const struct rss_limits *limits,
	       struct rte_eth_rss_reta_entry64 *conf, uint16_t size)
{
	int ret = reta_size_check(limits, size);

	for (uint16_t i = 0; ret == 0 && i < size; i++) {
		struct rte_eth_rss_reta_entry64 *g = &conf[i / RTE_ETH_RETA_GROUP_SIZE];
		uint16_t e = i % RTE_ETH_RETA_GROUP_SIZE;

		if (g->mask & RTE_BIT64(e))
			g->reta[e] = rss->reta[i];
	}
	return ret;
}
