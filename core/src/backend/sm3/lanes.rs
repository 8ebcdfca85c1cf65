//! Eight compressions together: the tables that all implementations share.
//!
//! SM3's message expansion is linear over GF(2). The expanded words of a message that ends in a counter are therefore the
//! exclusive or of those of the message with a zero counter and those of the counter alone. Eight messages that are each
//! hashed with many counters need one [`Expanded`] of the messages and one for every eight counters; what is left of a
//! compression is its rounds.

use super::hasher::digest;
use super::round::{ROUNDS, State};
use crate::backend::ngcc::DIGEST;

/// Compressions that run together.
pub(super) const LANES: usize = 8;

/// A word of each lane.
pub(super) type Lanes = [u32; LANES];
/// A block of each lane, word by word.
pub(super) type LaneWords = [Lanes; 16];
/// A chaining value of each lane, word by word.
pub(super) type LaneState = [Lanes; 8];
/// A digest of each lane.
pub(super) type Digests = [[u8; DIGEST]; LANES];

/// The words W and W' of every round, of each lane.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Expanded(pub(super) [[Lanes; 2]; ROUNDS]);

impl Expanded {
    /// The expansion of nothing.
    pub(super) const ZERO: Self = Self([[[0; LANES]; 2]; ROUNDS]);
}

/// Where the compressions of many counters begin: the rounds before any word that differs have been done once.
pub(super) struct Start {
    /// The chaining value.
    pub(super) chaining: State,
    /// The registers after [`rounds`](Self::rounds) rounds.
    pub(super) registers: State,
    /// A multiple of four, at most 16.
    pub(super) rounds: usize,
}

/// The digests that the chaining values are.
pub(super) fn digests(state: &LaneState) -> Digests {
    core::array::from_fn(|lane| digest(&state.map(|word| word[lane])))
}
