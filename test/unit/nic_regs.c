/* SPDX-License-Identifier: BSD-3-Clause */
/* The register table, access modes, NVM, PHYs and reset of the device model. */
#include "nic_bench.h"

struct row {
	const char *name, *mode;
	uint32_t offset, count, stride;
};

static const struct row rows[] = {
#define ROW(reg, at, n, step, how) \
	{.name = #reg, .mode = #how, .offset = at, .count = n, .stride = step},
    IXGBE_REGS(ROW)
#undef ROW
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void
table_has_no_name_twice(void **state)
{
	size_t i, j;

	(void)state;
	for (i = 0; i < ROWS; i++)
		for (j = i + 1; j < ROWS; j++)
			if (strcmp(rows[i].name, rows[j].name) == 0)
				fail_msg("%s twice", rows[i].name);
}

static void
table_has_no_offset_twice(void **state)
{
	static const char *owner[IXGBE_BAR_SIZE / 4];
	size_t i;

	(void)state;
	for (i = 0; i < ROWS; i++) {
		uint32_t n;

		for (n = 0; n < rows[i].count; n++) {
			uint32_t at = rows[i].offset + n * rows[i].stride;

			assert_true(at % 4 == 0 && at < IXGBE_BAR_SIZE);
			if (owner[at / 4] != NULL)
				fail_msg("%s(%u) and %s share 0x%05x", rows[i].name, n,
					 owner[at / 4], at);
			owner[at / 4] = rows[i].name;
		}
	}
}

static void
read_only_registers_ignore_writes(void **state)
{
	struct bench *b = bench_open("82599");
	size_t i;

	(void)state;
	for (i = 0; i < ROWS; i++) {
		uint32_t was;

		if (strcmp(rows[i].mode, "RO") != 0)
			continue;
		was = rd(b, rows[i].offset);
		wr(b, rows[i].offset, ~was);
		assert_int_equal(rd(b, rows[i].offset), was);
	}
	bench_close(b);
}

static void
counters_ignore_writes(void **state)
{
	struct bench *b = bench_open("82599");
	size_t i;

	(void)state;
	for (i = 0; i < ROWS; i++) {
		if (strcmp(rows[i].mode, "RC") != 0 || rows[i].offset == IXGBE_EICR)
			continue;
		wr(b, rows[i].offset, 77);
		if (rd(b, rows[i].offset) != 0)
			fail_msg("%s took a write", rows[i].name);
	}
	bench_close(b);
}

static void
reading_swsm_takes_the_semaphore(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	assert_int_equal(rd(b, IXGBE_SWSM) & IXGBE_SWSM_SMBI, 0);
	assert_int_equal(rd(b, IXGBE_SWSM) & IXGBE_SWSM_SMBI, IXGBE_SWSM_SMBI);
	wr(b, IXGBE_SWSM, 0);
	assert_int_equal(rd(b, IXGBE_SWSM) & IXGBE_SWSM_SMBI, 0);
	bench_close(b);
}

static void
reading_sw_fw_sync_takes_regsmp_on_x540_only(void **state)
{
	struct bench *b = bench_open("x540");

	(void)state;
	assert_int_equal(rd(b, IXGBE_SW_FW_SYNC) & IXGBE_SWFW_REGSMP, 0);
	assert_true(rd(b, IXGBE_SW_FW_SYNC) & IXGBE_SWFW_REGSMP);
	bench_close(b);
	b = bench_open("82599");
	rd(b, IXGBE_SW_FW_SYNC);
	assert_int_equal(rd(b, IXGBE_SW_FW_SYNC) & IXGBE_SWFW_REGSMP, 0);
	bench_close(b);
}

static void
wake_up_status_clears_by_writing_ones(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	nic_reg_set(b->nic, IXGBE_WUS, 0xFF);
	wr(b, IXGBE_WUS, 0x0F);
	assert_int_equal(rd(b, IXGBE_WUS), 0xF0);
	bench_close(b);
}

static void
reset_bits_clear_themselves(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	wr(b, IXGBE_CTRL, IXGBE_CTRL_RST);
	assert_int_equal(rd(b, IXGBE_CTRL) & (IXGBE_CTRL_RST | IXGBE_CTRL_LNK_RST), 0);
	wr(b, IXGBE_CTRL, IXGBE_CTRL_LNK_RST);
	assert_int_equal(rd(b, IXGBE_CTRL) & (IXGBE_CTRL_RST | IXGBE_CTRL_LNK_RST), 0);
	bench_close(b);
}

static void
reset_loads_the_address_from_the_nvm(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	wr(b, IXGBE_RAL_82598, 0x11223344);
	wr(b, IXGBE_CTRL, IXGBE_CTRL_RST);
	assert_int_equal(rd(b, IXGBE_RAL_82598), 0x00000002);
	assert_int_equal(rd(b, IXGBE_RAH_82598), 0x0100 | IXGBE_RAH_AV);
	bench_close(b);
}

static void
receive_addresses_answer_at_both_places(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	wr(b, IXGBE_AT(RAL_82598, 5), 0xABCD);
	assert_int_equal(rd(b, IXGBE_AT(RAL, 5)), 0xABCD);
	wr(b, IXGBE_AT(SRRCTL_82598, 3), 7);
	assert_int_equal(rd(b, IXGBE_AT(SRRCTL, 3)), 7);
	bench_close(b);
}

static void
master_disable_shows_in_status(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	assert_true(rd(b, IXGBE_STATUS) & IXGBE_STATUS_GIO);
	wr(b, IXGBE_CTRL, IXGBE_CTRL_GIO_DIS);
	assert_false(rd(b, IXGBE_STATUS) & IXGBE_STATUS_GIO);
	bench_close(b);
}

static void
security_blocks_report_ready_when_closed(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	wr(b, IXGBE_SECRXCTRL, IXGBE_SECRXCTRL_RX_DIS);
	assert_int_equal(rd(b, IXGBE_SECRXSTAT), IXGBE_SECRXSTAT_RDY);
	wr(b, IXGBE_SECTXCTRL, IXGBE_SECTXCTRL_TX_DIS);
	assert_int_equal(rd(b, IXGBE_SECTXSTAT), IXGBE_SECTXSTAT_RDY);
	bench_close(b);
}

static uint16_t
eerd(struct bench *b, uint32_t word)
{
	wr(b, IXGBE_EERD, word << IXGBE_EERD_ADDR_SHIFT | IXGBE_EERD_START);
	assert_true(rd(b, IXGBE_EERD) & IXGBE_EERD_DONE);
	return (uint16_t)(rd(b, IXGBE_EERD) >> IXGBE_EERD_DATA_SHIFT);
}

static void
nvm_checksum_is_right_on_every_chip(void **state)
{
	static const char *const models[] = {"82599", "82599-kx4", "x540", "x550"};
	unsigned int m, w;

	(void)state;
	for (m = 0; m < 4; m++) {
		struct bench *b = bench_open(models[m]);
		uint16_t sum = 0;

		for (w = 0; w <= IXGBE_NVM_CHECKSUM_WORD; w++)
			sum = (uint16_t)(sum + eerd(b, w));
		for (w = 3; w < 0xF; w++) {
			uint16_t at = eerd(b, w), n, i;

			if (at == 0 || at == 0xFFFF)
				continue;
			n = eerd(b, at);
			for (i = 1; i <= n; i++)
				sum = (uint16_t)(sum + eerd(b, at + i));
		}
		assert_int_equal(sum, IXGBE_NVM_CHECKSUM);
		bench_close(b);
	}
}

static void
spi_out(struct bench *b, uint32_t bits, uint32_t n)
{
	uint32_t eec = IXGBE_EEC_REQ;

	while (n-- > 0) {
		uint32_t di = bits >> n & 1 ? IXGBE_EEC_DI : 0;

		wr(b, IXGBE_EEC, eec | di);
		wr(b, IXGBE_EEC, eec | di | IXGBE_EEC_SK);
		wr(b, IXGBE_EEC, eec | di);
	}
}

static void
nvm_can_be_read_by_spi(void **state)
{
	struct bench *b = bench_open("82599");
	uint32_t word = 0, i;

	(void)state;
	wr(b, IXGBE_EEC, IXGBE_EEC_REQ | IXGBE_EEC_CS);
	assert_true(rd(b, IXGBE_EEC) & IXGBE_EEC_GNT);
	wr(b, IXGBE_EEC, IXGBE_EEC_REQ);
	spi_out(b, 0x03, 8);
	spi_out(b, IXGBE_NVM_CHECKSUM_WORD * 2, 16);
	for (i = 0; i < 16; i++) {
		wr(b, IXGBE_EEC, IXGBE_EEC_REQ | IXGBE_EEC_SK);
		word = word << 1 | (rd(b, IXGBE_EEC) & IXGBE_EEC_DO ? 1 : 0);
		wr(b, IXGBE_EEC, IXGBE_EEC_REQ);
	}
	word = (word >> 8 | word << 8) & 0xFFFF;
	assert_int_equal(word, eerd(b, IXGBE_NVM_CHECKSUM_WORD));
	bench_close(b);
}

static void
nvm_can_be_read_by_host_interface(void **state)
{
	struct bench *b = bench_open("x550");

	(void)state;
	wr(b, IXGBE_AT(FLEX_MNG, 0), 0xFF060031);
	wr(b, IXGBE_AT(FLEX_MNG, 1), __builtin_bswap32(IXGBE_NVM_CHECKSUM_WORD * 2));
	wr(b, IXGBE_AT(FLEX_MNG, 2), 0x0200); /* two bytes, big-endian */
	wr(b, IXGBE_HICR, rd(b, IXGBE_HICR) | 2);
	assert_int_equal(rd(b, IXGBE_HICR) & 2, 0);
	assert_int_equal(rd(b, IXGBE_HICR) & 4, 4);
	assert_int_equal(rd(b, IXGBE_AT(FLEX_MNG, 3)) & 0xFFFF, eerd(b, IXGBE_NVM_CHECKSUM_WORD));
	bench_close(b);
}

static uint16_t
mdio_read(struct bench *b, uint32_t phy, uint32_t mmd, uint32_t reg)
{
	uint32_t at = mmd << IXGBE_MSCA_DEV_TYPE_SHIFT | phy << IXGBE_MSCA_PHY_ADDR_SHIFT;

	wr(b, IXGBE_MSCA, reg | at | IXGBE_MSCA_ADDR_CYCLE | IXGBE_MSCA_MDI_COMMAND);
	assert_int_equal(rd(b, IXGBE_MSCA) & IXGBE_MSCA_MDI_COMMAND, 0);
	wr(b, IXGBE_MSCA, reg | at | IXGBE_MSCA_READ | IXGBE_MSCA_MDI_COMMAND);
	return (uint16_t)(rd(b, IXGBE_MSRWD) >> IXGBE_MSRWD_READ_SHIFT);
}

static void
mdio_write(struct bench *b, uint32_t phy, uint32_t mmd, uint32_t reg, uint16_t value)
{
	uint32_t at = mmd << IXGBE_MSCA_DEV_TYPE_SHIFT | phy << IXGBE_MSCA_PHY_ADDR_SHIFT;

	wr(b, IXGBE_MSRWD, value);
	wr(b, IXGBE_MSCA, reg | at | IXGBE_MSCA_ADDR_CYCLE | IXGBE_MSCA_MDI_COMMAND);
	wr(b, IXGBE_MSCA, reg | at | IXGBE_MSCA_WRITE | IXGBE_MSCA_MDI_COMMAND);
}

static void
phy_answers_at_address_0_only(void **state)
{
	struct bench *b = bench_open("x540");

	(void)state;
	assert_int_equal(mdio_read(b, 0, 1, 2), 0x0154);
	assert_int_equal(mdio_read(b, 1, 1, 2), 0xFFFF);
	bench_close(b);
	b = bench_open("82599");
	assert_int_equal(mdio_read(b, 0, 1, 2), 0xFFFF);
	bench_close(b);
}

/* Found by Linux's ixgbe: it probes for the devices, and took the PHY for none, at each reset, for
 * five seconds, and twisted pair for fibre. */
static void
phy_says_which_devices_it_has(void **state)
{
	static const char *const models[] = {"x540", "x550"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		struct bench *b = bench_open(models[i]);

		assert_int_equal(mdio_read(b, 0, 1, 8) & 0xC000, 0x8000); /* status 2: present */
		assert_int_equal(mdio_read(b, 0, 3, 8) & 0xC000, 0x8000);
		assert_int_equal(mdio_read(b, 0, 1, 5), 0x008A); /* PMA, PCS, AN */
		bench_close(b);
	}
}

/* So drivers take a copper link down: the link was up still. */
static void
phy_in_low_power_has_no_port(void **state)
{
	static const char *const models[] = {"x540", "x550"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		struct bench *b = bench_open(models[i]);

		wr(b, IXGBE_EICR, 0xFFFFFFFF);
		mdio_write(b, 0, 30, 0, 0x0800);
		assert_int_equal(rd(b, IXGBE_LINKS) & IXGBE_LINKS_UP, 0);
		assert_int_equal(rd(b, IXGBE_EICR) & IXGBE_EICR_LSC, IXGBE_EICR_LSC);
		mdio_write(b, 0, 30, 0, 0);
		assert_int_not_equal(rd(b, IXGBE_LINKS) & IXGBE_LINKS_UP, 0);
		assert_int_equal(rd(b, IXGBE_EICR) & IXGBE_EICR_LSC, IXGBE_EICR_LSC);
		bench_close(b);
	}
}

static void
removed_nic_reads_all_ones(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	nic_surprise_remove(b->nic);
	assert_int_equal(rd(b, IXGBE_STATUS), 0xFFFFFFFF);
	wr(b, IXGBE_EIMS, 2);
	wr(b, IXGBE_EICS, 2);
	assert_int_equal(b->messages, 0);
	bench_close(b);
}

static void
random_accesses_never_leave_memory(void **state)
{
	static const char *const models[] = {"82599", "82599-kx4", "x540", "x550"};
	static uint8_t frame[2000];
	uint32_t seed = 7, m;
	unsigned int i;

	(void)state;
	for (m = 0; m < 4; m++) {
		struct bench *b = bench_open(models[m]);

		for (i = 0; i < 100000; i++) {
			const struct row *row;
			uint32_t at, value;

			if (i % 1000 == 0) {
				bench_rx_start(b, i / 1000 % 128);
				bench_tx_start(b, i / 1000 % 128);
			}
			seed = seed * 1664525 + 1013904223;
			row = &rows[(seed >> 8) % ROWS];
			seed = seed * 1664525 + 1013904223;
			at = row->offset + (seed >> 8) % row->count * row->stride;
			seed = seed * 1664525 + 1013904223;
			value = seed >> (seed & 31);
			switch (seed >> 28) {
			case 0:
				bench_frame(frame, 60 + (seed >> 8) % 1900, seed & 1 ? 6 : 17);
				/* Now and then a header that lies. */
				frame[14 + (seed >> 20) % 30] ^= (uint8_t)(seed >> 12);
				nic_inject(b->nic, frame, 60 + (seed >> 8) % 1900);
				break;
			case 1:
				bench_advance(b, seed >> 12);
				break;
			case 2:
			case 3:
				rd(b, at);
				break;
			default:
				/* Resets would keep the rest from going deep. */
				if (at != IXGBE_CTRL || i % 16 == 0)
					wr(b, at, value);
				break;
			}
		}
		bench_close(b);
	}
}

static void
unknown_offsets_are_counted(void **state)
{
	struct bench *b = bench_open("82599");
	struct nic_stats s;

	(void)state;
	rd(b, 0x1FFF0);
	nic_stats_get(b->nic, &s);
	assert_int_equal(s.unknown, 1);
	bench_close(b);
}

/* Found by Linux's ixgbe: ethtool -t writes patterns and knows which bits stay. */
static void
bits_that_are_not_there_read_as_0(void **state)
{
	static const struct {
		uint32_t offset, bits;
	} cases[] = {
	    {IXGBE_RDBAL, 0xFFFFFF80},	      {IXGBE_RDLEN, 0x000FFF80},
	    {IXGBE_AT(TDBAL, 3), 0xFFFFFF80}, {IXGBE_AT(TDLEN, 3), 0x000FFF80},
	    {IXGBE_AT(RAH, 4), 0x8000FFFF},   {IXGBE_AT(RAH_82598, 4), 0x8000FFFF},
	    {IXGBE_RDBAL_HI, 0xFFFFFF80},     {IXGBE_MTA, 0xFFFFFFFF},
	};
	struct bench *b = bench_open("82599");
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		wr(b, cases[i].offset, 0xFFFFFFFF);
		assert_int_equal(rd(b, cases[i].offset), cases[i].bits);
		wr(b, cases[i].offset, 0);
		assert_int_equal(rd(b, cases[i].offset), 0);
	}
	bench_close(b);
}

/* Found by Linux's ixgbe: it warns every two seconds of a NIC whose firmware is not valid. */
static void
firmware_is_valid_on_every_chip(void **state)
{
	static const char *const models[] = {"82599", "82599-kx4", "x540", "x550"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		struct bench *b = bench_open(models[i]);

		assert_true(rd(b, IXGBE_FWSM) & 0x8000);	     /* FW_VAL_BIT */
		assert_int_equal(rd(b, IXGBE_FWSM) & 0x01F80000, 0); /* EXT_ERR_IND */
		bench_close(b);
	}
}

static void
unknown_model_is_refused_with_a_line(void **state)
{
	struct nic_conf conf = {.model = "82600"};
	char err[200] = "";

	(void)state;
	assert_null(nic_create(&conf, err, sizeof(err)));
	assert_non_null(strstr(err, "82600"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(table_has_no_name_twice),
	    cmocka_unit_test(table_has_no_offset_twice),
	    cmocka_unit_test(read_only_registers_ignore_writes),
	    cmocka_unit_test(counters_ignore_writes),
	    cmocka_unit_test(reading_swsm_takes_the_semaphore),
	    cmocka_unit_test(reading_sw_fw_sync_takes_regsmp_on_x540_only),
	    cmocka_unit_test(wake_up_status_clears_by_writing_ones),
	    cmocka_unit_test(reset_bits_clear_themselves),
	    cmocka_unit_test(reset_loads_the_address_from_the_nvm),
	    cmocka_unit_test(receive_addresses_answer_at_both_places),
	    cmocka_unit_test(master_disable_shows_in_status),
	    cmocka_unit_test(security_blocks_report_ready_when_closed),
	    cmocka_unit_test(nvm_checksum_is_right_on_every_chip),
	    cmocka_unit_test(nvm_can_be_read_by_spi),
	    cmocka_unit_test(nvm_can_be_read_by_host_interface),
	    cmocka_unit_test(phy_answers_at_address_0_only),
	    cmocka_unit_test(phy_says_which_devices_it_has),
	    cmocka_unit_test(phy_in_low_power_has_no_port),
	    cmocka_unit_test(removed_nic_reads_all_ones),
	    cmocka_unit_test(random_accesses_never_leave_memory),
	    cmocka_unit_test(bits_that_are_not_there_read_as_0),
	    cmocka_unit_test(firmware_is_valid_on_every_chip),
	    cmocka_unit_test(unknown_offsets_are_counted),
	    cmocka_unit_test(unknown_model_is_refused_with_a_line),
	};

	return cmocka_run_group_tests_name("nic_regs", tests, NULL, NULL);
}
