//! Keccak sponges: one stream over the `keccak` crate's permutation, and several at once where AVX2 or Armv8.2's SHA3
//! instructions are.
//!
//! Whole messages go through the `sha3`, `shake` and `turboshake` crates. Streams are here because a lane of a batch
//! must be able to go on by itself, which no crate's reader lets it: what runs is the crates' permutation and the
//! crates' cursor. Maintained crates were measured for the four-way path before it was written here (ticks for one
//! permutation of one state on a Zen 5, where this one takes 230): `keccak` 0.2 has it for nightly compilers alone,
//! `libcrux-sha3` 0.0.11 takes 16 400, or 390 when its caller is compiled for AVX2, knows SHAKE only, and does not
//! give up its states. AVX-512 would be faster still; backends stop at AVX2 so that they compare on equal terms.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod four;
#[cfg(not(target_arch = "x86_64"))]
mod pairs;
mod sponge;
#[cfg(test)]
mod tests;

#[cfg(target_arch = "x86_64")]
use avx2 as together;
#[cfg(not(target_arch = "x86_64"))]
use pairs as together;
pub(super) use sponge::{ShakeStream, TurboShakeStream};

use crate::symmetric::Function;

/// Rounds of Keccak-f\[1600\] (FIPS 202, section 3.4).
pub(super) const F1600: usize = 24;
/// Rounds of TurboSHAKE's Keccak-p\[1600, 12\] (RFC 9861, section 2.1).
pub(super) const P1600_12: usize = 12;

/// Rate in bytes of a sponge of this security strength in bits (FIPS 202, section 6: the capacity is twice that).
pub(super) const fn rate(strength: usize) -> usize {
    (1600 - 2 * strength) / 8
}

/// Rate of SHAKE128 and TurboSHAKE128 in bytes.
pub(super) const RATE_128: usize = rate(128);
/// Rate of SHAKE256 and TurboSHAKE256 in bytes.
pub(super) const RATE_256: usize = rate(256);

const _: () = assert!(RATE_128 == 168 && RATE_256 == 136 && rate(512) == 72);

/// The sponge `name` of this rate over `ROUNDS` rounds.
pub(super) const fn function<const ROUNDS: usize>(name: &'static str, rate: usize) -> Function {
    let permutation = match ROUNDS {
        F1600 => "keccak-f[1600]",
        P1600_12 => "keccak-p[1600,12]",
        _ => panic!("no backend uses this number of rounds"),
    };
    Function { name, permutation, absorb_rate: rate, squeeze_rate: rate }
}

/// Permutations of a sponge: padding adds at least one bit, and the permutation of the last block absorbed yields the
/// first block squeezed.
pub(super) const fn sponge_permutations(rate: usize, in_bytes: usize, out_bytes: usize) -> u64 {
    (in_bytes / rate + out_bytes.div_ceil(rate)) as u64
}

/// Messages of a batch that run together on this machine.
pub(super) fn lanes() -> usize {
    if together::Together::detect().is_some() { four::LANES } else { 1 }
}
