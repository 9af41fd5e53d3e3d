/* SPDX-License-Identifier: BSD-3-Clause */
/* The instruction decoder of the trap, against bytes from an assembler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode.h"

static const struct {
	const char *text;
	uint8_t bytes[12];
	uint8_t len;
	enum insn_kind kind;
	uint8_t size, reg;
} good[] = {
    {"mov (%rax),%ecx", {0x8B, 0x08}, 2, INSN_LOAD, 4, 1},
    {"mov 0x10(%rdi),%eax", {0x8B, 0x47, 0x10}, 3, INSN_LOAD, 4, 0},
    {"mov 0x1000(%rdi),%r9d", {0x44, 0x8B, 0x8F, 0, 0x10, 0, 0}, 7, INSN_LOAD, 4, 9},
    {"mov (%rax,%rbx,4),%edx", {0x8B, 0x14, 0x98}, 3, INSN_LOAD, 4, 2},
    {"mov 0x42a0(%r12),%eax", {0x41, 0x8B, 0x84, 0x24, 0xA0, 0x42, 0, 0}, 8, INSN_LOAD, 4, 0},
    {"mov 0x1234(,%rax,8),%eax", {0x8B, 0x04, 0xC5, 0x34, 0x12, 0, 0}, 7, INSN_LOAD, 4, 0},
    {"mov 0x1234(%rip),%eax", {0x8B, 0x05, 0x34, 0x12, 0, 0}, 6, INSN_LOAD, 4, 0},
    {"mov %esi,(%rdx)", {0x89, 0x32}, 2, INSN_STORE, 4, 6},
    {"mov %r15d,0x8(%rdx)", {0x44, 0x89, 0x7A, 0x08}, 4, INSN_STORE, 4, 15},
    {"movl $5,0x880(%rax)", {0xC7, 0x80, 0x80, 8, 0, 0, 5, 0, 0, 0}, 10, INSN_STORE, 4, 0},
    {"movq (%rax),%rcx", {0x48, 0x8B, 0x08}, 3, INSN_LOAD, 8, 1},
    {"movq $5,(%rax)", {0x48, 0xC7, 0x00, 5, 0, 0, 0}, 7, INSN_STORE, 8, 0},
    {"mov (%rax),%cx", {0x66, 0x8B, 0x08}, 3, INSN_LOAD, 2, 1},
    {"movw $5,(%rax)", {0x66, 0xC7, 0x00, 5, 0}, 5, INSN_STORE, 2, 0},
    {"mov (%rax),%cl", {0x8A, 0x08}, 2, INSN_LOAD, 1, 1},
    {"mov %dil,(%rax)", {0x40, 0x88, 0x38}, 3, INSN_STORE, 1, 7},
    {"movzbl (%rax),%ecx", {0x0F, 0xB6, 0x08}, 3, INSN_LOAD, 1, 1},
    {"movzwl (%rax),%ecx", {0x0F, 0xB7, 0x08}, 3, INSN_LOAD, 2, 1},
    {"movsbl (%rax),%ecx", {0x0F, 0xBE, 0x08}, 3, INSN_LOAD, 1, 1},
    {"movslq (%rax),%rcx", {0x48, 0x63, 0x08}, 3, INSN_LOAD, 4, 1},
    {"movdiri %eax,(%rdx)", {0x0F, 0x38, 0xF9, 0x02}, 4, INSN_STORE, 4, 0},
    {"movd 0x900(%rdx),%xmm8", {0x66, 0x44, 0x0F, 0x6E, 0x82, 0, 9, 0, 0}, 9, INSN_LOAD, 4, 8},
    {"movq %rax's memory,%xmm1", {0x66, 0x48, 0x0F, 0x6E, 0x08}, 5, INSN_LOAD, 8, 1},
    {"movd %xmm1,(%rax)", {0x66, 0x0F, 0x7E, 0x08}, 4, INSN_STORE, 4, 1},
    {"and (%rax),%ecx", {0x23, 0x08}, 2, INSN_ALU_LOAD, 4, 1},
    {"cmp (%rax),%ecx", {0x3B, 0x08}, 2, INSN_ALU_LOAD, 4, 1},
    {"cmp %ecx,(%rax)", {0x39, 0x08}, 2, INSN_ALU_MEM, 4, 1},
    {"cmpl $-1,(%rax)", {0x83, 0x38, 0xFF}, 3, INSN_ALU_MEM, 4, 7},
    {"orl $0x12345678,(%rax)", {0x81, 0x08, 0x78, 0x56, 0x34, 0x12}, 6, INSN_ALU_MEM, 4, 1},
    {"testb $1,(%rax)", {0xF6, 0x00, 1}, 3, INSN_TEST, 1, 0},
    {"testl $0x4000000,(%rax)", {0xF7, 0x00, 0, 0, 0, 4}, 6, INSN_TEST, 4, 0},
    {"test %ecx,(%rax)", {0x85, 0x08}, 2, INSN_TEST, 4, 1},
};

static const uint8_t bad[][8] = {
    {0x90},		/* nop */
    {0x8B, 0xC1},	/* mov %ecx,%eax: no memory */
    {0x0F, 0x10, 0x00}, /* movups */
    {0x0F, 0x6E, 0x00}, /* movd (%rax),%mm0 */
    {0xC7, 0x48, 0x00}, /* C7 /1 */
    {0xFF, 0x00},	/* inc */
    {0xA5},		/* movs */
};

static void
register_accesses_are_decoded(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct insn in;

		if (!insn_decode(good[i].bytes, &in))
			fail_msg("%s: not decoded", good[i].text);
		if (in.len != good[i].len || in.kind != good[i].kind || in.size != good[i].size ||
		    in.reg != good[i].reg)
			fail_msg("%s: len %u kind %u size %u reg %u", good[i].text, in.len, in.kind,
				 in.size, in.reg);
	}
}

static void
other_instructions_are_refused(void **state)
{
	struct insn in;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(insn_decode(bad[i], &in));
}

#define FLAGS 0x8D5u

/* AF is undefined after logical operations. */
#define CHECK(op, name, a, b) \
	do { \
		uint64_t flags = 0, want; \
		uint32_t r = (a); \
		unsigned int known = (op) == 1 || (op) == 4 || (op) == 6 ? FLAGS & ~0x10u : FLAGS; \
\
		__asm__ volatile(name " %2, %0\n\tpushfq\n\tpop %1" \
				 : "+r"(r), "=r"(want) \
				 : "r"((uint32_t)(b)) \
				 : "cc", "memory"); \
		assert_int_equal(insn_alu(op, 4, a, b, &flags), r); \
		assert_int_equal(flags &known, want &known); \
	} while (0)

static void
arithmetic_leaves_the_processors_flags(void **state)
{
	static const uint32_t v[] = {0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		for (j = 0; j < sizeof(v) / sizeof(v[0]); j++) {
			CHECK(0, "addl", v[i], v[j]);
			CHECK(1, "orl", v[i], v[j]);
			CHECK(4, "andl", v[i], v[j]);
			CHECK(5, "subl", v[i], v[j]);
			CHECK(6, "xorl", v[i], v[j]);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(register_accesses_are_decoded),
	    cmocka_unit_test(other_instructions_are_refused),
	    cmocka_unit_test(arithmetic_leaves_the_processors_flags),
	};

	return cmocka_run_group_tests_name("softpci_decode", tests, NULL, NULL);
}
