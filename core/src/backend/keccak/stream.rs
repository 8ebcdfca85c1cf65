//! Streams of either strength, one by one and in batches.

use super::four::{FourSponges, LANES};
use super::{F1600, P1600_12, RATE_128, RATE_256, Sponge};
use crate::backend::Reader;
use crate::symmetric::{Batch, Role};

/// An output stream of one of a family's two functions.
#[derive(Clone, Debug)]
pub enum KeccakStream<const ROUNDS: usize> {
    /// Of the function of 128 bits of security.
    Strength128(Sponge<RATE_128, ROUNDS>),
    /// Of the function of 256 bits of security.
    Strength256(Sponge<RATE_256, ROUNDS>),
}

/// A stream of SHAKE.
pub(in crate::backend) type ShakeStream = KeccakStream<F1600>;
/// A stream of TurboSHAKE.
pub(in crate::backend) type TurboShakeStream = KeccakStream<P1600_12>;

impl<const ROUNDS: usize> KeccakStream<ROUNDS> {
    /// Absorbs into the function that serves `role`: that of 128 bits for the matrix.
    #[inline]
    pub(in crate::backend) fn absorb(role: Role, label: &[u8], input: &[&[u8]]) -> Self {
        match role {
            Role::Matrix => Self::Strength128(Sponge::absorb(label, input)),
            _ => Self::Strength256(Sponge::absorb(label, input)),
        }
    }

    /// Absorbs every message of `batch`, squeezes the first `first.len() / lanes` bytes of each into `first`, and hands
    /// the streams to `each`.
    #[inline]
    pub(in crate::backend) fn open_batch(
        role: Role,
        label: &[u8],
        batch: &Batch<'_>,
        first: &mut [u8],
        mut each: impl FnMut(Self),
    ) {
        match role {
            Role::Matrix => open_batch(label, batch, first, |sponge| each(Self::Strength128(sponge))),
            _ => open_batch(label, batch, first, |sponge| each(Self::Strength256(sponge))),
        }
    }

    /// Extendable output of every message of `batch`.
    #[inline]
    pub(in crate::backend) fn xof_batch(role: Role, label: &[u8], batch: &Batch<'_>, out: &mut [u8]) {
        match role {
            Role::Matrix => xof_batch::<RATE_128, ROUNDS>(label, batch, out),
            _ => xof_batch::<RATE_256, ROUNDS>(label, batch, out),
        }
    }
}

impl<const ROUNDS: usize> Reader for KeccakStream<ROUNDS> {
    #[inline]
    fn read(&mut self, out: &mut [u8]) {
        match self {
            Self::Strength128(sponge) => sponge.read(out),
            Self::Strength256(sponge) => sponge.read(out),
        }
    }
}

fn xof_batch<const RATE: usize, const ROUNDS: usize>(label: &[u8], batch: &Batch<'_>, out: &mut [u8]) {
    let out_bytes = out.len() / batch.lanes();
    for (group, out) in batch.groups(LANES).zip(out.chunks_mut(LANES * out_bytes)) {
        if FourSponges::<RATE, ROUNDS>::squeeze(label, &group, out).is_none() {
            for (suffix, out) in group.suffixes().zip(out.chunks_exact_mut(out_bytes)) {
                Sponge::<RATE, ROUNDS>::absorb(label, &[group.prefix(), suffix]).read(out);
            }
        }
    }
}

fn open_batch<const RATE: usize, const ROUNDS: usize>(
    label: &[u8],
    batch: &Batch<'_>,
    first: &mut [u8],
    mut each: impl FnMut(Sponge<RATE, ROUNDS>),
) {
    let out_bytes = first.len() / batch.lanes();
    for (group, out) in batch.groups(LANES).zip(first.chunks_mut(LANES * out_bytes)) {
        match FourSponges::squeeze(label, &group, out) {
            Some(four) => (0..group.lanes()).for_each(|lane| each(four.lane(lane, out_bytes))),
            None => {
                for (suffix, out) in group.suffixes().zip(out.chunks_exact_mut(out_bytes)) {
                    let mut sponge = Sponge::absorb(label, &[group.prefix(), suffix]);
                    sponge.read(out);
                    each(sponge);
                }
            }
        }
    }
}
