//! The public matrix: SampleNTT (FIPS 203, section 4.2.2), entries generated when they are needed.

use super::encode::{GROUP, split_group};
use super::field::Q;
use super::params::SEED;
use super::poly::{N, Spectrum, add_product};
use crate::kem::lattice::vectorised;
use crate::symmetric::{Batch, MAX_LANES, Phase, Role};
use crate::{Sampling, Symmetric};

/// Bits of a group.
const GROUP_BITS: u32 = 8 * GROUP as u32;
/// Bytes of a SHAKE128 block (FIPS 202): the unit of the reference implementations, whatever the function.
const REFERENCE_BLOCK: usize = 168;
/// Bytes that the reference implementations squeeze before they begin: enough for most polynomials.
const REFERENCE_FIRST: usize = 3 * REFERENCE_BLOCK;
/// The most bytes of one lane that are squeezed at once.
const MOST: usize = 512;
/// Pairs of candidates that this makes, one of them with bytes left over from before.
const MOST_PAIRS: usize = MOST / GROUP + 1;

/// Which matrix: FIPS 203 has Â in key generation and its transpose in encryption.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Orientation {
    Straight,
    Transposed,
}

/// Candidates that are looked at together while there is certainly room for all of them.
const WINDOW: usize = 16;

/// A polynomial of T_q that is being filled from a stream (FIPS 203, algorithm 7).
struct Rejection {
    coefficients: [i16; N],
    len: usize,
    /// The beginning of a group whose end is not squeezed yet.
    pending: [u8; GROUP],
    pending_len: usize,
    /// Groups consumed.
    groups: u32,
}

impl Rejection {
    const fn new() -> Self {
        Self { coefficients: [0; N], len: 0, pending: [0; GROUP], pending_len: 0, groups: 0 }
    }

    /// Begins another polynomial.
    fn restart(&mut self) {
        (self.len, self.pending_len, self.groups) = (0, 0, 0);
    }

    fn missing(&self) -> usize {
        N - self.len
    }

    /// How many bytes to squeeze next.
    fn wants(&self, sampling: Sampling, block: usize) -> usize {
        match sampling {
            Sampling::Eager if self.groups == 0 => REFERENCE_FIRST,
            Sampling::Eager => REFERENCE_BLOCK,
            // What is missing at the least, in whole blocks: each of them will be consumed, at least in part.
            Sampling::Lazy => {
                let least = self.missing().div_ceil(2) * GROUP - self.pending_len;
                least.next_multiple_of(block).min(MOST)
            }
        }
    }

    /// Takes the next bytes of the stream, at most [`MOST`].
    fn feed(&mut self, mut bytes: &[u8]) {
        if self.pending_len > 0 {
            let (end, rest) = bytes.split_at(bytes.len().min(GROUP - self.pending_len));
            self.pending[self.pending_len..][..end.len()].copy_from_slice(end);
            self.pending_len += end.len();
            bytes = rest;
            if self.pending_len < GROUP {
                return;
            }
            self.pending_len = 0;
            self.accept(&[split_group(self.pending)]);
        }
        let (groups, rest) = bytes.as_chunks::<GROUP>();
        let mut pairs = [[0; 2]; MOST_PAIRS];
        let pairs = &mut pairs[..groups.len()];
        split(groups, pairs);
        self.accept(pairs);
        self.pending[..rest.len()].copy_from_slice(rest);
        self.pending_len = rest.len();
    }

    /// Appends those candidates that are below q. The matrix is public: its rejections may show in time.
    fn accept(&mut self, pairs: &[[i16; 2]]) {
        let mut pairs = pairs;
        while self.missing() >= WINDOW
            && let Some((window, rest)) = pairs.split_first_chunk::<{ WINDOW / 2 }>()
        {
            let room = &mut self.coefficients[self.len..self.len + WINDOW];
            let mut taken = 0;
            for &candidate in window.as_flattened() {
                room[taken % WINDOW] = candidate;
                taken += usize::from(candidate < Q);
            }
            self.len += taken;
            self.groups += window.len() as u32;
            pairs = rest;
        }
        for pair in pairs {
            if self.missing() == 0 {
                return;
            }
            self.groups += 1;
            for &candidate in pair.iter().filter(|&&candidate| candidate < Q).take(self.missing()) {
                self.coefficients[self.len] = candidate;
                self.len += 1;
            }
        }
    }
}

vectorised! {
    /// The candidates of all groups.
    fn split(groups: &[[u8; GROUP]], pairs: &mut [[i16; 2]]) {
        for (&group, pair) in groups.iter().zip(pairs) {
            *pair = split_group(group);
        }
    }
}

/// Room for the beginnings of `LANES` streams, and for `TILE` entries.
struct Sampler<const LANES: usize, const TILE: usize> {
    sampling: Sampling,
    /// The backend's unit of output, in bytes.
    block: usize,
    bytes: [[u8; MOST]; LANES],
    rejection: Rejection,
    entries: [Spectrum; TILE],
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
        let first = rejection.wants(*sampling, *block);
        let bytes = &mut bytes.as_flattened_mut()[..batch.lanes() * first];
        let mut stream = sym.open(Role::Matrix, batch, bytes);
        let mut used_bits = [0; LANES];
        for (lane, (bytes, entry)) in bytes.chunks_exact_mut(first).zip(&mut entries[at..]).enumerate() {
            rejection.restart();
            rejection.feed(bytes);
            while rejection.missing() > 0 {
                let bytes = &mut bytes[..rejection.wants(*sampling, *block)];
                sym.squeeze(&mut stream, lane, bytes);
                rejection.feed(bytes);
            }
            entry.set_pairs(&rejection.coefficients);
            used_bits[lane] = rejection.groups * GROUP_BITS;
        }
        sym.close(stream, &used_bits[..batch.lanes()]);
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
    pub(super) fn add_product<S: Symmetric>(self, sym: &mut S, vector: &[Spectrum], sums: &mut [Spectrum]) {
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
        vector: &[Spectrum],
        sums: &mut [Spectrum],
    ) {
        let k = vector.len();
        let lanes = sym.lanes(Role::Matrix);
        let mut sampler = Sampler::<LANES, TILE> {
            sampling: self.sampling,
            block: sym.squeeze_block(Role::Matrix),
            bytes: [[0; MOST]; LANES],
            rejection: Rejection::new(),
            entries: [Spectrum::ZERO; TILE],
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kem::lattice::testing::{Numbers, on_every_path};

    /// Bytes of a test stream: more than any polynomial of these seeds takes.
    const STREAM: usize = 6 * REFERENCE_BLOCK;

    /// SampleNTT (FIPS 203, algorithm 7), with the groups that it consumed.
    fn by_definition(stream: &[u8]) -> ([i16; N], u32) {
        let (mut coefficients, mut len, mut groups) = ([0; N], 0, 0);
        for group in stream.chunks_exact(GROUP) {
            groups += 1;
            let [a, b, c] = [group[0], group[1], group[2]].map(i16::from);
            for candidate in [a + 256 * (b % 16), b / 16 + 16 * c] {
                if candidate < Q && len < N {
                    coefficients[len] = candidate;
                    len += 1;
                }
            }
            if len == N {
                return (coefficients, groups);
            }
        }
        panic!("the stream is too short");
    }

    #[test]
    fn pieces_of_any_length_give_what_the_definition_gives() {
        on_every_path(|| {
            for seed in 0..20 {
                let mut numbers = Numbers::new(seed);
                let mut stream = [0; STREAM];
                // Odd seeds reject more: every third byte or so makes a candidate too large.
                stream.fill_with(|| numbers.byte() | if seed % 2 == 1 && numbers.byte() < 40 { 0xf0 } else { 0 });
                let (coefficients, groups) = by_definition(&stream);
                for piece in [1, 2, 3, 4, 5, 8, 12, 24, 31, 32, 64, 136, 168, 256, 504, 512] {
                    let mut rejection = Rejection::new();
                    for bytes in stream.chunks(piece) {
                        if rejection.missing() > 0 {
                            rejection.feed(bytes);
                        }
                    }
                    assert_eq!(rejection.coefficients, coefficients, "pieces of {piece}");
                    assert_eq!(rejection.groups, groups, "pieces of {piece}");
                }
            }
        });
    }
}
