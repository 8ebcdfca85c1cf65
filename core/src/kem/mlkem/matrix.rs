//! The public matrix: SampleNTT (FIPS 203, section 4.2.2), entries generated when they are needed.

use super::kernels::add_product;
use super::params::SEED;
use super::poly::NttPoly;
use super::rejection::Rejection;
use crate::symmetric::{Batch, MAX_LANES, Phase, Role};
use crate::{Sampling, Symmetric};

/// Bytes of a SHAKE128 block (FIPS 202): the unit of the reference implementations, whatever the function.
const REFERENCE_BLOCK: usize = 168;
/// Bytes that the reference implementations squeeze before they begin: enough for most polynomials.
const REFERENCE_FIRST: usize = 3 * REFERENCE_BLOCK;
/// The most bytes of one lane that are squeezed at once.
const MOST: usize = 512;

/// Which matrix: FIPS 203 has Â in key generation and its transpose in encryption.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Orientation {
    Straight,
    Transposed,
}

/// How many bytes to squeeze next.
fn squeeze_bytes(sampling: Sampling, block: usize, state: &Rejection) -> usize {
    match sampling {
        Sampling::Eager if state.used_bits() == 0 => REFERENCE_FIRST,
        Sampling::Eager => REFERENCE_BLOCK,
        // What is missing at the least, in whole blocks: each of them will be consumed, at least in part.
        Sampling::Lazy => state.least_bytes().next_multiple_of(block).min(MOST),
    }
}

/// Room for the beginnings of `LANES` streams, and for `TILE` entries.
struct Sampler<const LANES: usize, const TILE: usize> {
    sampling: Sampling,
    /// The backend's unit of output, in bytes.
    block: usize,
    bytes: [[u8; MOST]; LANES],
    rejection: Rejection,
    entries: [NttPoly; TILE],
}

impl<const LANES: usize, const TILE: usize> Sampler<LANES, TILE> {
    /// Samples the entries of these indices, in batches of `lanes`.
    fn sample<S: Symmetric>(&mut self, sym: &mut S, seed: &[u8; SEED], indices: &[[u8; 2]], lanes: usize) {
        for (batch, indices) in indices.chunks(lanes).enumerate() {
            self.sample_batch(sym, &Batch::new(seed, indices), batch * lanes);
        }
    }

    /// Samples as many entries as `batch` has messages, from the entry at `at` on.
    fn sample_batch<S: Symmetric>(&mut self, sym: &mut S, batch: &Batch<'_>, at: usize) {
        let Self { sampling, block, bytes, rejection, entries } = self;
        rejection.restart();
        let first = squeeze_bytes(*sampling, *block, rejection);
        let bytes = &mut bytes.as_flattened_mut()[..batch.lanes() * first];
        let mut stream = sym.open(Role::Matrix, batch, bytes);
        let mut used_bits = [0; LANES];
        for (lane, (bytes, entry)) in bytes.chunks_exact_mut(first).zip(&mut entries[at..]).enumerate() {
            rejection.restart();
            rejection.feed(bytes);
            while rejection.missing() > 0 {
                let bytes = &mut bytes[..squeeze_bytes(*sampling, *block, rejection)];
                sym.squeeze(&mut stream, lane, bytes);
                rejection.feed(bytes);
            }
            entry.set_pairs(rejection.coefficients());
            used_bits[lane] = rejection.used_bits();
        }
        sym.close(&mut stream, &used_bits[..batch.lanes()]);
    }
}

/// A matrix to multiply with: its seed, and how to read it.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a> {
    pub(super) seed: &'a [u8; SEED],
    pub(super) orientation: Orientation,
    pub(super) sampling: Sampling,
}

impl Matrix<'_> {
    /// `sums` += this · `vector` / 2^16. The matrix is never whole in memory.
    pub(super) fn add_product<S: Symmetric>(self, sym: &mut S, vector: &[NttPoly], sums: &mut [NttPoly]) {
        // The buffers are on the stack: few lanes should not pay for many.
        match sym.lanes(Role::Matrix) {
            1 => self.add_product_by::<S, 1, 4>(sym, vector, sums),
            2..=4 => self.add_product_by::<S, 4, 4>(sym, vector, sums),
            _ => self.add_product_by::<S, MAX_LANES, MAX_LANES>(sym, vector, sums),
        }
    }

    /// The indices of the entry at a place, in the order in which they are hashed.
    fn indices(self, row: usize, column: usize) -> [u8; 2] {
        match self.orientation {
            Orientation::Straight => [column as u8, row as u8],
            Orientation::Transposed => [row as u8, column as u8],
        }
    }

    #[inline(never)]
    fn add_product_by<S: Symmetric, const LANES: usize, const TILE: usize>(
        self,
        sym: &mut S,
        vector: &[NttPoly],
        sums: &mut [NttPoly],
    ) {
        let k = vector.len();
        let lanes = sym.lanes(Role::Matrix);
        let mut sampler = Sampler::<LANES, TILE> {
            sampling: self.sampling,
            block: sym.squeeze_block(Role::Matrix),
            bytes: [[0; MOST]; LANES],
            rejection: Rejection::new(),
            entries: [NttPoly::ZERO; TILE],
        };
        let tile = TILE / lanes * lanes;
        for first in (0..k * k).step_by(tile) {
            let place = |index: usize| ((first + index) / k, (first + index) % k);
            let indices: [_; TILE] = core::array::from_fn(|index| {
                let (row, column) = place(index);
                self.indices(row, column)
            });
            let count = tile.min(k * k - first);
            sym.phase(Phase::SampleMatrix, |sym| sampler.sample(sym, self.seed, &indices[..count], lanes));
            sym.phase(Phase::Matvec, |_| {
                for (index, entry) in sampler.entries[..count].iter().enumerate() {
                    let (row, column) = place(index);
                    add_product(&mut sums[row], entry, &vector[column]);
                }
            });
        }
    }
}
