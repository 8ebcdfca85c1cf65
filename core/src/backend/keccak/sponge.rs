//! A sponge over the `keccak` crate's permutation.

use super::{PADDING_END, SUFFIX};
use crate::backend::{Reader, wipe};
use core::fmt;
use keccak::{Keccak, State1600};
use sponge_cursor::SpongeCursor;

/// An output stream of SHAKE (24 rounds) or TurboSHAKE (12) at this rate in bytes.
#[derive(Clone)]
pub struct Sponge<const RATE: usize, const ROUNDS: usize> {
    state: State1600,
    /// Bytes of the rate already read; the state is permuted before the first of them is.
    cursor: SpongeCursor<RATE>,
    keccak: Keccak,
}

impl<const RATE: usize, const ROUNDS: usize> Sponge<RATE, ROUNDS> {
    /// Absorbs `label` and the concatenated parts of `input`, and pads, as SHAKE and TurboSHAKE do.
    pub(in crate::backend) fn absorb(label: &[u8], input: &[&[u8]]) -> Self {
        let mut sponge = Self { state: [0; 25], cursor: SpongeCursor::default(), keccak: Keccak::new() };
        sponge.keccak.with_p1600::<ROUNDS>(|permute| {
            for part in core::iter::once(&label).chain(input) {
                sponge.cursor.absorb_u64_le(&mut sponge.state, permute, part);
            }
        });
        let end = sponge.cursor.pos();
        sponge.state[end / 8] ^= u64::from(SUFFIX) << (8 * (end % 8));
        sponge.state[RATE / 8 - 1] ^= u64::from(PADDING_END) << 56;
        sponge.cursor = SpongeCursor::default();
        sponge
    }

    /// The stream that goes on from `state` after `out_bytes` of output.
    pub(super) fn resume(state: State1600, out_bytes: usize) -> Self {
        const { assert!(RATE <= u8::MAX as usize) };
        let cursor = SpongeCursor::new((out_bytes % RATE) as u8).expect("a remainder is less than the rate");
        Self { state, cursor, keccak: Keccak::new() }
    }
}

impl<const RATE: usize, const ROUNDS: usize> Drop for Sponge<RATE, ROUNDS> {
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}

impl<const RATE: usize, const ROUNDS: usize> fmt::Debug for Sponge<RATE, ROUNDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sponge").finish_non_exhaustive()
    }
}

impl<const RATE: usize, const ROUNDS: usize> Reader for Sponge<RATE, ROUNDS> {
    #[inline]
    fn read(&mut self, out: &mut [u8]) {
        self.keccak.with_p1600::<ROUNDS>(|permute| self.cursor.squeeze_read_u64_le(&mut self.state, permute, out));
    }
}
