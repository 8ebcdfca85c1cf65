//! Polynomials modulo X^256 + 1, as coefficients and as their transform.

use super::field::{Q, RADIX, Twiddle, Twiddles, mont_mul, mont_mul_const, zeta};
use super::ntt::reverse;
use crate::kem::lattice::vectorised;
use zeroize::Zeroize;

/// Coefficients of a polynomial (n of FIPS 203, section 2.4).
pub(super) const N: usize = 256;
/// Twiddles of degree two that the transform splits into.
pub(super) const PAIRS: usize = N / 2;

/// A polynomial of the ring R_q: coefficients in order, as words congruent modulo q.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct Poly(pub(super) [i16; N]);

/// An element of the ring T_q: the constant coefficients of the 128 factors in order, then the linear ones, as words
/// congruent modulo q. FIPS 203 has them in turns.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct NttPoly(pub(super) [i16; N]);

impl Poly {
    pub(super) const ZERO: Self = Self([0; N]);
}

impl NttPoly {
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

impl Zeroize for NttPoly {
    fn zeroize(&mut self) {
        self.0.as_mut_slice().zeroize();
    }
}

/// The roots γ of the factors X² - γ (FIPS 203, algorithm 11).
pub(super) static ROOTS: Twiddles<PAIRS> = {
    let mut roots = Twiddles::ZERO;
    let mut i = 0;
    while i < PAIRS {
        roots.set(i, Twiddle::new(zeta(2 * reverse(i) + 1)));
        i += 1;
    }
    roots
};

/// 2^16, which undoes the division in [`add_product`].
const UNDO: Twiddle = Twiddle::new(RADIX % Q as u32);

/// The largest change of a word in one [`add_product`].
pub(super) const PRODUCT_BOUND: i32 = 2 * (Q as i32 / 2 + 1 + ((Q as i32 / 2) << 12 >> 16) + 1);

vectorised! {
    /// `sum` += `a` · `b` / 2^16 in T_q (FIPS 203, algorithms 11 and 12).
    ///
    /// With |a| < 2^12 and |b| <= q/2 each addition is of at most [`PRODUCT_BOUND`].
    pub(super) fn add_product(sum: &mut NttPoly, a: &NttPoly, b: &NttPoly) {
        let (sum0, sum1) = sum.0.split_at_mut(PAIRS);
        let (a0, a1) = a.0.split_at(PAIRS);
        let (b0, b1) = b.0.split_at(PAIRS);
        for i in 0..PAIRS {
            sum0[i] += mont_mul(a0[i], b0[i]) + mont_mul_const(mont_mul(a1[i], b1[i]), ROOTS.at(i));
            sum1[i] += mont_mul(a0[i], b1[i]) + mont_mul(a1[i], b0[i]);
        }
    }

    /// `products` = `products` · 2^16 + `other`: makes a sum of products exact, and adds to it.
    pub(super) fn finish_products(products: &mut NttPoly, other: &NttPoly) {
        for (product, &other) in products.0.iter_mut().zip(&other.0) {
            *product = mont_mul_const(*product, UNDO) + other;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kem::lattice::testing::{Numbers, on_every_path};
    use crate::kem::mlkem::ntt::{inverse_ntt, ntt};

    const MODULUS: i64 = Q as i64;

    #[test]
    fn products_in_pairs_follow_the_definition_up_to_their_bounds() {
        on_every_path(|| {
            let mut numbers = Numbers::new(1);
            for round in 0..20 {
                let mut word = |low, high| {
                    let word = match round {
                        0 => high,
                        1 => low,
                        _ => numbers.between(low, high),
                    };
                    word as i16
                };
                let (mut a, mut b, mut sum) = (NttPoly::ZERO, NttPoly::ZERO, NttPoly::ZERO);
                a.0.fill_with(|| word(0, 4095));
                b.0.fill_with(|| word(-1664, 1664));
                for _ in 0..4 {
                    add_product(&mut sum, &a, &b);
                }
                for i in 0..PAIRS {
                    let [a0, a1, b0, b1] = [a.0[i], a.0[i + PAIRS], b.0[i], b.0[i + PAIRS]].map(i64::from);
                    let root = i64::from(zeta(2 * reverse(i) + 1));
                    let congruent = |word: i16, value: i64| ((i64::from(word) << 16) - 4 * value) % MODULUS == 0;
                    assert!(congruent(sum.0[i], a0 * b0 + a1 * b1 % MODULUS * root), "constant {i} of round {round}");
                    assert!(congruent(sum.0[i + PAIRS], a0 * b1 + a1 * b0), "linear {i} of round {round}");
                }
                assert!(sum.0.iter().all(|&word| i32::from(word).abs() <= 4 * PRODUCT_BOUND));
            }
        });
    }

    #[test]
    fn transforms_turn_products_into_products_modulo_the_ring() {
        on_every_path(|| {
            let mut numbers = Numbers::new(2);
            let (mut a, mut b) = (Poly::ZERO, Poly::ZERO);
            a.0.fill_with(|| numbers.between(0, 4095) as i16);
            b.0.fill_with(|| numbers.between(-3, 3) as i16);
            let mut want = [0i64; N];
            for (i, &a) in a.0.iter().enumerate() {
                for (j, &b) in b.0.iter().enumerate() {
                    let sign = if i + j < N { 1 } else { -1 };
                    want[(i + j) % N] += sign * i64::from(a) * i64::from(b);
                }
            }
            let (mut left, mut right, mut product) = (NttPoly::ZERO, NttPoly::ZERO, NttPoly::ZERO);
            ntt(&mut a, &mut left);
            ntt(&mut b, &mut right);
            add_product(&mut product, &left, &right);
            let mut got = Poly::ZERO;
            inverse_ntt(&mut product, &mut got);
            assert!(got.0.iter().zip(want).all(|(&got, want)| (i64::from(got) - want) % MODULUS == 0));
        });
    }

    #[test]
    fn sums_are_finished_exactly() {
        on_every_path(|| {
            let (mut products, mut other) = (NttPoly::ZERO, NttPoly::ZERO);
            for (i, (product, other)) in (0..).zip(products.0.iter_mut().zip(&mut other.0)) {
                (*product, *other) = (i * 100 - 12800, i * 13 - 1664);
            }
            let before = products;
            finish_products(&mut products, &other);
            for ((&got, &product), &other) in products.0.iter().zip(&before.0).zip(&other.0) {
                assert_eq!((i64::from(got) - (i64::from(product) << 16) - i64::from(other)) % MODULUS, 0);
            }
        });
    }

    #[test]
    fn sums_and_differences_are_of_every_coefficient() {
        on_every_path(|| {
            let (mut sum, mut difference) = (Poly::ZERO, Poly::ZERO);
            let ramp = Poly(core::array::from_fn(|i| i as i16));
            add(&mut sum, &ramp);
            add(&mut sum, &ramp);
            difference.0.fill(1000);
            subtract_from(&mut difference, &ramp);
            for i in 0..N {
                assert_eq!((sum.0[i], difference.0[i]), (2 * i as i16, i as i16 - 1000));
            }
        });
    }
}
