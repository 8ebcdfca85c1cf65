//! What follows from the rows of a record: sums of phases, and 95 % intervals over processes, or over the trials of one.

use super::record::{CallRow, Evidence, PhaseRow, ProfiledRun};
use crate::analysis::stats::{Interval, mean_interval};
use std::collections::BTreeMap;

/// Processes from which they tell how layouts differ.
const PROCESSES: usize = 3;
/// Trials from which they tell how a process differs from itself.
const TRIALS: usize = 5;

/// For each process of the trials that count: their numbers.
fn processes(profiled: &ProfiledRun) -> Vec<Vec<usize>> {
    let mut processes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, trial) in profiled.counted() {
        processes.entry(trial.process).or_default().push(number);
    }
    processes.into_values().collect()
}

/// The sums of `ticks` by trial over each group of trials.
fn sums(ticks: &[i64], groups: &[Vec<usize>]) -> Option<Vec<f64>> {
    let sum = |group: &Vec<usize>| group.iter().map(|&trial| ticks.get(trial).map(|&ticks| ticks as f64)).sum();
    groups.iter().map(sum).collect()
}

/// Gives every row its interval, and says over what they are.
pub(super) fn intervals(profiled: &mut ProfiledRun, calls: &mut [CallRow], phases: &mut [PhaseRow]) {
    let by_process = processes(profiled);
    let (over, groups) = match (by_process.len(), profiled.counted().count()) {
        (PROCESSES.., _) => ("processes", by_process),
        (1, TRIALS..) => ("trials", profiled.counted().map(|(number, _)| vec![number]).collect()),
        _ => Default::default(),
    };
    let operations =
        |group: &Vec<usize>| group.iter().map(|&trial| profiled.trials[trial].operations).sum::<u64>() as f64;
    let operations: Vec<f64> = groups.iter().map(operations).collect();
    let interval = |ticks: &[i64]| {
        let each = sums(ticks, &groups)?.into_iter().zip(&operations).map(|(ticks, operations)| ticks / operations);
        mean_interval(&each.collect::<Vec<_>>())
    };
    calls.iter_mut().for_each(|call| call.interval = interval(&call.trial_ticks()));
    phases.iter_mut().for_each(|phase| phase.interval = interval(&phase.trial_ticks));
    let any = calls.iter().any(|call| call.interval.is_some());
    profiled.intervals_over = any.then(|| over.to_owned());
}

/// An interval for the share of the calls that are `chosen`, over processes.
pub(super) fn share_interval(
    profiled: &ProfiledRun,
    calls: &[CallRow],
    phases: &[PhaseRow],
    chosen: impl Fn(&CallRow) -> bool,
) -> Option<Interval> {
    let groups = processes(profiled);
    if groups.len() < PROCESSES {
        return None;
    }
    let (mut parts, mut wholes) = (vec![0.0; groups.len()], vec![0.0; groups.len()]);
    for call in calls {
        for (process, ticks) in sums(&call.trial_ticks(), &groups)?.into_iter().enumerate() {
            wholes[process] += ticks;
            parts[process] += if chosen(call) { ticks } else { 0.0 };
        }
    }
    for phase in phases {
        sums(&phase.trial_ticks, &groups)?.into_iter().zip(&mut wholes).for_each(|(ticks, whole)| *whole += ticks);
    }
    let interval = mean_interval(&parts.iter().zip(&wholes).map(|(part, whole)| part / whole).collect::<Vec<_>>())?;
    Some(Interval { low: interval.low.max(0.0), high: interval.high.min(1.0) })
}

impl Evidence {
    /// Ticks of a phase with all phases and calls inside it.
    pub(super) fn inclusive(&self, path: &[String]) -> Option<i64> {
        let phases = self.phases.iter().filter(|phase| phase.path.starts_with(path)).map(|phase| phase.self_ticks);
        let parts = self.calls.iter().flat_map(|call| &call.paths).filter(|part| part.path.starts_with(path));
        phases.chain(parts.map(|part| part.ticks)).try_fold(0_i64, |sum, part| sum.checked_add(part?))
    }
}

impl CallRow {
    /// Ticks in each trial with probes; empty where they were not taken one by one.
    #[must_use]
    pub fn trial_ticks(&self) -> Vec<i64> {
        let mut paths = self.paths.iter();
        let mut all = paths.next().map(|part| part.trial_ticks.clone()).unwrap_or_default();
        paths.for_each(|part| super::build::added(&mut all, &part.trial_ticks));
        all
    }
}
