//! The reductions of the submitted code, exactly.
//!
//! They are lazy and unsigned: results are congruent but not always below q, and where they reach an encoding the very
//! representative matters.

use super::params::Params;
use crate::kem::lattice::inverse_of_odd;

/// The Montgomery radix is 2^18.
const RADIX_BITS: u32 = 18;
const RADIX_MASK: u32 = (1 << RADIX_BITS) - 1;

/// Constants of the reductions that follow from q.
pub(super) trait Reduce: Params {
    /// -1/q modulo the Montgomery radix.
    const Q_INV: u32 = inverse_of_odd(Self::Q as u32).wrapping_neg() & RADIX_MASK;
    /// The Montgomery radix modulo q.
    const R: u32 = (1 << RADIX_BITS) % Self::Q as u32;
    /// Its square modulo q.
    const R2: u32 = Self::R * Self::R % Self::Q as u32;
    /// The factor of Barrett's reduction, the largest integer that never overestimates 2^16 / q after the shift:
    /// the submitted code takes 19 for 3329 and 8 for 7681.
    const BARRETT: u32 = (1 << 16) / Self::Q as u32;
}

impl<P: Params> Reduce for P {}

/// `a`/2^18 modulo q, at least a/2^18 and less than q more than that.
#[inline(always)]
pub(super) const fn montgomery<P: Reduce>(a: u32) -> u16 {
    let u = a.wrapping_mul(P::Q_INV) & RADIX_MASK;
    ((a + u * P::Q as u32) >> RADIX_BITS) as u16
}

/// `a` modulo q, below 2·q.
#[inline(always)]
pub(super) const fn barrett<P: Reduce>(a: u16) -> u16 {
    a - ((a as u32 * P::BARRETT) >> 16) as u16 * P::Q
}

/// `a` modulo q, below q.
#[inline(always)]
pub(super) const fn freeze<P: Reduce>(a: u16) -> u16 {
    let r = barrett::<P>(a);
    // All ones when r is below q.
    let below = ((r.wrapping_sub(P::Q) as i16) >> 15) as u16;
    r.wrapping_sub(P::Q & !below)
}

#[cfg(test)]
mod tests {
    use super::super::params::{Lwekem256, Lwekem512};
    use super::*;
    use crate::kem::lattice::testing::Numbers;

    fn small_reductions_hold_for_all_numbers<P: Reduce>() {
        for a in 0..=u16::MAX {
            let (lazy, exact) = (barrett::<P>(a), freeze::<P>(a));
            assert_eq!(exact, a % P::Q);
            assert!(lazy == exact || lazy == exact + P::Q, "{a} to {lazy}");
        }
    }

    #[test]
    fn reductions_of_16_bits_hold_for_all_numbers() {
        small_reductions_hold_for_all_numbers::<Lwekem256>();
        small_reductions_hold_for_all_numbers::<Lwekem512>();
    }

    fn montgomery_holds<P: Reduce>() {
        let q = u64::from(P::Q);
        // Products of packed coefficients with prepared ones, which are below q and a 2^18th of a product more.
        let largest = (1 << P::LOG_Q) * (P::Q as u32 + 256);
        let mut numbers = Numbers::new(1);
        let random = core::iter::repeat_with(|| numbers.between(0, largest as i32) as u32).take(1_000_000);
        for a in (0..100_000).chain(largest - 100_000..=largest).chain(random) {
            let result = u64::from(montgomery::<P>(a));
            assert_eq!((result << RADIX_BITS) % q, u64::from(a) % q, "congruent to {a} / 2^18");
            assert!(result << RADIX_BITS >= u64::from(a) && (result << RADIX_BITS) < u64::from(a) + (q << RADIX_BITS));
        }
    }

    #[test]
    fn montgomery_gives_the_one_number_in_its_range() {
        montgomery_holds::<Lwekem256>();
        montgomery_holds::<Lwekem512>();
    }
}
