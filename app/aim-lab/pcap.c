/* SPDX-License-Identifier: BSD-3-Clause */
#include "pcap.h" /* ours; libpcap's is below */

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

#define PACKETS_MAX 50000000u /* 500 MB of memory */
#define NS 1000000000
#define SPAN_MAX_S (100 * 86400) /* ps of so long fit 64 bits */

struct reading {
	const char *path;
	struct arrivals_trace *t;
	size_t room;
	int64_t first_s, first_ns;
	int grow; /* bytes that an Ethernet header is longer than the capture's own */
	char *error;
};

void
arrivals_pcap_free(struct arrivals_trace *t)
{
	free(t->ps);
	free(t->bytes);
	*t = (struct arrivals_trace){0};
}

/* Captures of 'any' device or of tunnels have other headers than Ethernet's 14 bytes. */
static bool
header_known(int link_type, int *grow)
{
	static const struct {
		int type, grow;
	} known[] = {
	    {DLT_EN10MB, 0},	  {DLT_LINUX_SLL, -2}, {DLT_RAW, 14},  {DLT_IPV4, 14},
	    {DLT_IPV6, 14},	  {DLT_NULL, 10},      {DLT_LOOP, 10},
#ifdef DLT_LINUX_SLL2
	    {DLT_LINUX_SLL2, -6},
#endif
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].type == link_type) {
			*grow = known[i].grow;
			return true;
		}
	return false;
}

static int
room_make(struct reading *r)
{
	struct arrivals_trace *t = r->t;
	size_t room = r->room != 0 ? r->room * 2 : 4096;
	int64_t *ps = reallocarray(t->ps, room, sizeof(*ps));
	uint16_t *bytes;

	if (ps != NULL)
		t->ps = ps;
	bytes = reallocarray(t->bytes, room, sizeof(*bytes));
	if (bytes != NULL)
		t->bytes = bytes;
	if (ps == NULL || bytes == NULL) {
		lab_error(r->error, "%.200s: no memory for %zu packets", r->path, room);
		return -ENOMEM;
	}
	r->room = room;
	return 0;
}

static int
packet_add(struct reading *r, const struct pcap_pkthdr *h)
{
	struct arrivals_trace *t = r->t;
	/* pcap's seconds have 32 bits and no sign, which libpcap gives them: from 2038 on */
	int64_t s = h->ts.tv_sec < 0 ? (uint32_t)h->ts.tv_sec : h->ts.tv_sec;
	int64_t ns = h->ts.tv_usec; /* so it was opened */
	int64_t bytes = (int64_t)h->len + r->grow;
	int rc;

	if (t->n == PACKETS_MAX)
		return lab_error(
		    r->error, "%.200s: more than %u packets; allowed: so many, cut it with editcap",
		    r->path, PACKETS_MAX);
	if (ns < 0 || ns >= NS)
		return lab_error(r->error, "%.200s: packet %zu has no valid time", r->path,
				 t->n + 1);
	if (bytes < 0 || bytes > UINT16_MAX)
		return lab_error(r->error, "%.200s: packet %zu has %u bytes; allowed: %u at most",
				 r->path, t->n + 1, h->len, UINT16_MAX);
	if (t->n == r->room) {
		rc = room_make(r);
		if (rc != 0)
			return rc;
	}
	if (t->n == 0) {
		r->first_s = s;
		r->first_ns = ns;
	}
	if (s - r->first_s > SPAN_MAX_S)
		return lab_error(r->error,
				 "%.200s: packet %zu comes more than 100 days behind the first",
				 r->path, t->n + 1);
	t->ps[t->n] = s < r->first_s ? -1 : ((s - r->first_s) * NS + ns - r->first_ns) * 1000;
	t->bytes[t->n] = (uint16_t)bytes;
	if (t->ps[t->n] < (t->n > 0 ? t->ps[t->n - 1] : 0))
		return lab_error(
		    r->error,
		    "%.200s: packet %zu is earlier than the one before it; sort the file with "
		    "reordercap",
		    r->path, t->n + 1);
	t->n++;
	return 0;
}

static int
packets_read(struct reading *r, pcap_t *p)
{
	struct pcap_pkthdr *h;
	const unsigned char *data;
	int rc;

	if (!header_known(pcap_datalink(p), &r->grow)) {
		const char *name = pcap_datalink_val_to_name(pcap_datalink(p));

		return lab_error(
		    r->error, "%.200s: link type %s (%d); allowed: Ethernet, Linux cooked, raw IP",
		    r->path, name != NULL ? name : "unknown", pcap_datalink(p));
	}
	while ((rc = pcap_next_ex(p, &h, &data)) == 1) {
		rc = packet_add(r, h);
		if (rc != 0)
			return rc;
	}
	if (rc == PCAP_ERROR)
		return lab_error(r->error, "%.200s: broken behind packet %zu: %.200s", r->path,
				 r->t->n, pcap_geterr(p));
	if (r->t->n < 2)
		return lab_error(r->error, "%.200s: %s; allowed: 2 packets or more", r->path,
				 r->t->n == 0 ? "no packet" : "1 packet only");
	if (r->t->ps[r->t->n - 1] == 0)
		return lab_error(r->error, "%.200s: all packets have the same time", r->path);
	return 0;
}

int
arrivals_pcap_read(const char *path, struct arrivals_trace *t, char error[LAB_ERROR_MAX])
{
	struct reading r = {.path = path, .t = t, .error = error};
	char why[PCAP_ERRBUF_SIZE] = "";
	pcap_t *p;
	FILE *f;
	int rc;

	*t = (struct arrivals_trace){0};
	f = fopen(path, "rbe"); /* by ourselves: to libpcap, "-" is standard input */
	if (f == NULL) {
		rc = -errno;
		lab_error(error, "%.200s: cannot be read: %s", path, strerror(-rc));
		return rc;
	}
	p = pcap_fopen_offline_with_tstamp_precision(f, PCAP_TSTAMP_PRECISION_NANO, why);
	if (p == NULL) {
		fclose(f);
		return lab_error(error, "%.200s: no pcap or pcapng file: %.200s", path, why);
	}
	rc = packets_read(&r, p);
	pcap_close(p);
	if (rc != 0)
		arrivals_pcap_free(t);
	return rc;
}
