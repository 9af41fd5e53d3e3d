/* SPDX-License-Identifier: BSD-3-Clause */
/* PCI ids of the devices: PCI ID repository; Linux's and DPDK's enetc drivers. */
#ifndef ENETC_IDS_H
#define ENETC_IDS_H

#define ENETC_VENDOR_FREESCALE 0x1957
#define ENETC_DEV_ID_LS1028A_PF 0xE100
#define ENETC_DEV_ID_LS1028A_VF 0xEF00

/* PCI revision of the first silicon: see ENETC_PSIUMHFR0. */
#define ENETC_REVISION_1 1
#define ENETC_REVISION_2 2

#endif /* ENETC_IDS_H */
