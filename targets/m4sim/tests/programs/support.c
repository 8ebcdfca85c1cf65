#include "support.h"

#include <sys/stat.h>

static int semihost(int operation, const void *argument) {
    register int r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = argument;
    __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void put_text(const char *text) { semihost(0x04, text); }

void put_hex(uint32_t value) {
    char text[9];
    for (int i = 0; i < 8; i++) text[i] = "0123456789abcdef"[(value >> (28 - 4 * i)) & 15];
    text[8] = 0;
    put_text(text);
}

void put_line(const char *name, uint32_t value) {
    put_text(name);
    put_text(" ");
    put_hex(value);
    put_text("\n");
}

void put_bytes(const char *name, const uint8_t *bytes, size_t count) {
    put_text(name);
    put_text(" ");
    for (size_t i = 0; i < count; i++) {
        char text[3] = {"0123456789abcdef"[bytes[i] >> 4], "0123456789abcdef"[bytes[i] & 15], 0};
        put_text(text);
    }
    put_text("\n");
}

void exit_with(int code) {
    const uint32_t block[2] = {0x20026, (uint32_t)code};  // ADP_Stopped_ApplicationExit
    semihost(0x20, block);                                 // SYS_EXIT_EXTENDED
    for (;;) {
    }
}

static uint32_t random_state = 0x2545F491;

uint32_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

uint32_t digest(uint32_t so_far, const void *bytes, size_t count) {
    const uint8_t *p = bytes;
    while (count--) so_far = (so_far ^ *p++) * 16777619u;
    return so_far;
}

#ifndef USE_RDIMON
// The system calls of newlib that printf and malloc need. Text leaves one character at a time, by SYS_WRITEC.
int _write(int file, const char *text, int count) {
    (void)file;
    for (int i = 0; i < count; i++) semihost(0x03, text + i);
    return count;
}

void *_sbrk(ptrdiff_t more) {
    extern char end[];
    static char *top = end;
    char *old = top;
    top += more;
    return old;
}

int _read(int file, char *to, int count) { return (void)file, (void)to, (void)count, 0; }
int _close(int file) { return (void)file, -1; }
int _lseek(int file, int to, int whence) { return (void)file, (void)to, (void)whence, 0; }
int _isatty(int file) { return (void)file, 1; }
int _getpid(void) { return 1; }
int _kill(int process, int signal) { return (void)process, (void)signal, -1; }
void _exit(int code) { exit_with(code); }
int _fstat(int file, struct stat *status) {
    (void)file;
    status->st_mode = S_IFCHR;
    return 0;
}
#endif
