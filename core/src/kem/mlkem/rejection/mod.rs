//! Coefficients of a polynomial of T_q from a stream of bytes: SampleNTT (FIPS 203, section 4.2.2).

#[cfg(target_arch = "x86_64")]
mod avx2;

use super::encode::{GROUP, split_group};
use super::field::Q;
use super::poly::N;

/// Candidates that are looked at together while there is certainly room for all of them.
const STEP: usize = 8;
/// Bytes of a step.
const STEP_BYTES: usize = STEP / 2 * GROUP;
/// Bytes that are loaded for a step: half a vector.
const LOAD: usize = 16;

/// A polynomial that is being filled from a stream (FIPS 203, algorithm 7). The matrix is public: rejections may show
/// in time.
pub(super) struct Rejection {
    coefficients: [i16; N],
    len: usize,
    /// The beginning of a group whose end is not squeezed yet.
    pending: [u8; GROUP],
    pending_len: usize,
    groups: usize,
}

impl Rejection {
    /// An empty polynomial.
    pub(super) const fn new() -> Self {
        Self { coefficients: [0; N], len: 0, pending: [0; GROUP], pending_len: 0, groups: 0 }
    }

    /// Begins another polynomial with a stream of its own.
    pub(super) fn restart(&mut self) {
        (self.len, self.pending_len, self.groups) = (0, 0, 0);
    }

    /// Coefficients, in the order of FIPS 203; those that are missing have any value.
    pub(super) fn coefficients(&self) -> &[i16; N] {
        &self.coefficients
    }

    /// How many coefficients are missing.
    pub(super) fn missing(&self) -> usize {
        N - self.len
    }

    /// The least number of bytes that can fill the polynomial.
    pub(super) fn least_bytes(&self) -> usize {
        self.missing().div_ceil(2) * GROUP - self.pending_len
    }

    /// Bits of the stream that were consumed: those of whole groups of two candidates.
    pub(super) fn used_bits(&self) -> u32 {
        (8 * GROUP * self.groups) as u32
    }

    /// Takes the next bytes of the stream.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) {
        if self.pending_len > 0 {
            let (end, rest) = bytes.split_at(bytes.len().min(GROUP - self.pending_len));
            self.pending[self.pending_len..][..end.len()].copy_from_slice(end);
            self.pending_len += end.len();
            bytes = rest;
            if self.pending_len < GROUP {
                return;
            }
            self.pending_len = 0;
            self.take_group(self.pending);
        }
        let (groups, rest) = bytes[self.take_steps(bytes)..].as_chunks();
        for &group in groups {
            if self.missing() == 0 {
                return;
            }
            self.take_group(group);
        }
        self.pending[..rest.len()].copy_from_slice(rest);
        self.pending_len = rest.len();
    }

    fn take_group(&mut self, group: [u8; GROUP]) {
        for candidate in split_group(group) {
            if candidate < Q && self.len < N {
                self.coefficients[self.len] = candidate;
                self.len += 1;
            }
        }
        self.groups += 1;
    }

    /// Takes whole steps from the beginning of `bytes`, and returns how many bytes they were.
    fn take_steps(&mut self, bytes: &[u8]) -> usize {
        #[cfg(target_arch = "x86_64")]
        if let Some(taken) = avx2::take_steps(self, bytes) {
            return taken;
        }
        self.take_steps_by(bytes, plain_step)
    }

    /// [`take_steps`](Self::take_steps), where `step` puts those candidates of a step that are below q to the front of
    /// its room, whatever it puts behind them, and counts them.
    #[inline(always)]
    fn take_steps_by(&mut self, bytes: &[u8], step: impl Fn(&[u8; LOAD], &mut [i16; STEP]) -> usize) -> usize {
        let (mut len, mut taken) = (self.len, 0);
        while let Some(load) = bytes[taken..].first_chunk()
            && let Some(room) = self.coefficients[len..].first_chunk_mut()
        {
            len += step(load, room);
            taken += STEP_BYTES;
        }
        self.len = len;
        self.groups += taken / GROUP;
        taken
    }
}

/// A step without vectors or branches. Groups are two words of 12 bits, least significant bits first.
fn plain_step(load: &[u8; LOAD], room: &mut [i16; STEP]) -> usize {
    let bits = u128::from_le_bytes(*load);
    let mut count = 0;
    for i in 0..STEP {
        let candidate = (bits >> (12 * i)) as i16 & 0xfff;
        // Written where the next one belongs, and kept there only if the count moves on.
        room[count] = candidate;
        count += usize::from(candidate < Q);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kem::lattice::testing::{Numbers, on_every_path};

    /// Bytes of a test stream: more than any polynomial of these seeds takes.
    const STREAM: usize = 1008;

    /// SampleNTT (FIPS 203, algorithm 7), with the groups that it consumed.
    fn by_definition(stream: &[u8]) -> ([i16; N], usize) {
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
