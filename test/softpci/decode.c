/* SPDX-License-Identifier: BSD-3-Clause */
/* Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2. */
#include "decode.h"

#include <string.h>

#define REX_W 0x8u
#define REX_R 0x4u

/* Arithmetic flags: CF, PF, AF, ZF, SF, OF */
#define ARITH_FLAGS 0x8D5u

static int64_t
immediate(const uint8_t *p, unsigned int size)
{
	int8_t i8;
	int16_t i16;
	int32_t i32;

	switch (size) {
	case 1:
		memcpy(&i8, p, sizeof(i8));
		return i8;
	case 2:
		memcpy(&i16, p, sizeof(i16));
		return i16;
	default:
		memcpy(&i32, p, sizeof(i32));
		return i32;
	}
}

/* What an opcode is, but for its operands; imm_size 0: none. False: not ours. */
static bool
classify(const uint8_t *op, bool two, unsigned int wide, struct insn *insn, unsigned int *imm_size)
{
	unsigned int sub = op[1] >> 3 & 7; /* reg field of ModRM: an opcode extension */
	unsigned int imm = wide == 8 ? 4 : wide;

	*imm_size = 0;
	insn->size = insn->reg_size = (uint8_t)wide;
	if (two) {
		insn->kind = INSN_LOAD;
		insn->size = op[0] & 1 ? 2 : 1;
		insn->sign = (op[0] & 8) != 0;
		return op[0] == 0xB6 || op[0] == 0xB7 || op[0] == 0xBE || op[0] == 0xBF;
	}
	/* Even opcodes of these groups are the byte forms. */
	switch (op[0]) {
	case 0x63:
		insn->kind = INSN_LOAD;
		insn->size = 4;
		insn->sign = true;
		return wide == 8;
	case 0x8A:
	case 0x8B:
		insn->kind = INSN_LOAD;
		break;
	case 0x88:
	case 0x89:
		insn->kind = INSN_STORE;
		break;
	case 0xC6:
	case 0xC7:
		if (sub != 0)
			return false;
		insn->kind = INSN_STORE;
		*imm_size = op[0] & 1 ? imm : 1;
		break;
	case 0x84:
	case 0x85:
		insn->kind = INSN_TEST;
		break;
	case 0xF6:
	case 0xF7:
		if (sub > 1)
			return false;
		insn->kind = INSN_TEST;
		*imm_size = op[0] & 1 ? imm : 1;
		break;
	case 0x80:
	case 0x81:
	case 0x83:
		insn->kind = INSN_ALU_MEM;
		insn->alu = (uint8_t)sub;
		*imm_size = op[0] == 0x81 ? imm : 1;
		break;
	default:
		if (op[0] >= 0x40 || (op[0] & 7) > 3)
			return false;
		insn->kind = op[0] & 2 ? INSN_ALU_LOAD : INSN_ALU_MEM;
		insn->alu = op[0] >> 3;
		break;
	}
	if (!(op[0] & 1))
		insn->size = insn->reg_size = 1;
	insn->has_imm = *imm_size != 0;
	return true;
}

bool
insn_decode(const uint8_t *ip, struct insn *insn)
{
	const uint8_t *p = ip;
	unsigned int rex = 0, wide = 4, mod, rm, imm_size;
	bool two;

	memset(insn, 0, sizeof(*insn));
	while (*p == 0x66 || *p == 0x3E || *p == 0xF0) {
		if (*p == 0x66)
			wide = 2;
		p++;
	}
	if ((*p & 0xF0) == 0x40)
		rex = *p++;
	if (rex & REX_W)
		wide = 8;
	two = *p == 0x0F;
	if (two)
		p++;
	if (two && wide != 4 &&
	    (p[0] == 0x6E || p[0] == 0x7E)) { /* MOVD, MOVQ: compilers' minimum */
		insn->kind = p[0] == 0x6E ? INSN_LOAD : INSN_STORE;
		insn->size = insn->reg_size = wide == 8 ? 8 : 4;
		insn->xmm = true;
		imm_size = 0;
	} else if (two && p[0] == 0x38 &&
		   p[1] == 0xF9) { /* MOVDIRI: DPDK rings doorbells with it */
		p++;
		insn->kind = INSN_STORE;
		insn->size = insn->reg_size = (uint8_t)wide;
		imm_size = 0;
	} else if (!classify(p, two, wide, insn, &imm_size)) {
		return false;
	}
	p++;
	mod = *p >> 6;
	rm = *p & 7;
	insn->reg = (uint8_t)((*p >> 3 & 7) | (rex & REX_R ? 8 : 0));
	p++;
	if (mod == 3)
		return false; /* no memory operand */
	if (rm == 4) {
		uint8_t sib = *p++;

		if (mod == 0 && (sib & 7) == 5)
			p += 4;
	} else if (mod == 0 && rm == 5) {
		p += 4;
	}
	if (mod == 1)
		p += 1;
	else if (mod == 2)
		p += 4;
	if (imm_size != 0) {
		insn->imm = immediate(p, imm_size);
		p += imm_size;
	}
	/* Without a REX prefix, byte registers 4 to 7 are the high bytes of 0 to 3. */
	if (rex == 0 && !insn->has_imm && insn->reg >= 4 &&
	    (insn->kind == INSN_LOAD ? insn->reg_size : insn->size) == 1) {
		insn->reg -= 4;
		insn->high = true;
	}
	insn->len = (uint8_t)(p - ip);
	return true;
}

uint64_t
insn_alu(unsigned int op, unsigned int size, uint64_t a, uint64_t b, uint64_t *flags)
{
	unsigned int bits = size * 8;
	uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	uint64_t sign = UINT64_C(1) << (bits - 1), carry_in = *flags & 1, r;
	bool cf = false, of = false, af;

	a &= mask;
	b &= mask;
	if (op != 2 && op != 3)
		carry_in = 0;
	switch (op) {
	case 0:
	case 2:
		r = (a + b + carry_in) & mask;
		cf = r < a || (carry_in && r == a);
		of = (~(a ^ b) & (a ^ r) & sign) != 0;
		break;
	case 3:
	case 5:
	case 7:
		r = (a - b - carry_in) & mask;
		cf = a < b || (carry_in && a == b);
		of = ((a ^ b) & (a ^ r) & sign) != 0;
		break;
	case 1:
		r = a | b;
		break;
	case 6:
		r = a ^ b;
		break;
	default: /* AND, and TEST as 8 */
		r = a & b;
		break;
	}
	af = op == 0 || op == 2 || op == 3 || op == 5 || op == 7 ? ((a ^ b ^ r) & 0x10) != 0
								 : false;
	*flags &= ~(uint64_t)ARITH_FLAGS;
	*flags |= (cf ? 0x1u : 0) | (__builtin_parity((unsigned int)(r & 0xFF)) ? 0 : 0x4u) |
		  (af ? 0x10u : 0) | (r == 0 ? 0x40u : 0) | (r & sign ? 0x80u : 0) |
		  (of ? 0x800u : 0);
	return r;
}
