// Keccak-f[1600] with 64-bit lanes, and SHAKE and SHA3 on it. The test knows the digest of the empty message.

#include "support.h"

static const uint64_t round_constants[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808A, 0x8000000080008000, 0x000000000000808B,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008A, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000A, 0x000000008000808B, 0x800000000000008B, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800A, 0x800000008000000A,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};
static const uint8_t rotations[24] = {1,  3,  6,  10, 15, 21, 28, 36, 45, 55, 2,  14,
                                      27, 41, 56, 8,  25, 43, 62, 18, 39, 61, 20, 44};
static const uint8_t lanes[24] = {10, 7,  11, 17, 18, 3, 5,  16, 8,  21, 24, 4,
                                  15, 23, 19, 13, 12, 2, 20, 14, 22, 9,  6,  1};

static uint64_t rotate(uint64_t x, unsigned by) { return (x << by) | (x >> (64 - by)); }

static void permute(uint64_t s[25]) {
    for (int round = 0; round < 24; round++) {
        uint64_t column[5];
        for (int i = 0; i < 5; i++) column[i] = s[i] ^ s[i + 5] ^ s[i + 10] ^ s[i + 15] ^ s[i + 20];
        for (int i = 0; i < 5; i++) {
            const uint64_t mix = column[(i + 4) % 5] ^ rotate(column[(i + 1) % 5], 1);
            for (int j = 0; j < 25; j += 5) s[j + i] ^= mix;
        }
        uint64_t carried = s[1];
        for (int i = 0; i < 24; i++) {
            const uint64_t next = s[lanes[i]];
            s[lanes[i]] = rotate(carried, rotations[i]);
            carried = next;
        }
        for (int j = 0; j < 25; j += 5) {
            uint64_t row[5];
            for (int i = 0; i < 5; i++) row[i] = s[j + i];
            for (int i = 0; i < 5; i++) s[j + i] = row[i] ^ (~row[(i + 1) % 5] & row[(i + 2) % 5]);
        }
        s[0] ^= round_constants[round];
    }
}

static void sponge(size_t rate, uint8_t suffix, const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size) {
    uint64_t state[25] = {0};
    uint8_t *bytes = (uint8_t *)state;
    size_t at = 0;
    for (size_t i = 0; i < in_size; i++) {
        bytes[at++] ^= in[i];
        if (at == rate) {
            permute(state);
            at = 0;
        }
    }
    bytes[at] ^= suffix;
    bytes[rate - 1] ^= 0x80;
    permute(state);
    at = 0;
    for (size_t i = 0; i < out_size; i++) {
        if (at == rate) {
            permute(state);
            at = 0;
        }
        out[i] = bytes[at++];
    }
}

int main(void) {
    static uint8_t message[500], out[700];
    sponge(136, 0x06, message, 0, out, 32);
    put_bytes("sha3-256 of nothing", out, 32);
    for (size_t i = 0; i < sizeof message; i++) message[i] = (uint8_t)(i * 7 + (i >> 3));
    for (size_t size = 0; size <= sizeof message; size += 125) {
        sponge(168, 0x1F, message, size, out, sizeof out);
        put_line("shake128", digest(DIGEST_START, out, sizeof out));
        sponge(136, 0x1F, message, size, out, 200);
        put_line("shake256", digest(DIGEST_START, out, 200));
        sponge(72, 0x06, message, size, out, 64);
        put_bytes("sha3-512", out, 64);
    }
    return 0;
}
