/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ENETC of LS1028A as software sees it: a physical function with its port, or a virtual
 * function whose port belongs to a physical function that nobody sees (vsi.c). No datasheet is
 * public; what is modelled is what Linux's, FreeBSD's and DPDK's drivers rely on, and where they
 * leave a choice the comment says which one was made. The register table and the descriptors, and
 * nothing else, are shared with the driver.
 */
#ifndef ENETC_MODEL_H
#define ENETC_MODEL_H

#include "../parse.h"
#include "../regs.h"
#include "enetc_desc.h"
#include "enetc_regs.h"

#define RINGS ENETC_SI_RINGS
#define ENETC_TX_PACKET (16u * 1024)

/* The coalescer of a ring, and what became of it: RBICR0, RBICR1, RBIDR, RBIER. */
struct coalescer {
	uint32_t packets; /* since the last event */
	bool detected;	  /* RBIDR */
	bool enabled;	  /* RBIER */
	uint64_t expiry;  /* of the time threshold; 0: it does not run */
	struct nic_timer timer;
	struct enetc *dev;
	bool tx;
	unsigned int ring;
};

struct ring {
	bool on;
	uint64_t base;
	uint32_t size;	/* descriptors */
	uint32_t index; /* of hardware: RBPIR, TBCIR */
	struct coalescer intr;
};

struct enetc {
	struct nic *nic;
	unsigned int si; /* station interface: 0 of the physical function, 1 of the first virtual */
	uint32_t *port;	 /* registers at their offsets in the physical function's BAR */
	struct ring rx[RINGS], tx[RINGS];
	uint8_t *tx_packet;
	bool looping;	   /* a frame of ours comes back */
	bool address_kept; /* by the physical function: a virtual one may not change its own */

	/* tables that commands fill */
	struct {
		bool on;
		uint8_t addr[6];
		uint32_t si_map;
	} mac[ENETC_MAC_ENTRIES];
	uint8_t rss[ENETC_RSS_ENTRIES];
};

static inline struct enetc *
enetc_of(const struct nic *nic)
{
	return nic->dev;
}

/* What a model is: struct nic_model's generation. */
enum enetc_function {
	ENETC_PHYSICAL,
	ENETC_VIRTUAL,
};

/* A register of the port, which a virtual function has no window to. */
static inline uint32_t
port_reg(const struct nic *nic, uint32_t offset)
{
	return __atomic_load_n(&enetc_of(nic)->port[offset / 4], __ATOMIC_RELAXED);
}

static inline void
port_reg_set(struct nic *nic, uint32_t offset, uint32_t value)
{
	__atomic_store_n(&enetc_of(nic)->port[offset / 4], value, __ATOMIC_RELAXED);
}

static inline void
port_reg_add(struct nic *nic, uint32_t offset, uint32_t n)
{
	port_reg_set(nic, offset, port_reg(nic, offset) + n);
}

static inline void
port_reg_add64(struct nic *nic, uint32_t low, uint32_t n)
{
	uint32_t was = port_reg(nic, low);

	port_reg_set(nic, low, was + n);
	if (was + n < was)
		port_reg_add(nic, low + 4, 1);
}

extern const struct nic_model enetc_models[];
extern const struct reg_special enetc_rx_regs[], enetc_tx_regs[], enetc_intr_regs[],
    enetc_cmd_regs[], enetc_si_regs[], enetc_port_regs[], enetc_vsi_regs[];

/* The station interface is on: SIMR, and the port lets it. */
static inline bool
enetc_si_on(const struct nic *nic)
{
	return (nic_reg(nic, ENETC_SIMR) & ENETC_SIMR_EN) != 0 &&
	       (port_reg(nic, ENETC_PMR) & ENETC_PMR_SI_EN(enetc_of(nic)->si)) != 0;
}

/* model.c: a ring is switched on or off by its mode register; true when it changed */
bool enetc_ring_switch(struct enetc *dev, struct ring *ring, bool tx, unsigned int index);

/* rx.c */
int enetc_rx_frame(struct nic *nic, const uint8_t *frame, uint32_t len, unsigned int flags);
bool enetc_rx_room(struct nic *nic, uint32_t len);
bool enetc_rx_full(struct nic *nic, uint32_t len);
void enetc_rx_poll(struct enetc *dev);

/* rx_filter.c: true if the frame is for our station interface */
bool enetc_rx_filter(struct enetc *dev, const uint8_t *frame, const struct parsed *p);
/* A tag of a type that the port takes for one. */
bool enetc_rx_tagged(const struct nic *nic, const uint8_t *frame, uint32_t len, uint16_t *type);

/* vsi.c: the port as a physical function's driver leaves it for its virtual functions */
void enetc_vsi_reset(struct enetc *dev);

/* tx.c */
void enetc_tx_poll(struct enetc *dev);
/* Whatever opens the transmitter: what waits in the rings goes out. */
void enetc_tx_all(struct enetc *dev);

/* intr.c */
void enetc_intr_init(struct enetc *dev);
void enetc_intr_stop(struct enetc *dev);
void enetc_intr_reset(struct enetc *dev);
/* A frame was received or sent; asked: it wanted an interrupt of its own (Tx). */
void enetc_intr_frame(struct enetc *dev, struct coalescer *c, bool asked);
void enetc_intr_poll(struct enetc *dev);

/* stats.c */
void enetc_stat_rx(struct nic *nic, const uint8_t *frame, uint32_t len, bool tagged);
void enetc_stat_rx_si(struct nic *nic, const uint8_t *frame, uint32_t len);
void enetc_stat_tx(struct nic *nic, const uint8_t *frame, uint32_t len, bool tagged);

#endif /* ENETC_MODEL_H */
