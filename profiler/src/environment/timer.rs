//! The generic timer of AArch64.
#![expect(unsafe_code, reason = "a register is read")]

use std::arch::asm;

/// The rate of the generic timer in Hz, as firmware states it (`cntfrq_el0`); 0 where it forgot to.
#[must_use]
pub fn timer_hz() -> u64 {
    let hz: u64;
    // SAFETY: reads a register that Linux opens to user mode; no effect on memory, stack or flags.
    unsafe {
        asm!("mrs {}, cntfrq_el0", out(reg) hz, options(nomem, nostack, preserves_flags));
    }
    hz
}
