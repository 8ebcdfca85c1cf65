// Times sequences by CYCCNT, read before and after, and reports each by name. What it should be is in the test.
//
// r10 is the address of CYCCNT, r11 its value before. A NOP on either side keeps the readings from pairing with loads of
// the sequence; the cost of readings and NOPs is taken off by `report` (the first case is empty).

    .syntax unified
    .cpu cortex-m4
    .fpu fpv4-sp-d16
    .thumb

    .macro start
    .balign 8
    ldr r11, [r10]
    nop
    .endm

    .macro stop name
    nop
    ldr r12, [r10]
    sub r1, r12, r11
    ldr r0, =8f
    bl report
    b 9f
    .ltorg
8:  .asciz "\name"
    .balign 4
9:  ldr r6, =numbers
    ldr r7, =numbers + 64
    mov r5, #8
    .endm

    .bss
    .balign 16
numbers:
    .space 256

    .text
    .thumb_func
    .global main
main:
    push {r4-r11, lr}
    sub sp, #4
    ldr r10, =0xE000EDFC            // DEMCR: TRCENA
    ldr r0, [r10]
    orr r0, #1 << 24
    str r0, [r10]
    ldr r10, =0xE0001FB0            // LAR, where there is a lock
    ldr r0, =0xC5ACCE55
    str r0, [r10]
    ldr r10, =0xE0001004            // CYCCNT
    movs r0, #0
    str r0, [r10]
    movs r0, #1                     // CTRL: CYCCNTENA
    str r0, [r10, #-4]
    dsb

    start
    stop "empty"

    // Data processing, multiplication, division.
    start
    .rept 5
    adds r0, r1, r2
    add r3, r0, r1, lsl #7
    .endr
    stop "10 data processing"
    start
    .rept 2
    nop
    clz r0, r1
    rev r0, r0
    ssat r0, #9, r0
    sbfx r1, r0, #3, #5
    bfi r1, r0, #3, #9
    uxtab r0, r1, r0, ror #8
    uadd8 r0, r1, r2
    sel r0, r1, r2
    pkhbt r0, r1, r2, lsl #4
    .endr
    stop "20 bit fields, saturation, parallel"
    start
    muls r0, r1
    mul r0, r1, r0
    mla r0, r1, r0, r0
    mls r0, r1, r0, r0
    umull r0, r1, r2, r3
    smull r0, r1, r1, r0
    umlal r0, r1, r1, r0
    smlal r0, r1, r1, r0
    umaal r0, r1, r1, r0
    smlabb r0, r1, r0, r0
    smulwt r0, r1, r0
    smlald r0, r1, r1, r0
    smmlar r0, r1, r0, r0
    stop "13 multiplications"

    .macro division name, instruction, by, of
    ldr r1, =\of
    ldr r2, =\by
    start
    \instruction r0, r1, r2
    stop "\name"
    .endm
    division "udiv 0 bits", udiv, 9, 0
    division "udiv 1 bit", udiv, 1000, 1001
    division "udiv 4 bits", udiv, 1000, 12001
    division "udiv 8 bits", udiv, 0x1234, 0xFFFFF
    division "udiv 16 bits", udiv, 0x1234, 0x12345678
    division "udiv 24 bits", udiv, 200, 0xF0000000
    division "udiv 32 bits", udiv, 1, 0xFFFFFFFF
    division "udiv by 0", udiv, 0, 0xFFFFFFFF
    division "sdiv 4 bits", sdiv, -1000, 12001
    division "sdiv 31 bits", sdiv, -1, 0x7FFFFFFF

    // Loads and stores.
    str r6, [r6]
    mov r0, r6
    start
    .rept 8
    ldr r0, [r0]
    .endr
    stop "8 dependent loads"
    start
    .irp n, 0, 1, 2, 3, 0, 1, 2, 3
    ldr r\n, [r6, #4 * \n]
    .endr
    stop "8 independent loads"
    mov r4, #4
    start
    ldr r0, [r6, r4]
    ldrb r1, [r6, r4]
    ldrh r2, [r6, r4]
    ldrsb r3, [r6, r4]
    ldrsh r0, [r6, r4]
    ldr r1, [r6, r4, lsl #2]
    stop "6 independent loads by register"
    start
    .rept 4
    ldr r0, [r6]
    adds r0, #1
    .endr
    stop "4 loads, each used at once"
    start
    .rept 8
    str r0, [r6, #4]
    .endr
    stop "8 stores"
    start
    .rept 8
    str r0, [r6, r4]
    .endr
    stop "8 stores by register"
    start
    ldr r0, [r6]
    str r0, [r7, #4]
    stop "load, store"
    start
    ldr r0, [r6]
    str r0, [r7, r4]
    stop "load, store by register"
    str r4, [r6]
    start
    ldr r1, [r6]
    str r0, [r7, r1]
    stop "load of an index, store by it"
    start
    str r0, [r7, #4]
    ldr r0, [r6]
    stop "store, load"
    start
    ldrd r0, r1, [r6]
    strd r0, r1, [r6]
    stop "ldrd, strd"
    start
    ldm r6, {r0-r3}
    stop "ldm of 4"
    start
    ldm r6, {r0-r4, r8, r9, r12}
    ldm r6, {r0, r1}
    stop "ldm of 8, ldm of 2"
    start
    stm r6, {r0-r4}
    stop "stm of 5"
    start
    ldm r6, {r0, r1}
    ldr r2, [r6]
    stop "ldm of 2, load"
    start
    ldr r2, [r6]
    ldm r6, {r0, r1}
    stop "load, ldm of 2"
    start
    push {r0-r3}
    pop {r0-r3}
    stop "push and pop of 4"
    start
    ldr r0, =0x12345678
    stop "literal load"
    start
    ldr r0, =0x12345678
    ldr r1, =0x23456789
    ldr r2, =0x3456789A
    stop "3 literal loads"
    start
    ldr r0, [r6, #2]
    stop "load word at 2"
    start
    ldr r0, [r6, #1]
    stop "load word at 1"
    start
    ldr r0, [r6, #3]
    stop "load word at 3"
    start
    ldrh r0, [r6, #1]
    stop "load half at 1"
    start
    ldrh r0, [r6, #2]
    stop "load half at 2"
    start
    str r0, [r6, #2]
    stop "store word at 2"
    start
    str r0, [r6, #1]
    stop "store word at 1"
    start
    strh r0, [r6, #3]
    stop "store half at 3"
    start
    ldrex r0, [r6]
    nop
    strex r1, r0, [r6]
    stop "ldrex, nop, strex"

    // Branches.
    start
    b 1f
    nop
    nop
1:  stop "b"
    start
    b.w 1f
    nop
    nop
1:  stop "b.w"
    start
    bl 1f
    nop
    nop
1:  stop "bl"
    movs r0, #0
    start
    beq 1f
    nop
    nop
1:  stop "b cond taken"
    movs r0, #1
    start
    beq 1f
    beq.w 1f
1:  stop "2 b cond not taken"
    movs r0, #0
    start
    cbz r0, 1f
    nop
    nop
1:  stop "cbz taken"
    movs r0, #0
    start
    cbnz r0, 1f
    cbnz r0, 1f
1:  stop "2 cbnz not taken"
    ldr r0, =1f + 1
    start
    bx r0
    nop
    .balign 4
1:  stop "bx"
    ldr r0, =1f + 1
    start
    blx r0
    nop
    .balign 4
1:  stop "blx"
    ldr r0, =1f + 1
    start
    mov pc, r0
    nop
    .balign 4
1:  stop "mov pc"
    mov r0, #4
    start
    add pc, r0
    nop
    nop
    nop
    nop
    stop "add pc over 3 of 4 nops"
    ldr r0, =leaf + 1
    start
    blx r0
    stop "blx and bx lr"
    start
    bl leaf_with_frame
    stop "bl, push of 2, pop with pc"
    ldr r0, =1f + 1
    str r0, [r6]
    start
    ldr pc, [r6]
    nop
    .balign 4
1:  stop "ldr pc"
    ldr r0, =1f + 1
    str r0, [r6, #8]
    start
    ldm r6, {r0, r1, pc}
    nop
    .balign 4
1:  stop "ldm of 3 with pc"
    movs r0, #1
    start
    tbb [pc, r0]
    .byte 1, 3
    nop
    nop
1:  stop "tbb"
    movs r0, #1
    start
    tbh [pc, r0]
    .hword 2, 4
    nop
    nop
    stop "tbh"
    mov r0, #100
    start
1:  subs r0, #1
    bne 1b
    stop "loop of 100"
    mov r0, #50
    start
1:  ldr r1, [r6]
    ldr r2, [r6, #4]
    str r1, [r7, #4]
    subs r0, #1
    bne 1b
    stop "copy loop of 50"

    // IT: free behind a 16-bit instruction; what is skipped costs all the same.
    movs r0, #0
    start
    it eq
    addeq r1, r1, r2
    stop "nop, it, executed"
    movs r0, #0
    start
    itte ne
    addne r1, r1, r2
    addne.w r1, r1, r2, lsl #3
    addeq r1, r1, r2
    stop "nop, itte, 2 skipped, 1 executed"
    movs r0, #0
    start
    add.w r1, r1, r2, lsl #3
    it eq
    addeq r1, r1, r2
    stop "32 bits, it, executed"
    movs r0, #0
    start
    itt ne
    ldrne r0, [r6]
    strne r0, [r6, #4]
    stop "nop, itt, load and store skipped"

    bl floats
    add sp, #4
    movs r0, #0
    pop {r4-r11, pc}

    .thumb_func
leaf:
    bx lr

    .thumb_func
leaf_with_frame:
    push {r4, lr}
    pop {r4, pc}

    .thumb_func
floats:
    push {r4, lr}
    vmov.f32 s0, #1.5
    vmov.f32 s1, #2.5
    start
    vadd.f32 s2, s0, s1
    vsub.f32 s3, s0, s1
    vmul.f32 s4, s0, s1
    vabs.f32 s5, s0
    vneg.f32 s6, s0
    vmov.f32 s7, #3.0
    stop "6 float arithmetic"
    start
    vcmp.f32 s0, s1
    stop "vcmp"
    start
    vcvt.s32.f32 s8, s1
    stop "vcvt"
    start
    vmov r0, s0
    vmov s9, r0
    stop "2 vmov of one register"
    start
    vmov r0, r1, s0, s1
    stop "vmov of two registers"
    start
    vmla.f32 s2, s0, s1
    nop
    vfma.f32 s3, s0, s1
    stop "vmla, nop, vfma"
    start
    vdiv.f32 s4, s0, s1
    stop "vdiv"
    start
    vsqrt.f32 s5, s1
    stop "vsqrt"
    start
    vldr s10, [r6]
    nop
    vstr s10, [r7]
    stop "vldr, nop, vstr"
    start
    vldm r6, {s12-s16}
    stop "vldm of 5"
    start
    vpush {s12-s15}
    vpop {s12-s15}
    stop "vpush and vpop of 4"
    pop {r4, pc}
