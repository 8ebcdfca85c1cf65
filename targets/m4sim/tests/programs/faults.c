// Goes wrong in the way that its first argument names.

#include <stdint.h>
#include <stdlib.h>

#define WAY __attribute__((noinline, used)) static void

// A coprocessor's instruction: no Cortex-M4 has one.
WAY strange_opcode(void) { __asm volatile(".inst.w 0xEE110110"); }
WAY undefined_opcode(void) { __asm volatile("udf #7"); }
WAY nothing_there(void) { *(volatile uint32_t *)0x60000000 = 1; }
WAY unaligned_pair(void) { __asm volatile("ldr r0, =0x20000001\n ldrd r0, r1, [r0]" ::: "r0", "r1"); }
WAY arm_state(void) { __asm volatile("ldr r0, =0x20000000\n bx r0" ::: "r0"); }

int main(int count, char **arguments) {
    if (count < 2) return 1;
    switch (atoi(arguments[1])) {
        case 0: strange_opcode(); break;
        case 1: undefined_opcode(); break;
        case 2: nothing_there(); break;
        case 3: unaligned_pair(); break;
        case 4: arm_state(); break;
        default: return 2;
    }
    return 0;
}
