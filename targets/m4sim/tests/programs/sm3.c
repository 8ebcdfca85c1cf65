// The hash SM3 (GB/T 32905). The test knows the digest of "abc".

#include <string.h>

#include "support.h"

static uint32_t rotate(uint32_t x, unsigned by) { return by % 32 ? (x << by % 32) | (x >> (32 - by % 32)) : x; }
static uint32_t p0(uint32_t x) { return x ^ rotate(x, 9) ^ rotate(x, 17); }
static uint32_t p1(uint32_t x) { return x ^ rotate(x, 15) ^ rotate(x, 23); }

static void compress(uint32_t v[8], const uint8_t block[64]) {
    uint32_t w[68];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 68; i++) w[i] = p1(w[i - 16] ^ w[i - 9] ^ rotate(w[i - 3], 15)) ^ rotate(w[i - 13], 7) ^ w[i - 6];
    uint32_t a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6], h = v[7];
    for (unsigned i = 0; i < 64; i++) {
        const uint32_t t = i < 16 ? 0x79CC4519 : 0x7A879D8A;
        const uint32_t ss1 = rotate(rotate(a, 12) + e + rotate(t, i), 7);
        const uint32_t ff = i < 16 ? a ^ b ^ c : (a & b) | (a & c) | (b & c);
        const uint32_t gg = i < 16 ? e ^ f ^ g : (e & f) | (~e & g);
        const uint32_t tt1 = ff + d + (ss1 ^ rotate(a, 12)) + (w[i] ^ w[i + 4]);
        const uint32_t tt2 = gg + h + ss1 + w[i];
        d = c, c = rotate(b, 9), b = a, a = tt1;
        h = g, g = rotate(f, 19), f = e, e = p0(tt2);
    }
    v[0] ^= a, v[1] ^= b, v[2] ^= c, v[3] ^= d, v[4] ^= e, v[5] ^= f, v[6] ^= g, v[7] ^= h;
}

static void sm3(const uint8_t *message, size_t size, uint8_t out[32]) {
    uint32_t v[8] = {0x7380166F, 0x4914B2B9, 0x172442D7, 0xDA8A0600, 0xA96F30BC, 0x163138AA, 0xE38DEE4D, 0xB0FB0E4E};
    uint8_t block[64];
    size_t left = size;
    for (; left >= 64; left -= 64, message += 64) compress(v, message);
    memset(block, 0, sizeof block);
    memcpy(block, message, left);
    block[left] = 0x80;
    if (left >= 56) {
        compress(v, block);
        memset(block, 0, sizeof block);
    }
    const uint64_t bits = (uint64_t)size * 8;
    for (int i = 0; i < 8; i++) block[56 + i] = (uint8_t)(bits >> (56 - 8 * i));
    compress(v, block);
    for (int i = 0; i < 32; i++) out[i] = (uint8_t)(v[i / 4] >> (24 - 8 * (i % 4)));
}

int main(void) {
    static uint8_t message[300];
    uint8_t out[32];
    sm3((const uint8_t *)"abc", 3, out);
    put_bytes("sm3 of abc", out, 32);
    uint32_t all = DIGEST_START;
    for (size_t size = 0; size < sizeof message; size++) {
        message[size] = (uint8_t)next_random();
        sm3(message, size, out);
        all = digest(all, out, 32);
    }
    put_line("sm3 of every length", all);
    return 0;
}
