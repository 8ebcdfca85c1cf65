// The transform of FIPS 203, section 4.3, and its inverse on two coefficients at once, for ARMv7E-M: coefficients 2i and
// 2i + 1 are a word and meet the same factors in every layer. Three layers at a time happen in registers.
//
// A factor is a word, made so that two multiplications give the product modulo q, from -q/2 to q/2, in the upper half of a
// register (Plantard's reduction): the upper half of the lower word of value times factor, plus 8, times q.
//
// r1: the factor at hand; r2 to r9: coefficients; r10: q; r11: 8 q; r12: scratch.

    .fpu fpv4-sp-d16

.ifndef .Lmlkem_macros
.set .Lmlkem_macros, 1

// Loads q and 8 q.
.macro mlkem_modulus
    movw r10, #{q}
    movw r11, #(8 * {q})
.endm

// Both halves of `word` times `factor`, to the upper halves of `low` and `high`, which may be `word`.
.macro mlkem_multiply low, high, word, factor
    smulwb \low, \factor, \word
    smulwt \high, \factor, \word
    smlabb \low, \low, r10, r11
    smlabb \high, \high, r10, r11
.endm

// `word` times `factor`.
.macro mlkem_scale word, factor
    mlkem_multiply r12, \word, \word, \factor
    pkhtb \word, \word, r12, asr #16
.endm

// (a, b) to (a + factor b, a - factor b).
.macro mlkem_butterfly a, b, factor
    mlkem_multiply r12, \b, \b, \factor
    pkhtb r12, \b, r12, asr #16
    usub16 \b, \a, r12
    uadd16 \a, \a, r12
.endm

// (a, b) to (a + b, factor (a - b)).
.macro mlkem_inverse_butterfly a, b, factor
    usub16 r12, \a, \b
    uadd16 \a, \a, \b
    mlkem_multiply \b, r12, r12, \factor
    pkhtb \b, r12, \b, asr #16
.endm

// Two pairs from their constant coefficients, in `second`, and their linear ones.
.macro mlkem_join first, second, linear
    pkhbt \first, \second, \linear, lsl #16
    pkhtb \second, \linear, \second, asr #16
.endm

// Eight words, `step` bytes apart.
.macro mlkem_load from, step
    ldr r2, [\from]
    ldr r3, [\from, #(1 * \step)]
    ldr r4, [\from, #(2 * \step)]
    ldr r5, [\from, #(3 * \step)]
    ldr r6, [\from, #(4 * \step)]
    ldr r7, [\from, #(5 * \step)]
    ldr r8, [\from, #(6 * \step)]
    ldr r9, [\from, #(7 * \step)]
.endm

.macro mlkem_store to, step
    str r3, [\to, #(1 * \step)]
    str r4, [\to, #(2 * \step)]
    str r5, [\to, #(3 * \step)]
    str r6, [\to, #(4 * \step)]
    str r7, [\to, #(5 * \step)]
    str r8, [\to, #(6 * \step)]
    str r9, [\to, #(7 * \step)]
    str r2, [\to], #4
.endm

// Three layers of eight words, with the factors in s0 to s6, in the order in which FIPS 203 numbers them.
.macro mlkem_three_layers
    vmov r1, s0
    mlkem_butterfly r2, r6, r1
    mlkem_butterfly r3, r7, r1
    mlkem_butterfly r4, r8, r1
    mlkem_butterfly r5, r9, r1
    vmov r1, s1
    mlkem_butterfly r2, r4, r1
    mlkem_butterfly r3, r5, r1
    vmov r1, s2
    mlkem_butterfly r6, r8, r1
    mlkem_butterfly r7, r9, r1
    vmov r1, s3
    mlkem_butterfly r2, r3, r1
    vmov r1, s4
    mlkem_butterfly r4, r5, r1
    vmov r1, s5
    mlkem_butterfly r6, r7, r1
    vmov r1, s6
    mlkem_butterfly r8, r9, r1
.endm

.endif
