// Runs random sequences one after another: sets memory and every register, jumps to one, and records what it left.
//
// The image that the test makes has, at 0x00100000, the number of sequences, sp to begin with, the cycles between two
// interrupts (0 for none), an unused word, and per sequence a descriptor of 50 words: code address + 1, memory to begin
// with, r0 to r12, lr, APSR, FPSCR, s0 to s31. A sequence ends by a branch to `done`, at 0x100. A record is r0 to r12,
// lr, sp, APSR, FPSCR, s0 to s31, memory. Behind the records stands how many interrupts there were.

    .syntax unified
    .cpu cortex-m4
    .fpu fpv4-sp-d16
    .thumb

    .equ SEQUENCES, 0x00100000
    .equ MEMORY, 0x20010000         // 96 words, dumped after each sequence; around it there is room
    .equ MEMORY_WORDS, 96
    .equ STATE, 0x20080000          // sequences left, next descriptor, next record, interrupts
    .equ RECORDS, 0x20100000
    .equ DESCRIPTOR, 50 * 4

    .section .text
    .word 0x20080000, reset + 1
    .rept 13
    .word fault + 1
    .endr
    .word tick + 1                  // SysTick

    .org 0x100
    .thumb_func
done:
    push {r0-r12, lr}               // the only thing that a sequence must leave in order is sp
    mov r0, sp
    mrs r4, apsr
    vmrs r5, fpscr
    ldr r1, =STATE
    ldm r1, {r2, r3, r6}            // left, descriptor, record
    ldm r0!, {r7-r12, lr}
    stm r6!, {r7-r12, lr}
    ldm r0!, {r7-r12, lr}
    stm r6!, {r7-r12, lr}
    stm r6!, {r0, r4, r5}           // r0 is now what sp was
    vstmia r6!, {s0-s31}
    ldr r0, =MEMORY
    .rept MEMORY_WORDS / 8
    ldm r0!, {r4, r5, r7-r12}
    stm r6!, {r4, r5, r7-r12}
    .endr
    subs r2, #1
    add r3, #DESCRIPTOR
    stm r1, {r2, r3, r6}

next:
    ldr r1, =STATE
    ldm r1, {r2, r3}
    cmp r2, #0
    beq finish
    ldr r0, [r3, #4]
    ldr r1, =MEMORY
    .rept MEMORY_WORDS / 8
    ldm r0!, {r4-r11}
    stm r1!, {r4-r11}
    .endr
    // r0 to r12 and the address go to just below where sp will be, and are popped from there.
    ldr r0, =SEQUENCES
    ldr r0, [r0, #4]
    sub r0, #14 * 4
    mov sp, r0
    add r1, r3, #8
    ldm r1!, {r4-r12, lr}
    stm r0!, {r4-r12, lr}           // r0 to r9
    ldm r1!, {r4-r6, lr}            // r10 to r12, lr
    ldr r7, [r3]
    stm r0!, {r4-r7}
    ldm r1!, {r4, r5}               // APSR, FPSCR
    vldm r1, {s0-s31}
    vmsr fpscr, r5
    cpsie i
    cpsie f
    clrex
    msr apsr_nzcvqg, r4
    ldm sp!, {r0-r12, pc}

    .thumb_func
reset:
    ldr r0, =0xE000ED88             // CPACR: the FPU
    mov r1, #0xF00000
    str r1, [r0]
    dsb
    isb
    ldr r3, =SEQUENCES
    ldr r6, [r3, #8]
    ldr r2, [r3], #16
    ldr r4, =RECORDS
    movs r5, #0
    ldr r1, =STATE
    stm r1, {r2, r3, r4, r5}
    cmp r6, #0
    beq next
    ldr r0, =0xE000E010             // SysTick: reload, start with its interrupt
    str r6, [r0, #4]
    str r5, [r0, #8]
    movs r6, #7
    str r6, [r0]
    b next

    // Spoils all that an exception saves, and counts.
    .thumb_func
tick:
    ldr r0, =STATE + 12
    ldr r1, [r0]
    adds r1, #1
    str r1, [r0]
    vmov s0, r0
    vadd.f32 s15, s0, s0
    vmov s7, r1
    mvn r2, #0
    vmsr fpscr, r2
    msr apsr_nzcvqg, r2
    mov r3, r2
    mov r12, r2
    bx lr

finish:
    adr r1, terminal
    movs r0, #1                     // SYS_OPEN
    bkpt 0xAB
    movs r2, #0
    ldr r3, =0xE000E010
    str r2, [r3]
    ldr r1, =STATE
    ldr r4, [r1, #8]
    ldr r2, [r1, #12]
    str r2, [r4], #4
    ldr r3, =RECORDS
    subs r4, r3
write:
    stm r1, {r0, r3, r4}            // handle, address, size
    mov r5, r0
    movs r0, #5                     // SYS_WRITE
    bkpt 0xAB
    subs r4, r0                     // of which r0 could not be written yet
    adds r3, r4
    mov r4, r0
    mov r0, r5
    ldr r1, =STATE
    cmp r4, #0
    bne write
    movs r0, #0
    b exit

    .thumb_func
fault:
    adr r1, sorry
    movs r0, #4                     // SYS_WRITE0
    bkpt 0xAB
    movs r0, #3
exit:
    ldr r1, =STATE
    ldr r2, =0x20026
    strd r2, r0, [r1]
    movs r0, #0x20                  // SYS_EXIT_EXTENDED
    bkpt 0xAB
    b .

    .align 2
terminal:
    .word tty, 4, 3
tty:
    .asciz ":tt"
sorry:
    .asciz "a sequence faulted\n"
    .align 2
    .ltorg
