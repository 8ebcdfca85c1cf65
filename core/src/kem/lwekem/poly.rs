//! Sums and products of polynomials, coefficient by coefficient.

use super::reduce::{Reduce, barrett, montgomery};
use crate::kem::lattice::vectorised;

vectorised! {
    /// Multiplies by the Montgomery radix, once for all products with `poly`.
    pub(super) fn prepare<type P: Reduce, const N: usize>(poly: &mut [u16; N]) {
        *poly = poly.map(|x| montgomery::<P>(u32::from(x) * P::R2));
    }

    /// Adds `a` times the prepared `b` to `sum`, or begins it with that.
    pub(super) fn accumulate<type P: Reduce, const N: usize>(sum: &mut [u16; N], begin: bool, a: &[u16; N], b: &[u16; N]) {
        if begin {
            for ((sum, &a), &b) in sum.iter_mut().zip(a).zip(b) {
                *sum = montgomery::<P>(u32::from(a) * u32::from(b));
            }
        } else {
            for ((sum, &a), &b) in sum.iter_mut().zip(a).zip(b) {
                *sum = barrett::<P>(*sum + montgomery::<P>(u32::from(a) * u32::from(b)));
            }
        }
    }

    /// a + b.
    pub(super) fn add<type P: Reduce, const N: usize>(a: &mut [u16; N], b: &[u16; N]) {
        for (a, &b) in a.iter_mut().zip(b) {
            *a = barrett::<P>(*a + b);
        }
    }

    /// a - b, for b up to 3·q.
    pub(super) fn subtract<type P: Reduce, const N: usize>(a: &mut [u16; N], b: &[u16; N]) {
        for (a, &b) in a.iter_mut().zip(b) {
            *a = barrett::<P>(*a + 3 * P::Q - b);
        }
    }
}
