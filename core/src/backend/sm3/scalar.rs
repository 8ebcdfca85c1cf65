//! One compression at a time, on any machine.

use super::hasher::{digest, words};
use super::kernel::{counter_kernel, each};
use super::lanes::LaneState;
use super::round::{State, Words, sixteen_rounds};
use super::tally;
use crate::backend::ngcc::BLOCK;

type R = u32;

/// Registers that hold a word of every lane.
const GROUPS: usize = LANES;
/// Chains at once.
const CHAINS: usize = 1;

macro_rules! rotl {
    ($a:expr, $left:literal) => {
        $a.map(|a| a.rotate_left($left))
    };
}

#[inline]
fn splat<const P: usize>(word: u32) -> [R; P] {
    [word; P]
}

#[inline]
fn add<const P: usize>(a: [R; P], b: [R; P]) -> [R; P] {
    each!(a, b => a.wrapping_add(b))
}

#[inline]
fn xor<const P: usize>(a: [R; P], b: [R; P]) -> [R; P] {
    each!(a, b => a ^ b)
}

#[inline]
fn parity<const P: usize>(a: [R; P], b: [R; P], c: [R; P]) -> [R; P] {
    each!(a, b, c => a ^ b ^ c)
}

#[inline]
fn majority<const P: usize>(a: [R; P], b: [R; P], c: [R; P]) -> [R; P] {
    each!(a, b, c => (a & (b | c)) | (b & c))
}

#[inline]
fn choice<const P: usize>(e: [R; P], f: [R; P], g: [R; P]) -> [R; P] {
    each!(e, f, g => ((f ^ g) & e) ^ g)
}

#[inline]
fn p0<const P: usize>(a: [R; P]) -> [R; P] {
    each!(a => a ^ a.rotate_left(9) ^ a.rotate_left(17))
}

#[inline]
fn p1<const P: usize>(a: [R; P]) -> [R; P] {
    each!(a => a ^ a.rotate_left(15) ^ a.rotate_left(23))
}

fn load(lanes: &Lanes) -> [R; GROUPS] {
    *lanes
}

fn digests<const P: usize>(rows: &[[R; P]; 8], p: usize) -> [Digest; WIDTH] {
    [digest(&rows.map(|row| row[p]))]
}

counter_kernel!();

/// Compresses one block.
pub(super) fn compress(state: &mut State, block: &Words) {
    tally(1);
    let mut registers = state.map(|word| [word]);
    let mut window = block.map(|word| [word]);
    for (sixteen, constants) in CONSTANTS.as_chunks::<16>().0.iter().enumerate() {
        macro_rules! constant {
            ($i:expr) => {
                [constants[$i]]
            };
        }
        if sixteen == 0 {
            sixteen_rounds!(true, registers, window, constant);
        } else {
            sixteen_rounds!(false, registers, window, constant);
        }
    }
    *state = xor(*state, registers.map(|[register]| register));
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

/// The first `rounds` rounds, a multiple of four up to 12, which need no expansion.
pub(super) fn start(chaining: &State, block: &Words, rounds: usize) -> Start {
    debug_assert!(rounds.is_multiple_of(4) && rounds + 4 <= block.len());
    let mut registers = chaining.map(|word| [word]);
    macro_rules! words {
        ($j:expr) => {
            [[block[$j]], [block[$j] ^ block[$j + 4]]]
        };
    }
    macro_rules! constant {
        ($i:expr) => {
            [CONSTANTS[$i]]
        };
    }
    for j in (0..rounds).step_by(4) {
        four_rounds!(true, registers, j, words, constant);
    }
    Start { chaining: *chaining, registers: registers.map(|[register]| register), rounds }
}
