//! The permutation on halves of lanes in assembly, for ARMv7E-M with a floating-point unit.

use super::F1600;
use super::interleaved::{CONSTANTS, OFFSETS, Permutation, State};

/// A microcontroller's.
#[derive(Clone, Debug)]
pub struct Thumb;

impl Permutation for Thumb {
    /// Words come out of chi as they went in: the last round's rho is yet to be done. Lane (x, y) comes of lane
    /// (x + 3·y, x); where that is turned by an odd number, its even bits become the odd ones, one place on.
    const AT_REST: [[u8; 2]; 25] = {
        let mut turns = [[0; 2]; 25];
        let mut i = 0;
        while i < turns.len() {
            let (x, y) = (i % 5, i / 5);
            let offset = OFFSETS[(x + 3 * y) % 5 + 5 * x];
            turns[i] = [offset.div_ceil(2), offset / 2];
            i += 1;
        }
        turns
    };

    fn permute<const ROUNDS: usize>(state: &mut State) {
        const { assert!(ROUNDS.is_multiple_of(2) && ROUNDS > 0 && ROUNDS <= F1600) };
        assembly::permute(state, &CONSTANTS[F1600 - ROUNDS..]);
    }
}

#[expect(unsafe_code, reason = "assembly")]
mod assembly {
    use super::super::interleaved::{Halves, State};
    use core::arch::naked_asm;

    /// Rounds with these constants, an even number of them and not none.
    pub(super) fn permute(state: &mut State, constants: &[Halves]) {
        let constants = constants.as_ptr_range();
        // SAFETY: the state is 50 words that only this call uses; the constants from the start of the range are as many as it
        // says, two words each.
        unsafe { rounds(state, constants.start, constants.end) }
    }

    /// Reads constants up to `end`, four words an iteration. The registers that a caller wants back are kept.
    #[unsafe(naked)]
    unsafe extern "C" fn rounds(state: *mut State, constants: *const Halves, end: *const Halves) {
        naked_asm!(include_str!("thumb.s"))
    }
}
