// A recursion 20,000 deep, and one of two functions.

#pragma GCC optimize("no-optimize-sibling-calls")  // a call stays a call
#include "support.h"

__attribute__((noipa)) static uint32_t down(uint32_t depth) {
    return depth == 0 ? 1 : 1 + down(depth - 1) * 3;
}

__attribute__((noipa)) static uint32_t odd(uint32_t depth);
__attribute__((noipa)) static uint32_t even(uint32_t depth) { return depth == 0 ? 1 : odd(depth - 1) + 1; }
__attribute__((noipa)) __attribute__((noipa)) static uint32_t odd(uint32_t depth) { return depth == 0 ? 0 : even(depth - 1) + 2; }

int main(void) {
    put_line("down", down(20000));
    put_line("even", even(20000));
    return 0;
}
