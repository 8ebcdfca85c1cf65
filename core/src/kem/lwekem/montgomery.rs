//! Arithmetic modulo q on signed 16-bit numbers, in the form that vector units have instructions for.
//!
//! Transforms are exact: whatever happens inside, their results are below q. They need not follow the submitted code's
//! reductions and use these, which handle as many coefficients at once as a vector has 16-bit lanes.

use super::params::Params;
use crate::kem::lattice::inverse_of_odd;

/// The Montgomery radix is 2^16.
pub(super) const RADIX_BITS: u32 = 16;

/// A factor of many products: `factor`·2^16 modulo q, centred, and that times 1/q modulo 2^16.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Twiddle {
    pub(super) radix: i16,
    pub(super) radix_by_q: i16,
}

/// Constants of these reductions that follow from q.
pub(super) trait Signed: Params {
    /// 1/q modulo 2^16.
    const Q_INVERSE: i16 = inverse_of_odd(Self::Q as u32) as i16;
    /// Bits below the point in [`Self::RECIPROCAL`], as many as 16 bits have room for.
    const RECIPROCAL_BITS: u32 = 14 + Self::LOG_Q as u32;
    /// 1/q, rounded.
    const RECIPROCAL: i16 = {
        let rounded = ((1 << Self::RECIPROCAL_BITS) + Self::Q as u32 / 2) / Self::Q as u32;
        assert!(rounded < 1 << 15);
        rounded as i16
    };
    /// How large the result of [`centre`] can be: half of q, and an error of rounding that tests bound.
    const CENTRED: i32 = (Self::Q as i32) / 2 + (Self::Q as i32 >> 9) + 1;
}

impl<P: Params> Signed for P {}

impl Twiddle {
    /// Of `value` modulo q.
    pub(super) const fn new<P: Signed>(value: u32) -> Self {
        let q = P::Q as i64;
        let radix = ((value as i64) << RADIX_BITS) % q;
        let radix = (if radix > q / 2 { radix - q } else { radix }) as i16;
        Self { radix, radix_by_q: radix.wrapping_mul(P::Q_INVERSE) }
    }

    /// How large the product of [`mont_mul`] can be for numbers up to `bound`.
    pub(super) const fn product_bound<P: Signed>(bound: i32) -> i32 {
        let half = P::Q as i32 / 2 + 1;
        bound * half / (1 << RADIX_BITS) + 1 + half
    }
}

/// The upper half of a product.
#[inline(always)]
const fn high(a: i16, b: i16) -> i16 {
    ((a as i32 * b as i32) >> RADIX_BITS) as i16
}

/// `x` times the factor, modulo q; see [`Twiddle::product_bound`].
#[inline(always)]
pub(super) const fn mont_mul<P: Signed>(x: i16, factor: Twiddle) -> i16 {
    high(x, factor.radix) - high(x.wrapping_mul(factor.radix_by_q), P::Q as i16)
}

/// `sum` / 2^16 modulo q, for a sum of as many products of packed coefficients as vectors have polynomials.
#[inline(always)]
pub(super) const fn from_radix<P: Signed>(sum: u32) -> i16 {
    let multiple = (sum as i16).wrapping_mul(P::Q_INVERSE) as i32 * P::Q as i32;
    ((sum as i32 - multiple) >> RADIX_BITS) as i16
}

/// `x` modulo q, near zero: up to [`Signed::CENTRED`].
#[inline(always)]
pub(super) const fn centre<P: Signed>(x: i16) -> i16 {
    let shift = P::RECIPROCAL_BITS - RADIX_BITS;
    let quotient = (high(x, P::RECIPROCAL) + (1 << (shift - 1))) >> shift;
    // The multiple of q may not fit; the difference does.
    x.wrapping_sub(quotient.wrapping_mul(P::Q as i16))
}

/// `x` modulo q, from 0 to q - 1.
#[inline(always)]
pub(super) const fn canonical<P: Signed>(x: i16) -> u16 {
    let x = centre::<P>(x);
    (x + (P::Q as i16 & (x >> 15))) as u16
}

#[cfg(test)]
mod tests {
    use super::super::params::{Lwekem256, Lwekem512};
    use super::*;

    fn holds_for_all_numbers<P: Signed>() {
        let q = i32::from(P::Q);
        let factors =
            [0, 1, 2, q as u32 / 2, q as u32 / 2 + 1, q as u32 - 1].map(|value| (value, Twiddle::new::<P>(value)));
        for x in i16::MIN..=i16::MAX {
            let exact = i32::from(x).rem_euclid(q);
            assert!(i32::from(centre::<P>(x)).abs() <= P::CENTRED);
            assert_eq!(i32::from(centre::<P>(x)).rem_euclid(q), exact);
            assert_eq!(i32::from(canonical::<P>(x)), exact);
            for (value, factor) in factors {
                let product = i32::from(mont_mul::<P>(x, factor));
                assert_eq!(product.rem_euclid(q), exact * value as i32 % q, "{x} times {value}");
                assert!(product.abs() <= Twiddle::product_bound::<P>(i32::from(x).abs()));
            }
        }
    }

    #[test]
    fn reductions_hold_for_all_numbers() {
        holds_for_all_numbers::<Lwekem256>();
        holds_for_all_numbers::<Lwekem512>();
    }
}
