//! One compression at a time, on any machine.

use super::lanes::Start;
use super::round::{CONSTANTS, State, Words, four_rounds, round, sixteen_rounds};

macro_rules! rotl {
    ($a:expr, $left:literal) => {
        $a.rotate_left($left)
    };
}

const fn add(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

const fn xor(a: u32, b: u32) -> u32 {
    a ^ b
}

const fn parity(a: u32, b: u32, c: u32) -> u32 {
    a ^ b ^ c
}

const fn majority(a: u32, b: u32, c: u32) -> u32 {
    (a & (b | c)) | (b & c)
}

const fn choice(e: u32, f: u32, g: u32) -> u32 {
    ((f ^ g) & e) ^ g
}

/// P0 of GB/T 32905-2016, section 4.4. Rounds wait for it: where turning takes an instruction of its own, both turns are done
/// at once; where it comes with the exclusive or, the turn by 17 is made of those by 8 and 9 in one instruction less.
const fn p0(a: u32) -> u32 {
    if cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
        a ^ a.rotate_left(9) ^ a.rotate_left(17)
    } else {
        a ^ (a ^ a.rotate_left(8)).rotate_left(9)
    }
}

/// P1 of the same section, the turn by 23 as those by 8 and 15.
const fn p1(a: u32) -> u32 {
    a ^ (a ^ a.rotate_left(8)).rotate_left(15)
}

/// The next word of the message expansion from those 16, 13, 9, 6 and 3 before it.
pub(super) const fn expand_word(w16: u32, w13: u32, w9: u32, w6: u32, w3: u32) -> u32 {
    p1(w16 ^ w9 ^ w3.rotate_left(15)) ^ w13.rotate_left(7) ^ w6
}

/// Compresses one block.
pub(super) fn compress(state: &mut State, block: &Words) {
    const SIXTEENS: &[[u32; 16]] = CONSTANTS.as_chunks().0;
    let mut registers = *state;
    let mut window = *block;
    macro_rules! sixteen {
        ($parity:literal, $constants:expr) => {
            macro_rules! constant {
                ($i:expr) => {
                    $constants[$i]
                };
            }
            sixteen_rounds!($parity, registers, window, constant);
        };
    }
    sixteen!(true, SIXTEENS[0]);
    // In a loop it is soon in the caches of decoded instructions: most calls are of one or two blocks.
    for constants in &SIXTEENS[1..] {
        sixteen!(false, constants);
    }
    for (word, register) in state.iter_mut().zip(registers) {
        *word ^= register;
    }
}

/// The first `rounds` rounds, a multiple of four up to 12, which need no expansion.
pub(super) fn start(chaining: &State, block: &Words, rounds: usize) -> Start {
    let mut registers = *chaining;
    macro_rules! words {
        ($j:expr) => {
            [block[$j], block[$j] ^ block[$j + 4]]
        };
    }
    macro_rules! constant {
        ($j:expr) => {
            CONSTANTS[$j]
        };
    }
    for j in (0..rounds).step_by(4) {
        four_rounds!(true, registers, j, words, constant);
    }
    Start { chaining: *chaining, registers, rounds }
}
