/* SPDX-License-Identifier: BSD-3-Clause */
/* The clocks of the process, and a TSC that follows the virtual one. */
#include "softpci_priv.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <x86intrin.h>

#include <rte_cycles.h>

#define VDSO_SIZE (16u * 4096)
/* The TSC of virtual time 0: far from zero, where "never" and "long ago" live. */
#define TSC_BASE (UINT64_C(1) << 40)

static pthread_mutex_t clocks_lock = PTHREAD_MUTEX_INITIALIZER;
static struct nic_clock *clocks[2]; /* real, virtual */
static unsigned int users[2];
static _Atomic(struct nic_clock *) virtual_clock;
static void (*old_delay)(unsigned int us);

/* In the static TLS block: a signal handler must not make the loader allocate it. */
static __thread bool tsc_virtual __attribute__((tls_model("initial-exec")));

static void
virtual_delay(unsigned int us)
{
	softpci_advance((uint64_t)us * 1000);
}

int
softpci_clock_get(struct softpci *pci, bool is_virtual)
{
	int rc = 0;

	pthread_mutex_lock(&clocks_lock);
	if (users[is_virtual] == 0) {
		clocks[is_virtual] = nic_clock_create(is_virtual);
		if (clocks[is_virtual] == NULL)
			rc = -ENOMEM;
	}
	if (rc == 0) {
		if (users[is_virtual]++ == 0 && is_virtual) {
			atomic_store(&virtual_clock, clocks[1]);
			old_delay = rte_delay_us;
			rte_delay_us_callback_register(virtual_delay);
		}
		pci->clock = clocks[is_virtual];
		pci->clock_is_virtual = is_virtual;
	}
	pthread_mutex_unlock(&clocks_lock);
	return rc;
}

void
softpci_clock_put(struct softpci *pci)
{
	bool v = pci->clock_is_virtual;

	if (pci->clock == NULL)
		return;
	pthread_mutex_lock(&clocks_lock);
	pci->clock = NULL;
	if (--users[v] == 0) {
		if (v) {
			rte_delay_us_callback_register(old_delay);
			atomic_store(&virtual_clock, NULL);
		}
		nic_clock_destroy(clocks[v]);
		clocks[v] = NULL;
	}
	pthread_mutex_unlock(&clocks_lock);
}

void
softpci_advance(uint64_t ns)
{
	struct nic_clock *clock = atomic_load(&virtual_clock);

	if (clock != NULL)
		nic_clock_advance(clock, ns);
}

uint64_t
softpci_now(void)
{
	struct nic_clock *clock = atomic_load(&virtual_clock);

	return clock != NULL ? nic_clock_now(clock) : 0;
}

static void (*real_delay_sleep)(unsigned int us);

/* Installed in a driver's library for good, so it asks each time. */
static void
delay_sleep(unsigned int us)
{
	if (atomic_load(&virtual_clock) != NULL)
		virtual_delay(us);
	else
		real_delay_sleep(us);
}

void
softpci_delay_hook(const struct rte_pci_driver *driver)
{
	real_delay_sleep = rte_delay_us_sleep;
	/* A driver that does not import it has no need of this. */
	softpci_got_patch((const void *)(uintptr_t)driver->probe, "rte_delay_us_sleep",
			  (void *)(uintptr_t)delay_sleep, NULL);
}

bool
softpci_tsc_is_virtual(void)
{
	return tsc_virtual;
}

int
softpci_tsc_virtual(bool on)
{
	if (on && atomic_load(&virtual_clock) == NULL)
		return -EINVAL;
	/* The flag first when it goes on: the next rdtsc may be in our own handler. */
	if (on)
		tsc_virtual = true;
	if (prctl(PR_SET_TSC, on ? PR_TSC_SIGSEGV : PR_TSC_ENABLE, 0, 0, 0) != 0) {
		tsc_virtual = false;
		return -ENOTSUP;
	}
	tsc_virtual = on;
	/* Some hypervisors take the setting and never trap: virtual time stands still, this TSC
	 * not. */
	if (on && __rdtsc() != __rdtsc()) {
		(void)prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
		tsc_virtual = false;
		return -ENOTSUP;
	}
	return 0;
}

/* clock_gettime() reads the TSC in the vDSO: the kernel's time stays real. */
static bool
in_vdso(uintptr_t ip)
{
	uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);

	return vdso != 0 && ip - vdso < VDSO_SIZE;
}

bool
softpci_tsc_emulate(void *context)
{
	ucontext_t *uc = context;
	greg_t *gregs = uc->uc_mcontext.gregs;
	/* The text of the program: an address in a register of the saved context. */
	const uint8_t *ip = (const uint8_t *)(uintptr_t)gregs[REG_RIP];
	struct nic_clock *clock = atomic_load(&virtual_clock);
	unsigned int len, aux = 0;
	uint64_t tsc;

	if (!tsc_virtual)
		return false;
	if (ip[0] == 0x0F && ip[1] == 0x31)
		len = 2;
	else if (ip[0] == 0x0F && ip[1] == 0x01 && ip[2] == 0xF9)
		len = 3;
	else
		return false;
	if (clock == NULL || in_vdso((uintptr_t)ip)) {
		prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
		tsc = __rdtscp(&aux);
		prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
	} else {
		unsigned __int128 cycles = (unsigned __int128)nic_clock_now(clock);

		tsc = TSC_BASE + (uint64_t)(cycles * rte_get_tsc_hz() / 1000000000u);
	}
	gregs[REG_RAX] = (greg_t)(uint32_t)tsc;
	gregs[REG_RDX] = (greg_t)(tsc >> 32);
	if (len == 3)
		gregs[REG_RCX] = (greg_t)aux;
	gregs[REG_RIP] += len;
	return true;
}
