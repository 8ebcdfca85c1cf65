//! AVX-512 on registers of AVX2's size: eight lanes in a register, rotations and functions of three words in one instruction.

use super::kernel::{counter_kernel, each, lane_kernel, vector_operations};
use core::arch::x86_64::*;

type R = __m256i;

/// Registers that hold a word of every lane.
const GROUPS: usize = 1;
/// Chains at once.
const CHAINS: usize = 4;

/// Operations on one register.
mod op {
    use super::*;

    /// The truth table of a function of three bits: `$function` of a column for each.
    macro_rules! truth_table {
        (|$a:ident, $b:ident, $c:ident| $function:expr) => {{
            let ($a, $b, $c) = (0b1111_0000_u8, 0b1100_1100_u8, 0b1010_1010_u8);
            $function as i32
        }};
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    #[inline]
    pub(super) fn splat(word: u32) -> R {
        _mm256_set1_epi32(word.cast_signed())
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    #[inline]
    pub(super) fn add(a: R, b: R) -> R {
        _mm256_add_epi32(a, b)
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    #[inline]
    pub(super) fn xor(a: R, b: R) -> R {
        _mm256_xor_si256(a, b)
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    #[inline]
    pub(super) fn rotl<const LEFT: i32, const RIGHT: i32>(a: R) -> R {
        _mm256_rol_epi32::<LEFT>(a)
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    #[inline]
    pub(super) fn rotl8(a: R) -> R {
        _mm256_rol_epi32::<8>(a)
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    #[inline]
    pub(super) fn parity(a: R, b: R, c: R) -> R {
        _mm256_ternarylogic_epi32::<{ truth_table!(|a, b, c| a ^ b ^ c) }>(a, b, c)
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    #[inline]
    pub(super) fn majority(a: R, b: R, c: R) -> R {
        _mm256_ternarylogic_epi32::<{ truth_table!(|a, b, c| (a & b) | (a & c) | (b & c)) }>(a, b, c)
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    #[inline]
    pub(super) fn choice(e: R, f: R, g: R) -> R {
        _mm256_ternarylogic_epi32::<{ truth_table!(|e, f, g| (e & f) | (!e & g)) }>(e, f, g)
    }
}

/// The big-endian bytes of the words in register `p` of every row, lane by lane: a transposition of 8 by 8 words.
#[target_feature(enable = "avx512f,avx512vl")]
#[inline]
fn digests<const P: usize>(rows: &[[R; P]; 8], p: usize) -> [Digest; WIDTH] {
    let order = _mm256_broadcastsi128_si256(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
    macro_rules! quarter {
        ($first:literal) => {{
            // Four words of lanes 0 to 3 in the low halves, of lanes 4 to 7 in the high halves.
            let [a, b, c, d] = [rows[$first][p], rows[$first + 1][p], rows[$first + 2][p], rows[$first + 3][p]];
            let [ab, cd] = [_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d)];
            let [ab_high, cd_high] = [_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d)];
            [
                _mm256_shuffle_epi8(_mm256_unpacklo_epi64(ab, cd), order),
                _mm256_shuffle_epi8(_mm256_unpackhi_epi64(ab, cd), order),
                _mm256_shuffle_epi8(_mm256_unpacklo_epi64(ab_high, cd_high), order),
                _mm256_shuffle_epi8(_mm256_unpackhi_epi64(ab_high, cd_high), order),
            ]
        }};
    }
    let [front, back] = [quarter!(0), quarter!(4)];
    let mut digests = [order; WIDTH];
    for lane in 0..4 {
        digests[lane] = _mm256_permute2x128_si256::<0x20>(front[lane], back[lane]);
        digests[lane + 4] = _mm256_permute2x128_si256::<0x31>(front[lane], back[lane]);
    }
    bytemuck::cast(digests)
}

vector_operations!(#[target_feature(enable = "avx512f,avx512vl")]);
counter_kernel!(#[target_feature(enable = "avx512f,avx512vl")]);
lane_kernel!(#[target_feature(enable = "avx512f,avx512vl")]);
