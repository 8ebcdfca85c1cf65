//! Eight compressions together: the tables that all implementations share.
//!
//! SM3's message expansion is linear over GF(2). The expanded words of a message that ends in a counter are therefore the
//! exclusive or of those of the message with a zero counter and those of the counter alone. Eight messages that are each
//! hashed with eight counters need one expansion of the messages and one of the counters; what is left of their 64
//! compressions is rounds.

use super::round::{ROUNDS, State};
use crate::backend::ngcc::DIGEST;
use arrayvec::ArrayVec;

/// Compressions that run together.
pub(super) const LANES: usize = 8;

/// A word of each lane.
pub(super) type Lanes = [u32; LANES];
/// A block of each lane, word by word.
pub(super) type LaneWords = [Lanes; 16];
/// A chaining value of each lane, word by word.
pub(super) type LaneState = [Lanes; 8];
/// A digest.
pub(super) type Digest = [u8; DIGEST];

/// The words W and W' of one round, of each lane: a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Row(pub(super) [Lanes; 2]);

/// The words of all rounds.
pub(super) type Expanded = ArrayVec<Row, ROUNDS>;

/// Where the compressions of many counters begin: the rounds before any word that differs have been done once.
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    expect(dead_code, reason = "without vectors nothing begins there")
)]
pub(super) struct Start {
    /// The chaining value.
    pub(super) chaining: State,
    /// The registers after [`rounds`](Self::rounds) rounds.
    pub(super) registers: State,
    /// A multiple of four, at most 16.
    pub(super) rounds: usize,
}
