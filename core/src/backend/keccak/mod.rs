//! Keccak sponges: one stream over the `keccak` crate's permutation, or one for microcontrollers of 32 bits, and several at once where
//! AVX2 or Armv8.2's SHA3 instructions are.
//!
//! The sponges are here because a lane of a batch must be able to go on by itself, which no crate's reader lets it: what
//! runs is the crates' permutation and the crates' cursor. Maintained crates were measured for the four-way path before it
//! was written here (ticks for one permutation of one state on a Zen 5, where this one takes 230): `keccak` 0.2 has it for
//! nightly compilers alone, `libcrux-sha3` 0.0.11 takes 16 400, or 390 when its caller is compiled for AVX2, knows SHAKE
//! only, and does not give up its states. AVX-512 would be faster still; backends stop at AVX2 so that they compare on equal
//! terms. On a Cortex-M4 `keccak` 0.2 takes 40 300 cycles and 9 700 are possible.
//!
//! | module        | what it does |
//! |---------------|--------------|
//! | `sponge`      | streams, over words of 64 bits |
//! | `interleaved` | the same over words of 32 bits: even and odd bits apart |
//! | `plain`       | the permutation for these, in Rust, to compare with |
//! | `thumb`       | the same in assembly for ARMv7E-M |
//! | `fixed`       | SHA-3: digests of a fixed length |
//! | `stream`      | a stream of either strength, and batches |
//! | `four`        | four messages at once |
//! | `avx2`        | four permutations at once |
//! | `pairs`       | the same on AArch64 |

#[cfg(target_arch = "x86_64")]
mod avx2;
mod fixed;
mod four;
#[cfg(any(test, feature = "twins", armv7em))]
#[cfg_attr(not(armv7em), allow(unreachable_pub, dead_code, reason = "only tests use it on other machines"))]
mod interleaved;
#[cfg(not(target_arch = "x86_64"))]
mod pairs;
#[cfg(any(test, feature = "twins"))]
mod plain;
#[cfg(not(armv7em))]
mod sponge;
mod stream;
#[cfg(test)]
mod tests;
#[cfg(armv7em)]
mod thumb;

#[cfg(target_arch = "x86_64")]
use avx2 as together;
pub(super) use fixed::sha3;
#[cfg(not(target_arch = "x86_64"))]
use pairs as together;
#[cfg(not(armv7em))]
pub(super) use sponge::Sponge;
pub(super) use stream::{ShakeStream, TurboShakeStream};

/// The sponge of microcontrollers with registers of 32 bits.
#[cfg(armv7em)]
pub(super) type Sponge<const RATE: usize, const ROUNDS: usize> = interleaved::Sponge<thumb::Thumb, RATE, ROUNDS>;

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

/// What SHAKE appends to a message, with the first bit of padding (FIPS 202, sections 6.2 and 5.1), and TurboSHAKE's
/// usual domain separation byte (RFC 9861, section 2.1).
pub(super) const SUFFIX: u8 = 0x1f;
/// What SHA-3 appends, with the first bit of padding (FIPS 202, section 6.1).
#[cfg(any(test, armv7em))]
pub(super) const SHA3_SUFFIX: u8 = 0x06;
/// The last bit of padding, in the last byte of the rate.
const PADDING_END: u8 = 0x80;

/// The constants of iota (FIPS 202, algorithms 5 and 6): a shift register of x^8 + x^6 + x^5 + x^4 + 1 gives bits 2^j - 1,
/// for j from 0 to 6, round after round.
#[cfg(any(test, feature = "twins", target_arch = "x86_64", armv7em))]
static RC: [u64; F1600] = {
    const FEEDBACK: u8 = 1 << 6 | 1 << 5 | 1 << 4 | 1;
    let mut rc = [0; F1600];
    let mut register = 1u8;
    let mut bit = 0;
    while bit < 7 * F1600 {
        rc[bit / 7] |= ((register & 1) as u64) << ((1 << (bit % 7)) - 1);
        register = (register << 1) ^ ((register >> 7) * FEEDBACK);
        bit += 1;
    }
    rc
};

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

/// Which code runs on this machine.
pub(super) fn code() -> &'static str {
    if cfg!(armv7em) {
        "armv7em"
    } else if together::Together::detect().is_none() {
        "portable"
    } else if cfg!(target_arch = "x86_64") {
        "avx2"
    } else {
        "sha3"
    }
}

/// Messages of a batch that run together on this machine.
pub(super) fn lanes() -> usize {
    if together::Together::detect().is_some() { four::LANES } else { 1 }
}

/// Compares this machine's sponge with that over the plain permutation of interleaved lanes: messages of more than a block, and
/// output of more than two.
#[cfg(feature = "twins")]
pub(super) fn check_twins(random: &mut impl crate::Drng) -> Result<(), super::SelfTestError> {
    fn check<const ROUNDS: usize>(
        name: &'static str,
        random: &mut impl crate::Drng,
    ) -> Result<(), super::SelfTestError> {
        use crate::Reader;
        let message: [u8; 256] = crate::twins::array(random);
        let message = &message[..usize::from(message[0])];
        let mut outs = [[0; 3 * RATE_128 - 1]; 2];
        Sponge::<RATE_128, ROUNDS>::absorb(&[], &[message]).read(&mut outs[0]);
        interleaved::Sponge::<plain::Plain, RATE_128, ROUNDS>::absorb(&[], &[message]).read(&mut outs[1]);
        super::expect(name, "a sponge against its plain twin", &outs[0], &outs[1])
    }
    check::<F1600>("shake", random)?;
    check::<P1600_12>("turboshake", random)
}
