//! Noise and secrets: polynomials by a centred binomial distribution, from a seed and a nonce.

use super::params::Params;
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

/// Coefficients from 2·ETA bits each, plus q: zero is represented by q.
fn centred_binomial<P: Params, const N: usize>(bytes: &[u8], poly: &mut [u16; N]) {
    let width = 2 * P::ETA;
    let half = (1 << P::ETA) - 1;
    for (poly, &byte) in poly.chunks_exact_mut(8 / width).zip(bytes) {
        for (i, x) in poly.iter_mut().enumerate() {
            let bits = u16::from(byte) >> (i * width);
            let (plus, minus) = (bits & half, bits >> P::ETA & half);
            *x = P::Q + plus.count_ones() as u16 - minus.count_ones() as u16;
        }
    }
}
