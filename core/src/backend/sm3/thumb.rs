//! One compression in assembly, for ARMv7E-M with a floating-point unit.
#![expect(unsafe_code, reason = "assembly")]

use super::round::{State, Words};
use core::arch::naked_asm;

/// Compresses one block.
pub(super) fn compress(state: &mut State, block: &Words) {
    // SAFETY: eight words that only this call uses, and sixteen words to be read.
    unsafe { rounds(state, block) }
}

/// The registers that a caller wants back are kept.
#[unsafe(naked)]
unsafe extern "C" fn rounds(state: *mut State, block: *const Words) {
    naked_asm!(include_str!("thumb.s"))
}
