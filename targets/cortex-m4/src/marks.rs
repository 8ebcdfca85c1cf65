//! Symbols that a simulator can hook, to count for itself what the firmware counts.
#![expect(unsafe_code, reason = "a simulator finds functions by their names")]

use core::arch::asm;

/// A trial without probes is about to begin.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn kemprof_trial_begin() {
    // SAFETY: nothing happens. It only keeps the two functions apart.
    unsafe { asm!("nop", options(nostack, preserves_flags)) };
}

/// A trial without probes has ended.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn kemprof_trial_end() {
    // SAFETY: nothing happens.
    unsafe { asm!("nop", "nop", options(nostack, preserves_flags)) };
}

/// Runs `body` between the two.
#[inline(always)]
pub(crate) fn between<R>(body: impl FnOnce() -> R) -> R {
    kemprof_trial_begin();
    let result = body();
    kemprof_trial_end();
    result
}
