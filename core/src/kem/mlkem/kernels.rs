//! Which transforms and products this machine runs: those that are written once for all machines, or assembly.

#[cfg(not(armv7em))]
pub(super) use super::ntt::{inverse_ntt, ntt};
#[cfg(not(armv7em))]
pub(super) use super::poly::add_product;
#[cfg(armv7em)]
pub(super) use super::thumb::{add_product, inverse_ntt, ntt};

#[cfg(feature = "twins")]
pub(crate) use twins::check_twins;

#[cfg(feature = "twins")]
mod twins {
    use super::super::field::{Q, canonical};
    use super::super::ntt::{self, INVERSE_NTT_BOUND, NTT_BOUND};
    use super::super::poly::{self, N, NttPoly, PRODUCT_BOUND, Poly};
    use crate::backend::{Drng, SelfTestError};

    /// Words that are at most `bound` in absolute value: all of them extreme, or random.
    fn words(random: &mut impl Drng, bound: i32) -> [i16; N] {
        let (extreme, words): (u8, [i16; N]) = (crate::twins::array(random), crate::twins::array(random));
        let bound = bound as i16;
        words.map(|word| match extreme % 4 {
            0 => bound,
            1 => -bound,
            2 if word < 0 => -bound,
            2 => bound,
            _ => ((i32::from(word) * i32::from(bound)) >> 15) as i16,
        })
    }

    /// Fails unless words are congruent to those of the twin, and at most `bound` in absolute value.
    fn expect(what: &'static str, words: &[i16; N], twin: &[i16; N], bound: i32) -> Result<(), SelfTestError> {
        let same = words.iter().zip(twin).all(|(&word, &twin)| canonical(word) == canonical(twin));
        let small = words.iter().all(|&word| i32::from(word).abs() <= bound);
        if same && small { Ok(()) } else { Err(SelfTestError { backend: "arithmetic of ml-kem", what }) }
    }

    /// Compares this machine's kernels with the plain ones.
    pub(crate) fn check_twins(random: &mut impl Drng) -> Result<(), SelfTestError> {
        const HALF: i32 = Q as i32 / 2;
        let mut poly = [Poly(words(random, NTT_BOUND)); 2];
        let mut transformed = [NttPoly::ZERO; 2];
        super::ntt(&mut poly[0], &mut transformed[0]);
        ntt::ntt(&mut poly[1], &mut transformed[1]);
        expect("the transform against its plain twin", &transformed[0].0, &transformed[1].0, HALF)?;

        let (a, b) = (NttPoly(words(random, 4095)), NttPoly(words(random, HALF)));
        let mut sums = [NttPoly(words(random, HALF)); 2];
        super::add_product(&mut sums[0], &a, &b);
        poly::add_product(&mut sums[1], &a, &b);
        expect("a product against its plain twin", &sums[0].0, &sums[1].0, HALF + PRODUCT_BOUND)?;

        let mut transformed = [NttPoly(words(random, INVERSE_NTT_BOUND)); 2];
        super::inverse_ntt(&mut transformed[0], &mut poly[0]);
        ntt::inverse_ntt(&mut transformed[1], &mut poly[1]);
        expect("the inverse transform against its plain twin", &poly[0].0, &poly[1].0, i32::from(Q) - 1)
    }
}
