/* SPDX-License-Identifier: BSD-3-Clause */
/* The x86-64 instructions with a memory operand that compilers make of register accesses. */
#ifndef SOFTPCI_DECODE_H
#define SOFTPCI_DECODE_H

#include <stdbool.h>
#include <stdint.h>

enum insn_kind {
	INSN_LOAD,     /* register = memory, zero- or sign-extended */
	INSN_STORE,    /* memory = register or immediate */
	INSN_ALU_LOAD, /* register op= memory, or a comparison of the two */
	INSN_ALU_MEM,  /* memory op= register or immediate, or a comparison */
	INSN_TEST,     /* flags of memory & register or immediate */
};

struct insn {
	enum insn_kind kind;
	uint8_t len;	  /* bytes */
	uint8_t size;	  /* of the memory operand */
	uint8_t reg_size; /* what a load writes */
	uint8_t reg;	  /* 0 to 15 */
	bool high;	  /* AH, CH, DH or BH */
	bool xmm;	  /* the low bits of a vector register; a load clears the others */
	bool sign;	  /* a load that extends the sign */
	bool has_imm;
	uint8_t alu; /* 0 add, 1 or, 2 adc, 3 sbb, 4 and, 5 sub, 6 xor, 7 cmp */
	int64_t imm;
};

/* False if the instruction is none of these. */
bool insn_decode(const uint8_t *ip, struct insn *insn);

/* a op b, and the flags that it leaves; with op 8 TEST. */
uint64_t insn_alu(unsigned int op, unsigned int size, uint64_t a, uint64_t b, uint64_t *flags);

#endif /* SOFTPCI_DECODE_H */
