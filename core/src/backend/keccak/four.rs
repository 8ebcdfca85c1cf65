use super::together::{FourStates, Together};
use super::{PADDING_END, SUFFIX, Sponge};
use crate::backend::wipe;
use crate::backend::xof::LABEL_BYTES;
use crate::symmetric::{Batch, MAX_BATCH_MESSAGE};
use core::array;

/// States that are permuted together.
pub(super) const LANES: usize = 4;

/// Sponges of up to [`LANES`] messages, after the first squeezing.
pub(super) struct FourSponges<const RATE: usize, const ROUNDS: usize> {
    states: FourStates,
}

impl<const RATE: usize, const ROUNDS: usize> FourSponges<RATE, ROUNDS> {
    /// Absorbs `label` and each message of `batch` (at most [`LANES`]) and squeezes the outputs, all of one length, one
    /// after another into `out`. `None` where that is not faster than one by one: there is one message, or the machine
    /// cannot.
    pub(super) fn squeeze(label: &[u8], batch: &Batch<'_>, out: &mut [u8]) -> Option<Self> {
        let together = Together::detect().filter(|_| batch.lanes() > 1)?;
        let mut sponges = Self { states: Self::absorb(label, batch) };
        let out_bytes = out.len() / batch.lanes();
        let mut squeezed = 0;
        while squeezed < out_bytes {
            together.permute::<ROUNDS>(&mut sponges.states, batch.lanes());
            let block = RATE.min(out_bytes - squeezed);
            for (lane, out) in out.chunks_exact_mut(out_bytes).enumerate() {
                sponges.copy_block(lane, &mut out[squeezed..squeezed + block]);
            }
            squeezed += block;
        }
        Some(sponges)
    }

    /// Padded messages as states. They are of one block: batches are of short messages.
    fn absorb(label: &[u8], batch: &Batch<'_>) -> FourStates {
        const { assert!(MAX_BATCH_MESSAGE + LABEL_BYTES < RATE) };
        let prefix_end = label.len() + batch.prefix().len();
        let mut block = [0; RATE];
        block[..label.len()].copy_from_slice(label);
        block[label.len()..prefix_end].copy_from_slice(batch.prefix());
        block[label.len() + batch.message_bytes()] = SUFFIX;
        block[RATE - 1] |= PADDING_END;
        let mut states = FourStates::all_of(block.as_chunks().0.iter().copied().map(u64::from_le_bytes));
        for (lane, suffix) in batch.suffixes().enumerate() {
            for (at, &byte) in (prefix_end..).zip(suffix) {
                *states.word_mut(at / 8, lane) |= u64::from(byte) << (8 * (at % 8));
            }
        }
        wipe(&mut block);
        states
    }

    /// Copies the first `out.len()` bytes of the rate.
    #[inline]
    fn copy_block(&self, lane: usize, out: &mut [u8]) {
        let (whole, rest) = out.as_chunks_mut();
        for (i, out) in whole.iter_mut().enumerate() {
            *out = self.states.word(i, lane).to_le_bytes();
        }
        rest.copy_from_slice(&self.states.word(whole.len(), lane).to_le_bytes()[..rest.len()]);
    }

    /// The sponge of one lane, after the `out_bytes` that were squeezed.
    pub(super) fn lane(&self, lane: usize, out_bytes: usize) -> Sponge<RATE, ROUNDS> {
        Sponge::resume(array::from_fn(|i| self.states.word(i, lane)), out_bytes)
    }
}

impl<const RATE: usize, const ROUNDS: usize> Drop for FourSponges<RATE, ROUNDS> {
    fn drop(&mut self) {
        wipe(&mut self.states.0);
    }
}
