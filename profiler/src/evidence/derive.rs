use super::record::{CallRow, ProfiledRun, Trial};
use crate::analysis::stats::{Summary, summarise};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The figures of a record that follow from its raw ones. [`Derived::of`] makes them when evidence is built and again when
/// it is verified.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Derived {
    /// Profiled against unprofiled ticks per operation, minus one: the median over pairs of neighbouring trials.
    pub probe_overhead: Option<f64>,
    /// Share of the profiled ticks in each function.
    pub share: BTreeMap<String, Option<f64>>,
    /// Share of the profiled ticks in all symmetric functions but the generator.
    pub hash_share: Option<f64>,
    /// Ticks per operation without probes: all ticks over all operations.
    pub mean: Option<f64>,
    /// Ticks per operation without probes: the median over trials.
    pub median: Option<f64>,
    /// Ticks per operation without probes: how the trials spread.
    pub distribution: Option<Summary>,
    /// Seconds per operation without probes: the median over trials.
    pub seconds_per_operation: Option<f64>,
    /// Operations in a second at that time.
    pub operations_per_second: Option<f64>,
}

fn median(values: &[f64]) -> Option<f64> {
    summarise(values).map(|summary| summary.median)
}

/// Ticks per operation of each trial; `None` when any has no ticks.
fn per_operation(trials: &[Trial]) -> Option<Vec<f64>> {
    trials.iter().map(|trial| Some(trial.ticks? as f64 / trial.operations as f64)).collect()
}

impl Derived {
    /// What follows from these figures.
    #[must_use]
    pub fn of(trials: &[Trial], profiled: &ProfiledRun, calls: &[CallRow]) -> Self {
        let plain = per_operation(trials).filter(|values| !values.is_empty());
        let probed = per_operation(&profiled.trials).filter(|values| !values.is_empty());
        let operations: f64 = trials.iter().map(|trial| trial.operations as f64).sum();
        let total: Option<f64> = trials.iter().map(|trial| trial.ticks.map(|ticks| ticks as f64)).sum();
        let seconds: Option<Vec<f64>> =
            trials.iter().map(|trial| Some(trial.seconds? / trial.operations as f64)).collect();
        let seconds_per_operation = seconds.and_then(|seconds| median(&seconds));
        let distribution = plain.as_deref().and_then(summarise);
        Self {
            probe_overhead: plain.as_deref().zip(probed).and_then(|(plain, probed)| {
                let overheads: Vec<f64> =
                    plain.iter().zip(probed).map(|(plain, probed)| probed / plain - 1.0).collect();
                median(&overheads)
            }),
            share: shares(profiled, calls),
            hash_share: hash_share(profiled, calls),
            mean: plain.and(total).map(|total| total / operations),
            median: distribution.map(|distribution| distribution.median),
            distribution,
            seconds_per_operation,
            operations_per_second: seconds_per_operation.filter(|&seconds| seconds > 0.0).map(f64::recip),
        }
    }
}

fn shares(profiled: &ProfiledRun, calls: &[CallRow]) -> BTreeMap<String, Option<f64>> {
    let mut ticks: BTreeMap<String, Option<u64>> = BTreeMap::new();
    for call in calls {
        let sum = ticks.entry(call.function.clone()).or_insert(Some(0));
        *sum = sum.zip(call.ticks).map(|(sum, ticks)| sum + ticks);
    }
    let share = |ticks: Option<u64>| ticks.zip(profiled.ticks).map(|(part, total)| part as f64 / total as f64);
    ticks.into_iter().map(|(function, ticks)| (function, share(ticks))).collect()
}

fn hash_share(profiled: &ProfiledRun, calls: &[CallRow]) -> Option<f64> {
    let hashes: Option<u64> = calls.iter().filter(|call| !call.is_generator()).map(|call| call.ticks).sum();
    hashes.zip(profiled.ticks).map(|(hashes, total)| hashes as f64 / total as f64)
}

impl CallRow {
    /// Whether this is the generator of randomness, which the hash share leaves out.
    #[must_use]
    pub fn is_generator(&self) -> bool {
        self.function.starts_with("drng")
    }
}
