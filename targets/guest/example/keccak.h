#ifndef TOY_KECCAK_H
#define TOY_KECCAK_H
#include <stddef.h>
#include <stdint.h>
void toy_shake128(unsigned char *out, size_t out_bytes, const unsigned char *in, size_t in_bytes);
void toy_sha3_256(unsigned char *out, const unsigned char *in, size_t in_bytes);
#endif
