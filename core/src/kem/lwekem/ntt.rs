//! The number-theoretic transform of Z_q[x] / (x^N + 1), complete: N products of single coefficients.
//!
//! Constant geometry: a layer takes the pairs that are half a polynomial apart and puts its results side by side, so that
//! all layers are alike, access memory in order, and become the same vector instructions. What a layer does to positions
//! is a rotation of the bits of the index, and after all layers every value is where the transform in place puts it.

use super::montgomery::{RADIX_BITS, Signed, Twiddle, canonical, centre, mont_mul};
use super::ntt_radix8::{self, Radix8};
use super::params::{Params, inverse, power};
use crate::kem::lattice::vectorised;

/// Layers of the largest instance.
const MAX_LAYERS: usize = 8;

/// The factors of one layer: [`Twiddle::radix`] of each pair, then [`Twiddle::radix_by_q`] of each.
type Twiddles<const N: usize> = [i16; N];

/// What the transforms of an instance need to know.
pub(super) struct Plan<const N: usize> {
    /// The factors of the layers, first to last.
    forward: [Twiddles<N>; MAX_LAYERS],
    /// Their inverses.
    inverse: [Twiddles<N>; MAX_LAYERS],
    /// Whether coefficients are reduced before each layer.
    reduce_forward: [bool; MAX_LAYERS],
    /// The same of the inverse layers, which run from last to first.
    reduce_inverse: [bool; MAX_LAYERS],
}

impl<const N: usize> Plan<N> {
    const LAYERS: usize = N.ilog2() as usize;

    const fn new<P: Signed>() -> Self {
        let mut plan = Self {
            forward: [[0; N]; MAX_LAYERS],
            inverse: [[0; N]; MAX_LAYERS],
            reduce_forward: [false; MAX_LAYERS],
            reduce_inverse: [false; MAX_LAYERS],
        };
        let mut layer = 0;
        while layer < Self::LAYERS {
            let mut i = 0;
            while i < N / 2 {
                // A pair is of the block that the low bits of its position name. In place, block b of a layer has the factor
                // number 2^layer + b, which is psi to the reversed bits of that number.
                let number = (1 << layer) + i % (1 << layer);
                let exponent = (number as u32).reverse_bits() >> (32 - Self::LAYERS);
                let root = power(P::PSI as u32, exponent, P::Q as u32);
                let factor = Twiddle::new::<P>(root);
                plan.forward[layer][i] = factor.radix;
                plan.forward[layer][N / 2 + i] = factor.radix_by_q;
                let factor = Twiddle::new::<P>(inverse(root, P::Q as u32));
                plan.inverse[layer][i] = factor.radix;
                plan.inverse[layer][N / 2 + i] = factor.radix_by_q;
                i += 1;
            }
            layer += 1;
        }
        plan.schedule::<P>()
    }

    /// Puts reductions where 16 bits would not do without.
    const fn schedule<P: Signed>(mut self) -> Self {
        const ROOM: i32 = i16::MAX as i32;
        let mut forward = (1 << P::LOG_Q) - 1;
        let mut inverse = P::Q as i32;
        let mut count = 0;
        while count < Self::LAYERS {
            if forward + Twiddle::product_bound::<P>(forward) > ROOM {
                self.reduce_forward[count] = true;
                forward = P::CENTRED;
            }
            forward += Twiddle::product_bound::<P>(forward);
            let layer = Self::LAYERS - 1 - count;
            if 2 * inverse > ROOM {
                self.reduce_inverse[layer] = true;
                inverse = P::CENTRED;
            }
            inverse *= 2;
            let product = Twiddle::product_bound::<P>(inverse);
            inverse = if product > inverse { product } else { inverse };
            count += 1;
        }
        self
    }
}

/// The plan of an instance.
pub(super) trait Planned<const N: usize>: Signed + Radix8<N> {
    /// It.
    const PLAN: &'static Plan<N> = &Plan::new::<Self>();
    /// 2^16 / N.
    const SCALE: Twiddle =
        Twiddle::new::<Self>(inverse(N as u32, Self::Q as u32) * ((1 << RADIX_BITS) % Self::Q as u32) % Self::Q as u32);
}

impl<P: Params, const N: usize> Planned<N> for P {}

/// (a, b) to (a + b·factor, a - b·factor), from half a polynomial apart to side by side.
#[inline(always)]
fn layer<P: Planned<N>, const N: usize>(layer: usize, from: &mut [i16; N], to: &mut [i16; N]) {
    if P::PLAN.reduce_forward[layer] {
        from.iter_mut().for_each(|x| *x = centre::<P>(*x));
    }
    let (low, high) = from.split_at(N / 2);
    let (radix, radix_by_q) = P::PLAN.forward[layer].split_at(N / 2);
    let (pairs, _) = to.as_chunks_mut::<2>();
    for i in 0..N / 2 {
        let product = mont_mul::<P>(high[i], Twiddle { radix: radix[i], radix_by_q: radix_by_q[i] });
        pairs[i] = [low[i] + product, low[i] - product];
    }
}

/// (a, b) to (a + b, (a - b)·factor), from side by side to half a polynomial apart.
#[inline(always)]
fn inverse_layer<P: Planned<N>, const N: usize>(layer: usize, from: &mut [i16; N], to: &mut [i16; N]) {
    if P::PLAN.reduce_inverse[layer] {
        from.iter_mut().for_each(|x| *x = centre::<P>(*x));
    }
    let (low, high) = to.split_at_mut(N / 2);
    let (radix, radix_by_q) = P::PLAN.inverse[layer].split_at(N / 2);
    let (pairs, _) = from.as_chunks::<2>();
    for i in 0..N / 2 {
        let [a, b] = pairs[i];
        low[i] = a + b;
        high[i] = mont_mul::<P>(a - b, Twiddle { radix: radix[i], radix_by_q: radix_by_q[i] });
    }
}

/// Layers lead from one half of this to the other, and the last one to the first half. It is not wiped: where vectors are
/// wide, a transform happens in registers, and memory to be wiped would have to be written first.
type Work<const N: usize> = [[i16; N]; 2];

/// Coefficients as signed numbers, in the half that makes the last layer end in the first half.
#[inline(always)]
fn begin<const N: usize>(a: &[u16; N]) -> Work<N> {
    let mut work = [[0; N]; 2];
    work[Plan::<N>::LAYERS % 2].iter_mut().zip(a).for_each(|(x, &a)| *x = a as i16);
    work
}

/// Where there are no vectors, layers happen in registers.
const IN_REGISTERS: bool = cfg!(target_arch = "arm");

vectorised! {
    /// Transforms coefficients of up to LOG_Q bits, in order, to values below q, in bit-reversed order.
    pub(super) fn ntt<type P: Planned<N>, const N: usize>(a: &mut [u16; N]) {
        if IN_REGISTERS {
            return ntt_radix8::ntt::<P, N>(a);
        }
        let mut work = begin(a);
        let [one, other] = &mut work;
        let odd = Plan::<N>::LAYERS % 2;
        if odd == 1 {
            layer::<P, N>(0, other, one);
        }
        for pair in 0..Plan::<N>::LAYERS / 2 {
            layer::<P, N>(odd + 2 * pair, one, other);
            layer::<P, N>(odd + 2 * pair + 1, other, one);
        }
        a.iter_mut().zip(one).for_each(|(a, &mut x)| *a = canonical::<P>(x));
    }

    /// Transforms back: values below q in bit-reversed order to coefficients below q in order, times 2^16.
    pub(super) fn inverse_ntt<type P: Planned<N>, const N: usize>(a: &mut [u16; N]) {
        if IN_REGISTERS {
            return ntt_radix8::inverse_ntt::<P, N>(a);
        }
        let mut work = begin(a);
        let [one, other] = &mut work;
        let odd = Plan::<N>::LAYERS % 2;
        if odd == 1 {
            inverse_layer::<P, N>(Plan::<N>::LAYERS - 1, other, one);
        }
        for pair in (0..Plan::<N>::LAYERS / 2).rev() {
            inverse_layer::<P, N>(2 * pair + 1, one, other);
            inverse_layer::<P, N>(2 * pair, other, one);
        }
        a.iter_mut().zip(one).for_each(|(a, &mut x)| *a = canonical::<P>(mont_mul::<P>(x, P::SCALE)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::{Lwekem128, Lwekem256, Lwekem512};
    use super::*;
    use crate::kem::lattice::testing::{Numbers, on_every_path};

    /// The value at every odd power of psi, in bit-reversed order.
    fn by_definition<P: Params, const N: usize>(a: &[u16; N]) -> [u16; N] {
        let q = u32::from(P::Q);
        core::array::from_fn(|i| {
            let reversed = (i as u32).reverse_bits() >> (32 - N.ilog2());
            let x = power(P::PSI.into(), 2 * reversed + 1, q);
            a.iter().rev().fold(0, |value, &a| (value * x + u32::from(a)) % q) as u16
        })
    }

    /// Coefficients at the bounds, in patterns that make sums and differences large, and between them.
    fn inputs<const N: usize>(largest: u16) -> impl Iterator<Item = [u16; N]> {
        let mut numbers = Numbers::new(2);
        let patterns =
            (0..N.ilog2()).map(move |bit| core::array::from_fn(|i| if i >> bit & 1 == 0 { largest } else { 0 }));
        let random =
            core::iter::repeat_with(move || core::array::from_fn(|_| numbers.between(0, i32::from(largest)) as u16));
        [[0; N], [largest; N]].into_iter().chain(patterns).chain(random.take(20))
    }

    /// Times 2^16.
    fn radix<P: Params>(a: u16) -> u16 {
        ((u32::from(a) << RADIX_BITS) % u32::from(P::Q)) as u16
    }

    type Transform<const N: usize> = fn(&mut [u16; N]);

    fn transforms<P: Planned<N>, const N: usize>() {
        let ways: [[Transform<N>; 2]; 2] =
            [[ntt::<P, N>, inverse_ntt::<P, N>], [ntt_radix8::ntt::<P, N>, ntt_radix8::inverse_ntt::<P, N>]];
        for [ntt, inverse_ntt] in ways {
            for a in inputs::<N>((1 << P::LOG_Q) - 1) {
                let mut values = a;
                ntt(&mut values);
                assert_eq!(values, by_definition::<P, N>(&a));
                inverse_ntt(&mut values);
                assert_eq!(values, a.map(radix::<P>));
            }
            for values in inputs::<N>(P::Q - 1) {
                let mut a = values;
                inverse_ntt(&mut a);
                assert_eq!(by_definition::<P, N>(&a), values.map(radix::<P>));
            }
        }
    }

    #[test]
    fn transforms_follow_the_definition() {
        on_every_path(|| {
            transforms::<Lwekem128, 64>();
            transforms::<Lwekem256, 128>();
            transforms::<Lwekem512, 256>();
        });
    }

    /// Follows how large numbers can become from layer to layer, given when they are reduced.
    fn fits_in_16_bits<P: Planned<N>, const N: usize>() {
        let layers = Plan::<N>::LAYERS;
        let mut largest = (1 << P::LOG_Q) - 1;
        for &reduce in &P::PLAN.reduce_forward[..layers] {
            largest = if reduce { P::CENTRED } else { largest };
            largest += Twiddle::product_bound::<P>(largest);
            assert!(largest <= i16::MAX.into());
        }
        let mut largest = i32::from(P::Q) - 1;
        for &reduce in P::PLAN.reduce_inverse[..layers].iter().rev() {
            largest = if reduce { P::CENTRED } else { largest };
            largest = (2 * largest).max(Twiddle::product_bound::<P>(2 * largest));
            assert!(largest <= i16::MAX.into());
        }
    }

    #[test]
    fn no_layer_can_overflow() {
        fits_in_16_bits::<Lwekem128, 64>();
        fits_in_16_bits::<Lwekem256, 128>();
        fits_in_16_bits::<Lwekem512, 256>();
    }
}
