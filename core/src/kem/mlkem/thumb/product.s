// The sum of products in pairs (FIPS 203, algorithms 11 and 12) over 2^16, two pairs at once: r0, the sum; r1 and r2, the
// factors; r3, the roots, times 2^16 modulo q. Linear coefficients are 256 bytes behind constant ones.
//
// lr: 1/q modulo 2^16; r12: -q.

    .fpu fpv4-sp-d16

// The upper half of `to` becomes `to` / 2^16 modulo q (Montgomery).
.macro mlkem_over_radix to, scratch
    smulbb \scratch, \to, lr
    smlabb \to, \scratch, r12, \to
.endm

    push {{r4-r11, lr}}
    add r12, r0, #256
    vmov s0, r12
    movw lr, #{q_inverse}
    movw r12, #(65536 - {q})
2:
    ldr r4, [r1, #256]
    ldr r5, [r2, #256]
    ldr r6, [r3], #4
    ldr r10, [r1], #4
    ldr r11, [r2], #4
    smulbb r7, r4, r5
    smultt r8, r4, r5
    mlkem_over_radix r7, r9
    mlkem_over_radix r8, r9
    smultb r7, r7, r6
    smultt r8, r8, r6
    smlabb r7, r10, r11, r7
    smlatt r8, r10, r11, r8
    mlkem_over_radix r7, r9
    mlkem_over_radix r8, r9
    pkhtb r7, r8, r7, asr #16
    smulbb r8, r10, r5
    smultt r9, r10, r5
    smlabb r8, r4, r11, r8
    smlatt r9, r4, r11, r9
    mlkem_over_radix r8, r10
    mlkem_over_radix r9, r10
    pkhtb r8, r9, r8, asr #16
    ldr r4, [r0, #256]
    ldr r5, [r0]
    uadd16 r8, r8, r4
    uadd16 r7, r7, r5
    str r8, [r0, #256]
    str r7, [r0], #4
    vmov r4, s0
    cmp r0, r4
    bne 2b
    pop {{r4-r11, pc}}
