//! The public matrix: SampleNTT (FIPS 203, section 4.2.2), entries generated when they are needed.

use super::field::Q;
use super::params::SEED;
use super::poly::{N, Spectrum, add_product};
use crate::kem::lattice::vectorised;
use crate::symmetric::{Batch, MAX_LANES, Phase, Role};
use crate::{Sampling, Symmetric};

/// Bytes that two candidates of 12 bits make.
const GROUP: usize = 3;
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
            self.accept(&[candidates(self.pending)]);
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

/// The two candidates of a group: three bytes, least significant bits first.
#[inline(always)]
fn candidates([a, b, c]: [u8; GROUP]) -> [i16; 2] {
    let (a, b, c) = (i16::from(a), i16::from(b), i16::from(c));
    [a | (b & 0xf) << 8, b >> 4 | c << 4]
}

vectorised! {
    /// The candidates of all groups.
    fn split(groups: &[[u8; GROUP]], pairs: &mut [[i16; 2]]) {
        for (&group, pair) in groups.iter().zip(pairs) {
            *pair = candidates(group);
        }
    }
}

/// Samples the entries of these indices, in one batch.
fn sample<S: Symmetric>(
    sym: &mut S,
    sampling: Sampling,
    seed: &[u8; SEED],
    indices: &[[u8; 2]],
    bytes: &mut [u8; MAX_LANES * MOST],
    entries: &mut [Spectrum],
) {
    let lanes = indices.len();
    let block = sym.squeeze_block(Role::Matrix);
    let first = Rejection::new().wants(sampling, block);
    let mut stream = sym.open(Role::Matrix, &Batch::new(seed, indices), &mut bytes[..lanes * first]);
    let mut used_bits = [0; MAX_LANES];
    for (lane, (bytes, entry)) in bytes.chunks_exact_mut(first).zip(entries).enumerate() {
        let mut rejection = Rejection::new();
        rejection.feed(bytes);
        while rejection.missing() > 0 {
            let bytes = &mut bytes[..rejection.wants(sampling, block)];
            sym.squeeze(&mut stream, lane, bytes);
            rejection.feed(bytes);
        }
        entry.set_pairs(&rejection.coefficients);
        used_bits[lane] = rejection.groups * GROUP_BITS;
    }
    sym.close(stream, &used_bits[..lanes]);
}

/// `sums` += Â · `vector` / 2^16 for the matrix Â of `seed`, or its transpose. The matrix is never whole in memory: as many
/// entries are sampled at once as a batch has lanes, or several batches of few.
pub(super) fn add_matrix_product<S: Symmetric>(
    sym: &mut S,
    sampling: Sampling,
    seed: &[u8; SEED],
    orientation: Orientation,
    vector: &[Spectrum],
    sums: &mut [Spectrum],
) {
    let k = vector.len();
    let lanes = sym.lanes(Role::Matrix);
    let mut bytes = [0; MAX_LANES * MOST];
    let mut entries = [Spectrum::ZERO; MAX_LANES];
    let tile_entries = MAX_LANES / lanes * lanes;
    for first in (0..k * k).step_by(tile_entries) {
        let place = |index: usize| ((first + index) / k, (first + index) % k);
        let indices: [[u8; 2]; MAX_LANES] = core::array::from_fn(|index| {
            let (row, column) = place(index);
            match orientation {
                Orientation::Straight => [column as u8, row as u8],
                Orientation::Transposed => [row as u8, column as u8],
            }
        });
        let count = tile_entries.min(k * k - first);
        let entries = &mut entries[..count];
        sym.phase(Phase::SampleMatrix, |sym| {
            for (indices, entries) in indices[..count].chunks(lanes).zip(entries.chunks_mut(lanes)) {
                sample(sym, sampling, seed, indices, &mut bytes, entries);
            }
        });
        sym.phase(Phase::Matvec, |_| {
            for (index, entry) in entries.iter().enumerate() {
                let (row, column) = place(index);
                add_product(&mut sums[row], entry, &vector[column]);
            }
        });
    }
}
