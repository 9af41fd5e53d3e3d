/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The 82599, X540 and X550 as software sees them. Section numbers are those of the Intel
 * 82599 10 GbE Controller Datasheet, rev. 3.4, where nothing else is said. The register
 * table, and nothing else, is shared with the driver.
 */
#ifndef IXGBE_MODEL_H
#define IXGBE_MODEL_H

#include "../parse.h"
#include "../regs.h"
#include "ixgbe_desc.h"
#include "ixgbe_regs.h"

enum ixgbe_generation {
	GEN_82599_SFP,
	GEN_82599_BACKPLANE,
	GEN_X540,
	GEN_X550,
};

#define RX_RINGS NIC_QUEUES
#define TX_RINGS 128u
#define NVM_WORDS 0x800u
#define PB_BYTES (512u * 1024) /* receive packet buffer: section 7.1.3 (RXPBSIZE) */
#define PB_SLOTS (PB_BYTES / 64)
#define TX_PACKET_MAX (256u * 1024 + 512)
#define STAT_QUEUES 16u
#define FDIR_FILTERS 2048u /* perfect filters in the smallest table: 7.1.2.7.1 */

/* A frame in the packet buffer, with what was decided when it came. */
struct pb_slot {
	uint32_t pos;
	uint16_t len;  /* bytes to write to memory */
	uint16_t used; /* bytes of the buffer that it holds */
	uint16_t vlan;
	uint8_t queue;
	uint32_t info, rss, status;
};

struct rx_ring {
	bool on;
	uint64_t base;
	uint32_t size; /* descriptors */
	uint32_t head;
};

struct tx_ring {
	bool on;
	uint64_t base;
	uint32_t size;
	uint32_t head;
	union ixgbe_tx_desc ctx[2];
	/* The packet that is being gathered. */
	uint32_t fill, segs;
	uint32_t cmd, olinfo;
	bool bad;
};

struct vector {
	bool requested;	 /* an unmasked cause came and no message went for it yet */
	uint64_t expiry; /* of the throttle counter */
	struct nic_timer timer;
	struct ixgbe *dev;
};

struct i2c {
	bool scl, sda, out;
	uint8_t state, bit, shift, offset, page;
	bool reading, selected, offset_set;
};

struct spi {
	bool clock, selected, out;
	uint32_t bits, command, address;
};

struct qstat {
	uint64_t packets, bytes, drops;
};

/* As software wrote it: FDIRHASH, FDIRCMD, FDIRIPSA, FDIRIPDA, FDIRPORT, FDIRVLAN. */
struct fdir_filter {
	uint32_t key, cmd, src, dst, ports, vlan_flex;
};

struct ixgbe {
	struct nic *nic;
	enum ixgbe_generation gen;

	/* Interrupts: causes and masks of vectors 0 to 63, and of the other causes (16 to 30). */
	uint64_t pend, mask, automask;
	uint32_t other, other_mask, other_automask;
	uint32_t eiac;
	struct vector vec[NIC_VECTORS];

	/* Receive */
	struct rx_ring rx[RX_RINGS];
	uint64_t rx_on[2]; /* rings that are enabled */
	uint8_t *pb;
	struct pb_slot *slots;
	uint32_t pb_head, pb_used; /* bytes */
	uint32_t slot_head, slot_count;
	bool head_blocked; /* the first frame waits for a descriptor, and was counted */
	bool draining;
	uint32_t rar_valid[4];
	struct fdir_filter fdir[FDIR_FILTERS];
	unsigned int fdir_count;

	/* Transmit */
	struct tx_ring tx[TX_RINGS];
	uint64_t tx_on[2];
	uint8_t *tx_packet;
	uint8_t *tx_frame;

	struct qstat rxq[STAT_QUEUES], txq[STAT_QUEUES];

	uint16_t nvm[NVM_WORDS];
	struct spi spi;
	struct i2c i2c;
	uint8_t sfp[2][256]; /* pages A0 and A2: SFF-8472 */
	uint16_t mdio_addr;
	struct {
		uint8_t dev;
		uint16_t reg, value;
	} mdio[64];
	unsigned int mdio_count;
};

static inline struct ixgbe *
ixgbe_of(struct nic *nic)
{
	return nic->dev;
}

extern const struct nic_model ixgbe_models[];

/* The table's row of an offset: a name and an index, NULL if there is none. */
const char *ixgbe_reg_name(uint32_t offset, unsigned int *index);
bool ixgbe_page_traps(uint32_t offset);

extern const struct reg_special ixgbe_intr_regs[], ixgbe_rx_regs[], ixgbe_fdir_regs[],
    ixgbe_tx_regs[], ixgbe_nvm_regs[], ixgbe_phy_regs[], ixgbe_link_regs[], ixgbe_stats_regs[];

/* intr.c */
void ixgbe_intr_init(struct ixgbe *dev);
void ixgbe_intr_stop(struct ixgbe *dev);
void ixgbe_intr_reset(struct ixgbe *dev);
void ixgbe_intr_queue(struct ixgbe *dev, unsigned int queue, bool tx);
void ixgbe_intr_cause(struct ixgbe *dev, uint32_t eicr_bits);

/* rx.c */
int ixgbe_rx_frame(struct nic *nic, const uint8_t *frame, uint32_t len, unsigned int flags);
bool ixgbe_rx_room(struct nic *nic, uint32_t len);
bool ixgbe_rx_full(struct nic *nic, uint32_t len);
void ixgbe_rx_reset(struct ixgbe *dev);
void ixgbe_rx_drain(struct ixgbe *dev);
void ixgbe_rx_poll(struct ixgbe *dev);
/* rx_filter.c: true if the frame is for us */
bool ixgbe_rx_filter(struct ixgbe *dev, const uint8_t *frame, const struct parsed *p);
/* The queue of a frame by ethertype and 5-tuple filters, -1 if none of them matches. */
int ixgbe_rx_steer(struct ixgbe *dev, const uint8_t *frame, const struct parsed *p);

/* fdir.c */
void ixgbe_fdir_reset(struct ixgbe *dev);
int ixgbe_fdir_match(struct ixgbe *dev, const uint8_t *frame, uint32_t len, const struct parsed *p,
		     bool *report, uint32_t *hash);

/* rss.c */
/* Hash and IXGBE_RXD_RSSTYPE_*; the queue comes from the redirection table. */
unsigned int ixgbe_rss(struct ixgbe *dev, const uint8_t *frame, const struct parsed *p,
		       uint32_t *hash, unsigned int *type);

/* tx.c, tso.c */
void ixgbe_tx_reset(struct ixgbe *dev);
void ixgbe_tx_poll(struct ixgbe *dev);
/* Cut a packet of the ring's context into frames and send them. False: no datasheet allows it. */
bool ixgbe_tso(struct ixgbe *dev, unsigned int queue, const union ixgbe_tx_desc *ctx,
	       uint8_t *packet, uint32_t len);
bool ixgbe_tx_checksums(const union ixgbe_tx_desc *ctx, uint32_t olinfo, uint8_t *frame,
			uint32_t len, uint32_t l4_extra);
void ixgbe_tx_wire(struct ixgbe *dev, unsigned int queue, const union ixgbe_tx_desc *ctx,
		   uint32_t cmd, uint8_t *frame, uint32_t len);

/* stats.c: sizes without the CRC */
void ixgbe_stat_rx_total(struct ixgbe *dev, uint32_t len);
void ixgbe_stat_rx_good(struct ixgbe *dev, const uint8_t *frame, uint32_t len);
void ixgbe_stat_rx_queue(struct ixgbe *dev, unsigned int queue, uint32_t bytes);
void ixgbe_stat_rx_queue_drop(struct ixgbe *dev, unsigned int queue);
void ixgbe_stat_tx(struct ixgbe *dev, unsigned int queue, const uint8_t *frame, uint32_t len);
void ixgbe_stat_reset(struct ixgbe *dev);

/* nvm.c, phy.c, link.c */
void ixgbe_nvm_init(struct ixgbe *dev);
void ixgbe_nvm_reset(struct ixgbe *dev);
void ixgbe_phy_init(struct ixgbe *dev);
void ixgbe_phy_reset(struct ixgbe *dev);
void ixgbe_link_reset(struct ixgbe *dev);
void ixgbe_link_changed(struct nic *nic);

/* model.c */
void ixgbe_reset(struct ixgbe *dev);

#endif /* IXGBE_MODEL_H */
