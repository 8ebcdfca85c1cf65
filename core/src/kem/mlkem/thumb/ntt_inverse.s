// The inverse transform. r0: values, used up; r1: where to; r2: factors in the order in which they are met.

    push {{r1, r4-r11, lr}}
    mov lr, r2
    mlkem_modulus

    // The halves of words come together. Layers 6 to 4 of eight neighbours, sixteen times; the sums of layer 6 are
    // reduced, by a factor of 1.
    vldmia lr!, {{s8}}
    add r12, r0, #256
    vmov s7, r12
    vmov s9, r1
2:
    vldmia lr!, {{s0-s6}}
    ldm r0!, {{r3, r5, r7, r9}}
    ldr r1, [r0, #240]
    ldr r12, [r0, #244]
    mlkem_join r2, r3, r1
    mlkem_join r4, r5, r12
    ldr r1, [r0, #248]
    ldr r12, [r0, #252]
    mlkem_join r6, r7, r1
    mlkem_join r8, r9, r12
    vmov r1, s0
    mlkem_inverse_butterfly r2, r3, r1
    vmov r1, s1
    mlkem_inverse_butterfly r4, r5, r1
    vmov r1, s2
    mlkem_inverse_butterfly r6, r7, r1
    vmov r1, s3
    mlkem_inverse_butterfly r8, r9, r1
    vmov r1, s8
    mlkem_scale r2, r1
    mlkem_scale r4, r1
    mlkem_scale r6, r1
    mlkem_scale r8, r1
    vmov r1, s4
    mlkem_inverse_butterfly r2, r4, r1
    mlkem_inverse_butterfly r3, r5, r1
    vmov r1, s5
    mlkem_inverse_butterfly r6, r8, r1
    mlkem_inverse_butterfly r7, r9, r1
    vmov r1, s6
    mlkem_inverse_butterfly r2, r6, r1
    mlkem_inverse_butterfly r3, r7, r1
    mlkem_inverse_butterfly r4, r8, r1
    mlkem_inverse_butterfly r5, r9, r1
    vmov r1, s9
    stm r1!, {{r2-r9}}
    vmov s9, r1
    vmov r12, s7
    cmp r0, r12
    bne 2b

    // Layers 3 to 1 of words i, i + 8, ..., i + 56, in two blocks. What may have become large in layer 2 is reduced.
    pop {{r0}}
    add r12, r0, #512
    vmov s9, r12
3:
    vldmia lr!, {{s0-s6}}
    add r12, r0, #32
    vmov s7, r12
4:
    mlkem_load r0, 32
    vmov r1, s0
    mlkem_inverse_butterfly r2, r3, r1
    vmov r1, s1
    mlkem_inverse_butterfly r4, r5, r1
    vmov r1, s2
    mlkem_inverse_butterfly r6, r7, r1
    vmov r1, s3
    mlkem_inverse_butterfly r8, r9, r1
    vmov r1, s4
    mlkem_inverse_butterfly r2, r4, r1
    mlkem_inverse_butterfly r3, r5, r1
    vmov r1, s5
    mlkem_inverse_butterfly r6, r8, r1
    mlkem_inverse_butterfly r7, r9, r1
    vmov r1, s8
    mlkem_scale r2, r1
    mlkem_scale r6, r1
    vmov r1, s6
    mlkem_inverse_butterfly r2, r6, r1
    mlkem_inverse_butterfly r3, r7, r1
    mlkem_inverse_butterfly r4, r8, r1
    mlkem_inverse_butterfly r5, r9, r1
    mlkem_store r0, 32
    vmov r12, s7
    cmp r0, r12
    bne 4b
    add r0, r0, #224
    vmov r12, s9
    cmp r0, r12
    bne 3b

    // Layer 0, which scales.
    sub r0, r0, #512
    ldm lr, {{r8, r9}}
    add lr, r0, #256
5:
    ldr r2, [r0]
    ldr r3, [r0, #4]
    ldr r4, [r0, #256]
    ldr r5, [r0, #260]
    mlkem_inverse_butterfly r2, r4, r9
    mlkem_inverse_butterfly r3, r5, r9
    mlkem_scale r2, r8
    mlkem_scale r3, r8
    str r4, [r0, #256]
    str r5, [r0, #260]
    str r3, [r0, #4]
    str r2, [r0], #8
    cmp r0, lr
    bne 5b
    pop {{r4-r11, pc}}
