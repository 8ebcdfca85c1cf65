/* The toy under NGCC's interface: lengths through pointers, and a generator of its own. */
#include "keccak.h"
#include "toy.h"
#include <string.h>

typedef struct {
    unsigned char key[TOY_SEED];
    unsigned long long counter;
} DRNG_ctx;

DRNG_ctx drng_algorithm;

int init_random_number(DRNG_ctx *context, const unsigned char *seed, unsigned long long bytes) {
    toy_sha3_256(context->key, seed, bytes);
    context->counter = 0;
    return 0;
}

int get_random_number(DRNG_ctx *context, unsigned char *out, unsigned long long bits) {
    unsigned char in[TOY_SEED + 8];
    memcpy(in, context->key, TOY_SEED);
    for (int i = 0; i < 8; i++) in[TOY_SEED + i] = (unsigned char)(context->counter >> 8 * i);
    context->counter++;
    toy_shake128(out, bits / 8, in, sizeof in);
    return 0;
}

static void random(unsigned char *out, unsigned long long bytes) { get_random_number(&drng_algorithm, out, 8 * bytes); }

unsigned long long kem_get_pk_len_bytes(void) { return TOY_PUBLIC; }
unsigned long long kem_get_sk_len_bytes(void) { return TOY_SECRET; }
unsigned long long kem_get_ct_len_bytes(void) { return TOY_CIPHERTEXT; }
unsigned long long kem_get_ss_len_bytes(void) { return TOY_SHARED; }

int kem_keygen(unsigned char *pk, unsigned long long *pk_bytes, unsigned char *sk, unsigned long long *sk_bytes) {
    *pk_bytes = TOY_PUBLIC;
    *sk_bytes = TOY_SECRET;
    return toy_keypair(pk, sk, random);
}

int kem_enc(unsigned char *pk, unsigned long long pk_bytes, unsigned char *ss, unsigned long long *ss_bytes, unsigned char *ct,
            unsigned long long *ct_bytes) {
    (void)pk_bytes;
    *ss_bytes = TOY_SHARED;
    *ct_bytes = TOY_CIPHERTEXT;
    return toy_encapsulate(ct, ss, pk, random);
}

int kem_dec(unsigned char *sk, unsigned long long sk_bytes, unsigned char *ct, unsigned long long ct_bytes, unsigned char *ss,
            unsigned long long *ss_bytes) {
    (void)sk_bytes, (void)ct_bytes;
    *ss_bytes = TOY_SHARED;
    return toy_decapsulate(ss, ct, sk);
}
