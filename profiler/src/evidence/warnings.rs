//! What makes a record's own figures less than they should be, in words.

use super::record::{CallRow, CounterRecord, Evidence, ProfiledRun};
use super::{Derived, EventsRecord, Steadiness};
use crate::analysis::steadiness::CLOCK_TOLERANCE;
use crate::words::{either, plural};

impl Evidence {
    /// What makes a record's own figures less than they should be. What the machine adds to that is no affair of the figures.
    pub(super) fn doubts(&self) -> Vec<String> {
        let mut found = of_trials(&self.derived, &self.steadiness);
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
