//! Which trials were quiet, and which count.

use super::record::Trial;
use crate::analysis::quiet;

/// Additions in a cycle from which one of these trials is quiet.
pub(super) fn limit(trials: &[Trial], profiled: &[Trial]) -> Option<f64> {
    let seen: Vec<f64> = trials.iter().chain(profiled).filter_map(|trial| trial.adds_per_cycle).collect();
    quiet::limit(&seen)
}

/// Says of each trial whether it was quiet.
pub(super) fn mark(trials: &mut [Trial], profiled: &mut [Trial]) {
    let limit = limit(trials, profiled);
    for trial in trials.iter_mut().chain(profiled) {
        trial.quiet = trial.adds_per_cycle.zip(limit).map(|(seen, limit)| seen >= limit);
    }
}

/// The numbers of the trials with probes that do not count: those that were not quiet, where enough others were.
pub(super) fn uncounted(profiled: &[Trial]) -> Vec<u32> {
    let quiet = profiled.iter().filter(|trial| trial.quiet == Some(true)).count();
    if profiled.iter().all(|trial| trial.quiet.is_none()) || !quiet::decides(quiet, profiled.len()) {
        return Vec::new();
    }
    let numbered = profiled.iter().enumerate().filter(|(_, trial)| trial.quiet != Some(true));
    numbered.map(|(number, _)| number as u32).collect()
}
