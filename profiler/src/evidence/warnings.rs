//! What makes a record's own figures less than they should be, in words.

use super::record::{CallRow, CounterRecord, Evidence, ProfiledRun};
use super::{Derived, EventsRecord, Steadiness};
use crate::analysis::quiet;
use crate::analysis::steadiness::CLOCK_TOLERANCE;
use crate::words::{either, plural};

impl Evidence {
    /// What makes a record's own figures less than they should be. What the machine adds to that is no affair of the figures.
    pub(super) fn doubts(&self) -> Vec<String> {
        let mut found = of_trials(&self.derived, &self.steadiness);
        found.extend(of_rows(&self.profiled));
        found.extend(of_counter(&self.counter, &self.profiled, &self.calls));
        found.extend(self.events.as_ref().and_then(EventsRecord::warning));
        found
    }
}

/// What a reader must be told of the trials.
fn of_trials(derived: &Derived, steadiness: &Steadiness) -> Vec<String> {
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

/// Says so where rows are of all trials, because too few were quiet.
fn of_rows(profiled: &ProfiledRun) -> Option<String> {
    let trials = &profiled.trials;
    let seen = trials.iter().any(|trial| trial.quiet.is_some());
    let quiet = trials.iter().filter(|trial| trial.quiet == Some(true)).count();
    (seen && profiled.ticks.is_some() && !quiet::decides(quiet, trials.len())).then(|| {
        format!(
            "rows and shares are of all {} with probes: only {quiet} {} quiet, and the others are up to twice as long, not alike in \
             all rows; run again later, or with more --trials",
            plural(trials.len(), "trial"),
            either(quiet, "was", "were"),
        )
    })
}

/// Steps of the counter from which one operation could be timed by itself.
const WHOLE: f64 = 100.0;
/// Steps from which one call could be.
const CALL: f64 = 10.0;

/// What a reader must be told where the counter is coarse.
fn of_counter(counter: &CounterRecord, profiled: &ProfiledRun, calls: &[CallRow]) -> Option<String> {
    let step = counter.resolution?.max(1) as f64;
    let operation = profiled.ticks? as f64 / profiled.operations as f64;
    if operation >= WHOLE * step {
        return None;
    }
    let batch = profiled.trials.first().map_or(1, |trial| trial.operations);
    let short = |call: &&CallRow| call.ticks.is_some_and(|ticks| (ticks as f64) < CALL * step * call.calls as f64);
    let short = calls.iter().filter(short).count();
    Some(format!(
        "one operation takes {operation:.1} {} of this counter, which moves in steps of {step:.0}: too few to time it alone, so that \
         {batch} are timed together; the parts ({short} of {} kinds of calls take less than {CALL} steps each) are right in their sums \
         only, not in their least and longest",
        counter.unit,
        calls.len()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Trial;

    #[test]
    fn rows_of_disturbed_trials_are_a_warning_of_their_own() {
        let profiled = |trials: usize, quiet: usize| {
            let trial = |number| Trial { quiet: Some(number < quiet), ..Trial::new(1, Some(100), None) };
            ProfiledRun { ticks: Some(1), trials: (0..trials).map(trial).collect(), ..ProfiledRun::default() }
        };
        let warning = of_rows(&profiled(40, 3)).expect("too few");
        assert!(
            warning.starts_with("rows and shares are of all 40 trials with probes: only 3 were quiet"),
            "{warning}"
        );
        assert_eq!((of_rows(&profiled(40, 5)), of_rows(&profiled(2, 2))), (None, None));
        let unseen = ProfiledRun { trials: vec![Trial::new(1, Some(100), None)], ..profiled(1, 1) };
        assert_eq!(of_rows(&unseen), None);
    }

    #[test]
    fn it_speaks_of_coarse_counters_alone() {
        let mut counter = CounterRecord {
            name: "cntvct".to_owned(),
            unit: "ticks".to_owned(),
            hz: Some(1_000_000),
            resolution: Some(1),
            overhead_per_call: None,
            meaningful: true,
            unavailable: None,
            refused: Default::default(),
        };
        let trials = vec![Trial { operations: 42, ..Trial::default() }];
        let profiled = ProfiledRun { operations: 42, ticks: Some(42 * 250), trials, ..ProfiledRun::default() };
        assert_eq!(of_counter(&counter, &profiled, &[]), None);
        counter.resolution = Some(5);
        let text = of_counter(&counter, &profiled, &[]).expect("an operation of 50 steps");
        assert!(text.contains("takes 250.0 ticks") && text.contains("42 are timed together"), "{text}");
        counter.resolution = None;
        assert_eq!(of_counter(&counter, &profiled, &[]), None, "without a counter there is nothing to say");
    }
}
