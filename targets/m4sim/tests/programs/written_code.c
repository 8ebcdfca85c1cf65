// Code that is written at run time, into data memory and over itself, by stores of every width.

#include <string.h>

#include "support.h"

typedef uint32_t (*function)(uint32_t);
static uint16_t room[64] __attribute__((aligned(8)));

static uint32_t run(const uint16_t *at, uint32_t argument) {
    __asm volatile("dsb\n isb" ::: "memory");
    return ((function)((uintptr_t)at | 1))(argument);
}

// Code in program memory, which on this board can be written.
__attribute__((naked, noinline)) static uint32_t patched(uint32_t x) {
    __asm volatile("adds r0, #1\n adds r0, #2\n movw r1, #0x1234\n adds r0, r0, r1\n bx lr" ::"r"(x));
}

int main(void) {
    uint32_t sum = DIGEST_START;
    for (uint32_t i = 0; i < 400; i++) {
        const uint32_t at = i % 7;
        uint16_t *code = room + at;
        code[0] = (uint16_t)(0x3000 | (i & 255));             // adds r0, #i
        code[1] = (uint16_t)(0xF240 | (i >> 2 & 15));         // movw r1, #..
        code[2] = (uint16_t)(0x0100 | (i * 3 & 255));
        code[3] = i & 1 ? 0x4048 : 0x1840;                    // eors r0, r1 or adds r0, r0, r1
        code[4] = 0x4770;                                     // bx lr
        uint32_t result = run(code, i);
        sum = digest(sum, &result, 4);
        ((uint8_t *)code)[0] ^= 0x55;                         // the immediate, by a byte
        result = run(code, i);
        sum = digest(sum, &result, 4);
        const uint32_t pair = 0x0142F240;                     // the wide instruction, by a word at any halfword
        memcpy(code + 1, &pair, 4);
        result = run(code, i);
        sum = digest(sum, &result, 4);
        memmove(room + 20 + i % 5, code, 10);                 // and moved
        result = run(room + 20 + i % 5, i);
        sum = digest(sum, &result, 4);
    }
    put_line("written", sum);
    uint16_t *code = (uint16_t *)((uintptr_t)patched & ~1u);
    for (uint32_t i = 0; i < 100; i++) {
        const uint32_t result = run(code, i);
        sum = digest(sum, &result, 4);
        volatile uint16_t *first = code + i % 2;
        *first = (uint16_t)(0x3000 | (i * 5 & 255));
    }
    put_line("patched", sum);
    return 0;
}
