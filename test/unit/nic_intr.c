/* SPDX-License-Identifier: BSD-3-Clause */
/* Interrupts of the device model: throttling, masks, vectors. */
#include "nic_bench.h"

#define ITR(units) ((uint32_t)(units) << IXGBE_EITR_INTERVAL_SHIFT)
#define UNIT 2048u

/* MSI-X, queue 0 on vector 1, auto-clear; vector 1 unmasked. */
static struct bench *
open_msix(uint32_t automask)
{
	struct bench *b = bench_open("82599");

	wr(b, IXGBE_GPIE, IXGBE_GPIE_MSIX_MODE | (automask ? IXGBE_GPIE_EIAME : 0));
	wr(b, IXGBE_IVAR, IXGBE_IVAR_VALID | 1);
	wr(b, IXGBE_IVAR_MISC, (IXGBE_IVAR_VALID | 0) << IXGBE_IVAR_MISC_OTHER_SHIFT);
	wr(b, IXGBE_EIAC, IXGBE_EICR_RTX_QUEUE);
	wr(b, IXGBE_EIAM, automask);
	wr(b, IXGBE_EIMS, 2);
	return b;
}

static void
first_message_goes_at_once(void **state)
{
	struct bench *b = open_msix(0);

	(void)state;
	wr(b, IXGBE_AT(EITR, 1), ITR(100) | IXGBE_EITR_CNT_WDIS);
	bench_advance(b, 777);
	wr(b, IXGBE_EICS, 2);
	assert_int_equal(b->messages, 1);
	assert_int_equal(b->vector[0], 1);
	assert_int_equal(b->at[0], 777);
	bench_close(b);
}

static void
second_message_waits_for_interval_from_assertion(void **state)
{
	struct bench *b = open_msix(0);

	(void)state;
	wr(b, IXGBE_AT(EITR, 1), ITR(100));
	wr(b, IXGBE_EICS, 2);
	bench_advance(b, 50 * UNIT);
	wr(b, IXGBE_EICS, 2);
	assert_int_equal(b->messages, 1);
	bench_advance(b, 50 * UNIT - 1);
	assert_int_equal(b->messages, 1);
	bench_advance(b, 1);
	assert_int_equal(b->messages, 2);
	assert_int_equal(b->at[1], 100 * UNIT);
	bench_close(b);
}

static void
interval_is_in_units_of_2048_ns(void **state)
{
	unsigned int units;

	(void)state;
	for (units = 1; units < 512; units += 51) {
		struct bench *b = open_msix(0);

		wr(b, IXGBE_AT(EITR, 1), ITR(units));
		wr(b, IXGBE_EICS, 2);
		wr(b, IXGBE_EICS, 2);
		bench_advance(b, 2000000);
		assert_int_equal(b->messages, 2);
		assert_int_equal(b->at[1], units * UNIT);
		bench_close(b);
	}
}

static void
interval_is_ten_times_as_long_at_100M(void **state)
{
	struct bench *b = open_msix(0);

	(void)state;
	nic_link_set(b->nic, true, 100);
	wr(b, IXGBE_AT(EITR, 1), ITR(3));
	wr(b, IXGBE_EICS, 2);
	wr(b, IXGBE_EICS, 2);
	bench_advance(b, 1000000);
	assert_int_equal(b->at[1], 3 * 20480);
	bench_close(b);
}

static void
interval_written_with_cnt_wdis_counts_from_next_assertion(void **state)
{
	struct bench *b = open_msix(0);

	(void)state;
	wr(b, IXGBE_AT(EITR, 1), ITR(100));
	wr(b, IXGBE_EICS, 2);
	wr(b, IXGBE_AT(EITR, 1), ITR(10) | IXGBE_EITR_CNT_WDIS);
	wr(b, IXGBE_EICS, 2);
	bench_advance(b, 100 * UNIT);
	assert_int_equal(b->at[1], 100 * UNIT);
	wr(b, IXGBE_EICS, 2);
	bench_advance(b, 100 * UNIT);
	assert_int_equal(b->messages, 3);
	assert_int_equal(b->at[2], 110 * UNIT);
	bench_close(b);
}

static void
write_without_cnt_wdis_fires_what_waits(void **state)
{
	struct bench *b = open_msix(0);

	(void)state;
	wr(b, IXGBE_AT(EITR, 1), ITR(400));
	wr(b, IXGBE_EICS, 2);
	wr(b, IXGBE_EICS, 2);
	bench_advance(b, UNIT);
	assert_int_equal(b->messages, 1);
	wr(b, IXGBE_AT(EITR, 1), ITR(400));
	assert_int_equal(b->messages, 2);
	bench_close(b);
}

static void
counter_field_is_loaded_without_cnt_wdis(void **state)
{
	struct bench *b = open_msix(0);

	(void)state;
	wr(b, IXGBE_AT(EITR, 1), ITR(400) | 5u << 21);
	wr(b, IXGBE_EICS, 2);
	assert_int_equal(b->messages, 0);
	bench_advance(b, 5 * 4 * UNIT);
	assert_int_equal(b->messages, 1);
	assert_int_equal(b->at[0], 5 * 4 * UNIT);
	bench_close(b);
}

static void
zero_interval_does_not_throttle(void **state)
{
	struct bench *b = open_msix(0);
	int i;

	(void)state;
	for (i = 0; i < 10; i++)
		wr(b, IXGBE_EICS, 2);
	assert_int_equal(b->messages, 10);
	bench_close(b);
}

static void
masked_cause_stays_pending_and_fires_when_unmasked(void **state)
{
	struct bench *b = open_msix(0);

	(void)state;
	wr(b, IXGBE_EIMC, 2);
	wr(b, IXGBE_EICS, 2);
	assert_int_equal(b->messages, 0);
	wr(b, IXGBE_EIMS, 2);
	assert_int_equal(b->messages, 1);
	bench_close(b);
}

static void
cause_masked_during_the_interval_sends_nothing(void **state)
{
	struct bench *b = open_msix(0);

	(void)state;
	wr(b, IXGBE_AT(EITR, 1), ITR(100));
	wr(b, IXGBE_EICS, 2);
	wr(b, IXGBE_EICS, 2);
	wr(b, IXGBE_EIMC, 2);
	bench_advance(b, 200 * UNIT);
	assert_int_equal(b->messages, 1);
	wr(b, IXGBE_EIMS, 2);
	assert_int_equal(b->messages, 2);
	bench_close(b);
}

static void
eiac_clears_the_cause_with_the_message(void **state)
{
	struct bench *b = open_msix(0);

	(void)state;
	wr(b, IXGBE_EICS, 2);
	assert_int_equal(rd(b, IXGBE_EICR) & 2, 0);
	wr(b, IXGBE_EIAC, 0);
	wr(b, IXGBE_EICS, 2);
	assert_int_equal(rd(b, IXGBE_EICR) & 2, 2);
	bench_close(b);
}

static void
eiame_masks_with_the_message(void **state)
{
	struct bench *b = open_msix(2);

	(void)state;
	assert_int_equal(rd(b, IXGBE_EIMS) & 2, 2);
	wr(b, IXGBE_EICS, 2);
	assert_int_equal(rd(b, IXGBE_EIMS) & 2, 0);
	wr(b, IXGBE_EICS, 2);
	assert_int_equal(b->messages, 1);
	wr(b, IXGBE_EIMS_EX, 2);
	assert_int_equal(b->messages, 2);
	bench_close(b);
}

static void
reading_eicr_clears_it(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	wr(b, IXGBE_EICS, IXGBE_EICR_LSC | 5);
	assert_int_equal(rd(b, IXGBE_EICR), IXGBE_EICR_LSC | 5);
	assert_int_equal(rd(b, IXGBE_EICR), 0);
	bench_close(b);
}

/* Found by Linux's ixgbe: its handler of other causes reads EICS. */
static void
reading_eics_gives_the_causes_and_clears_none(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	wr(b, IXGBE_EICS, IXGBE_EICR_LSC | 5);
	assert_int_equal(rd(b, IXGBE_EICS), IXGBE_EICR_LSC | 5);
	assert_int_equal(rd(b, IXGBE_EICR), IXGBE_EICR_LSC | 5);
	assert_int_equal(rd(b, IXGBE_EICS), 0);
	bench_close(b);
}

static void
reading_eicr_with_ocd_leaves_queue_causes(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	wr(b, IXGBE_GPIE, IXGBE_GPIE_OCD);
	wr(b, IXGBE_EICS, IXGBE_EICR_LSC | 5);
	rd(b, IXGBE_EICR);
	assert_int_equal(rd(b, IXGBE_EICR), 5);
	bench_close(b);
}

static void
writing_eicr_clears_the_written_bits(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	wr(b, IXGBE_EICS, 7);
	wr(b, IXGBE_EICR, 2);
	assert_int_equal(rd(b, IXGBE_EICR), 5);
	bench_close(b);
}

static void
eims_sets_and_eimc_clears(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	wr(b, IXGBE_EIMS, 0x0F);
	wr(b, IXGBE_EIMS, 0xF0);
	assert_int_equal(rd(b, IXGBE_EIMS), 0xFF);
	wr(b, IXGBE_EIMC, 0x3C);
	assert_int_equal(rd(b, IXGBE_EIMS), 0xC3);
	wr(b, IXGBE_EIMS, 0);
	assert_int_equal(rd(b, IXGBE_EIMS), 0xC3);
	bench_close(b);
}

static void
low_half_of_eims_ex_0_is_eims(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	wr(b, IXGBE_EIMS_EX, 0x00018001);
	assert_int_equal(rd(b, IXGBE_EIMS), 0x8001);
	assert_int_equal(rd(b, IXGBE_EIMS_EX), 0x00018001);
	wr(b, IXGBE_EIMC, 0x8000);
	assert_int_equal(rd(b, IXGBE_EIMS_EX), 0x00010001);
	bench_close(b);
}

static void
vectors_16_to_63_are_reached_through_ex(void **state)
{
	static const unsigned int vectors[] = {16, 31, 32, 63};
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct bench *b = bench_open("82599");
		unsigned int v = vectors[i];

		wr(b, IXGBE_GPIE, IXGBE_GPIE_MSIX_MODE);
		wr(b, IXGBE_AT(EICS_EX, v / 32), 1u << (v % 32));
		assert_int_equal(b->messages, 0);
		wr(b, IXGBE_AT(EIMS_EX, v / 32), 1u << (v % 32));
		assert_int_equal(b->messages, 1);
		assert_int_equal(b->vector[0], v);
		assert_int_equal(rd(b, IXGBE_EICR), 0);
		bench_close(b);
	}
}

static void
vector_above_23_throttles_by_its_own_register(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	wr(b, IXGBE_GPIE, IXGBE_GPIE_MSIX_MODE);
	wr(b, IXGBE_AT(EITR_HI, 40 - 24), ITR(7));
	wr(b, IXGBE_AT(EIMS_EX, 1), 1u << 8);
	wr(b, IXGBE_AT(EICS_EX, 1), 1u << 8);
	wr(b, IXGBE_AT(EICS_EX, 1), 1u << 8);
	bench_advance(b, 1000000);
	assert_int_equal(b->messages, 2);
	assert_int_equal(b->at[1], 7 * UNIT);
	bench_close(b);
}

static void
link_change_goes_to_the_vector_of_ivar_misc(void **state)
{
	struct bench *b = open_msix(0);

	(void)state;
	wr(b, IXGBE_IVAR_MISC, (IXGBE_IVAR_VALID | 3) << IXGBE_IVAR_MISC_OTHER_SHIFT);
	wr(b, IXGBE_EIMS, IXGBE_EICR_LSC);
	nic_link_set(b->nic, false, 10000);
	assert_int_equal(b->messages, 1);
	assert_int_equal(b->vector[0], 3);
	assert_int_equal(rd(b, IXGBE_EICR), IXGBE_EICR_LSC);
	assert_int_equal(rd(b, IXGBE_LINKS) & IXGBE_LINKS_UP, 0);
	bench_close(b);
}

static void
other_cause_without_valid_ivar_misc_sends_nothing(void **state)
{
	struct bench *b = open_msix(0);

	(void)state;
	wr(b, IXGBE_IVAR_MISC, 0);
	wr(b, IXGBE_EIMS, IXGBE_EICR_LSC);
	nic_link_set(b->nic, false, 10000);
	assert_int_equal(b->messages, 0);
	bench_close(b);
}

static void
received_frame_raises_the_vector_of_its_queue(void **state)
{
	struct bench *b = open_msix(2);
	uint8_t frame[60];

	(void)state;
	bench_rx_start(b, 0);
	bench_frame(frame, sizeof(frame), 17);
	assert_int_equal(nic_inject(b->nic, frame, sizeof(frame)), 0);
	assert_int_equal(b->messages, 1);
	assert_int_equal(b->vector[0], 1);
	bench_close(b);
}

static void
queue_without_valid_ivar_raises_nothing(void **state)
{
	struct bench *b = open_msix(0);
	uint8_t frame[60];

	(void)state;
	wr(b, IXGBE_IVAR, 0);
	bench_rx_start(b, 0);
	bench_frame(frame, sizeof(frame), 17);
	nic_inject(b->nic, frame, sizeof(frame));
	assert_int_equal(b->messages, 0);
	bench_close(b);
}

static void
without_msix_mode_everything_is_vector_0(void **state)
{
	struct bench *b = bench_open("82599");

	(void)state;
	wr(b, IXGBE_EIMS, IXGBE_EICR_LSC | 4);
	wr(b, IXGBE_EICS, 4);
	assert_int_equal(b->messages, 1);
	assert_int_equal(b->vector[0], 0);
	assert_int_equal(rd(b, IXGBE_EICR), 4);
	nic_link_set(b->nic, false, 10000);
	assert_int_equal(b->messages, 2);
	assert_int_equal(b->vector[1], 0);
	bench_close(b);
}

static void
reset_forgets_causes_masks_and_timers(void **state)
{
	struct bench *b = open_msix(0);

	(void)state;
	wr(b, IXGBE_AT(EITR, 1), ITR(100));
	wr(b, IXGBE_EICS, 2);
	wr(b, IXGBE_EICS, 2);
	wr(b, IXGBE_CTRL, IXGBE_CTRL_RST);
	bench_advance(b, 1000000);
	assert_int_equal(b->messages, 1);
	assert_int_equal(rd(b, IXGBE_EIMS), 0);
	assert_int_equal(rd(b, IXGBE_EICR), 0);
	bench_close(b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(first_message_goes_at_once),
	    cmocka_unit_test(second_message_waits_for_interval_from_assertion),
	    cmocka_unit_test(interval_is_in_units_of_2048_ns),
	    cmocka_unit_test(interval_is_ten_times_as_long_at_100M),
	    cmocka_unit_test(interval_written_with_cnt_wdis_counts_from_next_assertion),
	    cmocka_unit_test(write_without_cnt_wdis_fires_what_waits),
	    cmocka_unit_test(counter_field_is_loaded_without_cnt_wdis),
	    cmocka_unit_test(zero_interval_does_not_throttle),
	    cmocka_unit_test(masked_cause_stays_pending_and_fires_when_unmasked),
	    cmocka_unit_test(cause_masked_during_the_interval_sends_nothing),
	    cmocka_unit_test(eiac_clears_the_cause_with_the_message),
	    cmocka_unit_test(eiame_masks_with_the_message),
	    cmocka_unit_test(reading_eicr_clears_it),
	    cmocka_unit_test(reading_eics_gives_the_causes_and_clears_none),
	    cmocka_unit_test(reading_eicr_with_ocd_leaves_queue_causes),
	    cmocka_unit_test(writing_eicr_clears_the_written_bits),
	    cmocka_unit_test(eims_sets_and_eimc_clears),
	    cmocka_unit_test(low_half_of_eims_ex_0_is_eims),
	    cmocka_unit_test(vectors_16_to_63_are_reached_through_ex),
	    cmocka_unit_test(vector_above_23_throttles_by_its_own_register),
	    cmocka_unit_test(link_change_goes_to_the_vector_of_ivar_misc),
	    cmocka_unit_test(other_cause_without_valid_ivar_misc_sends_nothing),
	    cmocka_unit_test(received_frame_raises_the_vector_of_its_queue),
	    cmocka_unit_test(queue_without_valid_ivar_raises_nothing),
	    cmocka_unit_test(without_msix_mode_everything_is_vector_0),
	    cmocka_unit_test(reset_forgets_causes_masks_and_timers),
	};

	return cmocka_run_group_tests_name("nic_intr", tests, NULL, NULL);
}
