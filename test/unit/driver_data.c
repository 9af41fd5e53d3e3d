/* SPDX-License-Identifier: BSD-3-Clause */
/* Receive and transmit functions of net_ixgbe_aim on the software NIC. */
#include "rig.h"

#include <malloc.h>
#include <string.h>

#include <rte_ip.h>
#include <rte_malloc.h>
#include <rte_tcp.h>

#include "../../drivers/net/ixgbe_aim/ixgbe_aim.h"

/* The three receive functions, by the configuration that selects them. */
static const struct {
	const char *mode;
	struct rig_conf conf;
} rx_paths[] = {
    {"Scalar Bulk Alloc", {.rx_desc = 128}},
    {"Scalar", {.rx_desc = 128, .rx_free_thresh = 4}},
    {"Scalar Scattered", {.rx_desc = 128, .rx_offloads = RTE_ETH_RX_OFFLOAD_SCATTER}},
};

#define FOR_RX_PATHS(rig, more) \
	for (size_t path_ = 0; path_ < RTE_DIM(rx_paths); path_++) \
		for (bool once_ = (rx_path_open(&(rig), path_, (more)), true); once_; \
		     once_ = (rig_close(&(rig)), false))

static void
rx_path_open(struct rig *rig, size_t path, uint64_t more)
{
	struct rig_conf conf = rx_paths[path].conf;
	struct rte_eth_burst_mode mode;

	conf.rx_offloads |= more;
	rig_open(rig, &conf);
	assert_int_equal(rte_eth_rx_burst_mode_get(rig->port, 0, &mode), 0);
	assert_string_equal(mode.info, rx_paths[path].mode);
}

static void
frames_arrive_whole_around_the_ring(void **state)
{
	struct rte_mbuf *pkts[128];
	uint8_t frame[1514];
	struct rig rig;

	(void)state;
	FOR_RX_PATHS(rig, 0)
	{
		for (uint32_t round = 0; round < 200; round++) {
			uint32_t len = 60 + round * 7 % 1455, n = 1 + round % 61;

			rig_inject(&rig, n, len);
			assert_int_equal(rig_receive(&rig, 0, pkts, 128), n);
			for (uint32_t i = 0; i < n; i++) {
				rig_frame(frame, len, i);
				assert_int_equal(pkts[i]->pkt_len, len);
				assert_int_equal(pkts[i]->data_len, len);
				assert_int_equal(pkts[i]->nb_segs, 1);
				assert_int_equal(pkts[i]->port, rig.port);
				assert_int_equal(rte_mbuf_refcnt_read(pkts[i]), 1);
				assert_null(pkts[i]->next);
				assert_memory_equal(rte_pktmbuf_mtod(pkts[i], void *), frame, len);
			}
			rte_pktmbuf_free_bulk(pkts, n);
		}
	}
}

static void
a_full_ring_loses_nothing_that_the_packet_buffer_holds(void **state)
{
	struct rig rig;

	(void)state;
	FOR_RX_PATHS(rig, 0)
	{
		struct nic_stats stats;

		rig_inject(&rig, 2000, 60); /* 128 descriptors, 512 KB */
		assert_int_equal(rig_drain(&rig, 0), 2000);
		nic_stats_get(rig.nic, &stats);
		assert_int_equal(stats.rx_drop_full + stats.rx_drop_no_desc, 0);
	}
}

static void
flags_follow_checksums(void **state)
{
	struct rte_mbuf *m;
	uint8_t frame[100];
	struct rig rig;

	(void)state;
	FOR_RX_PATHS(rig, RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_UDP_CKSUM)
	{
		rig_frame(frame, sizeof(frame), 0);
		nic_inject(rig.nic, frame, sizeof(frame));
		frame[24] ^= 1; /* IPv4 checksum */
		nic_inject(rig.nic, frame, sizeof(frame));

		assert_int_equal(rig_receive(&rig, 0, &m, 1), 1);
		assert_int_equal(m->ol_flags &
				     (RTE_MBUF_F_RX_IP_CKSUM_MASK | RTE_MBUF_F_RX_L4_CKSUM_MASK),
				 RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD);
		assert_int_equal(m->packet_type,
				 RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4 | RTE_PTYPE_L4_UDP);
		rte_pktmbuf_free(m);
		assert_int_equal(rig_receive(&rig, 0, &m, 1), 1);
		assert_int_equal(m->ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK,
				 RTE_MBUF_F_RX_IP_CKSUM_BAD);
		rte_pktmbuf_free(m);
	}
}

static void
no_offload_no_flag(void **state)
{
	struct rte_mbuf *m;
	struct rig rig;

	(void)state;
	FOR_RX_PATHS(rig, 0)
	{
		rig_inject(&rig, 1, 60);
		assert_int_equal(rig_receive(&rig, 0, &m, 1), 1);
		assert_int_equal(m->ol_flags, 0);
		rte_pktmbuf_free(m);
	}
}

static void
vlan_tag_is_stripped_into_the_mbuf(void **state)
{
	uint8_t frame[100], tagged[104];
	struct rte_mbuf *m;
	struct rig rig;

	(void)state;
	rig_frame(frame, sizeof(frame), 3);
	memcpy(tagged, frame, 12);
	memcpy(tagged + 12, "\x81\x00\x61\x41", 4); /* priority 3, VLAN 321 */
	memcpy(tagged + 16, frame + 12, sizeof(frame) - 12);
	FOR_RX_PATHS(rig, RTE_ETH_RX_OFFLOAD_VLAN_STRIP)
	{
		nic_inject(rig.nic, tagged, sizeof(tagged));
		assert_int_equal(rig_receive(&rig, 0, &m, 1), 1);
		assert_int_equal(m->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED,
				 RTE_MBUF_F_RX_VLAN_STRIPPED);
		assert_int_equal(m->vlan_tci, 0x6141);
		assert_int_equal(m->pkt_len, sizeof(frame));
		assert_memory_equal(rte_pktmbuf_mtod(m, void *), frame, sizeof(frame));
		rte_pktmbuf_free(m);
	}
}

static void
fcs_is_kept_outside_the_packet(void **state)
{
	struct rte_mbuf *m;
	struct rig rig;

	(void)state;
	FOR_RX_PATHS(rig, RTE_ETH_RX_OFFLOAD_KEEP_CRC)
	{
		for (uint32_t len = 60; len < 80; len++) {
			rig_inject(&rig, 1, len);
			assert_int_equal(rig_receive(&rig, 0, &m, 1), 1);
			assert_int_equal(m->pkt_len, len);
			assert_int_equal(m->data_len, len);
			rte_pktmbuf_free(m);
		}
	}
}

/* Around the place where one buffer of 2048 bytes ends, with and without the FCS in memory. */
static void
long_frames_come_in_segments(void **state)
{
	static uint8_t frame[9000], got[9000];
	static const uint64_t offloads[] = {0, RTE_ETH_RX_OFFLOAD_KEEP_CRC};
	struct rte_mbuf *m;
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(offloads); i++) {
		struct rig_conf conf = {.mtu = 8986, .rx_desc = 128, .rx_offloads = offloads[i]};

		rig_open(&rig, &conf);
		for (uint32_t len = 2040; len <= 9000; len += len == 2056  ? 1000
							      : len < 2056 ? 1
									   : 1736) {
			rig_frame(frame, len, len);
			assert_int_equal(nic_inject(rig.nic, frame, len), 0);
			assert_int_equal(rig_receive(&rig, 0, &m, 1), 1);
			assert_int_equal(m->pkt_len, len);
			assert_memory_equal(rte_pktmbuf_read(m, 0, len, got), frame, len);
			rte_mbuf_sanity_check(m, 1);
			rte_pktmbuf_free(m);
		}
		rig_close(&rig);
	}
}

static void
an_empty_pool_delays_packets_and_loses_none(void **state)
{
	struct rte_mbuf *pkts[512], *rest[16384];
	struct rig rig;

	(void)state;
	FOR_RX_PATHS(rig, 0)
	{
		unsigned int left = rte_mempool_avail_count(rig.pool), n;

		assert_int_equal(rte_mempool_get_bulk(rig.pool, (void **)rest, left), 0);
		rig_inject(&rig, 300, 60);
		n = rig_receive(&rig, 0, pkts, 512);
		assert_true(n <= 128);
		rte_mempool_put_bulk(rig.pool, (void **)rest, left);
		rte_pktmbuf_free_bulk(pkts, n);
		for (int i = 0; i < 5; i++)
			n += rig_drain(&rig, 0);
		assert_int_equal(n, 300);
	}
}

/* Fewer buffers than descriptors are missing: those that are there are used. */
static void
a_short_pool_feeds_the_ring_with_what_it_has(void **state)
{
	struct rte_mbuf *pkts[512], *rest[16384];
	struct rig_conf conf = {.rx_desc = 512};
	unsigned int left, n, more;
	struct rig rig;

	(void)state;
	for (int scatter = 0; scatter < 2; scatter++) {
		conf.rx_offloads = scatter ? RTE_ETH_RX_OFFLOAD_SCATTER : 0;
		rig_open(&rig, &conf);
		left = rte_mempool_avail_count(rig.pool);
		assert_int_equal(rte_mempool_get_bulk(rig.pool, (void **)rest, left), 0);
		rig_inject(&rig, 511, 60);
		n = rig_receive(&rig, 0, pkts, 512);
		assert_int_equal(n, 511);
		rte_pktmbuf_free_bulk(pkts, 100);
		rig_drain(&rig, 0); /* refills */
		rig_inject(&rig, 90, 60);
		more = rig_drain(&rig, 0);
		assert_int_equal(more, 90);
		rte_pktmbuf_free_bulk(pkts + 100, n - 100);
		rte_mempool_put_bulk(rig.pool, (void **)rest, left);
		rig_close(&rig);
	}
}

/* A device that lies about a length: the frame is lost, memory is not. */
static void
an_impossible_length_costs_the_frame_only(void **state)
{
	static const uint16_t lies[] = {0, 2049, 16384, 65535};
	struct rte_mbuf *m;
	struct rig rig;

	(void)state;
	FOR_RX_PATHS(rig, 0)
	{
		struct ixgbe_rxq *rxq = rte_eth_devices[rig.port].data->rx_queues[0];

		for (size_t i = 0; i < RTE_DIM(lies); i++) {
			rig_inject(&rig, 3, 60);
			((union ixgbe_rx_desc *)rxq->rx.ring)[(rxq->rx.next + 1) % rxq->rx.size]
			    .wb.length = rte_cpu_to_le_16(lies[i]);
			for (int k = 0; k < 10; k++)
				while (rte_eth_rx_burst(rig.port, 0, &m, 1) == 1) {
					assert_true(m->data_len <= 2048 && m->pkt_len <= 2048);
					rte_pktmbuf_free(m);
				}
			assert_int_equal(rte_eth_rx_queue_count(rig.port, 0), 0);
		}
	}
}

static void
descriptor_status_tells_done_available_and_unavailable(void **state)
{
	struct rte_mbuf *pkts[32];
	struct rig rig;

	(void)state;
	FOR_RX_PATHS(rig, 0)
	{
		rig_inject(&rig, 3, 60);
		assert_int_equal(rte_eth_rx_queue_count(rig.port, 0), 3);
		assert_int_equal(rte_eth_rx_descriptor_status(rig.port, 0, 2),
				 RTE_ETH_RX_DESC_DONE);
		assert_int_equal(rte_eth_rx_descriptor_status(rig.port, 0, 3),
				 RTE_ETH_RX_DESC_AVAIL);
		assert_int_equal(rte_eth_rx_descriptor_status(rig.port, 0, 128), -EINVAL);
		assert_int_equal(rig_receive(&rig, 0, pkts, 32), 3);
		assert_int_equal(rte_eth_rx_descriptor_status(rig.port, 0, 127),
				 RTE_ETH_RX_DESC_UNAVAIL);
		rte_pktmbuf_free_bulk(pkts, 3);
	}
}

/* ---- transmit ---- */

static unsigned int
send_all(struct rig *rig, struct rte_mbuf **pkts, unsigned int n)
{
	unsigned int sent = 0;

	while (sent < n) {
		uint16_t k = rte_eth_tx_burst(rig->port, 0, pkts + sent,
					      (uint16_t)RTE_MIN(32u, n - sent));

		if (k == 0)
			break;
		sent += k;
	}
	return sent;
}

static const struct {
	const char *mode;
	struct rig_conf conf;
} tx_paths[] = {
    {"Scalar Simple", {.tx_desc = 64}},
    {"Scalar Simple", {.tx_desc = 64, .tx_offloads = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE}},
    {"Scalar Full", {.tx_desc = 64, .tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS}},
    {"Scalar Full",
     {.tx_desc = 4096, .tx_rs_thresh = 1, .tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS}},
};

static void
packets_leave_in_order_around_the_ring(void **state)
{
	struct rte_mbuf *pkts[61];
	struct rte_eth_burst_mode mode;
	struct rig rig;

	(void)state;
	for (size_t p = 0; p < RTE_DIM(tx_paths); p++) {
		rig_open(&rig, &tx_paths[p].conf);
		assert_int_equal(rte_eth_tx_burst_mode_get(rig.port, 0, &mode), 0);
		assert_string_equal(mode.info, tx_paths[p].mode);
		for (uint32_t round = 0; round < 200; round++) {
			uint32_t n = 1 + round % 31;

			rig.sent = 0;
			for (uint32_t i = 0; i < n; i++)
				pkts[i] = rig_packet(&rig, 60 + i + round, 1);
			assert_int_equal(send_all(&rig, pkts, n), n);
			assert_int_equal(rig.sent, n);
			for (uint32_t i = 0; i < n; i++)
				assert_int_equal(rig.sent_len[i % RIG_BURST], 60 + i + round);
		}
		rig_close(&rig); /* and every mbuf came back */
	}
}

static void
a_full_ring_takes_no_more(void **state)
{
	struct rte_mbuf *pkts[100];
	struct rig rig;

	(void)state;
	for (size_t p = 0; p < 3; p++) {
		unsigned int sent;

		rig_open(&rig, &tx_paths[p].conf);
		nic_link_set(rig.nic, true, 10000);
		/* hardware that never writes back */
		struct ixgbe_txq *txq = rte_eth_devices[rig.port].data->tx_queues[0];
		volatile uint32_t nowhere;
		volatile void *tail = txq->tx.tail;

		txq->tx.tail = &nowhere;
		for (int i = 0; i < 100; i++)
			pkts[i] = rig_packet(&rig, 60, 1);
		sent = send_all(&rig, pkts, 100);
		assert_int_equal(sent, 63);
		rte_pktmbuf_free_bulk(pkts + sent, 100 - sent);
		txq->tx.tail = tail;
		rig_close(&rig);
	}
}

/* Packets that no write-back follows must not block one that needs the whole ring. */
static void
a_packet_of_many_segments_finds_room(void **state)
{
	static const struct {
		uint16_t desc, rs;
	} rings[] = {{64, 0}, {48, 0}, {512, 480}};
	struct rig rig;

	(void)state;
	for (size_t r = 0; r < RTE_DIM(rings); r++) {
		struct rig_conf conf = {.tx_desc = rings[r].desc,
					.tx_rs_thresh = rings[r].rs,
					.tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS};

		rig_open(&rig, &conf);
		for (int round = 0; round < 20; round++) {
			struct rte_mbuf *m;

			for (unsigned int i = 0; i < rings[r].desc - 33u + (unsigned int)round;
			     i++) {
				m = rig_packet(&rig, 60, 1);
				while (rte_eth_tx_burst(rig.port, 0, &m, 1) == 0)
					;
			}
			m = rig_packet(&rig, 1500, 38);
			assert_int_equal(rte_eth_tx_prepare(rig.port, 0, &m, 1), 1);
			assert_int_equal(rte_eth_tx_burst(rig.port, 0, &m, 1), 1);
		}
		rig_close(&rig);
	}
}

static void
segments_leave_as_one_frame(void **state)
{
	struct rig_conf conf = {
	    .tx_desc = 128, .tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS, .mtu = 9000};
	uint8_t frame[1500];
	struct rig rig;

	(void)state;
	rig_open(&rig, &conf);
	for (unsigned int segs = 1; segs <= 38; segs++) {
		struct rte_mbuf *m = rig_packet(&rig, 1500, segs);

		rig.sent = 0;
		assert_int_equal(rte_eth_tx_prepare(rig.port, 0, &m, 1), 1);
		assert_int_equal(rte_eth_tx_burst(rig.port, 0, &m, 1), 1);
		rig_frame(frame, 1500, 0);
		assert_int_equal(rig.sent, 1);
		assert_int_equal(rig.sent_len[0], 1500);
		assert_memory_equal(rig.sent_data[0], frame, 1500);
	}
	rig_close(&rig);
}

static void
prepare_refuses_what_hardware_cannot_send(void **state)
{
	struct rig_conf conf = {.tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS};
	struct rte_mbuf *m;
	struct rig rig;

	(void)state;
	rig_open(&rig, &conf);
	m = rig_packet(&rig, 1500, 39);
	assert_int_equal(rte_eth_tx_prepare(rig.port, 0, &m, 1), 0);
	assert_int_equal(rte_errno, EINVAL);
	rte_pktmbuf_free(m);
	m = rig_packet(&rig, 100, 1);
	m->ol_flags = RTE_MBUF_F_TX_OUTER_IP_CKSUM;
	assert_int_equal(rte_eth_tx_prepare(rig.port, 0, &m, 1), 0);
	assert_int_equal(rte_errno, ENOTSUP);
	rte_pktmbuf_free(m);
	m = rig_packet(&rig, 100, 1);
	m->ol_flags = RTE_MBUF_F_TX_TCP_SEG;
	m->tso_segsz = 0;
	assert_int_equal(rte_eth_tx_prepare(rig.port, 0, &m, 1), 0);
	rte_pktmbuf_free(m);
	rig_close(&rig);
}

static void
checksums_and_tags_change_from_packet_to_packet(void **state)
{
	struct rig_conf conf = {
	    .tx_desc = 128,
	    .tx_offloads = RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM |
			   RTE_ETH_TX_OFFLOAD_VLAN_INSERT | RTE_ETH_TX_OFFLOAD_MULTI_SEGS};
	uint8_t frame[100];
	struct rig rig;

	(void)state;
	rig_frame(frame, sizeof(frame), 0);
	rig_open(&rig, &conf);
	for (unsigned int i = 0; i < 500; i++) {
		struct rte_mbuf *m = rig_packet(&rig, sizeof(frame), 1 + i % 2);
		struct rte_ipv4_hdr *ip = rte_pktmbuf_mtod_offset(m, struct rte_ipv4_hdr *, 14);

		rig.sent = 0;
		m->l2_len = 14;
		m->l3_len = 20;
		if (i % 3 != 0) {
			m->ol_flags |= RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM |
				       RTE_MBUF_F_TX_UDP_CKSUM;
			ip->hdr_checksum = 0xBAD;
		}
		if (i % 5 == 0) {
			m->ol_flags |= RTE_MBUF_F_TX_VLAN;
			m->vlan_tci = (uint16_t)(i + 1);
		}
		assert_int_equal(rte_eth_tx_prepare(rig.port, 0, &m, 1), 1);
		assert_int_equal(rte_eth_tx_burst(rig.port, 0, &m, 1), 1);
		assert_int_equal(rig.sent, 1);
		if (i % 5 == 0) {
			assert_int_equal(rig.sent_len[0], sizeof(frame) + 4);
			assert_int_equal(rig.sent_data[0][14] << 8 | rig.sent_data[0][15], i + 1);
			assert_memory_equal(rig.sent_data[0] + 16, frame + 12, sizeof(frame) - 12);
		} else {
			assert_int_equal(rig.sent_len[0], sizeof(frame));
			assert_memory_equal(rig.sent_data[0], frame, sizeof(frame));
		}
	}
	rig_close(&rig);
}

static void
transmit_status_and_cleanup(void **state)
{
	struct rig_conf conf = {
	    .tx_desc = 128, .tx_rs_thresh = 1, .tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS};
	struct rte_mbuf *pkts[10];
	struct rig rig;

	(void)state;
	rig_open(&rig, &conf);
	assert_int_equal(rte_eth_tx_descriptor_status(rig.port, 0, 127), RTE_ETH_TX_DESC_DONE);
	for (int i = 0; i < 10; i++)
		pkts[i] = rig_packet(&rig, 60, 1);
	assert_int_equal(send_all(&rig, pkts, 10), 10);
	for (uint16_t i = 0; i < 128; i++)
		assert_int_equal(rte_eth_tx_descriptor_status(rig.port, 0, i),
				 RTE_ETH_TX_DESC_DONE);
	assert_int_equal(rte_eth_tx_done_cleanup(rig.port, 0, 0), 10);
	assert_int_equal(rte_eth_tx_done_cleanup(rig.port, 0, 0), 0);
	rig_close(&rig);
}

/* Sleeping, receiving and sending take no memory but the pool's. */
static void
nothing_is_allocated_after_start(void **state)
{
	struct rig_conf conf = {
	    .rxq_intr = true, .devargs = "aim=aim", .tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS};
	struct rte_malloc_socket_stats before, after;
	struct rte_mbuf *pkts[32];
	struct mallinfo2 heap_before, heap_after;
	struct rig rig;

	(void)state;
	rig_open(&rig, &conf);
	rte_malloc_get_socket_stats(0, &before);
	heap_before = mallinfo2();
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(rte_eth_dev_rx_intr_enable(rig.port, 0), 0);
		rig_inject(&rig, 20, 60);
		assert_int_equal(rte_eth_dev_rx_intr_disable(rig.port, 0), 0);
		assert_int_equal(rig_receive(&rig, 0, pkts, 32), 20);
		assert_int_equal(send_all(&rig, pkts, 20), 20);
	}
	heap_after = mallinfo2();
	rte_malloc_get_socket_stats(0, &after);
	assert_int_equal(after.alloc_count, before.alloc_count);
	assert_int_equal(heap_after.uordblks, heap_before.uordblks);
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(frames_arrive_whole_around_the_ring),
	    cmocka_unit_test(a_full_ring_loses_nothing_that_the_packet_buffer_holds),
	    cmocka_unit_test(flags_follow_checksums),
	    cmocka_unit_test(no_offload_no_flag),
	    cmocka_unit_test(vlan_tag_is_stripped_into_the_mbuf),
	    cmocka_unit_test(fcs_is_kept_outside_the_packet),
	    cmocka_unit_test(long_frames_come_in_segments),
	    cmocka_unit_test(an_empty_pool_delays_packets_and_loses_none),
	    cmocka_unit_test(an_impossible_length_costs_the_frame_only),
	    cmocka_unit_test(descriptor_status_tells_done_available_and_unavailable),
	    cmocka_unit_test(packets_leave_in_order_around_the_ring),
	    cmocka_unit_test(a_full_ring_takes_no_more),
	    cmocka_unit_test(a_short_pool_feeds_the_ring_with_what_it_has),
	    cmocka_unit_test(a_packet_of_many_segments_finds_room),
	    cmocka_unit_test(segments_leave_as_one_frame),
	    cmocka_unit_test(prepare_refuses_what_hardware_cannot_send),
	    cmocka_unit_test(checksums_and_tags_change_from_packet_to_packet),
	    cmocka_unit_test(transmit_status_and_cleanup),
	    cmocka_unit_test(nothing_is_allocated_after_start),
	};

	return cmocka_run_group_tests_name("driver_data", tests, rig_init, rig_fini);
}
