@ The three programs of mips.rs. Assemble with
@   arm-none-eabi-as -mthumb benches/mips.S -o mips.o && arm-none-eabi-objcopy -O binary mips.o mips.bin
@ and put the halfwords in the tables there. r7 counts rounds; the end is SYS_EXIT by semihosting.
        .syntax unified
        .cpu cortex-m4
        .thumb
        .macro  begin
        movw    r7, #0x5680
        movt    r7, #0          @ 22 144 rounds
        .endm
        .macro  end
        movs    r0, #0x18
        movw    r1, #0x0026
        movt    r1, #0x0002
        bkpt    0xab
        .endm

@ Register arithmetic as in the permutation of a hash function.
arithmetic:
        begin
1:      eor.w   r0, r1, r2, ror #11
        bic.w   r3, r4, r0, ror #25
        eors    r3, r5
        add.w   r1, r1, r3, lsl #3
        ror.w   r2, r2, #7
        orn     r4, r3, r0
        eor.w   r5, r4, r1
        ubfx    r6, r5, #3, #9
        umull   r8, r9, r6, r5
        smlabb  r10, r8, r9, r10
        uadd16  r11, r10, r1
        pkhbt   r2, r11, r2, lsl #16
        adds    r0, r0, r2
        adc.w   r4, r4, #0
        subs    r7, #1
        bne     1b
        end
        .balign 4

@ Calls, conditions, tables.
control:
        begin
        movs    r4, #0
1:      mov     r0, r7
        bl      3f
        add     r4, r0
        ands    r1, r7, #3
        cmp     r1, #2
        ite     hi
        addhi   r4, #1
        subls   r4, #2
        cbz     r1, 2f
        eors    r4, r1
2:      subs    r7, #1
        bne     1b
        end
3:      push    {r4, r5, lr}
        ands    r5, r0, #1
        beq     4f
        adds    r0, #3
        pop     {r4, r5, pc}
4:      lsrs    r0, r0, #1
        pop     {r4, r5, pc}
        .balign 4

@ Loads and stores of every width in RAM at 0x20000000.
memory:
        begin
        movw    r6, #0
        movt    r6, #0x2000
1:      ldr     r0, [r6, #4]
        ldr     r1, [r6, #8]
        adds    r0, r1
        str     r0, [r6, #12]
        ldrb    r2, [r6, #13]
        ldrsh.w r3, [r6, #14]
        strh    r3, [r6, #16]
        ldr.w   r4, [r6, r2, lsl #2]
        strb.w  r4, [r6, #4]!
        ldmia   r6!, {r0, r1, r2, r3}
        stmdb   r6!, {r0, r1}
        ldrd    r4, r5, [r6, #-8]
        str     r7, [r6, #-12]!
        subs    r7, #1
        bne     1b
        end
