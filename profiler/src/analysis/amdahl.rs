//! What an operation gains when some of its parts become faster: Amdahl's law.

use super::breakdown::{Breakdown, CallGroup};
use crate::evidence::{CallRow, Evidence};
use serde::Serialize;

/// A part of an operation that becomes faster.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Part {
    /// Its share of the time before.
    pub share: f64,
    /// How many times faster it becomes; infinite where it vanishes, below 1 where it becomes slower.
    pub speedup: f64,
}

/// How many times faster the whole becomes: 1 / (1 - Σ share + Σ share / speedup) (Amdahl, AFIPS Spring Joint Computer
/// Conference, 1967, for several parts). What is in no part stays as it is. Infinite when nothing is left.
#[must_use]
pub fn speedup(parts: impl IntoIterator<Item = Part>) -> f64 {
    let saved: f64 = parts.into_iter().map(|part| part.share * (1.0 - part.speedup.recip())).sum();
    // Shares that sum to 1 leave nothing, not a rounding error.
    let left = 1.0 - saved;
    if left <= f64::EPSILON { f64::INFINITY } else { left.recip() }
}

/// What an operation gains at most from other symmetric functions: as if they cost nothing and the scheme's own work stayed as it is.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Ceiling {
    /// Share of the hash functions: of all symmetric functions but the generator.
    pub hash_share: f64,
    /// How many times faster the operation is when they cost nothing; `None` where nothing would be left.
    pub hash: Option<f64>,
    /// Share of all symmetric functions, the generator included.
    pub symmetric_share: f64,
    /// How many times faster the operation is when these cost nothing; `None` where nothing would be left.
    pub symmetric: Option<f64>,
}

impl Ceiling {
    /// The ceiling of a record; `None` where it has no ticks.
    #[must_use]
    pub fn of(evidence: &Evidence) -> Option<Self> {
        let total = evidence.profiled.ticks.filter(|&ticks| ticks > 0)? as f64;
        let share = |counts: fn(&CallRow) -> bool| -> Option<f64> {
            let ticks = evidence.calls.iter().filter(|call| counts(call)).map(|call| Some(call.ticks? as f64));
            Some(ticks.sum::<Option<f64>>()? / total)
        };
        let (hash_share, symmetric_share) = (share(|call| !call.is_generator())?, share(|_| true)?);
        let vanished = |share| Some(speedup([Part { share, speedup: f64::INFINITY }])).filter(|gain| gain.is_finite());
        Some(Self { hash_share, hash: vanished(hash_share), symmetric_share, symmetric: vanished(symmetric_share) })
    }
}

/// An operation as it is predicted to be.
#[derive(Clone, PartialEq, Debug)]
pub struct Prediction {
    /// How many times faster the operation becomes.
    pub speedup: f64,
    /// The symmetric calls before, each with how many times faster it becomes.
    pub calls: Vec<(CallGroup, f64)>,
}

impl Prediction {
    /// Predicts an operation of these parts when symmetric calls become faster as `faster` says of each, and the scheme's own work
    /// stays as it is. `None` where `faster` does not know.
    #[must_use]
    pub fn of(parts: &Breakdown, faster: impl Fn(&CallGroup) -> Option<f64>) -> Option<Self> {
        let calls: Vec<(CallGroup, f64)> =
            parts.calls.iter().map(|group| Some((group.clone(), faster(group)?))).collect::<Option<_>>()?;
        let parts = calls.iter().map(|(group, speedup)| Part { share: group.share, speedup: *speedup });
        Some(Self { speedup: speedup(parts), calls })
    }

    /// The time that calls of a role and length of input will take, in units of the operation's time before.
    #[must_use]
    pub fn time_of(&self, role: &str, in_bits: u64) -> f64 {
        let alike = self.calls.iter().filter(|(group, _)| (group.role.as_str(), group.in_bits) == (role, in_bits));
        alike.map(|(group, speedup)| group.share / speedup).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{call, record};
    use super::*;
    use proptest::prelude::*;

    fn of(parts: &[(f64, f64)]) -> f64 {
        speedup(parts.iter().map(|&(share, speedup)| Part { share, speedup }))
    }

    #[test]
    fn the_textbook_examples() {
        assert_eq!(of(&[]), 1.0);
        assert_eq!(of(&[(0.5, 2.0)]), 1.0 / 0.75);
        assert!((of(&[(0.95, f64::INFINITY)]) - 20.0).abs() < 1e-9);
        assert!((of(&[(0.9, 10.0), (0.1, 0.5)]) - 1.0 / 0.29).abs() < 1e-9);
        assert_eq!(of(&[(0.75, f64::INFINITY), (0.25, f64::INFINITY)]), f64::INFINITY);
        assert_eq!(of(&[(0.5, 0.5)]), 1.0 / 1.5);
    }

    #[test]
    fn a_prediction_scales_each_group_and_leaves_the_scheme() {
        let calls = [call("pseudoXOF", "matrix", 280, 12288, 800), call("pseudoXOF", "noise", 264, 256, 100)];
        let parts = Breakdown::of(&record(&calls, &[(&["keygen"], 100)])).expect("has ticks");
        let predict = |matrix: f64, noise: f64| {
            Prediction::of(&parts, |group| Some(if group.role == "matrix" { matrix } else { noise })).expect("is known")
        };
        let prediction = predict(4.0, 0.5);
        // 200 + 200 + 100 of 1000.
        assert!((prediction.speedup - 2.0).abs() < 1e-12);
        assert!((prediction.time_of("matrix", 280) - 0.2).abs() < 1e-12);
        assert!((prediction.time_of("noise", 264) - 0.2).abs() < 1e-12);
        assert_eq!(prediction.time_of("noise", 8), 0.0);
        assert!((predict(f64::INFINITY, f64::INFINITY).speedup - 10.0).abs() < 1e-9);
        assert_eq!(Prediction::of(&parts, |group| (group.role == "matrix").then_some(2.0)), None);
    }

    #[test]
    fn the_ceiling_is_what_is_left_without_symmetric_functions() {
        let calls = [call("pseudoXOF", "matrix", 280, 12288, 800), call("drng", "entropy", 0, 256, 100)];
        let ceiling = |own| Ceiling::of(&record(&calls, &[(&["keygen"], own)])).expect("has ticks");
        let of_both = ceiling(100);
        assert_eq!((of_both.hash_share, of_both.symmetric_share), (0.8, 0.9));
        assert!((of_both.hash.expect("is finite") - 5.0).abs() < 1e-9);
        assert!((of_both.symmetric.expect("is finite") - 10.0).abs() < 1e-9);
        assert_eq!(ceiling(0).symmetric, None);
        let mut without = record(&calls, &[(&["keygen"], 100)]);
        without.profiled.ticks = None;
        assert_eq!(Ceiling::of(&without), None);
    }

    proptest! {
        #[test]
        fn no_part_gives_more_than_its_share(share in 0.0..0.999, factor in 1.0..1e6) {
            let whole = of(&[(share, factor)]);
            prop_assert!(whole >= 1.0 - 1e-12 && whole <= 1.0 / (1.0 - share) + 1e-9);
            prop_assert!(whole <= factor + 1e-9);
        }

        #[test]
        fn parts_of_one_speedup_are_one_part(a in 0.0..0.5, b in 0.0..0.5, factor in 0.1..100.0) {
            prop_assert!((of(&[(a, factor), (b, factor)]) - of(&[(a + b, factor)])).abs() < 1e-9);
        }
    }
}
