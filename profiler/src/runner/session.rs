use super::job::Job;
use super::native::{Clocks, RunError, visit};
use super::operation::Bench;
use crate::evidence::{Measured, Trial};
use kemprof_core::kem::Visitor;
use kemprof_core::recorder::{Counter, Recorder, calibrate};
use kemprof_core::{Kem, ProbeCost, Profiled};
use std::hint::black_box;

/// One job between its trials, whatever its KEM.
pub(super) trait Session {
    /// Runs one trial without probes and one with them.
    fn trial(&mut self) -> Result<(), RunError>;

    /// What was measured.
    fn finish(self: Box<Self>) -> Result<Measured, RunError>;
}

/// Prepares a job: keys and ciphertexts, the probe's cost, and the operations to warm up with.
pub(super) fn open<C: Counter + Clone + 'static, F: FnMut() -> f64 + Clone + 'static>(
    job: &Job,
    clocks: &Clocks<C, F>,
) -> Result<Box<dyn Session>, RunError> {
    match clocks.counter.clone() {
        Some(counter) => visit(job, Open { job, counter, counts: true, seconds: clocks.seconds.clone() }),
        None => visit(job, Open { job, counter: Stopped, counts: false, seconds: clocks.seconds.clone() }),
    }
}

/// The counter of a run without one: it stands still, and nothing that it gives is reported.
#[derive(Clone, Copy, Debug)]
struct Stopped;

impl Counter for Stopped {
    fn read(&mut self) -> u64 {
        0
    }
}

struct Open<'a, C, F> {
    job: &'a Job,
    counter: C,
    counts: bool,
    seconds: F,
}

impl<C: Counter + Clone + 'static, F: FnMut() -> f64 + 'static> Visitor for Open<'_, C, F> {
    type Output = Result<Box<dyn Session>, RunError>;

    fn visit<K: Kem>(self) -> Self::Output {
        let Self { job, counter, counts, seconds } = self;
        let mut bench = Bench::<K>::prepare(job)?;
        let mut suite = job.suite();
        for iteration in 0..job.plan.warmups {
            bench.run(&mut suite, iteration)?;
        }
        let cost = calibrate(&suite, counter.clone());
        let recorder = Recorder::new(counter.clone());
        let fault = (!counts).then_some("no counter was asked for");
        let job = job.clone();
        let (trials, profiled_trials) = (Vec::new(), Vec::new());
        Ok(Box::new(Running { job, bench, counter, seconds, cost, recorder, trials, profiled_trials, fault }))
    }
}

struct Running<K, C, F> {
    job: Job,
    bench: Bench<K>,
    counter: C,
    seconds: F,
    cost: ProbeCost,
    recorder: Recorder<C>,
    trials: Vec<Trial>,
    profiled_trials: Vec<Trial>,
    /// What the counter did that makes its ticks worthless.
    fault: Option<&'static str>,
}

impl<K: Kem, C: Counter + Clone, F: FnMut() -> f64> Running<K, C, F> {
    /// Times the iterations of one trial.
    fn timed(&mut self, mut run: impl FnMut(&mut Bench<K>, u32) -> Result<(), RunError>) -> Result<Trial, RunError> {
        let iterations = self.job.plan.iterations_per_trial;
        let began = (self.seconds)();
        let start = self.counter.read();
        for iteration in 0..iterations {
            run(&mut self.bench, black_box(iteration))?;
        }
        let end = self.counter.read();
        let seconds = (self.seconds)() - began;
        let ticks = end.checked_sub(start);
        match ticks {
            None => self.fault = Some("the counter went backwards during the run"),
            Some(0) if self.fault.is_none() => self.fault = Some("the counter did not move during the run"),
            Some(_) => {}
        }
        Ok(Trial { operations: iterations.into(), ticks, seconds: Some(seconds) })
    }
}

impl<K: Kem, C: Counter + Clone, F: FnMut() -> f64> Session for Running<K, C, F> {
    fn trial(&mut self) -> Result<(), RunError> {
        let mut suite = self.job.suite();
        let trial = self.timed(|bench, iteration| bench.run(&mut suite, iteration))?;
        self.trials.push(trial);
        // The table goes through the trial by value, and comes back.
        let recorder = std::mem::replace(&mut self.recorder, Recorder::new(self.counter.clone()));
        let mut profiled = Profiled::new(self.job.suite(), recorder);
        let trial = self.timed(|bench, iteration| bench.run(&mut profiled, iteration))?;
        self.profiled_trials.push(trial);
        self.recorder = profiled.probe;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Measured, RunError> {
        if self.recorder.lost() > 0 {
            return Err(RunError::TableFull(self.recorder.lost()));
        }
        let measured = Measured {
            trials: self.trials,
            profiled_trials: self.profiled_trials,
            nodes: self.recorder.nodes().to_vec(),
            cost: Some(self.cost),
            unavailable: None,
        };
        Ok(match self.fault {
            Some(fault) => measured.without_ticks(fault),
            None => measured,
        })
    }
}
