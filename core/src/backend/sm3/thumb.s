// The compression function of SM3 (GB/T 32905-2016, section 5.3) for ARMv7E-M with a floating-point unit, whose registers
// hold sixteen words of the expanded message.
//
//   r0   the chaining value, eight words
//   r1   the block, sixteen words
//
// Registers: r0 to r7 are A to H, renamed from round to round; r8 the constant of these rounds, which each turns by its own
// number for nothing; r9 and r10 the word of this round and of the next; r11, r12 and lr scratch. Word j is in s(j modulo 16).
//
// C and D are yet to be turned left by 9 bits, G and H by 19: what reads them does that for nothing.

    .fpu fpv4-sp-d16

sm3_constant .req r8
sm3_t .req r11
sm3_x .req r12
sm3_y .req lr

// Word j + 4 and the next round's: as they are, for the first twelve rounds.
.macro sm3_words_of_block next, w4, w1
    vmov sm3_x, s\w4
    vmov \next, s\w1
.endm

// Word j + 4 from the 16th, 13th, 9th, 6th and 3rd before it, which is the next round's.
.macro sm3_words_expanded next, w4, w1, w16, w13, w9, w6
    vmov sm3_x, s\w16
    vmov sm3_y, s\w9
    vmov \next, s\w1
    eor sm3_x, sm3_x, sm3_y
    eor sm3_x, sm3_x, \next, ror #17
    eor sm3_y, sm3_x, sm3_x, ror #17
    eor sm3_x, sm3_y, sm3_x, ror #9
    vmov sm3_y, s\w13
    eor sm3_x, sm3_x, sm3_y, ror #25
    vmov sm3_y, s\w6
    eor sm3_x, sm3_x, sm3_y
    vmov s\w4, sm3_x
.endm

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

    push {{r0, r4-r11, lr}}
    // How often the last sixteen rounds run, of 48.
    movs r2, #3
    push {{r2}}
    vldmia r1, {{s0-s15}}
    movw r8, #0x4519
    movt r8, #0x79cc
    ldm r0, {{r0-r7}}
    ror r2, r2, #9
    ror r3, r3, #9
    ror r6, r6, #19
    ror r7, r7, #19
    vmov r9, s0

    sm3_words_of_block r10, 4, 1
    sm3_parity_round 0, r9, r0, r1, r2, r3, r4, r5, r6, r7
    sm3_words_of_block r9, 5, 2
    sm3_parity_round 1, r10, r3, r0, r1, r2, r7, r4, r5, r6
    sm3_words_of_block r10, 6, 3
    sm3_parity_round 2, r9, r2, r3, r0, r1, r6, r7, r4, r5
    sm3_words_of_block r9, 7, 4
    sm3_parity_round 3, r10, r1, r2, r3, r0, r5, r6, r7, r4
    sm3_words_of_block r10, 8, 5
    sm3_parity_round 4, r9, r0, r1, r2, r3, r4, r5, r6, r7
    sm3_words_of_block r9, 9, 6
    sm3_parity_round 5, r10, r3, r0, r1, r2, r7, r4, r5, r6
    sm3_words_of_block r10, 10, 7
    sm3_parity_round 6, r9, r2, r3, r0, r1, r6, r7, r4, r5
    sm3_words_of_block r9, 11, 8
    sm3_parity_round 7, r10, r1, r2, r3, r0, r5, r6, r7, r4
    sm3_words_of_block r10, 12, 9
    sm3_parity_round 8, r9, r0, r1, r2, r3, r4, r5, r6, r7
    sm3_words_of_block r9, 13, 10
    sm3_parity_round 9, r10, r3, r0, r1, r2, r7, r4, r5, r6
    sm3_words_of_block r10, 14, 11
    sm3_parity_round 10, r9, r2, r3, r0, r1, r6, r7, r4, r5
    sm3_words_of_block r9, 15, 12
    sm3_parity_round 11, r10, r1, r2, r3, r0, r5, r6, r7, r4
    sm3_words_expanded r10, 0, 13, 0, 3, 7, 10
    sm3_parity_round 12, r9, r0, r1, r2, r3, r4, r5, r6, r7
    sm3_words_expanded r9, 1, 14, 1, 4, 8, 11
    sm3_parity_round 13, r10, r3, r0, r1, r2, r7, r4, r5, r6
    sm3_words_expanded r10, 2, 15, 2, 5, 9, 12
    sm3_parity_round 14, r9, r2, r3, r0, r1, r6, r7, r4, r5
    sm3_words_expanded r9, 3, 0, 3, 6, 10, 13
    sm3_parity_round 15, r10, r1, r2, r3, r0, r5, r6, r7, r4

    movw r8, #0x9d8a
    movt r8, #0x7a87
    // The rounds' own numbers are 16 more every time.
2:
    ror r8, r8, #16
    sm3_words_expanded r10, 4, 1, 4, 7, 11, 14
    sm3_round 0, r9, r0, r1, r2, r3, r4, r5, r6, r7
    sm3_words_expanded r9, 5, 2, 5, 8, 12, 15
    sm3_round 1, r10, r3, r0, r1, r2, r7, r4, r5, r6
    sm3_words_expanded r10, 6, 3, 6, 9, 13, 0
    sm3_round 2, r9, r2, r3, r0, r1, r6, r7, r4, r5
    sm3_words_expanded r9, 7, 4, 7, 10, 14, 1
    sm3_round 3, r10, r1, r2, r3, r0, r5, r6, r7, r4
    sm3_words_expanded r10, 8, 5, 8, 11, 15, 2
    sm3_round 4, r9, r0, r1, r2, r3, r4, r5, r6, r7
    sm3_words_expanded r9, 9, 6, 9, 12, 0, 3
    sm3_round 5, r10, r3, r0, r1, r2, r7, r4, r5, r6
    sm3_words_expanded r10, 10, 7, 10, 13, 1, 4
    sm3_round 6, r9, r2, r3, r0, r1, r6, r7, r4, r5
    sm3_words_expanded r9, 11, 8, 11, 14, 2, 5
    sm3_round 7, r10, r1, r2, r3, r0, r5, r6, r7, r4
    sm3_words_expanded r10, 12, 9, 12, 15, 3, 6
    sm3_round 8, r9, r0, r1, r2, r3, r4, r5, r6, r7
    sm3_words_expanded r9, 13, 10, 13, 0, 4, 7
    sm3_round 9, r10, r3, r0, r1, r2, r7, r4, r5, r6
    sm3_words_expanded r10, 14, 11, 14, 1, 5, 8
    sm3_round 10, r9, r2, r3, r0, r1, r6, r7, r4, r5
    sm3_words_expanded r9, 15, 12, 15, 2, 6, 9
    sm3_round 11, r10, r1, r2, r3, r0, r5, r6, r7, r4
    sm3_words_expanded r10, 0, 13, 0, 3, 7, 10
    sm3_round 12, r9, r0, r1, r2, r3, r4, r5, r6, r7
    sm3_words_expanded r9, 1, 14, 1, 4, 8, 11
    sm3_round 13, r10, r3, r0, r1, r2, r7, r4, r5, r6
    sm3_words_expanded r10, 2, 15, 2, 5, 9, 12
    sm3_round 14, r9, r2, r3, r0, r1, r6, r7, r4, r5
    sm3_words_expanded r9, 3, 0, 3, 6, 10, 13
    sm3_round 15, r10, r1, r2, r3, r0, r5, r6, r7, r4
    ldr sm3_x, [sp]
    subs sm3_x, sm3_x, #1
    str sm3_x, [sp]
    bne 2b

    pop {{r8}}
    pop {{r8}}
    ldm r8, {{r9, r10, r11, r12}}
    eor r0, r0, r9
    eor r1, r1, r10
    eor r2, r11, r2, ror #23
    eor r3, r12, r3, ror #23
    stm r8!, {{r0-r3}}
    ldm r8, {{r9, r10, r11, r12}}
    eor r4, r4, r9
    eor r5, r5, r10
    eor r6, r11, r6, ror #13
    eor r7, r12, r7, ror #13
    stm r8, {{r4-r7}}
    pop {{r4-r11, pc}}

.unreq sm3_constant
.unreq sm3_t
.unreq sm3_x
.unreq sm3_y
