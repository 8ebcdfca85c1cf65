//! Trials and the record made of them, with counters of which every reading is known.

mod common;

use kemprof::evidence::{self, Evidence, Measured, Operation, Plan};
use kemprof::runner::{self, Clocks, Job, SuiteSpec};
use kemprof_core::{Counter, Sampling};
use std::cell::Cell;
use std::rc::Rc;

/// A counter and clock whose every reading is `step` after the one before, whoever reads it.
#[derive(Clone)]
struct Script {
    now: Rc<Cell<u64>>,
    step: fn(u64) -> u64,
}

impl Counter for Script {
    fn read(&mut self) -> u64 {
        let now = (self.step)(self.now.get());
        self.now.set(now);
        now
    }
}

const TRIALS: u32 = 4;
const ITERATIONS: u32 = 3;

fn job() -> Job {
    Job {
        instance: "lwekem128".to_owned(),
        operation: Operation::Keygen,
        spec: SuiteSpec::default(),
        sampling: Sampling::Lazy,
        seed: vec![7; 48],
        plan: Plan { trials: TRIALS, iterations_per_trial: ITERATIONS, warmups: 1 },
    }
}

fn measure(step: fn(u64) -> u64) -> Measured {
    let counter = Script { now: Rc::new(Cell::new(1_000_000)), step };
    let mut second = 0.0;
    let seconds = move || {
        second += 0.5;
        second
    };
    let clocks = Clocks { counter: Some(counter), seconds };
    let mut seen = Vec::new();
    let mut measured = runner::measure(&[job()], &clocks, |done, all| seen.push((done, all))).expect("runs");
    assert_eq!(seen, (1..=u64::from(TRIALS)).map(|done| (done, u64::from(TRIALS))).collect::<Vec<_>>());
    measured.pop().expect("one job, one measurement")
}

fn record(measured: Measured) -> Evidence {
    Evidence::build(common::scripted(&job(), 7), measured)
}

#[test]
fn figures_follow_from_the_readings() {
    // Two readings in three are 7 apart, the third 100: that is time spent, the rest the probe's own. It ends before the trials do, and
    // the probe is calibrated after them.
    let measured = measure(|now| now + if now % 3 == 0 && now < 1_050_000 { 100 } else { 7 });
    let seconds = measured.trials.iter().chain(&measured.profiled_trials).map(|trial| trial.seconds);
    assert!(seconds.into_iter().all(|seconds| seconds == Some(0.5)));
    let record = record(measured);
    assert_eq!(evidence::violations(&record), []);
    assert_eq!(record.profiled.operations, u64::from(TRIALS * ITERATIONS));
    let (total, raw) = (record.profiled.ticks.expect("ticks"), record.profiled.raw_ticks.expect("ticks"));
    assert!(0 < total && total < raw, "{total} of {raw}");
    let ticks: u64 = record.trials.iter().map(|trial| trial.ticks.expect("ticks")).sum();
    assert_eq!(record.derived.mean, Some(ticks as f64 / f64::from(TRIALS * ITERATIONS)));
    assert_eq!(record.derived.seconds_per_operation, Some(0.5 / f64::from(ITERATIONS)));
    assert_eq!(record.derived.distribution.expect("trials").count, TRIALS as usize);
}

#[test]
fn a_counter_that_sees_nothing_but_the_probe_gives_no_figure() {
    let record = record(measure(|now| now + 7));
    assert!(record.counter.unavailable.as_ref().is_some_and(|why| why.contains("too coarse")), "{:?}", record.counter);
    assert_eq!((record.profiled.ticks, record.derived.mean, record.derived.hash_share), (None, None, None));
    assert_eq!(evidence::violations(&record), []);
}

#[test]
fn counters_that_fail_give_no_figure_and_the_reason() {
    for (step, reason) in [((|now| now) as fn(u64) -> u64, "did not move"), (|now| now - 1, "went backwards")] {
        let record = record(measure(step));
        assert!(record.counter.unavailable.as_ref().is_some_and(|why| why.contains(reason)), "{:?}", record.counter);
        assert_eq!((record.profiled.ticks, record.profiled.raw_ticks, record.probe_cost), (None, None, None));
        assert_eq!((record.derived.mean, record.derived.hash_share, record.derived.probe_overhead), (None, None, None));
        assert!(record.derived.share.values().all(Option::is_none));
        assert!(record.calls.iter().all(|row| row.ticks.is_none() && row.calls > 0), "calls are counted all the same");
        assert_eq!(evidence::violations(&record), []);
        assert!(!evidence::to_json(&record).contains("\"ticks\": 0"));
        let report = kemprof::render::table::report(&record);
        assert!(report.contains(reason), "{report}");
    }
}

#[test]
fn jobs_take_turns() {
    let mut jobs = vec![job(), job()];
    jobs[1].operation = Operation::Enc;
    jobs[1].plan.trials = 2;
    let counter = Script { now: Rc::default(), step: |now| now + 1 };
    let clocks = Clocks { counter: Some(counter), seconds: || 0.0 };
    let measured = runner::measure(&jobs, &clocks, |_, _| ()).expect("runs");
    assert_eq!(measured.iter().map(|one| one.trials.len()).collect::<Vec<_>>(), [4, 2]);
}

#[test]
fn an_unknown_instance_is_named() {
    let mut job = job();
    "rot13".clone_into(&mut job.instance);
    let error = runner::default_iterations(&job).expect_err("there is none").to_string();
    assert!(error.contains("\"rot13\"") && error.contains("lwekem256"), "{error}");
}
