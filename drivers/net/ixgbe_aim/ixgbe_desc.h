/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors of the 82599, X540 and X550, as software and hardware write them: sections 7.1.6
 * (receive) and 7.2.3 (transmit) of the 82599 datasheet. Little-endian in memory.
 */
#ifndef IXGBE_DESC_H
#define IXGBE_DESC_H

#include <assert.h>
#include <stdint.h>

#include "ixgbe_regs.h"

#define IXGBE_RING_ALIGN 128u /* bytes */
#define IXGBE_RING_MIN 32u
#define IXGBE_RING_MAX 4096u
#define IXGBE_RING_STEP 8u /* RDLEN and TDLEN are multiples of 128 bytes */

/* Receive, advanced: as software writes it, and as hardware writes it back. */
union ixgbe_rx_desc {
	struct {
		uint64_t pkt_addr;
		uint64_t hdr_addr;
	} read;
	struct {
		uint32_t info; /* RSS type 3:0, packet type 16:4, RSCCNT 20:17, header length 30:21,
				  SPH 31 */
		uint32_t rss;  /* RSS hash, or IP identification and fragment checksum */
		uint32_t status_error;
		uint16_t length;
		uint16_t vlan;
	} wb;
};
static_assert(sizeof(union ixgbe_rx_desc) == 16, "receive descriptor");

#define IXGBE_RXD_INFO_RSSTYPE 0x0000000Fu
#define IXGBE_RXD_INFO_PTYPE 0x0001FFF0u
#define IXGBE_RXD_INFO_PTYPE_SHIFT 4
#define IXGBE_RXD_RSSTYPE_NONE 0
#define IXGBE_RXD_RSSTYPE_TCPIPV4 1
#define IXGBE_RXD_RSSTYPE_IPV4 2
#define IXGBE_RXD_RSSTYPE_TCPIPV6 3
#define IXGBE_RXD_RSSTYPE_IPV6_EX 4
#define IXGBE_RXD_RSSTYPE_IPV6 5
#define IXGBE_RXD_RSSTYPE_TCPIPV6_EX 6
#define IXGBE_RXD_RSSTYPE_UDPIPV4 7
#define IXGBE_RXD_RSSTYPE_UDPIPV6 8
#define IXGBE_RXD_RSSTYPE_UDPIPV6_EX 9
#define IXGBE_RXD_RSSTYPE_FDIR 15
/* Packet type, after the shift */
#define IXGBE_RXD_PTYPE_IPV4 0x001u
#define IXGBE_RXD_PTYPE_IPV4_EXT 0x002u
#define IXGBE_RXD_PTYPE_IPV6 0x004u
#define IXGBE_RXD_PTYPE_IPV6_EXT 0x008u
#define IXGBE_RXD_PTYPE_TCP 0x010u
#define IXGBE_RXD_PTYPE_UDP 0x020u
#define IXGBE_RXD_PTYPE_SCTP 0x040u
#define IXGBE_RXD_PTYPE_NFS 0x080u
#define IXGBE_RXD_PTYPE_ETQF 0x800u /* bits 6:4 of the type are then the ETQF index */
#define IXGBE_RXD_STAT_DD IXGBE_BIT(0)
#define IXGBE_RXD_STAT_EOP IXGBE_BIT(1)
#define IXGBE_RXD_STAT_FLM IXGBE_BIT(2)
#define IXGBE_RXD_STAT_VP IXGBE_BIT(3)
#define IXGBE_RXD_STAT_UDPCS IXGBE_BIT(4)
#define IXGBE_RXD_STAT_L4CS IXGBE_BIT(5)
#define IXGBE_RXD_STAT_IPCS IXGBE_BIT(6)
#define IXGBE_RXD_STAT_PIF IXGBE_BIT(7)
#define IXGBE_RXD_STAT_UDPV IXGBE_BIT(10)
#define IXGBE_RXD_ERR_RXE IXGBE_BIT(29)
#define IXGBE_RXD_ERR_TCPE IXGBE_BIT(30)
#define IXGBE_RXD_ERR_IPE IXGBE_BIT(31)

/* Transmit, advanced: data and context, and the write-back of either. */
union ixgbe_tx_desc {
	struct {
		uint64_t addr;
		uint32_t cmd_type_len;
		uint32_t olinfo_status;
	} read;
	struct {
		uint32_t vlan_macip_lens; /* IPLEN 8:0, MACLEN 15:9, VLAN 31:16 */
		uint32_t fcoef_ipsec_sa;
		uint32_t type_tucmd;
		uint32_t mss_l4len_idx; /* IDX 6:4, L4LEN 15:8, MSS 31:16 */
	} ctx;
	struct {
		uint64_t reserved;
		uint32_t nxtseq_seed;
		uint32_t status;
	} wb;
};
static_assert(sizeof(union ixgbe_tx_desc) == 16, "transmit descriptor");

#define IXGBE_TXD_STAT_DD IXGBE_BIT(0)
#define IXGBE_TXD_DTALEN 0x0000FFFFu
#define IXGBE_TXD_MAC_1588 IXGBE_BIT(19)
#define IXGBE_TXD_DTYP 0x00F00000u
#define IXGBE_TXD_DTYP_CTX 0x00200000u
#define IXGBE_TXD_DTYP_DATA 0x00300000u
#define IXGBE_TXD_CMD_EOP IXGBE_BIT(24)
#define IXGBE_TXD_CMD_IFCS IXGBE_BIT(25)
#define IXGBE_TXD_CMD_RS IXGBE_BIT(27)
#define IXGBE_TXD_CMD_DEXT IXGBE_BIT(29)
#define IXGBE_TXD_CMD_VLE IXGBE_BIT(30)
#define IXGBE_TXD_CMD_TSE IXGBE_BIT(31)
#define IXGBE_TXD_CC IXGBE_BIT(7) /* olinfo_status: use the context of IDX */
#define IXGBE_TXD_IDX_SHIFT 4
#define IXGBE_TXD_POPTS_IXSM IXGBE_BIT(8)
#define IXGBE_TXD_POPTS_TXSM IXGBE_BIT(9)
#define IXGBE_TXD_PAYLEN_SHIFT 14
#define IXGBE_TXC_MACLEN_SHIFT 9
#define IXGBE_TXC_VLAN_SHIFT 16
#define IXGBE_TXC_TUCMD_IPV4 IXGBE_BIT(10)
#define IXGBE_TXC_TUCMD_L4T_UDP 0x00000000u
#define IXGBE_TXC_TUCMD_L4T_TCP 0x00000800u
#define IXGBE_TXC_TUCMD_L4T_SCTP 0x00001000u
#define IXGBE_TXC_TUCMD_L4T 0x00001800u
#define IXGBE_TXC_L4LEN_SHIFT 8
#define IXGBE_TXC_MSS_SHIFT 16
#define IXGBE_TX_MAX_SEGS 40u	/* descriptors a packet; section 7.2.1.1 */
#define IXGBE_TX_MAX_LEN 15872u /* 15.5 KB a packet without TSO */

#endif /* IXGBE_DESC_H */
