//! SSE2, which every x86-64 has: four lanes in a register.

use super::hasher::digest;
use super::kernel::{counter_kernel, each, lane_kernel, vector_operations};
use core::arch::x86_64::*;

type R = __m128i;

/// Registers that hold a word of every lane.
const GROUPS: usize = 2;
/// Chains at once.
const CHAINS: usize = 2;

/// Operations on one register.
mod op {
    use super::*;

    #[target_feature(enable = "sse2")]
    #[inline]
    pub(super) fn splat(word: u32) -> R {
        _mm_set1_epi32(word.cast_signed())
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    pub(super) fn add(a: R, b: R) -> R {
        _mm_add_epi32(a, b)
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    pub(super) fn xor(a: R, b: R) -> R {
        _mm_xor_si128(a, b)
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    pub(super) fn rotl<const LEFT: i32, const RIGHT: i32>(a: R) -> R {
        _mm_or_si128(_mm_slli_epi32::<LEFT>(a), _mm_srli_epi32::<RIGHT>(a))
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    pub(super) fn rotl8(a: R) -> R {
        rotl::<8, 24>(a)
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    pub(super) fn parity(a: R, b: R, c: R) -> R {
        xor(xor(a, b), c)
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    pub(super) fn majority(a: R, b: R, c: R) -> R {
        _mm_or_si128(_mm_and_si128(a, _mm_or_si128(b, c)), _mm_and_si128(b, c))
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    pub(super) fn choice(e: R, f: R, g: R) -> R {
        xor(_mm_and_si128(xor(f, g), e), g)
    }
}

/// The big-endian bytes of the words in register `p` of every row, lane by lane: two transpositions of 4 by 4 words.
#[target_feature(enable = "sse2")]
#[inline]
fn digests<const P: usize>(rows: &[[R; P]; 8], p: usize) -> [Digest; WIDTH] {
    let quarter = |first: usize| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|row| rows[first + row][p]);
        let [ab, cd] = [_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d)];
        let [ab_high, cd_high] = [_mm_unpackhi_epi32(a, b), _mm_unpackhi_epi32(c, d)];
        [
            _mm_unpacklo_epi64(ab, cd),
            _mm_unpackhi_epi64(ab, cd),
            _mm_unpacklo_epi64(ab_high, cd_high),
            _mm_unpackhi_epi64(ab_high, cd_high),
        ]
    };
    let [front, back] = [quarter(0), quarter(4)];
    core::array::from_fn(|lane| digest(&bytemuck::cast([front[lane], back[lane]])))
}

vector_operations!(#[target_feature(enable = "sse2")]);
counter_kernel!(#[target_feature(enable = "sse2")]);
lane_kernel!(#[target_feature(enable = "sse2")]);
