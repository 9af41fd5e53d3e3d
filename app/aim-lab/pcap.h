/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Arrivals out of a capture file (pcap or pcapng, by libpcap).
 */
#ifndef LAB_PCAP_H
#define LAB_PCAP_H

#include "arrivals.h"

/**
 * Read times and lengths of all packets.
 * @return 0; -EINVAL, -ENOENT, -ENOMEM or another negative errno with one line in error[] that
 *   names the file, the packet and what to do. Then arrivals_pcap_free() is not needed.
 */
int arrivals_pcap_read(const char *path, struct arrivals_trace *t, char error[LAB_ERROR_MAX]);

void arrivals_pcap_free(struct arrivals_trace *t);

#endif /* LAB_PCAP_H */
