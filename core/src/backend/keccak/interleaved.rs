//! Keccak-p\[1600\] for machines of 32 bits: the even and the odd bits of a lane are a word each.
//!
//! A lane turned by an even number of bits is then two words turned by half of that; turned by an odd number, the words
//! change places as well. Messages and output have their bits in order: they are taken apart and put together at the edge of
//! the sponge.

use super::{RC, SUFFIX};
use crate::backend::{Reader, wipe};
use core::fmt;
use core::marker::PhantomData;

/// A lane: its even bits and its odd bits.
pub(super) type Halves = [u32; 2];
/// A state: lane (x, y) is at x + 5·y.
pub(super) type State = [Halves; 25];

/// The permutation of such states.
pub trait Permutation: Clone {
    /// How many bits the words of a state are yet to be turned left by, between permutations: one that knows may leave
    /// them as they are.
    const AT_REST: [[u8; 2]; 25];

    /// Applies the last `ROUNDS` rounds of Keccak-f\[1600\], an even number.
    fn permute<const ROUNDS: usize>(state: &mut State);
}

/// Exchanges the bits that `mask` says with those `shift` places to the left.
const fn exchange(x: u32, mask: u32, shift: u32) -> u32 {
    let difference = (x ^ (x >> shift)) & mask;
    x ^ difference ^ (difference << shift)
}

/// The bytes that are exchanged between two words: of the lower one bytes 1 and 3, of the upper one bytes 0 and 2.
const BYTES: u32 = 0x00ff_00ff;

/// Takes a lane apart.
pub(super) const fn interleave(lane: u64) -> Halves {
    // Quarters 0 and 2, then 1 and 3, so that bytes end up in order below.
    let quarters =
        [lane as u32 & 0xffff | (lane >> 32 << 16) as u32, (lane >> 16) as u32 & 0xffff | (lane >> 48 << 16) as u32];
    let mut words = [0; 2];
    let mut i = 0;
    while i < 2 {
        // In each byte pair: even bits to its lower byte, odd bits to its upper one.
        let bits = exchange(quarters[i], 0x2222_2222, 1);
        words[i] = exchange(exchange(bits, 0x0c0c_0c0c, 2), 0x00f0_00f0, 4);
        i += 1;
    }
    let difference = ((words[0] >> 8) ^ words[1]) & BYTES;
    [words[0] ^ difference << 8, words[1] ^ difference]
}

/// Puts a lane together.
pub(super) const fn lane([even, odd]: Halves) -> u64 {
    let difference = ((even >> 8) ^ odd) & BYTES;
    let words = [even ^ difference << 8, odd ^ difference];
    let mut quarters = [0; 2];
    let mut i = 0;
    while i < 2 {
        let bits = exchange(words[i], 0x00f0_00f0, 4);
        quarters[i] = exchange(exchange(bits, 0x0c0c_0c0c, 2), 0x2222_2222, 1);
        i += 1;
    }
    let low = quarters[0] & 0xffff | quarters[1] << 16;
    let high = quarters[0] >> 16 | quarters[1] & 0xffff_0000;
    low as u64 | (high as u64) << 32
}

/// The constants of iota, taken apart.
pub(super) static CONSTANTS: [Halves; RC.len()] = {
    let mut constants = [[0; 2]; RC.len()];
    let mut round = 0;
    while round < RC.len() {
        constants[round] = interleave(RC[round]);
        round += 1;
    }
    constants
};

/// Offsets of rho by lanes (FIPS 202, algorithm 2): from lane (1, 0) on, step t turns by (t + 1)(t + 2)/2.
pub(super) const OFFSETS: [u8; 25] = {
    let mut offsets = [0; 25];
    let (mut x, mut y) = (1, 0);
    let mut t = 0;
    while t < 24 {
        offsets[x + 5 * y] = ((t + 1) * (t + 2) / 2 % 64) as u8;
        (x, y) = (y, (2 * x + 3 * y) % 5);
        t += 1;
    }
    offsets
};

/// A sponge with such a state: what it absorbs, then what it squeezes. `RATE` is in bytes.
#[derive(Clone)]
pub struct Sponge<P: Permutation, const RATE: usize, const ROUNDS: usize> {
    state: State,
    /// Bytes of the rate that were absorbed or read; all of them when the next byte to be read needs a permutation.
    position: usize,
    permutation: PhantomData<P>,
}

impl<P: Permutation, const RATE: usize, const ROUNDS: usize> Sponge<P, RATE, ROUNDS> {
    /// Absorbs `label` and the concatenated parts of `input`, and pads, as SHAKE and TurboSHAKE do.
    pub(in crate::backend) fn absorb(label: &[u8], input: &[&[u8]]) -> Self {
        Self::absorb_with(SUFFIX, label, input)
    }

    /// The same with another suffix.
    pub(in crate::backend) fn absorb_with(suffix: u8, label: &[u8], input: &[&[u8]]) -> Self {
        const { assert!(RATE.is_multiple_of(LANE)) };
        let mut sponge = Self { state: [[0; 2]; 25], position: 0, permutation: PhantomData };
        sponge.update(label);
        for part in input {
            sponge.update(part);
        }
        add_bytes::<P>(&mut sponge.state, sponge.position, &[suffix]);
        add_bytes::<P>(&mut sponge.state, RATE - 1, &[super::PADDING_END]);
        sponge.position = RATE;
        sponge
    }

    /// The stream that goes on from `state` after `out_bytes` of output.
    pub(super) fn resume(state: [u64; 25], out_bytes: usize) -> Self {
        let mut resumed = [[0; 2]; 25];
        for (i, &lane) in state.iter().enumerate() {
            add_lane::<P>(&mut resumed, i, lane);
        }
        let position = if out_bytes.is_multiple_of(RATE) { RATE } else { out_bytes % RATE };
        Self { state: resumed, position, permutation: PhantomData }
    }

    fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(RATE - self.position));
            add_bytes::<P>(&mut self.state, self.position, now);
            self.position += now.len();
            if self.position == RATE {
                P::permute::<ROUNDS>(&mut self.state);
                self.position = 0;
            }
            bytes = later;
        }
    }
}

/// Bytes of a lane.
const LANE: usize = 8;

/// Adds a lane to the one at `i`.
#[inline(always)]
fn add_lane<P: Permutation>(state: &mut State, i: usize, lane: u64) {
    for ((word, half), turn) in state[i].iter_mut().zip(interleave(lane)).zip(P::AT_REST[i]) {
        *word ^= half.rotate_right(turn.into());
    }
}

/// The lane at `i`.
#[inline(always)]
fn lane_at<P: Permutation>(state: &State, i: usize) -> u64 {
    let [even, odd] = state[i];
    lane([even.rotate_left(P::AT_REST[i][0].into()), odd.rotate_left(P::AT_REST[i][1].into())])
}

/// Adds bytes to those at `position`.
fn add_bytes<P: Permutation>(state: &mut State, position: usize, bytes: &[u8]) {
    let (mut at, offset) = (position / LANE, position % LANE);
    let add_part = |state: &mut State, at: usize, offset: usize, part: &[u8]| {
        let mut lane = [0; LANE];
        lane[offset..offset + part.len()].copy_from_slice(part);
        add_lane::<P>(state, at, u64::from_le_bytes(lane));
    };
    let mut rest = bytes;
    if offset > 0 {
        let (part, after) = bytes.split_at(bytes.len().min(LANE - offset));
        add_part(state, at, offset, part);
        (at, rest) = (at + 1, after);
    }
    let (whole, part) = rest.as_chunks();
    for (i, &lane) in (at..).zip(whole) {
        add_lane::<P>(state, i, u64::from_le_bytes(lane));
    }
    if !part.is_empty() {
        add_part(state, at + whole.len(), 0, part);
    }
}

/// Copies the bytes at `position`.
fn copy_bytes<P: Permutation>(state: &State, position: usize, out: &mut [u8]) {
    let (mut at, offset) = (position / LANE, position % LANE);
    let mut rest = out;
    if offset > 0 {
        let (part, after) = rest.split_at_mut(rest.len().min(LANE - offset));
        part.copy_from_slice(&lane_at::<P>(state, at).to_le_bytes()[offset..offset + part.len()]);
        (at, rest) = (at + 1, after);
    }
    let (whole, part) = rest.as_chunks_mut();
    for (i, lane) in (at..).zip(&mut *whole) {
        *lane = lane_at::<P>(state, i).to_le_bytes();
    }
    if !part.is_empty() {
        part.copy_from_slice(&lane_at::<P>(state, at + whole.len()).to_le_bytes()[..part.len()]);
    }
}

impl<P: Permutation, const RATE: usize, const ROUNDS: usize> Reader for Sponge<P, RATE, ROUNDS> {
    fn read(&mut self, mut out: &mut [u8]) {
        while !out.is_empty() {
            if self.position == RATE {
                P::permute::<ROUNDS>(&mut self.state);
                self.position = 0;
            }
            let (now, later) = out.split_at_mut(out.len().min(RATE - self.position));
            copy_bytes::<P>(&self.state, self.position, now);
            self.position += now.len();
            out = later;
        }
    }
}

impl<P: Permutation, const RATE: usize, const ROUNDS: usize> Drop for Sponge<P, RATE, ROUNDS> {
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}

impl<P: Permutation, const RATE: usize, const ROUNDS: usize> fmt::Debug for Sponge<P, RATE, ROUNDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sponge").finish_non_exhaustive()
    }
}
