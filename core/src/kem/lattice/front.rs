//! Lanes of a vector that are chosen by a comparison, moved to its front.

use core::arch::x86_64::{__m128i, _mm_shuffle_epi8};

/// 16-bit lanes of half a vector.
const LANES: usize = 8;

/// For every set of lanes, one bit each, the bytes of the lanes in it, in order.
static FRONT: [[u8; 2 * LANES]; 1 << LANES] = {
    let mut front = [[0; 2 * LANES]; 1 << LANES];
    let mut set = 0;
    while set < front.len() {
        let (mut lane, mut to) = (0, 0);
        while lane < LANES {
            if set >> lane & 1 == 1 {
                front[set][2 * to] = 2 * lane as u8;
                front[set][2 * to + 1] = 2 * lane as u8 + 1;
                to += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    front
};

/// The 16-bit lanes of `vector` that are in `set`, in order, and then copies of others.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::kem) fn to_front(vector: __m128i, set: u8) -> __m128i {
    _mm_shuffle_epi8(vector, bytemuck::cast(FRONT[usize::from(set)]))
}
