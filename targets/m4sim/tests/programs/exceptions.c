// Exceptions: SVC, PendSV, external interrupts by software, priorities, masks, tail-chaining, FPU state across them.

#include "support.h"

#define REG(address) (*(volatile uint32_t *)(address))
#define ICSR REG(0xE000ED04)
#define SHPR2 REG(0xE000ED1C)
#define SHPR3 REG(0xE000ED20)
#define NVIC_ENABLE REG(0xE000E100)
#define NVIC_PEND REG(0xE000E200)
#define NVIC_UNPEND REG(0xE000E280)
#define NVIC_PRIORITY(n) (*(volatile uint8_t *)(0xE000E400 + (n)))
#define PENDSV_SET (1u << 28)

static volatile uint32_t trace, ticks;

static void note(uint32_t event) {
    trace = trace * 16 + event;
}

// The number in the SVC instruction, by way of the stacked return address; the answer goes into the stacked r0.
__attribute__((used)) static void serve(uint32_t *frame) {
    const uint8_t number = ((const uint8_t *)frame[6])[-2];
    note(1);
    if (number == 7) frame[0] = frame[0] * frame[1] + number;
    if (number == 9) {
        ICSR = PENDSV_SET;  // lower priority: waits until this returns
        NVIC_PEND = 1u << 1;  // higher priority: cuts in here
        __asm volatile("dsb\n isb" ::: "memory");
    }
    note(2);
}

__attribute__((naked)) void on_svc(void) {
    __asm volatile("tst lr, #4\n ite eq\n mrseq r0, msp\n mrsne r0, psp\n b serve");
}

void on_pendsv(void) { note(3); }
void on_irq0(void) { note(4); }
void on_irq1(void) {
    note(5);
    NVIC_PEND = 1u << 0;  // same priority: follows this one
    note(6);
}
void on_irq2(void) {
    volatile float x = 1.5f;  // uses FPU registers where there are any
    for (int i = 0; i < 20; i++) x = x * 1.25f - 0.5f;
    note(x > 0 ? 7 : 8);
}
void on_systick(void) {
    ticks = ticks + 1;
    if (ticks == 5) REG(0xE000E010) = 0;
}

static uint32_t call(uint32_t a, uint32_t b) {
    register uint32_t r0 __asm("r0") = a;
    register uint32_t r1 __asm("r1") = b;
    __asm volatile("svc 7" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

#define SHOW(name) put_line(name, trace), trace = 0
#define BARRIER() __asm volatile("dsb\n isb" ::: "memory")

int main(void) {
    SHPR2 = 0x60u << 24;  // SVC
    SHPR3 = 0xE0u << 16;  // PendSV
    NVIC_PRIORITY(0) = 0x20;
    NVIC_PRIORITY(1) = 0x20;
    NVIC_PRIORITY(2) = 0x80;
    NVIC_ENABLE = 7;
    put_line("svc", call(6, 7));
    SHOW("svc trace");
    __asm volatile("svc 9" ::: "memory");
    SHOW("nested");
    __asm volatile("cpsid i" ::: "memory");
    NVIC_PEND = 7;
    ICSR = PENDSV_SET;
    BARRIER();
    SHOW("masked");
    NVIC_UNPEND = 1u << 0;
    __asm volatile("cpsie i" ::: "memory");
    BARRIER();
    SHOW("unmasked");
    __asm volatile("msr basepri, %0" ::"r"(0x40) : "memory");
    NVIC_PEND = 5;
    BARRIER();
    SHOW("above basepri");
    __asm volatile("msr basepri, %0" ::"r"(0) : "memory");
    BARRIER();
    SHOW("basepri off");

    // On the process stack, the same.
    static uint32_t process_stack[512];
    __asm volatile("msr psp, %0\n mrs r0, control\n orr r0, #2\n msr control, r0\n isb" ::"r"(process_stack + 512)
                   : "r0", "memory");
    put_line("svc from psp", call(11, 13));
    __asm volatile("mrs r0, control\n bic r0, #2\n msr control, r0\n isb" ::: "r0", "memory");
    SHOW("psp trace");

    // Floating-point values and flags survive an interrupt at any place.
    REG(0xE000E014) = 700;
    REG(0xE000E018) = 0;
    REG(0xE000E010) = 7;
    float sum = 0;
    uint32_t rounds = 0;
    while (ticks < 5 || rounds == 0) {  // under load, QEMU may be late for the first round
        float part = 0;
        for (int i = 1; i <= 16; i++) {
            part += 1.0f / (float)i;
            if (i == 8) NVIC_PEND = 1u << 2;
        }
        if (rounds++ == 0) sum = part;
        if (part != sum) put_text("a floating-point value changed\n");
    }
    put_line("ticks enough", ticks >= 5);
    put_line("harmonic", (uint32_t)(sum * 1e6f));
    return 0;
}
