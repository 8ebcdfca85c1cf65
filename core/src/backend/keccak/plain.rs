//! The permutation on halves of lanes, written out in Rust.

use super::F1600;
use super::interleaved::{CONSTANTS, Halves, OFFSETS, Permutation, State};

/// The twin of those that are fast.
#[derive(Clone, Debug)]
pub(super) struct Plain;

impl Permutation for Plain {
    const AT_REST: [[u8; 2]; 25] = [[0; 2]; 25];

    fn permute<const ROUNDS: usize>(state: &mut State) {
        for &constant in &CONSTANTS[F1600 - ROUNDS..] {
            *state = round(state, constant);
        }
    }
}

/// Turns a lane left by `bits`.
const fn turn([even, odd]: Halves, bits: u32) -> Halves {
    if bits.is_multiple_of(2) {
        [even.rotate_left(bits / 2), odd.rotate_left(bits / 2)]
    } else {
        [odd.rotate_left(bits / 2 + 1), even.rotate_left(bits / 2)]
    }
}

const fn xor(a: Halves, b: Halves) -> Halves {
    [a[0] ^ b[0], a[1] ^ b[1]]
}

/// The bits of `b` that `a` lacks.
const fn clear(b: Halves, a: Halves) -> Halves {
    [b[0] & !a[0], b[1] & !a[1]]
}

/// One round (FIPS 202, section 3.2).
fn round(a: &State, constant: Halves) -> State {
    let parity: [Halves; 5] = core::array::from_fn(|x| (0..5).fold([0; 2], |sum, y| xor(sum, a[x + 5 * y])));
    let mut b = [[0; 2]; 25];
    for x in 0..5 {
        let d = xor(parity[(x + 4) % 5], turn(parity[(x + 1) % 5], 1));
        for y in 0..5 {
            b[y + 5 * ((2 * x + 3 * y) % 5)] = turn(xor(a[x + 5 * y], d), OFFSETS[x + 5 * y].into());
        }
    }
    let mut next: State = core::array::from_fn(|i| {
        let row = &b[i / 5 * 5..][..5];
        xor(row[i % 5], clear(row[(i + 2) % 5], row[(i + 1) % 5]))
    });
    next[0] = xor(next[0], constant);
    next
}
