/* SPDX-License-Identifier: BSD-3-Clause */
/* The PCI function: configuration space, register accesses, interrupts, reset. */
#include "vfu_bench.h"

#include <errno.h>
#include <unistd.h>

#include <linux/pci_regs.h>

static void
configuration_space_is_that_of_the_model(void **state)
{
	static const struct {
		const char *model;
		uint16_t id;
	} models[] = {{"82599", 0x10FB}, {"x540", 0x1528}, {"x550", 0x1563}};
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct vb *b = vb_open(models[i].model);
		uint8_t all[4096];

		assert_int_equal(vb_config(b, PCI_VENDOR_ID, 2), 0x8086);
		assert_int_equal(vb_config(b, PCI_DEVICE_ID, 2), models[i].id);
		assert_int_equal(vb_config(b, PCI_CLASS_REVISION, 4) >> 8, 0x020000);
		assert_int_equal(vb_config(b, PCI_HEADER_TYPE, 1), 0);
		assert_int_equal(vb_config(b, PCI_INTERRUPT_PIN, 1), 1);
		/* At once, as the client does. */
		assert_int_equal(vb_read(b, VFIO_PCI_CONFIG_REGION_INDEX, 0, all, sizeof(all)), 0);
		assert_memory_equal(all, "\x86\x80", 2);
		vb_close(b);
	}
}

static void
capabilities_are_power_msi_msix_and_express_with_flr(void **state)
{
	struct vb *b = vb_open("82599");
	uint32_t at;

	(void)state;
	assert_true(vb_config(b, PCI_STATUS, 2) & PCI_STATUS_CAP_LIST);
	at = vb_capability(b, PCI_CAP_ID_PM);
	assert_int_not_equal(at, 0);
	assert_int_equal(vb_config(b, at + PCI_PM_PMC, 2) & PCI_PM_CAP_VER_MASK, 3);
	at = vb_capability(b, PCI_CAP_ID_MSI);
	assert_int_not_equal(at, 0);
	assert_true(vb_config(b, at + PCI_MSI_FLAGS, 2) & PCI_MSI_FLAGS_64BIT);
	at = vb_capability(b, PCI_CAP_ID_MSIX);
	assert_int_not_equal(at, 0);
	assert_int_equal(vb_config(b, at + PCI_MSIX_FLAGS, 2) & PCI_MSIX_FLAGS_QSIZE, 63);
	assert_int_equal(vb_config(b, at + PCI_MSIX_TABLE, 4), 4);
	assert_int_equal(vb_config(b, at + PCI_MSIX_PBA, 4), 0x2000 | 4);
	at = vb_capability(b, PCI_CAP_ID_EXP);
	assert_int_not_equal(at, 0);
	assert_int_equal(vb_config(b, at + PCI_EXP_FLAGS, 2) & PCI_EXP_FLAGS_VERS, 2);
	assert_true(vb_config(b, at + PCI_EXP_DEVCAP, 4) & PCI_EXP_DEVCAP_FLR);
	/* Extended: the serial number, made of the address, and the end. */
	assert_int_equal(vb_config(b, 0x100, 4), PCI_EXT_CAP_ID_DSN | 1 << 16);
	assert_int_equal(vb_config(b, 0x104, 4), 0xFF000001);
	assert_int_equal(vb_config(b, 0x108, 4), 0x020000FF);
	vb_close(b);
}

static void
bars_tell_their_size(void **state)
{
	struct vb *b = vb_open("82599");
	unsigned int i;

	(void)state;
	for (i = 0; i < 6; i++)
		vb_config_set(b, PCI_BASE_ADDRESS_0 + 4 * i, UINT32_MAX, 4);
	vb_config_set(b, PCI_ROM_ADDRESS, UINT32_MAX, 4);
	assert_int_equal(vb_config(b, PCI_BASE_ADDRESS_0, 4), (0u - IXGBE_BAR_SIZE) | 0xC);
	assert_int_equal(vb_config(b, PCI_BASE_ADDRESS_1, 4), UINT32_MAX);
	assert_int_equal(vb_config(b, PCI_BASE_ADDRESS_2, 4), 0);
	assert_int_equal(vb_config(b, PCI_BASE_ADDRESS_3, 4), 0);
	assert_int_equal(vb_config(b, PCI_BASE_ADDRESS_4, 4), (0u - 0x4000u) | 0xC);
	assert_int_equal(vb_config(b, PCI_BASE_ADDRESS_5, 4), UINT32_MAX);
	assert_int_equal(vb_config(b, PCI_ROM_ADDRESS, 4), 0);
	vb_config_set(b, PCI_BASE_ADDRESS_0, 0xFEB00000, 4);
	assert_int_equal(vb_config(b, PCI_BASE_ADDRESS_0, 4), 0xFEB0000C);
	vb_close(b);
}

static void
read_only_configuration_ignores_writes(void **state)
{
	struct vb *b = vb_open("82599");
	uint8_t before[4096], ones[64], after[4096];
	uint32_t at, i, flr = vb_capability(b, PCI_CAP_ID_EXP) + PCI_EXP_DEVCTL;

	(void)state;
	memset(ones, 0xFF, sizeof(ones));
	assert_int_equal(vb_read(b, VFIO_PCI_CONFIG_REGION_INDEX, 0, before, 4096), 0);
	for (at = 0; at < 4096; at += 64)
		if (at != (flr & ~63u))
			vb_write(b, VFIO_PCI_CONFIG_REGION_INDEX, at, ones, 64);
	assert_int_equal(vb_read(b, VFIO_PCI_CONFIG_REGION_INDEX, 0, after, 4096), 0);
	assert_memory_equal(before, after, 4); /* ids */
	assert_memory_equal(before + PCI_STATUS, after + PCI_STATUS, 6);
	assert_memory_equal(before + PCI_SUBSYSTEM_VENDOR_ID, after + PCI_SUBSYSTEM_VENDOR_ID, 4);
	for (i = 0x40; i < 0x100; i++) /* the list stays a list */
		if (i == 0x40 || i == 0x50 || i == 0x70 || i == 0xA0)
			assert_memory_equal(before + i, after + i, 2);
	assert_memory_equal(before + 0x100, after + 0x100, 4096 - 0x100);
	vb_close(b);
}

static void
registers_are_the_models(void **state)
{
	struct vb *b = vb_open("82599");
	uint64_t both = 0;
	uint16_t half = 0;
	uint8_t byte;

	(void)state;
	vb_enable(b);
	vb_reg_set(b, IXGBE_AT(RDBAL, 5), 0x12345680);
	vb_reg_set(b, IXGBE_AT(RDBAH, 5), 7);
	assert_int_equal(vb_reg(b, IXGBE_AT(RDBAL, 5)), 0x12345680);
	assert_int_equal(nic_read(b->vfu->nic, IXGBE_AT(RDBAH, 5)), 7);
	assert_int_equal(vb_read(b, 0, IXGBE_AT(RDBAL, 5), &both, 8), 0);
	assert_int_equal(both, 0x712345680);
	both = 0x9ABCDEF00;
	assert_int_equal(vb_write(b, 0, IXGBE_AT(RDBAL, 5), &both, 8), 0);
	assert_int_equal(vb_reg(b, IXGBE_AT(RDBAH, 5)), 9);
	assert_int_equal(vb_reg(b, IXGBE_AT(RDBAL, 5)), 0xABCDEF00);
	assert_int_equal(vb_read(b, 0, IXGBE_AT(RDBAL, 5) + 2, &half, 2), 0);
	assert_int_equal(half, 0xABCD);
	byte = 0x55;
	assert_int_equal(vb_write(b, 0, IXGBE_AT(RDBAL, 5) + 3, &byte, 1), 0);
	assert_int_equal(vb_reg(b, IXGBE_AT(RDBAL, 5)), 0x55CDEF00);
	assert_int_equal(vb_reg(b, IXGBE_STATUS), nic_read(b->vfu->nic, IXGBE_STATUS));
	vb_close(b);
}

static void
nobody_answers_while_memory_space_is_off_or_power_is_down(void **state)
{
	struct vb *b = vb_open("82599");
	uint32_t pm = vb_capability(b, PCI_CAP_ID_PM);

	(void)state;
	assert_int_equal(vb_reg(b, IXGBE_STATUS), UINT32_MAX);
	vb_enable(b);
	assert_int_not_equal(vb_reg(b, IXGBE_STATUS), UINT32_MAX);
	vb_reg_set(b, IXGBE_AT(RDLEN, 0), 512);
	vb_config_set(b, pm + PCI_PM_CTRL, 3, 2);
	assert_int_equal(vb_reg(b, IXGBE_STATUS), UINT32_MAX);
	/* Back to D0: as after power-on, and software restores what it saved. */
	vb_config_set(b, pm + PCI_PM_CTRL, 0, 2);
	assert_int_equal(vb_config(b, PCI_COMMAND, 2), 0);
	vb_config_set(b, PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	assert_int_equal(vb_reg(b, IXGBE_AT(RDLEN, 0)), 0);
	vb_close(b);
}

static void
resets_bring_back_power_on_values_and_keep_the_eventfds(void **state)
{
	struct vb *b = vb_open("82599");
	uint32_t exp = vb_capability(b, PCI_CAP_ID_EXP);
	int i, fd;

	(void)state;
	for (i = 0; i < 2; i++) {
		vb_config_set(b, PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
		vb_reg_set(b, IXGBE_AT(RDLEN, 0), 512);
		vb_config_set(b, PCI_BASE_ADDRESS_0, 0xFEB00000, 4);
		fd = vb_irq(b, VFIO_PCI_MSIX_IRQ_INDEX, 3);
		if (i == 0)
			assert_int_equal(vb_call(b, VFU_DEVICE_RESET, NULL, 0, NULL, 0), 0);
		else
			vb_config_set(b, exp + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR, 2);
		assert_int_equal(vb_config(b, PCI_COMMAND, 2), 0);
		assert_int_equal(vb_config(b, PCI_BASE_ADDRESS_0, 4), 0xC);
		assert_int_equal(vb_config(b, exp + PCI_EXP_DEVCTL, 2), 0x2810);
		vb_config_set(b, PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
		assert_int_equal(vb_reg(b, IXGBE_AT(RDLEN, 0)), 0);
		/* A client triggers a vector by itself: it still has it. */
		assert_int_equal(vb_irqs(b, VFIO_PCI_MSIX_IRQ_INDEX, 0x21, 3, 1, NULL, 0), 0);
		assert_int_equal(vb_irq_count(fd), 1);
		close(fd);
	}
	assert_int_equal(b->vfu->stats.resets, 2);
	vb_close(b);
}

static void
vector_without_an_eventfd_keeps_its_message(void **state)
{
	struct vb *b = vb_open("82599");
	uint64_t pending = 0;
	int fd;

	(void)state;
	vb_enable(b);
	vb_reg_set(b, IXGBE_GPIE, IXGBE_GPIE_MSIX_MODE);
	vb_reg_set(b, IXGBE_EIMS, 0x22);
	/* MSI-X is not in use: lost. */
	vb_reg_set(b, IXGBE_EICS, 0x20);
	assert_int_equal(b->vfu->irq.lost, 1);
	/* As the client switches it on: no descriptor yet, then one a vector. */
	assert_int_equal(vb_irqs(b, VFIO_PCI_MSIX_IRQ_INDEX, 0x24, 0, 1, NULL, 0), 0);
	vb_reg_set(b, IXGBE_EICR, 0x20);
	vb_reg_set(b, IXGBE_EICS, 0x20);
	assert_int_equal(vb_read(b, VFIO_PCI_BAR4_REGION_INDEX, 0x2000, &pending, 8), 0);
	assert_int_equal(pending, 0x20);
	fd = vb_irq(b, VFIO_PCI_MSIX_IRQ_INDEX, 5);
	assert_int_equal(vb_irq_count(fd), 1);
	assert_int_equal(vb_read(b, VFIO_PCI_BAR4_REGION_INDEX, 0x2000, &pending, 8), 0);
	assert_int_equal(pending, 0);
	/* Masked and unmasked by the client. */
	assert_int_equal(vb_irqs(b, VFIO_PCI_MSIX_IRQ_INDEX, 0x09, 5, 1, NULL, 0), 0);
	vb_reg_set(b, IXGBE_EICR, 0x20);
	vb_reg_set(b, IXGBE_EICS, 0x20);
	assert_int_equal(vb_irq_count(fd), 0);
	assert_int_equal(vb_irqs(b, VFIO_PCI_MSIX_IRQ_INDEX, 0x11, 5, 1, NULL, 0), 0);
	assert_int_equal(vb_irq_count(fd), 1);
	/* Switched off: descriptors are closed, messages are lost again. */
	assert_int_equal(vb_irqs(b, VFIO_PCI_MSIX_IRQ_INDEX, 0x21, 0, 0, NULL, 0), 0);
	vb_reg_set(b, IXGBE_EICR, 0x20);
	vb_reg_set(b, IXGBE_EICS, 0x20);
	assert_int_equal(vb_irq_count(fd), 0);
	assert_int_equal(b->vfu->irq.lost, 2);
	close(fd);
	vb_close(b);
}

static void
throttled_interrupt_comes_when_the_interval_is_over(void **state)
{
	struct vb *b = vb_open("82599");
	int fd;

	(void)state;
	vb_enable(b);
	fd = vb_irq(b, VFIO_PCI_MSIX_IRQ_INDEX, 1);
	vb_rx_start(b, VB_BUS, VB_BUS + 65536);
	vb_reg_set(b, IXGBE_AT(EITR, 1), 100 << 3); /* 204.8 us */
	assert_int_equal(vb_frame(b, 1), 0);
	assert_int_equal(vb_irq_count(fd), 1);
	assert_int_equal(vb_frame(b, 2), 0);
	nic_clock_advance(b->clock, 204000);
	assert_int_equal(vb_irq_count(fd), 0);
	nic_clock_advance(b->clock, 1000);
	assert_int_equal(vb_irq_count(fd), 1);
	close(fd);
	vb_close(b);
}

static void
intx_masks_itself_until_the_client_unmasks_it(void **state)
{
	struct vb *b = vb_open("82599");
	int fd;

	(void)state;
	vb_enable(b);
	fd = vb_irq(b, VFIO_PCI_INTX_IRQ_INDEX, 0);
	vb_reg_set(b, IXGBE_EIMS, IXGBE_EICR_LSC);
	vb_reg_set(b, IXGBE_EICS, IXGBE_EICR_LSC);
	assert_int_equal(vb_irq_count(fd), 1);
	assert_int_equal(vb_reg(b, IXGBE_EICR), IXGBE_EICR_LSC);
	vb_reg_set(b, IXGBE_EICS, IXGBE_EICR_LSC);
	assert_int_equal(vb_irq_count(fd), 0);
	assert_int_equal(vb_irqs(b, VFIO_PCI_INTX_IRQ_INDEX, 0x11, 0, 1, NULL, 0), 0);
	assert_int_equal(vb_irq_count(fd), 1);
	/* The command register can switch it off. */
	assert_int_equal(vb_irqs(b, VFIO_PCI_INTX_IRQ_INDEX, 0x11, 0, 1, NULL, 0), 0);
	vb_config_set(b, PCI_COMMAND,
		      PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_INTX_DISABLE, 2);
	vb_reg(b, IXGBE_EICR);
	vb_reg_set(b, IXGBE_EICS, IXGBE_EICR_LSC);
	assert_int_equal(vb_irq_count(fd), 0);
	close(fd);
	vb_close(b);
}

/* Linux's vfio-pci took an interrupt without the status bit for another device's, and one that came
 * while it had switched the pin off was lost. */
static void
intx_shows_in_the_status_and_waits_while_it_is_switched_off(void **state)
{
	struct vb *b = vb_open("82599");
	int fd;

	(void)state;
	vb_enable(b);
	fd = vb_irq(b, VFIO_PCI_INTX_IRQ_INDEX, 0);
	vb_reg_set(b, IXGBE_EIMS, IXGBE_EICR_LSC);
	assert_int_equal(vb_config(b, PCI_STATUS, 2) & PCI_STATUS_INTERRUPT, 0);
	vb_reg_set(b, IXGBE_EICS, IXGBE_EICR_LSC);
	assert_int_equal(vb_irq_count(fd), 1);
	assert_int_equal(vb_config(b, PCI_STATUS, 2) & PCI_STATUS_INTERRUPT, PCI_STATUS_INTERRUPT);
	assert_int_equal(vb_config(b, PCI_COMMAND, 4) >> 16 & PCI_STATUS_INTERRUPT,
			 PCI_STATUS_INTERRUPT);
	vb_config_set(b, PCI_COMMAND,
		      PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_INTX_DISABLE, 2);
	vb_reg(b, IXGBE_EICR);
	assert_int_equal(vb_irqs(b, VFIO_PCI_INTX_IRQ_INDEX, 0x11, 0, 1, NULL, 0), 0);
	assert_int_equal(vb_config(b, PCI_STATUS, 2) & PCI_STATUS_INTERRUPT, 0);
	vb_reg_set(b, IXGBE_EICS, IXGBE_EICR_LSC);
	assert_int_equal(vb_irq_count(fd), 0);
	vb_config_set(b, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	assert_int_equal(vb_irq_count(fd), 1);
	close(fd);
	vb_close(b);
}

static void
one_msi_stands_for_all_causes(void **state)
{
	struct vb *b = vb_open("x550");
	int fd;

	(void)state;
	vb_enable(b);
	fd = vb_irq(b, VFIO_PCI_MSI_IRQ_INDEX, 0);
	vb_reg_set(b, IXGBE_EIMS, IXGBE_EICR_LSC | 4);
	vb_reg_set(b, IXGBE_EICS, 4);
	assert_int_equal(vb_irq_count(fd), 1);
	nic_link_set(b->vfu->nic, false, 10000);
	assert_int_equal(vb_irq_count(fd), 1);
	close(fd);
	vb_close(b);
}

static void
table_of_vectors_is_memory_with_masks_set(void **state)
{
	struct vb *b = vb_open("82599");
	uint32_t entry[4];

	(void)state;
	vb_enable(b);
	assert_int_equal(vb_read(b, VFIO_PCI_BAR4_REGION_INDEX, 63 * 16, entry, 16), 0);
	assert_int_equal(entry[0] | entry[1] | entry[2], 0);
	assert_int_equal(entry[3], 1);
	entry[0] = 0xFEE00000;
	assert_int_equal(vb_write(b, VFIO_PCI_BAR4_REGION_INDEX, 63 * 16, entry, 16), 0);
	entry[0] = 0;
	assert_int_equal(vb_read(b, VFIO_PCI_BAR4_REGION_INDEX, 63 * 16, entry, 4), 0);
	assert_int_equal(entry[0], 0xFEE00000);
	/* Beyond the table, and the pending bits, there is nothing. */
	assert_int_equal(vb_write(b, VFIO_PCI_BAR4_REGION_INDEX, 0x400, entry, 16), 0);
	assert_int_equal(vb_write(b, VFIO_PCI_BAR4_REGION_INDEX, 0x2000, entry, 16), 0);
	assert_int_equal(vb_read(b, VFIO_PCI_BAR4_REGION_INDEX, 0x400, entry, 4), 0);
	assert_int_equal(entry[0], 0);
	assert_int_equal(vb_read(b, VFIO_PCI_BAR4_REGION_INDEX, 0x3FFC, entry, 4), 0);
	vb_close(b);
}

static void
card_that_was_pulled_out_is_back_for_the_next_client(void **state)
{
	struct vb *b = vb_open("82599");

	(void)state;
	vb_enable(b);
	nic_surprise_remove(b->vfu->nic);
	assert_int_equal(vb_reg(b, IXGBE_STATUS), UINT32_MAX);
	assert_int_equal(vb_config(b, PCI_VENDOR_ID, 4), UINT32_MAX);
	vb_config_set(b, PCI_COMMAND, 7, 2);
	assert_int_equal(vb_call(b, VFU_DEVICE_RESET, NULL, 0, NULL, 0), 0);
	assert_int_equal(vb_config(b, PCI_VENDOR_ID, 4), UINT32_MAX);
	vb_disconnect(b);
	vb_connect(b);
	assert_int_equal(vb_config(b, PCI_VENDOR_ID, 2), 0x8086);
	vb_close(b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(configuration_space_is_that_of_the_model),
	    cmocka_unit_test(capabilities_are_power_msi_msix_and_express_with_flr),
	    cmocka_unit_test(bars_tell_their_size),
	    cmocka_unit_test(read_only_configuration_ignores_writes),
	    cmocka_unit_test(registers_are_the_models),
	    cmocka_unit_test(nobody_answers_while_memory_space_is_off_or_power_is_down),
	    cmocka_unit_test(resets_bring_back_power_on_values_and_keep_the_eventfds),
	    cmocka_unit_test(vector_without_an_eventfd_keeps_its_message),
	    cmocka_unit_test(throttled_interrupt_comes_when_the_interval_is_over),
	    cmocka_unit_test(intx_masks_itself_until_the_client_unmasks_it),
	    cmocka_unit_test(intx_shows_in_the_status_and_waits_while_it_is_switched_off),
	    cmocka_unit_test(one_msi_stands_for_all_causes),
	    cmocka_unit_test(table_of_vectors_is_memory_with_masks_set),
	    cmocka_unit_test(card_that_was_pulled_out_is_back_for_the_next_client),
	};

	return cmocka_run_group_tests_name("vfu_function", tests, NULL, NULL);
}
