/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hardware below the rings: reset, NVM, link. These functions see
 * registers and mmio only, no DPDK object. Control path: one caller at a time.
 * Errors are negative errno.
 */
#ifndef IXGBE_HW_H
#define IXGBE_HW_H

#include <stdbool.h>
#include <stdint.h>

#include "../../common/mmio.h"
#include "ixgbe_ids.h"
#include "ixgbe_regs.h"

enum ixgbe_mac_type {
	IXGBE_MAC_82599,
	IXGBE_MAC_X540,
	IXGBE_MAC_X550,
};

enum ixgbe_media {
	IXGBE_MEDIA_FIBER,     /* 82599 SFI with an SFP+ cage */
	IXGBE_MEDIA_BACKPLANE, /* KX4, KX, KR, XAUI */
	IXGBE_MEDIA_COPPER,    /* 10GBASE-T */
};

/* What the SFP+ cage holds: SFF-8472 bytes 3 to 10. */
enum ixgbe_sfp {
	IXGBE_SFP_UNKNOWN, /* not asked yet, or a code we do not know */
	IXGBE_SFP_ABSENT,
	IXGBE_SFP_DA_PASSIVE,
	IXGBE_SFP_DA_ACTIVE,
	IXGBE_SFP_SR,
	IXGBE_SFP_LR,
	IXGBE_SFP_1G_SX,
	IXGBE_SFP_1G_LX,
	IXGBE_SFP_1G_T,
};

struct ixgbe_hw {
	struct mmio bar;
	const char *name; /* of the port, for log lines: outlives this */
	uint16_t device_id;
	enum ixgbe_mac_type mac;
	enum ixgbe_media media;
	enum ixgbe_sfp sfp;
	bool sfp_dual;	      /* the module does 10G and 1G (rate select) */
	bool sfp_pin;	      /* ESDP.SDP2 must say that a module is there before LINKS counts */
	bool veto_told;	      /* see ixgbe_hw_link_vetoed() */
	bool sfp_bus_held;    /* the cage's I2C clock stays low, and that was told */
	bool autoc_saved;     /* autoc and autoc2 are filled */
	bool perm_addr_read;  /* perm_addr is filled */
	uint8_t lan_id;	      /* port of the device: which semaphore, which I2C */
	uint16_t nvm_words;   /* size of the NVM, 16-bit words */
	uint8_t perm_addr[6]; /* MAC address from the NVM */
	uint32_t autoc;	      /* AUTOC as the NVM loaded it */
	uint32_t autoc2;
	uint16_t phy_addr; /* copper: MDIO address */
	uint32_t phy_id;
};

/* Link as the MAC sees it. speed in Mb/s, 0 when down. */
struct ixgbe_link {
	bool up;
	uint32_t speed;
};

/* ---- ixgbe_hw.c ---- */
/* Fill mac, media from device_id. -ENODEV: not one of ours. */
int ixgbe_hw_identify(struct ixgbe_hw *hw, uint16_t device_id);
/* Sections 4.6.3 and 4.2.1.7: mask interrupts, stop DMA, software reset, wait for NVM auto-read
 * and DMA init, read the MAC address. -ETIMEDOUT: the device does not answer. */
int ixgbe_hw_reset(struct ixgbe_hw *hw);
/* Section 4.6.3.2: after a reset, before the rings: clear counters and tables, no-snoop, relaxed
 * ordering. */
int ixgbe_hw_init(struct ixgbe_hw *hw);
/* Receive and transmit off, bus mastering quiet. */
int ixgbe_hw_stop(struct ixgbe_hw *hw);
/* Tell the firmware that a driver is there, or gone (CTRL_EXT.DRV_LOAD). */
void ixgbe_hw_driver_loaded(struct ixgbe_hw *hw, bool loaded);
/* Value of RXPBSIZE when one buffer takes all: bytes of the receive packet buffer. */
uint32_t ixgbe_hw_rx_buffer(const struct ixgbe_hw *hw);
/* Semaphore with firmware and the other port; mask: IXGBE_SWFW_*. */
int ixgbe_hw_sem_take(struct ixgbe_hw *hw, uint32_t mask);
void ixgbe_hw_sem_give(struct ixgbe_hw *hw, uint32_t mask);
/* Stop and restart the receive data path around a change of filters (SECRXCTRL). A path that does
 * not drain is told of and counts as stopped: 0 always. */
int ixgbe_hw_rx_path_off(struct ixgbe_hw *hw);
void ixgbe_hw_rx_path_on(struct ixgbe_hw *hw);
void ixgbe_hw_rar_set(struct ixgbe_hw *hw, uint32_t i, const uint8_t addr[6]);
void ixgbe_hw_rar_clear(struct ixgbe_hw *hw, uint32_t i);
/* Management firmware uses the link and forbids software to take it down (MMNGC.MNG_VETO). Told
 * once, until the veto is gone. */
bool ixgbe_hw_link_vetoed(struct ixgbe_hw *hw);
/* False: reads give all ones, the device is gone. */
bool ixgbe_hw_present(const struct ixgbe_hw *hw);

/* ---- ixgbe_nvm.c ---- */
int ixgbe_nvm_read(struct ixgbe_hw *hw, uint16_t word, uint16_t *value);
/* Size of the NVM, words. */
uint16_t ixgbe_nvm_words(struct ixgbe_hw *hw);
/* n words from word on; -EINVAL behind the end of the NVM. */
int ixgbe_nvm_read_block(struct ixgbe_hw *hw, uint16_t word, uint16_t *values, uint32_t n);
/* 0; -EIO: the checksum is wrong; -ETIMEDOUT. */
int ixgbe_nvm_check(struct ixgbe_hw *hw);

/* ---- ixgbe_sfp.c ---- */
/* Read n bytes of the module from I2C device dev (0xA0, 0xA2). -ENODEV: no module answers.
 * -EIO: something holds the bus. -ETIMEDOUT: the semaphore is not granted. */
int ixgbe_sfp_read(struct ixgbe_hw *hw, uint8_t dev, uint8_t offset, uint8_t *buf, uint32_t n);
/* What is in the cage: fills sfp and sfp_dual. 0 also when the cage is empty, or
 * its bus is held (told once). */
int ixgbe_sfp_identify(struct ixgbe_hw *hw);
/* Bring the SFI core into the state that the module needs, by the NVM's list. -ENOTSUP: the NVM
 * knows no such module. */
int ixgbe_sfp_core_setup(struct ixgbe_hw *hw);
const char *ixgbe_sfp_name(enum ixgbe_sfp sfp);

/* ---- ixgbe_phy.c ---- */
/* Find out what hangs at the MAC: SFP+ by I2C, copper PHY by MDIO. 0 also when the cage is empty.
 */
int ixgbe_phy_identify(struct ixgbe_hw *hw);
int ixgbe_phy_mdio_read(struct ixgbe_hw *hw, uint8_t dev, uint16_t reg, uint16_t *value);
int ixgbe_phy_mdio_write(struct ixgbe_hw *hw, uint8_t dev, uint16_t reg, uint16_t value);
/* Bring the link up at the given speeds (bit set of 100, 1000, 10000 as IXGBE_SPEED_*), restart AN.
 */
#define IXGBE_SPEED_100M 1u
#define IXGBE_SPEED_1G 2u
#define IXGBE_SPEED_10G 4u
#define IXGBE_SPEED_2G5 8u
#define IXGBE_SPEED_5G 16u
int ixgbe_phy_link_setup(struct ixgbe_hw *hw, uint32_t speeds);
void ixgbe_phy_link_get(struct ixgbe_hw *hw, struct ixgbe_link *link);
/* Laser or PHY power: off makes the partner lose the link. -ENOTSUP: a backplane cannot. A link
 * that firmware vetoes stays up: 0. */
int ixgbe_phy_power(struct ixgbe_hw *hw, bool on);

#endif /* IXGBE_HW_H */
