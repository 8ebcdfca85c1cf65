// Text by the board's own UART0, beside semihosting; writes to the pins' alternate functions; byte writes to SHPR.

#include "support.h"

#define REG(address) (*(volatile uint32_t *)(address))
#define BYTE(address) (*(volatile uint8_t *)(address))
#define UART_DATA REG(0x40004000)
#define UART_STATE REG(0x40004004)
#define UART_CTRL REG(0x40004008)
#define UART_BAUDDIV REG(0x40004010)

static void put(const char *text) {
    for (; *text; text++) {
        while (UART_STATE & 1) {
        }
        UART_DATA = (uint8_t)*text;
    }
}

int main(void) {
    REG(0x40010018) = 1 << 1;  // alternate function of the transmit pin
    UART_BAUDDIV = 16;
    UART_CTRL = 3;
    put("by the UART\n");
    for (int i = 0; i < 300; i++) put(i % 50 == 49 ? "\n" : ".");
    BYTE(0xE000ED20 + 2) = 0xE0;  // PendSV
    BYTE(0xE000ED20 + 3) = 0x40;  // SysTick
    REG(0xE000ED08) = 0;          // VTOR
    put(REG(0xE000ED20) == 0x40E00000 ? "priorities by bytes\n" : "no priorities by bytes\n");
    put(REG(0xE000ED88) == 0x00F00000 ? "FPU on\n" : "FPU off\n");
    return 3;
}
