#![allow(unsafe_code, reason = "the time stamp counter is read by instructions")]

use core::arch::asm;
use kemprof_core::Counter;

/// The time stamp counter, read by a bare `rdtsc`.
///
/// The processor may run it before earlier instructions have finished and after later ones have begun. That shifts each
/// reading by as much as the processor works ahead (some 100 ticks after code that waits for its own results) but
/// loses and invents no time, and it leaves the program's own overlap alone: what is measured is the program at its
/// real speed, with boundaries that are a little blurred.
#[derive(Clone, Copy, Debug)]
pub struct Tsc;

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
#[derive(Clone, Copy, Debug)]
pub struct TscFenced;

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
