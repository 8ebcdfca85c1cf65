// What every test program shares: output and exit by semihosting, a fixed random sequence, a digest.
#ifndef SUPPORT_H
#define SUPPORT_H

#include <stddef.h>
#include <stdint.h>

void put_text(const char *text);
void put_hex(uint32_t value);
// "name value" and a newline.
void put_line(const char *name, uint32_t value);
// Name and bytes, in hexadecimal.
void put_bytes(const char *name, const uint8_t *bytes, size_t count);
__attribute__((noreturn)) void exit_with(int code);

// A xorshift sequence that starts the same in every run.
uint32_t next_random(void);

// FNV-1a over bytes, to be continued from an earlier digest.
#define DIGEST_START 2166136261u
uint32_t digest(uint32_t so_far, const void *bytes, size_t count);

#endif
