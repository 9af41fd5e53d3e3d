/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver's accesses one by one, for tests: a function hears of each before and after it is
 * carried out, and writes may linger on their way to the device, as posted writes do.
 */
#include "softpci_priv.h"

/* One thread a process is heard, the one that asked. In the static TLS block, as in tsc.c. */
static __thread bool mine __attribute__((tls_model("initial-exec")));

static struct {
	struct softpci *pci;
	softpci_access_fn fn;
	void *arg;
	bool within; /* fn runs: what it does itself is not told */
	bool late;
	unsigned int count;
	struct {
		uint32_t offset;
		unsigned int size;
		uint64_t value;
	} write[SOFTPCI_LATE];
} heard;

void
softpci_access_hook(struct softpci *pci, softpci_access_fn fn, void *arg)
{
	softpci_late_flush();
	mine = fn != NULL;
	heard.pci = mine ? pci : NULL;
	heard.fn = fn;
	heard.arg = arg;
	heard.late = false;
}

void
softpci_late_writes(bool on)
{
	softpci_late_flush();
	heard.late = on && mine;
}

void
softpci_late_flush(void)
{
	for (unsigned int i = 0; i < heard.count; i++)
		softpci_bar_store(heard.pci, heard.write[i].offset, heard.write[i].size,
				  heard.write[i].value);
	heard.count = 0;
}

bool
softpci_access_late(struct softpci *pci, uint32_t offset, unsigned int size, uint64_t value)
{
	if (!mine || pci != heard.pci || !heard.late)
		return false;
	if (heard.count == SOFTPCI_LATE)
		softpci_late_flush();
	heard.write[heard.count].offset = offset;
	heard.write[heard.count].size = size;
	heard.write[heard.count++].value = value;
	return true;
}

void
softpci_access_load(struct softpci *pci)
{
	if (mine && pci == heard.pci)
		softpci_late_flush(); /* a read overtakes no write */
}

void
softpci_access_tell(struct softpci *pci, uint32_t offset, bool done)
{
	if (!mine || pci != heard.pci || heard.within)
		return;
	heard.within = true;
	heard.fn(heard.arg, offset, done);
	heard.within = false;
}
