//! One compression at a time, with instructions made for it where the processor has them.

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use super::armv8::Sm3Instructions;
use super::hasher::words;
use super::round::{State, Words};
#[cfg(not(armv7em))]
use super::scalar;
use super::tally;
#[cfg(armv7em)]
use super::thumb as scalar;
use crate::backend::ngcc::BLOCK;

/// Compresses one block.
#[inline]
pub(super) fn compress(state: &mut State, block: &Words) {
    tally(1);
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    if let Some(instructions) = Sm3Instructions::detect() {
        return instructions.compress(state, block);
    }
    scalar::compress(state, block);
}

/// Compresses a run of blocks.
pub(super) fn absorb(state: &mut State, blocks: &[[u8; BLOCK]]) {
    for block in blocks {
        compress(state, &words(block));
    }
}
