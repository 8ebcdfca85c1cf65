//! Polynomials as bytes: bit packing, compression, and the submitted encodings made of them.

use super::params::Params;
use super::reduce::{Reduce, freeze};
use crate::kem::lattice::{self, vectorised};

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
            pack(P::LOG_Q, &poly.map(freeze::<P>), bytes);
        }
    }

    /// Undoes [`encode_key`], up to reduction.
    pub(super) fn decode_key<type P: Params, const N: usize>(bytes: &[u8], poly: &mut [u16; N]) {
        unpack(P::LOG_Q, bytes, poly);
    }

    /// Packs a polynomial of u: compressed, or as it is where compression would lose nothing.
    pub(super) fn encode_u<type P: Params, const N: usize>(poly: &[u16; N], bytes: &mut [u8]) {
        if P::LOG_P == P::LOG_Q {
            pack(P::LOG_P, poly, bytes);
        } else {
            pack(P::LOG_P, &poly.map(|x| compress::<P>(P::LOG_P, x)), bytes);
        }
    }

    /// Undoes [`encode_u`], up to reduction and rounding.
    pub(super) fn decode_u<type P: Params, const N: usize>(bytes: &[u8], poly: &mut [u16; N]) {
        unpack(P::LOG_P, bytes, poly);
        if P::LOG_P != P::LOG_Q {
            *poly = poly.map(|x| decompress::<P>(P::LOG_P, x));
        }
    }

    /// Compresses and packs v.
    pub(super) fn encode_v<type P: Reduce, const N: usize>(poly: &[u16; N], bytes: &mut [u8]) {
        pack(P::LOG_T, &poly.map(|x| compress::<P>(P::LOG_T, freeze::<P>(x))), bytes);
    }

    /// Undoes [`encode_v`], up to rounding.
    pub(super) fn decode_v<type P: Params, const N: usize>(bytes: &[u8], poly: &mut [u16; N]) {
        unpack(P::LOG_T, bytes, poly);
        *poly = poly.map(|x| decompress::<P>(P::LOG_T, x));
    }
}
