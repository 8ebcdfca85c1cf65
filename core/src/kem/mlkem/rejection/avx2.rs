//! Eight candidates at once: spread from their bytes, compared, and those below q moved to the front.

use super::{LOAD, Q, Rejection, STEP};
use crate::kem::lattice::{COMPACTION_TABLE, wide_vectors};
use core::arch::x86_64::{
    __m128i, _mm_cmpgt_epi16, _mm_movemask_epi8, _mm_mullo_epi16, _mm_packs_epi16, _mm_set1_epi16, _mm_setzero_si128,
    _mm_shuffle_epi8, _mm_srli_epi16,
};

/// The two bytes that each candidate has bits in.
const PLACES: [u8; LOAD] = [0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11];
/// First candidates of groups are the lower 12 bits of their bytes and second ones the upper: what brings both to the
/// top.
const TO_TOP: [i16; STEP] = [1 << 4, 1, 1 << 4, 1, 1 << 4, 1, 1 << 4, 1];

/// [`Rejection::take_steps`]; `None` where the processor cannot.
#[inline(always)]
pub(super) fn take_steps(state: &mut Rejection, bytes: &[u8]) -> Option<usize> {
    wide_vectors().then(|| {
        // SAFETY: the processor has AVX2 and POPCNT: it was just asked.
        #[expect(unsafe_code, reason = "the processor was asked for the features that the function needs")]
        unsafe {
            take_steps_avx2(state, bytes)
        }
    })
}

#[target_feature(enable = "avx2,popcnt")]
fn take_steps_avx2(state: &mut Rejection, bytes: &[u8]) -> usize {
    state.take_steps_by(bytes, |load, room| step(load, room))
}

#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn step(load: &[u8; LOAD], room: &mut [i16; STEP]) -> usize {
    let words = _mm_shuffle_epi8(bytemuck::cast::<_, __m128i>(*load), bytemuck::cast(PLACES));
    let candidates = _mm_srli_epi16::<4>(_mm_mullo_epi16(words, bytemuck::cast(TO_TOP)));
    let below = _mm_cmpgt_epi16(_mm_set1_epi16(Q), candidates);
    // A byte, then a bit, for each candidate.
    let set = _mm_movemask_epi8(_mm_packs_epi16(below, _mm_setzero_si128()));
    *room = bytemuck::cast(_mm_shuffle_epi8(candidates, bytemuck::cast(COMPACTION_TABLE[set as u8 as usize])));
    set.count_ones() as usize
}
