#![allow(unsafe_code, reason = "the timer is read by instructions")]

use core::arch::asm;
use kemprof_core::Counter;

/// The virtual count of the generic timer, at the fixed rate of [`Cntvct::hz`].
#[derive(Clone, Copy, Debug)]
pub struct Cntvct;

impl Cntvct {
    /// Ticks per second as firmware states them (`cntfrq_el0`); 0 where it forgot to.
    #[must_use]
    pub fn hz() -> u64 {
        let hz: u64;
        // SAFETY: reads a register that Linux opens to user mode; no effect on memory, stack or flags.
        unsafe {
            asm!("mrs {}, cntfrq_el0", out(reg) hz, options(nomem, nostack, preserves_flags));
        }
        hz
    }
}

impl Counter for Cntvct {
    #[inline(always)]
    fn read(&mut self) -> u64 {
        let count: u64;
        // SAFETY: reads a register that Linux opens to user mode. The barrier keeps the processor from reading it early
        // (Arm ARM, D11.1.2); memory counts as clobbered, so that the compiler moves no load or store across.
        unsafe {
            asm!("isb", "mrs {}, cntvct_el0", out(reg) count, options(nostack, preserves_flags));
        }
        count
    }
}
