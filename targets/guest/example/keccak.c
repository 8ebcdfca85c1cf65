/* SHAKE128 and SHA3-256 (FIPS 202), short and plain. */
#include "keccak.h"
#include <string.h>

static uint64_t rotated(uint64_t x, unsigned by) { return by ? x << by | x >> (64 - by) : x; }

/* Keccak-f[1600] (FIPS 202, section 3.3); the round constants come from their shift register (algorithm 5). */
static void permute(uint64_t a[25]) {
    uint8_t lfsr = 1;
    for (int round = 0; round < 24; round++) {
        uint64_t c[5], b[25];
        for (int x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        for (int x = 0; x < 5; x++) {
            uint64_t d = c[(x + 4) % 5] ^ rotated(c[(x + 1) % 5], 1);
            for (int y = 0; y < 25; y += 5) a[x + y] ^= d;
        }
        int x = 1, y = 0;
        b[0] = a[0];
        for (unsigned t = 0; t < 24; t++) {
            int next = (2 * x + 3 * y) % 5;
            b[y + 5 * next] = rotated(a[x + 5 * y], (t + 1) * (t + 2) / 2 % 64);
            x = y;
            y = next;
        }
        for (int row = 0; row < 25; row += 5)
            for (int i = 0; i < 5; i++) a[row + i] = b[row + i] ^ (~b[row + (i + 1) % 5] & b[row + (i + 2) % 5]);
        for (unsigned j = 0; j < 7; j++) {
            if (lfsr & 1) a[0] ^= (uint64_t)1 << ((1u << j) - 1);
            lfsr = (uint8_t)(lfsr << 1 ^ (lfsr >> 7) * 0x71);
        }
    }
}

static void sponge(unsigned char *out, size_t out_bytes, const unsigned char *in, size_t in_bytes, size_t rate, uint8_t suffix) {
    uint64_t state[25] = {0};
    size_t at = 0;
    for (size_t i = 0; i < in_bytes; i++) {
        state[at / 8] ^= (uint64_t)in[i] << (8 * (at % 8));
        if (++at == rate) permute(state), at = 0;
    }
    state[at / 8] ^= (uint64_t)suffix << (8 * (at % 8));
    state[(rate - 1) / 8] ^= (uint64_t)0x80 << 56;
    permute(state);
    for (size_t i = 0, from = 0; i < out_bytes; i++, from++) {
        if (from == rate) permute(state), from = 0;
        out[i] = (unsigned char)(state[from / 8] >> (8 * (from % 8)));
    }
}

void toy_shake128(unsigned char *out, size_t out_bytes, const unsigned char *in, size_t in_bytes) {
    sponge(out, out_bytes, in, in_bytes, 168, 0x1f);
}

void toy_sha3_256(unsigned char *out, const unsigned char *in, size_t in_bytes) {
    sponge(out, 32, in, in_bytes, 136, 0x06);
}
