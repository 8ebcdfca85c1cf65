//! What lattice schemes share: kernels compiled for the processor at hand, packing, comparison in constant time,
//! and secrets that are wiped.

#[cfg(target_arch = "x86_64")]
mod compaction;
mod compare;
mod pack;
mod secret;
#[cfg(test)]
pub(super) mod testing;
mod vectorise;

#[cfg(target_arch = "x86_64")]
pub(super) use compaction::COMPACTION_TABLE;
pub(super) use compare::{ct_assign, ct_eq};
pub(super) use pack::{pack, unpack};
pub(super) use secret::SecretBytes;
pub(super) use vectorise::vectorised;
#[cfg(target_arch = "x86_64")]
pub(super) use vectorise::wide_vectors;

/// 1/`odd` modulo 2^32, by Newton's iteration, which doubles the right bits: `odd` is its own inverse modulo 8.
pub(super) const fn inverse_of_odd(odd: u32) -> u32 {
    let mut inverse = odd;
    let mut bits = 3;
    while bits < u32::BITS {
        inverse = inverse.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(inverse)));
        bits *= 2;
    }
    assert!(odd.wrapping_mul(inverse) == 1);
    inverse
}
