/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The register table of the ENETC of LS1028A (v1.0, BAR 0 of its functions), and the fields
 * that driver and device model use. Names and offsets: the register definitions of Linux's and
 * FreeBSD's enetc drivers and of DPDK's net_enetc. One row a register or register array; from the
 * rows come the constants below, the register dump of the driver, the dispatch of the model and the
 * lint.
 *
 * X(name, offset, count, stride, mode)
 *   RW   read and write            RO   read only (writes are ignored)
 *   RC   cleared by reading        RW1C write 1 to clear
 *   SC   read and write, with bits that clear themselves
 * A counter of 64 bits is two words, the low one first; reading clears nothing.
 */
#ifndef ENETC_REGS_H
#define ENETC_REGS_H

#include <assert.h>
#include <stdint.h>

#define ENETC_BAR_SIZE 0x40000u
#define ENETC_VF_BAR_SIZE 0x10000u /* no port: Linux's enetc_pci_probe() */
#define ENETC_VF_RINGS 4u	   /* what Linux's PF gives a VF, each direction */
#define ENETC_SI_RINGS 8u	   /* of a station interface, each direction */
#define ENETC_PORT_SIS 3u	   /* station interfaces of a port: the PF's and those of two VFs */

/* Station interface: what every function has */
#define ENETC_REGS_SI(X) \
	X(SIMR, 0x00000, 1, 4, RW) \
	X(SICTR0, 0x00018, 1, 4, RO) \
	X(SICTR1, 0x0001C, 1, 4, RO) \
	X(SIPCAPR0, 0x00020, 1, 4, RO) \
	X(SIPCAPR1, 0x00024, 1, 4, RO) \
	X(SITGTGR, 0x00030, 1, 4, RW) \
	X(SIRBGCR, 0x00038, 1, 4, RW) \
	X(SICAR0, 0x00040, 1, 4, RW) \
	X(SICAR1, 0x00044, 1, 4, RW) \
	X(SICAR2, 0x00048, 1, 4, RW) \
	X(SIPMAR0, 0x00080, 1, 4, RO) \
	X(SIPMAR1, 0x00084, 1, 4, RO) \
	X(SIROCT, 0x00300, 2, 4, RO) \
	X(SIRFRM, 0x00308, 2, 4, RO) \
	X(SIRUCA, 0x00310, 2, 4, RO) \
	X(SIRMCA, 0x00318, 2, 4, RO) \
	X(SITOCT, 0x00320, 2, 4, RO) \
	X(SITFRM, 0x00328, 2, 4, RO) \
	X(SITUCA, 0x00330, 2, 4, RO) \
	X(SITMCA, 0x00338, 2, 4, RO) \
	X(SICAPR0, 0x00900, 1, 4, RO) \
	X(SICAPR1, 0x00904, 1, 4, RO) \
	X(SITXIDR, 0x00A18, 1, 4, RW1C) \
	X(SIRXIDR, 0x00A28, 1, 4, RW1C) \
	X(SIMSIVR, 0x00A30, 1, 4, RW) \
	X(SIMSITRV, 0x00B00, 8, 4, RW) \
	X(SIMSIRRV, 0x00B80, 8, 4, RW) \
	X(SIUEFDCR, 0x00E28, 1, 4, RO) \
	X(SIRFSCAPR, 0x01200, 1, 4, RO) \
	X(SIRSSCAPR, 0x01600, 1, 4, RO)

/* Messages of virtual functions, as the physical one receives them; of each the index of a VF */
#define ENETC_REGS_PSI(X) \
	X(PSIMSGRR, 0x00204, 1, 4, RW1C) \
	X(PSIVMSGRCVAR0, 0x00210, 2, 8, RW) \
	X(PSIVMSGRCVAR1, 0x00214, 2, 8, RW) \
	X(PSIIER, 0x00A00, 1, 4, RW) \
	X(PSIIDR, 0x00A08, 1, 4, RW1C)

/* and, at the same offsets, as a virtual function sends them */
#define ENETC_REGS_VSI(X) \
	X(VSIMSGSR, 0x00204, 1, 4, RO) \
	X(VSIMSGRR, 0x00208, 1, 4, RW1C) \
	X(VSIMSGSNDAR0, 0x00210, 1, 4, RW) \
	X(VSIMSGSNDAR1, 0x00214, 1, 4, RW) \
	X(VSIIER, 0x00A00, 1, 4, RW) \
	X(VSIIDR, 0x00A08, 1, 4, RW1C)

/* Ring of commands: filters and tables */
#define ENETC_REGS_CBDR(X) \
	X(SICBDRMR, 0x00800, 1, 4, RW) \
	X(SICBDRSR, 0x00804, 1, 4, RO) \
	X(SICBDRBAR0, 0x00810, 1, 4, RW) \
	X(SICBDRBAR1, 0x00814, 1, 4, RW) \
	X(SICBDRPIR, 0x00818, 1, 4, RW) \
	X(SICBDRCIR, 0x0081C, 1, 4, RW) \
	X(SICBDRLENR, 0x00820, 1, 4, RW)

/* Rings of buffer descriptors */
#define ENETC_REGS_RINGS(X) \
	X(TBMR, 0x08000, 8, 0x200, RW) \
	X(TBSR, 0x08004, 8, 0x200, RO) \
	X(TBBAR0, 0x08010, 8, 0x200, RW) \
	X(TBBAR1, 0x08014, 8, 0x200, RW) \
	X(TBPIR, 0x08018, 8, 0x200, RW) \
	X(TBCIR, 0x0801C, 8, 0x200, RW) \
	X(TBLENR, 0x08020, 8, 0x200, RW) \
	X(TBIER, 0x080A0, 8, 0x200, RW) \
	X(TBIDR, 0x080A4, 8, 0x200, RC) \
	X(TBICR0, 0x080A8, 8, 0x200, RW) \
	X(TBICR1, 0x080AC, 8, 0x200, RW) \
	X(RBMR, 0x08100, 8, 0x200, RW) \
	X(RBSR, 0x08104, 8, 0x200, RO) \
	X(RBBSR, 0x08108, 8, 0x200, RW) \
	X(RBCIR, 0x0810C, 8, 0x200, RW) \
	X(RBBAR0, 0x08110, 8, 0x200, RW) \
	X(RBBAR1, 0x08114, 8, 0x200, RW) \
	X(RBPIR, 0x08118, 8, 0x200, RW) \
	X(RBLENR, 0x08120, 8, 0x200, RW) \
	X(RBDCR, 0x08180, 8, 0x200, RO) \
	X(RBIER, 0x081A0, 8, 0x200, RW) \
	X(RBIDR, 0x081A4, 8, 0x200, RC) \
	X(RBICR0, 0x081A8, 8, 0x200, RW) \
	X(RBICR1, 0x081AC, 8, 0x200, RW)

/* Port: physical function only */
#define ENETC_REGS_PORT(X) \
	X(PMR, 0x10000, 1, 4, RW) \
	X(PSR, 0x10004, 1, 4, RO) \
	X(PSIPMR, 0x10018, 1, 4, RW) \
	X(PSIPVMR, 0x1001C, 1, 4, RW) \
	X(PSIPMAR0, 0x10100, 3, 8, RW) \
	X(PSIPMAR1, 0x10104, 3, 8, RW) \
	X(PVCLCTR, 0x10208, 1, 4, RW) \
	X(PCVLANR1, 0x10210, 1, 4, RW) \
	X(PCVLANR2, 0x10214, 1, 4, RW) \
	X(PSIVLANR, 0x10240, 3, 4, RW) \
	X(PPAUONTR, 0x10410, 1, 4, RW) \
	X(PPAUOFFTR, 0x10414, 1, 4, RW) \
	X(PTXMBAR, 0x10608, 1, 4, RW) \
	X(PICDR, 0x10700, 4, 8, RO) \
	X(PBFDSIR, 0x10810, 1, 4, RO) \
	X(PFDMSAPR, 0x10814, 1, 4, RO) \
	X(PCAPR0, 0x10900, 1, 4, RO) \
	X(PCAPR1, 0x10904, 1, 4, RO) \
	X(PSICFGR0, 0x10940, 3, 0xC, RW) \
	X(PRSSCAPR, 0x11404, 1, 4, RO) \
	X(PRSSK, 0x11410, 10, 4, RW) \
	X(UFDMF, 0x11680, 1, 4, RO) \
	X(MFDMF, 0x11684, 1, 4, RO) \
	X(PSIVLANFMR, 0x11700, 1, 4, RW) \
	X(PUFDVFR, 0x11780, 1, 4, RO) \
	X(PMFDVFR, 0x11784, 1, 4, RO) \
	X(PBFDVFR, 0x11788, 1, 4, RO) \
	X(PRFSMR, 0x11800, 1, 4, RW) \
	X(PRFSCAPR, 0x11804, 1, 4, RO) \
	X(PSIRFSCFGR, 0x11814, 3, 4, RW) \
	X(PFPMR, 0x11900, 1, 4, RW) \
	X(PSIUMHFR0, 0x11D00, 3, 0x10, RW) \
	X(PSIUMHFR1, 0x11D04, 3, 0x10, RW) \
	X(PSIMMHFR0, 0x11D08, 3, 0x10, RW) \
	X(PSIMMHFR1, 0x11D0C, 3, 0x10, RW) \
	X(PSIVHFR0, 0x11E00, 3, 8, RW) \
	X(PSIVHFR1, 0x11E04, 3, 8, RW) \
	X(MMCSR, 0x11F00, 1, 4, RW) \
	X(PTCMSDUR, 0x12020, 8, 4, RW) \
	X(PAR_PORT_CFG, 0x13050, 1, 4, RW)

/* MAC of the port: the express one (0), and what software sets of the preemptable one (1) */
#define ENETC_REGS_MAC(X) \
	X(PM0_CMD_CFG, 0x18008, 1, 4, RW) \
	X(PM0_MAXFRM, 0x18014, 1, 4, RW) \
	X(PM0_RX_FIFO, 0x1801C, 1, 4, RW) \
	X(PM0_PAUSE_QUANTA, 0x18054, 1, 4, RW) \
	X(PM0_PAUSE_THRESH, 0x18064, 1, 4, RW) \
	X(PM0_STAT_CONFIG, 0x180E0, 1, 4, SC) \
	X(PM0_IF_MODE, 0x18300, 1, 4, RW) \
	X(PM0_IF_STATUS, 0x18304, 1, 4, RO) \
	X(PM1_CMD_CFG, 0x19008, 1, 4, RW) \
	X(PM1_IF_MODE, 0x19300, 1, 4, RW)

/* Counters of a MAC, at the same places behind the base of any */
#define ENETC_REGS_COUNTERS(X, mac, base) \
	X(mac##REOCT, (base) + 0x100, 2, 4, RO) \
	X(mac##RALN, (base) + 0x110, 2, 4, RO) \
	X(mac##RXPF, (base) + 0x118, 2, 4, RO) \
	X(mac##RFRM, (base) + 0x120, 2, 4, RO) \
	X(mac##RFCS, (base) + 0x128, 2, 4, RO) \
	X(mac##RVLAN, (base) + 0x130, 2, 4, RO) \
	X(mac##RERR, (base) + 0x138, 2, 4, RO) \
	X(mac##RUCA, (base) + 0x140, 2, 4, RO) \
	X(mac##RMCA, (base) + 0x148, 2, 4, RO) \
	X(mac##RBCA, (base) + 0x150, 2, 4, RO) \
	X(mac##RDRP, (base) + 0x158, 2, 4, RO) \
	X(mac##RPKT, (base) + 0x160, 2, 4, RO) \
	X(mac##RUND, (base) + 0x168, 2, 4, RO) \
	X(mac##R64, (base) + 0x170, 2, 4, RO) \
	X(mac##R127, (base) + 0x178, 2, 4, RO) \
	X(mac##R255, (base) + 0x180, 2, 4, RO) \
	X(mac##R511, (base) + 0x188, 2, 4, RO) \
	X(mac##R1023, (base) + 0x190, 2, 4, RO) \
	X(mac##R1522, (base) + 0x198, 2, 4, RO) \
	X(mac##R1523X, (base) + 0x1A0, 2, 4, RO) \
	X(mac##ROVR, (base) + 0x1A8, 2, 4, RO) \
	X(mac##RJBR, (base) + 0x1B0, 2, 4, RO) \
	X(mac##RFRG, (base) + 0x1B8, 2, 4, RO) \
	X(mac##RCNP, (base) + 0x1C0, 2, 4, RO) \
	X(mac##RDRNTP, (base) + 0x1C8, 2, 4, RO) \
	X(mac##TEOCT, (base) + 0x200, 2, 4, RO) \
	X(mac##TOCT, (base) + 0x208, 2, 4, RO) \
	X(mac##TCRSE, (base) + 0x210, 2, 4, RO) \
	X(mac##TXPF, (base) + 0x218, 2, 4, RO) \
	X(mac##TFRM, (base) + 0x220, 2, 4, RO) \
	X(mac##TFCS, (base) + 0x228, 2, 4, RO) \
	X(mac##TVLAN, (base) + 0x230, 2, 4, RO) \
	X(mac##TERR, (base) + 0x238, 2, 4, RO) \
	X(mac##TUCA, (base) + 0x240, 2, 4, RO) \
	X(mac##TMCA, (base) + 0x248, 2, 4, RO) \
	X(mac##TBCA, (base) + 0x250, 2, 4, RO) \
	X(mac##TPKT, (base) + 0x260, 2, 4, RO) \
	X(mac##TUND, (base) + 0x268, 2, 4, RO) \
	X(mac##T64, (base) + 0x270, 2, 4, RO) \
	X(mac##T127, (base) + 0x278, 2, 4, RO) \
	X(mac##T255, (base) + 0x280, 2, 4, RO) \
	X(mac##T511, (base) + 0x288, 2, 4, RO) \
	X(mac##T1023, (base) + 0x290, 2, 4, RO) \
	X(mac##T1522, (base) + 0x298, 2, 4, RO) \
	X(mac##T1523X, (base) + 0x2A0, 2, 4, RO) \
	X(mac##TCNP, (base) + 0x2C0, 2, 4, RO) \
	X(mac##TDFR, (base) + 0x2D0, 2, 4, RO) \
	X(mac##TMCOL, (base) + 0x2D8, 2, 4, RO) \
	X(mac##TSCOL, (base) + 0x2E0, 2, 4, RO) \
	X(mac##TLCOL, (base) + 0x2E8, 2, 4, RO) \
	X(mac##TECOL, (base) + 0x2F0, 2, 4, RO)

#define ENETC_REGS_GLOBAL(X) \
	X(G_EIPBRR0, 0x20BF8, 1, 4, RO) \
	X(G_EIPBRR1, 0x20BFC, 1, 4, RO) \
	X(G_EPFBLPR, 0x20D00, 2, 4, RO)

/* of a physical function */
#define ENETC_REGS(X) \
	ENETC_REGS_SI(X) \
	ENETC_REGS_PSI(X) \
	ENETC_REGS_CBDR(X) \
	ENETC_REGS_RINGS(X) \
	ENETC_REGS_PORT(X) \
	ENETC_REGS_MAC(X) \
	ENETC_REGS_COUNTERS(X, PM0_, 0x18000) \
	ENETC_REGS_GLOBAL(X)
/* and of a virtual one */
#define ENETC_VF_REGS(X) \
	ENETC_REGS_SI(X) \
	ENETC_REGS_VSI(X) \
	ENETC_REGS_CBDR(X) \
	ENETC_REGS_RINGS(X)

/* Offset, number and distance of each register: ENETC_RBMR, ENETC_RBMR_COUNT, ENETC_RBMR_STRIDE. */
enum {
#define ENETC_REG_ENUM(name, offset, count, stride, mode) \
	ENETC_##name = (offset), ENETC_##name##_COUNT = (count), ENETC_##name##_STRIDE = (stride),
	ENETC_REGS(ENETC_REG_ENUM) ENETC_REGS_VSI(ENETC_REG_ENUM)
#undef ENETC_REG_ENUM
};

/* Offset of element i of a register array. */
#define ENETC_AT(name, i) (ENETC_##name + (uint32_t)(i)*ENETC_##name##_STRIDE)

/* ---- Fields: masks and shifts, by register ---- */
#define ENETC_BIT(n) (UINT32_C(1) << (n))

#define ENETC_SIMR_RSSE ENETC_BIT(0)
#define ENETC_SIMR_EN ENETC_BIT(31)
#define ENETC_SIPCAPR0_RSS ENETC_BIT(8)
/* Cache attributes of accesses by the device: snooped, as Linux and net_enetc set them */
#define ENETC_SICAR_COHERENT 0x2B2B6727u
#define ENETC_SICAR_MSI 0x00300030u
#define ENETC_SICAPR0_TXBDR 0x000000FFu
#define ENETC_SICAPR0_RXBDR_SHIFT 16
#define ENETC_SICBDRMR_EN ENETC_BIT(31)
#define ENETC_VSIMSGSR_MB ENETC_BIT(0)	    /* busy */
#define ENETC_VSIMSGSR_MS ENETC_BIT(1)	    /* the message could not be fetched */
#define ENETC_VSIMSGSR_MC_SHIFT 16	    /* what the PF's driver answered */
#define ENETC_VSIMSGSNDAR0_SIZE 0x0000001Fu /* bytes / 32; 0: 1024 */
#define ENETC_SIRSSCAPR_NUM 0x0000000Fu	    /* 32 entries, times 2 to the power of it */

#define ENETC_BMR_EN ENETC_BIT(31)  /* of RBMR and TBMR */
#define ENETC_RBMR_VTE ENETC_BIT(5) /* VLAN tag extraction */
#define ENETC_TBMR_VIH ENETC_BIT(9) /* VLAN tag insertion by the host */
#define ENETC_TBSR_BUSY ENETC_BIT(0)
#define ENETC_TBCIR_IDX 0x0000FFFFu
#define ENETC_BIER_THRESHOLD ENETC_BIT(0) /* RXTIE, TXTIE */
#define ENETC_TBIER_FRAME ENETC_BIT(1)	  /* TXFIE: frames that ask for it */
#define ENETC_BICR0_ICEN ENETC_BIT(31)
#define ENETC_RBICR0_ICPT 0x000001FFu /* packets */
#define ENETC_TBICR0_ICPT 0x0000000Fu /* 1 + log2 of packets */
/* RBICR1, TBICR1: cycles of this clock; Linux's ENETC_CLK */
#define ENETC_CLOCK_MHZ 400u
#define ENETC_BUFFER_MAX 0xFFFFu /* RBBSR */

#define ENETC_PMR_SI_EN(si) ENETC_BIT(16 + (si))
#define ENETC_PMR_SPEED 0x00000F00u
#define ENETC_PMR_SPEED_100M ENETC_BIT(8)
#define ENETC_PMR_SPEED_1G ENETC_BIT(9)
#define ENETC_PMR_SPEED_2500M ENETC_BIT(10)
#define ENETC_PSIPMR_UP(si) ENETC_BIT(si) /* all unicast addresses */
#define ENETC_PSIPMR_MP(si) ENETC_BIT((si) + 16)
#define ENETC_PSIPVMR_VP(si) ENETC_BIT(si)	    /* all VLANs */
#define ENETC_PSIPVMR_VUTA(si) ENETC_BIT((si) + 16) /* frames without a tag */
#define ENETC_PVCLCTR_OVTPIDL 0x000000FFu	    /* the types that are VLAN tags */
#define ENETC_VLAN_TYPE_C ENETC_BIT(0)
#define ENETC_VLAN_TYPE_S ENETC_BIT(1)
#define ENETC_PCAPR0_TXBDR_SHIFT 16
#define ENETC_PCAPR0_RXBDR_SHIFT 24
#define ENETC_PSICFGR0_TXBDR 0x000000FFu
#define ENETC_PSICFGR0_RXBDR_SHIFT 16
#define ENETC_PSICFGR0_VTE ENETC_BIT(12)
#define ENETC_PSICFGR0_SIVIE ENETC_BIT(14)
#define ENETC_PSICFGR0_SIVC_SHIFT 24
#define ENETC_PSIVLANFMR_VS ENETC_BIT(0)     /* filter by the outer tag */
#define ENETC_PAR_PORT_CFG_L3CD ENETC_BIT(0) /* checksums are not checked */
#define ENETC_PAR_PORT_CFG_L4CD ENETC_BIT(1)
#define ENETC_HASH_BITS 64u /* of the filters by hash */

#define ENETC_PM0_CMD_TX_EN ENETC_BIT(0)
#define ENETC_PM0_CMD_RX_EN ENETC_BIT(1)
#define ENETC_PM0_CMD_PROMISC ENETC_BIT(4)
#define ENETC_PM0_CMD_CRC ENETC_BIT(6) /* the frame check sequence is kept */
#define ENETC_PM0_CMD_XGLP ENETC_BIT(10)
#define ENETC_PM0_CMD_TXP ENETC_BIT(11) /* short frames are padded */
#define ENETC_PM0_CMD_PHY_TX_EN ENETC_BIT(15)
#define ENETC_PM0_MAXFRM_RX 0x0000FFFFu
#define ENETC_PM0_MAXFRM_TX_SHIFT 16
#define ENETC_PM0_RX_FIFO_RESET 1u /* against a lock-up of the receiver: net_enetc, FreeBSD */
#define ENETC_PM0_STAT_CONFIG_CLEAR ENETC_BIT(2)
#define ENETC_PM0_IFM_RG ENETC_BIT(2)
#define ENETC_PM0_IFM_RGAUTO (ENETC_BIT(15) | ENETC_PM0_IFM_RG | ENETC_BIT(1))
#define ENETC_PM0_IFM_XGMII ENETC_BIT(12)
#define ENETC_PM0_IFS_LINK ENETC_BIT(16)
#define ENETC_PM0_IFS_SPEED 0x00060000u
#define ENETC_PM0_IFS_SPEED_100M 0x00020000u
#define ENETC_PM0_IFS_SPEED_1G 0x00040000u
#define ENETC_PM0_IFS_FULL_DUPLEX ENETC_BIT(19)
#define ENETC_G_EPFBLPR_XGMII 0x80000000u

#define ENETC_FRAME_MAX 9600u /* bytes with the check sequence: net_enetc, Linux */

#endif /* ENETC_REGS_H */
