//! Polynomials as bytes: ByteEncode, ByteDecode, Compress and Decompress (FIPS 203, section 4.2.1).

use super::field::{Q, canonical};
use super::poly::{N, PAIRS, Poly, Spectrum};
use crate::kem::lattice::{pack, unpack, vectorised};

/// Bits of a coefficient that is not compressed.
const FULL: usize = 12;
/// Bytes of two coefficients that are not compressed.
pub(super) const GROUP: usize = 2 * FULL / 8;
/// Bytes of a polynomial that is not compressed.
pub(super) const FULL_BYTES: usize = compressed_bytes(FULL);
/// Bytes of a message: a bit for each coefficient.
pub(super) const MESSAGE: usize = compressed_bytes(1);

const _: () = assert!((Q as usize) < 1 << FULL && (Q as usize) > 1 << (FULL - 1));

/// Bytes of a polynomial compressed to `width` bits a coefficient.
pub(super) const fn compressed_bytes(width: usize) -> usize {
    N * width / 8
}

/// The two words of 12 bits in three bytes.
#[inline(always)]
pub(super) const fn split_group([a, b, c]: [u8; GROUP]) -> [i16; 2] {
    let (a, b, c) = (a as i16, b as i16, c as i16);
    [a | (b & 0xf) << 8, b >> 4 | c << 4]
}

/// round(2^d/q · x) modulo 2^d for x from 0 to q - 1, without a division.
///
/// The factor is 2^31/q rounded up, whose excess adds at most 1030 / 2^(31 - d) to the quotient; half of that is taken off the
/// half that rounds. It is exact for every x and every d that is used: see the test.
#[inline(always)]
const fn compress_word<const D: usize>(x: u16) -> u16 {
    const BITS: usize = 31;
    const FACTOR: u32 = (1u32 << BITS).div_ceil(Q as u32);
    const EXCESS: u32 = 512;
    let rounded = x as u32 * FACTOR + (1 << (BITS - D - 1)) - EXCESS;
    (rounded >> (BITS - D)) as u16 & ((1 << D) - 1)
}

/// round(q/2^d · y) for y from 0 to 2^d - 1.
#[inline(always)]
const fn decompress_word<const D: usize>(y: u16) -> i16 {
    ((y as u32 * Q as u32 + (1 << (D - 1))) >> D) as i16
}

vectorised! {
    /// ByteEncode₁₂.
    pub(super) fn encode(from: &Spectrum, bytes: &mut [u8; FULL_BYTES]) {
        let (constant, linear) = from.0.split_at(PAIRS);
        for i in 0..PAIRS {
            let (a, b) = (canonical(constant[i]), canonical(linear[i]));
            bytes[3 * i] = a as u8;
            bytes[3 * i + 1] = (a >> 8 | b << 4) as u8;
            bytes[3 * i + 2] = (b >> 4) as u8;
        }
    }

    /// ByteDecode₁₂, without the reduction: words are below 2^12.
    pub(super) fn decode(bytes: &[u8; FULL_BYTES], to: &mut Spectrum) {
        let (constant, linear) = to.0.split_at_mut(PAIRS);
        for i in 0..PAIRS {
            [constant[i], linear[i]] = split_group([bytes[3 * i], bytes[3 * i + 1], bytes[3 * i + 2]]);
        }
    }

    /// Whether all coefficients that [`decode`] would give are below q.
    pub(super) fn is_reduced(bytes: &[u8; FULL_BYTES]) -> bool {
        let mut largest = 0;
        for i in 0..PAIRS {
            let [a, b] = split_group([bytes[3 * i], bytes[3 * i + 1], bytes[3 * i + 2]]);
            largest = a.max(b).max(largest);
        }
        largest < Q
    }

    /// Compress and ByteEncode to D bits a coefficient.
    fn compress_to<const D: usize>(from: &Poly, bytes: &mut [u8]) {
        let words = from.0.map(|word| compress_word::<D>(canonical(word)));
        pack::<D>(&words, bytes);
    }

    /// ByteDecode and Decompress from D bits a coefficient.
    fn decompress_from<const D: usize>(bytes: &[u8], to: &mut Poly) {
        let mut words = [0; N];
        unpack::<D>(bytes, &mut words);
        to.0 = words.map(decompress_word::<D>);
    }
}

/// Compresses `from` to `width` bits a coefficient.
///
/// # Panics
/// For widths that no parameter set has.
pub(super) fn compress(width: usize, from: &Poly, bytes: &mut [u8]) {
    match width {
        1 => compress_to::<1>(from, bytes),
        4 => compress_to::<4>(from, bytes),
        5 => compress_to::<5>(from, bytes),
        10 => compress_to::<10>(from, bytes),
        11 => compress_to::<11>(from, bytes),
        _ => panic!("no parameter set compresses to {width} bits"),
    }
}

/// Decompresses `width` bits a coefficient to coefficients from 0 to q - 1.
///
/// # Panics
/// For widths that no parameter set has.
pub(super) fn decompress(width: usize, bytes: &[u8], to: &mut Poly) {
    match width {
        1 => decompress_from::<1>(bytes, to),
        4 => decompress_from::<4>(bytes, to),
        5 => decompress_from::<5>(bytes, to),
        10 => decompress_from::<10>(bytes, to),
        11 => decompress_from::<11>(bytes, to),
        _ => panic!("no parameter set compresses to {width} bits"),
    }
}
