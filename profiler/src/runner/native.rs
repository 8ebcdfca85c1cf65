//! Runs operations in this process.

use super::job::Job;
use super::operation::Bench;
use crate::evidence::{Measured, Operation, Sizes, Trial};
use kemprof_core::kem::{self, Visitor};
use kemprof_core::recorder::{Counter, Recorder, calibrate};
use kemprof_core::{Kem, Probe, Profiled};
use std::hint::black_box;
use thiserror::Error;

/// Why a run has no result.
#[derive(Debug, Error)]
pub enum RunError {
    /// No such KEM in this build.
    #[error("unknown instance {_0:?}; known: {}", kem::INSTANCES.join(", "))]
    UnknownInstance(String),
    /// The scheme refused its own output.
    #[error("{instance} {operation} failed: {source}")]
    Scheme {
        /// The KEM.
        instance: &'static str,
        /// The operation.
        operation: Operation,
        /// What it refused.
        source: kem::Error,
    },
    /// The recorder's fixed table was too small for what it saw.
    #[error("the recorder's table is full: {0} phases or calls were not recorded, so there is no result")]
    TableFull(u64),
}

/// What time is read from: the counter, and the seconds that go with it.
#[derive(Clone, Debug)]
pub struct Clocks<C, F> {
    /// Ticks; `None` to count calls only.
    pub counter: Option<C>,
    /// Seconds since any fixed moment.
    pub seconds: F,
}

/// The counter of a run without one: it stands still, and nothing that it gives is reported.
#[derive(Clone, Copy, Debug)]
struct Stopped;

impl Counter for Stopped {
    fn read(&mut self) -> u64 {
        0
    }
}

/// Lengths of the keys, ciphertext and secret of `instance`.
///
/// # Errors
/// When there is no such instance.
pub fn sizes(instance: &str) -> Result<Sizes, RunError> {
    struct Lengths;
    impl Visitor for Lengths {
        type Output = Sizes;
        fn visit<K: Kem>(self) -> Sizes {
            Sizes { pk: K::PUBLIC_KEY, sk: K::SECRET_KEY, ct: K::CIPHERTEXT, ss: K::SHARED_SECRET }
        }
    }
    kem::visit(instance, Lengths).ok_or_else(|| RunError::UnknownInstance(instance.to_owned()))
}

/// Runs the trials of `job`: each without probes and then with them, on the same operations. `progress` is told how many of
/// how many trials are done.
///
/// # Errors
/// See [`RunError`].
pub fn measure<C: Counter + Clone, F: FnMut() -> f64>(
    job: &Job,
    clocks: Clocks<C, F>,
    progress: impl FnMut(u32, u32),
) -> Result<Measured, RunError> {
    let Clocks { counter, seconds } = clocks;
    match counter {
        Some(counter) => visit(job, Measure { job, counter, seconds, progress }).map(|(measured, fault)| match fault {
            None => measured,
            Some(fault) => measured.without_ticks(fault),
        }),
        None => visit(job, Measure { job, counter: Stopped, seconds, progress })
            .map(|(measured, _)| measured.without_ticks("no counter was asked for")),
    }
}

/// Runs one operation of `job` under `probe`, untimed, and returns the probe.
///
/// # Errors
/// See [`RunError`].
pub fn observe<P: Probe>(job: &Job, probe: P) -> Result<P, RunError> {
    visit(job, Observe { job, probe })
}

fn visit<T, V: Visitor<Output = Result<T, RunError>>>(job: &Job, visitor: V) -> Result<T, RunError> {
    kem::visit(&job.instance, visitor).unwrap_or_else(|| Err(RunError::UnknownInstance(job.instance.clone())))
}

struct Observe<'a, P> {
    job: &'a Job,
    probe: P,
}

impl<P: Probe> Visitor for Observe<'_, P> {
    type Output = Result<P, RunError>;

    fn visit<K: Kem>(self) -> Self::Output {
        let mut bench = Bench::<K>::prepare(self.job)?;
        let mut profiled = Profiled::new(self.job.suite(), self.probe);
        bench.run(&mut profiled, 0)?;
        Ok(profiled.probe)
    }
}

struct Measure<'a, C, F, G> {
    job: &'a Job,
    counter: C,
    seconds: F,
    progress: G,
}

/// What a counter did during a run that makes its ticks worthless.
type Fault = &'static str;

impl<C: Counter + Clone, F: FnMut() -> f64, G: FnMut(u32, u32)> Visitor for Measure<'_, C, F, G> {
    type Output = Result<(Measured, Option<Fault>), RunError>;

    fn visit<K: Kem>(mut self) -> Self::Output {
        let job = self.job;
        let mut bench = Bench::<K>::prepare(job)?;
        let cost = calibrate(&job.suite(), self.counter.clone());
        let mut recorder = Recorder::new(self.counter.clone());
        let (mut trials, mut profiled_trials, mut fault) = (Vec::new(), Vec::new(), None);
        let mut suite = job.suite();
        for iteration in 0..job.plan.warmups {
            bench.run(&mut suite, iteration)?;
        }
        for trial in 0..job.plan.trials {
            let mut suite = job.suite();
            trials.push(self.timed(&mut fault, |iteration| bench.run(&mut suite, iteration))?);
            let mut profiled = Profiled::new(job.suite(), recorder);
            profiled_trials.push(self.timed(&mut fault, |iteration| bench.run(&mut profiled, iteration))?);
            recorder = profiled.probe;
            (self.progress)(trial + 1, job.plan.trials);
        }
        match recorder.lost() {
            0 => {
                let nodes = recorder.nodes().to_vec();
                Ok((Measured { trials, profiled_trials, nodes, cost: Some(cost), unavailable: None }, fault))
            }
            lost => Err(RunError::TableFull(lost)),
        }
    }
}

impl<C: Counter + Clone, F: FnMut() -> f64, G> Measure<'_, C, F, G> {
    /// Times the iterations of one trial.
    fn timed(
        &mut self,
        fault: &mut Option<Fault>,
        mut run: impl FnMut(u32) -> Result<(), RunError>,
    ) -> Result<Trial, RunError> {
        let iterations = self.job.plan.iterations_per_trial;
        let mut counter = self.counter.clone();
        let began = (self.seconds)();
        let start = counter.read();
        for iteration in 0..iterations {
            run(black_box(iteration))?;
        }
        let end = counter.read();
        let seconds = (self.seconds)() - began;
        let ticks = end.checked_sub(start);
        match ticks {
            None => *fault = Some("the counter went backwards during the run"),
            Some(0) => *fault = Some("the counter did not move during the run"),
            Some(_) => {}
        }
        Ok(Trial { operations: iterations.into(), ticks, seconds: Some(seconds) })
    }
}

impl Measured {
    /// The same run with nothing that its counter gave, and why.
    fn without_ticks(mut self, why: &str) -> Self {
        for trial in self.trials.iter_mut().chain(&mut self.profiled_trials) {
            trial.ticks = None;
        }
        Self { cost: None, unavailable: Some(why.to_owned()), ..self }
    }
}
