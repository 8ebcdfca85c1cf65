// Keccak-p[1600] (FIPS 202, section 3.3) for ARMv7E-M with a floating-point unit, whose registers hold what others have
// no room for.
//
//   r0   the state: lane (x, y) is the two words at 8 * (x + 5 * y), its even bits and its odd bits
//   r1   the constants of iota, two words a round
//   r2   their end; the number of rounds is even
//
// Two rounds an iteration: one from r0 to the stack, one back.
//
// No rotation is an instruction. A word stays as it is, and how many bits it is yet to be turned left by is known here:
// symbols p of words in memory, c of parities, q of the words D of theta, t of words after rho. The last operand of an
// instruction is turned for nothing, by the difference to the other one. Only the parities of the second round begin with a
// turn, so that every iteration begins alike; what the words in r0 are then yet to be turned by is Rust's table AT_REST.
//
// The row at hand is in r1 to r5, scratch in r6. Of the ten words D, seven are in r7 to r12 and lr, three in s0 to s2. The
// row that is computed last stays in registers: the parities of the next round begin with it.
//
// s3: the constants of these two rounds; s4: their end.

    .fpu fpv4-sp-d16

// Offsets of rho (FIPS 202, table 2).
.set .Lkk_rho00, 0
.set .Lkk_rho10, 1
.set .Lkk_rho20, 62
.set .Lkk_rho30, 28
.set .Lkk_rho40, 27
.set .Lkk_rho01, 36
.set .Lkk_rho11, 44
.set .Lkk_rho21, 6
.set .Lkk_rho31, 55
.set .Lkk_rho41, 20
.set .Lkk_rho02, 3
.set .Lkk_rho12, 10
.set .Lkk_rho22, 43
.set .Lkk_rho32, 25
.set .Lkk_rho42, 39
.set .Lkk_rho03, 41
.set .Lkk_rho13, 45
.set .Lkk_rho23, 15
.set .Lkk_rho33, 21
.set .Lkk_rho43, 8
.set .Lkk_rho04, 18
.set .Lkk_rho14, 2
.set .Lkk_rho24, 61
.set .Lkk_rho34, 56
.set .Lkk_rho44, 14

kk_b0 .req r1
kk_b1 .req r2
kk_b2 .req r3
kk_b3 .req r4
kk_b4 .req r5
kk_t .req r6
kk_constants .req s3
kk_end .req s4

// Lane (x, y) of the next round comes of lane (s, x) of this one. What rho turns by an odd number of bits changes its
// half: even bits become odd ones, and the others even ones one place on.
.macro kk_pending x, y, s
    .if .Lkk_rho\s\x & 1
    .set .Lkk_p\x\y\()0, (.Lkk_rho\s\x / 2 + 1 + .Lkk_q\s\()1) & 31
    .set .Lkk_p\x\y\()1, (.Lkk_rho\s\x / 2 + .Lkk_q\s\()0) & 31
    .else
    .set .Lkk_p\x\y\()0, (.Lkk_rho\s\x / 2 + .Lkk_q\s\()0) & 31
    .set .Lkk_p\x\y\()1, (.Lkk_rho\s\x / 2 + .Lkk_q\s\()1) & 31
    .endif
.endm

.macro kk_pending_row y, s0, s1, s2, s3, s4
    kk_pending 0, \y, \s0
    kk_pending 1, \y, \s1
    kk_pending 2, \y, \s2
    kk_pending 3, \y, \s3
    kk_pending 4, \y, \s4
.endm

.macro kk_pending_all
    kk_pending_row 0, 0, 1, 2, 3, 4
    kk_pending_row 1, 3, 4, 0, 1, 2
    kk_pending_row 2, 1, 2, 3, 4, 0
    kk_pending_row 3, 4, 0, 1, 2, 3
    kk_pending_row 4, 2, 3, 4, 0, 1
.endm

// Column x of D is turned as the parities before it are.
.macro kk_turns_of_d x, before
    .set .Lkk_q\x\()0, .Lkk_c\before\()0
    .set .Lkk_q\x\()1, .Lkk_c\before\()1
.endm

.macro kk_turns_of_all_d
    kk_turns_of_d 0, 4
    kk_turns_of_d 1, 0
    kk_turns_of_d 2, 1
    kk_turns_of_d 3, 2
    kk_turns_of_d 4, 3
.endm

// The parity of a column begins with its word of row 0, as it is.
.macro kk_begin x, h
    .set .Lkk_c\x\h, .Lkk_p\x\()0\h
.endm

// The same, turned.
.macro kk_begin_turned parity, x, h
    .if .Lkk_p\x\()0\h
    ror \parity, \parity, #((32 - .Lkk_p\x\()0\h) & 31)
    .endif
    .set .Lkk_c\x\h, 0
.endm

.macro kk_load_word to, from, x, y, h
    ldr \to, [\from, #(8 * (\x + 5 * \y) + 4 * \h)]
.endm

.macro kk_add_to_parity parity, word, x, y, h
    eor \parity, \parity, \word, ror #((.Lkk_c\x\h - .Lkk_p\x\y\h) & 31)
.endm

// Adds one word of each of three columns' parities.
.macro kk_parities from, y, parity0, x0, h0, parity1, x1, h1, parity2, x2, h2
    kk_load_word r2, \from, \x0, \y, \h0
    kk_load_word r3, \from, \x1, \y, \h1
    kk_load_word r6, \from, \x2, \y, \h2
    kk_add_to_parity \parity0, r2, \x0, \y, \h0
    kk_add_to_parity \parity1, r3, \x1, \y, \h1
    kk_add_to_parity \parity2, r6, \x2, \y, \h2
.endm

// Half h of D of column x, from the parities of its neighbours: the next column is turned by a bit, so that its odd bits
// are added to even ones, one place on.
.macro kk_d to, x, h, before, parity_before, next, parity_next
    .if \h
    eor \to, \parity_before, \parity_next, ror #((.Lkk_c\before\()1 - .Lkk_c\next\()0) & 31)
    .else
    eor \to, \parity_before, \parity_next, ror #((.Lkk_c\before\()0 - .Lkk_c\next\()1 - 1) & 31)
    .endif
.endm

// Word i of a row, of half h after rho: the word of lane (x, i) that becomes it.
.macro kk_load i, from, x, h
    .if .Lkk_rho\x\i & 1
    kk_load_word kk_b\i, \from, \x, \i, (1 - \h)
    .else
    kk_load_word kk_b\i, \from, \x, \i, \h
    .endif
.endm

// Theta of that word of lane (x, i), which is half w of it.
.macro kk_theta_word i, x, w
    .ifdef .Lkk_spilled_\x\w
    vmov kk_t, kk_d\x\w
    eor kk_b\i, kk_t, kk_b\i, ror #((.Lkk_q\x\w - .Lkk_p\x\i\w) & 31)
    .else
    eor kk_b\i, kk_d\x\w, kk_b\i, ror #((.Lkk_q\x\w - .Lkk_p\x\i\w) & 31)
    .endif
.endm

.macro kk_theta i, x, h
    .if (.Lkk_rho\x\i & 1) ^ \h
    kk_theta_word \i, \x, 1
    .else
    kk_theta_word \i, \x, 0
    .endif
    .if .Lkk_rho\x\i & 1
    .if \h
    .set .Lkk_t\i, .Lkk_rho\x\i / 2 + .Lkk_q\x\()0
    .else
    .set .Lkk_t\i, .Lkk_rho\x\i / 2 + 1 + .Lkk_q\x\()1
    .endif
    .else
    .set .Lkk_t\i, .Lkk_rho\x\i / 2 + .Lkk_q\x\h
    .endif
.endm

// Theta, rho and pi: half h of a row, from lanes (x0, 0) to (x4, 4).
.macro kk_row from, h, x0, x1, x2, x3, x4
    kk_load 0, \from, \x0, \h
    kk_load 1, \from, \x1, \h
    kk_load 2, \from, \x2, \h
    kk_load 3, \from, \x3, \h
    kk_load 4, \from, \x4, \h
    kk_theta 0, \x0, \h
    kk_theta 1, \x1, \h
    kk_theta 2, \x2, \h
    kk_theta 3, \x3, \h
    kk_theta 4, \x4, \h
.endm

// Word i of chi, from those one and two places on.
.macro kk_chi to, i, j, k
    bic kk_t, kk_b\k, kk_b\j, ror #((.Lkk_t\k - .Lkk_t\j) & 31)
    eor \to, kk_b\i, kk_t, ror #((.Lkk_t\i - .Lkk_t\k) & 31)
.endm

.macro kk_store word, to, x, y, h
    str \word, [\to, #(8 * (\x + 5 * \y) + 4 * \h)]
.endm

// Half h of row y, which leaves the registers.
.macro kk_leaving_row from, to, y, h, x0, x1, x2, x3, x4
    kk_row \from, \h, \x0, \x1, \x2, \x3, \x4
    kk_chi kk_t, 0, 1, 2
    kk_store kk_t, \to, 0, \y, \h
    kk_chi kk_t, 1, 2, 3
    kk_store kk_t, \to, 1, \y, \h
    kk_chi kk_t, 2, 3, 4
    kk_store kk_t, \to, 2, \y, \h
    kk_chi kk_t, 3, 4, 0
    kk_store kk_t, \to, 3, \y, \h
    kk_chi kk_t, 4, 0, 1
    kk_store kk_t, \to, 4, \y, \h
.endm

.macro kk_iota word, h, constants
    vmov kk_t, kk_constants
    ldr kk_t, [kk_t, #(\constants + 4 * \h)]
    eor \word, \word, kk_t, ror #(.Lkk_t0 & 31)
.endm

// Half h of row 0, which stays in the registers that are named.
.macro kk_staying_row from, to, constants, h, word0, word1, word2, word3, word4
    kk_row \from, \h, 0, 1, 2, 3, 4
    kk_chi \word1, 1, 2, 3
    kk_store \word1, \to, 1, 0, \h
    kk_chi \word2, 2, 3, 4
    kk_store \word2, \to, 2, 0, \h
    kk_chi \word3, 3, 4, 0
    kk_store \word3, \to, 3, 0, \h
    kk_chi \word4, 4, 0, 1
    kk_store \word4, \to, 4, 0, \h
    kk_chi \word0, 0, 1, 2
    kk_iota \word0, \h, \constants
    kk_store \word0, \to, 0, 0, \h
.endm

// The parities of all columns but for row 0, with which they begin; then D. The words of D take the registers of parities
// that no further one needs: each shares one parity with the one before, in a ring.
.macro kk_parities_and_d from, c10, c20, c11, c21
    kk_parities \from, 1, r1, 0, 0, r8, 0, 1, \c10, 1, 0
    kk_parities \from, 1, \c11, 1, 1, \c20, 2, 0, \c21, 2, 1
    kk_parities \from, 1, r4, 3, 0, r9, 3, 1, r5, 4, 0
    kk_parities \from, 2, r1, 0, 0, r8, 0, 1, \c10, 1, 0
    kk_parities \from, 2, \c11, 1, 1, \c20, 2, 0, \c21, 2, 1
    kk_parities \from, 2, r4, 3, 0, r9, 3, 1, r5, 4, 0
    kk_parities \from, 3, r1, 0, 0, r8, 0, 1, \c10, 1, 0
    kk_parities \from, 3, \c11, 1, 1, \c20, 2, 0, \c21, 2, 1
    kk_parities \from, 3, r4, 3, 0, r9, 3, 1, r5, 4, 0
    kk_parities \from, 4, r1, 0, 0, r8, 0, 1, \c10, 1, 0
    kk_parities \from, 4, \c11, 1, 1, \c20, 2, 0, \c21, 2, 1
    kk_parities \from, 4, r4, 3, 0, r9, 3, 1, r5, 4, 0
    kk_load_word r2, \from, 4, 1, 1
    kk_load_word r3, \from, 4, 2, 1
    kk_load_word r6, \from, 4, 3, 1
    kk_add_to_parity r7, r2, 4, 1, 1
    kk_load_word r2, \from, 4, 4, 1
    kk_add_to_parity r7, r3, 4, 2, 1
    kk_add_to_parity r7, r6, 4, 3, 1
    kk_add_to_parity r7, r2, 4, 4, 1
    kk_turns_of_all_d
    kk_d r2, 0, 0, 4, r5, 1, \c11
    kk_d \c11, 2, 1, 1, \c11, 3, r4
    kk_d r4, 4, 0, 3, r4, 0, r8
    kk_d r8, 1, 1, 0, r8, 2, \c20
    kk_d \c20, 3, 0, 2, \c20, 4, r7
    kk_d r7, 0, 1, 4, r7, 1, \c10
    kk_d \c10, 2, 0, 1, \c10, 3, r9
    kk_d r9, 4, 1, 3, r9, 0, r1
    kk_d r1, 1, 0, 0, r1, 2, \c21
    kk_d \c21, 3, 1, 2, \c21, 4, r5
    vmov kk_d00, r2
    vmov kk_d40, r4
    vmov kk_d10, r1
.endm

// Where D is: the same registers in both rounds but for columns 2 and 3, which change places.
kk_d00 .req s0
kk_d10 .req s1
kk_d40 .req s2
.set .Lkk_spilled_00, 1
.set .Lkk_spilled_10, 1
.set .Lkk_spilled_40, 1
kk_d01 .req r7
kk_d11 .req r8
kk_d41 .req r9

.macro kk_rows from, to, constants
    kk_leaving_row \from, \to, 1, 0, 3, 4, 0, 1, 2
    kk_leaving_row \from, \to, 1, 1, 3, 4, 0, 1, 2
    kk_leaving_row \from, \to, 2, 0, 1, 2, 3, 4, 0
    kk_leaving_row \from, \to, 2, 1, 1, 2, 3, 4, 0
    kk_leaving_row \from, \to, 3, 0, 4, 0, 1, 2, 3
    kk_leaving_row \from, \to, 3, 1, 4, 0, 1, 2, 3
    kk_leaving_row \from, \to, 4, 0, 2, 3, 4, 0, 1
    kk_leaving_row \from, \to, 4, 1, 2, 3, 4, 0, 1
    kk_staying_row \from, \to, \constants, 1, r8, kk_d20, kk_d30, r9, r7
    kk_staying_row \from, \to, \constants, 0, r1, kk_d21, kk_d31, r4, r5
.endm

    push {{r4-r11, lr}}
    sub sp, sp, #200
    vmov kk_constants, r1
    vmov kk_end, r2

    // As the second round leaves row 0.
    kk_load_word r1, r0, 0, 0, 0
    kk_load_word r12, r0, 1, 0, 0
    kk_load_word lr, r0, 2, 0, 0
    kk_load_word r4, r0, 3, 0, 0
    kk_load_word r5, r0, 4, 0, 0
    kk_load_word r8, r0, 0, 0, 1
    kk_load_word r10, r0, 1, 0, 1
    kk_load_word r11, r0, 2, 0, 1
    kk_load_word r9, r0, 3, 0, 1
    kk_load_word r7, r0, 4, 0, 1
    .set .Lkk_q00, 0
    .set .Lkk_q01, 0
    .set .Lkk_q10, 0
    .set .Lkk_q11, 0
    .set .Lkk_q20, 0
    .set .Lkk_q21, 0
    .set .Lkk_q30, 0
    .set .Lkk_q31, 0
    .set .Lkk_q40, 0
    .set .Lkk_q41, 0
    kk_pending_all

2:
    kk_begin 0, 0
    kk_begin 1, 0
    kk_begin 2, 0
    kk_begin 3, 0
    kk_begin 4, 0
    kk_begin 0, 1
    kk_begin 1, 1
    kk_begin 2, 1
    kk_begin 3, 1
    kk_begin 4, 1
    kk_parities_and_d r0, r12, lr, r10, r11
kk_d21 .req r10
kk_d31 .req r11
kk_d20 .req r12
kk_d30 .req lr
    kk_rows r0, sp, 0
.unreq kk_d21
.unreq kk_d31
.unreq kk_d20
.unreq kk_d30
    kk_pending_all

    kk_begin_turned r1, 0, 0
    kk_begin_turned r10, 1, 0
    kk_begin_turned r11, 2, 0
    kk_begin_turned r4, 3, 0
    kk_begin_turned r5, 4, 0
    kk_begin_turned r8, 0, 1
    kk_begin_turned r12, 1, 1
    kk_begin_turned lr, 2, 1
    kk_begin_turned r9, 3, 1
    kk_begin_turned r7, 4, 1
    kk_parities_and_d sp, r10, r11, r12, lr
kk_d21 .req r12
kk_d31 .req lr
kk_d20 .req r10
kk_d30 .req r11
    kk_rows sp, r0, 8
    kk_pending_all

    vmov r2, kk_constants
    vmov r3, kk_end
    adds r2, r2, #16
    vmov kk_constants, r2
    cmp r2, r3
    bne 2b

    // What is on the stack is as good as the state.
    mov r0, sp
    movs r1, #0
    movs r2, #0
    movs r3, #0
    movs r4, #0
    movs r5, #0
    mov r6, r1
    mov r7, r1
    mov r8, r1
    mov r9, r1
    mov r10, r1
    stm r0!, {{r1-r10}}
    stm r0!, {{r1-r10}}
    stm r0!, {{r1-r10}}
    stm r0!, {{r1-r10}}
    stm r0!, {{r1-r10}}
    add sp, sp, #200
    pop {{r4-r11, pc}}

.unreq kk_b0
.unreq kk_b1
.unreq kk_b2
.unreq kk_b3
.unreq kk_b4
.unreq kk_t
.unreq kk_constants
.unreq kk_end
.unreq kk_d00
.unreq kk_d10
.unreq kk_d40
.unreq kk_d01
.unreq kk_d11
.unreq kk_d41
.unreq kk_d21
.unreq kk_d31
.unreq kk_d20
.unreq kk_d30
