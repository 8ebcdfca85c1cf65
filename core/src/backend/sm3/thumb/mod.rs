//! One compression in assembly, for ARMv7E-M with a floating-point unit; and one for each of many counters of a message, whose
//! expansion is the sum of the message's and the counter's (see [`lanes`](super::lanes)).

use super::hasher::{Hasher, Tail, counter_words};
use super::round::{State, Words};
use super::scalar::expand_word;
use super::wipe;
use crate::backend::ngcc::DIGEST;

/// The words that 64 rounds use: the last one the word four after its own.
const EXPANDED: usize = 64 + 4;

/// An expanded block.
type Expanded = [u32; EXPANDED];

/// Compresses one block.
pub(super) fn compress(state: &mut State, block: &Words) {
    assembly::compress(state, block);
}

/// The message expansion (GB/T 32905-2016, section 5.3.2).
const fn expand(block: &Words) -> Expanded {
    let mut words = [0; EXPANDED];
    let mut j = 0;
    while j < EXPANDED {
        words[j] = if j < block.len() {
            block[j]
        } else {
            expand_word(words[j - 16], words[j - 13], words[j - 9], words[j - 6], words[j - 3])
        };
        j += 1;
    }
    words
}

/// Counters from 1 on whose expansion is known: as many blocks as most polynomials take.
const KNOWN: usize = 8;
/// The expansions of blocks that are zero but for a counter at byte `place`.
const fn counters(place: usize) -> [Expanded; KNOWN] {
    let mut counters = [[0; EXPANDED]; KNOWN];
    let mut i = 0;
    while i < KNOWN {
        let mut block = [0; 16];
        [block[place / 4], block[place / 4 + 1]] = counter_words(place, i as u32 + 1);
        counters[i] = expand(&block);
        i += 1;
    }
    counters
}

/// Where counters are behind a seed and the three bytes of an index, for every length of seed that schemes have: 16 bytes,
/// 32, and 64, which are a block of their own.
const PLACES: [usize; 3] = [16 + 3, 32 + 3, 3];
static BEHIND_SEEDS: [[Expanded; KNOWN]; PLACES.len()] =
    [counters(PLACES[0]), counters(PLACES[1]), counters(PLACES[2])];

/// From so many blocks on the expansion of the message pays.
const ENOUGH: usize = 3;

impl Hasher {
    /// Does what [`finalize_counters`](Self::finalize_counters) does for those counters that are known here, and returns the next
    /// counter and what remains of `out`. `tail` has a counter of zero.
    pub(super) fn finalize_known<'a>(&self, tail: &Tail, first: u32, out: &'a mut [u8]) -> (u32, &'a mut [u8]) {
        let place = PLACES.iter().position(|&place| place == self.buffered());
        let (Some(place), 1, Some(block)) = (place, tail.blocks, tail.words.first_chunk()) else { return (first, out) };
        let known = BEHIND_SEEDS[place].get(first as usize - 1..).unwrap_or_default();
        let count = known.len().min(out.len() / DIGEST);
        if count < ENOUGH {
            return (first, out);
        }
        let (digests, rest) = out.split_at_mut(count * DIGEST);
        let mut message = expand(block);
        for (counter, digest) in known.iter().zip(digests.as_chunks_mut().0) {
            assembly::digest(self.state(), &message, counter, digest);
        }
        wipe(&mut message);
        (first + count as u32, rest)
    }
}

#[expect(unsafe_code, reason = "assembly")]
mod assembly {
    use super::{DIGEST, Expanded, State, Words};
    use core::arch::naked_asm;

    pub(super) fn compress(state: &mut State, block: &Words) {
        // SAFETY: eight words that only this call uses, and sixteen words to be read.
        unsafe { compress_block(state, block) }
    }

    /// The digest that is the compression of the sum of two expanded blocks.
    pub(super) fn digest(state: &State, message: &Expanded, counter: &Expanded, digest: &mut [u8; DIGEST]) {
        // SAFETY: eight words and twice 68 to be read, and 32 bytes, aligned as it may be, that only this call uses.
        unsafe { compress_sum(state, message, counter, digest) }
    }

    /// The registers that a caller wants back are kept.
    #[unsafe(naked)]
    unsafe extern "C" fn compress_block(state: *mut State, block: *const Words) {
        naked_asm!(concat!(include_str!("rounds.s"), include_str!("compress.s")))
    }

    /// The same.
    #[unsafe(naked)]
    unsafe extern "C" fn compress_sum(
        state: *const State,
        message: *const Expanded,
        counter: *const Expanded,
        digest: *mut [u8; DIGEST],
    ) {
        naked_asm!(concat!(include_str!("rounds.s"), include_str!("counters.s")))
    }
}
