//! Secrets and noise: SamplePolyCBD (FIPS 203, section 4.2.2) of the PRF's output.

use super::params::SEED;
use super::poly::{N, Poly};
use crate::Symmetric;
use crate::kem::lattice::{SecretBytes, vectorised};
use crate::symmetric::{Batch, MAX_LANES, Role};

/// Bytes of randomness for a polynomial with coefficients from -`eta` to `eta`: 2 · eta bits each.
const fn randomness(eta: usize) -> usize {
    N * 2 * eta / 8
}

const MAX_ETA: usize = 3;

vectorised! {
    /// η = 2: a byte is two coefficients, each the difference of two sums of two bits.
    fn binomial2(bytes: &[u8], to: &mut Poly) {
        const PAIRS: u8 = 0b0101_0101;
        let (pairs, _) = to.0.as_chunks_mut::<2>();
        for (pair, byte) in pairs.iter_mut().zip(bytes) {
            let sums = (byte & PAIRS) + (byte >> 1 & PAIRS);
            let sum = |at: u32| i16::from(sums >> at & 0b11);
            *pair = [sum(0) - sum(2), sum(4) - sum(6)];
        }
    }

    /// η = 3: three bytes are four coefficients, each the difference of two sums of three bits.
    fn binomial3(bytes: &[u8], to: &mut Poly) {
        const TRIPLES: u32 = 0o11_111_111;
        let (triples, _) = bytes.as_chunks::<3>();
        let (quadruples, _) = to.0.as_chunks_mut::<4>();
        for (quadruple, &[a, b, c]) in quadruples.iter_mut().zip(triples) {
            let bits = u32::from_le_bytes([a, b, c, 0]);
            let sums = (bits & TRIPLES) + (bits >> 1 & TRIPLES) + (bits >> 2 & TRIPLES);
            let sum = |at: u32| (sums >> at & 0b111) as i16;
            *quadruple = [sum(0) - sum(3), sum(6) - sum(9), sum(12) - sum(15), sum(18) - sum(21)];
        }
    }
}

/// Samples `polys` from the outputs of the PRF for `seed` and the nonces from `nonce` on.
pub(super) fn sample<S: Symmetric>(sym: &mut S, seed: &[u8; SEED], eta: usize, nonce: usize, polys: &mut [Poly]) {
    let mut bytes = SecretBytes::<{ MAX_LANES * randomness(MAX_ETA) }>::new();
    let lanes = sym.lanes(Role::Noise);
    for (chunk, polys) in polys.chunks_mut(lanes).enumerate() {
        let nonces: [[u8; 1]; MAX_LANES] = core::array::from_fn(|lane| [(nonce + chunk * lanes + lane) as u8]);
        let bytes = &mut bytes[..polys.len() * randomness(eta)];
        sym.xof_batch(Role::Noise, &Batch::new(seed, &nonces[..polys.len()]), bytes);
        for (poly, bytes) in polys.iter_mut().zip(bytes.chunks_exact(randomness(eta))) {
            match eta {
                2 => binomial2(bytes, poly),
                3 => binomial3(bytes, poly),
                _ => panic!("no parameter set has a distribution of {eta}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kem::lattice::testing::{Numbers, on_every_path};

    /// SamplePolyCBD (FIPS 203, algorithm 8), bit by bit.
    fn by_definition(eta: usize, bytes: &[u8]) -> [i16; N] {
        let bit = |index: usize| i16::from(bytes[index / 8] >> (index % 8) & 1);
        core::array::from_fn(|i| {
            let sum = |from: usize| (0..eta).map(|j| bit(from + j)).sum::<i16>();
            sum(2 * i * eta) - sum(2 * i * eta + eta)
        })
    }

    #[test]
    fn noise_follows_the_definition() {
        on_every_path(|| {
            let mut numbers = Numbers::new(4);
            for round in 0..50 {
                let mut bytes = [0; randomness(MAX_ETA)];
                bytes.fill_with(|| match round {
                    0 => 0,
                    1 => 0xff,
                    2 => 0b0101_0101,
                    3 => 0b0011_1000,
                    _ => numbers.byte(),
                });
                let mut poly = Poly::ZERO;
                binomial2(&bytes[..randomness(2)], &mut poly);
                assert_eq!(poly.0, by_definition(2, &bytes));
                binomial3(&bytes, &mut poly);
                assert_eq!(poly.0, by_definition(3, &bytes));
            }
        });
    }
}
