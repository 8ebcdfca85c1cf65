/* The toy under NIST's interface (that of SUPERCOP, PQClean and mupq, too). */
#include "api.h"
#include "toy.h"

int randombytes(unsigned char *out, size_t bytes);

static void random(unsigned char *out, unsigned long long bytes) { randombytes(out, bytes); }

int toy_crypto_kem_keypair(unsigned char *pk, unsigned char *sk) { return toy_keypair(pk, sk, random); }

int toy_crypto_kem_enc(unsigned char *ct, unsigned char *ss, const unsigned char *pk) {
    return toy_encapsulate(ct, ss, pk, random);
}

int toy_crypto_kem_dec(unsigned char *ss, const unsigned char *ct, const unsigned char *sk) {
    return toy_decapsulate(ss, ct, sk);
}
