// The digest of a block that is the sum of two, both expanded: of a message and of a counter.
//
//   r0   the chaining value, eight words
//   r1   the words of the message's block, 68 of them
//   r2   the words of the counter's block
//   r3   where the digest goes, 32 bytes
//
// r10: words of the message, s8: of the counter, both sixteen words on every sixteen rounds. Word j is in s(j modulo 8) from
// four rounds before its own.

// Word j + 4, and this round's.
.macro sm3_words_together ahead, now, offset
    vmov sm3_t, s8
    ldr sm3_y, [sm3_t, #\offset]
    ldr sm3_x, [r10, #\offset]
    eor sm3_x, sm3_x, sm3_y
    vmov s\ahead, sm3_x
    vmov r9, s\now
.endm

    push {{r0, r3, r4-r11, lr}}
    // How often the last sixteen rounds run, of 48.
    movs r3, #3
    push {{r3}}
    mov r10, r1
    vmov s8, r2
    ldm r1, {{r4-r7}}
    ldm r2, {{r8, r9, r11, r12}}
    eor r4, r4, r8
    eor r5, r5, r9
    eor r6, r6, r11
    eor r7, r7, r12
    vmov s0, r4
    vmov s1, r5
    vmov s2, r6
    vmov s3, r7
    sm3_parity_constant
    sm3_load_state

    sm3_words_together 4, 0, 16
    sm3_parity_round 0, r9, r0, r1, r2, r3, r4, r5, r6, r7
    sm3_words_together 5, 1, 20
    sm3_parity_round 1, r9, r3, r0, r1, r2, r7, r4, r5, r6
    sm3_words_together 6, 2, 24
    sm3_parity_round 2, r9, r2, r3, r0, r1, r6, r7, r4, r5
    sm3_words_together 7, 3, 28
    sm3_parity_round 3, r9, r1, r2, r3, r0, r5, r6, r7, r4
    sm3_words_together 0, 4, 32
    sm3_parity_round 4, r9, r0, r1, r2, r3, r4, r5, r6, r7
    sm3_words_together 1, 5, 36
    sm3_parity_round 5, r9, r3, r0, r1, r2, r7, r4, r5, r6
    sm3_words_together 2, 6, 40
    sm3_parity_round 6, r9, r2, r3, r0, r1, r6, r7, r4, r5
    sm3_words_together 3, 7, 44
    sm3_parity_round 7, r9, r1, r2, r3, r0, r5, r6, r7, r4
    sm3_words_together 4, 0, 48
    sm3_parity_round 8, r9, r0, r1, r2, r3, r4, r5, r6, r7
    sm3_words_together 5, 1, 52
    sm3_parity_round 9, r9, r3, r0, r1, r2, r7, r4, r5, r6
    sm3_words_together 6, 2, 56
    sm3_parity_round 10, r9, r2, r3, r0, r1, r6, r7, r4, r5
    sm3_words_together 7, 3, 60
    sm3_parity_round 11, r9, r1, r2, r3, r0, r5, r6, r7, r4
    sm3_words_together 0, 4, 64
    sm3_parity_round 12, r9, r0, r1, r2, r3, r4, r5, r6, r7
    sm3_words_together 1, 5, 68
    sm3_parity_round 13, r9, r3, r0, r1, r2, r7, r4, r5, r6
    sm3_words_together 2, 6, 72
    sm3_parity_round 14, r9, r2, r3, r0, r1, r6, r7, r4, r5
    sm3_words_together 3, 7, 76
    sm3_parity_round 15, r9, r1, r2, r3, r0, r5, r6, r7, r4

    sm3_other_constant
2:
    ror r8, r8, #16
    add r10, r10, #64
    vmov sm3_t, s8
    add sm3_t, sm3_t, #64
    vmov s8, sm3_t
    sm3_words_together 4, 0, 16
    sm3_round 0, r9, r0, r1, r2, r3, r4, r5, r6, r7
    sm3_words_together 5, 1, 20
    sm3_round 1, r9, r3, r0, r1, r2, r7, r4, r5, r6
    sm3_words_together 6, 2, 24
    sm3_round 2, r9, r2, r3, r0, r1, r6, r7, r4, r5
    sm3_words_together 7, 3, 28
    sm3_round 3, r9, r1, r2, r3, r0, r5, r6, r7, r4
    sm3_words_together 0, 4, 32
    sm3_round 4, r9, r0, r1, r2, r3, r4, r5, r6, r7
    sm3_words_together 1, 5, 36
    sm3_round 5, r9, r3, r0, r1, r2, r7, r4, r5, r6
    sm3_words_together 2, 6, 40
    sm3_round 6, r9, r2, r3, r0, r1, r6, r7, r4, r5
    sm3_words_together 3, 7, 44
    sm3_round 7, r9, r1, r2, r3, r0, r5, r6, r7, r4
    sm3_words_together 4, 0, 48
    sm3_round 8, r9, r0, r1, r2, r3, r4, r5, r6, r7
    sm3_words_together 5, 1, 52
    sm3_round 9, r9, r3, r0, r1, r2, r7, r4, r5, r6
    sm3_words_together 6, 2, 56
    sm3_round 10, r9, r2, r3, r0, r1, r6, r7, r4, r5
    sm3_words_together 7, 3, 60
    sm3_round 11, r9, r1, r2, r3, r0, r5, r6, r7, r4
    sm3_words_together 0, 4, 64
    sm3_round 12, r9, r0, r1, r2, r3, r4, r5, r6, r7
    sm3_words_together 1, 5, 68
    sm3_round 13, r9, r3, r0, r1, r2, r7, r4, r5, r6
    sm3_words_together 2, 6, 72
    sm3_round 14, r9, r2, r3, r0, r1, r6, r7, r4, r5
    sm3_words_together 3, 7, 76
    sm3_round 15, r9, r1, r2, r3, r0, r5, r6, r7, r4
    ldr sm3_x, [sp]
    subs sm3_x, sm3_x, #1
    str sm3_x, [sp]
    bne 2b

    pop {{r8}}
    pop {{r8, r9}}
    ldm r8!, {{r10, r11, r12, lr}}
    eor r0, r0, r10
    eor r1, r1, r11
    eor r2, r12, r2, ror #23
    eor r3, lr, r3, ror #23
    rev r0, r0
    rev r1, r1
    rev r2, r2
    rev r3, r3
    str r0, [r9]
    str r1, [r9, #4]
    str r2, [r9, #8]
    str r3, [r9, #12]
    ldm r8, {{r10, r11, r12, lr}}
    eor r4, r4, r10
    eor r5, r5, r11
    eor r6, r12, r6, ror #13
    eor r7, lr, r7, ror #13
    rev r4, r4
    rev r5, r5
    rev r6, r6
    rev r7, r7
    str r4, [r9, #16]
    str r5, [r9, #20]
    str r6, [r9, #24]
    str r7, [r9, #28]
    pop {{r4-r11, pc}}
