//! Trials that something disturbs, with a counter and an observer of which every reading is known.

mod common;

use kemprof::analysis::steadiness::{Disturbance, Glance, Moment};
use kemprof::evidence::{self, Disturbed, Evidence, Operation, Outcome, Plan};
use kemprof::render::table;
use kemprof::runner::{Clocks, Job, Repeat, SuiteSpec, Trials};
use kemprof_core::{Counter, Sampling};
use std::cell::Cell;
use std::rc::Rc;

/// Trials without probes; as many have them.
const TRIALS: u32 = 10;
/// What a trial without probes takes in ticks: from one reading of the counter to the next.
const STEP: u64 = 1000;
/// The rule of a profile.
const REPEAT: Repeat = Repeat { times: 2, beyond: 2.5, beyond_alone: 1.5 };

/// What an attempt meets.
#[derive(Clone, Copy)]
struct Conditions {
    /// Ticks from one reading to the next.
    step: u64,
    /// The core's clock, as a part of the usual.
    clock: f64,
    /// Additions in a cycle.
    adds: f64,
    /// The core before and after.
    cores: [usize; 2],
}

const USUAL: Conditions = Conditions { step: STEP, clock: 1.0, adds: 4.0, cores: [0, 0] };

/// A machine on which a script is played. Looks come in pairs, before and after each attempt, which tells where the run is.
///
/// Attempts are numbered in the order in which they are made: three rehearsals and the first trial without probes are 0 to 3, with
/// probes 4 to 7, and from then on each trial is one attempt without and one with probes, as long as nothing is run again.
#[derive(Clone)]
struct Machine {
    now: Rc<Cell<u64>>,
    looks: Rc<Cell<u32>>,
    script: fn(u32) -> Conditions,
}

/// The first attempt of this trial without probes, where no trial before was run again.
const fn plain(trial: u32) -> u32 {
    if trial == 0 { 3 } else { 6 + 2 * trial }
}

impl Counter for Machine {
    fn read(&mut self) -> u64 {
        let looks = self.looks.get();
        // Outside of attempts reading costs next to nothing, so that calibration does not take all of it for the probe's own.
        let step = if looks % 2 == 1 { (self.script)(looks / 2).step } else { 1 };
        self.now.set(self.now.get() + step);
        self.now.get()
    }
}

impl Machine {
    fn look(&self) -> Moment {
        let looks = self.looks.get();
        self.looks.set(looks + 1);
        let Conditions { clock, adds, cores, .. } = (self.script)(looks / 2);
        let glance = Glance { chain_per_us: 1000.0 * clock, adds_per_step: 3.0 * adds };
        Moment { core: cores[looks as usize % 2], glance: Some(glance) }
    }
}

fn job() -> Job {
    Job {
        instance: "lwekem128".to_owned(),
        operation: Operation::Keygen,
        spec: SuiteSpec::default(),
        sampling: Sampling::Lazy,
        seed: vec![7; 48],
        plan: Plan { trials: TRIALS, iterations_per_trial: 1, warmups: 0 },
    }
}

/// The evidence of a run on a machine that behaves so, and how many attempts there were.
fn record(script: fn(u32) -> Conditions) -> (Evidence, u32) {
    observed(script, |moment| moment)
}

/// The same, with an observer that is told `seen` of each moment.
fn observed(script: fn(u32) -> Conditions, seen: fn(Moment) -> Moment) -> (Evidence, u32) {
    let machine = Machine { now: Rc::default(), looks: Rc::default(), script };
    let clocks = Clocks { counter: Some(machine.clone()), seconds: || 0.0 };
    let (watched, looks) = (machine.clone(), machine.looks.clone());
    let trials = Trials::open(&[job()], &clocks).expect("runs");
    let mut trials = trials.repeating(REPEAT, move || seen(watched.look()));
    for _ in 0..trials.rounds() {
        trials.round(|| ()).expect("runs");
    }
    let measured = trials.finish().expect("fits the table").remove(0);
    let record = Evidence::build(common::scripted(&job(), 1), measured);
    assert_eq!(evidence::violations(&record), []);
    (record, looks.get() / 2)
}

/// Ticks of all trials without probes.
fn ticks(record: &Evidence) -> Vec<u64> {
    record.trials.iter().map(|trial| trial.ticks.expect("ticks")).collect()
}

/// One outlier in ten trials, one migration and one throttled trial.
#[test]
fn disturbed_trials_are_repeated_and_all_that_count_are_in_the_statistics() {
    const OUTLIER: u32 = plain(2);
    const MIGRATED: u32 = plain(4);
    // One attempt later, since the migrated trial was run again.
    const THROTTLED: u32 = plain(7) + 1;
    let (record, attempts) = record(|attempt| match attempt {
        OUTLIER => Conditions { step: STEP * 14 / 10, ..USUAL },
        MIGRATED => Conditions { step: STEP * 14 / 10, cores: [0, 1], ..USUAL },
        // All three attempts.
        THROTTLED..THROTTLED_END => Conditions { step: STEP * 3 / 2, clock: 2.0 / 3.0, cores: [1, 1], ..USUAL },
        attempt if attempt > MIGRATED => Conditions { cores: [1, 1], ..USUAL },
        _ => USUAL,
    });
    const THROTTLED_END: u32 = THROTTLED + 3;
    // Two rows of rehearsals, ten trials of two kinds, and three attempts more.
    assert_eq!(attempts, 2 * 3 + 2 * TRIALS + 3);
    assert_eq!(ticks(&record), [1000, 1000, 1400, 1000, 1000, 1000, 1000, 1500, 1000, 1000]);

    let steadiness = &record.steadiness;
    assert_eq!((steadiness.repeats, steadiness.interrupted_beyond, steadiness.clock_tolerance), (2, Some(2.5), 0.05));
    assert_eq!((steadiness.repeated, steadiness.counted), (3, 1));
    let kinds: Vec<(&str, Disturbed)> = steadiness.kinds.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
    let [once, thrice] = [Disturbed { repeated: 1, counted: 0 }, Disturbed { repeated: 2, counted: 1 }];
    assert_eq!(kinds, [("clock-moved", thrice), ("migrated", once)]);
    let events: Vec<_> = steadiness.events.iter().map(|event| (event.trial, event.probes, event.outcome)).collect();
    let throttled = |outcome| (7, false, outcome);
    let (repeated, counted) = (Outcome::Repeated, Outcome::Counted);
    assert_eq!(events, [(4, false, repeated), throttled(repeated), throttled(repeated), throttled(counted)]);
    assert_eq!(steadiness.events[0].disturbances, [Disturbance::Migrated { from: 0, to: 1 }]);
    assert_eq!(steadiness.events[3].disturbances, [Disturbance::ClockMoved { to: 0.667 }]);

    // Sorted: 1000 eight times, 1400, 1500. 95 % is position 8.55 of 0 to 9.
    let spread = record.derived.distribution.expect("ticks");
    assert_eq!((spread.count, spread.median, spread.median_absolute_deviation, spread.outliers), (10, 1000.0, 0.0, 2));
    assert_eq!((spread.min, spread.p5, spread.p25, spread.p75, spread.max), (1000.0, 1000.0, 1000.0, 1000.0, 1500.0));
    assert!((spread.p95 - 1455.0).abs() < 1e-9, "{spread:?}");
    assert_eq!((record.derived.median, record.derived.mean), (Some(1000.0), Some(1090.0)));
    // One process does not tell how layouts differ; its trials tell how its own rows do. All with probes are alike.
    assert_eq!((record.derived.hash_share_interval, record.profiled.intervals_over.as_deref()), (None, Some("trials")));
    let row = &record.calls[0];
    let (interval, mean) = (row.interval.expect("ten trials"), row.ticks.expect("ticks") as f64 / f64::from(TRIALS));
    assert!((interval.low - mean).abs() < 1.0 && (interval.high - mean).abs() < 1.0, "{interval:?} {mean}");

    let warning = record.warnings.iter().find(|warning| warning.contains("disturbed")).expect("there is one");
    assert_eq!(
        warning,
        "4 attempts were disturbed (3 by a change of the clock, 1 by a move to another core): 3 run again, 1 at the last attempt too, \
         and counted: stop other programs and fix the frequency"
    );
    let report = table::report(&record);
    for part in [warning.as_str(), "2 outliers"] {
        assert!(report.contains(part), "no {part:?} in\n{report}");
    }
}

#[test]
fn an_interruption_is_repeated_and_an_undisturbed_run_says_nothing() {
    const INTERRUPTED: u32 = plain(5);
    let (quiet, attempts) = record(|_| USUAL);
    assert_eq!((attempts, quiet.steadiness.repeated, quiet.warnings.len()), (2 * 3 + 2 * TRIALS, 0, 0));
    let (record, _) = record(|attempt| match attempt {
        INTERRUPTED => Conditions { step: 3 * STEP, ..USUAL },
        _ => USUAL,
    });
    assert_eq!(ticks(&record), ticks(&quiet));
    assert_eq!(record.steadiness.events[0].disturbances, [Disturbance::Interrupted { times: 3.0 }]);
    assert_eq!(record.steadiness.interrupted_beyond_alone, Some(1.5));
    assert!(
        record.warnings[0].starts_with("1 attempt was disturbed (1 by other programs): 1 run again"),
        "{:?}",
        record.warnings
    );
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_neighbour_explains_twice_as_long_and_nothing_else_does() {
    const SLOW: u32 = plain(5);
    let (alone, _) = record(|attempt| match attempt {
        SLOW => Conditions { step: 2 * STEP, ..USUAL },
        _ => USUAL,
    });
    assert_eq!(alone.steadiness.events[0].disturbances, [Disturbance::Interrupted { times: 2.0 }]);
    let (shared, _) = record(|attempt| match attempt {
        SLOW => Conditions { step: 2 * STEP, adds: 2.0, ..USUAL },
        _ => USUAL,
    });
    assert_eq!((shared.steadiness.events.len(), shared.trials[5].quiet), (0, Some(false)));
}

/// The clock drops for good: waiting for it would triple the run.
#[test]
fn a_clock_that_stays_elsewhere_becomes_that_of_the_run() {
    const DROP: u32 = plain(2);
    let (record, attempts) = record(|attempt| match attempt {
        DROP.. => Conditions { clock: 0.9, ..USUAL },
        _ => USUAL,
    });
    assert_eq!(record.steadiness.counted, 4);
    assert_eq!(attempts, 2 * 3 + 2 * TRIALS + 2 * 4);
}

#[test]
fn a_core_that_was_idle_speeds_up_during_rehearsals() {
    let (record, attempts) = record(|attempt| match attempt {
        0 => Conditions { clock: 0.4, ..USUAL },
        1 => Conditions { clock: 0.8, ..USUAL },
        _ => USUAL,
    });
    assert_eq!((attempts, record.steadiness.repeated + record.steadiness.counted), (2 * 3 + 2 * TRIALS, 0));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_median_is_of_quiet_trials_where_there_are_enough() {
    // A neighbour from the first trial to the fourth, who doubles what they take; then one trial is slow by itself.
    let (record, _) = record(|attempt| match attempt {
        0..8 => USUAL,
        8..14 => Conditions { step: 2 * STEP, adds: 2.0, ..USUAL },
        _ => USUAL,
    });
    assert_eq!(ticks(&record)[1..4], [2000; 3]);
    let quiet: Vec<Option<bool>> = record.trials.iter().map(|trial| trial.quiet).collect();
    assert_eq!(quiet[..5], [Some(true), Some(false), Some(false), Some(false), Some(true)]);
    let derived = record.derived.quiet.as_ref().expect("the core was looked at");
    assert_eq!((derived.quiet, derived.trials, derived.decides), (7, 10, true));
    assert!((derived.limit - 3.4).abs() < 1e-9, "{derived:?}");
    assert_eq!(record.derived.distribution.expect("ticks").max, 2000.0);
    assert_eq!(derived.distribution.expect("quiet trials").max, 1000.0);
    assert!(table::report(&record).contains("7 of 10 trials quiet"), "{}", table::report(&record));

    let mut forged = record.clone();
    forged.trials[0].quiet = Some(false);
    assert!(evidence::violations(&forged).iter().any(|found| found.to_string().starts_with("trials[0].quiet")));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn too_few_quiet_trials_are_a_warning_and_all_count() {
    let (record, _) = record(|attempt| match attempt {
        0..14 => USUAL,
        _ => Conditions { step: 2 * STEP, adds: 2.0, ..USUAL },
    });
    let quiet = record.derived.quiet.as_ref().expect("the core was looked at");
    assert_eq!((quiet.quiet, quiet.decides, record.derived.median), (4, false, Some(2000.0)));
    assert!(
        record.warnings.iter().any(|warning| warning.starts_with("only 4 of 10 trials were quiet")),
        "{:?}",
        record.warnings
    );
}

#[test]
fn without_a_look_at_the_core_all_trials_count_and_nothing_is_said_of_quiet() {
    let (record, _) = observed(|_| USUAL, |moment| Moment { glance: None, ..moment });
    assert!(record.trials.iter().all(|trial| trial.quiet.is_none() && trial.core_mhz.is_none()));
    assert_eq!((&record.derived.quiet, record.derived.core_mhz), (&None, None));
    assert!(record.derived.median.is_some());
}
