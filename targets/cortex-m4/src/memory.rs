//! Copying and clearing of aligned memory, eight words at a time: what C libraries for this processor do, where the compiler's own
//! library goes word by word.
//!
//! The compiler calls these by name (Run-time ABI for the Arm Architecture, section 4.3.4); they take the place of its own, which
//! are weak.
#![expect(unsafe_code, reason = "the compiler calls these by their names, with addresses")]

use core::arch::naked_asm;

/// Defines functions of these names.
macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*) = $code:ident;)*) => {$(
        /// See the ABI.
        ///
        /// # Safety
        /// Pointers are aligned as the name says, and so many bytes from each are the caller's.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name($($argument: $type),*) {
            naked_asm!($code!())
        }
    )*};
}

/// Copies r2 bytes from r1 to r0, both aligned to words.
macro_rules! copy {
    () => {
        "
        subs r2, r2, #32
        blo 3f
        push {{r4-r10}}
    2:
        ldm r1!, {{r3-r10}}
        stm r0!, {{r3-r10}}
        subs r2, r2, #32
        bhs 2b
        pop {{r4-r10}}
    3:
        adds r2, r2, #28
        blo 5f
    4:
        ldr r3, [r1], #4
        str r3, [r0], #4
        subs r2, r2, #4
        bhs 4b
    5:
        adds r2, r2, #4
        beq 7f
    6:
        ldrb r3, [r1], #1
        strb r3, [r0], #1
        subs r2, r2, #1
        bne 6b
    7:
        bx lr
        "
    };
}

/// Clears r1 bytes at r0, aligned to words.
macro_rules! clear {
    () => {
        "
        movs r2, #0
        movs r3, #0
        subs r1, r1, #32
        blo 3f
        push {{r4-r9}}
        movs r4, #0
        movs r5, #0
        movs r6, #0
        movs r7, #0
        mov r8, r2
        mov r9, r2
    2:
        stm r0!, {{r2-r9}}
        subs r1, r1, #32
        bhs 2b
        pop {{r4-r9}}
    3:
        adds r1, r1, #28
        blo 5f
    4:
        str r2, [r0], #4
        subs r1, r1, #4
        bhs 4b
    5:
        adds r1, r1, #4
        beq 7f
    6:
        strb r2, [r0], #1
        subs r1, r1, #1
        bne 6b
    7:
        bx lr
        "
    };
}

functions! {
    __aeabi_memcpy4(to: *mut u32, from: *const u32, bytes: usize) = copy;
    __aeabi_memcpy8(to: *mut u64, from: *const u64, bytes: usize) = copy;
    __aeabi_memclr4(to: *mut u32, bytes: usize) = clear;
    __aeabi_memclr8(to: *mut u64, bytes: usize) = clear;
}
