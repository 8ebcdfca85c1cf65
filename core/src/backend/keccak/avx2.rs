//! Keccak-p\[1600\] on four states at once, with AVX2.

use super::four::LANES;

/// Four states side by side: word `i` of state `lane` is `.0[i][lane]`.
#[derive(Clone)]
#[repr(C, align(32))]
pub(super) struct FourStates(pub(super) [[u64; LANES]; 25]);

impl FourStates {
    /// States that all begin with these words; the rest is zero.
    pub(super) fn all_of(words: impl IntoIterator<Item = u64>) -> Self {
        let mut states = Self([[0; LANES]; 25]);
        states.0.iter_mut().zip(words).for_each(|(word, first)| *word = [first; LANES]);
        states
    }

    /// Word `i` of state `lane`.
    #[inline]
    pub(super) fn word(&self, i: usize, lane: usize) -> u64 {
        self.0[i][lane]
    }

    /// Word `i` of state `lane`, to change.
    #[inline]
    pub(super) fn word_mut(&mut self, i: usize, lane: usize) -> &mut u64 {
        &mut self.0[i][lane]
    }
}

/// Proof that this machine has AVX2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Together(detected::Token);

impl Together {
    /// Why there is none.
    #[cfg(test)]
    pub(super) const MISSING: &str = "no AVX2";

    /// Looks whether the machine has it: once, later calls read a flag.
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        detected::token().map(Self)
    }

    /// Applies the last `ROUNDS` rounds of Keccak-f\[1600\] to each state, be it wanted or not: four cost as much as one.
    #[inline]
    pub(super) fn permute<const ROUNDS: usize>(self, states: &mut FourStates, _lanes: usize) {
        detected::permute::<ROUNDS>(self.0, states);
    }
}

#[expect(unsafe_code, reason = "intrinsics need memory aligned and the processor asked, which is done here")]
mod detected {
    use super::super::{F1600, RC};
    use super::FourStates;
    use core::arch::x86_64::{
        __m256i, _mm256_andnot_si256, _mm256_load_si256, _mm256_or_si256, _mm256_set1_epi64x, _mm256_setr_epi64x,
        _mm256_shuffle_epi8, _mm256_slli_epi64, _mm256_srli_epi64, _mm256_store_si256, _mm256_xor_si256,
    };

    cpufeatures::new!(cpu, "avx2");

    /// Only [`token`] makes one.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Token(());

    #[inline]
    pub(super) fn token() -> Option<Token> {
        cpu::get().then_some(Token(()))
    }

    #[inline]
    pub(super) fn permute<const ROUNDS: usize>(_token: Token, states: &mut FourStates) {
        const { assert!(ROUNDS.is_multiple_of(2) && ROUNDS <= F1600) };
        // SAFETY: a token exists only where the processor was seen to have AVX2.
        unsafe { permute_avx2(states, &RC[F1600 - ROUNDS..]) }
    }

    /// The rounds with constants `rc`, an even number: two an iteration, because a round moves every word to another
    /// place and moving them back shows (5 %). The number stays a variable lest all of them be unrolled, which is more
    /// code than caches like (a third slower).
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    fn permute_avx2(states: &mut FourStates, rc: &[u64]) {
        let mut a: [__m256i; 25] = core::array::from_fn(|i| {
            // SAFETY: the words of four states are 32 bytes, aligned to 32 as the first of them is.
            unsafe { _mm256_load_si256(states.0[i].as_ptr().cast()) }
        });
        for &[first, second] in rc.as_chunks().0 {
            a = round(round(a, first), second);
        }
        for (words, vector) in states.0.iter_mut().zip(a) {
            // SAFETY: as for loading.
            unsafe { _mm256_store_si256(words.as_mut_ptr().cast(), vector) }
        }
    }

    /// One round (FIPS 202, section 3.2), a row of its result at a time: rho's offsets and pi's places are those of
    /// tables 2 and section 3.2.3, written out because shift counts are immediates.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn round(a: [__m256i; 25], rc: u64) -> [__m256i; 25] {
        let columns = [0, 1, 2, 3, 4];
        let c = columns.map(|x| xor(xor(xor(a[x], a[x + 5]), xor(a[x + 10], a[x + 15])), a[x + 20]));
        let d = columns.map(|x| xor(c[(x + 4) % 5], rol::<1, 63>(c[(x + 1) % 5])));
        let t = |i: usize| xor(a[i], d[i % 5]);
        let rows = [
            [t(0), rol::<44, 20>(t(6)), rol::<43, 21>(t(12)), rol::<21, 43>(t(18)), rol::<14, 50>(t(24))],
            [rol::<28, 36>(t(3)), rol::<20, 44>(t(9)), rol::<3, 61>(t(10)), rol::<45, 19>(t(16)), rol::<61, 3>(t(22))],
            [rol::<1, 63>(t(1)), rol::<6, 58>(t(7)), rol::<25, 39>(t(13)), rol_bytes::<1>(t(19)), rol::<18, 46>(t(20))],
            [
                rol::<27, 37>(t(4)),
                rol::<36, 28>(t(5)),
                rol::<10, 54>(t(11)),
                rol::<15, 49>(t(17)),
                rol_bytes::<7>(t(23)),
            ],
            [rol::<62, 2>(t(2)), rol::<55, 9>(t(8)), rol::<39, 25>(t(14)), rol::<41, 23>(t(15)), rol::<2, 62>(t(21))],
        ];
        let mut next = [rows[0][0]; 25];
        for (next, b) in next.chunks_exact_mut(5).zip(rows) {
            for x in columns {
                next[x] = xor(b[x], _mm256_andnot_si256(b[(x + 1) % 5], b[(x + 2) % 5]));
            }
        }
        next[0] = xor(next[0], _mm256_set1_epi64x(rc.cast_signed()));
        next
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn xor(a: __m256i, b: __m256i) -> __m256i {
        _mm256_xor_si256(a, b)
    }

    /// Every word rotated left by `LEFT` bits; the intrinsics want the complement as a constant too.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn rol<const LEFT: i32, const RIGHT: i32>(x: __m256i) -> __m256i {
        const { assert!(LEFT + RIGHT == 64) };
        _mm256_or_si256(_mm256_slli_epi64::<LEFT>(x), _mm256_srli_epi64::<RIGHT>(x))
    }

    /// Every word rotated left by whole bytes: one shuffle instead of two shifts.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn rol_bytes<const BYTES: u32>(x: __m256i) -> __m256i {
        /// Byte `i` of a word comes from byte `i`.
        const IDENTITY: u64 = u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7]);
        /// The second word of each half of the register: eight bytes further.
        const NEXT_WORD: u64 = u64::from_ne_bytes([8; 8]);
        let first = IDENTITY.rotate_left(8 * BYTES).cast_signed();
        let second = (IDENTITY.rotate_left(8 * BYTES) + NEXT_WORD).cast_signed();
        let order = _mm256_setr_epi64x(first, second, first, second);
        _mm256_shuffle_epi8(x, order)
    }
}
