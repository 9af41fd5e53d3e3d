/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The SIGSEGV handler. A fault in the driver's view of a BAR is one register access: it is
 * decoded, carried out on the model and skipped. It runs synchronously in the thread that made the
 * access, so the model's mutex is safe to take; it allocates nothing.
 */
#include "softpci_priv.h"
#include "decode.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <x86intrin.h>

#include <time.h>

#define PAGE 4096u

static _Atomic(struct softpci *) bars[SOFTPCI_MAX];
static struct sigaction old_action;

static const uint8_t greg_of[16] = {
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

static uint64_t
bar_load(struct softpci *pci, uint32_t offset, unsigned int size)
{
	uint64_t value;

	softpci_access_load(pci);
	value = nic_read(pci->nic, offset) >> (offset % 4 * 8);

	if (size == 8)
		value |= (uint64_t)nic_read(pci->nic, offset + 4) << 32;
	return size < 8 ? value & ((UINT64_C(1) << size * 8) - 1) : value;
}

void
softpci_bar_store(struct softpci *pci, uint32_t offset, unsigned int size, uint64_t value)
{
	if (size < 4) {
		/* Byte enables: the other bytes stay what they are. */
		uint32_t shift = offset % 4 * 8;
		uint32_t mask = ((1u << size * 8) - 1) << shift;

		value = (nic_reg(pci->nic, offset) & ~mask) | ((uint32_t)value << shift & mask);
	}
	nic_write(pci->nic, offset, (uint32_t)value);
	if (size == 8)
		nic_write(pci->nic, offset + 4, (uint32_t)(value >> 32));
}

static void
bar_store(struct softpci *pci, uint32_t offset, unsigned int size, uint64_t value)
{
	if (!softpci_access_late(pci, offset, size, value))
		softpci_bar_store(pci, offset, size, value);
}

static uint64_t
reg_get(const greg_t *gregs, const struct insn *in)
{
	uint64_t value = (uint64_t)gregs[greg_of[in->reg]];

	return in->high ? value >> 8 : value;
}

static void
reg_set(greg_t *gregs, const struct insn *in, unsigned int size, uint64_t value)
{
	greg_t *reg = &gregs[greg_of[in->reg]];
	uint64_t old = (uint64_t)*reg;

	switch (size) {
	case 1:
		if (in->high)
			*reg = (greg_t)((old & ~UINT64_C(0xFF00)) | (value & 0xFF) << 8);
		else
			*reg = (greg_t)((old & ~UINT64_C(0xFF)) | (value & 0xFF));
		break;
	case 2:
		*reg = (greg_t)((old & ~UINT64_C(0xFFFF)) | (value & 0xFFFF));
		break;
	case 4:
		*reg = (greg_t)(value & UINT32_MAX);
		break;
	default:
		*reg = (greg_t)value;
		break;
	}
}

/* A vector register of the saved context: legacy SSE forms leave what is beyond its 128 bits. */
static uint64_t
xmm_get(const ucontext_t *context, const struct insn *in)
{
	uint64_t value;

	memcpy(&value, &context->uc_mcontext.fpregs->_xmm[in->reg], sizeof(value));
	return value;
}

static void
xmm_set(const ucontext_t *context, const struct insn *in, uint64_t value)
{
	uint64_t both[2] = {value, 0};

	memcpy(&context->uc_mcontext.fpregs->_xmm[in->reg], both, sizeof(both));
}

static uint64_t
extend(uint64_t value, unsigned int size)
{
	unsigned int shift = 64 - size * 8;

	return (uint64_t)((int64_t)(value << shift) >> shift);
}

static bool
carry_out(struct softpci *pci, uint32_t offset, ucontext_t *context)
{
	greg_t *gregs = context->uc_mcontext.gregs;
	/* The text of the program: an address in a register of the saved context. */
	const uint8_t *ip = (const uint8_t *)(uintptr_t)gregs[REG_RIP];
	uint64_t flags = (uint64_t)gregs[REG_EFL], value, other;
	struct insn in;
	bool stores = false;

	if (!insn_decode(ip, &in) || offset % 4 + in.size > (in.size == 8 ? 8 : 4))
		return false;
	softpci_access_tell(pci, offset, false);
	other = in.has_imm ? (uint64_t)in.imm : reg_get(gregs, &in);
	switch (in.kind) {
	case INSN_LOAD:
		value = bar_load(pci, offset, in.size);
		if (in.xmm)
			xmm_set(context, &in, value);
		else
			reg_set(gregs, &in, in.reg_size, in.sign ? extend(value, in.size) : value);
		break;
	case INSN_STORE:
		bar_store(pci, offset, in.size, in.xmm ? xmm_get(context, &in) : other);
		stores = true;
		break;
	case INSN_ALU_LOAD:
		value = bar_load(pci, offset, in.size);
		value = insn_alu(in.alu, in.size, other, value, &flags);
		if (in.alu != 7)
			reg_set(gregs, &in, in.size, value);
		break;
	case INSN_ALU_MEM:
		value = bar_load(pci, offset, in.size);
		value = insn_alu(in.alu, in.size, value, other, &flags);
		if (in.alu != 7)
			bar_store(pci, offset, in.size, value);
		break;
	default:
		value = bar_load(pci, offset, in.size);
		insn_alu(8, in.size, value, other, &flags);
		break;
	}
	if (stores) {
		atomic_fetch_add_explicit(&pci->trap_writes, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&pci->page_writes[offset / PAGE], 1,
					  memory_order_relaxed);
	} else {
		atomic_fetch_add_explicit(&pci->trap_reads, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&pci->page_reads[offset / PAGE], 1, memory_order_relaxed);
	}
	gregs[REG_EFL] = (greg_t)flags;
	gregs[REG_RIP] += in.len;
	softpci_access_tell(pci, offset, true);
	return true;
}

static struct softpci *
find_bar(uintptr_t addr)
{
	unsigned int i;

	for (i = 0; i < SOFTPCI_MAX; i++) {
		struct softpci *pci = atomic_load_explicit(&bars[i], memory_order_acquire);

		if (pci != NULL && addr - (uintptr_t)pci->bar_driver < pci->bar_size)
			return pci;
	}
	return NULL;
}

static void
chain(int sig, siginfo_t *info, void *context)
{
	if (old_action.sa_flags & SA_SIGINFO) {
		old_action.sa_sigaction(sig, info, context);
	} else if (old_action.sa_handler == SIG_DFL || old_action.sa_handler == SIG_IGN) {
		/* Ours steps aside: the instruction faults again, and the process ends as it
		 * would have without us. */
		sigaction(sig, &old_action, NULL);
	} else {
		old_action.sa_handler(sig);
	}
}

/* CPU time of this thread: what others take of its core meanwhile is not the NIC's. */
static uint64_t
thread_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void
handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	int saved_errno = errno;
	bool timed = !softpci_tsc_is_virtual();
	uint64_t start = timed ? thread_cpu_ns() : 0;
	uintptr_t addr = (uintptr_t)info->si_addr;
	struct softpci *pci;

	if (softpci_tsc_emulate(context)) {
		errno = saved_errno;
		return;
	}
	pci = find_bar(addr);
	if (pci == NULL || !carry_out(pci, (uint32_t)(addr - (uintptr_t)pci->bar_driver), uc)) {
		if (pci != NULL) {
			/* From a saved register, as above. */
			const uint8_t *ip =
			    (const uint8_t *)(uintptr_t)uc->uc_mcontext.gregs[REG_RIP];

			nic_log("softpci: cannot carry out the access to register offset 0x%zx "
				"at %p: %02x %02x %02x %02x %02x %02x",
				(size_t)(addr - (uintptr_t)pci->bar_driver), (const void *)ip,
				ip[0], ip[1], ip[2], ip[3], ip[4], ip[5]);
		}
		chain(sig, info, context);
		errno = saved_errno;
		return;
	}
	if (timed)
		atomic_fetch_add_explicit(&pci->trap_ns, thread_cpu_ns() - start,
					  memory_order_relaxed);
	errno = saved_errno;
}

int
softpci_rearm(void)
{
	struct sigaction action, now;

	if (sigaction(SIGSEGV, NULL, &now) != 0)
		return -errno;
	if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == handler)
		return 0;
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = handler;
	/* A fault of the model itself goes to the chain, not to the kernel's silent kill. */
	action.sa_flags = SA_SIGINFO | SA_NODEFER;
	sigemptyset(&action.sa_mask);
	old_action = now;
	return sigaction(SIGSEGV, &action, NULL) == 0 ? 0 : -errno;
}

int
softpci_trap_add(struct softpci *pci)
{
	int rc = softpci_rearm();
	size_t at;

	if (rc != 0)
		return rc;
	atomic_store_explicit(&bars[pci->index], pci, memory_order_release);
	for (at = 0; at < pci->bar_size; at += PAGE) {
		bool plain = pci->doorbell == SOFTPCI_DOORBELL_POLL &&
			     !pci->nic->model->ops->page_traps((uint32_t)at);

		if (!plain && mprotect(pci->bar_driver + at, PAGE, PROT_NONE) != 0)
			return -errno;
	}
	return 0;
}

void
softpci_trap_remove(struct softpci *pci)
{
	atomic_store_explicit(&bars[pci->index], NULL, memory_order_release);
}

/* The price of a trap alone. */
void
softpci_trap_calibrate(struct softpci *pci)
{
	uint64_t best = UINT64_MAX;
	unsigned int round, i;

	/* The signal's own cost: what an access takes beyond the time in the handler. */
	for (round = 0; round < 16; round++) {
		uint64_t start = thread_cpu_ns(), inside = atomic_load(&pci->trap_ns), took;

		for (i = 0; i < 16; i++) {
			uint32_t value;

			__asm__ volatile(
			    "movl %1, %0"
			    : "=r"(value)
			    : "m"(*(const uint32_t *)(pci->bar_driver + pci->nic->model->ops->idle))
			    : "memory");
		}
		took = thread_cpu_ns() - start - (atomic_load(&pci->trap_ns) - inside);
		if (took / 16 < best)
			best = took / 16;
	}
	pci->empty_trap_ns = best;
	atomic_store(&pci->trap_ns, 0);
	atomic_store(&pci->trap_reads, 0);
	atomic_store(&pci->page_reads[pci->nic->model->ops->idle / PAGE], 0);
	pthread_mutex_lock(&pci->nic->lock);
	pci->nic->stats.reads = 0;
	pthread_mutex_unlock(&pci->nic->lock);
}
