use super::four::{FourSponges, LANES};
use super::{F1600, P1600_12, RATE_128, RATE_256};
use crate::backend::{Reader, wipe};
use crate::symmetric::{Batch, Role};
use core::fmt;
use keccak::{Keccak, State1600};
use sponge_cursor::SpongeCursor;

/// What SHAKE appends to a message, with the first bit of padding (FIPS 202, sections 6.2 and 5.1), and TurboSHAKE's
/// usual domain separation byte (RFC 9861, section 2.1).
pub(super) const SUFFIX: u8 = 0x1f;
/// The last bit of padding, in the last byte of the rate.
pub(super) const PADDING_END: u8 = 0x80;

/// An output stream of SHAKE (24 rounds) or TurboSHAKE (12) at this rate in bytes.
#[derive(Clone)]
pub struct Sponge<const RATE: usize, const ROUNDS: usize> {
    state: State1600,
    /// Bytes of the rate already read; the state is permuted before the first of them is.
    cursor: SpongeCursor<RATE>,
    keccak: Keccak,
}

impl<const RATE: usize, const ROUNDS: usize> Sponge<RATE, ROUNDS> {
    /// Absorbs `label` and the concatenated parts of `input`, and pads.
    pub(super) fn absorb(label: &[u8], input: &[&[u8]]) -> Self {
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
