//! The transforms for machines that have registers for eight coefficients but no vectors: in place, and up to three layers
//! between a load and a store.
//!
//! Products are Plantard's (T. Plantard, "Efficient Word Size Modular Multiplication"; J. Huang et al., "Improved Plantard
//! Arithmetic for Lattice-based Cryptography"): a factor has 32 bits, and a product is two multiplications.

use super::montgomery::RADIX_BITS;
use super::params::{Params, inverse, power};
use crate::kem::lattice::inverse_of_odd;

/// Coefficients that are in registers together.
const GROUP: usize = 8;
/// Layers that happen there.
const LAYERS: usize = GROUP.ilog2() as usize;

/// Half of the bits of a factor: those of a coefficient.
const HALF: u32 = 16;

/// The factor of products with `value` modulo q: -2^32 times that, and that times 1/q modulo 2^32.
const fn factor<P: Params>(value: u32) -> i32 {
    let q = P::Q as u64;
    let q_inverse = inverse_of_odd(P::Q as u32);
    let form = value as u64 * (q - (1 << (2 * HALF)) % q) % q;
    (form as u32).wrapping_mul(q_inverse) as i32
}

/// `x`, of 16 bits, times a factor, modulo q: at most [`product_bound`].
#[inline(always)]
const fn mont_mul<P: Params>(x: i32, factor: i32) -> i32 {
    // q is less than 2^(15 - alpha), and 2^alpha is what rounds.
    let alpha = 15 - P::LOG_Q;
    debug_assert!(x == x as i16 as i32);
    let upper = (factor.wrapping_mul(x) >> HALF) as i16;
    (upper as i32 * P::Q as i32 + ((P::Q as i32) << alpha)) >> HALF
}

/// How large products are at most.
const fn product_bound<P: Params>() -> i32 {
    P::Q as i32 / 2 + 1
}

/// Twiddles by their number: block b of layer l has number 2^l + b, and psi to the reversed bits of that.
pub(super) struct Twiddles<const N: usize> {
    forward: [i32; N],
    inverse: [i32; N],
    /// Of the last inverse layer, which scales by 2^16 / N: of sums, and of differences.
    last: [i32; 2],
}

impl<const N: usize> Twiddles<N> {
    const fn new<P: Params>() -> Self {
        let q = P::Q as u32;
        let mut factors = Self { forward: [0; N], inverse: [0; N], last: [0; 2] };
        let mut number = 1;
        while number < N {
            let root = power(P::PSI as u32, (number as u32).reverse_bits() >> (u32::BITS - N.ilog2()), q);
            factors.forward[number] = factor::<P>(root);
            factors.inverse[number] = factor::<P>(inverse(root, q));
            number += 1;
        }
        let scale = inverse(N as u32, q) * ((1 << RADIX_BITS) % q) % q;
        let first_root = power(P::PSI as u32, N as u32 / 2, q);
        factors.last = [factor::<P>(scale), factor::<P>(scale * inverse(first_root, q) % q)];
        factors
    }
}

/// The factors of an instance.
pub(super) trait Radix8<const N: usize>: Params + Sized {
    /// Them.
    const FACTORS: &'static Twiddles<N> = &Twiddles::new::<Self>();
    /// A number modulo q, as a product.
    const ONE: i32 = factor::<Self>(1);
}

impl<P: Params, const N: usize> Radix8<N> for P {}

/// Whether a pass of so many layers from layer `first` on must begin with a reduction, so that all of it has 16 bits: each layer
/// adds a product.
const fn reduces<P: Params>(first: usize, layers: usize) -> bool {
    let (mut before, mut bound) = (0, (1 << P::LOG_Q) - 1);
    while before < first {
        if reduces::<P>(before, LAYERS) {
            bound = product_bound::<P>();
        }
        bound += LAYERS as i32 * product_bound::<P>();
        before += LAYERS;
    }
    bound + layers as i32 * product_bound::<P>() > i16::MAX as i32
}

/// The same of the inverse transform, whose layers double sums. Where it begins, numbers are below q; behind a pass they may be as
/// large as fits.
const fn reduces_inverse<P: Params>(starts: bool, layers: usize) -> bool {
    !starts || (P::Q as i32) << layers > i16::MAX as i32
}

/// So many layers from layer `FIRST` on: (a, b) to (a + b·factor, a - b·factor).
#[inline(always)]
fn pass<P: Radix8<N>, const N: usize, const FIRST: usize, const COUNT: usize>(a: &mut [u16; N]) {
    let step = N >> (FIRST + COUNT);
    for (block, a) in a.chunks_exact_mut(N >> FIRST).enumerate() {
        for i in 0..step {
            let mut x = [0; GROUP];
            let x = &mut x[..1 << COUNT];
            for (k, x) in x.iter_mut().enumerate() {
                *x = i32::from(a[i + k * step] as i16);
                if const { reduces::<P>(FIRST, COUNT) } {
                    *x = mont_mul::<P>(*x, P::ONE);
                }
            }
            for layer in 0..COUNT {
                let distance = 1 << (COUNT - 1 - layer);
                for k in (0..1 << COUNT).filter(|k| k & distance == 0) {
                    let number = (((1 << FIRST) + block) << layer) + (k >> (COUNT - layer));
                    let product = mont_mul::<P>(x[k + distance], P::FACTORS.forward[number]);
                    (x[k], x[k + distance]) = (x[k] + product, x[k] - product);
                }
            }
            for (k, &mut x) in x.iter_mut().enumerate() {
                a[i + k * step] = if FIRST + COUNT == N.ilog2() as usize { canonical::<P, N>(x) } else { x as u16 };
            }
        }
    }
}

/// So many inverse layers down to layer `FIRST`: (a, b) to (a + b, (a - b)·factor).
#[inline(always)]
fn inverse_pass<P: Radix8<N>, const N: usize, const FIRST: usize, const COUNT: usize>(a: &mut [u16; N]) {
    let step = N >> (FIRST + COUNT);
    for (block, a) in a.chunks_exact_mut(N >> FIRST).enumerate() {
        for i in 0..step {
            let mut x = [0; GROUP];
            let x = &mut x[..1 << COUNT];
            for (k, x) in x.iter_mut().enumerate() {
                *x = i32::from(a[i + k * step] as i16);
                if const { reduces_inverse::<P>(FIRST + COUNT == N.ilog2() as usize, COUNT) } {
                    *x = mont_mul::<P>(*x, P::ONE);
                }
            }
            for layer in (0..COUNT).rev() {
                let distance = 1 << (COUNT - 1 - layer);
                for k in (0..1 << COUNT).filter(|k| k & distance == 0) {
                    let number = (((1 << FIRST) + block) << layer) + (k >> (COUNT - layer));
                    let (sum, difference) = (x[k] + x[k + distance], x[k] - x[k + distance]);
                    (x[k], x[k + distance]) = if number == 1 {
                        let [of_sum, of_difference] = P::FACTORS.last;
                        (mont_mul::<P>(sum, of_sum), mont_mul::<P>(difference, of_difference))
                    } else {
                        (sum, mont_mul::<P>(difference, P::FACTORS.inverse[number]))
                    };
                }
            }
            for (k, &mut x) in x.iter_mut().enumerate() {
                a[i + k * step] = if FIRST == 0 { positive::<P>(x) } else { x as u16 };
            }
        }
    }
}

/// A product from 0 to q - 1.
#[inline(always)]
fn positive<P: Params>(product: i32) -> u16 {
    (product + (i32::from(P::Q) & (product >> 31))) as u16
}

/// `x`, of 16 bits, modulo q.
#[inline(always)]
fn canonical<P: Radix8<N>, const N: usize>(x: i32) -> u16 {
    positive::<P>(mont_mul::<P>(x, P::ONE))
}

/// See [`super::ntt::ntt`].
#[inline(never)]
pub(super) fn ntt<P: Radix8<N>, const N: usize>(a: &mut [u16; N]) {
    pass::<P, N, 0, LAYERS>(a);
    match N.ilog2() {
        6 => pass::<P, N, 3, LAYERS>(a),
        7 => {
            pass::<P, N, 3, LAYERS>(a);
            pass::<P, N, 6, 1>(a);
        }
        8 => {
            pass::<P, N, 3, LAYERS>(a);
            pass::<P, N, 6, 2>(a);
        }
        _ => panic!("no instance has {N} coefficients"),
    }
}

/// See [`super::ntt::inverse_ntt`].
#[inline(never)]
pub(super) fn inverse_ntt<P: Radix8<N>, const N: usize>(a: &mut [u16; N]) {
    match N.ilog2() {
        6 => inverse_pass::<P, N, 3, LAYERS>(a),
        7 => {
            inverse_pass::<P, N, 4, LAYERS>(a);
            inverse_pass::<P, N, 1, LAYERS>(a);
        }
        8 => {
            inverse_pass::<P, N, 5, LAYERS>(a);
            inverse_pass::<P, N, 2, LAYERS>(a);
        }
        _ => panic!("no instance has {N} coefficients"),
    }
    match N.ilog2() {
        6 => inverse_pass::<P, N, 0, LAYERS>(a),
        7 => inverse_pass::<P, N, 0, 1>(a),
        _ => inverse_pass::<P, N, 0, 2>(a),
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::{Lwekem256, Lwekem512};
    use super::*;

    fn products_are_right_and_bounded<P: Params>() {
        let q = i32::from(P::Q);
        for value in [0, 1, 2, q / 2, q / 2 + 1, q - 1] {
            let factor = factor::<P>(value as u32);
            for x in i16::MIN..=i16::MAX {
                let product = mont_mul::<P>(x.into(), factor);
                assert_eq!(product.rem_euclid(q), (i32::from(x) * value).rem_euclid(q), "{x} times {value}");
                assert!(product.abs() <= product_bound::<P>(), "{x} times {value}");
            }
        }
    }

    #[test]
    fn products_hold_for_all_numbers() {
        products_are_right_and_bounded::<Lwekem256>();
        products_are_right_and_bounded::<Lwekem512>();
    }
}
