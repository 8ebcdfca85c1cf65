//! One compression with the SM3 instructions of Armv8.2 (`FEAT_SM3`), where the processor has them.
//!
//! The instructions are those of the Arm Architecture Reference Manual (DDI 0487, section C7.2). The compiler's intrinsics for
//! them are not stable yet, so each is a line of assembly here, and what calls it is ordinary code.

use super::round::{State, Words};

/// Proof that this machine has the instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sm3Instructions(());

cpufeatures::new!(sm4_feature, "sm4");

impl Sm3Instructions {
    /// Looks whether the machine has them: once, later calls read a flag. Linux reports them together with those of SM4, which
    /// the compiler names them after.
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        sm4_feature::get().then_some(Self(()))
    }

    /// Compresses one block.
    #[inline]
    pub(super) fn compress(self, state: &mut State, block: &Words) {
        #[expect(unsafe_code, reason = "the function needs a feature that not every processor has")]
        // SAFETY: a value of this type exists only where the processor was seen to have the feature.
        unsafe {
            kernel::compress(state, block);
        }
    }
}

#[expect(unsafe_code, reason = "instructions without stable intrinsics")]
mod kernel {
    use super::super::round::{CONSTANTS, PARITY_ROUNDS};
    use super::{State, Words};
    use core::arch::aarch64::*;
    use core::arch::asm;

    type R = uint32x4_t;

    /// Rounds that one register of words feeds.
    const STEP: usize = 4;

    /// Functions of one instruction each, which reads and changes `d`.
    macro_rules! instructions {
        ($($(#[$doc:meta])* $name:ident ($($operand:ident),*) = $text:literal;)*) => {$(
            $(#[$doc])*
            #[target_feature(enable = "sm4")]
            #[inline]
            fn $name(mut d: R, $($operand: R),*) -> R {
                // SAFETY: the instruction works on registers alone, and the caller has the feature.
                unsafe {
                    asm!(
                        $text,
                        d = inout(vreg) d,
                        $($operand = in(vreg) $operand,)*
                        options(pure, nomem, nostack, preserves_flags),
                    );
                }
                d
            }
        )*};
    }

    instructions! {
        /// The first half of the expansion: of words 16 to 13, 9 to 6 and 4 to 1 before.
        part_w1(n, m) = "sm3partw1 {d:v}.4s, {n:v}.4s, {m:v}.4s";
        /// The second: of that half, and words 6 to 3 and 13 to 10 before.
        part_w2(n, m) = "sm3partw2 {d:v}.4s, {n:v}.4s, {m:v}.4s";
    }

    /// SS1 in the last word, of A, E and the constant in the last words.
    #[target_feature(enable = "sm4")]
    #[inline]
    fn ss1(a: R, e: R, constant: R) -> R {
        let d;
        // SAFETY: the instruction works on registers alone, and the caller has the feature.
        unsafe {
            asm!(
                "sm3ss1 {d:v}.4s, {a:v}.4s, {e:v}.4s, {constant:v}.4s",
                d = lateout(vreg) d,
                a = in(vreg) a,
                e = in(vreg) e,
                constant = in(vreg) constant,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        d
    }

    /// A round's half, on A to D or on E to H, the first of them in the last word: of SS1 and word `LANE` of `words`.
    macro_rules! halves {
        ($($name:ident = $text:literal;)*) => {$(
            #[target_feature(enable = "sm4")]
            #[inline]
            fn $name<const LANE: usize>(mut d: R, ss1: R, words: R) -> R {
                // SAFETY: the instruction works on registers alone, and the caller has the feature.
                unsafe {
                    asm!(
                        $text,
                        d = inout(vreg) d,
                        n = in(vreg) ss1,
                        m = in(vreg) words,
                        lane = const LANE,
                        options(pure, nomem, nostack, preserves_flags),
                    );
                }
                d
            }
        )*};
    }

    halves! {
        tt1_parity = "sm3tt1a {d:v}.4s, {n:v}.4s, {m:v}.s[{lane}]";
        tt1_majority = "sm3tt1b {d:v}.4s, {n:v}.4s, {m:v}.s[{lane}]";
        tt2_parity = "sm3tt2a {d:v}.4s, {n:v}.4s, {m:v}.s[{lane}]";
        tt2_choice = "sm3tt2b {d:v}.4s, {n:v}.4s, {m:v}.s[{lane}]";
    }

    /// Four words in the opposite order, as the instructions want registers.
    #[target_feature(enable = "neon")]
    #[inline]
    fn reversed(words: R) -> R {
        let pairs = vrev64q_u32(words);
        vextq_u32::<2>(pairs, pairs)
    }

    /// Compresses one block (GB/T 32905-2016, section 5.3).
    #[target_feature(enable = "sm4")]
    pub(super) fn compress(state: &mut State, block: &Words) {
        let [mut a, mut e]: [R; 2] = bytemuck::cast(*state);
        (a, e) = (reversed(a), reversed(e));
        let (before_a, before_e) = (a, e);
        let mut w: [R; 4] = bytemuck::cast(*block);
        macro_rules! round {
            ($tt1:ident, $tt2:ident, $lane:literal, $constant:expr, $prime:expr) => {
                let ss1 = ss1(a, e, vdupq_n_u32($constant));
                a = $tt1::<$lane>(a, ss1, $prime);
                e = $tt2::<$lane>(e, ss1, w[0]);
            };
        }
        macro_rules! four_rounds {
            ($tt1:ident, $tt2:ident, $constants:expr) => {
                let prime = veorq_u32(w[0], w[1]);
                round!($tt1, $tt2, 0, $constants[0], prime);
                round!($tt1, $tt2, 1, $constants[1], prime);
                round!($tt1, $tt2, 2, $constants[2], prime);
                round!($tt1, $tt2, 3, $constants[3], prime);
            };
        }
        let (steps, _) = CONSTANTS.as_chunks::<STEP>();
        let (parity, others) = steps.split_at(PARITY_ROUNDS / STEP);
        // Rounds j use words j to j + 7, so the last three steps need no new ones.
        let (others, last) = others.split_at(others.len() - 3);
        for constants in parity {
            let next = expand(w);
            four_rounds!(tt1_parity, tt2_parity, constants);
            w = [w[1], w[2], w[3], next];
        }
        for constants in others {
            let next = expand(w);
            four_rounds!(tt1_majority, tt2_choice, constants);
            w = [w[1], w[2], w[3], next];
        }
        for constants in last {
            four_rounds!(tt1_majority, tt2_choice, constants);
            w = [w[1], w[2], w[3], w[3]];
        }
        *state = bytemuck::cast([reversed(veorq_u32(a, before_a)), reversed(veorq_u32(e, before_e))]);
    }

    /// The four words after these sixteen (GB/T 32905-2016, section 5.3.2).
    #[target_feature(enable = "sm4")]
    #[inline]
    fn expand(w: [R; 4]) -> R {
        let [from_7, from_10, from_3] =
            [vextq_u32::<3>(w[1], w[2]), vextq_u32::<2>(w[2], w[3]), vextq_u32::<3>(w[0], w[1])];
        part_w2(part_w1(w[0], from_7, w[3]), from_10, from_3)
    }
}
