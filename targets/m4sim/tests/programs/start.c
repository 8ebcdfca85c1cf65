// Vectors and start-up for the MPS2: copies .data, clears .bss, turns the FPU on, runs main, exits with its result.

#include "support.h"

extern uint32_t data_image[], data_start[], data_end[], bss_start[], bss_end[], stack_top[];
extern int main(void);

// A program may define any of these; the default ends the run.
static void stop(void) {
    uint32_t ipsr;
    __asm volatile("mrs %0, ipsr" : "=r"(ipsr));
    put_text("unexpected exception ");
    put_hex(ipsr);
    put_text("\n");
    exit_with(100);
}
#define HANDLER(name) void name(void) __attribute__((weak, alias("stop")))
HANDLER(on_nmi);
HANDLER(on_hard_fault);
HANDLER(on_svc);
HANDLER(on_pendsv);
HANDLER(on_systick);
HANDLER(on_irq0);
HANDLER(on_irq1);
HANDLER(on_irq2);

#ifdef USE_RDIMON
extern void _start(void);
#endif

__attribute__((noreturn, used)) static void begin(void) {
    for (uint32_t *from = data_image, *to = data_start; to < data_end;) *to++ = *from++;
    for (uint32_t *to = bss_start; to < bss_end;) *to++ = 0;
#ifdef USE_RDIMON
    _start();
    exit_with(99);
#else
    exit_with(main());
#endif
}

__attribute__((naked, noreturn)) void reset(void) {
    // CPACR: full access to the FPU. Done before any C code that may save floating-point registers.
    __asm volatile(
        "ldr r0, =0xE000ED88\n ldr r1, [r0]\n orr r1, r1, #0xF00000\n str r1, [r0]\n dsb\n isb\n b begin\n .ltorg");
}

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    (void (*)(void))stack_top, reset, on_nmi, on_hard_fault, stop, stop, stop, 0, 0, 0, 0,
    on_svc, stop, 0, on_pendsv, on_systick, on_irq0, on_irq1, on_irq2,
};
