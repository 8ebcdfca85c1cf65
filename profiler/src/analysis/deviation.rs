//! Where an operation over other functions is not what Amdahl's law says: which of its parts differ from the prediction, by how
//! much, and what the records say of the reason.

use super::amdahl::Prediction;
use super::breakdown::{Breakdown, CallGroup, PhasePart};
use super::comparison::FunctionCost;
use kemprof_core::{Phase, Role};

/// A part of an operation that does not take the time that was predicted.
#[derive(Clone, PartialEq, Debug)]
pub struct Deviation {
    /// Which.
    pub part: Part,
    /// Ticks of one operation as predicted.
    pub predicted: f64,
    /// Ticks of one operation as measured.
    pub measured: f64,
    /// What the records say of the reason.
    pub cause: Cause,
}

/// A part of an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// Symmetric calls.
    Calls {
        /// The function.
        function: String,
        /// What the scheme uses it for.
        role: String,
    },
    /// The scheme's own work in this phase.
    Phase(String),
}

/// Why a part's time is another, as far as the records tell. Amounts are of one operation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cause {
    /// Calls that were not there before.
    New,
    /// Calls that are not there any more.
    Gone,
    /// Another number of calls.
    Calls(Change),
    /// Another amount of output, in bits.
    Output(Change),
    /// The function costs more or less in the scheme than alone, in ticks a call, although it does the same work.
    Inside {
        /// In the scheme.
        inside: f64,
        /// Alone.
        alone: f64,
        /// The most messages that ran together.
        lanes: u32,
    },
    /// The function costs in the scheme what it does alone, but the first variant's does not.
    FirstInside {
        /// The first's in the scheme, in ticks a call.
        inside: f64,
        /// The first's alone.
        alone: f64,
    },
    /// The phase was entered another number of times.
    Entered(Change),
    /// Rejection sampling read another number of bits.
    Read(Change),
    /// Rejection sampling read as many bits, and took another time for it.
    SameRead(f64),
    /// The phase does the same work, but calls functions for another number of messages at once.
    Together(Change),
    /// The same work in another time.
    SameWork,
}

/// An amount that is not what it was expected to be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Change {
    /// What it is.
    pub got: f64,
    /// What it was expected to be.
    pub expected: f64,
}

impl Change {
    /// A difference beyond chance and rounding.
    fn between(got: f64, expected: f64) -> Option<Self> {
        ((got - expected).abs() > SAME * expected).then_some(Self { got, expected })
    }
}

/// Relative difference up to which two amounts are the same.
const SAME: f64 = 0.02;
/// Of the whole difference, how much the parts that are named make up at the least.
const ENOUGH: f64 = 0.75;
/// Parts named at the most.
const MOST: usize = 4;

/// An operation as it was predicted and as it was measured.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    /// The parts of the operation over the first functions.
    pub base: &'a Breakdown,
    /// Its parts over the others.
    pub variant: &'a Breakdown,
    /// What was predicted for the others.
    pub prediction: &'a Prediction,
    /// What the others cost on their own.
    pub costs: &'a [FunctionCost],
    /// Ticks of the operation over the first functions, without probes.
    pub base_ticks: f64,
    /// How many times faster it was over the others.
    pub speedup: f64,
}

impl Outcome<'_> {
    /// The parts that make up most of the difference between prediction and measurement, the largest first.
    #[must_use]
    pub fn deviations(&self) -> Vec<Deviation> {
        let excess = self.base_ticks / self.speedup - self.base_ticks / self.prediction.speedup;
        let mut parts = self.parts();
        // Those that pull the same way as the whole, by more than chance.
        parts.retain(|part| part.excess() * excess > 0.0 && Change::between(part.measured, part.predicted).is_some());
        parts.sort_by(|a, b| b.excess().abs().total_cmp(&a.excess().abs()));
        let mut explained = 0.0;
        let enough = parts.iter().position(|part| {
            explained += part.excess().abs();
            explained >= ENOUGH * excess.abs()
        });
        parts.truncate(enough.map_or(MOST, |last| last + 1).min(MOST));
        parts
    }

    /// Every part. The differences sum to that of the whole, because shares sum to 1.
    fn parts(&self) -> Vec<Deviation> {
        let ticks = self.base_ticks / self.speedup;
        let calls = self.variant.calls.iter().map(|group| Deviation {
            part: Part::of(group),
            predicted: self.predicted(group),
            measured: ticks * group.share,
            cause: self.cause_of_calls(group, ticks * group.share),
        });
        let gone = self.base.calls.iter().filter(|group| self.variant.calls_for(&group.role, group.in_bits).is_none());
        let gone = gone.map(|group| Deviation {
            part: Part::of(group),
            predicted: self.predicted(group),
            measured: 0.0,
            cause: Cause::Gone,
        });
        let phases = self.variant.phases.iter().map(|phase| Deviation {
            part: Part::Phase(phase.name()),
            predicted: self.base_ticks * self.base.phase(&phase.path).map_or(0.0, |phase| phase.share),
            measured: ticks * phase.share,
            cause: self.cause_of_phase(phase),
        });
        calls.chain(gone).chain(phases).collect()
    }

    fn predicted(&self, group: &CallGroup) -> f64 {
        self.base_ticks * self.prediction.time_of(&group.role, group.in_bits)
    }

    fn cause_of_calls(&self, group: &CallGroup, ticks: f64) -> Cause {
        let first = self.base.calls_for(&group.role, group.in_bits);
        let cost = self.costs.iter().find(|cost| cost.serves(group));
        let (Some(first), Some(cost)) = (first, cost) else { return Cause::New };
        let calls = cost.calls as f64;
        if let Some(change) = Change::between(group.calls, calls) {
            return Cause::Calls(change);
        }
        if let Some(change) = Change::between(group.out_bits, calls * cost.out_bits as f64) {
            return Cause::Output(change);
        }
        match Change::between(ticks, cost.ticks) {
            Some(_) => Cause::Inside { inside: ticks / calls, alone: cost.ticks / calls, lanes: group.lanes },
            None => Cause::FirstInside {
                inside: self.base_ticks * first.share / calls,
                alone: cost.ticks * cost.speedup / calls,
            },
        }
    }

    fn cause_of_phase(&self, phase: &PhasePart) -> Cause {
        let entered = self.base.phase(&phase.path).and_then(|before| Change::between(phase.calls, before.calls));
        if let Some(change) = entered {
            return Cause::Entered(change);
        }
        let role = match phase.path.last() {
            Some(last) if last == Phase::SampleMatrix.name() => Role::Matrix.name(),
            Some(last) if last == Phase::SampleNoise.name() => Role::Noise.name(),
            _ => return Cause::SameWork,
        };
        let sum = |parts: &Breakdown, of: fn(&CallGroup) -> f64| -> f64 {
            parts.calls.iter().filter(|group| group.role == role).map(of).sum()
        };
        let [(lanes, used), (lanes_before, used_before)] = [self.variant, self.base]
            .map(|parts| (sum(parts, |group| group.lanes.into()), sum(parts, |group| group.used_bits)));
        let read = Change::between(used, used_before).map(Cause::Read);
        let together = Change::between(lanes, lanes_before).map(Cause::Together);
        read.or(together).unwrap_or(Cause::SameRead(used))
    }
}

impl Part {
    fn of(group: &CallGroup) -> Self {
        Self::Calls { function: group.function.clone(), role: group.role.clone() }
    }
}

impl Deviation {
    /// Ticks more than predicted.
    #[must_use]
    pub fn excess(&self) -> f64 {
        self.measured - self.predicted
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{call, record};
    use super::*;
    use crate::evidence::{CallRow, Evidence};

    fn matrix(function: &str, ticks: i64) -> CallRow {
        call(function, "matrix", 280, 12288, ticks)
    }

    fn cost(out_bits: u64, ticks: f64, speedup: f64) -> FunctionCost {
        let (function, role) = ("shake128".to_owned(), "matrix".to_owned());
        FunctionCost { function, role, in_bits: 280, out_bits, calls: 10, lanes: 1, ticks, speedup }
    }

    /// What deviates when `variant` was measured, and functions alone cost `cost`.
    fn deviations(base: &Evidence, variant: &Evidence, cost: FunctionCost) -> Vec<Deviation> {
        with_outcome(base, variant, &[cost], |outcome| outcome.deviations())
    }

    fn with_outcome<T>(
        base: &Evidence,
        variant: &Evidence,
        costs: &[FunctionCost],
        see: impl Fn(&Outcome<'_>) -> T,
    ) -> T {
        let [base_parts, variant_parts] = [base, variant].map(|evidence| Breakdown::of(evidence).expect("has ticks"));
        let [base_ticks, ticks] = [base, variant].map(|evidence| evidence.derived.median.expect("has ticks"));
        let prediction = Prediction::of(&base_parts, |_| Some(costs[0].speedup)).expect("is known");
        see(&Outcome {
            base: &base_parts,
            variant: &variant_parts,
            prediction: &prediction,
            costs,
            base_ticks,
            speedup: base_ticks / ticks,
        })
    }

    const OWN: (&[&str], i64) = (&["keygen"], 1000);

    fn ntt(ticks: i64) -> (&'static [&'static str], i64) {
        (&["keygen", "ntt"], ticks)
    }

    #[test]
    fn a_phase_that_moved_is_named_with_what_it_took() {
        let base = record(&[matrix("pseudoXOF", 9000)], &[OWN, ntt(1000)]);
        let variant = record(&[matrix("shake128", 1000)], &[OWN, ntt(2000)]);
        let found = deviations(&base, &variant, cost(12288, 1000.0, 9.0));
        assert_eq!(found.len(), 1);
        assert_eq!((&found[0].part, found[0].cause), (&Part::Phase("ntt".to_owned()), Cause::SameWork));
        assert!((found[0].predicted - 1000.0).abs() < 1e-6 && (found[0].measured - 2000.0).abs() < 1e-6);
    }

    #[test]
    fn what_is_faster_than_predicted_is_found_as_well() {
        let base = record(&[matrix("pseudoXOF", 8000)], &[OWN, ntt(1000)]);
        let variant = record(&[matrix("shake128", 1000)], &[OWN, ntt(200)]);
        let found = deviations(&base, &variant, cost(12288, 1000.0, 8.0));
        assert_eq!(found[0].part, Part::Phase("ntt".to_owned()));
        assert!((found[0].excess() + 800.0).abs() < 1e-6);
    }

    #[test]
    fn rejection_that_reads_more_is_told_from_rejection_that_takes_longer() {
        let sampling = |ticks| (&["keygen", "sample_matrix"][..], ticks);
        let base = record(&[matrix("pseudoXOF", 9000)], &[OWN, sampling(1000)]);
        let mut other = matrix("shake128", 1000);
        let variant = record(std::slice::from_ref(&other), &[OWN, sampling(2000)]);
        let cause = |variant: &Evidence| deviations(&base, variant, cost(12288, 1000.0, 9.0))[0].cause;
        assert_eq!(cause(&variant), Cause::SameRead(122_880.0));
        other.used_bits /= 2.0;
        let variant = record(std::slice::from_ref(&other), &[OWN, sampling(2000)]);
        assert_eq!(cause(&variant), Cause::Read(Change { got: 61_440.0, expected: 122_880.0 }));
        let together = CallRow { lanes: 8, ..matrix("shake128", 1000) };
        let variant = record(&[together], &[OWN, sampling(2000)]);
        assert_eq!(cause(&variant), Cause::Together(Change { got: 8.0, expected: 1.0 }));
    }

    #[test]
    fn a_function_that_costs_more_in_the_scheme_is_told_from_one_that_does_other_work() {
        let base = record(&[matrix("pseudoXOF", 9000)], &[OWN]);
        let lanes = |lanes| record(&[CallRow { lanes, ..matrix("shake128", 2000) }], &[OWN]);
        let cause = |variant: &Evidence, cost| deviations(&base, variant, cost)[0].cause;
        let close = |a: f64, b: f64| (a - b).abs() < 1e-6;
        match cause(&lanes(8), cost(12288, 1000.0, 9.0)) {
            Cause::Inside { inside, alone, lanes: 8 } => assert!(close(inside, 200.0) && close(alone, 100.0)),
            other => panic!("{other:?}"),
        }
        match cause(&lanes(1), cost(12288, 2000.0, 9.0)) {
            Cause::FirstInside { inside, alone } => assert!(close(inside, 900.0) && close(alone, 1800.0)),
            other => panic!("{other:?}"),
        }
        let output = Change { got: 122_880.0, expected: 13_440.0 };
        assert_eq!(cause(&lanes(1), cost(1344, 1000.0, 9.0)), Cause::Output(output));
        let calls = FunctionCost { calls: 5, ..cost(12288, 1000.0, 9.0) };
        assert_eq!(cause(&lanes(1), calls), Cause::Calls(Change { got: 10.0, expected: 5.0 }));
        let new = record(&[matrix("shake128", 1000), call("extra", "kdf", 8, 8, 1000)], &[OWN]);
        assert_eq!(cause(&new, cost(12288, 1000.0, 9.0)), Cause::New);
        let entered = record(&[matrix("pseudoXOF", 9000)], &[OWN, ntt(1000)]);
        let mut variant = record(&[matrix("shake128", 1000)], &[OWN, ntt(2000)]);
        variant.phases[1].calls = 3;
        let found = deviations(&entered, &variant, cost(12288, 1000.0, 9.0));
        assert_eq!(found[0].cause, Cause::Entered(Change { got: 3.0, expected: 1.0 }));
    }

    /// The parts' differences are those of the whole, whatever was measured.
    #[test]
    fn all_parts_sum_to_the_difference() {
        let base = record(&[matrix("pseudoXOF", 9000), call("pseudoXOF", "h", 8, 8, 70)], &[OWN, ntt(30)]);
        let variant = record(&[matrix("shake128", 700)], &[OWN, ntt(55)]);
        with_outcome(&base, &variant, &[cost(12288, 700.0, 5.0)], |outcome| {
            let sum: f64 = outcome.parts().iter().map(Deviation::excess).sum();
            let whole = outcome.base_ticks / outcome.speedup - outcome.base_ticks / outcome.prediction.speedup;
            assert!((sum - whole).abs() < 1e-6, "{sum} {whole}");
            assert!(outcome.parts().iter().any(|part| part.cause == Cause::Gone));
        });
    }
}
