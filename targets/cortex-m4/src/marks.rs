//! Symbols that a simulator can hook, to count for itself what the firmware counts.
#![expect(unsafe_code, reason = "a simulator finds functions by their names")]

use core::arch::asm;

/// Defines marks. The code of each is its own, so that no two become one.
macro_rules! marks {
    ($($(#[$documentation:meta])* $name:ident = $($nop:literal),+;)*) => {$(
        $(#[$documentation])*
        #[unsafe(no_mangle)]
        #[inline(never)]
        extern "C" fn $name() {
            // SAFETY: nothing happens.
            unsafe { asm!($($nop),+, options(nostack, preserves_flags)) };
        }
    )*};
}

marks! {
    /// A trial without probes is about to begin.
    kemprof_trial_begin = "nop";
    /// A trial without probes has ended.
    kemprof_trial_end = "nop", "nop";
    /// A trial with probes is about to begin.
    kemprof_probed_begin = "nop", "nop", "nop";
    /// A trial with probes has ended.
    kemprof_probed_end = "nop", "nop", "nop", "nop";
}

/// Runs `body`, a trial without probes, between its marks.
#[inline(always)]
pub(crate) fn trial<R>(body: impl FnOnce() -> R) -> R {
    kemprof_trial_begin();
    let result = body();
    kemprof_trial_end();
    result
}

/// Runs `body`, a trial with probes, between its marks.
#[inline(always)]
pub(crate) fn probed<R>(body: impl FnOnce() -> R) -> R {
    kemprof_probed_begin();
    let result = body();
    kemprof_probed_end();
    result
}
