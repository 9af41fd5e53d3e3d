/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hardware of a function: presence, station interface and port on and off, addresses, commands,
 * messages. Sees registers and memory only.
 */
#ifndef ENETC_HW_H
#define ENETC_HW_H

#include <stdbool.h>
#include <stdint.h>

#include "../../common/mmio.h"
#include "enetc_desc.h"
#include "enetc_regs.h"

#define ENETC_CMD_RING 64u /* commands; one is under way at a time */

/* Memory that the device reaches. */
struct enetc_dma {
	void *addr;
	uint64_t iova;
};

/* What differs between functions: all of it. */
struct enetc_kind {
	uint16_t vendor, device; /* PCI */
	bool port;	/* port and MAC are its own; else another driver's, see enetc_vf.c */
	uint32_t alive; /* a register that reads as all ones only when the device is gone */
};
extern const struct enetc_kind enetc_kinds[];

struct enetc_hw {
	const char *name; /* for logs */
	struct mmio bar;
	uint8_t kind;	  /* in enetc_kinds: a pointer would not hold in a secondary process */
	uint8_t revision; /* PCI */
	uint8_t rings;	  /* of the station interface, each direction */
	uint8_t perm_addr[6];
	struct enetc_dma cmd_ring; /* ENETC_CMD_RING descriptors, aligned as rings are */
	struct enetc_dma cmd_data; /* ENETC_RSS_ENTRIES bytes, aligned to ENETC_CMD_DATA_ALIGN */
	struct enetc_dma msg;	   /* ENETC_MSG_SIZE bytes, aligned to as many */
	uint16_t cmd_next;
};

static inline const struct enetc_kind *
enetc_kind(const struct enetc_hw *hw)
{
	return &enetc_kinds[hw->kind];
}

/* Probe: which kind it is, of those that the PCI tables name. */
void enetc_hw_kind_set(struct enetc_hw *hw, uint16_t vendor, uint16_t device);

/* Registers of the port: of a function that has one. */
static inline uint32_t
enetc_port_read(const struct enetc_hw *hw, uint32_t reg)
{
	return mmio_read(&hw->bar, reg);
}

static inline void
enetc_port_write(const struct enetc_hw *hw, uint32_t reg, uint32_t value)
{
	mmio_write(&hw->bar, reg, value);
}

/* False: reads give all ones, as of a device that was pulled out. */
bool enetc_hw_present(const struct enetc_hw *hw);
/* Probe: rings and address. 0; -EIO, logged: no ring is ours. */
int enetc_hw_identify(struct enetc_hw *hw);

/* Port start: station interface, VLAN types, MAC; frames do not flow yet. */
void enetc_hw_init(struct enetc_hw *hw);
/* Let frames in and out, or no more. */
void enetc_hw_port_set(const struct enetc_hw *hw, bool on);
void enetc_hw_mac_set(const struct enetc_hw *hw, bool on); /* of a port that is on: its link */
/* Everything off. */
void enetc_hw_stop(const struct enetc_hw *hw);

/*
 * The primary address of the function. 0; of a virtual one -ETIMEDOUT, -EIO or -EPERM, logged: the
 * physical function's driver does not answer, cannot read the message, keeps another.
 */
int enetc_hw_address_set(struct enetc_hw *hw, const uint8_t addr[6]);
/* What the hardware holds for it now; as of enetc_hw_address_bits(). */
uint64_t enetc_hw_address_get(const struct enetc_hw *hw);
/* Longest frame with its check sequence, bytes; of a virtual function it is the port's. */
void enetc_hw_frame_set(const struct enetc_hw *hw, uint32_t bytes);
/* Six bits by which a filter is indexed: of a MAC address or a VLAN id. */
unsigned int enetc_hw_hash(uint64_t bits);
uint64_t enetc_hw_address_bits(const uint8_t addr[6]);
/* The filters by hash; a bit a value of enetc_hw_hash(). */
void enetc_hw_unicast_hash_set(const struct enetc_hw *hw, uint64_t bits);
void enetc_hw_multicast_hash_set(const struct enetc_hw *hw, uint64_t bits);
void enetc_hw_vlan_hash_set(const struct enetc_hw *hw, uint64_t bits);

/* enetc_vf.c: the same for a virtual function, by a message. */
int enetc_vf_address_set(struct enetc_hw *hw, const uint8_t addr[6]);

/* enetc_cmd.c: 0; -ETIMEDOUT: the device does not answer; -EIO: it refuses; both logged. */
void enetc_cmd_start(struct enetc_hw *hw);
void enetc_cmd_stop(struct enetc_hw *hw);
/* Entry i, ENETC_MAC_RESERVED and up, of the exact addresses; NULL: none. */
int enetc_cmd_mac_set(struct enetc_hw *hw, uint16_t i, const uint8_t *addr);
int enetc_cmd_rss_set(struct enetc_hw *hw, const uint8_t table[ENETC_RSS_ENTRIES]);

#endif /* ENETC_HW_H */
