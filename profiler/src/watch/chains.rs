#![allow(unsafe_code, reason = "a compiler would shorten these loops, so they are written as instructions")]
//! Two loops of which one waits for its own results and the other for room in the core. Both begin and end with a barrier,
//! so that what is timed is all of the loop and nothing else.

use core::arch::asm;

/// Instructions of either kind in one round.
pub(super) const UNROLLED: u64 = 16;

/// Runs `rounds` times [`UNROLLED`] multiplications, each of which waits for the one before.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub(super) fn dependent_multiplications(rounds: u64) {
    // SAFETY: changes the registers that are named and the flags, and touches no memory.
    unsafe {
        asm!(
            "lfence",
            "2:",
            "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}",
            "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}",
            "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}",
            "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}",
            "dec {n}", "jnz 2b",
            "lfence",
            x = inout(reg) 3_u64 => _,
            n = inout(reg) rounds.max(1) => _,
            options(nomem, nostack),
        );
    }
}

/// Runs `rounds` times [`UNROLLED`] additions, each of which waits only for one eight before it.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub(super) fn independent_additions(rounds: u64) {
    // SAFETY: changes the registers that are named and the flags, and touches no memory.
    unsafe {
        asm!(
            "lfence",
            "2:",
            "add {a}, {k}", "add {b}, {k}", "add {c}, {k}", "add {d}, {k}",
            "add {e}, {k}", "add {f}, {k}", "add {g}, {k}", "add {h}, {k}",
            "add {a}, {k}", "add {b}, {k}", "add {c}, {k}", "add {d}, {k}",
            "add {e}, {k}", "add {f}, {k}", "add {g}, {k}", "add {h}, {k}",
            "dec {n}", "jnz 2b",
            "lfence",
            a = inout(reg) 1_u64 => _, b = inout(reg) 2_u64 => _, c = inout(reg) 3_u64 => _, d = inout(reg) 4_u64 => _,
            e = inout(reg) 5_u64 => _, f = inout(reg) 6_u64 => _, g = inout(reg) 7_u64 => _, h = inout(reg) 8_u64 => _,
            k = in(reg) 9_u64,
            n = inout(reg) rounds.max(1) => _,
            options(nomem, nostack),
        );
    }
}

/// Runs `rounds` times [`UNROLLED`] multiplications, each of which waits for the one before.
#[cfg(target_arch = "aarch64")]
#[inline(never)]
pub(super) fn dependent_multiplications(rounds: u64) {
    // SAFETY: changes the registers that are named and the flags, and touches no memory.
    unsafe {
        asm!(
            "isb",
            "2:",
            "mul {x}, {x}, {x}", "mul {x}, {x}, {x}", "mul {x}, {x}, {x}", "mul {x}, {x}, {x}",
            "mul {x}, {x}, {x}", "mul {x}, {x}, {x}", "mul {x}, {x}, {x}", "mul {x}, {x}, {x}",
            "mul {x}, {x}, {x}", "mul {x}, {x}, {x}", "mul {x}, {x}, {x}", "mul {x}, {x}, {x}",
            "mul {x}, {x}, {x}", "mul {x}, {x}, {x}", "mul {x}, {x}, {x}", "mul {x}, {x}, {x}",
            "subs {n}, {n}, #1", "b.ne 2b",
            "isb",
            x = inout(reg) 3_u64 => _,
            n = inout(reg) rounds.max(1) => _,
            options(nomem, nostack),
        );
    }
}

/// Runs `rounds` times [`UNROLLED`] additions, each of which waits only for one eight before it.
#[cfg(target_arch = "aarch64")]
#[inline(never)]
pub(super) fn independent_additions(rounds: u64) {
    // SAFETY: changes the registers that are named and the flags, and touches no memory.
    unsafe {
        asm!(
            "isb",
            "2:",
            "add {a}, {a}, {k}", "add {b}, {b}, {k}", "add {c}, {c}, {k}", "add {d}, {d}, {k}",
            "add {e}, {e}, {k}", "add {f}, {f}, {k}", "add {g}, {g}, {k}", "add {h}, {h}, {k}",
            "add {a}, {a}, {k}", "add {b}, {b}, {k}", "add {c}, {c}, {k}", "add {d}, {d}, {k}",
            "add {e}, {e}, {k}", "add {f}, {f}, {k}", "add {g}, {g}, {k}", "add {h}, {h}, {k}",
            "subs {n}, {n}, #1", "b.ne 2b",
            "isb",
            a = inout(reg) 1_u64 => _, b = inout(reg) 2_u64 => _, c = inout(reg) 3_u64 => _, d = inout(reg) 4_u64 => _,
            e = inout(reg) 5_u64 => _, f = inout(reg) 6_u64 => _, g = inout(reg) 7_u64 => _, h = inout(reg) 8_u64 => _,
            k = in(reg) 9_u64,
            n = inout(reg) rounds.max(1) => _,
            options(nomem, nostack),
        );
    }
}
