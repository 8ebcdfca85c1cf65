//! Eight candidates at once: gathered from their bytes, compared, and those below q moved to the front by a table.

use super::{Examine, GROUP, Rejection, STEP, STEPS};
use crate::kem::lattice::{FRONT, wide_vectors};
use crate::kem::lwekem::code::mask;
use crate::kem::lwekem::params::Params;
use core::arch::x86_64::*;

/// Bytes of half a vector: what holds four candidates in 32 bits each, or eight in 16.
const HALF: usize = 16;

/// Where the candidates of a step are in its portion.
#[derive(Clone, Copy)]
struct Places {
    /// Of the first four candidates and of the others: where to load half a vector that has all of their bytes.
    loads: [usize; 2],
    /// Where the later load ends.
    end: usize,
    /// Of each candidate: four bytes of what was loaded, from the one that its first bit is in.
    bytes: [u8; 2 * HALF],
}

trait Gather: Params {
    const PLACES: [Places; STEPS] = {
        let mut places = [Places { loads: [0; 2], end: 0, bytes: [0; 2 * HALF] }; STEPS];
        let mut index = 0;
        while index < STEP * STEPS {
            let (place, lane) = (&mut places[index / STEP], index % STEP);
            let half = lane / (STEP / 2);
            if lane.is_multiple_of(STEP / 2) {
                // Ends with the group that the last of four candidates ends in, so that it never passes the last group.
                let last = ((index + STEP / 2) * Self::LOG_Q - 1) / 8;
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
        while lane < STEP {
            shifts[4 * lane] = (lane * Self::LOG_Q % 8) as u8;
            lane += 1;
        }
        shifts
    };
}

impl<P: Params> Gather for P {}

/// Proof that the processor has what the functions here need.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    #[inline(always)]
    pub(super) fn detect() -> Option<Self> {
        wide_vectors().then_some(Self(()))
    }

    /// [`Rejection::feed`].
    #[inline(always)]
    pub(super) fn feed<P: Params, const N: usize>(self, state: &mut Rejection, bytes: &[u8], poly: &mut [u16]) {
        #[target_feature(enable = "avx2,popcnt")]
        fn feed<P: Params, const N: usize>(way: Avx2, state: &mut Rejection, bytes: &[u8], poly: &mut [u16]) {
            state.feed_by::<_, P, N>(way, bytes, poly);
        }
        // SAFETY: there is an `Avx2`, so the processor has the features.
        #[expect(unsafe_code, reason = "the processor was asked for the features that the function needs")]
        unsafe {
            feed::<P, N>(self, state, bytes, poly);
        }
    }
}

impl Examine for Avx2 {
    type Ready = ();
    const ROOM: () = ();

    #[inline(always)]
    fn ready(self, _groups: &[u8], (): &mut ()) {}

    #[inline(always)]
    fn step<P: Params>(self, (): &(), groups: &[u8], step: usize, window: &mut [u16; STEP]) -> usize {
        // SAFETY: there is an `Avx2`, so the processor has the features.
        #[expect(unsafe_code, reason = "the processor was asked for the features that the function needs")]
        unsafe {
            examine::<P>(groups, step, window)
        }
    }

    #[inline(always)]
    fn until<P: Params>(self, groups: &[u8], step: usize, wanted: usize) -> usize {
        // SAFETY: there is an `Avx2`, so the processor has the features.
        #[expect(unsafe_code, reason = "the processor was asked for the features that the function needs")]
        let set = unsafe { below::<P>(gather::<P>(groups, step)) };
        usize::from(FRONT[set][2 * (wanted - 1)] / 2) + 1
    }
}

#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn examine<P: Params>(groups: &[u8], step: usize, window: &mut [u16; STEP]) -> usize {
    let candidates = gather::<P>(groups, step);
    let set = below::<P>(candidates);
    let narrow = _mm_packus_epi32(_mm256_castsi256_si128(candidates), _mm256_extracti128_si256::<1>(candidates));
    store(_mm_shuffle_epi8(narrow, load(&FRONT[set])), window);
    set.count_ones() as usize
}

/// The candidates of a step.
#[inline]
#[target_feature(enable = "avx2")]
fn gather<P: Gather>(groups: &[u8], step: usize) -> __m256i {
    let place = const { &P::PLACES }[step];
    assert!(groups.len() >= place.end, "the groups of a step are there");
    // SAFETY: both loads end at `end` or before it.
    #[expect(unsafe_code, reason = "one check for both loads, in the innermost loop")]
    let [low, high] = place.loads.map(|at| unsafe { _mm_loadu_si128(groups.as_ptr().add(at).cast()) });
    let candidates = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), load_wide(&place.bytes));
    let candidates = _mm256_srlv_epi32(candidates, load_wide(const { &P::SHIFTS }));
    _mm256_and_si256(candidates, _mm256_set1_epi32(mask(P::LOG_Q).into()))
}

/// Which of the candidates are below q: a bit each.
#[inline]
#[target_feature(enable = "avx2")]
fn below<P: Params>(candidates: __m256i) -> usize {
    let below = _mm256_cmpgt_epi32(_mm256_set1_epi32(P::Q.into()), candidates);
    _mm256_movemask_ps(_mm256_castsi256_ps(below)) as usize
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
fn store(lanes: __m128i, window: &mut [u16; STEP]) {
    // SAFETY: as many bytes as a vector has, of any alignment.
    unsafe { _mm_storeu_si128(window.as_mut_ptr().cast(), lanes) }
}
