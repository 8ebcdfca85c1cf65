//! Figures that are short against the steps of the counter.

use super::record::{CallRow, CounterRecord, ProfiledRun};

/// Steps of the counter from which one operation could be timed by itself.
const WHOLE: f64 = 100.0;
/// Steps from which one call could be.
const CALL: f64 = 10.0;

/// What a reader must be told where the counter is coarse.
pub(super) fn warning(counter: &CounterRecord, profiled: &ProfiledRun, calls: &[CallRow]) -> Option<String> {
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
        assert_eq!(warning(&counter, &profiled, &[]), None);
        counter.resolution = Some(5);
        let text = warning(&counter, &profiled, &[]).expect("an operation of 50 steps");
        assert!(text.contains("takes 250.0 ticks") && text.contains("42 are timed together"), "{text}");
        counter.resolution = None;
        assert_eq!(warning(&counter, &profiled, &[]), None, "without a counter there is nothing to say");
    }
}
