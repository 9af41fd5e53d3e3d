/* SPDX-License-Identifier: BSD-3-Clause */
/* net_enetc_aim on the software NIC: frames in and out, filters, tables, statistics, faults. */
#include "rig.h"

#include <string.h>

#include <ethdev_driver.h>

#include "../../drivers/net/enetc_aim/enetc_aim.h"

static const struct rte_ether_addr own = {{0x02, 0, 0, 0, 0, 1}};

static uint32_t
frame_to(uint8_t *frame, uint32_t len, const struct rte_ether_addr *dst)
{
	rig_frame(frame, len, 0);
	memcpy(frame, dst, sizeof(*dst));
	return len;
}

static unsigned int
arrives(struct rig *rig, const struct rte_ether_addr *dst)
{
	uint8_t frame[60];

	frame_to(frame, sizeof(frame), dst);
	assert_int_equal(nic_inject(rig->nic, frame, sizeof(frame)), 0);
	return rig_drain(rig, 0);
}

/* Every length around the edges of buffers, into small mbufs and out again. */
static void
frames_of_every_length_pass_in_pieces(void **state)
{
	const struct rig_conf conf = {.mtu = 9000,
				      .rx_offloads = RTE_ETH_RX_OFFLOAD_SCATTER,
				      .tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS};
	static uint8_t frame[NIC_FRAME_MAX], back[NIC_FRAME_MAX];
	struct rte_mbuf *m;
	struct rig rig;

	(void)state;
	rig_open(&rig, &conf);
	for (uint32_t len = 60; len <= 9018; len += len % 2048 > 2040 || len % 2048 < 8 ? 1 : 37) {
		rig_frame(frame, len, len);
		assert_int_equal(nic_inject(rig.nic, frame, len), 0);
		assert_int_equal(rte_eth_rx_burst(rig.port, 0, &m, 1), 1);
		assert_int_equal(m->pkt_len, len);
		assert_int_equal(m->nb_segs, (len + 2047) / 2048);
		assert_memory_equal(rte_pktmbuf_read(m, 0, len, back), frame, len);
		assert_int_equal(rte_eth_tx_burst(rig.port, 0, &m, 1), 1);
		assert_int_equal(rig.sent_len[(rig.sent - 1) % RIG_BURST], len);
		assert_memory_equal(rig.sent_data[(rig.sent - 1) % RIG_BURST], frame,
				    RTE_MIN(len, 2048u));
	}
	rig_close(&rig);
}

/* Fourteen buffers and a tag are fifteen descriptors, the most; the ring wraps at every place. */
static void
segments_and_tags_wrap_around_the_ring(void **state)
{
	const struct rig_conf conf = {.tx_desc = 64,
				      .tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS |
						     RTE_ETH_TX_OFFLOAD_VLAN_INSERT};
	struct rig rig;

	(void)state;
	rig_open(&rig, &conf);
	for (unsigned int i = 0; i < 500; i++) {
		unsigned int segs = 1 + i % 14;
		struct rte_mbuf *m = rig_packet(&rig, 1000, segs);
		const uint8_t *out = rig.sent_data[i % RIG_BURST];
		bool tag = i % 3 == 0;

		if (tag) {
			m->ol_flags |= RTE_MBUF_F_TX_VLAN;
			m->vlan_tci = (uint16_t)(i + 1);
		}
		assert_int_equal(rte_eth_tx_prepare(rig.port, 0, &m, 1), 1);
		assert_int_equal(rte_eth_tx_burst(rig.port, 0, &m, 1), 1);
		assert_int_equal(rig.sent, i + 1);
		assert_int_equal(rig.sent_len[i % RIG_BURST], tag ? 1004 : 1000);
		if (tag) {
			assert_int_equal(out[12] << 8 | out[13], 0x8100);
			assert_int_equal(out[14] << 8 | out[15], (i + 1) & 0xFFFF);
		}
	}
	rig_close(&rig);
}

static void
what_cannot_be_sent_is_named_by_prepare(void **state)
{
	struct rte_mbuf *m;
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS});
	m = rig_packet(&rig, 1000, 15);
	assert_int_equal(rte_eth_tx_prepare(rig.port, 0, &m, 1), 0);
	assert_int_equal(rte_errno, EINVAL);
	rte_pktmbuf_free(m);
	m = rig_packet(&rig, 100, 1);
	m->ol_flags |= RTE_MBUF_F_TX_TCP_SEG;
	assert_int_equal(rte_eth_tx_prepare(rig.port, 0, &m, 1), 0);
	assert_int_equal(rte_errno, ENOTSUP);
	rte_pktmbuf_free(m);
	rig_close(&rig);
}

/* Hardware's index goes on over a stop; software goes on from there, also into a shorter ring. */
static void
transmit_goes_on_where_hardware_stands(void **state)
{
	const struct rte_eth_txconf txconf = {0};
	struct rte_mbuf *m;
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.tx_desc = 256});
	for (int round = 0; round < 4; round++) {
		uint32_t sent = rig.sent;

		for (int i = 0; i < 100; i++) {
			m = rig_packet(&rig, 60, 1);
			assert_int_equal(rte_eth_tx_burst(rig.port, 0, &m, 1), 1);
		}
		assert_int_equal(rig.sent - sent, 100);
		assert_int_equal(rte_eth_dev_stop(rig.port), 0);
		if (round == 1)
			assert_int_equal(rte_eth_tx_queue_setup(rig.port, 0, 64, 0, &txconf), 0);
		assert_int_equal(rte_eth_dev_start(rig.port), 0);
	}
	rig_close(&rig);
}

/* Five exact entries, the rest by hash, of both revisions of the silicon. */
static void
addresses_beyond_the_exact_entries_are_filtered_by_hash(void **state)
{
	(void)state;
	for (const char *const *nic = rig_family.nics; *nic != NULL; nic++) {
		struct rte_ether_addr addr = {{0x02, 0x11, 0x22, 0x33, 0x44, 0}};
		struct rte_ether_addr multi = {{0x01, 0, 0x5e, 0, 0, 7}};
		struct rte_ether_addr other = {{0x01, 0, 0x5e, 0, 0, 9}};
		struct rig rig;

		rig_open(&rig, &(struct rig_conf){.nic = *nic});
		assert_int_equal(arrives(&rig, &own), 1);
		for (uint8_t i = 1; i <= 8; i++) {
			addr.addr_bytes[5] = i;
			assert_int_equal(arrives(&rig, &addr), 0);
			assert_int_equal(rte_eth_dev_mac_addr_add(rig.port, &addr, 0), 0);
			assert_int_equal(arrives(&rig, &addr), 1);
		}
		/* and over a restart */
		assert_int_equal(rte_eth_dev_stop(rig.port), 0);
		assert_int_equal(rte_eth_dev_start(rig.port), 0);
		for (uint8_t i = 1; i <= 8; i++) {
			addr.addr_bytes[5] = i;
			assert_int_equal(arrives(&rig, &addr), 1);
			assert_int_equal(rte_eth_dev_mac_addr_remove(rig.port, &addr), 0);
			assert_int_equal(arrives(&rig, &addr), 0);
		}
		assert_int_equal(arrives(&rig, &multi), 0);
		assert_int_equal(rte_eth_dev_set_mc_addr_list(rig.port, &multi, 1), 0);
		assert_int_equal(arrives(&rig, &multi), 1);
		assert_int_equal(arrives(&rig, &other), 0);
		rig_close(&rig);
	}
}

/* Every counter of MAC, port and station interface is an xstat, and a reset takes them all back. */
static void
counters_are_told_and_taken_back(void **state)
{
	uint8_t frame[60];
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.rx_desc = 64});
	rig_inject(&rig, 10, 60);
	rig_frame(frame, sizeof(frame), 0);
	assert_int_equal(nic_inject_flags(rig.nic, frame, 60, NIC_FRAME_BAD_CRC), 0);
	assert_int_equal(nic_inject_flags(rig.nic, frame, 40, NIC_FRAME_NO_PAD), 0);
	memset(frame, 0x42, 6);
	assert_int_equal(nic_inject(rig.nic, frame, 60), 0); /* to somebody else */
	assert_int_equal(rig_drain(&rig, 0), 10);
	rig_inject(&rig, 100, 60); /* more than the ring holds */
	assert_int_equal(rig_xstat(&rig, "rx_crc_errors"), 1);
	assert_int_equal(rig_xstat(&rig, "rx_undersize_errors"), 1);
	assert_int_equal(rig_xstat(&rig, "rx_unicast_filtered_packets"), 1);
	assert_int_equal(rig_xstat(&rig, "rx_size_64_packets"), 111);
	assert_int_equal(rig_xstat(&rig, "rx_total_packets"), 113);
	assert_in_range(rig_xstat(&rig, "rx_q0_dropped"), 37, 60);
	assert_int_equal(rig_xstat(&rig, "rx_missed_errors"), rig_xstat(&rig, "rx_q0_dropped"));
	assert_int_equal(rig_xstat(&rig, "rx_errors"), 2);
	assert_int_equal(rte_eth_xstats_reset(rig.port), 0);
	assert_int_equal(rig_xstat(&rig, "rx_total_packets"), 0);
	assert_int_equal(rig_xstat(&rig, "rx_q0_dropped"), 0);
	assert_int_equal(rig_xstat(&rig, "rx_missed_errors"), 0);
	rig_drain(&rig, 0);
	rig_close(&rig);
}

/* 32 bits wrap between two looks, 64 are read in halves. */
static void
counters_wrap_and_carry(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){0});
	nic_lock(rig.nic);
	nic_reg_set(rig.nic, ENETC_UFDMF, UINT32_MAX);
	nic_reg_set(rig.nic, ENETC_PM0_REOCT, UINT32_MAX);
	nic_unlock(rig.nic);
	assert_int_equal(rte_eth_xstats_reset(rig.port), 0);
	nic_lock(rig.nic);
	nic_reg_set(rig.nic, ENETC_UFDMF, 4);
	nic_reg_set(rig.nic, ENETC_PM0_REOCT, 99);
	nic_reg_set(rig.nic, ENETC_PM0_REOCT + 4, 1);
	nic_unlock(rig.nic);
	assert_int_equal(rig_xstat(&rig, "rx_unicast_filtered_packets"), 5);
	assert_int_equal(rig_xstat(&rig, "rx_total_bytes"), 100);
	rig_close(&rig);
}

static void
the_register_dump_has_the_table_and_disturbs_nothing(void **state)
{
	static uint32_t data[4096];
	struct rte_dev_reg_info info = {0};
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.rxq_intr = true, .devargs = "aim=off"});
	rig_inject(&rig, 1, 60); /* its cause is pending */
	assert_int_equal(rte_eth_dev_get_reg_info(rig.port, &info), 0);
	assert_in_range(info.length, 200, RTE_DIM(data));
	info.data = data;
	assert_int_equal(rte_eth_dev_get_reg_info(rig.port, &info), 0);
	assert_int_equal(data[0], ENETC_SIMR_EN);
	assert_int_equal(nic_read(rig.nic, ENETC_AT(RBIDR, 0)), 1);
	assert_int_equal(rig_drain(&rig, 0), 1);
	rig_close(&rig);
}

static void
a_command_that_is_not_answered_fails_the_start(void **state)
{
	struct rte_eth_conf conf = {.rxmode.mtu = 1500};
	struct softpci_conf pci = {.nic = "enetc",
				   .driver = "net_enetc_aim",
				   .clock = SOFTPCI_CLOCK_VIRTUAL,
				   .fault = NIC_FAULT_RESET};
	struct softpci *nic;
	struct rig rig;
	char err[200];
	uint16_t port;

	(void)state;
	rig_open(&rig, &(struct rig_conf){0}); /* for its pool */
	nic = softpci_open(&pci, err, sizeof(err));
	assert_non_null(nic);
	port = softpci_port_id(nic);
	assert_int_equal(rte_eth_dev_configure(port, 1, 1, &conf), 0);
	assert_int_equal(rte_eth_rx_queue_setup(port, 0, 64, 0, NULL, rig.pool), 0);
	assert_int_equal(rte_eth_tx_queue_setup(port, 0, 64, 0, NULL), 0);
	assert_int_equal(rte_eth_dev_start(port), -ETIMEDOUT);
	assert_int_equal(rte_eth_dev_close(port), 0);
	assert_int_equal(softpci_close(nic), 0);
	pci.fault = NIC_FAULT_DEAD;
	assert_null(softpci_open(&pci, err, sizeof(err)));
	assert_non_null(strstr(err, "net_enetc_aim failed to probe"));
	rig_close(&rig);
}

/* A device that writes nonsense costs packets. */
static void
write_backs_that_cannot_be_are_dropped(void **state)
{
	static const union enetc_rx_desc bad[] = {
	    {.wb = {.length = 0, .status = ENETC_RXD_R | ENETC_RXD_F}},
	    {.wb = {.length = 0xFFFF, .status = ENETC_RXD_R | ENETC_RXD_F}},
	    {.wb = {.length = 60, .status = ENETC_RXD_R}},
	    {.wb = {.length = 60, .status = ENETC_RXD_R | ENETC_RXD_F | 0x00010000}},
	};
	struct enetc_rxq *rxq;
	struct enetc_txq *txq;
	struct rte_mbuf *m;
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){0});
	rxq = rte_eth_devices[rig.port].data->rx_queues[0];
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		((union enetc_rx_desc *)rxq->rx.ring)[rxq->rx.next] = bad[i];
		assert_int_equal(rte_eth_rx_burst(rig.port, 0, &m, 1), 0);
	}
	assert_int_equal(rig_xstat(&rig, "rx_q0_bad_length_errors"), 3);
	/* an index beyond the ring, or of what was never written */
	txq = rte_eth_devices[rig.port].data->tx_queues[0];
	for (uint32_t head = 0; head < 2; head++) {
		nic_lock(rig.nic);
		nic_reg_set(rig.nic, ENETC_AT(TBCIR, 0), head == 0 ? 0xFFFF : txq->tx.size - 1u);
		nic_unlock(rig.nic);
		assert_int_equal(rte_eth_tx_done_cleanup(rig.port, 0, 0), 0);
	}
	/* the ring's places are not hardware's order any more: start anew */
	nic_lock(rig.nic);
	nic_reg_set(rig.nic, ENETC_AT(TBCIR, 0), 0);
	nic_unlock(rig.nic);
	rig_close(&rig);
}

static void
the_link_is_looked_at_while_the_event_is_wanted(void **state)
{
	struct rte_eth_link link;
	struct rig rig;

	(void)state;
	rig_open(&rig, &(struct rig_conf){.lsc_intr = true});
	assert_true(rig_link_becomes(&rig, true));
	nic_link_set(rig.nic, false, 1000);
	assert_true(rig_link_becomes(&rig, false));
	nic_link_set(rig.nic, true, 100);
	assert_true(rig_link_becomes(&rig, true));
	assert_int_equal(rte_eth_link_get_nowait(rig.port, &link), 0);
	assert_int_equal(link.link_speed, RTE_ETH_SPEED_NUM_100M);
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(frames_of_every_length_pass_in_pieces),
	    cmocka_unit_test(segments_and_tags_wrap_around_the_ring),
	    cmocka_unit_test(what_cannot_be_sent_is_named_by_prepare),
	    cmocka_unit_test(transmit_goes_on_where_hardware_stands),
	    cmocka_unit_test(addresses_beyond_the_exact_entries_are_filtered_by_hash),
	    cmocka_unit_test(counters_are_told_and_taken_back),
	    cmocka_unit_test(counters_wrap_and_carry),
	    cmocka_unit_test(the_register_dump_has_the_table_and_disturbs_nothing),
	    cmocka_unit_test(a_command_that_is_not_answered_fails_the_start),
	    cmocka_unit_test(write_backs_that_cannot_be_are_dropped),
	    cmocka_unit_test(the_link_is_looked_at_while_the_event_is_wanted),
	};

	return cmocka_run_group_tests_name("enetc_port", tests, rig_init, rig_fini);
}
