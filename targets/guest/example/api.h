#ifndef TOY_API_H
#define TOY_API_H
#include "toy.h"
#include <stddef.h>
#define toy_CRYPTO_PUBLICKEYBYTES TOY_PUBLIC
#define toy_CRYPTO_SECRETKEYBYTES TOY_SECRET
#define toy_CRYPTO_CIPHERTEXTBYTES TOY_CIPHERTEXT
#define toy_CRYPTO_BYTES TOY_SHARED
int toy_crypto_kem_keypair(unsigned char *pk, unsigned char *sk);
int toy_crypto_kem_enc(unsigned char *ct, unsigned char *ss, const unsigned char *pk);
int toy_crypto_kem_dec(unsigned char *ss, const unsigned char *ct, const unsigned char *sk);
#endif
