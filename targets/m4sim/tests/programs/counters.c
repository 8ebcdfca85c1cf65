// The cycle counter and SysTick: what lets CYCCNT count, and that both tell the same time over 200 million cycles.

#include "support.h"

#define REG(address) (*(volatile uint32_t *)(address))
#define DEMCR REG(0xE000EDFC)
#define DWT_CTRL REG(0xE0001000)
#define CYCCNT REG(0xE0001004)
#define LAR REG(0xE0001FB0)
#define SYST_CSR REG(0xE000E010)
#define SYST_RVR REG(0xE000E014)
#define SYST_CVR REG(0xE000E018)
#define TRCENA (1u << 24)

static volatile uint32_t wraps;
void on_systick(void) { wraps = wraps + 1; }

__attribute__((noinline)) static void spin(uint32_t rounds) {
    __asm volatile("1: subs %0, #1\n bne 1b" : "+r"(rounds)::"cc");
}

static uint32_t counted(void) {
    const uint32_t before = CYCCNT;
    spin(1000);
    return CYCCNT - before;
}

typedef struct {
    uint64_t systick;
    uint32_t cycles;
} moment;

// Both counters, read one right after the other with no interrupt between.
static moment now(void) {
    for (;;) {
        const uint32_t high = wraps;
        uint32_t low, cycles;
        __asm volatile("ldr %0, [%2]\n nop\n ldr %1, [%3]"
                       : "=&r"(low), "=&r"(cycles)
                       : "r"(0xE000E018), "r"(0xE0001004)
                       : "memory");
        if (high == wraps) return (moment){((uint64_t)high << 24) + (0xFFFFFF - low), cycles};
    }
}

static void compare(const char *name, uint32_t rounds) {
    const moment first = now();
    spin(rounds);
    const moment last = now();
    put_text(name);
    put_line(": cycles", last.cycles - first.cycles);
    put_text(name);
    put_line(": systick less cycles", (uint32_t)(last.systick - first.systick - (last.cycles - first.cycles)));
}

int main(void) {
    DEMCR &= ~TRCENA;
    DWT_CTRL |= 1;
    put_line("without trcena", counted());
    DEMCR |= TRCENA;
    LAR = 0xC5ACCE55;
    DWT_CTRL &= ~1u;
    put_line("without cyccntena", counted());
    DWT_CTRL |= 1;
    put_line("nocyccnt", DWT_CTRL >> 25 & 1);
    put_line("enabled", DWT_CTRL & 1);
    put_line("counts", counted() > 1000);
    CYCCNT = 0xFFFFFFF0;
    put_line("wraps around", counted() < 10000);
    DEMCR &= ~TRCENA;
    const uint32_t stopped = CYCCNT;
    spin(100);
    put_line("stopped again", CYCCNT - stopped);
    DEMCR |= TRCENA;

    SYST_RVR = 0xFFFFFF;
    SYST_CVR = 0;
    SYST_CSR = 7;
    spin(100);  // the first wrap is on the way to the reload value
    wraps = 0;
    compare("short", 1000);
    compare("million", 1000000);
    const uint32_t before = wraps;
    compare("long", 60000000);
    put_line("wraps in long", wraps - before);
    return 0;
}
