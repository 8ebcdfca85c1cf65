//! The number-theoretic transform of Z_q[x] / (x^N + 1), complete: N products of single coefficients.

use super::params::{Params, inverse, power};
use super::reduce::{Reduce, barrett, freeze, montgomery};

/// Roots of unity, times the Montgomery radix.
pub(super) struct Roots<const N: usize> {
    /// psi to the bit-reversed index.
    forward: [u16; N],
    /// psi^-2 to the bit-reversed index, of one bit less.
    inverse: [u16; N],
    /// psi^-index / N.
    untwist: [u16; N],
}

impl<const N: usize> Roots<N> {
    /// The tables of an instance.
    pub(super) const fn new<P: Reduce>() -> Self {
        let (q, bits) = (P::Q as u32, N.ilog2());
        let psi_inverse = inverse(P::PSI as u32, q);
        let mut roots = Self { forward: [0; N], inverse: [0; N], untwist: [0; N] };
        let mut i = 0;
        while i < N {
            let reversed = (i as u32).reverse_bits() >> (32 - bits);
            let scale = inverse(N as u32, q) * P::R % q;
            roots.forward[i] = (power(P::PSI as u32, reversed, q) * P::R % q) as u16;
            roots.inverse[i] = (power(psi_inverse, reversed, q) * P::R % q) as u16;
            roots.untwist[i] = (power(psi_inverse, i as u32, q) * scale % q) as u16;
            i += 1;
        }
        roots
    }
}

/// The tables of instance `P`.
pub(super) trait Tables<const N: usize>: Reduce + Sized {
    /// Its roots.
    const ROOTS: &'static Roots<N> = &Roots::new::<Self>();
}

impl<P: Params, const N: usize> Tables<N> for P {}

/// Transforms in place: coefficients in order to values in bit-reversed order, below q.
pub(super) fn ntt<P: Tables<N>, const N: usize>(a: &mut [u16; N]) {
    let (mut k, mut length) = (1, N / 2);
    while length > 0 {
        for block in a.chunks_exact_mut(2 * length) {
            let zeta = u32::from(P::ROOTS.forward[k]);
            k += 1;
            let (low, high) = block.split_at_mut(length);
            for (low, high) in low.iter_mut().zip(high) {
                let t = montgomery::<P>(zeta * u32::from(*high));
                (*low, *high) = (barrett::<P>(*low + t), barrett::<P>(*low + 2 * P::Q - t));
            }
        }
        length /= 2;
    }
    for x in a {
        *x = freeze::<P>(*x);
    }
}

/// Transforms back in place: values in bit-reversed order to coefficients in order, below q.
pub(super) fn inverse_ntt<P: Tables<N>, const N: usize>(a: &mut [u16; N]) {
    let mut length = 1;
    while length < N {
        for (block, &omega) in a.chunks_exact_mut(2 * length).zip(&P::ROOTS.inverse) {
            let (low, high) = block.split_at_mut(length);
            for (low, high) in low.iter_mut().zip(high) {
                let difference = u32::from(*low + 2 * P::Q - *high);
                (*low, *high) = (barrett::<P>(*low + *high), montgomery::<P>(u32::from(omega) * difference));
            }
        }
        length *= 2;
    }
    for (x, &scale) in a.iter_mut().zip(&P::ROOTS.untwist) {
        *x = freeze::<P>(montgomery::<P>(u32::from(*x) * u32::from(scale)));
    }
}
