//! Polynomials modulo X^256 + 1, as coefficients and as their transform.

use super::field::{Factor, Factors, Q, RADIX, multiply, scale, zeta};
use super::ntt::reverse;
use crate::kem::lattice::vectorised;
use zeroize::Zeroize;

/// Coefficients of a polynomial (n of FIPS 203, section 2.4).
pub(super) const N: usize = 256;
/// Factors of degree two that the transform splits into.
pub(super) const PAIRS: usize = N / 2;

/// A polynomial of the ring R_q: coefficients in order, as words congruent modulo q.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct Poly(pub(super) [i16; N]);

/// An element of the ring T_q: the constant coefficients of the 128 factors in order, then the linear ones, as words
/// congruent modulo q. FIPS 203 has them in turns.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct Spectrum(pub(super) [i16; N]);

impl Poly {
    pub(super) const ZERO: Self = Self([0; N]);
}

impl Spectrum {
    pub(super) const ZERO: Self = Self([0; N]);

    /// Takes coefficients that are in the order of FIPS 203.
    #[inline(always)]
    pub(super) fn set_pairs(&mut self, coefficients: &[i16; N]) {
        let (constant, linear) = self.0.split_at_mut(PAIRS);
        let (pairs, _) = coefficients.as_chunks::<2>();
        for ((constant, linear), pair) in constant.iter_mut().zip(linear).zip(pairs) {
            [*constant, *linear] = *pair;
        }
    }
}

impl Zeroize for Poly {
    fn zeroize(&mut self) {
        self.0.as_mut_slice().zeroize();
    }
}

impl Zeroize for Spectrum {
    fn zeroize(&mut self) {
        self.0.as_mut_slice().zeroize();
    }
}

/// The roots γ of the factors X² - γ (FIPS 203, algorithm 11).
static ROOTS: Factors<PAIRS> = {
    let mut roots = Factors::ZERO;
    let mut i = 0;
    while i < PAIRS {
        roots.set(i, Factor::new(zeta(2 * reverse(i) + 1)));
        i += 1;
    }
    roots
};

/// 2^16, which undoes the division in [`add_product`].
const UNDO: Factor = Factor::new(RADIX % Q as u32);

/// The largest change of a word in one [`add_product`].
pub(super) const PRODUCT_BOUND: i32 = 2 * (Q as i32 / 2 + 1 + ((Q as i32 / 2) << 12 >> 16) + 1);

vectorised! {
    /// `sum` += `a` · `b` / 2^16 in T_q (FIPS 203, algorithms 11 and 12).
    ///
    /// With |a| < 2^12 and |b| <= q/2 each addition is of at most [`PRODUCT_BOUND`].
    pub(super) fn add_product(sum: &mut Spectrum, a: &Spectrum, b: &Spectrum) {
        let (sum0, sum1) = sum.0.split_at_mut(PAIRS);
        let (a0, a1) = a.0.split_at(PAIRS);
        let (b0, b1) = b.0.split_at(PAIRS);
        for i in 0..PAIRS {
            sum0[i] += multiply(a0[i], b0[i]) + scale(multiply(a1[i], b1[i]), ROOTS.at(i));
            sum1[i] += multiply(a0[i], b1[i]) + multiply(a1[i], b0[i]);
        }
    }

    /// `products` = `products` · 2^16 + `other`: makes a sum of products exact, and adds to it.
    pub(super) fn finish_products(products: &mut Spectrum, other: &Spectrum) {
        for (product, &other) in products.0.iter_mut().zip(&other.0) {
            *product = scale(*product, UNDO) + other;
        }
    }

    /// `sum` += `other`.
    pub(super) fn add(sum: &mut Poly, other: &Poly) {
        for (sum, &other) in sum.0.iter_mut().zip(&other.0) {
            *sum += other;
        }
    }

    /// `difference` = `from` - `difference`.
    pub(super) fn subtract_from(difference: &mut Poly, from: &Poly) {
        for (difference, &from) in difference.0.iter_mut().zip(&from.0) {
            *difference = from - *difference;
        }
    }
}
