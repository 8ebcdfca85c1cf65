//! Coefficients of the public matrix from a stream of bytes, by rejection sampling.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod plain;
#[cfg(test)]
mod tests;

use super::code::mask;
use super::params::{MAX_LOG_Q, Params};

/// The stream is read in groups of so many bytes, each a big-endian integer, lowest bits first.
const GROUP: usize = 8;
/// Candidates that are examined together: as many bytes as a candidate has bits.
const STEP: usize = 8;
/// Steps of one portion: whole groups and whole steps.
const STEPS: usize = 8;
/// The longest portion in bytes.
const MAX_PORTION: usize = STEPS * MAX_LOG_Q;

/// A way to examine the candidates of a portion, whose whole `groups` each method is given.
trait Examine: Copy {
    /// What is made of them before the first step.
    type Ready;
    /// Where it is made.
    const ROOM: Self::Ready;

    /// Makes it.
    fn ready(self, groups: &[u8], room: &mut Self::Ready);

    /// Puts those candidates of a step that are below q to the front of `window`, and counts them. Whatever else it puts
    /// behind them is not theirs.
    fn step<P: Params>(self, ready: &Self::Ready, groups: &[u8], step: usize, window: &mut [u16; STEP]) -> usize;

    /// How many candidates of a step it takes to find `wanted` that are below q; the step has as many.
    #[inline(always)]
    fn until<P: Params>(self, groups: &[u8], step: usize, wanted: usize) -> usize {
        let (mut examined, mut found) = (0, 0);
        while found < wanted {
            found += usize::from(candidate::<P>(groups, step * STEP + examined) < P::Q);
            examined += 1;
        }
        examined
    }
}

/// Coefficients that [`Rejection::feed`] may write behind a polynomial.
pub(super) const SLACK: usize = STEP;

/// A polynomial in the making.
///
/// Bytes may come in pieces of any length. What is left of a piece after its last whole portion is kept and read again
/// with the bytes that follow, from the candidate that is next.
#[derive(Clone, Debug)]
pub(super) struct Rejection {
    kept: [u8; MAX_PORTION],
    kept_bytes: usize,
    /// Candidates of the present portion that have been examined.
    examined: usize,
    /// Candidates of the stream before it.
    before: usize,
    /// Coefficients found.
    filled: usize,
}

impl Rejection {
    /// Of an empty polynomial.
    pub(super) const fn new() -> Self {
        Self { kept: [0; MAX_PORTION], kept_bytes: 0, examined: 0, before: 0, filled: 0 }
    }

    /// Begins a stream for a polynomial of which `filled` coefficients are found.
    pub(super) fn begin(&mut self, filled: usize) {
        (self.kept_bytes, self.examined, self.before, self.filled) = (0, 0, 0, filled);
    }

    /// Coefficients found.
    pub(super) fn filled(&self) -> usize {
        self.filled
    }

    /// Bits of the stream that were examined.
    pub(super) fn used_bits<P: Params>(&self) -> u32 {
        ((self.before + self.examined) * P::LOG_Q) as u32
    }

    /// Examines the next `bytes` of the stream and puts what it finds into `poly`, until that is full. What is behind the
    /// polynomial, of which there must be [`SLACK`], may change.
    pub(super) fn feed<P: Params, const N: usize>(&mut self, bytes: &[u8], poly: &mut [u16]) {
        debug_assert!(poly.len() >= N + SLACK);
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = avx2::Avx2::detect() {
            return avx2.feed::<P, N>(self, bytes, poly);
        }
        self.feed_by::<_, P, N>(plain::Plain, bytes, poly);
    }

    #[inline(always)]
    fn feed_by<E: Examine, P: Params, const N: usize>(&mut self, way: E, mut bytes: &[u8], poly: &mut [u16]) {
        let mut room = E::ROOM;
        let portion_bytes = STEPS * P::LOG_Q;
        if self.kept_bytes > 0 {
            bytes = self.keep(portion_bytes, bytes);
            let kept = self.kept;
            self.examine::<E, P, N>(way, &mut room, &kept[..self.kept_bytes], poly);
            if self.kept_bytes < portion_bytes {
                return;
            }
            self.finish_portion();
        }
        while !bytes.is_empty() && self.filled < N {
            let (portion, rest) = bytes.split_at(bytes.len().min(portion_bytes));
            bytes = rest;
            self.examine::<E, P, N>(way, &mut room, portion, poly);
            if self.filled == N {
                return;
            }
            if portion.len() == portion_bytes {
                self.finish_portion();
            } else {
                self.keep(portion_bytes, portion);
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

    fn finish_portion(&mut self) {
        self.before += self.examined;
        self.examined = 0;
        self.kept_bytes = 0;
    }

    /// Examines the candidates of a portion that have not been.
    #[inline(always)]
    fn examine<E: Examine, P: Params, const N: usize>(
        &mut self,
        way: E,
        room: &mut E::Ready,
        bytes: &[u8],
        poly: &mut [u16],
    ) {
        // So that it is known below how much room there is.
        let poly = &mut poly[..N + SLACK];
        let groups = bytes.as_chunks::<GROUP>().0.as_flattened();
        let complete = 8 * groups.len() / P::LOG_Q;
        way.ready(groups, room);
        let (mut examined, mut filled) = (self.examined, self.filled);
        while examined < complete && filled < N {
            if examined.is_multiple_of(STEP) {
                for step in examined / STEP..(complete / STEP).min(STEPS) {
                    let window = poly[filled..].first_chunk_mut().expect("slack");
                    let found = way.step::<P>(room, groups, step, window);
                    if filled + found >= N {
                        self.examined = step * STEP + way.until::<P>(groups, step, N - filled);
                        self.filled = N;
                        return;
                    }
                    filled += found;
                    examined += STEP;
                }
            }
            if examined < complete {
                let candidate = candidate::<P>(groups, examined);
                poly[filled] = candidate;
                filled += usize::from(candidate < P::Q);
                examined += 1;
            }
        }
        self.examined = examined;
        self.filled = filled;
    }
}

/// One candidate of a portion.
#[inline(always)]
fn candidate<P: Params>(groups: &[u8], index: usize) -> u16 {
    let (first, shift) = (index * P::LOG_Q / 8, index * P::LOG_Q % 8);
    // In a group the bytes are in the opposite order. A candidate ends in its second byte or its third.
    let byte = |i: usize| u32::from(groups.get((first + i) ^ (GROUP - 1)).copied().unwrap_or(0)) << (8 * i);
    ((byte(0) | byte(1) | byte(2)) >> shift) as u16 & mask(P::LOG_Q)
}
