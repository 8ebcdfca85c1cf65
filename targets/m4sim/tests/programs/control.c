// Control flow: setjmp, function pointers, tail calls, dense and sparse switches, recursion, varargs, 64-bit division.

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "support.h"

static jmp_buf escape;

__attribute__((noinline)) static int dive(int depth) {
    volatile uint32_t ballast[4] = {(uint32_t)depth, 1, 2, 3};
    if (depth == 0) longjmp(escape, 42);
    if (depth < 0) return 0;
    return dive(depth - 1) + (int)ballast[depth & 3];
}

static int jump(void) {
    volatile int tries = 0;
    const int code = setjmp(escape);
    tries = tries + 1;
    if (code == 0) return dive(20);
    if (tries < 4) longjmp(escape, code + tries);
    return code * 100 + tries;
}

typedef uint32_t (*operation)(uint32_t, uint32_t);
static uint32_t plus(uint32_t a, uint32_t b) { return a + b; }
static uint32_t minus(uint32_t a, uint32_t b) { return a - b; }
static uint32_t times(uint32_t a, uint32_t b) { return a * b; }
static uint32_t over(uint32_t a, uint32_t b) { return b ? a / b : 0; }
static uint32_t left_over(uint32_t a, uint32_t b) { return b ? a % b : 1; }
static uint32_t rotate(uint32_t a, uint32_t b) { return b & 31 ? a << (b & 31) | a >> (32 - (b & 31)) : a; }
static const operation operations[] = {plus, minus, times, over, left_over, rotate};

// At -O2 the two call each other by jumps; below it by calls.
static uint32_t odd_steps(uint32_t n, uint32_t sum);
__attribute__((noinline)) static uint32_t even_steps(uint32_t n, uint32_t sum) {
    return n == 0 ? sum : odd_steps(n - 1, sum * 3 + n);
}
__attribute__((noinline)) static uint32_t odd_steps(uint32_t n, uint32_t sum) {
    return n == 0 ? sum ^ 0x55 : even_steps(n - 1, sum + 5 * n);
}

__attribute__((noinline)) static uint32_t dense(uint32_t kind, uint32_t x) {
    switch (kind) {
        case 0: return x + 1;
        case 1: return x * 3;
        case 2: return x ^ 0xFF;
        case 3: return x >> 3;
        case 4: x += 9; /* fall through */
        case 5: return ~x;
        case 6: return x << 4;
        case 7: return x / 10;
        case 8: return x % 10;
        case 9: return __builtin_bswap32(x);
        case 10: return (uint32_t)__builtin_clz(x | 1);
        case 11: return (uint32_t)__builtin_popcount(x);
        case 12: return (x & 0xFFFF) * (x >> 16);
        case 13: return x - 77;
        default: return kind + x;
    }
}

__attribute__((noinline)) static int sparse(int32_t x) {
    switch (x) {
        case -100000: return 1;
        case -1: return 2;
        case 0: return 3;
        case 1000: return 4;
        case 65537: return 5;
        case 0x7FFFFFFF: return 6;
        default: return x < 0 ? 7 : 8;
    }
}

static uint32_t ackermann(uint32_t m, uint32_t n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static int64_t sum_of(int count, ...) {
    va_list list;
    va_start(list, count);
    int64_t sum = 0;
    for (int i = 0; i < count; i++) sum += i % 2 ? va_arg(list, int64_t) : (int64_t)va_arg(list, int);
    va_end(list);
    return sum;
}

static uint32_t divisions(void) {
    uint32_t d = DIGEST_START;
    for (int i = 0; i < 1000; i++) {
        const uint32_t shift = next_random() % 64, other = next_random() % 64;
        const uint64_t a = ((uint64_t)next_random() << 32 | next_random()) >> shift;
        const uint64_t b = (((uint64_t)next_random() << 32 | next_random()) >> other) | 1;
        const int64_t sa = (int64_t)(a * 0x9E3779B97F4A7C15), sb = (int64_t)(i & 1 ? b : 0 - b);
        const uint64_t parts[] = {a / b, a % b, (uint64_t)(sa / (sb ? sb : 1)), (uint64_t)(sa % (sb ? sb : 1)), a * b,
                                  a << other, (uint64_t)(sa >> shift), a >> other, (uint64_t)(sa < sb), a + b, a - b};
        d = digest(d, parts, sizeof parts);
    }
    return d;
}

int main(void) {
    put_line("setjmp", (uint32_t)jump());
    uint32_t value = 1;
    for (uint32_t i = 0; i < 600; i++) value = operations[next_random() % 6](value + i, next_random() % 1000) | 1;
    put_line("pointers", value);
    put_line("tail calls", even_steps(3000, 1) + odd_steps(2999, 2));
    uint32_t d = DIGEST_START;
    for (uint32_t i = 0; i < 400; i++) {
        const uint32_t result = dense(i % 17, next_random());
        d = digest(d, &result, 4);
    }
    put_line("dense switch", d);
    static const int32_t kinds[] = {-100000, -1, 0, 1000, 65537, 0x7FFFFFFF, 5, -5};
    for (size_t i = 0; i < 8; i++) put_line("sparse switch", (uint32_t)sparse(kinds[i]));
    put_line("ackermann", ackermann(2, 40) + ackermann(3, 4));
    put_line("varargs", (uint32_t)sum_of(5, 1, (int64_t)1 << 33, -7, (int64_t)-5, 1 << 30));
    put_line("divisions", divisions());
    return 1;
}
