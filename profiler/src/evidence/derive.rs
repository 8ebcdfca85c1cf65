use super::calm;
use super::intervals::share_interval;
use super::record::{CallRow, PhaseRow, ProfiledRun, Trial};
use crate::analysis::quiet;
use crate::analysis::stats::{Interval, Sorted, Summary, summarise};
use kemprof_core::Role;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The figures of a record that follow from its raw ones. [`Derived::of`] makes them when evidence is built and again when
/// it is verified.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Derived {
    /// Profiled against unprofiled ticks per operation, minus one: the median over pairs of neighbouring trials, of those in which
    /// both were quiet where these decide.
    pub probe_overhead: Option<f64>,
    /// Share of the profiled ticks in each function.
    pub share: BTreeMap<String, Option<f64>>,
    /// Share of the profiled ticks in all symmetric functions but the generator.
    pub hash_share: Option<f64>,
    /// Share of the profiled ticks in all symmetric functions, the generator too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetric_share: Option<f64>,
    /// A 95 % interval for `hash_share`, by Student's t over the processes that shared the trials. `None` where these are fewer than three:
    /// layouts differ between processes, and trials of one do not tell by how much.
    #[serde(default)]
    pub hash_share_interval: Option<Interval>,
    /// The same for `symmetric_share`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetric_share_interval: Option<Interval>,
    /// Ticks per operation without probes: all ticks over all operations.
    pub mean: Option<f64>,
    /// Ticks per operation without probes, the figure to quote: the median over quiet trials where these decide, else over all.
    pub median: Option<f64>,
    /// Ticks per operation without probes: how all trials spread.
    pub distribution: Option<Summary>,
    /// The quiet trials among them. `None` where nothing tells quiet from shared.
    #[serde(default)]
    pub quiet: Option<Quiet>,
    /// The medians of the processes that shared the trials. `None` where there was one.
    #[serde(default)]
    pub process_medians: Option<Summary>,
    /// The core's clock in MHz over all trials without probes.
    #[serde(default)]
    pub core_mhz: Option<Summary>,
    /// Seconds per operation without probes: the median over the trials that `median` is of.
    pub seconds_per_operation: Option<f64>,
    /// Operations in a second at that time.
    pub operations_per_second: Option<f64>,
}

/// Trials without probes during which the physical core was this program's alone.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Quiet {
    /// How many were quiet.
    pub quiet: usize,
    /// Of how many.
    pub trials: usize,
    /// Additions in a cycle from which a trial is quiet.
    pub limit: f64,
    /// Whether the figures to quote are those of the quiet trials: there are enough of them.
    pub decides: bool,
    /// Ticks per operation of the quiet ones.
    pub distribution: Option<Summary>,
}

fn median(values: &[f64]) -> Option<f64> {
    Sorted::new(values).median()
}

/// Ticks per operation of each trial; `None` when any has no ticks, or there are no trials.
fn per_operation(trials: &[Trial]) -> Option<Vec<f64>> {
    let values: Option<Vec<f64>> = trials.iter().map(Trial::per_operation).collect();
    values.filter(|values| !values.is_empty())
}

/// Those of `values` whose place `keep` has, or all where these decide nothing.
fn deciding(values: &[f64], keep: &[bool]) -> Vec<f64> {
    let kept: Vec<f64> = values.iter().zip(keep).filter(|(_, keep)| **keep).map(|(value, _)| *value).collect();
    if quiet::decides(kept.len(), values.len()) { kept } else { values.to_vec() }
}

impl Derived {
    /// What follows from these figures.
    #[must_use]
    pub fn of(trials: &[Trial], profiled: &ProfiledRun, calls: &[CallRow], phases: &[PhaseRow]) -> Self {
        let plain = per_operation(trials);
        let quiet: Vec<bool> = trials.iter().map(|trial| trial.quiet == Some(true)).collect();
        let figure = plain.as_deref().map(|values| deciding(values, &quiet));
        let seconds: Option<Vec<f64>> =
            trials.iter().map(|trial| Some(trial.seconds? / trial.operations as f64)).collect();
        let seconds_per_operation = seconds.and_then(|seconds| median(&deciding(&seconds, &quiet)));
        let clocks: Vec<f64> = trials.iter().filter_map(|trial| trial.core_mhz).collect();
        Self {
            probe_overhead: probe_overhead(trials, &profiled.trials),
            share: shares(profiled, calls),
            hash_share: share_of(profiled, calls, |call| !call.is_generator()),
            symmetric_share: share_of(profiled, calls, |_| true),
            hash_share_interval: share_interval(profiled, calls, phases, |call| !call.is_generator()),
            symmetric_share_interval: share_interval(profiled, calls, phases, |_| true),
            mean: plain.as_ref().and_then(|_| mean(trials)),
            median: figure.and_then(|figure| median(&figure)),
            distribution: plain.as_deref().and_then(summarise),
            quiet: plain.as_deref().and_then(|plain| Quiet::of(trials, plain, &quiet, &profiled.trials)),
            process_medians: plain.and_then(|plain| process_medians(trials, &plain)),
            core_mhz: summarise(&clocks),
            seconds_per_operation,
            operations_per_second: seconds_per_operation.filter(|&seconds| seconds > 0.0).map(f64::recip),
        }
    }

    /// How the trials spread that the median is of.
    #[must_use]
    pub fn spread(&self) -> Option<Summary> {
        let quiet = self.quiet.as_ref().filter(|quiet| quiet.decides).and_then(|quiet| quiet.distribution);
        quiet.or(self.distribution)
    }
}

impl Quiet {
    fn of(trials: &[Trial], plain: &[f64], quiet: &[bool], profiled: &[Trial]) -> Option<Self> {
        let limit = calm::limit(trials, profiled)?;
        let values: Vec<f64> = plain.iter().zip(quiet).filter(|(_, quiet)| **quiet).map(|(value, _)| *value).collect();
        Some(Self {
            quiet: values.len(),
            trials: plain.len(),
            limit,
            decides: quiet::decides(values.len(), plain.len()),
            distribution: summarise(&values),
        })
    }
}

fn mean(trials: &[Trial]) -> Option<f64> {
    let operations: f64 = trials.iter().map(|trial| trial.operations as f64).sum();
    let total: Option<f64> = trials.iter().map(|trial| trial.ticks.map(|ticks| ticks as f64)).sum();
    total.map(|total| total / operations)
}

fn probe_overhead(trials: &[Trial], profiled: &[Trial]) -> Option<f64> {
    let (plain, probed) = per_operation(trials).zip(per_operation(profiled))?;
    let overheads: Vec<f64> = plain.iter().zip(probed).map(|(plain, probed)| probed / plain - 1.0).collect();
    let pairs = trials.iter().zip(profiled);
    let quiet: Vec<bool> =
        pairs.map(|(plain, probed)| (plain.quiet, probed.quiet) == (Some(true), Some(true))).collect();
    median(&deciding(&overheads, &quiet))
}

fn process_medians(trials: &[Trial], plain: &[f64]) -> Option<Summary> {
    let mut processes: BTreeMap<u32, (Vec<f64>, Vec<bool>)> = BTreeMap::new();
    for (trial, value) in trials.iter().zip(plain) {
        let (values, quiet) = processes.entry(trial.process).or_default();
        values.push(*value);
        quiet.push(trial.quiet == Some(true));
    }
    if processes.len() < 2 {
        return None;
    }
    let medians = processes.values().filter_map(|(values, quiet)| median(&deciding(values, quiet)));
    summarise(&medians.collect::<Vec<_>>())
}

fn shares(profiled: &ProfiledRun, calls: &[CallRow]) -> BTreeMap<String, Option<f64>> {
    let mut ticks: BTreeMap<String, Option<i64>> = BTreeMap::new();
    for call in calls {
        let sum = ticks.entry(call.function.clone()).or_insert(Some(0));
        *sum = sum.zip(call.ticks).map(|(sum, ticks)| sum + ticks);
    }
    let share = |ticks: Option<i64>| ticks.zip(profiled.ticks).map(|(part, total)| part as f64 / total as f64);
    ticks.into_iter().map(|(function, ticks)| (function, share(ticks))).collect()
}

fn share_of(profiled: &ProfiledRun, calls: &[CallRow], chosen: fn(&CallRow) -> bool) -> Option<f64> {
    let part: Option<i64> = calls.iter().filter(|call| chosen(call)).map(|call| call.ticks).sum();
    part.zip(profiled.ticks).map(|(part, total)| part as f64 / total as f64)
}

impl CallRow {
    /// Whether this is the generator of randomness, which the hash share leaves out.
    #[must_use]
    pub fn is_generator(&self) -> bool {
        self.role == Role::Entropy.name()
    }
}
