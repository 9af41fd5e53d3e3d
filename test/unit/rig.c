/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_ip.h>
#include <rte_udp.h>

#include <ethdev_driver.h>

#define POOL_SIZE 16383

static struct rte_mempool *pool;

int
rig_init(void **state)
{
	char prefix[64];
	char *args[] = {"unit",
			"--no-pci",
			"--no-huge",
			"-m",
			"512",
			"--iova-mode=va",
			"--no-telemetry",
			"--no-shconf",
			"-l",
			"0",
			"--log-level=lib.eal:4",
			prefix};

	(void)state;
	snprintf(prefix, sizeof(prefix), "--file-prefix=aimunit%d", getpid());
	if (rte_eal_init(RTE_DIM(args), args) < 0)
		return -1;
	pool = rte_pktmbuf_pool_create("rig", POOL_SIZE, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	return pool == NULL ? -1 : 0;
}

int
rig_fini(void **state)
{
	char runtime[256];
	int rc;

	(void)state;
	rte_mempool_free(pool);
	snprintf(runtime, sizeof(runtime), "%s", rte_eal_get_runtime_dir());
	rc = rte_eal_cleanup();
	rmdir(runtime); /* EAL leaves it */
	return rc;
}

static void
frame_sent(void *arg, const uint8_t *frame, uint32_t len)
{
	struct rig *rig = arg;
	unsigned int i = rig->sent++ % RIG_BURST;

	rig->sent_len[i] = len;
	memcpy(rig->sent_data[i], frame, RTE_MIN(len, (uint32_t)sizeof(rig->sent_data[i])));
}

void
rig_probe(struct rig *rig, const struct rig_conf *conf)
{
	struct softpci_conf pci = {
	    .nic = conf->nic != NULL ? conf->nic : rig_family.nic,
	    .driver = conf->driver != NULL ? conf->driver : rig_family.driver,
	    .devargs = conf->devargs,
	    .irq = conf->irq,
	    .vectors = conf->vectors,
	    .clock = SOFTPCI_CLOCK_VIRTUAL,
	};
	char err[256] = "";

	memset(rig, 0, sizeof(*rig));
	rig->conf = *conf;
	rig->pool = pool;
	rig->pool_avail = rte_mempool_avail_count(pool);
	rig->pci = softpci_open(&pci, err, sizeof(err));
	if (rig->pci == NULL)
		fail_msg("%s", err);
	rig->nic = softpci_nic(rig->pci);
	rig->port = softpci_port_id(rig->pci);
	nic_tx_callback(rig->nic, frame_sent, rig);
}

void
rig_start(struct rig *rig)
{
	const struct rig_conf *c = &rig->conf;
	struct rte_eth_conf conf = {
	    .rxmode = {.offloads = c->rx_offloads,
		       .mtu = c->mtu ? c->mtu : 1500,
		       .mq_mode = c->rss_hf ? RTE_ETH_MQ_RX_RSS : RTE_ETH_MQ_RX_NONE},
	    .txmode = {.offloads = c->tx_offloads},
	    .rx_adv_conf.rss_conf.rss_hf = c->rss_hf,
	    .intr_conf = {.rxq = c->rxq_intr,
			  .lsc = c->lsc_intr && !rig_family.no_port,
			  .rmv = c->rmv_intr},
	};
	struct rte_eth_rxconf rxconf;
	struct rte_eth_txconf txconf;
	struct rte_eth_dev_info info;
	uint16_t rxq = c->rxq ? c->rxq : 1, txq = c->txq ? c->txq : 1;

	assert_int_equal(rte_eth_dev_info_get(rig->port, &info), 0);
	assert_int_equal(rte_eth_dev_configure(rig->port, rxq, txq, &conf), 0);
	rxconf = info.default_rxconf;
	rxconf.rx_free_thresh = c->rx_free_thresh ? c->rx_free_thresh : rxconf.rx_free_thresh;
	rxconf.rx_drop_en = c->rx_drop_en;
	rxconf.rx_deferred_start = c->rx_deferred;
	rxconf.offloads = c->rx_offloads;
	txconf = info.default_txconf;
	txconf.tx_rs_thresh = c->tx_rs_thresh ? c->tx_rs_thresh : txconf.tx_rs_thresh;
	txconf.offloads = c->tx_offloads;
	for (uint16_t q = 0; q < rxq; q++)
		assert_int_equal(rte_eth_rx_queue_setup(rig->port, q, c->rx_desc ? c->rx_desc : 256,
							0, &rxconf, rig->pool),
				 0);
	for (uint16_t q = 0; q < txq; q++)
		assert_int_equal(
		    rte_eth_tx_queue_setup(rig->port, q, c->tx_desc ? c->tx_desc : 256, 0, &txconf),
		    0);
	assert_int_equal(rte_eth_dev_start(rig->port), 0);
}

void
rig_open(struct rig *rig, const struct rig_conf *conf)
{
	rig_probe(rig, conf);
	rig_start(rig);
}

void
rig_close(struct rig *rig)
{
	if (rte_eth_dev_is_valid_port(rig->port)) {
		assert_int_equal(rte_eth_dev_stop(rig->port), 0);
		/* net_ixgbe gives the number of callbacks that it took back */
		assert_true(rte_eth_dev_close(rig->port) >= 0);
	}
	assert_int_equal(softpci_close(rig->pci), 0);
	assert_int_equal(rte_mempool_avail_count(rig->pool), rig->pool_avail);
}

uint32_t
rig_frame(uint8_t *frame, uint32_t len, uint32_t flow)
{
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)frame;
	struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(eth + 1);
	struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(ip + 1);

	memset(frame, 0, len);
	memset(&eth->dst_addr, 0xFF, sizeof(eth->dst_addr));
	eth->src_addr.addr_bytes[0] = 2;
	eth->ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4);
	ip->version_ihl = 0x45;
	ip->total_length = rte_cpu_to_be_16((uint16_t)(len - sizeof(*eth)));
	ip->time_to_live = 64;
	ip->next_proto_id = IPPROTO_UDP;
	ip->src_addr = rte_cpu_to_be_32(0x0A000001 + (flow >> 8));
	ip->dst_addr = rte_cpu_to_be_32(0x0A010001);
	ip->hdr_checksum = rte_ipv4_cksum(ip);
	udp->src_port = rte_cpu_to_be_16((uint16_t)(1024 + flow));
	udp->dst_port = rte_cpu_to_be_16(9);
	udp->dgram_len = rte_cpu_to_be_16((uint16_t)(len - sizeof(*eth) - sizeof(*ip)));
	udp->dgram_cksum = rte_ipv4_udptcp_cksum(ip, udp);
	return len;
}

void
rig_inject(struct rig *rig, unsigned int n, uint32_t len)
{
	static uint8_t frame[NIC_FRAME_MAX];

	for (unsigned int i = 0; i < n; i++) {
		rig_frame(frame, len, i);
		assert_int_equal(nic_inject(rig->nic, frame, len), 0);
	}
}

void
rig_inject_to(struct rig *rig, uint16_t q)
{
	uint8_t frame[60];

	for (uint32_t flow = 0; rte_eth_rx_queue_count(rig->port, q) == 0; flow++) {
		assert_true(flow < 1000);
		rig_frame(frame, sizeof(frame), flow);
		assert_int_equal(nic_inject(rig->nic, frame, sizeof(frame)), 0);
	}
}

unsigned int
rig_receive(struct rig *rig, uint16_t q, struct rte_mbuf **pkts, unsigned int max)
{
	unsigned int got = 0;
	uint16_t n;

	do {
		n = rte_eth_rx_burst(rig->port, q, pkts + got, (uint16_t)RTE_MIN(32u, max - got));
		got += n;
	} while (n != 0 && got < max);
	return got;
}

unsigned int
rig_drain(struct rig *rig, uint16_t q)
{
	struct rte_mbuf *pkts[32];
	unsigned int got = 0;
	uint16_t n;

	while ((n = rte_eth_rx_burst(rig->port, q, pkts, 32)) != 0) {
		rte_pktmbuf_free_bulk(pkts, n);
		got += n;
	}
	return got;
}

struct rte_mbuf *
rig_packet(struct rig *rig, uint32_t len, unsigned int segs)
{
	static uint8_t frame[NIC_FRAME_MAX];
	struct rte_mbuf *head = NULL;

	rig_frame(frame, len, 0);
	for (unsigned int i = 0; i < segs; i++) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(rig->pool);
		uint32_t from = len * i / segs, to = len * (i + 1) / segs;

		assert_non_null(m);
		memcpy(rte_pktmbuf_append(m, (uint16_t)(to - from)), frame + from, to - from);
		if (head == NULL)
			head = m;
		else
			assert_int_equal(rte_pktmbuf_chain(head, m), 0);
	}
	return head;
}

void
rig_arm(struct rig *rig, uint16_t q)
{
	assert_int_equal(rte_eth_dev_rx_intr_enable(rig->port, q), 0);
}

void
rig_disarm(struct rig *rig, uint16_t q)
{
	assert_int_equal(rte_eth_dev_rx_intr_disable(rig->port, q), 0);
}

bool
rig_woken(struct rig *rig, uint16_t q)
{
	int fd = rte_eth_dev_rx_intr_ctl_q_get_fd(rig->port, q);
	uint64_t count = 0;

	assert_true(fd >= 0);
	return read(fd, &count, sizeof(count)) == sizeof(count) && count != 0;
}

bool
rig_link_becomes(struct rig *rig, bool up)
{
	struct rte_eth_link link;

	for (int ms = 0; ms < 2000; ms++) {
		assert_int_equal(rte_eth_link_get_nowait(rig->port, &link), 0);
		if (rig_family.no_port ||
		    link.link_status == (up ? RTE_ETH_LINK_UP : RTE_ETH_LINK_DOWN))
			return true;
		usleep(1000);
	}
	return false;
}

uint64_t
rig_xstat(struct rig *rig, const char *name)
{
	uint64_t id, value;

	if (rte_eth_xstats_get_id_by_name(rig->port, name, &id) != 0)
		fail_msg("no xstat %s", name);
	assert_int_equal(rte_eth_xstats_get_by_id(rig->port, &id, &value, 1), 1);
	return value;
}
