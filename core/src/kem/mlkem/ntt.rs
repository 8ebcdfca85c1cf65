//! The number-theoretic transform (FIPS 203, section 4.3), in an order that vectorises at every layer.
//!
//! The textbook transform halves the distance of its butterflies from layer to layer, down to 2, where vectors would
//! have to be taken apart. Here every layer reads elements i and i + 128 and writes 2i and 2i + 1 (Pease's constant
//! geometry): each layer rotates the bits of the index by one. After seven layers the index has rotated so that the
//! even coefficients of the textbook's result, in order, are the first half of the array and the odd ones the second,
//! which is what multiplication of pairs wants, too.

use super::field::{Q, RADIX, Twiddle, Twiddles, inverse, mont_mul_const, reduce, zeta};
use super::poly::{N, NttPoly, PAIRS, Poly};
use crate::kem::lattice::vectorised;

/// Layers of the transform: X^256 + 1 splits into 2^7 factors of degree two.
const LAYERS: usize = PAIRS.ilog2() as usize;

/// BitRev₇ (FIPS 203, section 2.3).
pub(super) const fn reverse(index: usize) -> i32 {
    (index as u8).reverse_bits() as i32 >> (8 - LAYERS)
}

/// Twiddles of the butterflies of every layer: powers of ζ or, with `sign` -1, of its inverse (FIPS 203, algorithms 9
/// and 10). In a layer they repeat after 2^layer butterflies; all are written out, so that loops over them are plain.
const fn factors(sign: i32) -> [Twiddles<PAIRS>; LAYERS] {
    let mut layers = [const { Twiddles::ZERO }; LAYERS];
    let mut layer = 0;
    while layer < LAYERS {
        let mut i = 0;
        while i < PAIRS {
            let exponent = reverse((1 << layer) + i % (1 << layer));
            layers[layer].set(i, Twiddle::new(zeta(sign * exponent)));
            i += 1;
        }
        layer += 1;
    }
    layers
}

static TWIDDLES: [Twiddles<PAIRS>; LAYERS] = factors(1);
static INVERSE_TWIDDLES: [Twiddles<PAIRS>; LAYERS] = factors(-1);

/// What the inverse transform scales its result by: 1/128, as seven layers have doubled it, times 2^16, as
/// [`add_product`](super::poly::add_product) has divided it.
pub(super) const SCALE: u32 = inverse(PAIRS as u32) * (RADIX % Q as u32) % Q as u32;
/// The same with the factor of layer 0, for differences.
pub(super) const SCALE_DIFFERENCE: u32 = SCALE * zeta(-reverse(1)) % Q as u32;
/// Layer 0 of the inverse with that: the factors of sums and of differences.
const LAST_SUM: Twiddle = Twiddle::new(SCALE);
const LAST_DIFFERENCE: Twiddle = Twiddle::new(SCALE_DIFFERENCE);

/// One layer. `REDUCE` reduces what it puts out.
#[inline(always)]
fn layer<const REDUCE: bool>(from: &[i16; N], to: &mut [i16; N], factors: &Twiddles<PAIRS>) {
    let bound = |value| if REDUCE { reduce(value) } else { value };
    let (low, high) = from.split_at(PAIRS);
    for i in 0..PAIRS {
        let product = mont_mul_const(high[i], factors.at(i));
        to[2 * i] = bound(low[i] + product);
        to[2 * i + 1] = bound(low[i] - product);
    }
}

/// One layer of the inverse. `REDUCE` reduces sums; differences are small, being products.
#[inline(always)]
fn inverse_layer<const REDUCE: bool>(from: &[i16; N], to: &mut [i16; N], factors: &Twiddles<PAIRS>) {
    let bound = |value| if REDUCE { reduce(value) } else { value };
    let (low, high) = to.split_at_mut(PAIRS);
    for i in 0..PAIRS {
        let (a, b) = (from[2 * i], from[2 * i + 1]);
        low[i] = bound(a + b);
        high[i] = mont_mul_const(a - b, factors.at(i));
    }
}

/// Layer 0 of the inverse, where one pair of factors serves all.
#[inline(always)]
fn last_inverse_layer(from: &[i16; N], to: &mut [i16; N]) {
    let (low, high) = to.split_at_mut(PAIRS);
    for ((low, high), from) in low.iter_mut().zip(high).zip(from.chunks_exact(2)) {
        *low = mont_mul_const(from[0] + from[1], LAST_SUM);
        *high = mont_mul_const(from[0] - from[1], LAST_DIFFERENCE);
    }
}

/// The largest input of [`ntt`] in absolute value.
pub(super) const NTT_BOUND: i32 = 1 << 12;
/// The largest input of [`inverse_ntt`] in absolute value: sums of two must fit a word.
pub(super) const INVERSE_NTT_BOUND: i32 = i16::MAX as i32 / 2;

/// The bound of [`scale`] for inputs up to `bound`.
const fn scaled(bound: i32) -> i32 {
    Q as i32 / 2 + 1 + bound / 39
}

const _: () = {
    // Forward, each layer adds a product to every word; the last layer reduces.
    let mut bound = NTT_BOUND;
    let mut layer = 0;
    while layer < LAYERS {
        bound += scaled(bound);
        layer += 1;
    }
    assert!(bound <= i16::MAX as i32);
    // Backward, each layer doubles sums. Layers 6 and 3 reduce them, so that products are the larger.
    let products = scaled(2 * INVERSE_NTT_BOUND);
    assert!(2 * INVERSE_NTT_BOUND <= i16::MAX as i32 && 8 * products <= i16::MAX as i32);
    let products = scaled(8 * products);
    assert!(8 * products <= i16::MAX as i32 && scaled(8 * products) < Q as i32);
};

vectorised! {
    /// The transform of `from`, whose coefficients are at most [`NTT_BOUND`] in absolute value, with results at
    /// most (q - 1)/2 in absolute value. `from` is used up.
    pub(super) fn ntt(from: &mut Poly, to: &mut NttPoly) {
        let (from, to) = (&mut from.0, &mut to.0);
        layer::<false>(from, to, &TWIDDLES[0]);
        layer::<false>(to, from, &TWIDDLES[1]);
        layer::<false>(from, to, &TWIDDLES[2]);
        layer::<false>(to, from, &TWIDDLES[3]);
        layer::<false>(from, to, &TWIDDLES[4]);
        layer::<false>(to, from, &TWIDDLES[5]);
        layer::<true>(from, to, &TWIDDLES[6]);
    }

    /// 2^16 times the inverse transform of `from`, whose words are at most [`INVERSE_NTT_BOUND`] in absolute value, with
    /// results less than q in absolute value. `from` is used up.
    pub(super) fn inverse_ntt(from: &mut NttPoly, to: &mut Poly) {
        let (from, to) = (&mut from.0, &mut to.0);
        inverse_layer::<true>(from, to, &INVERSE_TWIDDLES[6]);
        inverse_layer::<false>(to, from, &INVERSE_TWIDDLES[5]);
        inverse_layer::<false>(from, to, &INVERSE_TWIDDLES[4]);
        inverse_layer::<true>(to, from, &INVERSE_TWIDDLES[3]);
        inverse_layer::<false>(from, to, &INVERSE_TWIDDLES[2]);
        inverse_layer::<false>(to, from, &INVERSE_TWIDDLES[1]);
        last_inverse_layer(from, to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kem::lattice::testing::{Numbers, on_every_path};

    const MODULUS: i64 = Q as i64;

    /// The transform by its definition (FIPS 203, section 4.3): remainders modulo X² - ζ^(2 BitRev₇(i) + 1).
    fn by_definition(from: &[i16; N]) -> [i64; N] {
        core::array::from_fn(|index| {
            let (i, parity) = (index % PAIRS, index / PAIRS);
            let root = i64::from(zeta(2 * reverse(i) + 1));
            let coefficients = from.iter().skip(parity).step_by(2);
            coefficients.rev().fold(0, |sum, &coefficient| (sum * root + i64::from(coefficient)).rem_euclid(MODULUS))
        })
    }

    /// Inputs up to `bound` in absolute value: extremes, alternations, units and others.
    fn inputs(bound: i32) -> impl Iterator<Item = [i16; N]> {
        let mut numbers = Numbers::new(3);
        (0..40).map(move |round| {
            core::array::from_fn(|i| match round {
                0 => bound as i16,
                1 => -bound as i16,
                2..10 => (if i >> (round - 2) & 1 == 0 { bound } else { -bound }) as i16,
                10 | 11 => i16::from(i == 200 * (round - 10)),
                _ => numbers.between(-bound, bound) as i16,
            })
        })
    }

    #[test]
    fn ntt_follows_the_definition_up_to_its_bounds() {
        on_every_path(|| {
            for input in inputs(NTT_BOUND) {
                let mut output = NttPoly::ZERO;
                ntt(&mut Poly(input), &mut output);
                for (&got, want) in output.0.iter().zip(by_definition(&input)) {
                    assert_eq!(i64::from(got).rem_euclid(MODULUS), want);
                    assert!(got.abs() <= Q / 2);
                }
            }
        });
    }

    #[test]
    fn inverse_ntt_undoes_the_definition_up_to_its_bounds() {
        on_every_path(|| {
            for input in inputs(INVERSE_NTT_BOUND) {
                let mut output = Poly::ZERO;
                inverse_ntt(&mut NttPoly(input), &mut output);
                assert!(output.0.iter().all(|word| word.abs() < Q));
                for (got, &want) in by_definition(&output.0).into_iter().zip(&input) {
                    assert_eq!(got, (i64::from(want) << 16).rem_euclid(MODULUS));
                }
            }
        });
    }
}
