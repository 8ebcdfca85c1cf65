//! Coefficients of the public matrix from a stream of bytes, by rejection sampling.

use super::code::mask;
use super::params::{MAX_LOG_Q, Params};

/// The stream is read in groups of so many bytes, each a big-endian integer, lowest bits first.
const GROUP: usize = 8;
/// Candidates of one step: as many bytes as a candidate has bits.
const STEP: usize = 8;
/// Steps of one portion: whole groups and whole steps.
const STEPS: usize = 8;
/// The longest portion in bytes.
const MAX_PORTION: usize = STEPS * MAX_LOG_Q;
/// A step may be loaded as so many bytes.
const LOAD: usize = 16;

/// A polynomial in the making.
///
/// Bytes may come in pieces of any length. What is left of a piece after its last whole portion is kept and read again
/// with the bytes that follow, from the candidate that is next.
#[derive(Clone, Debug)]
pub(super) struct Rejection {
    kept: [u8; MAX_PORTION],
    kept_bytes: usize,
    /// Candidates of the kept portion that have been examined.
    examined: usize,
    /// Candidates examined in all.
    candidates: usize,
    /// Coefficients found.
    filled: usize,
}

impl Rejection {
    /// Of an empty polynomial.
    pub(super) const fn new() -> Self {
        Self { kept: [0; MAX_PORTION], kept_bytes: 0, examined: 0, candidates: 0, filled: 0 }
    }

    /// Begins another stream for the same polynomial.
    pub(super) fn restart(&mut self) {
        *self = Self { filled: self.filled, ..Self::new() };
    }

    /// Bits of the present stream that were examined.
    pub(super) fn used_bits<P: Params>(&self) -> u32 {
        (self.candidates * P::LOG_Q) as u32
    }

    /// Examines the next `bytes` of the stream and puts what it finds into `poly`. True once that is full.
    pub(super) fn feed<P: Params, const N: usize>(&mut self, mut bytes: &[u8], poly: &mut [u16; N]) -> bool {
        let portion_bytes = STEPS * P::LOG_Q;
        while !bytes.is_empty() && self.filled < N {
            let taken = bytes.len().min(portion_bytes - self.kept_bytes);
            let (head, rest) = bytes.split_at(taken);
            self.kept[self.kept_bytes..self.kept_bytes + taken].copy_from_slice(head);
            self.kept_bytes += taken;
            bytes = rest;
            self.examine::<P, N>(poly);
            if self.kept_bytes == portion_bytes {
                self.kept_bytes = 0;
                self.examined = 0;
            }
        }
        self.filled == N
    }

    /// Examines the candidates of the kept bytes that have not been.
    fn examine<P: Params, const N: usize>(&mut self, poly: &mut [u16; N]) {
        let mut ordered = [0; MAX_PORTION + LOAD];
        let whole = self.kept_bytes / GROUP * GROUP;
        for (to, from) in ordered.chunks_exact_mut(GROUP).zip(self.kept[..whole].chunks_exact(GROUP)) {
            to.copy_from_slice(from);
            to.reverse();
        }
        let complete = 8 * whole / P::LOG_Q;
        while self.examined < complete && self.filled < N {
            let step = self.examined / STEP;
            let bits = u128::from_le_bytes(ordered[step * P::LOG_Q..][..LOAD].try_into().expect("as long as a load"));
            for i in self.examined % STEP..STEP.min(complete - step * STEP) {
                let candidate = (bits >> (i * P::LOG_Q)) as u16 & mask(P::LOG_Q);
                self.examined += 1;
                self.candidates += 1;
                poly[self.filled] = candidate;
                self.filled += usize::from(candidate < P::Q);
                if self.filled == N {
                    return;
                }
            }
        }
    }
}
