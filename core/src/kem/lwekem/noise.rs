//! Noise and secrets: polynomials by a centred binomial distribution, from a seed and a nonce.

use super::params::Params;
use crate::kem::lattice::vectorised;
use crate::symmetric::{Batch, MAX_LANES, Role, Symmetric};
use zeroize::Zeroize;

/// Samples `count` polynomials with the nonces 0, 1, ... into `polys`.
pub(super) fn sample<'a, P: Params, S: Symmetric, const N: usize>(
    sym: &mut S,
    seed: &[u8],
    count: usize,
    polys: impl IntoIterator<Item = &'a mut [u16; N]>,
) {
    // 2·ETA bits a coefficient, at most N / 2 bytes a polynomial.
    let poly_bytes = P::ETA * N / 4;
    let mut buffer = [[0; N]; MAX_LANES / 2];
    let buffer = buffer.as_flattened_mut();
    let lanes = sym.lanes(Role::Noise);
    let mut polys = polys.into_iter();
    for start in (0..count).step_by(lanes) {
        let nonces: [[u8; 1]; MAX_LANES] = core::array::from_fn(|lane| [(start + lane) as u8]);
        let batch = Batch::new(seed, &nonces[..lanes.min(count - start)]);
        let bytes = &mut buffer[..batch.lanes() * poly_bytes];
        sym.xof_batch(Role::Noise, &batch, bytes);
        for (bytes, poly) in bytes.chunks_exact(poly_bytes).zip(&mut polys) {
            centred_binomial::<P, N>(bytes, poly);
        }
    }
    buffer.zeroize();
}

/// A bit pattern repeated through 32 bits: the lowest `ones` of every `period`.
const fn comb(ones: usize, period: usize) -> u32 {
    u32::MAX / ((1 << period) - 1) * ((1 << ones) - 1)
}

vectorised! {
    /// Coefficients from 2·ETA bits each, plus q: zero is represented by q.
    fn centred_binomial<type P: Params, const N: usize>(bytes: &[u8], poly: &mut [u16; N]) {
        const { assert!(P::ETA == 1 || P::ETA == 2) };
        let (eta, width) = (P::ETA, 2 * P::ETA);
        for (poly, bytes) in poly.chunks_exact_mut(32 / width).zip(bytes.as_chunks::<4>().0) {
            let bits = u32::from_le_bytes(*bytes);
            // How many of every ETA bits are set, in their place; then for each coefficient the difference of two such
            // numbers, plus ETA lest it be negative.
            let counts = if eta == 1 { bits } else { (bits & comb(1, eta)) + (bits >> 1 & comb(1, eta)) };
            let plus = counts & comb(eta, width);
            let minus = counts >> eta & comb(eta, width);
            let differences = plus + eta as u32 * comb(1, width) - minus;
            for (i, x) in poly.iter_mut().enumerate() {
                *x = P::Q - eta as u16 + (differences >> (i * width)) as u16 % (1 << width);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::{Lwekem128, Lwekem256, Lwekem512};
    use super::*;
    use crate::kem::lattice::testing::on_every_path;

    fn follows_the_definition<P: Params, const N: usize>() {
        let bytes: [u8; N] = core::array::from_fn(|i| (i as u32).wrapping_mul(0x9e37_79b9).to_be_bytes()[1]);
        let mut poly = [0; N];
        centred_binomial::<P, N>(&bytes[..P::ETA * N / 4], &mut poly);
        let bit = |i: usize| u16::from(bytes[i / 8] >> (i % 8) & 1);
        for (i, &x) in poly.iter().enumerate() {
            let ones = |from: usize| (from..from + P::ETA).map(bit).sum::<u16>();
            let first = 2 * P::ETA * i;
            assert_eq!(x, P::Q + ones(first) - ones(first + P::ETA), "coefficient {i}");
        }
    }

    #[test]
    fn coefficients_follow_the_definition() {
        on_every_path(|| {
            follows_the_definition::<Lwekem128, 64>();
            follows_the_definition::<Lwekem256, 128>();
            follows_the_definition::<Lwekem512, 256>();
        });
    }
}
