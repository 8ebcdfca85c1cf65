// Single and double precision: the FPU where the build has one, the compiler's library else; edges and random operands.

#include <math.h>
#include <string.h>

#include "support.h"

static const uint32_t edges[] = {
    0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x00000001, 0x807FFFFF, 0x00800000, 0x7F7FFFFF, 0x7F800000,
    0xFF800000, 0x7FC00000, 0x4F000000, 0xCF000000, 0x4F800000, 0x5F000000, 0x3F000000, 0x3EFFFFFF, 0x4B800001,
};
#define EDGES (sizeof edges / sizeof *edges)

static volatile float fa, fb, fc;
static volatile double da, db;

static float from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

// A NaN's payload may depend on the order in which the compiler puts operands; its being one may not.
static uint32_t add_float(uint32_t so_far, float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    if (isnan(value)) bits = 0x7FC00000;
    return digest(so_far, &bits, 4);
}

static uint32_t add_double(uint32_t so_far, double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    if (isnan(value)) bits = 0x7FF8000000000000;
    return digest(so_far, &bits, 8);
}

static float pick(void) {
    const uint32_t r = next_random();
    return from_bits(r % 4 == 0 ? edges[(r >> 8) % EDGES] : r % 4 == 1 ? (r & 0x807FFFFF) | 0x3F800000 : next_random());
}

static uint32_t single(uint32_t d) {
    const float a = fa, b = fb, c = fc;
    d = add_float(d, a + b);
    d = add_float(d, a - b);
    d = add_float(d, a * b);
    d = add_float(d, a / b);
    d = add_float(d, sqrtf(a));
    d = add_float(d, fmaf(a, b, c));
    d = add_float(d, fabsf(a));
    d = add_float(d, -b);
    const int compared = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5;
    return digest(d, &compared, sizeof compared);
}

static uint32_t conversions(uint32_t d) {
    const float a = fa;
    if (a > -2e9f && a < 2e9f) {
        const int32_t whole = (int32_t)a;
        const int64_t wide = (int64_t)(a * 1e6f);
        d = digest(digest(d, &whole, 4), &wide, 8);
        d = add_float(add_float(d, (float)whole), (float)wide);
        d = add_float(add_float(d, floorf(a)), rintf(a));
    }
    if (a >= 0 && a < 4e9f) {
        const uint32_t whole = (uint32_t)a;
        d = digest(d, &whole, 4);
        d = add_float(d, (float)whole);
    }
    d = add_double(d, (double)a);
    return add_float(d, (float)((double)a * 1.0000000001));
}

static uint32_t twice(uint32_t d) {
    const double a = da, b = db;
    d = add_double(d, a + b);
    d = add_double(d, a - b);
    d = add_double(d, a * b);
    d = add_double(d, a / b);
    d = add_double(d, sqrt(a));
    const int compared = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4;
    return digest(d, &compared, sizeof compared);
}

// Passing and returning many floating-point values exercises the calling convention of either kind.
__attribute__((noinline)) static float many(float a, double b, float c, int d, float e, double f, float g, float h) {
    return a + (float)b * c + (float)d * e - (float)f / g + h;
}

static float integrate(float (*f)(float), float from, float to) {
    const int steps = 200;
    const float width = (to - from) / (float)steps;
    float sum = 0;
    for (int i = 0; i < steps; i++) sum += f(from + width * ((float)i + 0.5f));
    return sum * width;
}

int main(void) {
    uint32_t d = DIGEST_START;
    for (size_t i = 0; i < EDGES; i++)
        for (size_t j = 0; j < EDGES; j++) {
            fa = from_bits(edges[i]), fb = from_bits(edges[j]), fc = from_bits(edges[(i + j) % EDGES]);
            d = single(d);
        }
    put_line("edges", d);
    for (int i = 0; i < 1500; i++) {
        fa = pick(), fb = pick(), fc = pick();
        d = conversions(single(d));
    }
    put_line("random singles", d);
    for (int i = 0; i < 600; i++) {
        da = (double)pick() * (double)pick(), db = (double)pick() + 1e-9 * (double)pick();
        d = twice(d);
    }
    put_line("random doubles", d);
    put_line("integral of sine", add_float(DIGEST_START, integrate(sinf, 0, 3.14159265f)));
    put_line("integral of exp", add_float(DIGEST_START, integrate(expf, -1, 2)));
    put_line("power", add_float(DIGEST_START, powf(1.7f, 9.3f) + logf(17.25f) + atan2f(-1, 3)));
    put_line("many", add_float(DIGEST_START, many(1.5f, 2.25, -3, 7, 0.125f, 1e10, 3e5f, -0.0f)));
    return 0;
}
