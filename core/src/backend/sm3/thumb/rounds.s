// The rounds of SM3 (GB/T 32905-2016, section 5.3) for ARMv7E-M with a floating-point unit.
//
// Registers: r0 to r7 are A to H, renamed from round to round; r8 the constant of these rounds, which each turns by its own
// number for nothing; r9 the word of this round; r11, r12 and lr scratch.
//
// C and D are yet to be turned left by 9 bits, G and H by 19: what reads them does that for nothing.

    .fpu fpv4-sp-d16

.ifndef .Lsm3_macros
.set .Lsm3_macros, 1

sm3_constant .req r8
sm3_t .req r11
sm3_x .req r12
sm3_y .req lr

// What both kinds of rounds begin with: t is SS1 before its turn by 7, y is W' + SS2 + D.
.macro sm3_begin j, word, a, d, e
    eor sm3_y, \word, sm3_x
    add sm3_t, \e, \a, ror #20
    add sm3_t, sm3_t, sm3_constant, ror #((32 - \j) & 31)
    eor sm3_x, \a, sm3_t, ror #5
    add sm3_y, sm3_y, sm3_x, ror #20
    add sm3_y, sm3_y, \d, ror #23
.endm

// And what they go on with: y is W + SS1 + H.
.macro sm3_second word, h
    add sm3_y, \word, sm3_t, ror #25
    add sm3_y, sm3_y, \h, ror #13
.endm

// P0.
.macro sm3_end h
    eor sm3_x, sm3_y, sm3_y, ror #23
    eor \h, sm3_x, sm3_y, ror #15
.endm

.macro sm3_parity_round j, word, a, b, c, d, e, f, g, h
    sm3_begin \j, \word, \a, \d, \e
    eor sm3_x, \a, \b
    eor sm3_x, sm3_x, \c, ror #23
    add \d, sm3_y, sm3_x
    sm3_second \word, \h
    eor sm3_x, \e, \f
    eor sm3_x, sm3_x, \g, ror #13
    add sm3_y, sm3_y, sm3_x
    sm3_end \h
.endm

// Majority is the sum of A & B and (A ^ B) & C, and choice that of E & F and G & ~E: no bit is in both.
.macro sm3_round j, word, a, b, c, d, e, f, g, h
    sm3_begin \j, \word, \a, \d, \e
    and sm3_x, \a, \b
    add sm3_y, sm3_y, sm3_x
    eor sm3_x, \a, \b
    and sm3_x, sm3_x, \c, ror #23
    add \d, sm3_y, sm3_x
    sm3_second \word, \h
    and sm3_x, \e, \f
    add sm3_y, sm3_y, sm3_x
    bic sm3_x, \g, \e, ror #19
    add sm3_y, sm3_y, sm3_x, ror #13
    sm3_end \h
.endm

// The constants of the first sixteen rounds, and of the others. Sixteen rounds later their turns are sixteen more.
.macro sm3_parity_constant
    movw r8, #0x4519
    movt r8, #0x79cc
.endm

.macro sm3_other_constant
    movw r8, #0x9d8a
    movt r8, #0x7a87
.endm

// Registers from a chaining value at r0.
.macro sm3_load_state
    ldm r0, {{r0-r7}}
    ror r2, r2, #9
    ror r3, r3, #9
    ror r6, r6, #19
    ror r7, r7, #19
.endm

.endif
