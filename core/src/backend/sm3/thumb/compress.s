// Compresses a block. r0: the chaining value, eight words; r1: the block, sixteen words.
//
// The words of sixteen rounds are in s0 to s15: word j in s(j modulo 16). That of this round is in r9 or r10, that of the
// next in the other.

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

    push {{r0, r4-r11, lr}}
    // How often the last sixteen rounds run, of 48.
    movs r2, #3
    push {{r2}}
    vldmia r1, {{s0-s15}}
    sm3_parity_constant
    sm3_load_state
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

    sm3_other_constant
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
