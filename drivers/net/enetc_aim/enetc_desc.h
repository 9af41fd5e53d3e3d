/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors of the ENETC, as software and hardware write them. Little-endian in memory. Layout:
 * Linux's enetc_hw.h, which is licensed as BSD-3-Clause too, and DPDK's net_enetc.
 */
#ifndef ENETC_DESC_H
#define ENETC_DESC_H

#include <assert.h>
#include <stdint.h>

#include "enetc_regs.h"

#define ENETC_RING_ALIGN 128u /* bytes */
#define ENETC_RING_MIN 64u
#define ENETC_RING_MAX 32768u
#define ENETC_RING_STEP 8u /* RBLENR, TBLENR */

/* Receive: as software writes it, and as hardware writes it back. */
union enetc_rx_desc {
	struct {
		uint64_t addr;
		uint64_t reserved; /* 0: not done */
	} read;
	struct {
		uint16_t csum; /* one's complement of the sum behind the Ethernet header */
		uint16_t parse;
		uint32_t rss;
		uint16_t length; /* bytes in this buffer */
		uint16_t vlan;
		uint32_t status; /* flags 15:0, error 23:16, R 30, F 31 */
	} wb;
};
static_assert(sizeof(union enetc_rx_desc) == 16, "receive descriptor");

#define ENETC_RXD_TPID 0x00000003u  /* which type of tag: 0 is 802.1Q, 1 is 802.1ad */
#define ENETC_RXD_RSSV ENETC_BIT(8) /* rss holds a hash: FreeBSD */
#define ENETC_RXD_VLAN ENETC_BIT(9) /* vlan holds a tag that was taken out */
#define ENETC_RXD_ERROR 0x00FF0000u
#define ENETC_RXD_R ENETC_BIT(30) /* the frame is complete in memory */
#define ENETC_RXD_F ENETC_BIT(31) /* the frame's last descriptor */
/* Parse summary: net_enetc's table */
#define ENETC_RXD_PARSE_ERROR 0x8000u /* the checksum of the last layer named is wrong */
#define ENETC_RXD_PARSE_L3 0x0060u
#define ENETC_RXD_PARSE_IPV4 0x0000u
#define ENETC_RXD_PARSE_IPV6 0x0020u
#define ENETC_RXD_PARSE_ETHER 0x0060u
#define ENETC_RXD_PARSE_L4 0x001Fu
#define ENETC_RXD_PARSE_ICMP 0x0003u
#define ENETC_RXD_PARSE_TCP 0x0010u
#define ENETC_RXD_PARSE_UDP 0x0011u
#define ENETC_RXD_PARSE_SCTP 0x0013u

/* Transmit: a frame's first descriptor, the extension behind it, and the rest of its buffers. */
union enetc_tx_desc {
	struct {
		uint64_t addr;
		uint16_t buf_len;
		uint16_t frm_len; /* of the first only */
		uint32_t flags;	  /* 31:24 */
	} read;
	struct {
		uint32_t timestamp;
		uint16_t tpid; /* 0: 802.1Q */
		uint16_t vid;
		uint32_t reserved;
		uint32_t flags; /* as above; 23:16 what the extension asks for */
	} ext;
};
static_assert(sizeof(union enetc_tx_desc) == 16, "transmit descriptor");

#define ENETC_TXD_W ENETC_BIT(26)  /* write back */
#define ENETC_TXD_FI ENETC_BIT(29) /* interrupt when the frame is sent */
#define ENETC_TXD_EX ENETC_BIT(30) /* the next one is an extension */
#define ENETC_TXD_F ENETC_BIT(31)  /* the frame's last */
#define ENETC_TXD_EXT_VLAN ENETC_BIT(16)
#define ENETC_TX_MAX_DESCS 15u /* a frame: Linux, with head and extension */

/* Commands */
union enetc_cmd_desc {
	struct {
		uint32_t addr[2]; /* data in memory, or in the short form the data itself */
		uint32_t opt[4];
		uint16_t index;
		uint16_t length;
		uint8_t cmd;
		uint8_t cls;
		uint8_t reserved;
		uint8_t status; /* written back: 3:0, 0 is success */
	};
	uint64_t words[4];
};
static_assert(sizeof(union enetc_cmd_desc) == 32, "command descriptor");

#define ENETC_CMD_STATUS 0x0Fu
#define ENETC_CMD_SHORT 0x80u /* of status: the data is in the descriptor */
#define ENETC_CMD_CLS_MAC 1u
#define ENETC_CMD_CLS_RSS 3u
#define ENETC_CMD_MAC_EN ENETC_BIT(31) /* opt[0] */
#define ENETC_CMD_RSS_WRITE 1u
#define ENETC_CMD_RSS_READ 2u
#define ENETC_CMD_DATA_ALIGN 64u
#define ENETC_MAC_ENTRIES 8u  /* of exact addresses, of all station interfaces of a port */
#define ENETC_MAC_RESERVED 3u /* the first belong to the primary addresses */
#define ENETC_RSS_ENTRIES 64u
#define ENETC_RSS_KEY 40u

/* Message of a virtual function to the physical one's driver: another primary address. Linux's. */
struct enetc_msg_mac {
	uint16_t type;
	uint16_t id;
	uint16_t family; /* of a struct sockaddr; not looked at */
	uint8_t addr[6];
	uint8_t unused[8];
};
static_assert(sizeof(struct enetc_msg_mac) == 20, "a header and a struct sockaddr");

#define ENETC_MSG_SIZE 64u /* bytes, of memory for a message; its alignment, too */
#define ENETC_MSG_MAC 1u   /* type */
#define ENETC_MSG_ADD 1u   /* id */
#define ENETC_MSG_OK 0u	   /* what VSIMSGSR[MC] says */
#define ENETC_MSG_FAIL 1u

#endif /* ENETC_DESC_H */
