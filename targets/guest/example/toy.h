#ifndef TOY_H
#define TOY_H
#include <stdint.h>
/* A toy: learning with errors over 64 x 8 matrices modulo 2^12, far too small to be secure, and without protection against chosen
   ciphertexts. It shows how a KEM in C is profiled. */
#define TOY_N 64
#define TOY_COLUMNS 8
#define TOY_SEED 32
#define TOY_PACKED (2 * TOY_N * TOY_COLUMNS)
#define TOY_PUBLIC (TOY_SEED + TOY_PACKED)
#define TOY_SECRET (TOY_PACKED + TOY_PUBLIC)
#define TOY_CIPHERTEXT (TOY_PACKED + 2 * TOY_COLUMNS * TOY_COLUMNS)
#define TOY_SHARED 32

/* Fills so many bytes with randomness: the interface's own generator. */
typedef void toy_random(unsigned char *out, unsigned long long bytes);

int toy_keypair(unsigned char *pk, unsigned char *sk, toy_random *random);
int toy_encapsulate(unsigned char *ct, unsigned char *ss, const unsigned char *pk, toy_random *random);
int toy_decapsulate(unsigned char *ss, const unsigned char *ct, const unsigned char *sk);
#endif
