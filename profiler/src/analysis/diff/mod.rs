//! Two records of one operation, part by part.

mod comparable;
mod costs;
mod gate;
mod spread;

pub use comparable::{Incomparable, comparable};
pub use gate::{GATED_SHARE, Growth, NoGate, Verdict};

use super::stats::Interval;
use crate::evidence::Evidence;
use comparable::notes;
use costs::Sides;
use serde::Serialize;

/// A figure before and after.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Pair {
    /// Before.
    pub before: Option<f64>,
    /// After.
    pub after: Option<f64>,
}

impl Pair {
    /// Growth as a fraction of what was before: 0.1 is a tenth more. `None` where either is missing or nothing was before.
    #[must_use]
    pub fn change(&self) -> Option<f64> {
        let before = self.before.filter(|&before| before > 0.0)?;
        Some(self.after? / before - 1.0)
    }
}

/// Where ticks may lie on either side: nine in ten trials do, and the medians of all processes.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Intervals {
    /// Before.
    pub before: Interval,
    /// After.
    pub after: Interval,
}

impl Intervals {
    fn of(before: Option<Interval>, after: Option<Interval>) -> Option<Self> {
        Some(Self { before: before?, after: after? })
    }
}

/// Part of the operation. All figures are of one operation; ticks are scaled to its median without probes, as the total is.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// The function (`pseudoXOF → shake128` where another serves the role), or the path of the phase.
    pub name: String,
    /// The role of a function.
    pub role: Option<String>,
    /// Calls, or times that a phase ran.
    pub calls: Pair,
    /// Permutations, of a function.
    pub permutations: Option<Pair>,
    /// Ticks: of a phase without the phases and calls inside it.
    pub ticks: Pair,
    /// Growth of the ticks as a fraction of what they were.
    pub change: Option<f64>,
    /// Growth of the ticks as a fraction of the total before: over all rows, these add up to the change of the total.
    pub of_total: Option<f64>,
    /// Where the ticks may lie.
    pub intervals: Option<Intervals>,
}

impl Row {
    /// Whether the ticks grew beyond both intervals.
    #[must_use]
    pub fn surely_grew(&self) -> bool {
        self.intervals.is_some_and(|Intervals { before, after }| after.low > before.high)
    }

    /// Whether the ticks changed, but not beyond both intervals.
    #[must_use]
    pub fn may_be_noise(&self) -> bool {
        let surely_fell = self.intervals.is_some_and(|Intervals { before, after }| after.high < before.low);
        self.ticks.before != self.ticks.after && !self.surely_grew() && !surely_fell
    }
}

/// A side of a comparison.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Side {
    /// The symmetric functions.
    pub backends: String,
    /// How the matrix was sampled.
    pub sampling: String,
    /// What ran it and what counted, in words.
    pub place: String,
}

impl Side {
    fn of(evidence: &Evidence) -> Self {
        let (backends, sampling) = (evidence.backends.spelled(), evidence.sampling.clone());
        Self { backends, sampling, place: evidence.place() }
    }
}

/// What changed from one record to another.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Diff {
    /// The KEM.
    pub instance: String,
    /// The operation.
    pub operation: String,
    /// The target triple.
    pub target: String,
    /// Unit of all ticks.
    pub unit: String,
    /// What was run before.
    pub before: Side,
    /// What was run after.
    pub after: Side,
    /// What a reader must know to judge the figures: first what makes the same source cost something else.
    pub notes: Vec<String>,
    /// Functions by role.
    pub functions: Vec<Row>,
    /// Phases.
    pub phases: Vec<Row>,
    /// The operation without probes: medians. Calls and permutations are those of all functions.
    pub total: Row,
    /// The operation without probes: means.
    pub mean: Pair,
    /// Whether the ticks mean anything.
    #[serde(skip)]
    meaningful: bool,
}

/// What changed from `before` to `after`.
///
/// # Errors
/// When the records differ in instance, operation, target or counter.
pub fn diff(before: &Evidence, after: &Evidence) -> Result<Diff, Incomparable> {
    comparable(before, after)?;
    let sides = Sides::of(before, after);
    let functions = sides.functions();
    Ok(Diff {
        instance: before.instance.clone(),
        operation: before.operation.to_string(),
        target: before.target.clone(),
        unit: before.counter.unit.clone(),
        before: Side::of(before),
        after: Side::of(after),
        notes: notes(before, after),
        total: sides.total(&functions),
        mean: sides.mean(),
        phases: sides.phases(),
        functions,
        meaningful: before.counter.meaningful && after.counter.meaningful,
    })
}

#[cfg(test)]
mod tests;
