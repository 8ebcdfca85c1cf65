//! NEON, which every 64-bit Arm has: four lanes in a register.

use super::kernel::{counter_kernel, each, lane_kernel, vector_operations};
use core::arch::aarch64::*;

type R = uint32x4_t;

/// Registers that hold a word of every lane.
const GROUPS: usize = 2;
/// Chains at once.
const CHAINS: usize = 2;

/// Operations on one register.
mod op {
    use super::*;

    #[target_feature(enable = "neon")]
    #[inline]
    pub(super) fn splat(word: u32) -> R {
        vdupq_n_u32(word)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    pub(super) fn add(a: R, b: R) -> R {
        vaddq_u32(a, b)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    pub(super) fn xor(a: R, b: R) -> R {
        veorq_u32(a, b)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    pub(super) fn rotl<const LEFT: i32, const RIGHT: i32>(a: R) -> R {
        vsriq_n_u32::<RIGHT>(vshlq_n_u32::<LEFT>(a), a)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    pub(super) fn rotl8(a: R) -> R {
        let order = bytemuck::cast([3_u8, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14]);
        vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(a), order))
    }

    #[target_feature(enable = "neon")]
    #[inline]
    pub(super) fn parity(a: R, b: R, c: R) -> R {
        xor(xor(a, b), c)
    }

    /// Where two agree, these; elsewhere the third decides.
    #[target_feature(enable = "neon")]
    #[inline]
    pub(super) fn majority(a: R, b: R, c: R) -> R {
        vbslq_u32(xor(b, c), a, b)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    pub(super) fn choice(e: R, f: R, g: R) -> R {
        vbslq_u32(e, f, g)
    }
}

/// The big-endian bytes of the words in register `p` of every row, lane by lane: two transpositions of 4 by 4 words.
#[target_feature(enable = "neon")]
#[inline]
fn digests<const P: usize>(rows: &[[R; P]; 8], p: usize) -> [Digest; WIDTH] {
    let quarter = |first: usize| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|row| rows[first + row][p]);
        let pairs = |a, b| [vreinterpretq_u64_u32(vtrn1q_u32(a, b)), vreinterpretq_u64_u32(vtrn2q_u32(a, b))];
        let [[ab_even, ab_odd], [cd_even, cd_odd]] = [pairs(a, b), pairs(c, d)];
        [
            vtrn1q_u64(ab_even, cd_even),
            vtrn1q_u64(ab_odd, cd_odd),
            vtrn2q_u64(ab_even, cd_even),
            vtrn2q_u64(ab_odd, cd_odd),
        ]
        .map(|words| vrev32q_u8(vreinterpretq_u8_u64(words)))
    };
    let [front, back] = [quarter(0), quarter(4)];
    core::array::from_fn(|lane| bytemuck::cast([front[lane], back[lane]]))
}

vector_operations!(#[target_feature(enable = "neon")]);
counter_kernel!(#[target_feature(enable = "neon")]);
lane_kernel!(#[target_feature(enable = "neon")]);
