//! Coefficients of the public matrix from a stream of bytes, by rejection sampling.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod plain;
#[cfg(test)]
mod tests;

use super::encode::mask;
use super::params::{MAX_LOG_Q, Params};

/// The stream is read in groups of so many bytes, each a big-endian integer, lowest bits first.
const GROUP: usize = 8;
/// Candidates of a portion: as many bytes of it are whole groups, and its candidates are whole steps.
const PORTION: usize = 64;
/// The longest portion in bytes.
const MAX_PORTION: usize = PORTION * MAX_LOG_Q / 8;
/// Candidates that are examined together at most.
const MAX_STEP: usize = 16;
/// Coefficients that [`Rejection::feed`] may write behind a polynomial.
pub(super) const SLACK: usize = MAX_STEP;

/// How far a polynomial is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Progress {
    /// Candidates that have been examined, of the bytes at hand.
    examined: usize,
    /// Coefficients found.
    filled: usize,
}

/// A polynomial in the making.
///
/// Bytes may come in pieces of any length. What is left of a piece after its last whole portion is kept and read again
/// with the bytes that follow, from the candidate that is next.
#[derive(Clone, Debug)]
pub(super) struct Rejection {
    kept: [u8; MAX_PORTION],
    kept_bytes: usize,
    /// Candidates of the stream before the kept bytes.
    before: usize,
    /// Of the kept bytes.
    progress: Progress,
}

impl Rejection {
    /// Of an empty polynomial.
    pub(super) const fn new() -> Self {
        Self { kept: [0; MAX_PORTION], kept_bytes: 0, before: 0, progress: Progress { examined: 0, filled: 0 } }
    }

    /// Begins a stream for a polynomial of which `filled` coefficients are found.
    pub(super) fn begin(&mut self, filled: usize) {
        self.kept_bytes = 0;
        self.before = 0;
        self.progress = Progress { examined: 0, filled };
    }

    /// Coefficients found.
    pub(super) fn filled(&self) -> usize {
        self.progress.filled
    }

    /// Bits of the stream that were examined.
    pub(super) fn used_bits<P: Params>(&self) -> u32 {
        ((self.before + self.progress.examined) * P::LOG_Q) as u32
    }

    /// Examines the next `bytes` of the stream and puts what it finds into `poly`, until that is full. What is behind the
    /// polynomial, of which there must be [`SLACK`], may change.
    pub(super) fn feed<P: Params, const N: usize>(&mut self, mut bytes: &[u8], poly: &mut [u16]) {
        let portion_bytes = PORTION * P::LOG_Q / 8;
        if self.kept_bytes > 0 {
            bytes = self.keep(portion_bytes, bytes);
            self.progress = examine::<P, N>(&self.kept[..self.kept_bytes], self.progress, poly);
            if self.kept_bytes == portion_bytes {
                self.pass(1);
            }
        }
        if !bytes.is_empty() && self.progress.filled < N {
            self.progress = examine::<P, N>(bytes, self.progress, poly);
            if self.progress.filled < N {
                self.pass(bytes.len() / portion_bytes);
                self.keep(portion_bytes, &bytes[bytes.len() / portion_bytes * portion_bytes..]);
            }
        }
    }

    /// Keeps as many bytes as a portion has room for, and returns the others.
    fn keep<'a>(&mut self, portion_bytes: usize, bytes: &'a [u8]) -> &'a [u8] {
        let (head, rest) = bytes.split_at(bytes.len().min(portion_bytes - self.kept_bytes));
        self.kept[self.kept_bytes..self.kept_bytes + head.len()].copy_from_slice(head);
        self.kept_bytes += head.len();
        rest
    }

    /// Leaves so many portions behind.
    fn pass(&mut self, portions: usize) {
        let examined = self.progress.examined.min(portions * PORTION);
        self.before += examined;
        self.progress.examined -= examined;
        self.kept_bytes = 0;
    }
}

/// Examines those candidates of `bytes`, which begin with a portion, that have not been.
fn examine<P: Params, const N: usize>(bytes: &[u8], mut progress: Progress, poly: &mut [u16]) -> Progress {
    // So that it is known below how much room there is.
    let poly = &mut poly[..N + SLACK];
    let groups = bytes.as_chunks::<GROUP>().0.as_flattened();
    let complete = 8 * groups.len() / P::LOG_Q;
    while progress.examined < complete && progress.filled < N {
        if progress.examined.is_multiple_of(MAX_STEP) {
            progress = whole_steps::<P, N>(groups, progress, poly);
        }
        if progress.examined < complete && progress.filled < N {
            let candidate = candidate::<P>(groups, progress.examined);
            poly[progress.filled] = candidate;
            progress.filled += usize::from(candidate < P::Q);
            progress.examined += 1;
        }
    }
    progress
}

/// Examines candidates from a whole step on and in whole steps, the fastest way that the processor can, until there are none
/// or the polynomial is full.
#[inline(always)]
fn whole_steps<P: Params, const N: usize>(groups: &[u8], progress: Progress, poly: &mut [u16]) -> Progress {
    #[cfg(target_arch = "x86_64")]
    if crate::kem::lattice::wide_vectors() {
        // SAFETY: the processor was just asked for what the function needs.
        #[expect(unsafe_code, reason = "the processor was asked for the features that the function needs")]
        return unsafe { avx2::whole_steps::<P, N>(groups, progress, poly) };
    }
    plain::whole_steps::<P, N>(groups, progress, poly)
}

/// One candidate.
#[inline(always)]
fn candidate<P: Params>(groups: &[u8], index: usize) -> u16 {
    let (first, shift) = (index * P::LOG_Q / 8, index * P::LOG_Q % 8);
    // In a group the bytes are in the opposite order. A candidate ends in its second byte or its third.
    let byte = |i: usize| u32::from(groups.get((first + i) ^ (GROUP - 1)).copied().unwrap_or(0)) << (8 * i);
    ((byte(0) | byte(1) | byte(2)) >> shift) as u16 & mask(P::LOG_Q)
}
