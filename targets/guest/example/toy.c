#include "toy.h"
#include "keccak.h"
#include <string.h>

typedef uint16_t column_matrix[TOY_N][TOY_COLUMNS];
enum { MODULUS = 4096, HALF = MODULUS / 2, MESSAGE = TOY_COLUMNS * TOY_COLUMNS / 8 };

static void pack(unsigned char *out, const uint16_t *in, size_t count) {
    for (size_t i = 0; i < count; i++) out[2 * i] = (unsigned char)in[i], out[2 * i + 1] = (unsigned char)(in[i] >> 8);
}

static void unpack(uint16_t *out, const unsigned char *in, size_t count) {
    for (size_t i = 0; i < count; i++) out[i] = (uint16_t)((in[2 * i] | in[2 * i + 1] << 8) % MODULUS);
}

/* One row of the public matrix. */
static void matrix_row(uint16_t row[TOY_N], const unsigned char seed[TOY_SEED], unsigned index) {
    unsigned char in[TOY_SEED + 1], out[2 * TOY_N];
    memcpy(in, seed, TOY_SEED);
    in[TOY_SEED] = (unsigned char)index;
    toy_shake128(out, sizeof out, in, sizeof in);
    unpack(row, out, TOY_N);
}

/* Small numbers, from -1 to 1. */
static void noise(uint16_t *out, size_t count, const unsigned char seed[TOY_SEED], unsigned nonce) {
    unsigned char in[TOY_SEED + 2], bytes[TOY_N * TOY_COLUMNS];
    memcpy(in, seed, TOY_SEED);
    in[TOY_SEED] = (unsigned char)nonce;
    in[TOY_SEED + 1] = 0xff;
    toy_shake128(bytes, count, in, sizeof in);
    for (size_t i = 0; i < count; i++) out[i] = (uint16_t)((bytes[i] & 1) - (bytes[i] >> 1 & 1)) % MODULUS;
}

int toy_keypair(unsigned char *pk, unsigned char *sk, toy_random *random) {
    unsigned char seeds[2 * TOY_SEED];
    column_matrix s, b;
    random(seeds, sizeof seeds);
    noise(s[0], TOY_N * TOY_COLUMNS, seeds + TOY_SEED, 0);
    noise(b[0], TOY_N * TOY_COLUMNS, seeds + TOY_SEED, 1);
    for (unsigned i = 0; i < TOY_N; i++) {
        uint16_t row[TOY_N];
        matrix_row(row, seeds, i);
        for (unsigned k = 0; k < TOY_N; k++)
            for (unsigned j = 0; j < TOY_COLUMNS; j++) b[i][j] = (uint16_t)(b[i][j] + row[k] * s[k][j]) % MODULUS;
    }
    memcpy(pk, seeds, TOY_SEED);
    pack(pk + TOY_SEED, b[0], TOY_N * TOY_COLUMNS);
    pack(sk, s[0], TOY_N * TOY_COLUMNS);
    memcpy(sk + TOY_PACKED, pk, TOY_PUBLIC);
    return 0;
}

static void shared(unsigned char *ss, const unsigned char message[MESSAGE], const unsigned char *ct) {
    unsigned char in[MESSAGE + TOY_CIPHERTEXT];
    memcpy(in, message, MESSAGE);
    memcpy(in + MESSAGE, ct, TOY_CIPHERTEXT);
    toy_sha3_256(ss, in, sizeof in);
}

int toy_encapsulate(unsigned char *ct, unsigned char *ss, const unsigned char *pk, toy_random *random) {
    unsigned char drawn[TOY_SEED + MESSAGE];
    column_matrix r, u, b;
    uint16_t v[TOY_COLUMNS][TOY_COLUMNS];
    random(drawn, sizeof drawn);
    noise(r[0], TOY_N * TOY_COLUMNS, drawn, 0);
    noise(u[0], TOY_N * TOY_COLUMNS, drawn, 1);
    noise(v[0], TOY_COLUMNS * TOY_COLUMNS, drawn, 2);
    for (unsigned i = 0; i < TOY_N; i++) {
        uint16_t row[TOY_N];
        matrix_row(row, pk, i);
        for (unsigned k = 0; k < TOY_N; k++)
            for (unsigned j = 0; j < TOY_COLUMNS; j++) u[k][j] = (uint16_t)(u[k][j] + row[k] * r[i][j]) % MODULUS;
    }
    unpack(b[0], pk + TOY_SEED, TOY_N * TOY_COLUMNS);
    for (unsigned i = 0; i < TOY_COLUMNS; i++)
        for (unsigned j = 0; j < TOY_COLUMNS; j++) {
            unsigned bit = TOY_COLUMNS * i + j, sum = v[i][j];
            for (unsigned k = 0; k < TOY_N; k++) sum += (unsigned)b[k][i] * r[k][j];
            sum += (drawn[TOY_SEED + bit / 8] >> bit % 8 & 1) * HALF;
            v[i][j] = (uint16_t)(sum % MODULUS);
        }
    pack(ct, u[0], TOY_N * TOY_COLUMNS);
    pack(ct + TOY_PACKED, v[0], TOY_COLUMNS * TOY_COLUMNS);
    shared(ss, drawn + TOY_SEED, ct);
    return 0;
}

int toy_decapsulate(unsigned char *ss, const unsigned char *ct, const unsigned char *sk) {
    unsigned char message[MESSAGE] = {0};
    column_matrix s, u;
    uint16_t v[TOY_COLUMNS][TOY_COLUMNS];
    unpack(s[0], sk, TOY_N * TOY_COLUMNS);
    unpack(u[0], ct, TOY_N * TOY_COLUMNS);
    unpack(v[0], ct + TOY_PACKED, TOY_COLUMNS * TOY_COLUMNS);
    for (unsigned i = 0; i < TOY_COLUMNS; i++)
        for (unsigned j = 0; j < TOY_COLUMNS; j++) {
            unsigned bit = TOY_COLUMNS * i + j, sum = v[i][j] + MODULUS / 4;
            for (unsigned k = 0; k < TOY_N; k++) sum += (MODULUS - s[k][i]) * (unsigned)u[k][j];
            message[bit / 8] |= (unsigned char)((sum % MODULUS >= HALF) << bit % 8);
        }
    shared(ss, message, ct);
    return 0;
}
