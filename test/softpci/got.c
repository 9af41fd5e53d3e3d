/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls out of one loaded object, redirected. The object's global offset table holds a pointer for
 * each function that it imports; the one for a name is replaced.
 */
#include "softpci_priv.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct search {
	uintptr_t address;
	const char *name;
	void *to;
	void *old;
	int rc;
};

static int
replace(uintptr_t slot, void *to, void **old)
{
	uintptr_t page = slot & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1);
	void **where = (void **)slot;

	/* Read-only after relocation, in most builds. */
	if (mprotect((void *)page, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE) != 0)
		return -errno;
	if (*where != to) {
		*old = *where;
		__atomic_store_n(where, to, __ATOMIC_RELEASE);
	}
	return 0;
}

static void
scan(struct search *search, const ElfW(Rela) * rela, size_t count, const ElfW(Sym) * symtab,
     const char *strtab, uintptr_t base)
{
	size_t i;

	for (i = 0; rela != NULL && i < count; i++) {
		unsigned long type = ELF64_R_TYPE(rela[i].r_info);
		const ElfW(Sym) *sym = &symtab[ELF64_R_SYM(rela[i].r_info)];

		if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
		    strcmp(strtab + sym->st_name, search->name) != 0)
			continue;
		search->rc = replace(base + rela[i].r_offset, search->to, &search->old);
	}
}

static int
visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *search = arg;
	const ElfW(Dyn) *dyn = NULL;
	const ElfW(Rela) *rela = NULL, *plt = NULL;
	const ElfW(Sym) *symtab = NULL;
	const char *strtab = NULL;
	size_t rela_size = 0, plt_size = 0;
	bool ours = false;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_LOAD &&
		    search->address - (info->dlpi_addr + ph->p_vaddr) < ph->p_memsz)
			ours = true;
		if (ph->p_type == PT_DYNAMIC)
			dyn = (const ElfW(Dyn) *)(info->dlpi_addr + ph->p_vaddr);
	}
	if (!ours || dyn == NULL)
		return ours ? 1 : 0;
	for (; dyn->d_tag != DT_NULL; dyn++) {
		uintptr_t ptr = dyn->d_un.d_ptr;

		/* The loader has made these absolute, except in objects that it left alone. */
		if (ptr < info->dlpi_addr)
			ptr += info->dlpi_addr;
		switch (dyn->d_tag) {
		case DT_RELA:
			rela = (const ElfW(Rela) *)ptr;
			break;
		case DT_RELASZ:
			rela_size = dyn->d_un.d_val;
			break;
		case DT_JMPREL:
			plt = (const ElfW(Rela) *)ptr;
			break;
		case DT_PLTRELSZ:
			plt_size = dyn->d_un.d_val;
			break;
		case DT_SYMTAB:
			symtab = (const ElfW(Sym) *)ptr;
			break;
		case DT_STRTAB:
			strtab = (const char *)ptr;
			break;
		default:
			break;
		}
	}
	if (symtab == NULL || strtab == NULL)
		return 1;
	scan(search, rela, rela_size / sizeof(*rela), symtab, strtab, info->dlpi_addr);
	scan(search, plt, plt_size / sizeof(*plt), symtab, strtab, info->dlpi_addr);
	return 1;
}

int
softpci_got_patch(const void *object, const char *name, void *to, void **old)
{
	struct search search = {
	    .address = (uintptr_t)object, .name = name, .to = to, .rc = -ENOENT};

	dl_iterate_phdr(visit, &search);
	if (old != NULL && search.old != NULL)
		*old = search.old;
	return search.rc;
}
