//! Sums and products of polynomials, coefficient by coefficient.

use super::montgomery::{canonical, from_radix};
use super::params::Params;
use super::reduce::{Reduce, barrett, montgomery};
use crate::kem::lattice::vectorised;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A sum of products of polynomials in the making.
pub(super) trait Sum<P: Params, const N: usize>: ZeroizeOnDrop {
    /// A sum of nothing.
    fn new() -> Self;

    /// Adds `a` times `b`, or begins with that.
    fn add(&mut self, begin: bool, a: &[u16; N], b: &[u16; N]);

    /// Writes the sum to `poly`.
    fn finish(&self, poly: &mut [u16; N]);
}

/// A sum with the submitted code's reductions, for the public key, which takes it unreduced. Second factors are
/// [`prepare`]d.
pub(super) struct Exact<const N: usize>([u16; N]);

/// A sum that is reduced once, at its end: below q, divided by 2^16, as [`inverse_ntt`](super::ntt::inverse_ntt) takes it.
pub(super) struct Wide<const N: usize>([u32; N]);

impl<P: Params, const N: usize> Sum<P, N> for Exact<N> {
    fn new() -> Self {
        Self([0; N])
    }

    #[inline]
    fn add(&mut self, begin: bool, a: &[u16; N], b: &[u16; N]) {
        accumulate::<P, N>(&mut self.0, begin, a, b);
    }

    fn finish(&self, poly: &mut [u16; N]) {
        *poly = self.0;
    }
}

impl<P: Params, const N: usize> Sum<P, N> for Wide<N> {
    fn new() -> Self {
        Self([0; N])
    }

    #[inline]
    fn add(&mut self, begin: bool, a: &[u16; N], b: &[u16; N]) {
        accumulate_wide::<N>(&mut self.0, begin, a, b);
    }

    fn finish(&self, poly: &mut [u16; N]) {
        reduce_wide::<P, N>(&self.0, poly);
    }
}

impl<const N: usize> Drop for Exact<N> {
    fn drop(&mut self) {
        self.0.as_mut_slice().zeroize();
    }
}

impl<const N: usize> Drop for Wide<N> {
    fn drop(&mut self) {
        self.0.as_mut_slice().zeroize();
    }
}

impl<const N: usize> ZeroizeOnDrop for Exact<N> {}

impl<const N: usize> ZeroizeOnDrop for Wide<N> {}

vectorised! {
    /// Multiplies by the Montgomery radix, once for all products with `poly`.
    pub(super) fn prepare<type P: Reduce, const N: usize>(poly: &mut [u16; N]) {
        *poly = poly.map(|x| montgomery::<P>(u32::from(x) * P::R2));
    }

    /// Adds `a` times the prepared `b` to `sum`, or begins it with that.
    fn accumulate<type P: Reduce, const N: usize>(sum: &mut [u16; N], begin: bool, a: &[u16; N], b: &[u16; N]) {
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

    /// Adds `a` times `b` to `sum`, or begins it with that.
    fn accumulate_wide<const N: usize>(sum: &mut [u32; N], begin: bool, a: &[u16; N], b: &[u16; N]) {
        // Coefficients have 13 bits at most. Said like this, their product is a vector instruction everywhere.
        let product = |a: u16, b: u16| (i32::from(a as i16) * i32::from(b as i16)) as u32;
        if begin {
            for ((sum, &a), &b) in sum.iter_mut().zip(a).zip(b) {
                *sum = product(a, b);
            }
        } else {
            for ((sum, &a), &b) in sum.iter_mut().zip(a).zip(b) {
                *sum += product(a, b);
            }
        }
    }

    /// `sum` / 2^16 modulo q, below q.
    fn reduce_wide<type P: Params, const N: usize>(sum: &[u32; N], poly: &mut [u16; N]) {
        for (x, &sum) in poly.iter_mut().zip(sum) {
            *x = canonical::<P>(from_radix::<P>(sum));
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

#[cfg(test)]
mod tests {
    use super::super::params::{Lwekem128, Lwekem256, Lwekem512};
    use super::*;
    use crate::kem::lattice::testing::{Numbers, on_every_path};

    /// A product as the submission's model has it, with 64 bits for everything.
    fn product<P: Reduce>(x: u16, y: u16) -> u64 {
        let montgomery = |a: u64| {
            let u = (a * u64::from(P::Q_INV)) % (1 << 18);
            (a + u * u64::from(P::Q)) >> 18
        };
        montgomery(u64::from(x) * montgomery(u64::from(y) * u64::from(P::R2)))
    }

    fn barrett_model<P: Reduce>(a: u64) -> u64 {
        let factor = if P::Q == 3329 { 19 } else { 8 };
        a - ((a * factor) >> 16) * u64::from(P::Q)
    }

    fn sums_of_products<P: Reduce, const N: usize>(terms: usize) {
        let mut numbers = Numbers::new(3);
        for largest in [P::Q - 1, (1 << P::LOG_Q) - 1] {
            for low in [0, largest - 1, largest] {
                let mut poly = || core::array::from_fn(|_| numbers.between(low.into(), largest.into()) as u16);
                let (mut sum, mut wide, mut expected, mut exact) = ([0; N], [0; N], [0; N], [0; N]);
                for term in 0..terms {
                    let (a, b): ([u16; N], [u16; N]) = (poly(), poly());
                    let mut prepared = b;
                    prepare::<P, N>(&mut prepared);
                    accumulate::<P, N>(&mut sum, term == 0, &a, &prepared);
                    accumulate_wide::<N>(&mut wide, term == 0, &a, &b);
                    for ((exact, a), b) in exact.iter_mut().zip(a).zip(b) {
                        *exact += u64::from(a) * u64::from(b);
                    }
                    for ((expected, a), b) in expected.iter_mut().zip(a).zip(b) {
                        let product = product::<P>(a, b);
                        *expected = if term == 0 { product } else { barrett_model::<P>(*expected + product) };
                    }
                }
                assert_eq!(sum.map(u64::from), expected);
                let mut reduced = [0; N];
                reduce_wide::<P, N>(&wide, &mut reduced);
                let q = u64::from(P::Q);
                assert_eq!(reduced.map(|x| (u64::from(x) << 16) % q), exact.map(|sum| sum % q));
                assert!(reduced.iter().all(|&x| x < P::Q));
                let other: [u16; N] = core::array::from_fn(|_| numbers.between(0, i32::from(P::Q) + 2) as u16);
                let mut result = sum;
                add::<P, N>(&mut result, &other);
                let model = |i: usize| barrett_model::<P>(expected[i] + u64::from(other[i]));
                assert_eq!(result.map(u64::from), core::array::from_fn(model));
                subtract::<P, N>(&mut sum, &other);
                let model = |i: usize| barrett_model::<P>(expected[i] + 3 * u64::from(P::Q) - u64::from(other[i]));
                assert_eq!(sum.map(u64::from), core::array::from_fn(model));
            }
        }
    }

    #[test]
    fn sums_and_products_are_those_of_the_model_to_the_representative() {
        on_every_path(|| {
            sums_of_products::<Lwekem128, 64>(9);
            sums_of_products::<Lwekem256, 128>(9);
            sums_of_products::<Lwekem512, 256>(8);
        });
    }
}
