//! What parts of a record say of each other: figures where there is a counter, processes, disturbed trials, memory.

use super::Violation;
use super::record::Evidence;
use super::steadiness::{LISTED, Steadiness};
use crate::analysis::steadiness::Disturbance;
use kemprof_core::backend::Backend;
use kemprof_core::{Any, Drng};
use std::collections::BTreeSet;

/// Digits of SHA-256 in hexadecimal: 4 bits each.
const DIGEST_DIGITS: usize = 256 / 4;
/// Disturbances are recorded with two decimals.
const ROUNDING: f64 = 0.01;

/// Parts of a record that contradict each other.
pub(super) fn violations(evidence: &Evidence) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut range = |good: bool, field: &str, got: String, expected| {
        if !good {
            found.push(Violation::Range { field: field.to_owned(), got, expected });
        }
    };
    let sampling = &evidence.sampling;
    range(["eager", "lazy"].contains(&sampling.as_str()), "sampling", format!("{sampling:?}"), "eager or lazy");
    if let Some(backend) = evidence.backends.generator.as_deref().and_then(Any::by_name) {
        let (drng, own) = (&evidence.backends.drng, backend.drng(&[]).name());
        range(drng == own, "backends.drng", format!("{drng:?}"), "the generator of backends.generator");
    }
    if let Some(digest) = &evidence.kat_digest {
        let digits = digest.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        let expected = "64 hexadecimal digits in lower case";
        range(digits && digest.len() == DIGEST_DIGITS, "kat_digest", format!("{digest:?}"), expected);
    }
    if evidence.counter.unavailable.is_some() {
        let figure = figure(evidence);
        let expected = "null: the counter is unavailable";
        range(figure.is_none(), figure.as_deref().unwrap_or_default(), "a figure".to_owned(), expected);
    }
    let profiled = &evidence.profiled;
    range(
        profiled.raw_ticks.is_some() == profiled.ticks.is_some(),
        "profiled.raw_ticks",
        format!("{:?}", profiled.raw_ticks),
        "a figure exactly where profiled.ticks is one",
    );
    for call in &evidence.calls {
        let all = [call.min, call.max].iter().all(|end| end.is_some() == call.ticks.is_some());
        let name = format!("min and max of {}/{} {} -> {}", call.function, call.role, call.in_bits, call.out_bits);
        range(all, &name, format!("{:?} and {:?}", call.min, call.max), "figures exactly where ticks are");
    }
    for phase in evidence.phases.iter().filter(|phase| phase.path.len() == 1) {
        let once = phase.calls == profiled.operations;
        range(once, &format!("calls of phase {}", phase.path[0]), phase.calls.to_string(), "profiled.operations");
    }
    let processes = |trials: &[super::Trial]| trials.iter().map(|trial| trial.process).collect::<Vec<_>>();
    let (of_trials, of_profiled) = (processes(&evidence.trials), processes(&profiled.trials));
    let distinct = of_trials.iter().collect::<BTreeSet<_>>().len();
    let expected = "as many as ran the trials";
    range(distinct == evidence.processes as usize, "processes", evidence.processes.to_string(), expected);
    let expected = "those of the trials without probes";
    range(of_trials == of_profiled, "processes of profiled.trials", "others".to_owned(), expected);
    let memory = &evidence.memory;
    let grows = memory.peak.is_none_or(|peak| memory.baseline.is_some_and(|baseline| baseline <= peak));
    range(grows, "memory.peak", format!("{:?}", memory.peak), "at least memory.baseline");
    found.extend(disturbed(&evidence.steadiness, evidence.plan.trials as usize));
    found
}

/// Where a record has ticks.
fn figure(evidence: &Evidence) -> Option<String> {
    let trials = |name: &'static str, trials: &[super::Trial]| {
        let place = trials.iter().position(|trial| trial.ticks.is_some() || trial.parts.is_some());
        place.map(|index| format!("{name}[{index}].ticks"))
    };
    let profiled = &evidence.profiled;
    trials("trials", &evidence.trials)
        .or_else(|| trials("profiled.trials", &profiled.trials))
        .or_else(|| profiled.ticks.or(profiled.raw_ticks).map(|_| "profiled.ticks".to_owned()))
        .or_else(|| {
            let call = evidence.calls.iter().find(|call| call.ticks.or(call.min).or(call.max).is_some());
            call.map(|call| format!("ticks of {}/{}", call.function, call.role))
        })
        .or_else(|| {
            let phase = evidence.phases.iter().find(|phase| phase.ticks.or(phase.self_ticks).is_some());
            phase.map(|phase| format!("ticks of phase {}", phase.path.join("/")))
        })
}

/// What the list of disturbed attempts says that their counts do not, and the other way round.
fn disturbed(recorded: &Steadiness, trials: usize) -> Vec<Violation> {
    let mut found = Vec::new();
    let attempts = u64::from(recorded.repeated) + u64::from(recorded.counted);
    let listed = recorded.events.len() as u64;
    let mut recounted = Steadiness { kinds: Default::default(), repeated: 0, counted: 0, events: vec![], ..*recorded };
    recorded.events.iter().for_each(|event| recounted.note(event.clone()));
    let summary = |steadiness: &Steadiness| {
        let kinds = steadiness.kinds.iter();
        let kinds = kinds.map(|(kind, counts)| format!(", {kind} {} and {}", counts.repeated, counts.counted));
        format!("{} repeated and {} counted{}", steadiness.repeated, steadiness.counted, kinds.collect::<String>())
    };
    if listed != attempts.min(LISTED as u64) {
        let got = format!("a list of {listed} for {attempts} attempts");
        let expected = "as many as were repeated or counted, up to 64";
        found.push(Violation::Range { field: "steadiness.events".to_owned(), got, expected });
    } else if listed == attempts && summary(recorded) != summary(&recounted) {
        let (got, recomputed) = (summary(recorded), summary(&recounted));
        found.push(Violation::NotDerived { field: "steadiness".to_owned(), got, recomputed });
    }
    if let Some(event) = recorded.events.iter().find(|event| event.trial >= trials) {
        let (got, expected) = (event.trial.to_string(), "a trial of the plan");
        found.push(Violation::Range { field: "trial of steadiness.events".to_owned(), got, expected });
    }
    let least = [recorded.interrupted_beyond, recorded.interrupted_beyond_alone].into_iter().flatten().reduce(f64::min);
    let disturbances = recorded.events.iter().flat_map(|event| &event.disturbances);
    let short = disturbances.filter_map(|disturbance| match disturbance {
        Disturbance::Interrupted { times } => Some(*times),
        _ => None,
    });
    // Without a limit there is nothing that could have been beyond it.
    if let Some(times) = short.into_iter().find(|&times| least.is_none_or(|least| times < least - ROUNDING)) {
        let expected = "more than steadiness.interrupted_beyond or interrupted_beyond_alone";
        found.push(Violation::Range {
            field: "times of steadiness.events".to_owned(),
            got: times.to_string(),
            expected,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::fixture::{call, record};
    use crate::evidence::{Event, Outcome};

    /// A good record, changed; what is then wrong with it.
    fn after(change: impl FnOnce(&mut Evidence)) -> String {
        let mut evidence = record(&[call("shake128", "matrix", 8, 8, 100)], &[(&["keygen"], 10)]);
        assert_eq!(violations(&evidence), []);
        change(&mut evidence);
        violations(&evidence).iter().map(|violation| format!("{violation}\n")).collect()
    }

    #[test]
    fn an_unavailable_counter_gave_no_figure() {
        let unavailable = |evidence: &mut Evidence| evidence.counter.unavailable = Some("it went backwards".to_owned());
        assert!(after(unavailable).contains("trials[0].ticks is a figure, expected null"));
        let left = after(|evidence| {
            unavailable(evidence);
            evidence.trials.iter_mut().chain(&mut evidence.profiled.trials).for_each(|trial| trial.ticks = None);
            (evidence.profiled.ticks, evidence.profiled.raw_ticks) = (None, None);
        });
        assert!(left.contains("ticks of shake128/matrix is a figure"), "{left}");
    }

    #[test]
    fn trials_are_of_as_many_processes_as_there_were() {
        assert!(after(|evidence| evidence.processes = 2).contains("processes is 2"));
        assert!(after(|evidence| evidence.trials[1].process = 1).contains("processes of profiled.trials"));
        let two = after(|evidence| {
            evidence.processes = 2;
            (evidence.trials[2].process, evidence.profiled.trials[2].process) = (1, 1);
        });
        assert_eq!(two, "");
    }

    type Change = fn(&mut Steadiness);

    /// One trial that was run again after so many times the shortest.
    fn interrupted(trial: usize, times: f64) -> Steadiness {
        let mut steadiness =
            Steadiness { repeats: 2, interrupted_beyond: Some(2.5), clock_tolerance: 0.05, ..Steadiness::default() };
        let disturbances = vec![Disturbance::Interrupted { times }];
        steadiness.note(Event { trial, probes: false, outcome: Outcome::Repeated, disturbances });
        steadiness
    }

    #[test]
    fn disturbances_are_those_that_are_listed() {
        assert_eq!(after(|evidence| evidence.steadiness = interrupted(2, 9.0)), "");
        let wrong: [(&str, Change); 6] = [
            ("steadiness.events is a list of 1 for 2 attempts", |steadiness| steadiness.repeated = 2),
            ("steadiness.events is a list of 1 for 2 attempts", |steadiness| steadiness.counted = 1),
            ("steadiness.events is a list of 1 for 0 attempts", |steadiness| steadiness.repeated = 0),
            ("steadiness is 1 repeated", |steadiness| steadiness.kinds.clear()),
            ("trial of steadiness.events is 3", |steadiness| steadiness.events[0].trial = 3),
            ("times of steadiness.events is 9", |steadiness| steadiness.interrupted_beyond = Some(10.0)),
        ];
        for (expected, change) in wrong {
            let found = after(|evidence| {
                evidence.steadiness = interrupted(2, 9.0);
                change(&mut evidence.steadiness);
            });
            assert!(found.contains(expected), "{found:?} has no {expected:?}");
        }
    }

    #[test]
    fn of_many_disturbances_the_first_are_listed() {
        let many = |attempts: u32| {
            let mut steadiness = interrupted(0, 9.0);
            let event = steadiness.events[0].clone();
            (1..attempts).for_each(|_| steadiness.note(event.clone()));
            steadiness
        };
        assert_eq!(after(|evidence| evidence.steadiness = many(100)), "");
        let cut = after(|evidence| {
            evidence.steadiness = many(100);
            evidence.steadiness.events.pop();
        });
        assert!(cut.contains("a list of 63 for 100 attempts"), "{cut}");
    }
}
