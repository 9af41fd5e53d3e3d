/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters. Octets of the MAC's include the frame check sequence; those of the station interface do
 * not.
 */
#include "enetc_model.h"

#define CRC_LEN 4u

/* The seven bins from 64 bytes up are registers in a row. */
static void
size_bin(struct nic *nic, uint32_t first, uint32_t bytes)
{
	static const uint32_t limit[] = {64, 127, 255, 511, 1023, 1522};
	uint32_t i = 0;

	while (i < 6 && bytes > limit[i])
		i++;
	port_reg_add64(nic, first + i * 8, 1);
}

static void
kind(struct nic *nic, const uint8_t *frame, uint32_t unicast)
{
	/* unicast, multicast, broadcast: three registers in a row */
	port_reg_add64(nic, unicast + (nic_is_broadcast(frame) ? 16 : frame[0] & 1 ? 8 : 0), 1);
}

void
enetc_stat_rx(struct nic *nic, const uint8_t *frame, uint32_t len, bool tagged)
{
	port_reg_add64(nic, ENETC_PM0_RFRM, 1);
	if (tagged)
		port_reg_add64(nic, ENETC_PM0_RVLAN, 1);
	kind(nic, frame, ENETC_PM0_RUCA);
	size_bin(nic, ENETC_PM0_R64, len + CRC_LEN);
}

void
enetc_stat_rx_si(struct nic *nic, const uint8_t *frame, uint32_t len)
{
	nic_reg_add64(nic, ENETC_SIROCT, len);
	nic_reg_add64(nic, ENETC_SIRFRM, 1);
	nic_reg_add64(nic, frame[0] & 1 ? ENETC_SIRMCA : ENETC_SIRUCA, 1);
}

void
enetc_stat_tx(struct nic *nic, const uint8_t *frame, uint32_t len, bool tagged)
{
	nic_reg_add64(nic, ENETC_SITOCT, len);
	nic_reg_add64(nic, ENETC_SITFRM, 1);
	nic_reg_add64(nic, frame[0] & 1 ? ENETC_SITMCA : ENETC_SITUCA, 1);
	port_reg_add64(nic, ENETC_PM0_TEOCT, len + CRC_LEN);
	port_reg_add64(nic, ENETC_PM0_TOCT, len + CRC_LEN);
	port_reg_add64(nic, ENETC_PM0_TFRM, 1);
	port_reg_add64(nic, ENETC_PM0_TPKT, 1);
	if (tagged)
		port_reg_add64(nic, ENETC_PM0_TVLAN, 1);
	kind(nic, frame, ENETC_PM0_TUCA);
	size_bin(nic, ENETC_PM0_T64, len + CRC_LEN);
}
