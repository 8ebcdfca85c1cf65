//! Polynomials as bytes: bit packing, compression, and the submitted encodings made of them.

use super::params::Params;
use super::reduce::{Reduce, freeze};
use crate::kem::lattice::{self, vectorised};
use zeroize::Zeroize;

/// Does `body` with the constant `D` of the width that an instance packs with.
macro_rules! with_width {
    ($width:expr, $D:ident => $body:expr) => {
        with_width!($width, $D => $body, 6, 7, 9, 11, 12, 13)
    };
    ($width:expr, $D:ident => $body:expr, $($value:literal),*) => {
        match $width {
            $($value => { const $D: usize = $value; $body })*
            width => unreachable!("no instance packs {width} bits"),
        }
    };
}

/// Packs values below 2^`width`.
#[inline(always)]
fn pack(width: usize, values: &[u16], bytes: &mut [u8]) {
    with_width!(width, D => lattice::pack::<D>(values, bytes));
}

/// Undoes [`pack`].
#[inline(always)]
fn unpack(width: usize, bytes: &[u8], values: &mut [u16]) {
    with_width!(width, D => lattice::unpack::<D>(bytes, values));
}

/// The lowest `width` bits.
pub(super) const fn mask(width: usize) -> u16 {
    (1 << width) - 1
}

/// Rounding and division by q without a divide instruction, whose time would tell its operands.
trait Rounding: Params {
    /// 2^40 / q, rounded up. Since q < 2^13, a product with any number below 2^27 is less than 2^40 / q too large, and its
    /// part above 40 bits is right.
    const RECIPROCAL: u64 = (1u64 << 40).div_ceil(Self::Q as u64);
}

impl<P: Params> Rounding for P {}

/// round(2^width · x / q) modulo 2^width, for x up to 2·q.
#[inline(always)]
fn compress<P: Params>(width: usize, x: u16) -> u16 {
    let dividend = (u32::from(x) << width) + u32::from(P::Q / 2);
    ((u64::from(dividend) * P::RECIPROCAL) >> 40) as u16 & mask(width)
}

/// round(q · x / 2^width).
#[inline(always)]
fn decompress<P: Params>(width: usize, x: u16) -> u16 {
    ((u32::from(x) * u32::from(P::Q) + (1 << (width - 1))) >> width) as u16
}

vectorised! {
    /// Packs a polynomial of the public or secret key. Those of q = 3329 go out as they are, unreduced.
    pub(super) fn encode_key<type P: Reduce, const N: usize>(poly: &[u16; N], bytes: &mut [u8]) {
        if P::Q == 3329 {
            pack(P::LOG_Q, poly, bytes);
        } else {
            let mut reduced = poly.map(freeze::<P>);
            pack(P::LOG_Q, &reduced, bytes);
            reduced.as_mut_slice().zeroize();
        }
    }

    /// Undoes [`encode_key`], up to reduction.
    pub(super) fn decode_key<type P: Params, const N: usize>(bytes: &[u8], poly: &mut [u16; N]) {
        unpack(P::LOG_Q, bytes, poly);
    }

    /// Packs a polynomial of u: compressed, or as it is where compression would lose nothing. Compresses in place: that of a
    /// decapsulation is secret, and a copy of it would have to be wiped.
    pub(super) fn encode_u<type P: Params, const N: usize>(poly: &mut [u16; N], bytes: &mut [u8]) {
        if P::LOG_P != P::LOG_Q {
            for x in poly.iter_mut() {
                *x = compress::<P>(P::LOG_P, *x);
            }
        }
        pack(P::LOG_P, poly, bytes);
    }

    /// Undoes [`encode_u`], up to reduction and rounding.
    pub(super) fn decode_u<type P: Params, const N: usize>(bytes: &[u8], poly: &mut [u16; N]) {
        unpack(P::LOG_P, bytes, poly);
        if P::LOG_P != P::LOG_Q {
            *poly = poly.map(|x| decompress::<P>(P::LOG_P, x));
        }
    }

    /// Compresses v in place, as [`encode_u`], and packs it.
    pub(super) fn encode_v<type P: Reduce, const N: usize>(poly: &mut [u16; N], bytes: &mut [u8]) {
        for x in poly.iter_mut() {
            *x = compress::<P>(P::LOG_T, freeze::<P>(*x));
        }
        pack(P::LOG_T, poly, bytes);
    }

    /// Undoes [`encode_v`], up to rounding.
    pub(super) fn decode_v<type P: Params, const N: usize>(bytes: &[u8], poly: &mut [u16; N]) {
        unpack(P::LOG_T, bytes, poly);
        *poly = poly.map(|x| decompress::<P>(P::LOG_T, x));
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::{Lwekem128, Lwekem256, Lwekem512};
    use super::*;
    use crate::kem::lattice::testing::on_every_path;

    fn roundings<P: Params>() {
        let q = u32::from(P::Q);
        for width in [P::LOG_T, P::LOG_P] {
            for x in 0..=2 * q {
                let rounded = (((x << width) + q / 2) / q) & u32::from(mask(width));
                assert_eq!(u32::from(compress::<P>(width, x as u16)), rounded, "{x} to {width} bits");
            }
            for x in 0..1 << width {
                let back = decompress::<P>(width, x as u16);
                assert_eq!(u32::from(back), (q * x + (1 << (width - 1))) >> width);
                assert!(width == P::LOG_Q || compress::<P>(width, back) == x as u16);
            }
        }
    }

    #[test]
    fn roundings_hold_for_all_numbers() {
        roundings::<Lwekem128>();
        roundings::<Lwekem256>();
        roundings::<Lwekem512>();
    }

    /// Value `i` of `width` bits each.
    fn packed(bytes: &[u8], width: usize, i: usize) -> u16 {
        (0..width).fold(0, |value, bit| {
            let at = i * width + bit;
            value | u16::from(bytes[at / 8] >> (at % 8) & 1) << bit
        })
    }

    fn encodings<P: Reduce, const N: usize>() {
        for from in (0..2 * usize::from(P::Q)).step_by(N) {
            let poly: [u16; N] = core::array::from_fn(|i| ((from + i) % (1 << P::LOG_Q)) as u16);
            let mut bytes = [[0; 2]; N];
            let bytes = bytes.as_flattened_mut();
            let (mut key, mut u, mut v) = ([0; N], [0; N], [0; N]);
            encode_key::<P, N>(&poly, &mut bytes[..N * P::LOG_Q / 8]);
            decode_key::<P, N>(&bytes[..N * P::LOG_Q / 8], &mut key);
            for i in 0..N {
                let expected = if P::Q == 3329 { poly[i] } else { poly[i] % P::Q };
                assert_eq!((packed(bytes, P::LOG_Q, i), key[i]), (expected, expected));
            }
            encode_u::<P, N>(&mut { poly }, &mut bytes[..N * P::LOG_P / 8]);
            decode_u::<P, N>(&bytes[..N * P::LOG_P / 8], &mut u);
            for i in 0..N {
                let (expected, back) = if P::LOG_P == P::LOG_Q {
                    (poly[i], poly[i])
                } else {
                    let compressed = compress::<P>(P::LOG_P, poly[i]);
                    (compressed, decompress::<P>(P::LOG_P, compressed))
                };
                assert_eq!((packed(bytes, P::LOG_P, i), u[i]), (expected, back));
            }
            encode_v::<P, N>(&mut { poly }, &mut bytes[..N * P::LOG_T / 8]);
            decode_v::<P, N>(&bytes[..N * P::LOG_T / 8], &mut v);
            for i in 0..N {
                let expected = compress::<P>(P::LOG_T, poly[i] % P::Q);
                assert_eq!((packed(bytes, P::LOG_T, i), v[i]), (expected, decompress::<P>(P::LOG_T, expected)));
            }
        }
    }

    #[test]
    fn encodings_hold_for_all_coefficients() {
        on_every_path(|| {
            encodings::<Lwekem128, 64>();
            encodings::<Lwekem256, 128>();
            encodings::<Lwekem512, 256>();
        });
    }
}
