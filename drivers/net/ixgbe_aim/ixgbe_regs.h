/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The register table of the 82599, X540 and X550 (BAR 0), and the fields that
 * driver and device model use. Names and offsets: Intel 82599 10 GbE
 * Controller Datasheet, section 8 (rev. 3.4); X540 datasheet, section 8; X550
 * datasheet, section 8. One row a register or register array; from the rows
 * come the constants below, the register dump of the driver, the dispatch of
 * the model and the lint.
 *
 * X(name, offset, count, stride, mode)
 *   RW   read and write            RO   read only (writes are ignored)
 *   WO   write only (reads as 0)   RC   counter, cleared by reading
 *   RW1C write 1 to clear          W1S  write 1 to set
 *   W1C  write 1 to clear a mask   RS   reading sets (semaphore)
 *   SC   read and write, with bits that clear themselves
 */
#ifndef IXGBE_REGS_H
#define IXGBE_REGS_H

#include <assert.h>
#include <stdint.h>

#define IXGBE_BAR_SIZE 0x20000u /* BAR 0 as used here; flash lies above */
#define IXGBE_MAX_QUEUES 128    /* rings in hardware, each direction */

/* General control: section 8.2.3.1 */
#define IXGBE_REGS_GENERAL(X)             \
	X(CTRL, 0x00000, 1, 4, SC)        \
	X(STATUS, 0x00008, 1, 4, RO)      \
	X(CTRL_EXT, 0x00018, 1, 4, RW)    \
	X(ESDP, 0x00020, 1, 4, RW)        \
	X(I2CCTL, 0x00028, 1, 4, RW)      \
	X(LEDCTL, 0x00200, 1, 4, RW)      \
	X(FRTIMER, 0x00048, 1, 4, RO)     \
	X(TCPTIMER, 0x0004C, 1, 4, RW)    \
	X(CORESPARE, 0x00600, 1, 4, RW)   \
	X(EXVET, 0x05078, 1, 4, RW)       \
	X(I2CCTL_X550, 0x15F5C, 1, 4, RW) \
	X(PHY_GPO, 0x00058, 1, 4, RW)     \
	X(MAC_GPO, 0x00030, 1, 4, RW)

/* NVM, semaphores and PCIe: sections 8.2.3.2 to 8.2.3.4 */
#define IXGBE_REGS_NVM(X)               \
	X(EEC, 0x10010, 1, 4, RW)       \
	X(EERD, 0x10014, 1, 4, RW)      \
	X(EEWR, 0x10018, 1, 4, RW)      \
	X(FLA, 0x1001C, 1, 4, RW)       \
	X(EEMNGCTL, 0x10110, 1, 4, RW)  \
	X(FLOP, 0x1013C, 1, 4, RW)      \
	X(GRC, 0x10200, 1, 4, RW)       \
	X(SRAMREL, 0x10210, 1, 4, RW)   \
	X(GCR, 0x11000, 1, 4, RW)       \
	X(GCR_EXT, 0x11050, 1, 4, RW)   \
	X(GSCL_1, 0x11010, 1, 4, RW)    \
	X(GSCL_2, 0x11014, 1, 4, RW)    \
	X(FACTPS, 0x10150, 1, 4, RO)    \
	X(SWSM, 0x10140, 1, 4, RS)      \
	X(FWSM, 0x10148, 1, 4, RW)      \
	X(SW_FW_SYNC, 0x10160, 1, 4, RW) \
	X(SWSR, 0x10F10, 1, 4, RW)      \
	X(HICR, 0x15F00, 1, 4, RW)      \
	X(FWSTS, 0x15F0C, 1, 4, RW)     \
	X(FLEX_MNG, 0x15800, 448, 4, RW) \
	X(PCIEPIPEADR, 0x11004, 1, 4, RW) \
	X(PCIEPIPEDAT, 0x11008, 1, 4, RW)

/* Interrupts: section 8.2.3.5 */
#define IXGBE_REGS_INTR(X)               \
	X(EICR, 0x00800, 1, 4, RC)       \
	X(EICS, 0x00808, 1, 4, W1S)      \
	X(EIMS, 0x00880, 1, 4, W1S)      \
	X(EIMC, 0x00888, 1, 4, W1C)      \
	X(EIAC, 0x00810, 1, 4, RW)       \
	X(EIAM, 0x00890, 1, 4, RW)       \
	X(EICS_EX, 0x00A90, 2, 4, W1S)   \
	X(EIMS_EX, 0x00AA0, 2, 4, W1S)   \
	X(EIMC_EX, 0x00AB0, 2, 4, W1C)   \
	X(EIAM_EX, 0x00AD0, 2, 4, RW)    \
	X(EITR, 0x00820, 24, 4, RW)      \
	X(EITR_HI, 0x12300, 104, 4, RW)  \
	X(EITRSEL, 0x00894, 1, 4, RW)    \
	X(IVAR, 0x00900, 64, 4, RW)      \
	X(IVAR_MISC, 0x00A00, 1, 4, RW)  \
	X(GPIE, 0x00898, 1, 4, RW)       \
	X(PBACL, 0x110C0, 8, 4, RW)      \
	X(RSCINT, 0x12000, 128, 4, RW)   \
	X(IMIR, 0x05A80, 8, 4, RW)       \
	X(IMIREXT, 0x05AA0, 8, 4, RW)    \
	X(IMIRVP, 0x05AC0, 1, 4, RW)

/* Flow control: section 8.2.3.6 */
#define IXGBE_REGS_FC(X)             \
	X(PFCTOP, 0x03008, 1, 4, RW) \
	X(FCTTV, 0x03200, 4, 4, RW)  \
	X(FCRTL, 0x03220, 8, 4, RW)  \
	X(FCRTH, 0x03260, 8, 4, RW)  \
	X(FCRTV, 0x032A0, 1, 4, RW)  \
	X(FCCFG, 0x03D00, 1, 4, RW)  \
	X(TFCS, 0x0CE00, 1, 4, RO)   \
	X(MFLCN, 0x04294, 1, 4, RW)

/* Receive: sections 8.2.3.7 and 8.2.3.8; rings 64 to 127 lie at 0xD000 */
#define IXGBE_REGS_RX(X)                   \
	X(RDBAL, 0x01000, 64, 0x40, RW)    \
	X(RDBAH, 0x01004, 64, 0x40, RW)    \
	X(RDLEN, 0x01008, 64, 0x40, RW)    \
	X(DCA_RXCTRL, 0x0100C, 64, 0x40, RW) \
	X(RDH, 0x01010, 64, 0x40, RW)      \
	X(SRRCTL, 0x01014, 64, 0x40, RW)   \
	X(RDT, 0x01018, 64, 0x40, RW)      \
	X(RXDCTL, 0x01028, 64, 0x40, RW)   \
	X(RSCCTL, 0x0102C, 64, 0x40, RW)   \
	X(RDBAL_HI, 0x0D000, 64, 0x40, RW) \
	X(RDBAH_HI, 0x0D004, 64, 0x40, RW) \
	X(RDLEN_HI, 0x0D008, 64, 0x40, RW) \
	X(DCA_RXCTRL_HI, 0x0D00C, 64, 0x40, RW) \
	X(RDH_HI, 0x0D010, 64, 0x40, RW)   \
	X(SRRCTL_HI, 0x0D014, 64, 0x40, RW) \
	X(RDT_HI, 0x0D018, 64, 0x40, RW)   \
	X(RXDCTL_HI, 0x0D028, 64, 0x40, RW) \
	X(RSCCTL_HI, 0x0D02C, 64, 0x40, RW) \
	X(SRRCTL_82598, 0x02100, 16, 4, RW) \
	X(DCA_RXCTRL_82598, 0x02200, 16, 4, RW) \
	X(RDRXCTL, 0x02F00, 1, 4, RW)      \
	X(RXMEMWRAP, 0x03190, 1, 4, RO)    \
	X(RXPBSIZE, 0x03C00, 8, 4, RW)     \
	X(RXCTRL, 0x03000, 1, 4, RW)       \
	X(RSCDBU, 0x03028, 1, 4, RW)       \
	X(DROPEN, 0x03D04, 1, 4, RW)       \
	X(QDE, 0x02F04, 1, 4, RW)          \
	X(FCTRL, 0x05080, 1, 4, RW)        \
	X(VLNCTRL, 0x05088, 1, 4, RW)      \
	X(MCSTCTRL, 0x05090, 1, 4, RW)     \
	X(PSRTYPE, 0x0EA00, 128, 4, RW)    \
	X(PSRTYPE_82598, 0x05480, 16, 4, RW) \
	X(RXCSUM, 0x05000, 1, 4, RW)       \
	X(RFCTL, 0x05008, 1, 4, RW)        \
	X(MTA, 0x05200, 128, 4, RW)        \
	X(RAL_82598, 0x05400, 16, 8, RW)   \
	X(RAH_82598, 0x05404, 16, 8, RW)   \
	X(RAL, 0x0A200, 128, 8, RW)        \
	X(RAH, 0x0A204, 128, 8, RW)        \
	X(MPSAR_LO, 0x0A600, 128, 8, RW)   \
	X(MPSAR_HI, 0x0A604, 128, 8, RW)   \
	X(VFTA, 0x0A000, 128, 4, RW)       \
	X(MRQC, 0x05818, 1, 4, RW)         \
	X(RETA, 0x05C00, 32, 4, RW)        \
	X(ERETA, 0x0EE80, 96, 4, RW)       \
	X(RSSRK, 0x05C80, 10, 4, RW)       \
	X(SAQF, 0x0E000, 128, 4, RW)       \
	X(DAQF, 0x0E200, 128, 4, RW)       \
	X(SDPQF, 0x0E400, 128, 4, RW)      \
	X(FTQF, 0x0E600, 128, 4, RW)       \
	X(L34T_IMIR, 0x0E800, 128, 4, RW)  \
	X(ETQF, 0x05128, 8, 4, RW)         \
	X(ETQS, 0x0EC00, 8, 4, RW)         \
	X(SYNQF, 0x0EC30, 1, 4, RW)        \
	X(LLITHRESH, 0x0EC90, 1, 4, RW)    \
	X(RTRUP2TC, 0x03020, 1, 4, RW)     \
	X(RTRPCS, 0x02430, 1, 4, RW)       \
	X(RTRPT4C, 0x02140, 8, 4, RW)      \
	X(VT_CTL, 0x051B0, 1, 4, RW)       \
	X(VFRE, 0x051E0, 2, 4, RW)         \
	X(VMOLR, 0x0F000, 64, 4, RW)       \
	X(VLVF, 0x0F100, 64, 4, RW)        \
	X(VLVFB, 0x0F200, 128, 4, RW)      \
	X(UTA, 0x0F400, 128, 4, RW)        \
	X(VXLANCTRL, 0x0507C, 1, 4, RW)    \
	X(SECRXCTRL, 0x08D00, 1, 4, RW)    \
	X(SECRXSTAT, 0x08D04, 1, 4, RO)    \
	X(DMACR, 0x02400, 1, 4, RW)

/* Flow director: section 8.2.3.11 */
#define IXGBE_REGS_FDIR(X)                \
	X(FDIRCTRL, 0x0EE00, 1, 4, RW)    \
	X(FDIRSIPV6, 0x0EE0C, 3, 4, RW)   \
	X(FDIRIPSA, 0x0EE18, 1, 4, RW)    \
	X(FDIRIPDA, 0x0EE1C, 1, 4, RW)    \
	X(FDIRPORT, 0x0EE20, 1, 4, RW)    \
	X(FDIRVLAN, 0x0EE24, 1, 4, RW)    \
	X(FDIRHASH, 0x0EE28, 1, 4, RW)    \
	X(FDIRCMD, 0x0EE2C, 1, 4, RW)     \
	X(FDIRFREE, 0x0EE38, 1, 4, RO)    \
	X(FDIRDIP4M, 0x0EE3C, 1, 4, RW)   \
	X(FDIRSIP4M, 0x0EE40, 1, 4, RW)   \
	X(FDIRTCPM, 0x0EE44, 1, 4, RW)    \
	X(FDIRUDPM, 0x0EE48, 1, 4, RW)    \
	X(FDIRLEN, 0x0EE4C, 1, 4, RO)     \
	X(FDIRUSTAT, 0x0EE50, 1, 4, RC)   \
	X(FDIRFSTAT, 0x0EE54, 1, 4, RC)   \
	X(FDIRMATCH, 0x0EE58, 1, 4, RC)   \
	X(FDIRMISS, 0x0EE5C, 1, 4, RC)    \
	X(FDIRHKEY, 0x0EE68, 1, 4, RW)    \
	X(FDIRSKEY, 0x0EE6C, 1, 4, RW)    \
	X(FDIRM, 0x0EE70, 1, 4, RW)       \
	X(FDIRIP6M, 0x0EE74, 1, 4, RW)    \
	X(FDIRSCTPM, 0x0EE78, 1, 4, RW)

/* Transmit: section 8.2.3.9; all 128 rings in one array */
#define IXGBE_REGS_TX(X)                  \
	X(TDBAL, 0x06000, 128, 0x40, RW)  \
	X(TDBAH, 0x06004, 128, 0x40, RW)  \
	X(TDLEN, 0x06008, 128, 0x40, RW)  \
	X(DCA_TXCTRL, 0x0600C, 128, 0x40, RW) \
	X(TDH, 0x06010, 128, 0x40, RW)    \
	X(TDT, 0x06018, 128, 0x40, RW)    \
	X(TXDCTL, 0x06028, 128, 0x40, RW) \
	X(TDWBAL, 0x06038, 128, 0x40, RW) \
	X(TDWBAH, 0x0603C, 128, 0x40, RW) \
	X(DMATXCTL, 0x04A80, 1, 4, RW)    \
	X(DTXTCPFLGL, 0x04A88, 1, 4, RW)  \
	X(DTXTCPFLGH, 0x04A8C, 1, 4, RW)  \
	X(DTXMXSZRQ, 0x08100, 1, 4, RW)   \
	X(TXPBSIZE, 0x0CC00, 8, 4, RW)    \
	X(TXPBTHRESH, 0x04950, 8, 4, RW)  \
	X(MTQC, 0x08120, 1, 4, RW)        \
	X(VFTE, 0x08110, 2, 4, RW)        \
	X(VMVIR, 0x08000, 64, 4, RW)      \
	X(PFVFSPOOF, 0x08200, 8, 4, RW)   \
	X(PFDTXGSWC, 0x08220, 1, 4, RW)   \
	X(RTTDCS, 0x04900, 1, 4, RW)      \
	X(RTTDQSEL, 0x04904, 1, 4, RW)    \
	X(RTTDT1C, 0x04908, 1, 4, RW)     \
	X(RTTBCNRC, 0x04984, 1, 4, RW)    \
	X(RTTBCNRM, 0x04980, 1, 4, RW)    \
	X(RTTPCS, 0x0CD00, 1, 4, RW)      \
	X(RTTUP2TC, 0x0C800, 1, 4, RW)    \
	X(SECTXCTRL, 0x08800, 1, 4, RW)   \
	X(SECTXSTAT, 0x08804, 1, 4, RO)   \
	X(SECTXBUFFAF, 0x08808, 1, 4, RW) \
	X(SECTXMINIFG, 0x08810, 1, 4, RW) \
	X(LBDRPEN, 0x0CA00, 1, 4, RW)     \
	X(TSYNCTXCTL, 0x08C00, 1, 4, RW)  \
	X(TSYNCRXCTL, 0x05188, 1, 4, RW)

/* MAC and link: section 8.2.3.22 */
#define IXGBE_REGS_MAC(X)                \
	X(PCS1GCFIG, 0x04200, 1, 4, RW)  \
	X(PCS1GLCTL, 0x04208, 1, 4, RW)  \
	X(PCS1GLSTA, 0x0420C, 1, 4, RO)  \
	X(PCS1GANA, 0x04218, 1, 4, RW)   \
	X(PCS1GANLP, 0x0421C, 1, 4, RO)  \
	X(HLREG0, 0x04240, 1, 4, RW)     \
	X(HLREG1, 0x04244, 1, 4, RO)     \
	X(PAP, 0x04248, 1, 4, RW)        \
	X(MSCA, 0x0425C, 1, 4, SC)       \
	X(MSRWD, 0x04260, 1, 4, RW)      \
	X(MLADD, 0x04264, 1, 4, RW)      \
	X(MAXFRS, 0x04268, 1, 4, RW)     \
	X(PCSS1, 0x04288, 1, 4, RO)      \
	X(PCSS2, 0x0428C, 1, 4, RO)      \
	X(XPCSS, 0x04290, 1, 4, RO)      \
	X(SERDESC, 0x04298, 1, 4, RW)    \
	X(MACS, 0x0429C, 1, 4, RW)       \
	X(AUTOC, 0x042A0, 1, 4, SC)      \
	X(LINKS, 0x042A4, 1, 4, RO)      \
	X(LINKS2, 0x04324, 1, 4, RO)     \
	X(AUTOC2, 0x042A8, 1, 4, RW)     \
	X(ANLP1, 0x042B0, 1, 4, RO)      \
	X(ANLP2, 0x042B4, 1, 4, RO)      \
	X(MACC, 0x04330, 1, 4, RW)       \
	X(CORECTL, 0x14F00, 1, 4, RW)

/* Wake-up; only switched off here: section 8.2.3.24 */
#define IXGBE_REGS_WAKE(X)           \
	X(WUC, 0x05800, 1, 4, RW)    \
	X(WUFC, 0x05808, 1, 4, RW)   \
	X(WUS, 0x05810, 1, 4, RW1C)

/* Statistics: section 8.2.3.23. 64-bit counters clear when their high half is read. */
#define IXGBE_REGS_STATS(X)                \
	X(CRCERRS, 0x04000, 1, 4, RC)      \
	X(ILLERRC, 0x04004, 1, 4, RC)      \
	X(ERRBC, 0x04008, 1, 4, RC)        \
	X(MSPDC, 0x04010, 1, 4, RC)        \
	X(MPC, 0x03FA0, 8, 4, RC)          \
	X(MLFC, 0x04034, 1, 4, RC)         \
	X(MRFC, 0x04038, 1, 4, RC)         \
	X(RLEC, 0x04040, 1, 4, RC)         \
	X(LXONTXC, 0x03F60, 1, 4, RC)      \
	X(LXONRXCNT, 0x041A4, 1, 4, RC)    \
	X(LXOFFTXC, 0x03F68, 1, 4, RC)     \
	X(LXOFFRXCNT, 0x041A8, 1, 4, RC)   \
	X(PXONRXCNT, 0x04140, 8, 4, RC)    \
	X(PXOFFRXCNT, 0x04160, 8, 4, RC)   \
	X(PXON2OFFCNT, 0x03240, 8, 4, RC)  \
	X(PXONTXC, 0x03F00, 8, 4, RC)      \
	X(PXOFFTXC, 0x03F20, 8, 4, RC)     \
	X(PRC64, 0x0405C, 1, 4, RC)        \
	X(PRC127, 0x04060, 1, 4, RC)       \
	X(PRC255, 0x04064, 1, 4, RC)       \
	X(PRC511, 0x04068, 1, 4, RC)       \
	X(PRC1023, 0x0406C, 1, 4, RC)      \
	X(PRC1522, 0x04070, 1, 4, RC)      \
	X(GPRC, 0x04074, 1, 4, RC)         \
	X(BPRC, 0x04078, 1, 4, RC)         \
	X(MPRC, 0x0407C, 1, 4, RC)         \
	X(GPTC, 0x04080, 1, 4, RC)         \
	X(GORCL, 0x04088, 1, 4, RC)        \
	X(GORCH, 0x0408C, 1, 4, RC)        \
	X(GOTCL, 0x04090, 1, 4, RC)        \
	X(GOTCH, 0x04094, 1, 4, RC)        \
	X(RNBC, 0x03FC0, 8, 4, RC)         \
	X(RUC, 0x040A4, 1, 4, RC)          \
	X(RFC, 0x040A8, 1, 4, RC)          \
	X(ROC, 0x040AC, 1, 4, RC)          \
	X(RJC, 0x040B0, 1, 4, RC)          \
	X(MNGPRC, 0x040B4, 1, 4, RC)       \
	X(MNGPDC, 0x040B8, 1, 4, RC)       \
	X(MNGPTC, 0x0CF90, 1, 4, RC)       \
	X(TORL, 0x040C0, 1, 4, RC)         \
	X(TORH, 0x040C4, 1, 4, RC)         \
	X(TPR, 0x040D0, 1, 4, RC)          \
	X(TPT, 0x040D4, 1, 4, RC)          \
	X(PTC64, 0x040D8, 1, 4, RC)        \
	X(PTC127, 0x040DC, 1, 4, RC)       \
	X(PTC255, 0x040E0, 1, 4, RC)       \
	X(PTC511, 0x040E4, 1, 4, RC)       \
	X(PTC1023, 0x040E8, 1, 4, RC)      \
	X(PTC1522, 0x040EC, 1, 4, RC)      \
	X(MPTC, 0x040F0, 1, 4, RC)         \
	X(BPTC, 0x040F4, 1, 4, RC)         \
	X(XEC, 0x04120, 1, 4, RC)          \
	X(SSVPC, 0x08780, 1, 4, RC)        \
	X(RQSMR, 0x02300, 32, 4, RW)       \
	X(TQSM, 0x08600, 32, 4, RW)        \
	X(QPRC, 0x01030, 16, 0x40, RC)     \
	X(QBRC_L, 0x01034, 16, 0x40, RC)   \
	X(QBRC_H, 0x01038, 16, 0x40, RC)   \
	X(QPRDC, 0x01430, 16, 0x40, RC)    \
	X(QPTC, 0x08680, 16, 4, RC)        \
	X(QBTC_L, 0x08700, 16, 8, RC)      \
	X(QBTC_H, 0x08704, 16, 8, RC)      \
	X(FCCRC, 0x05118, 1, 4, RC)        \
	X(FCOERPDC, 0x0241C, 1, 4, RC)     \
	X(FCLAST, 0x02424, 1, 4, RC)       \
	X(FCOEPRC, 0x02428, 1, 4, RC)      \
	X(FCOEDWRC, 0x0242C, 1, 4, RC)     \
	X(FCOEPTC, 0x08784, 1, 4, RC)      \
	X(FCOEDWTC, 0x08788, 1, 4, RC)

#define IXGBE_REGS(X)         \
	IXGBE_REGS_GENERAL(X) \
	IXGBE_REGS_NVM(X)     \
	IXGBE_REGS_INTR(X)    \
	IXGBE_REGS_FC(X)      \
	IXGBE_REGS_RX(X)      \
	IXGBE_REGS_FDIR(X)    \
	IXGBE_REGS_TX(X)      \
	IXGBE_REGS_MAC(X)     \
	IXGBE_REGS_WAKE(X)    \
	IXGBE_REGS_STATS(X)

/* Offset, number and distance of each register: IXGBE_RDT, IXGBE_RDT_COUNT, IXGBE_RDT_STRIDE. */
enum {
#define IXGBE_REG_ENUM(name, offset, count, stride, mode) \
	IXGBE_##name = (offset), IXGBE_##name##_COUNT = (count), IXGBE_##name##_STRIDE = (stride),
	IXGBE_REGS(IXGBE_REG_ENUM)
#undef IXGBE_REG_ENUM
};

/* Offset of element i of a register array. */
#define IXGBE_AT(name, i) (IXGBE_##name + (uint32_t)(i)*IXGBE_##name##_STRIDE)

/* ---- Fields: masks and shifts, by register ---- */
#define IXGBE_BIT(n) (UINT32_C(1) << (n))

#define IXGBE_CTRL_GIO_DIS IXGBE_BIT(2) /* master disable */
#define IXGBE_CTRL_LNK_RST IXGBE_BIT(3)
#define IXGBE_CTRL_RST IXGBE_BIT(26)
#define IXGBE_STATUS_LAN_ID 0x0000000Cu
#define IXGBE_STATUS_LAN_ID_SHIFT 2
#define IXGBE_STATUS_GIO IXGBE_BIT(19) /* master requests outstanding */
#define IXGBE_CTRL_EXT_NS_DIS IXGBE_BIT(16)
#define IXGBE_CTRL_EXT_RO_DIS IXGBE_BIT(17)
#define IXGBE_CTRL_EXT_EXTENDED_VLAN IXGBE_BIT(26)
#define IXGBE_CTRL_EXT_DRV_LOAD IXGBE_BIT(28)
#define IXGBE_ESDP_SDP2 IXGBE_BIT(2) /* 82599 SFP+: module present */
#define IXGBE_ESDP_SDP3 IXGBE_BIT(3) /* 82599 SFP+: TX_DISABLE */
#define IXGBE_ESDP_SDP3_DIR IXGBE_BIT(11)
#define IXGBE_ESDP_SDP5 IXGBE_BIT(5) /* 82599 SFP+: rate select */
#define IXGBE_ESDP_SDP5_DIR IXGBE_BIT(13)
#define IXGBE_I2CCTL_CLK_IN IXGBE_BIT(0)
#define IXGBE_I2CCTL_CLK_OUT IXGBE_BIT(1)
#define IXGBE_I2CCTL_DATA_IN IXGBE_BIT(2)
#define IXGBE_I2CCTL_DATA_OUT IXGBE_BIT(3)
#define IXGBE_LEDCTL_LED_MODE(led) (UINT32_C(0xF) << (8 * (led)))
#define IXGBE_LEDCTL_LED_ON(led) (UINT32_C(0xE) << (8 * (led)))
#define IXGBE_LEDCTL_LED_OFF(led) (UINT32_C(0xF) << (8 * (led)))
#define IXGBE_LEDCTL_LED_BLINK(led) (UINT32_C(0x80) << (8 * (led)))

#define IXGBE_EEC_SK IXGBE_BIT(0)
#define IXGBE_EEC_CS IXGBE_BIT(1)
#define IXGBE_EEC_DI IXGBE_BIT(2)
#define IXGBE_EEC_DO IXGBE_BIT(3)
#define IXGBE_EEC_REQ IXGBE_BIT(6)
#define IXGBE_EEC_GNT IXGBE_BIT(7)
#define IXGBE_EEC_PRES IXGBE_BIT(8)
#define IXGBE_EEC_ARD IXGBE_BIT(9) /* auto-read done */
#define IXGBE_EEC_SIZE 0x00007800u
#define IXGBE_EEC_SIZE_SHIFT 11
#define IXGBE_EERD_START IXGBE_BIT(0)
#define IXGBE_EERD_DONE IXGBE_BIT(1)
#define IXGBE_EERD_ADDR_SHIFT 2
#define IXGBE_EERD_DATA_SHIFT 16
#define IXGBE_SWSM_SMBI IXGBE_BIT(0)
#define IXGBE_SWSM_SWESMBI IXGBE_BIT(1)
#define IXGBE_SWFW_REGSMP IXGBE_BIT(31) /* X540: register semaphore in SW_FW_SYNC */
#define IXGBE_SWFW_EEP IXGBE_BIT(0)     /* SW_FW_SYNC: NVM */
#define IXGBE_SWFW_PHY0 IXGBE_BIT(1)
#define IXGBE_SWFW_PHY1 IXGBE_BIT(2)
#define IXGBE_SWFW_MAC_CSR IXGBE_BIT(3)
#define IXGBE_SWFW_FLASH IXGBE_BIT(4)
#define IXGBE_SWFW_SW_MNG IXGBE_BIT(10) /* host interface; software only */
#define IXGBE_SWFW_I2C0 IXGBE_BIT(11) /* X550: shared I2C */
#define IXGBE_SWFW_FW_SHIFT 5         /* the firmware's copy of each bit */

/* EICR, EICS, EIMS, EIMC, EIAC, EIAM: section 8.2.3.5.1 */
#define IXGBE_EICR_RTX_QUEUE 0x0000FFFFu
#define IXGBE_EICR_FLOW_DIR IXGBE_BIT(16)
#define IXGBE_EICR_RX_MISS IXGBE_BIT(17)
#define IXGBE_EICR_PCI IXGBE_BIT(18)
#define IXGBE_EICR_MAILBOX IXGBE_BIT(19)
#define IXGBE_EICR_LSC IXGBE_BIT(20)
#define IXGBE_EICR_LINKSEC IXGBE_BIT(21)
#define IXGBE_EICR_MNG IXGBE_BIT(22)
#define IXGBE_EICR_GPI_SDP0 IXGBE_BIT(24)
#define IXGBE_EICR_GPI_SDP1 IXGBE_BIT(25)
#define IXGBE_EICR_GPI_SDP2 IXGBE_BIT(26)
#define IXGBE_EICR_ECC IXGBE_BIT(28)
#define IXGBE_EICR_TCP_TIMER IXGBE_BIT(30)
#define IXGBE_EICR_OTHER IXGBE_BIT(31)
/* EITR: section 8.2.3.5.11. Interval in units of 2.048 us at 10 and 1 Gb/s, 20.48 us at 100 Mb/s. */
#define IXGBE_EITR_INTERVAL 0x00000FF8u
#define IXGBE_EITR_INTERVAL_SHIFT 3
#define IXGBE_EITR_LLI_MOD IXGBE_BIT(15)
#define IXGBE_EITR_CNT_WDIS IXGBE_BIT(31)
#define IXGBE_EITR_UNIT_NS 2048u
#define IXGBE_EITR_UNIT_100M_NS 20480u
/* IVAR: section 8.2.3.5.16. Four bytes: Rx of an even queue, its Tx, Rx of the odd queue, its Tx. */
#define IXGBE_IVAR_VALID 0x80u
#define IXGBE_IVAR_VECTOR 0x3Fu
#define IXGBE_IVAR_MISC_OTHER_SHIFT 8 /* byte 0 TCP timer, byte 1 every other cause */
/* GPIE: section 8.2.3.5.18 */
#define IXGBE_GPIE_SDP0_GPIEN IXGBE_BIT(0)
#define IXGBE_GPIE_SDP1_GPIEN IXGBE_BIT(1)
#define IXGBE_GPIE_SDP2_GPIEN IXGBE_BIT(2)
#define IXGBE_GPIE_MSIX_MODE IXGBE_BIT(4)
#define IXGBE_GPIE_OCD IXGBE_BIT(5)
#define IXGBE_GPIE_EIMEN IXGBE_BIT(6)
#define IXGBE_GPIE_EIAME IXGBE_BIT(30)
#define IXGBE_GPIE_PBA_SUPPORT IXGBE_BIT(31)

#define IXGBE_FCRTL_XONE IXGBE_BIT(31)
#define IXGBE_FCRTH_FCEN IXGBE_BIT(31)
#define IXGBE_FCCFG_TFCE_802_3X IXGBE_BIT(3)
#define IXGBE_FCCFG_TFCE_PRIORITY IXGBE_BIT(4)
#define IXGBE_MFLCN_PMCF IXGBE_BIT(0)
#define IXGBE_MFLCN_DPF IXGBE_BIT(1)
#define IXGBE_MFLCN_RPFCE IXGBE_BIT(2)
#define IXGBE_MFLCN_RFCE IXGBE_BIT(3)

/* SRRCTL: section 8.2.3.8.7 */
#define IXGBE_SRRCTL_BSIZEPKT 0x0000001Fu /* 1 KB units */
#define IXGBE_SRRCTL_BSIZEPKT_SHIFT 10    /* log2 of the unit */
#define IXGBE_SRRCTL_BSIZEHDR_SHIFT 2     /* bits 13:8 in 64 B units: (bytes << 2) & 0x3F00 */
#define IXGBE_SRRCTL_BSIZEHDR 0x00003F00u
#define IXGBE_SRRCTL_RDMTS_SHIFT 22
#define IXGBE_SRRCTL_DESCTYPE 0x0E000000u
#define IXGBE_SRRCTL_DESCTYPE_LEGACY 0x00000000u
#define IXGBE_SRRCTL_DESCTYPE_ADV_ONEBUF 0x02000000u
#define IXGBE_SRRCTL_DROP_EN IXGBE_BIT(28)
#define IXGBE_RXDCTL_ENABLE IXGBE_BIT(25)
#define IXGBE_RXDCTL_VME IXGBE_BIT(30)    /* VLAN strip */
#define IXGBE_RXDCTL_RLPML 0x00003FFFu    /* X540: largest packet of this ring */
#define IXGBE_RXDCTL_RLPML_EN IXGBE_BIT(15)
#define IXGBE_TXDCTL_PTHRESH_SHIFT 0
#define IXGBE_TXDCTL_HTHRESH_SHIFT 8
#define IXGBE_TXDCTL_WTHRESH_SHIFT 16
#define IXGBE_TXDCTL_ENABLE IXGBE_BIT(25)
#define IXGBE_TXDCTL_SWFLSH IXGBE_BIT(26)
#define IXGBE_DCA_RXCTRL_DESC_RRO IXGBE_BIT(9) /* relaxed ordering: descriptor reads */
#define IXGBE_DCA_RXCTRL_DESC_WRO IXGBE_BIT(11)
#define IXGBE_DCA_RXCTRL_DATA_WRO IXGBE_BIT(13)
#define IXGBE_DCA_RXCTRL_HEAD_WRO IXGBE_BIT(15)
#define IXGBE_DCA_TXCTRL_DESC_RRO IXGBE_BIT(9)
#define IXGBE_DCA_TXCTRL_DESC_WRO IXGBE_BIT(11)
#define IXGBE_DCA_TXCTRL_DATA_RRO IXGBE_BIT(13)
#define IXGBE_RXCTRL_RXEN IXGBE_BIT(0)
#define IXGBE_RDRXCTL_CRC_STRIP IXGBE_BIT(1)
#define IXGBE_RDRXCTL_DMAIDONE IXGBE_BIT(3)
#define IXGBE_RDRXCTL_RSCFRSTSIZE 0x003E0000u
#define IXGBE_RDRXCTL_RSCACKC IXGBE_BIT(25)
#define IXGBE_RDRXCTL_FCOE_WRFIX IXGBE_BIT(26)
#define IXGBE_RXPBSIZE_SHIFT 10
#define IXGBE_FCTRL_SBP IXGBE_BIT(1)
#define IXGBE_FCTRL_MPE IXGBE_BIT(8)
#define IXGBE_FCTRL_UPE IXGBE_BIT(9)
#define IXGBE_FCTRL_BAM IXGBE_BIT(10)
#define IXGBE_VLNCTRL_VET 0x0000FFFFu
#define IXGBE_VLNCTRL_CFIEN IXGBE_BIT(29)
#define IXGBE_VLNCTRL_VFE IXGBE_BIT(30)
#define IXGBE_MCSTCTRL_MO 0x00000003u /* which 12 bits of the address select in MTA */
#define IXGBE_MCSTCTRL_MFE IXGBE_BIT(2)
#define IXGBE_RXCSUM_IPPCSE IXGBE_BIT(12)
#define IXGBE_RXCSUM_PCSD IXGBE_BIT(13) /* 1: RSS hash in the descriptor, 0: fragment checksum */
#define IXGBE_RFCTL_RSC_DIS IXGBE_BIT(5)
#define IXGBE_RAH_AV IXGBE_BIT(31)
#define IXGBE_MRQC_MRQE 0x0000000Fu
#define IXGBE_MRQC_RSSEN 0x00000001u
#define IXGBE_MRQC_TCPIPV4 IXGBE_BIT(16)
#define IXGBE_MRQC_IPV4 IXGBE_BIT(17)
#define IXGBE_MRQC_TCPIPV6_EX IXGBE_BIT(18)
#define IXGBE_MRQC_IPV6_EX IXGBE_BIT(19)
#define IXGBE_MRQC_IPV6 IXGBE_BIT(20)
#define IXGBE_MRQC_TCPIPV6 IXGBE_BIT(21)
#define IXGBE_MRQC_UDPIPV4 IXGBE_BIT(22)
#define IXGBE_MRQC_UDPIPV6 IXGBE_BIT(23)
#define IXGBE_MRQC_UDPIPV6_EX IXGBE_BIT(24)
#define IXGBE_SECRXCTRL_RX_DIS IXGBE_BIT(1)
#define IXGBE_SECRXSTAT_RDY IXGBE_BIT(0)
#define IXGBE_SECTXCTRL_TX_DIS IXGBE_BIT(1)
#define IXGBE_SECTXSTAT_RDY IXGBE_BIT(0)

#define IXGBE_DMATXCTL_TE IXGBE_BIT(0)
#define IXGBE_DMATXCTL_GDV IXGBE_BIT(3) /* double VLAN */
#define IXGBE_DMATXCTL_VT_SHIFT 16      /* the VLAN Ethertype that is inserted */
#define IXGBE_RTTDCS_ARBDIS IXGBE_BIT(6)
#define IXGBE_TXPBSIZE_SHIFT 10
#define IXGBE_MTQC_64Q_1PB 0u

#define IXGBE_HLREG0_TXCRCEN IXGBE_BIT(0)
#define IXGBE_HLREG0_RXCRCSTRP IXGBE_BIT(1)
#define IXGBE_HLREG0_JUMBOEN IXGBE_BIT(2)
#define IXGBE_HLREG0_TXPADEN IXGBE_BIT(10)
#define IXGBE_HLREG0_LPBK IXGBE_BIT(15)
#define IXGBE_HLREG0_RXLNGTHERREN IXGBE_BIT(27)
#define IXGBE_MAXFRS_MFS_SHIFT 16
#define IXGBE_MSCA_NP_ADDR_SHIFT 0
#define IXGBE_MSCA_DEV_TYPE_SHIFT 16
#define IXGBE_MSCA_PHY_ADDR_SHIFT 21
#define IXGBE_MSCA_ADDR_CYCLE 0x00000000u
#define IXGBE_MSCA_WRITE 0x04000000u
#define IXGBE_MSCA_READ 0x0C000000u
#define IXGBE_MSCA_OP_MASK 0x0C000000u
#define IXGBE_MSCA_MDI_COMMAND IXGBE_BIT(30)
#define IXGBE_MSRWD_READ_SHIFT 16
#define IXGBE_MACC_FLU IXGBE_BIT(0)
/* AUTOC: section 8.2.3.22.19; LMS in bits 15:13 */
#define IXGBE_AUTOC_FLU IXGBE_BIT(0)
#define IXGBE_AUTOC_10G_PMA_PMD_PARALLEL 0x00000180u
#define IXGBE_AUTOC_1G_PMA_PMD 0x00000200u
#define IXGBE_AUTOC_RESTART_AN IXGBE_BIT(12)
#define IXGBE_AUTOC_LMS_SHIFT 13
#define IXGBE_AUTOC_LMS 0x0000E000u
#define IXGBE_AUTOC_LMS_1G_NO_AN (0u << 13)
#define IXGBE_AUTOC_LMS_10G_PARALLEL_NO_AN (1u << 13)
#define IXGBE_AUTOC_LMS_1G_AN (2u << 13)
#define IXGBE_AUTOC_LMS_10G_SERIAL (3u << 13)
#define IXGBE_AUTOC_LMS_KX4_KX_KR (4u << 13)
#define IXGBE_AUTOC_LMS_SGMII (5u << 13)
#define IXGBE_AUTOC_LMS_KX4_KX_KR_1G_AN (6u << 13)
#define IXGBE_AUTOC_KR_SUPP IXGBE_BIT(16)
#define IXGBE_AUTOC_KX_SUPP IXGBE_BIT(30)
#define IXGBE_AUTOC_KX4_SUPP IXGBE_BIT(31)
#define IXGBE_AUTOC2_10G_SERIAL 0x00030000u
#define IXGBE_AUTOC2_10G_SERIAL_SFI 0x00020000u
#define IXGBE_AUTOC2_LINK_DISABLE 0x70000000u /* any of them keeps the link down */
#define IXGBE_LINKS_KX_AN_COMP IXGBE_BIT(31)
#define IXGBE_LINKS_UP IXGBE_BIT(30)
#define IXGBE_LINKS_SPEED 0x30000000u
#define IXGBE_LINKS_SPEED_10G 0x30000000u
#define IXGBE_LINKS_SPEED_1G 0x20000000u
#define IXGBE_LINKS_SPEED_100M 0x10000000u
#define IXGBE_LINKS_SPEED_NON_STD IXGBE_BIT(27) /* X550: 10G code means 2.5G, 100M code 5G */
#define IXGBE_ANLP1_AN_STATE 0x000F0000u

/* ---- Descriptors: sections 7.1.6 (receive) and 7.2.3 (transmit); little-endian in memory ---- */
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
		uint32_t info; /* RSS type 3:0, packet type 16:4, RSCCNT 20:17, header length 30:21, SPH 31 */
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
#define IXGBE_TX_MAX_SEGS 40u   /* descriptors a packet; section 7.2.1.1 */
#define IXGBE_TX_MAX_LEN 15872u /* 15.5 KB a packet without TSO */

/* ---- NVM words: section 6.3 ---- */
#define IXGBE_NVM_CHECKSUM 0xBABAu
#define IXGBE_NVM_CHECKSUM_WORD 0x3Fu
#define IXGBE_NVM_PTR_PCIE_ANALOG 0x03u
#define IXGBE_NVM_PTR_FW 0x0Fu

/* ---- Device ids: PCI ID repository; Intel 82599 specification update ---- */
#define IXGBE_VENDOR_INTEL 0x8086
#define IXGBE_DEV_ID_82599_KX4 0x10F7
#define IXGBE_DEV_ID_82599_COMBO_BACKPLANE 0x10F8
#define IXGBE_DEV_ID_82599_CX4 0x10F9
#define IXGBE_DEV_ID_82599_SFP 0x10FB
#define IXGBE_DEV_ID_82599_XAUI_LOM 0x10FC
#define IXGBE_DEV_ID_82599_SFP_EM 0x1507
#define IXGBE_DEV_ID_82599_KX4_MEZZ 0x1514
#define IXGBE_DEV_ID_82599_KR 0x1517
#define IXGBE_DEV_ID_82599_T3_LOM 0x151C
#define IXGBE_DEV_ID_82599_SFP_FCOE 0x1529
#define IXGBE_DEV_ID_82599_BACKPLANE_FCOE 0x152A
#define IXGBE_DEV_ID_82599_SFP_SF_QP 0x154A
#define IXGBE_DEV_ID_82599_SFP_SF2 0x154D
#define IXGBE_DEV_ID_82599EN_SFP 0x1557
#define IXGBE_DEV_ID_82599_QSFP_SF_QP 0x1558
#define IXGBE_DEV_ID_X540T 0x1528
#define IXGBE_DEV_ID_X540T1 0x1560
#define IXGBE_DEV_ID_X550T 0x1563
#define IXGBE_DEV_ID_X550T1 0x15D1

#endif /* IXGBE_REGS_H */
