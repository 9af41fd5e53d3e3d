/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What lies behind the MAC: an SFP+ module on the two-wire bus (SFF-8472) of the 82599, and the
 * 10GBASE-T PHY of the X540 and X550 on MDIO (IEEE 802.3 clause 45, section 3.7.3).
 */
#include "ixgbe_model.h"

#include <string.h>

enum i2c_state {
	I2C_IDLE,
	I2C_ADDRESS,
	I2C_WRITE,
	I2C_READ,
	I2C_IGNORE,
};

#define I2C_A0 0xA0u
#define I2C_A2 0xA2u

/* MDIO device types and registers: 802.3 table 45-1 */
#define MMD_PMA 1u
#define MMD_PCS 3u
#define MMD_AN 7u
#define PMA_ID_HIGH 2u
#define PMA_ID_LOW 3u
#define PMA_SPEED 4u
#define PMA_EXT_ABILITY 11u
#define DEVICES_LOW 5u /* in every MMD: which of them the package has */
#define STATUS_2 8u
#define STATUS_2_PRESENT 0x8000u /* bits 15:14 = 10: a device answers here */
#define DEVICES (1u << MMD_PMA | 1u << MMD_PCS | 1u << MMD_AN)
#define MMD_VENDOR_1 30u
#define VENDOR_1_CONTROL 0u
#define VENDOR_1_LOW_POWER 0x0800u
#define AN_CONTROL 0u
#define AN_STATUS 1u
#define AN_CONTROL_RESTART 0x0200u
#define PHY_ID_HIGH 0x0154u /* both: Intel X540 and X550 datasheets, PHY registers */
#define PHY_ID_LOW_X540 0x0200u
#define PHY_ID_LOW_X550 0x0220u

void
ixgbe_phy_init(struct ixgbe *dev)
{
	uint8_t *a0 = dev->sfp[0], *a2 = dev->sfp[1];
	unsigned int i, sum;

	a0[0] = 0x03; /* SFP or SFP+ */
	a0[1] = 0x04;
	a0[2] = 0x07;  /* LC */
	a0[3] = 0x10;  /* 10GBASE-SR */
	a0[11] = 0x06; /* 64B/66B */
	a0[12] = 103;  /* 100 Mb/s units */
	memcpy(a0 + 20, "SOFTWARE NIC    ", 16);
	a0[37] = 0x00; /* Intel's OUI: drivers take its modules without question */
	a0[38] = 0x1B;
	a0[39] = 0x21;
	memcpy(a0 + 40, "AIM-SFP-10G-SR  ", 16);
	memcpy(a0 + 56, "1.0 ", 4);
	memcpy(a0 + 68, "0000000000000001", 16);
	memcpy(a0 + 84, "260101  ", 8);
	a0[92] = 0x68; /* digital diagnostics, internally calibrated */
	a0[94] = 0x08; /* SFF-8472 rev. 12 */
	for (sum = i = 0; i < 63; i++)
		sum += a0[i];
	a0[63] = (uint8_t)sum;
	for (sum = 0, i = 64; i < 95; i++)
		sum += a0[i];
	a0[95] = (uint8_t)sum;
	a2[96] = 35;   /* degrees */
	a2[98] = 0x80; /* 3.3 V in units of 100 uV */
	a2[99] = 0xE8;
}

void
ixgbe_phy_reset(struct ixgbe *dev)
{
	memset(&dev->i2c, 0, sizeof(dev->i2c));
	dev->i2c.scl = dev->i2c.sda = dev->i2c.out = true;
	nic_reg_set(dev->nic, IXGBE_I2CCTL,
		    IXGBE_I2CCTL_CLK_IN | IXGBE_I2CCTL_CLK_OUT | IXGBE_I2CCTL_DATA_IN |
			IXGBE_I2CCTL_DATA_OUT);
}

static uint8_t
i2c_byte(const struct ixgbe *dev)
{
	return dev->sfp[dev->i2c.page][dev->i2c.offset];
}

/* The master's clock rose: a bit of the master's is valid. */
static void
i2c_sample(struct i2c *bus, bool sda)
{
	bus->bit++;
	if (bus->state == I2C_READ) {
		if (bus->bit == 9 && sda)
			bus->state = I2C_IGNORE; /* not acknowledged: the master has enough */
	} else if (bus->bit <= 8) {
		bus->shift = (uint8_t)(bus->shift << 1 | sda);
	}
}

/* A byte of the master's is complete: whether to acknowledge it. */
static bool
i2c_take(struct ixgbe *dev)
{
	struct i2c *bus = &dev->i2c;

	if (bus->state == I2C_ADDRESS) {
		bus->reading = bus->shift & 1;
		bus->page = (bus->shift & 0xFE) == I2C_A2;
		bus->selected = (bus->shift & 0xFE) == I2C_A0 || bus->page == 1;
		bus->offset_set = false;
		return bus->selected;
	}
	if (!bus->offset_set) {
		bus->offset = bus->shift;
		bus->offset_set = true;
	} else {
		dev->sfp[bus->page][bus->offset++] = bus->shift;
	}
	return true;
}

/* The master's clock fell: the slave may change its bit. */
static void
i2c_drive(struct ixgbe *dev)
{
	struct i2c *bus = &dev->i2c;

	switch (bus->state) {
	case I2C_ADDRESS:
	case I2C_WRITE:
		if (bus->bit == 8) {
			bus->out = !i2c_take(dev);
			break;
		}
		if (bus->bit < 9)
			break;
		bus->bit = bus->shift = 0;
		bus->out = true;
		if (bus->state == I2C_WRITE)
			break;
		bus->state = !bus->selected ? I2C_IGNORE : bus->reading ? I2C_READ : I2C_WRITE;
		if (bus->state == I2C_READ)
			bus->out = i2c_byte(dev) >> 7;
		break;
	case I2C_READ:
		if (bus->bit < 8) {
			bus->out = i2c_byte(dev) >> (7 - bus->bit) & 1;
		} else if (bus->bit == 8) {
			bus->out = true; /* the master acknowledges */
		} else {
			bus->bit = 0;
			bus->offset++;
			bus->out = i2c_byte(dev) >> 7;
		}
		break;
	default:
		bus->out = true;
		break;
	}
}

static void
i2cctl_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	struct ixgbe *dev = ixgbe_of(nic);
	struct i2c *bus = &dev->i2c;
	bool scl = (value & IXGBE_I2CCTL_CLK_OUT) != 0, sda = (value & IXGBE_I2CCTL_DATA_OUT) != 0;

	(void)index;
	if (scl && bus->scl && bus->sda != sda) {
		/* Data moves while the clock is high: start (falls) or stop (rises). */
		bus->state = sda ? I2C_IDLE : I2C_ADDRESS;
		bus->bit = bus->shift = 0;
		bus->out = true;
	} else if (scl && !bus->scl && bus->state != I2C_IDLE) {
		i2c_sample(bus, sda);
	} else if (!scl && bus->scl) {
		i2c_drive(dev);
	}
	bus->scl = scl;
	bus->sda = sda;
	value &= ~(IXGBE_I2CCTL_CLK_IN | IXGBE_I2CCTL_DATA_IN);
	/* Open drain: a line is high if nobody pulls it down. The 82599's board has a module only
	 * with an SFP+ cage; elsewhere nobody answers. */
	if (scl)
		value |= IXGBE_I2CCTL_CLK_IN;
	if (sda && (bus->out || dev->gen != GEN_82599_SFP))
		value |= IXGBE_I2CCTL_DATA_IN;
	nic_reg_set(nic, offset, value);
}

static uint16_t *
mdio_slot(struct ixgbe *dev, uint8_t mmd, uint16_t reg, bool create)
{
	unsigned int i;

	for (i = 0; i < dev->mdio_count; i++)
		if (dev->mdio[i].dev == mmd && dev->mdio[i].reg == reg)
			return &dev->mdio[i].value;
	if (!create || dev->mdio_count == sizeof(dev->mdio) / sizeof(dev->mdio[0]))
		return NULL;
	dev->mdio[i].dev = mmd;
	dev->mdio[i].reg = reg;
	dev->mdio_count++;
	return &dev->mdio[i].value;
}

static uint16_t
mdio_read(struct ixgbe *dev, uint8_t mmd, uint16_t reg)
{
	bool up = nic_has_link(dev->nic);
	uint16_t *slot;

	switch (mmd << 16 | reg) {
	case MMD_PMA << 16 | PMA_ID_HIGH:
	case MMD_PCS << 16 | PMA_ID_HIGH:
	case MMD_AN << 16 | PMA_ID_HIGH:
		return PHY_ID_HIGH;
	case MMD_PMA << 16 | PMA_ID_LOW:
	case MMD_PCS << 16 | PMA_ID_LOW:
	case MMD_AN << 16 | PMA_ID_LOW:
		return dev->gen == GEN_X540 ? PHY_ID_LOW_X540 : PHY_ID_LOW_X550;
	case MMD_PMA << 16 | DEVICES_LOW:
	case MMD_PCS << 16 | DEVICES_LOW:
	case MMD_AN << 16 | DEVICES_LOW:
		return DEVICES;
	case MMD_PMA << 16 | STATUS_2:
	case MMD_PCS << 16 | STATUS_2:
		return STATUS_2_PRESENT;
	case MMD_PMA << 16 | PMA_SPEED:
		return 0x0031; /* 10G, 1G, 100M: 45.2.1.4 */
	case MMD_PMA << 16 | PMA_EXT_ABILITY:
		return 0x00A4; /* 10GBASE-T, 1000BASE-T, 100BASE-TX: 45.2.1.10 */
	case MMD_PMA << 16 | 1:
	case MMD_PCS << 16 | 1:
		return up ? 0x0006 : 0x0002; /* low power ability, link */
	case MMD_AN << 16 | AN_STATUS:
		return up ? 0x002D : 0x0009; /* complete, able, link, partner able */
	default:
		slot = mdio_slot(dev, mmd, reg, false);
		return slot != NULL ? *slot : 0;
	}
}

/* In low power the PHY has no link. */
static void
phy_power(struct ixgbe *dev, bool off)
{
	if (dev->nic->phy_off == off)
		return;
	dev->nic->phy_off = off;
	if (dev->nic->link_up)
		ixgbe_link_changed(dev->nic);
}

/* 8.2.3.22.11: one transaction a command; the PHY is at address 0. */
static void
msca_write(struct nic *nic, uint32_t offset, unsigned int index, uint32_t value)
{
	struct ixgbe *dev = ixgbe_of(nic);
	uint8_t mmd = value >> IXGBE_MSCA_DEV_TYPE_SHIFT & 0x1F;
	uint8_t phy = value >> IXGBE_MSCA_PHY_ADDR_SHIFT & 0x1F;
	bool here = dev->gen >= GEN_X540 && phy == 0;
	uint32_t data = nic_reg(nic, IXGBE_MSRWD);
	uint16_t *slot;

	(void)index;
	if (!(value & IXGBE_MSCA_MDI_COMMAND)) {
		nic_reg_set(nic, offset, value);
		return;
	}
	switch (value & IXGBE_MSCA_OP_MASK) {
	case IXGBE_MSCA_ADDR_CYCLE:
		dev->mdio_addr = (uint16_t)value;
		break;
	case IXGBE_MSCA_WRITE:
		slot = here ? mdio_slot(dev, mmd, dev->mdio_addr, true) : NULL;
		if (slot != NULL)
			*slot = (uint16_t)data;
		/* A restart of the negotiation, or a reset, is over at once. */
		if (slot != NULL && mmd == MMD_AN && dev->mdio_addr == AN_CONTROL)
			*slot &= (uint16_t)~AN_CONTROL_RESTART;
		if (slot != NULL && mmd == MMD_VENDOR_1 && dev->mdio_addr == VENDOR_1_CONTROL)
			phy_power(dev, (data & VENDOR_1_LOW_POWER) != 0);
		if (slot != NULL && dev->mdio_addr == 0)
			*slot &= 0x7FFF;
		break;
	default:
		/* Nobody drives the bus: all ones. */
		data = (data & 0xFFFF) |
		       (uint32_t)(here ? mdio_read(dev, mmd, dev->mdio_addr) : 0xFFFF)
			   << IXGBE_MSRWD_READ_SHIFT;
		nic_reg_set(nic, IXGBE_MSRWD, data);
		break;
	}
	nic_reg_set(nic, offset, value & ~IXGBE_MSCA_MDI_COMMAND);
}

const struct reg_special ixgbe_phy_regs[] = {
    {IXGBE_I2CCTL, NULL, i2cctl_write},
    {IXGBE_MSCA, NULL, msca_write},
    {0, NULL, NULL},
};
