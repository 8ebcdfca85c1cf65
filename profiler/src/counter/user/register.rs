//! Registers of the performance monitoring unit, read in user mode.
#![allow(unsafe_code, reason = "registers are read by instructions")]

use core::arch::asm;

/// The value of the register of this number (the page's index less 1).
///
/// # Safety
/// The kernel must let this thread read the register, else the program is ended by a signal: it does while the page of an
/// open event is mapped and says so.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn read(number: u32) -> u64 {
    let (low, high): (u64, u64);
    // SAFETY: the caller's promise. `rdpmc` writes the two registers that are named and nothing else (Intel SDM volume 2B,
    // RDPMC); memory counts as clobbered, so that the compiler moves no load or store across.
    unsafe {
        asm!("rdpmc", in("ecx") number, out("rax") low, out("rdx") high, options(nostack, preserves_flags));
    }
    high << 32 | low
}

/// The number by which the kernel calls the cycle counter, beside the event counters 0 to 30.
#[cfg(target_arch = "aarch64")]
const CYCLE_COUNTER: u32 = 31;

/// The value of the register of this number (the page's index less 1): 31 is `PMCCNTR_EL0`, those below are
/// `PMEVCNTR<n>_EL0` (Arm ARM, D19.5; Linux, Documentation/arch/arm64/perf.rst).
///
/// # Safety
/// The kernel must let this thread read the register, else the program is ended by a signal: it does while the page of an
/// open event is mapped and says so.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub(super) unsafe fn read(number: u32) -> u64 {
    macro_rules! event_counter {
        ($($n:literal)*) => {
            match number {
                CYCLE_COUNTER => read_register!("pmccntr_el0"),
                $($n => read_register!(concat!("pmevcntr", $n, "_el0")),)*
                _ => 0,
            }
        };
    }
    macro_rules! read_register {
        ($name:expr) => {{
            let value: u64;
            // SAFETY: the caller's promise; no effect on memory, stack or flags. The barrier keeps the processor from
            // reading early; memory counts as clobbered, so that the compiler moves no load or store across.
            unsafe {
                asm!("isb", concat!("mrs {}, ", $name), out(reg) value, options(nostack, preserves_flags));
            }
            value
        }};
    }
    event_counter!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30)
}
