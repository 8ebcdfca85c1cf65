//! Which trials were quiet, and what a reader must be told of the others.

use super::record::Trial;
use super::{Derived, Steadiness};
use crate::analysis::quiet;
use crate::analysis::steadiness::CLOCK_TOLERANCE;
use crate::words::{either, plural};

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

/// What makes the figures less than they should be.
pub(super) fn warnings(derived: &Derived, steadiness: &Steadiness) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(quiet) = derived.quiet.as_ref().filter(|quiet| !quiet.decides) {
        found.push(format!(
            "only {} of {} {} quiet: a neighbour shares the physical core, and the median is of all trials, up to twice \
             too high; run again later, or with more --trials",
            quiet.quiet,
            plural(quiet.trials, "trial"),
            either(quiet.quiet, "was", "were"),
        ));
    }
    if let Some(clock) = derived.core_mhz.filter(|clock| clock.max - clock.min > 2.0 * CLOCK_TOLERANCE * clock.median) {
        found.push(format!(
            "the core's clock went from {:.0} to {:.0} MHz between trials: fix the frequency (`kemprof doctor` says how)",
            clock.min, clock.max
        ));
    }
    found.extend(steadiness.warning());
    found
}
