//! Many candidates at once: gathered from their bytes, compared, and those below q moved to the front by a table.
//!
//! Candidates of twelve bits are in two bytes each, and sixteen are examined in 16-bit lanes; those of thirteen bits may be
//! in three, and eight are examined in 32-bit lanes.

use super::{GROUP, MAX_STEP, PORTION, Progress};
use crate::kem::lattice::COMPACTION_TABLE;
use crate::kem::lwekem::encode::mask;
use crate::kem::lwekem::params::Params;
use core::arch::x86_64::*;

/// Bytes of half a vector.
const HALF: usize = 16;
/// Candidates of half a vector in 16 bits each, or of a vector in 32.
const LANES: usize = 8;
/// Bytes of sixteen candidates of twelve bits.
const SIXTEEN: usize = 16 * 12 / 8;

/// See [`super::whole_steps`].
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn whole_steps<P: Params, const N: usize>(groups: &[u8], from: Progress, poly: &mut [u16]) -> Progress {
    if P::LOG_Q == 12 { sixteens::<P, N>(groups, from, poly) } else { eights::<P, N>(groups, from, poly) }
}

/// Of sixteen candidates of twelve bits in two halves of a vector, loaded one group apart: the two bytes of each.
const BYTES_OF_SIXTEEN: [u8; 2 * HALF] = {
    let mut bytes = [0; 2 * HALF];
    let mut i = 0;
    while i < 2 * HALF {
        let (lane, half) = (i / 2, i / HALF);
        // In a group the bytes are in the opposite order.
        bytes[i] = (((lane * 12 / 8 + i % 2) ^ (GROUP - 1)) - half * GROUP) as u8;
        i += 1;
    }
    bytes
};

#[target_feature(enable = "avx2,popcnt")]
fn sixteens<P: Params, const N: usize>(groups: &[u8], from: Progress, poly: &mut [u16]) -> Progress {
    let Progress { mut examined, mut filled } = from;
    for bytes in &groups.as_chunks::<SIXTEEN>().0[examined / 16..] {
        let [low, high] = [0, GROUP].map(|at| load(bytes[at..].first_chunk().expect("two groups of three")));
        let pairs = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), load_wide(&BYTES_OF_SIXTEEN));
        // Odd candidates begin in the middle of their first byte.
        let candidates = _mm256_blend_epi16::<0b1010_1010>(pairs, _mm256_srli_epi16::<4>(pairs));
        let candidates = _mm256_and_si256(candidates, _mm256_set1_epi16(mask(12) as i16));
        let below = _mm256_cmpgt_epi16(_mm256_set1_epi16(P::Q as i16), candidates);
        let sets = _mm256_movemask_epi8(_mm256_packs_epi16(below, _mm256_setzero_si256())) as usize;
        let [first, second] = [sets & 0xff, sets >> HALF & 0xff];
        let found = first.count_ones() as usize;
        let window: &mut [u16; MAX_STEP] = poly[filled..].first_chunk_mut().expect("slack");
        to_front(_mm256_castsi256_si128(candidates), first, &mut window[..]);
        to_front(_mm256_extracti128_si256::<1>(candidates), second, &mut window[found..]);
        let more = second.count_ones() as usize;
        if filled + found + more >= N {
            let wanted = N - filled;
            examined += if wanted <= found { until(first, wanted) } else { LANES + until(second, wanted - found) };
            return Progress { examined, filled: N };
        }
        filled += found + more;
        examined += 16;
    }
    Progress { examined, filled }
}

/// Where eight candidates are in their portion.
#[derive(Clone, Copy)]
struct Places {
    /// Of the first four and of the others: where to load half a vector that has all of their bytes.
    loads: [usize; 2],
    /// Where the later load ends.
    end: usize,
    /// Of each candidate: four bytes of what was loaded, from the one that its first bit is in.
    bytes: [u8; 2 * HALF],
}

trait Gather: Params {
    const PLACES: [Places; PORTION / LANES] = {
        let mut places = [Places { loads: [0; 2], end: 0, bytes: [0; 2 * HALF] }; PORTION / LANES];
        let mut index = 0;
        while index < PORTION {
            let (place, lane) = (&mut places[index / LANES], index % LANES);
            let half = lane / (LANES / 2);
            if lane.is_multiple_of(LANES / 2) {
                // Ends with the group that the last of four candidates ends in, so that it never passes the last group.
                let last = ((index + LANES / 2) * Self::LOG_Q - 1) / 8;
                place.loads[half] = (last / GROUP * GROUP).saturating_sub(GROUP);
                // Loads of the second half are never before those of the first.
                place.end = place.loads[half] + HALF;
            }
            let first = index * Self::LOG_Q / 8;
            let mut i = 0;
            while i < 4 {
                // In a group the bytes are in the opposite order. Those past the candidate's end are masked.
                let byte = (first + i) ^ (GROUP - 1);
                let offset = byte.wrapping_sub(place.loads[half]);
                place.bytes[4 * lane + i] = if offset < HALF { offset as u8 } else { 0x80 };
                i += 1;
            }
            index += 1;
        }
        places
    };
    /// The place of each candidate's first bit in its first byte: a 32-bit number each.
    const SHIFTS: [u8; 2 * HALF] = {
        let mut shifts = [0; 2 * HALF];
        let mut lane = 0;
        while lane < LANES {
            shifts[4 * lane] = (lane * Self::LOG_Q % 8) as u8;
            lane += 1;
        }
        shifts
    };
}

impl<P: Params> Gather for P {}

#[target_feature(enable = "avx2,popcnt")]
fn eights<P: Gather, const N: usize>(groups: &[u8], from: Progress, poly: &mut [u16]) -> Progress {
    let Progress { mut examined, mut filled } = from;
    let portion_bytes = PORTION * P::LOG_Q / 8;
    for portion in groups[examined / PORTION * portion_bytes..].chunks(portion_bytes) {
        let steps = (portion.len() / P::LOG_Q).min(PORTION / LANES);
        for place in &const { &P::PLACES }[examined % PORTION / LANES..steps] {
            assert!(portion.len() >= place.end, "the groups of a step are there");
            // SAFETY: both loads end at `end` or before it.
            #[expect(unsafe_code, reason = "one check for both loads, in the innermost loop")]
            let [low, high] = place.loads.map(|at| unsafe { _mm_loadu_si128(portion.as_ptr().add(at).cast()) });
            let candidates = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), load_wide(&place.bytes));
            let candidates = _mm256_srlv_epi32(candidates, load_wide(const { &P::SHIFTS }));
            let candidates = _mm256_and_si256(candidates, _mm256_set1_epi32(mask(P::LOG_Q).into()));
            let below = _mm256_cmpgt_epi32(_mm256_set1_epi32(P::Q.into()), candidates);
            let set = _mm256_movemask_ps(_mm256_castsi256_ps(below)) as usize;
            let high = _mm256_extracti128_si256::<1>(candidates);
            to_front(_mm_packus_epi32(_mm256_castsi256_si128(candidates), high), set, &mut poly[filled..]);
            let found = set.count_ones() as usize;
            if filled + found >= N {
                return Progress { examined: examined + until(set, N - filled), filled: N };
            }
            filled += found;
            examined += LANES;
        }
    }
    Progress { examined, filled }
}

/// Puts the lanes of a set to the front of `window`, which has room for all.
#[inline]
#[target_feature(enable = "avx2")]
fn to_front(lanes: __m128i, set: usize, window: &mut [u16]) {
    store(_mm_shuffle_epi8(lanes, load(&COMPACTION_TABLE[set])), window.first_chunk_mut().expect("room for all lanes"));
}

/// How many lanes it takes to find `wanted` of a set, which has as many.
fn until(set: usize, wanted: usize) -> usize {
    usize::from(COMPACTION_TABLE[set][2 * (wanted - 1)] / 2) + 1
}

#[inline]
#[target_feature(enable = "avx2")]
#[expect(unsafe_code, reason = "vectors in memory have no safe form")]
fn load(bytes: &[u8; HALF]) -> __m128i {
    // SAFETY: as many bytes as a vector has, of any alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
#[expect(unsafe_code, reason = "vectors in memory have no safe form")]
fn load_wide(bytes: &[u8; 2 * HALF]) -> __m256i {
    // SAFETY: as many bytes as a vector has, of any alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
#[expect(unsafe_code, reason = "vectors in memory have no safe form")]
fn store(lanes: __m128i, window: &mut [u16; LANES]) {
    // SAFETY: as many bytes as a vector has, of any alignment.
    unsafe { _mm_storeu_si128(window.as_mut_ptr().cast(), lanes) }
}
