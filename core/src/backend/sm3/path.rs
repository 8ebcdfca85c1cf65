//! Which implementation runs, chosen when first asked for.

use super::lanes::{Digests, Expanded, LaneState, LaneWords, Start};
use super::round::{State, Words};
use super::scalar;
use crate::backend::ngcc::BLOCK;

#[cfg(test)]
use super::tests::tally;

/// Tests count compressions.
#[cfg(not(test))]
const fn tally(_compressions: usize) {}

/// An implementation of the compression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Path {
    /// One compression at a time.
    Portable,
}

impl Path {
    /// The fastest that runs here.
    pub(super) fn best() -> Self {
        Self::Portable
    }

    /// All that run here.
    #[cfg(test)]
    pub(super) fn all() -> impl Iterator<Item = Self> {
        [Self::Portable].into_iter()
    }

    /// Whether `counters` blocks of one message are faster together than one by one.
    pub(super) const fn joins_counters(self, _counters: usize) -> bool {
        match self {
            Self::Portable => false,
        }
    }

    /// Whether a counter at a time of all messages is faster than a message at a time.
    pub(super) const fn joins_messages(self, messages: usize, counters: usize) -> bool {
        match self {
            // Nothing runs together here, but the expansion is shared.
            Self::Portable => messages > 1 && counters > 1,
        }
    }

    /// Compresses one block.
    pub(super) fn compress(self, state: &mut State, block: &Words) {
        tally(1);
        match self {
            Self::Portable => scalar::compress(state, block),
        }
    }

    /// Compresses a run of blocks.
    pub(super) fn absorb(self, state: &mut State, blocks: &[[u8; BLOCK]]) {
        tally(blocks.len());
        match self {
            Self::Portable => scalar::absorb(state, blocks),
        }
    }

    /// Compresses a block of each of the first `lanes` lanes; what the others hold afterwards is not defined.
    pub(super) fn compress_lanes(self, state: &mut LaneState, blocks: &LaneWords, lanes: usize) {
        tally(lanes);
        match self {
            Self::Portable => scalar::compress_lanes(state, blocks, lanes),
        }
    }

    /// Expands a block of each lane.
    pub(super) fn expand(self, blocks: &LaneWords, expanded: &mut Expanded) {
        match self {
            Self::Portable => scalar::expand_lanes(blocks, expanded),
        }
    }

    /// The digests of `lanes` messages, `digests.len()` counters of each: see [`lanes`](super::lanes).
    pub(super) fn counters(
        self,
        start: &Start,
        messages: &Expanded,
        lanes: usize,
        counters: &Expanded,
        digests: &mut [Digests],
    ) {
        tally(lanes * digests.len());
        match self {
            Self::Portable => scalar::counters(start, messages, lanes, counters, digests),
        }
    }
}
