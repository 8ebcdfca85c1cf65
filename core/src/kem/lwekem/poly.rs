//! Sums and products of polynomials, coefficient by coefficient.

use super::reduce::{Reduce, barrett, montgomery};

/// Multiplies by the Montgomery radix, once for all products with `poly`.
pub(super) fn prepare<P: Reduce, const N: usize>(poly: &mut [u16; N]) {
    for x in poly {
        *x = montgomery::<P>(u32::from(*x) * P::R2);
    }
}

/// Adds `a` times the prepared `b` to `sum`, or begins it with that.
pub(super) fn accumulate<P: Reduce, const N: usize>(sum: &mut [u16; N], begin: bool, a: &[u16; N], b: &[u16; N]) {
    for ((sum, &a), &b) in sum.iter_mut().zip(a).zip(b) {
        let product = montgomery::<P>(u32::from(a) * u32::from(b));
        *sum = if begin { product } else { barrett::<P>(*sum + product) };
    }
}

/// a + b.
pub(super) fn add<P: Reduce, const N: usize>(a: &mut [u16; N], b: &[u16; N]) {
    for (a, &b) in a.iter_mut().zip(b) {
        *a = barrett::<P>(*a + b);
    }
}

/// a - b, for b up to 3·q.
pub(super) fn subtract<P: Reduce, const N: usize>(a: &mut [u16; N], b: &[u16; N]) {
    for (a, &b) in a.iter_mut().zip(b) {
        *a = barrett::<P>(*a + 3 * P::Q - b);
    }
}
