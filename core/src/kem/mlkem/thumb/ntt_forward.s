// The transform. r0: coefficients, used up; r1: where to; r2: factors in the order in which they are met.

    push {{r1, r4-r11, lr}}
    mov lr, r2
    mlkem_modulus

    // Layers 0 to 2 of words i, i + 16, ..., i + 112.
    vldmia lr!, {{s0-s6}}
    add r12, r0, #64
    vmov s7, r12
2:
    mlkem_load r0, 64
    mlkem_three_layers
    mlkem_store r0, 64
    vmov r12, s7
    cmp r0, r12
    bne 2b

    // Layers 3 to 5 of words i, i + 2, ..., i + 14, in eight blocks.
    sub r0, r0, #64
    add r12, r0, #512
    vmov s7, r12
3:
    vldmia lr!, {{s0-s6}}
    mlkem_load r0, 8
    mlkem_three_layers
    mlkem_store r0, 8
    mlkem_load r0, 8
    mlkem_three_layers
    mlkem_store r0, 8
    add r0, r0, #56
    vmov r12, s7
    cmp r0, r12
    bne 3b

    // Layer 6 of neighbours; then all are reduced, and the halves of words parted.
    sub r0, r0, #512
    pop {{r1}}
    ldr r8, [lr], #4
4:
    ldm r0!, {{r2-r5}}
    ldrd r6, r7, [lr], #8
    mlkem_butterfly r2, r3, r6
    mlkem_butterfly r4, r5, r7
    mlkem_multiply r6, r2, r2, r8
    mlkem_multiply r7, r3, r3, r8
    pkhtb r6, r7, r6, asr #16
    pkhtb r7, r3, r2, asr #16
    mlkem_multiply r2, r4, r4, r8
    mlkem_multiply r3, r5, r5, r8
    pkhtb r2, r3, r2, asr #16
    pkhtb r3, r5, r4, asr #16
    str r7, [r1, #256]
    str r3, [r1, #260]
    str r2, [r1, #4]
    str r6, [r1], #8
    vmov r12, s7
    cmp r0, r12
    bne 4b
    pop {{r4-r11, pc}}
