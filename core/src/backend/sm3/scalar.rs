//! One compression at a time, on any machine.

use super::hasher::{digest, words};
use super::lanes::{Digests, Expanded, LANES, LaneState, LaneWords, Start};
use super::round::{CONSTANTS, PARITY_ROUNDS, ROUNDS, State, Words, four_rounds, round};
use crate::backend::ngcc::{BLOCK, DIGEST};

type V = u32;

const fn add(a: V, b: V) -> V {
    a.wrapping_add(b)
}

const fn xor(a: V, b: V) -> V {
    a ^ b
}

const fn rotl<const LEFT: u32, const RIGHT: u32>(a: V) -> V {
    const { assert!(LEFT + RIGHT == u32::BITS) }
    a.rotate_left(LEFT)
}

const fn parity(a: V, b: V, c: V) -> V {
    a ^ b ^ c
}

const fn majority(a: V, b: V, c: V) -> V {
    (a & (b | c)) | (b & c)
}

const fn choice(e: V, f: V, g: V) -> V {
    ((f ^ g) & e) ^ g
}

const fn p0(a: V) -> V {
    a ^ rotl::<9, 23>(a) ^ rotl::<17, 15>(a)
}

const fn p1(a: V) -> V {
    a ^ rotl::<15, 17>(a) ^ rotl::<23, 9>(a)
}

/// The next word of the message expansion (GB/T 32905-2016, section 5.3.2) from those 16, 13, 9, 6 and 3 before it.
const fn expand(w16: V, w13: V, w9: V, w6: V, w3: V) -> V {
    p1(w16 ^ w9 ^ rotl::<15, 17>(w3)) ^ rotl::<7, 25>(w13) ^ w6
}

macro_rules! constant {
    ($j:expr) => {
        CONSTANTS[$j]
    };
}

/// Compresses one block. The expansion runs four words ahead of the rounds, in a window of 16 words.
pub(super) fn compress(state: &mut State, block: &Words) {
    let mut registers = *state;
    let mut window = *block;
    sixteen_rounds::<true>(&mut registers, &mut window, 0);
    for first in (PARITY_ROUNDS..ROUNDS).step_by(PARITY_ROUNDS) {
        sixteen_rounds::<false>(&mut registers, &mut window, first);
    }
    add_forward(state, &registers);
}

/// The new chaining value: exclusive or of the one before and the registers.
fn add_forward(state: &mut State, registers: &State) {
    for (word, register) in state.iter_mut().zip(registers) {
        *word ^= register;
    }
}

/// Sixteen rounds from round `first`, a multiple of 16. The window holds words `first..first + 16`, then the next 16.
#[inline(always)]
fn sixteen_rounds<const PARITY: bool>(registers: &mut State, window: &mut Words, first: usize) {
    /// The window's words W and W' of its round `i`, once word `i + 4` is there.
    macro_rules! words {
        ($i:expr) => {{
            let i: usize = $i;
            let ahead = (i + 4) % 16;
            if !PARITY || i >= 12 {
                let [w13, w9] = [window[(i + 7) % 16], window[(i + 11) % 16]];
                let [w6, w3] = [window[(i + 14) % 16], window[(i + 1) % 16]];
                window[ahead] = expand(window[ahead], w13, w9, w6, w3);
            }
            [window[i], window[i] ^ window[ahead]]
        }};
    }
    let constants = &CONSTANTS[first..];
    macro_rules! constant {
        ($i:expr) => {
            constants[$i]
        };
    }
    four_rounds!(!PARITY, registers, 0, words, constant);
    four_rounds!(!PARITY, registers, 4, words, constant);
    four_rounds!(!PARITY, registers, 8, words, constant);
    four_rounds!(!PARITY, registers, 12, words, constant);
}

/// Compresses a run of blocks.
pub(super) fn absorb(state: &mut State, blocks: &[[u8; BLOCK]]) {
    for block in blocks {
        compress(state, &words(block));
    }
}

/// Compresses a block of each of the first `lanes` lanes.
pub(super) fn compress_lanes(state: &mut LaneState, blocks: &LaneWords, lanes: usize) {
    for lane in 0..lanes {
        let mut one = state.map(|word| word[lane]);
        compress(&mut one, &blocks.map(|word| word[lane]));
        for (word, one) in state.iter_mut().zip(one) {
            word[lane] = one;
        }
    }
}

/// Expands a block of each lane.
pub(super) fn expand_lanes(blocks: &LaneWords, expanded: &mut Expanded) {
    let mut w = [[0; LANES]; ROUNDS + 4];
    w[..blocks.len()].copy_from_slice(blocks);
    for j in blocks.len()..w.len() {
        let earlier = [w[j - 16], w[j - 13], w[j - 9], w[j - 6], w[j - 3]];
        for (lane, word) in w[j].iter_mut().enumerate() {
            let [w16, w13, w9, w6, w3] = earlier.map(|words| words[lane]);
            *word = expand(w16, w13, w9, w6, w3);
        }
    }
    for (j, [word, word_prime]) in expanded.0.iter_mut().enumerate() {
        *word = w[j];
        *word_prime = core::array::from_fn(|lane| w[j][lane] ^ w[j + 4][lane]);
    }
}

/// The first `rounds` rounds, a multiple of four up to 12, which need no expansion.
pub(super) fn start(chaining: &State, block: &Words, rounds: usize) -> Start {
    debug_assert!(rounds.is_multiple_of(4) && rounds + 4 <= block.len());
    let mut registers = *chaining;
    macro_rules! words {
        ($j:expr) => {
            [block[$j], block[$j] ^ block[$j + 4]]
        };
    }
    for j in (0..rounds).step_by(4) {
        four_rounds!(false, registers, j, words, constant);
    }
    Start { chaining: *chaining, registers, rounds }
}

/// The digest of lane `lane` of `messages` with the counter in lane `column` of `counters`.
fn counter_digest(start: &Start, messages: &Expanded, lane: usize, counters: &Expanded, column: usize) -> [u8; DIGEST] {
    let mut registers = start.registers;
    macro_rules! words {
        ($j:expr) => {{
            let j: usize = $j;
            let [word, word_prime] = &messages.0[j];
            let [counter, counter_prime] = &counters.0[j];
            [word[lane] ^ counter[column], word_prime[lane] ^ counter_prime[column]]
        }};
    }
    for j in (start.rounds..PARITY_ROUNDS).step_by(4) {
        four_rounds!(false, registers, j, words, constant);
    }
    for j in (PARITY_ROUNDS..ROUNDS).step_by(4) {
        four_rounds!(true, registers, j, words, constant);
    }
    let mut state = start.chaining;
    add_forward(&mut state, &registers);
    digest(&state)
}

/// The digests of `lanes` messages, `digests.len()` counters of each.
pub(super) fn counters(start: &Start, messages: &Expanded, lanes: usize, counters: &Expanded, digests: &mut [Digests]) {
    for (column, digests) in digests.iter_mut().enumerate() {
        for (lane, digest) in digests[..lanes].iter_mut().enumerate() {
            *digest = counter_digest(start, messages, lane, counters, column);
        }
    }
}
