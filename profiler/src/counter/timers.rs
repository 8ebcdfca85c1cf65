//! Timers at a fixed rate that is not the core's: the system's clock, and those that are read by an instruction.
#![allow(unsafe_code, reason = "timers are read by instructions")]

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use core::arch::asm;
use kemprof_core::Counter;
use std::time::Instant;

/// Nanoseconds of the system's monotonic clock since this counter was made.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Instant,
}

impl Clock {
    /// Starts at 0.
    #[must_use]
    pub fn new() -> Self {
        Self { origin: Instant::now() }
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}

impl Counter for Clock {
    #[inline]
    fn read(&mut self) -> u64 {
        // 2^64 ns are 584 years.
        self.origin.elapsed().as_nanos() as u64
    }
}

/// The time stamp counter, read by a bare `rdtsc`.
///
/// The processor may run it before earlier instructions have finished and after later ones have begun. That shifts each
/// reading by as much as the processor works ahead (some 100 ticks after code that waits for its own results) but
/// loses and invents no time, and it leaves the program's own overlap alone: what is measured is the program at its
/// real speed, with boundaries that are a little blurred.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Tsc;

#[cfg(target_arch = "x86_64")]
impl Counter for Tsc {
    #[inline(always)]
    fn read(&mut self) -> u64 {
        let (low, high): (u64, u64);
        // SAFETY: `rdtsc` writes the two registers that are named, and nothing else. Memory is left to count as clobbered,
        // so that the compiler moves no load or store across the reading.
        unsafe {
            asm!("rdtsc", out("rax") low, out("rdx") high, options(nostack, preserves_flags));
        }
        high << 32 | low
    }
}

/// The time stamp counter, read when all earlier instructions have finished: `lfence`, then `rdtsc` (Intel SDM volume 2B,
/// RDTSC; AMD APM volume 3, LFENCE, which Linux makes dispatch-serialising).
///
/// Each call gets its own time, to the end; but code on both sides of a reading no longer overlaps, which makes the whole
/// slower than it is unwatched. The difference is the evidence's `probe_overhead`.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct TscFenced;

#[cfg(target_arch = "x86_64")]
impl Counter for TscFenced {
    #[inline(always)]
    fn read(&mut self) -> u64 {
        let (low, high): (u64, u64);
        // SAFETY: as above; `lfence` has no effect but order.
        unsafe {
            asm!("lfence", "rdtsc", out("rax") low, out("rdx") high, options(nostack, preserves_flags));
        }
        high << 32 | low
    }
}

/// The virtual count of the generic timer, at the fixed rate of [`timer_hz`](crate::environment::timer_hz).
#[cfg(target_arch = "aarch64")]
#[derive(Clone, Copy, Debug)]
pub struct Cntvct;

#[cfg(target_arch = "aarch64")]
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
