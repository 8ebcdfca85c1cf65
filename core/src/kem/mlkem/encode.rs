//! Polynomials as bytes: ByteEncode, ByteDecode, Compress and Decompress (FIPS 203, section 4.2.1).

use super::field::{Q, canonical};
use super::poly::{N, NttPoly, PAIRS, Poly};
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
/// The factor is 2^31/q rounded up. Half of what that adds for the largest x is taken off the half that rounds, so that
/// the error is as small upwards as downwards. The result is exact for every x and every d in use, as a test shows.
#[inline(always)]
const fn compress_word<const D: usize>(x: u16) -> u16 {
    const BITS: usize = 31;
    const FACTOR: u32 = (1u32 << BITS).div_ceil(Q as u32);
    const EXCESS: u32 = (FACTOR * Q as u32 - (1 << BITS)) / 2;
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
    pub(super) fn encode(from: &NttPoly, bytes: &mut [u8; FULL_BYTES]) {
        let (constant, linear) = from.0.split_at(PAIRS);
        for i in 0..PAIRS {
            let (a, b) = (canonical(constant[i]), canonical(linear[i]));
            bytes[3 * i] = a as u8;
            bytes[3 * i + 1] = (a >> 8 | b << 4) as u8;
            bytes[3 * i + 2] = (b >> 4) as u8;
        }
    }

    /// ByteDecode₁₂, without the reduction: words are below 2^12.
    pub(super) fn decode(bytes: &[u8; FULL_BYTES], to: &mut NttPoly) {
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

    /// Compress and ByteEncode to D bits a coefficient, in place of the coefficients: they may be secret, and a copy of them
    /// would have to be wiped.
    fn compress_to<const D: usize>(from: &mut Poly, bytes: &mut [u8]) {
        for word in &mut from.0 {
            *word = compress_word::<D>(canonical(*word)) as i16;
        }
        pack::<D>(bytemuck::must_cast_ref::<_, [u16; N]>(&from.0), bytes);
    }

    /// ByteDecode and Decompress from D bits a coefficient.
    fn decompress_from<const D: usize>(bytes: &[u8], to: &mut Poly) {
        unpack::<D>(bytes, bytemuck::must_cast_mut::<_, [u16; N]>(&mut to.0));
        for word in &mut to.0 {
            *word = decompress_word::<D>(*word as u16);
        }
    }
}

/// Compresses `from` to `width` bits a coefficient, using it up.
///
/// # Panics
/// For widths that no parameter set has.
pub(super) fn compress(width: usize, from: &mut Poly, bytes: &mut [u8]) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kem::lattice::testing::on_every_path;

    const MODULUS: u32 = Q as u32;

    /// round(2^d/q · x) modulo 2^d, halves up (FIPS 203, section 4.2.1).
    fn compressed<const D: usize>(x: u32) -> u32 {
        ((x << (D + 1)) + MODULUS) / (2 * MODULUS) % (1 << D)
    }

    /// round(q/2^d · y), halves up.
    fn decompressed<const D: usize>(y: u32) -> u32 {
        (2 * y * MODULUS + (1 << D)) >> (D + 1)
    }

    /// Every value of every representative, at places that meet every lane of a vector.
    fn compresses_by_definition<const D: usize>() {
        for first in (-i32::from(Q)..2 * i32::from(Q)).step_by(N) {
            let poly = Poly(core::array::from_fn(|i| (first + i as i32) as i16));
            let (mut bytes, mut words) = ([0; N * 12 / 8], [0; N]);
            let bytes = &mut bytes[..compressed_bytes(D)];
            compress(D, &mut { poly }, bytes);
            unpack::<D>(bytes, &mut words);
            for (&word, &value) in words.iter().zip(&poly.0) {
                let value = i32::from(value).rem_euclid(MODULUS as i32) as u32;
                assert_eq!(u32::from(word), compressed::<D>(value), "{value} to {D} bits");
            }
        }
    }

    fn decompresses_by_definition<const D: usize>() {
        for first in (0..1 << D).step_by(N) {
            let words = core::array::from_fn::<_, N, _>(|i| ((first + i) % (1 << D)) as u16);
            let (mut bytes, mut poly) = ([0; N * 12 / 8], Poly::ZERO);
            let bytes = &mut bytes[..compressed_bytes(D)];
            pack::<D>(&words, bytes);
            decompress(D, bytes, &mut poly);
            for (&word, &value) in words.iter().zip(&poly.0) {
                assert_eq!(value as u32, decompressed::<D>(word.into()), "{word} from {D} bits");
            }
        }
    }

    fn follows_the_definition<const D: usize>() {
        compresses_by_definition::<D>();
        decompresses_by_definition::<D>();
    }

    #[test]
    fn compression_is_exact_for_every_value_and_width() {
        on_every_path(|| {
            follows_the_definition::<1>();
            follows_the_definition::<4>();
            follows_the_definition::<5>();
            follows_the_definition::<10>();
            follows_the_definition::<11>();
        });
    }

    #[test]
    fn encoding_is_of_the_canonical_value_in_the_standard_order() {
        on_every_path(|| {
            for first in (i16::MIN..i16::MAX - N as i16).step_by(N) {
                let transformed = NttPoly(core::array::from_fn(|i| first + i as i16));
                let (mut bytes, mut words) = ([0; FULL_BYTES], [0; N]);
                encode(&transformed, &mut bytes);
                assert!(is_reduced(&bytes));
                unpack::<FULL>(&bytes, &mut words);
                for (i, &word) in words.iter().enumerate() {
                    let value = i32::from(transformed.0[i / 2 + i % 2 * PAIRS]);
                    assert_eq!(i32::from(word), value.rem_euclid(MODULUS as i32), "{value}");
                }
            }
        });
    }

    #[test]
    fn decoding_keeps_all_twelve_bits() {
        on_every_path(|| {
            for first in (0..1 << FULL).step_by(N) {
                let words = core::array::from_fn::<_, N, _>(|i| first + i as u16);
                let (mut bytes, mut transformed) = ([0; FULL_BYTES], NttPoly::ZERO);
                pack::<FULL>(&words, &mut bytes);
                decode(&bytes, &mut transformed);
                for (i, &word) in words.iter().enumerate() {
                    assert_eq!(transformed.0[i / 2 + i % 2 * PAIRS] as u16, word);
                }
                assert_eq!(is_reduced(&bytes), words.iter().all(|&word| word < Q as u16), "from {first}");
            }
        });
    }

    #[test]
    fn one_coefficient_anywhere_is_enough_to_be_unreduced() {
        on_every_path(|| {
            for i in 0..N {
                let mut words = [Q as u16 - 1; N];
                let mut bytes = [0; FULL_BYTES];
                pack::<FULL>(&words, &mut bytes);
                assert!(is_reduced(&bytes));
                words[i] += 1;
                pack::<FULL>(&words, &mut bytes);
                assert!(!is_reduced(&bytes), "q at {i}");
            }
        });
    }
}
