//! Two variants of one operation: how many times faster the second is, as measured and by Amdahl's law.

use super::amdahl::Prediction;
use super::breakdown::{Breakdown, CallGroup, PhasePart};
use super::quiet::decides;
use super::stats::{Sorted, Summary, summarise};
use crate::evidence::{Evidence, Trial};
use serde::{Deserialize, Serialize};

/// Relative difference between prediction and measurement up to which they agree.
pub const TOLERANCE: f64 = 0.1;

/// Parts of a mispredicted operation that are named.
const NAMED: usize = 4;

/// What the symmetric calls of one operation cost on their own that are alike in role and length of input.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FunctionCost {
    /// The function that ran.
    #[serde(rename = "fn")]
    pub function: String,
    /// What the scheme uses it for.
    pub role: String,
    /// Bits in, of one call.
    pub in_bits: u64,
    /// Bits out, of one call.
    pub out_bits: u64,
    /// Calls of one operation.
    pub calls: usize,
    /// The most messages that ran together.
    pub lanes: usize,
    /// Ticks of all these calls: the median over rounds.
    pub ticks: f64,
    /// How many times faster than the first variant's: the median over rounds of the ratios within a round.
    pub speedup: f64,
}

impl FunctionCost {
    /// The same, with what the calls cost in each round and what the first variant's cost in the same round. `None` where nothing
    /// was timed.
    #[must_use]
    pub fn timed(mut self, first: &[f64], ticks: &[f64]) -> Option<Self> {
        let ratios: Vec<f64> = first.iter().zip(ticks).map(|(first, ticks)| first / ticks).collect();
        self.ticks = Sorted::new(ticks).median()?;
        self.speedup = Sorted::new(&ratios).median().filter(|speedup| speedup.is_finite() && *speedup > 0.0)?;
        Some(self)
    }

    /// Whether this is the function that takes the place of `group`'s. A scheme decides role and length of input, so that they mean
    /// the same over all functions.
    #[must_use]
    pub fn serves(&self, group: &CallGroup) -> bool {
        (self.role.as_str(), self.in_bits) == (group.role.as_str(), group.in_bits)
    }
}

/// A part of an operation, with its ticks in one operation.
#[derive(Clone, PartialEq, Debug)]
pub struct Deviation {
    /// Which: `shake128 for matrix`, or `the scheme's own work in ntt`.
    pub part: String,
    /// As predicted.
    pub predicted: f64,
    /// As measured.
    pub measured: f64,
}

impl Deviation {
    /// Ticks more than predicted.
    #[must_use]
    pub fn excess(&self) -> f64 {
        self.measured - self.predicted
    }
}

/// How a variant compares with the first.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison {
    /// How many times faster it is, without probes: the ratios of trials that ran in one round. `None` without ticks.
    pub measured: Option<Summary>,
    /// How many times faster Amdahl's law says it is, from the first's profile and what functions cost alone. `None` without
    /// ticks, or where the cost of a function is not known.
    pub predicted: Option<f64>,
    /// Where the two differ by more than [`TOLERANCE`]: the parts that differ most, the largest difference first.
    pub deviations: Vec<Deviation>,
}

impl Comparison {
    /// Compares `variant`, whose functions cost `costs` on their own, with `base`.
    #[must_use]
    pub fn of(base: &Evidence, variant: &Evidence, costs: &[FunctionCost]) -> Self {
        let (Some(measured), Some(base_ticks)) = (ratios(base, variant), base.derived.median) else {
            return Self::default();
        };
        let (Some(base), Some(variant)) = (Breakdown::of(base), Breakdown::of(variant)) else { return Self::default() };
        let speedup = |group: &CallGroup| costs.iter().find(|cost| cost.serves(group)).map(|cost| cost.speedup);
        let Some(prediction) = Prediction::of(&base, speedup) else {
            return Self { measured: Some(measured), ..Self::default() };
        };
        let compared = Self { measured: Some(measured), predicted: Some(prediction.speedup), deviations: Vec::new() };
        if !compared.disagrees() {
            return compared;
        }
        let mut deviations = deviations(&base, &variant, &prediction, base_ticks, base_ticks / measured.median);
        deviations.sort_by(|a, b| b.excess().abs().total_cmp(&a.excess().abs()));
        deviations.truncate(NAMED);
        Self { deviations, ..compared }
    }

    /// Whether prediction and measurement differ by more than [`TOLERANCE`].
    #[must_use]
    pub fn disagrees(&self) -> bool {
        let (measured, predicted) = (self.measured.map(|ratios| ratios.median), self.predicted);
        measured.zip(predicted).is_some_and(|(measured, predicted)| (predicted / measured - 1.0).abs() > TOLERANCE)
    }
}

/// Every part of an operation that took `base_ticks` as `base` and takes `ticks` as `variant`. The differences sum to that of the whole,
/// because shares sum to 1.
fn deviations(
    base: &Breakdown,
    variant: &Breakdown,
    prediction: &Prediction,
    base_ticks: f64,
    ticks: f64,
) -> Vec<Deviation> {
    let of_calls = |group: &CallGroup, measured| Deviation {
        part: format!("{} for {}", group.function, group.role),
        predicted: base_ticks * prediction.time_of(&group.role, group.in_bits),
        measured,
    };
    let of_phase = |phase: &PhasePart| Deviation {
        part: format!("the scheme's own work in {}", phase.name()),
        predicted: base_ticks * base.phase(&phase.path).map_or(0.0, |phase| phase.share),
        measured: ticks * phase.share,
    };
    let calls = variant.calls.iter().map(|group| of_calls(group, ticks * group.share));
    let gone = base.calls.iter().filter(|group| variant.calls_for(&group.role, group.in_bits).is_none());
    calls.chain(gone.map(|group| of_calls(group, 0.0))).chain(variant.phases.iter().map(of_phase)).collect()
}

/// How many times faster `variant` is than `base`, for each pair of trials that ran in one round; without the pairs that a neighbour
/// is known to have met, where enough are left.
fn ratios(base: &Evidence, variant: &Evidence) -> Option<Summary> {
    let pairs = || base.trials.iter().zip(&variant.trials);
    let ratio = |(base, variant): (&Trial, &Trial)| Some(base.per_operation()? / variant.per_operation()?);
    let ratios: Vec<f64> = pairs().map(ratio).collect::<Option<_>>()?;
    let quiet = |(base, variant): &(&Trial, &Trial)| base.quiet != Some(false) && variant.quiet != Some(false);
    let kept: Vec<f64> = pairs().filter(quiet).filter_map(ratio).collect();
    summarise(if decides(kept.len(), ratios.len()) { &kept } else { &ratios })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{call, record};
    use super::super::sample::rederive;
    use super::*;

    fn cost(role: &str, speedup: f64) -> FunctionCost {
        let (function, role) = ("shake128".to_owned(), role.to_owned());
        FunctionCost { function, role, in_bits: 280, out_bits: 12288, calls: 10, lanes: 1, ticks: 1000.0, speedup }
    }

    fn over(function: &str, ticks: i64) -> Evidence {
        record(&[call(function, "matrix", 280, 12288, ticks)], &[(&["keygen"], 1000)])
    }

    #[test]
    fn prediction_and_measurement_agree_where_functions_cost_what_they_do_alone() {
        let comparison = Comparison::of(&over("pseudoXOF", 9000), &over("shake128", 1000), &[cost("matrix", 9.0)]);
        let measured = comparison.measured.expect("has ticks").median;
        assert!((measured - 5.0).abs() < 1e-12);
        assert!((comparison.predicted.expect("is known") - 5.0).abs() < 1e-12);
        assert!(comparison.deviations.is_empty() && !comparison.disagrees());
    }

    #[test]
    fn a_variant_is_once_as_fast_as_itself() {
        let base = over("pseudoXOF", 9000);
        let comparison = Comparison::of(&base, &base, &[cost("matrix", 1.0)]);
        assert_eq!((comparison.measured.map(|ratios| ratios.median), comparison.predicted), (Some(1.0), Some(1.0)));
    }

    #[test]
    fn a_tenth_is_tolerated_and_more_is_not() {
        let base = over("pseudoXOF", 9000);
        let disagrees = |ticks| Comparison::of(&base, &over("shake128", ticks), &[cost("matrix", 9.0)]).disagrees();
        assert_eq!([830, 1190, 1000, 1230, 700].map(disagrees), [false, false, false, true, true]);
    }

    #[test]
    fn ratios_are_of_trials_in_one_round() {
        let mut base = over("pseudoXOF", 9000);
        let mut variant = over("shake128", 1000);
        // The machine is half as fast in one round: for both.
        for evidence in [&mut base, &mut variant] {
            let ticks = evidence.trials[1].ticks.as_mut().expect("has ticks");
            *ticks *= 2;
            rederive(evidence);
        }
        let measured = Comparison::of(&base, &variant, &[cost("matrix", 9.0)]).measured.expect("has ticks");
        assert_eq!((measured.min, measured.max, measured.count), (5.0, 5.0, 3));
    }

    #[test]
    fn pairs_that_met_a_neighbour_do_not_count_where_enough_are_left() {
        let (mut base, mut variant) = (over("pseudoXOF", 9000), over("shake128", 1000));
        for evidence in [&mut base, &mut variant] {
            evidence.trials = vec![evidence.trials[0].clone(); 10];
        }
        // A neighbour slows the variant alone down, as it may where only that has much to do at once.
        for trial in &mut variant.trials[..6] {
            trial.ticks = trial.ticks.map(|ticks| 2 * ticks);
        }
        let measured = |base: &Evidence, variant: &Evidence| {
            let ratios = ratios(base, variant).expect("has ticks");
            (ratios.median, ratios.count)
        };
        assert_eq!(measured(&base, &variant), (2.5, 10));
        variant.trials[..5].iter_mut().for_each(|trial| trial.quiet = Some(false));
        assert_eq!(measured(&base, &variant), (5.0, 5));
        variant.trials[5].quiet = Some(false);
        assert_eq!(measured(&base, &variant), (2.5, 10), "four are not enough");
    }

    #[test]
    fn what_is_not_known_is_not_made_up() {
        let base = over("pseudoXOF", 9000);
        let unknown = Comparison::of(&base, &over("shake128", 1000), &[cost("noise", 9.0)]);
        assert!(unknown.measured.is_some() && unknown.predicted.is_none() && !unknown.disagrees());
        let mut without = base.clone();
        without.profiled.ticks = None;
        without.trials.iter_mut().for_each(|trial| trial.ticks = None);
        rederive(&mut without);
        assert_eq!(Comparison::of(&without, &without, &[cost("matrix", 1.0)]), Comparison::default());
    }

    #[test]
    fn a_misprediction_names_the_parts_that_differ_most() {
        let own: &[&str] = &["keygen"];
        let of = |function, ticks, ntt, encode| {
            let phases: [(&[&str], i64); 3] = [(own, 500), (&["keygen", "ntt"], ntt), (&["keygen", "encode"], encode)];
            record(&[call(function, "matrix", 280, 12288, ticks)], &phases)
        };
        let base = of("pseudoXOF", 9000, 1000, 100);
        let parts = |variant: &Evidence| Comparison::of(&base, variant, &[cost("matrix", 9.0)]).deviations;
        let found = parts(&of("shake128", 1000, 2000, 400));
        let names: Vec<&str> = found.iter().map(|part| part.part.as_str()).collect();
        assert_eq!(names[..2], ["the scheme's own work in ntt", "the scheme's own work in encode"]);
        assert!((found[0].predicted - 1000.0).abs() < 1e-6 && (found[0].measured - 2000.0).abs() < 1e-6, "{found:?}");
        let faster = &parts(&of("shake128", 300, 900, 100))[0];
        assert_eq!(faster.part, "shake128 for matrix");
        assert!((faster.excess() + 700.0).abs() < 1e-6, "{faster:?}");
    }

    #[test]
    fn all_parts_sum_to_the_difference() {
        let base = [call("pseudoXOF", "matrix", 280, 12288, 9000), call("pseudoXOF", "h", 8, 8, 70)];
        let base = Breakdown::of(&record(&base, &[(&["keygen"], 30)])).expect("has ticks");
        let variant = Breakdown::of(&over("shake128", 700)).expect("has ticks");
        let prediction = Prediction::of(&base, |_| Some(5.0)).expect("is known");
        let parts = deviations(&base, &variant, &prediction, 9100.0, 1700.0);
        let sum: f64 = parts.iter().map(Deviation::excess).sum();
        assert!((sum - (1700.0 - 9100.0 / prediction.speedup)).abs() < 1e-6, "{parts:?}");
        assert!(parts.iter().any(|part| part.part == "pseudoXOF for h" && part.measured == 0.0), "{parts:?}");
    }

    #[test]
    fn costs_are_medians_over_rounds_and_speedups_of_one_round() {
        let timed = cost("matrix", 0.0).timed(&[20.0, 40.0, 60.0], &[10.0, 20.0, 15.0]).expect("was timed");
        assert_eq!((timed.ticks, timed.speedup), (15.0, 2.0));
        assert_eq!(cost("matrix", 0.0).timed(&[], &[]), None);
        assert_eq!(cost("matrix", 0.0).timed(&[0.0], &[0.0]), None);
    }
}
